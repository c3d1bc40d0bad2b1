"""Extraction and normalisation of DOIs as they are written in bibliographies.

The syntax follows the DOI Handbook, section 2.2 (prefix ``10.`` and a registrant code, slash, any printable characters;
case-insensitive); the text cut off around it follows Crossref's "DOIs and matching regular expressions" (2015) and the
serial item identifiers of ANSI/NISO Z39.56, which contain brackets and semicolons.
"""

from __future__ import annotations

import datetime
import html
import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import unquote

from rapidfuzz.distance import Indel

from pytest_citecheck.matching.text import data_file, fold, lazy_pattern
from pytest_citecheck.matching.venue_names import parse_venue
from pytest_citecheck.matching.venue_tables import SHORT_WORDS, all_venues, venue_words
from pytest_citecheck.matching.venues import VenueRelation, compare_venues, is_preprint_venue
from pytest_citecheck.thresholds import (
    BEYOND_A_MONTH,
    BEYOND_A_PREFIX,
    BEYOND_A_VOLUME,
    CENTURY_TURN,
    LONG_NAME,
    MISSPELT_NAME,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

# The ACM Digital Library numbers works without a DOI under this prefix, and exports the numbers as DOIs. They are not
# registered (Crossref, "Using 10.5555 as a test prefix": the prefix is reserved for placeholders).
_PLACEHOLDER = "10.5555/"

_INVISIBLE = lazy_pattern("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—−", "-"))
_LATEX = lazy_pattern(r"\\(?:url|href|path|doi|texttt|nolinkurl)\b|\\textless(?:\{\})?|\\textgreater(?:\{\})?|[\\{}$]")
_PERCENT = lazy_pattern(r"%[0-9A-Fa-f]{2}")
_AROUND_SLASH = lazy_pattern(r"(?<![\d.])(10\.\d{4,9}+(?:\.\d++)*+)\s*+/\s*+(?=\S)")
# A value broken at the end of a line: the rest is one more piece with a digit in it, after a sign that breaks
# lines.
_BROKEN = lazy_pattern(r"^(\D{0,40}10\.\d{4,9}(?:\.\d+)*/\S*+(?<=[.\-_(]))\s++((?!10\.\d{4,9}/)[^\s\d]*+\d\S*+)\s*+$")
_BROKEN_NUMBER = lazy_pattern(r"^(\D{0,40}10\.\d{4,9}(?:\.\d+)*/[\d.]++)((?:\s++(?!10\.\d{4,9}/)[\d.]++)++)\s*+$")
_DOI = lazy_pattern(r"(?<![\d.])10\.\d{4,9}(?:\.\d+)*/[^\s\"“”‘’|^`]{1,1200}")
_LONGEST = 1000
"""Characters of a DOI, and of the address before it. The longest of 316,103 records has 66."""
_NEXT = lazy_pattern(r"[,;|]?(?:https?://|(?<![a-z])doi:|10\.\d{4,9}/)", re.IGNORECASE)
_SICI = lazy_pattern(r"<\d[^<>\s]*>")
_URL = lazy_pattern(r"https?://(?!(?:dx\.|www\.)?doi[.-])[^\s/]", re.IGNORECASE)
_RESOLVER = lazy_pattern(r"https?://(?:dx\.|www\.)?doi[.-]", re.IGNORECASE)
_BEGINNING = lazy_pattern(r"(?<![\d.])10\.\d{4,9}+(?:\.\d++)*+/")
_PAGE = lazy_pattern(
    r"(?:/(?:abstract|summary|full|fulltext|pdf|epdf|html|epub|meta|references|figures|citedby|asset|suppl_file|"
    r"download|tables|issuetoc)(?:/(?s:.*))?|\.pdf|\.full(?:\.pdf|-text|\.html?)?|\.html?|/)$"
)
_ARXIV_VERSION = lazy_pattern(r"^(10\.48550/arxiv)[.:](.+?)(?:v\d+)?$")
_PREPRINT_VERSION = lazy_pattern(r"^(10\.(?:1101|64898)/\d{4}\.\d\d\.\d\d\.\d++)v\d\S*+$")
_PAIRS = {")": "(", "]": "[", ">": "<"}
_TRAILING = ".,;:'\"!?*…"


def find_dois(text: str) -> tuple[str, ...]:
    """All different DOIs in ``text``, normalised, in their order."""
    if not text or "10." not in text:
        return ()
    return _find(text)


def normalise_doi(text: str) -> str:
    """The first DOI in ``text`` in its normal form; empty if there is none.

    Lower case, without resolver, ``doi:`` prefix, LaTeX, percent-encoding, invisible characters, page suffixes of
    publishers' URLs, closing punctuation and version of an arXiv or bioRxiv DOI (only the DOI of the work is
    registered). White space inside is removed if the value cannot end there. Idempotent; never raises.
    """
    if "10." not in text:
        return ""
    found = find_dois(_joined(text))
    return found[0] if found else ""


def _joined(text: str) -> str:
    text = _BROKEN.sub(r"\1\2", _AROUND_SLASH.sub(r"\1/", text))
    return _BROKEN_NUMBER.sub(lambda match: match[1] + "".join(match[2].split()), text)


@lru_cache(maxsize=16384)
def _find(text: str) -> tuple[str, ...]:
    text = _INVISIBLE.sub("", text).translate(_DASHES)
    if "\\" in text or "{" in text or "$" in text:
        text = _LATEX.sub(_latex_sign, text)
    before = ""
    while before != text:
        before = text
        if "%" in text:
            text = _PERCENT.sub(lambda match: unquote(match.group(), errors="replace"), text)
        if "&" in text:
            text = html.unescape(text)
    found: dict[str, None] = {}
    position = 0
    while match := _DOI.search(text, position):
        candidate = match.group()
        following = _NEXT.search(candidate, 8)
        if following:
            candidate = candidate[: following.start()]
        position = match.start() + len(candidate)
        if len(candidate) > _LONGEST:
            continue
        earliest = max(0, match.start() - _LONGEST)
        blank = max(text.rfind(sign, earliest, match.start()) for sign in " \n")
        line_start = blank + 1 if blank >= 0 else earliest
        around = text[line_start : match.end()]
        in_url, linked = _leads(_URL, around), _leads(_RESOLVER, around)
        doi = _trimmed(candidate.lower(), in_url=in_url, linked=linked)
        if doi:
            found[doi] = None
    return tuple(found)


def _leads(address: re.Pattern[str], text: str) -> bool:
    """Return True if a DOI follows the start of such an address."""
    begin = address.search(text)
    return begin is not None and _BEGINNING.search(text, begin.end()) is not None


def _latex_sign(match: re.Match[str]) -> str:
    sign = match.group()
    if sign.startswith("\\textless"):
        return "<"
    if sign.startswith("\\textgreater"):
        return ">"
    return " " if len(sign) > 1 else ""


def _trimmed(doi: str, *, in_url: bool, linked: bool) -> str:
    if not _SICI.search(doi):
        doi = re.split(r"[<>]", doi, maxsplit=1)[0]
    if in_url:
        doi = re.split(r"[?#&]", doi, maxsplit=1)[0]
    elif linked:
        doi = re.split(r"[?#]", doi, maxsplit=1)[0]
    before = ""
    while before != doi:
        before = doi
        doi = doi.rstrip(_TRAILING)
        if in_url:
            doi = _PAGE.sub("", doi)
        last = doi[-1:]
        if last == "/" or (last in _PAIRS and doi.count(last) > doi.count(_PAIRS[last])):
            doi = doi[:-1]
        doi = _ARXIV_VERSION.sub(r"\1.\2", _PREPRINT_VERSION.sub(r"\1", doi))
    return doi if re.match(r"10\.\d{4,9}(?:\.\d+)*/\S", doi) else ""


def is_placeholder(doi: str) -> bool:
    """Return True if a normalised DOI is one of those numbers that only look like a DOI and are never registered."""
    return doi.startswith(_PLACEHOLDER)


_ARCHIVES = (
    "acc-phys|adap-org|alg-geom|ao-sci|astro-ph|atom-ph|bayes-an|chao-dyn|chem-ph|cmp-lg|comp-gas|cond-mat|cs|"
    "dg-ga|funct-an|gr-qc|hep-ex|hep-lat|hep-ph|hep-th|math-ph|math|mtrl-th|nlin|nucl-ex|nucl-th|patt-sol|"
    "physics|plasm-ph|q-alg|q-bio|quant-ph|solv-int|supr-con"
)
_NEW = r"(?P<year>\d\d)(?P<month>0[1-9]|1[0-2])\.(?P<number>\d{4,5})"
_OLD = rf"(?P<archive>{_ARCHIVES})(?:\.[a-z-]{{2,12}})?/(?P<old>(?:9[1-9]|0[0-7])(?:0[1-9]|1[0-2])\d{{3}})"
_ID = rf"(?:{_NEW}|{_OLD})(?:v(?P<version>[1-9]\d?))?(?![\w]|\.\d)"
# Text allowed before an identifier that is part of a longer text.
_CONTEXT = (
    r"(?:ar[xχ]iv(?:\.org)?(?:\s*+e-?prints?|\s++preprints?)?(?:\s*+(?:id|no\.?|number))?\s*+[:.,/]?\s*+"
    r"(?:ar[xχ]iv\s*+[:.]?\s*+)?(?:/?(?:abs|pdf|html|ps|format|e-print|src)/)?|(?<![a-z])abs/|corr/|e-?prints?\s*+:\s*+)"
)
_BARE_NUMBER = lazy_pattern(r"\s*+(?:arxiv\s*+:\s*+)?(?P<number>\d{7}(?:v[1-9]\d?)?)\s*+", re.IGNORECASE)
_CLASS = lazy_pattern(rf"\s*+[\[(]?(?P<archive>{_ARCHIVES})(?:\.[a-z-]{{2,12}})?(?![a-z.-])", re.IGNORECASE)
_IN_CONTEXT = lazy_pattern(rf"{_CONTEXT}{_ID}", re.IGNORECASE)
_ALONE = lazy_pattern(rf"^\s*+{_ID}(?:\.pdf)?\s*+(?:\[[^\]]*\]|\([^)]*\))?\s*+[.,;]?\s*$", re.IGNORECASE)
_BEHIND_ARCHIVE = lazy_pattern(rf"\s*+(?:{_ARCHIVES})(?:\.[a-z]{{2}})?/(?=\d{{4}}\.)", re.IGNORECASE)
_ATTEMPT = lazy_pattern(
    r"(?<![a-z])ar[xχ]iv(?:\.org/(?:abs|pdf|html)/|\s*+:|\.)\s*+(?P<id>\d{2,4}\.\d{3,6}(?:v\d+)?|[x?]{4}\.[x?]{4,5}|[a-z.-]++/\d+)",
    re.IGNORECASE,
)

_LIKE_AN_ID = lazy_pattern(
    rf"ar[xχ]iv\W{{0,3}}\d|(?<![\w-])[\doOlI]{{4}}(?:[.,_]\d?[\dx?]{{3,5}}|-\d{{5}})|\b\d\d(?:0[1-9]|1[0-2])\d{{5}}\b"
    rf"|(?:{_ARCHIVES})(?:\.[a-z-]{{2,12}})?/\w*\d",
    re.IGNORECASE,
)
_GENERATED = frozenset({"1011.1669", "gr-qc/9809069", "1111.6189"})
"""Identifiers that Mendeley writes into entries for other works: 1011.1669 for 20 works in 108 bibliographies."""


def is_generated(text: str) -> bool:
    """Return True if a reference manager filled a field for arXiv identifiers with something else: no attempt at an
    identifier, or one that it gives to all kinds of works."""
    return normalise_arxiv(text)[0] in _GENERATED or not (normalise_arxiv(text)[0] or _LIKE_AN_ID.search(text))


def normalise_arxiv(text: str) -> tuple[str, int | None]:
    """The arXiv identifier in ``text`` without version and subject class, and its version if one is stated.

    ``text`` is the identifier alone, or a text with a marker (``arXiv:``, an arXiv URL or DOI, ``abs/`` as in CoRR).
    Returns ``("", None)`` without one, or if its month or length is impossible.
    """
    if not text:
        return "", None
    for pattern in (_IN_CONTEXT, _ALONE):
        for match in pattern.finditer(text):
            if identifier := _checked(match):
                version = match["version"]
                return identifier, int(version) if version else None
    return "", None


def _checked(match: re.Match[str]) -> str:
    if match["archive"]:
        return f"{match['archive'].lower()}/{match['old']}"
    year_month = int(match["year"] + match["month"])
    if year_month < 704 or (len(match["number"]) == 4) != (year_month < 1501):
        return ""
    return f"{match['year']}{match['month']}.{match['number']}"


def arxiv_in_junk(text: str) -> tuple[str, int | None]:
    """The same for a field that a reference manager filled: also behind an archive (``astro-ph.CO/1109.3457``), which no
    identifier of these years has."""
    behind = _BEHIND_ARCHIVE.match(text)
    return normalise_arxiv(text[behind.end() :] if behind else text)


def archive_of(text: str) -> str:
    """Return the archive of the first class in a field of classes: ``astro-ph`` of ``astro-ph.CO``; otherwise empty."""
    match = _CLASS.match(text)
    return match["archive"].lower() if match else ""


def is_bare_number(text: str) -> bool:
    """True for seven digits: an identifier from before 2007 that lacks its archive, or a number from elsewhere."""
    return _BARE_NUMBER.fullmatch(text) is not None


def with_archive(text: str, archive: str) -> str:
    """Complete a number from before 2007 with the archive of the entry; return any other text unchanged."""
    match = _BARE_NUMBER.fullmatch(text)
    return f"{archive}/{match['number']}" if match and archive else text


def malformed_arxiv(text: str) -> str:
    """Return an invalid value that ``text`` presents as an arXiv identifier; empty if there is none."""
    if not text or normalise_arxiv(text)[0]:
        return ""
    match = _ATTEMPT.search(text)
    return match["id"] if match else ""


_NUMBERED = lazy_pattern(r"(10\.\d{4,9}/(?:.*\D)?)(\d{1,9})", re.ASCII)
_ARXIV = lazy_pattern(r"(\d\d)(\d\d)\.(\d{4,5})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Row:
    """seen: number of DOIs in the volume; lowest, highest: its first and last number."""

    seen: int
    lowest: int
    highest: int


def numbered(doi: str) -> tuple[str, int]:
    """Split a DOI (in normal form) into the text before its last number and that number; empty and 0 without one."""
    match = _NUMBERED.fullmatch(doi)
    return (match[1], int(match[2])) if match else ("", 0)


def beyond_volume(doi: str) -> str:
    """Why no paper of the volume has this DOI (in normal form), in words; empty if one may, or the volume is not known."""
    volume, number = numbered(doi)
    row = _rows()[0].get(volume)
    if row is None:
        return ""
    margin = BEYOND_A_VOLUME * (row.highest - row.lowest + 1)
    if row.lowest - margin <= number <= row.highest + margin:
        return ""
    return f"the papers of {volume} are numbered from {row.lowest} to {row.highest} ({row.seen:,} are known)"


def beyond_month(arxiv: str, today: datetime.date) -> str:
    """Why arXiv has not given out this id (without version), in words; empty if it may have, or the month is not known."""
    match = _ARXIV.fullmatch(arxiv)
    if match is None:
        return ""
    year, month, number = 2000 + int(match[1]), int(match[2]), int(match[3])
    if 12 * year + month > 12 * today.year + today.month + 1:  # the clock may be slow
        return f"{year}-{month:02} is in the future"
    row = _rows()[1].get(match[1] + match[2])
    if row is None or number <= row.highest * (1 + BEYOND_A_MONTH / row.seen):
        return ""
    return f"the highest number known of {year}-{month:02} is {row.highest} ({row.seen:,} ids are known)"


def unassigned_prefix(doi: str, today: datetime.date) -> str:
    """Why no registrant has the prefix of this DOI (in normal form), in words; empty if one may have it.

    Prefixes are numbered in order. Those with five digits go on: the margin grows with the years since they were counted.
    """
    digits = re.split(r"[./]", doi, maxsplit=2)[1]
    counted, blocks = _rows()[2]
    years = max(0, today.year - counted)
    for lowest, highest, seen in blocks.get(len(digits), ()):
        margin = BEYOND_A_PREFIX * (highest - lowest + 1) / seen * (1 + years)
        if lowest - margin <= int(digits) <= highest + margin:
            return ""
    known = " and ".join(f"10.{lowest} to 10.{highest}" for lowest, highest, _ in blocks.get(len(digits), ()))
    return f"the known prefixes of {len(digits)} digits are {known or 'none'}"


@lru_cache(maxsize=1)
def _rows() -> tuple[dict[str, Row], dict[str, Row], tuple[int, dict[int, list[tuple[int, int, int]]]]]:
    stated = json.loads(data_file("highest_numbers.json"))
    return (
        {volume: Row(*row) for volume, row in stated["volumes"].items()},
        {month: Row(seen, 1, highest) for month, (seen, highest) in stated["months"].items()},
        (int(stated["year"]), {int(digits): blocks for digits, blocks in stated["prefixes"].items()}),
    )


# Repositories, which give DOIs to versions of works that appeared elsewhere: arXiv, Zenodo, OSF and its preprints
# (PsyArXiv, EdArXiv), ResearchGate, figshare, TechRxiv, SSRN, Research Square, bioRxiv (two), ChemRxiv, Preprints.org,
# Code Ocean, Hugging Face, the ETH, KIT, Cambridge, Imperial College and Caltech. There are many more, so a registry
# takes precedence.
_REPOSITORIES = frozenset((
    "10.48550", "10.5281", "10.31219", "10.17605", "10.31234", "10.35542", "10.13140", "10.6084", "10.36227", "10.2139",
    "10.21203", "10.1101", "10.64898", "10.26434", "10.20944", "10.24433", "10.57967", "10.3929", "10.5445", "10.17863",
    "10.25560", "10.7907",
))  # fmt: skip


# The prefixes of publishers of proceedings, by the words that name them.
_PUBLISHERS = (
    (lazy_pattern(r"\bComputational Linguistics\b|\bACL\b"), ("10.18653", "10.3115")),
    (lazy_pattern(r"\bIEEE\b|\bElectrical and Electronics Engineers\b"), ("10.1109",)),
    (lazy_pattern(r"\bACM\b|\bAssociation for Computing Machinery\b"), ("10.1145",)),
    (lazy_pattern(r"\bAAAI\b"), ("10.1609",)),
    (lazy_pattern(r"\bSpringer\b|\bLNCS\b|\bLecture Notes in\b"), ("10.1007",)),
    (lazy_pattern(r"\bISCA\b|\bInternational Speech Communication\b"), ("10.21437",)),
    (lazy_pattern(r"\bSIAM\b|\bSociety for Industrial and Applied\b"), ("10.1137",)),
)


@lru_cache(maxsize=1)
def _table() -> dict[str, tuple[int, int, frozenset[str]]]:
    venues = json.loads(data_file("registrants.json"))["venues"]
    return {venue: (first, last, frozenset(kept)) for venue, (first, last, kept) in venues.items()}


def _known(venue: str, year: int | None) -> tuple[str, frozenset[str]] | None:
    """Name and prefixes of the one main venue that a text names, if they were counted for the year."""
    parsed = parse_venue(venue)
    if parsed.part != "main" or len(parsed.venues) != 1 or year is None:
        return None
    (known,) = parsed.venues
    counted = _table().get(known.id)
    if counted is None or not counted[0] <= year <= counted[1]:
        return None
    return known.name, counted[2]


def is_registrant_of(venue: str, year: int | None, doi: str) -> bool:
    """Return True if works of the venue and year carry DOIs of this registrant, or it is a repository, which has works of all
    venues."""
    known = _known(venue, year)
    prefix = doi.partition("/")[0]
    return prefix in _REPOSITORIES or (known is not None and prefix in known[1])


def foreign_publisher(venue: str, publisher: str) -> bool:
    """True if a publisher of proceedings prints none of the known venues that ``venue`` names, nor workshops beside them."""
    prefixes = {prefix for name, own in _PUBLISHERS if name.search(publisher) for prefix in own}
    counted = [_table()[known.id][2] for known in parse_venue(venue).venues if known.id in _table()]
    return bool(prefixes and counted) and all(prefixes.isdisjoint(kept) for kept in counted)


def foreign_registrant(venue: str, year: int | None, doi: str) -> str:
    """Explain why ``doi`` (in normal form) cannot belong to a work in this venue and year; empty if it can.

    Repositories give DOIs of their own to works of any venue, and placeholders are no DOIs: both give the empty text.
    """
    known = _known(venue, year)
    prefix = doi.partition("/")[0]
    if known is None or prefix in known[1] or prefix in _REPOSITORIES or is_placeholder(doi):
        return ""
    name, prefixes = known
    if not prefixes:
        return f"works of {name} have no publisher DOIs, and {prefix} is not a known repository"
    return f"DOIs of works of {name} begin with {' or '.join(sorted(prefixes))}, not with {prefix}"


_IN_A_VOLUME = lazy_pattern(
    r"(10\.(?:1145/\d{6,8}(?=\.)|1007/(?:97[89][\d-]{10,14}|[\dx-]{8,13})(?=_)|1137/1\.97[89]\d{10}(?=\.)"
    r"|52202/\d+(?=-)|26615/97[89][\d-]{10,14}(?=_)|3115/\d+(?=\.)))[._-](?:ch)?\d+",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Volume:
    """name: common prefix of the DOIs of its papers; venue: the id of the conference; works: number of known papers."""

    name: str
    venue: str
    year: int
    works: int


def volume_name(doi: str) -> str:
    """The prefix that all DOIs of the volume of ``doi`` share; empty if ``doi`` (in normal form) does not show it."""
    match = _IN_A_VOLUME.fullmatch(doi)
    return match[1] if match else ""


def volume_of(doi: str) -> Volume | None:
    """Volume of the paper with this DOI, if known."""
    return _volumes().get(volume_name(doi))


@lru_cache(maxsize=1)
def _volumes() -> dict[str, Volume]:
    volumes = json.loads(data_file("proceedings_volumes.json"))["volumes"]
    return {name: Volume(name, *row) for name, row in volumes.items()}


PatternKind = Literal["conference", "journal", "preprint"]

VOLUME = "volume"
"""The form of a DOI that is recognised by its volume (`matching.identifiers`)."""
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
    """Information that a DOI pattern reads in an identifier.

    form: the row of the table, or ``VOLUME``. venues: names of the venue; several for volumes that conferences share.
    year: as written in the identifier, or None; first and last: the years in which the work may be dated (None: no
    bound). month: 1 to 12, or None. reprints: True if the venue reprints papers of other venues. rule: the reason, in
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
        """Return True if a work with this identifier may be dated so."""
        return (self.first is None or year >= self.first) and (self.last is None or year <= self.last)

    def place(self, venue: str) -> VenueRelation:
        """Compare ``venue`` with the venue that the identifier names.

        A workshop, "Findings" and the main proceedings of one conference are not distinguished (the result is unknown),
        since their volumes are often assigned the code of the conference. Nor is a journal that may print what a
        conference presents, or a repository, which may hold works of any venue, or a newsletter whose issues are
        proceedings (SIGMOD Record).
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
        """Return True if a text may name the venue, or the conference that it belongs to.

        It may contain the acronym, or the name with joined words or a wrong letter, or be a part of the name: the
        letter in "Physical Review D" is often written before the volume.
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
    return tuple(_form(json.loads(line)) for line in data_file("doi_patterns.jsonl").splitlines())


def _form(row: dict[str, Any]) -> DoiPattern:
    first, last = row.get("window", (0, 0))
    codes = {code: (name,) if isinstance(name, str) else tuple(name) for code, name in row.get("codes", {}).items()}
    return DoiPattern(
        id=row["id"],
        kind=row["kind"],
        pattern=lazy_pattern(row["pattern"], re.ASCII),
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
    """Apply the DOI patterns to this DOI (in normal form); None if no pattern matches."""
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
    """Apply the DOI patterns to this arXiv id (without version); None if ``identifier`` is no arXiv id."""
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
