"""``citecheck score junit``: the scores of a run, or of its shards, from JUnit XML."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, cast

import pytest
from junitparser import JUnitXmlError, TestSuite
from junitparser.xunit2 import JUnitXml, TestCase

from pytest_citecheck import __version__
from pytest_citecheck.benchmark import (
    CheckResult,
    GateError,
    MetricError,
    claim_figures,
    gate_lines,
    score_answers,
    score_cases,
    stated_score,
)
from pytest_citecheck.benchmark.commands.score_predictions import score_table, write_json
from pytest_citecheck.checks import CHECKS
from pytest_citecheck.cli import NotDoneError, UsageError, complain, refuse_overwrite, table_of
from pytest_citecheck.matching import lazy_pattern
from pytest_citecheck.reports import ReferenceResult, RunResult, SourceUse, gold_json
from pytest_citecheck.screen import show

if TYPE_CHECKING:
    import argparse

    from pytest_citecheck.benchmark import Metric
    from pytest_citecheck.reports import FindingData, VerdictData

_ENTITY = lazy_pattern(rb"<!\s*(?:DOCTYPE|ENTITY)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Suite:
    """The properties of one run and of each of its cases. If a name occurs twice, the last value counts."""

    path: Path
    properties: dict[str, str]
    cases: tuple[dict[str, str], ...]


def read_suites(path: Path) -> Iterator[Suite]:
    """The suites of a file. Raises OSError, and NotDoneError if it is not JUnit XML."""
    data = path.read_bytes()
    if _ENTITY.search(data[:4096]):
        raise NotDoneError(f"{path}: JUnit XML must not declare a document type")
    try:
        report = JUnitXml.fromstring(data)
    except (JUnitXmlError, SyntaxError, ValueError) as error:  # a SyntaxError, of lxml too
        raise NotDoneError(f"{path}: not JUnit XML: {error}") from error
    for suite in report:
        cases = cast("Iterable[TestCase]", suite)  # including nested suites
        yield Suite(path, _properties(suite), tuple(map(_properties, cases)))


def _properties(element: TestSuite | TestCase) -> dict[str, str]:
    stated = element.properties()  # type: ignore[no-untyped-call]
    return {prop.name: prop.value for prop in stated if prop.name.startswith("citecheck.")}


Properties = Mapping[str, str]


def merged_result(
    suites: Sequence[Suite], documents: Sequence[Mapping[str, Any]], arena: Mapping[str, Any] | None
) -> RunResult:
    """One result of the suites. The first occurrence of a check of a reference counts.

    Data that JUnit XML lacks is empty: titles, messages, cited and found values, evidence.
    """
    references: dict[str, dict[str, Properties]] = {}
    for suite in suites:
        for case in suite.cases:
            if "citecheck.id" in case:
                references.setdefault(case["citecheck.id"], {}).setdefault(case["citecheck.check"], case)
    own = dict.fromkeys(check for checks in references.values() for check in checks if check not in ("syntax", *CHECKS))
    order = ("syntax", *CHECKS, *own)
    return RunResult(
        __version__,
        tuple(_reference(name, checks, order) for name, checks in references.items()),
        _sources(suites),
        scores=tuple(documents),
        arena=arena,
        policy=next(filter(None, (suite.properties.get("citecheck.policy") for suite in suites)), ""),
        checks=order,
    )


def _reference(name: str, checks: Mapping[str, Properties], order: Iterable[str]) -> ReferenceResult:
    findings = {check: _finding(checks[check]) for check in order if check in checks}
    judged = next((case for case in checks.values() if case.get("citecheck.verdict")), next(iter(checks.values())))
    line = int(judged.get("citecheck.line", "0"))
    key, path = (judged.get(f"citecheck.{name}", "") for name in ("key", "file"))
    return ReferenceResult(
        name, key, "", "", path, line, line, _verdict(judged), findings, (), (), gold_json(judged)
    )  # fmt: skip


def _finding(case: Properties) -> FindingData:
    finding: dict[str, Any] = dict.fromkeys(("said", "message", "cited", "found", "diff", "rule"), "")
    finding |= {name: case.get(f"citecheck.{name}", "") for name in ("outcome", "severity", "code")}
    finding |= {"also": case.get("citecheck.also", "").split(), "fixes": {}, "record": None}
    return cast("FindingData", finding | {"demanded": False, "waived": False})


def _verdict(case: Properties) -> VerdictData | None:
    if not case.get("citecheck.verdict"):
        return None
    optional = {name: case[f"citecheck.{name}"] for name in ("type", "label") if case.get(f"citecheck.{name}")}
    stated = {"name": case["citecheck.verdict"], "probability": float(case["citecheck.probability"]), "reason": ""}
    return cast("VerdictData", stated | optional)


def _sources(suites: Iterable[Suite]) -> tuple[SourceUse, ...]:
    """Queries of all runs together, by source."""
    counts: dict[str, Counter[str]] = {}
    for suite in suites:
        for name, value in suite.properties.items():
            _, kind, source = (*name.split(".", 2), "", "")[:3]
            if kind in ("requests", "unavailable"):
                counts.setdefault(source, Counter())[kind] += int(value)
    return tuple(
        SourceUse(name, name, count["requests"], 0, 0, 0, 0, {"": count["unavailable"]} if count["unavailable"] else {})
        for name, count in counts.items()
    )


_SHARD = lazy_pattern(r"([1-9]\d{0,5})/([1-9]\d{0,5})")
_NAMED = 10
"""Maximum number of missing shards in a message."""


def missing_shards(runs: Iterable[tuple[str, AbstractSet[str]]]) -> Iterator[str]:
    """A message for each split with missing shards.

    runs: for each run its shard, such as "1/3", or "" for a complete run, and the splits of its cases. A run without cases is an
    empty shard, and counts for every split.
    """
    shards = [(_SHARD.fullmatch(shard), splits) for shard, splits in runs]
    for split in sorted(set().union(*(splits for _, splits in shards))):
        given = [shard for shard, splits in shards if split in splits or (shard and not splits)]
        parts_of: dict[int, set[int]] = defaultdict(set)
        for shard in given:
            part, whole = (int(shard[1]), int(shard[2])) if shard else (1, 1)
            parts_of[whole].add(part)
        if not any(len(parts) == whole for whole, parts in parts_of.items()):
            yield from (f"{split}: {_missing(whole, parts)}" for whole, parts in sorted(parts_of.items()))


def _missing(whole: int, parts: AbstractSet[int]) -> str:
    missing = [part for part in range(1, whole + 1) if part not in parts]
    named = ", ".join(map(str, missing[:_NAMED])) + (" …" if len(missing) > _NAMED else "")
    return (
        f"no cases from shard{'s' * (len(missing) > 1)} {named} of {whole}: the scores cover only a part of the split"
    )


def split_under_two_paths(keys: Mapping[str, AbstractSet[str]]) -> Iterator[str]:
    """A message for each pair of paths that are probably one split; ``keys``: the keys of each split by its path."""
    for one, other in combinations(sorted(keys), 2):
        if PurePosixPath(one).name == PurePosixPath(other).name and keys[one].isdisjoint(keys[other]):
            yield (
                f"{one} and {other} have the same name and no key in common: run all shards of a split from the same "
                "folder, so that its path is the same"
            )


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
    cases = _cases_of(suites)
    config, metrics = _extended(chosen.plugins)
    documents, arena, judges = _scores(chosen, suites, cases, metrics)
    try:
        gates = gate_lines(chosen.fail_under, documents, metrics, arena, judges)
    except GateError as error:
        raise UsageError(f"--fail-under: {error}") from error
    if chosen.json:
        scores = {"tools": documents, "arena": arena, "claims": {"judges": judges, "pairs": []} if judges else None}
        write_json(chosen.json, {name: value for name, value in scores.items() if value})
    if documents:
        known = {"evaluation_mode": "conservative"}
        show(
            score_table([{**scores, **known, "tool_name": scores["split_name"]} for scores in documents], chosen.format)
        )
    if arena is not None:
        models = [
            {**row, **{key: stated_score(row, key) for key in _MODEL_SCORES.values()}} for row in arena["rankings"]
        ]
        columns = {"model": "model", "rank": "rank", "references": "total_refs"}
        show(table_of(models, {**columns, **_MODEL_SCORES}, chosen.format))
    if judges:
        claims = [{**figures, "judge": name, "total": judges[name]["total"]} for name, figures in claim_figures(judges)]
        show(table_of(claims, {"judge": "judge", "claims": "total", **_JUDGE_SCORES}, chosen.format))
    for text, passed in gates:
        show(f"{'passed' if passed else 'FAILED':<8}{text}")
    if config is not None:
        _hand_over(config, merged_result(suites, documents, arena))
    return 0 if all(passed for _, passed in gates) else 1


def _cases_of(suites: Sequence[Suite]) -> list[CheckResult]:
    """The cases of all suites, each once. Repeated ones and doubts are printed."""
    read = [(suite, list(_cases(suite))) for suite in suites]
    # An answer of a model may use one key for several references: the id of the reference identifies a case.
    known: dict[tuple[str, str, str], CheckResult] = {}
    repeated = differing = 0
    for case in (case for _, of_suite in read for case in of_suite):
        first = known.setdefault((case.split, case.id or case.key, case.check), case)
        repeated += first is not case
        differing += (first.outcome, first.verdict) != (case.outcome, case.verdict)
    if repeated:
        unlike = f" ({differing} with another outcome or verdict)" if differing else ""
        complain(f"citecheck score junit: {repeated} repeated cases{unlike}; the first of each counts")
    for warning in _warnings(read):
        complain(f"citecheck score junit: warning: {warning}")
    return list(known.values())


def _scores(
    chosen: argparse.Namespace, suites: Sequence[Suite], cases: Sequence[CheckResult], metrics: Sequence[Metric]
) -> tuple[list[dict[str, Any]], dict[str, Any] | None, dict[str, dict[str, Any]]]:
    """The scores of splits, models and judges. Raises UsageError, NotDoneError."""
    try:
        documents = score_cases(cases, replicates=chosen.bootstrap, metrics=metrics)
    except MetricError as error:
        raise UsageError(f"pytest_citecheck_metrics: {error}") from error
    try:
        arena = score_answers((properties for suite in suites for properties in suite.cases), chosen.min_checked)
    except ValueError as error:
        raise NotDoneError(f"{', '.join(map(str, chosen.files))}: a model's answer: {error}") from error
    judges = _judges(suites)
    if not documents and arena is None and not judges:
        raise NotDoneError("these files contain no labelled references, no answers of models and no verdicts on claims")
    return documents, arena, judges


_JUDGE_SCORES: Mapping[str, str] = {
    name.removeprefix("claims_"): name
    for name in ("claims_exact", "claims_lenient", "claims_binary", "claims_kappa", "claims_coverage")
}


def _judges(suites: Iterable[Suite]) -> dict[str, dict[str, Any]]:
    """The scores of the judges of claims. Raises NotDoneError."""
    from pytest_citecheck.models.claims import providers_of, rows_of_cases, strict_metrics  # noqa: PLC0415

    try:
        rows = rows_of_cases(case for suite in suites for case in suite.cases)
    except (ValueError, KeyError) as error:
        raise NotDoneError(f"a verdict on a claim: {error}") from error
    return {name: strict_metrics(own) for name, own in providers_of(rows).items()}


def _extended(plugins: Sequence[str]) -> tuple[pytest.Config | None, Sequence[Metric]]:
    """The configuration with these plugins and the metrics that they add; none without plugins. Raises UsageError."""
    if not plugins:
        return None, ()
    from pytest_citecheck.plugin import collect_extensions, plugins_of_command  # noqa: PLC0415

    try:
        config = plugins_of_command(plugins)
        return config, collect_extensions(config).metrics
    except pytest.UsageError as error:
        raise UsageError(str(error)) from error


def _hand_over(config: pytest.Config, result: RunResult) -> None:
    from pytest_citecheck.plugin import call_hook  # noqa: PLC0415

    try:
        call_hook(config.hook.pytest_citecheck_results, result=result)
    except pytest.UsageError as error:
        raise UsageError(str(error)) from error


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
            if case.entry is not None:
                keys[case.split].add(case.key)
    yield from split_under_two_paths(keys)
    runs = []
    for suite, cases in read:
        claims = {case["citecheck.claim.file"] for case in suite.cases if "citecheck.claim.file" in case}
        runs.append((suite.properties.get("citecheck.shard", ""), {case.split for case in cases} | claims))
    yield from missing_shards(runs)
