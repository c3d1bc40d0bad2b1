"""completeness: the entry can be printed and found, has a plausible year, and well-formed numbers.

Required fields: BibTeX's standard styles (Oren Patashnik, "BibTeXing", section 3.1) and the biblatex manual (section 2.1.1), told
apart by the fields of the entry. Without a title, people, a year, or the name of what contains the work, an entry fails. The
other required fields are hints: both print an entry without them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pytest_citecheck.checks.base import Case, finding
from pytest_citecheck.checks.corrections import missing_field, year_field
from pytest_citecheck.linking.source_names import source_name
from pytest_citecheck.model import Absent, Finding, Reference
from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.thresholds import FIRST_PRINT, YEARS_AHEAD

__all__ = ["ADVISED", "BIBLATEX_ALONE", "REQUIRED", "check_completeness"]

_Fields = tuple[str, ...]
"""Fields of which one is enough; the first two are how BibTeX and biblatex call what they hold."""

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
    "identifier": (),  # a line of a list of identifiers, which says nothing else
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
"""What else BibTeX's styles (False) or biblatex (True) ask for, by type."""

BIBLATEX_ALONE = frozenset({
    "journaltitle", "date", "location", "eventtitle", "maintitle", "eprinttype", "eprintclass", "langid", "pubstate",
})  # fmt: skip
"""Fields that biblatex has and BibTeX's styles do not: they tell for which an entry is written."""
_BIBLATEX_TYPES = _BIBLATEX.keys() - _BIBTEX.keys() - {"booklet", "manual", "misc"}

_RULES = {
    "field-missing": "without a title, people, a year and the name of what contains it a work cannot be found",
    "field-advised": "BibTeX's standard styles or biblatex ask for the field",
    "year-malformed": "a year has four digits",
    "year-future": f"a publication is dated at most {YEARS_AHEAD} year ahead",
    "year-implausible": f"nothing was printed before {FIRST_PRINT}",
    "isbn-invalid": "an ISBN has 10 or 13 digits, of which the last follows from the others",
    "issn-invalid": "an ISSN has 8 digits, of which the last follows from the others",
    "issn-in-isbn": "ISSNs have a field of their own",
    "url-gone": "the server of the page answered 404 or 410",
}

_WORD = lazy_pattern(r"[^\W\d_]{3}")
_WORDS_FOR_YEAR = lazy_pattern(
    r"\b(in press|to appear|forthcoming|submitted|in preparation|n\.?\s?d\.?|accepted)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class _Problem:
    """Something missing or malformed. field, cited: its field and value, empty where nothing is cited. fixes: what to write."""

    code: str
    message: str
    field: str = ""
    cited: str = ""
    fixes: tuple[tuple[str, str], ...] = ()


def check_completeness(case: Case) -> Finding:
    """Failed with everything without which the entry cannot be printed or found, or that is malformed, each with its code and its
    value as cited; else passed, with hints at what else could be better."""
    problems = [*_missing(case), *_year_problems(case), *_number_problems(case), *_url_problems(case)]
    if problems:
        return _of(problems, "failed")
    hints = [*_advised(case), *_misplaced(case)]
    if hints:
        return _of(hints, "passed")
    return finding("completeness", "passed", "complete", f"has what @{case.reference.type} requires")


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


def _missing(case: Case) -> list[_Problem]:
    if any(defect.code == "crossref-missing" for defect in case.reference.defects):
        return []  # the entry inherits fields from another file
    required = REQUIRED.get(case.reference.type, _LOOSE)
    placed = bool(case.cited.venue) or bool(case.cited.identifiers.arxiv)
    return [
        _lacking(case, "field-missing", fields)
        for fields in required
        if not _has(case.reference, fields)
        and not (fields is _JOURNAL and placed)
        and not (fields is _PEOPLE and _names_unread(case.reference))
    ]


def _names_unread(reference: Reference) -> bool:
    """Whether a printed reference has words before its title that were not read: they are names that cannot be told apart."""
    title = reference.fields.get("title", "")
    before, found, _ = reference.text.partition(title) if title and reference.readings else ("", "", "")
    return bool(found) and _WORD.search(before) is not None


def _advised(case: Case) -> list[_Problem]:
    asked = ADVISED[_is_biblatex(case.reference)].get(case.reference.type, ())
    return [_lacking(case, "field-advised", fields) for fields in asked if not _has(case.reference, fields)]


def _has(reference: Reference, fields: _Fields) -> bool:
    return any(reference.fields.get(name, "").strip() for name in fields)


def _is_biblatex(reference: Reference) -> bool:
    return reference.type in _BIBLATEX_TYPES or not BIBLATEX_ALONE.isdisjoint(reference.fields)


def _lacking(case: Case, code: str, fields: _Fields) -> _Problem:
    name = fields[_is_biblatex(case.reference)]
    known = missing_field(case, name)
    if known is None:
        return _Problem(code, f"@{case.reference.type} has no {name}")
    value, record = known
    message = f"@{case.reference.type} has no {name}; {source_name(record.source)} has {name} = {{{value}}}"
    return _Problem(code, message, fixes=((name, value),))


def _misplaced(case: Case) -> list[_Problem]:
    found = case.cited.identifiers.issn_in_isbn
    if not found:
        return []
    cited, numbers = case.reference.fields.get("isbn", ""), ", ".join(found)
    return [_Problem("issn-in-isbn", f"the field `isbn` contains the ISSN {numbers}", "isbn", cited)]


def _number_problems(case: Case) -> list[_Problem]:
    identifiers = case.cited.identifiers
    found = (("isbn", identifiers.isbn_problem), ("issn", identifiers.issn_problem))
    return [
        _Problem(f"{name}-invalid", problem, name, case.reference.fields.get(name, ""))
        for name, problem in found
        if problem
    ]


def _url_problems(case: Case) -> list[_Problem]:
    if "url" in case.cited.identifiers.unprinted:
        return []
    return [
        _Problem(
            "url-gone", f"{asked.question.value} does not exist: {asked.answer.scope}", "url", asked.question.value
        )
        for asked in case.asked("url")
        if isinstance(asked.answer, Absent) and asked.answer.scope
    ]


def _year_problems(case: Case) -> list[_Problem]:
    text, year = case.cited.year_text, case.cited.year
    if not text or _WORDS_FOR_YEAR.search(text):
        return []
    if year is None:
        return [_Problem("year-malformed", f"“{text}” is not a year of four digits", "year", text)]
    if year > case.today.year + YEARS_AHEAD:
        known = missing_field(case, year_field(case))
        fixes = ((year_field(case), known[0]),) if known is not None else ()
        return [_Problem("year-future", f"the year {year} is in the future", "year", text, fixes)]
    if year < FIRST_PRINT:
        return [_Problem("year-implausible", f"the year {year} is before the first printed book", "year", text)]
    return []
