"""What stopping early saves and costs, replayed over published answers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from pytest_citecheck.benchmark.metrics.separation.area import value_of
from pytest_citecheck.benchmark.metrics.separation.labelled import Labelled
from pytest_citecheck.benchmark.selfcheck.labelled_file import published_answers
from pytest_citecheck.benchmark.selfcheck.table_file import Row, TableError, read_table, truth
from pytest_citecheck.selfcheck.scores import agree, score
from pytest_citecheck.selfcheck.subject import DIRECT, Method, Options, Subject

__all__ = ["Replayed", "replay"]

_COLUMNS: Mapping[Method, str] = {"dq1": "neural_ans2_list", "dq2": "neural_ans3_list", "dq3": "neural_ans4_list"}


@dataclass(frozen=True, slots=True)
class Replayed:
    """calls: mean number of a reference, by method; areas: by method, with ``dq`` and ``iq+dq``."""

    calls: Mapping[str, float]
    areas: Mapping[str, float | None]

    @property
    def all_calls(self) -> float:
        """Of a reference, by all methods."""
        return math.fsum(self.calls.values())


def _answers(row: Row, method: Method) -> Sequence[str | None]:
    if method == "iq":
        return [str(row[f"model_ans_{number}"] or "") for number in (1, 2, 3)]
    return [None if one is None else str(one) for one in published_answers(row[_COLUMNS[method]])]


def _asked(method: Method, answers: Sequence[str | None], options: Options) -> Sequence[str | None]:
    """The answers that would have been asked for."""
    most = options.direct if method in DIRECT else options.indirect
    if options.agree_after is None:
        return answers[:most]
    first = min(most, options.agree_after if method in DIRECT else 2)
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
