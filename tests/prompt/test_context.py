"""Reading a domain's folder: what is there, what is missing, what is broken."""

import json
from pathlib import Path

import pytest

from engine.settings import home
from prompt.build import ContextError, load_context
from prompt.words import error_text

STEP = {"tool": "sort", "args": {"by": "a", "descending": True}}
BROKEN = [
    ("glossary.json", b'{\n  "a": "b",\n}', "not_json"),
    ("glossary.json", b"[" * 100_000, "not_json"),
    ("glossary.json", b"[]", "not_an_object"),
    ("glossary.json", b'{"a": 1}', "not_a_text"),
    ("glossary.json", b'{" ": "b"}', "not_a_text"),
    ("glossary.json", b'{"a": "b", "a": "c"}', "twice"),
    ("glossary.json", '{"so\'m": "сум"}'.encode("cp1251"), "not_utf8"),
    ("tables.json", b"3", "not_an_object"),
    ("examples.json", b"{}", "not_a_list"),
    ("examples.json", b'[{"request": "a"}]', "not_an_example"),
    ("examples.json", b'[{"request": "a", "answer": {"steps": []}}]', "not_an_example"),
    ("examples.json", b'[{"request": "a", "answer": {"plan": []}}]', "not_an_example"),
    ("examples.json", b'[{"request": "a", "answer": {"steps": [{"tool": "sort"}]}}]', "not_an_example"),
]


def test_files_that_are_not_there_are_empty(tmp_path: Path) -> None:
    assert load_context(tmp_path) == {"glossary": {}, "examples": [], "tables": {}}


def test_files_are_read(tmp_path: Path) -> None:
    example = {"request": "so'rov", "answer": {"steps": [STEP]}}
    question = {"request": "?", "answer": {"question": {"kind": "not_in_table", "options": []}}}
    (tmp_path / "glossary.json").write_text('\ufeff{"a / b": "column c"}', encoding="utf-8")
    (tmp_path / "examples.json").write_text(json.dumps([example, question]), encoding="utf-8")
    (tmp_path / "tables.json").write_text('{"loans": "one row is one loan"}', encoding="utf-8")
    assert load_context(str(tmp_path)) == {
        "glossary": {"a / b": "column c"},
        "examples": [example, question],
        "tables": {"loans": "one row is one loan"},
    }


@pytest.mark.parametrize(("name", "content", "reason"), BROKEN)
def test_a_broken_file_is_named(tmp_path: Path, name: str, content: bytes, reason: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ContextError) as raised:
        load_context(tmp_path)
    assert raised.value.reason == reason
    for language in ("uz", "ru", "en"):
        assert name in error_text(raised.value, language)


def test_the_place_of_broken_json_is_named(tmp_path: Path) -> None:
    (tmp_path / "glossary.json").write_text('{\n  "a": "b",\n  "c" "d"\n}', encoding="utf-8")
    with pytest.raises(ContextError) as raised:
        load_context(tmp_path)
    assert (raised.value.facts["line"], raised.value.facts["place"]) == (3, 7)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ContextError, match="no folder"):
        load_context(tmp_path / "nowhere")


@pytest.mark.parametrize("folder", sorted(path.parent.name for path in home("domains").glob("*/glossary.json")))
def test_the_domains_of_this_project_are_right(folder: str) -> None:
    context = load_context(home("domains") / folder)
    assert context["glossary"]
    assert len(context["examples"]) >= 3
