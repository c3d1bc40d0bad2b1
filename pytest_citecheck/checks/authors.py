"""authors: the cited people are those of the work; every kind of departure has a code of its own."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_citecheck.checks.base import Case, finding, undecided
from pytest_citecheck.matching.names import parse
from pytest_citecheck.matching.works import Candidate, same_venue
from pytest_citecheck.model import Finding, Person, Record

__all__ = ["check_authors"]

# Differences that a single database may have introduced itself (a typing error, another form of a given name): they
# need a second, independent record before they convict.
_NEEDS_SECOND = frozenset({"authors-misspelled", "authors-given-name", "authors-reordered"})
_SLIGHT = 1 / 3
"""Share of the cited people (at least one) in which preprint, conference and journal versions of a work may differ."""
_SHOWN = 8


def check_authors(case: Case) -> Finding:
    """Passed if any record of the work has these authors; failed if all that name authors have others."""
    claim = case.claim
    if not claim.people.names:
        return finding("authors", "unverifiable", "authors-missing", "the reference names no author or editor")
    records = [*case.works, *case.nears, *(behind for behind in case.behind if behind.same_people)]
    if not records:
        return undecided(case, "authors", "the authors")
    compared = [candidate for candidate in records if not candidate.authors.abstain]
    for candidate in compared:
        if not candidate.authors.code:
            message = f"the authors of {candidate.record.source}'s record"
            return finding("authors", "passed", "authors-ok", message, record=candidate.record)
    if not compared:
        reason = records[0].authors.reason or "no record of this work names its authors"
        return finding("authors", "unverifiable", "authors-unclear", reason, record=records[0].record)
    best = max(compared, key=lambda candidate: (candidate.authors.overlap, bool(candidate.anchor)))
    people = _people(best.record, edited=claim.edited)
    cited = _names(claim.people.names) + (" and others" if claim.people.others else "")
    found = _names(people)
    doubt = _doubt(case, best, compared)
    if doubt:
        message = f"{best.authors.message}; {doubt}"
        return finding(
            "authors", "unverifiable", "authors-unclear", message, cited=cited, found=found, record=best.record
        )
    origins = len({candidate.origin for candidate in compared})
    return finding(
        "authors",
        "failed",
        best.authors.code,
        best.authors.message,
        cited=cited,
        found=found,
        record=best.record,
        rule=f"no record of this work has the cited list ({origins} {'sources' if origins > 1 else 'source'} asked)",
        fixes={"editor" if claim.edited else "author": " and ".join(_corrected(case, best, people))},
    )


def _doubt(case: Case, best: Candidate, compared: Sequence[Candidate]) -> str:
    """Why the disagreement of the records does not suffice to fail, or nothing."""
    if case.unseen_doi and not best.anchor:
        return "but the record behind the cited DOI could not be seen, and this one may be of another work"
    if best.people_agree and not case.claim.preprint and all(candidate.preprint for candidate in compared):
        return "but only its preprint is known, and authors come and go until a work is published"
    if best.relation == "near" and not best.anchor:
        return "but its title is only similar to the cited one, so it may be another work"
    comparison = best.authors
    departures = comparison.added + comparison.missing + comparison.given_differs + comparison.misspelled
    slight = departures <= max(1, int(len(case.claim.people.names) * _SLIGHT))
    if slight and not any(_cited_version(case, candidate) for candidate in compared):
        return f"{best.record.source}'s record is of another version of this work, whose authors may differ"
    if departures == 1 and comparison.given_differs and comparison.matched > 1 and _same_initial(case, best):
        return "one given name differs from its first letter on, as short forms do"
    if len({candidate.origin for candidate in compared}) > 1:
        return ""
    if comparison.code in _NEEDS_SECOND:
        return f"only {best.record.source} says so, and one record may be wrong"
    if not comparison.added:
        return ""
    if comparison.added == 1 and departures - comparison.missing == 1 and comparison.matched > 1:
        return f"one name differs from {best.record.source}'s record, and one record may be wrong"
    if comparison.code == "authors-added" and _is_beginning(best):
        return f"{best.record.source}'s record has only the first of these names, which may be all that was deposited"
    return ""


def _cited_version(case: Case, candidate: Candidate) -> bool:
    """Whether the record is of the version that is cited: behind the cited DOI, in the cited venue, a preprint as cited."""
    if candidate.anchor == "doi" or same_venue(case.claim.venue, candidate.record) == "same":
        return True
    return case.claim.preprint == candidate.preprint and (case.claim.preprint or not case.claim.venue)


def _same_initial(case: Case, candidate: Candidate) -> bool:
    """Whether the given names that differ begin with the same letter."""
    people = _people(candidate.record, edited=case.claim.edited)
    names = [
        (parse(case.claim.people.names[i]).given_keys, parse(people[j]).given_keys)
        for i, j, relation in candidate.authors.pairs
        if relation == "given-differs" and i is not None and j is not None
    ]
    return all(one and other and one[0][0] == other[0][0] for one, other in names)


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
    """The record's people as BibTeX names; who is cited rightly keeps the spelling of the citation."""
    cited = {
        j: case.claim.people.names[i]
        for i, j, relation in best.authors.pairs
        if i is not None and j is not None and relation in ("same", "compatible")
    }
    return [_bibtex(cited.get(place, person)) for place, person in enumerate(people)]


def _bibtex(person: Person) -> str:
    if person.group:
        return f"{{{person}}}"
    name = parse(person)
    family = f"{name.particles} {name.family}".strip()
    return ", ".join(part for part in (family, name.suffix, " ".join(name.given)) if part)
