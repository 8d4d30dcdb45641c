"""Reads the questions of a public set from a folder: `cases*.jsonl`, one JSON object a line, and its tables as CSV.

The four forms are told apart by their keys. Nothing of a set is part of Tez; each is read where it lies.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from accuracy.records import BenchError

WIKISQL: Final = "wikisql"
SPIDER: Final = "spider"
WIKITQ: Final = "wikitq"
TABFACT: Final = "tabfact"
FORMS: Final = (WIKISQL, SPIDER, WIKITQ, TABFACT)

# Why a question is not scored: no answer, or more than one right one, can be told from its gold.
EMPTY_ANSWER: Final = "empty_answer"
NESTED: Final = "nested_or_set"
TIE: Final = "limit_tie"
NO_GOLD: Final = "no_gold"


@dataclass(frozen=True)
class Question:
    """One question of a public set.

    `tables` are its CSV files. `gold` is what the set says of how the answer comes about: a sketch (`sel`, `agg`,
    `conds`) in WikiSQL, a statement in Spider, None where the set has only answers. `answer` are the rows of the right
    answer; `ordered` says that their order counts. `kinds` are the set's own words for what the question needs.
    `left_out` says why it is not scored, None where it is.
    """

    id: str
    form: str
    text: str
    tables: tuple[Path, ...]
    gold: Any
    answer: tuple[tuple[Any, ...], ...]
    ordered: bool = False
    kinds: tuple[str, ...] = ()
    left_out: str | None = None


def read_questions(folder: Path) -> tuple[Question, ...]:
    """Return the questions of all files of cases in a folder, in the order of the files' names.

    Raises BenchError: `no_questions` where the folder has no file of cases, `file_unreadable`, `line_broken` where a
    line is none of the four forms or names a table that is not there, `case_twice`.
    """
    files = sorted(folder.glob("cases*.jsonl"))
    if not files:
        raise BenchError("no_questions", file=str(folder), allowed="cases*.jsonl")
    questions = [question for file in files for question in _questions_of(file)]
    first: dict[str, int] = {}
    for number, question in enumerate(questions, 1):
        if first.setdefault(question.id, number) != number:
            raise BenchError("case_twice", file=str(folder), line=number, case=question.id, first=first[question.id])
    return tuple(questions)


def scored(questions: Iterable[Question]) -> list[Question]:
    """Return the questions that have one right answer."""
    return [question for question in questions if question.left_out is None]


def _questions_of(file: Path) -> Iterable[Question]:
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BenchError("file_unreadable", file=str(file), found=str(error)) from error
    for number, line in enumerate(lines, 1):
        try:
            yield _question(file.parent, json.loads(line))
        except (ValueError, KeyError, TypeError) as error:
            raise BenchError("line_broken", file=str(file), line=number, found=str(error)) from error


def _question(folder: Path, case: Mapping[str, Any]) -> Question:
    """Return the question of one case. Raises ValueError, KeyError or TypeError where it is of none of the forms."""
    tables = tuple(folder / name for name in (case["tables"] if "tables" in case else [case["table"]]))
    missing = [str(table) for table in tables if not table.is_file()]
    if missing:
        raise ValueError(f"no such table: {missing}")
    form = _form(case)
    answer = tuple(tuple(row) for row in case["answer"] or ())
    gold, left_out = _gold(form, case)
    ordered = bool(case.get("ordered", False))
    kinds = tuple(dict.fromkeys(case.get("ops") or case.get("ops_guess") or case.get("program_fns") or ()))
    left_out = left_out or (None if answer else EMPTY_ANSWER)
    return Question(str(case["id"]), form, str(case["question"]), tables, gold, answer, ordered, kinds, left_out)


def _form(case: Mapping[str, Any]) -> str:
    if "conds" in case:
        return WIKISQL
    if "gold_duckdb" in case:
        return SPIDER
    cells = [cell for row in case["answer"] for cell in row]
    if len(cells) == 1 and isinstance(cells[0], bool):
        return TABFACT
    if all(isinstance(cell, str) for cell in cells):
        return WIKITQ
    raise ValueError(f"of no known form: {sorted(case)}")


def _gold(form: str, case: Mapping[str, Any]) -> tuple[Any, str | None]:
    """Return the gold of a case and why it is not scored, if so."""
    if form == WIKISQL:
        sketch = {key: case[key] for key in ("sel", "agg", "conds", "columns")}
        return sketch, None if case["gold_nonempty"] else EMPTY_ANSWER
    if form == SPIDER:
        if case["nested_or_set"]:
            return case["gold_duckdb"], NESTED
        if case["limit_tie"]:
            return case["gold_duckdb"], TIE
        return case["gold_duckdb"], None if case["gold_duckdb"] else NO_GOLD
    return case.get("gold_program"), None
