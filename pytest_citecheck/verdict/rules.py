"""The rule table of the verdict, read from top to bottom: the first rule that applies decides.

Each rule has a name, by which `probability` knows it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pytest_citecheck.checks.base import Case
from pytest_citecheck.checks.codes import default_severity
from pytest_citecheck.model import Finding, VerdictName

__all__ = ["Ruling", "decide"]

_DENIED = ("doi-unregistered", "arxiv-unknown", "rfc-unknown", "package-unknown")
_OTHER_WORK = ("doi-other-work", "arxiv-other-work", "rfc-other-work", "w3c-other-work")
_NOTHING_ELSE = ("rfc-unknown", "package-unknown")
"""Denials of what is catalogued under the cited number or name and nowhere else."""
_NO_SUCH_WORK = ("title-not-in-venue", "title-not-found")
_PLACED_ELSEWHERE = ("venue-elsewhere", "venue-version", "venue-preprint-only", "venue-unclear")
_OF_ONE_YEAR = ("article", "inproceedings", "conference")  # others appear again, in editions and versions
_LABELS = {"doi": "DOI", "arxiv": "arXiv id"}
_DECISIVE = ("doi", "title", "authors", "venue", "cross_db")


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a rule decides: the verdict's name, the name of the rule, and the reason in words."""

    name: VerdictName
    rule: str
    reason: str


def decide(case: Case, findings: Mapping[str, Finding]) -> Ruling:
    """The verdict that six findings amount to. Completeness is advice and never decides, but for years that are in the future."""
    failed = [findings[name] for name in _DECISIVE if findings[name].outcome == "failed"]
    codes = {finding.code for finding in failed}
    exists = bool(case.works or case.near_matches) or any(target.same_people for target in case.identifier_targets)
    wrong = ", ".join(finding.code for finding in failed)
    unanswered = case.unavailable and not case.lists_missed
    if codes & set(_NO_SUCH_WORK) and (unanswered or case.has_lookalikes):
        # It may exist under another title, or elsewhere; where it is said to be, it is not.
        return Ruling("misdescribed", "absent-but-alike", "the cited venue and year do not contain this work: " + wrong)
    if codes & set(_NO_SUCH_WORK):
        return Ruling("fabricated", "absent", "a complete list that should contain this work does not: " + wrong)
    if not exists and codes & set(_OTHER_WORK) and case.silent:
        return Ruling(
            "misdescribed",
            "other-work-while-silent",
            "the cited identifier leads to another work; not all sources could be queried for the cited title",
        )
    if not exists and codes & set(_OTHER_WORK):
        return Ruling(
            "fabricated",
            "other-work-behind",
            "the cited identifier leads to another work, and no work has this title",
        )
    if not exists and codes & set(_DENIED):
        if case.unavailable:
            return Ruling(
                "undecided",
                "denied-while-silent",
                "the cited identifier does not exist; not all sources could be queried for the work",
            )
        if case.cited.preprint and "arxiv-unknown" in codes:
            return Ruling("fabricated", "denied-preprint", "cited as a preprint, which its archive does not have")
        if codes & set(_NOTHING_ELSE):
            return Ruling("fabricated", "denied-catalogued", "cited by a number or name that its catalogue never had")
        return Ruling("undecided", "denied", "the cited identifier does not exist; the work itself was not found")
    if "title-unfindable" in findings["title"].codes:
        return Ruling(
            "unfindable", "unfindable", "no source queried has this work, and these sources hold nearly all such works"
        )
    if failed and not exists:
        return Ruling("misdescribed", "in-itself", f"the citation is wrong in itself: {wrong}")
    if failed:
        return Ruling("misdescribed", "wrong", f"the work exists, but the citation describes it wrongly: {wrong}")
    if "year-future" in findings["completeness"].codes:
        return Ruling("misdescribed", "future", "the cited year is in the future")
    doubtful = (_warned(findings) if exists else "") or _doubtful(case, findings)
    if doubtful:
        return Ruling("undecided", "doubtful", doubtful)
    decided = [findings[name] for name in ("title", "authors") if findings[name].outcome == "passed"]
    if len(decided) == 2:
        open_checks = [name for name in _DECISIVE if findings[name].outcome == "unverifiable"]
        if not open_checks:
            return Ruling("verified", "all-pass", "every check that decides passes")
        return Ruling(
            "verified",
            "some-open",
            f"title and authors are those of a record; undecided: {', '.join(open_checks)}",
        )
    if case.unavailable:
        return Ruling("undecided", "silent", "sources could not be queried")
    return Ruling("undecided", "too-little", "no source queried has enough to decide")


def _warned(findings: Mapping[str, Finding]) -> str:
    """What is probably wrong; empty if no warning concerns a check that decides."""
    warned = [
        finding.code
        for finding in (findings[name] for name in _DECISIVE)
        if any(default_severity(finding.outcome, code) == "warning" for code in finding.codes)
    ]
    return "the work exists, but the citation is probably wrong: " + ", ".join(warned) if warned else ""


def _doubtful(case: Case, findings: Mapping[str, Finding]) -> str:
    """What of a work that is known speaks against the citation without proving it wrong; empty if nothing does."""
    if findings["title"].outcome != "passed" or findings["authors"].outcome != "passed":
        return ""
    if findings["venue"].code in _PLACED_ELSEWHERE:
        return "the work exists, but nothing shows it in the cited venue: " + findings["venue"].code
    contradicted = [name for name in _DECISIVE if findings[name].code == "compiled-only"]
    if contradicted:
        return f"the work exists, but services that compile data from other sources contradict it: {', '.join(contradicted)}"
    if findings["doi"].code == "doi-short":
        return "the work exists, but the cited short DOI was not resolved"
    undated = findings["cross_db"].code == "year-unclear" and case.reference.type in _OF_ONE_YEAR
    if undated or findings["cross_db"].code == "year-preprint":
        return "the work exists, but nothing dates it to the cited year"
    unseen = " and ".join(f"{_LABELS[kind]} {value}" for kind, value in case.unseen_identifiers)
    return f"the work exists, but no source queried has a record of the cited {unseen}" if unseen else ""
