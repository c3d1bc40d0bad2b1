"""authors: the cited people are the authors of the work; every kind of difference has its own code."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from rapidfuzz.distance import OSA

from pytest_citecheck.checks.base import ReferenceCase, Shown, accusation, finding, undecided
from pytest_citecheck.checks.corrections import in_bibtex
from pytest_citecheck.evidence import (
    Candidate,
    independent_sources,
    names_authors_as_published,
    newest_version,
    same_venue,
    same_venue_and_year,
    source_name,
    unseen_version_may_be_meant,
)
from pytest_citecheck.inputs import separated_otherwise
from pytest_citecheck.matching import (
    AuthorComparison,
    are_damaged_names,
    compare_authors,
    is_alias,
    is_asian_surname,
    is_exchanged,
    is_given_name,
    is_pinyin,
    is_respelt,
    other_reading,
    parse,
    repeated,
    stand_in_text,
    without_affiliations,
)
from pytest_citecheck.model import Absent, EvidenceKind, Finding, NameList, Person, Record, Unavailable
from pytest_citecheck.rows import Rule, Table, always
from pytest_citecheck.thresholds import (
    FIRST_AUTHORS,
    GIVEN_NAME_FOR_TYPO,
    GIVEN_NAME_SLIP,
    LEFT_OUT,
    OTHERS_IN_PLACE,
    POSTED_BEFORE,
    RATIO_OF_RENAMED,
    SLIGHT,
    THIRD_SOURCE,
)

_COME_AND_GO = frozenset({"authors-added", "authors-truncated"})
# A preprint differs from the publication in these: people also change places, and are misspelled in one of them.
_OF_A_VERSION = _COME_AND_GO | {"authors-reordered", "authors-misspelled"}
_FITS = ("same", "compatible")


def people_of(record: Record, *, edited: bool) -> tuple[Person, ...]:
    """The people of a record: its authors, or its editors where editors are cited; without their affiliations."""
    own = (record.editors or record.authors) if edited else (record.authors or record.editors)
    return without_affiliations(own)


@dataclass(frozen=True)
class _Contradiction:
    """The records that contradict the cited people, the best first, and how far they do."""

    case: ReferenceCase
    best: Candidate
    compared: Sequence[Candidate]

    @property
    def source(self) -> str:
        return source_name(self.best.record.source)

    @property
    def comparison(self) -> AuthorComparison:
        return self.best.authors

    @cached_property
    def departures(self) -> int:
        """The number of cited people who differ."""
        told = self.comparison
        return self._come_or_gone + told.given_differs + told.misspelled

    @property
    def _come_or_gone(self) -> int:
        return self.comparison.added + (0 if self.case.cited.people.others else self.comparison.missing)

    @property
    def slight(self) -> bool:
        return self.departures <= max(1, int(len(self.case.cited.people.names) * SLIGHT))

    @property
    def come_and_go(self) -> bool:
        return self.comparison.code in _COME_AND_GO and self.departures == self._come_or_gone

    @property
    def one_given_name(self) -> bool:
        return self.departures == self.comparison.given_differs == 1

    @cached_property
    def origins(self) -> int:
        return independent_sources({candidate.upstream for candidate in self.compared})

    @property
    def of_unseen(self) -> bool:
        """True if the record of the cited identifier is missing, and might have the cited list."""
        unseen = _unseen(self.case)
        of_a_version = self.comparison.code in _OF_A_VERSION and not self.comparison.given_differs
        of_preprint = of_a_version and self.origins < THIRD_SOURCE and self.case.cited.identifiers.arxiv in unseen
        return bool(unseen) and (self.come_and_go or of_preprint)

    @property
    def of_unseen_version(self) -> bool:
        """True if another version of the preprint might have the cited list."""
        joined = (self.slight and self.come_and_go) or _only_joined(self.case, self.best)
        return joined and _another_version_may_be_cited(self.case, self.compared)

    @property
    def of_catalogue(self) -> bool:
        """True if only catalogues contradict, which have some of the people."""
        told = self.comparison
        known = told.matched or told.given_differs or told.misspelled
        return bool(known) and not any(names_authors_as_published(one.record.source) for one in self.compared)

    @cached_property
    def renamed(self) -> str:
        return _renamed(self.case, self.best)

    @property
    def alone(self) -> bool:
        """True if a single origin has another given name, and other people fit."""
        return bool(self.origins == 1 and self.comparison.given_differs and self.comparison.matched)


_DOUBTS: Table[_Contradiction] = Table(
    "authors: doubts",
    "checks/authors",
    Rule("unseen DOI", lambda f: f.case.unseen_doi and not f.best.matched_identifier,
         "but the record of its DOI is not available, and this record may describe a different work"),
    Rule("only a preprint",
         lambda f: (f.best.people_agree and not f.case.cited.preprint and all(candidate.preprint for candidate in f.compared)),
         "but only its preprint is known, and its author list may change until publication"),
    Rule("similar title", lambda f: f.best.relation == "near" and not f.best.matched_identifier,
         "but its title is only similar to the cited one, so it may be another work"),
    Rule("catalogue", lambda f: f.of_catalogue,
         "but {0.source} is a catalogue, which may omit authors or change their order"),
    Rule("unseen record", lambda f: f.slight and f.of_unseen,
         "but the record of the cited identifier is not available, and author lists differ between versions"),
    Rule("unseen version", lambda f: f.of_unseen_version,
         "but not all versions of this preprint are available, and author lists differ between versions"),
    Rule("before publication", lambda f: f.slight and f.come_and_go and _before_publication(f.case, f.compared),
         "but the cited year belongs to a version before publication, whose authors may differ"),
    Rule("other publication",
         lambda f: f.comparison.code == "authors-truncated" and _in_another_place(f.case, f.compared),
         "{0.source}'s record is another publication of this work, which may have more authors"),
    Rule("other version", lambda f: f.slight and not any(_cited_version(f.case, candidate) for candidate in f.compared),
         "{0.source}'s record describes another version of this work, whose authors may differ"),
    Rule("new family name", lambda f: f.renamed,
         "but only the family name differs from {0.renamed}, and databases update it when an author changes it"),
    Rule("short form among others", lambda f: f.one_given_name and _by_other_name(f.case, f.best, OTHERS_IN_PLACE),
         "but one given name may be a short form or a middle name"),
    Rule("both names", lambda f: f.one_given_name and _goes_by_both_names(f.case, f.best),
         "but a record of another work by the same people has the cited given name"),
    Rule("prefix", lambda f: f.one_given_name and _is_cut_short(f.case, f.best),
         "but one given name is a prefix of the other and may be a short form"),
    Rule("short form in one source", lambda f: f.alone and _by_other_name(f.case, f.best, 0),
         "only {0.source} reports this, and one given name may be a short form or a middle name"),
    Rule("one source while others are silent", lambda f: f.alone and f.case.search_failed,
         "only {0.source} reports this, and a source without an answer may have the cited name"),
    Rule("no doubt", always),
)  # fmt: skip


def _weak_evidence(case: ReferenceCase, best: Candidate) -> EvidenceKind | None:
    """Return the kind of evidence where no number of records suffices; None: the records decide.

    Publishers' metadata may exchange authors or add some, and all lists copy it: 3.3% of 4,574 works have another order on arXiv
    than in the proceedings. So order and additional authors need arXiv's list as well as the registry's. A record with the
    first cited authors only is a list that was cut.
    """
    code = best.authors.code
    if code == "authors-reordered" and not _eprint_seen(case):
        return "single record"
    if code == "authors-added" and (_is_beginning(best) or not _eprint_seen(case)):
        return "single record"
    return None


def _another_version_may_be_cited(case: ReferenceCase, compared: Sequence[Candidate]) -> bool:
    """Return True if a preprint is cited, and a version of it that was not seen may be the one."""
    if not case.cited.preprint:
        return False
    named = case.cited.identifiers.arxiv
    known = [named] if named else [candidate.record.arxiv for candidate in compared if candidate.upstream == "arxiv"]
    return not known or any(unseen_version_may_be_meant(case.cited, case.evidence, arxiv) for arxiv in known)


def _only_joined(case: ReferenceCase, candidate: Candidate) -> bool:
    """Return True if the citation has everybody of the record, as if people joined with a later version; with "and
    others", everybody up to the last common name."""
    pairs = candidate.authors.pairs
    if any(relation not in (*_FITS, "added", "missing") for *_, relation in pairs):
        return False
    people = people_of(candidate.record, edited=case.cited.edited)
    places = {j for i, j, _ in pairs if i is not None and j is not None}
    last = max(places, default=-1) if case.cited.people.others else len(people) - 1
    return bool(places) and all(j in places or parse(people[j]).group for j in range(last + 1))


def _before_publication(case: ReferenceCase, compared: Sequence[Candidate]) -> bool:
    """Return True if the cited year is before all records, no venue is cited, and no DOI leads to a record."""
    year, cited = case.cited.year, case.cited
    if cited.venue or year is None or any(candidate.matched_identifier == "doi" for candidate in compared):
        return False
    years = [known for candidate in compared for known in candidate.record.years]
    return bool(years) and 0 < min(years) - year <= POSTED_BEFORE


def _eprint_seen(case: ReferenceCase) -> bool:
    """Return True if the order of a preprint is known, or a search for the title at arXiv found none."""
    if any(candidate.upstream == "arxiv" for candidate in (*case.works, *case.near_matches)):
        return True
    searched = [item.answer for item in case.asked("title") if item.source == "arxiv"]
    denied = [item.answer for item in case.asked("arxiv") if isinstance(item.answer, Absent) and item.answer.scope]
    return bool(denied) or any(not isinstance(answer, Unavailable) for answer in searched)


def may_be_renamed(case: ReferenceCase, candidate: Candidate, compared: Sequence[Candidate]) -> bool:
    """Return True if only one given name differs from the record and has the same initial: people change their given
    names (Joshua, Jana), and databases write the new one, some earlier than others. If two independent databases have
    no trace of the cited name, it is wrong. A misspelt name is not a new name (Davic)."""
    if independent_sources({one.upstream for one in compared}) > 1:
        return False
    comparison, record = candidate.authors, candidate.record
    missing = 0 if case.cited.people.others else comparison.missing
    if comparison.given_differs != 1 or comparison.added + missing + comparison.misspelled:
        return False
    places = [(i, j) for i, j, _ in comparison.pairs if i is not None and j is not None]
    ordered = all(one[1] < other[1] for one, other in itertools.pairwise(places))
    if not ordered or candidate.title.relation != "same" or not same_venue_and_year(case.cited, record):
        return False
    people = people_of(record, edited=case.cited.edited)
    i, j = next((i, j) for i, j, relation in comparison.pairs if relation == "given-differs")
    if i is None or j is None:
        return False
    one, other = parse(case.cited.people.names[i]).given_keys, parse(people[j]).given_keys
    return bool(one and other) and one[0][0] == other[0][0] and not _is_slip(one, other)


def _is_slip(cited: Sequence[str], found: Sequence[str]) -> bool:
    """Return True if the different given names are long and similar, and the cited one is not a known name."""
    uncited = [name for name in found if name not in cited]
    return any(
        min(len(name), len(other)) >= GIVEN_NAME_FOR_TYPO
        and OSA.normalized_similarity(name, other) >= GIVEN_NAME_SLIP
        and not (is_given_name(name) or is_pinyin(name))
        for name in cited
        if name not in found
        for other in uncited
    )


def _in_another_place(case: ReferenceCase, compared: Sequence[Candidate]) -> bool:
    """Return True if no record belongs to the cited version, and the cited venue differs from the venues of the
    records."""
    return not any(_cited_version(case, candidate) for candidate in compared) and all(
        same_venue(case.cited.venue, candidate.record) == "different" for candidate in compared
    )


def _cited_version(case: ReferenceCase, candidate: Candidate) -> bool:
    """Return True if the record is of the cited version: it has the cited DOI or the cited venue, or is a preprint as cited."""
    if candidate.matched_identifier == "doi" or same_venue(case.cited.venue, candidate.record) == "same":
        return True
    return case.cited.preprint == candidate.preprint and (case.cited.preprint or not case.cited.venue)


def _unseen(case: ReferenceCase) -> set[str]:
    """The cited DOI and arXiv id whose records are missing because a source that has them did not answer."""
    named = case.cited.identifiers
    unseen = {named.doi, named.arxiv} - {""}
    if any(candidate.matched_identifier == "doi" for candidate in case.candidates):
        unseen.discard(named.doi)
    if any(candidate.matched_identifier and candidate.upstream == "arxiv" for candidate in case.candidates):
        # An arXiv id and its DOI name one record.
        unseen -= {named.arxiv, f"10.48550/arxiv.{named.arxiv}"}
    asked = [item for item in case.asked("doi", "arxiv") if item.query.value in unseen and not item.compiled]
    if any(isinstance(item.answer, Absent) and item.answer.scope for item in asked):
        return set()
    return {item.query.value for item in asked if isinstance(item.answer, Unavailable)}


def _renamed(case: ReferenceCase, candidate: Candidate) -> str:
    """Return the person whom the record has in place of a cited person with the same full given name, if all others
    match.

    Not applied to East Asian names: people there keep their family names at marriage, and share given names too often.
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


def _by_other_name(case: ReferenceCase, candidate: Candidate, others: int) -> bool:
    """True if the list has more than ``others`` people, all in their positions, and each different given name may be an
    alias.

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


def _goes_by_both_names(case: ReferenceCase, best: Candidate) -> bool:
    """Return True if another record has the name as cited, with another of the cited people.

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


def _is_cut_short(case: ReferenceCase, candidate: Candidate) -> bool:
    """Return True if the given names that differ are one the beginning of the other (Ge, Gen)."""
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
    """Return True if the record's authors are the first of the cited ones, in order."""
    pairs = candidate.authors.pairs[: len(candidate.record.authors)]
    return all(i == j for i, j, _ in pairs)


_SHOWN = 8
_OF_SEPARATORS = frozenset({"authors-truncated", "authors-added", "authors-partly-other", "authors-other"})


def check_authors(case: ReferenceCase) -> Finding:
    """Passed if any record of the work has these authors; failed if all records with authors have different ones."""
    metadata = case.cited
    if not metadata.people.names:
        return finding("authors", "unverifiable", "authors-missing", "the reference has no author or editor")
    records = [*case.works, *case.near_matches, *(target for target in case.identifier_targets if target.same_people)]
    if not records:
        return undecided(case, "authors", "the authors")
    compared = [candidate for candidate in records if not candidate.authors.abstain]
    agreeing = [candidate for candidate in compared if not candidate.authors.code]
    if agreeing:
        return _agreeing(case, agreeing)
    sound = [
        candidate
        for candidate in compared
        if not are_damaged_names(people_of(candidate.record, edited=metadata.edited))
    ]
    named = [candidate for candidate in sound if candidate.matched_identifier == "doi" and candidate.relation == "work"]
    if not sound:
        return _unclear(compared, records)
    # The record of the cited DOI under the cited title decides; other records may confirm it.
    best = max(named or sound, key=lambda candidate: (candidate.authors.overlap, bool(candidate.matched_identifier)))
    people = people_of(best.record, edited=metadata.edited)
    cited = _names(metadata.people.names) + (" and others" if metadata.people.others else "")
    found = _names(people)
    whole = next((candidate for candidate in named or sound if _stands_in_field(case, candidate)), None)
    if whole is not None:
        return _run_together(case, whole)
    facts = _Contradiction(case, best, sound)
    if reason := _DOUBTS.deciding(facts).said(facts):
        message = f"{best.authors.message}; {reason}"
        return finding(
            "authors", "unverifiable", "authors-unclear", message, cited=cited, found=found, record=best.record
        )
    if may_be_renamed(case, best, sound):
        message = f"{best.authors.message}; everything else agrees, and people change their given names"
        return accusation(
            case, "authors", "authors-renamed", message, sound, "single record", RATIO_OF_RENAMED, cited=cited, found=found,
            record=best.record,
        )  # fmt: skip
    origins = len({candidate.upstream for candidate in sound})
    code = "authors-left-out" if _few_left_out(best) else best.authors.code
    rule = (
        f"no record of this work has the cited list (sources that name its authors: {origins}); between versions of a work "
        f"up to {SLIGHT:.0%} of the cited people, at least one, may differ"
    )
    corrected = _corrected(case, newest_version(metadata, best, sound), shortened=code == "authors-not-first")
    fixes = {"editor" if metadata.edited else "author": " and ".join(corrected)}
    return accusation(
        case, "authors", code, best.authors.message, sound, _weak_evidence(case, best), cited=cited, found=found,
        record=best.record, rule=rule, fixes=fixes,
    )  # fmt: skip


def _unclear(compared: Sequence[Candidate], records: Sequence[Candidate]) -> Finding:
    """The finding if no record has a list of authors that can be compared."""
    unclear = (compared or records)[0]
    reason = unclear.authors.reason or "no record of this work has authors"
    if compared:
        reason = f"names are merged or truncated in {source_name(unclear.record.source)}'s record"
    return finding("authors", "unverifiable", "authors-unclear", reason, record=unclear.record)


def _agreeing(case: ReferenceCase, agreeing: Sequence[Candidate]) -> Finding:
    """Finding if records have the cited people: passed, unless a person is cited twice and listed once, BibTeX reads
    the field differently, or a family name is spelt as in no record."""
    twice: tuple[Person, ...] = ()
    joined: Candidate | None = None
    misspelt: tuple[Candidate, str, str] | None = None
    exchanged: Candidate | None = None
    for candidate in agreeing:
        people = people_of(candidate.record, edited=case.cited.edited)
        if _exchanged(case, candidate, people):
            exchanged = candidate
            continue
        twice = repeated(case.cited.people.names, people) if candidate.record.authors_complete else ()
        if twice:
            continue
        if not _is_read_as_written(case, candidate, people):
            joined = candidate
        elif variant := _respelt(case, candidate, people):
            misspelt = (candidate, *variant)
        else:
            message = f"the authors of {source_name(candidate.record.source)}'s record"
            return finding("authors", "passed", "authors-ok", message, record=candidate.record)
    if exchanged is not None:
        return _in_the_other_order(case, exchanged, agreeing)
    if misspelt is not None:
        candidate, cited, found = misspelt
        message = f"{source_name(candidate.record.source)} spells the cited name {cited} as {found}"
        return accusation(
            case, "authors", "authors-misspelled", message, agreeing, cited=cited, found=found, record=candidate.record,
            rule="no record of this work has the cited spelling of this family name",
        )  # fmt: skip
    if joined is not None:
        return _run_together(case, joined, agreeing=True)
    record = agreeing[0].record
    people = people_of(record, edited=case.cited.edited)
    return accusation(
        case,
        "authors",
        "authors-repeated",
        f"{', '.join(map(str, twice))} is cited twice; {source_name(record.source)} has this author once",
        agreeing,
        cited=_names(case.cited.people.names),
        found=_names(people),
        record=record,
        rule="no record of this work has two people of this name",
        fixes={"editor" if case.cited.edited else "author": _without_repetition(case.cited.people)},
    )


def _is_read_as_written(case: ReferenceCase, candidate: Candidate, people: Sequence[Person]) -> bool:
    """True if the record has the cited list as BibTeX reads it, without splitting joined names."""
    if len(other_reading(case.cited.people.names)) <= len(case.cited.people.names):
        return True
    return any(
        not compare_authors(case.cited.people, reading, complete=candidate.record.authors_complete).code
        for reading in (people, other_reading(people))
        if reading
    )


def _respelt(case: ReferenceCase, candidate: Candidate, people: Sequence[Person]) -> tuple[str, str] | None:
    """Return the first family name that the record spells differently, as (cited name, name in the record)."""
    for i, j, relation in candidate.authors.pairs:
        if i is None or j is None or relation != "compatible" or i >= len(case.cited.people.names) or j >= len(people):
            continue
        cited, found = case.cited.people.names[i], people[j]
        if is_respelt(cited, found):
            return str(cited), str(found)
    return None


def _exchanged(case: ReferenceCase, candidate: Candidate, people: Sequence[Person]) -> list[tuple[int, int]]:
    """Return the places, cited and found, of people whose given and family names are exchanged: certainly, or in most names."""
    if case.reference.readings:
        return []  # which name is the family name is a reading of the text
    pairs = [(i, j) for i, j, _ in candidate.authors.pairs if i is not None and j is not None]
    names = case.cited.people.names
    text = case.reference.fields.get("editor" if case.cited.edited else "author", "")
    signs = {
        (i, j): is_exchanged(names[i], people[j])
        for i, j in pairs
        # Full names in the order of East Asia, without a comma, are no error.
        if (i < len(names) and j < len(people))
        and (len(names[i].given.strip(".")) == 1 or f"{names[i].family}, {names[i].given}" in text)
    }
    found = [pair for pair, sign in signs.items() if sign]
    several = len(found) > max(1, len(pairs) / 2)
    return found if several or "certainly" in signs.values() else []


def _in_the_other_order(case: ReferenceCase, candidate: Candidate, agreeing: Sequence[Candidate]) -> Finding:
    people, names = people_of(candidate.record, edited=case.cited.edited), case.cited.people.names
    right = {i: people[j] for i, j in _exchanged(case, candidate, people)}
    first = min(right)
    corrected = [in_bibtex(right.get(i, person)) for i, person in enumerate(names)]
    return accusation(
        case,
        "authors",
        "authors-exchanged",
        f"given and family name are exchanged: {names[first]} is {in_bibtex(right[first])} in "
        f"{source_name(candidate.record.source)}'s record",
        agreeing,
        cited=_names(names),
        found=_names(people),
        record=candidate.record,
        rule="no record of this work has these names in the cited order",
        fixes={
            "editor" if case.cited.edited else "author": " and ".join(
                [*corrected, *(["others"] if case.cited.people.others else [])]
            )
        },
    )


def _few_left_out(best: Candidate) -> bool:
    """Return True if a list lacks only a few people of the record, or is cut after the first ones, as reference
    managers do."""
    if best.authors.code != "authors-truncated":
        return False
    cited = [j for i, j, _ in best.authors.pairs if i is not None and j is not None]
    missing = sum(i is None for i, _, _ in best.authors.pairs)
    # The version cited may have one of them further in front.
    behind = [place for place in cited if place >= len(cited)]
    ahead = [place for place in cited if place < len(cited)]
    first = len(cited) >= FIRST_AUTHORS and len(behind) <= 1 and ahead == sorted(ahead)
    return first or missing <= LEFT_OUT * (len(cited) + missing)


def _without_repetition(people: NameList) -> str:
    once = dict.fromkeys(map(in_bibtex, people.names))
    return " and ".join([*once, *(["others"] if people.others else [])])


def _stands_in_field(case: ReferenceCase, candidate: Candidate) -> bool:
    """Return True if somebody seems to be missing or added only because a separator of the field is damaged."""
    if candidate.authors.code not in _OF_SEPARATORS:
        return False
    text = case.reference.fields.get("editor" if case.cited.edited else "author", "")
    people = people_of(candidate.record, edited=case.cited.edited)
    return stand_in_text(people, text, joined=len(people) != len(case.cited.people.names))


def _run_together(case: ReferenceCase, whole: Candidate, *, agreeing: bool = False) -> Finding:
    """Return the finding for a field that contains all people of a record. It fails if a separator became part of a
    name, which is then printed; other separators are accepted (`checks.corrections` warns about them).

    agreeing: the list agrees with the record after its names are separated.
    """
    field = "editor" if case.cited.edited else "author"
    people = people_of(whole.record, edited=case.cited.edited)
    text = case.reference.text.lstrip()
    as_printed = bool(text) and not text.startswith("@")  # nothing divides its names by separators
    separated = separated_otherwise(case.reference.raw.get(field, ""))
    braced = agreeing and any(person.group for person in case.cited.people.names)  # printed as written
    if as_printed or braced or (separated and len(case.cited.people.names) > 1):
        message = f"the authors of {source_name(whole.record.source)}'s record"
        return finding("authors", "passed", "authors-ok", message, record=whole.record)
    message = f"the field contains all {len(people)} authors, but a damaged separator joins some of them"
    parts: Shown = {
        "cited": _names(case.cited.people.names),
        "found": _names(people),
        "record": whole.record,
        "rule": "the field contains exactly the names in the record",
        "fixes": {field: " and ".join(map(in_bibtex, people))},
    }
    # BibTeX prints "Ada Lovelace, Alan Turing" as one person; arXiv shows lists as their submitters typed them.
    if separated or agreeing or (case.cited.preprint and not whole.matched_identifier):
        return accusation(case, "authors", "authors-run-together", message, [whole], "single record", **parts)
    return accusation(case, "authors", "authors-run-together", message, [whole], "syntax", **parts)


def _names(people: Sequence[Person]) -> str:
    shown = ", ".join(str(person) for person in people[:_SHOWN])
    return shown + (f" … ({len(people)} names)" if len(people) > _SHOWN else "")


def _corrected(case: ReferenceCase, best: Candidate, *, shortened: bool = False) -> list[str]:
    """Return the people of the record as BibTeX names. Correctly cited people keep their cited spelling.

    shortened: True for as many as are cited, and "others".

    A given name that only resembles the record (a short form, a letter off) is replaced, because it may be the error.
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
            # That is another name of theirs.
            or (relation == "given-differs" and best.authors.code == "authors-truncated")
        )
    }
    names = [in_bibtex(cited.get(place, person)) for place, person in enumerate(people)]
    return [*names[: len(case.cited.people.names)], "others"] if shortened else names


def _spelled_alike(cited: Person, found: Person) -> bool:
    """Return True if no given name of the one is written differently by the other, initials aside."""
    one, other = parse(cited).given_keys, parse(found).given_keys
    return "".join(one) == "".join(other) or not (_only_in(one, other) and _only_in(other, one))


def _only_in(names: Sequence[str], others: Sequence[str]) -> bool:
    """Return True if a full name in one list is not in the other, neither in full nor as an initial."""
    return any(
        len(name) > 1 and name not in others and not any(len(other) == 1 and other == name[0] for other in others)
        for name in names
    )
