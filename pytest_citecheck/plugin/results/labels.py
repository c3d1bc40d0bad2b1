"""The labels of benchmark entries: known to what judges the checks, and to nothing else.

Items hold only the blind view of an entry (`pytest_citecheck.readers.hallmark.reader`). Labels are looked up here when a
finding is
there: to compare it with the truth (``--citecheck-expect=truth``) and to send the truth along with it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.benchmark.hallmark.cases import PREDICTED, answer
from pytest_citecheck.model import Unavailable
from pytest_citecheck.readers import reader_for
from pytest_citecheck.readers.hallmark.reader import HALLMARK
from pytest_citecheck.readers.hallmark.schema import SUBTESTS
from pytest_citecheck.readers.hallmark.split import load_split
from pytest_citecheck.verdict.policies import PolicyContext

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_citecheck.model import Finding
    from pytest_citecheck.readers.base import Reader
    from pytest_citecheck.readers.hallmark.schema import LabelledEntry
    from pytest_citecheck.verdict import Evaluation
    from pytest_citecheck.verdict.policies import Policy

__all__ = ["Labels", "disagreement", "predicted", "truth_of"]

_SUBTEST_OF = {check: subtest for subtest, check in SUBTESTS.items()}


class Labels:
    """The labelled entries of the splits of a run, each file read once, when it is first asked for."""

    def __init__(self, readers: Iterable[Reader]) -> None:
        self._readers = tuple(readers)
        self._files: dict[Path, Mapping[str, LabelledEntry]] = {}
        self._covered: dict[Path, bool] = {}

    def put(self, path: Path, entries: Iterable[LabelledEntry]) -> None:
        """State the labels of a file that has none of its own."""
        self._files[path] = {entry.key: entry for entry in entries}

    def covers(self, path: Path) -> bool:
        """Whether the file holds benchmark entries, with labels or without."""
        if path not in self._covered:
            self._covered[path] = bool(self._files.get(path)) or reader_for(str(path), self._readers) is HALLMARK
        return self._covered[path]

    def of(self, path: Path, key: str) -> LabelledEntry | None:
        """The entry of that key if the file is a split and says whether the entry is hallucinated. Raises OSError."""
        if path not in self._files:
            entries = load_split(path).entries if reader_for(str(path), self._readers) is HALLMARK else ()
            self._files[path] = {entry.key: entry for entry in entries if entry.label is not None}
        return self._files[path].get(key)


def truth_of(entry: LabelledEntry, check: str) -> bool | None:
    """What the sub-test that a check answers should say; None if it does not apply or the entry states no sub-tests."""
    return entry.subtests.get(_SUBTEST_OF[check])


def predicted(evaluation: Evaluation, policy: Policy) -> str:
    """The label that a reference gets: from its verdict, or from a policy that says what a hallucinated reference is.

    Such a policy leaves open only what a service that is down may know, and what has no title and authors to judge by. Whom the
    user did not want to be asked (``--citecheck-offline``) is not missed where a local index was: a label is a prediction, which
    may be wrong, and accuses nobody.
    """
    verdict, findings = evaluation.verdict.name, evaluation.findings
    if not policy.hallucinated:
        return PREDICTED[verdict]
    looked_up = any(not isinstance(asked.answer, Unavailable) for asked in evaluation.case.asked("title"))
    outage = evaluation.case.outage or not looked_up
    circumstances = replace(PolicyContext.of(evaluation), outage=outage)
    severities = {policy.severity(finding, circumstances) for finding in findings.values()}
    if severities & policy.hallucinated:
        return "HALLUCINATED"
    decided = all(findings[check].outcome != "unverifiable" for check in ("title", "authors"))
    return "VALID" if decided and not (outage and verdict == "unverified") else "UNCERTAIN"


def disagreement(
    entry: LabelledEntry, finding: Finding, check: str, evaluation: Evaluation, policy: Policy
) -> str | None:
    """How a decided finding contradicts its labelled sub-test; empty if it does not.

    What stands for the whole is compared with the label itself: what is predicted of the reference, for ``cross_db``, whose
    label is false for every hallucination, and for all checks of an entry without labelled sub-tests. None if there is nothing
    to compare: the sub-test does not apply, or the prediction is open.
    """
    if entry.subtests and check != "cross_db":
        expected = truth_of(entry, check)
        if expected is None:
            return None
        if expected == answer(check, finding.outcome, finding.code):
            return ""
        return f"{_SUBTEST_OF[check]} is labelled {str(expected).lower()}, and the check {finding.outcome} ({finding.code})"
    label = predicted(evaluation, policy)
    if label == "UNCERTAIN":
        return None
    rests_on = (
        f"policy {policy.name} makes it {label}" if policy.hallucinated else f"the verdict is {evaluation.verdict.name}"
    )
    return "" if label == entry.label else f"the entry is labelled {entry.label}, and {rests_on}"
