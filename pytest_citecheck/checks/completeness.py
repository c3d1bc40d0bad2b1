"""completeness: the entry can be printed and found, has a plausible year, and well-formed numbers.

Required fields: BibTeX's standard styles (Oren Patashnik, "BibTeXing", section 3.1) and the biblatex manual (section
2.1.1), distinguished by the fields of the entry. Without a title, people, a year, or the name of its container, an
entry fails. The other required fields are hints: BibTeX and biblatex print an entry without them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from pytest_citecheck.checks.base import ReferenceCase, Shown, accusation, finding
from pytest_citecheck.checks.corrections import missing_field, of_other_year, year_field
from pytest_citecheck.checks.placeholders import placeholders
from pytest_citecheck.evidence import Candidate, cited_locator, same_venue, source_name
from pytest_citecheck.inputs import year_in
from pytest_citecheck.matching import (
    MONTHS,
    Venue,
    fold,
    is_registrant_of,
    lazy_pattern,
    lookup,
    match_arxiv_id,
    match_doi,
    venue_kind,
)
from pytest_citecheck.model import Absent, EvidenceKind, Finding, Reference
from pytest_citecheck.rows import Rule, Table, always
from pytest_citecheck.thresholds import FIRST_PRINT, PRINTED_AT_THE_EVENT, PRINTED_IN_TIME, YEARS_AHEAD, YEARS_ASIDE

_Fields = tuple[str, ...]
"""Fields of which one is enough; the first two are the names of the container in BibTeX and biblatex."""

_TITLE = ("title", "title")
_PEOPLE = ("author", "author", "editor", "organization", "institution", "collaboration", "shortauthor")
_YEAR = ("year", "date", "pubstate", "eventdate", "origdate")
_JOURNAL = ("journal", "journaltitle", "shortjournal", "booktitle", "eprint")
_BOOK = ("booktitle", "booktitle", "maintitle", "eventtitle", "journal", "journaltitle", "eprint")
_PUBLISHER = ("publisher", "publisher", "organization", "institution", "howpublished")
_SCHOOL = ("school", "institution", "publisher", "organization")
_INSTITUTION = ("institution", "institution", "publisher", "organization", "school")
_ADDRESS = ("url", "url", "doi", "eprint", "howpublished")

_WORK = (_TITLE, _PEOPLE, _YEAR)
_LOOSE = (_TITLE,)

REQUIRED: Mapping[str, tuple[_Fields, ...]] = {
    "article": (*_WORK, _JOURNAL),
    "book": _WORK,
    "mvbook": _WORK,
    "inbook": _WORK,
    "incollection": (*_WORK, _BOOK),
    "inproceedings": (*_WORK, _BOOK),
    "conference": (*_WORK, _BOOK),
    "proceedings": (_TITLE, _YEAR),
    "collection": _WORK,
    "phdthesis": _WORK,
    "mastersthesis": _WORK,
    "thesis": _WORK,
    "techreport": _WORK,
    "report": _WORK,
    "unpublished": (_TITLE, _PEOPLE),
    "patent": _WORK,
    "booklet": _LOOSE,
    "manual": _LOOSE,
    "online": _LOOSE,
    "dataset": _LOOSE,
    "software": _LOOSE,
    "misc": _LOOSE,
    "identifier": (),  # a line of a list of identifiers, without other data
}
"""By type, the fields without which a work cannot be printed or found; of other types the title."""

_BIBTEX: Mapping[str, tuple[_Fields, ...]] = {
    "book": (_PUBLISHER,),
    "inbook": (("chapter", "chapter", "pages", "booktitle"), _PUBLISHER),
    "incollection": (_PUBLISHER,),
    "phdthesis": (_SCHOOL,),
    "mastersthesis": (_SCHOOL,),
    "techreport": (_INSTITUTION,),
    "unpublished": (("note", "note", "howpublished", "url"),),
}
_BIBLATEX: Mapping[str, tuple[_Fields, ...]] = {
    "inbook": (("booktitle", "booktitle"),),
    "phdthesis": (_SCHOOL,),
    "mastersthesis": (_SCHOOL,),
    "thesis": (_SCHOOL,),
    "techreport": (_INSTITUTION,),
    "report": (_INSTITUTION,),
    "unpublished": (_YEAR,),
    "patent": (("number", "number"),),
    "booklet": (_PEOPLE, _YEAR),
    "manual": (_PEOPLE, _YEAR),
    "online": (_PEOPLE, _YEAR, _ADDRESS),
    "dataset": (_PEOPLE, _YEAR),
    "software": (_PEOPLE, _YEAR),
    "misc": (_PEOPLE, _YEAR),
}
ADVISED: Mapping[bool, Mapping[str, tuple[_Fields, ...]]] = {False: _BIBTEX, True: _BIBLATEX}
"""Additional fields that BibTeX's styles (False) or biblatex (True) require, by type."""

BIBLATEX_ALONE = frozenset({
    "journaltitle", "date", "location", "eventtitle", "maintitle", "eprinttype", "eprintclass", "langid", "pubstate",
})  # fmt: skip
"""Fields that only biblatex has; an entry that uses one was written for biblatex."""
_BIBLATEX_TYPES = _BIBLATEX.keys() - _BIBTEX.keys() - {"booklet", "manual", "misc"}

_RULES = {
    "field-missing": "a work cannot be found without a title, people, a year and its container",
    "field-advised": "BibTeX's standard styles or biblatex ask for the field",
    "year-malformed": "a year has four digits",
    "year-future": f"a publication is dated at most {YEARS_AHEAD} year ahead",
    "year-implausible": f"nothing was printed before {FIRST_PRINT}",
    "isbn-invalid": "an ISBN has 10 or 13 digits, and the last is a check digit",
    "issn-invalid": "an ISSN has 8 digits, and the last is a check digit",
    "placeholder": "the value of a template is no data of a work",
    "name-numbered": "DBLP adds four digits to the names of namesakes; they are not printed",
    "issn-in-isbn": "ISSNs belong in the field `issn`",
    "eprint-generated": "reference managers write other values into the field",
    "url-gone": "the server of the page answered 404 or 410",
}

_WORD = lazy_pattern(r"[^\W\d_]{3}")
_HOMONYM = lazy_pattern(r"(?<=[^\W\d_])\s+0\d{3}(?=\s+and\s|\s*,|\s*$)")
_NAMED = lazy_pattern(r"(?<![\w.])[^\W\d_a-z]\.(?=[\s,;-])|\bet al\b")
_WORDS_FOR_YEAR = lazy_pattern(
    r"\b(in press|to appear|forthcoming|submitted|in preparation|n\.?\s?d\.?|accepted)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class _Problem:
    """Something missing or malformed. field, cited: field and value, empty if nothing is cited. fixes: corrected
    values."""

    code: str
    message: str
    field: str = ""
    cited: str = ""
    fixes: tuple[tuple[str, str], ...] = ()


def check_completeness(case: ReferenceCase) -> Finding:
    """Failed with all missing or malformed fields that are needed to print or find the entry, each with its code and
    cited value; otherwise passed, with hints."""
    problems = [
        problem
        for problems_of in (_missing, _placeholders, _numbered_names, _year_problems, _number_problems, _url_problems)
        for problem in problems_of(case)
    ]
    if problems:
        return _of(problems, "failed")
    hints = [*_advised(case), *_misplaced(case)]
    if hints:
        return _of(hints, "passed")
    return finding("completeness", "passed", "complete", f"has all fields that @{case.reference.type} requires")


def _of(problems: list[_Problem], outcome: Literal["failed", "passed"]) -> Finding:
    codes = tuple(dict.fromkeys(problem.code for problem in problems))
    cited = [problem for problem in problems if problem.cited]
    return Finding(
        "completeness",
        outcome,
        codes[0],
        "; ".join(problem.message for problem in problems),
        cited=cited[0].cited
        if len(cited) == 1
        else "; ".join(f"{problem.field} = {problem.cited}" for problem in cited),
        rule="; ".join(_RULES[code] for code in codes),
        fixes=dict(fix for problem in problems for fix in problem.fixes),
        also=codes[1:],
    )


def _missing(case: ReferenceCase) -> list[_Problem]:
    if any(defect.code == "crossref-missing" for defect in case.reference.defects):
        return []  # the entry inherits fields from another file
    required = REQUIRED.get(case.reference.type, _LOOSE)
    placed = bool(case.cited.venue) or bool(case.cited.identifiers.arxiv)
    return [
        _lacking(case, "field-missing", fields)
        for fields in required
        if not _has(case.reference, fields)
        and not (fields is _JOURNAL and placed)
        and not (fields is _TITLE and _printed_by_its_place(case))
        and not (fields is _PEOPLE and (_names_unread(case.reference) or _names_in_text(case)))
    ]


def _printed_by_its_place(case: ReferenceCase) -> bool:
    """Return True for a printed reference that identifies its work by journal, volume and page: physicists print no titles."""
    return bool(case.reference.readings) and bool(case.cited.venue) and cited_locator(case.cited).identifies


def _names_unread(reference: Reference) -> bool:
    """Return True if unread words precede the title in a printed reference, or initials follow it: names that cannot be
    separated."""
    title = reference.fields.get("title", "")
    before, found, after = reference.text.partition(title) if title and reference.readings else ("", "", "")
    return bool(found) and (_WORD.search(before) is not None or _NAMED.search(after) is not None)


def _names_in_text(case: ReferenceCase) -> bool:
    """Return True if a printed reference contains a family name of the work that its author field lacks."""
    known = missing_field(case, "author") if case.reference.readings else None
    people = known[1].authors if known else ()
    families = [person.family or (person.literal.split() or [""])[-1] for person in people]
    said = fold(case.reference.text)
    return any(len(family) > 2 and fold(family) in said for family in families)


def _advised(case: ReferenceCase) -> list[_Problem]:
    asked = ADVISED[_is_biblatex(case.reference)].get(case.reference.type, ())
    return [_lacking(case, "field-advised", fields) for fields in asked if not _has(case.reference, fields)]


def _has(reference: Reference, fields: _Fields) -> bool:
    return any(reference.fields.get(name, "").strip() for name in fields)


def _is_biblatex(reference: Reference) -> bool:
    return reference.type in _BIBLATEX_TYPES or not BIBLATEX_ALONE.isdisjoint(reference.fields)


def _lacking(case: ReferenceCase, code: str, fields: _Fields) -> _Problem:
    name = fields[_is_biblatex(case.reference)]
    known = missing_field(case, name)
    if known is None:
        return _Problem(code, f"@{case.reference.type} has no {name}")
    value, record = known
    message = f"@{case.reference.type} has no {name}; {source_name(record.source)} has {name} = {{{value}}}"
    return _Problem(code, message, fixes=((name, value),))


def _misplaced(case: ReferenceCase) -> list[_Problem]:
    problems, fields, identifiers = [], case.reference.fields, case.cited.identifiers
    if numbers := ", ".join(identifiers.issn_in_isbn):
        message = f"the field `isbn` contains the ISSN {numbers}"
        problems.append(_Problem("issn-in-isbn", message, "isbn", fields.get("isbn", "")))
    if value := identifiers.generated:
        name = "eprint" if fields.get("eprint", "").strip() == value else "arxiv"
        message = f"“{value}” in the field `{name}` is not the arXiv id of this work, so it was not used"
        problems.append(_Problem("eprint-generated", message, name, value))
    return problems


def _placeholders(case: ReferenceCase) -> list[_Problem]:
    return [
        _Problem("placeholder", f"“{value}” is a placeholder, {sentence}", name, value)
        for name, value, sentence in placeholders(case)
    ]


def _numbered_names(case: ReferenceCase) -> list[_Problem]:
    """Names with the four digits that DBLP adds to distinguish namesakes. Styles would print the digits."""
    name = "editor" if case.cited.edited else "author"
    value = case.reference.fields.get(name, "")
    right = _HOMONYM.sub("", value)
    if right == value:
        return []
    number = _HOMONYM.search(value)
    message = f"“{number[0].strip() if number else ''}” is a number of DBLP's, not part of the name"
    return [_Problem("name-numbered", message, name, value, ((name, right),))]


def _number_problems(case: ReferenceCase) -> list[_Problem]:
    identifiers = case.cited.identifiers
    found = (("isbn", identifiers.isbn_problem), ("issn", identifiers.issn_problem))
    return [
        _Problem(f"{name}-invalid", problem, name, case.reference.fields.get(name, ""))
        for name, problem in found
        if problem
    ]


def _url_problems(case: ReferenceCase) -> list[_Problem]:
    if "url" in case.cited.identifiers.unprinted:
        return []
    return [
        _Problem("url-gone", f"{asked.query.value} does not exist: {asked.answer.scope}", "url", asked.query.value)
        for asked in case.asked("url")
        if isinstance(asked.answer, Absent) and asked.answer.scope
    ]


def _year_problems(case: ReferenceCase) -> list[_Problem]:
    text, year = case.cited.year_text, case.cited.year
    if not text or _WORDS_FOR_YEAR.search(text):
        return []
    if year is None and year_in(text)[1]:
        return []  # a decade, an interval, or before the common era
    if year is None:
        return [_Problem("year-malformed", f"“{text}” is not a four-digit year", "year", text)]
    stated = any(year in work.record.years for work in (*case.works, *case.near_matches))
    if year > case.today.year + YEARS_AHEAD and not stated:
        known = missing_field(case, year_field(case))
        fixes = ((year_field(case), known[0]),) if known is not None else ()
        return [_Problem("year-future", f"the year {year} is in the future", "year", text, fixes)]
    if year < FIRST_PRINT:
        return [_Problem("year-implausible", f"the year {year} is before the first printed book", "year", text)]
    return []


# Proceedings have exactly one year, so a neighbouring year belongs to something else.
_PLACES = frozenset({"booktitle", "maintitle", "eventtitle", "journal", "journaltitle"})
_DATE = lazy_pattern(rf"\b({'|'.join(MONTHS)})[a-z]*\.?(?=[\s\d])([^;()]{{0,40}}?)\b((?:19|20)\d\d)\b", re.IGNORECASE)
_LATE = frozenset(MONTHS[8:])
_SPRINGER = "10.1007/"
_SERIES = lazy_pattern(r"\bspringer\b|\blecture notes\b|\bln(?:cs|ai)\b", re.IGNORECASE)
# The volumes of the Proceedings of Machine Learning Research of these are of the year after the event in most years: CoRL 2022 is
# volume 205 of 2023, ACML 2022 volume 189 of 2023 (proceedings.mlr.press).
_PRINTED_AFTERWARDS = frozenset({"corl", "acml"})
_SUBMITTED_IN_THE_OPEN = frozenset({"iclr"})
"""Conferences with public submissions from the autumn before (openreview.net), which are cited with that year: 9 of 27
conference papers that are one year off in 31 real bibliographies are from ICLR and cited a year early, 17 from NeurIPS
and cited a year late."""
_PRINTED_LATER_BY_SOME = frozenset({"neurips"})
"""Conferences whose volumes are dated one year later by their printer, the ACM Digital Library and Google Scholar:
volume 36, of 2023, is dated 2024."""
_BY_THE_NUMBER = frozenset({"neurips"})
"""Advances in Neural Information Processing Systems 20, of the conference of 2007, was printed in 2008."""


_NOT_OF_THIS_YEAR = "this work is in the proceedings of {0.year_held}, not of {0.cited}: {0.sources}"


@dataclass(frozen=True)
class _Neighbours:
    """A conference paper with its dated records."""

    case: ReferenceCase
    dated: Sequence[Candidate]

    @property
    def cited(self) -> int:
        return self.case.cited.year or 0

    @cached_property
    def at_venue(self) -> list[Candidate]:
        """The records of the work at the cited conference."""
        venue = self.case.cited.venue
        published = [work for work in self.dated if not (work.preprint or work.record.compiled)]
        return [work for work in published if same_venue(venue, work.record) == "same"]

    @cached_property
    def year_held(self) -> int:
        """The year of the proceedings; 0 if it is not known or not certain."""
        years = {year for work in self.at_venue for year in work.record.years}
        return years.pop() if len(years) == 1 else 0

    @property
    def late(self) -> bool:
        return self.cited > self.year_held

    @property
    def at_conference(self) -> bool:
        cited = self.case.cited
        kind = venue_kind(cited.venue, cited.venue_field)
        return bool(cited.year) and kind in ("conference", "beside") and cited.venue_field in _PLACES

    @property
    def of_another_version(self) -> bool:
        """True if the cited year is the year of an event, an identifier or another version of the work."""
        if self.cited in _dates(self.case, self.at_venue):
            return True
        years = _of_identifiers(self.case, self.dated) | {year for work in self.dated for year in work.record.years}
        return self.cited in years or (not self.late and (self.case.outage or min(years) < self.cited))

    @cached_property
    def known(self) -> Venue | None:
        return lookup(self.case.cited.venue, self.year_held)

    def is_of(self, venues: frozenset[str]) -> bool:
        return self.known is not None and self.known.id in venues

    @property
    def sources(self) -> str:
        return ", ".join(dict.fromkeys(source_name(work.record.source) for work in self.at_venue))

    @property
    def may_be_late(self) -> bool:
        """True if the volume may be dated by the year after an event late in the year."""
        return self.late and _held_late(self.case, self.at_venue)


_YEARS: Table[_Neighbours] = Table(
    "cross_db: neighbouring years",
    "checks/cross_db",
    Rule("not at a conference", lambda f: not f.at_conference),
    Rule("unseen DOI", lambda f: f.case.unseen_doi),
    Rule("no year of the proceedings", lambda f: not f.year_held),
    Rule("not a neighbouring year", lambda f: abs(f.cited - f.year_held) != YEARS_ASIDE),
    Rule("year of another version", lambda f: f.of_another_version),
    Rule("printed later", lambda f: f.late and _may_be_printed_later(f.case, f.at_venue, f.year_held, f.known),
         "this work is in the proceedings of {0.year_held}; the publisher may date them {0.cited}: {0.sources}",
         ("unverifiable", "year-unclear")),
    Rule("printed later by some", lambda f: f.late and f.is_of(_PRINTED_LATER_BY_SOME),
         "this work is in the proceedings of {0.year_held}; some publishers date the volume {0.cited}: {0.sources}",
         ("passed", "year-printed")),
    Rule("submitted in the open", lambda f: not f.late and f.is_of(_SUBMITTED_IN_THE_OPEN),
         "this work is in the proceedings of {0.year_held}; {0.cited} is the year of its submission: {0.sources}",
         ("passed", "year-submission")),
    Rule("another year", always, _NOT_OF_THIS_YEAR, ("against", "year-other")),
)  # fmt: skip


def neighbouring_year(case: ReferenceCase, dated: Sequence[Candidate]) -> Finding | None:
    """The finding of cross_db on a conference paper cited one year off; None if the year is right, may be, or is further off.

    dated: the records of the work that state a year.
    """
    facts = _Neighbours(case, dated)
    rule = _YEARS.deciding(facts)
    if not rule.gives:
        return None
    outcome, code = rule.gives
    message, record = rule.said(facts), facts.at_venue[0].record
    shown: Shown = {"cited": str(facts.cited), "found": str(facts.year_held), "record": record}
    if outcome == "unverifiable":
        return finding("cross_db", "unverifiable", code, message, **shown)
    shown["fixes"] = of_other_year(case, record)
    if outcome == "passed":
        return finding("cross_db", "passed", code, message, **shown)
    shown["rule"] = "at least two collections list the work at this conference in a different year"
    evidence = "single record" if facts.may_be_late else evidence_on_a_volume(case, facts.at_venue)
    return accusation(case, "cross_db", code, message, facts.at_venue, evidence, **shown)


def evidence_on_a_volume(case: ReferenceCase, at_venue: Sequence[Candidate]) -> EvidenceKind | None:
    """Return the kind of evidence of records that date a volume; None: that of the records.

    The year of a volume is not entered for each paper, so two collections that copy papers from each other still are two. They
    decide only if a source covers the cited venue and year.
    """
    several = len({work.upstream for work in at_venue if not work.record.compiled}) > 1
    if any(work.matched_identifier == "doi" for work in at_venue) or (case.cited.preprint and not several):
        return None
    return "two records" if several and case.covers_place else "single record"


def _held_late(case: ReferenceCase, at_venue: Sequence[Candidate]) -> bool:
    """True if the event took place late in the year or on an unknown date: the publisher may date the volume a year later."""
    months = {date[1].lower() for date in _dates_of_event(case, at_venue)}
    return not months or not months.isdisjoint(_LATE)


def _dates(case: ReferenceCase, at_venue: Sequence[Candidate]) -> set[int]:
    """The years of the dates of the event, in the records and in the cited venue."""
    return {int(date[3]) for date in _dates_of_event(case, at_venue)}


def _dates_of_event(case: ReferenceCase, at_venue: Sequence[Candidate]) -> list[re.Match[str]]:
    fields = case.reference.fields
    texts = [case.cited.venue, fields.get("eventdate", ""), *(name for work in at_venue for name in work.record.venues)]
    return [date for text in texts for date in _DATE.finditer(text)]


def _of_identifiers(case: ReferenceCase, dated: Sequence[Candidate]) -> set[int]:
    """Return the years contained in the identifiers of the work: its e-print and its DOI."""
    named = case.cited.identifiers
    arxiv = {named.arxiv, *(work.record.arxiv for work in dated)} - {""}
    dois = {named.doi, *(work.record.doi for work in dated)} - {""}
    found = [*map(match_arxiv_id, arxiv), *map(match_doi, dois)]
    years = {one.year for one in found if one is not None and one.year}
    # IJCAI 2020 was held in January 2021; the window for other forms covers earlier and later issues.
    exact = [one for one in found if one is not None and one.year is not None and one.first == one.year]
    return years | {one.last for one in exact if one.last is not None}


def _may_be_printed_later(
    case: ReferenceCase, at_venue: Sequence[Candidate], year_held: int, known: Venue | None
) -> bool:
    """Return True if the volume may bear the year after the event."""
    if year_held < PRINTED_IN_TIME:
        return True
    if known is not None and (
        known.id in _PRINTED_AFTERWARDS or (known.id in _BY_THE_NUMBER and year_held < PRINTED_AT_THE_EVENT)
    ):
        return True
    months = {date[1].lower() for date in _dates_of_event(case, at_venue)}
    return _by_springer(case, at_venue, year_held) and (not months or not months.isdisjoint(_LATE))


def _by_springer(case: ReferenceCase, at_venue: Sequence[Candidate], year_held: int) -> bool:
    """Return True if the proceedings are Springer's, which dates volumes of the autumn by the year after (ECCV 2024, ACCV
    2016)."""
    fields = case.reference.fields
    dois = (case.cited.identifiers.doi, *(work.record.doi for work in at_venue))
    return (
        any(doi.startswith(_SPRINGER) for doi in dois)
        or bool(_SERIES.search(" ".join((fields.get("publisher", ""), fields.get("series", "")))))
        or is_registrant_of(case.cited.venue, year_held, _SPRINGER)
    )
