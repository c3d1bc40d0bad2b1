"""The labels of benchmark entries, which the checks never see.

Items contain entries without their labels (`pytest_citecheck.readers.hallmark.reader`). Once there is a finding, the label is
looked up here: to compare the two (``--citecheck-expect=truth``) and to report it with the finding. What reads benchmarks is
imported for them only.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck import readers as formats  # loaded when it is asked
from pytest_citecheck.model import Unavailable
from pytest_citecheck.readers.registry import benchmark_reader
from pytest_citecheck.verdict.policies import PolicyContext

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_citecheck.model import Finding
    from pytest_citecheck.readers.base import Reader
    from pytest_citecheck.readers.hallmark.schema import LabelledEntry
    from pytest_citecheck.verdict import Evaluation
    from pytest_citecheck.verdict.policies import Policy

__all__ = ["Labels", "disagreement", "predicted", "truth_of"]


class Labels:
    """The labelled entries of the splits of a run. Each file is read once, on first access."""

    def __init__(self, readers: Iterable[Reader]) -> None:
        self._readers = tuple(readers)
        self._files: dict[Path, Mapping[str, LabelledEntry]] = {}
        self._covered: dict[Path, bool] = {}

    def put(self, path: Path, entries: Iterable[LabelledEntry]) -> None:
        """Set the labels of a file that does not contain any."""
        self._files[path] = {entry.key: entry for entry in entries}

    def covers(self, path: Path) -> bool:
        """Whether the file contains benchmark entries, with or without labels."""
        if path not in self._covered:
            self._covered[path] = bool(self._files.get(path)) or self._is_split(path)
        return self._covered[path]

    def of(self, path: Path, key: str) -> LabelledEntry | None:
        """The labelled entry with this key; None if the file has none. Raises OSError."""
        if path not in self._files:
            self._files[path] = self._labelled(path) if self._is_split(path) else {}
        return self._files[path].get(key)

    def _is_split(self, path: Path) -> bool:
        reader = formats.reader_for(str(path), self._readers)
        return reader is not None and ".jsonl" in reader.suffixes and reader is benchmark_reader()

    @staticmethod
    def _labelled(path: Path) -> Mapping[str, LabelledEntry]:
        from pytest_citecheck.readers.hallmark.split import load_split  # noqa: PLC0415

        return {entry.key: entry for entry in load_split(path).entries if entry.label is not None}


def _subtest_of(check: str) -> str:
    from pytest_citecheck.readers.hallmark.schema import SUBTESTS  # noqa: PLC0415

    return next(subtest for subtest, its_check in SUBTESTS.items() if its_check == check)


def truth_of(entry: LabelledEntry, check: str) -> bool | None:
    """The labelled result of the sub-test for a check; None if it does not apply or the entry has no sub-tests."""
    return entry.subtests.get(_subtest_of(check))


def predicted(evaluation: Evaluation, policy: Policy) -> str:
    """The predicted label of a reference: from its verdict, or from a policy that defines hallucinated references.

    What is unfindable is predicted to be hallucinated where that makes its title fail.

    With such a policy the prediction is UNCERTAIN only if an unavailable service may have the work, or if title or authors are
    undecided. With ``--citecheck-offline`` and a local index, the services that were not queried do not make it UNCERTAIN: a
    label is a prediction, which may be wrong, and not an accusation.
    """
    from pytest_citecheck.benchmark.hallmark.check_results import PREDICTED  # noqa: PLC0415

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
    """How a decided finding contradicts its labelled sub-test; empty if it does not.

    For ``cross_db``, whose label is false for every hallucination, and for entries without sub-tests, the predicted label of the
    reference is compared with its label instead. None if there is nothing to compare: the sub-test does not apply, or the
    prediction is UNCERTAIN.
    """
    if entry.subtests and check != "cross_db":
        from pytest_citecheck.benchmark.hallmark.check_results import subtest_answer  # noqa: PLC0415

        expected = truth_of(entry, check)
        if expected is None:
            return None
        if expected == subtest_answer(check, finding.outcome, finding.code):
            return ""
        return f"{_subtest_of(check)} is labelled {str(expected).lower()}, but the check {finding.outcome} ({finding.code})"
    label = predicted(evaluation, policy)
    if label == "UNCERTAIN":
        return None
    rests_on = (
        f"policy {policy.name} makes it {label}" if policy.hallucinated else f"the verdict is {evaluation.verdict.name}"
    )
    return "" if label == entry.label else f"the entry is labelled {entry.label}, but {rests_on}"
