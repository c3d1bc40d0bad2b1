"""authors: why records that name other people than the citation may not suffice to fail it.

Author lists change between the versions of a work, databases copy each other, and people take other names. Each rule here says
which of these may be the reason of a difference, and with which count.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from rapidfuzz.distance import OSA

from pytest_citecheck.checks.base import Case
from pytest_citecheck.linking.candidates import Candidate, placed, same_venue
from pytest_citecheck.linking.provenance import independent_sources, is_registry, names_authors_as_published
from pytest_citecheck.linking.source_names import source_name
from pytest_citecheck.linking.versions import unseen_version_may_be_meant
from pytest_citecheck.model import Absent, Person, Record, Unavailable
from pytest_citecheck.names.comparison import parse
from pytest_citecheck.names.east_asian import is_asian_surname, is_pinyin
from pytest_citecheck.names.given_names import is_alias
from pytest_citecheck.names.groups import without_affiliations
from pytest_citecheck.names.nicknames import is_given_name
from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.thresholds import (
    GIVEN_NAME_FOR_TYPO,
    GIVEN_NAME_SLIP,
    OTHERS_IN_PLACE,
    POSTED_BEFORE,
    SLIGHT,
    THIRD_SOURCE,
)

__all__ = ["doubt", "is_proven", "may_be_renamed", "people_of"]

# Differences that a single database may have introduced itself: they need a second, independent record before they convict.
# Databases disagree on the order of the authors in 76 to 106 of 10,000 papers, on a spelling in 11 to 26, on a given name in
# 13 to 32, of which most are short forms and adopted names (`benchmarks/one_record.py`).
_NEEDS_SECOND = frozenset({"authors-misspelled", "authors-reordered"})
_COME_AND_GO = frozenset({"authors-added", "authors-truncated"})
# A preprint differs from the publication in these: people also change places, and are misspelled in one of them.
_OF_A_VERSION = _COME_AND_GO | {"authors-reordered", "authors-misspelled"}
_TYPED_IN = lazy_pattern(r"https?://proceedings\.mlr\.press/")
"""Pages whose authors the editors of each volume supply, some in another order than the paper prints; all who list the
proceedings (dblp, mlanthology, papercopilot) copy them."""
_FITS = ("same", "compatible")


def people_of(record: Record, *, edited: bool) -> tuple[Person, ...]:
    """The people of a record: its authors, or its editors where editors are cited; without their affiliations."""
    own = (record.editors or record.authors) if edited else (record.authors or record.editors)
    return without_affiliations(own)


def doubt(case: Case, best: Candidate, compared: Sequence[Candidate]) -> str:
    """Why the disagreement of the records does not suffice to fail, or nothing."""
    if case.unseen_doi and not best.anchor:
        return "but the record of its DOI is not available, and this one may be of another work"
    if best.people_agree and not case.cited.preprint and all(candidate.preprint for candidate in compared):
        return "but only its preprint is known, and its author list may change until publication"
    if best.relation == "near" and not best.anchor:
        return "but its title is only similar to the cited one, so it may be another work"
    comparison = best.authors
    if not any(names_authors_as_published(candidate.record.source) for candidate in compared) and (
        comparison.matched or comparison.given_differs or comparison.misspelled
    ):
        return (
            f"but {source_name(best.record.source)} is a catalogue, which need not name all authors, nor in their order"
        )
    missing = 0 if case.cited.people.others else comparison.missing
    departures = comparison.added + missing + comparison.given_differs + comparison.misspelled
    slight = departures <= max(1, int(len(case.cited.people.names) * SLIGHT))
    unseen = _unseen(case)
    come_and_go = comparison.code in _COME_AND_GO and departures == comparison.added + missing
    origins = {candidate.upstream for candidate in compared}
    alike = (
        comparison.code in _OF_A_VERSION
        and not comparison.given_differs
        and independent_sources(origins) < THIRD_SOURCE
    )
    of_preprint = alike and case.cited.identifiers.arxiv in unseen
    if slight and unseen and (come_and_go or of_preprint):
        return "but the record of the cited identifier is not available, and author lists differ between versions"
    if _another_version_may_be_cited(case, compared) and ((slight and come_and_go) or _only_joined(case, best)):
        return "but not all versions of this preprint were seen, and author lists differ between versions"
    if slight and come_and_go and _before_publication(case, compared):
        return "but the cited year is that of a version before publication, whose authors may differ"
    if comparison.code == "authors-truncated" and _in_another_place(case, compared):
        return f"{source_name(best.record.source)}'s record is of another publication of this work, which may have more authors"
    if slight and not any(_cited_version(case, candidate) for candidate in compared):
        return (
            f"{source_name(best.record.source)}'s record is of another version of this work, whose authors may differ"
        )
    renamed = _renamed(case, best)
    if renamed:
        return f"but only the family name differs from {renamed}, and databases update it when an author changes it"
    if departures == comparison.given_differs == 1 and _by_other_name(case, best, OTHERS_IN_PLACE):
        return "but one given name may be a short form or a second one"
    if departures == comparison.given_differs == 1 and _goes_by_both_names(case, best):
        return "but a record of other work with the same people has the cited given name"
    if departures == comparison.given_differs == 1 and _is_cut_short(case, best):
        return "but one given name is the beginning of the other, and may be a short form"
    copied = all(_TYPED_IN.match(candidate.record.url) for candidate in compared)
    if comparison.code == "authors-reordered" and copied and independent_sources(origins) < THIRD_SOURCE:
        return "but the records derive from one page, whose author order may differ from the paper"
    if independent_sources(origins) == 1 and comparison.given_differs and comparison.matched:
        if _by_other_name(case, best, 0):
            return f"only {source_name(best.record.source)} says so, and one given name may be a short form or a second one"
        if case.search_failed:
            return f"only {source_name(best.record.source)} says so, and a source that did not answer may have the cited name"
    return ""


def is_proven(case: Case, best: Candidate, compared: Sequence[Candidate]) -> bool:
    """True if the records prove that the cited authors are wrong.

    Proof is the registry's record of the cited identifier, or two independent sources. Any other collection may state the
    identifier and still have errors of its own. One record of the cited version proves that authors are missing, because
    databases cut lists but do not add authors. Only the registry proves a misspelt name.
    """
    code = best.authors.code
    if code == "authors-reordered" and (case.search_failed or (_neighbours_swapped(best) and not _eprint_seen(case))):
        return False  # publishers' metadata may exchange authors of the paper, and all lists copy it
    first_hand = [candidate for candidate in compared if not candidate.record.compiled]
    published = [candidate for candidate in first_hand if case.cited.preprint or not candidate.preprint]
    named = any(candidate.anchor and is_registry(candidate.record.source, "authors") for candidate in published)
    if code == "authors-misspelled":
        return named  # publishers' pages misspell names, and people copy them
    if code in _NEEDS_SECOND:
        return named or independent_sources({candidate.upstream for candidate in published}) > 1
    if code == "authors-truncated" and _cited_version(case, best):
        return True
    if code == "authors-added" and _is_beginning(best):
        named = False  # a registry's list may be cut as well
    # A preprint may confirm who wrote the publication, but is not enough on its own.
    return named or (bool(published) and independent_sources({candidate.upstream for candidate in first_hand}) > 1)


def _another_version_may_be_cited(case: Case, compared: Sequence[Candidate]) -> bool:
    """Whether a preprint is cited, and a version of it that was not seen may be the one."""
    if not case.cited.preprint:
        return False
    named = case.cited.identifiers.arxiv
    known = [named] if named else [candidate.record.arxiv for candidate in compared if candidate.upstream == "arxiv"]
    return not known or any(unseen_version_may_be_meant(case.cited, case.evidence, arxiv) for arxiv in known)


def _only_joined(case: Case, candidate: Candidate) -> bool:
    """Whether everybody of the record is cited, as where people joined with a later version; with "and others" everybody up to
    the last whom both name."""
    pairs = candidate.authors.pairs
    if any(relation not in (*_FITS, "added", "missing") for *_, relation in pairs):
        return False
    people = people_of(candidate.record, edited=case.cited.edited)
    places = {j for i, j, _ in pairs if i is not None and j is not None}
    last = max(places, default=-1) if case.cited.people.others else len(people) - 1
    return bool(places) and all(j in places or parse(people[j]).group for j in range(last + 1))


def _before_publication(case: Case, compared: Sequence[Candidate]) -> bool:
    """Whether the cited year is before that of every record, no venue is cited, and no DOI that leads to a record."""
    year, cited = case.cited.year, case.cited
    if cited.venue or year is None or any(candidate.anchor == "doi" for candidate in compared):
        return False
    years = [known for candidate in compared for known in candidate.record.years]
    return bool(years) and 0 < min(years) - year <= POSTED_BEFORE


def _neighbours_swapped(candidate: Candidate) -> bool:
    """Whether the order differs only in exchanged neighbours after the first author.

    7,137 publications of the collection have an arXiv record of the same people: 166 in another order, 87 of them in this way.
    """
    places = [j for i, j, _ in candidate.authors.pairs if i is not None and j is not None]
    right = sorted(places)
    moved = [i for i, (one, other) in enumerate(zip(places, right, strict=True)) if one != other]
    pairs = list(zip(moved[::2], moved[1::2], strict=False))
    exchanged = all(second == first + 1 and places[first] == right[second] for first, second in pairs)
    return len(moved) == 2 * len(pairs) > 0 and exchanged and moved[0] > 0


def _eprint_seen(case: Case) -> bool:
    """Whether the order of a preprint is known, or arXiv, searched by title, has none."""
    if any(candidate.upstream == "arxiv" for candidate in (*case.works, *case.near_matches)):
        return True
    searched = [item.answer for item in case.asked("title") if item.source == "arxiv"]
    denied = [item.answer for item in case.asked("arxiv") if isinstance(item.answer, Absent) and item.answer.scope]
    return bool(denied) or any(not isinstance(answer, Unavailable) for answer in searched)


def may_be_renamed(case: Case, candidate: Candidate, compared: Sequence[Candidate]) -> bool:
    """Whether the citation differs from the record in one given name only, by another one with the same initial: people change
    their given names (Joshua, Jana), and databases write the new one, some earlier than others. Where two independent ones have
    no trace of the cited name, it is wrong. A name with a letter wrong is none (Davic).
    """
    if independent_sources({one.upstream for one in compared}) > 1:
        return False
    comparison, record = candidate.authors, candidate.record
    missing = 0 if case.cited.people.others else comparison.missing
    if comparison.given_differs != 1 or comparison.added + missing + comparison.misspelled:
        return False
    places = [(i, j) for i, j, _ in comparison.pairs if i is not None and j is not None]
    ordered = all(one[1] < other[1] for one, other in itertools.pairwise(places))
    if not ordered or candidate.title.relation != "same" or not placed(case.cited, record):
        return False
    people = people_of(record, edited=case.cited.edited)
    i, j = next((i, j) for i, j, relation in comparison.pairs if relation == "given-differs")
    if i is None or j is None:
        return False
    one, other = parse(case.cited.people.names[i]).given_keys, parse(people[j]).given_keys
    return bool(one and other) and one[0][0] == other[0][0] and not _is_slip(one, other)


def _is_slip(cited: Sequence[str], found: Sequence[str]) -> bool:
    """Whether the given names that differ are long, alike in their letters, and the cited one is no name that is known."""
    theirs = [name for name in found if name not in cited]
    return any(
        min(len(name), len(other)) >= GIVEN_NAME_FOR_TYPO
        and OSA.normalized_similarity(name, other) >= GIVEN_NAME_SLIP
        and not (is_given_name(name) or is_pinyin(name))
        for name in cited
        if name not in found
        for other in theirs
    )


def _in_another_place(case: Case, compared: Sequence[Candidate]) -> bool:
    """Whether no record is of the version that is cited, and the cited venue is another one than theirs."""
    return not any(_cited_version(case, candidate) for candidate in compared) and all(
        same_venue(case.cited.venue, candidate.record) == "different" for candidate in compared
    )


def _cited_version(case: Case, candidate: Candidate) -> bool:
    """Whether the record is of the cited version: it has the cited DOI or the cited venue, or is a preprint as cited."""
    if candidate.anchor == "doi" or same_venue(case.cited.venue, candidate.record) == "same":
        return True
    return case.cited.preprint == candidate.preprint and (case.cited.preprint or not case.cited.venue)


def _unseen(case: Case) -> set[str]:
    """The cited DOI and arXiv id whose records are missing because a source that has them did not answer."""
    named = case.cited.identifiers
    unseen = {named.doi, named.arxiv} - {""}
    if any(candidate.anchor == "doi" for candidate in case.candidates):
        unseen.discard(named.doi)
    if any(candidate.anchor and candidate.upstream == "arxiv" for candidate in case.candidates):
        # An arXiv id and its DOI name one record.
        unseen -= {named.arxiv, f"10.48550/arxiv.{named.arxiv}"}
    asked = [item for item in case.asked("doi", "arxiv") if item.question.value in unseen and not item.compiled]
    if any(isinstance(item.answer, Absent) and item.answer.scope for item in asked):
        return set()
    return {item.question.value for item in asked if isinstance(item.answer, Unavailable)}


def _renamed(case: Case, candidate: Candidate) -> str:
    """Whom the record has in place of one cited person with the same given name in full, all others being in their places.

    Women and men in East Asia keep their family names, and share given names too often for this to say anything.
    """
    cited, people = case.cited.people, people_of(candidate.record, edited=case.cited.edited)
    fitting = [i == j for i, j, relation in candidate.authors.pairs if relation in ("same", "compatible")]
    added = [i for i, j, _ in candidate.authors.pairs if i is not None and j is None]
    missing = [j for i, j, _ in candidate.authors.pairs if i is None and j is not None]
    places = [j for j in missing if j < len(cited.names)] if cited.others else missing
    if len(added) != 1 or added != places or len(fitting) != len(cited.names) - 1 or not all(fitting) or not fitting:
        return ""
    one, other = parse(cited.names[added[0]]), parse(people[added[0]])
    if is_asian_surname(one.family_key) and is_asian_surname(other.family_key):
        return ""
    first, second = one.given_keys[:1], other.given_keys[:1]
    return str(people[added[0]]) if first == second and len("".join(first)) > 1 else ""


def _by_other_name(case: Case, candidate: Candidate, others: int) -> bool:
    """True if the list has more than ``others`` people, all in their positions, and each given name that differs may be an alias.

    An alias is an adopted name (Jerry, Xiaojin) or a short form (Miltos, Miltiadis).
    """
    people = people_of(candidate.record, edited=case.cited.edited)
    pairs = [(i, j, relation) for i, j, relation in candidate.authors.pairs if i is not None and j is not None]
    if len(pairs) <= others or any(i != j for i, j, _ in pairs):
        return False
    differing = [
        (parse(case.cited.people.names[i]), parse(people[j])) for i, j, relation in pairs if relation == "given-differs"
    ]
    return all(is_alias(one.given_keys, other.given_keys, one.family_key) for one, other in differing)


def _goes_by_both_names(case: Case, best: Candidate) -> bool:
    """Whether another record has the name as cited, with another of the cited people.

    People take other names, and databases write the old or the new one.
    """
    cited = {i for i, _, relation in best.authors.pairs if relation == "given-differs"}
    for candidate in case.candidates:
        fitting = {i: j for i, j, relation in candidate.authors.pairs if relation in ("same", "compatible")}
        for i in cited & fitting.keys():
            if i is None or len(fitting) == 1 or candidate.record.title == best.record.title:
                continue
            j = fitting[i]
            found = people_of(candidate.record, edited=case.cited.edited)[j] if j is not None else None
            if found and parse(found).given_keys == parse(case.cited.people.names[i]).given_keys:
                return True
    return False


def _is_cut_short(case: Case, candidate: Candidate) -> bool:
    """Whether the given names that differ are one the beginning of the other (Ge, Gen)."""
    people = people_of(candidate.record, edited=case.cited.edited)
    for i, j, relation in candidate.authors.pairs:
        if i is None or j is None or relation != "given-differs":
            continue
        one, other = parse(case.cited.people.names[i]), parse(people[j])
        first, second = "".join(one.given_keys), "".join(other.given_keys)
        if not (first.startswith(second) or second.startswith(first)):
            return False
    return True


def _is_beginning(candidate: Candidate) -> bool:
    """Whether the record's authors are the first of the cited ones, in order."""
    pairs = candidate.authors.pairs[: len(candidate.record.authors)]
    return all(i == j for i, j, _ in pairs)
