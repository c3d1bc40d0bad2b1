"""What a split consists of, a part of it, and what gives its labels away.

Source: HALLMARK, arXiv:2607.18360 (statistics of splits, label-stratified sample with seed 42, shortcut audit).
"""

from __future__ import annotations

import hashlib
import json
import math
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any, Literal, cast, get_args

from rapidfuzz import fuzz, process
from rapidfuzz.utils import default_process

from pytest_citecheck.benchmark.baselines import BASELINES
from pytest_citecheck.benchmark.metrics import grouped
from pytest_citecheck.inputs import (
    FALSE_SUBTESTS,
    FORMER_SUBTESTS,
    SUBTESTS,
    TIERS,
    Bytes,
    JsonLine,
    LabelledEntry,
    LineError,
    Problem,
    Split,
    is_canary,
    json_lines,
    labelled_entry,
    shown,
)
from pytest_citecheck.matching import lazy_pattern

_SEED = 42
_VENUES = 10
_BLIND = "blind"
SHORTCUTS = ("doi_presence", "future_year", "duplicate_title")
"""Baselines that look at one property of an entry: a tool must beat them."""


def split_facts(entries: Sequence[LabelledEntry]) -> dict[str, dict[str, int]]:
    """How many entries each part has, by group of parts, in a fixed order. Venues: the ten most frequent."""
    venues = Counter(
        entry.fields.get("booktitle", "") or entry.fields.get("journal", "") or "(none)" for entry in entries
    )
    return {
        "label": _count(entry.label or _BLIND for entry in entries),
        "tier": _count(f"tier {entry.tier}" for entry in entries if entry.label == "HALLUCINATED"),
        "type": _count(entry.hallucination_type or "" for entry in entries if entry.label == "HALLUCINATED"),
        "generation method": _count(entry.generation_method or "(none)" for entry in entries),
        "entry type": _count(entry.type for entry in entries),
        "year": _count(entry.fields.get("year", "").strip() or "(none)" for entry in entries),
        "DOI": _count("with a DOI" if entry.fields.get("doi", "").strip() else "without a DOI" for entry in entries),
        "venue": dict(sorted(venues.items(), key=lambda item: (-item[1], item[0]))[:_VENUES]),
        "publication date": _count("with a date" if entry.publication_date else "without a date" for entry in entries),
        "sub-test": _subtests(entries),
    }


def _count(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))


def _subtests(entries: Sequence[LabelledEntry]) -> dict[str, int]:
    return {
        f"{name} {json.dumps(value)}": count
        for name in SUBTESTS
        for value in (True, False, None)
        if (count := sum(name in entry.subtests and entry.subtests[name] is value for entry in entries))
    }


def sample(entries: Sequence[LabelledEntry], most: int) -> list[LabelledEntry]:
    """At most so many entries, in file order, with the labels in the same proportion: drawn with seed 42."""
    if most >= len(entries):
        return list(entries)
    by_label = grouped(range(len(entries)), lambda place: entries[place].label or _BLIND)
    due = {label: most * len(places) / len(entries) for label, places in by_label.items()}
    drawn = {label: math.floor(share) for label, share in due.items()}
    for label in sorted(due, key=lambda label: drawn[label] - due[label])[: most - sum(drawn.values())]:
        drawn[label] += 1
    generator = Random(_SEED)  # noqa: S311 - reproducible, not secret
    kept = sorted(place for label in sorted(by_label) for place in generator.sample(by_label[label], drawn[label]))
    return [entries[place] for place in kept]


def shortcuts(entries: Sequence[LabelledEntry]) -> Mapping[str, float]:
    """The share of labels that each of `SHORTCUTS` gets right; ``majority``: the more frequent label for every entry."""
    labelled = [entry for entry in entries if entry.label is not None]
    if not labelled:
        return {}
    labels = [entry.label for entry in labelled]
    found = {
        name: sum(said.label == label for said, label in zip(BASELINES[name].predict(labelled), labels, strict=True))
        for name in SHORTCUTS
    }
    counts = {"majority": max(Counter(labels).values()), **found}
    return {name: count / len(labels) for name, count in counts.items()}


# Writing a benchmark split as JSON Lines, in HALLMARK's schema (arXiv:2607.18360, schema version 1.0).
SCHEMA_VERSION = "1.0"


def split_text(entries: Iterable[LabelledEntry]) -> str:
    """The text of a split, one line per entry, in the given order."""
    return "".join(f"{entry_line(entry)}\n" for entry in entries)


def blind_text(entries: Iterable[LabelledEntry]) -> str:
    """The text of a blind split: key, type, fields without ``url`` and raw BibTeX of each entry, in the given order."""
    rows = (
        {
            "bibtex_key": entry.key,
            "bibtex_type": entry.type,
            "fields": {name: value for name, value in sorted(entry.fields.items()) if name.strip().lower() != "url"},
            "raw_bibtex": entry.raw,
        }
        for entry in entries
    )
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def entry_line(entry: LabelledEntry) -> str:
    """One entry as a line of ASCII JSON, with its keys in a fixed order; equal entries give equal lines.

    A blind entry has no label. A VALID entry has neither a hallucination type nor a tier.
    """
    hallucinated = entry.label == "HALLUCINATED"
    optional = {
        "explanation": entry.explanation,
        "generation_method": entry.generation_method,
        "source_conference": entry.source_conference,
        "source": entry.source,
        "publication_date": entry.publication_date,
        "added_to_benchmark": entry.added,
        "subtests": dict(entry.subtests),
        "raw_bibtex": entry.raw,
    }
    row = {
        "bibtex_key": entry.key,
        "bibtex_type": entry.type,
        "fields": dict(sorted(entry.fields.items())),
        **({} if entry.label is None else {"label": entry.label}),
        **({"hallucination_type": entry.hallucination_type, "difficulty_tier": entry.tier} if hallucinated else {}),
        **{name: value for name, value in optional.items() if value},
        "schema_version": SCHEMA_VERSION,
    }
    return json.dumps(row)


SAME_TITLE = 0.95
"""Titles with at least this token-sort ratio count as the same."""
_MARKUP = lazy_pattern(r"\\[A-Za-z]+\s*|\\.|[{}$\\]")
_LONGEST = 1000
"""Characters; longer titles are the same only if they are equal."""


@dataclass(slots=True)
class _Occurrences:
    """The places of titles with the same words, and whether each is a variant; ``original``: the first that is not one."""

    places: list[tuple[int, bool]] = field(default_factory=list)
    original: int | None = None

    def add(self, place: int, variant: bool) -> None:
        self.places.append((place, variant))
        if self.original is None and not variant:
            self.original = place

    def first(self, variant: bool) -> int | None:
        """The first place that counts as a duplicate of a variant, or of any other title."""
        return self.original if variant else self.places[0][0]


def sorted_words(title: str) -> str:
    """The words of a title in alphabetical order: lower case, without LaTeX commands, braces and punctuation."""
    return " ".join(sorted(default_process(_MARKUP.sub("", title)).split()))


def earlier_titles(titles: Iterable[str], since: int = 0, variants: Sequence[bool] = ()) -> dict[int, int]:
    """For each duplicate title, its place (from 0) and the place of the earliest title that is the same.

    since: report duplicates from this place on. variants: whether each title is a variant; two variants may have the same
    title. Empty: no variants. A title without letters and digits is never a duplicate.
    """
    known: defaultdict[str, _Occurrences] = defaultdict(_Occurrences)
    for place, title in enumerate(titles):
        if words := sorted_words(title):
            known[words].add(place, bool(variants) and variants[place])
    return dict(_found(known, since))


def _found(known: Mapping[str, _Occurrences], since: int) -> Iterator[tuple[int, int]]:
    texts = sorted((words for words in known if len(words) <= _LONGEST), key=len)
    lengths = [len(words) for words in texts]
    for words, occurrences in known.items():
        asked = [(place, variant) for place, variant in occurrences.places if place >= since]
        if not asked:
            continue
        nearest = [known[text] for text in _alike(words, texts, lengths)] if len(words) <= _LONGEST else [occurrences]
        for place, variant in asked:
            firsts = (other.first(variant) for other in nearest)
            earliest = min((first for first in firsts if first is not None), default=place)
            if earliest < place:
                yield place, earliest


def _alike(words: str, texts: Sequence[str], lengths: Sequence[int]) -> Iterator[str]:
    """The texts (sorted by length) that are the same as ``words``, which is one of them."""
    low = bisect_left(lengths, int(len(words) * SAME_TITLE / (2 - SAME_TITLE)))
    high = bisect_right(lengths, int(len(words) * (2 - SAME_TITLE) / SAME_TITLE) + 1)
    matches = process.extract_iter(
        words, texts[low:high], scorer=fuzz.ratio, processor=None, score_cutoff=100 * SAME_TITLE
    )
    return (text for text, _, _ in matches)


METHODS = frozenset({"scraped", "llm_generated", "perturbation", "adversarial", "real_world", "canary"})
"""The known generation methods of entries."""
_REQUIRED = ("title", "author", "year")
_OF_VALID = ("doi_resolves", "title_exists", "authors_match", "venue_correct")
"""The sub-tests that a valid entry cannot fail. A valid entry may have incomplete fields, and databases may disagree on it."""
_DATE = lazy_pattern(r"\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?")


def validate(path: str, data: Bytes, against: Sequence[Split] = ()) -> tuple[int, tuple[Problem, ...]]:
    """The number of entries in a file, and all problems with them, in the order of the lines.

    against: existing splits, whose keys and titles the entries must not repeat. Titles are the same from a token-sort ratio of
    .95 on. Within the file, a title may repeat under another label, and in perturbations that name their ``source``. Do not add
    entries with errors; review those with warnings. Never raises because of the content.
    """
    known = [(split.path, entry) for split in against for entry in split.entries]
    places = {entry.key: f"{name}:{entry.line}" for name, entry in reversed(known)}
    problems: list[Problem] = []
    new: list[LabelledEntry] = []
    count = 0
    for line in json_lines(path, data):
        count += 1
        if isinstance(line, Problem):
            problems.append(line)
        else:
            entry, found = _checked(path, line, places)
            problems += found
            new += [entry] if entry else []
    problems += _same_titles(path, known, new)
    return count, tuple(sorted(problems, key=lambda problem: problem.line))


def _checked(path: str, line: JsonLine, places: dict[str, str]) -> tuple[LabelledEntry | None, list[Problem]]:
    """An entry, if it can be read, and its problems. places: of the keys so far, to which its key is added."""
    tolerated: list[str] = []
    key = line.value.get("bibtex_key")
    key = key if isinstance(key, str) else ""
    try:
        entry = labelled_entry(line, tolerated.append)
    except LineError as error:
        return None, [Problem(path, line.line, key, str(error))]
    found = [Problem(path, line.line, key, message) for message in (*tolerated, *_errors(entry, line.value))]
    found += [Problem(path, line.line, key, message, "warning") for message in _warnings(entry, line.value)]
    if entry.key in places:
        found.append(Problem(path, line.line, key, f"duplicate key, first used at {places[entry.key]}"))
    places.setdefault(entry.key, f"{path}:{entry.line}")
    return entry, found


def _same_titles(
    path: str, known: Sequence[tuple[str, LabelledEntry]], new: Sequence[LabelledEntry]
) -> Iterator[Problem]:
    """Report the titles that repeat in the file or in the splits.

    Within the file, hallucinated entries may repeat the title of the valid entry that they are made from. Perturbations may
    also repeat each other's titles: most keep the title, and those that combine the titles of a few references can give the
    same title twice.
    """
    for label in {entry.label for entry in new}:
        alike = [entry for entry in new if entry.label == label]
        compared = [*known, *((path, entry) for entry in alike)]
        titles = (entry.fields.get("title", "") for _, entry in compared)
        # Perturbations that name their source are variants.
        variants = [entry.generation_method == "perturbation" and bool(entry.source) for entry in alike]
        for place, earlier in earlier_titles(titles, len(known), [False] * len(known) + variants).items():
            entry, (name, other) = compared[place][1], compared[earlier]
            yield Problem(path, entry.line, entry.key, f"same title as {other.key} at {name}:{other.line}")


def _errors(entry: LabelledEntry, value: dict[str, Any]) -> Iterator[str]:
    """Errors that the loader tolerates."""
    if is_canary(entry.key):
        yield "keys with this prefix are canaries and are dropped from every split"
    for name in _REQUIRED:
        if not entry.fields.get(name, "").strip():
            yield f"missing `fields.{name}`"
    if entry.label is None:
        yield "missing `label`"
    elif entry.label == "VALID":
        for name in ("hallucination_type", "difficulty_tier"):
            if value.get(name) is not None:
                yield f"`{name}` is {shown(value[name])}, but the label is VALID"
    else:
        if not entry.explanation.strip():
            yield "missing `explanation`: say what is wrong with a hallucinated entry"
        tier = TIERS.get(entry.hallucination_type or "", entry.tier)
        if entry.tier != tier:
            yield f"`difficulty_tier` is {entry.tier}, but {entry.hallucination_type} has tier {tier}"


def _warnings(entry: LabelledEntry, value: dict[str, Any]) -> Iterator[str]:
    if not entry.generation_method:
        yield "missing `generation_method`"
    elif entry.generation_method not in METHODS:
        yield f"unknown `generation_method` {shown(entry.generation_method)}"
    for name, date in (("publication_date", entry.publication_date), ("added_to_benchmark", entry.added)):
        if not date:
            yield f"missing `{name}`"
        elif not _DATE.fullmatch(date):
            yield f"`{name}` is {shown(date)}, not a date like 2024-05-31, 2024-05 or 2024"
    subtests = value.get("subtests")
    for name in subtests if isinstance(subtests, dict) else ():  # NaN counts as not stated
        if name not in SUBTESTS and name not in FORMER_SUBTESTS:
            yield f"unknown sub-test `subtests.{name}`"
    yield from contradictions(entry)


def contradictions(entry: LabelledEntry) -> Iterator[str]:
    """Results of sub-tests that contradict the label or the hallucination type."""
    said = entry.subtests
    if said.get("doi_resolves") is not None and not entry.fields.get("doi", "").strip():
        yield "`subtests.doi_resolves` is set, but the entry has no DOI"
    if entry.label == "VALID":
        for name in _OF_VALID:
            if said.get(name) is False:
                yield f"`subtests.{name}` is false, but the label is VALID"
    elif false := FALSE_SUBTESTS.get(entry.hallucination_type or ""):
        for name in sorted({*false, "cross_db_agreement"}):
            if said.get(name, False) is not False:
                yield f"`subtests.{name}` is {json.dumps(said[name])}, but must be false for {entry.hallucination_type}"


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
    for contribution in load_queue(queue):
        if contribution.id == name:
            return contribution
    raise QueueError(f"no contribution {name} in {queue}")


def _read(path: Path) -> Contribution:
    try:
        stated = json.loads(path.read_text(encoding="utf-8"))
        log = tuple(Step(**step) for step in stated["log"])
        entries, warnings = tuple(stated["entries"]), tuple(map(str, stated["warnings"]))
        sound = log and all(isinstance(entry, dict) for entry in entries)
        if not sound or any(step.state not in get_args(State) for step in log):
            raise ValueError("no log, or entries that are no objects")
        return Contribution(str(stated["id"]), str(stated["file"]), cast("Any", entries), warnings, log)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise QueueError(f"{path} is no contribution: {type(error).__name__}: {error}") from error
