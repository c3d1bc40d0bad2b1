"""Corrections and waivers for a file that may have been edited since it was read."""

from __future__ import annotations

import errno
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pytest_citecheck.atomic_write import rewrite
from pytest_citecheck.cli.entries import read_all
from pytest_citecheck.cli.waive import with_waiver
from pytest_citecheck.fixing import Correction, FixedFile, fixed_file
from pytest_citecheck.inputs import BIBTEX, content_hash

if TYPE_CHECKING:
    from pytest_citecheck.fixing import RequestedEdits
    from pytest_citecheck.model import Reference

CHANGED: Final = "the entry was changed or removed while citecheck ran"


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit of an entry. reference: as it was read. waived: names and reason of each waiver, with its end."""

    reference: Reference
    corrections: tuple[Correction, ...] = ()
    waived: tuple[tuple[tuple[str, ...], str], ...] = ()


def edited(contents: Mapping[str, bytes], name: str, now: bytes, edits: Mapping[int, Edit]) -> FixedFile:
    """Apply edits to the entries that are the same as when they were read, wherever they are now.

    contents: the files as they were read; edits, and the result: by the place of the entry in them.
    """
    references = read_all({**contents, name: now})[name]
    places = _places(edits, references)
    numbers = {place: number for number, place in places.items()}
    requested_edits = {place: (references[place], edits[number].corrections) for place, number in numbers.items()}
    fixed = corrected_file(name, now, {place: one for place, one in requested_edits.items() if one[1]})
    refused = {number: CHANGED for number in edits if number not in places}
    refused |= {numbers[place]: why for place, why in fixed.refused.items()}
    data = fixed.data
    for number in places:
        for names, reason in edits[number].waived:
            try:
                data = with_waiver(name, data, edits[number].reference.key, names, reason)
            except ValueError as error:
                refused[number] = str(error)
    return replace(fixed, data=data, written=tuple(one for one in edits if one not in refused), refused=refused)


def write_edits(
    contents: Mapping[str, bytes], name: str, edits: Mapping[int, Edit], path: Path | None = None
) -> tuple[bytes, FixedFile]:
    """Apply edits to a file as it is now, as `edited`. Return its content before, and the result.

    path: of the file, if ``name`` is only its name in messages. Raises OSError, also if the file no longer exists.
    """
    found: list[tuple[bytes, FixedFile]] = []

    def change(now: bytes | None) -> bytes:
        if now is None:
            raise FileNotFoundError(errno.ENOENT, "No such file", name)
        found.append((now, edited(contents, name, now, edits)))
        return found[-1][1].data

    rewrite(path or Path(name), change)
    return found[-1]


def corrected_file(name: str, data: bytes, requested_edits: RequestedEdits) -> FixedFile:
    """Write corrections into a file of any kind. requested_edits: as for `fixing.fixed_file`."""
    if Path(name).suffix.lower() in BIBTEX.suffixes:
        return fixed_file(name, data, requested_edits)
    from pytest_citecheck.fixing import fixed_text_file  # noqa: PLC0415 - for code and documentation only

    return fixed_text_file(name, data, requested_edits) if requested_edits else FixedFile(data, (), {})


def _places(edits: Mapping[int, Edit], references: Sequence[Reference]) -> dict[int, int]:
    """The present places of the entries whose content is the same."""
    known: dict[str, list[int]] = {}
    for place, reference in enumerate(references):
        known.setdefault(content_hash(reference), []).append(place)
    found = {}
    for number, one in edits.items():
        if same := known.get(content_hash(one.reference)):
            found[number] = same.pop(same.index(number) if number in same else 0)
    return found
