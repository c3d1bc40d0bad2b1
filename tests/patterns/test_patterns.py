"""No regular expression of the package takes more than linear time on any text."""

from __future__ import annotations

import re
from functools import cache

import pytest

from tests.support.package_patterns import PackagePattern, Unread, collect_patterns
from tests.support.pumped_texts import superlinear_pumps
from tests.support.suites import first_fast

PER_PATTERN = 8
"""Pumps tried for each pattern here; ``python -m benchmarks.pumped_patterns`` tries them all."""

MADE_WHEN_CALLED = {
    "pytest_citecheck.net.secrets": 1,
    "pytest_citecheck.benchmark.mutate.fields": 1,
    "pytest_citecheck.models.claims.answers": 1,
    "pytest_citecheck.sources.dumps": 1,
    "pytest_citecheck.models.claims.manuscripts": 1,
    "pytest_citecheck.inputs.bbl": 1,
    "pytest_citecheck.inputs.plain.cues": 1,
    "pytest_citecheck.reports.explanation": 2,
    "pytest_citecheck.fixing.style": 1,
    "pytest_citecheck.fixing.text_file": 1,
    "pytest_citecheck.inputs.citations": 1,
    "pytest_citecheck.inputs.documents": 2,
    "pytest_citecheck.sources.arxiv": 1,
}
"""Calls of ``re`` by module whose pattern is known only when they run: an escaped name or value with a fixed frame around it,
and patterns of a table, which are found in the table.
"""


@cache
def collected() -> tuple[list[PackagePattern], list[Unread]]:
    return collect_patterns()


@pytest.mark.exhaustive
def test_every_call_of_re_is_accounted_for() -> None:
    patterns, unread = collected()
    assert len(patterns) > 500
    counted: dict[str, int] = {}
    for call in unread:
        counted[call.module] = counted.get(call.module, 0) + 1
    assert counted == MADE_WHEN_CALLED


@pytest.mark.exhaustive
def test_patterns_are_found_wherever_they_stand() -> None:
    places = {found.place.partition("[")[0].partition(":")[0] for found in collected()[0]}
    assert "pytest_citecheck.sources.web_page._TITLE" in places  # a global
    assert "pytest_citecheck.inputs.plain.cues._DETAIL" in places  # a tuple
    assert "pytest_citecheck.inputs.plain.citation" in places  # inline, with an f-string


@pytest.mark.exhaustive
@pytest.mark.timeout(900)
def test_no_pattern_is_superlinear() -> None:
    slow = [
        f"{found.place}: {pump} {grown}"
        for found in collected()[0]
        for pump, grown in superlinear_pumps(found.pattern, found.methods, most=PER_PATTERN)
    ]
    assert slow == []


@pytest.mark.parametrize(
    ("pattern", "linear"),
    first_fast(
        [
            (r"(?:a+)+b", False),
            (r"(?<!\s)\s++$", True),
            (r"\s+$", False),
            (r"<title[^>]*>", False),
            (r"<title[^<>]*+>", True),
            (r"\d{4}", True),
        ],
        2,
    ),
)
def test_pumps_tell_superlinear_patterns(pattern: str, linear: bool) -> None:
    assert (not list(superlinear_pumps(re.compile(pattern), {"search"}))) is linear
