"""venue: the work appeared in the cited venue; a preprint cited for a publication has its own outcome."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pytest_citecheck.checks.base import ReferenceCase, accusation, finding, is_lookalike, undecided
from pytest_citecheck.checks.corrections import as_preprint, of_other_venue
from pytest_citecheck.checks.identifier_patterns import venue_against_doi
from pytest_citecheck.checks.places import check_place
from pytest_citecheck.evidence import (
    Candidate,
    by_these_people,
    independent_compilers,
    is_project,
    same_venue,
    same_venue_and_year,
    source_name,
    workshop_of_cited,
    year_fits,
)
from pytest_citecheck.matching import (
    compare_venues,
    have_no_common_word,
    is_preprint_venue,
    is_publisher,
    is_second_appearance,
    is_series,
    lazy_pattern,
    lookup,
    match_doi,
    parse_venue,
    share_topic,
    venue_kind,
    words,
)
from pytest_citecheck.model import Absent, Finding
from pytest_citecheck.thresholds import SEVERAL_SOURCES

# IJCAI prints the best papers of its sister conferences, and papers of journals, as extended abstracts of the same
# titles (ijcai.org, "Sister Conferences Best Papers Track", "Journal Track"); the Communications of the ACM print
# "Research Highlights", and articles of ACM Queue.
_PRINTING_AGAIN = frozenset({"cacm", "ijcai"})
_CONFERENCE = lazy_pattern(r"\b(?:conference|symposium|congress)\b", re.IGNORECASE)
_JOURNAL = re.compile(r"\b(?:journal|transactions)\b", re.IGNORECASE)

_OF_A_CONFERENCE = lazy_pattern(r"Proceedings of the (?:ACM|VLDB)")

_PUBLISHED_BY = frozenset({"book", "mvbook", "booklet", "collection", "proceedings", "manual"})
_INSTITUTIONAL = frozenset({"thesis", "phdthesis", "mastersthesis", "techreport", "report"})


def check_venue(case: ReferenceCase) -> Finding:
    """Passed if a record of the work has this venue; failed if a published one has another and none has this one."""
    metadata = case.cited
    records = [*case.works, *case.near_matches, *(target for target in case.identifier_targets if target.same_people)]
    if not metadata.venue:
        return finding("venue", "unverifiable", "venue-missing", "the reference has no venue")
    if not records:
        return _of_its_workshop(case, _alike(case)) or check_place(case) or undecided(case, "venue", "the venue")
    if metadata.preprint:
        return _cited_as_preprint(records)
    if against := venue_against_doi(case):
        return against
    for candidate in records:
        if same_venue(metadata.venue, candidate.record) == "same":
            if placed := check_place(case):
                return placed
            message = f"the venue of {source_name(candidate.record.source)}'s record"
            return finding("venue", "passed", "venue-ok", message, record=candidate.record)
    if of_workshop := _of_its_workshop(case, records):
        return of_workshop
    by_publisher = case.reference.type in _PUBLISHED_BY | _INSTITUTIONAL or metadata.venue_field in (
        "publisher", "howpublished", "organization", "school", "institution",
    )  # fmt: skip
    if by_publisher or all(is_project(candidate.record) for candidate in records):
        return _by_publisher(case, records)
    published = [candidate for candidate in records if not candidate.preprint and _names_venue(candidate)]
    if published:
        return _in_main_proceedings(case, published) or _other_venue(case, published)
    return _only_preprint(case, records)


def _names_venue(candidate: Candidate) -> bool:
    """Return True if a record has the venue of its work: a series or a publisher is not a venue, and a submission was
    not published."""
    names = candidate.record.venues
    return candidate.record.type != "submission" and any(
        not (is_series(name) or is_publisher(name)) and parse_venue(name).part != "submission" for name in names
    )


def _of_its_workshop(case: ReferenceCase, records: Sequence[Candidate]) -> Finding | None:
    """The finding on a paper of a workshop that is cited with the proceedings of the conference where the workshop met: that
    is what Google Scholar exports."""
    for candidate in records:
        if name := workshop_of_cited(case.cited, candidate.record):
            what = "this work" if candidate.relation != "similar" else f"“{candidate.title.found}”, which may be meant,"
            message = (
                f"{source_name(candidate.record.source)} lists {what} in {name}, a workshop of the cited conference"
            )
            return finding(
                "venue",
                "passed",
                "venue-workshop",
                message,
                cited=case.cited.venue,
                found=name,
                record=candidate.record,
                fixes=of_other_venue(case, candidate.record, name),
            )
    return None


def _in_main_proceedings(case: ReferenceCase, published: Sequence[Candidate]) -> Finding | None:
    """Report a paper of the main conference that is cited as a workshop paper of the same year."""
    cited = parse_venue(case.cited.venue)
    if cited.part != "workshop":
        return None
    hosts = {venue.id for venue in cited.venues if venue.kind == "conference"}
    for candidate in published:
        found = parse_venue(candidate.record.venues[0])
        at_venue = found.part == "main" and not hosts.isdisjoint(venue.id for venue in found.venues)
        if (
            at_venue
            and not candidate.matched_identifier
            and case.cited.year in candidate.record.years
            and candidate.people_agree
        ):
            name = candidate.record.venues[0]
            message = f"{source_name(candidate.record.source)} has this work in {name}, not in a workshop of it"
            return accusation(
                case, "venue", "venue-main", message, [candidate], cited=case.cited.venue, found=name, record=candidate.record,
                rule="a paper almost never appears at a conference and its workshop in the same year",
            )  # fmt: skip
    return None


def _alike(case: ReferenceCase) -> list[Candidate]:
    """Records that may belong to the cited work under a slightly different title, and are not known to be by others."""
    return [one for one in case.candidates if one.relation == "similar" and one.people_agree is not False]


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
    message = f"cited as a preprint; the sources queried know it only as published{place}"
    return finding("venue", "unverifiable", "venue-preprint-unknown", message, record=found)


def _by_publisher(case: ReferenceCase, records: Sequence[Candidate]) -> Finding:
    """Books, theses and reports have publishers and schools, which sources name in many ways."""
    cited = "".join(words(case.cited.venue))  # "C. H. Beck" is C.H. Beck
    for candidate in records:
        for name in (candidate.record.publisher, *candidate.record.venues):
            found = "".join(words(name))
            if found and (found in cited or cited in found):
                message = f"the publisher of {source_name(candidate.record.source)}'s record"
                return finding("venue", "passed", "venue-ok", message, found=name, record=candidate.record)
    message = f"no record of this work has “{case.cited.venue}”, but publishers and schools have many names"
    return finding("venue", "unverifiable", "venue-unknown", message, record=records[0].record)


def _other_venue(case: ReferenceCase, published: Sequence[Candidate]) -> Finding:
    cited = case.cited.venue
    answers = [(candidate, same_venue(cited, candidate.record)) for candidate in published]
    unknown = [candidate for candidate, answer in answers if answer == "unknown"]
    of_doi = (one for one in unknown if one.matched_identifier == "doi")
    if behind := next((one for one in of_doi if _is_unlike(case, one)), None):
        found = behind.record.venues[0]
        return accusation(
            case, "venue", "venue-elsewhere", f"the record of the cited DOI is of “{found}”, not of “{cited}”", [behind],
            "single record", cited=cited, found=found, record=behind.record,
            rule="two full names without a common word are hardly names of one venue", fixes=_fix(case, behind),
        )  # fmt: skip
    if unknown and not _workshop_beside(case, unknown[0]):
        record = unknown[0].record
        message = f"“{cited}” may or may not be “{record.venues[0]}”"
        return finding(
            "venue", "unverifiable", "venue-unclear", message, cited=cited, found=record.venues[0], record=record
        )
    best, rule = published[0], ""
    for candidate in published:
        rule = _contradiction(case, candidate, published)
        if rule:
            best = candidate
            break
    found = best.record.venues[0]
    scope = "" if rule else _whole_list_without(case, published)
    years = ", ".join(map(str, best.record.years))
    if not rule and not scope:
        message = f"published in “{found}” in {years}; the cited version may be different"
        return finding("venue", "unverifiable", "venue-version", message, cited=cited, found=found, record=best.record)
    message = f"this work appeared in {found}, not in {cited}"
    if scope or _is_decided(case, best):
        return accusation(
            case,
            "venue",
            "venue-other",
            f"{message}: {scope}, and no work with this title" if scope else message,
            _of_that_venue(best, published),
            "complete list" if scope else None,
            cited=cited,
            found=found,
            record=best.record,
            rule=rule or "the source lists every paper of the cited venue and year",
            fixes=_fix(case, best),
        )
    sources = ", ".join(dict.fromkeys(source_name(one.record.source) for one in published))
    return accusation(
        case,
        "venue",
        "venue-elsewhere",
        f"published in “{found}” in {years} according to {sources}; no source that answered covers “{cited}” in that year",
        _of_that_venue(best, published),
        cited=cited,
        found=found,
        record=best.record,
        rule=rule,
        fixes=_fix(case, best),
    )


def _is_unlike(case: ReferenceCase, candidate: Candidate) -> bool:
    """Return True if the names of the cited venue and of the record's venue are both full, and share no word."""
    names = case.cited.venue, candidate.record.venues[0]
    if any(is_series(name) or is_publisher(name) or parse_venue(name).event for name in names):
        return False
    journals = case.cited.venue_field.startswith("journal") and candidate.record.type == "article"
    return have_no_common_word(*names, journals=journals)


def _of_that_venue(best: Candidate, published: Sequence[Candidate]) -> list[Candidate]:
    """The records that place the work where the best one does."""
    found = best.record.venues[0]
    return [one for one in published if one is best or same_venue(found, one.record) == "same"]


def _is_decided(case: ReferenceCase, best: Candidate) -> bool:
    """True if the records decide about the cited venue: it is that of the cited DOI, or a source covers the cited venue and year.

    An unknown name may be another name of the same journal.
    """
    if best.matched_identifier == "doi":
        return (
            _are_known(case.cited.venue, best.record.venues[0])
            or _workshop_beside(case, best)
            or _stated_by_the_doi(case)
        )
    return case.covers_place and (not case.unresolved_identifier or _stated_by_the_doi(case))


def _are_known(cited: str, found: str) -> bool:
    return lookup(cited) is not None and lookup(found) is not None


def _fix(case: ReferenceCase, candidate: Candidate) -> dict[str, str]:
    """The right venue, if it fits the same field: a journal in ``booktitle`` would be a new mistake."""
    field = case.cited.venue_field
    found = candidate.record.venues[0]
    same_kind = venue_kind(case.cited.venue, field) == venue_kind(found, candidate.record.type)
    if same_kind:
        return of_other_venue(case, candidate.record, found)
    cited_id = (
        work for work in case.works if work.matched_identifier == "arxiv" and case.cited.year in work.record.years
    )
    return next((as_preprint(case, work.record) for work in cited_id if work.preprint), {})


def _contradiction(case: ReferenceCase, candidate: Candidate, published: Sequence[Candidate]) -> str:
    """The rule by which a record in another venue shows that the cited one is wrong; empty if it may be another
    version.

    A work may be presented at a workshop and then at a conference, be extended for a journal, or be printed again. The
    record of the cited DOI is the cited version; without it, only two venues of a kind in one year exclude each other.
    """
    cited, found = case.cited.venue, candidate.record.venues[0]
    kinds = {venue_kind(cited, case.cited.venue_field), venue_kind(found, candidate.record.type)}
    if parse_venue(cited).event or parse_venue(found).event:
        return ""  # the host of an event is not part of its name
    stated = match_doi(case.cited.identifiers.doi)
    if stated is not None and stated.place(cited) == "same":
        return ""  # collections assign the DOI of an article to the conference paper with the same title
    if _workshop_beside(case, candidate):
        return "the record of the cited DOI is in conference proceedings, but a workshop is cited"
    if candidate.matched_identifier == "doi":
        if len(kinds) == 1 or _are_known(cited, found):
            return "the record of the cited DOI has a different venue, and no other record has the cited one"
        return ""
    if not kinds <= {"conference", "journal"} or case.unseen_doi or _is_another_publication(case, candidate, published):
        return ""
    if _instead_of_a_journal(case, candidate, published):
        return "at least two sources list it at a conference in the cited year, and none lists the cited journal"
    if len(kinds) > 1:
        return ""
    if kinds == {"conference"} and _at_one_conference(case, candidate, published):
        return "at least two sources list the paper at a different conference, and none at the cited one"
    if case.works_unseen:
        return ""
    if not _exclude_each_other(case, candidate, published):
        return ""
    if any(same_venue(found, other.record) == "different" for other in published):
        return ""  # printed in several places, of which the cited one may be a further one
    return "every published record of this work has a different venue of the same kind"


def _at_one_conference(case: ReferenceCase, candidate: Candidate, published: Sequence[Candidate]) -> bool:
    """Return True if independent sources place a work at a main conference, and the cited venue is another conference.

    Conferences accept no papers that others have printed, except those that reprint selected papers. An unknown cited
    venue must be called a conference, because a paper may also be in a workshop or journal.
    """
    cited = lookup(case.cited.venue, case.cited.year)
    if cited is not None and cited.id in _PRINTING_AGAIN:
        return False
    if cited is None and not _CONFERENCE.search(case.cited.venue):
        return False
    return year_fits(case.cited, candidate.record) and _placed_by_several(candidate, published)


def _instead_of_a_journal(case: ReferenceCase, candidate: Candidate, published: Sequence[Candidate]) -> bool:
    """Return True if independent sources have a work at a main conference in the cited year, and the cited journal is
    unknown.

    Extended versions for journals come later, and rarely under the same title: 17 of 194,216 articles in the records of
    docs/evidence/accuracy.md have a namesake at a conference in the same year.
    """
    if case.outage or lookup(case.cited.venue, case.cited.year) or not _JOURNAL.search(case.cited.venue):
        return False
    return case.cited.year in candidate.record.years and _placed_by_several(candidate, published)


def _placed_by_several(candidate: Candidate, published: Sequence[Candidate]) -> bool:
    """Return True if independent sources agree that a work appeared at one known conference and nowhere else."""
    found = lookup(candidate.record.venues[0], next(iter(candidate.record.years), None))
    if found is None or found.kind != "conference":
        return False
    at_venue = {
        other.upstream
        for other in published
        if same_venue(found.name, other.record) == "same" and not other.record.compiled
    }
    return independent_compilers(at_venue) > 1 and not any(
        same_venue(found.name, other.record) == "different" for other in published
    )


def _workshop_beside(case: ReferenceCase, candidate: Candidate) -> bool:
    """Return True if a workshop is cited with a DOI whose record is in the main proceedings of a known conference."""
    found = lookup(candidate.record.venues[0], next(iter(candidate.record.years), None))
    cited = parse_venue(case.cited.venue)
    in_main = candidate.matched_identifier == "doi" and found is not None and found.kind == "conference"
    return in_main and cited.part == "workshop" and not cited.event and not candidate.record.compiled


def _is_another_publication(case: ReferenceCase, candidate: Candidate, published: Sequence[Candidate]) -> bool:
    """Return True if a record of a work in another venue may belong to a different publication.

    294 of 525,825 titles at conferences are at two (`benchmarks/one_record.py`, "printed twice"): 59 of them by other
    people as well, 129 in the next year or later; 20 are in both places in two collections. So a record of another year
    needs a second one, unless both names are known conferences, and a record by other people shows nothing. Nor does an
    abstract, a demonstration or a talk, a reprint a year later, or a record with another DOI if the cited DOI has no
    record.
    """
    record, cited = candidate.record, case.cited
    if is_second_appearance(record.title) or not by_these_people(cited, candidate.authors):
        return True
    found = lookup(record.venues[0])
    otherwise_dated = cited.year is not None and bool(record.years) and cited.year not in record.years
    if found is not None and found.id in _PRINTING_AGAIN and otherwise_dated and min(record.years) > (cited.year or 0):
        return True
    if cited.identifiers.doi and record.doi not in ("", cited.identifiers.doi) and not _doi_is_settled(case):
        return True
    at_venue = {
        other.upstream
        for other in published
        if same_venue(record.venues[0], other.record) == "same" and not other.record.compiled
    }
    named = lookup(cited.venue, cited.year)
    known = named is not None and found is not None and named.kind == found.kind == "conference"
    return otherwise_dated and not known and independent_compilers(at_venue) < SEVERAL_SOURCES


def _doi_is_settled(case: ReferenceCase) -> bool:
    """Return True if the cited DOI has a record, or is absent from its registry: then it belongs to no other
    publication."""
    return any(candidate.matched_identifier == "doi" for candidate in case.candidates) or any(
        isinstance(asked.answer, Absent) and asked.answer.scope for asked in case.asked("doi")
    )


def _stated_by_the_doi(case: ReferenceCase) -> bool:
    """Return True if the cited DOI has the form of another venue than the cited one."""
    stated = match_doi(case.cited.identifiers.doi)
    return stated is not None and stated.place(case.cited.venue) == "different"


def _exclude_each_other(case: ReferenceCase, candidate: Candidate, published: Sequence[Candidate]) -> bool:
    """Return True if a work in the one venue is not in the other, which is of the same kind.

    19 of 199,320 articles are in two journals, and 294 of 525,825 papers at two conferences
    (`benchmarks/one_record.py`, "printed twice"). An unknown cited name must clearly not be a former or longer name of
    the same venue.
    """
    cited, found = lookup(case.cited.venue, case.cited.year), lookup(candidate.record.venues[0])
    if case.cited.year in candidate.record.years:
        several = independent_compilers({other.upstream for other in published}) > 1
        return cited is not None or several or not share_topic(case.cited.venue, candidate.record.venues[0])
    if cited is None or found is None or cited.id in _PRINTING_AGAIN:
        return False
    # Journals with papers of conferences require extended versions.
    return bool(_OF_A_CONFERENCE.match(cited.name)) == bool(_OF_A_CONFERENCE.match(found.name))


def _whole_list_without(case: ReferenceCase, records: Sequence[Candidate]) -> str:
    """Complete list of the cited venue and year that lacks the work, in words; empty if it may contain the work.

    The list was queried by the cited authors, so it is no evidence about works by others, and a work of theirs in it
    may be this one under a different title.
    """
    if not case.missing_from_scope:
        return ""
    by_cited_people = any(candidate.people_agree for candidate in records)
    return case.missing_from_scope if by_cited_people and not _may_be_retitled(case) else ""


def _may_be_retitled(case: ReferenceCase) -> bool:
    """True if a similar record has the cited venue and year: the work may be listed there under another title."""
    at_venue = (candidate for candidate in case.candidates if same_venue_and_year(case.cited, candidate.record))
    return any(map(is_lookalike, at_venue))


def _only_preprint(case: ReferenceCase, records: Sequence[Candidate]) -> Finding:
    cited = case.cited.venue
    for candidate in records:
        # arXiv's journal reference names where a preprint appeared, in its authors' own words.
        named = [venue for venue in candidate.record.venues[1:] if not is_preprint_venue(venue)]
        if candidate.preprint and named and all(compare_venues(cited, venue) == "different" for venue in named):
            return accusation(
                case,
                "venue",
                "venue-other",
                f"its authors state on arXiv that this work appeared in {named[0]}, not in {cited}",
                [candidate],
                cited=cited,
                found=named[0],
                record=candidate.record,
                rule="the journal reference of the preprint has a different venue",
            )
    scope = _whole_list_without(case, records)
    if scope:
        known = next(candidate.record for candidate in records if candidate.people_agree)
        return accusation(
            case,
            "venue",
            "venue-preprint-only",
            f"only a preprint of this work is known: {scope}, and no work with this title",
            (),
            "complete list",
            cited=cited,
            found=known.venues[0] if known.venues else "",
            record=known,
            rule="the source lists every paper of the cited venue and year",
            fixes=as_preprint(case, known),
        )
    message = "only a preprint of this work is known; its publication could not be checked"
    return finding("venue", "unverifiable", "venue-preprint-only", message, cited=cited, record=records[0].record)
