"""The labelled scores of a file: scores as they stand there, or answers of a model, of which scores are made.

Source of the columns: microsoft/hallucinated-references (``bing_return``, ``neural_ans1_list`` …), which read unchanged.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

from pytest_citecheck.benchmark.metrics.separation.labelled import Labelled
from pytest_citecheck.benchmark.selfcheck.table_file import Row, TableError, column, read_table, truth
from pytest_citecheck.selfcheck.answers import overlap_compat, share_of_yes
from pytest_citecheck.selfcheck.overlap import name_keys, names_in, pairwise

__all__ = [
    "DATABASES",
    "LabelledScores",
    "labelled_of",
    "labels_of",
    "majority",
    "published_answers",
    "rater_labels",
    "read_labelled",
]

_LABELS = ("grounded", "label", "bing_return", "bing", "real", "exists")
_KNOWN = ("iq", "dq1", "dq2", "dq3", "dq", "iq+dq", "selfcheck", "year", "venue")
_NO_SCORES = frozenset({*_LABELS, "row", "key", "id", "verdict", "position", "topic"})
_SAMPLES = 10  # of the published counts of yes
DATABASES = "databases"
_VERDICTS = {"verified": 1.0, "misdescribed": 1.0, "undecided": 0.5, "unfindable": 0.5, "fabricated": 0.0}
_OPEN = frozenset({"undecided", "unfindable"})


@dataclass(frozen=True, slots=True)
class LabelledScores:
    """scores: of each method, for the same rows. grounded: whether the work exists. left_out: rows without label or score."""

    scores: Mapping[str, tuple[float, ...]]
    grounded: tuple[bool, ...]
    groups: tuple[object, ...] | None
    left_out: int = 0

    def of(self, method: str) -> Labelled:
        """The scores of one method."""
        return Labelled.of(self.scores[method], self.grounded, self.groups)


def published_answers(value: object) -> list[Any]:
    """A list that stands in a cell as the text of a literal. Raises ValueError."""
    if isinstance(value, list):
        return value
    try:
        found = ast.literal_eval(str(value))
    except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
        raise ValueError("a list of answers cannot be read") from error
    if not isinstance(found, list):
        raise ValueError("a list of answers cannot be read")
    return found


def majority(labels: Iterable[object]) -> bool | None:
    """What more than half of the raters say who say something; None for a tie."""
    said = [value for value in map(truth, labels) if value is not None]
    grounded = sum(said)
    return None if 2 * grounded == len(said) else 2 * grounded > len(said)


def _texts(value: object) -> tuple[str | None, ...]:
    return tuple(None if one is None else str(one) for one in published_answers(value))


def _judged(row: Row) -> float | None:
    values = [overlap_compat(answer or "") for answer in _texts(row["neural_ans1_list"])]
    if not values:
        return None
    # As the published files print it: the areas of ensembles depend on the last digit, which breaks ties.
    return float(format(_mean(*([value] for value in values))[0], ".16g"))


def _local(row: Row) -> float | None:
    return pairwise([name_keys(names_in(str(row[f"model_ans_{number}"] or ""))) for number in (1, 2, 3)])


def _yes(name: str) -> Callable[[Row], float | None]:
    return lambda row: share_of_yes(_texts(row[name]), "substring")


def _answer_methods() -> dict[str, Callable[[Row], float | None]]:
    return {
        "iq": _judged,
        "iq-local": _local,
        **{f"dq{number - 1}": _yes(f"neural_ans{number}_list") for number in (2, 3, 4)},
    }


def _number(value: object) -> float | None:
    try:
        number = float(str(value))
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _score_methods(rows: Sequence[Row], wanted: Sequence[str]) -> dict[str, Callable[[Row], float | None]]:
    columns = dict.fromkeys(name for row in rows for name in row)
    found: dict[str, Callable[[Row], float | None]] = {}

    def plain(name: str) -> Callable[[Row], float | None]:
        return lambda row: _number(row.get(name))

    def counted(name: str) -> Callable[[Row], float | None]:
        def share(row: Row) -> float | None:
            count = _number(row.get(name))
            return None if count is None else count / _SAMPLES

        return share

    for name in wanted or columns:
        if name not in columns:
            raise TableError(f"no column {name}; there are {', '.join(columns)}")
        if wanted or name in _KNOWN:
            found[name] = plain(name)
        elif name.startswith("yes_dq"):
            found[name.removeprefix("yes_")] = counted(name)
    if not found:
        for name in columns:
            values = [_number(row.get(name)) for row in rows]
            if name not in _NO_SCORES and all(value is not None and 0 <= value <= 1 for value in values):
                found[name] = plain(name)
    return found


def read_labelled(
    path: Path,
    *,
    wanted: Iterable[str] = (),
    group: str = "",
    group_size: int = 0,
    weights: Mapping[str, float] | None = None,
    raters: Sequence[str] = (),
) -> LabelledScores:
    """Read a file. Raises TableError.

    wanted: the columns that are scores; without them the known ones, else all that hold numbers from 0 to 1. group: a column of
    which equal rows belong together; group_size: so many rows after one another do. weights: of a further ensemble. raters:
    columns of which the majority is the label of a row.
    """
    rows = read_table(path)
    if raters:
        unknown = [name for name in raters if not any(name in row for row in rows)]
        if unknown:
            raise TableError(f"{path}: no column {', '.join(unknown)}")
        rows = [{**row, _LABELS[0]: majority([row.get(name) for name in raters])} for row in rows]
    return labelled_of(path, rows, [column(name) for name in wanted], column(group), group_size, weights or {})


def labelled_of(
    path: Path,
    rows: Sequence[Row],
    wanted: Sequence[str],
    group: str,
    group_size: int,
    weights: Mapping[str, float],
) -> LabelledScores:
    """The labelled scores of rows that have been read. Raises TableError."""
    label = next((name for name in _LABELS if any(name in row for row in rows)), "")
    if not label:
        raise TableError(f"{path}: no column with labels ({', '.join(_LABELS)})")
    if group and not any(group in row for row in rows):
        raise TableError(f"{path}: no column {group}")
    raw = not wanted and "neural_ans1_list" in rows[0]
    try:
        methods = _answer_methods() if raw else _score_methods(rows, wanted)
        if not methods:
            raise TableError("no column with scores from 0 to 1")
        values = {name: [read(row) for row in rows] for name, read in methods.items()}
    except TableError as error:
        raise TableError(f"{path}: {error}") from error
    except (ValueError, KeyError) as error:
        raise TableError(f"{path}: {error if isinstance(error, ValueError) else f'no column {error}'}") from error
    grounded = [truth(row.get(label)) for row in rows]
    kept = [
        place
        for place, known in enumerate(grounded)
        if known is not None and all(column_of[place] is not None for column_of in values.values())
    ]
    if not kept:
        raise TableError(f"{path}: no row has a label and all scores")
    scores = {name: tuple(float(of[place]) for place in kept) for name, of in values.items()}  # type: ignore[arg-type]
    groups = None
    if group or group_size:
        groups = tuple(str(rows[place].get(group)) if group else place // group_size for place in kept)
    return LabelledScores(
        {**_with_ensembles(scores, weights), **_with_databases(scores, [rows[place] for place in kept], weights)},
        tuple(bool(grounded[place]) for place in kept),
        groups,
        len(rows) - len(kept),
    )


def _mean(*columns: Sequence[float]) -> tuple[float, ...]:
    """The mean of each row, added up from left to right.

    The published areas depend on it: sums of tenths that should be equal differ in their last bit, which breaks ties (DQ has
    .91664 with such sums and .91683 with exact ones).
    """
    return tuple(reduce(add, values) / len(values) for values in zip(*columns, strict=True))


def _with_ensembles(
    scores: Mapping[str, tuple[float, ...]], weights: Mapping[str, float]
) -> dict[str, tuple[float, ...]]:
    """The scores, and the ensembles that can be made of them."""
    found = dict(scores)
    direct = [found[name] for name in ("dq1", "dq2", "dq3") if name in found]
    if len(direct) == 3:
        found.setdefault("dq", _mean(*direct))
    for name in ("iq", "iq-local"):
        if name in found and "dq" in found:
            found.setdefault(f"{name}+dq", _mean(found[name], found["dq"]))
    for name in ("dq1", "dq2", "dq3"):
        if name in found and "iq" in found:
            found.setdefault(f"iq+{name}", _mean(found["iq"], found[name]))
    if weights:
        missing = [name for name in weights if name not in found]
        if missing:
            raise TableError(f"no scores of {', '.join(missing)}; there are {', '.join(found)}")
        total = math.fsum(weights.values())
        found["weighted"] = tuple(
            math.fsum(found[name][place] * weight for name, weight in weights.items()) / total
            for place in range(len(next(iter(found.values()))))
        )
    return found


def _with_databases(
    scores: Mapping[str, tuple[float, ...]], rows: Sequence[Row], weights: Mapping[str, float]
) -> dict[str, tuple[float, ...]]:
    """What databases say, alone and with the self-check where they leave a reference open; nothing without verdicts."""
    verdicts = [str(row.get("verdict", "")).strip().lower() for row in rows]
    if not all(verdict in _VERDICTS for verdict in verdicts):
        return {}
    all_scores = _with_ensembles(scores, weights)
    best = next((name for name in ("weighted", "selfcheck", "iq+dq", "iq-local+dq", "iq") if name in all_scores), "")
    alone = tuple(_VERDICTS[verdict] for verdict in verdicts)
    if not best:
        return {DATABASES: alone}
    # Between the certain ends, so that an open reference never counts for more than a settled one.
    together = tuple(
        0.01 + 0.98 * score if verdict in _OPEN else known
        for verdict, known, score in zip(verdicts, alone, all_scores[best], strict=True)
    )
    return {DATABASES: alone, f"{DATABASES}+{best}": together}


def labels_of(path: Path) -> dict[str, bool]:
    """Label by key, of a file with a column ``key``. Raises TableError."""
    rows = read_table(path)
    label = next((name for name in _LABELS if any(name in row for row in rows)), "")
    found = {str(row.get("key")): truth(row.get(label)) for row in rows if row.get("key")}
    known = {key: value for key, value in found.items() if value is not None}
    if not known:
        raise TableError(f"{path}: no rows with key and label")
    return known


def rater_labels(rows: Sequence[Row]) -> dict[str, bool]:
    """Label by title of a file that one rater wrote: a title, a label, no scores; empty for another file."""
    label = next((name for name in _LABELS if any(name in row for row in rows)), "")
    if not label or any(name in rows[0] for name in (*_KNOWN, "neural_ans1_list")):
        return {}
    found = {str(row.get("gen_title") or row.get("title") or ""): truth(row.get(label)) for row in rows}
    return {title: value for title, value in found.items() if title and value is not None}
