"""XML from anybody: read whole or not at all, with no more of it than a limit says."""

from __future__ import annotations

import xml.etree.ElementTree as ET

__all__ = ["root_of"]


def root_of(text: str, *, marks: int, depth: int) -> ET.Element:
    """The root element of a text in which the caller has found no declaration that could expand or fetch anything.

    marks: the most elements and attributes. depth: the most levels. Raises ValueError with the end of a sentence: "contains more
    than …", "cannot be read as a whole XML document: …", "is nested more than … times".
    """
    if text.count("<") + text.count("=") > marks:
        raise ValueError(f"contains more than {marks:,} elements and attributes")
    try:
        root = ET.fromstring(text)  # noqa: S314 - nothing can be declared
    except (ET.ParseError, ValueError, LookupError, RecursionError) as error:
        raise ValueError(f"cannot be read as a whole XML document: {error}") from error
    level = [root]
    for _ in range(depth):
        level = [child for element in level for child in element]
        if not level:
            return root
    raise ValueError(f"is nested more than {depth} times")
