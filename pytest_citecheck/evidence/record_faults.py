"""Known faults of records. What a fault spoils neither convicts a citation nor corrects it.

`python -m benchmarks.record_faults` counts each fault.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from pytest_citecheck.evidence.provenance import is_registry, same_venue
from pytest_citecheck.matching import (
    foreign_registrant,
    is_damaged,
    is_registrant_of,
    is_second_appearance,
    lazy_pattern,
    match_arxiv_id,
    match_doi,
)
from pytest_citecheck.model import Absent, Evidence, Found
from pytest_citecheck.thresholds import LATE_E_PRINT

if TYPE_CHECKING:
    from pytest_citecheck.matching import AuthorComparison, TitleComparison
    from pytest_citecheck.model import CitedMetadata, Record

Spoilt = Literal["work", "list", "e-print", "DOI", "title"]
"""What a fault spoils: the record is of another work; its list of people is not whole; its number of an e-print or its DOI is not
the one of the work; its title is not the one that was printed."""

_PAPERS = frozenset({"inproceedings", "article", "preprint", "submission", "chapter"})
_PARTS = frozenset({"incollection", "inproceedings", "conference", "inbook", "article", "inreference"})
_BOOKS = frozenset({"book", "mvbook", "collection", "mvcollection", "manual", "booklet"})
_THESES = frozenset({"thesis", "phdthesis", "mastersthesis"})
_REPORTS = frozenset({"techreport", "report"})
_REPORT = lazy_pattern(r"\b(?:technical report|tech\.? ?rep(?:ort|\.)?|research report|working paper)\b", re.IGNORECASE)
_PAGES = frozenset({"online", "electronic", "www", "webpage", "misc"})
_BLOG = lazy_pattern(r"\bblog(?: ?post)?s?\b|\bweb ?(?:page|site)\b", re.IGNORECASE)
_OF_PAPERS = lazy_pattern(
    r"arxiv|doi\.org|openreview|aclanthology|aclweb|proceedings|semanticscholar|acm\.org|ieee|springer|jstor|\.pdf\b",
    re.IGNORECASE,
)
_FREE_FIELDS = ("type", "howpublished", "note", "series")
_CUT_AT = frozenset({100, 500})


class Seen(NamedTuple):
    """What a condition looks at. people, title: the comparisons with the citation; None where a fault is looked for before."""

    cited: CitedMetadata
    record: Record
    people: AuthorComparison | None = None
    title: TitleComparison | None = None
    evidence: Evidence = Evidence(())

    @property
    def other_people(self) -> bool:
        return self.people is not None and bool(self.people.code)


class RecordFault(NamedTuple):
    """A fault: what it spoils, when a record has it, a sentence for messages, and how often it was counted."""

    name: str
    spoils: Spoilt
    applies: Callable[[Seen], bool]
    sentence: str
    counted: str


def is_page(cited: CitedMetadata) -> bool:
    """Return True if a web page is cited: an address that is not one of a paper, or a blog."""
    fields, named = cited.reference.fields, cited.identifiers
    if _BLOG.search(" ".join((cited.venue, *(fields.get(name, "") for name in _FREE_FIELDS)))):
        return True
    if cited.reference.type not in _PAGES or cited.venue_field in ("journal", "journaltitle", "booktitle"):
        return False
    papers = (named.doi, named.arxiv, named.openreview, named.acl, named.pmid, named.dblp)
    return bool(named.url) and not any(papers) and not _OF_PAPERS.search(f"{named.url} {cited.venue}")


def is_report(cited: CitedMetadata) -> bool:
    """Return True if a technical report is cited, by the type of the entry or in the words of its fields."""
    said = " ".join((cited.venue, *(cited.reference.fields.get(name, "") for name in _FREE_FIELDS)))
    return cited.reference.type in _REPORTS or bool(_REPORT.search(said))


def _is_paper_of_report(seen: Seen) -> bool:
    return seen.record.type in ("inproceedings", "article", "chapter") and is_report(seen.cited)


def _is_report_of_paper(seen: Seen) -> bool:
    cited = seen.cited
    return seen.record.type in ("report", "thesis") and cited.reference.type in _PARTS and not is_report(cited)


def _is_no_thesis(seen: Seen) -> bool:
    theses = ("thesis", "preprint", "report", "other", "")
    return seen.cited.reference.type in _THESES and seen.record.type not in theses


def _is_abstract(seen: Seen) -> bool:
    if not is_second_appearance(seen.record.title) or is_second_appearance(seen.cited.title):
        return False
    return same_venue(seen.cited.venue, seen.record) != "same"


def _is_review(seen: Seen) -> bool:
    return (
        seen.cited.reference.type in _BOOKS and seen.record.type in _PAPERS and bool(seen.people and seen.people.added)
    )


def _is_page_or_paper(seen: Seen) -> bool:
    page, paper = is_page(seen.cited), seen.record.type in _PAPERS
    other_way = seen.record.type in ("software", "dataset") and seen.cited.reference.type in _PARTS
    return ((page and paper) or other_way) and seen.other_people


def _is_cut(seen: Seen) -> bool:
    return len(seen.record.authors) in _CUT_AT


def _is_late(seen: Seen) -> bool:
    record = seen.record
    if not record.arxiv or not record.years or record.type == "preprint" or is_registry(record.source, "title"):
        return False
    issued = match_arxiv_id(record.arxiv)
    return issued is not None and (issued.year or 0) - max(record.years) > LATE_E_PRINT


def _has_doi_of_another(seen: Seen) -> bool:
    """The registry is trusted regardless of the form of the DOI."""
    cited, record = seen.cited, seen.record
    if is_registry(record.source, "venue") or not record.venues:
        return False
    stated = match_doi(record.doi)
    if stated is not None and stated.place(record.venues[0]) == "different":
        return True
    if foreign_registrant(record.venues[0], record.year, record.doi):
        return True
    if same_venue(cited.venue, record) != "different":
        return False
    # The DOI belongs to the cited venue, or the record has another venue and year altogether.
    return cited.year not in record.years or is_registrant_of(cited.venue, cited.year, record.doi)


def misspelt_side(title: TitleComparison, evidence: Evidence) -> Literal["cited", "found", ""]:
    """Say which of two titles has a word that no record of an index has, where the other has a word that records have."""
    answers = {asked.query.value: asked.answer for asked in evidence.asked if asked.query.kind == "word"}
    for change in title.changes:
        cited, found = answers.get(change.cited.lower()), answers.get(change.found.lower())
        if change.kind != "replaced" or cited is None or found is None:
            continue
        if isinstance(found, Absent) and found.scope and isinstance(cited, Found):
            return "found"
        if isinstance(cited, Absent) and cited.scope and isinstance(found, Found):
            return "cited"
    return ""


def _has_unknown_word(seen: Seen) -> bool:
    return seen.title is not None and misspelt_side(seen.title, seen.evidence) == "found"


FAULTS: Final = (
    RecordFault("paper of a report", "work", _is_paper_of_report, "the record is of the paper, not of the report",
                "162 records have the title of a report, all by its people"),
    RecordFault("report of a paper", "work", _is_report_of_paper, "the record is of a report, not of the paper",
                "67 records have the title of a paper, all by its people"),
    RecordFault("no thesis", "work", _is_no_thesis, "the record is of another work than the thesis",
                "the records have no theses"),
    RecordFault("abstract", "work", _is_abstract, "the record is of a second appearance of the work",
                "3,878 records"),
    RecordFault("review of a book", "work", _is_review, "the record may be of a review of the book",
                "2 of 2 records with the title of a book are by other people"),
    RecordFault("page of a paper", "work", _is_page_or_paper, "one is a web page and the other a paper",
                "none of 682 cited pages in 108 bibliographies; reported by users"),
    RecordFault("list that was cut", "list", _is_cut, "the list of the record stops at a round number",
                "54 stop at 100 and 19 at the 6 lengths beside it; 5 and 0 for 500"),
    RecordFault("late e-print", "e-print", _is_late, "the number of the e-print is years younger than the record",
                "3 of 245,777, by 6, 12 and 24 years; 5 by 2 years"),
    RecordFault("DOI of another", "DOI", _has_doi_of_another, "the DOI of the record belongs to another venue",
                "24 of 200,135"),
    RecordFault("damaged title", "title", lambda seen: is_damaged(seen.record.title),
                "the title of the record is damaged",
                "61 records"),
    RecordFault("unknown word", "title", _has_unknown_word,
                "the title of the record has a word that no other record has, so it is probably misspelled",
                "5 pairs of records with one identifier"),
)  # fmt: skip


def fault(spoils: Spoilt, seen: Seen) -> RecordFault | None:
    """Return the first fault that spoils this part of a record; None without one."""
    return next((row for row in FAULTS if row.spoils == spoils and row.applies(seen)), None)


def trusted(cited: CitedMetadata, record: Record) -> Record:
    """The record without what faults spoil: a cut list is not whole; the number of an e-print that came too late is left out."""
    seen = Seen(cited, record)
    if record.authors_complete and fault("list", seen):
        record = replace(record, authors_complete=False)
    return replace(record, arxiv="") if fault("e-print", seen) else record
