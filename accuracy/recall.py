"""Many tools: how often the tool that a request needs is among those that match it best. Asks no model.

The shipped tools stand beside those of `accuracy/many_tools/contracts.json`, and the requests of `requests.jsonl` name
the tool that they need, in three languages. The tools are ranked as `tez ask` ranks them, over an opened table. The
ranking was made with the requests of the half `tuning`; those of the other half check it.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from engine.domain import common_lexicon
from engine.own_tools import completed
from engine.plan import shipped_contracts
from engine.session import open_workspace, prepare
from engine.settings import Settings, home
from grammar import Contract, check_contracts
from prompt.tool_choice import ToolIndex, meanings

from .report import table

FOLDER: Final = Path(__file__).parent / "many_tools"
TABLE: Final = Path("shop_sales") / "sales.csv"
WAYS: Final = ("words in three languages", "English descriptions alone")
HALVES: Final = ("tuning", "checking")
ALL: Final = "all"


@dataclass(frozen=True)
class Asked:
    """A request, its language, the tool that it needs, and the half that it belongs to."""

    tool: str
    lang: str
    request: str
    half: str


@dataclass(frozen=True)
class Ranked:
    """The place, from 1, of the tool that a request needs, for one way to describe tools; whether it is shipped."""

    asked: Asked
    way: str
    shipped: bool
    place: int


@dataclass(frozen=True)
class Recall:
    """The places of all requests' tools among so many."""

    tools: int
    ranked: Sequence[Ranked]

    def share(self, way: str, offered: int, *, lang: str = ALL, half: str = ALL, shipped: bool | None = None) -> float:
        """Return the share of some of the requests whose tool is among so many."""
        places = [each.place for each in self._of(way, lang, half, shipped)]
        return sum(place <= offered for place in places) / len(places)

    def as_json(self) -> dict[str, Any]:
        """Return every place as plain data."""
        rows = [
            {**vars(each.asked), "way": each.way, "shipped": each.shipped, "place": each.place} for each in self.ranked
        ]
        return {"tools": self.tools, "requests": rows}

    def summary(self, offered: Sequence[int], *, missed: bool) -> str:
        """Return the tables as Markdown: percent of requests."""
        parts = [f"{len(self._of(WAYS[0]))} requests, {self.tools} tools: percent of requests whose tool is offered."]
        for way in WAYS:
            rows = []
            for half in (*HALVES, ALL):
                for lang in (*dict.fromkeys(each.asked.lang for each in self.ranked), ALL):
                    rows.append(self._row(way, half, lang, None, offered))
                rows += [self._row(way, half, ALL, shipped, offered) for shipped in (True, False)]
            head = ["half", "language", "tools", "requests", *(f"of {each}" for each in offered)]
            parts += [f"{way}:", table(head, rows)]
        if missed:
            most = max(offered)
            lost = [each for each in self.ranked if each.place > most and each.way == WAYS[0]]
            rows = [[each.asked.half, each.asked.lang, each.asked.tool, each.asked.request] for each in lost]
            parts.append(table(["half", "language", "tool", f"request, not among {most}"], rows))
        return "\n\n".join(parts)

    def _row(self, way: str, half: str, lang: str, shipped: bool | None, offered: Sequence[int]) -> list[object]:
        shares = [self.share(way, each, lang=lang, half=half, shipped=shipped) for each in offered]
        tools = ALL if shipped is None else "shipped" if shipped else "own"
        number = len(self._of(way, lang, half, shipped))
        return [half, lang, tools, number, *(f"{100 * share:.0f}" for share in shares)]

    def _of(self, way: str, lang: str = ALL, half: str = ALL, shipped: bool | None = None) -> list[Ranked]:
        return [
            each
            for each in self.ranked
            if each.way == way
            and lang in (ALL, each.asked.lang)
            and half in (ALL, each.asked.half)
            and shipped in (None, each.shipped)
        ]


def contracts() -> list[Contract]:
    """Return the shipped contracts and those that stand beside them, checked."""
    own = json.loads((FOLDER / "contracts.json").read_text(encoding="utf-8"))
    made = [*shipped_contracts(), *(completed({**each, "returns": {"result": "text"}}) for each in own)]
    check_contracts(made)
    return made


def requests() -> list[Asked]:
    """Return the requests."""
    lines = (FOLDER / "requests.jsonl").read_text(encoding="utf-8").splitlines()
    return [Asked(**json.loads(line)) for line in lines]


def measure(settings: Settings) -> Recall:
    """Rank the tools for every request."""
    every = contracts()
    shipped = {contract["name"] for contract in shipped_contracts()}
    bare: list[Contract] = [{key: part for key, part in each.items() if key != "words"} for each in every]
    workspace = open_workspace([home("domains") / TABLE], settings)
    lexicon = common_lexicon() if settings.resolver.lexicon else None
    indexes = [ToolIndex(tools, lexicon) for tools in (every, bare)]
    ranked = []
    for asked in requests():
        meant = meanings(prepare(workspace, asked.request).links)
        for way, tools in zip(WAYS, indexes, strict=True):
            names = [tools.contracts[place]["name"] for place in tools.ranking(asked.request, meant)]
            ranked.append(Ranked(asked, way, asked.tool in shipped, names.index(asked.tool) + 1))
    return Recall(len(every), ranked)
