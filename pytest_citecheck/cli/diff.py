"""``citecheck diff``: two JSON reports side by side."""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_citecheck.atomic_write import write_whole
from pytest_citecheck.cli.commands import UsageError, argument
from pytest_citecheck.cli.running import command, refuse_overwrite
from pytest_citecheck.matching import safe_line
from pytest_citecheck.reports import Change, differences, plain, read_report
from pytest_citecheck.screen import send

if TYPE_CHECKING:
    from pytest_citecheck.cli.commands import Commands


_ABOUT = (
    "Show the references that were added, were removed, or have a new verdict between two JSON reports. Reasons: the entry was "
    "edited, the evidence changed, or version or policy changed (rule). Exit code 1: something got worse."
)


def add_parser(commands: Commands) -> None:
    """Add ``citecheck diff``."""
    parser = command(commands, "diff", "compare two runs", _ABOUT, _run)
    argument(parser, "old OLD.json", "the earlier JSON report", type=Path)
    argument(parser, "new NEW.json", "the later JSON report", type=Path)
    argument(parser, "--format", "form of the output", "text", choices=("text", "markdown", "json"))
    argument(parser, "-o --output FILE", "write to this file")


def _run(chosen: argparse.Namespace) -> int:
    refuse_overwrite([chosen.output], [chosen.old, chosen.new])
    try:
        old, new = read_report(chosen.old), read_report(chosen.new)
    except OSError as error:
        raise UsageError(f"{error.filename}: {error.strerror}") from error
    except ValueError as error:
        raise UsageError(str(error)) from error
    changes = differences(old, new)
    lines = {"text": _text, "markdown": _markdown, "json": _json}[chosen.format](changes, old, new)
    text = "".join(f"{line}\n" for line in lines)
    if chosen.output is None:
        send([text.encode()])
    else:
        try:
            write_whole(chosen.output, text)
        except OSError as error:
            raise UsageError(f"{chosen.output}: {error.strerror}") from error
    return 1 if any(change.is_worse for change in changes) else 0


Report = Mapping[str, Any]


def _text(changes: Sequence[Change], old: Report, new: Report) -> Iterator[str]:
    for change in changes:
        mark = "worse" if change.is_worse else "better" if change.gone or change.kind == "changed" else ""
        yield safe_line(f"{change.kind:<9} {mark:<7} {change.place} {change.key}: {_change_line(change)}")
    yield _summary(changes, old, new)


def _markdown(changes: Sequence[Change], old: Report, new: Report) -> Iterator[str]:
    yield _summary(changes, old, new)
    if changes:
        yield from ("", "| change | reference | what | worse |", "|---|---|---|---|")
    for change in changes:
        worse = "yes" if change.is_worse else ""
        yield f"| {change.kind} | {plain(f'{change.place} {change.key}')} | {plain(_change_line(change))} | {worse} |"


def _json(changes: Sequence[Change], old: Report, new: Report) -> Iterator[str]:
    data = {
        "schema": "citecheck-diff/1",
        "versions": [old.get("version"), new.get("version")],
        "policies": [old.get("policy", "default"), new.get("policy", "default")],
        "changes": [{**dataclasses.asdict(change), "worse": change.is_worse} for change in changes],
    }
    yield json.dumps(data, ensure_ascii=False, indent=1)


def _change_line(change: Change) -> str:
    verdict = change.now or change.was if change.kind != "changed" else change.now
    parts = [f"{change.was} → {change.now}" if change.was != change.now and change.kind == "changed" else verdict]
    parts += [f"now {', '.join(change.appeared)}"] if change.appeared else []
    parts += [f"no longer {', '.join(change.gone)}"] if change.gone and change.kind == "changed" else []
    if change.reason:
        sources = f" ({', '.join(change.sources)})" if change.reason == "evidence" else ""
        parts.append(f"because of the {change.reason}{sources}")
    return "; ".join(parts)


def _summary(changes: Sequence[Change], old: Report, new: Report) -> str:
    kinds = Counter(change.kind for change in changes)
    counts = ", ".join(f"{kinds[kind]} {kind}" for kind in ("appeared", "went", "changed") if kinds[kind])
    worse = sum(change.is_worse for change in changes)
    runs = [f"{len(one.get('references') or ())} references, version {one.get('version', '?')}" for one in (old, new)]
    judged = [f"{one.get('version')} {one.get('policy', 'default')}" for one in (old, new)]
    between = "" if judged[0] == judged[1] else f"; judged by {judged[0]} and {judged[1]}"
    return safe_line(f"{counts or 'no change'} ({worse} worse) between {runs[0]} and {runs[1]}{between}")
