"""Works that sentences mention: a title between marks, with people and a year beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pytest_citecheck.inputs.budget import lazy_pattern
from pytest_citecheck.inputs.dates import YEAR
from pytest_citecheck.inputs.plain.author_date import IN_MARKS
from pytest_citecheck.inputs.plain.citation import dated_people, identifiers, leading_authors
from pytest_citecheck.inputs.plain.cues import container, marked
from pytest_citecheck.inputs.plain.names import bibtex_authors
from pytest_citecheck.matching import lookup
from pytest_citecheck.model import Reading

_MARKS = ('""', "“”", "„“", "«»", "《》", "『』", "「」", "\ue000\ue001", "\ue002\ue003", "\ue004\ue005")
"""Marks around a title; the private characters represent emphasis (`marked`)."""
_TITLE = lazy_pattern("|".join(f"{pair[0]}([^{pair}\n]{{4,300}}){pair[1]}" for pair in _MARKS))
_PRIVATE = lazy_pattern("[\ue000-\ue005]")
_Y = rf"(?P<year>{YEAR})[a-z]?"
_PARTICLE = r"(?:(?:van|von|de|del|der|den|la|le|da|di)\s)"
_CAP = rf"{_PARTICLE}?[^\W\d_a-zß-öø-ÿа-яё\u3040-\u30ff\u4e00-\u9fff][^\W_\u3040-\u30ff\u4e00-\u9fff]{{0,40}}+[\w'’.-]{{0,40}}"
_NAME = rf"{_CAP}(?:\s{_CAP}){{0,4}}"
_PEOPLE = rf"(?<![\w'’.-])(?P<people>{_NAME}(?:(?:,\s|,?\s(?:and|und|et|y|e|и|&)\s){_NAME}){{0,7}}(?:,?\set\sal\.?)?)"
_EAST = r"(?P<eastern>[\u4e00-\u9fff]{2,4}|[\uac00-\ud7af]{2,4})"
_LINK = r"[^.。!?;:：“”\"«»《》()（）\ue000-\ue005]"
_BEFORE = (
    lazy_pattern(rf"{_PEOPLE}(?:['’]s)?\s*[(（]{_Y}[)）]{_LINK}{{0,80}}[:：,，]?\s*$"),
    lazy_pattern(rf"{_PEOPLE}(?P<owner>['’]s?)?\s*+[,，、:：]?\s*+(?:\b(?:in|dans|en|em|dal)\s)?$"),
    lazy_pattern(rf"{_EAST}(?:的|の|、|，)?$"),
)
"""People and year with words of a sentence up to the title; people directly before it."""
_YEAR_AFTER = lazy_pattern(rf"[\s,，]*(?:[(（](?:[^()（）]{{2,60}}[,，]\s*)?)?{_Y}(?=\s*(?:[)）]|[.,;]|$))")
_IN_BRACKETS = lazy_pattern(rf"[,.]?\s*[(（]{_Y}[)）]")
_AFTER = (
    lazy_pattern(rf"(?:(?<![\s,，])[\s,，]++)?+[(（](?P<people>[^()（）]{{2,200}}?)[,，\s]++{_Y}[)）]"),
    lazy_pattern(
        rf"(?:(?<![\s,.;:\"”»])[\s,.;:\"”»]++)?+(?:[(（]{_Y}[)）][\s,]*+)?+(?:[–—-]\s+|(?:(?:written\s+)?(?:by|von|par|por|di|de)\s+|d['’])|(?:作者|著者)\s*+[:：]?\s*+)(?P<rest>\S.*)",
        re.DOTALL,
    ),
)
_DATED = lazy_pattern(
    rf"[^.;\"“”()（）]{{0,120}}[\s,;(（]*{_Y}(?!\d)|[^.;\"“”()]{{2,120}}\([^()]{{0,40}}?(?P<later>{YEAR})\)"
)
_PLACED = lazy_pattern(
    r"[\s,;(（]*+(?:(?:and\s++)?(?:published|presented|which appeared|appeared)\s++)?(?:(?:in|at)\s++(?:the\s++)?)?"
    rf"(?P<venue>[^\W\d_][^,.;()]{{1,80}}?)[\s,(]*+(?:{YEAR})?(?=[\s,.;)]|$)"
)
_PLACE_AND_YEAR = lazy_pattern(rf",\s+(?=[^\W\d_][^,.;()]{{1,60}}?\s+{YEAR}(?!\d))")
"""Before a venue and its year: "Ann Quill and Bo Reed, Nature 2001"."""
_OPENS = lazy_pattern(
    r"^(?:(?:[和与及跟如、]|Según|Selon|Laut|Nach|In|See|Like|Also|Both|And|Or|But|While|As|With|Of|For|The|Consider|Read|Zu|Bei|Von|Auch|Chez|Voir"
    r"|Véase|Siehe|Vgl\.|Cf\.|Destacan|According|Ver|Seminal|Classic)\s)+"
)
"""Words before people at the beginning of a sentence."""
_REACH = 600
"""Characters after a title that are searched for its people and year."""


def mentioned_works(text: str) -> Iterator[Reading]:
    """Yield the works that a text mentions by a title between marks, people and a year beside it."""
    source = marked(text).text
    found = list(_TITLE.finditer(source))
    edges = [0, *(match.end() for match in found)]
    starts = [*(match.start() for match in found), len(source)]
    for place, match in enumerate(found):
        title = _PRIVATE.sub("", next(filter(None, match.groups()))).strip(' ,.;:"“”')
        before = _PRIVATE.sub("", source[edges[place] : match.start()])
        after = _PRIVATE.sub("", source[match.end() : min(starts[place + 1], match.end() + _REACH)])
        if len(title) < 2 or (title.islower() and title.isascii()):
            continue
        if fields := _beside(before, after, german=match[0][0] == "„", sentence=len(title.split()) > 3):
            kind = fields.pop("type", "misc")
            yield Reading(kind, {"title": title, **fields} | identifiers(after[:120]), IN_MARKS, certain=True)


def _beside(before: str, after: str, *, german: bool, sentence: bool) -> dict[str, str]:
    """Return people and year of a title from the words around it."""
    follows = _after(after)
    if "author" in follows:
        return follows
    later = _YEAR_AFTER.match(after)
    for number, pattern in enumerate(_BEFORE):
        named = pattern.search(before)
        year = named["year"] if named and not number else later["year"] if later else ""
        if named and year and (people := _named(named, german=german and bool(number))):
            return {"author": people, "year": year}
    if (inside := _AFTER[0].match(after)) and (people := dated_people(inside["people"])):
        return {"author": people, "year": inside["year"]}
    direct = _IN_BRACKETS.match(after)
    return follows or ({"year": direct["year"]} if direct and sentence else {})


def _named(match: re.Match[str], *, german: bool) -> str:
    """Return the people before a title, without a word that opens the sentence and without genitive endings."""
    groups = match.groupdict()
    if eastern := groups.get("eastern"):
        return bibtex_authors(eastern)
    names = _OPENS.sub("", groups["people"] or "")
    owned = groups.get("owner")
    if german and not owned and not groups.get("year"):
        names = re.sub(r"(?<=[^\W\d_]{2}[^\W\d_s])s$", "", names)
    names = re.sub(r"['’]s?$", "", names)
    return dated_people(names)


def _after(after: str) -> dict[str, str]:
    """Return the people, year and venue after a title and a word for "by"."""
    by = _AFTER[1].match(after)
    if by is None:
        return {}
    people, rest = leading_authors(by["rest"].rstrip(" ."))
    if not people and (placed := _PLACE_AND_YEAR.search(by["rest"])):
        people, rest = bibtex_authors(by["rest"][: placed.start()]), by["rest"][placed.start() :]
    dated = _DATED.match(rest if people else by["rest"])
    year = by["year"] or (dated and (dated["year"] or dated["later"])) or ""
    if not year or (dated is None and not people):
        return {}
    if not people or people.startswith("{"):  # "the Ada team" and "Quill and seven others" do not identify people
        return {"year": year} if any(map(str.isupper, by["rest"][: dated.end() if dated else 0])) else {}
    return {"author": people, "year": year, **_venue(rest)}


def _venue(rest: str) -> dict[str, str]:
    """Return the venue directly after the names if it is known."""
    rest = re.sub(rf"^[\s,;(（]*(?:{YEAR})[)）]?", "", rest)
    placed = _PLACED.match(rest)
    if placed is None or lookup(placed["venue"]) is None:
        return {}
    kind, where = container(placed["venue"])
    return {"type": kind, where: placed["venue"]}
