"""Atom feeds (RFC 4287) from an untrusted source: all or nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.services.base import MalformedAnswerError
from pytest_citecheck.services.parsing.xml_body import parse_xml

if TYPE_CHECKING:
    import xml.etree.ElementTree as ET

__all__ = ["ATOM", "parse_feed"]

ATOM = "{http://www.w3.org/2005/Atom}"


def parse_feed(body: bytes) -> ET.Element:
    """The ``feed`` element that fills the whole body. Raises MalformedAnswerError for anything else."""
    root = parse_xml(body)
    if root.tag != f"{ATOM}feed":
        raise MalformedAnswerError(f"the body is not an Atom feed but {root.tag[:60]}")
    return root
