"""Contributions on their way into a split: submitted, approved or rejected by somebody else, accepted.

Source: HALLMARK, arXiv:2607.18360, rules for contributions. The queue is a folder with one JSON file a contribution; its log
says who did what when.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, cast, get_args

__all__ = [
    "Contribution",
    "QueueError",
    "State",
    "Step",
    "contribution_text",
    "load_contribution",
    "load_queue",
    "moved",
    "submitted",
]

State = Literal["submitted", "approved", "rejected", "accepted"]
_FROM: dict[State, frozenset[State]] = {
    "approved": frozenset({"submitted", "rejected"}),
    "rejected": frozenset({"submitted", "approved"}),
    "accepted": frozenset({"approved"}),
}
"""The states from which a contribution may come into each state."""
_ID = 12


class QueueError(ValueError):
    """A contribution cannot be read, or not brought into a state; the message says why."""


@dataclass(frozen=True, slots=True)
class Step:
    """One line of the log. date: YYYY-MM-DD. by: who. state: the state since then."""

    date: str
    by: str
    state: State
    note: str = ""


@dataclass(frozen=True, slots=True)
class Contribution:
    """id: a hash of the entries. file: the name of the submitted file. warnings: of its validation. entries: JSON objects."""

    id: str
    file: str
    entries: tuple[dict[str, Any], ...]
    warnings: tuple[str, ...]
    log: tuple[Step, ...]

    @property
    def state(self) -> State:
        """The state of the last step."""
        return self.log[-1].state


def submitted(
    file: str, entries: Iterable[dict[str, Any]], warnings: Iterable[str], *, by: str, date: str
) -> Contribution:
    """A new contribution. The same entries have the same id."""
    rows = tuple(entries)
    digest = hashlib.sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()[:_ID]
    return Contribution(digest, file, rows, tuple(warnings), (Step(date, by, "submitted"),))


def moved(contribution: Contribution, state: State, *, by: str, date: str, note: str = "") -> Contribution:
    """The contribution in another state. Raises QueueError for a step that is not allowed, or a review by its submitter."""
    if contribution.state not in _FROM[state]:
        needed = " or ".join(sorted(_FROM[state]))
        raise QueueError(f"{contribution.id} is {contribution.state}; only what is {needed} can be {state}")
    if state != "accepted" and by == contribution.log[0].by:
        raise QueueError(f"{by} submitted {contribution.id}: somebody else must review it")
    return replace(contribution, log=(*contribution.log, Step(date, by, state, note)))


def contribution_text(contribution: Contribution) -> str:
    """The content of its file, ``ID.json`` in the queue."""
    return json.dumps(asdict(contribution), indent=2) + "\n"


def load_queue(queue: Path) -> list[Contribution]:
    """All contributions of a folder, by date of submission and id. Raises QueueError, OSError."""
    found = [_read(path) for path in sorted(queue.glob("*.json"))]
    return sorted(found, key=lambda contribution: (contribution.log[0].date, contribution.id))


def load_contribution(queue: Path, name: str) -> Contribution:
    """The contribution with this id. Raises QueueError, OSError."""
    found = [contribution for contribution in load_queue(queue) if contribution.id == name]
    if not found:
        raise QueueError(f"no contribution {name} in {queue}")
    return found[0]


def _read(path: Path) -> Contribution:
    try:
        stated = json.loads(path.read_text(encoding="utf-8"))
        log = tuple(Step(**step) for step in stated["log"])
        entries, warnings = tuple(stated["entries"]), tuple(map(str, stated["warnings"]))
        sound = log and all(isinstance(entry, dict) for entry in entries)
        sound = sound and all(step.state in get_args(State) for step in log)
        if not sound:
            raise ValueError("no log, or entries that are no objects")
        return Contribution(str(stated["id"]), str(stated["file"]), cast("Any", entries), warnings, log)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise QueueError(f"{path} is no contribution: {type(error).__name__}: {error}") from error
