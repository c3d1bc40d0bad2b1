"""Mutations of identifiers."""

from __future__ import annotations

import re

from pytest_citecheck.benchmark.mutate.material import Changed, DoesNotApply, Material
from pytest_citecheck.benchmark.mutate.original import Original
from pytest_citecheck.benchmark.mutate.stream import Stream
from pytest_citecheck.identifiers.doi import find_dois

__all__ = ["fabricated_doi"]

_DIGITS = "0123456789"


def fabricated_doi(original: Original, material: Material, stream: Stream) -> Changed:
    """The DOI with another registrant code.

    The agencies assign registrant codes of four and five digits in ascending order and are far from the end: codes with six
    digits, or with five that begin with 9, are not assigned. A later owner would not use this suffix.
    """
    del material
    doi = original.doi
    if not doi:
        raise DoesNotApply("needs a DOI")
    prefix = doi.partition("/")[0]
    made = f"10.{_unassigned(prefix.split('.')[1], stream)}"
    pattern = re.compile(rf"(?<![\d.]){re.escape(prefix)}(?![\d.])")
    fields = {
        name: pattern.sub(made, value) if doi in find_dois(value) else value for name, value in original.fields.items()
    }
    if fields == original.fields:
        raise DoesNotApply("needs a DOI without breaks")
    return Changed(original.reference.type, fields)


def _unassigned(registrant: str, stream: Stream) -> str:
    if stream.below(2):
        return ("9" + registrant[1:]).ljust(5, stream.pick(_DIGITS))[:5]
    made = registrant
    while len(made) < 6:
        place = 1 + stream.below(len(made))
        made = made[:place] + stream.pick(_DIGITS) + made[place:]
    return made
