"""completeness: the entry has the fields that its type requires, a plausible year, and well-formed identifiers.

Required fields: BibTeX's standard styles (Oren Patashnik, "BibTeXing", section 3.1) and the biblatex manual (section
2.1.1); where the two differ, what either accepts is accepted. A tuple means: one of these.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pytest_citecheck.checks.base import Case, finding
from pytest_citecheck.model import Absent, Finding, Reference
from pytest_citecheck.thresholds import FIRST_PRINT, YEARS_AHEAD

__all__ = ["REQUIRED", "check_completeness"]

_AUTHOR = ("author",)
_AUTHOR_OR_EDITOR = ("author", "editor")
_TITLE = ("title",)
_YEAR = ("year", "date")
_PLACE = ("school", "institution", "publisher", "organization")

REQUIRED: dict[str, tuple[tuple[str, ...], ...]] = {
    "article": (_AUTHOR, _TITLE, ("journal", "journaltitle", "booktitle", "eprint"), _YEAR),
    "book": (_AUTHOR_OR_EDITOR, _TITLE, ("publisher", "organization"), _YEAR),
    "mvbook": (_AUTHOR_OR_EDITOR, _TITLE, _YEAR),
    "inbook": (_AUTHOR_OR_EDITOR, _TITLE, ("booktitle", "chapter", "pages"), _YEAR),
    "incollection": (_AUTHOR, _TITLE, ("booktitle",), _YEAR),
    "inproceedings": (_AUTHOR, _TITLE, ("booktitle", "eventtitle", "journal", "eprint"), _YEAR),
    "conference": (_AUTHOR, _TITLE, ("booktitle", "eventtitle", "journal", "eprint"), _YEAR),
    "proceedings": (_TITLE, _YEAR),
    "collection": (("editor",), _TITLE, _YEAR),
    "phdthesis": (_AUTHOR, _TITLE, _PLACE, _YEAR),
    "mastersthesis": (_AUTHOR, _TITLE, _PLACE, _YEAR),
    "thesis": (_AUTHOR, _TITLE, _PLACE, _YEAR),
    "techreport": (_AUTHOR, _TITLE, _PLACE, _YEAR),
    "report": (_AUTHOR, _TITLE, _PLACE, _YEAR),
    "unpublished": (_AUTHOR, _TITLE),
    "booklet": (_TITLE,),
    "manual": (_TITLE,),
    "patent": (_AUTHOR, _TITLE, ("number",), _YEAR),
    "online": (_TITLE, ("url", "doi", "eprint")),
    "dataset": (("author", "editor", "publisher"), _TITLE, _YEAR),
    "software": (("author", "editor", "publisher"), _TITLE, _YEAR),
    "misc": (_TITLE,),
}
_OTHERWISE = (_TITLE,)


_RULES = {
    "field-missing": "BibTeX and biblatex both require these fields of this type of entry",
    "year-malformed": "a year has four digits",
    "year-future": f"a publication is dated at most {YEARS_AHEAD} year ahead",
    "year-implausible": f"nothing was printed before {FIRST_PRINT}",
    "isbn-invalid": "an ISBN has 10 or 13 digits, of which the last follows from the others",
    "issn-invalid": "an ISSN has 8 digits, of which the last follows from the others",
    "url-gone": "the server of the page answered 404 or 410",
}

_WORDS_FOR_YEAR = re.compile(
    r"\b(in press|to appear|forthcoming|submitted|in preparation|n\.?\s?d\.?|accepted)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class _Problem:
    """Something missing or malformed. field: its field; empty where nothing is cited."""

    code: str
    message: str
    field: str = ""
    cited: str = ""


def check_completeness(case: Case) -> Finding:
    """Failed with everything that is missing or malformed, each with its code, and with its value as cited."""
    problems = [*_missing(case.reference), *_year_problems(case), *_number_problems(case), *_url_problems(case)]
    if not problems:
        return finding("completeness", "passed", "complete", f"has what @{case.reference.type} requires")
    codes = tuple(dict.fromkeys(problem.code for problem in problems))
    cited = [problem for problem in problems if problem.cited]
    return Finding(
        "completeness",
        "failed",
        codes[0],
        "; ".join(problem.message for problem in problems),
        cited=cited[0].cited
        if len(cited) == 1
        else "; ".join(f"{problem.field} = {problem.cited}" for problem in cited),
        rule="; ".join(_RULES[code] for code in codes),
        also=codes[1:],
    )


def _missing(reference: Reference) -> list[_Problem]:
    return [
        _Problem("field-missing", f"@{reference.type} needs {' or '.join(alternatives)}")
        for alternatives in REQUIRED.get(reference.type, _OTHERWISE)
        if not any(reference.fields.get(name, "").strip() for name in alternatives)
    ]


def _number_problems(case: Case) -> list[_Problem]:
    identifiers = case.cited.identifiers
    found = (("isbn", identifiers.isbn_problem), ("issn", identifiers.issn_problem))
    return [
        _Problem(f"{name}-invalid", problem, name, case.reference.fields.get(name, ""))
        for name, problem in found
        if problem
    ]


def _url_problems(case: Case) -> list[_Problem]:
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
        return [_Problem("year-future", f"the year {year} is in the future", "year", text)]
    if year < FIRST_PRINT:
        return [_Problem("year-implausible", f"the year {year} is before the first printed book", "year", text)]
    return []
