"""A file with corrections written into it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_citecheck.checks import macro_for
from pytest_citecheck.fixing.corrected_values import TYPE, Correction, Edit, EntryPlace, Layout, entry_edits
from pytest_citecheck.fixing.style import style_of
from pytest_citecheck.inputs import Draft, byte_order_mark, decode_bytes, read_bibtex
from pytest_citecheck.matching import decode, fold
from pytest_citecheck.model import Reference

RequestedEdits = Mapping[int, tuple[Reference, Sequence[Correction]]]
"""References with their corrections, by their place in the file."""


class FileBytes:
    """A file as `inputs.base.decode_bytes` reads it, in which pieces of the text are replaced.

    guessed: True if the encoding of parts of the file was guessed; then only ASCII may be added.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.text, notes = decode_bytes(data)
        mark, self._encoding = byte_order_mark(data)
        self._start = len(mark)
        self.guessed = bool(notes)

    def replaced(self, edits: Sequence[tuple[int, int, str]]) -> bytes | None:
        """The file with these pieces (start, end, new text; none overlap) replaced; None if it cannot hold the new text."""
        if self._encoding != "utf-8" and self.text.encode(self._encoding, "replace") != self._data[self._start :]:
            return None
        edits = sorted(edits)
        offsets = self._offsets([place for start, end, _ in edits for place in (start, end)])
        pieces, position = [], 0
        for (_, _, new), start, end in zip(edits, offsets[::2], offsets[1::2], strict=True):
            if self.guessed and not new.isascii():
                return None
            pieces += [self._data[position:start], new.encode(self._encoding)]
            position = end
        return b"".join([*pieces, self._data[position:]])

    def _offsets(self, places: Sequence[int]) -> list[int]:
        """Byte offsets of these characters, which are in ascending order."""
        found, character, byte = [], 0, self._start
        for place in places:
            piece = self.text[character:place]
            byte = self._after(piece, byte)
            character = place
            found.append(byte)
        return found

    def _after(self, piece: str, byte: int) -> int:
        encoded = piece.encode(self._encoding, "surrogatepass")
        if self._data.startswith(encoded, byte):
            return byte + len(encoded)
        for letter in piece:  # some replace one byte of Windows-1252
            written = letter.encode(self._encoding, "surrogatepass")
            byte += len(written) if self._data.startswith(written, byte) else 1
        return byte


@dataclass(frozen=True, slots=True)
class FixedFile:
    """The bytes of a file after correction. written: the places (in the file's order) of the references that were
    corrected. refused: reasons for the others, by place."""

    data: bytes
    written: tuple[int, ...]
    refused: Mapping[int, str]


def fixed_file(path: str, data: bytes, requested_edits: RequestedEdits) -> FixedFile:
    """Write corrections into a file.

    requested_edits: each reference, as read from these bytes, with its corrections, by its place in the file. A correction is
    refused if it cannot be written so that it reads as intended, or would change another reference.
    """
    file, draft = FileBytes(data), Draft(path, data)
    layout = Layout(draft)
    edits: dict[int, list[Edit]] = {}
    refused: dict[int, str] = {}
    for number, (reference, corrections) in requested_edits.items():
        place = layout.place(reference)
        if place is None:
            refused[number] = "the entry is malformed"
            continue
        try:
            edits[number] = _edits(file, place, reference, corrections)
        except ValueError as error:
            refused[number] = str(error)
    kept = _sound(path, data, file, edits, requested_edits)
    refused |= {number: "the correction cannot be written in this file" for number in edits if number not in kept}
    written = tuple(number for number in sorted(kept) if kept[number])
    replaced = file.replaced([edit for number in written for edit in kept[number]]) if written else data
    return FixedFile(data if replaced is None else replaced, written, refused)


def _edits(file: FileBytes, place: EntryPlace, reference: Reference, corrections: Sequence[Correction]) -> list[Edit]:
    style = style_of(reference.text, file.text, ascii_only=file.guessed)
    fixes = {one.field: one.value for one in corrections}
    found = entry_edits(file.text, place, reference, fixes, style)
    return [_least(file.text, edit) for edit in found if file.text[edit[0] : edit[1]] != edit[2]]


def _least(text: str, edit: Edit) -> Edit:
    """The edit without the unchanged text at its start and end."""
    start, end, new = edit
    old = text[start:end]
    head = _shared(old, new)
    tail = _shared(old[head:][::-1], new[head:][::-1])
    return start + head, end - tail, new[head : len(new) - tail]


def _shared(one: str, other: str) -> int:
    """Length of the common prefix of two texts."""
    return next(
        (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def _sound(
    path: str, data: bytes, file: FileBytes, edits: Mapping[int, list[Edit]], requested_edits: RequestedEdits
) -> dict[int, list[Edit]]:
    """The edits after which the file reads as intended: all of them, else only the entries that do so alone."""
    if _reads(path, data, file, edits, requested_edits):
        return dict(edits)
    if len(edits) <= 1:
        return {}
    half = len(edits) // 2
    numbers = list(edits)
    first = _sound(path, data, file, {number: edits[number] for number in numbers[:half]}, requested_edits)
    second = _sound(path, data, file, {number: edits[number] for number in numbers[half:]}, requested_edits)
    return {**first, **second}


def _reads(
    path: str, data: bytes, file: FileBytes, edits: Mapping[int, list[Edit]], requested_edits: RequestedEdits
) -> bool:
    """Return True if each corrected reference then has the intended values, and everything else is as before."""
    if not any(edits.values()):
        return True
    changed = file.replaced([edit for group in edits.values() for edit in group])
    if changed is None:
        return False
    before, after = read_bibtex(path, data).references, read_bibtex(path, changed).references
    if len(before) != len(after):
        return False
    corrected = {(reference.location.line, reference.key): number for number, (reference, _) in requested_edits.items()}
    for old, new in zip(before, after, strict=True):
        number = corrected.get((old.location.line, old.key))
        fixes = (
            {one.field: one.value for one in requested_edits[number][1]}
            if number is not None and edits.get(number)
            else {}
        )
        if (old.key, fixes.get(TYPE, old.type)) != (new.key, new.type) or len(new.defects) > len(old.defects):
            return False
        names = {**old.fields, **new.fields}
        if not all(_agrees(name, old, new, fixes) for name in names):
            return False
    return True


def _agrees(name: str, old: Reference, new: Reference, fixes: Mapping[str, str]) -> bool:
    if name not in fixes:
        return old.raw.get(name) == new.raw.get(name) or name in _children(old)
    value, read = fixes[name], new.fields.get(name, "")
    if name in ("author", "editor"):
        return _people(read) == _people(value)
    if name == "title":  # it may keep its subtitle
        return bool(value) and _letters(read).startswith(_letters(value))
    if macro := macro_for(old, name, value, fixes.get("year", old.fields.get("year", ""))):
        return fold(read) == fold(decode(old.macros[macro]))  # it may call the venue by another of its names
    return fold(read) == fold(value) or (bool(value) and _letters(read).endswith(_letters(value)))


def _children(reference: Reference) -> frozenset[str]:
    """The fields that an entry may inherit from a corrected one."""
    return frozenset(reference.fields) if "crossref" in reference.fields or "xdata" in reference.fields else frozenset()


def _people(text: str) -> list[list[str]]:
    return [sorted(re.findall(r"\w+", fold(name))) for name in text.split(" and ")]


def _letters(text: str) -> str:
    return "".join(letter for letter in fold(text) if letter.isalnum())
