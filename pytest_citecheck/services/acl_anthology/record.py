"""One paper or volume of the ACL Anthology, as a MODS entry or as the Anthology's own XML describes it, as a record.

Sources: MODS 3 user guidelines of the Library of Congress (loc.gov/standards/mods/userguide), of which the Anthology uses
titleInfo, name, originInfo, genre, relatedItem of type host, identifier, location and part; the schema of the Anthology's
repository (github.com/acl-org/acl-anthology, ``data/xml/schema.rnc``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_citecheck.identifiers.catalogue_keys import acl_id
from pytest_citecheck.model import Notice, NoticeKind, Person, Record, RecordType
from pytest_citecheck.services.parsing.identifiers import doi_name, isbn_numbers
from pytest_citecheck.services.parsing.json_body import year_of
from pytest_citecheck.services.parsing.stated_names import stated_name, stated_parts, undivided
from pytest_citecheck.services.parsing.xml_text import marked_text, marked_texts
from pytest_citecheck.text.latex import decode
from pytest_citecheck.text.markup import without_markup

if TYPE_CHECKING:
    import xml.etree.ElementTree as ET
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["Volume", "parse_entry", "parse_paper", "parse_volume"]

_DATES = ("originInfo/dateIssued", "part/date")
_JOURNAL_GENRES = frozenset({"periodical", "academic journal", "journal"})
_NOTICES: Mapping[str, NoticeKind] = {"retracted": "retraction", "removed": "removal", "erratum": "correction"}


@dataclass(frozen=True, slots=True)
class Volume:
    """What a volume says of itself and for all papers in it. short: a shorter title; number, issue: of a journal."""

    journal: bool = False
    title: str = ""
    short: str = ""
    year: str = ""
    number: str = ""
    issue: str = ""
    publisher: str = ""
    editors: tuple[Person, ...] = ()


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
    return _record(
        identifier,
        f"https://aclanthology.org/{identifier}/",
        title=title,
        subtitle=subtitle,
        authors=_people(entry, "author"),
        editors=next(filter(None, (_people(place, "editor") for place in places)), ()),
        dates=[date for place in places for path in _DATES for date in marked_texts(place, path)],
        venues=(venue,),
        kind=_type(places),
        publisher=_first(places, "originInfo/publisher"),
        dois=marked_texts(entry, "identifier[@type='doi']"),
        volume=_first(places, "part/detail[@type='volume']/number"),
        number=_first(places, "part/detail[@type='issue']/number"),
        pages=_pages(entry),
    )


def parse_volume(meta: ET.Element, identifier: str, *, journal: bool) -> tuple[Volume, Record]:
    """What the ``meta`` of a volume with this id says for its papers, and the record of the volume itself."""
    title = (
        (_text(meta, "booktitle") if not journal else "") or _text(meta, "journal-title") or _text(meta, "booktitle")
    )
    volume = Volume(
        journal=journal,
        title=title,
        short=_text(meta, "shortbooktitle"),
        year=_text(meta, "year"),
        number=_text(meta, "journal-volume") or _text(meta, "volume"),
        issue=_text(meta, "journal-issue"),
        publisher=_text(meta, "publisher"),
        editors=_listed(meta, "editor"),
    )
    record = _record(
        identifier,
        f"https://aclanthology.org/volumes/{identifier}/",
        title=title,
        editors=volume.editors,
        dates=[volume.year],
        venues=(volume.short,),
        kind="proceedings",
        publisher=volume.publisher,
        dois=[_text(meta, "doi")],
        volume=volume.number,
        number=volume.issue,
        isbn=isbn_numbers([_text(meta, "isbn")]),
    )
    return volume, record


def parse_paper(paper: ET.Element, identifier: str, volume: Volume) -> Record:
    """The record of a ``paper`` with this id in a volume."""
    notices = [
        Notice(kind, "acl_anthology", found.get("date", ""))
        for name, kind in _NOTICES.items()
        for found in paper.iterfind(name)
    ]
    return _record(
        identifier,
        f"https://aclanthology.org/{identifier}/",
        title=_text(paper, "title"),
        authors=_listed(paper, "author"),
        editors=_listed(paper, "editor") or volume.editors,
        dates=[_text(paper, "year"), volume.year],
        venues=(_text(paper, "journal") or _text(paper, "booktitle") or volume.title, volume.short),
        kind="article" if volume.journal else "inproceedings",
        publisher=volume.publisher,
        dois=[_text(paper, "doi")],
        volume=volume.number,
        number=volume.issue,
        pages=_text(paper, "pages").replace("\u2013", "-"),
        notices=tuple(notices),
    )


def _record(
    identifier: str,
    url: str,
    *,
    dates: Iterable[str],
    venues: Iterable[str],
    kind: RecordType,
    dois: Iterable[str],
    **others: Any,  # fields of the record as they are
) -> Record:
    """The record of one paper or volume, in whatever form it came."""
    return Record(
        source="acl_anthology",
        id=identifier,
        url=url,
        years=tuple(dict.fromkeys(year for year in map(year_of, dates) if year)),
        venues=tuple(dict.fromkeys(venue for venue in venues if venue)),
        type=kind,
        doi=next(filter(None, map(doi_name, dois)), ""),
        **others,
    )


def _text(parent: ET.Element, path: str) -> str:
    """The text of a child without markup for faces; its formulas and what is left of BibTeX are LaTeX."""
    node = parent.find(path)
    if node is None:
        return ""
    for formula in node.iter("tex-math"):
        formula.text = f"${formula.text or ''}$"
    written = "".join(node.itertext())
    return without_markup(decode(written) if "\\" in written or "$" in written else written)


def _listed(node: ET.Element, role: str) -> tuple[Person, ...]:
    """The people of that role; variants of a name in other scripts are left out."""
    people = []
    for person in node.iterfind(role):
        family, given = stated_parts(_text(person, "last"), _text(person, "first"))
        if family and given:
            people.append(Person(family=family, given=given))
        elif single := family or given:
            people.append(undivided(single))
    return tuple(people)


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
