"""Writing a benchmark split as JSON Lines, in HALLMARK's schema (arXiv:2607.18360, schema version 1.0)."""

from __future__ import annotations

import json
from collections.abc import Iterable

from pytest_citecheck.readers.hallmark.schema import LabelledEntry

__all__ = ["SCHEMA_VERSION", "blind_text", "entry_line", "split_text"]

SCHEMA_VERSION = "1.0"


def split_text(entries: Iterable[LabelledEntry]) -> str:
    """The text of a split, one line per entry, in the given order."""
    return "".join(f"{entry_line(entry)}\n" for entry in entries)


def blind_text(entries: Iterable[LabelledEntry]) -> str:
    """The text of a blind split: key, type, fields without ``url`` and raw BibTeX of each entry, in the given order."""
    return "".join(
        json.dumps(
            {
                "bibtex_key": entry.key,
                "bibtex_type": entry.type,
                "fields": {
                    name: value for name, value in sorted(entry.fields.items()) if name.strip().lower() != "url"
                },
                "raw_bibtex": entry.raw,
            }
        )
        + "\n"
        for entry in entries
    )


def entry_line(entry: LabelledEntry) -> str:
    """One entry as a line of ASCII JSON, with its keys in a fixed order; equal entries give equal lines.

    A blind entry has no label. A VALID entry has neither a hallucination type nor a tier.
    """
    row: dict[str, object] = {
        "bibtex_key": entry.key,
        "bibtex_type": entry.type,
        "fields": dict(sorted(entry.fields.items())),
    }
    if entry.label is not None:
        row["label"] = entry.label
    if entry.label == "HALLUCINATED":
        row["hallucination_type"] = entry.hallucination_type
        row["difficulty_tier"] = entry.tier
    optional = {
        "explanation": entry.explanation,
        "generation_method": entry.generation_method,
        "source_conference": entry.source_conference,
        "source": entry.source,
        "publication_date": entry.publication_date,
        "added_to_benchmark": entry.added,
        "subtests": dict(entry.subtests),
        "raw_bibtex": entry.raw,
    }
    row.update((name, value) for name, value in optional.items() if value)
    row["schema_version"] = SCHEMA_VERSION
    return json.dumps(row)
