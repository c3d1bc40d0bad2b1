"""``citecheck dataset``: look at a split, and add to it.

Exit codes: 0 done; 1 an error in a contribution, a step that is not allowed, or errors under ``--gate``; 2 usage error.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.atomic_write import write_whole
from pytest_citecheck.benchmark import (
    Contribution,
    NoOverlapError,
    QueueError,
    State,
    blind_text,
    contradictions,
    contribution_text,
    load_contribution,
    load_queue,
    moved,
    pair,
    sample,
    shortcuts,
    split_facts,
    split_text,
    submitted,
    validate,
)
from pytest_citecheck.benchmark.commands import dataset_baseline as baseline
from pytest_citecheck.benchmark.commands.score_inputs import (
    add_against_argument,
    add_split_argument,
    entries_text,
    named_predictions,
    named_split,
    predictions_given,
    print_problems,
)
from pytest_citecheck.cli import NotDoneError, UsageError, argument, command, count, positive, refuse_overwrite, say
from pytest_citecheck.inputs import TIERS, JsonLine, json_lines
from pytest_citecheck.reports import TABLE_FORMATS
from pytest_citecheck.screen import show
from pytest_citecheck.today import today

if TYPE_CHECKING:
    from pytest_citecheck.cli import Commands
    from pytest_citecheck.inputs import LabelledEntry, Prediction, Split


_ABOUT = "Show a split of labelled references, find its faults, and add contributions."
_STATS = "Print how many entries a split has by label, tier, type, generation method, year, venue and sub-test."
_INSPECT = "Print the entries of a split that match all options."
_DIAGNOSE = """\
Print the faults of a split (unreadable lines, contradictory sub-tests) and the accuracy of guessing labels from one
property. With --predictions, print the entries that the tool gets wrong, with its reasons."""
_BLIND = """\
Write the entries without labels, for a checker: key, type, fields without the URL, and raw BibTeX."""
_MANIFEST = """\
With FILE, write the size and SHA-256 of each file. Without FILE, compare the files with the list. Exit code 1: a
file differs or is missing."""
_SUBMIT = "Check new entries and put them into a queue for review. A file with an error is not queued."
_REVIEW = """\
Print the contributions in a queue with their state, or one contribution with its entries and log. --approve and
--reject change its state. You cannot review your own contribution."""
_ACCEPT = "Add the entries of an approved contribution to a split, after checking them against it again."


def add_parser(commands: Commands) -> None:
    """Add ``citecheck dataset`` with its actions."""
    dataset = commands.add_parser("dataset", help="show a split and add to it", description=_ABOUT)
    actions = dataset.add_subparsers(dest="action", required=True, metavar="ACTION")
    _add_looking(actions)
    _add_contributing(actions)
    baseline.add_parser(actions)


def _add_looking(actions: Commands) -> None:
    stats = command(actions, "stats", "count the parts of a split", _STATS, _stats)
    add_split_argument(stats)
    argument(stats, "--format", "output format", "text", choices=("text", "json"))
    inspect = command(actions, "inspect", "print entries of a split", _INSPECT, _inspect)
    add_split_argument(inspect)
    argument(inspect, "--key KEY...", "entries with these keys")
    argument(inspect, "--title TEXT", "entries with this text in the title, in any case")
    argument(inspect, "--label", "entries with this label", choices=("VALID", "HALLUCINATED"))
    argument(inspect, "--type", "entries of this hallucination type", choices=sorted(TIERS))
    argument(inspect, "--tier N", "hallucinated entries of this tier", choices=(1, 2, 3))
    argument(inspect, "--method NAME", "entries made by this generation method")
    argument(inspect, "--max-entries N", "at most N entries, a stratified sample by label with seed 42", type=positive)
    argument(inspect, "-o --output FILE", "write the entries to this split instead")
    blind = command(actions, "blind", "write a split without its labels", _BLIND, _blind)
    add_split_argument(blind)
    argument(blind, "-o --output FILE", "write the blind split to this file", required=True)
    manifest = command(actions, "manifest", "write or check a list of checksums", _MANIFEST, _manifest)
    argument(manifest, "files FILE", "splits and results to list", nargs="*")
    argument(manifest, "--manifest JSON", "the list of checksums", required=True)
    diagnose = command(actions, "diagnose", "find faults of a split, or of a tool", _DIAGNOSE, _diagnose)
    add_split_argument(diagnose)
    argument(diagnose, "--predictions FILE", "predictions of a tool (JSON Lines)")
    argument(diagnose, "--gate", "exit with 1 if anything is wrong")


def _add_contributing(actions: Commands) -> None:
    submit = command(actions, "submit", "add new entries to the review queue", _SUBMIT, _of_queue(_submit))
    argument(submit, "file FILE", "new labelled entries (JSON Lines)")
    add_against_argument(submit)
    review = command(actions, "review", "list contributions, approve or reject one", _REVIEW, _of_queue(_review))
    argument(review, "id ID", "a contribution", nargs="?")
    decision = review.add_mutually_exclusive_group()
    argument(decision, "--approve", "let it be accepted")
    argument(decision, "--reject", "reject the contribution")
    argument(review, "--note TEXT", "reason, for the log", default="")
    accept = command(actions, "accept", "add an approved contribution to a split", _ACCEPT, _of_queue(_accept))
    argument(accept, "id ID", "an approved contribution")
    argument(accept, "--split SPLIT", "the split to add it to; may be new", required=True)
    for parser in (submit, review, accept):
        argument(parser, "--queue FOLDER", "folder of the contributions", required=True)
        argument(parser, "--by NAME", "your name, for the log", default="")


def _of_queue(action: Callable[[argparse.Namespace], int]) -> Callable[[argparse.Namespace], int]:
    """Return the action with each QueueError raised as NotDoneError, which ends the command with its message."""

    def run(chosen: argparse.Namespace) -> int:
        try:
            return action(chosen)
        except QueueError as error:
            raise NotDoneError(str(error)) from error

    return run


def _submit(chosen: argparse.Namespace) -> int:
    by = _name(chosen.by)
    data = chosen.file.read_bytes()
    if said := predictions_given(chosen.file):
        raise NotDoneError(said)
    warnings = _checked(str(chosen.file), data, [named_split(path) for path in chosen.against])
    entries = [line.value for line in json_lines(str(chosen.file), (data,)) if isinstance(line, JsonLine)]
    contribution = submitted(chosen.file.name, entries, warnings, by=by, date=today().isoformat())
    for known in load_queue(chosen.queue):
        if known.id == contribution.id:
            raise NotDoneError(f"these entries are in the queue already: {contribution.id} is {known.state}")
    _save(chosen.queue, contribution)
    say(f"submitted {contribution.id}: {_counted(contribution)}")
    return 0


def _checked(path: str, data: bytes, against: Sequence[Split]) -> list[str]:
    """The warnings about new entries. Prints the errors and raises NotDoneError if there are any."""
    entries, problems = validate(path, (data,), against)
    wrong = [problem for problem in problems if problem.severity == "error"]
    print_problems(wrong, "error", ": citecheck validate prints them")
    if wrong or not entries:
        raise NotDoneError(f"{path}: {count(len(wrong), 'error')}, {entries:,} entries; no entry is queued or accepted")
    return [f"{problem.key}: {problem.message}" for problem in problems]


def _review(chosen: argparse.Namespace) -> int:
    decided: State | None = "approved" if chosen.approve else "rejected" if chosen.reject else None
    if chosen.id is None:
        if decided:
            raise UsageError("pass the contribution to approve or reject")
        for contribution in load_queue(chosen.queue):
            say(f"{contribution.id} {contribution.state}: {_counted(contribution)}")
        return 0
    contribution = load_contribution(chosen.queue, chosen.id)
    if decided:
        contribution = moved(contribution, decided, by=_name(chosen.by), date=today().isoformat(), note=chosen.note)
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
    waiting = load_contribution(chosen.queue, chosen.id)
    contribution = moved(waiting, "accepted", by=_name(chosen.by), date=today().isoformat())
    known = chosen.split.exists()
    entries = (
        {**entry, "added_to_benchmark": entry.get("added_to_benchmark") or today().isoformat()}
        for entry in contribution.entries
    )
    lines = "".join(f"{json.dumps(entry)}\n" for entry in entries)
    _checked(contribution.file, lines.encode(), [named_split(chosen.split)] if known else [])
    before = chosen.split.read_bytes().decode("utf-8") if known else ""
    ended = before if not before or before.endswith("\n") else f"{before}\n"
    write_whole(chosen.split, ended + lines)
    _save(chosen.queue, contribution)
    say(f"accepted {contribution.id}: {_counted(contribution)} added to {chosen.split}")
    return 0


def _counted(contribution: Contribution) -> str:
    warned = f", {count(len(contribution.warnings), 'warning')}" if contribution.warnings else ""
    return f"{entries_text(len(contribution.entries))} of {contribution.file} by {contribution.log[0].by}{warned}"


def _name(by: str) -> str:
    if not by.strip():
        raise UsageError("pass your name with --by NAME")
    return by.strip()


def _save(queue: Path, contribution: Contribution) -> None:
    write_whole(queue / f"{contribution.id}.json", contribution_text(contribution))


def _stats(chosen: argparse.Namespace) -> int:
    entries = named_split(chosen.split).entries
    facts = split_facts(entries)
    if chosen.format == "json":
        show(json.dumps({"split_name": chosen.split.stem, "num_entries": len(entries), **facts}, indent=2))
        return 0
    rows = [
        [group if place == 0 else "", part, str(number), f"{number / len(entries):.1%}"]
        for group, parts in facts.items()
        for place, (part, number) in enumerate(parts.items())
    ]
    show(TABLE_FORMATS["text"](["group", "part", "entries", "share"], rows))
    say(entries_text(len(entries)))
    return 0


def _inspect(chosen: argparse.Namespace) -> int:
    if chosen.output:
        refuse_overwrite([chosen.output], [chosen.split])
    entries = [entry for entry in named_split(chosen.split).entries if _matches(entry, chosen)]
    if chosen.max_entries:
        entries = sample(entries, chosen.max_entries)
    if not entries:
        raise NotDoneError(f"{chosen.split}: no entry matches")
    if chosen.output:
        return _write(chosen, entries, split_text)
    for entry in entries:
        for line in entry_lines(entry):
            say(line)
    say(entries_text(len(entries)))
    return 0


def _blind(chosen: argparse.Namespace) -> int:
    refuse_overwrite([chosen.output], [chosen.split])
    return _write(chosen, named_split(chosen.split).entries, blind_text)


def _write(
    chosen: argparse.Namespace, entries: Sequence[LabelledEntry], text_of: Callable[[Sequence[LabelledEntry]], str]
) -> int:
    write_whole(chosen.output, text_of(entries))
    say(f"wrote {entries_text(len(entries))} to {chosen.output}")
    return 0


def _manifest(chosen: argparse.Namespace) -> int:
    """Write the list of checksums, or compare the files with it."""
    folder = chosen.manifest.parent
    if chosen.files:
        refuse_overwrite([chosen.manifest], chosen.files)
        files = {os.path.relpath(path, folder): _checksum(path) for path in chosen.files}
        write_whole(chosen.manifest, json.dumps({"files": files}, indent=2, sort_keys=True) + "\n")
        say(f"wrote {count(len(files), 'checksum')} to {chosen.manifest}")
        return 0
    try:
        listed = {str(name): dict(facts) for name, facts in json.loads(chosen.manifest.read_bytes())["files"].items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{chosen.manifest}: not a list of checksums: expected an object with “files”") from error
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
    with path.open("rb") as file:
        return {"sha256": hashlib.file_digest(file, "sha256").hexdigest(), "bytes": path.stat().st_size}


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
    """An entry in readable form: key, label and type, then its fields and further data."""
    kind = f" {entry.hallucination_type} (tier {entry.tier})" if entry.label == "HALLUCINATED" else ""
    yield f"{entry.key} {entry.label or 'blind'}{kind} @{entry.type}, line {entry.line}"
    for name, value in sorted(entry.fields.items()):
        yield f"    {name} = {value}"
    stated = {
        "explanation": entry.explanation,
        "generation method": entry.generation_method,
        "source": entry.source,
        "publication date": entry.publication_date,
        "sub-tests": ", ".join(f"{name} {json.dumps(value)}" for name, value in entry.subtests.items()),
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
    say(f"{entries_text(len(entries))}, {count(len(found), 'contradiction')}")
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
    undecided = sum(said is not None and said.label == "UNCERTAIN" for _, said in pairs)
    right = len(pairs) - len(wrong) - undecided
    say(f"{entries_text(len(pairs))}: {len(wrong):,} wrong, {undecided:,} undecided, {right:,} right")
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
            yield f"    {name}: labelled {json.dumps(entry.subtests[name])}, predicted {json.dumps(outcome)}"
