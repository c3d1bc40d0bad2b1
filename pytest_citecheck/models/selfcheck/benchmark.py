"""Labelled scores of a file: the scores in it, or scores computed from the answers of a model.

Source of the columns: microsoft/hallucinated-references (``bing_return``, ``neural_ans1_list`` …), which read
unchanged.
"""

from __future__ import annotations

import ast
import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import reduce
from itertools import combinations
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pytest_citecheck.benchmark import (
    Labelled,
    area,
    bootstrap,
    fdr_at,
    fdr_band,
    fdr_curve,
    flagged,
    interpolated_view,
    kept_above,
    paired,
    reachable,
    threshold_for,
    threshold_view,
    value_of,
    youden,
)
from pytest_citecheck.models.chat import total_of_known
from pytest_citecheck.models.selfcheck.asking import CallLog, LoggedCall, call_key
from pytest_citecheck.models.selfcheck.prompts import (
    INDIRECT,
    METHODS,
    Method,
    Options,
    Subject,
    overlap_compat,
    share_of_yes,
)
from pytest_citecheck.models.selfcheck.scores import agree, cross_model, name_keys, names_in, pairwise, score

if TYPE_CHECKING:
    from pytest_citecheck.models.chat import Prices

FRACTIONS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)
"""Fractions kept of the published curve that the table shows."""


def roc_points(rows: Labelled) -> list[tuple[float, float]]:
    """(share of hallucinated kept, share of grounded kept) from (0, 0) to (1, 1); empty with one class only."""
    positives, negatives = len(rows.positives), len(rows.negatives)
    if not positives or not negatives:
        return []
    _, kept, wrong = rows.levels()
    return [(0.0, 0.0), *zip((wrong / negatives).tolist(), ((kept - wrong) / positives).tolist(), strict=True)]


def compared(
    labelled: LabelledScores, *, target: float, threshold: float, replicates: int = 0, seed: int = 42
) -> dict[str, Any]:
    """The document. target: of the FDR. threshold: the fixed one at which methods are compared too."""
    rows = {name: labelled.of(name) for name in labelled.scores}
    hallucinated = len(labelled.grounded) - sum(labelled.grounded)
    return {
        "rows": len(labelled.grounded),
        "hallucinated": hallucinated,
        "hallucination_rate": hallucinated / len(labelled.grounded),
        "left_out": labelled.left_out,
        "target_fdr": target,
        "threshold": threshold,
        "methods": {
            name: _method(one, target, threshold, replicates, seed, grouped=labelled.groups is not None)
            for name, one in rows.items()
        },
        "paired": [{"a": a, "b": b, **asdict(paired(rows[a], rows[b]))} for a, b in combinations(rows, 2)],
    }


def _method(
    rows: Labelled, target: float, threshold: float, replicates: int, seed: int, *, grouped: bool
) -> Mapping[str, Any]:
    found = area(rows)
    chosen = threshold_for(rows, target)
    sure = threshold_for(rows, target, surely=True)
    best = youden(rows)
    plain = bootstrap(rows, replicates, seed) if replicates else None
    clustered = bootstrap(rows, replicates, seed, by_group=True) if replicates and grouped else None
    return {
        "auc": found.value,
        "se": found.se,
        "interval": found.interval,
        "logit_interval": found.logit_interval,
        "note": found.note,
        "mean": float(rows.scores.mean()),
        "bootstrap": None if plain is None else asdict(plain),
        "bootstrap_by_group": None if clustered is None else asdict(clustered),
        "fdr": {str(fraction): fdr_at(rows, fraction) for fraction in FRACTIONS},
        "fdr_band": fdr_band(rows, FRACTIONS, replicates, seed, by_group=grouped) if replicates else None,
        "reachable": reachable(rows),
        "fdr_curve": fdr_curve(rows),
        "thresholds": threshold_view(rows),
        "fdr_published_view": interpolated_view(rows),
        "roc": roc_points(rows),
        "kept": asdict(kept_above(rows, threshold)),
        "flagged": asdict(flagged(rows, threshold)),
        "for_target": None if chosen is None else asdict(chosen),
        "for_target_surely": None if sure is None else asdict(sure),
        "youden": None if best is None else {"threshold": best[0], "difference": best[1]},
    }


Row = Mapping[str, Any]

_TRUE = frozenset({"1", "1.0", "true", "g", "grounded", "valid", "real", "yes", "exists", "verified"})
_FALSE = frozenset({"0", "0.0", "false", "h", "hallucinated", "invented", "fabricated", "fake", "no"})


class TableError(ValueError):
    """An unusable file; the text has the file and the reason."""


def column(name: object) -> str:
    """A header, normalised for comparison: "Gen Title " is "gen_title"."""
    return "_".join(str(name).strip().lower().replace("-", "_").split())


def read_table(path: Path) -> list[Row]:
    """The rows with their columns as `column` writes them. Raises TableError and OSError."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise TableError(f"{path}: not in UTF-8 (byte {error.start + 1})") from error
    try:
        rows = _json_rows(text) if text.lstrip()[:1] in ("[", "{") else _csv_rows(text)
    except (ValueError, RecursionError, csv.Error) as error:
        raise TableError(f"{path}: {error}") from error
    if not rows:
        raise TableError(f"{path}: no rows")
    return rows


def _json_rows(text: str) -> list[Row]:
    if text.lstrip().startswith("["):
        found = json.loads(text)
    else:
        # A line without an end was cut off when its process died.
        whole = text if text.endswith("\n") else text[: text.rfind("\n") + 1] or text
        found = [json.loads(line) for line in whole.splitlines() if line.strip()]
    if not all(isinstance(row, dict) for row in found):
        raise ValueError("a row is not an object")
    return [{column(name): value for name, value in row.items()} for row in found]


def _csv_rows(text: str) -> list[Row]:
    csv.field_size_limit(1 << 24)
    reader = csv.DictReader(io.StringIO(text, newline=""))
    return [{column(name): value for name, value in row.items() if name is not None} for row in reader]


def truth(value: object) -> bool | None:
    """Meaning of a label: True if the work exists, False if not. None for anything else."""
    word = str(value).strip().lower()
    return True if word in _TRUE else False if word in _FALSE else None


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
    """Parse a list that a cell contains as a literal. Raises ValueError."""
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
    """Majority of the raters with an opinion; None for a tie."""
    said = [value for value in map(truth, labels) if value is not None]
    grounded = sum(said)
    return None if 2 * grounded == len(said) else 2 * grounded > len(said)


_COLUMNS: Mapping[Method, str] = {"dq1": "neural_ans2_list", "dq2": "neural_ans3_list", "dq3": "neural_ans4_list"}


def _answers(row: Row, method: Method) -> Sequence[str | None]:
    """The published answers of a method."""
    if method == "iq":
        return [str(row[f"model_ans_{number}"] or "") for number in (1, 2, 3)]
    return _texts(row[_COLUMNS[method]])


def _texts(value: object) -> tuple[str | None, ...]:
    return tuple(None if answer is None else str(answer) for answer in published_answers(value))


def _judged(row: Row) -> float | None:
    values = [overlap_compat(answer or "") for answer in _texts(row["neural_ans1_list"])]
    if not values:
        return None
    # As the published files print it: the areas of ensembles depend on the last digit, which breaks ties.
    return float(format(_mean(*([value] for value in values))[0], ".16g"))


def _local(row: Row) -> float | None:
    return pairwise([name_keys(names_in(answer or "")) for answer in _answers(row, "iq")])


def _yes(method: Method) -> Callable[[Row], float | None]:
    return lambda row: share_of_yes(tuple(_answers(row, method)), "substring")


_ANSWER_METHODS: Mapping[str, Callable[[Row], float | None]] = {
    "iq": _judged,
    "iq-local": _local,
    **{str(method): _yes(method) for method in _COLUMNS},
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

    def share(name: str, most: int = 1) -> Callable[[Row], float | None]:
        return lambda row: None if (number := _number(row.get(name))) is None else number / most

    for name in wanted or columns:
        if name not in columns:
            raise TableError(f"no column {name}; there are {', '.join(columns)}")
        if wanted or name in _KNOWN:
            found[name] = share(name)
        elif name.startswith("yes_dq"):
            found[name.removeprefix("yes_")] = share(name, _SAMPLES)
    if not found:
        for name in columns:
            values = [_number(row.get(name)) for row in rows]
            if name not in _NO_SCORES and all(value is not None and 0 <= value <= 1 for value in values):
                found[name] = share(name)
    return found


def read_labelled(
    path: Path,
    *,
    wanted: Iterable[str] = (),
    group: str = "",
    group_size: int = 0,
    weights: Mapping[str, float] | None = None,
    raters: Sequence[str] = (),
    labels: Path | None = None,
) -> LabelledScores:
    """Read a file. Raises TableError.

    wanted: columns of scores; by default the known ones, else all with numbers from 0 to 1. group: a column; rows with
    equal values belong together. group_size: number of consecutive rows that belong together. weights: weights of a
    further ensemble. raters: columns whose majority is the label of a row. labels: a file of labels by key or title,
    which replace those of this file.
    """
    rows = read_table(path)
    if labels:
        known = labels_of(labels, raters)
        rows = [{**row, _LABELS[0]: known.get(_name_of(row))} for row in rows]
    else:
        rows = _combined(path, rows, raters)
    return labelled_of(path, rows, [column(name) for name in wanted], column(group), group_size, weights or {})


def _combined(path: Path, rows: list[Row], raters: Sequence[str]) -> list[Row]:
    """The rows with the majority of these raters, if there are any, as label. Raises TableError."""
    unknown = [name for name in raters if not any(name in row for row in rows)]
    if unknown:
        raise TableError(f"{path}: no column {', '.join(unknown)}")
    return [{**row, _LABELS[0]: majority([row.get(name) for name in raters])} for row in rows] if raters else rows


def _name_of(row: Row) -> str:
    """The key of a row, or its title; published files have the topic as title."""
    return str(row.get("key") or row.get("gen_title") or row.get("title") or "")


def labelled_of(
    path: Path, rows: Sequence[Row], wanted: Sequence[str], group: str, group_size: int, weights: Mapping[str, float]
) -> LabelledScores:
    """The labelled scores of rows that have been read. Raises TableError."""
    label = next((name for name in _LABELS if any(name in row for row in rows)), "")
    if not label:
        raise TableError(f"{path}: no column with labels ({', '.join(_LABELS)})")
    if group and not any(group in row for row in rows):
        raise TableError(f"{path}: no column {group}")
    values = _values(path, rows, wanted)
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


def _values(path: Path, rows: Sequence[Row], wanted: Sequence[str]) -> dict[str, list[float | None]]:
    """The scores of all rows, by method. Raises TableError."""
    raw = not wanted and "neural_ans1_list" in rows[0]
    try:
        methods = _ANSWER_METHODS if raw else _score_methods(rows, wanted)
        if not methods:
            raise TableError("no column with scores from 0 to 1")
        return {name: [read(row) for row in rows] for name, read in methods.items()}
    except KeyError as error:
        raise TableError(f"{path}: no column {error}") from error
    except (TableError, ValueError) as error:
        raise TableError(f"{path}: {error}") from error


def _mean(*columns: Sequence[float]) -> tuple[float, ...]:
    """The mean of each row, added up from left to right.

    The published areas depend on it: sums of tenths that should be equal differ in their last bit, which breaks ties (DQ has
    .91664 with such sums and .91683 with exact ones).
    """
    return tuple(reduce(add, values) / len(values) for values in zip(*columns, strict=True))


def _with_ensembles(
    scores: Mapping[str, tuple[float, ...]], weights: Mapping[str, float]
) -> dict[str, tuple[float, ...]]:
    """The scores, and the possible ensembles of them."""
    found = dict(scores)
    direct = [found[name] for name in ("dq1", "dq2", "dq3") if name in found]
    if len(direct) == 3:
        found.setdefault("dq", _mean(*direct))
    for name, other in (("iq", "dq"), ("iq-local", "dq"), ("iq", "dq1"), ("iq", "dq2"), ("iq", "dq3")):
        if name in found and other in found:
            found.setdefault(f"{name}+{other}", _mean(found[name], found[other]))
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
    """Scores of databases, alone and with the self-check for references that they leave open; nothing without verdicts."""
    verdicts = [str(row.get("verdict", "")).strip().lower() for row in rows]
    if not all(verdict in _VERDICTS for verdict in verdicts):
        return {}
    all_scores = _with_ensembles(scores, weights)
    best = next((name for name in ("weighted", "selfcheck", "iq+dq", "iq-local+dq", "iq") if name in all_scores), "")
    alone = tuple(_VERDICTS[verdict] for verdict in verdicts)
    if not best:
        return {DATABASES: alone}
    # Between the certain values, so that an open reference never counts more than a settled one.
    together = tuple(
        0.01 + 0.98 * score if verdict in _OPEN else known
        for verdict, known, score in zip(verdicts, alone, all_scores[best], strict=True)
    )
    return {DATABASES: alone, f"{DATABASES}+{best}": together}


def labels_of(path: Path, raters: Sequence[str] = ()) -> dict[str, bool]:
    """Label by key or title. raters: columns, or files of a folder, of which the majority is the label. Raises TableError."""
    if path.is_dir():
        rows = raters_table(sorted(path.glob("*.csv")))
        raters = raters or sorted({name for row in rows for name in row} - {"title"})
    else:
        rows = read_table(path)
    known = _labels_by_name(_combined(path, rows, raters))
    if not known:
        raise TableError(f"{path}: no rows with a label, and a key or title")
    return known


def raters_table(paths: Sequence[Path]) -> list[Row]:
    """One row per title that all raters labelled, with a column for each file; empty if a file has scores or no labels.

    Raises TableError.
    """
    of: dict[str, dict[str, bool]] = {}
    for path in paths:
        rows = read_table(path)
        scored = any(name in rows[0] for name in (*_KNOWN, "neural_ans1_list"))
        of[column(path.stem)] = {} if scored else _labels_by_name(rows)
    if not all(of.values()):
        return []
    titles = [title for title in next(iter(of.values()), ()) if all(title in labels for labels in of.values())]
    if not titles:
        raise TableError("the files of labels have no title in common")
    return [
        {"title": title, **{name: "G" if labels[title] else "H" for name, labels in of.items()}} for title in titles
    ]


def _labels_by_name(rows: Sequence[Row]) -> dict[str, bool]:
    label = next((name for name in _LABELS if any(name in row for row in rows)), "")
    found = {_name_of(row): truth(row.get(label)) for row in rows}
    return {name: value for name, value in found.items() if name and value is not None}


_OPTIONS = Options()


def is_call_log(path: Path) -> bool:
    """Return True if the first line of a file is a call. Raises OSError."""
    with path.open("rb") as file:
        head = file.readline(1 << 16)
    return head.lstrip().startswith(b"{") and b'"prompt_hash"' in head


def _samples(calls: Iterable[LoggedCall]) -> dict[tuple[str, str, Method], tuple[str | None, ...]]:
    """The answers of each model about each reference by each method, in the order of samples."""
    found: dict[tuple[str, str, Method], dict[int, str | None]] = {}
    for call in calls:
        if call.pair is None and call.method in METHODS:
            samples = found.setdefault((call.provider, call.key, call.method), {})
            samples.setdefault(call.sample, call.answer)
    return {place: tuple(samples[number] for number in sorted(samples)) for place, samples in found.items()}


def verdicts_of(report: Path) -> dict[str, str]:
    """The verdict on each reference of a JSON report, by its key in the file of calls. Raises TableError."""
    try:
        references = json.loads(report.read_text(encoding="utf-8"))["references"]
        return {call_key(str(reference["id"])): str(reference["verdict"]["name"]) for reference in references}
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise TableError(f"{report}: not a JSON report of a run") from error


def scores_of_calls(path: Path, labels: Path, verdicts: Mapping[str, str] | None = None) -> dict[str, LabelledScores]:
    """The labelled scores of each model, and of two models together by ``iq-cross``. Raises TableError.

    labels: a file with columns ``key`` and ``label``; the key is the one in the bibliography, or the whole id of the
        reference.
    verdicts: of databases, by key.
    """
    answers = _samples(CallLog(path).known.values())
    known = labels_of(labels)
    providers = sorted({provider for provider, _, _ in answers})
    found = {}
    for provider in providers:
        rows: dict[str, dict[str, object]] = {}
        for (by, key, method), given in answers.items():
            label = known.get(key, known.get(key.rpartition("::")[2]))
            if by != provider or label is None:
                continue
            row = rows.setdefault(key, {"key": key, "label": label, "verdict": (verdicts or {}).get(key, "")})
            row[method] = score(method, Subject(key, ""), given, _OPTIONS).value
            others = [answers.get((other, key, method)) for other in providers if other != provider]
            if method in INDIRECT and len(providers) == 2 and others[0]:
                row[f"{method}-cross"] = cross_model(method, given, others[0])
        if rows:
            methods = dict.fromkeys(
                name for row in rows.values() for name in row if name not in ("key", "label", "verdict")
            )
            found[provider] = labelled_of(path, list(rows.values()), list(methods), "", 0, {})
    if not found:
        raise TableError(f"{path}: no call is about a reference that {labels} labels")
    return found


def taken(calls: Iterable[LoggedCall], prices: Prices) -> list[dict[str, object]]:
    """Effort for calls, by model and method. cost: in US dollars; None if a price is unknown."""
    groups: dict[tuple[str, str], list[LoggedCall]] = {}
    for call in calls:
        groups.setdefault((call.provider, call.method), []).append(call)
    return [
        {
            "provider": provider,
            "method": method,
            "references": len({call.key for call in members}),
            "calls": len(members),
            "prompt_tokens": sum(call.prompt_tokens or 0 for call in members),
            "completion_tokens": sum(call.completion_tokens or 0 for call in members),
            "cost": total_of_known([_cost(call, prices) for call in members]),
        }
        for (provider, method), members in sorted(groups.items())
    ]


def _cost(call: LoggedCall, prices: Prices) -> float | None:
    if call.cost is not None:
        return call.cost
    price = prices.price(call.model) or prices.price(call.served)
    if price is None or call.prompt_tokens is None or call.completion_tokens is None:
        return None
    return price.cost(call.prompt_tokens, call.completion_tokens)


@dataclass(frozen=True, slots=True)
class Replayed:
    """calls: mean number of a reference, by method; areas: by method, with ``dq`` and ``iq+dq``."""

    calls: Mapping[str, float]
    areas: Mapping[str, float | None]

    @property
    def all_calls(self) -> float:
        """All calls for a reference, of all methods."""
        return math.fsum(self.calls.values())


def _asked(method: Method, answers: Sequence[str | None], options: Options) -> Sequence[str | None]:
    """Answers that early stopping would have requested."""
    first, most = options.counts(method)
    return answers[:first] if agree(method, answers[:first], options) else answers[:most]


def replay(path: Path, options: Options) -> Replayed:
    """Score the published answers with these options. Raises TableError."""
    rows = [row for row in read_table(path) if truth(row.get("bing_return")) is not None]
    methods = cast("tuple[Method, ...]", ("iq", *_COLUMNS))
    values: dict[str, list[float]] = {method: [] for method in methods}
    calls = dict.fromkeys(map(str, methods), 0)
    try:
        for row in rows:
            for method in methods:
                answers = _asked(method, _answers(row, method), options)
                calls[method] += len(answers)
                values[method].append(score(method, Subject("", ""), answers, options).value or 0.0)
    except (KeyError, ValueError) as error:
        raise TableError(f"{path}: {error}") from error
    values["dq"] = [math.fsum(three) / 3 for three in zip(*(values[name] for name in _COLUMNS), strict=True)]
    values["iq+dq"] = [(one + other) / 2 for one, other in zip(values["iq"], values["dq"], strict=True)]
    grounded = [bool(truth(row["bing_return"])) for row in rows]
    areas = {name: value_of(Labelled.of(column, grounded)) for name, column in values.items()}
    return Replayed({name: count / max(1, len(rows)) for name, count in calls.items()}, areas)
