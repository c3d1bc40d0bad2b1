"""No separator or marker, repeated in a file of any format, makes its reader take more than linear work."""

from __future__ import annotations

import time

import pytest

from tests.support.grown_files import FRAMES, MARKERS, Case, Count, cases, charged, growth, is_superlinear, reader_of
from tests.support.steps import steps

COUNTS = {"lines": steps, "charged steps": charged}
REPORTED = [
    Case("MARKDOWN", 0, "[1] 0.25 0.5\n"),  # output of R
    Case("PLAIN_TEXT", 0, "alpha 1.5 2.5\n"),  # a table
    Case("PLAIN_TEXT", 1, "a\tb\n"),
    Case("BIBTEX", 3, "a‹i› # "),  # macros that nothing defines
    Case("BIBTEX", 5, "x = 1\n"),
    Case("BIBTEX", 5, ")"),
    Case("LATEX", 1, "\\begin{filecontents}{a‹i›.bib}\n"),
    Case("SOFTWARE_JSON", 1, "2017. "),
    Case("PLAIN_TEXT", 1, "A. B. "),
    Case("RESTRUCTURED_TEXT", 1, "a.\n"),
]
"""Files on which a reader once took quadratic work."""
FAMILIES = {
    "BIBTEX": "BibTeX", "LATEX": "LaTeX", "BBL": "LaTeX", "AUX": "LaTeX", "BCF": "XML", "ENDNOTE": "XML", "HTML": "HTML",
    "RIS": "RIS", "NBIB": "NBIB", "WIKITEXT": "wikitext", "RESTRUCTURED_TEXT": "reStructuredText", "DOCSTRINGS": "Python",
    "TYPST": "Typst",
    "CSL_JSON": "JSON", "ANSWERS": "JSON", "NOTEBOOK": "JSON", "HALLMARK": "JSON", "SOFTWARE_JSON": "JSON", "CFF": "YAML",
    "MARKDOWN": "Markdown",
}  # fmt: skip
"""The markers of a format; those of lists for the others."""


def test_every_reader_and_every_unit_is_in_the_table() -> None:
    assert all(reader_of(name) for name in FRAMES)
    assert {*FAMILIES.values()} < {*MARKERS}
    assert len({str(case) for case in cases()}) == len(list(cases()))


@pytest.mark.parametrize("case", REPORTED, ids=str)
def test_reported_files_take_linear_work(case: Case) -> None:
    assert not is_superlinear(case, 500, charged)


@pytest.mark.parametrize("name", [name for name in FRAMES if name != "PDF"])  # a process for each file
def test_own_markers_take_linear_work(name: str) -> None:
    units = MARKERS[FAMILIES.get(name, "lists")][:2]
    grown = [Case(name, frame, unit) for frame in range(len(FRAMES[name])) for unit in units]
    assert [str(case) for case in grown if is_superlinear(case, 200, steps)] == []


@pytest.mark.exhaustive
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kind", COUNTS)
@pytest.mark.parametrize("name", FRAMES)
def test_no_marker_makes_a_reader_superlinear(name: str, kind: str) -> None:
    size = 800 if kind == "charged steps" else 300
    assert [str(case) for case in cases() if case.name == name and is_superlinear(case, size, COUNTS[kind])] == []


@pytest.mark.exhaustive
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", FRAMES)
def test_no_marker_takes_long_inside_patterns(name: str) -> None:
    """The processor time on a text of 16,000 characters is short, or it grows like the text."""
    assert [str(case) for case in cases() if case.name == name and is_slow(case)] == []


def is_slow(case: Case) -> bool:
    """Return True if a file takes long for its length, and more than five times as long if it is three times as long."""
    case.read(1000)()
    short = seconds(case, 16_000)
    return short > 0.6 and seconds(case, 48_000) > 5 * min(short, seconds(case, 16_000))


def seconds(case: Case, characters: int) -> float:
    run = case.read(characters)
    begin = time.thread_time()
    run()
    return time.thread_time() - begin


def quadratic(number: int) -> Count:
    """A count that grows with a power of the number of runs."""
    runs = iter(2**one for one in range(0, 100 * number, number))
    return lambda _action: next(runs)


@pytest.mark.parametrize(("power", "found"), [(1, False), (2, True)])
def test_the_generator_tells_linear_from_quadratic_work(power: int, found: bool) -> None:
    assert is_superlinear(Case("PLAIN_TEXT", 0, "a\n"), 10, quadratic(power)) is found
    assert growth(Case("PLAIN_TEXT", 0, "a\n"), 10, quadratic(power)) == 2**power
