"""One line per finding: both values are cut around their first difference, which is always shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.cli import main
from pytest_citecheck.plugin import contrast

ROOT = Path(__file__).parents[2]
WORDS = st.lists(st.text("abcdefg ", min_size=1, max_size=9), max_size=40).map(" ".join)
MOST = 70


@given(WORDS, WORDS, WORDS)
def test_the_first_difference_is_shown(before: str, one: str, other: str) -> None:
    cited, right = f"{before}x{one}", f"{before}y{other}"
    shown = contrast(cited, right, MOST)
    assert shown[0] != shown[1]
    assert all(mark in text for mark, text in zip("xy", shown, strict=True))
    assert all(len(text) <= MOST + len("… ") + len(" …") for text in shown)


@given(WORDS, WORDS)
def test_short_values_are_whole(cited: str, right: str) -> None:
    if max(len(cited), len(right)) <= MOST:
        assert contrast(cited, right, MOST) == (cited.rstrip(), right.rstrip())


def test_a_word_at_the_end_of_a_long_title() -> None:
    same = "A very long title about the behaviour of herons and other birds in the rivers of the north of "
    cited, right = contrast(f"{same}Norway", f"{same}Sweden", MOST)
    assert (cited[-6:], right[-6:]) == ("Norway", "Sweden")
    assert cited.startswith("… ")


def test_six_errors_take_at_most_25_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = (ROOT / "fixtures" / "hallucinated.bib").read_text("utf-8").splitlines(keepends=True)[:97]
    Path("refs.bib").write_text("".join(lines), "utf-8")
    assert main(["refs.bib", f"--cassettes={ROOT / 'cassettes'}"]) == 1
    output = capfd.readouterr().out.splitlines()
    assert sum(line.startswith("  refs.bib:") for line in output) >= 6
    assert len(output) <= 25
