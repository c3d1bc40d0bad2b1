"""Cited identifiers that nobody has seen, against those that the records of the work state, and against what was numbered at all;
and cited ISBNs, HAL ids and thesis numbers that are those of another work.

An identifier that is absent from every record may be that of a version which no source lists. Where the work is known in
the cited venue and year it is not: a publisher registers a paper once (of 32,566 works for which two collections state a
DOI 32,538 have the same one in both, and of the others 12 conflict within one registrant), and arXiv numbers an e-print
once.

Catalogues have several records for one ISBN: of printings, of a set and its parts, in other languages. So a number is that of
another work only where all of its records are, and one of them is no compiled one: each has another title, and none of the
cited people. An absence says nothing, since no catalogue is complete. HAL and theses.fr give each of their numbers out once; a
publisher may print one ISBN in two books, and one catalogue may have the other one alone. So an ISBN convicts only where two
catalogues have the same other book under it, and is warned of before. Beside an identifier that leads to the cited work a
wrong number is a slip.
"""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz.distance import OSA

from pytest_citecheck.checks.base import Case, Shown, describe, finding, single_evidence
from pytest_citecheck.identifiers.doi import normalise_doi
from pytest_citecheck.identifiers.numbering import beyond_month, beyond_volume
from pytest_citecheck.linking.candidates import Candidate, same_venue
from pytest_citecheck.linking.provenance import independent_statements
from pytest_citecheck.linking.source_names import source_name
from pytest_citecheck.model import Absent, Finding, Found, Outcome, Person, QuestionKind, Record
from pytest_citecheck.names.comparison import parse
from pytest_citecheck.names.groups import without_affiliations
from pytest_citecheck.readers.bibtex.names import name_list
from pytest_citecheck.thresholds import FEW_LETTERS, STATING_IT
from pytest_citecheck.titles.comparison import compare_titles

__all__ = ["number_against_records", "number_of_another_work"]

_ARXIV = "arxiv"
_ARXIV_DOI = "10.48550/"
_LABELS: dict[QuestionKind, str] = {"isbn": "ISBN", "hal": "HAL id", "nnt": "thesis number"}
_PEOPLE = ("author", "editor", "translator")
_BOOKS = frozenset({"book", "mvbook", "collection", "mvcollection", "manual", "booklet"})
"""What the ISBN is that of: a chapter is cited with the number of its volume, proceedings are titled in many ways."""


def number_against_records(case: Case, kind: str, value: str) -> Finding | None:
    """The finding of the doi check on an identifier that was not seen and cannot be that of the work; None if it may be.

    kind: ``doi`` or ``arxiv``. What a registry answered decides instead.
    """
    if (kind, value) not in case.unseen_identifiers or _denied(case, kind, value):
        return None
    return _another_doi(case, value) if kind == "doi" else _another_arxiv_id(case, value)


def _denied(case: Case, kind: str, value: str) -> bool:
    answers = (asked.answer for asked in case.asked(kind) if asked.question.value == value)
    return any(isinstance(answer, Absent) and answer.scope for answer in answers)


def _another_doi(case: Case, value: str) -> Finding | None:
    stated: dict[str, list[Candidate]] = {}
    for work in case.works:
        doi = normalise_doi(work.record.doi)
        if doi and not work.preprint and _is_cited_publication(case, work):
            stated.setdefault(doi, []).append(work)
    found, works = next(iter(stated.items()), ("", []))
    beyond = beyond_volume(value)
    if beyond and not (len(stated) == 1 and _by_several(works)):
        message = f"no paper has the DOI {value}: {beyond}"
        return _wrong(case, "doi-beyond-volume", value, message, _FURTHER_OUT, works, {"doi": found} if found else {})
    if len(stated) == 1 and _is_other_number(value, found):
        there = any(_is_placed(case, work) for work in works)
        message = f"in the cited venue and year this work has the DOI {found}, not {value}: {_named(works)}"
        if not there:
            message = f"this work has the DOI {found}, not {value}: {_named(works)}"
        rule = f"{STATING_IT} collections or more state another DOI of the same registrant, and no source has the cited one"
        return _wrong(
            case, "doi-other-number", value, message, rule, works, {"doi": found},
            single="" if there and _by_several(works) else "number",
        )  # fmt: skip
    return None


def _is_placed(case: Case, work: Candidate) -> bool:
    return same_venue(case.cited.venue, work.record) == "same" and case.cited.year in work.record.years


def _is_cited_publication(case: Case, work: Candidate) -> bool:
    """True if the record has the cited venue and year, or the cited people and year and no other venue."""
    if _is_placed(case, work):
        return True
    return (
        bool(work.people_agree)
        and work.title.relation == "same"
        and case.cited.year in work.record.years
        and same_venue(case.cited.venue, work.record) != "different"
    )


_FURTHER_OUT = "the number is far beyond those of the papers in the same row"


def _is_other_number(cited: str, found: str) -> bool:
    """Whether two DOIs are of one registrant, and neither is that of a part of the other: a volume and its chapters."""
    if cited.startswith((found, _ARXIV_DOI)) or found.startswith(cited):
        return False
    return cited.partition("/")[0] == found.partition("/")[0]


def _another_arxiv_id(case: Case, value: str) -> Finding | None:
    stated: dict[str, list[Candidate]] = {}
    for work in case.works:
        if work.record.arxiv and not work.record.compiled and work.title.relation == "same" and work.people_agree:
            stated.setdefault(work.record.arxiv, []).append(work)
    found, works = next(iter(stated.items()), ("", []))
    if len(stated) == 1:
        return _wrong(
            case,
            "arxiv-other-number",
            value,
            f"this work is arXiv:{found}, not arXiv:{value}: {_named(works)}",
            f"arXiv's own record, or {STATING_IT} collections, state another id, and no source has the cited one",
            works,
            {"eprint": found} if value in case.reference.fields.get("eprint", "") else {},
            single="" if any(work.upstream == _ARXIV for work in works) or _by_several(works) else "number",
        )
    if beyond := beyond_month(value, case.today):
        message = f"arXiv has no e-print {value}: {beyond}"
        return _wrong(case, "arxiv-beyond-month", value, message, _FURTHER_OUT, works, {})
    return None


def _by_several(works: Sequence[Candidate]) -> bool:
    return independent_statements({work.upstream for work in works if not work.record.compiled}) >= STATING_IT


def _named(works: Sequence[Candidate]) -> str:
    return ", ".join(dict.fromkeys(source_name(work.record.source) for work in works))


def _wrong(
    case: Case,
    code: str,
    cited: str,
    message: str,
    rule: str,
    works: Sequence[Candidate],
    fixes: dict[str, str],
    *,
    single: str = "",
) -> Finding:
    """The finding on a wrong number. single: the kind of evidence where it is no proof (`likelihoods.LIKELIHOODS`)."""
    record = works[0].record if works else None
    found = (record.doi if code.startswith("doi") else record.arxiv) if record else ""
    shown: Shown = {"cited": cited, "found": found, "record": record, "rule": rule, "fixes": fixes}
    if single:
        return single_evidence(case, single, "doi", code, message, **shown)
    return finding("doi", "failed", code, message, **shown)


def number_of_another_work(case: Case, *, identified: bool) -> Finding | None:
    """The finding of the doi check on such a number; None if none is cited, or it may be that of the cited work.

    identified: whether another identifier of the citation leads to the cited work, so that the number convicts nobody.
    """
    for kind, label in _LABELS.items():
        if kind in case.cited.identifiers.unprinted or (kind == "isbn" and case.reference.type not in _BOOKS):
            continue
        found = _records(case, kind)
        others = [candidate for candidate in found if not candidate.record.compiled]
        stating = [candidate for candidate in case.candidates if candidate.compared.same_number]
        if not others or not all(_is_another(case, candidate) for candidate in (*found, *stating)):
            continue
        record = others[0].record
        value = next(asked.question.value for asked in case.asked(kind) if _answers(asked.answer, record))
        message = f"the cited {label} {value} is that of another work: {describe(record)}"
        outcome: Outcome = "failed"
        code = "number-other-work"
        if identified:
            outcome, code = "passed", "number-mistaken"
            message = f"the cited work is identified otherwise, but {message}"
        elif kind == "isbn" and not _agreed(others):
            outcome, code = "unverifiable", "number-unclear"
            message = (
                f"{source_name(record.source)} alone says that {message}; a publisher may print one ISBN in two books"
            )
        named = ", ".join(dict.fromkeys(source_name(one.record.source) for one in found))
        return finding(
            "doi",
            outcome,
            code,
            message,
            cited=f"{value} for “{case.cited.title}”",
            found=describe(record),
            record=record,
            rule=f"every record of the {label} ({named}) has another title and other people",
        )
    return None


def _agreed(others: Sequence[Candidate]) -> bool:
    """Whether several sources have one and the same book under the number."""
    same = [
        other for other in others if compare_titles(other.record.title, others[0].record.title).relation != "different"
    ]
    return _by_several(same)


def _answers(answer: object, record: Record) -> bool:
    return isinstance(answer, Found) and record in answer.records


def _records(case: Case, kind: QuestionKind) -> list[Candidate]:
    """The records that were found under the cited numbers of this kind."""
    stated = [
        record
        for asked in case.asked(kind)
        if isinstance(asked.answer, Found)
        for record in asked.answer.records
        if asked.question.value in _numbers(record, kind)
    ]
    return [candidate for candidate in case.candidates if candidate.record in stated]


def _numbers(record: Record, kind: QuestionKind) -> tuple[str, ...]:
    return record.isbn if kind == "isbn" else tuple(name for relation, name in record.related if relation == kind)


def _is_another(case: Case, candidate: Candidate) -> bool:
    """Whether a record has neither the cited title nor any of the cited people, and names some."""
    return candidate.title.relation == "different" and _by_others(case, candidate.record)


def _by_others(case: Case, record: Record) -> bool:
    """Whether both sides name persons by their whole names in one script, and no family name of ours is alike a name of theirs,
    whatever they did."""
    cited = [person for field in _PEOPLE for person in name_list(case.reference.raw.get(field, "")).names]
    ours, theirs = _persons(cited), _persons((*record.authors, *record.editors))
    if not theirs or not ours or len(ours) < len(cited):
        return False
    families = {word for person in ours for word in parse(person).family_words if len(word) > 1}
    words = {word for person in theirs for word in parse(person).all_words if len(word) > 1}
    if not families or not all(map(str.isascii, families | words)):
        return False
    return not any(
        OSA.distance(one, other, score_cutoff=FEW_LETTERS) <= FEW_LETTERS for one in families for other in words
    )


def _persons(people: Sequence[Person]) -> list[Person]:
    """The persons among the people that have a family and a given name."""
    names = [(person, parse(person)) for person in without_affiliations(tuple(people))]
    return [person for person, name in names if not name.group and name.given_keys and name.family_key]
