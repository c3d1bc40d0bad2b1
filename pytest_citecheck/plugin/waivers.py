"""Waivers: accepted problems, from the settings, the bibliography itself or a baseline file.

Waivers that no longer apply are reported: they have expired, the entry has changed since, or they cover no problem.
"""

from __future__ import annotations

import datetime
import glob
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from pytest_citecheck.checks import CHECKS, CODES, TABLE
from pytest_citecheck.inputs import content_hash, read_reason
from pytest_citecheck.model import Finding, Reference
from pytest_citecheck.nearest import hint
from pytest_citecheck.today import today

_SHOWN_OF_A_BASELINE = "the baseline"


@dataclass(frozen=True, slots=True)
class Waiver:
    """An accepted problem.

    key: a shell pattern. checks: checks and codes; none means all. until: the last day, ISO 8601. bound: the
    `content_hash` of the entry for which it is valid; empty: for any. where: the place in a bibliography; empty: the
    settings.
    """

    key: str
    checks: tuple[str, ...]
    reason: str
    until: str = ""
    bound: str = ""
    where: str = ""

    def covers(self, check: str, codes: Collection[str]) -> bool:
        """Return True if the waiver covers all problems that a check finds. codes: codes of the finding; none: any."""
        if not self.checks or check in self.checks:
            return True
        return bool(codes) and set(codes) <= set(self.checks)


class Waivers:
    """The waivers of a run, looked up by reference and check. baseline: the codes accepted by key, content and check."""

    def __init__(
        self, waivers: Iterable[Waiver], baseline: Iterable[Waiver] = (), day: datetime.date | None = None
    ) -> None:
        self._today = (day or today()).isoformat()
        self._waivers = tuple(waivers)
        self._baseline: dict[str, list[Waiver]] = {}
        for waiver in baseline:
            self._baseline.setdefault(waiver.bound, []).append(waiver)
        self._hashes: dict[int, tuple[Reference, str]] = {}

    def may_concern(self, references: Iterable[Reference]) -> bool:
        """Return True if there are waivers in the settings, a baseline, or waivers beside one of these references."""
        return bool(self._waivers or self._baseline or any(one.suppressions for one in references))

    def match(self, key: str, check: str) -> Waiver | None:
        """Return the first waiver in the settings for this key and check."""
        for waiver in self._waivers:
            if (
                not waiver.bound
                and fnmatchcase(key, waiver.key)
                and waiver.covers(check, ())
                and not self._expired(waiver)
            ):
                return waiver
        return None

    def of(self, reference: Reference, check: str, codes: Collection[str] = ()) -> Waiver | None:
        """First waiver that covers the findings of this check. codes: of the finding; none if not known yet."""
        for waiver in self._about(reference):
            if waiver.covers(check, codes) and not self.void(waiver, reference):
                return waiver
        return None

    def of_finding(self, reference: Reference, finding: Finding, severity: str) -> Waiver | None:
        """First waiver that covers a finding; None if there is none or if the finding is neither a failure nor a warning."""
        wanted = finding.outcome == "failed" or severity in ("error", "warning")
        return self.of(reference, finding.check, finding.codes) if wanted else None

    def void(self, waiver: Waiver, reference: Reference) -> str:
        """Reason why a waiver for this reference is invalid; empty if it is valid."""
        if self._expired(waiver):
            return f"expired on {waiver.until}"
        if waiver.bound and waiver.bound != self._hash(reference):
            return f"the entry has changed since (bound to {waiver.bound}, now {self._hash(reference)})"
        return ""

    def outdated(
        self, references: Collection[Reference], outcomes: Collection[tuple[Reference, str, str, tuple[str, ...]]]
    ) -> list[tuple[Waiver, str]]:
        """Waivers that are no longer needed, with the reason; waivers of the baseline are not listed.

        ``references`` are all references of the bibliographies, ``outcomes`` the (reference, check, outcome, codes) of
        the checks that ran; the outcome of a check with a warning is ``warning``. A waiver is needed while at least one
        check that it covers fails or warns, could not be decided or did not run.
        """
        outdated = []
        for waiver in self._waivers:
            about = [one for one in references if fnmatchcase(one.key, waiver.key)]
            if not about:
                outdated.append((waiver, "the bibliographies have no such key"))
            elif all(void := [self.void(waiver, one) for one in about]):
                outdated.append((waiver, void[0]))
            elif self._is_idle(waiver, outcomes):
                outdated.append((waiver, "every check that it covers passes"))
        for reference in references:
            for waiver in _beside(reference):
                wrong = (
                    unknown_name(waiver.checks)
                    or self.void(waiver, reference)
                    or ("" if waiver.reason else "has no reason")
                )
                if not wrong and self._is_idle(waiver, [one for one in outcomes if one[0] is reference]):
                    wrong = "every check that it covers passes"
                if wrong:
                    outdated.append((waiver, wrong))
        return outdated

    def _is_idle(self, waiver: Waiver, outcomes: Iterable[tuple[Reference, str, str, tuple[str, ...]]]) -> bool:
        """Return True if all checks that it may cover ran, and none of them needs it."""
        ran = [
            outcome == "passed" or (outcome != "unverifiable" and not waiver.covers(check, codes))
            for reference, check, outcome, codes in outcomes
            if self._names(waiver, reference) and (not waiver.checks or check in _checks_of(waiver.checks))
        ]
        return bool(ran) and all(ran)

    def _names(self, waiver: Waiver, reference: Reference) -> bool:
        return fnmatchcase(reference.key, waiver.key)

    def _about(self, reference: Reference) -> Iterator[Waiver]:
        yield from (waiver for waiver in self._waivers if fnmatchcase(reference.key, waiver.key))
        yield from (waiver for waiver in _beside(reference) if waiver.reason)
        if self._baseline:
            for waiver in self._baseline.get(self._hash(reference), ()):
                if fnmatchcase(reference.key, waiver.key):
                    yield waiver

    def _expired(self, waiver: Waiver) -> bool:
        return bool(waiver.until) and waiver.until < self._today

    def _hash(self, reference: Reference) -> str:
        known = self._hashes.get(id(reference))
        if known is None or known[0] is not reference:
            known = self._hashes[id(reference)] = reference, content_hash(reference)
        return known[1]


def _beside(reference: Reference) -> Iterator[Waiver]:
    for one in reference.suppressions:
        where = f"{reference.location.path}:{one.line}"
        yield Waiver(glob.escape(reference.key), one.names, one.reason, one.until, one.bound, where)


def _checks_of(names: Collection[str]) -> set[str]:
    """The checks with these names, and those whose codes these are."""
    return {*names, *(row.check for row in TABLE if row.name in names)}


def unknown_name(names: Iterable[str], further: Iterable[str] = ()) -> str:
    """Return an error for the first unknown check or code, or an empty string."""
    known = [*CHECKS, "syntax", *further, *CODES]
    for name in names:
        if name not in known:
            return f"unknown check or code {name!r}{hint(name, known)}"
    return ""


def read_waiver(line: str, known: tuple[str, ...]) -> Waiver:
    """A line of the settings. known: the checks. Raises pytest.UsageError."""
    words = line.split(maxsplit=2)
    checks = tuple(words[1].split(",")) if len(words) > 1 else ()
    reason, until, bound = read_reason(words[2]) if len(words) > 2 else ("", "", "")
    unknown = unknown_name(checks, known) if checks != ("*",) else ""
    if not reason or unknown:
        raise pytest.UsageError(
            f"citecheck_ignore: {f'{unknown}: ' if unknown else ''}a waiver is KEY CHECK REASON, and a reason is required: "
            f"{line!r}. CHECK is *, a code, or of {', '.join(known)}; several with commas"
        )
    return Waiver(words[0], () if checks == ("*",) else checks, reason, until, bound)


def read_baseline(path: Path) -> tuple[Waiver, ...]:
    """The findings that a file accepts (``citecheck baseline write``). Raises pytest.UsageError."""
    try:
        content: Mapping[str, object] = json.loads(path.read_bytes())
        findings = content["findings"]
        assert isinstance(findings, list)  # noqa: S101 - as for every other fault of the file
        return tuple(
            Waiver(
                glob.escape(str(one["key"])),
                tuple(map(str, one["codes"])),
                _SHOWN_OF_A_BASELINE,
                bound=str(one["entry"]),
            )
            for one in findings
        )
    except OSError as error:
        raise pytest.UsageError(f"citecheck_baseline: {path} cannot be read: {error.strerror or error}") from error
    except (ValueError, TypeError, KeyError, AssertionError) as error:
        raise pytest.UsageError(f"citecheck_baseline: {path} was not written by `citecheck baseline write`") from error
