"""What was found over public sets, as text and as JSON."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from .asking import OUTCOMES, RIGHT, Outcome
from .express import SAID, Expressed, reasons
from .questions import Question


def left_out(questions: Sequence[Question]) -> dict[str, int]:
    """Return how many questions of a set are not scored, for each reason."""
    return dict(Counter(each.left_out for each in questions if each.left_out is not None).most_common())


def express_as_json(questions: Sequence[Question], found: Sequence[Expressed]) -> dict[str, Any]:
    """Return what can be said of a set, with every question that cannot."""
    said = sum(each.outcome == SAID for each in found)
    return {
        "questions": len(questions),
        "left_out": left_out(questions),
        "tried": len(found),
        "said": said,
        "share": said / len(found) if found else None,
        "offered": sum(each.offered for each in found),
        "steps": dict(sorted(Counter(each.steps for each in found if each.outcome == SAID).items())),
        "reasons": dict(reasons(found)),
        "unsaid": [
            {"id": each.question.id, "reason": each.outcome, "detail": each.detail}
            for each in found
            if each.outcome != SAID
        ],
    }


def express_summary(name: str, found: Mapping[str, Any]) -> str:
    """Return what can be said of a set as Markdown; `found` is what `express_as_json` gives."""
    skipped = ", ".join(f"{count} {reason}" for reason, count in found["left_out"].items()) or "none"
    lines = [f"## {name}", "", f"{found['questions']} questions; not scored: {skipped}."]
    if not found["tried"]:
        return "\n".join([*lines, "The set has no gold that says how an answer comes about."])
    steps = ", ".join(f"{count} with {number}" for number, count in found["steps"].items())
    lines += [
        f"Plans say {found['said']} of {found['tried']} ({found['share']:.1%}); steps: {steps}.",
        f"The grammar made for the question has the plan: {found['offered']} of {found['tried']}.",
    ]
    if found["reasons"]:
        lines += ["", "| what plans cannot say | questions |", "|---|---|"]
        lines += [f"| {reason} | {count} |" for reason, count in found["reasons"].items()]
        lines += ["", *(f"- {each['id']}: {each['reason']} {each['detail']}".rstrip() for each in found["unsaid"])]
    return "\n".join(lines)


def asked_as_json(found: Sequence[Outcome]) -> dict[str, Any]:
    """Return how often a model was right, in all and by the set's kinds of questions."""
    kinds: dict[str, list[Outcome]] = defaultdict(list)
    for each in found:
        for kind in each.question.kinds or ("none",):
            kinds[kind].append(each)
    return {
        **_counts(found),
        "median_seconds": round(median(each.seconds for each in found), 3) if found else None,
        "kinds": {kind: _counts(each) for kind, each in sorted(kinds.items(), key=lambda pair: -len(pair[1]))},
        "each": [
            {"id": each.question.id, "outcome": each.outcome, "answer": each.answer, "detail": each.detail}
            for each in found
        ],
    }


def asked_summary(name: str, found: Mapping[str, Any]) -> str:
    """Return how often a model was right as Markdown; `found` is what `asked_as_json` gives."""
    head = ["kind", "questions", *(outcome.replace("_", " ") for outcome in OUTCOMES)]
    rows = [["all", found], *found["kinds"].items()]
    lines = [f"## {name}", "", f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    for kind, counts in rows:
        cells = [kind, counts["questions"], *(counts[outcome] for outcome in OUTCOMES)]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    share = found[RIGHT] / found["questions"] if found["questions"] else 0
    return "\n".join([*lines, "", f"Right: {share:.1%}; median {found['median_seconds']} s a question."])


def _counts(found: Sequence[Outcome]) -> dict[str, int]:
    counted = Counter(each.outcome for each in found)
    return {"questions": len(found), **{outcome: counted[outcome] for outcome in OUTCOMES}}
