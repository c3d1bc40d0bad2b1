"""The sources that back the value of a field: a registry, or two sources that do not take it from each other.

A registry is a source that gives out or keeps identifiers (`Provider.first_hand` has ``identifier``): what it states of the work
behind its identifier, among the fields that it states first-hand, needs no second word; an author list only of the record
behind a cited identifier. Where a paper appeared, and when, one
source that states it first-hand and a second one, which may have compiled it, are enough if no record says otherwise: that is
not entered paper by paper (`provenance.independent_compilers`).
"""

from __future__ import annotations

from collections.abc import Iterable

from pytest_citecheck.checks.author_doubts import people_of
from pytest_citecheck.checks.base import Case
from pytest_citecheck.linking.candidates import Candidate, same_venue
from pytest_citecheck.linking.provenance import (
    Field,
    independent_sources,
    is_compiler,
    is_own_library,
    is_registry,
    upstream,
)
from pytest_citecheck.linking.source_names import source_name
from pytest_citecheck.model import Absent, CitedMetadata, Reference
from pytest_citecheck.names.lists import compare_authors
from pytest_citecheck.readers.cited_metadata import cited_metadata
from pytest_citecheck.text.blanks import MAYBE_BLANKS
from pytest_citecheck.text.normal_form import fold
from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.titles.comparison import compare_titles

__all__ = ["vouchers"]

_VENUE_FIELDS = frozenset({"journal", "journaltitle", "booktitle", "maintitle", "eventtitle"})
_IMPRINT = {"volume": "volume", "number": "number", "issue": "number", "pages": "pages", "publisher": "publisher"}
_KINDS: dict[str, Field] = {
    "title": "title", "author": "authors", "editor": "authors", "year": "year", "date": "year", "doi": "identifier",
    **dict.fromkeys((*_VENUE_FIELDS, *_IMPRINT), "venue"),
}  # fmt: skip
_DASHES = lazy_pattern(MAYBE_BLANKS + r"[-‐‑‒–—−]++\s*+")
_SEVERAL = 2
_GIVEN_NAME = "authors-given-name"


def vouchers(case: Case, meant: Reference, name: str) -> tuple[str, ...]:
    """The names of the sources that vouch for the value of this field in ``meant``; empty if they are too few."""
    kind = _KINDS.get(name)
    if kind is None:
        return ()
    value = meant.fields.get(name, "")
    if not value:
        return _deniers(case, name)
    cited = cited_metadata(meant)
    if kind == "venue" and name in _VENUE_FIELDS and cited.preprint:
        return _archives(case, cited)
    stating = [
        candidate
        for candidate in case.candidates
        if not is_own_library(candidate.record.source)
        and _is_meant(candidate, cited)
        and _states(candidate, name, value, cited)
    ]
    if kind in ("title", "authors") and _published_otherwise(case, stating, cited):
        return ()
    first_hand = [one for one in stating if not one.record.compiled and not is_compiler(one.upstream)]
    registries = [one for one in first_hand if is_registry(one.upstream, kind) and _registered(one)]
    if kind == "authors":  # registries have lists that publishers deposited incomplete: theirs must be the cited record
        registries = [one for one in registries if _gave_out_cited(one)]
    if registries:
        return _named(registries)
    if independent_sources({one.upstream for one in first_hand}) >= _SEVERAL:
        return _named(first_hand)
    if kind == "year" and stating:  # its preprint is a witness beside a publication
        works = (*case.works, *case.near_matches)
        stating += [one for one in works if one.preprint and cited.year in one.record.years]
        first_hand += [one for one in stating if one.preprint and not one.record.compiled]
    several = len({upstream(one.record.source) for one in stating}) >= _SEVERAL
    if kind in ("venue", "year") and first_hand and several and not _contradicted(case, cited, name, value, kind):
        return _named(stating)
    return ()


def _named(candidates: Iterable[Candidate]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(source_name(one.record.source) for one in candidates))


def _is_meant(candidate: Candidate, cited: CitedMetadata) -> bool:
    """Whether a record is of the cited work, or would be if the correction stood."""
    if candidate.relation in ("work", "near"):
        return True
    if candidate.relation == "target":
        return bool(candidate.anchor)
    return candidate.relation == "similar" and _same_title(candidate, cited.title) and _same_people(candidate, cited)


def _registered(candidate: Candidate) -> bool:
    record = candidate.record
    return bool(record.doi or record.arxiv or record.pmid or candidate.compared.same_number or candidate.anchor)


def _gave_out_cited(candidate: Candidate) -> bool:
    """True for the record that a cited identifier leads to, by the source that gave the identifier out."""
    own = {"arxiv": "arxiv", "dblp": "dblp"}
    kept = own.get(candidate.anchor, "")
    return candidate.upstream == kept if kept else bool(candidate.anchor) and not candidate.upstream.startswith("dblp")


def _same_title(candidate: Candidate, title: str) -> bool:
    record = candidate.record
    return compare_titles(title, record.title, record.subtitle, record.other_titles).relation == "same"


def _same_people(candidate: Candidate, cited: CitedMetadata, *, but_given_names: bool = False) -> bool:
    compared = compare_authors(cited.people, people_of(candidate.record, edited=cited.edited))
    return not compared.abstain and (not compared.code or (but_given_names and compared.code == _GIVEN_NAME))


def _published_otherwise(case: Case, stating: list[Candidate], cited: CitedMetadata) -> bool:
    """Whether a publication is cited, and its records have other people or another title than the preprint that states these."""
    if cited.preprint or any(not one.preprint for one in stating):
        return False
    works = [one for one in (*case.works, *case.near_matches) if not one.preprint and one.record.authors]
    return any(not _same_title(one, cited.title) or not _same_people(one, cited, but_given_names=True) for one in works)


def _states(candidate: Candidate, name: str, value: str, cited: CitedMetadata) -> bool:
    record, kind = candidate.record, _KINDS[name]
    if kind == "title":
        return _same_title(candidate, value)
    if kind == "authors":
        return _same_people(candidate, cited)
    if kind == "year":
        return cited.year in record.years and (not candidate.preprint or cited.preprint or not cited.venue)
    if kind == "identifier":
        return record.doi == value
    if name in _VENUE_FIELDS:
        return not candidate.preprint and same_venue(value, record) == "same"
    return _plain(str(getattr(record, _IMPRINT[name]))) == _plain(value)


def _plain(text: str) -> str:
    return fold(_DASHES.sub("-", text))


def _contradicted(case: Case, cited: CitedMetadata, name: str, value: str, kind: Field) -> bool:
    """Whether a record that may convict has the published work elsewhere, or in no year near this one."""
    works = [one for one in (*case.works, *case.near_matches) if not one.preprint and not one.record.compiled]
    if kind == "year":
        return any(one.record.years and cited.year not in one.record.years for one in works)
    return name in _VENUE_FIELDS and any(same_venue(value, one.record) == "different" for one in works)


def _archives(case: Case, cited: CitedMetadata) -> tuple[str, ...]:
    """Who keeps the preprint that is cited in place of a publication."""
    kept = [one for one in (*case.works, *case.near_matches) if one.preprint and not one.record.compiled]
    arxiv = cited.identifiers.arxiv
    return _named(one for one in kept if is_registry(one.upstream, "title") and arxiv and one.record.arxiv == arxiv)


def _deniers(case: Case, name: str) -> tuple[str, ...]:
    """The registries that say that the identifier in this field is none, or is that of another work."""
    doi = case.cited.identifiers.doi
    if name != "doi" or not doi:
        return ()
    asked = [one for one in case.asked("doi") if one.question.value == doi]
    denied = [one.source for one in asked if isinstance(one.answer, Absent) and one.answer.scope]
    others = [one.record.source for one in case.identifier_targets if one.anchor == "doi" and not one.record.compiled]
    return tuple(dict.fromkeys(source_name(source) for source in (*denied, *others)))
