"""Ten typical plans over the table of `large`, each with one statement of SQL and the same steps in pandas."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

Frame = Any


@dataclass(frozen=True)
class TypicalPlan:
    """A plan in three ways: its steps, a statement over `base` written by hand, and a function of a data frame."""

    name: str
    steps: tuple[dict[str, Any], ...]
    sql: str
    pandas: Callable[[Frame], Frame]


def _step(tool: str, **args: Any) -> dict[str, Any]:
    return {"tool": tool, "args": args}


def _months(frame: Frame) -> Frame:
    months = frame.groupby(frame["sana"].dt.to_period("M"))["summa"].sum().to_frame()
    months["previous"] = months["summa"].shift()
    months["change"] = months["summa"] - months["previous"]
    months["change_percent"] = 100 * months["change"] / months["previous"]
    return months


PLANS: Final = (
    TypicalPlan(
        "count of one value",
        (_step("filter", column="valyuta", op="=", value="USD"), _step("group_and_total", agg="count")),
        "SELECT count(*) FROM base WHERE valyuta = 'USD'",
        lambda frame: len(frame[frame["valyuta"] == "USD"]),
    ),
    TypicalPlan(
        "sum by region",
        (_step("group_and_total", group_by=["hudud"], value_column="summa", agg="sum"),),
        "SELECT hudud, sum(summa) FROM base GROUP BY 1 ORDER BY 1",
        lambda frame: frame.groupby("hudud")["summa"].sum(),
    ),
    TypicalPlan(
        "average above a bound",
        (
            _step("filter", column="miqdor", op=">", value=500),
            _step("group_and_total", group_by=["mahsulot"], value_column="narx", agg="avg"),
        ),
        "SELECT mahsulot, avg(narx) FROM base WHERE miqdor > 500 GROUP BY 1 ORDER BY 1",
        lambda frame: frame[frame["miqdor"] > 500].groupby("mahsulot")["narx"].mean(),
    ),
    TypicalPlan(
        "ten largest rows",
        (_step("top_n", by="summa", n=10, descending=True),),
        "SELECT * FROM base ORDER BY summa DESC NULLS LAST LIMIT 10",
        lambda frame: frame.nlargest(10, "summa"),
    ),
    TypicalPlan(
        "five districts with the largest sum",
        (_step("top_n", by="summa", n=5, descending=True, group={"columns": ["tuman"], "agg": "sum"}),),
        "SELECT tuman, sum(summa) AS s FROM base GROUP BY 1 ORDER BY s DESC LIMIT 5",
        lambda frame: frame.groupby("tuman")["summa"].sum().nlargest(5),
    ),
    TypicalPlan(
        "months compared",
        (_step("period_compare", date_column="sana", period="month", value_column="summa", agg="sum"),),
        "SELECT m, s, lag(s) OVER (ORDER BY m), s - lag(s) OVER (ORDER BY m), "
        "100 * (s - lag(s) OVER (ORDER BY m)) / lag(s) OVER (ORDER BY m) "
        "FROM (SELECT date_trunc('month', sana) AS m, sum(summa) AS s FROM base GROUP BY 1) ORDER BY m",
        _months,
    ),
    TypicalPlan(
        "two conditions, two groups",
        (
            _step("filter", column="sana", op=">=", value="2022-01-01"),
            _step("filter", column="valyuta", op="in", values=["USD", "RUB"]),
            _step("group_and_total", group_by=["hudud", "mahsulot"], agg="count"),
        ),
        "SELECT hudud, mahsulot, count(*) FROM base WHERE sana >= DATE '2022-01-01' AND valyuta IN ('USD', 'RUB') "
        "GROUP BY 1, 2 ORDER BY 1, 2",
        lambda frame: (
            frame[(frame["sana"] >= "2022-01-01") & frame["valyuta"].isin(["USD", "RUB"])]
            .groupby(["hudud", "mahsulot"])
            .size()
        ),
    ),
    TypicalPlan(
        "empty cells removed",
        (
            _step("remove_rows", column="holat", op="is_empty"),
            _step("group_and_total", group_by=["holat"], value_column="miqdor", agg="median"),
        ),
        "SELECT holat, median(miqdor) FROM base WHERE holat IS NOT NULL GROUP BY 1 ORDER BY 1",
        lambda frame: frame[frame["holat"].notna()].groupby("holat")["miqdor"].median(),
    ),
    TypicalPlan(
        "a calculated column, totalled, with shares",
        (
            _step("add_column", name="jami", left="narx", op="*", right="miqdor"),
            _step("group_and_total", group_by=["valyuta"], value_column="jami", agg="sum"),
            _step("add_share", value_column="jami"),
        ),
        "SELECT v, s, 100 * s / sum(s) OVER () FROM (SELECT valyuta AS v, sum(narx * miqdor) AS s FROM base "
        "GROUP BY 1) ORDER BY v",
        lambda frame: (
            frame.assign(jami=frame["narx"] * frame["miqdor"])
            .groupby("valyuta")["jami"]
            .sum()
            .pipe(lambda sums: sums.to_frame().assign(share=100 * sums / sums.sum()))
        ),
    ),
    TypicalPlan(
        "rows of one district in order",
        (
            _step("filter", column="tuman", op="=", value="Tuman 77"),
            _step("filter", column="miqdor", op=">=", value=750),
            _step("sort", by="summa", descending=True),
            _step("select_columns", columns=["sana", "mijoz", "miqdor", "summa"]),
        ),
        "SELECT sana, mijoz, miqdor, summa FROM base WHERE tuman = 'Tuman 77' AND miqdor >= 750 "
        "ORDER BY summa DESC NULLS LAST",
        lambda frame: frame[(frame["tuman"] == "Tuman 77") & (frame["miqdor"] >= 750)].sort_values(
            "summa", ascending=False, kind="stable"
        )[["sana", "mijoz", "miqdor", "summa"]],
    ),
)
