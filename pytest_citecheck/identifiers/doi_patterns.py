"""DOI patterns: many publishers write the venue and the year of a work into its DOI.

``data/doi_patterns.jsonl`` holds one form a line: ``id``, ``kind`` of what is identified, ``pattern`` (the whole DOI in
normal form), ``codes`` (code of the venue → name, or names of a joint volume) or ``venue``, ``source`` (where it is seen)
and ``examples``. Groups of the pattern: ``code``; ``year`` (four digits), ``yyy`` (the last three), ``yy`` (the last two)
or ``volume`` (counted from the year ``base``); ``month``. ``window`` is by how many years the year of the work may differ
from that (first, last; null: no end), ``also`` a further year for one; ``reprints`` says of a venue that it prints papers
of others again. A code that is not listed is ignored. How often a form agrees with the records is counted by ``python
-m benchmarks.doi_patterns``; one that agrees with less than 99.5 % of them has no place here.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

from rapidfuzz.distance import Indel

from pytest_citecheck.identifiers.proceedings_volumes import Volume, volume_of
from pytest_citecheck.text.normal_form import fold
from pytest_citecheck.thresholds import CENTURY_TURN, LONG_NAME, MISSPELT_NAME
from pytest_citecheck.venues.comparison import VenueRelation, compare_venues, is_preprint_venue
from pytest_citecheck.venues.parsing import parse_venue
from pytest_citecheck.venues.table import all_venues
from pytest_citecheck.venues.words import SHORT_WORDS, venue_words

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["VOLUME", "DoiPattern", "PatternKind", "PatternMatch", "doi_patterns", "match_arxiv_id", "match_doi"]

PatternKind = Literal["conference", "journal", "preprint"]

VOLUME = "volume"
"""The form of a DOI that is known by its volume (`identifiers.proceedings_volumes`)."""
_NO_NAME = SHORT_WORDS | {"proceedings", "proc", "conference", "conf"}
_ARXIV_DOI = "10.48550/arxiv."


@dataclass(frozen=True, slots=True)
class DoiPattern:
    """One row of the table, see the module."""

    id: str
    kind: PatternKind
    pattern: re.Pattern[str]
    codes: Mapping[str, tuple[str, ...]]
    venue: tuple[str, ...]
    base: int
    window: tuple[int, int | None]
    also: Mapping[int, int]
    reprints: bool
    source: str
    examples: Mapping[str, tuple[str, int | None]]


@dataclass(frozen=True, slots=True)
class PatternMatch:
    """What a DOI pattern reads in an identifier.

    form: the row of the table, or ``VOLUME``. venues: names of the venue; several for volumes that conferences share. year: as it
    stands there, None if none does; first and last: the years in which the work may be dated (None: no bound). month: 1 to 12,
    None if none stands there. reprints: whether the venue prints papers of others again. rule: why the identifier says so, in
    words.
    """

    identifier: str
    form: str
    kind: PatternKind
    venues: tuple[str, ...]
    year: int | None
    first: int | None
    last: int | None
    month: int | None
    reprints: bool
    rule: str

    @property
    def text(self) -> str:
        """Venue and year in words ("CVPR 2022")."""
        return f"{self.venues[0]} {self.year}" if self.year else self.venues[0]

    def may_be_of(self, year: int) -> bool:
        """Whether a work with this identifier may be dated so."""
        return (self.first is None or year >= self.first) and (self.last is None or year <= self.last)

    def place(self, venue: str) -> VenueRelation:
        """Whether ``venue`` is the one that the identifier names.

        A workshop, "Findings" and the main proceedings of one conference are not told apart (it is unknown), since their
        volumes are often given the code of the conference. Nor is a journal that may print what a conference presents, or a
        repository, which may hold works of any venue, or a newsletter whose issues are proceedings (SIGMOD Record).
        """
        answers = {compare_venues(venue, name) for name in self.venues}
        if "same" in answers:
            return "same"
        if answers != {"different"} or self.kind == "preprint" or is_preprint_venue(venue) or self._within(venue):
            return "unknown"
        cited = parse_venue(venue).venues
        if self.form == VOLUME and any(known.kind == "journal" for known in cited):
            return "unknown"
        if self.kind == "journal" and not (cited and all(known.kind == "journal" for known in cited)):
            return "unknown"
        return "different"

    def _within(self, venue: str) -> bool:
        """Whether a text may name the venue, or the conference that it belongs to.

        It may hold the acronym, or the name with words run together or a letter wrong, or be a part of the name: the letter in
        "Physical Review D" is often written before the volume.
        """
        own = {known.id: known for name in self.venues for known in parse_venue(name).venues}
        if any(known.id in own for known in parse_venue(venue).venues):
            return True
        letters, cited = _letters(venue), set(venue_words(venue)) - _NO_NAME
        for name in (name for known in own.values() for name in known.names):
            if cited <= set(venue_words(name)):
                return True
            if _alike(_letters(name), letters) if len(name) >= LONG_NAME else _letters(name) in cited:
                return True
        return False


def _alike(name: str, text: str) -> bool:
    return name in text or Indel.normalized_similarity(name, text) >= MISSPELT_NAME


def _letters(text: str) -> str:
    return "".join(sign for sign in fold(text) if sign.isalnum())


@lru_cache(maxsize=1)
def doi_patterns() -> tuple[DoiPattern, ...]:
    """All rows of the table, in its order."""
    text = files("pytest_citecheck.identifiers").joinpath("data/doi_patterns.jsonl").read_text(encoding="utf-8")
    return tuple(_form(json.loads(line)) for line in text.splitlines())


def _form(row: dict[str, Any]) -> DoiPattern:
    first, last = row.get("window", (0, 0))
    codes = {code: (name,) if isinstance(name, str) else tuple(name) for code, name in row.get("codes", {}).items()}
    return DoiPattern(
        id=row["id"],
        kind=row["kind"],
        pattern=re.compile(row["pattern"], re.ASCII),
        codes=codes,
        venue=tuple(row.get("venue", ())),
        base=row.get("base", 0),
        window=(first, last),
        also={int(year): other for year, other in row.get("also", {}).items()},
        reprints=row.get("reprints", False),
        source=row["source"],
        examples={doi: (venue, year) for doi, (venue, year) in row["examples"].items()},
    )


@lru_cache(maxsize=1)
def _by_prefix() -> dict[str, tuple[DoiPattern, ...]]:
    """The forms by the prefix of a DOI that they are about; by their examples, since a pattern may allow several."""
    found: dict[str, list[DoiPattern]] = {}
    for form in doi_patterns():
        for prefix in dict.fromkeys(doi.partition("/")[0] for doi in form.examples):
            found.setdefault(prefix, []).append(form)
    return {prefix: tuple(forms) for prefix, forms in found.items()}


@lru_cache(maxsize=16384)
def match_doi(doi: str) -> PatternMatch | None:
    """What the DOI patterns read in this DOI (in normal form); None if no pattern matches."""
    for form in _by_prefix().get(doi.partition("/")[0], ()):
        match = form.pattern.fullmatch(doi)
        if match is not None and (read := _read(doi, form, match.groupdict())) is not None:
            return read
    volume = volume_of(doi)
    return _in_volume(doi, volume) if volume else None


def _in_volume(doi: str, volume: Volume) -> PatternMatch:
    name = next((*venue.aliases, venue.name)[0] for venue in all_venues() if venue.id == volume.venue)
    # The proceedings may be printed in the year before or after.
    first, last = volume.year - 1, volume.year + 1
    rule = (
        f"all {volume.works} known papers of the volume {volume.name} are of {name} {volume.year}, give or take a year"
    )
    return PatternMatch(doi, VOLUME, "conference", (name,), volume.year, first, last, None, False, rule)


def match_arxiv_id(identifier: str) -> PatternMatch | None:
    """What the DOI patterns read in this arXiv id (without version); None if ``identifier`` is none."""
    return match_doi(_ARXIV_DOI + identifier.lower())


def _read(doi: str, form: DoiPattern, groups: Mapping[str, str | None]) -> PatternMatch | None:
    venues = form.codes.get(groups.get("code") or "", ()) or form.venue
    if not venues:
        return None
    year = _year(form, groups)
    month = int(groups.get("month") or 0) or None
    if (month or 1) > 12:
        return None
    first, last = (None, None) if year is None else _window(form, year, month)
    what = "when a preprint was posted" if form.kind == "preprint" else "the venue"
    dated = f"; works with this one are dated {_span(first, last)}" if year is not None else ""
    rule = f"identifiers of this form state {what}{dated} ({form.source})"
    return PatternMatch(doi, form.id, form.kind, venues, year, first, last, month, form.reprints, rule)


def _span(first: int | None, last: int | None) -> str:
    if first == last:
        return str(first)
    return f"{first} to {last}" if last is not None else f"{first} or later"


def _window(form: DoiPattern, year: int, month: int | None) -> tuple[int, int | None]:
    before, after = form.window
    first, last = year + before, None if after is None else year + after
    if form.kind == "preprint" and month == 1:
        first -= 1  # submitted in the last days of December
    return first, last if last is None else max(last, form.also.get(year, last))


def _year(form: DoiPattern, groups: Mapping[str, str | None]) -> int | None:
    if year := groups.get("year"):
        return int(year)
    if digits := groups.get("yyy"):
        return 2000 + int(digits)
    if digits := groups.get("yy"):
        return int(digits) + (1900 if int(digits) >= CENTURY_TURN else 2000)
    if volume := groups.get("volume"):
        return form.base + int(volume)
    return None
