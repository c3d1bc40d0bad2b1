"""No separator or marker, repeated in a file of any format, makes its reader take more than linear work."""

from __future__ import annotations

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
    Case("HTML", 0, "<a "),
    Case("HTML", 0, '<a href="'),
    Case("HTML", 1, "<!--"),
    Case("BBL", 0, "\\bib{a}{article}{\n"),
    Case("LATEX", 3, "\\bib{a}{article}{\n"),
    Case("CFF", 1, "-\n"),
    Case("SOFTWARE_JSON", 1, "**a**"),
    Case("LATEX", 2, "/*"),
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


@pytest.mark.exhaustive
@pytest.mark.parametrize("case", REPORTED, ids=str)
def test_reported_files_take_linear_work(case: Case) -> None:
    assert not is_superlinear(case, 500, charged)
    assert not is_superlinear(case, 300, steps)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", [name for name in FRAMES if name != "PDF"])  # a process for each file
def test_own_markers_take_linear_work(name: str) -> None:
    units = MARKERS[FAMILIES.get(name, "lists")][:2]
    grown = [Case(name, frame, unit) for frame in range(len(FRAMES[name])) for unit in units]
    assert [str(case) for case in grown if is_superlinear(case, 200, steps)] == []


@pytest.mark.exhaustive
@pytest.mark.timeout(60)  # for milliseconds of work: no count shows how often a pattern goes back in a text
@pytest.mark.parametrize("unit", MARKERS["words"])
def test_no_joined_words_hang_a_reader(unit: str) -> None:
    for name in ("PLAIN_TEXT", "MARKDOWN", "HTML", "RESTRUCTURED_TEXT", "DOCX", "NOTEBOOK", "ANSWERS", "DOCSTRINGS"):
        for frame in range(len(FRAMES[name])):
            Case(name, frame, unit).read(800)()


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", COUNTS)
@pytest.mark.parametrize("name", FRAMES)
def test_no_marker_makes_a_reader_superlinear(name: str, kind: str) -> None:
    """Every sixth case, each marker in some place of each format; ``python -m benchmarks.reader_growth`` counts all cases."""
    size = 800 if kind == "charged steps" else 300
    sampled = [*cases()][[*COUNTS].index(kind) :: 6]
    assert [str(case) for case in sampled if case.name == name and is_superlinear(case, size, COUNTS[kind])] == []


def quadratic(number: int) -> Count:
    """A count that grows with a power of the number of runs."""
    runs = iter(2**one for one in range(0, 100 * number, number))
    return lambda _action: next(runs)


@pytest.mark.parametrize(("power", "found"), [(1, False), (2, True)])
def test_the_generator_tells_linear_from_quadratic_work(power: int, found: bool) -> None:
    assert is_superlinear(Case("PLAIN_TEXT", 0, "a\n"), 10, quadratic(power)) is found
    assert growth(Case("PLAIN_TEXT", 0, "a\n"), 10, quadratic(power)) == 2**power
