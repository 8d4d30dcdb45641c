"""The errors that Tez raises on purpose.

    TezError
    ├── ContractError        a contract file or a contract is wrong
    └── ToolError            a plan cannot be run as it is written

An error is a `reason` (a key of the word files, where its sentence stands in three languages) and the facts
that the sentence names. `str()` gives that sentence where somebody has put it into `said`, else a compact English form
that does not need the word files.
"""

from typing import Any


class TezError(Exception):
    """Base of every error that Tez raises on purpose."""

    def __init__(self, reason: str, **facts: Any) -> None:
        super().__init__(reason, facts)
        self.reason = reason
        self.facts = facts
        self.said: str | None = None

    def __str__(self) -> str:
        if self.said is not None:
            return self.said
        said = ", ".join(f"{name}: {value}" for name, value in self.facts.items() if value is not None)
        headline = self.reason.replace("_", " ")
        return f"{headline} ({said})" if said else headline


class ContractError(TezError):
    """A contract, or the file of contracts, breaks the rules that contracts follow."""


class ToolError(TezError):
    """A plan cannot run as written: names the step, the argument, what was found and what is allowed.

    `step` counts from 1 and is None where the fault is not one step's; `allowed` is a list of texts.
    """

    def __init__(
        self,
        reason: str,
        *,
        step: int | None = None,
        tool: str | None = None,
        argument: str | None = None,
        found: Any = None,
        allowed: list[str] | None = None,
        **facts: Any,
    ) -> None:
        super().__init__(reason, step=step, tool=tool, argument=argument, found=found, allowed=allowed, **facts)
        self.step = step
        self.tool = tool
        self.argument = argument
        self.found = found
        self.allowed = allowed or []
