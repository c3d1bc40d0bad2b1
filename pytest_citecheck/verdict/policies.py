"""Policies: which findings fail a test, which are only warned of, and which say nothing.

A policy judges nothing itself. Findings and verdicts are the same under each; it says how severe they are, as the
configuration of a linter does for its rules. docs/policies.md describes those that there are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, get_args

from pytest_citecheck.model import Finding, VerdictName

__all__ = ["ALWAYS_ERRORS", "DEFAULT", "NEVER_HELD", "SEVERITIES", "Policy", "Severity"]

Severity = Literal["error", "warning", "ignore"]
SEVERITIES: Final[tuple[Severity, ...]] = get_args(Severity)

ALWAYS_ERRORS: Final = frozenset({"doi-retraction", "doi-removal", "doi-concern"})
"""Codes that there are only where the user made `pytest_citecheck.RetractedWarning` an error: no policy takes that back."""
NEVER_HELD: Final = frozenset({"unavailable", "not-recorded"})
"""Codes of an outage, which no policy can name: to hold it against a reference is not on offer."""


@dataclass(frozen=True, slots=True)
class Policy:
    """A table of severities; the most specific row decides: the code, then the check, then the verdict.

    codes: by code, whatever the outcome. failed, unverifiable: of findings with that outcome, by the name of a check or of a
    verdict. Where no row is, a failed finding is an error and any other says nothing. calls: what the policy calls a
    reference with a finding of this severity. hallucinated: severities that make a reference a hallucinated one by
    the policy's own definition; empty if it has none, and the verdict says.
    """

    name: str
    codes: Mapping[str, Severity] = field(default_factory=dict)
    failed: Mapping[str, Severity] = field(default_factory=dict)
    unverifiable: Mapping[str, Severity] = field(default_factory=dict)
    calls: Mapping[Severity, str] = field(default_factory=dict)
    hallucinated: frozenset[Severity] = frozenset()

    def severity(self, finding: Finding, verdict: VerdictName | None, *, outage: bool) -> Severity:
        """How severe a finding is.

        verdict: that of its reference, if there is one. outage: whether somebody could not be asked who might have verified the
        reference (also for want of a network, or because the user said so): then nothing open counts against it.
        """
        if finding.code in ALWAYS_ERRORS:
            return "error"
        if finding.outcome == "unverifiable" and outage:
            return "ignore"
        if finding.code in self.codes:
            return self.codes[finding.code]
        if finding.outcome == "passed":
            return "ignore"
        rows = self.failed if finding.outcome == "failed" else self.unverifiable
        for name in (finding.check, verdict):
            if name is not None and name in rows:
                return rows[name]
        return "error" if finding.outcome == "failed" else "ignore"

    def said_of(self, finding: Finding, severity: Severity) -> str:
        """What the policy calls a finding of this severity; empty if the finding speaks for itself."""
        if finding.code in ALWAYS_ERRORS or severity == "ignore":
            return ""
        return self.calls.get(severity) or ("not verified" if finding.outcome == "unverifiable" else "")


DEFAULT: Final = Policy("default")
"""What failed is an error, and what could not be verified is not."""
