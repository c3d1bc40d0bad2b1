"""The comparisons that ``citecheck compare`` computes and prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_citecheck.benchmark import (
    compare_around,
    compare_parts,
    cost,
    equivalence,
    minimum_detectable_effect,
    sample_size,
    sorted_words,
    type_row,
    union_recall,
)
from pytest_citecheck.benchmark.commands.score_inputs import named_split, read_inputs
from pytest_citecheck.benchmark.commands.score_predictions import print_records
from pytest_citecheck.cli import NotDoneError, UsageError, refuse_overwrite, say
from pytest_citecheck.inputs import reader_for, why_unread
from pytest_citecheck.matching import lazy_pattern

if TYPE_CHECKING:
    import argparse

    from pytest_citecheck.benchmark import Pairs
    from pytest_citecheck.inputs import LabelledEntry


def known_titles(paths: Iterable[Path]) -> frozenset[str]:
    """The titles of these files, as sorted words. Raises UsageError for an unknown format, and OSError."""
    return frozenset(words for path in paths for title in _titles(path) if (words := sorted_words(title)))


def _titles(path: Path) -> Iterable[str]:
    data = path.read_bytes()
    if path.suffix.lower() == ".txt":
        return data.decode("utf-8", errors="replace").splitlines()
    reader = reader_for(str(path))
    if reader is None:
        raise UsageError(f"{why_unread(str(path))}, and it is not a .txt file with one title per line")
    return [reference.fields.get("title", "") for reference in reader.read(str(path), data).references]


def title_known(entry: LabelledEntry, titles: Collection[str]) -> bool | None:
    """Return True if the title of an entry is among these; None if it has none."""
    words = sorted_words(entry.fields.get("title", ""))
    return words in titles if words else None


_UNDERPOWERED = 0.2
_DATED = lazy_pattern(r"(?:(.+)=)?(\d{4}-\d\d-\d\d)")


def compare_union(chosen: argparse.Namespace) -> int:
    """Print the share of hallucinated entries that the first k tools find. All comparisons raise UsageError, NotDoneError."""
    inputs = read_inputs(chosen)
    costs = (
        {name: cost(pairs)["mean_seconds"] or 0.0 for name, pairs in inputs.tools.items()} if chosen.by_cost else None
    )
    recall = union_recall(inputs.tools, costs)
    if not recall:
        raise NotDoneError(f"{chosen.split}: no hallucinated entry")
    names = list(inputs.tools) if costs is None else sorted(inputs.tools, key=lambda name: costs[name])
    found = [
        {"k": k, "tool_name": name, "union_recall": recall[k], "added": recall[k] - recall.get(k - 1, 0.0)}
        for k, name in enumerate(names, 1)
    ]
    columns = {"first tools up to": "tool_name", "k": "k", "found": "union_recall", "added": "added"}
    print_records(chosen, {"split_name": inputs.split, "union_recall_at_k": found}, found, columns)
    return 1 if inputs.unfit else 0


_TESTS = {name: name for name in ("tools", "difference", "p", "equivalent", "decided")}


def compare_equivalence(chosen: argparse.Namespace) -> int:
    """Print the tests of each pair of tools."""
    if chosen.permutations < 1:
        raise UsageError("--permutations needs at least one")
    inputs = read_inputs(chosen)
    if len(inputs.tools) < 2:
        raise NotDoneError("equivalence needs two tools")
    right = {name: _right(pairs) for name, pairs in inputs.tools.items()}
    tests: list[dict[str, Any]] = []
    for a, b in combinations(right, 2):
        try:
            test = equivalence(right[a], right[b], margin=chosen.margin, permutations=chosen.permutations)
        except ValueError as error:
            raise NotDoneError(f"{a}, {b}: {error}") from error
        count = min(len(right[a]), len(right[b]))
        smallest = minimum_detectable_effect(count)
        tests.append({"a": a, "b": b, **asdict(test), "decided": count, "minimum_detectable_effect": smallest})
    shown = [{**test, "tools": f"{test['a']}, {test['b']}"} for test in tests]
    columns = _TESTS | {"detectable": "minimum_detectable_effect"}
    print_records(chosen, {"split_name": inputs.split, "margin": chosen.margin, "tests": tests}, shown, columns)
    if chosen.format == "text":
        say(f"Equivalent: the shares of right answers differ by less than {chosen.margin:g} (p < .05).")
    return 1 if inputs.unfit else 0


def _right(pairs: Pairs) -> list[float]:
    """1 for each right answer and 0 for each wrong one; a missing prediction counts as VALID, UNCERTAIN not at all."""
    labels = [(entry.label, answer.label if answer else "VALID") for entry, answer in pairs]
    return [float(gold == said) for gold, said in labels if said != "UNCERTAIN"]


def compare_cutoff(chosen: argparse.Namespace) -> int:
    """Print the rates on entries before and after a day."""
    return _compare_sides(chosen, chosen.date, "--date")


def compare_contamination(chosen: argparse.Namespace) -> int:
    """Print the rates on entries that a tool may have seen, and on others."""
    if not chosen.corpus and not chosen.cutoff:
        raise UsageError("pass --corpus or --cutoff")
    refuse_overwrite([chosen.json], chosen.corpus)
    return _compare_sides(chosen, chosen.cutoff, "--cutoff", chosen.corpus)


def _compare_sides(chosen: argparse.Namespace, dates: Sequence[str], option: str, corpus: Sequence[Path] = ()) -> int:
    inputs = read_inputs(chosen)
    days = _days(dates, inputs.tools, option)
    titles = known_titles(corpus)
    found: list[dict[str, Any]] = []
    for name, pairs in inputs.tools.items():
        parts = {"in the corpus": compare_parts(pairs, lambda entry: title_known(entry, titles))} if corpus else {}
        if name in days:
            parts[f"up to {days[name]}"] = compare_around(pairs, days[name])
        found += [
            {"tool_name": name, "part": part, "first": first, "rest": rest, "undated": undated}
            for part, (first, rest, undated) in parts.items()
        ]
    sides = [
        {"tool_name": row["tool_name"], "part": part, **side}
        for row in found
        for part, side in ((row["part"], row["first"]), ("the others", row["rest"]))
    ]
    print_records(chosen, {"split_name": inputs.split, "comparisons": found}, sides, _SIDES)
    unclear = max((row["undated"] for row in found), default=0)
    if chosen.format == "text" and unclear:
        say(f"Not on either side: {unclear} entries without a title or date, or with a date that is too coarse.")
    return 1 if inputs.unfit else 0


def _days(stated: Sequence[str], tools: Mapping[str, object], option: str) -> dict[str, str]:
    """By tool, its day. Raises UsageError for anything else, and for a tool that is not there."""
    general: dict[str, str] = {}
    own: dict[str, str] = {}
    for text in stated:
        found = _DATED.fullmatch(text)
        if not found:
            raise UsageError(f"{option} {text}: the day must be YYYY-MM-DD, or TOOL=YYYY-MM-DD")
        tool, day = found.groups()
        if tool and tool not in tools:
            raise UsageError(f"{option} {text}: unknown tool; known are {', '.join(tools)}")
        (own if tool else general).update(dict.fromkeys([tool] if tool else tools, day))
    return general | own


_SIDES = {
    "tool": "tool_name",
    "part": "part",
    "entries": "count",
    "DR": "detection_rate",
    "FPR": "false_positive_rate",
    "undecided": "uncertain_rate",
    "coverage": "coverage",
}


def compare_power(chosen: argparse.Namespace) -> int:
    """Print the smallest differences that the parts of a split can detect."""
    refuse_overwrite([chosen.json], [chosen.split])
    entries = named_split(chosen.split).entries
    parts = Counter({"all": len(entries)})
    parts.update({label: sum(entry.label == label for entry in entries) for label in ("HALLUCINATED", "VALID")})
    for entry in sorted(entries, key=lambda entry: (entry.tier or 0, type_row(entry))):
        if entry.label == "HALLUCINATED":
            parts.update((f"tier {entry.tier}", type_row(entry)))
    needed = sample_size(chosen.effect)
    smallest = {name: minimum_detectable_effect(count) for name, count in parts.items() if count}
    found = [
        {
            "part": name,
            "count": parts[name],
            "minimum_detectable_effect": effect,
            "underpowered": effect > _UNDERPOWERED,
        }
        for name, effect in smallest.items()
    ]
    document = {"split_name": chosen.split.stem, "parts": found, "effect": chosen.effect, "entries_needed": needed}
    columns = {"part": "part", "entries": "count", "detectable": "minimum_detectable_effect"}
    print_records(chosen, document, found, columns | {"underpowered": "underpowered"})
    if chosen.format == "text":
        say(f"A difference of {chosen.effect:g} needs {needed:,} entries.")
    return 0
