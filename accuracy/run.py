"""Predictions: every case is asked of a model, and what it answered is kept in a file, one line a case."""

import os
import time
from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Final, cast

from engine.answered import Answered
from engine.batch import ManyModel, Request, decode_many
from engine.calibration import Calibration
from engine.decoder import Decoded
from engine.interrupt import HeldInterrupt
from engine.model_error import ModelError
from engine.served import AnyModel, TextModel
from engine.session import ask, prepare, run, standing_result
from engine.terminal import Tick, counted
from grammar import TezError

from .cases import Case
from .identity import differences
from .records import BenchError, Record, as_line, error_record, has_complete_line, read_records
from .selection import in_order
from .tables import Tables

# A fault of Tez's own in one case is that case's outcome and not the end of the run.
FAULTS: Final = (ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)

# Cases are asked together in groups of so many times as many as are in one batch, then their answers are kept.
ROUNDS: Final = 4

OpenModel = Callable[[], AbstractContextManager[AnyModel]]


def run_cases(
    out: Path,
    header: Mapping[str, Any],
    cases: Sequence[Case],
    tables: Tables,
    model: OpenModel,
    together: int = 1,
    *,
    also_alone: Container[str] = (),
    calibration: Calibration | None = None,
) -> int:
    """Ask all cases that `out` does not hold yet, and write each answer as soon as it is there.

    So many cases about the same tables are asked `together`, unless answers are written step by step; those of the ids
    `also_alone` then once more alone, to see whether that gives the same plan. With the model's `calibration` answers
    are doubted as a user's are.
    The model is loaded once, and only if a case is left to ask. Interrupted at any moment, a second call goes on after
    the last complete line. Returns how many cases were asked now. Raises BenchError `other_header` where the file was
    begun with another header, `not_written`, and what reading the file raises.
    """
    left = begin(out, header, cases)
    if not left:
        return 0
    with model() as loaded, counted(len(cases) - len(left), len(cases)) as tick:
        if together > 1 and not tables.settings.stepwise.on:
            _ask_together(out, left, tables, loaded, tick, together, also_alone, calibration)
        else:
            _ask_all(out, left, tables, loaded, tick, calibration)
    return len(left)


def predict(
    case: Case,
    tables: Tables,
    model: AnyModel,
    written: Decoded | ModelError | None = None,
    calibration: Calibration | None = None,
) -> Record:
    """Ask one case and return its line: the answer, or the error; seconds, tokens, and how sure the model was.

    A follow-up finds the table of the result before it standing, as in a conversation. A plan is run as for a user, so
    that an error in running is seen and its time is counted; its rows are not kept.
    `written` is what the model wrote when it was asked together with others. Where a user would be asked a question
    instead, as the model's `calibration` says, the answer is still the model's own, and `doubt` is that question with
    the plans of its options.
    """
    prediction: Record = {"case": case.id, "answer": None, "error": None, "tokens": {}, "seconds": {}, "choices": []}
    history = [{"request": turn.request, "answer": turn.answer} for turn in case.history]
    workspace = tables.workspace(case)
    started = time.monotonic()
    try:
        if isinstance(written, ModelError):
            raise written
        standing = standing_result(workspace, [turn.answer for turn in case.history])
        # A server's plan runs at once: one that fails goes back to it, as for a user.
        alone = not isinstance(model, TextModel)
        answered = ask(
            workspace,
            case.request,
            model,
            history,
            dry_run=alone,
            standing=standing,
            decoded=written,
            calibration=calibration,
        )
        prediction |= _told(answered)
        answer = prediction["answer"]
        if not alone:
            prediction["seconds"]["run"] = round(answered.timing["run"], 4)
        elif "steps" in answer:
            before = time.monotonic()
            most = workspace.settings.output.shown_rows
            run(workspace, [turn.answer for turn in case.history], answer, max_rows=most)
            prediction["seconds"]["run"] = round(time.monotonic() - before, 4)
    except (TezError, *FAULTS) as error:
        prediction["error"] = error_record(error)
    prediction["seconds"]["total"] = round(time.monotonic() - started, 4)
    return prediction


def same_alone(prediction: Mapping[str, Any]) -> bool | None:
    """Return whether a case gave the same plan, or error, alone as together; None where it was not asked alone too."""
    alone = prediction.get("alone")
    return None if alone is None else all(alone[key] == prediction[key] for key in ("answer", "error"))


def begin(out: Path, header: Mapping[str, Any], cases: Sequence[Case]) -> list[Case]:
    """Make the file ready to be written on, and return the cases that are left to ask, in the order to ask them.

    Raises as `run_cases`.
    """
    ordered = in_order(cases)
    try:
        if not has_complete_line(out):
            out.write_bytes(as_line(header).encode())
            return list(ordered)
        records = read_records(out, header["kind"])
        differing = differences(records.header, header)
        if differing:
            raise BenchError("other_header", file=str(out), found=differing)
        os.truncate(out, records.size)
    except OSError as error:
        raise BenchError("not_written", file=str(out), found=error.strerror or str(error)) from error
    done = {record["case"] for record in records.lines}
    return [case for case in ordered if case.id not in done]


def _ask_all(
    out: Path,
    cases: Sequence[Case],
    tables: Tables,
    model: AnyModel,
    tick: Tick,
    calibration: Calibration | None,
) -> None:
    for case in cases:
        tick(case.id)
        append(out, predict(case, tables, model, calibration=calibration))
    tick("")


def _ask_together(
    out: Path,
    cases: Sequence[Case],
    tables: Tables,
    model: AnyModel,
    tick: Tick,
    together: int,
    also_alone: Container[str],
    calibration: Calibration | None,
) -> None:
    groups: dict[tuple[str, tuple[str, ...]], list[Case]] = {}
    for case in cases:
        groups.setdefault((case.domain, case.tables), []).append(case)
    for group in groups.values():
        for start in range(0, len(group), together * ROUNDS):
            some = group[start : start + together * ROUNDS]
            tick(some[0].id)
            for case, written in zip(some, write_together(some, tables, model, together), strict=True):
                prediction = predict(case, tables, model, written, calibration)
                if case.id in also_alone:
                    alone = predict(case, tables, model)
                    prediction["alone"] = {"answer": alone["answer"], "error": alone["error"]}
                append(out, prediction)
    tick("")


def write_together(
    cases: Sequence[Case], tables: Tables, model: AnyModel, together: int
) -> list[Decoded | ModelError | None]:
    """Let the model answer cases about the same tables, `together` at a time; None for a blank request."""
    requests = {}
    for number, case in enumerate(cases):
        workspace = tables.workspace(case)
        history = [{"request": turn.request, "answer": turn.answer} for turn in case.history]
        if case.request.strip():
            standing = standing_result(workspace, [turn.answer for turn in case.history])
            asked = prepare(workspace, case.request, history, standing=standing)
            requests[number] = Request(asked.prompt.text, asked.matcher(workspace))
    many = cast(ManyModel, model)
    written = decode_many(many, list(requests.values()), tables.settings.model, together)
    found: dict[int, Decoded | ModelError] = dict(zip(requests, written, strict=True))
    return [found.get(number) for number in range(len(cases))]


def append(out: Path, prediction: Record) -> None:
    """Write a line whole: an interruption waits until it is there."""
    try:
        with HeldInterrupt(), out.open("ab") as file:
            file.write(as_line(prediction).encode())
    except OSError as error:
        raise BenchError("not_written", file=str(out), found=error.strerror or str(error)) from error


def _told(answered: Answered) -> Record:
    seconds = {key: round(answered.timing[key], 4) for key in ("prepare", "read", "write")}
    choices = [[each.slot.start, round(each.probability, 6)] for each in answered.decisions]
    own = answered.written or answered.answer
    told: Record = {"answer": own, "tokens": dict(answered.tokens), "seconds": seconds, "choices": choices}
    if answered.answer != own:
        told["doubt"] = {**answered.answer, "plans": [each.answer for each in answered.readings if each.options]}
    return told
