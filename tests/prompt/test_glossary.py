"""What glossary entries name in the open tables."""

from strategies import LIMITS

from grammar.state import Column, TableState
from prompt.glossary import Entry, Target, entries

STATE = TableState(
    (
        Column("holat", "text", ("Faol", "Muddati o'tgan")),
        Column("qoldiq", "number"),
        Column("qoldiq uzs", "number"),
        Column("Экин тури", "text"),
        Column("fayl", "other"),
    ),
    LIMITS,
    name="t",
)


def named(meaning: str) -> list[tuple[str, str | None]] | None:
    found = entries({"a": meaning}, [STATE])
    return [(target.column, target.value) for target in found[0].targets] if found else None


def test_the_longest_column_name_is_meant() -> None:
    assert named("balance, column qoldiq uzs") == [("qoldiq uzs", None)]
    assert named("balance, column Qoldiq, in dollars") == [("qoldiq", None)]
    assert named("balance, column qoldiqlar") is None


def test_values_with_and_without_their_column() -> None:
    assert named("value muddati oʻtgan of column holat") == [("holat", "Muddati o'tgan")]
    assert named("overdue, value Muddati o'tgan") == [("holat", "Muddati o'tgan")]
    assert named("value Yopilgan of column holat") is None
    assert named("value Buğday of column Экин тури") == [("Экин тури", "Buğday")]


def test_a_meaning_without_names_holds_everywhere() -> None:
    assert entries({"chorak / квартал": "three months"}, [STATE]) == [
        Entry("chorak / квартал", ("chorak", "квартал"), "three months", ())
    ]


def test_a_column_that_no_tool_handles_is_not_meant() -> None:
    assert named("the file, column fayl") is None


def test_a_column_of_several_tables_is_meant_in_each() -> None:
    other = TableState((Column("qoldiq", "number"),), LIMITS, name="u")
    assert entries({"a": "column qoldiq"}, [STATE, other])[0].targets == (Target("t", "qoldiq"), Target("u", "qoldiq"))
