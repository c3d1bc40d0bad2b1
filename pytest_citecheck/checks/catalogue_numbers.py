"""Numbers that catalogues assign to works (ISBN, HAL id, PubMed id …), cited for another work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rapidfuzz.distance import OSA

from pytest_citecheck.checks.base import ReferenceCase, Shown, accusation, describe, finding
from pytest_citecheck.evidence import Candidate, independent_statements, source_name
from pytest_citecheck.inputs import name_list
from pytest_citecheck.matching import compare_titles, parse, without_affiliations, words
from pytest_citecheck.model import EvidenceKind, Finding, Found, Person, QueryKind, Record
from pytest_citecheck.thresholds import FEW_LETTERS, LONG_WORD, STATING_IT

_NUMBERS: Mapping[QueryKind, tuple[str, frozenset[str]]] = {
    "isbn": ("ISBN", frozenset()),
    "hal": ("HAL id", frozenset({"hal"})),
    "nnt": ("thesis number", frozenset({"hal", "theses_fr"})),
    "acl": ("ACL Anthology id", frozenset({"acl", "acl_anthology"})),
    "openreview": ("OpenReview id", frozenset({"openreview"})),
    "dblp": ("DBLP key", frozenset({"dblp"})),
    "pmid": ("PubMed id", frozenset({"pubmed", "europe_pmc"})),
}
"""The name of each kind of number, and the origins of records in the catalogue that assigns it."""

_PEOPLE = ("author", "editor", "translator")
_BOOKS = frozenset({"book", "mvbook", "collection", "mvcollection", "manual", "booklet"})
"""Types that have their own ISBN. A chapter is cited with the ISBN of its volume, and the titles of proceedings vary."""
_VOLUMES = frozenset({"book", "proceedings"})
"""Types of records that contain other works. A paper may be cited with a link to its volume."""


def is_by_several(works: Sequence[Candidate]) -> bool:
    """Return True if independent sources have these records."""
    return independent_statements({work.upstream for work in works if not work.record.compiled}) >= STATING_IT


def number_of_another_work(case: ReferenceCase, *, identified: bool) -> Finding | None:
    """Return the doi finding for such a number; None if no number is cited, or it may belong to the cited work.

    identified: True if another cited identifier leads to the cited work, so the number alone is not a failure.
    """
    for kind, (label, origins) in _NUMBERS.items():
        if kind in case.cited.identifiers.unprinted or (kind == "isbn" and case.reference.type not in _BOOKS):
            continue
        found = [one for one in _records(case, kind) if kind == "isbn" or not _is_volume(one.record)]
        others = [candidate for candidate in found if not candidate.record.compiled]
        stating = [candidate for candidate in case.candidates if candidate.compared.same_number]
        if not others or not all(_is_another(case, candidate) for candidate in (*found, *stating)):
            continue
        record = others[0].record
        value = next(asked.query.value for asked in case.asked(kind) if _answers(asked.answer, record))
        message = f"the cited {label} {value} belongs to a different work: {describe(record)}"
        named = ", ".join(dict.fromkeys(source_name(one.record.source) for one in found))
        shown: Shown = {
            "cited": f"{value} for “{case.cited.title}”",
            "found": describe(record),
            "record": record,
            "rule": f"every record of the {label} ({named}) has a different title and different people",
        }
        if identified:
            message = f"another cited identifier matches this work, but {message}"
            return finding("doi", "passed", "number-mistaken", message, **shown)
        # A publisher may print one ISBN in two books, and others may link a wrong page.
        assigned = any(one.upstream in origins for one in others)
        kind_of: EvidenceKind = "registry" if assigned else "two records" if _agreed(others) else "single record"
        return accusation(case, "doi", "number-other-work", message, others, kind_of, **shown)
    return None


def _agreed(others: Sequence[Candidate]) -> bool:
    """Return True if several sources have one and the same book under the number."""
    same = [
        other for other in others if compare_titles(other.record.title, others[0].record.title).relation != "different"
    ]
    return is_by_several(same)


def _answers(answer: object, record: Record) -> bool:
    return isinstance(answer, Found) and record in answer.records


def _records(case: ReferenceCase, kind: QueryKind) -> list[Candidate]:
    """The records that were found under the cited numbers of this kind."""
    named = case.cited.identifiers
    cited = named.isbn if kind == "isbn" else (getattr(named, kind),)
    stated = [
        record
        for asked in case.asked(kind)
        if asked.query.value in cited and isinstance(asked.answer, Found)
        for record in asked.answer.records
        if asked.query.value in _numbers(record, kind)
    ]
    return [candidate for candidate in case.candidates if candidate.record in stated]


def _numbers(record: Record, kind: QueryKind) -> tuple[str, ...]:
    known = {"isbn": record.isbn, "pmid": (record.pmid,)}
    return known.get(kind) or tuple(name for relation, name in record.related if relation == kind)


def _is_volume(record: Record) -> bool:
    return record.type in _VOLUMES or words(record.title)[:1] == ("proceedings",)


def _is_another(case: ReferenceCase, candidate: Candidate) -> bool:
    """Return True if a record has neither the cited title nor any of the cited people, and names some."""
    return candidate.title.relation == "different" and _by_others(case, candidate.record)


def _by_others(case: ReferenceCase, record: Record) -> bool:
    """Return True if both sides have full names of persons in one script, and no family name matches, in any role."""
    cited = [person for field in _PEOPLE for person in name_list(case.reference.raw.get(field, "")).names]
    cited_people, found_people = _persons(cited), _persons((*record.authors, *record.editors))
    if not found_people or not cited_people or len(cited_people) < len(cited):
        return False
    families = {word for person in cited_people for word in parse(person).family_words if len(word) > 1}
    words = {word for person in found_people for word in parse(person).all_words if len(word) > 1}
    if not families or not all(map(str.isascii, families | words)):
        return False
    return not any(_may_be_misspelt(one, other) for one in families for other in words)


def _may_be_misspelt(cited: str, found: str) -> bool:
    most = FEW_LETTERS if min(len(cited), len(found)) > LONG_WORD else 0
    return OSA.distance(cited, found, score_cutoff=most) <= most


def _persons(people: Sequence[Person]) -> list[Person]:
    """The persons among the people that have a family and a given name."""
    names = [(person, parse(person)) for person in without_affiliations(tuple(people))]
    return [person for person, name in names if not name.group and name.given_keys and name.family_key]
