"""Atom feeds (RFC 4287) from an untrusted source: no document type, no entities, all or nothing."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET  # declarations are refused before the parser sees the text

from pytest_citecheck.sources.base import MalformedAnswerError

__all__ = ["ATOM", "parse_feed"]

ATOM = "{http://www.w3.org/2005/Atom}"
_DECLARATION = re.compile(r"<!\s*(?:DOCTYPE|ENTITY|ELEMENT|ATTLIST|NOTATION)", re.IGNORECASE)


def parse_feed(body: bytes) -> ET.Element:
    """The ``feed`` element that fills the whole body.

    Raises MalformedAnswerError for another encoding than UTF-8, any document type or entity declaration (so
    neither expansion bombs nor external entities can occur), text that is not well-formed and another root
    element.
    """
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise MalformedAnswerError(f"the body is not UTF-8: {error}") from error
    if "\0" in text:
        raise MalformedAnswerError("the body is not UTF-8 text")
    if _DECLARATION.search(text):
        raise MalformedAnswerError("the body holds a document type or entity declaration")
    try:
        root = ET.fromstring(text)  # noqa: S314 - see above: nothing can be declared
    except (ET.ParseError, ValueError, LookupError, RecursionError) as error:
        raise MalformedAnswerError(f"the body is not a whole XML document: {error}") from error
    if root.tag != f"{ATOM}feed":
        raise MalformedAnswerError(f"the body is no Atom feed but {root.tag[:60]}")
    return root
