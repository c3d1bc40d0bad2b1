"""authors: the cited people are those of the work; every kind of departure has a code of its own."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pytest_citecheck.checks.base import Case, finding, undecided
from pytest_citecheck.checks.corrections import in_bibtex
from pytest_citecheck.linking.candidates import Candidate, same_venue
from pytest_citecheck.linking.provenance import independent_sources
from pytest_citecheck.linking.source_names import source_name
from pytest_citecheck.linking.versions import unseen_version_may_be_meant
from pytest_citecheck.model import Absent, Finding, Person, Record, Unavailable
from pytest_citecheck.names.comparison import parse
from pytest_citecheck.names.east_asian import is_asian_surname
from pytest_citecheck.names.given_names import may_be_other_name
from pytest_citecheck.names.joined import is_damaged
from pytest_citecheck.thresholds import OTHERS_IN_PLACE, SLIGHT, THIRD_SOURCE

__all__ = ["check_authors"]

# Differences that a single database may have introduced itself: they need a second, independent record before they convict.
# Databases disagree on the order of the authors in 76 to 106 of 10,000 papers, on a spelling in 11 to 26, on a given name in
# 13 to 32, of which most are short forms and adopted names (`benchmarks/one_record.py`).
_NEEDS_SECOND = frozenset({"authors-misspelled", "authors-reordered"})
_COME_AND_GO = frozenset({"authors-added", "authors-truncated"})
# A preprint differs from the publication in these: people also change places, and are misspelled in one of them.
_OF_A_VERSION = _COME_AND_GO | {"authors-reordered", "authors-misspelled"}
_TYPED_IN = re.compile(r"https?://proceedings\.mlr\.press/")
"""Pages whose authors the editors of each volume supply, some in another order than the paper prints; all who list the
proceedings (dblp, mlanthology, papercopilot) copy them."""
_SHOWN = 8


def check_authors(case: Case) -> Finding:
    """Passed if any record of the work has these authors; failed if all that name authors have others."""
    metadata = case.cited
    if not metadata.people.names:
        return finding("authors", "unverifiable", "authors-missing", "the reference names no author or editor")
    records = [*case.works, *case.near_matches, *(target for target in case.identifier_targets if target.same_people)]
    if not records:
        return undecided(case, "authors", "the authors")
    compared = [candidate for candidate in records if not candidate.authors.abstain]
    for candidate in compared:
        if not candidate.authors.code:
            message = f"the authors of {source_name(candidate.record.source)}'s record"
            return finding("authors", "passed", "authors-ok", message, record=candidate.record)
    sound = [candidate for candidate in compared if not is_damaged(_people(candidate.record, edited=metadata.edited))]
    if not sound:
        unclear = (compared or records)[0]
        reason = unclear.authors.reason or "no record of this work names its authors"
        if compared:
            reason = f"names are run together or broken off in {source_name(unclear.record.source)}'s record"
        return finding("authors", "unverifiable", "authors-unclear", reason, record=unclear.record)
    best = max(sound, key=lambda candidate: (candidate.authors.overlap, bool(candidate.anchor)))
    people = _people(best.record, edited=metadata.edited)
    cited = _names(metadata.people.names) + (" and others" if metadata.people.others else "")
    found = _names(people)
    doubt = _doubt(case, best, sound)
    if doubt:
        message = f"{best.authors.message}; {doubt}"
        return finding(
            "authors", "unverifiable", "authors-unclear", message, cited=cited, found=found, record=best.record
        )
    origins = len({candidate.upstream for candidate in sound})
    return finding(
        "authors",
        "failed",
        best.authors.code,
        best.authors.message,
        cited=cited,
        found=found,
        record=best.record,
        rule=f"no record of this work has the cited list (sources that name its authors: {origins}); between versions of a work "
        f"up to {SLIGHT:.0%} of the cited people, at least one, may differ",
        fixes={"editor" if metadata.edited else "author": " and ".join(_corrected(case, best, people))},
    )


def _doubt(case: Case, best: Candidate, compared: Sequence[Candidate]) -> str:
    """Why the disagreement of the records does not suffice to fail, or nothing."""
    if case.unseen_doi and not best.anchor:
        return "but the record of its DOI is not available, and this one may be of another work"
    if best.people_agree and not case.cited.preprint and all(candidate.preprint for candidate in compared):
        return "but only its preprint is known, and its author list may change until publication"
    if best.relation == "near" and not best.anchor:
        return "but its title is only similar to the cited one, so it may be another work"
    comparison = best.authors
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
    if slight and come_and_go and not case.works and _is_of_another_version(case, best):
        return "but only another version of this preprint was seen, and author lists differ between versions"
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
    if comparison.code == "authors-reordered" and case.search_failed and independent_sources(origins) < THIRD_SOURCE:
        return (
            "but a source that did not answer may have the cited order: publishers' metadata may differ from the paper"
        )
    if independent_sources(origins) > 1:
        return ""
    if comparison.given_differs and comparison.matched and _by_other_name(case, best, 0):
        return f"only {source_name(best.record.source)} says so, and one given name may be a short form or a second one"
    if comparison.given_differs and comparison.matched and case.search_failed:
        return (
            f"only {source_name(best.record.source)} says so, and a source that did not answer may have the cited name"
        )
    written_otherwise = comparison.given_differs > 1 and comparison.matched and not comparison.added
    if written_otherwise or comparison.code in _NEEDS_SECOND:
        return f"only {source_name(best.record.source)} says so, and one record may be wrong"
    if not comparison.added:
        return ""
    if comparison.added == 1 and departures - missing == 1 and comparison.matched > 1:
        return f"one name differs from {source_name(best.record.source)}'s record, and one record may be wrong"
    if comparison.code == "authors-added" and _is_beginning(best):
        return f"{source_name(best.record.source)}'s record has only the first of these names, and may be incomplete"
    return ""


def _is_of_another_version(case: Case, candidate: Candidate) -> bool:
    """Whether a record is that of one version of an e-print, and another one that was not seen may be the cited one."""
    record = candidate.record
    return record.version is not None and unseen_version_may_be_meant(case.cited, case.evidence, record.arxiv)


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
    cited, people = case.cited.people, _people(candidate.record, edited=case.cited.edited)
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
    """Whether more people than ``others`` are all in their places, and who differs in a given name may go by another: one
    that differs from its first letter on (Jerry, Xiaojin), or is a short form (Miltos, Miltiadis). Another name with the same
    initial is a wrong one.
    """
    people = _people(candidate.record, edited=case.cited.edited)
    pairs = [(i, j, relation) for i, j, relation in candidate.authors.pairs if i is not None and j is not None]
    if len(pairs) <= others or any(i != j for i, j, _ in pairs):
        return False
    differing = [
        (parse(case.cited.people.names[i]), parse(people[j])) for i, j, relation in pairs if relation == "given-differs"
    ]
    return all(may_be_other_name(one.given_keys, other.given_keys, one.family_key) for one, other in differing)


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
            found = _people(candidate.record, edited=case.cited.edited)[j] if j is not None else None
            if found and parse(found).given_keys == parse(case.cited.people.names[i]).given_keys:
                return True
    return False


def _is_cut_short(case: Case, candidate: Candidate) -> bool:
    """Whether the given names that differ are one the beginning of the other (Ge, Gen)."""
    people = _people(candidate.record, edited=case.cited.edited)
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


def _people(record: Record, *, edited: bool) -> tuple[Person, ...]:
    return (record.editors or record.authors) if edited else (record.authors or record.editors)


def _names(people: Sequence[Person]) -> str:
    shown = ", ".join(str(person) for person in people[:_SHOWN])
    return shown + (f" … ({len(people)} names)" if len(people) > _SHOWN else "")


def _corrected(case: Case, best: Candidate, people: Sequence[Person]) -> list[str]:
    """The record's people as BibTeX names; who is cited rightly keeps the spelling of the citation.

    A given name that only resembles that of the record (a short form, a letter off) is not kept: it may be what is wrong.
    """
    cited = {
        j: case.cited.people.names[i]
        for i, j, relation in best.authors.pairs
        if i is not None
        and j is not None
        and (relation == "same" or (relation == "compatible" and _spelled_alike(case.cited.people.names[i], people[j])))
    }
    return [in_bibtex(cited.get(place, person)) for place, person in enumerate(people)]


def _spelled_alike(cited: Person, found: Person) -> bool:
    """Whether no given name of the one is written differently by the other, initials aside."""
    one, other = parse(cited).given_keys, parse(found).given_keys
    return "".join(one) == "".join(other) or not (_only_in(one, other) and _only_in(other, one))


def _only_in(names: Sequence[str], others: Sequence[str]) -> bool:
    """Whether a name written out in the one list is in the other neither in full nor as an initial."""
    return any(
        len(name) > 1 and name not in others and not any(len(other) == 1 and other == name[0] for other in others)
        for name in names
    )
