"""The command line without a model, in processes of their own: outputs, languages, exit codes."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from command_line import LOANS, ROOT, TEZ, tez

from engine.plan import shipped_contracts
from prompt.build import tool_lines

KEYS = ["answer", "columns", "rows", "row_count", "evidence", "artifacts", "files", "timing", "notes", "tables"]
TOP = {
    "tool": "top_n",
    "args": {"by": "qoldiq_uzs", "n": 3, "descending": True, "group": {"columns": ["viloyat"], "agg": "sum"}},
}


def planned(folder: Path, *steps: dict[str, Any]) -> Path:
    path = folder / "plan.json"
    path.write_text(json.dumps({"steps": steps}), encoding="utf-8")
    return path


def test_a_plan_over_two_files(tmp_path: Path) -> None:
    (tmp_path / "savdo.csv").write_text("kod,summa\n001,100\n002,50\n001,25\n")
    (tmp_path / "hudud.csv").write_text("id,nom\n1,Buxoro\n2,Xiva\n")
    join = {"tool": "join_table", "args": {"table": "hudud", "column": "kod", "other_column": "id", "how": "inner"}}
    total = {"tool": "group_and_total", "args": {"group_by": ["nom"], "value_column": "summa", "agg": "sum"}}
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"table": "savdo", "steps": [join, total]}), encoding="utf-8")
    files = (tmp_path / "savdo.csv", tmp_path / "hudud.csv")
    done = tez("run", *files, "--plan", plan, "--json")
    assert (done.code, done.err) == (0, "")
    assert json.loads(done.out)["rows"] == [["Buxoro", 125], ["Xiva", 50]]
    said = tez("run", *files, "--plan", plan, "--lang", "ru")
    assert "Присоединена таблица hudud: kod = id" in said.out + said.err
    assert "001 → 1" in said.out + said.err
    read = tez("prompt", *files, "--request", "nomi bo'yicha summa")
    assert 'Table "savdo", 2 columns' in read.out
    assert 'Table "hudud", 2 columns' in read.out


def test_a_plan_runs_without_a_model(tmp_path: Path) -> None:
    done = tez("run", LOANS, "--plan", planned(tmp_path, TOP), "--json")
    assert (done.code, done.err) == (0, "")
    result = json.loads(done.out)
    assert list(result) == KEYS
    assert result["columns"] == ["viloyat", "qoldiq_uzs"]
    assert [row[0] for row in result["rows"]] == ["Toshkent sh.", "Toshkent viloyati", "Farg'ona"]
    assert result["row_count"] == 3
    assert result["evidence"][0] == {"step": 1, "tool": "top_n", "note": "rows", "rows_in": 3000, "rows_out": 3}


@pytest.mark.parametrize(
    ("language", "said"),
    [("uz", ["Reja:", "3 ta qator"]), ("ru", ["План:", "3 строки"]), ("en", ["Plan:", "3 rows"])],
)
def test_plan_and_notes_are_said_beside_the_table(tmp_path: Path, language: str, said: list[str]) -> None:
    done = tez("run", LOANS, "--plan", planned(tmp_path, TOP), "--lang", language)
    assert done.code == 0
    for text in said:
        assert text in done.err
        assert text not in done.out
    assert done.out.count("\n") == 5
    assert "Farg'ona" in done.out


def test_a_plan_may_be_a_list_and_come_from_standard_input() -> None:
    done = tez("run", LOANS, "--plan", "-", "--json", "--rows", "2", stdin=json.dumps([TOP]))
    result = json.loads(done.out)
    assert (done.code, len(result["rows"]), result["row_count"]) == (0, 2, 3)


def test_a_printed_table_is_cut_and_says_so(tmp_path: Path) -> None:
    step = {"tool": "filter", "args": {"column": "valyuta", "op": "=", "value": "UZS"}}
    done = tez("run", LOANS, "--plan", planned(tmp_path, step), "--lang", "en")
    assert "2,399 rows, 20 shown." in done.err
    assert done.out.count("\n") == 22


def test_one_of_several_files_is_named_in_the_plan(tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text("a,b\n1,2\n3,4\n")
    count = {"tool": "group_and_total", "args": {"agg": "count"}}
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"table": "other", "steps": [count]}))
    assert json.loads(tez("run", LOANS, other, "--plan", plan, "--json").out)["rows"] == [[2]]
    plan.write_text(json.dumps({"table": "third", "steps": [count]}))
    done = tez("run", LOANS, other, "--plan", plan, "--lang", "en")
    assert done.code == 5
    assert "loans, other" in done.err


def test_tools_are_listed_as_the_model_reads_them() -> None:
    assert tez("tools").out.strip() == tool_lines(shipped_contracts()).strip()
    assert json.loads(tez("tools", "--json").out) == shipped_contracts()


def test_profile_describes_every_column() -> None:
    done = tez("profile", LOANS, "--json")
    found = json.loads(done.out)
    assert found["domain"] == "bank_loans"
    (table,) = found["tables"]
    assert (table["name"], table["rows"], len(table["columns"])) == ("loans", 3000, 22)
    valyuta = next(column for column in table["columns"] if column["column"] == "valyuta")
    assert (valyuta["kind"], valyuta["filled"], valyuta["empty"], valyuta["distinct"]) == ("text", 3000, 0, 3)
    assert valyuta["frequent"][0]["value"] == "UZS"
    assert "valyuta" in tez("profile", LOANS, "--lang", "uz").out


def test_schema_grammar_and_prompt_are_printed() -> None:
    schema = json.loads(tez("schema", LOANS).out)
    assert schema["$schema"].startswith("https://json-schema.org/")
    assert tez("grammar", LOANS).out.startswith("root ::= ")
    assert json.loads(tez("grammar", LOANS, "--json").out)["gbnf"] == tez("grammar", LOANS).out
    prompt = tez("prompt", LOANS, "--request", "Eng katta qoldiq").out
    parts = json.loads(tez("prompt", LOANS, "--request", "Eng katta qoldiq", "--json").out)["parts"]
    assert "".join(parts.values()).strip() == prompt.strip()
    assert "Eng katta qoldiq" in prompt
    assert "qoldiq_uzs" in prompt


def test_help_and_version_load_neither_database_nor_model() -> None:
    for arguments in (["--help"], ["ask", "--help"], ["--version"]):
        code = (
            "import sys\nfrom engine.cli import main\n"
            f"try:\n    main({arguments!r})\nexcept SystemExit as end:\n    assert not end.code\n"
            "loaded = {'duckdb', 'llama_cpp', 'rich', 'jsonschema', 'numpy'} & set(sys.modules)\n"
            "assert not loaded, loaded"
        )
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, cwd=ROOT)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ([], 2, "usage"),
        (["frobnicate"], 2, "invalid choice"),
        (["ask", LOANS], 2, "REQUEST"),
        (["run", LOANS], 2, "--plan"),
        (["run", LOANS, "--plan", "p.json", "--rows", "-1"], 2, "whole number"),
        (["profile", "no.csv"], 4, "no.csv"),
        (["profile", "empty.csv"], 4, "empty.csv"),
        (["profile", "unclear.csv"], 4, "--encoding"),
        (["profile", "data.docx"], 4, ".docx"),
        (["run", LOANS, "--plan", "missing.json"], 5, "missing.json"),
        (["run", LOANS, "--plan", "text.json"], 5, "text.json"),
        (["run", LOANS, "--plan", "question.json"], 5, "steps"),
        (["run", LOANS, "--plan", "foyda.json"], 5, "qoldiq_uzs"),
        (["run", LOANS, "--plan", "tool.json"], 5, "drop_table"),
        (["ask", LOANS, "salom", "--model", "no.gguf"], 6, "no.gguf"),
        (["ask", LOANS, "salom", "--model", "corrupt.gguf"], 6, "corrupt.gguf"),
        (["ask", LOANS, "salom", "--model", "text.json"], 6, "text.json"),
        (["profile", LOANS, "--header", "x-1"], 2, "no line of names"),
        (["profile", LOANS, "--header", "3-5"], 2, "no line of names"),
        (["profile", LOANS, "--delimiter", "ab"], 2, "one character"),
        (["profile", LOANS, "--decimal", "x"], 2, "invalid choice"),
        (["profile", LOANS, "--dates", "dym"], 2, "invalid choice"),
        (["profile", LOANS, "--types", "valyuta=money"], 2, "COLUMN=KIND"),
        (["profile", LOANS, "--types", "foyda=number"], 4, "foyda"),
        (["profile", LOANS, "--header", "90000"], 4, "90,000"),
        (["profile", LOANS, "--encoding", "latin-1"], 4, "cp1251"),
        (["profile", LOANS, "--settings", "no.json"], 7, "no.json"),
        (["profile", LOANS, "--settings", "wrong.json"], 7, "max_steps"),
        (["profile", LOANS, "--domain", "nowhere"], 7, "bank_loans"),
        (["profile", LOANS, "--domain", "broken"], 7, "glossary.json"),
    ],
    ids=str,
)
def test_errors_are_one_paragraph_with_their_exit_code(
    tmp_path: Path, arguments: list[object], code: int, said: str
) -> None:
    make_wrong_things(tmp_path)
    arguments = [*arguments, "--lang", "en"] if code > 2 else arguments
    done = tez(*arguments, folder=tmp_path)
    assert (done.code, done.out) == (code, "")
    assert said in done.err
    assert len(done.err.strip().split("\n\n")) == 1


def make_wrong_things(folder: Path) -> None:
    (folder / "empty.csv").write_bytes(b"")
    (folder / "unclear.csv").write_bytes(b"a,b\n1,\xff\n")
    (folder / "data.docx").write_bytes(b"PK")
    (folder / "text.json").write_text("not JSON at all")
    (folder / "question.json").write_text('{"question": {"kind": "which_column", "options": ["qoldiq"]}}')
    (folder / "foyda.json").write_text('[{"tool": "sort", "args": {"by": "foyda", "descending": true}}]')
    (folder / "tool.json").write_text('[{"tool": "drop_table", "args": {}}]')
    (folder / "corrupt.gguf").write_bytes(b"GGUF" + bytes(range(256)) * 4)
    (folder / "wrong.json").write_text('{"max_stepps": 3}')
    (folder / "broken").mkdir()
    (folder / "broken" / "glossary.json").write_text('{"qoldiq": ')


@pytest.mark.parametrize("language", ["uz", "ru", "en"])
def test_errors_come_in_the_language_asked_for(tmp_path: Path, language: str) -> None:
    make_wrong_things(tmp_path)
    words = {"uz": "Xato: ", "ru": "Ошибка: ", "en": "Error: "}
    for arguments in (
        ["profile", "no.csv"],
        ["run", LOANS, "--plan", "foyda.json"],
        ["profile", LOANS, "--domain", "x"],
    ):
        assert tez(*arguments, "--lang", language, folder=tmp_path).err.startswith(words[language])


def test_an_empty_table_answers_with_no_rows(tmp_path: Path) -> None:
    (tmp_path / "header.csv").write_text("Sana,Summa\n")
    plan = planned(tmp_path, {"tool": "group_and_total", "args": {"value_column": "Summa", "agg": "count"}})
    done = tez("run", tmp_path / "header.csv", "--plan", plan, "--lang", "en")
    assert done.code == 0
    assert "no rows" in done.err.lower()
    assert json.loads(tez("run", tmp_path / "header.csv", "--plan", plan, "--json").out)["rows"] == []


def test_names_in_a_plan_are_found_in_other_letters(tmp_path: Path) -> None:
    (tmp_path / "савдо.csv").write_text("Ҳудуд;Cумма\nБухоро;1\nХива;2\nБухоро;4\n", "utf-8")
    (tmp_path / "izoh.csv").write_text("a\n1\n", "utf-8")
    step = {"tool": "group_and_total", "args": {"agg": "sum", "value_column": "Сумма", "group_by": ["hudud"]}}
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"table": "SAVDO", "steps": [step]}), "utf-8")
    done = tez("run", tmp_path / "савдо.csv", tmp_path / "izoh.csv", "--plan", plan, "--json")
    assert (done.code, json.loads(done.out)["rows"]) == (0, [["Бухоро", 5], ["Хива", 2]])


@pytest.mark.parametrize(
    ("language", "said"), [("uz", "qaysi ustun"), ("ru", "какой столбец"), ("en", "several columns")]
)
def test_a_name_that_three_columns_have_is_asked_about(tmp_path: Path, language: str, said: str) -> None:
    (tmp_path / "x.csv").write_text("Сумма,сумма,СУММА\n1,2,3\n", "utf-8")
    step = {"tool": "sort", "args": {"by": "сумма", "descending": False}}
    done = tez("run", tmp_path / "x.csv", "--plan", planned(tmp_path, step), "--lang", language)
    assert done.code == 5
    assert said in done.err
    assert all(name in done.err for name in ("Сумма", "сумма_2", "СУММА_3"))


def test_columns_that_do_not_fit_are_named_where_nothing_else_is_said(tmp_path: Path) -> None:
    names = [f"ustun_{number:03}_{'x' * 30}" for number in range(20)]
    (tmp_path / "wide.csv").write_text("\n".join([",".join(names), ",".join("1" for _ in names)]))
    step = {"tool": "sort", "args": {"by": names[0], "descending": False}}
    done = tez("run", tmp_path / "wide.csv", "--plan", planned(tmp_path, step), "--lang", "en")
    assert done.code == 0
    assert "did not fit the screen" in done.err


MESSY = "Hisobot\nHudud;Sana;Summa\nToshkent;03/04/2025;1,250\nBuxoro;05/06/2025;12,5\nJami;;13,75\n"


def test_how_a_file_was_read_is_said_and_stands_in_the_profile(tmp_path: Path) -> None:
    path = tmp_path / "messy.csv"
    path.write_bytes(MESSY.encode("utf-16"))
    done = tez("profile", path, "--lang", "en")
    assert done.code == 0
    assert "To settle it: --dates." in done.err
    report = json.loads(tez("profile", path, "--json").out)["tables"][0]["report"]
    assert (report["encoding"], report["delimiter"], report["header"]) == ("utf-16-le", ";", 2)
    assert (report["rows_in"], report["rows"], report["counts"]) == (4, 2, {"title": 1, "total": 1})
    assert [row["line"] for row in report["set_aside"]] == [1, 5]
    assert [column["settle"] for column in report["columns"]] == [None, "--dates", "--decimal"]


@pytest.mark.parametrize(("language", "said"), [("uz", "jami qatori"), ("ru", "Отложено итогов"), ("en", "total row")])
def test_a_run_says_how_the_file_was_read(tmp_path: Path, language: str, said: str) -> None:
    (tmp_path / "messy.csv").write_text(MESSY)
    count = {"tool": "group_and_total", "args": {"agg": "count"}}
    done = tez("run", tmp_path / "messy.csv", "--plan", planned(tmp_path, count), "--lang", language)
    assert done.code == 0
    assert said in done.err
    assert done.err.index(said) < done.err.index("1.")


def test_options_settle_how_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "messy.csv"
    path.write_text(MESSY)
    options = ["--dates", "mdy", "--decimal", ",", "--keep-totals", "--types", "Hudud=text", "--header", "2"]
    options += ["--delimiter", ";", "--encoding", "utf-8"]
    table = json.loads(tez("profile", path, *options, "--json").out)["tables"][0]
    assert table["rows"] == 3
    days, sums = table["columns"][1:]
    assert (days["kind"], days["min"]) == ("date", "2025-03-04")
    assert (sums["kind"], sums["min"], sums["max"]) == ("number", 1.25, 13.75)


@pytest.mark.parametrize(
    ("plan", "reason"),
    [
        ('[{"tool": "sort"', "not JSON"),
        ("[" * 100_000, "not JSON"),
        ('{"on": "bla", "steps": []}', "result, table"),
        ('{"steps": [], "colour": 1}', "colour"),
        ('{"on": "result", "steps": [{"tool": "remove_duplicates", "args": {}}]}', "result"),
    ],
)
def test_wrong_plans_are_explained(plan: str, reason: str) -> None:
    done = tez("run", LOANS, "--plan", "-", "--lang", "en", stdin=plan)
    assert (done.code, done.out) == (5, "")
    assert reason in done.err


def test_with_several_tables_a_plan_names_its_own(tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    plan = planned(tmp_path, {"tool": "group_and_total", "args": {"agg": "count"}})
    done = tez("run", LOANS, tmp_path / "other.csv", "--plan", plan, "--lang", "en")
    assert done.code == 5
    assert "loans, other" in done.err


def test_a_plan_from_an_editor_that_writes_a_byte_order_mark_runs(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_text(json.dumps([TOP]), encoding="utf-8-sig")
    assert tez("run", LOANS, "--plan", path, "--json").code == 0


@pytest.mark.parametrize("request_text", ["", "  \n"])
def test_an_empty_request_is_refused(request_text: str) -> None:
    done = tez("ask", LOANS, request_text, "--lang", "en")
    assert (done.code, done.out) == (2, "")
    assert "empty" in done.err


def with_shell(command: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TEZ": " ".join(TEZ), "LOANS": str(LOANS), "COLUMNS": "80"}
    return subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, cwd=ROOT, env=environment, check=False
    )


@pytest.mark.parametrize(
    ("redirection", "code"), [("> /dev/full", 4), (">&-", 4), ("2> /dev/full", 0), ("2>&-", 0), ("| head -1", 0)]
)
def test_closed_and_full_outputs_are_met_calmly(tmp_path: Path, redirection: str, code: int) -> None:
    plan = planned(tmp_path, TOP)
    done = with_shell(f"set -o pipefail; $TEZ run $LOANS --plan {plan} --lang en {redirection}")
    assert done.returncode == code
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("option", ["", "--json"])
def test_an_output_without_unicode_gets_escapes(tmp_path: Path, option: str) -> None:
    (tmp_path / "t.csv").write_text("Майдон,Вилоят\n1,Бухоро\n")
    plan = planned(tmp_path, {"tool": "remove_duplicates", "args": {}})
    done = with_shell(f"PYTHONIOENCODING=ascii $TEZ run {tmp_path / 't.csv'} --plan {plan} {option}")
    assert done.returncode == 0, done.stderr
    assert "\\u0411\\u0443\\u0445\\u043e\\u0440\\u043e" in done.stdout


def test_columns_that_do_not_fit_are_named_and_numbers_are_whole(tmp_path: Path) -> None:
    columns = ["a", *(f"long_column_name_{number}" for number in range(20)), "sum"]
    (tmp_path / "t.csv").write_text(",".join(columns) + "\n" + ",".join(["1234567890"] * 22) + "\n")
    (tmp_path / "s.json").write_text('{"output": {"piped_width": 60}}')
    plan = planned(tmp_path, {"tool": "sort", "args": {"by": "sum", "descending": True}})
    done = tez("run", tmp_path / "t.csv", "--plan", plan, "--lang", "en", "--settings", tmp_path / "s.json")
    header, _, row = done.out.splitlines()
    assert header.split()[-1] == "sum"
    assert row.count("1,234,567,890") == header.count("┃") + 1
    assert "did not fit" in done.err
    assert max(map(len, done.out.splitlines())) <= 60


def test_every_command_says_how_a_file_was_read(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("Hisobot;;\nHudud;Oy;Summa\nToshkent;1;100\nBuxoro;2;200\nJami;;300\n")
    plan = planned(tmp_path, {"tool": "sort", "args": {"by": "Summa", "descending": True}})
    for command in (["profile"], ["run", "--plan", plan], ["schema"], ["grammar"]):
        assert '1 total row set aside: "Jami 300"' in tez(command[0], path, *command[1:], "--lang", "en").err
    assert '1 total row set aside: "Jami 300"' in tez("prompt", path, "--request", "jami summa", "--lang", "en").err
    for command in (["profile"], ["run", "--plan", plan]):
        (table,) = json.loads(tez(command[0], path, *command[1:], "--json").out)["tables"]
        assert table["report"]["counts"] == {"title": 1, "total": 1}


def test_a_file_without_names_is_said_and_can_be_overruled(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("Toshkent;Sergeli;100\nBuxoro;Vobkent;200\n")
    for options, columns, said in (
        ([], ["column_1", "column_2", "column_3"], True),
        (["--header", "none"], ["column_1", "column_2", "column_3"], True),
        (["--header", "1"], ["Toshkent", "Sergeli", "100"], False),
        (["--header", "1-2"], ["Toshkent Buxoro", "Sergeli Vobkent", "100 200"], False),
    ):
        found = json.loads(tez("profile", path, *options, "--json").out)["tables"][0]
        assert [column["column"] for column in found["columns"]] == columns
        assert ("the first row is data" in tez("profile", path, *options, "--lang", "en").err) == said
