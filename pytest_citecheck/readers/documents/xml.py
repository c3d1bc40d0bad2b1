"""XML of documents from strangers: nothing is declared, nothing is fetched, nothing is larger or deeper than a limit."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET  # for types: `root_of` parses, after entities have been refused

from pytest_citecheck.readers.encoding import decode_bytes
from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.text.whole_xml import root_of

__all__ = ["local_name", "parse_xml"]

_LARGEST = 50_000_000  # bytes: the text of a thesis of 500 pages in a .docx has some 10 MB
_MOST_MARKS = 6_000_000  # tags and attributes, of which 50 MB at the density of Word have 4 million
_DEEPEST = 200
_DECLARED = lazy_pattern(r"<!\s*(?:ENTITY|ELEMENT|ATTLIST|NOTATION)", re.IGNORECASE)


def parse_xml(data: bytes) -> ET.Element:
    """The root element. Raises ValueError for what is no XML, declares entities, or is too large or too deep."""
    if len(data) > _LARGEST:
        raise ValueError(f"its XML has more than {_LARGEST // 1_000_000} MB")
    text = decode_bytes(data)[0]
    if _DECLARED.search(text):
        raise ValueError("its XML declares entities, which are not read")
    try:
        return root_of(text, marks=_MOST_MARKS, depth=_DEEPEST)
    except ValueError as error:
        raise ValueError(f"its XML {error}") from error


def local_name(element: ET.Element) -> str:
    """The name of an element without its namespace; empty for a comment."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
