"""authors: the cited people are those of the work; every kind of departure has a code of its own."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_citecheck.checks.author_doubts import doubt, is_proven, may_be_renamed, people_of
from pytest_citecheck.checks.base import Case, Shown, finding, single_evidence, undecided
from pytest_citecheck.checks.corrections import in_bibtex
from pytest_citecheck.linking.candidates import Candidate
from pytest_citecheck.linking.source_names import source_name
from pytest_citecheck.linking.versions import newest_version
from pytest_citecheck.model import Finding, NameList, Person
from pytest_citecheck.names.comparison import is_respelt, parse
from pytest_citecheck.names.joined import is_damaged, other_reading, repeated
from pytest_citecheck.names.lists import compare_authors
from pytest_citecheck.names.run_together import stand_in_text
from pytest_citecheck.readers.bibtex.names import separated_otherwise
from pytest_citecheck.thresholds import FIRST_AUTHORS, LEFT_OUT, SLIGHT

__all__ = ["check_authors"]

_SHOWN = 8
_KINDS = {"authors-reordered": "order of people", "authors-misspelled": "spelling"}
"""Kinds of single evidence by code; ``people`` for any other."""
_OF_SEPARATORS = frozenset({"authors-truncated", "authors-added", "authors-partly-other", "authors-other"})


def check_authors(case: Case) -> Finding:
    """Passed if any record of the work has these authors; failed if all that name authors have others."""
    metadata = case.cited
    if not metadata.people.names:
        return finding("authors", "unverifiable", "authors-missing", "the reference names no author or editor")
    records = [*case.works, *case.near_matches, *(target for target in case.identifier_targets if target.same_people)]
    if not records:
        return undecided(case, "authors", "the authors")
    compared = [candidate for candidate in records if not candidate.authors.abstain]
    agreeing = [candidate for candidate in compared if not candidate.authors.code]
    if agreeing:
        return _agreeing(case, agreeing)
    sound = [candidate for candidate in compared if not is_damaged(people_of(candidate.record, edited=metadata.edited))]
    named = [candidate for candidate in sound if candidate.anchor == "doi" and candidate.relation == "work"]
    if not sound:
        unclear = (compared or records)[0]
        reason = unclear.authors.reason or "no record of this work names its authors"
        if compared:
            reason = f"names are run together or broken off in {source_name(unclear.record.source)}'s record"
        return finding("authors", "unverifiable", "authors-unclear", reason, record=unclear.record)
    # The record of the cited DOI under the cited title says who wrote it; the others may confirm it.
    best = max(named or sound, key=lambda candidate: (candidate.authors.overlap, bool(candidate.anchor)))
    people = people_of(best.record, edited=metadata.edited)
    cited = _names(metadata.people.names) + (" and others" if metadata.people.others else "")
    found = _names(people)
    whole = next((candidate for candidate in named or sound if _stands_in_field(case, candidate)), None)
    if whole is not None:
        return _run_together(case, whole)
    reason = doubt(case, best, sound)
    if not reason and may_be_renamed(case, best, sound):
        message = f"{best.authors.message}; all else agrees, and people change their given names"
        return finding(
            "authors", "unverifiable", "authors-renamed", message, cited=cited, found=found, record=best.record
        )
    if reason:
        message = f"{best.authors.message}; {reason}"
        return finding(
            "authors", "unverifiable", "authors-unclear", message, cited=cited, found=found, record=best.record
        )
    origins = len({candidate.upstream for candidate in sound})
    code = "authors-left-out" if _few_left_out(best) else best.authors.code
    rule = (
        f"no record of this work has the cited list (sources that name its authors: {origins}); between versions of a work "
        f"up to {SLIGHT:.0%} of the cited people, at least one, may differ"
    )
    fixes = {
        "editor" if metadata.edited else "author": " and ".join(_corrected(case, newest_version(metadata, best, sound)))
    }
    if is_proven(case, best, sound):
        return finding(
            "authors", "failed", code, best.authors.message, cited=cited, found=found, record=best.record, rule=rule,
            fixes=fixes,
        )  # fmt: skip
    sources = list(dict.fromkeys(source_name(candidate.record.source) for candidate in sound))
    alone = f"only {sources[0]} says so, and one record may be wrong"
    message = f"{best.authors.message}; {alone if len(sources) == 1 else ', '.join(sources) + ' may share an error'}"
    return single_evidence(
        case,
        _KINDS.get(code, "people"),
        "authors",
        code,
        message,
        cited=cited,
        found=found,
        record=best.record,
        rule=rule,
        fixes=fixes,
    )


def _agreeing(case: Case, agreeing: Sequence[Candidate]) -> Finding:
    """The finding where records have the cited people: passed, unless somebody is cited twice whom all of them have once, or
    the field has to be read otherwise than BibTeX reads it, or spells a family name as no record does."""
    twice: tuple[Person, ...] = ()
    joined: Candidate | None = None
    misspelt: tuple[Candidate, str, str] | None = None
    for candidate in agreeing:
        people = people_of(candidate.record, edited=case.cited.edited)
        twice = repeated(case.cited.people.names, people)
        if twice:
            continue
        if not _is_read_as_written(case, candidate, people):
            joined = candidate
        elif variant := _respelt(case, candidate, people):
            misspelt = (candidate, *variant)
        else:
            message = f"the authors of {source_name(candidate.record.source)}'s record"
            return finding("authors", "passed", "authors-ok", message, record=candidate.record)
    if misspelt is not None:
        candidate, cited, found = misspelt
        message = f"{source_name(candidate.record.source)} spells {found} what is cited as {cited}"
        return single_evidence(
            case, "spelling", "authors", "authors-misspelled", message, cited=cited, found=found, record=candidate.record,
            rule="no record of this work has the cited spelling of this family name",
        )  # fmt: skip
    if joined is not None:
        return _run_together(case, joined, agreeing=True)
    record = agreeing[0].record
    people = people_of(record, edited=case.cited.edited)
    return single_evidence(
        case,
        "repeated",
        "authors",
        "authors-repeated",
        f"{', '.join(map(str, twice))} is cited twice; {source_name(record.source)} has this author once",
        cited=_names(case.cited.people.names),
        found=_names(people),
        record=record,
        rule="no record of this work has two people of this name",
        fixes={"editor" if case.cited.edited else "author": _without_repetition(case.cited.people)},
    )


def _is_read_as_written(case: Case, candidate: Candidate, people: Sequence[Person]) -> bool:
    """True if the record has the cited list as BibTeX reads it, without splitting joined names."""
    if len(other_reading(case.cited.people.names)) <= len(case.cited.people.names):
        return True
    return any(
        not compare_authors(case.cited.people, reading, complete=candidate.record.authors_complete).code
        for reading in (people, other_reading(people))
        if reading
    )


def _respelt(case: Case, candidate: Candidate, people: Sequence[Person]) -> tuple[str, str] | None:
    """Return the first family name that the record spells differently, as (cited name, name in the record)."""
    for i, j, relation in candidate.authors.pairs:
        if i is None or j is None or relation != "compatible" or i >= len(case.cited.people.names) or j >= len(people):
            continue
        cited, found = case.cited.people.names[i], people[j]
        if is_respelt(cited, found):
            return str(cited), str(found)
    return None


def _few_left_out(best: Candidate) -> bool:
    """Whether a list lacks only a few people of the record, or is cut after its first ones, as reference managers do it."""
    if best.authors.code != "authors-truncated":
        return False
    cited = [j for i, j, _ in best.authors.pairs if i is not None and j is not None]
    missing = sum(i is None for i, _, _ in best.authors.pairs)
    behind = [
        place for place in cited if place >= len(cited)
    ]  # the version cited may have one of them further in front
    ahead = [place for place in cited if place < len(cited)]
    first = len(cited) >= FIRST_AUTHORS and len(behind) <= 1 and ahead == sorted(ahead)
    return first or missing <= LEFT_OUT * (len(cited) + missing)


def _without_repetition(people: NameList) -> str:
    once = dict.fromkeys(map(in_bibtex, people.names))
    return " and ".join([*once, *(["others"] if people.others else [])])


def _stands_in_field(case: Case, candidate: Candidate) -> bool:
    """Whether somebody seems to be missing or added only because a separator of the field is damaged."""
    if candidate.authors.code not in _OF_SEPARATORS:
        return False
    text = case.reference.fields.get("editor" if case.cited.edited else "author", "")
    return stand_in_text(people_of(candidate.record, edited=case.cited.edited), text)


def _run_together(case: Case, whole: Candidate, *, agreeing: bool = False) -> Finding:
    """The finding on a field in which all people of a record stand: a fault if a name has swallowed a separator, which is then
    printed; one that is written with other separators is right (`checks.syntax` warns of it).

    agreeing: the list agrees with the record once its names are taken apart.
    """
    field = "editor" if case.cited.edited else "author"
    people = people_of(whole.record, edited=case.cited.edited)
    text = case.reference.text.lstrip()
    as_printed = bool(text) and not text.startswith("@")  # nothing divides its names by separators
    separated = separated_otherwise(case.reference.raw.get(field, ""))
    braced = agreeing and any(person.group for person in case.cited.people.names)  # printed as it is written
    if as_printed or braced or (separated and len(case.cited.people.names) > 1):
        message = f"the authors of {source_name(whole.record.source)}'s record"
        return finding("authors", "passed", "authors-ok", message, record=whole.record)
    message = f"the field contains all {len(people)} authors, but a damaged separator joins some of them"
    parts: Shown = {
        "cited": _names(case.cited.people.names),
        "found": _names(people),
        "record": whole.record,
        "rule": "the words of the field are the names of the record",
        "fixes": {field: " and ".join(map(in_bibtex, people))},
    }
    # BibTeX prints "Ada Lovelace, Alan Turing" as one person; arXiv shows lists as their submitters typed them.
    if separated or agreeing or (case.cited.preprint and not whole.anchor):
        return single_evidence(case, "joined", "authors", "authors-run-together", message, **parts)
    return finding("authors", "failed", "authors-run-together", message, **parts)


def _names(people: Sequence[Person]) -> str:
    shown = ", ".join(str(person) for person in people[:_SHOWN])
    return shown + (f" … ({len(people)} names)" if len(people) > _SHOWN else "")


def _corrected(case: Case, best: Candidate) -> list[str]:
    """The record's people as BibTeX names; who is cited rightly keeps the spelling of the citation.

    A given name that only resembles that of the record (a short form, a letter off) is not kept: it may be what is wrong.
    """
    people = people_of(best.record, edited=case.cited.edited)
    cited = {
        j: case.cited.people.names[i]
        for i, j, relation in best.authors.pairs
        if i is not None
        and j is not None
        and (
            relation == "same"
            or (relation == "compatible" and _spelled_alike(case.cited.people.names[i], people[j]))
            or (
                relation == "given-differs" and best.authors.code == "authors-truncated"
            )  # that is another name of theirs
        )
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
