"""The rule table of the verdict, read from top to bottom: the first rule that applies decides.

The probability (that the citation is wrong) only orders verdicts in this version: it is one value a rule, chosen so that
stronger evidence stands higher, and is not calibrated on data.
"""

from __future__ import annotations

from collections.abc import Mapping

from pytest_citecheck.checks.base import Case
from pytest_citecheck.model import Finding, Verdict

__all__ = ["decide"]

_DENIED = ("doi-unregistered", "arxiv-unknown")
_OTHER_WORK = ("doi-other-work", "arxiv-other-work")
_NO_SUCH_WORK = ("title-not-in-venue", "title-not-found")
_DECISIVE = ("doi", "title", "authors", "venue", "cross_db")


def decide(case: Case, findings: Mapping[str, Finding]) -> Verdict:
    """The verdict that six findings amount to. Completeness is advice and never decides."""
    failed = [findings[name] for name in _DECISIVE if findings[name].outcome == "failed"]
    codes = {finding.code for finding in failed}
    exists = bool(case.works or case.nears) or any(behind.same_people for behind in case.behind)
    wrong = ", ".join(finding.code for finding in failed)
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
