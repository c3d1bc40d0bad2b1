"""Names of venues as exporters and people write them, without changing which venue is meant."""

from __future__ import annotations

import re
from random import Random

from pytest_citecheck.matching import Venue, lookup
from tests.conformance.rendering import Row

# The first meeting less one, for conferences that met every year from then on and count so on their title pages.
_BEFORE_THE_FIRST = {
    "icml": 1983, "neurips": 1986, "aaai": 1986, "acl": 1962, "uai": 1984, "colt": 1987, "kdd": 1994,
}  # fmt: skip
_ORDINAL_WORDS = {
    20: "Twentieth", 21: "Twenty-First", 28: "Twenty-Eighth", 30: "Thirtieth", 31: "Thirty-First", 32: "Thirty-Second",
    33: "Thirty-Third", 34: "Thirty-Fourth", 35: "Thirty-Fifth", 36: "Thirty-Sixth", 37: "Thirty-Seventh",
    38: "Thirty-Eighth", 39: "Thirty-Ninth",
}  # fmt: skip
_PLACES = (
    "Vancouver, BC, Canada, December 8-14, {year}", "Long Beach, CA, USA", "Virtual Event", "Seoul, Korea (South)",
    "Honolulu, Hawaii, USA, July 23-29, {year}", "Lille, France, 6-11 July {year}", "Montréal, Canada",
)  # fmt: skip
# Abbreviations of the List of Title Word Abbreviations (ISO 4; issn.org).
_ABBREVIATIONS = {
    "advances": "Adv.", "american": "Am.", "annals": "Ann.", "annual": "Annu.", "applications": "Appl.", "applied": "Appl.",
    "artificial": "Artif.", "association": "Assoc.", "automatic": "Autom.", "biomedical": "Biomed.", "biology": "Biol.",
    "communications": "Commun.", "computational": "Comput.", "computer": "Comput.", "computers": "Comput.",
    "computing": "Comput.", "conference": "Conf.", "control": "Control", "data": "Data", "design": "Des.",
    "development": "Dev.", "distributed": "Distrib.", "electronic": "Electron.", "engineering": "Eng.", "european": "Eur.",
    "graphics": "Graph.", "human": "Hum.", "image": "Image", "information": "Inf.", "intelligence": "Intell.",
    "intelligent": "Intell.", "interaction": "Interact.", "international": "Int.", "joint": "Jt.", "journal": "J.",
    "knowledge": "Knowl.", "language": "Lang.", "languages": "Lang.", "learning": "Learn.", "letters": "Lett.",
    "linguistics": "Linguist.", "machine": "Mach.", "management": "Manag.", "mathematical": "Math.",
    "mathematics": "Math.", "medical": "Med.", "medicine": "Med.", "methods": "Methods", "multimedia": "Multimed.",
    "natural": "Nat.", "network": "Netw.", "networks": "Netw.", "neural": "Neural", "parallel": "Parallel",
    "pattern": "Pattern", "physics": "Phys.", "proceedings": "Proc.", "processing": "Process.", "programming": "Program.",
    "recognition": "Recognit.", "representations": "Represent.", "research": "Res.", "review": "Rev.", "robotics": "Robot.",
    "science": "Sci.", "sciences": "Sci.", "security": "Secur.", "signal": "Signal", "society": "Soc.",
    "software": "Softw.", "statistics": "Stat.", "symposium": "Symp.", "systems": "Syst.", "technology": "Technol.",
    "meeting": "Meet.", "communication": "Commun.", "theory": "Theory", "transactions": "Trans.", "vision": "Vis.",
    "workshop": "Workshop",
}  # fmt: skip
_LEFT_OUT = frozenset({"on", "of", "the", "for", "and", "in", "&"})
_PLAIN = re.compile(r"[A-Za-z][A-Za-z -]+(?: & [A-Za-z -]+)?")
_ACRONYM = re.compile(r"[A-Z][A-Za-z]*[A-Z+][A-Za-z+]*")


def known_venue(row: Row) -> Venue | None:
    """Return the conference or journal of the row if its names are known."""
    venue = lookup(row.venue, row.year) if row.venue else None
    return venue if venue is not None and venue.kind in ("conference", "journal") else None


def acronym_of(venue: Venue) -> str:
    """Return the acronym of a venue, or ``""`` if none is known."""
    return next((name for name in (venue.dblp, *venue.aliases) if _ACRONYM.fullmatch(name)), "")


def _ordinal(venue: Venue, year: int, dice: Random) -> str:
    number = year - _BEFORE_THE_FIRST.get(venue.id, year)
    if number < 1:
        return ""
    if number in _ORDINAL_WORDS and dice.random() < 0.4:
        return _ORDINAL_WORDS[number] + " "
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending} "


def _abbreviated(name: str) -> str:
    """The name after ISO 4, if it consists of words that can be abbreviated."""
    words = name.replace(" & ", " ").split()
    if len(words) < 2 or not _PLAIN.fullmatch(name):
        return name
    return " ".join(_ABBREVIATIONS.get(word.lower(), word) for word in words if word.lower() not in _LEFT_OUT)


def _full(row: Row, venue: Venue, dice: Random) -> str:
    if venue.kind == "journal":
        return venue.name
    ordinal = _ordinal(venue, row.year or 0, dice) if row.year else ""
    return f"{dice.choice(('Proceedings of the ', 'The ' if ordinal else ''))}{ordinal}{venue.name}"


def _dblp(row: Row, venue: Venue, dice: Random) -> str:
    if venue.kind == "journal":
        return venue.dblp or venue.name
    acronym = acronym_of(venue)
    label = f", {acronym} {row.year}" if acronym and row.year else ""
    return f"{_full(row, venue, dice)}{label}, {dice.choice(_PLACES).format(year=row.year)}"


def _ieee(row: Row, venue: Venue, dice: Random) -> str:
    del dice
    acronym = acronym_of(venue)
    if venue.kind == "journal" or not row.year:
        return venue.name
    return f"{row.year} {venue.name}" + (f" ({acronym})" if acronym else "")


def _acronym_dated(row: Row, venue: Venue, dice: Random) -> str:
    acronym = acronym_of(venue)
    if not acronym or not row.year or venue.kind == "journal":
        return venue.dblp or venue.name
    short = f"'{row.year % 100:02}"
    return dice.choice((
        acronym, f"{acronym} {row.year}", f"{acronym}{short}", f"{acronym} {short}", f"Proc. {acronym}", f"Proc. of {acronym}",
        f"Proceedings of {acronym} {row.year}", f"In {acronym}", f"{acronym}, {row.year}", f"{acronym}-{row.year % 100:02}",
    ))  # fmt: skip


def _iso4(row: Row, venue: Venue, dice: Random) -> str:
    del row
    if venue.kind == "journal":
        return _abbreviated(venue.name)
    return dice.choice(("", "Proc. ", "in Proc. ")) + _abbreviated(venue.name)


def _scholar(row: Row, venue: Venue, dice: Random) -> str:
    del row
    if venue.kind == "journal":
        return venue.name
    if venue.id == "neurips":
        return "Advances in neural information processing systems"
    return dice.choice((venue.name, f"Proceedings of the {venue.name}"))


def _bracketed(row: Row, venue: Venue, dice: Random) -> str:
    acronym = acronym_of(venue)
    return f"{_full(row, venue, dice)} ({acronym})" if acronym else venue.name


VENUES = {
    "full": _full, "dblp": _dblp, "ieee": _ieee, "acronym": _acronym_dated, "iso4": _iso4, "scholar": _scholar,
    "bracketed": _bracketed,
}  # fmt: skip
"""Functions that format a known venue."""


def venue_name(row: Row, habit: str, dice: Random) -> str:
    """Format the row's venue in one of the habits of `VENUES`.

    An unknown venue keeps the collection's name, except for abbreviations and text around the name.
    """
    venue = known_venue(row)
    if venue is not None:
        return VENUES[habit](row, venue, dice)
    if habit == "iso4":
        return _abbreviated(row.venue)
    if habit == "full" and row.type == "inproceedings" and row.year and _ACRONYM.fullmatch(row.venue):
        return f"Proceedings of {row.venue} {row.year}"
    return row.venue
