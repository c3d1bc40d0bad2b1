"""completeness: the entry has the fields that its type requires, a plausible year, and well-formed identifiers.

Required fields: BibTeX's standard styles (Oren Patashnik, "BibTeXing", section 3.1) and the biblatex manual (section
2.1.1); where the two differ, what either accepts is accepted. A tuple means: one of these.
"""

from __future__ import annotations

import re

from pytest_citecheck.checks.base import Case, finding
from pytest_citecheck.model import Absent, Finding

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

FIRST_PRINT = 1450
AHEAD = 1
"""Years that a publication may be dated ahead: issues of next year appear this year."""

_RULES = {
    "field-missing": "fields that both BibTeX and biblatex require of this type",
    "year-malformed": "a year has four digits",
    "year-future": "a publication is dated at most one year ahead",
    "year-implausible": "nothing was printed before 1450",
    "isbn-invalid": "the check digit of an ISBN",
    "issn-invalid": "the check digit of an ISSN",
    "url-gone": "the server of the page answered 404 or 410",
}

_WORDS_FOR_YEAR = re.compile(
    r"\b(in press|to appear|forthcoming|submitted|in preparation|n\.?\s?d\.?|accepted)\b", re.IGNORECASE
)


def check_completeness(case: Case) -> Finding:
    """Failed with everything that is missing or malformed; the code is that of the first."""
    reference = case.reference
    problems = [
        ("field-missing", f"@{reference.type} needs {' or '.join(alternatives)}")
        for alternatives in REQUIRED.get(reference.type, _OTHERWISE)
        if not any(reference.fields.get(name, "").strip() for name in alternatives)
    ]
    problems += _year_problems(case)
    identifiers = case.claim.identifiers
    for code, problem in (
        ("isbn-invalid", identifiers.isbn_problem),
        ("issn-invalid", identifiers.issn_problem),
    ):
        if problem:
            problems.append((code, problem))
    problems += _url_problems(case)
    if problems:
        code = problems[0][0]
        return finding(
            "completeness",
            "failed",
            code,
            "; ".join(message for _, message in problems),
            cited=case.claim.year_text if code.startswith("year") else "",
            rule=_RULES[code],
        )
    return finding("completeness", "passed", "complete", f"has what @{reference.type} requires")


def _url_problems(case: Case) -> list[tuple[str, str]]:
    return [
        ("url-gone", f"{asked.question.value} leads nowhere: {asked.answer.scope}")
        for asked in case.asked("url")
        if isinstance(asked.answer, Absent) and asked.answer.scope
    ]


def _year_problems(case: Case) -> list[tuple[str, str]]:
    text, year = case.claim.year_text, case.claim.year
    if not text or _WORDS_FOR_YEAR.search(text):
        return []
    if year is None:
        return [("year-malformed", f"“{text}” is no year of four digits")]
    if year > case.today.year + AHEAD:
        return [("year-future", f"the year {year} is yet to come")]
    if year < FIRST_PRINT:
        return [("year-implausible", f"the year {year} is before the first printed book")]
    return []
