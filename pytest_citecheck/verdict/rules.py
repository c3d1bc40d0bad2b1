"""The rule table of the verdict, read from top to bottom: the first rule that applies decides.

The probability (that the citation is wrong) only orders verdicts in this version: it is one value a rule, chosen so that
stronger evidence stands higher, and is not calibrated on data.
"""

from __future__ import annotations

from collections.abc import Mapping

from pytest_citecheck.checks.base import Case
from pytest_citecheck.matching.registrants import is_registrant_of
from pytest_citecheck.model import Finding, Verdict

__all__ = ["decide"]

_DENIED = ("doi-unregistered", "arxiv-unknown")
_OTHER_WORK = ("doi-other-work", "arxiv-other-work")
_NO_SUCH_WORK = ("title-not-in-venue", "title-not-found")
_PLACED_ELSEWHERE = ("venue-elsewhere", "venue-preprint-only", "venue-unclear")
_UNSEEN = ("unavailable", "not-recorded", "not-found")
_DECISIVE = ("doi", "title", "authors", "venue", "cross_db")


def decide(case: Case, findings: Mapping[str, Finding]) -> Verdict:
    """The verdict that six findings amount to. Completeness is advice and never decides."""
    failed = [findings[name] for name in _DECISIVE if findings[name].outcome == "failed"]
    codes = {finding.code for finding in failed}
    exists = bool(case.works or case.nears) or any(behind.same_people for behind in case.behind)
    wrong = ", ".join(finding.code for finding in failed)
    if codes & set(_NO_SUCH_WORK) and (case.lookalikes or case.unavailable):
        # It may exist under another title, or elsewhere; where it is said to be, it is not.
        return Verdict("misdescribed", 0.95, "the cited venue and year do not hold this work: " + wrong)
    if codes & set(_NO_SUCH_WORK):
        return Verdict("fabricated", 0.98, "a scope that should hold this work does not: " + wrong)
    if not exists and codes & set(_OTHER_WORK):
        return Verdict("fabricated", 0.97, "another work stands behind the cited identifier, and none under this title")
    if not exists and codes & set(_DENIED):
        if case.unavailable:
            return Verdict(
                "unverified",
                0.8,
                "the cited identifier does not exist; not all sources could be asked for the work",
            )
        if case.claim.preprint and "arxiv-unknown" in codes:
            return Verdict("fabricated", 0.96, "cited as a preprint, which its archive does not have")
        return Verdict("unverified", 0.9, "the cited identifier does not exist; the work itself was not found")
    if failed:
        return Verdict("misdescribed", 0.93, f"the work exists, but the citation describes it wrongly: {wrong}")
    doubtful = _doubtful(case, findings)
    if doubtful:
        return Verdict("unverified", 0.25, doubtful)
    decided = [findings[name] for name in ("title", "authors") if findings[name].outcome == "passed"]
    if len(decided) == 2:
        open_checks = [name for name in _DECISIVE if findings[name].outcome == "unverifiable"]
        if not open_checks:
            return Verdict("verified", 0.01, "every check that decides passes")
        return Verdict(
            "verified",
            0.04,
            f"title and authors are those of a record; not decided: {', '.join(open_checks)}",
        )
    if case.unavailable:
        return Verdict("unverified", 0.3, "sources could not be asked")
    return Verdict("unverified", 0.5, "no source asked holds enough to decide")


def _doubtful(case: Case, findings: Mapping[str, Finding]) -> str:
    """What of a work that is known speaks against the citation without proving it wrong; empty if nothing does."""
    if findings["title"].outcome != "passed" or findings["authors"].outcome != "passed":
        return ""
    if findings["venue"].code in _PLACED_ELSEWHERE:
        return "the work exists, but nothing shows it in the cited venue: " + findings["venue"].code
    doi = case.claim.identifiers.doi
    unseen = bool(case.asked("doi")) and findings["doi"].outcome == "unverifiable" and findings["doi"].code in _UNSEEN
    if doi and unseen and not is_registrant_of(case.claim.venue, case.claim.year, doi):
        return "the work exists, but nothing shows that it has the cited DOI"
    return ""
