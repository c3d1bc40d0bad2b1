"""Order of the summary: invented, unfindable, other errors, warnings, undecided by reason."""

from __future__ import annotations

import inspect
import re
from dataclasses import replace
from typing import Any

import pytest

from pytest_citecheck.checks import DEFAULT
from pytest_citecheck.checks import verdict as rules
from pytest_citecheck.plugin import _SETTLED_BY, write_references, write_undecided
from pytest_citecheck.reports import ReferenceResult
from tests.support.report_data import finding


class Screen:
    """Takes the lines that a terminal reporter would write."""

    def __init__(self, verbosity: int = 0) -> None:
        self.lines: list[str] = []
        self.config = self
        self.verbosity = verbosity

    def get_verbosity(self) -> int:
        return self.verbosity

    def line(self, text: str, **_: bool) -> None:
        self.lines.append(text)


def reference(
    key: str, verdict: str, code: str = "title-ok", severity: str = "", probability: float = 0.5
) -> ReferenceResult:
    outcome = "failed" if severity == "error" else "unverifiable"
    found = finding(outcome, code, severity=severity, also=(), message=f"message on {key}")
    stated: Any = {"name": verdict, "probability": probability, "reason": f"reason of {key}"}
    findings: Any = {"title": found}
    return ReferenceResult(key, key, "article", "", "refs.bib", 1, 2, stated, findings, (), ())


FABRICATED = reference("invented", "fabricated", "title-not-found", "error")
UNFINDABLE = reference("nowhere", "unfindable", "title-unfindable", "warning")
SLIP = reference("slip", "misdescribed", "title-near-miss", "error")
WARNED = reference("warned", "misdescribed", "title-published", "warning")


def shown(by_severity: Any, verbosity: int = 0) -> list[str]:
    screen: Any = Screen(verbosity)
    write_references(screen, by_severity, DEFAULT)
    lines: list[str] = screen.lines
    return lines


def test_what_nobody_has_stands_between_the_invented_and_the_other_errors() -> None:
    assert shown({"error": [SLIP, FABRICATED], "warning": [WARNED, UNFINDABLE]}) == [
        "",
        "fabricated (1 reference):",
        "  refs.bib:1 invented title: message on invented [title-not-found]",
        "unfindable: services that would almost certainly have it do not (1 reference):",
        "  refs.bib:1 nowhere title: message on nowhere [title-unfindable]",
        "misdescribed, minor (1 reference):",
        "  refs.bib:1 slip title: message on slip [title-near-miss]",
        "with a warning (1 reference):",
        "  refs.bib:1 warned title: message on warned [title-published]",
    ]


def test_a_line_has_check_old_and_new() -> None:
    record = {"source": "crossref"}
    found = finding(
        "failed", "title-near-miss", severity="error", also=(), cited="Weels", fixes={"title": "Wheels"}, record=record
    )
    wrong: Any = {"title": found}
    misspelt = replace(SLIP, findings=wrong)
    assert shown({"error": [misspelt]})[-1] == "  refs.bib:1 slip title: Weels → Wheels [title-near-miss]"


@pytest.mark.parametrize(("second", "codes"), [("error", "one, other"), ("warning", "one, warning other")])
def test_what_two_checks_state_has_one_line(second: str, codes: str) -> None:
    both: Any = {
        check: finding("failed", code, severity=severity, also=(), cited="2099", fixes={"year": "2017"}, record=None)
        for check, code, severity in (("completeness", "one", "error"), ("cross_db", "other", second))
    }
    stated = replace(SLIP, findings=both)
    lines = shown({"error": [stated], "warning": [stated] if second == "warning" else []})
    assert lines[2:] == [f"  refs.bib:1 slip completeness, cross_db: 2099 → 2017 [{codes}]"]


def test_at_most_thirty_lines_then_a_count() -> None:
    many = {"error": [reference(f"k{number}", "misdescribed", "title-near-miss", "error") for number in range(40)]}
    assert len(shown(many)) == 33
    assert shown(many)[-1] == "  and 10 more (-v or --citecheck-html=FILE shows them)"
    assert len(shown(many, verbosity=1)) == 42


def test_nothing_is_written_of_nothing() -> None:
    assert shown({"error": [], "warning": []}) == []
    screen: Any = Screen()
    write_undecided(screen, [FABRICATED, UNFINDABLE])
    assert screen.lines == []


def test_the_undecided_are_listed_by_reason_with_what_would_settle_them() -> None:
    screen: Any = Screen()
    reasons = ["sources could not be queried"] + 2 * ["no source queried has sufficient data"]
    undecided = [
        replace(
            reference(f"k{number}", "undecided"), verdict={"name": "undecided", "probability": 0.5, "reason": reason}
        )
        for number, reason in enumerate(reasons)
    ]
    write_undecided(screen, undecided)
    assert screen.lines[1:] == [
        "undecided (3 references):",
        "  2 references: no source queried has sufficient data → add a DOI or another identifier, or look the work up by hand",
        "    k1, k2",
        "  1 reference: sources could not be queried → run again when they answer",
        "    k0",
    ]


@pytest.mark.parametrize("row", [line for line in inspect.getsource(rules).splitlines() if '"undecided",' in line])
def test_every_reason_of_the_rules_has_advice(row: str) -> None:
    """The first words of each reason must be in the table."""
    said = re.search(r'"undecided", "[a-z-]+", "([^"]+)"', row)
    assert said is None or any(said[1].startswith(begin) for begin, _ in _SETTLED_BY)
