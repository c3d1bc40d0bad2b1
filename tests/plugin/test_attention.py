"""First things first: the invented, what nobody has, the rest of the errors, the warnings, the undecided by chance."""

from __future__ import annotations

from typing import Any

from pytest_citecheck.plugin.attention import write_references, write_undecided
from pytest_citecheck.reports.results import ReferenceResult
from pytest_citecheck.verdict.policies import DEFAULT
from tests.support.report_data import finding


class Screen:
    """Takes the lines that a terminal reporter would write."""

    def __init__(self) -> None:
        self.lines: list[str] = []

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


def test_what_nobody_has_stands_between_the_invented_and_the_other_errors() -> None:
    screen: Any = Screen()
    write_references(screen, {"error": [SLIP, FABRICATED], "warning": [WARNED, UNFINDABLE]}, DEFAULT, brief=False)
    assert screen.lines == [
        "",
        "references that need attention:",
        " invented, or another work (1):",
        "  fabricated     refs.bib:1 invented: title-not-found",
        " not found, although the sources that answered hold nearly all such works (1):",
        "  unfindable     refs.bib:1 nowhere: title-unfindable",
        "                 title-unfindable: message on nowhere",
        " slips (1):",
        "  misdescribed   refs.bib:1 slip: title-near-miss",
        "",
        "warnings:",
        "  misdescribed   refs.bib:1 warned: title-published",
        "                 title-published: message on warned",
    ]


def test_nothing_is_written_of_nothing() -> None:
    screen: Any = Screen()
    write_references(screen, {"error": [], "warning": []}, DEFAULT, brief=False)
    write_undecided(screen, [FABRICATED, UNFINDABLE])
    assert screen.lines == []


def test_the_undecided_stand_by_their_probability_with_the_reason() -> None:
    screen: Any = Screen()
    write_undecided(
        screen, [reference("some", "undecided", probability=0.2), reference("likely", "undecided", probability=0.7)]
    )
    assert screen.lines[1:] == [
        "undecided (2), by the probability that they are wrong:",
        "  0.70 refs.bib:1 likely (reason of likely)",
        "  0.20 refs.bib:1 some (reason of some)",
    ]


def test_a_long_list_of_undecided_is_counted() -> None:
    screen: Any = Screen()
    write_undecided(screen, [reference(f"k{number}", "undecided") for number in range(25)])
    assert len(screen.lines) == 23
    assert screen.lines[-1] == "  and 5 more (--citecheck-json, --citecheck-html)"
