"""Reference strings that somebody has told apart already: the items of a bibliography, the paragraphs of a reference section."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from pytest_citecheck.model import Location, Reference
from pytest_citecheck.readers.plain.references import read_plain_references

__all__ = ["read_reference_strings"]


def read_reference_strings(strings: Iterable[tuple[str, Location]]) -> list[Reference]:
    """The references of these strings in their order, each at the place of its string and with the string as its ``text``.

    A string gives at least one reference, and two where two are glued. Line breaks, hyphens at their ends, ligatures and a number
    in front (``[12]``, ``3.``) are none of the reference. A string of which nothing can be told is a reference without fields.
    Keys are ``ref_N`` by the place in the list. Never raises.
    """
    found: list[Reference] = []
    for string, location in strings:
        text = " ".join(string.split())
        read = read_plain_references(f"[1] {text}", location)
        found += read or [Reference("", "misc", {}, location, text=text)]
    return [replace(reference, key=f"ref_{number}") for number, reference in enumerate(found, start=1)]
