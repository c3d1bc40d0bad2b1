"""Which type of hallucination a wrong citation looks like, from the pattern of its findings.

The fourteen types are those of HALLMARK (arXiv:2607.18360, taxonomy of its data set). A type is a guess at how the citation came
about; the findings say what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Mapping

from pytest_citecheck.checks.base import Case
from pytest_citecheck.linking.candidates import Candidate, same_venue
from pytest_citecheck.model import Finding
from pytest_citecheck.thresholds import CHANGED, CHANGED_THERE
from pytest_citecheck.venues.comparison import lookup

__all__ = ["hallucination_type"]

_NO_SUCH_DOI = frozenset({
    "doi-unregistered", "doi-registrant", "doi-malformed", "doi-other-number", "doi-beyond-volume",
    "arxiv-unknown", "arxiv-malformed", "arxiv-other-number", "arxiv-beyond-month", "rfc-unknown", "package-unknown",
})  # fmt: skip
_AGAINST_ITSELF = frozenset({"doi-venue", "doi-year"})
_OTHER_WORK = frozenset({
    "doi-other-work", "arxiv-other-work", "number-other-work", "rfc-other-work", "w3c-other-work",
})  # fmt: skip
_ELSEWHERE = frozenset({"venue-other", "venue-elsewhere", "venue-version"})
_OTHER_PEOPLE = frozenset({"authors-other", "authors-partly-other"})


def hallucination_type(case: Case, findings: Mapping[str, Finding]) -> str:
    """The type that fits the failed checks best; empty if nothing failed that one of them explains."""
    failed = {name: finding.code for name, finding in findings.items() if finding.outcome == "failed"}
    if "year-future" in findings["completeness"].codes:
        return "future_date"
    if "title" in failed or (case.near_matches and "authors" in failed):
        return _title(case, failed)
    if failed.get("doi") in _OTHER_WORK and not case.works:
        return _no_such_title(case)
    if "authors" in failed:
        return _authors(case, findings)
    if "venue" in failed:
        return _venue(case, failed)
    if failed.get("doi") in _AGAINST_ITSELF and not case.works:
        return _venue(case, failed) if failed["doi"] == "doi-venue" else "arxiv_version_mismatch"
    if failed.get("doi") in _NO_SUCH_DOI | _OTHER_WORK | _AGAINST_ITSELF:
        return "fabricated_doi"
    return "arxiv_version_mismatch" if "cross_db" in failed else ""


def _title(case: Case, failed: Mapping[str, str]) -> str:
    if case.near_matches or failed["title"] == "title-near-miss":
        return "hybrid_fabrication" if failed.get("authors") in _OTHER_PEOPLE else "near_miss_title"
    return _no_such_title(case)


def _no_such_title(case: Case) -> str:
    """A title that the cited people, place and year do not have together: of a work of others somewhere else, given to real
    people, changed from that of others, or all invented."""
    if any(candidate.title.relation == "same" for candidate in case.candidates):
        return "merged_citation" if _have_worked_together(case) else "swapped_authors"
    if any(_is_near(candidate) and candidate.people_agree for candidate in case.candidates):
        return "near_miss_title"
    if _have_worked_together(case):
        return "chimeric_title"
    if any(_changed(case, candidate) for candidate in case.candidates):
        return "hybrid_fabrication"
    return "plausible_fabrication"


def _changed(case: Case, candidate: Candidate) -> bool:
    """Whether the cited title looks like the title of a record with words changed, by its words or by its place."""
    if _is_near(candidate):
        return True
    there = case.cited.year in candidate.record.years and same_venue(case.cited.venue, candidate.record) == "same"
    return there and candidate.title.similarity >= CHANGED_THERE


def _is_near(candidate: Candidate) -> bool:
    return candidate.title.relation == "near" and candidate.title.similarity >= CHANGED


def _have_worked_together(case: Case) -> bool:
    """Whether some record has the cited people together: invented groups have none."""
    return any(candidate.people_agree for candidate in case.candidates)


def _authors(case: Case, findings: Mapping[str, Finding]) -> str:
    code = findings["authors"].code
    if code in ("authors-truncated", "authors-left-out", "authors-run-together"):
        return "partial_author_list"
    year_fails = findings["cross_db"].outcome == "failed"
    if code in _OTHER_PEOPLE and (findings["venue"].code in _ELSEWHERE or year_fails):
        whole = code == "authors-other" and _have_worked_together(case)
        return "merged_citation" if whole else "swapped_authors"
    # Sources searched for works by these people together: real people have some.
    looked = [asked for asked in case.asked("author_search") if not asked.question.value]
    return "placeholder_authors" if looked and not _have_worked_together(case) else "swapped_authors"


def _venue(case: Case, failed: Mapping[str, str]) -> str:
    if lookup(case.cited.venue) is None:
        return "nonexistent_venue"
    published = {year for work in case.works if not work.preprint for year in work.record.years}
    if "cross_db" in failed or (published and case.cited.year not in published):
        return "arxiv_version_mismatch"  # venue and year of no version
    return "preprint_as_published" if failed.get("venue") == "venue-preprint-only" else "wrong_venue"
