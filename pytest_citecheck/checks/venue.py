"""venue: the cited venue is one this work appeared in; a preprint cited for a publication is an outcome of its own."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_citecheck.checks.base import Case, finding, undecided
from pytest_citecheck.matching.text import fold
from pytest_citecheck.matching.venues import compare_venues, is_series, lookup
from pytest_citecheck.matching.works import Candidate, same_venue
from pytest_citecheck.model import Finding

__all__ = ["check_venue"]

_PUBLISHED_BY = frozenset({"book", "mvbook", "booklet", "collection", "proceedings", "manual"})
_INSTITUTIONAL = frozenset({"thesis", "phdthesis", "mastersthesis", "techreport", "report"})


def check_venue(case: Case) -> Finding:
    """Passed if a record of the work has this venue; failed if a published one has another and none has this one."""
    claim = case.claim
    records = [*case.works, *case.nears, *(behind for behind in case.behind if behind.same_people)]
    if not claim.venue:
        return finding("venue", "unverifiable", "venue-missing", "the reference names no venue")
    if not records:
        return undecided(case, "venue", "the venue")
    if claim.preprint:
        return _cited_as_preprint(records)
    for candidate in records:
        if same_venue(claim.venue, candidate.record) == "same":
            message = f"the venue of {candidate.record.source}'s record"
            return finding("venue", "passed", "venue-ok", message, record=candidate.record)
    by_publisher = case.reference.type in _PUBLISHED_BY | _INSTITUTIONAL or claim.venue_field in (
        "publisher", "howpublished", "organization", "school", "institution",
    )  # fmt: skip
    if by_publisher:
        return _by_publisher(case, records)
    published = [candidate for candidate in records if not candidate.preprint and _names_venue(candidate)]
    if published:
        return _other_venue(case, published)
    return _only_preprint(case, records)


def _names_venue(candidate: Candidate) -> bool:
    return any(not is_series(venue) for venue in candidate.record.venues)


def _cited_as_preprint(records: Sequence[Candidate]) -> Finding:
    preprints = [candidate for candidate in records if candidate.preprint or candidate.record.arxiv]
    published = [candidate for candidate in records if not candidate.preprint and _names_venue(candidate)]
    if preprints and published:
        found = published[0].record
        message = f"cited as a preprint; since published in {found.venues[0]}"
        return finding("venue", "passed", "venue-preprint-published", message, found=found.venues[0], record=found)
    if preprints:
        return finding("venue", "passed", "venue-ok", "cited as a preprint, which it is", record=preprints[0].record)
    found = records[0].record
    place = f" in {found.venues[0]}" if found.venues else ""
    message = f"cited as a preprint; the sources asked know it only as published{place}"
    return finding("venue", "unverifiable", "venue-preprint-unknown", message, record=found)


def _by_publisher(case: Case, records: Sequence[Candidate]) -> Finding:
    """Books, theses and reports are held by publishers and schools, which no source names in one agreed way."""
    cited = fold(case.claim.venue)
    for candidate in records:
        for name in (candidate.record.publisher, *candidate.record.venues):
            found = fold(name)
            if found and (found in cited or cited in found):
                message = f"the publisher of {candidate.record.source}'s record"
                return finding("venue", "passed", "venue-ok", message, found=name, record=candidate.record)
    message = f"no record of this work names “{case.claim.venue}”; publishers and schools go by many names"
    return finding("venue", "unverifiable", "venue-unknown", message, record=records[0].record)


def _other_venue(case: Case, published: Sequence[Candidate]) -> Finding:
    cited = case.claim.venue
    answers = [(candidate, same_venue(cited, candidate.record)) for candidate in published]
    unknown = [candidate for candidate, answer in answers if answer == "unknown"]
    different = [candidate for candidate, answer in answers if answer == "different" and _same_edition(case, candidate)]
    if unknown or not different:
        record = (unknown or published)[0].record
        found = record.venues[0]
        message = f"“{cited}” may or may not be “{found}”"
        if not unknown:
            message = (
                f"published in “{found}” in {', '.join(map(str, record.years))}; the cited one may be another edition"
            )
        return finding("venue", "unverifiable", "venue-unclear", message, cited=cited, found=found, record=record)
    best = different[0].record
    return finding(
        "venue",
        "failed",
        "venue-other",
        f"this work appeared in {best.venues[0]}, not in {cited}",
        cited=cited,
        found=best.venues[0],
        record=best,
        rule="every published record of this work names another venue, in the cited year or behind the cited identifier",
        fixes={case.claim.venue_field: _full_name(best.venues[0])},
    )


def _full_name(venue: str) -> str:
    """The venue as a reference would cite it: by its full name where a database abbreviates a known one."""
    known = lookup(venue)
    return known.name if known is not None and len(venue) < len(known.name) else venue


def _same_edition(case: Case, candidate: Candidate) -> bool:
    """Whether record and citation speak of one edition: a work may appear again elsewhere in another year."""
    if candidate.anchor == "doi":
        return True
    cited, found = lookup(case.claim.venue), lookup(candidate.record.venues[0])
    if cited is not None and found is not None and cited.kind == found.kind == "conference":
        return True  # conferences do not print each other's papers again
    year = case.claim.year
    return year is None or any(abs(year - known) <= 1 for known in candidate.record.years) or year > case.today.year


def _only_preprint(case: Case, records: Sequence[Candidate]) -> Finding:
    cited = case.claim.venue
    for candidate in records:
        # arXiv's journal reference names where a preprint appeared, in its authors' own words.
        named = candidate.record.venues[1:]
        if candidate.preprint and named and all(compare_venues(cited, venue) == "different" for venue in named):
            return finding(
                "venue",
                "failed",
                "venue-other",
                f"its authors say that this work appeared in {named[0]}, not in {cited}",
                cited=cited,
                found=named[0],
                record=candidate.record,
                rule="the journal reference of the preprint names another venue",
                fixes={case.claim.venue_field: _full_name(named[0])},
            )
    # The list was asked for by the cited authors, so it says nothing of a work by others; and a record of theirs in it may
    # be this work under another title.
    theirs = [candidate.record for candidate in records if candidate.people_agree]
    scope = case.missing_from_scope
    if scope and theirs and not case.lookalikes:
        return finding(
            "venue",
            "failed",
            "venue-preprint-only",
            f"this work is known as a preprint only: {scope}, and none with this title",
            cited=cited,
            found=theirs[0].venues[0] if theirs[0].venues else "",
            record=theirs[0],
            rule="the source lists every paper of the cited venue and year",
        )
    message = "only a preprint of this work is known; its publication could not be checked"
    return finding("venue", "unverifiable", "venue-preprint-only", message, cited=cited, record=records[0].record)
