"""The outcomes of sub-tests against what they should say. Positive means that the sub-test passes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pytest_citecheck.benchmark.metrics.confusion import share_of
from pytest_citecheck.benchmark.metrics.pairs import Pairs
from pytest_citecheck.readers.hallmark.schema import SUBTESTS

__all__ = ["SubtestScore", "subtest_scores", "subtest_scores_cleaned"]


@dataclass(frozen=True, slots=True)
class SubtestScore:
    """accuracy: the share of ``count`` outcomes that equal the gold value (None if count is 0); ``correct`` of them do."""

    accuracy: float | None
    count: int
    correct: int
    tp: int
    fp: int
    tn: int
    fn: int


def _score(outcomes: Iterable[tuple[bool | None, bool]]) -> SubtestScore:
    rows = list(outcomes)
    matches = sum(gold == said for gold, said in rows)
    return SubtestScore(
        accuracy=share_of(matches, len(rows)),
        count=len(rows),
        correct=matches,
        tp=sum(gold is True and said for gold, said in rows),
        fp=sum(gold is not True and said for gold, said in rows),
        tn=sum(gold is not True and not said for gold, said in rows),
        fn=sum(gold is True and not said for gold, said in rows),
    )


def _outcomes(pairs: Pairs, name: str) -> Iterable[tuple[bool | None, bool, bool]]:
    """(gold, said, whether the entry has a DOI) where both sides have the sub-test and the tool decided it."""
    for entry, answer in pairs.answered():
        said = answer.subtests.get(name)
        if name in entry.subtests and said is not None:
            yield entry.subtests[name], said, bool(entry.fields.get("doi"))


def subtest_scores(pairs: Pairs) -> dict[str, SubtestScore]:
    """By the name of the sub-test, as HALLMARK scores it: gold null never matches, and counts as negative."""
    return {name: _score((gold, said) for gold, said, _ in _outcomes(pairs, name)) for name in SUBTESTS}


def subtest_scores_cleaned(pairs: Pairs) -> dict[str, SubtestScore]:
    """The same without gold null, and ``doi_resolves`` only where the entry has a DOI."""
    return {
        name: _score(
            (gold, said)
            for gold, said, has_doi in _outcomes(pairs, name)
            if gold is not None and (has_doi or name != "doi_resolves")
        )
        for name in SUBTESTS
    }
