"""The XML files of the ACL Anthology, ``data/xml/*.xml`` of its repository.

Documentation: the schema and the notes on ids in that repository (github.com/acl-org/acl-anthology, ``data/xml/schema.rnc``;
aclanthology.org/info/ids): a ``collection`` holds ``volume`` elements, each with ``meta``, ``frontmatter`` and ``paper``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_citecheck.services.acl_anthology.record import Volume, parse_paper, parse_volume
from pytest_citecheck.services.dumps.base import Context, Head, Problem
from pytest_citecheck.services.dumps.xml_pieces import Piece, XmlError, decode, element, pieces
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    import xml.etree.ElementTree as ET
    from collections.abc import Iterator

    from pytest_citecheck.model import Record

__all__ = ["ACL_XML", "DUMPS", "AclXml"]

_TAGS = ("meta", "frontmatter", "paper")
_HOME = lazy_pattern(rb"<collection\b[^<>]*\bid\s*=")
_VOLUME_IN = lazy_pattern(rb"<volume(?=[\s>])")
_ATTRIBUTE = r"""\s{}\s*=\s*["']([^"'<>]*)["']"""
_COLLECTION = lazy_pattern(r"<collection\b[^<>]*?" + _ATTRIBUTE.format("id"))
_VOLUME = lazy_pattern(r"<volume(?=[\s>])([^<>]*)>")
_ID = lazy_pattern(_ATTRIBUTE.format("id"))
_KIND = lazy_pattern(_ATTRIBUTE.format("type"))
_EVENT = lazy_pattern(rb"<event(?=[\s>])")
# What may stand between papers: ends and starts of volumes, and whatever the events of a collection hold.
_FRAME = lazy_pattern(
    rb"(?:\s|\xef\xbb\xbf|<\?[^<>]*>|<!DOCTYPE[^<>]*>|<!--.*?-->|</?(?:collection|volume)\b[^<>]*>)*", re.DOTALL
)
_OLD = lazy_pattern(r"[A-Z]\d\d")


@dataclass(slots=True)
class _Place:
    """Where in the file a paper stands, with what its volume says.

    ``number`` is empty before the first volume, and where the start of one could not be read.
    """

    collection: str = ""
    number: str = ""
    volume: Volume = field(default_factory=Volume)


class AclXml:
    """Reads collections of the ACL Anthology (see the module)."""

    name = "acl-xml"
    source = "acl_anthology"
    licence = "CC-BY-4.0"
    starts = "<"
    fallback = False

    def recognises(self, head: Head) -> bool:
        """By its root element with a volume."""
        return _HOME.search(head.data) is not None and _VOLUME_IN.search(head.data) is not None

    def read(self, chunks: Iterator[bytes], context: Context) -> Iterator[Record | Problem]:
        """One record a paper, and one a volume; front matter is skipped."""
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
                record = _record(place, element(decode(piece.data)))
            except XmlError as error:
                yield context.problem(piece.offset, str(error), record=_known(place, piece))
            else:
                yield record


def _record(place: _Place, root: ET.Element) -> Record:
    """The record of a paper, or of a volume, which is remembered. Raises XmlError if it has no id."""
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


def _begins_event(before: bytes) -> bool:
    """Whether an event begins after the last volume that begins there."""
    volume = max((match.end() for match in _VOLUME_IN.finditer(before)), default=0)
    return _EVENT.search(before, volume) is not None


def _known(place: _Place, piece: Piece) -> str:
    stated = _ID.search(piece.data[:200].decode("latin-1"))
    if not (place.collection and place.number):
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
