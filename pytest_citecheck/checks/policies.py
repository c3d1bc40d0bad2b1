"""Policies: the severity of findings (error, warning, hint or ignored).

Findings and verdicts are the same under each policy; a policy only sets severities, like the configuration of a linter.
docs/policies.md describes the built-in policies.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from importlib.resources import files
from typing import Any, Final, Literal, get_args

from pytest_citecheck.checks.codes import CHECKS, CODES, Severity, earned_severity
from pytest_citecheck.checks.completeness import REQUIRED
from pytest_citecheck.checks.levels import level_of
from pytest_citecheck.checks.verdict import Evaluation
from pytest_citecheck.model import Finding, VerdictName
from pytest_citecheck.nearest import hint
from pytest_citecheck.thresholds import EARNED, MISS_LIMIT

SEVERITIES: Final[tuple[Severity, ...]] = get_args(Severity)

PREPRINT: Final = "preprint"
"""Kind of references to preprints, regardless of the type of the entry."""
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

State = Literal["known", "open", "unasked"]
"""The state of a finding: decided by records, not decided, or not decided because a source did not answer."""

_WORDS: Final[Mapping[tuple[State, bool], tuple[str, str]]] = {
    ("known", True): ("{call}", "{by} calls this “{call}”"),
    ("open", True): ("{call}", "{by} {verb} what is not verified, and calls this “{call}”"),
    ("open", False): ("{unverified}", "{by} {verb} what is not verified"),
}
"""State, and whether the policy has a name for it → name and sentence. Without a row a policy says nothing."""


@dataclass(frozen=True, slots=True)
class PolicyContext:
    """Context of a finding for a policy.

    verdict: the reference's verdict, if any. outage: True if a source that might have verified it was not queried (also
    offline or without a network). kinds: the type of its entry, and `PREPRINT` if it cites a preprint.
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
    """Severity of a finding under a policy, with the policy's words.

    called: name of the problem ("hallucinated reference", "the venue is not verified"), and the policy that uses it
    ("policy strict"); both empty if the finding needs no explanation. sentence: the same as a full sentence. demanded:
    an error only by ``--citecheck-strict``.
    """

    severity: Severity
    called: str = ""
    by: str = ""
    sentence: str = ""
    demanded: bool = False

    @property
    def said(self) -> str:
        """``hallucinated reference (policy neurips-2026)``; empty without a name."""
        return f"{self.called} ({self.by})" if self.called else ""


@dataclass(frozen=True, slots=True)
class Policy:
    """A table of severities; the most specific row decides: the code, then the check, then the verdict.

    codes: severity by code, for any outcome. failed, unverifiable: severity of findings with that outcome, by the name
        of a check or a verdict. Without a row, the table of codes decides (`checks.codes`).
    calls, calls_open: name of a reference with a failed, and with an open finding of this severity. kinds: kinds of
        references whose open findings count, as in `PolicyContext`; empty: all.
    hallucinated: severities that make a reference a hallucinated one by the policy's own definition; empty if it has
        none, and the verdict decides. escape_limit: maximum escape probability of an unfindable reference
        (docs/verdicts.md).
    """

    name: str
    codes: Mapping[str, Severity] = field(default_factory=dict)
    failed: Mapping[str, Severity] = field(default_factory=dict)
    unverifiable: Mapping[str, Severity] = field(default_factory=dict)
    calls: Mapping[Severity, str] = field(default_factory=dict)
    calls_open: Mapping[Severity, str] = field(default_factory=dict)
    kinds: frozenset[str] = frozenset()
    hallucinated: frozenset[Severity] = frozenset()
    escape_limit: float = MISS_LIMIT

    def severity(self, finding: Finding, context: PolicyContext) -> Severity:
        """Severity of a finding; the worst of several codes decides. After an outage, an open finding never counts
        against a reference."""
        return self.deciding(finding, context)[0]

    def deciding(self, finding: Finding, context: PolicyContext) -> tuple[Severity, str]:
        """The severity of a finding, and the row that decides it in words."""
        rows = (self._deciding(finding, code, context) for code in finding.codes)
        return min(rows, key=lambda row: SEVERITIES.index(row[0]))

    def _deciding(self, finding: Finding, code: str, context: PolicyContext) -> tuple[Severity, str]:
        earned = earned_severity(finding, code), _earned_by(finding, code)
        own = f"policy {self.name}"
        if finding.outcome == "unverifiable" and not self._counts_open(context):
            return "ignore", f"{own}: its kinds do not include this entry"
        if code in self.codes and (
            finding.outcome != "unverifiable" or not context.outage or self.codes[code] == "ignore"
        ):
            return self.codes[code], f"{own}: [codes] {code}"
        if _state(finding, context) == "unasked":
            # A finding from records is reported even if some services were not queried, unless the policy ignores it.
            return earned
        rows = {"failed": self.failed, "unverifiable": self.unverifiable}.get(finding.outcome, {})
        for name in (finding.check, context.verdict):
            if name is not None and name in rows:
                return rows[name], f"{own}: [{finding.outcome}] {name}"
        return earned

    def _counts_open(self, context: PolicyContext) -> bool:
        return not self.kinds or not self.kinds.isdisjoint(context.kinds)

    def decide(self, finding: Finding, context: PolicyContext, *, demanded: bool = False) -> FindingSeverity:
        """Severity of a finding with the policy's words. demanded: the user wants unverifiable findings to fail."""
        severity = self.severity(finding, context)
        if demanded and finding.outcome == "unverifiable" and severity != "error":
            return FindingSeverity(
                "error", not_verified(finding.check), _OPTION, f"{_OPTION} fails references that are not verified", True
            )
        state = _state(finding, context)
        call = (self.calls if state == "known" else self.calls_open).get(severity, "")
        if not call and severity in ("ignore", earned_severity(finding, finding.code)):
            return FindingSeverity(severity)
        words = {
            "call": call,
            "by": f"policy {self.name}", "verb": "fails" if severity == "error" else "warns about",
            "unverified": not_verified(finding.check),
        }  # fmt: skip
        name, sentence = (text.format(**words) for text in _WORDS.get((state, bool(call)), ("", "")))
        return FindingSeverity(severity, name, words["by"] if name else "", sentence)

    @property
    def names(self) -> dict[Severity, str]:
        """Name of the references with a finding of each severity, known or open."""
        both = {of: dict.fromkeys(filter(None, (self.calls.get(of), self.calls_open.get(of)))) for of in SEVERITIES}
        return {of: " or ".join(names) for of, names in both.items() if names}


def _state(finding: Finding, context: PolicyContext) -> State:
    if finding.outcome != "unverifiable":
        return "known"
    return "unasked" if context.outage else "open"


def _earned_by(finding: Finding, code: str) -> str:
    """The row of the table of levels, or of the table of codes, that decides without a policy."""
    if not finding.level or finding.evidence is None:
        return f"table of codes: a finding {code} that is {finding.outcome}"
    row = level_of(code, finding.evidence)
    share = f"{row.precision:.0%} are right"
    known = "no such finding was judged, so it is a warning" if row.code == "*" else f"at least {row.bound:.0%}"
    why = f"{known}; an error needs {EARNED:.0%}"
    if finding.level == "error" and row.bound < EARNED:
        why = "an error here, because many references of this file are wrong"
    return f"table of levels: {row.code} with evidence “{row.evidence}”: {share} ({why})"


def not_verified(check: str) -> str:
    """Names of the unverified items if this check is unverifiable."""
    return f"{_ABOUT.get(check, 'the entry is')} not verified"


DEFAULT: Final = Policy("default")
"""The table of codes decides: failed findings are errors, except for slips in numbers; unverifiable ones are not."""


POLICIES: Final = ("default", "strict", "neurips-2026", "iclr-2026", "acl-2026", "arxiv-2026", "arena", "lenient")
"""The names of the policies of this package."""

_KEYS = ("extends", "kinds", "hallucinated", "calls", "calls-open", "codes", "failed", "unverifiable", "escape-limit")
_NAMES = (*CHECKS, "syntax", *get_args(VerdictName))
_KINDS = (*REQUIRED, PREPRINT)
_OUTAGE = "an outage never counts against a reference; pass --citecheck-strict to fail unverifiable checks"


class PolicyError(ValueError):
    """A policy that is not there or cannot be understood; the text names the file and the key."""


@dataclass(frozen=True, slots=True)
class Named:
    """Names from hooks that a policy may use in addition to the package's: codes, checks, and policies to extend."""

    codes: frozenset[str] = frozenset()
    checks: tuple[str, ...] = ()
    policies: Mapping[str, Policy] = field(default_factory=dict)

    def with_policy(self, policy: Policy) -> Named:
        """The same and one more policy."""
        return replace(self, policies={**self.policies, policy.name: policy})


_NOTHING: Final = Named()


def named_policy(name: str, named: Named = _NOTHING) -> Policy:
    """The policy of this package or of a hook with that name. Raises PolicyError with the nearest name."""
    if name == DEFAULT.name:
        return DEFAULT
    if name in named.policies:
        return named.policies[name]
    if name not in POLICIES:
        raise PolicyError(_unknown("policy", name, (*POLICIES, *named.policies)))
    text = (files("pytest_citecheck.checks") / "data" / f"{name}.toml").read_text(encoding="utf-8")
    return read_policy(text, f"{name}.toml", name)


def read_policy(text: str, where: str, name: str, named: Named = _NOTHING) -> Policy:
    """The policy that a TOML document states. where: its file, for messages. Raises PolicyError."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PolicyError(f"{where}: not valid TOML: {error}") from error
    except RecursionError as error:
        raise PolicyError(f"{where}: not a policy: nested too deeply") from error
    try:
        return _policy(document, name, named)
    except PolicyError as error:
        raise PolicyError(f"{where}: {error}") from error


def check_policy(policy: Policy, named: Named) -> None:
    """Raises PolicyError if a policy from a hook has the name of another one, or refers to unknown names."""
    if policy.name in (*POLICIES, *named.policies):
        raise PolicyError(f"the name {policy.name!r} is already in use")
    tables = {table: dict(getattr(policy, table)) for table in ("codes", "failed", "unverifiable", "calls")}
    tables["calls-open"] = dict(policy.calls_open)
    lists = {name: list(getattr(policy, name)) for name in ("kinds", "hallucinated")}
    try:
        _policy({**tables, **lists}, policy.name, named)
    except PolicyError as error:
        raise PolicyError(f"policy {policy.name!r}: {error}") from error


def _policy(document: Mapping[str, Any], name: str, named: Named) -> Policy:
    for key in document:
        if key not in _KEYS:
            raise PolicyError(_unknown("key", key, _KEYS))
    base = _base(document.get("extends", DEFAULT.name), named)
    codes, names = (*CODES, *named.codes), (*_NAMES, *named.checks)
    return replace(
        base,
        name=name,
        codes={**base.codes, **_rows(document, "codes", "code", codes)},
        failed={**base.failed, **_rows(document, "failed", "check or verdict", names)},
        unverifiable={**base.unverifiable, **_rows(document, "unverifiable", "check or verdict", names)},
        calls={**base.calls, **_calls(document, "calls")},
        calls_open={**base.calls_open, **_calls(document, "calls-open")},
        kinds=_kinds(document["kinds"]) if "kinds" in document else base.kinds,
        hallucinated=_hallucinated(document["hallucinated"]) if "hallucinated" in document else base.hallucinated,
        escape_limit=_limit(document["escape-limit"]) if "escape-limit" in document else base.escape_limit,
    )


def _base(extended: object, named: Named) -> Policy:
    if not isinstance(extended, str):
        raise PolicyError(f"extends: one of {', '.join(POLICIES)} is expected")
    try:
        return named_policy(extended, named)
    except PolicyError as error:
        raise PolicyError(f"extends: {error}") from error


def _rows(document: Mapping[str, Any], table: str, what: str, known: Collection[str]) -> dict[str, Severity]:
    rows = {}
    for key, value in _table(document, table).items():
        if table == "codes" and key in _NAMES:
            raise PolicyError(f"codes: {key!r} is a check or verdict, not a code: move it to failed or unverifiable")
        if key not in known:
            raise PolicyError(f"{table}: {_unknown(what, key, known)}")
        if key in OUTAGE_CODES:
            raise PolicyError(f"{table}.{key}: {_OUTAGE}")
        rows[key] = _severity(f"{table}.{key}", value)
    return rows


def _calls(document: Mapping[str, Any], table: str) -> dict[Severity, str]:
    calls: dict[Severity, str] = {}
    for key, value in _table(document, table).items():
        if not isinstance(value, str):
            raise PolicyError(f"{table}.{key}: a string is expected")
        calls[_severity(table, key)] = value
    return calls


def _kinds(value: object) -> frozenset[str]:
    if not isinstance(value, list):
        raise PolicyError("kinds: a list of types of entries is expected")
    for kind in value:
        if kind not in _KINDS:
            raise PolicyError(f"kinds: {_unknown('type of entry', str(kind), _KINDS)}")
    return frozenset(value)


def _hallucinated(value: object) -> frozenset[Severity]:
    if not isinstance(value, list):
        raise PolicyError(f"hallucinated: a list of {', '.join(SEVERITIES)} is expected")
    return frozenset(_severity("hallucinated", item) for item in value)


def _limit(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise PolicyError("escape-limit: a probability from 0 to 1 is expected")
    return float(value)


def _table(document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    table = document.get(name, {})
    if not isinstance(table, dict):
        raise PolicyError(f"{name}: a table is expected")
    return table


def _severity(key: str, value: object) -> Severity:
    if not isinstance(value, str):
        raise PolicyError(f"{key}: one of {', '.join(SEVERITIES)} is expected")
    if value not in SEVERITIES:
        raise PolicyError(f"{key}: {_unknown('severity', value, SEVERITIES)}")
    return value


def _unknown(what: str, name: str, known: Collection[str]) -> str:
    return f"unknown {what}: {name!r}" + (hint(name, known) or "; see docs/checks.md")
