"""Placeholders: values of a template that was not filled in, and values that models write instead of data.

8 of 100 invented citations in accepted papers have one, and none of 7,401 real citations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from pytest_citecheck.checks.base import ReferenceCase
from pytest_citecheck.matching import lazy_pattern


class Placeholder(NamedTuple):
    """A kind of placeholder: its fields, its pattern, what the value is not, and True if it must be the whole value."""

    fields: tuple[str, ...]
    pattern: re.Pattern[str]
    sentence: str
    whole: bool = False


_AROUND = " .,:;{}[]<>()_'\"-"
_PEOPLE = ("author", "editor")
_ANY = ("note", "eprint", "doi", "url", "journal", "howpublished", "arxiv", "volume", "pages")

PLACEHOLDERS = (
    Placeholder(
        _PEOPLE,
        lazy_pattern(
            r"(?<![^\W\d_])(?:John\s+Doe|Doe,\s+John|Jane\s+Doe|Doe,\s+Jane|First[\s-]?name\s+(?:Last|Sur)[\s-]?name"
            r"|(?:Last|Sur)[\s-]?name,\s+First[\s-]?name|(?:First|Second|Third)\s+Author|Author\s+(?:Name|One|Two|Three|\d)"
            r"|Author,\s+(?:First|Second|Third|[A-C]\.)|Authors?\s+et\s+al)(?![^\W\d_])",
            re.IGNORECASE,
        ),
        "not a person",
    ),
    # In capitals and alone: Todo is a family name.
    Placeholder((*_PEOPLE, "title"), lazy_pattern(r"TODO|TBD|X{3,}"), "not data of a work", whole=True),
    Placeholder(
        ("title",),
        lazy_pattern(
            r"(?:(?:insert|add|your|paper|article|the)\s)?title(?:\shere|\sof\s(?:the|your)\s(?:paper|article|work))?",
            re.IGNORECASE,
        ),
        "not a title",
        whole=True,
    ),
    Placeholder(
        ("doi", "url", "note"),
        lazy_pattern(r"10\.(?:1234|12345|0000|x{4,5})/\S++|10\.\d{4,5}/[\w.]*x{4}[\w.]*+", re.IGNORECASE),
        "not a DOI",
    ),
    # The first number of a month (2401.00001) is one of thousands, and the first that models write.
    Placeholder(
        _ANY, lazy_pattern(r"(?<![\w.])(?:\d{4}|[XY]{4})\.(?:X{4,5}|x{4,5}|0{4,5}[01]?)(?![\w.])"), "not an arXiv id"
    ),
)  # fmt: skip


def placeholders(case: ReferenceCase) -> Iterator[tuple[str, str, str]]:
    """Yield field, value and what it is not, for each placeholder.

    People are left out if a record of the work has them, and other values if any record of the work was found.
    """
    found = bool(case.works or case.near_matches)
    confirmed = any(work.people_agree for work in case.works)
    for row in PLACEHOLDERS:
        for name in row.fields:
            if confirmed if name in _PEOPLE else found:
                continue
            value = case.reference.fields.get(name, "")
            match = row.pattern.fullmatch(value.strip(_AROUND)) if row.whole else row.pattern.search(value)
            if value and match is not None:
                yield name, match[0].strip(), row.sentence
