"""DBLP's recorded XML: publications by themselves, in tables of contents and in excerpts of its dump.

Tables of contents and the dump are never asked for; their publications are the same elements that a record holds.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

import pytest

from pytest_citecheck.sources import parse_publication, parse_xml
from tests.conformance.recorded import Recorded, assert_plausible, file_ids, needs_recordings, recordings

if TYPE_CHECKING:
    import xml.etree.ElementTree as ET

pytestmark = needs_recordings

RECORDED = recordings("dblp_xml")
TAGS = frozenset({"article", "inproceedings", "proceedings", "book", "incollection", "phdthesis", "www"})

DOI_LINK = re.compile(r"https?://(?:\w+\.)?doi\.[\w.]+/(?=10\.\S+$)")


def publications(item: Recorded) -> list[ET.Element]:
    """The publications of a body; the dump names letters by entities of its definition, which are those of HTML."""
    text = re.sub(r"&(?!amp|lt|gt|quot|apos)(\w+);", lambda match: html.unescape(match.group()), item.body.decode())
    root = parse_xml(text.encode(), doctype=True)
    return [element for element in root.iter() if element.tag in TAGS]


def test_there_are_recordings() -> None:
    assert sum(len(publications(item)) for item in RECORDED) > 80


@pytest.mark.parametrize("item", RECORDED, ids=file_ids)
def test_every_publication_is_read_field_by_field(item: Recorded) -> None:
    for element in publications(item):
        record = parse_publication(element)
        if element.attrib["key"].startswith("homepages/"):
            assert record is None
            continue
        assert record is not None
        assert_plausible(record)
        assert record.id == element.attrib["key"]
        title = "".join(element.find("title").itertext()).removesuffix(".")  # type: ignore[union-attr]
        assert record.title == title
        for role, people in (("author", record.authors), ("editor", record.editors)):
            stated = [re.sub(r" \d{4}$", "", one.text or "") for one in element.findall(role)]
            assert [str(person) for person in people] == stated
        assert record.years == (int(element.findtext("year", "")),)
        assert record.venues[0] == (element.findtext("journal") or element.findtext("booktitle"))
        links = [DOI_LINK.sub("", link.text or "") for link in element.findall("ee") if DOI_LINK.match(link.text or "")]
        assert record.doi == (links[0].lower() if links else "")
        assert record.pages == element.findtext("pages", "")
