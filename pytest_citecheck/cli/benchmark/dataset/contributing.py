"""``citecheck dataset submit``, ``review`` and ``accept``."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_citecheck.benchmark.hallmark.contribution import validate
from pytest_citecheck.benchmark.hallmark.review_queue import (
    Contribution,
    QueueError,
    State,
    contribution_text,
    load_contribution,
    load_queue,
    moved,
    submitted,
)
from pytest_citecheck.cli.benchmark.files import named_split, predictions_given
from pytest_citecheck.cli.running import NotDoneError
from pytest_citecheck.cli.screen import UsageError, complain, count, say
from pytest_citecheck.readers.hallmark.json_lines import JsonLine, json_lines
from pytest_citecheck.whole_file import write_whole

if TYPE_CHECKING:
    import argparse

    from pytest_citecheck.readers.hallmark.split import Split

__all__ = ["ACTIONS"]

_SHOWN = 20
"""How many errors are printed."""


def _today() -> str:
    return datetime.datetime.now(tz=datetime.UTC).date().isoformat()


def _submit(chosen: argparse.Namespace) -> int:
    by = _name(chosen.by)
    data = _bytes(chosen.file)
    if said := predictions_given(chosen.file):
        raise NotDoneError(said)
    warnings = _checked(str(chosen.file), data, [named_split(path) for path in chosen.against])
    entries = [line.value for line in json_lines(str(chosen.file), (data,)) if isinstance(line, JsonLine)]
    contribution = submitted(chosen.file.name, entries, warnings, by=by, date=_today())
    if known := [one for one in _queue(chosen.queue) if one.id == contribution.id]:
        raise NotDoneError(f"these entries are in the queue already: {contribution.id} is {known[0].state}")
    _save(chosen.queue, contribution)
    say(f"submitted {contribution.id}: {_counted(contribution)}")
    return 0


def _checked(path: str, data: bytes, against: Sequence[Split]) -> list[str]:
    """The warnings about new entries. Prints the errors and raises NotDoneError if there are any."""
    entries, problems = validate(path, (data,), against)
    wrong = [problem for problem in problems if problem.severity == "error"]
    for problem in wrong[:_SHOWN]:
        complain(str(problem))
    if len(wrong) > _SHOWN:
        complain(f"{path}: and {count(len(wrong) - _SHOWN, 'more error')}: citecheck validate prints them")
    if wrong or not entries:
        raise NotDoneError(f"{path}: {count(len(wrong), 'error')}, {entries:,} entries; nothing is queued or accepted")
    return [f"{problem.key}: {problem.message}" for problem in problems]


def _review(chosen: argparse.Namespace) -> int:
    decided: State | None = "approved" if chosen.approve else "rejected" if chosen.reject else None
    if chosen.id is None:
        if decided:
            raise UsageError("name the contribution to approve or reject")
        for contribution in _queue(chosen.queue):
            say(f"{contribution.id} {contribution.state}: {_counted(contribution)}")
        return 0
    contribution = _one(chosen.queue, chosen.id)
    if decided:
        contribution = _moved(contribution, decided, by=_name(chosen.by), note=chosen.note)
        _save(chosen.queue, contribution)
        say(f"{contribution.id} is {contribution.state}")
        return 0
    say(f"{contribution.id}: {_counted(contribution)}")
    for step in contribution.log:
        say(f"    {step.date} {step.state} by {step.by}" + (f": {step.note}" if step.note else ""))
    for warning in contribution.warnings:
        say(f"    warning: {warning}")
    for entry in contribution.entries:
        say(f"    {json.dumps(entry)}")
    return 0


def _accept(chosen: argparse.Namespace) -> int:
    today = _today()
    contribution = _moved(_one(chosen.queue, chosen.id), "accepted", by=_name(chosen.by))
    known = chosen.split.exists()
    lines = "".join(f"{json.dumps(_dated(entry, today))}\n" for entry in contribution.entries)
    _checked(contribution.file, lines.encode(), [named_split(chosen.split)] if known else [])
    before = _bytes(chosen.split).decode("utf-8") if known else ""
    ended = before if not before or before.endswith("\n") else f"{before}\n"
    try:
        write_whole(chosen.split, ended + lines)
    except OSError as error:
        raise UsageError(f"{chosen.split}: {error.strerror}") from error
    _save(chosen.queue, contribution)
    say(f"accepted {contribution.id}: {_counted(contribution)} added to {chosen.split}")
    return 0


def _dated(entry: Mapping[str, Any], today: str) -> dict[str, Any]:
    return {**entry, "added_to_benchmark": entry.get("added_to_benchmark") or today}


def _counted(contribution: Contribution) -> str:
    number = len(contribution.entries)
    warned = f", {count(len(contribution.warnings), 'warning')}" if contribution.warnings else ""
    entries = f"{number:,} {'entry' if number == 1 else 'entries'}"
    return f"{entries} of {contribution.file} by {contribution.log[0].by}{warned}"


def _name(by: str) -> str:
    if not by.strip():
        raise UsageError("say who does this: --by NAME")
    return by.strip()


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error


def _queue(queue: Path) -> list[Contribution]:
    try:
        return load_queue(queue)
    except QueueError as error:
        raise NotDoneError(str(error)) from error
    except OSError as error:
        raise UsageError(f"{queue}: {error.strerror}") from error


def _one(queue: Path, name: str) -> Contribution:
    try:
        return load_contribution(queue, name)
    except QueueError as error:
        raise NotDoneError(str(error)) from error
    except OSError as error:
        raise UsageError(f"{queue}: {error.strerror}") from error


def _moved(contribution: Contribution, state: State, *, by: str, note: str = "") -> Contribution:
    try:
        return moved(contribution, state, by=by, date=_today(), note=note)
    except QueueError as error:
        raise NotDoneError(str(error)) from error


def _save(queue: Path, contribution: Contribution) -> None:
    try:
        write_whole(queue / f"{contribution.id}.json", contribution_text(contribution))
    except OSError as error:
        raise UsageError(f"{queue}: {error.strerror}") from error


ACTIONS: Mapping[str, Callable[[argparse.Namespace], int]] = {
    "submit": _submit,
    "review": _review,
    "accept": _accept,
}
