"""How much a run prints: one line a finding where there are many, and the evidence on demand."""

from __future__ import annotations

import pytest

ENTRY = """@article{{key{number},
  author = {{Ada Lovelace}}, title = {{Notes on the analysis of difference engines, part {number}}},
  journal = {{Looms}}, year = {{1843}}, doi = {{{doi}}},
}}
"""


def bibliography(right: int, wrong: int) -> str:
    """Entries of which some have something else than a DOI in the field for it; nothing is looked up."""
    step = (right + wrong) // wrong
    entries = (right + wrong) * [""]
    for number in range(right + wrong):
        bad = number % step == 0 and number // step < wrong
        entries[number] = ENTRY.format(number=number, doi="forthcoming" if bad else f"10.1000/{number}")
    return "".join(entries)


@pytest.mark.parametrize(("wrong", "brief"), [(20, False), (21, True)])
def test_many_failures_are_told_in_a_line_each(pytester: pytest.Pytester, wrong: int, brief: bool) -> None:
    pytester.makefile(".bib", refs=bibliography(0, wrong))
    arguments = ["--citecheck=refs.bib", "--citecheck-offline", "-k", "doi", "--junitxml=junit.xml"]
    output = pytester.runpytest(*arguments).stdout.str()
    assert ("  verdict:" in output) is not brief
    assert output.count("doi-malformed: ") >= wrong
    assert ("-v or --citecheck-html=FILE" in output) is brief
    assert (pytester.path / "junit.xml").read_text(encoding="utf-8").count("  verdict:") == wrong


def test_more_on_demand(pytester: pytest.Pytester) -> None:
    pytester.makefile(".bib", refs=bibliography(0, 21))
    output = pytester.runpytest("--citecheck=refs.bib", "--citecheck-offline", "-k", "doi", "-v").stdout.str()
    assert output.count("  verdict:") == 21


@pytest.mark.exhaustive
def test_a_thousand_references_with_a_hundred_findings(pytester: pytest.Pytester) -> None:
    pytester.makefile(".bib", refs=bibliography(900, 100))
    lines = pytester.runpytest("--citecheck=refs.bib", "--citecheck-offline").stdout.lines
    assert len([line for line in lines if line.startswith("  misdescribed ")]) == 100
    assert len(lines) <= 600
