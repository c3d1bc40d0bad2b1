"""One line per finding: both values are cut around their first difference, which is always shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.cli import main
from pytest_citecheck.plugin import contrast
from pytest_citecheck.reports import shortened

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


@pytest.mark.exhaustive
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


FAMILIES = ("Sutton-Smith", "van den Berg", "O'Neil", "Azar", "García Márquez", "Lee-Thorp", "Hu")
NAMES = st.lists(st.tuples(st.sampled_from(("Ada", "Jean-Luc", "J. K.", "Bo")), st.sampled_from(FAMILIES)), max_size=30)


@given(NAMES, NAMES, NAMES)
def test_no_name_of_a_list_is_cut(
    before: list[tuple[str, str]], one: list[tuple[str, str]], other: list[tuple[str, str]]
) -> None:
    lists = [[" ".join(name) for name in before + after] for after in (one, other)]
    for names, shown in zip(lists, contrast(", ".join(lists[0]), ", ".join(lists[1]), MOST), strict=True):
        inner = shown.removeprefix("… ").removesuffix(" …").rstrip(",")
        assert all(name in names for name in inner.split(", ") if name)


@given(st.lists(st.sampled_from(FAMILIES), min_size=1, max_size=40), st.integers(20, 160))
def test_a_message_is_not_cut_inside_a_name_between_commas(names: list[str], most: int) -> None:
    shown = shortened(", ".join(names), most)
    assert len(shown) <= most
    assert all(name in names for name in shown.removesuffix(" …").rstrip(",").split(", ")) or most < 2 * max(
        map(len, names)
    )
