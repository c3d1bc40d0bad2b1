"""The elements of an XML document by their names alone, and their text in plain Unicode."""

from __future__ import annotations

import xml.etree.ElementTree as ET  # writes only: what is written here has been parsed by xml_body

from pytest_citecheck.text.markup import without_markup
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["marked_text", "marked_texts", "without_namespaces"]

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
