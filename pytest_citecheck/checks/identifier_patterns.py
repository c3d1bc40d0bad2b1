"""Comparison of the form of cited identifiers with the cited venue and year (`matching.identifiers`).

A citation whose DOI was made for another venue or year contradicts itself, whichever sources answer. If a record of the
identifier was found, it decides. The other records of the work show which of the two is wrong, and if the identifier
may belong to another version, which is no fault.
"""

from __future__ import annotations

from collections.abc import Mapping

from pytest_citecheck.checks.base import LABELS, ReferenceCase, accusation, describe, finding
from pytest_citecheck.checks.corrections import of_other_venue, of_other_year, year_field
from pytest_citecheck.evidence import Candidate, same_venue, source_name
from pytest_citecheck.matching import (
    PatternMatch,
    breaks_off,
    foreign_registrant,
    lookup,
    match_arxiv_id,
    match_doi,
    parse_venue,
    unassigned_prefix,
    venue_kind,
)
from pytest_citecheck.model import Absent, Answer, Finding, Found, Query, Unavailable
from pytest_citecheck.thresholds import POSTED_BEFORE

_VENUE_FIELDS = frozenset({"journal", "journaltitle", "shortjournal", "booktitle", "maintitle", "eventtitle"})


def doi_against_registrants(case: ReferenceCase, value: str, fixes: Mapping[str, str]) -> Finding | None:
    """Finding of the doi check for a DOI without a record whose form is wrong: its prefix, the registrant, the venue or the year.

    None if the DOI may be correct. fixes: replacement of the DOI, if the records have the work as cited.
    """
    found = _unassigned(case, value, fixes) or _foreign(case, value, fixes)
    return found or doi_against_citation(case, fixes)


def _unassigned(case: ReferenceCase, value: str, fixes: Mapping[str, str]) -> Finding | None:
    reason = unassigned_prefix(value, case.today) if ("doi", value) in case.unseen_identifiers else ""
    if not reason or any(isinstance(answer, Absent) and answer.scope for answer in _answers(case, value)):
        return None  # a registry that denies the DOI is stronger evidence
    message = f"no registrant has the prefix of the DOI {value}: {reason}"
    rule = "prefixes are numbered in order, and this one is far from all known ones"
    return accusation(case, "doi", "doi-prefix", message, (), "syntax", cited=value, rule=rule, fixes=fixes)


def _answers(case: ReferenceCase, value: str) -> list[Answer]:
    return [asked.answer for asked in case.asked("doi") if asked.query.value == value]


def _foreign(case: ReferenceCase, value: str, fixes: Mapping[str, str]) -> Finding | None:
    """A DOI of which no record was seen, for a work in the cited venue, whose publisher registers other DOIs."""
    answers = _answers(case, value)
    if not answers or any(isinstance(answer, Found) for answer in answers):
        return None  # if registered, it may belong to another version
    if case.outage or any(isinstance(answer, Absent) and answer.scope for answer in answers):
        return None  # a registry that is down may have it as a repository's
    at_venue = [work for work in case.works if same_venue(case.cited.venue, work.record) == "same"]
    reason = foreign_registrant(case.cited.venue, case.cited.year, value)
    if not at_venue or not reason:
        return None
    return accusation(
        case,
        "doi",
        "doi-registrant",
        f"{value} is not a DOI of this work: {reason}",
        at_venue,
        "syntax",
        cited=value,
        found=at_venue[0].record.doi,
        record=at_venue[0].record,
        rule="works of this venue have DOIs of its publisher, or no DOI",
        fixes=fixes,
    )


def doi_against_citation(case: ReferenceCase, fixes: Mapping[str, str]) -> Finding | None:
    """Finding of the doi check for a DOI that was made for a different venue or year than cited; None if the DOI may be
    correct.

    fixes: replacement of the DOI, if the records have the work as cited.
    """
    found = _of_unseen_doi(case)
    if found is None:
        return None
    cited = case.cited.venue
    if _in_another_venue(case, found):
        at_venue = [work for work in case.works if same_venue(cited, work.record) == "same"]
        if any(_stands_in(found, work) for work in case.works) or (at_venue and not _excludes(found, case)):
            return None  # the venue is wrong, or the DOI belongs to another version
        return _wrong_doi(case, found, "venue", f"“{cited}”", at_venue, fixes)
    if _in_another_year(case, found):
        published = [work for work in case.works if not work.preprint]
        if any(found.may_be_of(year) for work in published for year in work.record.years):
            return None  # the year is wrong, or belongs to another version
        then = [work for work in published if case.cited.year in work.record.years]
        if not then and _may_be_of_a_preprint(case, found):
            message = f"{found.identifier} belongs to {found.text}; {case.cited.year} may be the year of a preprint"
            return finding("doi", "unverifiable", "doi-year", message, found=found.text)
        return _wrong_doi(case, found, "year", str(case.cited.year), then, fixes)
    return None


def venue_against_doi(case: ReferenceCase) -> Finding | None:
    """Finding of the venue check if the cited DOI was made for a different venue, and the records agree with the DOI."""
    found = _of_unseen_doi(case)
    if found is None or not (_in_another_venue(case, found) or _workshop_beside(case.cited.venue, found)):
        return None
    cited = case.cited.venue
    agreeing = [work for work in case.works if work.matched_identifier == "doi" or _stands_in(found, work)]
    if not agreeing or any(same_venue(cited, work.record) == "same" for work in case.works):
        return None
    known, same_kind = lookup(found.venues[0]), venue_kind(cited, case.cited.venue_field) == found.kind
    at_venue = agreeing[0].record if _stands_in(found, agreeing[0]) else None
    fixes = of_other_venue(case, at_venue, known.name) if known is not None and same_kind else {}
    who = source_name(agreeing[0].record.source)
    message = (
        f"the cited DOI belongs to {found.text}, where {who} has this work, not to “{cited}”"
        if at_venue is not None
        else f"the cited DOI, which {who} has for this work, belongs to {found.text}, not to “{cited}”"
    )
    return accusation(
        case,
        "venue",
        "venue-doi",
        message,
        agreeing,
        "syntax",
        cited=cited,
        found=found.text,
        record=agreeing[0].record,
        rule=found.rule,
        fixes=fixes,
    )


def year_against_identifier(case: ReferenceCase) -> Finding | None:
    """The finding of cross_db on a year in which there was no such preprint, or not of the conference of the cited DOI."""
    return _before_its_preprint(case) or _year_against_doi(case)


def _year_against_doi(case: ReferenceCase) -> Finding | None:
    found = _of_doi(case)
    if found is None or not _in_another_year(case, found):
        return None
    cited = case.cited.year or 0
    agreeing = [work for work in case.works if any(found.may_be_of(year) for year in work.record.years)]
    known = [year for work in case.works for year in work.record.years]
    if not agreeing or min(known) <= cited <= max(known) or _may_be_of_a_preprint(case, found):
        return None  # the year of another version does no harm to finding the work
    record = agreeing[0].record
    return accusation(
        case,
        "cross_db",
        "year-doi",
        f"the cited DOI belongs to {found.text}, and {source_name(record.source)} has the same year, not {case.cited.year}",
        agreeing,
        "syntax",
        cited=str(case.cited.year),
        found=str(found.year),
        record=record,
        rule=found.rule,
        fixes=of_other_year(case, record),
    )


def _before_its_preprint(case: ReferenceCase) -> Finding | None:
    """Finding if the work is older than its preprint.

    Only a preprint cannot be: a publication may precede it, and so may a report that was posted later. A publication
    has a separate DOI, which dates it better than the number of the preprint.
    """
    metadata = case.cited
    if not metadata.identifiers.unprinted.isdisjoint({"doi", "arxiv"}):
        return None
    doi = match_doi(metadata.identifiers.doi) if metadata.identifiers.doi else None
    if metadata.identifiers.doi and metadata.identifiers.arxiv and (doi is None or doi.kind != "preprint"):
        return None
    found = (
        match_arxiv_id(metadata.identifiers.arxiv)
        if metadata.identifiers.arxiv
        else match_doi(metadata.identifiers.doi)
    )
    if found is None or found.kind != "preprint" or not metadata.preprint or metadata.year is None:
        return None
    if found.may_be_of(metadata.year) or any(metadata.year in work.record.years for work in case.works):
        return None
    posted = f"{found.year}-{found.month:02}"
    named = metadata.identifiers.arxiv or metadata.identifiers.doi
    if metadata.venue_field in _VENUE_FIELDS:
        return accusation(
            case,
            "cross_db",
            "year-preprint",
            f"the cited preprint {named} is from {posted}, not from {metadata.year}",
            (),
            "syntax",
            cited=str(metadata.year),
            found=str(found.year),
            rule=found.rule,
            fixes={year_field(case): str(found.year)},
        )
    if case.works:
        return None
    message = f"the cited preprint {named} is from {posted}, not from {metadata.year}: it may belong to an older work"
    return finding(
        "cross_db", "unverifiable", "year-preprint", message, cited=str(metadata.year), found=str(found.year)
    )


def _of_doi(case: ReferenceCase) -> PatternMatch | None:
    """Return the information in the form of the cited DOI, unless its registry does not have it or no style prints it."""
    doi = case.cited.identifiers.doi if "doi" not in case.cited.identifiers.unprinted else ""
    found = match_doi(doi) if doi else None
    if found is None or found.kind == "preprint" or case.cited.preprint or case.cited.venue_field not in _VENUE_FIELDS:
        return None
    if any(isinstance(asked.answer, Absent) and asked.answer.scope for asked in case.asked("doi")):
        return None
    return found


def _of_unseen_doi(case: ReferenceCase) -> PatternMatch | None:
    """The same, unless a publication with this DOI was seen."""
    seen = any(candidate.matched_identifier == "doi" and not candidate.preprint for candidate in case.candidates)
    return None if seen else _of_doi(case)


def _in_another_venue(case: ReferenceCase, found: PatternMatch) -> bool:
    """Return True if the cited venue is a different one. An unknown venue must clearly be of the same kind."""
    cited = case.cited.venue
    return (
        not found.reprints
        and found.place(cited) == "different"
        and (lookup(cited) is not None or _excludes(found, case))
    )


def _workshop_beside(cited: str, found: PatternMatch) -> bool:
    """Return True if a workshop is cited with the DOI of a conference's proceedings: workshop papers have different
    DOIs."""
    parsed = parse_venue(cited)
    own = found.kind == "conference" and not found.reprints and parsed.part == "workshop" and not parsed.event
    return own and found.place(cited) == "different"


def _in_another_year(case: ReferenceCase, found: PatternMatch) -> bool:
    year = case.cited.year
    return year is not None and not found.may_be_of(year) and found.place(case.cited.venue) == "same"


def _may_be_of_a_preprint(case: ReferenceCase, found: PatternMatch) -> bool:
    """Return True if the cited year may be the preprint's, because it is shortly before the publication."""
    return found.year is not None and 0 < found.year - (case.cited.year or 0) <= POSTED_BEFORE


def _stands_in(found: PatternMatch, work: Candidate) -> bool:
    return any(found.place(venue) == "same" for venue in work.record.venues)


def _excludes(found: PatternMatch, case: ReferenceCase) -> bool:
    """Return True if the encoded and the cited venue are of one kind: a paper of one has no version in the other."""
    return venue_kind(case.cited.venue, case.cited.venue_field) == found.kind


def _wrong_doi(
    case: ReferenceCase, found: PatternMatch, what: str, cited: str, agreeing: list[Candidate], fixes: Mapping[str, str]
) -> Finding:
    """A DOI that contradicts the cited venue or year; ``agreeing`` are records of the work that have it as cited."""
    record = agreeing[0].record if agreeing else None
    who = (
        f"{source_name(record.source)} has this work as cited, so the cited DOI is wrong"
        if record
        else "one of the two is wrong"
    )
    return accusation(
        case,
        "doi",
        f"doi-{what}",
        f"{found.identifier} belongs to {found.text}, but the citation says {cited}: {who}",
        agreeing,
        "syntax",
        cited=f"{found.identifier} for {cited}",
        found=found.text,
        record=record,
        rule=found.rule,
        fixes=fixes if record else {},
    )


_PROJECTS = ("package", "repository")


def cited_project(case: ReferenceCase) -> Finding | None:
    """Finding about a cited package or repository; None without an answer."""
    named = [asked for asked in case.asked(*_PROJECTS) if not isinstance(asked.answer, Unavailable)]
    for asked in named:
        if isinstance(asked.answer, Found):
            record = asked.answer.records[0]
            message = f"{source_name(asked.source)} has {record.title}" + (
                f": {record.subtitle}" if record.subtitle else ""
            )
            return finding("doi", "passed", f"{asked.query.kind}-ok", message, record=record)
    for asked in named:
        guessed = asked.query.kind == "package" and case.cited.identifiers.package_guessed
        if isinstance(asked.answer, Absent) and asked.answer.scope and not guessed:
            return _no_such_project(case, asked.query, asked.answer.scope)
    return None


def _no_such_project(case: ReferenceCase, query: Query, scope: str) -> Finding:
    """Weight of an absence of a package or repository: only CRAN keeps all that it had."""
    label, value = LABELS[query.kind], query.value
    if not value.startswith("cran:"):
        return finding("doi", "unverifiable", f"{query.kind}-gone", f"the cited {label} {value}: {scope}", cited=value)
    message = f"the cited {label} {value} does not exist: {scope}"
    rule = "neither the package index nor its archive has ever had it"
    return accusation(case, "doi", "package-unknown", message, (), "registry", cited=value, rule=rule)


def named_standard(kind: str, value: str) -> str:
    return f"{LABELS[kind]} {value}"


def other_standard(case: ReferenceCase, kind: str, value: str, target: Candidate) -> Finding:
    """The finding on a number whose record has another title than the cited one."""
    name, record = named_standard(kind, value), target.record
    if target.relation != "target" or breaks_off(record.title, case.cited.title):
        message = f"{name} is {describe(record)}; the cited title may be a short one of it"
        return finding("doi", "unverifiable", f"{kind}-unclear", message, found=record.title, record=record)
    return accusation(
        case,
        "doi",
        f"{kind}-other-work",
        f"{name} is a different work: {describe(record)}",
        [target],
        cited=f"{name} for “{case.cited.title}”",
        found=describe(record),
        record=record,
        rule="its record has a different title, and different authors or no title word in common",
    )
