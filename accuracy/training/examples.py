"""Training examples: a table, a request in one of three languages, and the answer that it should get.

Every plan of an example was run over its table, and its result has rows.
"""

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

from accuracy.public.building import CannotSayError
from engine.session import Workspace, open_workspace, prepare, run
from engine.settings import Settings
from grammar import TezError, ToolError, by_name, validate_answer
from prompt.answers import answer_text

from .bank import LANGUAGES, Bank, Concept, Domain, load_bank
from .meanings import Best, Distinct, Drawn, Mended, Order, Part, Share, Top, Total, Where, Written
from .noise import noisy
from .phrasing import Phraser, phrases
from .plans import plan_of
from .recipes import conditions, parts
from .tables import MadeTable, make_table

# Shares of the examples that are no first request with a plan.
FOLLOW_UPS: Final = 0.15
ASKS: Final = 0.07
DECLINES: Final = 0.05
TRIES: Final = 30


@dataclass(frozen=True)
class Example:
    """One example: `history` are earlier turns, `answer` is a plan or a question."""

    language: str
    request: str
    history: tuple[Mapping[str, Any], ...]
    answer: Mapping[str, Any]


@dataclass(frozen=True)
class Lesson:
    """A made table, opened, with the examples about it."""

    table: MadeTable
    workspace: Workspace
    examples: tuple[Example, ...]


def lessons(
    random: Random, count: int, settings: Settings, *, each: int = 8, domains: Sequence[Domain] | None = None
) -> Iterator[Lesson]:
    """Yield lessons until there are `count` examples, `each` of them about one table. A lesson's tables are closed
    when the next one is asked for."""
    bank = load_bank()
    left = count
    while left > 0:
        table = make_table(random, bank, domains=domains)
        with _opened(table, settings) as workspace:
            if len(workspace.scene.tables[0].columns) != len(table.columns):
                continue
            tried = (_example(random, bank, table, workspace) for _ in range(min(each, left)))
            made = [example for example in tried if example is not None]
            left -= len(made)
            yield Lesson(table, workspace, tuple(made))


def learned(lesson: Lesson, example: Example) -> dict[str, Any] | None:
    """Return what a model learns of an example: the prompt that it reads, and the answer's text that it writes.

    None where the grammar that is made for the request does not have the answer, so that it could not be written.
    """
    asked = prepare(lesson.workspace, example.request, example.history)
    contracts = lesson.workspace.contracts
    try:
        validate_answer(contracts, asked.scene, example.answer)
    except ToolError:
        return None
    text = answer_text(example.answer, by_name(contracts), asked.scene.tables[0].limits)
    return {"lang": example.language, "request": example.request, "prompt": asked.prompt.text, "answer": text}


@contextmanager
def _opened(table: MadeTable, settings: Settings) -> Iterator[Workspace]:
    """Open a table as a file with the glossary of its columns, where it has one, as its domain."""
    with tempfile.TemporaryDirectory(prefix="tez-") as folder:
        path = Path(folder) / f"{table.name}.csv"
        path.write_text(table.csv_text(), encoding="utf-8")
        words = {" / ".join(words): f"column {name}" for name, words in table.glossary.items()}
        (Path(folder) / "glossary.json").write_text(json.dumps(words, ensure_ascii=False), encoding="utf-8")
        workspace = open_workspace([path], settings, folder)
        try:
            yield workspace
        finally:
            workspace.con.close()


def _example(random: Random, bank: Bank, table: MadeTable, workspace: Workspace) -> Example | None:
    """Return an example, None where no request of the sort that chance wants can be made about the table."""
    language = random.choice(LANGUAGES)
    sort = random.random()
    if sort < DECLINES:
        return _declined(random, bank, table, language)
    if sort < DECLINES + ASKS:
        return _asked(random, bank, table, language)
    if sort < DECLINES + ASKS + FOLLOW_UPS:
        return _follow_up(random, bank, table, workspace, language)
    first = _first(random, bank, table, workspace, language)
    return first and Example(language, first[0], (), first[2])


def _first(
    random: Random, bank: Bank, table: MadeTable, workspace: Workspace, language: str
) -> tuple[str, list[Part], Mapping[str, Any]] | None:
    """Return a request, its parts and its plan, which runs and finds rows."""
    for _ in range(TRIES):
        chosen = parts(random, table)
        plan = _runs(workspace, table, chosen, ())
        if plan is not None:
            return _worded(random, bank, table, chosen, language), chosen, plan
    return None


def _worded(random: Random, bank: Bank, table: MadeTable, chosen: Sequence[Part], language: str) -> str:
    text = Phraser(random, bank, table, language).request(chosen)
    return noisy(random, text, language, any(isinstance(part, Where) for part in chosen))


def _runs(
    workspace: Workspace, table: MadeTable, chosen: Sequence[Part], earlier: Sequence[Mapping[str, Any]], **head: Any
) -> Mapping[str, Any] | None:
    """Return the plan of the parts if it runs after the earlier answers and its table has rows."""
    try:
        plan = {**head, **plan_of(workspace, table, chosen)}
        return plan if run(workspace, list(earlier), plan, max_rows=1)["row_count"] else None
    except (CannotSayError, TezError):
        return None


def _follow_up(random: Random, bank: Bank, table: MadeTable, workspace: Workspace, language: str) -> Example | None:
    """Return a request that goes on from the result of one before, or asks something new of the whole table."""
    first = _first(random, bank, table, workspace, language)
    if first is None:
        return None
    request, chosen, answer = first
    history = ({"request": request, "answer": answer},)
    if random.random() < 0.4:
        again = _first(random, bank, table, workspace, language)
        return again and Example(language, again[0], history, {"on": "table", **again[2]})
    for _ in range(TRIES):
        more = _further(random, table, chosen)
        if more is None:
            return None
        text = noisy(random, Phraser(random, bank, table, language).further(more), language, True)
        both = _runs(workspace, table, [*chosen, more], ())
        if both is not None:
            steps = both["steps"][len(answer["steps"]) :]
            return Example(language, text, history, {"on": "result", "steps": steps})
    return None


def _further(random: Random, table: MadeTable, chosen: Sequence[Part]) -> Part | None:
    """Return a part that can follow: totals are ordered, cut, drawn and shared, rows are filtered, cut and ordered."""
    if len(chosen) > 3 or isinstance(chosen[-1], (Written, Drawn)):
        return None
    last = chosen[-1]
    if isinstance(last, Total) and len(last.groups) == 1:
        return random.choice(
            (
                Order(None, random.random() < 0.7),
                Best(random.randint(1, 5), random.random() < 0.7),
                Share(),
                Drawn("bar"),
                Written("xlsx"),
            )
        )
    if isinstance(last, (Where, Mended, Distinct, Top)) or (isinstance(last, Order) and last.by is not None):
        found = conditions(random, table, 1)
        return found[0] if found else Written(random.choice(("xlsx", "csv")))
    return None


def _asked(random: Random, bank: Bank, table: MadeTable, language: str) -> Example | None:
    """Return a request with a word that two columns share: the answer asks which is meant."""
    named: dict[str, list[str]] = {}
    for column in table.columns:
        for word in column.concept.words[language]:
            for part in word.split(" "):
                if len(part) > 3:
                    named.setdefault(part, []).append(column.name)
    shared = [(word, names) for word, names in named.items() if 1 < len(names) <= 4 and len(set(names)) == len(names)]
    shared = [(word, names) for word, names in shared if not _is_whole_name(table, word, language)]
    if not shared:
        return None
    word, names = random.choice(shared)
    template = random.choice(phrases(language)["unclear"])
    question = {"kind": "which_column", "options": names}
    return Example(language, noisy(random, template.format(word=word), language, False), (), {"question": question})


def _is_whole_name(table: MadeTable, word: str, language: str) -> bool:
    return any(word in column.concept.words[language] for column in table.columns)


def _declined(random: Random, bank: Bank, table: MadeTable, language: str) -> Example | None:
    """Return a request about a column that the table does not have, or about nothing: the answer says so."""
    question = {"question": {"kind": "not_in_table", "options": []}}
    if random.random() < 0.3:
        return Example(
            language, noisy(random, random.choice(phrases(language)["chatter"]), language, False), (), question
        )
    there = {word for column in table.columns for words in column.concept.words.values() for word in words}
    absent = [
        concept
        for concept in _all_concepts(bank)
        if not there & {word for words in concept.words.values() for word in words}
    ]
    template = random.choice(phrases(language)["absent"])
    word = random.choice(random.choice(absent).words[language])
    return Example(language, noisy(random, template.format(word=word), language, False), (), question)


def _all_concepts(bank: Bank) -> list[Concept]:
    return [concept for domain in bank.domains for concept in domain.columns] + list(bank.common)
