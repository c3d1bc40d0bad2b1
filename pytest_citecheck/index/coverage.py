"""For which venues and years an absence from an index is evidence, and for the others why it is not (docs/index.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.index.scopes import FEWEST, LACKING, Independence, agreement_text, venue_id, venue_name
from pytest_citecheck.linking.provenance import upstream
from pytest_citecheck.thresholds import COVERED_FROM_WORKS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_citecheck.index.reader import LocalIndex

__all__ = ["Coverage"]


class Coverage:
    """What one index is complete for.

    ``closed``: the venue-years (`venue_id`, year) that it holds completely, with the collections and the reason to think so.
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
        self._counted = {(volume[0], volume[1]): volume[2:] for volume in index.volumes()}

    def covered(self) -> Iterator[tuple[str, int]]:
        """The venue-years of which the index demonstrably holds many works, unless they are declared incomplete."""
        counted = (place for place, (_, titles, _) in self._counted.items() if titles >= COVERED_FROM_WORKS)
        return (place for place in counted if place not in self._refused)

    def why_not(self, venue: str, year: int | None) -> str:
        """Why an absence from this venue, as it is cited, and this year is no evidence; empty if it is."""
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
            f"the collections of {name} {year} do not agree: {agreement_text(titles, agreed)}; more than {LACKING:.1%} "
            "may be missing in all"
        )

    def _why_one_witness(self, collections: list[str], upstreams: list[str]) -> str:
        if cut := self._independence.cut(collections):
            return f"not all of {', '.join(cut)} could be read, so it does not count"
        return f"is only in collections that derive from one another ({', '.join(upstreams)})"
