"""The reader of HALLMARK splits: the blind view of each labelled entry, and nothing of what the labels say.

Source: HALLMARK, arXiv:2607.18360: a checker is given key, type, fields without ``url``, and the BibTeX source.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.model import Defect, Location, Reference
from pytest_citecheck.readers.base import Bibliography
from pytest_citecheck.readers.bibtex.reader import readable_value
from pytest_citecheck.readers.bibtex.repair import balance
from pytest_citecheck.readers.field_lengths import readable_within_length, written_within_length
from pytest_citecheck.readers.hallmark.json_lines import Problem, is_lfs_pointer
from pytest_citecheck.readers.hallmark.split import is_repeated, iterate_split
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_citecheck.readers.hallmark.schema import LabelledEntry

__all__ = ["HALLMARK", "HallmarkReader", "blind_reference", "read_hallmark"]

# Quotation marks inside the texts of JSON stand after a backslash, so these are names. Files of predictions have keys too.
_NAMES = (lazy_pattern(rb'"bibtex_key"\s*:'), lazy_pattern(rb'"fields"\s*:'))
_HIDDEN = "url"


class HallmarkReader:
    """Reads ``.jsonl`` files of labelled or blind entries; see `read_hallmark`."""

    suffixes = frozenset((".jsonl",))
    format = "a split (lines with “bibtex_key” and “fields”)"
    lenient = False

    def reads(self, head: bytes) -> bool:
        """Whether entries of a split stand there, or only a pointer to them."""
        return is_lfs_pointer(head) or all(name.search(head) for name in _NAMES)

    def read(self, path: str, data: bytes) -> Bibliography:
        """Read a whole file; ``path`` is only repeated in locations."""
        return read_hallmark(path, data)


HALLMARK = HallmarkReader()


def read_hallmark(path: str, data: bytes) -> Bibliography:
    """Read a split from its bytes. Never raises on account of the content.

    Every line that is not blank is a reference, except canaries and lines whose key was used before. A line that cannot be read
    is one with a fatal defect (`readers.hallmark.split` has the rules). Repeated keys and what was only odd are in the notes.
    """
    references: list[Reference] = []
    notes: list[Defect] = []
    for item in iterate_split(path, (data,)):
        if not isinstance(item, Problem):
            references.append(blind_reference(item, path))
        elif item.severity == "error" and not is_repeated(item):
            defect = Defect("unreadable-entry", item.message, item.line, fatal=True)
            references.append(Reference(item.key, "", {}, Location(path, item.line, item.line), defects=(defect,)))
        else:
            notes.append(Defect("unusual-value", f"{item.key}: {item.message}", item.line, note=True))
    return Bibliography(path, tuple(references), tuple(notes), benchmark=True)


def blind_reference(entry: LabelledEntry, path: str) -> Reference:
    """What a check may see of an entry, as if it had stood in a ``.bib`` file: see `model.Reference` for the fields.

    The values are BibTeX, each of them on its own: braces that do not balance cannot reach into the next field or entry. They
    are repaired and named in a note, as are NUL characters and names of fields that occur twice: how an entry was written
    is not what a benchmark asks about.
    """
    defects: list[Defect] = []
    raw: dict[str, str] = {}
    fields: dict[str, str] = {}
    for written, value in entry.fields.items():
        name = written.strip().lower()
        if name == _HIDDEN:
            continue
        if name in raw:
            message = f"duplicate field `{name}`: the first one counts"
            defects.append(Defect("duplicate-field", message, entry.line, note=True))
            continue
        short, overlong = written_within_length(name, value, entry.line, entry.key)
        raw[name] = _sound(name, short, entry.line, defects)
        fields[name], unreadable = readable_within_length(name, readable_value(name, raw[name]), entry.line, entry.key)
        if (told := overlong or unreadable) is not None:
            defects.append(told)
    return Reference(
        key=entry.key,
        type=entry.type.strip().lower(),
        fields=fields,
        location=Location(path, entry.line, entry.line),
        raw=raw,
        text=_rendered(entry, raw) if entry.raw is None else entry.raw,
        defects=tuple(defects),
    )


def _sound(name: str, value: str, line: int, defects: list[Defect]) -> str:
    if "\0" in value:
        value = value.replace("\0", "")
        message = f"the field `{name}` contains NUL characters, which are ignored"
        defects.append(Defect("nul-byte", message, line, note=True))
    balanced = balance(value)
    if balanced != value:
        message = f"unbalanced braces in the field `{name}`"
        defects.append(Defect("unbalanced-braces", message, line, note=True))
    return balanced


def _rendered(entry: LabelledEntry, raw: Mapping[str, str]) -> str:
    """The entry as BibTeX: fields sorted by name, values in braces."""
    lines = [f"  {name} = {{{raw[name]}}},\n" for name in sorted(raw)]
    return f"@{entry.type}{{{entry.key},\n{''.join(lines)}}}"
