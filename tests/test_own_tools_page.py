"""The page of own tools: its files, its transcripts and its test are what really happens."""

import re
from pathlib import Path

import pytest
from transcripts import page, ran

PAGE = page("own-tools.md")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    PAGE.put(tmp_path)
    return tmp_path


def test_the_page_has_files_and_transcripts() -> None:
    assert list(PAGE.files) == ["shop_tools.py", "sales.csv", "plan.json", "weather.json"]
    assert len(PAGE.transcripts) == 2


@pytest.mark.parametrize("place", [0, 1], ids=["plans", "errors"])
def test_a_transcript_is_what_is_printed(place: int, folder: Path) -> None:
    PAGE.hold(place, lambda words: ran(words, folder)[1])


def test_the_test_of_the_page_passes(folder: Path) -> None:
    [script] = re.findall(r"^## Testing them\n\n```python\n(.*?)^```$", PAGE.text, re.MULTILINE | re.DOTALL)
    (folder / "check.py").write_text(script, encoding="utf-8")
    assert ran(["python", "check.py"], folder) == (0, "")


def test_the_figures_are_those_that_recall_prints() -> None:
    from accuracy import recall
    from engine.settings import load_settings

    found = recall.measure(load_settings())
    for way, title in zip(recall.WAYS, ("with `words` in three languages", "English descriptions alone"), strict=True):
        shares = [found.share(way, 8, half=half) for half in recall.HALVES]
        shares += [found.share(way, 8, lang=lang) for lang in ("uz", "ru", "en")]
        row = " | ".join(f"{100 * share:.0f}" for share in shares)
        assert f"| {title} | {row} |" in PAGE.text
    assert f"Of {found.tools} tools, percent of {len(found.ranked) // 2} requests" in PAGE.text
