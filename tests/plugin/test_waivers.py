"""Waivers in the settings and in the bibliography, as pytest shows them."""

from __future__ import annotations

import datetime

import pytest

from pytest_citecheck.inputs import content_hash
from pytest_citecheck.model import Reference
from pytest_citecheck.plugin import Waiver, Waivers, read_waiver
from tests.support.evidence_builders import entry

TODAY = datetime.date(2026, 11, 20)
TEXT = "@article{key, title={T}, year={2099}}"


def one(comment: str = "") -> Reference:
    return entry(f"{comment}\n{TEXT}")


def why(waivers: Waivers, reference: Reference, *outcomes: tuple[str, str, tuple[str, ...]]) -> list[str]:
    return [said for _, said in waivers.outdated([reference], [(reference, *outcome) for outcome in outcomes])]


def test_a_code_covers_only_itself() -> None:
    waivers = Waivers([Waiver("key", ("year-future",), "in print")], day=TODAY)
    assert waivers.of(one(), "completeness") is None  # what it will find is not known yet
    assert waivers.of(one(), "completeness", ("year-future",))
    assert waivers.of(one(), "completeness", ("year-future", "field-missing")) is None
    assert Waivers([Waiver("k*", ("completeness",), "x")], day=TODAY).of(one(), "completeness", ("field-missing",))


def test_waivers_beside_the_entry() -> None:
    waivers = Waivers([], day=TODAY)
    assert waivers.of(one("% citecheck: ignore[venue] old name"), "venue")
    assert waivers.of(one("% citecheck: ignore[venue]"), "venue") is None  # no reason
    bound = content_hash(one())
    assert waivers.of(one(f"% citecheck: ignore[venue] old name [{bound}]"), "venue")
    assert waivers.of(one("% citecheck: ignore[venue] old name [0123456789]"), "venue") is None
    assert waivers.of(one("% citecheck: ignore[venue] x, until 2026-11-20"), "venue")
    assert waivers.of(one("% citecheck: ignore[venue] x, until 2026-11-19"), "venue") is None


@pytest.mark.parametrize(
    ("comment", "outcome", "said"),
    [
        ("ignore[venue] x, until 2026-11-19", "failed", "expired on 2026-11-19"),
        ("ignore[venue] x [0123456789]", "failed", "the entry has changed since"),
        ("ignore[venu] x", "failed", "unknown check or code 'venu'; did you mean venue?"),
        ("ignore[venue-othr] x", "failed", "unknown check or code 'venue-othr'; did you mean venue-other?"),
        ("ignore[venue]", "failed", "has no reason"),
        ("ignore[venue] x", "passed", "every check that it covers passes"),
        ("ignore[venue-other] x", "passed", "every check that it covers passes"),
        ("ignore[venue-other] x", "warning", ""),
        ("ignore[venue-main] x", "unverifiable", ""),
        ("ignore[venue] x", "failed", ""),
        ("ignore[venue-other] x", "failed", ""),
    ],
)
def test_waivers_that_no_longer_apply_are_named(comment: str, outcome: str, said: str) -> None:
    reference = one(f"% citecheck: {comment}")
    found = why(Waivers([], day=TODAY), reference, ("venue", outcome, ("venue-other",)))
    assert [text.startswith(said) for text in found] == ([True] if said else [])


def test_a_line_of_the_settings_has_a_last_day_and_a_content() -> None:
    waiver = read_waiver("key venue-other in print, until 2027-01-01 [0a1b2c3d4e]", ("venue",))
    assert (waiver.checks, waiver.reason, waiver.until, waiver.bound) == (
        ("venue-other",), "in print", "2027-01-01", "0a1b2c3d4e",
    )  # fmt: skip
    with pytest.raises(pytest.UsageError, match="did you mean venue-other"):
        read_waiver("key venue-othr x", ("venue",))


def test_pytest_expects_the_failure_and_names_it(pytester: pytest.Pytester) -> None:
    pytester.makefile(
        ".bib",
        refs="% citecheck: ignore[year-future] printed ahead\n"
        "@article{a, author={Lovelace, Ada}, title={On the Analytical Engine of Babbage}, journal={Notes}, year={2099}}\n"
        "% citecheck: ignore[year-future] printed ahead [0123456789]\n"
        "@article{b, author={Lovelace, Ada}, title={On the Analytical Engine of Babbage}, journal={Notes}, year={2099}}\n",
    )
    result = pytester.runpytest(
        "--citecheck=refs.bib", "--citecheck-offline", "--citecheck-cache=off", "-k", "completeness"
    )
    result.assert_outcomes(failed=1, xfailed=1)
    result.stdout.fnmatch_lines([
        "findings of * waived",
        "outdated waiver: refs.bib:3: b year-future (printed ahead): the entry has changed since*",
    ])  # fmt: skip


def test_a_waived_warning_is_not_shown(pytester: pytest.Pytester) -> None:
    entry = (
        "@book{a, author={Lovelace, Ada}, title={On the Analytical Engine}, publisher={P}, year={1999}, isbn={123}}\n"
    )
    pytester.makefile(".bib", refs=f"% citecheck: ignore[isbn-invalid] printed so\n{entry}")
    arguments = ("--citecheck=refs.bib", "--citecheck-offline", "--citecheck-cache=off", "-k", "completeness")
    result = pytester.runpytest(*arguments)
    result.stdout.fnmatch_lines(["findings of * waived"])
    result.stdout.no_fnmatch_line("*isbn-invalid*")
    result.stdout.no_fnmatch_line("*outdated waiver*")
    pytester.makefile(".bib", refs=entry)
    pytester.runpytest(*arguments).stdout.fnmatch_lines(["*isbn-invalid*"])
