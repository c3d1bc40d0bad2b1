"""The strict rule of the Reference Hallucination Arena, on the evidence that the checks have.

Source: agentscope-ai/OpenJudge, ``cookbooks/ref_hallucination_arena``: a reference is VERIFIED if one record has the same title,
all cited surnames and the same year; DOI and venue are never required. Its known faults (compound surnames, homonyms, accents
spelled out) are part of the rule: it makes results comparable. The verdicts of this package come from the checks.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Literal

from pytest_citecheck.matching import decode, lazy_pattern
from pytest_citecheck.model import Evidence, Found, Person, Record, Reference, Unavailable

StrictStatus = Literal["VERIFIED", "SUSPECT", "NOT_FOUND", "ERROR"]

VERIFIED_THRESHOLD = 0.7
SUSPECT_THRESHOLD = 0.4
"""Of the confidence: from here on a record that does not match is kept; suspect in the lenient profile."""

ROUTES: Mapping[str, tuple[str, ...]] = {
    "computer_science": ("crossref", "dblp", "arxiv", "pubmed"),
    "biomedical": ("crossref", "pubmed", "arxiv", "dblp"),
    "chemistry": ("crossref", "pubmed", "arxiv", "dblp"),
    "physics": ("crossref", "arxiv", "dblp", "pubmed"),
    "social_science": ("crossref", "pubmed", "dblp", "arxiv"),
}
_OTHER_ROUTE = ("crossref", "arxiv", "pubmed", "dblp")
_NAMES = 10  # authors of a record that a result states
_WEIGHTS = (0.5, 0.3, 0.2)  # of title, authors and year in the confidence

_TAG = re.compile(r"<[^<>]{0,200}>")
_DASH = lazy_pattern("[\u2010-\u2015]")
_HYPHEN = lazy_pattern(r"(?<!\w)-|-(?!\w)")
_PUNCTUATION = lazy_pattern(r"[^\w\s-]|_")
_NO_WORD = lazy_pattern(r"[^\w\s]|_")
_INITIALS = lazy_pattern(r"[A-Z]{1,4}")
_ASCII = lazy_pattern(r"[a-z]")


@dataclass(frozen=True, slots=True)
class StrictResult:
    """Decision of the rule on a reference.

    title, author, year, doi: of the record that matches, or comes nearest. title_match, author_match: overlaps. source and all
    that starts with ``found``: of that record.
    """

    status: StrictStatus
    confidence: float = 0.0
    source: str = ""
    found_year: int | None = None
    title: bool = False
    author: bool = False
    year: bool = False
    doi: bool = False
    detail: str = ""
    title_match: float = 0.0
    author_match: float = 0.0
    found_title: str = ""
    found_authors: str = ""
    found_doi: str = ""

    def to_text(self) -> str:
        """As one line of JSON, for properties of tests."""
        data = {name: value for name, value in asdict(self).items() if value or name in ("status", "confidence")}
        return json.dumps(data, ensure_ascii=False, sort_keys=True)

    @classmethod
    def from_text(cls, text: str) -> StrictResult:
        """Text made by `to_text`. Raises ValueError."""
        try:
            return cls(**json.loads(text))
        except TypeError as error:
            raise ValueError(f"invalid result of the strict rule: {error}") from error


def _title_form(text: str) -> str:
    plain = _DASH.sub("-", _TAG.sub(" ", text)).lower()
    return " ".join(_PUNCTUATION.sub(" ", _HYPHEN.sub(" ", plain)).split())


def same_title(cited: str, found: str) -> bool:
    """Equality without tags, case, punctuation and the kind of dashes."""
    return bool(_title_form(cited)) and _title_form(cited) == _title_form(found)


def title_overlap(cited: str, found: str) -> float:
    """Jaccard's index of the words, which hyphens do not divide."""
    return _jaccard(_words(cited), _words(found))


def _words(text: str) -> frozenset[str]:
    plain = _DASH.sub("-", _TAG.sub(" ", text)).lower().replace("-", "")
    return frozenset(_NO_WORD.sub("", plain).split())


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 0.0


def _surname_form(name: str) -> str:
    plain = re.sub(r"['’`-]", "", decode(name).lower())
    return "".join(sign for sign in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(sign)).strip()


def _usable(names: Iterable[str]) -> frozenset[str]:
    return frozenset(name for name in map(_surname_form, names) if len(_ASCII.findall(name)) > 1)


def _cited_surname(name: str) -> str:
    before, comma, _ = name.partition(",")
    return before if comma else name.split()[-1]


def _found_surname(name: str) -> str:
    *before, last = name.split()
    return " ".join(before) if before and _INITIALS.fullmatch(last) else last


def match_authors(cited: str, found: Iterable[str]) -> tuple[float, bool]:
    """Jaccard's index of the surnames of a BibTeX author field and of a record (1 if none is cited), and whether the record has
    every cited one. found: names as the source writes them.
    """
    names = [name.strip() for name in re.split(r"(?<!\s)\s++and\s+", cited) if name.strip()]
    kept = [name for name in names if name.lower().strip(".") not in ("others", "et al")]
    asked = _usable(map(_cited_surname, kept))
    if not asked:
        return 1.0, True
    known = _usable(_found_surname(name) for name in found if name.strip())
    return _jaccard(asked, known), asked <= known


def same_year(cited: str, found: str) -> bool:
    """Equality of the texts; it holds too if one is empty."""
    one, other = cited.strip(), found.strip()
    return not one or not other or one == other


def confidence(title: float, author: float, *, year: bool) -> float:
    """The Arena's: half the title, three tenths the authors, a fifth the year."""
    of_title, of_authors, of_year = _WEIGHTS
    return round(of_title * title + of_authors * author + of_year * year, 10)


def lenient_status(result: StrictResult) -> StrictStatus:
    """The status in the lenient profile, by the confidence alone."""
    if result.status in ("VERIFIED", "ERROR"):
        return result.status
    if result.confidence >= VERIFIED_THRESHOLD:
        return "VERIFIED"
    return "SUSPECT" if result.confidence >= SUSPECT_THRESHOLD else "NOT_FOUND"


def match_record(fields: Mapping[str, str], record: Record) -> StrictResult:
    """A reference, by its fields, beside a record."""
    year, names = str(record.year or ""), [_name(person, record.source) for person in record.authors]
    title, doi = fields.get("title", ""), fields.get("doi", "").strip().lower()
    shared, all_found = match_authors(fields.get("author", ""), names)
    overlap, right_year = title_overlap(title, record.title), same_year(fields.get("year", ""), year)
    right_title = same_title(title, record.title)
    return StrictResult(
        status="VERIFIED" if right_title and all_found and right_year else "NOT_FOUND",
        confidence=confidence(overlap, shared, year=right_year),
        found_year=record.year,
        title=right_title,
        author=all_found,
        year=right_year,
        doi=bool(doi) and doi == (record.doi or "").strip().lower(),
        detail=f"T:{100 * overlap:.0f}%, A:{100 * shared:.0f}%, Y:{'✓' if right_year else '✗'}",
        title_match=overlap,
        author_match=shared,
        found_title=record.title,
        found_authors=", ".join(names[:_NAMES]),
        found_doi=record.doi or "",
    )


def strict_result(reference: Reference, evidence: Evidence, discipline: str) -> StrictResult:
    """Decision of the rule on a reference, with the sources in the Arena's order for the discipline, others after them."""
    route = ROUTES.get(discipline, _OTHER_ROUTE)
    by_source: dict[str, list[tuple[Record, bool]]] = {}
    for asked in evidence.asked:
        if isinstance(asked.answer, Found):
            for record in asked.answer.records:
                if record.title:
                    by_source.setdefault(_provider(record.source), []).append((record, asked.query.kind == "doi"))
    ordered = sorted(by_source, key=lambda name: route.index(name) if name in route else len(route))
    found = [best for source in ordered if (best := _best(reference, by_source[source], source))]
    for best in found:
        if best.status == "VERIFIED":
            return best
    if _is_unasked(evidence, route):
        return StrictResult("ERROR", detail="a source gave no answer")
    nothing = StrictResult("NOT_FOUND", detail=", ".join(ordered))
    return max(found, key=lambda best: best.confidence, default=nothing)


def _best(reference: Reference, records: Iterable[tuple[Record, bool]], source: str) -> StrictResult | None:
    """The strict match with the highest confidence, else the nearest record from `SUSPECT_THRESHOLD` on."""
    results: list[StrictResult] = []
    for record, by_doi in records:
        found = replace(match_record(reference.fields, record), source=source)
        if found.status == "VERIFIED":
            results.append(replace(found, confidence=1.0) if by_doi else found)
        elif not by_doi and found.confidence >= SUSPECT_THRESHOLD:
            results.append(found)
    return max(results, key=lambda result: (result.status == "VERIFIED", result.confidence), default=None)


def _provider(source: str) -> str:
    return source.removesuffix("_sparql")


def _name(person: Person, source: str) -> str:
    """As the source writes it: PubMed's initials follow the family name."""
    family = " ".join(filter(None, (person.particle, person.family)))
    if person.literal or source != "pubmed" or not person.given:
        return person.literal or f"{person.given} {family}".strip()
    initials = [word[0].upper() for word in re.split(r"[\s.-]+", person.given) if word]
    return f"{family} {''.join(initials)[:4]}"


def _is_unasked(evidence: Evidence, route: Iterable[str]) -> bool:
    """Return True if a source of the route was asked and did not answer."""
    silent = {_provider(asked.source) for asked in evidence.asked if isinstance(asked.answer, Unavailable)}
    answered = {_provider(asked.source) for asked in evidence.asked if not isinstance(asked.answer, Unavailable)}
    return any(name in silent - answered for name in route)
