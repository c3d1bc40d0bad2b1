"""Labelled references in a run: their labels, which the checks never see, the scores, thresholds and predictions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from pytest_citecheck.atomic_write import write_whole
from pytest_citecheck.benchmark.metrics import MetricError
from pytest_citecheck.checks import CHECKS, PolicyContext
from pytest_citecheck.inputs import reader_for
from pytest_citecheck.model import Unavailable
from pytest_citecheck.plugin import Scores, case_properties, one_of, output_file

if TYPE_CHECKING:
    from pytest_citecheck.benchmark.metrics import Metric
    from pytest_citecheck.benchmark.predictions import CheckResult
    from pytest_citecheck.checks import Evaluation, Policy
    from pytest_citecheck.inputs import Answered, Bibliography, LabelledEntry, Reader
    from pytest_citecheck.model import Finding, Reference
    from pytest_citecheck.plugin import CheckItem, CitecheckSession, Settings
    from pytest_citecheck.reports import RunResult
    from pytest_citecheck.screen import SafeReporter

# ruff: noqa: PLC0415 - most runs have no labels, and every run loads this file

_NEEDS_NUMPY = "scores need numpy: pip install '.[metrics]' in a checkout"
Payloads = Mapping[str, Mapping[str, dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class BenchmarkSettings:
    """gates: thresholds of scores, as the option states them. selftest: mutations of each type. compares: whether findings are
    compared with labels. predictions: the file to write them to."""

    gates: str = ""
    selftest: int = 0
    compares: bool = False
    predictions: Path | None = None


def read_benchmark_settings(value: Callable[[str], Any], metrics: Iterable[Metric]) -> BenchmarkSettings:
    """From the values of the options. metrics: of hooks. Raises pytest.UsageError."""
    expected = one_of("citecheck_expect", value("citecheck_expect") or "citation", ("citation", "truth"))
    selftest = _selftest(value("citecheck_selftest"))
    return BenchmarkSettings(
        _gates(value("citecheck_fail_under") or "", metrics),
        selftest,
        bool(selftest) or expected == "truth",
        output_file(value("citecheck_predictions")),
    )


def benchmark_settings(settings: Settings) -> BenchmarkSettings:
    """The settings of labels and scores of a run."""
    return cast("BenchmarkSettings", settings.features["benchmark"])


def _gates(text: str, metrics: Iterable[Metric]) -> str:
    if text and find_spec("numpy") is None:
        raise pytest.UsageError(_NEEDS_NUMPY)
    if text:
        from pytest_citecheck.benchmark.gates import GateError, parse_gates

        try:
            parse_gates(text, metrics)
        except GateError as error:
            raise pytest.UsageError(f"--citecheck-fail-under: {error}") from error
    return text


def _selftest(text: str | None) -> int:
    """Mutations of each type; 0 for none."""
    if not text:
        return 0
    if not (text.isascii() and text.isdecimal() and int(text) > 0):
        raise pytest.UsageError(f"--citecheck-selftest takes a number of references of each type, not {text!r}")
    return int(text)


class Labels:
    """The labelled entries of the splits of a run. Each file is read once, on first access."""

    def __init__(self, readers: Iterable[Reader]) -> None:
        self._readers = tuple(readers)
        self._files: dict[Path, Mapping[str, LabelledEntry]] = {}
        self._splits: dict[Path, bool] = {}

    def put(self, path: Path, entries: Iterable[LabelledEntry]) -> None:
        """Set the labels of a file that does not contain any."""
        self._files[path] = {entry.key: entry for entry in entries}
        self._splits[path] = bool(self._files[path]) or self._is_split(path)

    def covers(self, path: Path) -> bool:
        """Return True if the file contains benchmark entries, with or without labels."""
        if path not in self._splits:
            self._splits[path] = self._is_split(path)
        return self._splits[path]

    def of(self, path: Path, key: str) -> LabelledEntry | None:
        """The labelled entry with this key; None if the file has none. Raises OSError."""
        if path not in self._files:
            entries: Iterable[LabelledEntry] = ()
            if self._is_split(path):
                from pytest_citecheck.inputs import load_split

                entries = load_split(path).entries
            self._files[path] = {entry.key: entry for entry in entries if entry.label is not None}
        return self._files[path].get(key)

    def _is_split(self, path: Path) -> bool:
        from pytest_citecheck.inputs import benchmark_reader

        reader = reader_for(str(path), self._readers)
        return reader is not None and ".jsonl" in reader.suffixes and reader is benchmark_reader()


def predicted(evaluation: Evaluation, policy: Policy) -> str:
    """The predicted label of a reference: from its verdict, or from a policy that defines hallucinated references.

    An unfindable reference is predicted to be hallucinated if its title fails for that reason.

    With such a policy the prediction is UNCERTAIN only if an unavailable service may have the work, or if title or
    authors are undecided. With ``--citecheck-offline`` and a local index, the services that were not queried do not
    make it UNCERTAIN: a label is a prediction, which may be wrong, and not a failure.
    """
    from pytest_citecheck.benchmark.predictions import PREDICTED

    verdict, findings = evaluation.verdict.name, evaluation.findings
    if not policy.hallucinated:
        invented = verdict == "unfindable" and findings["title"].outcome == "failed"
        return "HALLUCINATED" if invented else PREDICTED[verdict]
    looked_up = any(not isinstance(asked.answer, Unavailable) for asked in evaluation.case.asked("title"))
    outage = evaluation.case.outage or not looked_up
    context = replace(PolicyContext.of(evaluation), outage=outage)
    severities = {policy.severity(finding, context) for finding in findings.values()}
    if severities & policy.hallucinated:
        return "HALLUCINATED"
    decided = all(findings[check].outcome != "unverifiable" for check in ("title", "authors"))
    return "VALID" if decided and not (outage and verdict == "undecided") else "UNCERTAIN"


def disagreement(
    entry: LabelledEntry, finding: Finding, check: str, evaluation: Evaluation, policy: Policy
) -> str | None:
    """Return the contradiction between a decided finding and its labelled sub-test, or an empty string.

    For ``cross_db``, whose label is false for every hallucination, and for entries without sub-tests, the predicted label of the
    reference is compared with its label instead. None if there is nothing to compare: the sub-test does not apply, or the
    prediction is UNCERTAIN.
    """
    from pytest_citecheck.benchmark.predictions import SUBTEST_OF, subtest_answer

    if entry.subtests and check != "cross_db":
        subtest = SUBTEST_OF[check]
        expected = entry.subtests.get(subtest)
        if expected is None:
            return None
        if expected == subtest_answer(check, finding.outcome, finding.code):
            return ""
        return f"{subtest} is labelled {str(expected).lower()}, but the check {finding.outcome} ({finding.code})"
    label = predicted(evaluation, policy)
    if label == "UNCERTAIN":
        return None
    by_policy = f"policy {policy.name} classifies it as {label}"
    why = by_policy if policy.hallucinated else f"the verdict is {evaluation.verdict.name}"
    return "" if label == entry.label else f"the entry is labelled {entry.label}, but {why}"


def answer_properties(
    answered: Answered, repeated: int, reference: Reference, evaluation: Evaluation | None, check: str
) -> dict[str, str]:
    """Name and value of the properties that the metrics of models need.

    repeated: number of repetitions of the reference in the same answer. evaluation: None for an unreadable reference.
    Only one of the checks has the result of the Arena's rule.
    """
    from pytest_citecheck.benchmark.usage import usage_text
    from pytest_citecheck.inputs import NO_USAGE

    group = answered.group
    stated = {
        "model": group.model,
        "query": str(group.number),
        "sample": str(group.sample),
        "discipline": group.discipline,
        "language": group.language,
        "tool": "yes" if group.tool else "",
        "served": group.served,
        "requested": _number(group.requested),
        "earliest": _number(group.earliest),
        "latest": _number(group.latest),
        "repeated": str(repeated or ""),
        "delivery": next((defect.code for defect in reference.defects if defect.code in _DELIVERY), ""),
    }
    if check in ("title", "syntax") and group.usage != NO_USAGE:
        stated["usage"] = usage_text(group.usage)
    if evaluation is not None:
        metadata = evaluation.case.cited
        cited = {"doi": metadata.identifiers.doi, "year": metadata.year_text, "authors": metadata.people.names}
        stated["cited"] = " ".join(name for name, value in cited.items() if value)
        stated["year"] = _number(metadata.year)
        works = (*evaluation.case.works, *evaluation.case.near_matches)
        if works:
            stated["found_years"] = " ".join(map(str, works[0].record.years))
            stated["found_by"] = works[0].record.source
        if check == "title":
            from pytest_citecheck.benchmark.strict_rule import strict_result

            stated["strict"] = strict_result(reference, evaluation.case.evidence, group.discipline).to_text()
    return {f"citecheck.answer.{name}": value for name, value in stated.items() if value}


_DELIVERY = frozenset({"answer-missing", "answer-empty", "answer-unread", "answer-not-asked"})


def _number(value: int | None) -> str:
    return "" if value is None else str(value)


def score_run(
    payloads: Payloads,
    gates: str,
    metrics: Sequence[Metric] = (),
    least_coverage: float | None = None,
    judges: Mapping[str, Any] | None = None,
) -> Scores:
    """The scores of a run over labelled references. gates: as in ``--citecheck-fail-under``.

    metrics: additional metrics, of hooks. least_coverage: the share of a model's references that must be checked before it is
    ranked; None: the default. judges: the scores of judges of claims. Raises MetricError if one of them fails.
    """
    if not gates and not any(data["truth"] or data["answer"] for data in _everything(payloads)):
        return Scores()
    if find_spec("numpy") is None:
        return Scores(problem=_NEEDS_NUMPY)
    from pytest_citecheck.benchmark import LEAST_COVERAGE, gate_lines, score_answers, score_cases

    documents = score_cases(_cases(payloads), metrics=metrics)
    arena = score_answers(
        (dict(case_properties(data)) for data in _everything(payloads) if data["answer"]),
        LEAST_COVERAGE if least_coverage is None else least_coverage,
    )
    return Scores(tuple(documents), tuple(gate_lines(gates, documents, metrics, arena, judges)), arena)


def run_predictions(payloads: Payloads) -> str:
    """One prediction per line for each checked reference, in the order of files and lines."""
    from pytest_citecheck.benchmark.predictions import by_split, predictions_text

    reasons = {
        (data["file"], data["key"]): data["verdict"]["reason"] for data in _everything(payloads) if data["verdict"]
    }
    return predictions_text(
        replace(prediction, reason=reasons[name, prediction.key])
        for name, (_, predictions) in by_split(_cases(payloads)).items()
        for prediction in predictions
    )


def _cases(payloads: Payloads) -> Iterable[CheckResult]:
    from pytest_citecheck.benchmark.predictions import CheckResult

    for data in _everything(payloads):
        case = CheckResult.from_properties(dict(case_properties(data)))
        if case is not None:
            yield case


def _everything(payloads: Payloads) -> Iterator[dict[str, Any]]:
    """All payloads, one at a time, because each is unpacked on access."""
    for checks in payloads.values():
        yield from checks.values()


class BenchmarkRun:
    """The part of labels and scores in a run."""

    def __init__(self, citecheck: CitecheckSession) -> None:
        self.citecheck = citecheck
        self.settings = benchmark_settings(citecheck.settings)
        self.labels = Labels(citecheck.extensions.readers)
        citecheck.compares = self.settings.compares

    def pytest_citecheck_read(self, path: Path, bibliography: Bibliography) -> Bibliography | None:
        """The references of a self-test."""
        if not self.settings.selftest:
            return None
        from pytest_citecheck.benchmark.selftest import with_mutations

        indexes, year = self.citecheck.settings.indexes, self.citecheck.today.year
        whole, entries = with_mutations(bibliography, self.settings.selftest, year, indexes)
        self.labels.put(path, entries)
        return whole

    def pytest_citecheck_disagreement(self, item: CheckItem, finding: Finding, evaluation: Evaluation) -> str | None:
        if item.check not in CHECKS:  # there are no labels for checks from hooks
            return None
        entry = self.labels.of(item.path, item.reference.key)
        if entry is None:
            return None
        return disagreement(entry, finding, item.check, evaluation, self.citecheck.settings.policy)

    def pytest_citecheck_payload(self, item: CheckItem, evaluation: Evaluation | None, data: dict[str, Any]) -> None:
        # A second entry with the same key is unreadable; the label belongs to the first.
        entry = self.labels.of(item.path, item.reference.key) if item.reference.readable else None
        if entry is not None:
            from pytest_citecheck.benchmark.predictions import truth_properties

            data["truth"] = truth_properties(entry)
        if item.answered is not None:
            data["answer"] = answer_properties(item.answered, item.repeated, item.reference, evaluation, item.check)
        if evaluation is not None and self.labels.covers(item.path):
            from pytest_citecheck.benchmark.predictions import PREDICTED

            policy = self.citecheck.settings.policy
            label = predicted(evaluation, policy)
            if policy.hallucinated or label != PREDICTED[evaluation.verdict.name]:  # else the verdict implies it
                data["verdict"]["label"] = label

    def pytest_citecheck_scores(self, sections: Mapping[str, Any]) -> Scores:
        """Compute the scores; an error of a metric costs them all."""
        metrics, settings = self.citecheck.extensions.metrics, self.citecheck.settings
        judges = (sections.get("claims") or {}).get("judges")
        try:
            payloads = self.citecheck.payloads
            return score_run(payloads, self.settings.gates, metrics, settings.min_checked or None, judges)
        except MetricError as error:
            return Scores(problem=str(error), failed=f"pytest_citecheck_metrics: {error}")

    def pytest_citecheck_write_scores(self, reporter: SafeReporter, scores: Scores, result: RunResult) -> None:
        from pytest_citecheck.benchmark.scorecard import write_scores

        write_scores(reporter, scores, result, selftest=bool(self.settings.selftest))

    def pytest_citecheck_files(self) -> list[str]:
        """Write the predictions."""
        file = self.settings.predictions
        try:
            if file is not None:
                write_whole(file, run_predictions(self.citecheck.payloads))
        except OSError as error:
            return [f"{file} could not be written: {error.strerror or error}"]
        return []
