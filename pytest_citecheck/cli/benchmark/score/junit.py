"""``citecheck score junit``: the scores of a run, or of its shards, from JUnit XML."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from pytest_citecheck.benchmark.arena.figures import stated_score
from pytest_citecheck.benchmark.gates import GateError
from pytest_citecheck.benchmark.hallmark.check_results import CheckResult
from pytest_citecheck.benchmark.metrics.base import MetricError
from pytest_citecheck.benchmark.runs import gate_lines, score_answers, score_cases
from pytest_citecheck.cli.benchmark.score.junit_file import Suite, read_suites
from pytest_citecheck.cli.benchmark.score.merged import merged_result
from pytest_citecheck.cli.benchmark.score.predictions import score_table, write_json
from pytest_citecheck.cli.benchmark.score.shards import missing_shards, split_under_two_paths
from pytest_citecheck.cli.outputs import refuse_overwrite
from pytest_citecheck.cli.running import NotDoneError
from pytest_citecheck.cli.screen import UsageError, complain
from pytest_citecheck.cli.tables import TABLE_FORMATS, number

if TYPE_CHECKING:
    import argparse

    from pytest_citecheck.benchmark.metrics.base import Metric
    from pytest_citecheck.reports.results import RunResult

__all__ = ["score_junit"]

_MODEL_SCORES: Mapping[str, str] = {
    "checked": "checked_rate",
    "verified": "verification_rate",
    "hallucinated": "hallucination_rate",
    "confidence": "avg_confidence",
    "complete": "completeness",
    "delivered": "coverage",
}


def score_junit(chosen: argparse.Namespace) -> int:
    """Print the scores; the exit code is 1 if a threshold is missed. Raises UsageError, NotDoneError."""
    if chosen.bootstrap < 0:
        raise UsageError("--bootstrap must be 0 or a number of replicates")
    refuse_overwrite([chosen.json], chosen.files)
    suites = [suite for path in chosen.files for suite in read_suites(path)]
    read = [(suite, list(_cases(suite))) for suite in suites]
    cases, repeated, differing = _merged(case for _, of_suite in read for case in of_suite)
    if repeated:
        unlike = f" ({differing} with another outcome or verdict)" if differing else ""
        complain(f"citecheck score junit: {repeated} repeated cases{unlike}; the first of each counts")
    for warning in _warnings(read):
        complain(f"citecheck score junit: warning: {warning}")
    config, metrics = _extended(chosen.plugins)
    try:
        documents = score_cases(cases, replicates=chosen.bootstrap, metrics=metrics)
    except MetricError as error:
        raise UsageError(f"pytest_citecheck_metrics: {error}") from error
    try:
        arena = score_answers((properties for suite in suites for properties in suite.cases), chosen.min_checked)
    except ValueError as error:
        raise NotDoneError(f"{', '.join(map(str, chosen.files))}: a model's answer: {error}") from error
    if not documents and arena is None:
        raise NotDoneError("these files contain no labelled references and no answers of models")
    try:
        gates = gate_lines(chosen.fail_under, documents, metrics, arena)
    except GateError as error:
        raise UsageError(f"--fail-under: {error}") from error
    rows = [
        {**document, "tool_name": document["split_name"], "evaluation_mode": "conservative"} for document in documents
    ]
    if chosen.json:
        write_json(chosen.json, ({"tools": documents} if documents else {}) | ({"arena": arena} if arena else {}))
    if rows:
        print(score_table(rows, TABLE_FORMATS[chosen.format]))
    if arena is not None:
        print(_models(arena, TABLE_FORMATS[chosen.format]))
    for text, passed in gates:
        print(f"{'passed' if passed else 'FAILED':<8}{text}")
    if config is not None:
        _hand_over(config, merged_result(suites, documents, arena))
    return 0 if all(passed for _, passed in gates) else 1


def _extended(plugins: Sequence[str]) -> tuple[pytest.Config | None, Sequence[Metric]]:
    """The configuration with these plugins and the metrics that they add; none without plugins. Raises UsageError."""
    if not plugins:
        return None, ()
    from pytest_citecheck.plugin.extensions import collect_extensions, plugins_of_command  # noqa: PLC0415

    try:
        config = plugins_of_command(plugins)
        return config, collect_extensions(config).metrics
    except pytest.UsageError as error:
        raise UsageError(str(error)) from error


def _hand_over(config: pytest.Config, result: RunResult) -> None:
    from pytest_citecheck.plugin.extensions import call_hook  # noqa: PLC0415

    try:
        call_hook(config.hook.pytest_citecheck_results, result=result)
    except pytest.UsageError as error:
        raise UsageError(str(error)) from error


def _merged(cases: Iterable[CheckResult]) -> tuple[list[CheckResult], int, int]:
    """Each case once, how many cases are repeated, and how many of those differ from the first.

    A case is known by the id of its reference: a model's answer may give several references one key.
    """
    known: dict[tuple[str, str, str], CheckResult] = {}
    repeated = differing = 0
    for case in cases:
        name = (case.split, case.id or case.key, case.check)
        first = known.setdefault(name, case)
        if first is not case:
            repeated += 1
            differing += (first.outcome, first.verdict) != (case.outcome, case.verdict)
    return list(known.values()), repeated, differing


def _cases(suite: Suite) -> Iterator[CheckResult]:
    for properties in suite.cases:
        try:
            read = CheckResult.from_properties(properties)
        except ValueError as error:
            raise NotDoneError(f"{suite.path}: case {properties.get('citecheck.id', '')}: {error}") from error
        if read is not None:
            yield read


def _warnings(read: Sequence[tuple[Suite, Sequence[CheckResult]]]) -> Iterator[str]:
    """Signs that the cases of these runs are not one complete split."""
    keys: dict[str, set[str]] = defaultdict(set)
    for _, cases in read:
        for case in cases:
            if case.label:
                keys[case.split].add(case.key)
    yield from split_under_two_paths(keys)
    yield from missing_shards(
        (suite.properties.get("citecheck.shard", ""), {case.split for case in cases}) for suite, cases in read
    )


def _models(arena: Mapping[str, Any], render: Callable[[Sequence[str], Sequence[Sequence[str]]], str]) -> str:
    header = ["model", "rank", "references", *_MODEL_SCORES]
    rows = [
        [
            scores["model"],
            number(scores["rank"]),
            number(scores["total_refs"]),
            *(number(stated_score(scores, field)) for field in _MODEL_SCORES.values()),
        ]
        for scores in arena["rankings"]
    ]
    return render(header, rows)
