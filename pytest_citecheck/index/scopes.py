"""Completeness of an index: venue-years that are declared, and those whose size is estimated from independent collections.

The number of works of a venue and year is estimated by capture and recapture, and with it the share that the index lacks
(docs/local-index.md). An absence from an index is proof where that share is next to nothing, and a reason to warn where it is
small. Two collections are independent if neither is known to copy from the other (`Independence`); a collection that could not
be read to its end does not count.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_citecheck.evidence import GAP_FILLERS, derivations, reached, upstream
from pytest_citecheck.index.keys import exact_hash, full_title, read_title
from pytest_citecheck.index.layout import storable
from pytest_citecheck.matching import all_venues, lazy_pattern, lookup, parse_venue
from pytest_citecheck.thresholds import COVERED_FROM_WORKS, HELD_FROM_WORKS, HELD_SHARE, LISTS_LACK, YEARS_AROUND

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from pytest_citecheck.index.builder import Scope, Volume
    from pytest_citecheck.index.layout import Collection
    from pytest_citecheck.index.reader import LocalIndex
    from pytest_citecheck.model import Record

LACKING = 0.0005
"""Maximum share of the papers of a complete venue-year that two independent collections may both lack, as estimated (`lacking`).
"""
AT_WORST = 0.01
"""The same limit if a few more titles were missing than observed: small venues are poor evidence."""
FEWEST = 30
"""Minimum number of common titles for an estimate from two collections."""
_UNSEEN = 3
"""Upper limit if none was observed: at 95%, three out of all ("rule of three")."""
UNKNOWN = 1.0
"""Share of the works that may be missing if no two collections allow an estimate."""

_YEAR = lazy_pattern(r"[0-9]{4}")
_NO_PUBLICATIONS = frozenset({"submission", "preprint"})


Seen = dict[tuple[str, int, str], list[int]]
"""Hashes of titles by venue, year and collection."""


class Size(NamedTuple):
    """Size of a venue-year. works: its estimated number; 0 if unknown. lacks: the share that the index lacks, 0 to 1, at
    worst. complete: True if next to nothing can be missing."""

    works: int
    lacks: float
    complete: bool

    def __str__(self) -> str:
        return f"at most {self.lacks:.2%} of about {self.works:,} works missing"


class ScopeError(ValueError):
    """Invalid file of declarations; the message has the file and the item."""


class Independence:
    """Collections that do not repeat each other: different upstreams, neither derived from the other.

    A collection that was not read to its end (`Collection.complete`) does not count, because its gaps are unknown.
    """

    def __init__(self, collections: Iterable[Collection]) -> None:
        self._cut: set[str] = set()
        parents = {child: set(known) for child, known in derivations().items()}
        for collection in collections:
            if not collection.complete:
                self._cut.add(collection.name)
            declared = map(upstream, filter(None, collection.derives_from.split("+")))
            parents.setdefault(upstream(collection.name), set()).update(declared)
        self._ancestors = {child: reached(child, parents) for child in parents}

    def cut(self, collections: Iterable[str]) -> list[str]:
        """Those of the collections that were not read to their end."""
        return sorted(self._cut.intersection(collections))

    def controls(self, collections: Iterable[str]) -> list[str]:
        """The upstreams of those that were."""
        return sorted({upstream(name) for name in collections if name not in self._cut})

    def is_shared(self, collections: Iterable[str]) -> bool:
        """Return True if two independent collections attest the content of these collections."""
        return any(self.are_independent(*pair) for pair in combinations(self.controls(collections), 2))

    def are_independent(self, first: str, second: str) -> bool:
        """Return True if neither of two upstreams takes from the other."""
        return first not in self._ancestors.get(second, ()) and second not in self._ancestors.get(first, ())

    def are_captures(self, first: str, second: str, *, least: int) -> bool:
        """Return True if two upstreams list the works of a venue-year independently.

        least: the titles that the one has and the other lacks, whichever are fewer. A collection that only fills its gaps from
        another one has all that this one has; if each lacks several titles, it did not do so here.
        """
        copies = {one for one, other in ((first, second), (second, first)) if other in self._ancestors.get(one, ())}
        return not copies or (copies <= GAP_FILLERS and least >= _UNSEEN)


@lru_cache(maxsize=1 << 16)
def venue_id(venue: str, year: int | None) -> str:
    """Known venue that a text names for a year; empty for none, several, a workshop or an archive."""
    known = lookup(venue, year) if venue else None
    return known.id if known is not None and known.kind in ("journal", "conference") else ""


@lru_cache(maxsize=1 << 16)
def venue_ids(venue: str, year: int | None) -> tuple[str, ...]:
    """The same of a record: the papers of a joint volume (AAAI with IAAI and EAAI) are in each of its venues."""
    if one := venue_id(venue, year):
        return (one,)
    parsed = parse_venue(venue) if venue else None
    if parsed is None or parsed.part != "main" or parsed.main_from:
        return ()
    return tuple(known.id for known in parsed.venues if known.kind in ("journal", "conference"))


def venue_name(venue: str) -> str:
    """Full name of the venue that a text names; the text itself if the venue is unknown."""
    known = lookup(venue)
    return known.name if known is not None else venue


def lacking(both: int, one: int, other: int, *, unseen: int = 0) -> float:
    """An estimate of the share of all titles that neither of two independent collections has.

    both, one, other: titles that both have, only the first, only the second. The share of the other's titles that a
        collection lacks estimates its share of all (capture and recapture: Lincoln 1930; Petersen 1896); both lack a
        title with the product of their shares.
    unseen: titles that each may lack besides.
    """
    return ((other + unseen) / (both + other)) * ((one + unseen) / (both + one))


def noted(records: Iterable[Record], hashes: Iterable[int]) -> Seen:
    """The titles of records in known venues, by venue, year and collection. hashes: `exact_hash` of each title."""
    seen: Seen = {}
    for record, title in zip(records, hashes, strict=False):
        year = record.year
        if year is not None and record.type not in _NO_PUBLICATIONS:
            for venue in venue_ids(record.venue, year):
                seen.setdefault((venue, year, record.source), []).append(title)
    return seen


class Agreement:
    """Counts which titles of each venue-year several collections have."""

    def __init__(self) -> None:
        self._bits: dict[str, int] = {}
        # For each title the sum of the bits of the collections that have it: there are millions of titles.
        self._titles: dict[tuple[str, int], dict[int, int]] = defaultdict(dict)

    def add(self, seen: Seen) -> None:
        """Count what `noted` returned."""
        for (venue, year, source), hashes in seen.items():
            titles = self._titles[venue, year]
            bit = self._bits.setdefault(source, 1 << len(self._bits))
            for title in hashes:
                titles[title] = titles.get(title, 0) | bit

    def watch(self, records: Iterable[Record]) -> Iterator[Record]:
        """The records, unchanged, while they are counted."""
        for record in records:
            self.add(noted([record], [exact_hash(read_title(full_title(record))[1])]))
            yield record

    def scopes(self, collections: Iterable[Collection] = ()) -> Iterator[Scope]:
        """The venue-years that are complete by agreement; read it after the records.

        collections: descriptions of the collections of the records. The latest year of a venue is never complete:
        collections made during it agree on the papers that had appeared by then.
        """
        independence = Independence(collections)
        volumes = list(self._counted(independence))
        latest = {venue: year for venue, year, *_ in volumes}  # years come in ascending order
        for venue, year, names, _, _ in volumes:
            size = self._size(venue, year, independence)
            if year < latest[venue] and size.complete:
                yield "+".join(independence.controls(names)), venue, year, True, str(size)

    def volumes(self, collections: Iterable[Collection] = ()) -> Iterator[Volume]:
        """Counts and estimated size of each venue and year, in order. Read it after the records."""
        independence = Independence(collections)
        for venue, year, names, titles, agreed in self._counted(independence):
            works, lacks, _ = self._size(venue, year, independence)
            yield venue, year, "+".join(names), titles, agreed, works, lacks

    def _counted(self, independence: Independence) -> Iterator[tuple[str, int, list[str], int, int]]:
        shared: dict[int, bool] = {}
        for (venue, year), titles in sorted(self._titles.items()):
            combined = agreed = 0
            for bits in titles.values():
                if bits not in shared:
                    shared[bits] = independence.is_shared(self._named(bits))
                combined |= bits
                agreed += shared[bits]
            yield venue, year, sorted(self._named(combined)), len(titles), agreed

    def _size(self, venue: str, year: int, independence: Independence) -> Size:
        """Estimate the size from the two independent collections that give the lowest missing share."""
        masks = Counter(self._titles[venue, year].values())
        held = {bits: set(independence.controls(self._named(bits))) for bits in masks}
        best = Size(0, UNKNOWN, False)
        for first, second in combinations(sorted(set().union(*held.values())), 2):
            both, one, other, neither = (
                sum(count for bits, count in masks.items() if (first in held[bits], second in held[bits]) == pattern)
                for pattern in ((True, True), (True, False), (False, True), (False, False))
            )
            # Additional titles of a third collection disprove the estimate.
            if both < FEWEST or neither > AT_WORST * masks.total():
                continue
            lacks = lacking(both, one, other, unseen=_UNSEEN)
            if lacks < best.lacks and independence.are_captures(first, second, least=min(one, other)):
                complete = lacking(both, one, other) <= LACKING and lacks <= AT_WORST
                best = Size(round((both + one) * (both + other) / both), lacks, complete)
        return best

    def _named(self, bits: int) -> list[str]:
        return [name for name, bit in self._bits.items() if bits & bit]


def read_scopes(path: Path) -> list[Scope]:
    """The scopes declared in a YAML or JSON file: items ``{collection, venue, years, why}`` of its list.

    ``years`` is one year, a list, or a range such as ``2019-2023``; ``venue`` any name of a known venue; ``complete:
    false`` overrides agreement. Raises ScopeError.
    """
    return [scope for where, item in _items(path) if "derives_from" not in item for scope in _declared(where, item)]


def read_derivations(path: Path) -> dict[str, str]:
    """The other items of such a file, ``{collection, derives_from}``: from which collection or collections (a list) one takes
    its facts, joined by ``+``. Raises ScopeError."""
    found: dict[str, str] = {}
    for where, item in _items(path):
        if "derives_from" not in item:
            continue
        _check_fields(where, item, {"collection", "derives_from"}, {"collection", "derives_from"})
        stated = item["derives_from"]
        parents = stated if isinstance(stated, list) else [stated]
        if not parents or not all(isinstance(parent, str) and parent.strip() for parent in parents):
            raise ScopeError(f"{where}: no collection: {stated!r}")
        for parent in parents:
            _check_text(where, "derives_from", parent)
        found[str(item["collection"])] = "+".join(parents)
    return found


def _items(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Items of a file of declarations, each with its place."""
    import yaml  # noqa: PLC0415 - of a hundred runs, one reads declarations

    try:
        items = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ScopeError(f"{path}: {error.strerror}") from error
    except (ValueError, yaml.YAMLError, RecursionError) as error:  # ValueError: a 13th month, an endless number
        raise ScopeError(f"{path}: {' '.join(str(error).split())}") from error
    if not isinstance(items, list):
        raise ScopeError(f"{path}: a list of declarations is needed")
    for number, item in enumerate(items, start=1):
        where = f"{path}: item {number}"
        if not isinstance(item, dict):
            raise ScopeError(f"{where}: a mapping is needed, not {item!r}")
        for name in ("collection", "venue", "why"):
            _check_text(where, name, item.get(name, ""))
        yield where, item


def _check_text(where: str, name: str, value: object) -> None:
    if not isinstance(value, str):
        raise ScopeError(f"{where}: {name} is not a string: {value!r}")
    if storable(value) != value:
        raise ScopeError(f"{where}: {name} has half of a surrogate pair: {value!r}")


def _check_fields(where: str, item: dict[str, Any], needed: set[str], known: set[str]) -> None:
    unknown, lacking = set(item) - known, needed - set(item)
    if unknown or lacking:
        named = ", ".join(sorted(map(str, unknown or lacking)))
        raise ScopeError(f"{where}: {'unknown' if unknown else 'missing'}: {named}")


def _declared(where: str, item: dict[str, Any]) -> Iterator[Scope]:
    needed = {"collection", "venue", "years", "why"}
    _check_fields(where, item, needed, needed | {"complete"})
    venue = venue_id(item["venue"], None)
    if not venue:
        raise ScopeError(f"{where}: no venue is known as {item['venue']!r}")
    complete = item.get("complete", True)
    if not isinstance(complete, bool):  # the text "false" would count as true
        raise ScopeError(f"{where}: complete is neither true nor false: {complete!r}")
    for year in _years(where, item["years"]):
        yield item["collection"], venue, year, complete, item["why"]


def _years(where: str, stated: Any) -> Iterator[int]:
    for part in stated if isinstance(stated, list) else [stated]:
        first, _, last = str(part).partition("-")
        if not _YEAR.fullmatch(first.strip()) or not _YEAR.fullmatch(last.strip() or first.strip()):
            raise ScopeError(f"{where}: no year: {part!r}")
        yield from range(int(first), int(last or first) + 1)


class Coverage:
    """Completeness of one index.

    ``closed``: the venue-years (`venue_id`, year) that it contains completely, with the collections and the reason. ``nearly``:
    those of which it lacks a small share, with the collections and the estimated size. ``held``: the others of which it has
    many works (`HELD_FROM_WORKS` of a journal), and not far fewer than of the years around, with the collections and that number.
    """

    def __init__(self, index: LocalIndex) -> None:
        """Raises IndexFileError."""
        scopes = index.scopes()
        self._refused = {(venue, year): (names, why) for names, venue, year, complete, why in scopes if not complete}
        self.closed: dict[tuple[str, int | None], tuple[str, str]] = {
            (venue, year): (names, why)
            for names, venue, year, complete, why in scopes
            if complete and (venue, year) not in self._refused
        }
        self._independence = Independence(index.collections())
        volumes = index.volumes()
        latest = {venue: year for venue, year, *_ in volumes}  # years come in ascending order
        self._counted = {(volume[0], volume[1]): volume[2:5] for volume in volumes}
        self.nearly = {
            (venue, year): (
                "+".join(self._independence.controls(names.split("+"))),
                Size(works, max(lacks, AT_WORST) if year == latest[venue] else lacks, False),
            )
            for venue, year, names, _, _, works, lacks in volumes
            if lacks <= LISTS_LACK and not {(venue, year), (venue, None)} & (self.closed.keys() | self._refused.keys())
        }
        others = self.closed.keys() | self._refused.keys() | self.nearly.keys()
        # Proceedings are catalogued as one volume, the articles of a journal one by one.
        conferences = {venue.id for venue in all_venues() if venue.kind == "conference"}
        self.held = {
            place: (names, titles)
            for place, (names, titles, _) in self._counted.items()
            if titles >= (COVERED_FROM_WORKS if place[0] in conferences else HELD_FROM_WORKS)
            and titles >= HELD_SHARE * self._most_around(*place)
            and others.isdisjoint((place, (place[0], None)))
        }

    def _most_around(self, venue: str, year: int) -> int:
        """The largest number of works of the venue in one of the two years before or after."""
        years = range(year - YEARS_AROUND, year + YEARS_AROUND + 1)
        return max(self._counted[venue, other][1] for other in years if (venue, other) in self._counted)

    def covered(self) -> Iterator[tuple[str, int]]:
        """Venue-years of which the index has many works, unless they are declared incomplete."""
        counted = (place for place, (_, titles, _) in self._counted.items() if titles >= COVERED_FROM_WORKS)
        return (place for place in counted if place not in self._refused)

    def why_not(self, venue: str, year: int | None) -> str:
        """Reason why an absence from this venue, as cited, and year is no evidence; empty if it is."""
        if not venue:
            return "no venue is cited"
        known = venue_id(venue, year)
        if not known:
            return f"no single journal or conference is known as '{venue}'"
        name = venue_name(venue)
        if year is None:
            return "no year is cited"
        if (known, year) in self.closed:
            return ""
        if (known, year) in self._refused:
            names, why = self._refused[known, year]
            return f"{name} {year} is declared incomplete ({names}: {why})"
        return self._why_no_agreement(known, name, year)

    def _why_no_agreement(self, venue: str, name: str, year: int) -> str:
        years = [other for counted, other in self._counted if counted == venue]
        if not years:
            return f"the index has no record of {name}"
        if year not in years:
            return f"the index has no record of {name} of {year}"
        joined, titles, agreed = self._counted[venue, year]
        collections = joined.split("+")
        upstreams = sorted(set(map(upstream, collections)))
        if len(upstreams) == 1:
            return f"{name} {year} is not declared complete, and is in one collection only ({upstreams[0]})"
        if not self._independence.is_shared(collections):
            return f"{name} {year} is not declared complete, and {self._why_one_witness(collections, upstreams)}"
        if year == max(years):
            return f"{year} is the latest year of {name} in the index, and may be incomplete"
        if agreed < FEWEST:
            return f"{name} {year} has too few records to decide ({agreed} in common; {FEWEST} are needed)"
        return (
            f"the collections of {name} {year} do not agree: {agreed:,} of {titles:,} titles in two that are independent; "
            f"more than {LACKING:.1%} may be missing in all"
        )

    def _why_one_witness(self, collections: list[str], upstreams: list[str]) -> str:
        if cut := self._independence.cut(collections):
            return f"not all of {', '.join(cut)} could be read, so it does not count"
        return f"is only in collections that derive from one another ({', '.join(upstreams)})"
