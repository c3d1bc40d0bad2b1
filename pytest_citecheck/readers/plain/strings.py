"""Reference strings that somebody has told apart already: the items of a bibliography, the paragraphs of a reference section."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from pytest_citecheck.model import Location, Reference
from pytest_citecheck.readers.bibtex.reader import readable_value
from pytest_citecheck.readers.plain.readings import string_readings
from pytest_citecheck.readers.plain.tidy import separated, tidied
from pytest_citecheck.text.latex import decode

__all__ = ["read_reference_strings", "string_reference"]

_LONGEST = 20_000
"""Characters of a reference string that are looked at: a paper of 1,000 authors."""


def read_reference_strings(strings: Iterable[tuple[str, Location]]) -> list[Reference]:
    """The references of these strings in their order, each at the place of its string and with the string as its ``text``.

    A string gives at least one reference, and two where two are glued. Line breaks, hyphens at their ends, ligatures and a number
    in front (``[12]``, ``3.``) are none of the reference. A string of which nothing can be told is a reference without fields.
    Keys are ``ref_N`` by the place in the list. Never raises.
    """
    found = [string_reference(part, location) for string, location in strings for part in separated(tidied(string))]
    return [replace(reference, key=f"ref_{number}") for number, reference in enumerate(found, start=1)]


def string_reference(text: str, location: Location) -> Reference:
    """The reference in a tidied string, with the fields of its most probable reading, without a key."""
    shown = decode(text) if "\\" in text else text
    readings = string_readings(shown[:_LONGEST])
    if not readings:
        return Reference("", "misc", {}, location, text=text)
    first = readings[0]
    fields = {name: readable_value(name, value) for name, value in first.fields.items()}
    return Reference("", first.type, fields, location, dict(first.fields), text, readings=readings)
