"""The Arena's figures, with values computed by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.benchmark import ArenaReference, arena_scores, figures_of, ranked, score_answers, status
from tests.support.report_data import html_page, markdown_page

FOUND = ArenaReference(
    model="m",
    query="q1",
    requested=2,
    verdict="verified",
    outcomes={"doi": "passed", "title": "passed", "authors": "passed", "venue": "passed"},
    codes={"doi": "doi-ok", "title": "title-ok", "authors": "authors-ok", "venue": "venue-ok"},
    cited=frozenset({"doi", "year", "authors"}),
    year=2020,
    found_years=(2020,),
    source="crossref",
    confidence=1.0,
)
FAKE = ArenaReference(
    model="m",
    query="q1",
    requested=2,
    verdict="fabricated",
    outcomes={"title": "failed", "doi": "unverifiable"},
    codes={"title": "title-not-found", "doi": "doi-not-cited"},
    cited=frozenset({"year", "authors"}),
    year=2021,
)


def only(references: list[ArenaReference]) -> dict[str, Any]:
    (scores,) = arena_scores(references)["rankings"]
    return dict(scores)


@pytest.mark.parametrize(
    ("verdict", "code", "expected"),
    [
        ("verified", "title-ok", "VERIFIED"),
        ("verified", "unavailable", "VERIFIED"),
        ("misdescribed", "authors-other", "SUSPECT"),
        ("fabricated", "title-not-found", "NOT_FOUND"),
        ("undecided", "not-found", "NOT_FOUND"),
        ("undecided", "unavailable", "ERROR"),
        ("undecided", "not-recorded", "ERROR"),
        ("undecided", "not-asked", "ERROR"),
        ("", "", "SUSPECT"),
    ],
)
def test_statuses(verdict: str, code: str, expected: str) -> None:
    assert status(replace(FOUND, verdict=verdict, codes={"title": code})) == expected


def test_six_queries_with_a_real_and_an_invented_reference_each() -> None:
    """A real reference with a DOI and an invented one without, six times; one query allows no year after 2020.

    Completeness: a half of 3/3 and a half of 2/3. Compliance: 2020 yes, 2021 no; of verified references only: 1 of 1.
    """
    references = []
    for number in range(6):
        latest = 2020 if number == 3 else None
        references += [replace(one, query=f"q{number}", latest=latest) for one in (FOUND, FAKE)]
    report = arena_scores(references)
    (scores,) = report["rankings"]
    expected = {"overall_accuracy": 0.5, "doi_accuracy": 0.5, "avg_confidence": 1.0, "year_compliance_rate": 0.5}
    expected |= {"hallucination_rate": 0.5, "title_accuracy": 0.5, "coverage": 1.0, "verified_of_requested": 0.5}
    assert {name: scores[name] for name in expected} == expected
    assert scores["completeness"] == pytest.approx(5 / 6)
    assert scores["year_compliance"] | {"interval": None} == {
        "compliant": 1, "noncompliant": 0, "unknown": 1, "rate": 1.0, "interval": None,
    }  # fmt: skip
    assert {name: report[name] for name in ("total_queries", "total_references", "total_verified", "overall_accuracy")} == {
        "total_queries": 6, "total_references": 12, "total_verified": 6, "overall_accuracy": 0.5,
    }  # fmt: skip
    assert scores["verified_by_source"] == {"crossref": 6}
    # Wilson's interval of 6 in 12 at z = 1.96: centre 0.5, half width 0.24614.
    assert scores["verification_interval"] == pytest.approx([0.25386, 0.74614], abs=2e-4)


def test_an_outage_is_in_no_rate() -> None:
    unavailable = replace(FAKE, verdict="undecided", codes={"title": "unavailable"})
    scores = only([FOUND, FAKE, unavailable])
    assert (scores["total_refs"], scores["errors"]) == (3, 1)
    assert (scores["verification_rate"], scores["hallucination_rate"]) == (0.5, 0.5)
    alone = only([unavailable])
    assert (alone["verification_rate"], alone["verification_interval"]) == (0.0, [0.0, 1.0])


def test_a_duplicate_counts_once() -> None:
    scores = only([FOUND, replace(FOUND, duplicate=True), FAKE])
    assert (scores["total_refs"], scores["duplicates"], scores["verification_rate"]) == (2, 1, 0.5)


def test_coverage() -> None:
    """Requested 2, 3, 4 and 1; delivered 3 (of which 2 count), 1, 0 and 0: 3 of 10. Verified: 2 of 10."""
    first = [replace(FOUND, query="a") for _ in range(2)] + [replace(FAKE, query="a")]
    second = [replace(FAKE, query="b", requested=3)]
    failed = ArenaReference("m", "c", requested=4, delivery="failed")
    refused = ArenaReference("m", "d", requested=1, delivery="empty")
    unknown = replace(FOUND, query="e", requested=None)
    scores = only([*first, *second, failed, refused, unknown])
    assert (scores["requested"], scores["delivered"], scores["coverage"]) == (10, 3, 0.3)
    assert scores["verified_of_requested"] == 0.2
    assert (scores["failed_calls"], scores["refusals"], scores["answers"], scores["total_refs"]) == (1, 1, 5, 5)


def test_what_is_not_stated_is_no_pass() -> None:
    """Found without authors and year: the Arena counts both as right; of what was stated and decided there is none."""
    silent = replace(
        FOUND, year=None, cited=frozenset({"doi"}), outcomes={"title": "passed"}, codes={"authors": "authors-missing"}
    )  # fmt: skip
    scores = only([silent])
    assert (scores["author_accuracy"], scores["year_accuracy"], scores["doi_accuracy"]) == (1.0, 1.0, 0.0)
    assert scores["fields"]["author"] == {
        "right": 0, "wrong": 0, "absent": 1, "undecided": 0, "accuracy": None, "interval": None,
    }  # fmt: skip
    assert scores["fields"]["year"]["absent"] == 1
    assert scores["completeness"] == pytest.approx(1 / 3)


OPEN_DOI = replace(FAKE, cited=FOUND.cited, codes={"title": "title-not-found", "doi": "not-found"})


@pytest.mark.parametrize(
    ("references", "accuracy", "share", "bounds"),
    [
        # doi.org answered that it does not know: nothing is left open.
        ([FOUND, OPEN_DOI], 1.0, 0.5, None),
        # Nobody asked it about the second DOI, which would have been the wrong one.
        ([FOUND, replace(OPEN_DOI, unregistered=True)], None, None, (0.5, 1.0)),
        # It was not asked, and did not have to be: records have one DOI, and the other reference has none.
        ([replace(FOUND, unregistered=True), replace(FAKE, unregistered=True)], 1.0, 0.5, None),
    ],
    ids=["asked", "not asked", "not needed"],
)
def test_accuracy_of_dois_is_unknown_if_doi_org_was_not_asked(
    references: list[ArenaReference], accuracy: float | None, share: float | None, bounds: tuple[float, float] | None
) -> None:
    arena = arena_scores(references)
    (scores,) = arena["rankings"]
    assert (scores["fields"]["doi"]["accuracy"], scores["doi_accuracy"]) == (accuracy, share)
    assert figures_of(arena)[0][1]["doi_accuracy"] == (bounds or share)
    report = {"arena": arena, "references": []}
    for page in (html_page(report), markdown_page(report)):
        assert page.count("doi.org not asked") == (2 if bounds else 0)
    assert markdown_page(report, "zh").count("未查询 doi.org") == (2 if bounds else 0)


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        ("crossref=absent", True),
        ("doi_org=offline", True),
        ("doi_org=absent", False),
        ("doi_org=timeout", False),
        ("", True),
    ],
)
def test_sources_of_the_case_tell_whether_doi_org_was_asked(sources: str, expected: bool) -> None:
    case = {"file": "a", "line": "1", "id": "r", "check": "doi", "outcome": "unverifiable", "code": "not-found"}
    properties = {f"citecheck.{name}": value for name, value in case.items()} | {"citecheck.sources": sources}
    answer = {"citecheck.answer.model": "m", "citecheck.answer.query": "1", "citecheck.answer.cited": "doi"}
    scores = score_answers([properties | answer])
    assert scores is not None
    assert ("not_asked" in scores["rankings"][0]["fields"]["doi"]) is expected


@pytest.mark.parametrize(
    ("year", "found", "outcome"),
    [(2019, (2018,), "wrong"), (2018, (2017, 2018), "right"), (None, (2018,), "absent"), (2019, (), "undecided")],
)
def test_years(year: int | None, found: tuple[int, ...], outcome: str) -> None:
    assert only([replace(FOUND, year=year, found_years=found)])["fields"]["year"][outcome] == 1


def test_disciplines_and_cells() -> None:
    scores = only([replace(FOUND, discipline="physics"), FAKE, replace(FAKE, sample=2)])
    assert {name: part["verification_rate"] for name, part in scores["by_discipline"].items()} == {
        "physics": 1.0,
        "other": 0.0,
    }
    assert {name: part["total_refs"] for name, part in scores["queries"].items()} == {"q1": 2, "q1~2": 1}
    assert scores["queries"]["q1"]["avg_confidence"] == 1.0  # an invented reference has no confidence to speak of


def test_ranking() -> None:
    better = [replace(FOUND, model="b"), replace(FOUND, model="b")]
    worse = [replace(FOUND, model="a"), replace(FAKE, model="a")]
    twin = [replace(one, model="c") for one in worse]
    report = arena_scores([*worse, *better, *twin])
    assert [(score["rank"], score["model"]) for score in report["rankings"]] == [(1, "b"), (2, "a"), (2, "c")]
    by_inventions = ranked(report["rankings"], ("hallucination_rate",))
    assert [score["model"] for score in by_inventions] == ["a", "c", "b"]
    with pytest.raises(KeyError):
        ranked(report["rankings"], ("beauty",))


def test_nothing_to_score() -> None:
    assert arena_scores([]) == {
        "rankings": [], "least_coverage": 0.9,
        "scope": {"models": [], "queries": [], "answers": 0}, "total_queries": 0, "total_references": 0, "total_verified": 0,
        "overall_accuracy": 0.0,
    }  # fmt: skip


@given(
    st.lists(
        st.builds(
            replace,
            st.sampled_from([FOUND, FAKE]),
            model=st.sampled_from("xy"),
            query=st.sampled_from("pq"),
            verdict=st.sampled_from(["verified", "misdescribed", "fabricated", "undecided", ""]),
            delivery=st.sampled_from(["reference", "failed", "empty"]),
            duplicate=st.booleans(),
            discipline=st.sampled_from(["physics", "other"]),
        ),
        max_size=12,
    )
)
def test_sums(references: list[ArenaReference]) -> None:
    report = arena_scores(references)
    assert report["total_references"] == sum(score["total_refs"] for score in report["rankings"])
    for score in report["rankings"]:
        assert score["total_refs"] == score["verified"] + score["suspect"] + score["not_found"] + score["errors"]
        assert score["total_refs"] == sum(part["total_refs"] for part in score["by_discipline"].values())
        assert score["total_refs"] == sum(part["total_refs"] for part in score["queries"].values())
        assert sum(score["verified_by_source"].values()) == score["verified"]
        assert 0 <= score["verified_of_requested"] <= score["coverage"] <= 1
