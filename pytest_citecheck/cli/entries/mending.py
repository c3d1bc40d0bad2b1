"""Correcting, and looking at what was corrected, until nothing is left to correct."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from pytest_citecheck.fixing.corrections import Correction, Wanted, corrections, obstacle
from pytest_citecheck.fixing.fixed_file import fixed_file

if TYPE_CHECKING:
    from pytest_citecheck.model import Reference
    from pytest_citecheck.verdict import Evaluation

__all__ = ["Mended", "mend"]

Place = tuple[str, int]
_ROUNDS = 4
"""A correction may show a further fault, as where the authors are right and then the venue is that of another work."""


class Evaluating(Protocol):
    """What tells what is known of references."""

    def evaluations(
        self, contents: Mapping[str, bytes], only: Collection[Place] | None = None
    ) -> Mapping[Place, tuple[Reference, Evaluation]]:
        """Each reference of these files, or those at these places, with what is known of it."""
        ...


@dataclass(slots=True)
class Mended:
    """Corrected files. contents: their bytes. written: the corrections by place, with the reference as it was.
    left: references with failed checks that are not corrected, and why."""

    contents: dict[str, bytes]
    written: dict[Place, tuple[Reference, tuple[Correction, ...]]] = field(default_factory=dict)
    left: dict[Place, tuple[Reference, str]] = field(default_factory=dict)


def mend(engine: Evaluating, contents: Mapping[str, bytes], wanted: Wanted) -> Mended:
    """Correct what is certain, and take back what makes a check fail that did not fail before."""
    first: dict[Place, Reference] = {}
    failed: dict[Place, frozenset[str]] = {}
    chosen: dict[Place, dict[str, Correction]] = {}
    refused: dict[Place, str] = {}
    obstacles: dict[Place, str] = {}
    now, looked_at = dict(contents), None
    for last in range(_ROUNDS):
        changed: set[Place] = set()
        for place, (reference, evaluation) in engine.evaluations(now, looked_at).items():
            first.setdefault(place, reference)
            failing = _failing(evaluation)
            obstacles[place] = obstacle(evaluation, wanted, first[place])
            if failing - failed.setdefault(place, failing):
                refused[place] = "the corrected entry fails another check"
                chosen.pop(place, None)
                changed.add(place)
            elif place not in refused and (found := corrections(evaluation, wanted, first[place])):
                if last == _ROUNDS - 1:
                    refused[place] = "each correction calls for another one"
                    chosen.pop(place, None)
                else:
                    chosen.setdefault(place, {}).update((one.field, one) for one in found)
                changed.add(place)
        now, unwritten = _written(contents, first, chosen)
        for place, why in unwritten.items():
            refused[place] = why
            chosen.pop(place, None)
        looked_at = {place for place in changed if place in chosen}
        if not looked_at:
            break
    written = {place: (first[place], tuple(chosen[place].values())) for place in sorted(chosen)}
    reasons = {place: why for place, why in {**obstacles, **refused}.items() if why}
    return Mended(now, written, {place: (first[place], why) for place, why in sorted(reasons.items())})


def _failing(evaluation: Evaluation) -> frozenset[str]:
    return frozenset(name for name, finding in evaluation.findings.items() if finding.outcome == "failed")


def _written(
    contents: Mapping[str, bytes], first: Mapping[Place, Reference], chosen: Mapping[Place, Mapping[str, Correction]]
) -> tuple[dict[str, bytes], dict[Place, str]]:
    """The files with all that was chosen, written into what they were at first; and why something was not."""
    now, unwritten = {}, {}
    for name, data in contents.items():
        here = {
            number: (first[file, number], tuple(found.values()))
            for (file, number), found in chosen.items()
            if file == name
        }
        fixed = fixed_file(name, data, here)
        now[name] = fixed.data
        unwritten.update({(name, number): why for number, why in fixed.refused.items()})
    return now, unwritten
