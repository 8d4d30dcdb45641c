"""Charts as Vega-Lite, pictures and text: what they show, in which letters, whatever the names."""

import json
import re
import struct
from typing import Any

import pytest
import vl_convert
from databases import SETTINGS, Contents, make_table, opened
from strategies import CONTRACTS

from engine.chart import vega_lite
from engine.picture import picture
from engine.plan import run_plan
from engine.text_chart import text_chart
from prompt.words import Language

CON = opened()
ODD = "a.b[0]\"'\\"
LETTERS = "ҚқҒғҲҳЎўЁёЙйЪъЫыЭэЖжШшЩщOoGgʻʼ‘’№—…"


def drawn(contents: Contents, **args: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    make_table(CON, contents)
    return described(**args)


def described(**args: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the artifact of a chart of the table `base`, and the notes after the row counts."""
    result = run_plan(CON, "base", [{"tool": "chart", "args": args}], SETTINGS, contracts=CONTRACTS)
    return result["artifacts"][0], result["evidence"][1:]


def spec_of(artifact: dict[str, Any], language: Language = "uz") -> dict[str, Any]:
    return vega_lite(artifact, language, SETTINGS.chart)


SALES = Contents(
    [("Viloyat", "VARCHAR"), ("Summa", "DOUBLE"), ("Sana", "DATE"), ("Turi", "VARCHAR")],
    [["Қарши", 30, "2024-02-01", "a"], ["Buxoro", 10.5, "2024-01-01", "b"], ["Ёқилғи", -20, "2024-03-01", "a"]],
)
KINDS = [
    ({"kind": "bar", "x": "Viloyat", "y": "Summa"}, "bar", "nominal"),
    ({"kind": "bar", "x": "Sana", "y": "Summa", "color": "Turi"}, "bar", "temporal"),
    ({"kind": "line", "x": "Sana", "y": "Summa", "color": "Turi"}, "line", "temporal"),
    ({"kind": "scatter", "x": "Summa", "y": "Summa", "color": "Sana"}, "point", "quantitative"),
    ({"kind": "histogram", "x": "Summa"}, "bar", "quantitative"),
]


@pytest.mark.parametrize(("args", "mark", "measure"), KINDS)
def test_the_axis_follows_the_kind_of_the_column(args: dict[str, Any], mark: str, measure: str) -> None:
    spec = spec_of(drawn(SALES, **args)[0])
    assert (spec["mark"]["type"], spec["encoding"]["x"]["type"]) == (mark, measure)
    assert spec["encoding"]["x"]["title"] == args["x"]
    for form in ("png", "svg", "html", "json"):
        assert picture(spec, form, 1)


def test_a_chart_shows_the_rows_of_its_table_in_their_order() -> None:
    spec = spec_of(drawn(SALES, kind="bar", x="Viloyat", y="Summa")[0])
    rows = spec["data"]["values"]
    assert [(row["x"], row["y"]) for row in rows] == [("Қарши", 30), ("Buxoro", 10.5), ("Ёқилғи", -20)]
    assert spec["encoding"]["x"]["sort"] == ["Қарши", "Buxoro", "Ёқилғи"]


REST = {"uz": "Boshqalar", "ru": "Остальные", "en": "Others"}


@pytest.mark.parametrize("language", REST)
def test_too_many_categories_become_the_largest_and_one_rest(language: Language) -> None:
    rows = [[f"c{number}", number if number else -9000] for number in range(5000)]
    artifact, notes = drawn(Contents([("c", "VARCHAR"), ("n", "BIGINT")], rows), kind="bar", x="c", y="n")
    most = SETTINGS.chart.categories
    assert notes == [
        {"step": 1, "tool": "chart", "note": "largest_drawn", "column": "c", "shown": most, "values": 5000}
    ]
    assert artifact["rest"] == {"c": 5000 - most}
    labels = [row["x"] for row in spec_of(artifact, language)["data"]["values"]]
    largest = ["c0", *(f"c{number}" for number in range(5000 - most + 1, 5000))]
    assert labels == [*largest, REST[language]]
    shown = sum(point[1] for point in artifact["points"])
    assert shown == sum(row[1] for row in rows), "the rest holds what the others do not"


def test_slices_and_colours_have_a_rest_too() -> None:
    rows = [[f"c{number}", 1 + number, f"d{number % 14}"] for number in range(40)]
    contents = Contents([("c", "VARCHAR"), ("n", "BIGINT"), ("d", "VARCHAR")], rows)
    pie, _ = drawn(contents, kind="pie", x="c", y="n")
    assert len(pie["points"]) == SETTINGS.chart.slices + 1
    bars, notes = drawn(contents, kind="bar", x="n", y="n", color="d")
    assert None in {point[2] for point in bars["points"]}
    assert len({point[2] for point in bars["points"]}) == SETTINGS.chart.colors + 1
    assert notes[0]["column"] == "d"


def test_more_points_than_can_be_drawn_are_chosen_evenly_and_said() -> None:
    CON.execute("CREATE OR REPLACE TABLE base AS SELECT range AS n, range * 2 AS m FROM range(12001)")
    artifact, notes = described(kind="scatter", x="n", y="m")
    assert notes == [{"step": 1, "tool": "chart", "note": "points_chosen", "rows": 12001, "shown": 4001}]
    assert artifact["points"] == [[3 * number, 6 * number] for number in range(4001)]


def test_a_histogram_counts_every_row_however_many() -> None:
    CON.execute("CREATE OR REPLACE TABLE base AS SELECT range % 1000 AS n FROM range(300000)")
    artifact, notes = described(kind="histogram", x="n")
    assert notes == []
    assert sum(rows for _, _, rows in artifact["points"]) == 300_000
    assert 1 < len(artifact["points"]) <= SETTINGS.chart.bins
    edges = [start for start, _, _ in artifact["points"]] + [artifact["points"][-1][1]]
    assert edges == sorted(set(edges))
    assert edges[0] <= 0 < 999 < edges[-1]


@pytest.mark.parametrize("kind", ["bar", "line", "pie"])
@pytest.mark.parametrize("name", [ODD, "__proto__", "a\nb", "datum.x]", "<b>&amp;</b>", "\u202eabc", "x:Q"])
def test_names_that_vega_reads_as_paths_are_drawn(name: str, kind: str) -> None:
    values = [["x.y[0]", 1.5], ['q"\\', 2], ["'); DROP TABLE base; --", 3]]
    artifact, _ = drawn(Contents([(name, "VARCHAR"), (name + "2", "DOUBLE")], values), kind=kind, x=name, y=name + "2")
    spec = spec_of(artifact)
    assert {frozenset(row) for row in spec["data"]["values"]} == {frozenset({"n", "x", "y"})}
    scene = json.dumps(vl_convert.vegalite_to_scenegraph(json.dumps(spec)))
    mark = {"bar": "rect", "line": "symbol", "pie": "arc"}[kind]
    assert f'"marktype": "{mark}"' in scene
    assert picture(spec, "png", 1).startswith(b"\x89PNG")
    assert picture(spec, "svg", 1).startswith(b"<svg")


def test_labels_are_cut_and_stay_apart() -> None:
    long = ["Категория с очень длинным названием номер " + str(number) for number in range(3)]
    spec = spec_of(
        drawn(Contents([("c", "VARCHAR"), ("n", "BIGINT")], [[each, 1] for each in long]), kind="bar", x="c", y="n")[0]
    )
    labels = spec["encoding"]["x"]["sort"]
    assert len(set(labels)) == 3
    assert all("…" in label and len(label) <= SETTINGS.chart.label_length + 4 for label in labels)


def test_every_letter_of_the_three_alphabets_is_drawn() -> None:
    """Each letter looks unlike a letter that the bundled font does not have, and unlike all others."""

    def look(letter: str) -> bytes:
        svg = (
            '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="60"><rect width="60" height="60" fill="white"/>'
            f'<text x="10" y="40" font-size="30" font-family="Liberation Sans">{letter}</text></svg>'
        )
        return bytes(vl_convert.svg_to_png(svg))

    missing, blank = look("\ue000"), look(" ")
    looks = {letter: look(letter) for letter in LETTERS}
    assert missing not in looks.values()
    assert blank not in looks.values()
    assert len(set(looks.values())) == len(LETTERS)


def test_numbers_are_written_as_the_language_does() -> None:
    contents = Contents([("c", "VARCHAR"), ("n", "DOUBLE")], [["a", 1.5], ["b", 2.25]])
    artifact, _ = drawn(contents, kind="bar", x="c", y="n")
    assert ">0,2<" in picture(spec_of(artifact, "uz"), "svg", 1).decode()
    assert ">0.2<" in picture(spec_of(artifact, "en"), "svg", 1).decode()


def test_months_are_written_as_the_language_does_and_days_do_not_move() -> None:
    contents = Contents([("d", "DATE"), ("n", "BIGINT")], [[f"2024-{month:02}-01", month] for month in range(1, 7)])
    artifact, _ = drawn(contents, kind="line", x="d", y="n")
    assert "Fev 04" in picture(spec_of(artifact, "uz"), "svg", 1).decode()
    assert "февр. 04" in picture(spec_of(artifact, "ru"), "svg", 1).decode()
    assert spec_of(artifact)["encoding"]["x"]["scale"]["type"] == "utc"


def test_a_page_needs_no_network() -> None:
    page = picture(spec_of(drawn(SALES, kind="bar", x="Viloyat", y="Summa")[0]), "html", 1).decode()
    assert not re.search(r"<(?:script|link)[^>]+(?:src|href)=", page)


def test_a_picture_has_the_size_of_the_settings() -> None:
    png = picture(spec_of(drawn(SALES, kind="bar", x="Viloyat", y="Summa")[0]), "png", SETTINGS.chart.scale)
    width, height = struct.unpack(">II", png[16:24])
    assert width >= SETTINGS.chart.width * SETTINGS.chart.scale
    assert height >= SETTINGS.chart.height * SETTINGS.chart.scale


TEXTS: list[tuple[Contents, dict[str, Any], Language, list[str]]] = [
    (
        Contents([("c", "VARCHAR"), ("n", "DOUBLE")], [["Қарши", 10], ["b", -5], ["\x1b[2J", 2.5]]),
        {"kind": "bar", "x": "c", "y": "n"},
        "uz",
        ["c / n", "Қарши            │██████████████████ 10", "b       █████████│ -5", "\\x1b[2J          │████▌ 2,5"],
    ),
    (
        Contents([("c", "VARCHAR"), ("n", "BIGINT")], [["a", 3], ["b", 1]]),
        {"kind": "pie", "x": "c", "y": "n"},
        "ru",
        ["c / n", "a 75 % │██████████████████████████████ 3", "b 25 % │██████████ 1"],
    ),
    (
        Contents([("d", "DATE"), ("n", "BIGINT")], [["2024-01-02", 8], ["2024-01-01", 0]]),
        {"kind": "line", "x": "d", "y": "n"},
        "en",
        ["d / n", "▁█  2024-01-01: 0  2024-01-02: 8", "0 .. 8"],
    ),
]


@pytest.mark.parametrize(("contents", "args", "language", "lines"), TEXTS)
def test_charts_as_text(contents: Contents, args: dict[str, Any], language: Language, lines: list[str]) -> None:
    artifact, _ = drawn(contents, **args)
    assert text_chart(artifact, language, SETTINGS.chart, width=40) == lines


@pytest.mark.parametrize(("args", "mark", "measure"), KINDS)
@pytest.mark.parametrize("width", [40, 76])
def test_charts_as_text_stay_narrow_and_in_ascii(args: dict[str, Any], mark: str, measure: str, width: int) -> None:
    artifact, _ = drawn(
        Contents([(name, kind) for name, kind in SALES.columns], [[f"x{row[1]}", *row[1:]] for row in SALES.rows]),
        **args,
    )
    lines = text_chart(artifact, "en", SETTINGS.chart, width=width, plain=True)
    assert all(len(line) <= width + 20 and line.isascii() for line in lines)
    assert len(lines) > 2
