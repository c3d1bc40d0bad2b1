"""ACL Anthology: papers of computational linguistics by their id.

Written from the documentation (aclanthology.org/info/ids, and /faq on the formats of each paper) and not from recorded
answers, so it accepts documented forms only: every paper has its entry in MODS beside its page, at ``{id}.xml``; a volume
has it under the id of its front matter. XML is read rather than BibTeX because it is whole or not well-formed. Absence: an
id without an entry may be one whose address was changed, and the site says so with a page for people; so it is no evidence.
Author order: as published, reliable. Limits: none are published for this static site.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_citecheck.matching import acl_id, decode, is_acl_volume, lazy_pattern, without_markup
from pytest_citecheck.model import (
    Absent,
    Answer,
    Found,
    Notice,
    NoticeKind,
    Person,
    Query,
    QueryKind,
    Record,
    RecordType,
)
from pytest_citecheck.sources import base
from pytest_citecheck.sources.dumps import Context, Head, Piece, XmlError, XmlFormat, XmlReader, element
from pytest_citecheck.sources.dumps import decode as xml_pieces_decode
from pytest_citecheck.sources.parsing import (
    doi_name,
    isbn_numbers,
    marked_text,
    marked_texts,
    parse_xml,
    path_url,
    stated_name,
    undivided,
    unique,
    without_namespaces,
    year_of,
)
from pytest_citecheck.sources.parsing import person as person_of

if TYPE_CHECKING:
    import xml.etree.ElementTree as ET
    from collections.abc import Iterable, Mapping, Sequence

_OWN_PAGE = lazy_pattern(rb"<title>[^<]{0,200}\bACL Anthology\b", re.IGNORECASE)
_OLD_PAPER_NUMBER = 4


class AclAnthology(base.Source):
    """The ACL Anthology as a source of records (see the module)."""

    name = "acl_anthology"
    label = "ACL Anthology"
    base_url = "https://aclanthology.org"
    documentation = "https://aclanthology.org/info/ids/"
    batch: Mapping[QueryKind, int] = {"acl": 1}
    rate = base.Rate(per_second=2.0, concurrency=1)
    largest_body = base.LARGEST_RECORD
    limits = "none published for this static site; 2 requests a second are used"
    terms = base.Terms("CC BY, may be redistributed with attribution")
    absence = "no evidence: ids change, and the answer is a web page, not a record"
    unconfirmed = "the addresses of volumes"
    authoritative_for = ("identifier", "title", "authors", "year", "venue")
    role = base.Role(catalogue=("acl",))
    controls: Mapping[QueryKind, Query] = {"acl": Query("acl", "N19-1423")}

    def request(self, queries: Sequence[Query]) -> base.Request:
        """``{id}.xml``."""
        url = path_url(self.base_url, f"{_paper(queries[0].value)}.xml")
        return base.Request(self.name, url, accept="application/xml, text/xml")

    def parse(self, queries: Sequence[Query], response: base.Response) -> dict[Query, Answer]:
        """The one record. Raises MalformedAnswerError for all but its entry in MODS and the Anthology's own 404 page."""
        if response.status == 404 and _OWN_PAGE.search(response.body):
            return dict.fromkeys(queries, Absent())
        if response.status >= 300:
            raise base.MalformedAnswerError(f"the ACL Anthology answered status {response.status}")
        root = without_namespaces(parse_xml(response.body))
        entries = root.findall("mods") if root.tag == "modsCollection" else []
        if len(entries) != 1:
            raise base.MalformedAnswerError(
                f"the ACL Anthology's answer contains {len(entries)} entries instead of one"
            )
        record = acl_record(entries[0])
        if record is None or any(record.id != _paper(query.value) for query in queries):
            raise base.MalformedAnswerError(f"the ACL Anthology answered with {record.id if record else 'no paper'}")
        return dict.fromkeys(queries, Found((record,)))


def _paper(key: str) -> str:
    """The id of the paper, or of the front matter of a volume (number 0), under which the Anthology keeps the entry."""
    if not is_acl_volume(key):
        return key
    if key[0].isdigit():
        return f"{key}.0"
    letter_and_year, _, number = key.partition("-")
    return f"{letter_and_year}-{number.ljust(_OLD_PAPER_NUMBER, '0')}"


ACL_ANTHOLOGY = AclAnthology()


_DATES = ("originInfo/dateIssued", "part/date")
_JOURNAL_GENRES = frozenset({"periodical", "academic journal", "journal"})
_NOTICES: Mapping[str, NoticeKind] = {"retracted": "retraction", "removed": "removal", "erratum": "correction"}


@dataclass(frozen=True, slots=True)
class Volume:
    """Metadata of a volume, which apply to all papers in it. short: a shorter title; number, issue: of a journal."""

    journal: bool = False
    title: str = ""
    short: str = ""
    year: str = ""
    number: str = ""
    issue: str = ""
    publisher: str = ""
    editors: tuple[Person, ...] = ()


def acl_record(entry: ET.Element) -> Record | None:
    """The record of one ``mods`` element (by local names), or None if its address names no paper or it has no title.

    The front matter of a volume represents the volume: its people are editors, and it has no host.
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
    """Read the ``meta`` of a volume with this id: the metadata for its papers, and the record of the volume itself."""
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
    """Return the record of one paper or volume, from metadata in any form."""
    return Record(
        source="acl_anthology",
        id=identifier,
        url=url,
        years=unique(map(year_of, dates)),
        venues=unique(venues),
        type=kind,
        doi=next(filter(None, map(doi_name, dois)), ""),
        **others,
    )


def _text(parent: ET.Element, path: str) -> str:
    """Text of a child without face markup; its formulas and remaining BibTeX are LaTeX."""
    node = parent.find(path)
    if node is None:
        return ""
    for formula in node.iter("tex-math"):
        formula.text = f"${formula.text or ''}$"
    written = "".join(node.itertext())
    return without_markup(decode(written) if "\\" in written or "$" in written else written)


def _listed(node: ET.Element, role: str) -> tuple[Person, ...]:
    """The people of that role; variants of a name in other scripts are left out."""
    people = (person_of(_text(one, "last"), _text(one, "first")) for one in node.iterfind(role))
    return tuple(one for one in people if str(one))


def _first(places: Sequence[ET.Element], path: str) -> str:
    """Text of the first element at this path in these places; empty without one."""
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


_TAGS = ("meta", "frontmatter", "paper")
_HOME = lazy_pattern(rb"<collection\b[^<>]*\bid\s*=")
_VOLUME_IN = lazy_pattern(rb"<volume(?=[\s>])")
_ATTRIBUTE = r"""\s{}\s*=\s*["']([^"'<>]*)["']"""
_COLLECTION = lazy_pattern(r"<collection\b[^<>]*?" + _ATTRIBUTE.format("id"))
_VOLUME = lazy_pattern(r"<volume(?=[\s>])([^<>]*)>")
_ID = lazy_pattern(_ATTRIBUTE.format("id"))
_KIND = lazy_pattern(_ATTRIBUTE.format("type"))
_EVENT = lazy_pattern(rb"<event(?=[\s>])")
# Content between papers: ends and starts of volumes, and the events of a collection.
_FRAME = lazy_pattern(
    rb"\A(?:\s|\xef\xbb\xbf|<\?[^<>]*>|<!DOCTYPE[^<>]*>|<!--.*?-->|</?(?:collection|volume)\b[^<>]*>)*", re.DOTALL
)
_OLD = lazy_pattern(r"[A-Z]\d\d")


@dataclass(slots=True)
class _Place:
    """Position of a paper in the file, with the metadata of its volume.

    ``number`` is empty before the first volume, and if the start of a volume could not be read.
    """

    collection: str = ""
    number: str = ""
    volume: Volume = field(default_factory=Volume)


class _AclReader(XmlReader):
    """One record a paper, and one a volume; front matter and events are skipped."""

    in_event = moved = False

    def __init__(self, frame: re.Pattern[bytes], context: Context, head: bytes) -> None:
        super().__init__(frame, context, head)
        self.place = _Place()

    def is_framed(self, before: bytes) -> bool:
        self.moved = _VOLUME_IN.search(before) is not None
        self.in_event = (self.in_event or _begins_event(before)) and not self.moved
        if self.moved:
            self.place = _moved(self.place, before.decode("utf-8", "replace"))
        return self.in_event or super().is_framed(before)

    def record(self, piece: Piece) -> Record | None:
        if self.in_event:
            return None
        if piece.tag == "meta" and not self.moved:
            self.place = _Place(self.place.collection)  # the start of its volume is broken
        if piece.tag == "frontmatter":
            self.context.skipped["front matter"] += 1
            return None
        place, root = self.place, element(xml_pieces_decode(piece.data))
        known = bool(place.collection and place.number)
        if root.tag == "meta":
            place.volume, record = parse_volume(root, _volume_id(place), journal=place.volume.journal)
            if not known:
                raise XmlError("the volume has no id")
            return record
        if not known:
            raise XmlError("the paper is in no volume with an id")
        number = root.get("id", "").strip()
        if not number:
            raise XmlError("the paper has no id")
        return parse_paper(root, _paper_id(place, number), place.volume)

    def stated_id(self, piece: Piece) -> str:
        stated = _ID.search(piece.data[:200].decode("latin-1"))
        if not (self.place.collection and self.place.number):
            return ""
        return _paper_id(self.place, stated[1]) if stated else _volume_id(self.place)


class AclXml(XmlFormat):
    """Collections of the ACL Anthology (see the module)."""

    name = "acl-xml"
    source = "acl_anthology"
    licence = "CC-BY-4.0"
    home, tags, frame, reader = _HOME, _TAGS, _FRAME, _AclReader

    def recognises(self, head: Head) -> bool:
        """By its root element with a volume."""
        return super().recognises(head) and _VOLUME_IN.search(head.data) is not None


def _begins_event(before: bytes) -> bool:
    """Return True if an event begins after the last volume that begins there."""
    volume = max((match.end() for match in _VOLUME_IN.finditer(before)), default=0)
    return _EVENT.search(before, volume) is not None


def _moved(place: _Place, before: str) -> _Place:
    """The place after the start of another volume."""
    collection = _COLLECTION.search(before)
    attributes = _VOLUME.findall(before)[-1:] or [""]
    volume, kind = _ID.search(attributes[0]), _KIND.search(attributes[0])
    return _Place(
        collection[1] if collection else place.collection,
        volume[1] if volume else "",
        Volume(journal=kind is not None and kind[1] == "journal"),
    )


def _volume_id(place: _Place) -> str:
    return f"{place.collection}-{place.number}"


def _paper_id(place: _Place, paper: str) -> str:
    """``P19-1001`` or ``2020.acl-main.1``: old collections have numbers of fixed length, workshops two digits for the volume."""
    if not (_OLD.fullmatch(place.collection) and paper.isdecimal() and place.number.isdecimal()):
        return f"{_volume_id(place)}.{paper}"
    collection, volume = place.collection, int(place.number)
    if collection[0] == "W" or collection == "C69" or (collection == "D19" and volume >= 5):
        return f"{collection}-{volume:02d}{int(paper):02d}"
    return f"{collection}-{volume}{int(paper):03d}"


ACL_XML = AclXml()
DUMPS = (ACL_XML,)
