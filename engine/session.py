"""The pipeline in its order: files, states, domain, prompt, model, plan, check, run."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias, cast

from grammar import (
    AnswerMatcher,
    Contract,
    Matchers,
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

from . import spent, sql
from .answered import Answered
from .calibration import Calibration
from .confidence import Decision, decisions, probability
from .database import Connection, DatabaseError, connect, stop
from .decoder import Decoded, Progress, TokenModel, Writing, decode, silent, unread
from .domain import Domain, common_lexicon, find_domain
from .doubt import Doubt, doubt
from .files import OpenedTable
from .history import Answer, effective_steps, starting_table
from .interrupt import Stopping
from .join_keys import with_join_keys
from .load_options import AS_FOUND, LoadOptions
from .narrowing import narrowed
from .plan import Told, check_plan, run_plan, untold
from .profile import opened_scene, table_state
from .readings import Reading, readings, runner_ups
from .request_scene import cut, read_anew, with_matching_values
from .served import AnyModel, TextModel
from .settings import Settings
from .settling import UNATTENDED, Settling, orders_of, settled
from .sources import open_sources
from .statement import plan_sql
from .toolset import Toolset
from .unchanged import unchanged
from .value_counts import Listed, listed_values


class RequestError(TezError):
    """There is nothing to answer."""


@dataclass(frozen=True)
class Workspace:
    """Opened tables with all that a request about them needs; `listed` are, for each, the values of its columns."""

    con: Connection
    tables: tuple[OpenedTable, ...]
    scene: Scene
    domain: Domain
    tools: Toolset
    settings: Settings
    listed: Mapping[str, Listed] = field(default_factory=dict)
    matchers: Matchers = field(default_factory=Matchers)

    @property
    def contracts(self) -> tuple[Contract, ...]:
        """The contracts of all tools that plans can call."""
        return self.tools.contracts


Watching: TypeAlias = Callable[[Connection], AbstractContextManager[None]]
"""Stands around the reading of files into a connection, to show how far it is."""


def unwatched(con: Connection) -> AbstractContextManager[None]:
    """Show nothing."""
    return nullcontext()


ANSWER_KEYS = ("on", "table", "steps")
EXPORT = "export"


@dataclass(frozen=True)
class Asked:
    """What the model is asked: tools and scene cut to what the request can mean, the prompt, and the links found."""

    contracts: tuple[Contract, ...]
    scene: Scene
    prompt: Prompt
    links: tuple[Link, ...]

    def matcher(self, workspace: Workspace) -> AnswerMatcher:
        """Return what says how an answer about the scene may be written."""
        return workspace.matchers.of(self.contracts, self.scene, nulls=workspace.settings.model.optional_nulls)


def open_workspace(
    paths: Sequence[Path],
    settings: Settings,
    domain: str | None = None,
    options: LoadOptions = AS_FOUND,
    sheet: str | None = None,
    settling: Settling = UNATTENDED,
    watching: Watching = unwatched,
    tools: Toolset | None = None,
) -> Workspace:
    """Open the files and find their domain; `options` settles how they are read, `sheet` names that of a workbook.

    `settling` is where answers come from to what a file leaves open; the files are read inside `watching`. `tools` are
    those that plans can call, by default the shipped ones. Raises FileError, DatabaseError, DomainError,
    prompt.build.ContextError.
    """
    con = connect(settings.database)
    with watching(con), Stopping(None, lambda: stop(con)):
        tables = open_sources(con, paths, settings.files, sheet, options)
    tables = [settled(con, table, options, settling) for table in tables]
    listed = {table.name: listed_values(con, sql.name(table.name), settings.profile) for table in tables}
    states = [
        table_state(
            con,
            table.name,
            settings,
            table.labels,
            orders=orders_of(table.report.columns),
            listed=listed[table.name],
        )
        for table in tables
    ]
    states = with_join_keys(con, states, settings)
    found = find_domain(domain, states, settings.prompt.domain_match)
    return Workspace(con, tuple(tables), opened_scene(states), found, tools or Toolset(), settings, listed)


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
    text = build_prompt(
        contracts,
        scene,
        workspace.domain.context,
        request,
        found,
        history,
        workspace.settings.prompt,
        failed=failed,
    )
    return Asked(contracts, scene, text, tuple(found))


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
) -> Answered:
    """Let the model answer a request, check its answer, and run it if it is a plan.

    `history` is a list of {"request", "answer"}, `keep_steps` as in `run`, `writing` hears the answer while it is
    written, `standing` and `failed` as in `prepare`. Only with the model's `calibration` an answer may be so doubted
    that it becomes a question; its options' plans are then among the readings. With `others`, other readings are looked
    for; `reading` is the number of the one to take, from 1. `decoded` is what the model has written already. Raises
    RequestError, ModelError, ToolError, DatabaseError, RepairError.
    """
    if not request.strip():
        raise RequestError("empty_request")
    if isinstance(model, TextModel):
        ask_server = import_module("engine.ask_server").ask_server  # it imports this module
        heard, how = (progress, writing), (dry_run, max_rows, keep_steps, reading)
        return cast(Answered, ask_server(workspace, request, model, history, how, heard, standing, failed))
    started = prepared = time.monotonic()

    def attempt(settings: Settings) -> tuple[Asked, AnswerMatcher, Decoded]:
        nonlocal prepared
        asked = prepare(replace(workspace, settings=settings), request, history, standing=standing, failed=failed)
        matcher, prompt, prepared = asked.matcher(workspace), asked.prompt, time.monotonic()
        shared, limits = prompt.shared, settings.model
        made = decoded or decode(model, matcher, prompt.text, limits, shared=shared, progress=progress, writing=writing)
        return asked, matcher, made

    asked, matcher, written = narrowed(workspace.settings, attempt)
    made = decisions(written, model.vocabulary.pieces, matcher, by_name(workspace.contracts))
    own = _answer(workspace, asked, written.text)
    doubted = doubt(asked.contracts, asked.scene, workspace.settings, own, made, calibration)
    decided, earlier = time.monotonic(), [turn["answer"] for turn in history]
    found: tuple[Reading, ...] = ()
    if others or reading or doubted:
        tried = workspace.settings.readings.tried if others or reading else 0
        found = _readings(workspace, asked, model, matcher, earlier, written, made, own, doubted, tried)
    asking = doubted and doubted.question(found)
    found = found if asking else tuple(replace(each, options=()) for each in found)
    answer = _taken(found, reading) if reading else asking or own
    looked = time.monotonic()
    runs = "steps" in answer and not dry_run
    result = run(workspace, earlier, answer, max_rows=max_rows, keep_steps=keep_steps) if runs else None
    took, used = spent.seconds(started, prepared, written, decided, looked), spent.tokens(written)
    sure = None if calibration is None else calibration.confidence(made)
    return Answered(request, answer, asked.prompt.notes, result, took, used, made, sure, found, own)


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

    The options of a question are among them whatever the settings say, with at most `tried` more.
    """
    settings = workspace.settings
    first = Reading(own, probability(made), options=() if doubted is None else doubted.own())

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
