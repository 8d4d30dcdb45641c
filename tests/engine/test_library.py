"""Tez as a library: what a program gets, how long it lasts, what it is told when something is wrong."""

import gc
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from command_line import LOANS, ROOT
from recorded_model import RecordedModel

import engine
from engine.shared_model import SharedModels
from grammar import TezError

DOLLARS = {"tool": "filter", "args": {"column": "valyuta", "op": "=", "value": "USD"}}
REGIONS = {"tool": "group_and_total", "args": {"group_by": ["viloyat"], "agg": "count"}}
CHART = {"tool": "chart", "args": {"kind": "bar", "x": "viloyat", "y": "count"}}
ANSWERS: dict[str, Any] = {
    "Dollar kreditlari": {"steps": [DOLLARS]},
    "viloyatlar bo'yicha soni": {"on": "result", "steps": [REGIONS]},
    "hammasi": {"on": "table", "steps": [REGIONS]},
    "qoldiq": {"question": {"kind": "which_column", "options": ["qoldiq", "qoldiq_uzs"]}},
}


@pytest.fixture(scope="module")
def loans() -> engine.Tables:
    return engine.open(LOANS, model=RecordedModel(ANSWERS))


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "t.csv"
    path.write_text("a,b\nx,1\ny,2\nx,3\n", "utf-8")
    return path


def test_the_exported_names() -> None:
    assert engine.__all__ == [
        "Answer",
        "Chart",
        "LibraryError",
        "Rows",
        "Settings",
        "Table",
        "Tables",
        "TezError",
        "ToolError",
        "ask",
        "effective_steps",
        "load_settings",
        "load_tools",
        "open",
        "openai_tool",
        "plan_sql",
        "run",
        "run_plan",
        "starting_table",
        "tool",
        "unload_models",
    ]
    assert set(engine.__all__) <= set(dir(engine))
    with pytest.raises(AttributeError, match="no attribute 'opne'"):
        _ = engine.opne  # type: ignore[attr-defined]


def test_importing_loads_neither_database_nor_model_nor_pandas() -> None:
    code = (
        "import sys, engine; engine.LibraryError\n"
        "print([name for name in ('duckdb', 'llama_cpp', 'altair', 'pandas') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


def test_tables_say_what_they_are(loans: engine.Tables) -> None:
    assert loans.names == ("loans",)
    assert loans.columns["loans"]["qoldiq_uzs"] == "number"
    assert loans.row_counts == {"loans": 3000}
    assert loans.domain == "bank_loans"
    assert repr(loans) == "loans: 3,000 rows, 22 columns."
    assert "3,000 rows" in loans._repr_html_()


def test_an_answer_is_rows_words_evidence_and_a_plan_that_runs_again(loans: engine.Tables) -> None:
    answer = loans.ask("Dollar kreditlari")
    assert (len(answer), answer.row_count, answer.request) == (510, 510, "Dollar kreditlari")
    assert answer.language == "uz"
    assert answer.words == ('Faqat shu qatorlar qoldirildi: valyuta = "USD"',)
    assert answer.evidence == [{"step": 1, "tool": "filter", "note": "rows", "rows_in": 3000, "rows_out": 510}]
    assert answer.notes == ("1. Oldin 3\u00a0000 ta qator edi, endi 510 ta.",)
    assert answer.scope == "table"
    assert answer.plan == {"steps": [DOLLARS]}
    assert loans.run(answer.plan).rows() == answer.rows()
    assert len(answer.rows(3)) == 3
    assert list(answer) == answer.table.rows()
    assert answer.table.dicts(1)[0]["valyuta"] == "USD"


def test_answers_live_side_by_side_each_with_the_tables_of_its_steps(loans: engine.Tables) -> None:
    first = loans.ask("Dollar kreditlari")
    second = first.ask("viloyatlar bo'yicha soni")
    third = second.ask("hammasi")
    assert [len(each) for each in (first, second, third)] == [510, 14, 14]
    assert [len(step) for step in second.steps] == [510, 14]
    assert second.plan == {"steps": [DOLLARS, REGIONS]}
    assert (second.scope, third.scope) == ("result", "table")
    assert sum(row[1] for row in second) == 510
    assert sum(row[1] for row in third) == 3000
    again = first.run([REGIONS])
    assert again.rows() == second.rows()
    assert first.steps[0].columns == loans.run([DOLLARS]).columns


def test_an_answer_outlives_its_tables_and_ends_when_it_is_closed(small: Path) -> None:
    with engine.open(small) as tables:
        answer = tables.run([{"tool": "sort", "args": {"by": "b", "descending": True}}])
        table = answer.table
    assert repr(tables) == "(closed)"
    with pytest.raises(engine.LibraryError) as caught:
        tables.run([])
    assert caught.value.reason == "closed"
    del tables
    gc.collect()
    assert [row[1] for row in answer] == [3, 2, 1]
    follow_up = answer.run([{"tool": "top_n", "args": {"by": "b", "n": 1, "descending": False}}])
    with answer:
        pass
    with pytest.raises(TezError) as closed:
        table.rows()
    assert closed.value.reason == "closed"
    assert answer.words
    assert "closed" in repr(answer)
    assert [row[1] for row in follow_up] == [1]


def test_a_plan_is_taken_in_every_form(small: Path, tmp_path: Path) -> None:
    step = {"tool": "filter", "args": {"column": "a", "op": "=", "value": "x"}}
    file = tmp_path / "plan.json"
    file.write_text('{"steps": [{"tool": "filter", "args": {"column": "a", "op": "=", "value": "x"}}]}', "utf-8")
    with engine.open(small) as tables:
        for plan in ([step], {"steps": [step]}, file.read_text("utf-8"), file, str(file)):
            assert len(tables.run(plan)) == 2
    assert len(engine.run(small, [step])) == 2


def test_pandas_and_pyarrow_get_the_table(loans: engine.Tables) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    answer = loans.run([DOLLARS, REGIONS])
    frame, arrow = answer.df(), answer.arrow()
    assert list(frame.columns) == arrow.column_names == ["viloyat", "count"]
    assert list(frame.itertuples(index=False, name=None)) == answer.rows()
    assert [tuple(row.values()) for row in arrow.to_pylist()] == answer.rows()
    assert list(answer.steps[0].df()["valyuta"].unique()) == ["USD"]


@pytest.mark.parametrize(("package", "call", "extra"), [("pandas", "df", "pandas"), ("pyarrow", "arrow", "arrow")])
def test_a_missing_package_is_named(
    loans: engine.Tables, monkeypatch: pytest.MonkeyPatch, package: str, call: str, extra: str
) -> None:
    answer = loans.run([REGIONS])
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(engine.LibraryError, match=rf'pip install "tez-analyst\[{extra}\]"') as caught:
        getattr(answer, call)()
    assert caught.value.facts["package"] == package


def test_sql_of_the_plan(loans: engine.Tables) -> None:
    answer = loans.run([REGIONS])
    assert "GROUP BY" in answer.sql()
    assert "GROUP BY" in answer.sql("postgres")
    with pytest.raises(TezError) as caught:
        answer.sql("klingon")
    assert caught.value.reason == "unknown_dialect"
    assert len(answer) == 14


def test_charts(loans: engine.Tables, tmp_path: Path) -> None:
    counted = loans.run([REGIONS])
    chart = counted.chart("bar", x="viloyat", y="count")
    assert chart.spec["mark"]["type"] == "bar"
    assert list(chart.altair().to_dict()["datasets"].values()) == [chart.spec["data"]["values"]]
    assert chart.png().startswith(b"\x89PNG")
    assert "<svg" in chart.svg()
    assert "https://" not in chart.html().split("<script", 1)[0]
    shown, sizes = chart._repr_mimebundle_()
    assert shown["text/plain"] == repr(chart)
    assert 300 < sizes["image/png"]["width"] < 1200
    assert chart.save(tmp_path / "c.svg").read_text("utf-8").startswith("<svg")
    drawn = loans.run([REGIONS, CHART])
    assert drawn.chart().spec == chart.spec
    assert "data:image/png;base64," in drawn._repr_html_()
    with pytest.raises(engine.LibraryError) as none:
        counted.chart()
    assert none.value.reason == "no_chart"
    with pytest.raises(engine.ToolError):
        counted.chart("bar", x="viloyt", y="count")
    nothing = loans.run([{"tool": "filter", "args": {"column": "foiz_stavkasi", "op": ">", "value": 1000}}, REGIONS])
    with pytest.raises(engine.LibraryError) as empty:
        nothing.chart("bar", x="viloyat", y="count")
    assert empty.value.reason == "nothing_to_draw"


def test_a_question_has_words_and_no_table(loans: engine.Tables) -> None:
    answer = loans.ask("qoldiq")
    assert answer.question == ANSWERS["qoldiq"]["question"]
    assert (answer.plan, answer.scope, answer.evidence) == (None, None, [])
    assert repr(answer) == answer.words[0]
    assert "qoldiq_uzs" in answer._repr_html_()
    assert answer.as_json()["rows"] is None
    for read in (answer.df, answer.rows, answer.sql, answer.chart, lambda: len(answer)):
        with pytest.raises(engine.LibraryError) as caught:
            read()  # type: ignore[operator]
        assert caught.value.reason == "no_table"
        assert answer.words[0] in str(caught.value)


def test_files_are_written_and_never_written_over(loans: engine.Tables, tmp_path: Path) -> None:
    answer = loans.ask("Dollar kreditlari").ask("viloyatlar bo'yicha soni")
    files = answer.save(tmp_path / "out.csv", with_plan=True)
    assert [Path(file["path"]).name for file in files] == ["out.csv", "out.plan.json"]
    assert files[0]["rows"] == 14
    assert engine.run(LOANS, tmp_path / "out.plan.json").rows() == answer.rows()
    with pytest.raises(TezError) as caught:
        answer.save(tmp_path / "out.csv")
    assert caught.value.reason == "exists"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"dates": "dym"}, 'dates: "dym" is not possible. Allowed: dmy, mdy, ymd.'),
        ({"decimal": ";"}, 'decimal: ";" is not possible. Allowed: .; ",".'),
        ({"types": {"b": "money"}}, 'types: b: "money" is not possible. Allowed: number, date, text, boolean.'),
        ({"delimiter": ";;"}, 'delimiter: ";;" is not possible. Allowed: "\';\'".'),
        ({"header": (3, 5)}, 'header: "(3, 5)" is not possible. Allowed: 3; "(3, 4)"; 0.'),
        ({"language": "de"}, 'language: "de" is not possible. Allowed: uz, ru, en.'),
        ({"settings": {"output": {"shown_row": 3}}}, "shown_rows"),
        ({"settings": 5}, "int"),
        ({"language": "ru", "domain": "nowhere"}, "nowhere"),
    ],
)
def test_wrong_options_are_said(small: Path, options: Any, said: str) -> None:
    with pytest.raises(TezError) as caught:
        engine.open(small, **options)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("language", "said"), [("uz", "ustuni bu qadamda yo'q"), ("ru", "на этом шаге нет"), ("en", "there is no column")]
)
def test_errors_are_said_in_the_language_and_have_a_reason(small: Path, language: Any, said: str) -> None:
    with pytest.raises(engine.ToolError, match=said) as caught:
        engine.run(small, [{"tool": "sort", "args": {"by": "z", "descending": True}}], language=language)
    assert (caught.value.reason, caught.value.step, caught.value.facts["found"]) == ("unknown_column", 1, "z")


@pytest.mark.parametrize(
    ("plan", "reason"),
    [
        ("{", "plan_not_json"),
        ({"steps": 5}, "not_a_plan"),
        (5, "not_a_plan"),
        ([{1, 2}], "plan_not_json"),
        ("nowhere.json", "plan_unreadable"),
        ([], "no_steps"),
    ],
)
def test_what_is_no_plan_is_refused(small: Path, plan: Any, reason: str) -> None:
    with pytest.raises(engine.ToolError) as caught:
        engine.run(small, plan)
    assert caught.value.reason == reason


def test_settings_of_a_mapping_and_options_of_loading_count(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("k;d\n007;01.02.2024\n008;03.04.2024\n", "utf-8")
    with engine.open(path, types={"k": "number"}, dates="dmy", settings={"output": {"shown_rows": 1}}) as tables:
        assert tables.columns["t"] == {"k": "number", "d": "date"}
        answer = tables.run([{"tool": "sort", "args": {"by": "k", "descending": True}}])
    assert repr(answer).endswith("2 rows, 1 shown.")


HOSTILE = "<script>alert(1)</script>&\"' \x07 " + "я" * 100


def test_html_is_escaped_bounded_and_has_no_colours_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "<b>.csv"
    rows = "".join(f'"{HOSTILE.replace(chr(34), chr(34) * 2)}",{number}\n' for number in range(50))
    path.write_text(f'"<i>n</i>",m\n{rows}', "utf-8")
    with engine.open(path) as tables:
        opened = tables._repr_html_()
        answer = tables.run([{"tool": "filter", "args": {"column": "<i>n</i>", "op": "contains", "value": "<script>"}}])
    for html in (opened, answer._repr_html_(), answer.table._repr_html_()):
        assert "<script" not in html
        assert "<i>" not in html
        assert "<b>" not in html
        assert "\x07" not in html
    html = answer._repr_html_()
    assert html.count("<tr>") == 21
    assert "50 rows, 20 shown." in html
    assert "on: table" in html
    assert "color:" not in html
    cut = html[html.index("<td>") :].split("</td>")[0]
    assert cut.count("я") > 100, "the whole text stands in the tooltip"


def test_a_wide_table_is_cut_in_html_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text(",".join(f"c{n}" for n in range(80)) + "\n" + ",".join("1" * 80) + "\n", "utf-8")
    answer = engine.run(path, [{"tool": "sort", "args": {"by": "c79", "descending": True}}])
    assert answer._repr_html_().count("<th") == 60 + 1  # and <thead>
    assert "20 (c60, c61" in answer._repr_html_()
    assert "c79" in answer.table.text(100)


def test_nothing_is_printed(small: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with engine.open(small, model=RecordedModel({"x": {"steps": [DOLLARS]}})) as tables:
        answer = tables.run([{"tool": "chart", "args": {"kind": "bar", "x": "a", "y": "b"}}])
        answer.chart().png()
        with pytest.raises(TezError):
            tables.ask(" ")
        (repr(answer), answer._repr_html_(), answer.as_json())
    assert capfd.readouterr() == ("", "")


def test_threads_ask_and_run_side_by_side(loans: engine.Tables) -> None:
    def work(number: int) -> int:
        if number % 3 == 0:
            return len(loans.ask("Dollar kreditlari").ask("viloyatlar bo'yicha soni").rows())
        if number % 3 == 1:
            return len(loans.run([DOLLARS, REGIONS]).rows())
        return len(shared.rows())

    shared = loans.run([REGIONS])
    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(work, range(12))) == [14] * 12


def test_a_model_is_loaded_when_it_is_asked_once_for_all_and_again_after_it_was_freed(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from contextlib import contextmanager

    from engine import shared_model

    events: list[str] = []

    @contextmanager
    def loading(*_: Any) -> Iterator[RecordedModel]:
        events.append("loaded")
        yield RecordedModel({"x": {"steps": [{"tool": "sort", "args": {"by": "b", "descending": True}}]}})
        events.append("freed")

    models = SharedModels()
    monkeypatch.setattr(shared_model, "chosen_model", loading)
    monkeypatch.setattr("engine.library.shared_models", lambda: models)
    first, second = engine.open(small), engine.open(small)
    other = engine.open(small, model="other.gguf")
    assert events == []
    assert len(first.ask("x")) == len(second.ask("x")) == 3
    assert events == ["loaded"]
    other.ask("x")
    assert events == ["loaded", "loaded"]
    models.unload()
    assert events == ["loaded", "loaded", "freed", "freed"]
    first.ask("x")
    assert events[-1] == "loaded"


OWN = """
from engine import tool

@tool({"name": "twice", "description": "Say a word twice", "args": {"word": {"type": "string"}},
       "returns": {"word": "text", "n": "number"}})
def twice(word):
    return [(word, 1), (word, 2)]
"""


def test_tools_of_ones_own(small: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(OWN, "utf-8")
    answer = engine.open(small, tools=file).run([{"tool": "twice", "args": {"word": "z"}}])
    assert answer.rows() == [("z", 1), ("z", 2)]
    assert answer.words
    with pytest.raises(TezError) as caught:
        engine.open(small, tools=tmp_path / "nowhere.py")
    assert caught.value.reason == "own_no_file"
