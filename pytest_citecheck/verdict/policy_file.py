"""Policies as they are written down: TOML tables, those of this package (``data/``) and those of users alike.

docs/policies.md describes the format. An unknown name is an error that quotes it: a misspelt rule that is silently ignored would
pass the findings that it was written for.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from importlib.resources import files
from typing import Any, Final, get_args

from pytest_citecheck.checks.codes import CODES
from pytest_citecheck.checks.completeness import REQUIRED
from pytest_citecheck.model import CHECKS, VerdictName
from pytest_citecheck.verdict.policies import (
    ALWAYS_ERRORS,
    DEFAULT,
    OUTAGE_CODES,
    PREPRINT,
    SEVERITIES,
    Policy,
    Severity,
)

__all__ = ["POLICIES", "Named", "PolicyError", "check_policy", "named_policy", "read_policy"]

POLICIES: Final = ("default", "strict", "neurips-2026", "arena", "lenient")
"""The names of the policies of this package."""

_KEYS = ("extends", "kinds", "hallucinated", "calls", "codes", "failed", "unverifiable", "escape-limit")
_NAMES = (*CHECKS, "syntax", *get_args(VerdictName))
_KINDS = (*REQUIRED, PREPRINT)
_OUTAGE = "an outage never counts against a reference; --citecheck-strict fails whatever is unverifiable"
_ANNOUNCED = "it occurs only where pytest_citecheck.RetractedWarning is an error, and is always an error"


class PolicyError(ValueError):
    """A policy that is not there or cannot be understood; the text names the file and the key."""


@dataclass(frozen=True, slots=True)
class Named:
    """What hooks let a policy name besides the package's own: codes, checks, and policies to extend."""

    codes: frozenset[str] = frozenset()
    checks: tuple[str, ...] = ()
    policies: Mapping[str, Policy] = field(default_factory=dict)

    def with_policy(self, policy: Policy) -> Named:
        """The same and one more policy."""
        return replace(self, policies={**self.policies, policy.name: policy})


_NOTHING: Final = Named()


def named_policy(name: str, named: Named = _NOTHING) -> Policy:
    """The policy of this package or of a hook with that name. Raises PolicyError, with the nearest name that there is."""
    if name == DEFAULT.name:
        return DEFAULT
    if name in named.policies:
        return named.policies[name]
    if name not in POLICIES:
        raise PolicyError(_unknown("policy", name, (*POLICIES, *named.policies)))
    text = (files("pytest_citecheck.verdict") / "data" / f"{name}.toml").read_text(encoding="utf-8")
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
    """Raises PolicyError if a policy from a hook has the name of another one, or names what there is not."""
    if policy.name in (*POLICIES, *named.policies):
        raise PolicyError(f"the name {policy.name!r} is taken")
    tables = {table: dict(getattr(policy, table)) for table in ("codes", "failed", "unverifiable", "calls")}
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
        calls={**base.calls, **_calls(document)},
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
        if key in OUTAGE_CODES or key in ALWAYS_ERRORS:
            raise PolicyError(f"{table}.{key}: {_OUTAGE if key in OUTAGE_CODES else _ANNOUNCED}")
        rows[key] = _severity(f"{table}.{key}", value)
    return rows


def _calls(document: Mapping[str, Any]) -> dict[Severity, str]:
    calls: dict[Severity, str] = {}
    for key, value in _table(document, "calls").items():
        if not isinstance(value, str):
            raise PolicyError(f"calls.{key}: a string is expected")
        calls[_severity("calls", key)] = value
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
    near = get_close_matches(name, known, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}" if len(known) < len(CODES) else ""
    return f"no {what} is named {name!r}" + (f"; {hint}" if hint else "; docs/checks.md lists them")
