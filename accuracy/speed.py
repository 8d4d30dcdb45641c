"""How fast answers are written: our decoder against the binding's own path, in turns, request by request.

Ratios are medians of the ratios of single requests. In one process both keep the beginning of the prompts; the plan of
one request is then: reading the rest of the prompt, making the grammar, writing.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, Final

from engine.batch import Request, decode_many
from engine.decoder import Decoded, decode
from engine.domain import Domain
from engine.machine import environment_with
from engine.model import LlamaModel
from engine.plan import shipped_contracts
from engine.settings import Settings
from grammar import AnswerMatcher, Matchers, Scene
from grammar.answers import answer_shape
from grammar.compile import compile_shape
from grammar.gbnf import gbnf_text
from prompt.build import Prompt, build_prompt
from prompt.resolve import links

from .baseline import Baseline, Job
from .records import BenchError
from .speed_tables import FLAT_SIZE, SIZES, flattened, requests, scene, values, wide_scene

FRESH_SIZE: Final = 50
PARTS: Final = len(SIZES) + 2
OWN, FLAT, PLAIN = "our GBNF", "flat list", "plain"
GOALS: Final = {OWN: 3.0, FLAT: 10.0, PLAIN: 1.2}
READ_GOAL: Final = 20.0
BATCH_GOAL: Final = 2.5
CONSTRAINT_GOAL: Final = 100
CHANGE_GOAL: Final = 5


class TimedModel:
    """A model whose own time is told apart: processor seconds of the calling thread, within and without it."""

    def __init__(self, model: LlamaModel) -> None:
        self.inside = 0.0
        self._model = model

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def logits(self) -> Any:
        """Return the logits; see `LlamaModel`."""
        return self._timed(self._model.logits)

    def append_many(self, tokens: Sequence[int]) -> None:
        """Evaluate more tokens; see `LlamaModel`."""
        self._timed(lambda: self._model.append_many(tokens))

    def chat_tokens(self, content: str) -> list[int]:
        """Return the tokens of a prompt; see `LlamaModel`."""
        found: list[int] = self._timed(lambda: self._model.chat_tokens(content))
        return found

    def shared_tokens(self, content: str, beginnings: Sequence[int]) -> list[int]:
        """Return the tokens of its beginnings; see `LlamaModel`."""
        found: list[int] = self._timed(lambda: self._model.shared_tokens(content, beginnings))
        return found

    def read(self, *arguments: Any, **options: Any) -> int:
        """Evaluate a prompt; see `LlamaModel`."""
        found: int = self._timed(lambda: self._model.read(*arguments, **options))
        return found

    def _timed(self, call: Callable[[], Any]) -> Any:
        started = time.thread_time()
        try:
            return call()
        finally:
            self.inside += time.thread_time() - started


@dataclass(frozen=True)
class Written:
    """What our decoder took for a request: seconds in all, processor seconds of the constraint and of the grammar."""

    seconds: float
    constraint: float
    grammar: float
    decoded: Decoded


def measure(
    path: Path, settings: Settings, many: int, tick: Callable[[str], None], *, is_default: bool
) -> dict[str, Any]:
    """Measure one model; `many` requests about each table. `tick` hears what is measured."""
    found: dict[str, Any] = {"model": path.name, "tables": []}
    with LlamaModel(path, settings.model) as model:
        with Baseline(path, settings.model, settings.accuracy.speed_seconds) as baseline:
            for size in SIZES:
                tick(f"{path.name}: {size}")
                found["tables"].append(_table(model, baseline, size, settings, many))
        tick(f"{path.name}: batch")
        found["batch"] = _batch(model, settings)
    tick(f"{path.name}: fresh")
    found["fresh"] = _fresh(path, settings, many, is_default)
    return found


def grammar_change(settings: Settings, times: int = 5) -> dict[str, float]:
    """Return milliseconds for a table of 200 columns and 5,000 listed values: its grammar, the change after a step.

    The change is measured to the first byte of the next step's arguments, so that nothing is left for later.
    """
    wide = wide_scene(settings)
    column = wide.tables[0].columns[0]
    assert column.values is not None
    step = {"tool": "filter", "args": {"column": column.name, "op": "=", "value": column.values[0]}}
    text = json.dumps({"steps": [step]}, ensure_ascii=False, separators=(",", ":"))[:-2].encode()
    built, changed = [], []
    for _ in range(times):
        started = time.thread_time()
        matcher = AnswerMatcher(shipped_contracts(), wide)
        built.append(time.thread_time() - started)
        before = matcher.advance(matcher.start(), text[:-1])
        assert before is not None
        started = time.thread_time()
        after = matcher.advance(before, text[-1:] + b',{"tool":"filter","args":{"column":"')
        assert after is not None
        matcher.first_bytes(after)
        changed.append(time.thread_time() - started)
    return {"grammar": 1000 * median(built), "change": 1000 * median(changed)}


def _table(model: LlamaModel, baseline: Baseline, size: int, settings: Settings, many: int) -> dict[str, Any]:
    """Return what requests about one table took in each way."""
    made = scene(size, settings)
    prompts = [_prompt(made, request, settings) for request in requests(size, many, settings.accuracy.seed)]
    ways = [OWN, FLAT] if size == FLAT_SIZE else [OWN]
    grammars = _grammars(made, ways)
    tokens = [model.chat_tokens(prompt.text) for prompt in prompts]
    beginnings = model.shared_tokens(prompts[0].text, prompts[0].shared)
    shared = beginnings[-1]
    model.read(tokens[0], shared=beginnings)
    for start, end in pairwise([0, *beginnings]):
        baseline.do(Job(tokens[0][:end], start, 1))
    rows, known = [], Matchers()
    for number, prompt in enumerate(prompts):
        row: dict[str, Any] = {}

        def write(way: str, most: int = settings.model.answer_tokens, place: int = number) -> dict[str, Any] | None:
            return baseline.do(Job(tokens[place], shared, most, grammars[way]))

        if number % 2 == 0:
            written = _ours(model, made, prompt, settings, known)
            row = {way: write(way) for way in ways}
        else:
            row = {way: write(way) for way in reversed(ways)}
            written = _ours(model, made, prompt, settings, known)
        row[PLAIN] = write(PLAIN, written.decoded.answer_tokens)
        rows.append((written, row))
    return {"values": size, "prompt_tokens": len(tokens[0]), "shared_tokens": shared, **_told(rows, [*ways, PLAIN])}


def _told(rows: Sequence[tuple[Written, Mapping[str, Any]]], ways: Sequence[str]) -> dict[str, Any]:
    ours = [written for written, _ in rows]
    answer_tokens = sum(each.decoded.answer_tokens for each in ours)
    found: dict[str, Any] = {"seconds": {"ours": median(each.seconds for each in ours)}, "ratios": {}, "died": {}}
    found |= {"same": {}, "same_ratios": {}}
    for way in ways:
        taken = [(written, row[way]) for written, row in rows if row[way] is not None]
        ratios = [each["seconds"] / written.seconds for written, each in taken]
        found["seconds"][way] = median(each["seconds"] for _, each in taken) if taken else None
        found["ratios"][way] = median(ratios) if ratios else None
        found["died"][way] = len(rows) - len(taken)
        if way != PLAIN:
            alike = [ratio for ratio, (written, each) in zip(ratios, taken, strict=True) if _same(written, each)]
            found["same"][way] = len(alike)
            found["same_ratios"][way] = median(alike) if alike else None
    found |= {
        "constraint_microseconds": 1e6 * sum(each.constraint for each in ours) / answer_tokens,
        "forced": sum(each.decoded.forced_tokens for each in ours) / answer_tokens,
        "passes": median(each.decoded.passes for each in ours),
        "answer_tokens": median(each.decoded.answer_tokens for each in ours),
        "grammar_milliseconds": 1000 * median(each.grammar for each in ours),
    }
    return found


def _same(written: Written, taken: Mapping[str, Any]) -> bool:
    return bool(taken["text"] == written.decoded.text)


def _ours(model: LlamaModel, made: Scene, prompt: Prompt, settings: Settings, known: Matchers) -> Written:
    timed, contracts = TimedModel(model), shipped_contracts()
    started, own = time.perf_counter(), time.thread_time()
    matcher = known.of(contracts, made)
    built = time.thread_time()
    decoded = decode(timed, matcher, prompt.text, settings.model, shared=prompt.shared)
    constraint = time.thread_time() - built - timed.inside
    return Written(time.perf_counter() - started, constraint, built - own, decoded)


def _grammars(made: Scene, ways: Sequence[str]) -> dict[str, str | None]:
    rules = compile_shape(answer_shape(shipped_contracts(), made))
    listed = made.tables[0].columns[0].values or ()
    grammars: dict[str, str | None] = {OWN: gbnf_text(rules), PLAIN: None}
    if FLAT in ways:
        grammars[FLAT] = gbnf_text(flattened(rules, listed))
    return grammars


def _prompt(made: Scene, request: str, settings: Settings) -> Prompt:
    found = links(request, made, {}, settings.prompt)
    return build_prompt(shipped_contracts(), made, Domain().context, request, found, (), settings.prompt)


def _batch(model: LlamaModel, settings: Settings) -> dict[str, Any]:
    """Return the plans a second one at a time and together, without the reading of what all prompts begin with."""
    together = settings.accuracy.speed_batch
    made = scene(FRESH_SIZE, settings)
    texts = [_prompt(made, request, settings) for request in requests(FRESH_SIZE, together, settings.accuracy.seed)]
    model.read(model.chat_tokens(texts[0].text), shared=model.shared_tokens(texts[0].text, texts[0].shared))
    started = time.perf_counter()
    alone = [
        decode(model, AnswerMatcher(shipped_contracts(), made), each.text, settings.model, shared=each.shared)
        for each in texts
    ]
    one = time.perf_counter() - started
    reading = _TimedSharing(model)
    started = time.perf_counter()
    several = [Request(each.text, AnswerMatcher(shipped_contracts(), made)) for each in texts]
    found = decode_many(reading, several, settings.model, together)
    many = time.perf_counter() - started - reading.seconds
    same = sum(getattr(each, "text", None) == single.text for each, single in zip(found, alone, strict=True))
    return {"together": together, "one": len(texts) / one, "many": len(texts) / many, "same": same / len(texts)}


class _TimedSharing:
    """A model that tells the seconds that the reading of a common beginning took, the making of a context included."""

    def __init__(self, model: LlamaModel) -> None:
        self.seconds = 0.0
        self._model = model

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    @contextmanager
    def many(self, count: int, room: int) -> Iterator["_SharedBefore"]:
        """Give the sequences; see `LlamaModel.many`."""
        started = time.perf_counter()
        with self._model.many(count, room) as sequences:
            yield _SharedBefore(self, sequences, started)


class _SharedBefore:
    """Sequences whose common beginning is read in time that does not count."""

    def __init__(self, timed: _TimedSharing, sequences: Any, started: float) -> None:
        self._timed, self._sequences, self._started = timed, sequences, started

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sequences, name)

    def share(self, *arguments: Any) -> None:
        """Read the beginning; see `ManySequences.share`."""
        self._sequences.share(*arguments)
        self._timed.seconds += time.perf_counter() - self._started


def _fresh(path: Path, settings: Settings, many: int, is_default: bool) -> dict[str, Any]:
    """Return the seconds of whole processes, and of their reading, without and with stored beginnings."""
    ways = {"without": 0, "with": settings.model.stored_bytes}
    taken: dict[str, list[tuple[float, float]]] = {way: [] for way in ways}
    with TemporaryDirectory(prefix="tez-") as name:
        folder = Path(name)
        lines = [f"{value},yangi,{place},{place * 3},2024-01-0{place % 9 + 1},true" for place, value in _cells()]
        csv = folder / "jadval.csv"
        csv.write_text("\n".join(["hudud,holat,summa,qoldiq,sana,faol", *lines]) + "\n", encoding="utf-8")
        files = {}
        for way, stored in ways.items():
            model = {**asdict(settings.model), "stored_bytes": stored, "path": None if is_default else str(path)}
            files[way] = folder / f"{way}.json"
            files[way].write_text(json.dumps({**asdict(settings), "model": model}), encoding="utf-8")
        _process(csv, files["with"], "salom")
        for number, request in enumerate(requests(FRESH_SIZE, many, settings.accuracy.seed)):
            for way in sorted(ways, reverse=number % 2 == 1):
                taken[way].append(_process(csv, files[way], request))
    pairs = list(zip(taken["without"], taken["with"], strict=True))
    return {
        "read_seconds": {way: median(read for read, _ in each) for way, each in taken.items()},
        "process_seconds": {way: median(whole for _, whole in each) for way, each in taken.items()},
        "read_ratio": median(one[0] / other[0] for one, other in pairs),
        "process_ratio": median(one[1] / other[1] for one, other in pairs),
    }


def _cells() -> list[tuple[int, str]]:
    quoted = [value.replace('"', '""') for value in values(FRESH_SIZE)]
    return [(place, f'"{value}"') for place, value in enumerate(quoted * 4)]


def _process(csv: Path, settings_file: Path, request: str) -> tuple[float, float]:
    """Ask one request in a process of its own; return the seconds of its reading and of the whole process."""
    environment = environment_with(PYTHONPATH=os.pathsep.join(filter(None, sys.path)))
    command = [sys.executable, "-m", "engine.cli", "ask", str(csv), request, "--json", "--dry-run"]
    command += ["--settings", str(settings_file)]
    started = time.perf_counter()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    whole = time.perf_counter() - started
    try:
        return float(json.loads(done.stdout)["timing"]["read"]), whole
    except (ValueError, LookupError) as error:
        lines = done.stderr.strip().splitlines()
        detail = lines[-1] if lines else str(done.returncode)
        raise BenchError("not_measured", task="speed", way=request, detail=detail) from error
