"""What evidence for a reference is still missing: gathering queries sources until none is."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_citecheck.verdict.evaluation import Evaluation

__all__ = ["Need", "need"]

_SETTLING = ("title", "authors", "venue", "cross_db")
_NOTHING_TO_FIND = frozenset({"venue-missing", "authors-missing", "venue-unknown"})


@dataclass(frozen=True, slots=True)
class Need:
    """What is worth asking for.

    record: a record that decides, found by title. preprint: the work as a preprint, as it was not found or not published.
    place: what the cited authors have in the cited venue and year, as no record of the work was found there;
    not if the work is by others, of whom such a list says nothing.
    former_title: a preprint under the cited title, as the work was published under another one.
    second_opinion: only an independent source that agrees.
    """

    record: bool
    preprint: bool
    place: bool
    former_title: bool
    second_opinion: bool


def need(evaluation: Evaluation) -> Need:
    """A record is needed until title, authors, venue and agreement all pass and no cited identifier is in doubt."""
    findings = evaluation.findings
    settled = all(findings[name].outcome == "passed" or findings[name].code in _NOTHING_TO_FIND for name in _SETTLING)
    doubtful = findings["doi"].outcome != "passed" and findings["doi"].code not in ("doi-not-cited", "doi-to-add")
    known = (*evaluation.case.works, *evaluation.case.near_matches)
    theirs = not known or any(candidate.people_agree for candidate in known)
    lost = findings["title"].outcome == "unverifiable" or findings["venue"].code == "venue-preprint-only"
    return Need(
        record=not settled or doubtful,
        preprint=lost,
        place=theirs and (lost or findings["venue"].code in ("venue-elsewhere", "venue-version")),
        former_title=findings["title"].code == "title-near-miss",
        second_opinion=findings["cross_db"].code == "agree-registry",
    )
