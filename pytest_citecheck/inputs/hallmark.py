"""Reader for HALLMARK splits: the blind view of each labelled entry, without its labels.

Source: HALLMARK, arXiv:2607.18360. A checker receives key, type, fields without ``url``, and the BibTeX source.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from sys import intern
from typing import TYPE_CHECKING, Final, cast, get_args

from pytest_citecheck.inputs.base import Bibliography, FileReader
from pytest_citecheck.inputs.bibtex.reader import readable_value, readable_within_length, written_within_length
from pytest_citecheck.inputs.bibtex.values import balance
from pytest_citecheck.inputs.budget import lazy_pattern
from pytest_citecheck.inputs.hallmark_lines import (
    TIERS,
    Bytes,
    Fields,
    JsonLine,
    Label,
    LabelledEntry,
    LineError,
    Problem,
    Warn,
    is_lfs_pointer,
    keyed_lines,
    parted,
    shown,
)
from pytest_citecheck.model import Defect, Location, Reference

if TYPE_CHECKING:
    from collections.abc import Mapping

_REPEATED = "duplicate key"
_LABELS: Final[tuple[str, ...]] = get_args(Label)


@dataclass(frozen=True, slots=True)
class Split:
    """Entries of a file in order, each key once, and the problems of its lines."""

    path: str
    entries: tuple[LabelledEntry, ...]
    problems: tuple[Problem, ...]


def load_split(path: Path) -> Split:
    """Read a file from disk. Raise OSError; errors in the content are in ``problems``."""
    with path.open("rb") as file:
        return read_split(str(path), file)


def read_split(path: str, data: Bytes) -> Split:
    """Read a whole split; ``path`` is only used in problems. Never raises because of the content."""
    return Split(path, *parted(iterate_split(path, data)))


def iterate_split(path: str, data: Bytes) -> Iterator[LabelledEntry | Problem]:
    """Yield entries and problems one at a time, in file order, keeping only the keys in memory.

    An error drops the line: not a JSON object, a missing key, type or ``fields``, a value of the wrong type, an unknown label,
    a hallucinated entry without type or tier, or a repeated key. A warning does not: an unknown type of hallucination, or a
    number in place of text. Unknown names are ignored. Canaries (``__canary__…``) and the type of hallucination of a valid
    entry are dropped. A line without a label is a blind one.
    """
    return keyed_lines(
        path, data, labelled_entry, f"{_REPEATED}: the entry on line {{line}} counts", keep_repeated=False
    )


def is_repeated(problem: Problem) -> bool:
    """Return True if the line of this problem was skipped because an earlier entry has its key."""
    return problem.message.startswith(_REPEATED)


def labelled_entry(line: JsonLine, warn: Warn) -> LabelledEntry:
    """Convert an object to an entry. Raise LineError."""
    fields = Fields(line.value, warn)
    key = fields.required("bibtex_key")
    label = cast("Label | None", fields.choice("label", _LABELS))
    hallucinated = label == "HALLUCINATED"
    return LabelledEntry(
        key=key,
        type=intern(fields.required("bibtex_type")),
        fields={intern(name): value for name, value in fields.text_mapping("fields").items()},
        label=label,
        hallucination_type=_hallucination_type(fields, warn) if hallucinated else None,
        tier=_tier(fields) if hallucinated else None,
        explanation=fields.text("explanation"),
        generation_method=intern(fields.text("generation_method")),
        source_conference=intern(fields.text("source_conference")),
        source=intern(fields.text("source")),
        publication_date=intern(fields.text("publication_date")),
        added=intern(fields.text("added_to_benchmark")),
        subtests=fields.outcomes("subtests"),
        raw=None if fields.get("raw_bibtex") is None else fields.text("raw_bibtex"),
        line=line.line,
    )


def _hallucination_type(fields: Fields, warn: Warn) -> str:
    stated = intern(fields.required("hallucination_type"))
    if stated not in TIERS:
        warn(f"“hallucination_type” is {shown(stated)}, which is not a known type")
    return stated


def _tier(fields: Fields) -> int:
    tier = fields.whole("difficulty_tier")
    if tier is None:
        raise LineError("“difficulty_tier” is missing")
    if tier not in TIERS.values():
        raise LineError(f"“difficulty_tier” is {tier}, not 1, 2 or 3")
    return tier


# JSON escapes quotation marks inside strings, so these patterns match only names. Prediction files have keys too.
_NAMES = (lazy_pattern(rb'"bibtex_key"\s*:'), lazy_pattern(rb'"fields"\s*:'))
_HIDDEN = "url"


class HallmarkReader(FileReader):
    """Reader for ``.jsonl`` files of labelled or blind entries; see `read_hallmark`."""

    suffixes = frozenset((".jsonl",))
    format = "a split (lines with “bibtex_key” and “fields”)"
    lenient = False

    def reads(self, head: bytes) -> bool:
        """Return True if the file starts with entries of a split or is a Git LFS pointer."""
        return is_lfs_pointer(head) or all(name.search(head) for name in _NAMES)

    def read(self, path: str, data: bytes) -> Bibliography:
        """Read a whole file; ``path`` is only used in locations."""
        return read_hallmark(path, data)


HALLMARK = HallmarkReader()


def read_hallmark(path: str, data: bytes) -> Bibliography:
    """Parse the bytes of a split. Never raises because of the content.

    Every non-blank line yields a reference, except canaries and lines with a repeated key. An unreadable line yields one with a
    fatal defect (`inputs.hallmark` has the rules). Notes report repeated keys and oddities.
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
    """Return the part of an entry that a check may see, as if read from a ``.bib`` file (see `model.Reference`).

    An entry with a reference string as its source is read from the string: its fields may have lost a part, such as the venue.
    The values are BibTeX. Each is parsed on its own, so unbalanced braces cannot reach into the next field or entry. Repairs of
    braces, NUL characters and repeated field names are only notes, because a benchmark does not ask about formatting.
    """
    place = Location(path, entry.line, entry.line)
    if entry.raw and not entry.raw.lstrip().startswith("@"):
        from pytest_citecheck.inputs.plain.readings import read_reference_strings  # noqa: PLC0415 - rarely needed

        for read in filter(lambda one: one.fields, read_reference_strings([(entry.raw, place)])):
            return replace(read, key=entry.key)
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
    text = _rendered(entry, raw) if entry.raw is None else entry.raw
    return Reference(entry.key, entry.type.strip().lower(), fields, place, raw, text, tuple(defects))


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
    """Render the entry as BibTeX: fields sorted by name, values in braces."""
    lines = [f"  {name} = {{{raw[name]}}},\n" for name in sorted(raw)]
    return f"@{entry.type}{{{entry.key},\n{''.join(lines)}}}"
