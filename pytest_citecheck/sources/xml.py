"""XML bodies from an untrusted source: no declarations, no custom entities, all or nothing."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET  # parses nothing: `root_of` parses, after declarations have been refused

from pytest_citecheck.matching import lazy_pattern, root_of, without_markup
from pytest_citecheck.sources.base import MalformedAnswerError

_DECLARATION = lazy_pattern(r"<!\s*(?:DOCTYPE|ENTITY|ELEMENT|ATTLIST|NOTATION)", re.IGNORECASE)
# XML 1.0, productions 28 and 75, without the internal subset, where entities would be declared.
_LITERAL = r"""(?:"[^"<>&]*"|'[^'<>&]*')"""
_EXTERNAL_TYPE = lazy_pattern(
    r"(\A\s*(?:<\?xml[^<>]*\?>\s*)?)"
    rf"<!DOCTYPE\s+[\w:.-]+(?:\s+SYSTEM\s+{_LITERAL}|\s+PUBLIC\s+{_LITERAL}\s+{_LITERAL})?\s*>"
)

# Tags and attributes: an answer of 8 MB has 300,000 at the usual density (one in 30 bytes), 900,000 at the highest.
# This many empty elements, or attributes of one, take up to a second.
_MOST_MARKS = 500_000
# Fourteen levels are the most that a service sends.
_DEEPEST = 100


def parse_xml(body: bytes, *, doctype: bool = False) -> ET.Element:
    """Parse the root element of the body.

    With ``doctype``, one document type that only names an external definition is allowed; it is removed, and the
    definition is never fetched. Raises MalformedAnswerError, and nothing else, for another encoding than UTF-8, any
    other declaration (so neither expansion bombs nor external entities can occur), too many elements and attributes,
    too deep ones, and text that is not well-formed.
    """
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise MalformedAnswerError(f"the body is not UTF-8: {error}") from error
    if "\0" in text:
        raise MalformedAnswerError("the body is not UTF-8 text")
    if doctype:
        text = _EXTERNAL_TYPE.sub(r"\1", text, count=1)
    if _DECLARATION.search(text):
        raise MalformedAnswerError("the body contains a document type or entity declaration")
    try:
        return root_of(text, marks=_MOST_MARKS, depth=_DEEPEST)
    except ValueError as error:
        raise MalformedAnswerError(f"the body {error}") from error


_OUTER = lazy_pattern(r"\A<[^<>]*>|</[^<>]*>\Z")


def without_namespaces(root: ET.Element) -> ET.Element:
    """The same tree with local names; services leave namespaces out or change them from version to version."""
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    return root


def marked_text(element: ET.Element | None) -> str:
    """The plain text of an element, whose markup (faces, formulas) is read like that in other services' titles."""
    if element is None:
        return ""
    if not len(element):
        return without_markup(element.text or "")
    tail, element.tail = element.tail, None
    written = ET.tostring(element, encoding="unicode")
    element.tail = tail
    return without_markup(_OUTER.sub("", written))


def marked_texts(parent: ET.Element | None, path: str) -> list[str]:
    """The plain texts of all elements at a path below the parent, without empty ones."""
    found = [] if parent is None else parent.findall(path)
    return [text for text in map(marked_text, found) if text]


# Atom feeds (RFC 4287) from an untrusted source: all or nothing.
ATOM = "{http://www.w3.org/2005/Atom}"


def parse_feed(body: bytes) -> ET.Element:
    """The ``feed`` element that fills the whole body. Raises MalformedAnswerError for anything else."""
    root = parse_xml(body)
    if root.tag != f"{ATOM}feed":
        raise MalformedAnswerError(f"the body is not an Atom feed but {root.tag[:60]}")
    return root
