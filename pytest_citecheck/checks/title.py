"""title: a work of this title exists, and it is the one that the reference means; a near miss is shown word by word."""

from __future__ import annotations

from pytest_citecheck.checks.base import Case, finding, undecided
from pytest_citecheck.matching.titles import render_diff, title_key
from pytest_citecheck.matching.works import Candidate
from pytest_citecheck.model import Absent, Finding, Found, Outcome

__all__ = ["check_title"]


def check_title(case: Case) -> Finding:
    """Passed by any record of the work under this title; failed by a record of the same work under another one."""
    title = case.claim.title
    if not title:
        return finding("title", "unverifiable", "title-missing", "the reference has no title to check")
    if case.works:
        best = case.works[0]
        how = "the main title of" if best.title.relation == "short" else "the title of"
        return finding(
            "title",
            "passed",
            "title-ok",
            f"{how} {best.record.source}'s record",
            found=best.title.found,
            record=best.record,
        )
    if case.nears:
        return _near_miss(case)
    contradicted = _other_title_of_same_people(case)
    if contradicted is not None:
        return contradicted
    absent = _absent_from_scope(case)
    return absent if absent is not None else undecided(case, "title", "the title")


def _near_miss(case: Case) -> Finding:
    best = case.nears[0]
    same = title_key(best.title.found)
    agreeing = {candidate.origin for candidate in case.nears if title_key(candidate.title.found) == same}
    diff = render_diff(best.title, case.claim.title)
    outcome: Outcome
    if best.title.only_function_words and len(agreeing) == 1:
        outcome, code = "passed", "title-function-word"
        message = f"{best.record.source}'s record differs in an article or preposition only"
    elif _may_be_an_earlier_version(best) and len(agreeing) == 1:
        outcome, code = "unverifiable", "title-version"
        message = "arXiv's latest version has a slightly different title; an earlier one may have had the cited title"
    else:
        outcome, code = "failed", "title-near-miss"
        message = f"this work has a slightly different title: {diff}"
    return finding(
        "title",
        outcome,
        code,
        message,
        cited=case.claim.title,
        found=best.title.found,
        diff=diff,
        record=best.record,
        rule="a word of the title is changed, dropped, added or moved in a record with the cited identifier, or with "
        "the same authors, venue and year",
        fixes={"title": best.title.found},
    )


def _may_be_an_earlier_version(candidate: Candidate) -> bool:
    """Whether the record shows only the latest of several versions: arXiv keeps no earlier titles in its answers."""
    record = candidate.record
    return candidate.origin == "arxiv" and not (record.source == "arxiv" and record.id.endswith("v1"))


def _other_title_of_same_people(case: Case) -> Finding | None:
    for candidate in case.behind:
        if candidate.same_people and not candidate.preprint:
            found = candidate.title.found
            return finding(
                "title",
                "failed",
                "title-other",
                f"the work of these authors behind the cited identifier is titled “{found}”",
                cited=case.claim.title,
                found=found,
                record=candidate.record,
                rule="the record behind the cited identifier has the cited authors and another title",
                fixes={"title": found},
            )
    return None


def _absent_from_scope(case: Case) -> Finding | None:
    """The title is absent from a scope that the citation itself claims and that a source holds completely."""
    searches = case.asked("title")
    if not searches or case.unavailable or case.lookalikes:
        return None
    scope = case.missing_from_scope
    if scope:
        return finding(
            "title",
            "failed",
            "title-not-in-venue",
            f"no such work in the cited venue and year: {scope}, and none with this title",
            cited=case.claim.title,
            rule="the source lists every paper of this venue and year",
        )
    denied = [asked for asked in case.asked("doi") if isinstance(asked.answer, Absent) and asked.answer.scope]
    agencies = {
        record.agency
        for asked in case.asked("prefix")
        if isinstance(asked.answer, Found)
        for record in asked.answer.records
    }
    for agency in sorted(agencies):
        if denied and any(asked.source == agency.lower() for asked in searches):
            return finding(
                "title",
                "failed",
                "title-not-found",
                f"{agency} registers every DOI under the cited prefix; it has neither this DOI nor a work of this title",
                cited=case.claim.title,
                rule="the agency of the cited DOI answered a search by title and knows no such work",
            )
    return None
