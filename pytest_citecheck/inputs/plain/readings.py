"""Readings of one reference string: a title delimited by marks or by its neighbours, or the most probable title.

The first reading is certain if marks delimit the title, or if two independent methods find the same title: the styles of
reference lists and the weighing of all segmentations.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from pytest_citecheck.inputs.bibtex.reader import reference_of
from pytest_citecheck.inputs.budget import lazy_pattern
from pytest_citecheck.inputs.dates import YEAR
from pytest_citecheck.inputs.plain.author_date import IN_MARKS, LOOSE, ONLY_AFTER, author_date
from pytest_citecheck.inputs.plain.citation import (
    identifiers,
    read_citation,
    read_standard,
    tail_fields,
    without_identifiers,
)
from pytest_citecheck.inputs.plain.cues import lone_year, marked
from pytest_citecheck.inputs.plain.names import bibtex_authors, likely_authors
from pytest_citecheck.inputs.plain.segments import Segmentation, people_before, segmentations, separated, tidied
from pytest_citecheck.inputs.plain.untitled import untitled
from pytest_citecheck.matching import decode, words
from pytest_citecheck.model import Location, Reading, Reference

_TAIL = 8
_BY_PLACE = "only people, journal, volume, page and year"
_BOTH_WAYS = "two ways of reading agree"
_LEAST_WEIGHT = 1.0
"""Minimum weight of a usable segmentation."""
_CLOSE = 1.5
"""Weight that a segmentation may lack if a style of reference lists finds it too."""
_YEAR_BEFORE = lazy_pattern(rf"(?:(?<![\s,.(])[\s,.(]++)?({YEAR})[a-z]?(?:,[^()]{{0,40}})?\)?[\s.,:]*+$")
_GOST = lazy_pattern(r"(?<![:\]])(?:\.\s++|(?<![\s.])\s++)//\s++")
"""Separator between title and journal in Russian lists."""
_IN_ABROAD = lazy_pattern(
    r"(?<=[.,”\"»])\s+(?:En|Dans|Em|en|dans|em):?\s+(?=(?:Proceedings|Proc\.|Advances|Conference|International|Workshop|IEEE|ACM"
    r"|Act[ae]s|Anais|Findings|\d+(?:st|nd|rd|th)\s)\b)"
)
"""The word before the proceedings in Spanish, French and Portuguese lists."""
_ASKS = lazy_pattern(r"[?!]+")
_YEAR_AFTER = lazy_pattern(rf",\s+(?:[A-Z][a-z]{{2,8}}\.?\s+)?{YEAR}[a-z]?$")
_YEAR_AT_END = lazy_pattern(rf"\(({YEAR})[a-z]?\)[\s.]*$")
_QUOTES = '"“”„'
_INNER_QUOTE = lazy_pattern(f"[{_QUOTES}]")
_OPENING_QUOTES = " \"“„«「『《»'‘*_"


_WORD = lazy_pattern(r"\b(?!(?:arxiv|doi|pmc?id|isbn|preprint|link|url)\b)[^\W\d_]{3}", re.IGNORECASE)
_WORKSHOP = lazy_pattern(r"\bworkshops?\b", re.IGNORECASE)
_PARTS = lazy_pattern(r"[.,;:()]")


def string_readings(text: str) -> tuple[Reading, ...]:
    """Return the readings of a tidied reference string, the most probable one first; empty if it cannot be parsed."""
    text = _IN_ABROAD.sub(" In ", _GOST.sub(". In: ", _ET_DOT.sub("et al", text)))
    return tuple(_with_workshop(_without_locator(reading), text) for reading in _readings(text))


_ET_DOT = lazy_pattern(r"\bet\. al\b")
_LOCATOR = lazy_pattern(
    r"(?:,\s*+|(?<=\w)\s++)\(?pp?\.\s?\d+(?:\s?[-–]+\s?\d+)?\)?$|,\s+in (?:the )?Proc(?:eedings|\.)\s.*$"
)
_ONLY_LOCATOR = lazy_pattern(r"(?:pp?\.|(?:sub)?sec(?:tion|\.)|chap(?:ter|\.)|eq\.)\s?[\d.,–-]+", re.IGNORECASE)


def _without_locator(reading: Reading) -> Reading:
    """Remove pages and proceedings at the end of a title, and a title that is only the number of a page or section."""
    title = reading.fields.get("title", "")
    kept = "" if _ONLY_LOCATOR.fullmatch(title) else _LOCATOR.sub("", title)
    if kept == title:
        return reading
    fields = {name: value for name, value in reading.fields.items() if name != "title"} | (
        {"title": kept} if kept else {}
    )
    return replace(reading, fields=fields)


def _with_workshop(reading: Reading, text: str) -> Reading:
    """Add a workshop that follows the venue: "In NeurIPS. Workshop on Causal Inference, 2016"."""
    name = next((name for name in ("booktitle", "journal") if name in reading.fields), "")
    venue = reading.fields.get(name, "")
    place = text.rfind(venue) if venue and "workshop" not in venue.lower() else -1
    parts = _PARTS.split(text[place + len(venue) :]) if place >= 0 else ()
    workshop = next((part.strip() for part in parts if _WORKSHOP.search(part)), "")
    return replace(reading, fields={**reading.fields, name: f"{venue}, {workshop}"}) if workshop else reading


def _readings(text: str) -> tuple[Reading, ...]:
    # A page or a year ends such a string, which costs less to see than to remove identifiers.
    if any(map(str.isdigit, text[-_TAIL:])) and (place := untitled(without_identifiers(marked(text).bare))):
        return (_reading(place | identifiers(text), (_BY_PLACE,), certain=True),)
    continental = _continental(text)
    style, strict = read_citation(text)
    if style == "marks" and (
        continental is None or LOOSE in continental.cues or not _within(strict["title"], continental.fields["title"])
    ):
        return (_reading(strict, IN_MARKS, certain=True),)
    found = _generic(text, style, strict)
    return found if continental is None else _with_continental(continental, found)


def _continental(text: str) -> Reading | None:
    """Return the reading in a style of the humanities, if any; it is certain only if marks delimit the title."""
    found = author_date(without_identifiers(marked(text).bare))
    if found is None or not re.search(r"[^\W\d_]{2}", found.fields.get("title", "")):
        return None
    return replace(found, fields={**found.fields, **identifiers(text)})


def _within(one: str, other: str) -> bool:
    short, long = " ".join(words(one)), " ".join(words(other))
    return len(short) < len(long) and short in long


def _with_continental(continental: Reading, found: tuple[Reading, ...]) -> tuple[Reading, ...]:
    """Add the humanities reading: first if something marks the end of its title and the other readings disagree."""
    title = continental.fields["title"]
    if found and _same_title(found[0].fields.get("title", ""), title):
        return found
    others = tuple(one for one in found if not _same_title(one.fields.get("title", ""), title))
    within = bool(found) and _within(found[0].fields.get("title", ""), title)
    if LOOSE in continental.cues and within:
        return (*found, continental)  # nothing marks the end of its title, but another reading finds one
    cut = within and found[0].certain
    first = continental.certain or (ONLY_AFTER in continental.cues and not cut) or not others or not found[0].certain
    return (continental, *others) if first else (others[0], continental, *others[1:])


def _generic(text: str, style: str, strict: dict[str, str]) -> tuple[Reading, ...]:
    """Return the readings from the styles of the sciences and from weighing all segmentations."""
    bare = marked(text).bare
    by_mark, standard = read_standard(without_identifiers(bare))
    if by_mark:
        return (_reading(_whole(standard, text), IN_MARKS, certain=True),)
    if "rest" in standard:
        people = bare[: len(bare) - len(standard["rest"])] if bare.endswith(standard["rest"]) else standard["author"]
        bare = f"{people.rstrip(' .:')}. {standard['rest']}"
        style, strict = read_citation(bare)
        strict |= identifiers(text)
    weighed = [one for one in segmentations(bare) if one.weight >= _LEAST_WEIGHT]
    named = identifiers(text)
    found = [_reading(_fields(one) | named, one.cues) for one in weighed]
    if style:
        strict |= {"year": last[1]} if (last := _YEAR_AT_END.search(without_identifiers(bare))) else {}
        return _with_strict(strict, weighed, found)
    if found:
        return tuple(found)
    return (_reading(strict, ()),) if strict else ()


def _whole(fields: dict[str, str], text: str) -> dict[str, str]:
    """Add the identifiers and the year of the text."""
    whole = {**fields, **identifiers(text)}
    if "year" not in whole and (year := _year_in(without_identifiers(text))):
        whole["year"] = year
    return whole


def _year_in(text: str) -> str:
    """Return the year in brackets at the end, or else the only year between punctuation marks."""
    last = _YEAR_AT_END.search(text)
    return last[1] if last else lone_year(text)


def _with_strict(strict: dict[str, str], weighed: list[Segmentation], found: list[Reading]) -> tuple[Reading, ...]:
    """Add the title found by the styles: certain if both methods agree; otherwise the stronger reading comes first."""
    best = weighed[0].weight if weighed else 0.0
    undated = _YEAR_AFTER.sub("", strict["title"])
    if weighed and undated != strict["title"] and _same_title(weighed[0].title, undated):
        strict = {**strict, "title": undated}
    same = next((one for one in weighed if _same_title(one.title, strict["title"])), None)
    agreed = same is not None and same.weight == best
    cues = (*(same.cues if same else ()), *((_BOTH_WAYS,) if agreed else ()))
    first = _reading(strict, cues, certain=agreed)
    others = [one for one in found if not _same_title(one.fields["title"], strict["title"])]
    likely = agreed or not others or (same is not None and same.weight > best - _CLOSE)
    return (first, *others) if likely else (others[0], first, *others[1:])


def reading_between(text: str, start: int, end: int, cue: str) -> Reading:
    """Return the reading with the title between two offsets; people who are not certainly names are left out."""
    asks = _ASKS.match(text, end)
    end = asks.end() if asks else end
    before, after = text[:start].rstrip(_OPENING_QUOTES), text[end:]
    year = _YEAR_BEFORE.search(before)
    people = bibtex_authors(people_before(before[: year.start()] if year else before))
    title = text[start:end].strip(' .,;:"“”„')
    fields = {"author": people, "title": title, **_details(after, year[1] if year else "")}
    fields = {name: value for name, value in fields.items() if value} | identifiers(text)
    if "year" not in fields and (lone := lone_year(without_identifiers(text))):
        fields["year"] = lone
    return _reading(fields, (cue,), certain=True)


def _fields(found: Segmentation) -> dict[str, str]:
    people = bibtex_authors(found.before) or likely_authors(found.before)
    title = found.title.strip()
    bare = title.rstrip(" .,")
    if title[:1] in _QUOTES and bare[-1:] in _QUOTES and not _INNER_QUOTE.search(bare[1:-1]):
        title = title.strip(' .,"“”„')
    title = title if title.endswith(("...", "?", "!")) else title.rstrip(" .,;")
    fields = {"author": people, "title": title, **_details(found.after, found.year)}
    return {name: value for name, value in fields.items() if value}


def _details(after: str, year: str) -> dict[str, str]:
    """Return the fields after a title; the year before it takes precedence, since a venue name may contain a year."""
    after = without_identifiers(after).lstrip(' .,;:"”»*_')
    fields = tail_fields(after)
    if not year and (last := _YEAR_AT_END.search(after)):
        year = last[1]
    if year:
        fields["year"] = year
    elif "year" not in fields and (later := lone_year(re.split(r"\b(?:Accessed|Retrieved|Zugriff)\b", after)[0])):
        fields["year"] = later
    return fields


def _reading(fields: Mapping[str, str], cues: tuple[str, ...], *, certain: bool = False) -> Reading:
    raw = dict(fields)
    return Reading(popped_type(raw), raw, cues, certain)


def popped_type(fields: dict[str, str], text: str = "") -> str:
    """Remove ``type`` from the fields and return the entry type. text: the source string."""
    kind = fields.pop("type", "article" if "eprint" in fields else "misc")
    if text and not fields.keys() & {"title", "author"} and not _WORD.search(without_identifiers(text)):
        return "identifier"
    return "misc" if kind == "article" and not fields.keys() & {"journal", "eprint"} else kind


def _same_title(one: str, other: str) -> bool:
    return words(one) == words(other)


_LONGEST = 20_000
"""Maximum length of a reference string in characters: enough for a paper with 1,000 authors."""


def read_reference_strings(strings: Iterable[tuple[str, Location]]) -> list[Reference]:
    """Return the references of these strings in order, each with its location and the string as its ``text``.

    Each string yields one reference, or two if two are glued together. Line breaks, hyphens at line ends, ligatures and a
    leading number (``[12]``, ``3.``) are removed. A string that cannot be parsed yields a reference without fields. Keys are
    ``ref_N``, by position. Never raises.
    """
    found = [string_reference(part, location) for string, location in strings for part in separated(tidied(string))]
    return [replace(reference, key=f"ref_{number}") for number, reference in enumerate(found, start=1)]


def string_reference(text: str, location: Location) -> Reference:
    """Return the reference in a tidied string, without a key, using the fields of the most probable reading."""
    shown = decode(text) if "\\" in text else text
    readings = string_readings(shown[:_LONGEST])
    if not readings:
        return Reference("", "misc", {}, location, text=text)
    first = readings[0]
    kind = popped_type({"type": first.type, **first.fields}, shown)
    return reference_of("", kind, dict(first.fields), location, text, readings)
