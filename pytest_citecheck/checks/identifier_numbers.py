"""Cited identifiers that nobody has seen, against those that the records of the work state, and against what was numbered at all.

An identifier that is absent from every record may be that of a version which no source lists. Where the work is known in
the cited venue and year it is not: a publisher registers a paper once (of 32,566 works for which two collections state a
DOI 32,538 have the same one in both, and of the others 12 conflict within one registrant), and arXiv numbers an e-print
once.
"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_citecheck.checks.base import Case, finding
from pytest_citecheck.identifiers.doi import normalise_doi
from pytest_citecheck.identifiers.numbering import beyond_month, beyond_volume
from pytest_citecheck.linking.candidates import Candidate, same_venue
from pytest_citecheck.linking.provenance import independent_statements
from pytest_citecheck.linking.source_names import source_name
from pytest_citecheck.model import Absent, Finding
from pytest_citecheck.thresholds import STATING_IT

__all__ = ["number_against_records"]

_ARXIV = "arxiv"
_ARXIV_DOI = "10.48550/"


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
        here = same_venue(case.cited.venue, work.record) == "same" and case.cited.year in work.record.years
        if here and not work.record.compiled and (doi := normalise_doi(work.record.doi)):
            stated.setdefault(doi, []).append(work)
    found, works = next(iter(stated.items()), ("", []))
    if len(stated) == 1 and _is_other_number(value, found) and _by_several(works):
        return _wrong(
            "doi-other-number",
            value,
            f"in the cited venue and year this work has the DOI {found}, not {value}: {_named(works)}",
            f"{STATING_IT} collections or more state another DOI of the same registrant, and no source has the cited one",
            works,
            {"doi": found},
        )
    if beyond := beyond_volume(value):
        return _wrong("doi-beyond-volume", value, f"no paper has the DOI {value}: {beyond}", _FURTHER_OUT, works, {})
    return None


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
    if len(stated) == 1 and (any(work.upstream == _ARXIV for work in works) or _by_several(works)):
        return _wrong(
            "arxiv-other-number",
            value,
            f"this work is arXiv:{found}, not arXiv:{value}: {_named(works)}",
            f"arXiv's own record, or {STATING_IT} collections, state another id, and no source has the cited one",
            works,
            {"eprint": found} if value in case.reference.fields.get("eprint", "") else {},
        )
    if beyond := beyond_month(value, case.today):
        return _wrong("arxiv-beyond-month", value, f"arXiv has no e-print {value}: {beyond}", _FURTHER_OUT, works, {})
    return None


def _by_several(works: Sequence[Candidate]) -> bool:
    return independent_statements({work.upstream for work in works}) >= STATING_IT


def _named(works: Sequence[Candidate]) -> str:
    return ", ".join(dict.fromkeys(source_name(work.record.source) for work in works))


def _wrong(
    code: str, cited: str, message: str, rule: str, works: Sequence[Candidate], fixes: dict[str, str]
) -> Finding:
    record = works[0].record if works else None
    found = (record.doi if code.startswith("doi") else record.arxiv) if record else ""
    return finding("doi", "failed", code, message, cited=cited, found=found, record=record, rule=rule, fixes=fixes)
