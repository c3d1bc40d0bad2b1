"""One paper of the ACL Anthology as a MODS entry describes it, as a record.

Source: MODS 3 user guidelines of the Library of Congress (loc.gov/standards/mods/userguide), of which the Anthology uses
titleInfo, name, originInfo, genre, relatedItem of type host, identifier, location and part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.identifiers.catalogue_keys import acl_id
from pytest_citecheck.model import Person, Record, RecordType
from pytest_citecheck.services.parsing.identifiers import doi_name
from pytest_citecheck.services.parsing.json_body import year_of
from pytest_citecheck.services.parsing.stated_names import stated_name, undivided
from pytest_citecheck.services.parsing.xml_text import marked_text, marked_texts

if TYPE_CHECKING:
    import xml.etree.ElementTree as ET
    from collections.abc import Sequence

__all__ = ["parse_entry"]

_DATES = ("originInfo/dateIssued", "part/date")
_JOURNAL_GENRES = frozenset({"periodical", "academic journal", "journal"})


def parse_entry(entry: ET.Element) -> Record | None:
    """The record of one ``mods`` element (by local names), or None if its address names no paper or it has no title.

    The front matter of a volume stands for the volume: its people are editors, and nothing is its host.
    """
    identifier = next(filter(None, map(acl_id, marked_texts(entry, "location/url"))), "")
    title, subtitle = _title(entry)
    if not identifier or not title:
        return None
    host = entry.find("relatedItem[@type='host']")
    places = (entry,) if host is None else (entry, host)
    venue = ": ".join(filter(None, _title(host))) if host is not None else ""
    dates = [date for place in places for path in _DATES for date in marked_texts(place, path)]
    dois = map(doi_name, marked_texts(entry, "identifier[@type='doi']"))
    return Record(
        source="acl_anthology",
        id=identifier,
        url=f"https://aclanthology.org/{identifier}/",
        title=title,
        subtitle=subtitle,
        authors=_people(entry, "author"),
        editors=next(filter(None, (_people(place, "editor") for place in places)), ()),
        years=tuple(dict.fromkeys(year for year in map(year_of, dates) if year)),
        venues=(venue,) if venue else (),
        type=_type(places),
        publisher=_first(places, "originInfo/publisher"),
        doi=next(filter(None, dois), ""),
        volume=_first(places, "part/detail[@type='volume']/number"),
        number=_first(places, "part/detail[@type='issue']/number"),
        pages=_pages(entry),
    )


def _first(places: Sequence[ET.Element], path: str) -> str:
    """The text of the first element at this path in these places; empty if there is none."""
    return next((text for place in places for text in marked_texts(place, path)), "")


def _title(element: ET.Element) -> tuple[str, str]:
    """Title and subtitle; other forms of a title (abbreviated, translated) have a type."""
    for title in element.findall("titleInfo"):
        if not title.get("type"):
            words = (marked_text(title.find("nonSort")), marked_text(title.find("title")))
            return " ".join(filter(None, words)), marked_text(title.find("subTitle"))
    return "", ""


def _people(element: ET.Element, role: str) -> tuple[Person, ...]:
    found = []
    for name in element.findall("name"):
        roles = {term.lower() for term in marked_texts(name, "role/roleTerm")}
        if role in roles and (person := _person(name)):
            found.append(person)
    return tuple(found)


def _person(name: ET.Element) -> Person | None:
    parts: dict[str, list[str]] = {}
    for part in name.findall("namePart"):
        parts.setdefault(part.get("type", ""), []).append(marked_text(part))
    given, family, whole = (stated_name(" ".join(parts.get(kind, ()))) for kind in ("given", "family", ""))
    if family and given:
        return Person(family=family, given=given, suffix=" ".join(parts.get("termsOfAddress", ())))
    single = family or given or whole
    if not single:
        return None
    return Person(literal=single, group=True) if name.get("type") == "corporate" else undivided(single)


def _type(places: Sequence[ET.Element]) -> RecordType:
    if len(places) == 1:
        return "proceedings"
    genres = {genre.lower() for place in places for genre in marked_texts(place, "genre")}
    return "article" if genres & _JOURNAL_GENRES else "inproceedings"


def _pages(entry: ET.Element) -> str:
    extent = entry.find("part/extent")
    if extent is None:
        return ""
    ends = [marked_text(extent.find("start")), marked_text(extent.find("end"))]
    return "-".join(dict.fromkeys(filter(None, ends))) or marked_text(extent.find("list"))
