"""The pipeline in its order: files, states, domain, prompt, model, plan, check, run."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, cast

from grammar import (
    AnswerMatcher,
    Contract,
    Scene,
    TableState,
    TezError,
    ToolError,
    by_name,
    meant_names,
    must_be_last,
    state_after,
    validate_answer,
    without_nulls,
)
from prompt.build import Prompt, build_prompt
from prompt.resolve import Link, links
from prompt.tool_choice import meanings

from . import spent
from .answered import Answered
from .calibration import Calibration
from .confidence import Decision, decisions, probability
from .database import DatabaseError, temporary
from .decoder import Decoded, Progress, TokenModel, Writing, decode, silent, unread
from .domain import common_lexicon
from .doubt import Doubt, doubt
from .history import Answer, effective_steps, starting_table
from .narrowing import less_shown, narrowed
from .paths import STEP_PREFIX
from .plan import Told, check_plan, run_plan, untold
from .readings import Reading, readings, runner_ups
from .request_scene import cut, read_anew, with_matching_values, with_steps
from .served import AnyModel, TextModel
from .settings import Settings
from .statement import plan_sql
from .stepwise import Heard, StepMade, unmade, write_stepwise
from .unchanged import unchanged
from .workspace import Workspace, open_workspace

__all__ = [
    "Asked",
    "RequestError",
    "Workspace",
    "ask",
    "current_result",
    "meant_table",
    "open_workspace",
    "prepare",
    "run",
    "standing_result",
    "statement",
    "table_of",
]


class RequestError(TezError):
    """There is nothing to answer."""


ANSWER_KEYS = ("on", "table", "steps")
EXPORT = "export"


@dataclass(frozen=True)
class Asked:
    """What the model is asked: tools and scene cut to what the request can mean, the prompt, and the links found.

    `prompt_after` gives the prompt that also shows the table which the steps so far have made.
    """

    contracts: tuple[Contract, ...]
    scene: Scene
    prompt: Prompt
    links: tuple[Link, ...]
    prompt_after: Callable[[Mapping[str, Any]], Prompt]

    def matcher(self, workspace: Workspace) -> AnswerMatcher:
        """Return what says how an answer about the scene may be written."""
        return workspace.matchers.of(self.contracts, self.scene, nulls=workspace.settings.model.optional_nulls)


def prepare(
    workspace: Workspace,
    request: str,
    history: Sequence[Mapping[str, Any]] = (),
    *,
    standing: str | None = None,
    failed: Mapping[str, Any] | None = None,
) -> Asked:
    """Return what the model is asked: links, the scene that the grammar is built from, and the prompt.

    `standing` is what stands after FROM for the table of the current result, where it still stands: values that the
    contracts cannot tell are then read from it. `failed` as in `prompt.build.build_prompt`.
    """
    result = current_result(workspace, [turn["answer"] for turn in history])
    with unchanged(table.left for table in workspace.tables):
        if result is not None and standing is not None:
            result = read_anew(workspace.con, workspace.settings, request, result, standing)
        scene = with_matching_values(workspace.con, workspace.settings, workspace.scene.tables, request, result)
    settings = workspace.settings
    lexicon = common_lexicon() if settings.resolver.lexicon else None
    found = links(request, scene, workspace.domain.context["glossary"], settings.prompt, lexicon)
    scene = cut(scene, found, workspace.settings.prompt.columns)
    contracts = workspace.tools.for_request(request, meanings(found), settings.tools, lexicon)
    if settings.stepwise.on:
        scene = with_steps(scene, settings.stepwise.steps)

    def prompt(made: Mapping[str, Any] | None = None) -> Prompt:
        return build_prompt(
            contracts,
            scene,
            workspace.domain.context,
            request,
            found,
            history,
            settings.prompt,
            failed=failed,
            made=made,
        )

    return Asked(contracts, scene, prompt(), tuple(found), prompt)


def ask(
    workspace: Workspace,
    request: str,
    model: AnyModel,
    history: Sequence[Mapping[str, Any]] = (),
    *,
    dry_run: bool = False,
    max_rows: int | None = None,
    keep_steps: bool = False,
    progress: Progress = silent,
    writing: Writing = unread,
    standing: str | None = None,
    failed: Mapping[str, Any] | None = None,
    calibration: Calibration | None = None,
    others: bool = False,
    reading: int | None = None,
    decoded: Decoded | None = None,
    made: StepMade = unmade,
) -> Answered:
    """Let the model answer a request, check its answer, and run it if it is a plan.

    `history` is a list of {"request", "answer"}, `keep_steps` as in `run`, `writing` hears the answer while it is
    written, `standing` and `failed` as in `prepare`. Only with the model's `calibration` an answer may be so doubted
    that it becomes a question. With `others`, other readings are looked for; `reading` is the number of the one to
    take, from 1. `decoded` is what the model has written already. Step by step, as the settings may say, `made` hears
    of each table. Raises RequestError, ModelError, ToolError, DatabaseError, RepairError.
    """
    if not request.strip():
        raise RequestError("empty_request")
    if isinstance(model, TextModel):
        heard, how = (progress, writing), (dry_run, max_rows, keep_steps, reading)
        return _by_server(workspace, request, model, history, how, heard, standing, failed)
    started = prepared = time.monotonic()

    def attempt(settings: Settings) -> tuple[Settings, Asked, AnswerMatcher, Decoded]:
        nonlocal prepared
        asked = prepare(replace(workspace, settings=settings), request, history, standing=standing, failed=failed)
        matcher, prepared = asked.matcher(workspace), time.monotonic()
        written = decoded or _decoded(workspace, asked, model, matcher, earlier, progress, writing, made)
        return settings, asked, matcher, written

    earlier = [turn["answer"] for turn in history]
    used, asked, matcher, written = narrowed(workspace.settings, attempt)
    calibration = None if workspace.settings.stepwise.on else calibration
    choices = decisions(written, model.vocabulary.pieces, matcher, by_name(workspace.contracts))
    own = _answer(workspace, asked, written.text)
    doubted = doubt(asked.contracts, asked.scene, workspace.settings, own, choices, calibration)
    decided = time.monotonic()
    tried = workspace.settings.readings.tried if others or reading else 0
    found = _readings(workspace, asked, model, matcher, earlier, written, choices, own, doubted, tried)
    asking = doubted and doubted.question(found)
    found = found if asking else tuple(replace(each, options=()) for each in found)
    answer = _taken(found, reading) if reading else asking or own
    looked = time.monotonic()
    runs = "steps" in answer and not dry_run
    result = run(workspace, earlier, answer, max_rows=max_rows, keep_steps=keep_steps) if runs else None
    took, tokens = spent.seconds(started, prepared, written, decided, looked), spent.tokens(written)
    sure = None if calibration is None else calibration.confidence(choices)
    notes = (*asked.prompt.notes, *less_shown(workspace.settings, used))
    return Answered(request, answer, notes, result, took, tokens, choices, sure, found, own)


def _by_server(*given: Any) -> Answered:
    """Let a server answer, by the module that imports this one."""
    return cast(Answered, import_module("engine.ask_server").ask_server(*given))


def _decoded(
    workspace: Workspace,
    asked: Asked,
    model: TokenModel,
    matcher: AnswerMatcher,
    earlier: Sequence[Answer],
    progress: Progress,
    writing: Writing,
    made: StepMade,
) -> Decoded:
    """Let the model write the answer, at once or step by step."""
    prompt, limits, shown = asked.prompt, workspace.settings.model, workspace.settings.stepwise
    if not shown.on:
        return decode(model, matcher, prompt.text, limits, shared=prompt.shared, progress=progress, writing=writing)

    def attempt(answer: dict[str, Any]) -> dict[str, Any] | None:
        try:
            return run(workspace, earlier, without_nulls(answer), max_rows=shown.rows)
        except ToolError:
            return None

    heard = Heard(progress, writing, made)
    return write_stepwise(model, matcher, prompt, asked.prompt_after, attempt, limits, shown, heard)


def _answer(workspace: Workspace, asked: Asked, text: str) -> dict[str, Any]:
    """Return the answer of a text, checked."""
    return checked(workspace, asked, json.loads(text))


def checked(workspace: Workspace, asked: Asked, written: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was written as an answer to what was asked; ToolError for what is none."""
    answer: dict[str, Any] = without_nulls(written)
    validate_answer(asked.contracts, asked.scene, answer)
    if "question" in answer:
        answer["question"]["options"] = list(dict.fromkeys(answer["question"]["options"]))
    return answer


def _taken(found: Sequence[Reading], number: int) -> dict[str, Any]:
    """Return the answer of the reading of this number, from 1. Raises RequestError."""
    if number > len(found):
        raise RequestError("no_such_reading", found=number, allowed=len(found))
    return found[number - 1].answer


def _readings(
    workspace: Workspace,
    asked: Asked,
    model: TokenModel,
    matcher: AnswerMatcher,
    earlier: Sequence[Answer],
    decoded: Decoded,
    made: Sequence[Decision],
    own: dict[str, Any],
    doubted: Doubt | None,
    tried: int,
) -> tuple[Reading, ...]:
    """Return what the request may mean, the model's own answer first; a plan that fails is no reading.

    The options of a question are among them whatever the settings say, with at most `tried` more; without both, none.
    """
    settings = workspace.settings
    if not tried and doubted is None:
        return ()
    first = Reading(own, probability(made), options=() if doubted is None else doubted.own())
    if settings.stepwise.on:
        return (first,)

    def attempt(answer: dict[str, Any]) -> dict[str, Any] | None:
        try:
            return run(workspace, earlier, answer, max_rows=settings.output.json_rows)
        except (ToolError, DatabaseError):
            return None

    contracts, limits = by_name(workspace.contracts), replace(settings.readings, tried=tried)
    ahead = () if doubted is None else doubted.rivals
    text, beginnings, own_settings = asked.prompt.text, asked.prompt.shared, settings.model
    written = runner_ups(
        model, matcher, contracts, text, decoded, made, own_settings, limits, shared=beginnings, ahead=ahead
    )
    answers = (
        Reading(
            _answer(workspace, asked, each.text),
            each.probability,
            options=() if doubted is None else doubted.option(each, contracts),
        )
        for each in written
    )
    return tuple(readings(first, answers, attempt, max(limits.most, len(ahead))))


def run(
    workspace: Workspace,
    history: Sequence[Answer],
    answer: Answer,
    *,
    max_rows: int | None = None,
    keep_steps: bool = False,
    keep_as: str | None = None,
    told: Told = untold,
) -> dict[str, Any]:
    """Run a plan, with the earlier answers' steps where it goes on from their result.

    Raises ToolError, DatabaseError, FileError if a file that is read where it lies is not what it was.
    The tables of the steps stay until the next run if `keep_steps` says so or a step of the answer exports its table.
    `keep_as` and `told` as in `run_plan`.
    """
    table, steps = _planned(workspace, history, answer)
    with unchanged(each.left for each in workspace.tables):
        return run_plan(
            workspace.con,
            table,
            steps,
            workspace.settings,
            contracts=workspace.contracts,
            executors=workspace.tools.executors,
            keep_as=keep_as,
            max_rows=max_rows,
            told=told,
            keep_steps=keep_steps or any(step.get("tool") == EXPORT for step in answer["steps"]),
            known=workspace.scene.tables,
        )


def standing_result(workspace: Workspace, history: Sequence[Answer]) -> str | None:
    """Run the plan of the current result, and return what stands after FROM for its table; None without a plan.

    It stands until the next run. Raises what `run` raises.
    """
    last = max((place for place, answer in enumerate(history) if "steps" in answer), default=-1)
    if last < 0:
        return None
    return table_of(run(workspace, history[:last], history[last], max_rows=0, keep_steps=True))


def table_of(result: Mapping[str, Any]) -> str:
    """Return what stands after FROM for the table of a result, as long as its steps are kept."""
    return temporary(f"{STEP_PREFIX}{len(result['steps'])}")


def statement(workspace: Workspace, answer: Answer) -> str:
    """Return a plan as one SQL statement over the opened tables; raises what `run` raises."""
    table, steps = _planned(workspace, [], answer)
    with unchanged(each.left for each in workspace.tables):
        return plan_sql(
            workspace.con,
            table,
            steps,
            workspace.settings,
            contracts=workspace.contracts,
            executors=workspace.tools.executors,
            known=workspace.scene.tables,
        )


def _planned(workspace: Workspace, history: Sequence[Answer], answer: Answer) -> tuple[str, list[dict[str, Any]]]:
    """Return the opened table that a plan starts from, and all its steps; ToolError for what is no plan."""
    for key in answer:
        if key not in ANSWER_KEYS:
            raise ToolError("unknown_key", found=key, allowed=list(ANSWER_KEYS))
    if answer.get("on", "table") not in ("result", "table"):
        raise ToolError("wrong_value", argument="on", found=answer["on"], allowed=["result", "table"])
    steps = effective_steps(history, answer)
    names = [each.name for each in workspace.tables]
    table = starting_table(history, answer)
    if table is None and len(names) > 1:
        raise ToolError("table_not_named", argument="table", allowed=names)
    return names[0] if table is None else meant_table(table, names), steps


def meant_table(table: Any, names: list[str]) -> str:
    """Return the opened table that a name means; ToolError if it means none or several."""
    meant = meant_names(table, names) if isinstance(table, str) else []
    if len(meant) != 1:
        reason = "ambiguous_table" if meant else "unknown_table"
        raise ToolError(reason, argument="table", found=table, allowed=meant or names)
    return meant[0]


def current_result(workspace: Workspace, history: Sequence[Answer]) -> TableState | None:
    """Return the state of the result that these answers have led to, computed from the contracts.

    None without one, and where the last tool does not tell the columns of its table.
    """
    known = by_name(workspace.contracts)
    opened = {state.name: state for state in workspace.scene.tables}
    plans = [answer for answer in history if "steps" in answer]
    if not plans:
        return None
    state = opened[starting_table(plans[:-1], plans[-1]) or workspace.tables[0].name]
    steps = effective_steps(plans[:-1], plans[-1])
    if must_be_last(known[steps[-1]["tool"]]):
        return None
    for step in check_plan(known, state, steps):
        state = state_after(known[step["tool"]], state, step["args"])
    return state
