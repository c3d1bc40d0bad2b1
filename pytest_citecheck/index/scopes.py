"""What an index is complete for: venue-years that somebody declared, and those on which independent collections agree.

An absence from an index is evidence only there (docs/index.md). Collections count as independent if their names differ before
the first hyphen: ``dblp-2024`` and ``dblp-crawl`` are both what dblp says.
"""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import yaml

from pytest_citecheck.index.keys import exact_hash, read_title
from pytest_citecheck.matching.venues import lookup

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from pytest_citecheck.index.builder import Scope, Volume
    from pytest_citecheck.index.entry import Entry

__all__ = [
    "AGREED",
    "FEWEST",
    "Agreement",
    "ScopeError",
    "agreement_text",
    "read_scopes",
    "upstream",
    "venue_id",
    "venue_name",
]

AGREED = 0.98
"""Share of the titles of a venue-year that at least two independent collections must have: then hardly one lacks in all."""
FEWEST = 30
"""Titles below which agreement says little."""

_NO_PUBLICATIONS = frozenset({"submission", "preprint", "posted-content"})


class ScopeError(ValueError):
    """A file of declarations is not as it should be; the message names the file and the item."""


def upstream(collection: str) -> str:
    """Whose word a collection is: its name up to the first hyphen."""
    return collection.partition("-")[0]


@lru_cache(maxsize=1 << 16)
def venue_id(venue: str) -> str:
    """The venue of the table of venues that a text names; empty if none, several, a workshop or a preprint archive."""
    known = lookup(venue) if venue else None
    return known.id if known is not None and known.kind in ("journal", "conference") else ""


def agreement_text(titles: int, agreed: int) -> str:
    """How far the collections of a venue-year agree, in words."""
    return f"{agreed:,} of {titles:,} titles in at least two collections"


def venue_name(venue: str) -> str:
    """The full name of the venue that a text names; the text itself if none is known."""
    known = lookup(venue)
    return known.name if known is not None else venue


class Agreement:
    """Counts, while entries stream by, which titles of each venue-year several collections have."""

    def __init__(self) -> None:
        self._titles: dict[tuple[str, int], dict[int, set[str]]] = defaultdict(dict)

    def watch(self, entries: Iterable[Entry]) -> Iterator[Entry]:
        """The entries, unchanged."""
        for entry in entries:
            if entry.year is not None and entry.type not in _NO_PUBLICATIONS and (venue := venue_id(entry.venue)):
                held = self._titles[venue, entry.year].setdefault(exact_hash(read_title(entry.title)[1]), set())
                held.add(upstream(entry.source))
            yield entry

    def scopes(self) -> Iterator[Scope]:
        """The venue-years that are complete by agreement; read it when the entries have gone by.

        The latest year of a venue never is: collections that were made within it agree on what had appeared by then.
        """
        volumes = list(self.volumes())
        latest = {venue: year for venue, year, *_ in volumes}  # they come in the order of the years
        for venue, year, names, titles, agreed in volumes:
            if year < latest[venue] and titles >= FEWEST and agreed >= AGREED * titles:
                yield names, venue, year, True, agreement_text(titles, agreed)

    def volumes(self) -> Iterator[Volume]:
        """What was counted of each venue and year, in their order; read it when the entries have gone by."""
        for (venue, year), titles in sorted(self._titles.items()):
            names = "+".join(sorted(set().union(*titles.values())))
            yield venue, year, names, len(titles), sum(len(held) > 1 for held in titles.values())


def read_scopes(path: Path) -> list[Scope]:
    """Declarations from a YAML or JSON file: a list of ``{collection, venue, years, why}``.

    ``years`` is one year, a list, or a range such as ``2019-2023``; ``venue`` any name of a venue that is known;
    ``complete: false`` takes back what agreement would say. Raises ScopeError.
    """
    try:
        items = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ScopeError(f"{path}: {error}") from error
    if not isinstance(items, list):
        raise ScopeError(f"{path}: a list of declarations is needed")
    return [scope for number, item in enumerate(items, start=1) for scope in _declared(f"{path}: item {number}", item)]


def _declared(where: str, item: Any) -> Iterator[Scope]:
    if not isinstance(item, dict):
        raise ScopeError(f"{where}: a mapping is needed, not {item!r}")
    unknown = set(item) - {"collection", "venue", "years", "complete", "why"}
    lacking = {"collection", "venue", "years", "why"} - set(item)
    if unknown or lacking:
        raise ScopeError(f"{where}: {'unknown' if unknown else 'missing'}: {', '.join(sorted(unknown or lacking))}")
    venue = venue_id(str(item["venue"]))
    if not venue:
        raise ScopeError(f"{where}: no venue is known as {item['venue']!r}")
    for year in _years(where, item["years"]):
        yield str(item["collection"]), venue, year, bool(item.get("complete", True)), str(item["why"])


def _years(where: str, stated: Any) -> Iterator[int]:
    for part in stated if isinstance(stated, list) else [stated]:
        first, _, last = str(part).partition("-")
        if not first.strip().isdecimal() or not (last.strip() or first.strip()).isdecimal():
            raise ScopeError(f"{where}: no year: {part!r}")
        yield from range(int(first), int(last or first) + 1)
