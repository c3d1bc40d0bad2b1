"""The XML files of the ACL Anthology, ``data/xml/*.xml`` of its repository.

Documentation: the schema and the notes on ids in that repository (github.com/acl-org/acl-anthology, ``data/xml/schema.rnc``;
aclanthology.org/info/ids): a ``collection`` holds ``volume`` elements, each with ``meta``, ``frontmatter`` and ``paper``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_citecheck.identifiers.standard_numbers import find_isbns
from pytest_citecheck.index.entry import Entry
from pytest_citecheck.services.dumps.base import Context, Head, Problem
from pytest_citecheck.services.dumps.json_fields import doi_name, name, year_in
from pytest_citecheck.services.dumps.xml_pieces import Piece, XmlError, decode, element, pieces
from pytest_citecheck.text.latex import decode as latex

if TYPE_CHECKING:
    import xml.etree.ElementTree as ET
    from collections.abc import Iterator

__all__ = ["ACL_XML", "AclXml"]

_TAGS = ("meta", "frontmatter", "paper")
_HOME = re.compile(rb"<collection\b[^<>]*\bid\s*=")
_VOLUME_IN = re.compile(rb"<volume(?=[\s>])")
_ATTRIBUTE = r"""\s{}\s*=\s*["']([^"'<>]*)["']"""
_COLLECTION = re.compile(r"<collection\b[^<>]*?" + _ATTRIBUTE.format("id"))
_VOLUME = re.compile(r"<volume(?=[\s>])([^<>]*)>")
_ID = re.compile(_ATTRIBUTE.format("id"))
_KIND = re.compile(_ATTRIBUTE.format("type"))
_EVENT = re.compile(rb"<event(?=[\s>])")
# What may stand between papers: ends and starts of volumes, and whatever the events of a collection hold.
_FRAME = re.compile(
    rb"(?:\s|\xef\xbb\xbf|<\?[^<>]*>|<!DOCTYPE[^<>]*>|<!--.*?-->|</?(?:collection|volume)\b[^<>]*>)*", re.DOTALL
)
_OLD = re.compile(r"[A-Z]\d\d")


@dataclass(slots=True)
class _Place:
    """Where in the file a paper stands, with what its volume says for all papers in it.

    ``volume`` is empty before the first volume, and where the start of one could not be read.
    """

    collection: str = ""
    volume: str = ""
    journal: bool = False
    title: str = ""
    short: tuple[str, ...] = ()
    year: int | None = None
    number: str = ""
    issue: str = ""


class AclXml:
    """Reads collections of the ACL Anthology (see the module)."""

    name = "acl-xml"
    source = "acl_anthology"

    def recognises(self, head: Head) -> bool:
        """By its root element with a volume."""
        return _HOME.search(head.data) is not None and _VOLUME_IN.search(head.data) is not None

    def read(self, chunks: Iterator[bytes], context: Context) -> Iterator[Entry | Problem]:
        """One entry a paper, and one a volume; front matter is skipped."""
        source = context.source or self.source
        place = _Place()
        event = told = False
        for piece in pieces(chunks, _TAGS, context):
            if isinstance(piece, Problem):
                yield piece
                told = True
                continue
            event = (event or _begins_event(piece.before)) and not _VOLUME_IN.search(piece.before)
            if not event and not told and not _FRAME.fullmatch(piece.before):
                yield context.problem(piece.offset - len(piece.before), "text that belongs to no record")
            told = False
            if _VOLUME_IN.search(piece.before):
                place = _moved(place, piece.before.decode("utf-8", "replace"))
            elif piece.tag == "meta" and not event:
                place = _Place(place.collection)  # the start of its volume is broken
            if not piece.tag:
                return
            if event:
                continue
            if piece.tag == "frontmatter":
                context.skipped["front matter"] += 1
                continue
            try:
                root = element(decode(piece.data))
                if piece.tag == "meta":
                    _describe(place, root)
                    entry = _volume(place, root, source)
                else:
                    entry = _paper(place, root, source)
            except XmlError as error:
                yield context.problem(piece.offset, str(error), record=_known(place, piece))
            else:
                yield entry


def _begins_event(before: bytes) -> bool:
    """Whether an event begins behind the last volume that begins there."""
    volume = max((match.end() for match in _VOLUME_IN.finditer(before)), default=0)
    return _EVENT.search(before, volume) is not None


def _known(place: _Place, piece: Piece) -> str:
    stated = _ID.search(piece.data[:200].decode("latin-1"))
    if not (place.collection and place.volume):
        return ""
    return _paper_id(place, stated[1]) if stated else _volume_id(place)


def _moved(place: _Place, before: str) -> _Place:
    """The place after the start of another volume."""
    collection = _COLLECTION.search(before)
    attributes = _VOLUME.findall(before)[-1:] or [""]
    volume, kind = _ID.search(attributes[0]), _KIND.search(attributes[0])
    return _Place(
        collection[1] if collection else place.collection,
        volume[1] if volume else "",
        journal=kind is not None and kind[1] == "journal",
    )


def _describe(place: _Place, meta: ET.Element) -> None:
    place.title = _text(meta.find("booktitle")) if not place.journal else ""
    place.title = place.title or _text(meta.find("journal-title")) or _text(meta.find("booktitle"))
    place.short = tuple(filter(None, (_text(meta.find("shortbooktitle")),)))
    place.year = year_in(_text(meta.find("year")))
    place.number = _text(meta.find("journal-volume")) or _text(meta.find("volume"))
    place.issue = _text(meta.find("journal-issue"))


def _volume_id(place: _Place) -> str:
    return f"{place.collection}-{place.volume}"


def _paper_id(place: _Place, paper: str) -> str:
    """``P19-1001`` or ``2020.acl-main.1``: old collections have numbers of fixed length, workshops two digits for the volume."""
    if not (_OLD.fullmatch(place.collection) and paper.isdecimal() and place.volume.isdecimal()):
        return f"{_volume_id(place)}.{paper}"
    collection, volume = place.collection, int(place.volume)
    if collection[0] == "W" or collection == "C69" or (collection == "D19" and volume >= 5):
        return f"{collection}-{volume:02d}{int(paper):02d}"
    return f"{collection}-{volume}{int(paper):03d}"


def _volume(place: _Place, meta: ET.Element, source: str) -> Entry:
    if not place.collection or not place.volume:
        raise XmlError("the volume has no id")
    identifier = _volume_id(place)
    return Entry(
        source,
        identifier,
        place.title,
        year=place.year,
        doi=doi_name(_text(meta.find("doi"))),
        url=f"https://aclanthology.org/volumes/{identifier}/",
        type="proceedings",
        acl=identifier,
        isbn=tuple(find_isbns(_text(meta.find("isbn")))[0]),
        venues=place.short,
        volume=place.number,
        number=place.issue,
        editors=_people(meta, "editor"),
    )


def _paper(place: _Place, paper: ET.Element, source: str) -> Entry:
    if not place.collection or not place.volume:
        raise XmlError("the paper stands in no volume with an id")
    number = paper.get("id", "").strip()
    if not number:
        raise XmlError("the paper has no id")
    identifier = _paper_id(place, number)
    return Entry(
        source,
        identifier,
        _text(paper.find("title")),
        _people(paper, "author"),
        year_in(_text(paper.find("year"))) or place.year,
        _text(paper.find("journal")) or _text(paper.find("booktitle")) or place.title,
        doi_name(_text(paper.find("doi"))),
        "",
        f"https://aclanthology.org/{identifier}/",
        "article" if place.journal else "inproceedings",
        acl=identifier,
        venues=place.short,
        volume=place.number,
        number=place.issue,
        pages=_text(paper.find("pages")),
        editors=_people(paper, "editor"),
    )


def _text(node: ET.Element | None) -> str:
    """The text of an element without markup for faces; its formulas and what is left of BibTeX are LaTeX."""
    if node is None:
        return ""
    for formula in node.iter("tex-math"):
        formula.text = f"${formula.text or ''}$"
    written = "".join(node.itertext())
    return " ".join((latex(written) if "\\" in written or "$" in written else written).split())


def _people(node: ET.Element, role: str) -> tuple[str, ...]:
    """ "Family, Given" of each; variants of a name in other scripts are left out."""
    people = []
    for person in node.iterfind(role):
        family, given = name(_text(person.find("last"))), name(_text(person.find("first")))
        people.append(f"{family}, {given}" if family and given else family or given)
    return tuple(filter(None, people))


ACL_XML = AclXml()
