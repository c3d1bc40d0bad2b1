"""Policies: which findings fail a test, which are only warned of or counted as hints, and which say nothing.

A policy judges nothing itself. Findings and verdicts are the same under each; it says how severe they are, as the
configuration of a linter does for its rules. docs/policies.md describes those that there are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, get_args

from pytest_citecheck.absence import MISS_LIMIT
from pytest_citecheck.checks.codes import Severity, default_severity
from pytest_citecheck.model import Finding, VerdictName
from pytest_citecheck.verdict.evaluation import Evaluation

__all__ = [
    "ALWAYS_ERRORS",
    "DEFAULT",
    "OUTAGE_CODES",
    "PREPRINT",
    "SEVERITIES",
    "FindingSeverity",
    "Policy",
    "PolicyContext",
    "Severity",
]

SEVERITIES: Final[tuple[Severity, ...]] = get_args(Severity)

PREPRINT: Final = "preprint"
"""The kind of references to preprints, whatever the type of the entry."""
ALWAYS_ERRORS: Final = frozenset({"doi-retraction", "doi-removal", "doi-concern"})
"""Codes that there are only where the user made `pytest_citecheck.RetractedWarning` an error: no policy takes that back."""
OUTAGE_CODES: Final = frozenset({"unavailable", "not-recorded"})
"""Codes of an outage. No policy can name them: an outage never counts against a reference."""

_OPTION = "--citecheck-strict"
_ABOUT = {
    "doi": "the identifier is",
    "title": "the title is",
    "authors": "the authors are",
    "venue": "the venue is",
    "cross_db": "the agreement of databases is",
}


@dataclass(frozen=True, slots=True)
class PolicyContext:
    """What else a policy asks about, besides a finding.

    verdict: that of the reference, if there is one. outage: whether a source that might have verified it was not queried (offline
    or without a network too). kinds: the type of its entry, and `PREPRINT` if that is what it cites.
    """

    verdict: VerdictName | None = None
    outage: bool = False
    kinds: frozenset[str] = frozenset()

    @classmethod
    def of(cls, evaluation: Evaluation) -> PolicyContext:
        """Those of a reference."""
        case = evaluation.case
        kinds = {case.reference.type} | ({PREPRINT} if case.cited.preprint else set())
        return cls(evaluation.verdict.name, bool(case.unavailable), frozenset(kinds))


@dataclass(frozen=True, slots=True)
class FindingSeverity:
    """How severe a finding is under a policy, and what the policy says of it.

    called: what it is called ("hallucinated reference", "the venue is not verified"), and by whom ("policy strict"); both empty
    where the finding speaks for itself. sentence: the same, said in full. demanded: an error only by ``--citecheck-strict``.
    """

    severity: Severity
    called: str = ""
    by: str = ""
    sentence: str = ""
    demanded: bool = False

    @property
    def said(self) -> str:
        """``hallucinated reference (policy neurips-2026)``; empty where nothing is said."""
        return f"{self.called} ({self.by})" if self.called else ""


@dataclass(frozen=True, slots=True)
class Policy:
    """A table of severities; the most specific row decides: the code, then the check, then the verdict.

    codes: by code, whatever the outcome. failed, unverifiable: of findings with that outcome, by the name of a check or of a
    verdict. Where no row is, the table of codes says (`checks.codes`). calls: what the policy calls a
    reference with a finding of this severity. kinds: of the references of which open findings count, as in `PolicyContext`;
    empty: of all. hallucinated: severities that make a reference a hallucinated one by
    the policy's own definition; empty if it has none, and the verdict says. escape_limit: the largest escape probability of what
    is called unfindable (docs/absence.md).
    """

    name: str
    codes: Mapping[str, Severity] = field(default_factory=dict)
    failed: Mapping[str, Severity] = field(default_factory=dict)
    unverifiable: Mapping[str, Severity] = field(default_factory=dict)
    calls: Mapping[Severity, str] = field(default_factory=dict)
    kinds: frozenset[str] = frozenset()
    hallucinated: frozenset[Severity] = frozenset()
    escape_limit: float = MISS_LIMIT

    def severity(self, finding: Finding, context: PolicyContext) -> Severity:
        """How severe a finding is; of several codes the worst decides. After an outage nothing counts against a
        reference because it is open."""
        return min((self._severity(finding, code, context) for code in finding.codes), key=SEVERITIES.index)

    def _severity(self, finding: Finding, code: str, context: PolicyContext) -> Severity:
        if code in ALWAYS_ERRORS:
            return "error"
        if finding.outcome == "unverifiable" and not self._counts_open(context):
            return "ignore"
        if finding.outcome == "unverifiable" and context.outage:
            # What records show is told whoever was not queried, unless the policy is not interested.
            return "ignore" if self.codes.get(code) == "ignore" else default_severity(finding.outcome, code)
        if code in self.codes:
            return self.codes[code]
        rows = {"failed": self.failed, "unverifiable": self.unverifiable}.get(finding.outcome, {})
        for name in (finding.check, context.verdict):
            if name is not None and name in rows:
                return rows[name]
        return default_severity(finding.outcome, code)

    def _counts_open(self, context: PolicyContext) -> bool:
        return not self.kinds or not self.kinds.isdisjoint(context.kinds)

    def decide(self, finding: Finding, context: PolicyContext, *, demanded: bool = False) -> FindingSeverity:
        """How severe a finding is, and what is said of it. demanded: the user wants whatever is unverifiable to fail."""
        severity = self.severity(finding, context)
        if finding.code in ALWAYS_ERRORS:
            return FindingSeverity(severity)
        if demanded and finding.outcome == "unverifiable" and severity != "error":
            return FindingSeverity(
                "error", not_verified(finding.check), _OPTION, f"{_OPTION} fails what is not verified", True
            )
        by = f"policy {self.name}"
        if severity in self.calls:
            return FindingSeverity(severity, self.calls[severity], by, f"{by} calls this “{self.calls[severity]}”")
        if finding.outcome == "unverifiable" and severity not in (
            "ignore",
            default_severity("unverifiable", finding.code),
        ):
            verb = "fails" if severity == "error" else "warns about"
            return FindingSeverity(severity, not_verified(finding.check), by, f"{by} {verb} what is not verified")
        return FindingSeverity(severity)


def not_verified(check: str) -> str:
    """What is not verified where this check is unverifiable."""
    return f"{_ABOUT.get(check, 'the entry is')} not verified"


DEFAULT: Final = Policy("default")
"""The table of codes decides: what failed is an error, but for slips in numbers; what could not be verified is not."""
