"""cross_db: independent sources agree on title, authors and year; who disagrees is shown, and one record convicts nobody."""

from __future__ import annotations

from pytest_citecheck.checks.base import Case, finding, undecided
from pytest_citecheck.matching.works import Candidate, same_venue
from pytest_citecheck.model import Finding

__all__ = ["check_cross_db"]

_PERIODICAL = frozenset({"article", "book", "chapter", "preprint", "report", "dataset", "software", "other", ""})


def check_cross_db(case: Case) -> Finding:
    """Passed if all records of the work agree with the citation: two independent ones, or that of the cited DOI's agency."""
    if not case.works:
        if case.nears:
            record = case.nears[0].record
            message = f"{record.source} has this work under another title"
            return finding("cross_db", "unverifiable", "other-title", message, found=record.title, record=record)
        return undecided(case, "cross_db", "the agreement of databases")
    year = _year(case)
    if year is not None:
        return year
    opinions = {candidate.origin: candidate for candidate in reversed(case.works)}
    agreeing = [origin for origin in _in_order(case, opinions) if _agrees(opinions[origin])]
    dissenting = [origin for origin in _in_order(case, opinions) if origin not in agreeing]
    record = opinions[agreeing[0]].record if agreeing else case.works[0].record
    if len(agreeing) > 1:
        but = f"; {', '.join(dissenting)} names other authors" if dissenting else ""
        message = f"{', '.join(agreeing)} agree on title, authors and year{but}"
        return finding("cross_db", "passed", "agree", message, record=record)
    if dissenting and agreeing:
        message = f"{agreeing[0]} agrees with the citation, {', '.join(dissenting)} names other authors"
        return finding("cross_db", "unverifiable", "sources-disagree", message, record=record)
    if dissenting:
        message = f"{', '.join(dissenting)} names other authors"
        return finding("cross_db", "unverifiable", "other-authors", message, record=record)
    only = opinions[agreeing[0]]
    if only.anchor:
        label = {"doi": "DOI", "arxiv": "arXiv id"}[only.anchor]
        message = f"{agreeing[0]}, where the cited {label} is registered, agrees on title, authors and year"
        return finding("cross_db", "passed", "agree-registry", message, record=record)
    if case.unavailable:
        return undecided(case, "cross_db", f"{agreeing[0]} agrees; a second opinion")
    message = f"only {agreeing[0]} knows this work; it agrees on title, authors and year"
    return finding("cross_db", "unverifiable", "single-source", message, record=record)


def _in_order(case: Case, opinions: dict[str, Candidate]) -> list[str]:
    return [origin for origin in dict.fromkeys(candidate.origin for candidate in case.works) if origin in opinions]


def _agrees(candidate: Candidate) -> bool:
    return candidate.authors.abstain or not candidate.authors.code


def _year(case: Case) -> Finding | None:
    """The finding about a year that no record of the work has, or None if the year fits or cannot be compared."""
    cited = case.claim.year
    dated = [candidate for candidate in case.works if candidate.record.years]
    if cited is None or not dated:
        return None
    # A version in the cited venue is the one that is meant; otherwise any version may be.
    meant = [candidate for candidate in dated if same_venue(case.claim.venue, candidate.record) == "same"] or dated
    known = sorted({year for candidate in dated for year in candidate.record.years})
    if cited in known and (cited in _years(meant) or len(meant) == len(dated)):
        return None
    gap = min(abs(cited - year) for year in _years(meant))
    if gap == 0:
        return None
    best = min(meant, key=lambda candidate: min(abs(cited - year) for year in candidate.record.years))
    record = best.record
    found = ", ".join(str(year) for year in sorted(_years(meant)))
    origins = {candidate.origin for candidate in meant}
    if gap == 1 and (len(origins) == 1 or any(candidate.record.type in _PERIODICAL for candidate in meant)):
        return None  # printed the year after it went online, or presented the year before the volume appeared
    if cited in known:
        return None  # the year of another version: venue and year are mixed, which does no harm to finding the work
    certain = best.anchor or len(origins) > 1 or meant is not dated or cited > case.today.year
    if not certain:
        message = f"{record.source} dates this work {found}, not {cited}; there may be another edition"
        return finding(
            "cross_db", "unverifiable", "year-unclear", message, cited=str(cited), found=found, record=record
        )
    return finding(
        "cross_db",
        "failed",
        "year-other",
        f"{', '.join(sorted({candidate.record.source for candidate in meant}))} date this work {found}, not {cited}",
        cited=str(cited),
        found=found,
        record=record,
        rule="no record of this work has the cited year, give or take one for journals and volumes",
        fixes={_year_field(case): str(record.years[0])},
    )


def _years(candidates: list[Candidate]) -> set[int]:
    return {year for candidate in candidates for year in candidate.record.years}


def _year_field(case: Case) -> str:
    return "year" if case.reference.fields.get("year") or not case.reference.fields.get("date") else "date"
