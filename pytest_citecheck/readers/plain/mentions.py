"""Works that a sentence mentions: a title in quotation marks or emphasis, and after it the people and the year."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest

from pytest_citecheck.model import Reading
from pytest_citecheck.readers.plain.citation import identifiers, leading_authors
from pytest_citecheck.readers.plain.markup import marked
from pytest_citecheck.readers.plain.names import bibtex_authors
from pytest_citecheck.readers.plain.venue import container
from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.venues.comparison import lookup

__all__ = ["mentioned_works"]

_MARKS = ('""', "“”", "„“", "«»", "《》", "『』", "\ue000\ue001", "\ue002\ue003", "\ue004\ue005")
"""Around a title; the private characters stand for emphasis (`markup`)."""
_TITLE = lazy_pattern("|".join(f"{pair[0]}([^{pair}\n]{{4,300}}){pair[1]}" for pair in _MARKS))
_PRIVATE = lazy_pattern("[\ue000-\ue005]")
_YEAR = r"(?:1[5-9]|20)\d\d"
_BY = lazy_pattern(
    rf"[\s,.;:\"”»]*+(?:\((?P<year>{_YEAR})\)[\s,]*+)?(?:[–—-]\s++|(?:written\s++)?(?:by|von|par|por|di|de)\s++|d['’]|(?:作者|著者)\s*+[:：]?\s*+)"
)
_DATED = lazy_pattern(rf"[\s,;(（]*+(?P<year>{_YEAR})(?!\d)")
_PLACED = lazy_pattern(
    r"[\s,;(（]*+(?:(?:and\s++)?(?:published|presented|which appeared|appeared)\s++)?(?:(?:in|at)\s++(?:the\s++)?)?"
    rf"(?P<venue>[^\W\d_][^,.;()]{{1,80}}?)[\s,(]*+(?P<year>{_YEAR})?(?=[\s,.;)]|$)"
)
_PLACE = lazy_pattern(rf",\s+(?=[^\W\d_][^,.;()]{{1,60}}?\s+{_YEAR}(?!\d))")
"""Before a venue and its year: "Ann Quill and Bo Reed, Nature 2001"."""
_AND = lazy_pattern(r"(?<=\w)\s(?:und|y|et(?!\s+al))\s(?=[^\W\d_])")
_LOOSELY = lazy_pattern(rf"(?=[^.;\"“”()]*[A-Z])[^.;\"“”()]{{2,120}}\([^()]{{0,40}}?(?P<year>{_YEAR})\)")
_CAP = r"[^\W\d_a-zß-öø-ÿ][\w'’.-]*"
_NAMED_BEFORE = lazy_pattern(
    rf"(?P<people>{_CAP}(?:\s(?:(?:van|von|de|del|der|den|la|le|da)\s)?{_CAP}){{0,3}}(?:(?:,\s|,?\s(?:and|und|et|y|&)\s){_CAP}(?:\s{_CAP}){{0,3}}){{0,6}}"
    rf"(?:\set\sal\.?)?)(?:['’]s)?\s*+(?:\((?P<year>{_YEAR})[a-z]?\))?\s*+[,:]?\s*+(?:in\s|dans\s|en\s)?$"
)
"""People right before a title: "Max Webers „…“", "Clark et al. (2020), “…”"."""
_IN_BRACKETS = lazy_pattern(rf"\s*[(（](?:[^()（）]{{2,60}}[,，]\s*)?(?P<year>{_YEAR})[)）]")
_LEADING = lazy_pattern(
    r"^(?:[和与及跟如、]|(?:Según|Selon|Laut|Nach|In|See|Like|Also|Both|And|Or|But|While|As|Both|With|Of|For|The|Consider|Read|Zu|Bei|Von|Auch|Chez|Voir"
    r"|Véase|Siehe|Vgl\.|Cf\.|Destacan|According to)\s)+"
)
"""Words before people at the beginning of a sentence."""
_REACH = 600
"""Characters after a title in which its people and year stand."""


def mentioned_works(text: str) -> Iterator[Reading]:
    """The works that sentences mention as ``“Title” by people (year)``, with what marks and certain names delimit."""
    source = marked(text).text
    found = list(_TITLE.finditer(source))
    last = 0
    for match, following in zip_longest(found, found[1:]):
        end = min(following.start() if following else len(source), match.end() + _REACH)
        after = _PRIVATE.sub("", source[match.end() : end])
        title = _PRIVATE.sub("", next(filter(None, match.groups()))).strip(' ,.;:"“”')
        before, last = _PRIVATE.sub("", source[last : match.start()]), match.end()
        if (
            (named := _NAMED_BEFORE.search(before))
            and len(title) > 1
            and (dated := _IN_BRACKETS.match(after) or named["year"])
        ):
            stated = dated if isinstance(dated, str) else dated["year"]
            people = _before(before, named, german=source[match.start()] == "„")
            if people and not people.startswith("{"):
                fields = {"author": people, "title": title, "year": stated}
                yield Reading("misc", fields | identifiers(after[:120]), ("marks around the title",), certain=True)
                continue
        if (by := _BY.match(after)) and len(title) > 1:
            people, rest = _people(_AND.sub(" and ", after[by.end() :]).rstrip(" ."))
            loose = _LOOSELY.match(after, by.end())
            if people or loose:
                # "the Ada team", "Quill and seven others": who that is, is not said.
                fields = {"title": title} | ({} if not people or "{" in people else {"author": people})
                fields |= _details(rest) if people else {}
                if year := by["year"] or (loose["year"] if loose else ""):
                    fields["year"] = year
                kind = fields.pop("type", "misc")
                yield Reading(kind, fields | identifiers(after), ("marks around the title",), certain=True)


def _before(text: str, named: re.Match[str], *, german: bool) -> str:
    """The people that stand right before a title, without the word that leads to them and the ending of their genitive."""
    names = _LEADING.sub("", named["people"])
    owned = re.match(r"['’]s\b", text[named.end("people") :]) is not None
    if german and not named["year"] and not owned:
        names = re.sub(r"(?<=[^\W\d_]{2}[^\W\d_s])s$", "", names)
    names = re.sub(r"['’]s?$", "", names)
    people = bibtex_authors(_AND.sub(" and ", names))
    return people or (
        names
        if (owned or named["year"] or "’" in named["people"] or "'" in named["people"]) and names.isalpha()
        else ""
    )


def _people(text: str) -> tuple[str, str]:
    """The authors that the text begins with, and what follows them; no authors if that is not certain."""
    people, rest = leading_authors(text)
    if people or not (placed := _PLACE.search(text)):
        return people, rest
    return bibtex_authors(text[: placed.start()]), text[placed.start() :]


def _details(rest: str) -> dict[str, str]:
    """The year and the venue right after the names; a venue only if its name is known."""
    fields: dict[str, str] = {}
    if dated := _DATED.match(rest):
        fields["year"] = dated["year"]
        rest = rest[dated.end() :].lstrip(")）")
    if (placed := _PLACED.match(rest)) and lookup(placed["venue"]) is not None:
        kind, where = container(placed["venue"])
        fields |= {"type": kind, where: placed["venue"]}
        if placed["year"] and "year" not in fields:
            fields["year"] = placed["year"]
    return fields
