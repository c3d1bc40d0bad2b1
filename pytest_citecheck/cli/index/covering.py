"""The action that says which references of a bibliography an index can answer for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.cli.index.files import existing_index, regular_file
from pytest_citecheck.cli.screen import UsageError, count, say
from pytest_citecheck.index.coverage import Coverage
from pytest_citecheck.index.keys import IDENTIFIERS
from pytest_citecheck.index.reader import LocalIndex
from pytest_citecheck.index.scopes import venue_id
from pytest_citecheck.readers import reader_for
from pytest_citecheck.readers.cited_metadata import cited_metadata

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from pytest_citecheck.model import CitedMetadata

__all__ = ["cover"]


def cover(chosen: argparse.Namespace) -> int:
    """Print a line for each reference, and two sums. The exit code is 0 whatever they are."""
    with LocalIndex(existing_index(chosen.index)) as index:
        coverage = Coverage(index)
        claims = list(_claims(chosen.files))
        held = closed = 0
        for where, cited in claims:
            if not cited.reference.readable:
                say(f"{where}: cannot be read")
                continue
            has = _holds(index, cited)
            why = coverage.why_not(cited.venue, cited.year)
            held += has
            closed += not why
            if why:
                said = f"not covered: {why}"
            else:
                names, reason = coverage.closed[venue_id(cited.venue, cited.year), cited.year]
                said = f"covered ({names}: {reason})"
            say(f"{where}: {'in the index' if has else 'not in the index'}; {said}")
    say(f"{count(len(claims), 'reference')}: {held:,} in the index")
    say(f"{closed:,} cited in venues and years for which it is complete")
    if closed:
        say("There an absence is evidence, but only for works searched for under the cited authors.")
    return 0


def _claims(names: list[str]) -> Iterator[tuple[str, CitedMetadata]]:
    for name in names:
        reader = reader_for(name)
        if reader is None:
            raise UsageError(f"no reader for files like {name}")
        path = Path(name)
        if not path.exists():
            raise UsageError(f"no such file: {name}")
        for reference in reader.read(name, regular_file(path).read_bytes()).references:
            yield f"{name}:{reference.location.line} {reference.key}", cited_metadata(reference)


def _holds(index: LocalIndex, cited: CitedMetadata) -> bool:
    """Whether the index has a record of one of the identifiers, or of exactly that title."""
    named = cited.identifiers
    pairs = [
        (kind, value)
        for kind in IDENTIFIERS
        for value in (named.isbn if kind == "isbn" else (getattr(named, kind),))
        if value
    ]
    return any(index.by_identifiers(pairs)) or bool(cited.title and index.equal_numbers(cited.title))
