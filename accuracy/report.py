"""The report: several runs side by side, as Markdown."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from engine.settings import AccuracySettings

from .calibrate import Checked
from .optional import Tally
from .outcomes import MEANINGS, OUTCOMES
from .paired import Change, Comparison
from .ratchet import Verdict
from .stats import Share
from .summary import SECONDS, TOKENS, VIEWS, Run, Spread, Summary, Together, is_stepwise, summarise

SHORT_VIEWS: Final = ("language", "domain", "turn", "scope")
NOTHING: Final = "–"
FEW_RIGHT: Final = 10
METHOD: Final = """\
An answer is right when its table equals the table of the gold plan (numbers within a tolerance, in order where the
request asks for one), or when it is the question or refusal that the case wants. The interval of a share is made for
{interval:g} % and goes from the lower to the higher end of two: the percentile bootstrap over tables ({resamples:,}
draws, seed {seed}; Field and Welsh 2007) and Wilson's score interval over cases. With few tables the bootstrap is too
narrow (Cameron, Gelbach and Miller 2008), and neither interval speaks for tables of another sort."""


def markdown(runs: Sequence[Run], settings: AccuracySettings, *, short: bool = False) -> str:
    """Return the report of these runs; the short one has what is worth committing: shares, and how to repeat them."""
    summaries = [summarise(run, settings) for run in runs]
    parts = ["# Accuracy", overview(summaries), remarks(summaries)]
    parts += [_unfinished(run) for run in runs if len(run.lines) < run.asked]
    for view in SHORT_VIEWS if short else VIEWS:
        parts += [f"## By {view}", by_view(summaries, view)]
    if not short:
        parts += ["Tools and steps are those of the gold plan; a case counts under each of its tools and tags."]
        parts += ["## Kinds of failure", _failures(summaries)]
        parts += ["## Seconds a case", _spreads(summaries, "seconds", SECONDS)]
        parts += ["## Tokens a case", _spreads(summaries, "tokens", TOKENS)]
        parts += _calibration(summaries)
    parts += ["## How it was measured", method(settings), _outcomes()]
    parts += [_repeat(run) for run in runs]
    return "\n\n".join(parts) + "\n"


def overview(summaries: Sequence[Summary]) -> str:
    """Return the table of models: share right with its interval, each outcome, seconds a case."""
    head = ["model", "cases", "right", "interval", *(each.replace("_", " ") for each in OUTCOMES[1:]), "p50 s", "p95 s"]
    rows = [
        [
            each.name,
            each.right.count,
            f"{each.right.hits} ({percent(each.right.share)})",
            interval(each.right),
            *(each.outcomes[outcome] for outcome in OUTCOMES[1:]),
            number(each.seconds["total"].p50),
            number(each.seconds["total"].p95),
        ]
        for each in summaries
    ]
    return table(head, rows)


def remarks(summaries: Sequence[Summary]) -> str:
    """Return what is to be said of runs beside the table: plans of cases asked together, and questions by doubt."""
    said = []
    for each in summaries:
        if each.together is not None:
            said.append(f"{each.name}: {together(each.together)}")
        doubts, count = each.doubts, each.right.count
        text = f"{each.name}: in {doubts.asked or 'none'} of {count} cases a user is asked which column, value or "
        text += "table is meant instead of getting the answer"
        if doubts.asked:
            text += f"; {doubts.right} of these answers are right as they stand, of {doubts.helped} more an option is"
        said.append(f"{text}.")
    return "\n\n".join(said)


def together(found: Together) -> str:
    """Return how many cases gave the same plan together with others and alone."""
    share = f" ({percent(found.same / found.checked)})" if found.checked else ""
    return f"asked together; of {found.checked} cases asked alone too, {found.same}{share} gave the same plan."


def by_view(summaries: Sequence[Summary], view: str) -> str:
    """Return the table of one view: for each group and model how many are right, and the interval."""
    groups = groups_of(summaries, view)
    rows = [[group, *(_right(each.shares[view].get(group)) for each in summaries)] for group in groups]
    return table([view, *(each.name for each in summaries)], rows)


def groups_of(summaries: Sequence[Summary], view: str) -> list[str]:
    """Return the groups of a view that any of the runs has."""
    return sorted({group for each in summaries for group in each.shares[view]})


def method(settings: AccuracySettings) -> str:
    """Return how the figures were worked out, and where they are weak."""
    return METHOD.format(interval=100 * settings.interval, resamples=settings.resamples, seed=settings.seed)


def repeat_facts(run: Run) -> dict[str, str]:
    """Return what is needed to repeat a run, each fact as text."""
    made = run.predictions
    cases = made["cases"]
    return {
        "model": _of_file(made["model"]),
        "adapter": _of_file(made["adapter"]) if made["adapter"] else NOTHING,
        "cases": f"{len(cases['ids'])}, {_choice(cases['choice'])}; sha256 {cases['sha256'][:16]}",
        "golds": f"sha256 {run.header['golds'][:16]}",
        "tables": ", ".join(f"{name} {digest[:16]}" for name, digest in cases["tables"].items()),
        "contracts": f"sha256 {made['contracts'][:16]}",
        "code": f"sha256 {made['code'][:16]}; {_revision(made['revision'])}",
        "versions": ", ".join(f"{name} {version}" for name, version in made["versions"].items()),
        "made": made["time"],
        "command": f"`{_command(made)}`",
        "settings": f"sha256 {made['settings']['sha256'][:16]}",
    }


def comparison(found: Comparison) -> str:
    """Return the comparison of two runs."""
    rows = [
        ["both right", found.both_right],
        [f"only {found.first}", found.only_first],
        [f"only {found.second}", found.only_second],
        ["neither", found.cases - found.both_right - found.only_first - found.only_second],
    ]
    parts = [
        f"# {found.first} → {found.second}",
        table(["right", "cases"], rows),
        f"{found.cases} cases, {found.only_in_one} more in one of the two only. Exact McNemar test, two-sided: "
        f"p = {found.p:.3g}. It takes cases as independent; those about one table are not quite.",
    ]
    for title, changes in (("Better", found.better), ("Worse", found.worse)):
        parts += [f"## {title}: {len(changes)}", _changes(changes)]
    return "\n\n".join(part for part in parts if part) + "\n"


def optional_ways(tallies: Sequence[Tally]) -> str:
    """Return the table of the ways to write arguments that may be left out."""
    head = [
        "way", "right", "right rows", "gained", "lost", "p", "in gold", "wanted", "given", "both", "same value",
        "of gold", "recall", "precision", "p50 s",
    ]  # fmt: skip
    rows = [
        [
            each.way, each.right, each.right_rows, each.gained, each.lost, f"{each.p:.3g}",
            each.gold, each.wanted, each.given, each.both, each.same,
            percent(each.both / each.gold) if each.gold else NOTHING,
            percent(each.both / each.wanted) if each.wanted else NOTHING,
            percent(each.both / each.given) if each.given else NOTHING,
            number(each.seconds),
        ]
        for each in tallies
    ]  # fmt: skip
    return f"{tallies[0].cases if tallies else 0} cases.\n\n{table(head, rows)}\n"


def calibrated(checked: Checked) -> str:
    """Return what a table of calibration is worth: its form, and what the other half of the cases shows."""
    told = checked.table.checked
    bins = [
        [f"{each.low:.1f}–{each.high:.1f}", each.count, percent(each.confidence), percent(each.right)]
        for each in checked.bins
    ]
    levels = [
        [
            f"{percent(each.confidence)} or more",
            each.count,
            each.right,
            f"{percent(each.low)} to {percent(each.high)}" if each.count else NOTHING,
        ]
        for each in checked.levels
    ]
    parts = [
        f"# Calibration\n\nFitted on {checked.table.cases} answers, of which {checked.learnt} are right "
        f"({checked.method}, over the {checked.table.measure} of the probabilities of the decisions), checked on "
        f"{told['cases']} others, of which {told['right']} are right.",
        _promise(checked),
        table(["confidence", "answers", "on average", "right"], bins),
        f"Expected calibration error: {100 * checked.error:.1f} %; of the bare product of the probabilities: "
        f"{100 * checked.before:.1f} %.",
        table(["given with", "answers", "right", "interval"], levels),
    ]
    return "\n\n".join(parts) + "\n"


def _promise(checked: Checked) -> str:
    """Return what a user may expect of answers of the highest confidence, and how little that rests on."""
    top = checked.levels[0]
    if top.count:
        said = f"Of {top.count} answers given with {percent(top.confidence)} or more {top.right} are right."
    else:
        said = f"No answer is given with {percent(top.confidence)} or more; the most is {100 * checked.most:.1f} %."
    if checked.learnt < FEW_RIGHT:
        said += (
            f" Of {checked.learnt} right answers little can be learnt: take it for about how often any answer is right."
        )
    return said


def verdict(found: Verdict) -> str:
    """Return what the ratchet says."""
    parts = [f"{found.right} of {found.cases} right, {found.right_before} in the baseline."]
    for title, changes in (("Better", found.better), ("Worse", found.worse)):
        parts += [f"{title}: {len(changes)}", *(f"  {case}: {before} -> {after}" for case, before, after in changes)]
    parts.append(f"New: {len(found.new)}")
    return "\n".join(parts) + "\n"


def table(head: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table; the columns after the first are set to the right."""
    lines = [head, ["---", *("---:" for _ in head[1:])], *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def percent(share: float) -> str:
    """Return a share as a percentage without decimals."""
    return f"{100 * share:.0f} %"


def interval(share: Share) -> str:
    """Return the interval of a share in percent."""
    return f"{100 * share.low:.0f}–{100 * share.high:.0f} %"


def number(value: float | None) -> str:
    """Return a measure with the figures that mean something."""
    if value is None:
        return NOTHING
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _right(share: Share | None) -> str:
    if share is None:
        return NOTHING
    return f"{share.hits} of {share.count}: {percent(share.share)} ({interval(share)})"


def _failures(summaries: Sequence[Summary]) -> str:
    kinds = sorted(
        {kind for each in summaries for kind in each.failures},
        key=lambda kind: (-sum(each.failures.get(kind, 0) for each in summaries), kind),
    )
    rows = [[kind, *(each.failures.get(kind, 0) for each in summaries)] for kind in kinds]
    return table(["failure", *(each.name for each in summaries)], rows)


def _spreads(summaries: Sequence[Summary], part: str, keys: Sequence[str]) -> str:
    rows = []
    for key in keys:
        spreads: list[Spread] = [getattr(each, part)[key] for each in summaries]
        rows.append([key, *(f"{number(spread.p50)} / {number(spread.p95)}" for spread in spreads)])
    return table(["p50 / p95", *(each.name for each in summaries)], rows)


def _calibration(summaries: Sequence[Summary]) -> list[str]:
    parts: list[str] = []
    for each in summaries:
        if each.calibration:
            rows = [
                [f"{held.low:.1f}–{held.high:.1f}", held.count, percent(held.confidence), percent(held.right)]
                for held in each.calibration
            ]
            parts += [
                f"## Calibration of {each.name}",
                table(["confidence", "answers", "on average", "right"], rows),
                f"Expected calibration error: {percent(each.calibration_error or 0.0)}. The confidence of an answer is "
                "the product of the probabilities of its choices among what the grammar allowed.",
            ]
    return parts


def _outcomes() -> str:
    return "\n".join(f"- **{outcome.replace('_', ' ')}**: {meaning}" for outcome, meaning in MEANINGS.items())


def _repeat(run: Run) -> str:
    facts = "\n".join(f"- {name}: {fact}" for name, fact in repeat_facts(run).items())
    values = json.dumps(run.predictions["settings"]["values"], separators=(",", ":"))
    return f"### {run.name}\n\n{facts}\n\n```json\n{values}\n```"


def _unfinished(run: Run) -> str:
    return f"**{run.name} is not finished:** {len(run.lines)} of {run.asked} cases were asked."


def _changes(changes: Sequence[Change]) -> str:
    return "\n".join(f"- {each.case}: {each.before} → {each.after}: {each.request}" for each in changes)


def _choice(choice: Mapping[str, Any]) -> str:
    said = [f"{key} {value}" for key, value in choice.items() if value is not None]
    return " ".join(said) or "all"


def _command(made: Mapping[str, Any]) -> str:
    options = [f"--{key} {value}" for key, value in made["cases"]["choice"].items() if value is not None]
    options += ["--adapter ADAPTER.gguf"] if made["adapter"] else []
    options += ["--stepwise"] if is_stepwise(made) else []
    return " ".join(["python -m accuracy run --model MODEL.gguf --out FILE.jsonl", *options])


def _of_file(about: Mapping[str, Any]) -> str:
    return f"{about['file']}, {about['bytes']:,} bytes, sha256 {about['sha256']}"


def _revision(revision: Mapping[str, Any] | None) -> str:
    if revision is None:
        return "no revision"
    return f"revision {revision['commit']}{' with changes' if revision['dirty'] else ''}"


def _cell(value: object) -> str:
    return " ".join(str(value).replace("|", "\\|").split())
