"""Reading splits: labelled entries, one a line.

Source: HALLMARK, arXiv:2607.18360, schema version 1.0, and the rules of its loader.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from sys import intern
from typing import Final, cast, get_args

from pytest_citecheck.readers.hallmark.json_lines import Bytes, JsonLine, Problem, parted
from pytest_citecheck.readers.hallmark.keyed_lines import keyed_lines
from pytest_citecheck.readers.hallmark.schema import TIERS, Label, LabelledEntry
from pytest_citecheck.readers.hallmark.values import Fields, LineError, Warn, shown

__all__ = ["Split", "is_repeated", "iterate_split", "labelled_entry", "load_split", "read_split"]

_REPEATED = "duplicate key"
_LABELS: Final[tuple[str, ...]] = get_args(Label)


@dataclass(frozen=True, slots=True)
class Split:
    """The entries of a file in its order, each key once, and what was wrong with its lines."""

    path: str
    entries: tuple[LabelledEntry, ...]
    problems: tuple[Problem, ...]


def load_split(path: Path) -> Split:
    """Read a file from disk. Raises OSError; what is wrong with its content is in the ``problems``."""
    with path.open("rb") as file:
        return read_split(str(path), file)


def read_split(path: str, data: Bytes) -> Split:
    """Read a whole split; ``path`` is only repeated in problems. Never raises on account of the content."""
    return Split(path, *parted(iterate_split(path, data)))


def iterate_split(path: str, data: Bytes) -> Iterator[LabelledEntry | Problem]:
    """The same one by one, in the order of the file; of all entries only the keys are kept.

    An error costs its line: no JSON object, a missing key, type or ``fields``, a value of another type, an unknown label, a
    hallucinated entry without type or tier, a key that an entry before has. A warning costs nothing: an unknown type of
    hallucination, a number where text is due. Unknown names are ignored, canaries (``__canary__…``) are dropped, and so is the
    type of hallucination of a valid entry. A line without a label is a blind one.
    """
    return keyed_lines(
        path, data, labelled_entry, f"{_REPEATED}: the entry on line {{line}} counts", keep_repeated=False
    )


def is_repeated(problem: Problem) -> bool:
    """Whether the line of this problem was skipped because an entry before has its key."""
    return problem.message.startswith(_REPEATED)


def labelled_entry(line: JsonLine, warn: Warn) -> LabelledEntry:
    """The entry that an object states. Raises LineError."""
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
        warn(f"“hallucination_type” is {shown(stated)}, which is not known")
    return stated


def _tier(fields: Fields) -> int:
    tier = fields.whole("difficulty_tier")
    if tier is None:
        raise LineError("“difficulty_tier” is missing")
    if tier not in TIERS.values():
        raise LineError(f"“difficulty_tier” is {tier}, not 1, 2 or 3")
    return tier
