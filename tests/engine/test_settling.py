"""What a file leaves open: the question, its answer, what is remembered, and what follows where nobody answers."""

import json
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tables_in_files import SETTINGS, written

from engine import database
from engine.database import describe, query
from engine.load_options import AS_FOUND, LoadOptions
from engine.load_report import ColumnReport
from engine.remembered import Answers, Memory
from engine.session import Workspace, open_workspace, run
from engine.settling import UNATTENDED, FileQuestion, Settling
from grammar import AnswerMatcher, ToolError, json_schema
from grammar.answers import answer_shape
from grammar.automaton import Matcher
from grammar.compile import compile_shape
from prompt.build import build_prompt

P31 = "Sana,Summa\n03/04/2025,10\n05/06/2025,20\n07/08/2025,30\n"
P05 = 'Ombor;Joy;Vazn;Sana\nChilonzor;"41.2;69.1";5230,4;06/09/21\nSergeli;"41.3;69.4";780,25;08/09/21\n'
P03 = "Hudud;Summa\nToshkent;1,250\nBuxoro;12,5\n"


class Person:
    """Somebody who is asked, and answers from a list."""

    def __init__(self, *answers: str | None) -> None:
        self.answers = list(answers)
        self.asked: list[FileQuestion] = []

    def __call__(self, question: FileQuestion) -> str | None:
        self.asked.append(question)
        return self.answers.pop(0)


def opened(path: Path, settling: Settling = UNATTENDED, options: LoadOptions = AS_FOUND) -> Workspace:
    return open_workspace([path], SETTINGS, options=options, settling=settling)


def report_of(workspace: Workspace, column: str) -> ColumnReport:
    return next(each for each in workspace.tables[0].report.columns if each.column == column)


def cells(workspace: Workspace, column: str) -> list[Any]:
    table = workspace.tables[0].name
    return [row[0] for row in query(workspace.con, f'SELECT "{column}" FROM "{table}"')]


def fixed(workspace: Workspace, column: str, *before: dict[str, Any], tool: str = "fix_dates") -> dict[str, Any]:
    return run(workspace, [], {"steps": [*before, {"tool": tool, "args": {"column": column}}]})


def test_p31_one_question_with_both_days(tmp_path: Path) -> None:
    person = Person("mdy")
    workspace = opened(written(tmp_path, P31), Settling(None, person))
    assert person.asked == [
        FileQuestion("dates", "data", "Sana", "03/04/2025", (("dmy", date(2025, 4, 3)), ("mdy", date(2025, 3, 4))))
    ]
    assert cells(workspace, "Sana") == [date(2025, 3, 4), date(2025, 5, 6), date(2025, 7, 8)]
    assert cells(workspace, "Summa") == [10, 20, 30]
    report = report_of(workspace, "Sana")
    assert (report.type, report.settle, report.answer, report.settled_by) == ("DATE", None, "mdy", "answer")
    assert workspace.scene.tables[0].column("Sana").kind == "date"


def test_p05_a_short_year_is_asked_and_never_first(tmp_path: Path) -> None:
    person = Person("dmy")
    workspace = opened(written(tmp_path, P05), Settling(None, person))
    assert [meaning for _, meaning in person.asked[0].choices] == [date(2021, 9, 6), date(2021, 6, 9)]
    assert cells(workspace, "Sana") == [date(2021, 9, 6), date(2021, 9, 8)]
    assert sum(cells(workspace, "Vazn")) == 6010.65


def test_p03_one_question_with_both_numbers(tmp_path: Path) -> None:
    for answer, numbers in ((",", [1.25, 12.5]), (".", [1250.0, 12.5])):
        person = Person(answer)
        workspace = opened(written(tmp_path, P03), Settling(None, person))
        assert person.asked == [
            FileQuestion("decimal", "data", "Summa", "1,250", ((",", Decimal("1.250")), (".", Decimal(1250))))
        ]
        assert cells(workspace, "Summa") == numbers
        assert report_of(workspace, "Summa").settle is None


def test_a_named_decimal_mark_holds_for_fix_numbers_too(tmp_path: Path) -> None:
    path = written(tmp_path, "Summa;n\n1,250;1\n12,5;2\narzon;3\n")
    for settling, options in ((Settling(None, Person(",")), AS_FOUND), (UNATTENDED, LoadOptions(decimal=","))):
        workspace = opened(path, settling, options)
        assert cells(workspace, "Summa") == ["1,250", "12,5", "arzon"]
        result = fixed(workspace, "Summa", tool="fix_numbers")
        assert [row[0] for row in result["rows"]] == [Decimal("1.250"), Decimal("12.5"), None]


def test_sister_columns_are_asked_about_once(tmp_path: Path) -> None:
    person = Person("dmy")
    path = written(tmp_path, "a,b,c\n03/04/2025,01/02/2024,04.05.2024\n05/06/2025,05/05/2024,13.05.2024\n")
    workspace = opened(path, Settling(None, person))
    assert len(person.asked) == 1
    assert cells(workspace, "b") == [date(2024, 2, 1), date(2024, 5, 5)]
    assert cells(workspace, "c") == [date(2024, 5, 4), date(2024, 5, 13)]


def test_what_the_file_settles_is_not_asked(tmp_path: Path) -> None:
    texts = ["a\n03/04/2025\n25/04/2025\n", "a\n05/05/2025\n06/06/2025\n", 'a\n"1,250"\n"12.5"\n', "a\n1.250\n0.5\n"]
    for text in texts:
        assert report_of(opened(written(tmp_path, text), Settling(None, Person())), "a").kind != "text"
    workspace = opened(written(tmp_path, P31), Settling(None, Person()), LoadOptions(dates="dmy"))
    assert cells(workspace, "Sana")[0] == date(2025, 4, 3)


@pytest.mark.parametrize("settling", [UNATTENDED, Settling(None, Person(None))], ids=["nobody there", "no answer"])
def test_without_an_answer_the_column_stays_text_and_fix_dates_is_not_offered(
    tmp_path: Path, settling: Settling
) -> None:
    workspace = opened(written(tmp_path, P31), settling)
    assert cells(workspace, "Sana") == ["03/04/2025", "05/06/2025", "07/08/2025"]
    report = report_of(workspace, "Sana")
    assert (report.type, report.settle, report.share, report.settled_by) == ("VARCHAR", "--dates", 1.0, None)
    state = workspace.scene.tables[0]
    assert state.column("Sana").day_order == "unclear"
    whole = Matcher(compile_shape(answer_shape(workspace.contracts, workspace.scene)))
    schema = jsonschema.Draft202012Validator(json_schema(workspace.contracts, state))
    for before in ("", '{"tool":"sort","args":{"by":"Sana","descending":true}},'):
        for tool, offered in (("fix_dates", False), ("fix_numbers", True)):
            text = f'{{"steps":[{before}{{"tool":"{tool}","args":{{"column":"Sana"}}}}]}}'
            assert schema.is_valid(json.loads(text)) == offered
            assert whole.accepts(text) == offered
    assert not AnswerMatcher(workspace.contracts, workspace.scene).is_prefix('{"steps":[{"tool":"fix_dates"')
    prompt = build_prompt(workspace.contracts, workspace.scene, {}, "sana", [], [], SETTINGS.prompt)
    assert '"Sana" text, day and month unclear' in prompt.text
    with pytest.raises(ToolError) as caught:
        fixed(workspace, "sana", {"tool": "sort", "args": {"by": "Summa", "descending": True}})
    assert (caught.value.reason, caught.value.step, caught.value.found) == ("unclear_dates", 2, "Sana")


def test_an_answer_is_remembered_for_the_file_until_it_is_asked_for_again(tmp_path: Path) -> None:
    memory, path = Memory(tmp_path / "answers.json", 10), written(tmp_path, P31)
    assert report_of(opened(path, Settling(memory, Person("mdy"))), "Sana").settled_by == "answer_kept"
    workspace = opened(path, Settling(memory, Person()))
    assert report_of(workspace, "Sana").settled_by == "remembered"
    assert cells(workspace, "Sana")[0] == date(2025, 3, 4)
    assert cells(opened(path, Settling(memory), LoadOptions(dates="dmy")), "Sana")[0] == date(2025, 4, 3)
    assert cells(opened(path, Settling(memory)), "Sana")[0] == date(2025, 3, 4)
    assert report_of(opened(path, Settling(memory, None, frozenset({"dates"}))), "Sana").settle == "--dates"
    assert memory.recall(path, ["Sana", "Summa"]) == Answers()
    other = written(tmp_path, P31.replace("Summa", "Soni"))
    assert report_of(opened(other, Settling(memory)), "Sana").settle == "--dates"


def test_a_memory_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    memory = Memory(tmp_path / "file" / "answers.json", 10)
    workspace = opened(written(tmp_path, P31), Settling(memory, Person("dmy")))
    assert report_of(workspace, "Sana").settled_by == "answer"
    assert cells(workspace, "Sana")[0] == date(2025, 4, 3)


def test_a_mixed_column_takes_the_answer_to_fix_dates(tmp_path: Path) -> None:
    workspace = opened(written(tmp_path, "Sana\n03/04/2025\n05/06/2025\nkeyin\n"), Settling(None, Person("mdy")))
    report = report_of(workspace, "Sana")
    assert (report.type, report.settle, report.tool, report.day_order) == ("VARCHAR", None, "fix_dates", "mdy")
    assert report.share is not None
    assert int(report.share * 100) == 66
    assert [row[0] for row in fixed(workspace, "Sana")["rows"]] == [date(2025, 3, 4), date(2025, 5, 6), None]


def test_the_order_lasts_when_the_rows_that_told_it_are_gone(tmp_path: Path) -> None:
    workspace = opened(written(tmp_path, "Sana,n\n03/04/2025,1\n25/06/2025,2\nkeyin,3\n"))
    first = {"tool": "filter", "args": {"column": "n", "op": "=", "value": 1}}
    assert fixed(workspace, "Sana", first)["rows"] == [(date(2025, 4, 3), 1)]


def parquet(folder: Path, *rows: str) -> Path:
    path, con = folder / "t.parquet", database.connect(SETTINGS.database)
    values = ", ".join(f"('{row}')" for row in rows)
    database.execute(con, f"COPY (SELECT * FROM (VALUES {values}) AS t(Sana)) TO '{path}' (FORMAT parquet)")
    return path


def test_text_of_other_sources_is_asked_about_too(tmp_path: Path) -> None:
    path = parquet(tmp_path, "03/04/2025", "05/06/2025")
    workspace = opened(path)
    assert report_of(workspace, "Sana").settle == "--dates"
    assert workspace.scene.tables[0].column("Sana").day_order == "unclear"
    for settling, options in ((Settling(None, Person("mdy")), AS_FOUND), (UNATTENDED, LoadOptions(dates="mdy"))):
        workspace = opened(path, settling, options)
        assert describe(workspace.con, '"t"') == [("Sana", "VARCHAR")]
        assert report_of(workspace, "Sana").settle is None
        assert [row[0] for row in fixed(workspace, "Sana")["rows"]] == [date(2025, 3, 4), date(2025, 5, 6)]


def test_text_of_other_sources_that_tells_is_not_asked_about(tmp_path: Path) -> None:
    workspace = opened(parquet(tmp_path, "03/04/2025", "25/06/2025"), Settling(None, Person()))
    assert report_of(workspace, "Sana").day_order == "dmy"
    assert [row[0] for row in fixed(workspace, "Sana")["rows"]] == [date(2025, 4, 3), date(2025, 6, 25)]


def test_a_named_kind_waits_for_the_answer_too(tmp_path: Path) -> None:
    path = written(tmp_path, "Sana;Narx\n03/04/2025;1,250\nkeyin;12,5\n05/06/2025;arzon\n")
    options = LoadOptions(types={"sana": "date", "narx": "number"})
    workspace = opened(path, UNATTENDED, options)
    assert cells(workspace, "Sana") == ["03/04/2025", "keyin", "05/06/2025"]
    assert [report.settle for report in workspace.tables[0].report.columns] == ["--dates", "--decimal"]
    workspace = opened(path, Settling(None, Person("dmy", ",")), options)
    assert cells(workspace, "Sana") == [date(2025, 4, 3), None, date(2025, 6, 5)]
    assert cells(workspace, "Narx") == [1.25, 12.5, None]
    assert [report.unreadable for report in workspace.tables[0].report.columns] == [1, 1]


def test_a_few_dates_amid_other_text_are_no_question(tmp_path: Path) -> None:
    rows = "".join(f"{number} dona\n" for number in range(8))
    workspace = opened(written(tmp_path, f"izoh\n03/04/2025\n1,250\n{rows}"), Settling(None, Person()))
    assert report_of(workspace, "izoh").settle is None
    assert workspace.scene.tables[0].column("izoh").day_order == "unclear"


def test_what_other_columns_tell_of_the_decimal_mark_holds_for_fix_numbers(tmp_path: Path) -> None:
    workspace = opened(written(tmp_path, "a;b\n1,250;0,5\nbepul;1,75\n2,000;3,5\n"))
    assert cells(workspace, "a") == ["1,250", "bepul", "2,000"]
    result = fixed(workspace, "a", tool="fix_numbers")
    told = [row[0] for row in result["rows"]]
    assert told == [Decimal("1.250"), None, Decimal("2.000")]
