"""References without a title, in the styles of physics, chemistry and astronomy: people, journal, volume, page, year.

The place identifies the work, and its record has the title. A string is read so only if the text before the journal is a list of
names and nothing else, and the journal is known or written as an abbreviation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pytest_citecheck.inputs.budget import lazy_pattern
from pytest_citecheck.inputs.dates import YEAR
from pytest_citecheck.inputs.plain.names import bibtex_authors
from pytest_citecheck.matching import lookup

_YEAR = rf"(?P<year>{YEAR})[a-z]?"
_VOLUME = r"(?P<volume>[A-Z]?\d{1,4}[A-Z]?)(?:\s?\((?P<number>[\w/–-]{1,12})\))?"
_PAGES = r"(?P<pages>[A-Za-z]{0,2}\d{1,8}(?:\s?[-–]{1,2}\s?[A-Za-z]{0,2}\d{1,8})?)"
_STYLES = (
    lazy_pattern(
        rf"(?<=[\w.)])[ ,]{{0,2}}{_VOLUME}, {{0,2}}(?:pp?\. ?)?{_PAGES},? {{0,2}}\({_YEAR}\)\.?$"
    ),  # APS, Nature
    lazy_pattern(rf"(?<=[\w.)]),? {_YEAR}, {{0,2}}{_VOLUME}, {{0,2}}{_PAGES}\.?$"),  # ACS
    lazy_pattern(
        rf"(?<=[\w.)]),? \(?{_YEAR}\)?, {{0,2}}(?P<journal>[A-Z][^,;]{{1,80}}), {_VOLUME}, {{0,2}}{_PAGES}\.?$"
    ),  # A&A
)
_SHORT = 3  # letters of a word that abbreviations of journals keep: New J. Phys.
_MOST = 12  # words of a name of a journal
_GROUP = lazy_pattern(r"\((?:for the |on behalf of the )?[^()]{2,80}Collaboration\)", re.IGNORECASE)
_SECTION = lazy_pattern(r"(?P<letter>[A-Z])\d")
_ABBREVIATED = lazy_pattern(r"(?:[A-Z][\w&-]*\.? )(?:[A-Z][\w&-]*\.? ?){1,8}")
_ACRONYM = lazy_pattern(r"[A-Z][A-Z&]{1,5}")
_WORDS = lazy_pattern(r"\b[a-z][^\W\d_]{3}")
_INITIAL = lazy_pattern(r"\b[A-Z]\.")
_NO_JOURNAL = lazy_pattern(r"(?:and|&) |[A-IK-PR-Y]\. |.*,", re.IGNORECASE)
"""Names do not begin with an initial of the last author; ``J.``, ``Q.`` and ``Z.`` begin names of journals."""
_END_OF_PEOPLE = lazy_pattern(r"[,;]$|(?<![^\W\d_])(?:[^\W\d_]|al|Jr|Sr)\.$|Collaboration\.$")
"""People end in a comma or an initial: other words before a full stop are a title."""
_NUMBERED_PAPER = lazy_pattern(r"(\bCollaboration) [IVXLC]+\b")


def untitled(text: str) -> dict[str, str]:
    """Return the fields of a reference without a title; empty for any other string."""
    text = _NUMBERED_PAPER.sub(r"\1", _GROUP.sub("", text)).replace(" ,", ",").strip()
    for style in _STYLES:
        found = style.search(text)
        if found is None:
            continue
        stated = {name: value for name, value in found.groupdict().items() if value}
        before = text[: found.start()].rstrip(" ,")
        ways = [(before, stated["journal"])] if "journal" in stated else list(_people_and_journal(before))
        for is_journal in (_is_known, _is_abbreviated):
            for people, journal in ways:
                if is_journal(journal, stated["volume"]) and (authors := _authors(people)):
                    return {"author": authors, **stated, "journal": journal.strip(" ,"), "type": "article"}
    return {}


def _authors(people: str) -> str:
    """The people in BibTeX's form; empty unless all names are of one form: "Deep Learning" is no name among initials."""
    authors = bibtex_authors(people.strip(" ,;:")) or bibtex_authors(people.strip(" ,;:."))
    names = [name for name in authors.split(" and ") if name != "others" and not name.startswith("{")]
    initials = [_INITIAL.search(name) is not None or name.endswith("Collaboration") for name in names]
    one_style = all(initials) or not any(initials)
    return authors if one_style and not any(_WORDS.search(name.partition(", ")[2]) for name in names) else ""


def _people_and_journal(text: str) -> Iterator[tuple[str, str]]:
    """The ways to divide a text into people and the name of a journal, the longest name first."""
    words = text.split(" ")
    for count in range(min(_MOST, len(words) - 1), 0, -1):
        people, journal = " ".join(words[:-count]), " ".join(words[-count:])
        if _END_OF_PEOPLE.search(people) and not _NO_JOURNAL.match(journal):
            yield people, journal


def _is_known(name: str, volume: str) -> bool:
    """Return True if a name is of a known journal, also with the section before the volume (``Nucl. Phys. B44``)."""
    section = _SECTION.match(volume)
    names = (name, f"{name} {section['letter']}") if section else (name,)
    return any(venue is not None and venue.kind == "journal" for venue in map(lookup, names))


def _is_abbreviated(name: str, _volume: str) -> bool:
    """Return True if an unknown name is an acronym, or some capitalised words of which one ends in a full stop."""
    if lookup(name) is not None:
        return False
    words = name.split()
    first = words[0].endswith(".") or len(words[0]) <= _SHORT
    mostly = sum(word.endswith(".") for word in words) * 2 >= len(words)  # otherwise the text begins with a title
    return _ACRONYM.fullmatch(name) is not None or (first and mostly and _ABBREVIATED.fullmatch(name) is not None)
