"""Scores: what each prediction is worth, worked out from the predictions, the cases and the tables; needs no model."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Final

from engine.database import DatabaseError
from engine.session import run
from grammar import TezError, ToolError

from .cases import Case
from .columns import holds_columns
from .compare import same_result
from .failures import failure
from .identity import asked, golds_hash, hash_of, now, revision
from .outcomes import ASKED, CRASHED, INVALID, RIGHT, RIGHT_ROWS, WRONG
from .records import SCORES, BenchError, Record, Records, error_record
from .run import same_alone
from .tables import Tables

CLASS_OF_INVALID: Final = ToolError.__name__
_CHART_KEYS: Final = ("mark", "x", "y", "color")
Scored = Callable[[str], None]


@dataclass(frozen=True)
class Scores:
    """The header and the lines of a file of scores."""

    header: Record
    lines: tuple[Record, ...]


def score(predictions: Records, cases: Sequence[Case], tables: Tables, *, each: Scored = lambda case: None) -> Scores:
    """Score all predictions; `each` is called with the id of every case before it.

    Raises BenchError: `unknown_case`; `cases_differ` where requests or tables are no longer those that were asked;
    `gold_fails` and `gold_differs` where a case itself is wrong, since then no score means anything.
    """
    chosen = _asked_cases(predictions, cases, tables)
    lines = []
    for prediction in predictions.lines:
        case = chosen.get(str(prediction["case"]))
        if case is None:
            raise BenchError("unknown_case", case=prediction["case"])
        each(case.id)
        lines.append(score_one(prediction, case, tables))
    compare = tables.settings.compare
    header = {
        "kind": SCORES,
        "predictions": predictions.header,
        "golds": golds_hash(chosen.values()),
        "compare": {"sha256": hash_of(vars(compare)), "values": dict(vars(compare))},
        "revision": revision(),
        "time": now(),
    }
    return Scores(header, tuple(lines))


def score_one(prediction: Mapping[str, Any], case: Case, tables: Tables) -> Record:
    """Return the line of one case: outcome, kind of failure, and what the report groups by."""
    outcome, error = _outcome(prediction, case, tables)
    more: Record = {}
    if "alone" in prediction:
        more["alone"] = {"same": same_alone(prediction)}
    if "doubt" in prediction:
        more["doubt"] = {"holds_right": _holds_right(prediction["doubt"], prediction, case, tables)}
    wanted = case.gold[0]
    steps = wanted.get("steps", ())
    choices = [probability for _, probability in prediction["choices"]]
    return {
        "case": case.id,
        "domain": case.domain,
        "table": f"{case.domain}/{'+'.join(case.tables)}",
        "lang": case.lang,
        "tags": list(case.tags),
        "tools": list(dict.fromkeys(step["tool"] for step in steps)),
        "steps": len(steps),
        "follow_up": bool(case.history),
        "request": case.request,
        "wanted": wanted,
        "answer": prediction["answer"],
        "outcome": outcome,
        "failure": failure(outcome, case, prediction["answer"], error),
        "detail": None if error is None else error["detail"],
        "tokens": prediction["tokens"],
        "seconds": prediction["seconds"],
        "confidence": round(prod(choices), 6) if choices else None,
        **more,
    }


def gold_results(case: Case, tables: Tables) -> list[dict[str, Any]]:
    """Return the results of the gold plans, each with the table that the user should get by the SQL.

    Raises BenchError `gold_fails`, `gold_differs`.
    """
    workspace = tables.workspace(case)
    try:
        wanted = tables.sql_result(case, str(case.sql))
        results = [run(workspace, _answers(case), gold) for gold in case.gold]
    except (ToolError, DatabaseError) as error:
        raise BenchError("gold_fails", case=case.id, found=str(error)) from error
    for number, result in enumerate(results, 1):
        if not same_result(result, wanted, tables.settings, case.ordered):
            raise BenchError(
                "gold_differs", case=case.id, number=number, found=result["row_count"], allowed=wanted["row_count"]
            )
    return results


def handed_over(result: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Return the charts and files that a result hands over: what is drawn how, and in which format."""
    artifacts = result["artifacts"]
    charts = [("chart", *(each[key] for key in _CHART_KEYS)) for each in artifacts if each["kind"] == "chart"]
    return sorted(charts, key=str) + sorted(("file", each["format"]) for each in artifacts if each["kind"] == "file")


def fits(question: Mapping[str, Any], golds: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether a question is of the kind of one of the gold ones and offers what that one must offer."""
    wanted = [gold["question"] for gold in golds]
    return any(question["kind"] == gold["kind"] and set(gold["options"]) <= set(question["options"]) for gold in wanted)


def _asked_cases(predictions: Records, cases: Sequence[Case], tables: Tables) -> dict[str, Case]:
    """Return the cases of a run by their ids, after checking that they are still what the model was asked."""
    known = {case.id: case for case in cases}
    made_for = predictions.header["cases"]
    missing = [name for name in made_for["ids"] if name not in known]
    if missing:
        raise BenchError("unknown_case", case=missing[0])
    chosen = {name: known[name] for name in made_for["ids"]}
    found = asked(list(chosen.values()), tables)
    differing = [key for key in found if found[key] != made_for[key]]
    if differing:
        raise BenchError("cases_differ", found=differing)
    return chosen


def _outcome(prediction: Mapping[str, Any], case: Case, tables: Tables) -> tuple[str, Record | None]:
    """Return the outcome, and the error that there was: in the prediction, or when its plan is run again."""
    golds = None if case.asks else gold_results(case, tables)
    answer, error = prediction["answer"], prediction["error"]
    if error is not None:
        return _of_error(error), error
    if not _is_answer(answer):
        return INVALID, None
    if "question" in answer:
        if golds is not None:
            return ASKED, None
        return (RIGHT if fits(answer["question"], case.gold) else WRONG), None
    try:
        result = run(tables.workspace(case), _answers(case), answer)
    except TezError as failed:
        error = error_record(failed)
        return _of_error(error), error
    if golds is None or handed_over(result) not in [handed_over(gold) for gold in golds]:
        return WRONG, None
    if same_result(result, golds[0], tables.settings, case.ordered):
        return RIGHT, None
    return (RIGHT_ROWS if holds_columns(result, golds[0], tables.settings, case.ordered) else WRONG), None


def _holds_right(doubt: Mapping[str, Any], prediction: Mapping[str, Any], case: Case, tables: Tables) -> bool:
    """Return whether a question by doubt leads to the right table by one of its options, or is the right question."""
    answers = [{"question": doubt["question"]}] if case.asks else doubt["plans"]
    return any(_outcome({**prediction, "answer": each, "error": None}, case, tables)[0] == RIGHT for each in answers)


def _of_error(error: Mapping[str, Any]) -> str:
    return INVALID if error["class"] == CLASS_OF_INVALID else CRASHED


def _answers(case: Case) -> list[dict[str, Any]]:
    return [turn.answer for turn in case.history]


def _is_answer(answer: object) -> bool:
    """Return whether this is an answer at all: a plan's steps, or a question with kind and options."""
    if not isinstance(answer, Mapping):
        return False
    if "question" in answer:
        question = answer["question"]
        return (
            isinstance(question, Mapping)
            and question.keys() == {"kind", "options"}
            and isinstance(question["options"], list)
            and all(isinstance(option, str) for option in question["options"])
        )
    steps = answer.get("steps")
    return isinstance(steps, list) and all(isinstance(step, Mapping) for step in steps)
