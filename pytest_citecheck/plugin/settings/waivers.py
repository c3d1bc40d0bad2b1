"""Waivers: problems that somebody accepted, matched by key and check; those that no longer apply are named."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase

import pytest

__all__ = ["Waiver", "Waivers", "read_waiver"]


@dataclass(frozen=True, slots=True)
class Waiver:
    """A known problem that somebody accepted: ``key`` is a shell pattern, no ``checks`` means all."""

    key: str
    checks: tuple[str, ...]
    reason: str


class Waivers:
    """The waivers of a run, looked up by key and check."""

    def __init__(self, waivers: Iterable[Waiver]) -> None:
        self._waivers = tuple(waivers)

    def match(self, key: str, check: str) -> Waiver | None:
        """The first waiver for this key and check."""
        for waiver in self._waivers:
            if fnmatchcase(key, waiver.key) and (not waiver.checks or check in waiver.checks):
                return waiver
        return None

    def outdated(self, keys: Collection[str], outcomes: Collection[tuple[str, str, str]]) -> list[tuple[Waiver, str]]:
        """Waivers without a reason left, with why.

        ``keys`` are all keys of the bibliographies, ``outcomes`` the (key, check, outcome) of what ran. A waiver is
        needed while at least one check that it covers fails, could not be decided or did not run.
        """
        outdated = []
        for waiver in self._waivers:
            if not any(fnmatchcase(key, waiver.key) for key in keys):
                outdated.append((waiver, "no such key in the bibliographies"))
                continue
            covered = [outcome for key, check, outcome in outcomes if self.match(key, check) is waiver]
            if covered and all(outcome == "passed" for outcome in covered):
                outdated.append((waiver, "every check that it covers passes"))
        return outdated


def read_waiver(line: str, known: tuple[str, ...]) -> Waiver:
    """A line of the settings. known: the checks. Raises pytest.UsageError."""
    words = line.split(maxsplit=2)
    checks = tuple(words[1].split(",")) if len(words) > 1 else ()
    if len(words) < 3 or (checks != ("*",) and not set(checks) <= set(known)):
        raise pytest.UsageError(
            f"citecheck_ignore: a waiver is KEY CHECK REASON, and a reason is required: {line!r}. CHECK is * or of "
            f"{', '.join(known)}; several with commas"
        )
    return Waiver(words[0], () if checks == ("*",) else checks, words[2])
