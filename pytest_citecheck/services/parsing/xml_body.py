"""XML bodies from an untrusted source: no declarations, no entities of their own, all or nothing."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET  # for types: `root_of` parses, after declarations have been refused

from pytest_citecheck.services.base import MalformedAnswerError
from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.text.whole_xml import root_of

__all__ = ["parse_xml"]

_DECLARATION = lazy_pattern(r"<!\s*(?:DOCTYPE|ENTITY|ELEMENT|ATTLIST|NOTATION)", re.IGNORECASE)
# XML 1.0, productions 28 and 75, without the internal subset, where entities would be declared.
_LITERAL = r"""(?:"[^"<>&]*"|'[^'<>&]*')"""
_EXTERNAL_TYPE = lazy_pattern(
    r"(\A\s*(?:<\?xml[^<>]*\?>\s*)?)"
    rf"<!DOCTYPE\s+[\w:.-]+(?:\s+SYSTEM\s+{_LITERAL}|\s+PUBLIC\s+{_LITERAL}\s+{_LITERAL})?\s*>"
)

# Tags and attributes: an answer of 8 MB has 300,000 at the usual density (one in 30 bytes), 900,000 at the highest. So many
# empty elements, or attributes of one, take up to a second.
_MOST_MARKS = 500_000
# Fourteen levels are the most that a service sends.
_DEEPEST = 100


def parse_xml(body: bytes, *, doctype: bool = False) -> ET.Element:
    """The element that fills the whole body.

    With ``doctype`` one document type that only names an external definition may stand there; it is taken out, and the
    definition is never fetched. Raises MalformedAnswerError, and nothing else, for another encoding than UTF-8, any
    other declaration (so neither expansion bombs nor external entities can occur), too many elements and attributes, too deep
    ones, and text that is not well-formed.
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
