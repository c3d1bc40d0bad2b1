"""``citecheck dataset stats``, ``inspect`` and ``diagnose``."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from pytest_citecheck.benchmark.hallmark.contribution import contradictions
from pytest_citecheck.benchmark.hallmark.split_facts import sample, shortcuts, split_facts
from pytest_citecheck.benchmark.hallmark.split_writer import blind_text, split_text
from pytest_citecheck.benchmark.metrics.pairs import NoOverlapError, Pairs, pair
from pytest_citecheck.cli.benchmark.files import named_predictions, named_split
from pytest_citecheck.cli.outputs import refuse_overwrite
from pytest_citecheck.cli.running import NotDoneError
from pytest_citecheck.cli.screen import UsageError, count, say
from pytest_citecheck.cli.tables import TABLE_FORMATS
from pytest_citecheck.whole_file import write_whole

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from pytest_citecheck.readers.hallmark.schema import LabelledEntry, Prediction

__all__ = ["ACTIONS", "entry_lines"]


def _stats(chosen: argparse.Namespace) -> int:
    entries = named_split(chosen.split).entries
    facts = split_facts(entries)
    if chosen.format == "json":
        print(json.dumps({"split_name": chosen.split.stem, "num_entries": len(entries), **facts}, indent=2))
        return 0
    rows = [
        [group if place == 0 else "", part, str(number), f"{number / len(entries):.1%}"]
        for group, parts in facts.items()
        for place, (part, number) in enumerate(parts.items())
    ]
    print(TABLE_FORMATS["text"](["group", "part", "entries", "share"], rows))
    say(_entries(len(entries)))
    return 0


def _entries(number: int) -> str:
    return f"{number:,} {'entry' if number == 1 else 'entries'}"


def _inspect(chosen: argparse.Namespace) -> int:
    if chosen.output:
        refuse_overwrite([chosen.output], [chosen.split])
    entries = [entry for entry in named_split(chosen.split).entries if _matches(entry, chosen)]
    if chosen.max_entries:
        entries = sample(entries, chosen.max_entries)
    if not entries:
        raise NotDoneError(f"{chosen.split}: no entry matches")
    if chosen.output:
        _put(chosen.output, split_text(entries))
        say(f"wrote {_entries(len(entries))} to {chosen.output}")
        return 0
    for entry in entries:
        for line in entry_lines(entry):
            say(line)
    say(_entries(len(entries)))
    return 0


def _blind(chosen: argparse.Namespace) -> int:
    refuse_overwrite([chosen.output], [chosen.split])
    entries = named_split(chosen.split).entries
    _put(chosen.output, blind_text(entries))
    say(f"wrote {_entries(len(entries))} to {chosen.output}")
    return 0


def _manifest(chosen: argparse.Namespace) -> int:
    """Write the list of checksums, or compare the files with it."""
    folder = chosen.manifest.parent
    if chosen.files:
        refuse_overwrite([chosen.manifest], chosen.files)
        files = {os.path.relpath(path, folder): _checksum(path) for path in chosen.files}
        _put(chosen.manifest, json.dumps({"files": files}, indent=2, sort_keys=True) + "\n")
        say(f"wrote {count(len(files), 'checksum')} to {chosen.manifest}")
        return 0
    try:
        listed = {str(name): dict(facts) for name, facts in json.loads(chosen.manifest.read_bytes())["files"].items()}
    except OSError as error:
        raise UsageError(f"{chosen.manifest}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{chosen.manifest}: no list of checksums: an object with “files” is expected") from error
    wrong = 0
    for name, facts in listed.items():
        path = folder / name
        said = "missing" if not path.is_file() else "differs" if _checksum(path) != facts else ""
        wrong += bool(said)
        if said:
            say(f"{path}: {said}")
    say(f"{count(len(listed), 'file')}, {wrong} not as listed")
    return 1 if wrong else 0


def _checksum(path: Path) -> dict[str, str | int]:
    try:
        with path.open("rb") as file:
            return {"sha256": hashlib.file_digest(file, "sha256").hexdigest(), "bytes": path.stat().st_size}
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error


def _put(path: Path, text: str) -> None:
    try:
        write_whole(path, text)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error


def _matches(entry: LabelledEntry, chosen: argparse.Namespace) -> bool:
    return (
        (not chosen.key or entry.key in chosen.key)
        and (not chosen.title or chosen.title.lower() in entry.fields.get("title", "").lower())
        and (not chosen.label or entry.label == chosen.label)
        and (not chosen.type or entry.hallucination_type == chosen.type)
        and (not chosen.tier or entry.tier == chosen.tier)
        and (not chosen.method or entry.generation_method == chosen.method)
    )


def entry_lines(entry: LabelledEntry) -> Iterator[str]:
    """An entry for people: key, label and type, then its fields and what is known of it."""
    kind = f" {entry.hallucination_type} (tier {entry.tier})" if entry.label == "HALLUCINATED" else ""
    yield f"{entry.key} {entry.label or 'blind'}{kind} @{entry.type}, line {entry.line}"
    for name, value in sorted(entry.fields.items()):
        yield f"    {name} = {value}"
    words = {True: "true", False: "false", None: "null"}
    stated = {
        "explanation": entry.explanation,
        "generation method": entry.generation_method,
        "source": entry.source,
        "publication date": entry.publication_date,
        "sub-tests": ", ".join(f"{name} {words[value]}" for name, value in entry.subtests.items()),
    }
    for name, text in stated.items():
        if text:
            yield f"    ({name}: {text})"


def _diagnose(chosen: argparse.Namespace) -> int:
    split = named_split(chosen.split)
    if chosen.predictions:
        wrong = _diagnose_tool(chosen, split.entries)
    else:
        # The lines that cannot be read are printed with the split.
        wrong = sum(problem.severity == "error" for problem in split.problems) + _diagnose_split(chosen, split.entries)
    return 1 if chosen.gate and wrong else 0


def _diagnose_split(chosen: argparse.Namespace, entries: tuple[LabelledEntry, ...]) -> int:
    found = [(entry, message) for entry in entries for message in contradictions(entry)]
    for entry, message in found:
        say(f"{chosen.split}:{entry.line}: {entry.key}: {message}")
    for name, share in shortcuts(entries).items():
        what = "always the more frequent label" if name == "majority" else f"the baseline {name}"
        say(f"{what} is right for {share:.1%} of the entries")
    say(f"{_entries(len(entries))}, {count(len(found), 'contradiction')}")
    return len(found)


def _diagnose_tool(chosen: argparse.Namespace, entries: tuple[LabelledEntry, ...]) -> int:
    try:
        pairs = pair(entries, named_predictions(chosen.predictions).predictions)
    except (NoOverlapError, ValueError) as error:
        raise NotDoneError(f"{chosen.predictions}: {error}") from error
    wrong = [(entry, said) for entry, said in pairs if said is None or said.label not in (entry.label, "UNCERTAIN")]
    wrong = [(entry, said) for entry, said in wrong if said is not None or entry.label == "HALLUCINATED"]
    for entry, said in wrong:
        for line in _verdict_lines(entry, said):
            say(line)
    say(_summary(pairs, len(wrong)))
    return len(wrong)


def _verdict_lines(entry: LabelledEntry, said: Prediction | None) -> Iterator[str]:
    kind = f" {entry.hallucination_type}" if entry.hallucination_type else ""
    what = f"{said.label} ({said.confidence:.2f})" if said else "no prediction, which counts as VALID"
    yield f"{entry.key}: {entry.label}{kind}, predicted: {what}"
    yield f"    title = {entry.fields.get('title', '')}"
    if entry.explanation:
        yield f"    label: {entry.explanation}"
    if said and said.reason:
        yield f"    tool: {said.reason}"
    for name, outcome in sorted(said.subtests.items() if said else ()):
        if outcome is not None and name in entry.subtests and entry.subtests[name] is not outcome:
            gold = "null" if entry.subtests[name] is None else str(entry.subtests[name]).lower()
            yield f"    {name}: labelled {gold}, predicted {str(outcome).lower()}"


def _summary(pairs: Pairs, wrong: int) -> str:
    open_ones = sum(said is not None and said.label == "UNCERTAIN" for _, said in pairs)
    return f"{_entries(len(pairs))}: {wrong:,} wrong, {open_ones:,} undecided, {len(pairs) - wrong - open_ones:,} right"


ACTIONS: Mapping[str, Callable[[argparse.Namespace], int]] = {
    "stats": _stats,
    "inspect": _inspect,
    "blind": _blind,
    "manifest": _manifest,
    "diagnose": _diagnose,
}
