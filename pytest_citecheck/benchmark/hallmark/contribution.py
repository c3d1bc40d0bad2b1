"""Validation of new entries for a benchmark.

Source: HALLMARK, arXiv:2607.18360, rules for contributions. What its loader tolerates is an error here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pytest_citecheck.benchmark.hallmark.title_duplicates import earlier_titles
from pytest_citecheck.readers.hallmark.json_lines import Bytes, JsonLine, Problem, json_lines
from pytest_citecheck.readers.hallmark.keyed_lines import is_canary
from pytest_citecheck.readers.hallmark.schema import FALSE_SUBTESTS, SUBTESTS, TIERS, LabelledEntry
from pytest_citecheck.readers.hallmark.split import Split, labelled_entry
from pytest_citecheck.readers.hallmark.values import FORMER_SUBTESTS, LineError, shown
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["METHODS", "contradictions", "validate"]

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
    checked = _Contribution(path, known)
    count = 0
    for line in json_lines(path, data):
        if isinstance(line, Problem):
            checked.problems.append(line)
        else:
            checked.add(line)
        count += 1
    checked.compare_titles()
    return count, tuple(sorted(checked.problems, key=lambda problem: problem.line))


class _Contribution:
    """The entries of one file, the existing entries, and the problems found so far."""

    def __init__(self, path: str, known: Sequence[tuple[str, LabelledEntry]]) -> None:
        self.path = path
        self.problems: list[Problem] = []
        self._keys = {entry.key: (name, entry.line) for name, entry in reversed(known)}
        self._entries = list(known)
        self._known = len(known)

    def add(self, line: JsonLine) -> None:
        """Check one entry and its key."""
        tolerated: list[str] = []
        key = line.value.get("bibtex_key")
        key = key if isinstance(key, str) else ""
        try:
            entry = labelled_entry(line, tolerated.append)
        except LineError as error:
            self._report(line.line, key, str(error))
            return
        for message in (*tolerated, *_errors(entry, line.value)):
            self._report(line.line, key, message)
        for message in _warnings(entry, line.value):
            self.problems.append(Problem(self.path, line.line, key, message, "warning"))
        if entry.key in self._keys:
            self._report(line.line, key, f"duplicate key, first used at {_place(*self._keys[entry.key])}")
        else:
            self._keys[entry.key] = self.path, entry.line
        self._entries.append((self.path, entry))

    def compare_titles(self) -> None:
        """Report the titles that repeat in the file or in the splits.

        Within the file, hallucinated entries may repeat the title of the valid entry that they are made from. Perturbations may
        also repeat each other's titles: most keep the title, and those that combine the titles of a few references can give the
        same title twice.
        """
        known, new = self._entries[: self._known], self._entries[self._known :]
        for label in {entry.label for _, entry in new}:
            compared = [*known, *((path, entry) for path, entry in new if entry.label == label)]
            titles = (entry.fields.get("title", "") for _, entry in compared)
            variants = [False] * self._known + [_is_variant(entry) for _, entry in compared[self._known :]]
            for place, earlier in earlier_titles(titles, self._known, variants).items():
                entry = compared[place][1]
                path, other = compared[earlier]
                message = f"same title as {other.key} at {_place(path, other.line)}"
                self._report(entry.line, entry.key, message)

    def _report(self, line: int, key: str, message: str) -> None:
        self.problems.append(Problem(self.path, line, key, message))


def _place(path: str, line: int) -> str:
    return f"{path}:{line}"


def _is_variant(entry: LabelledEntry) -> bool:
    """Whether an entry is a perturbation that names its source."""
    return entry.generation_method == "perturbation" and bool(entry.source)


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
                stated = "true" if said[name] else "null"
                yield f"`subtests.{name}` is {stated}, but must be false for {entry.hallucination_type}"
