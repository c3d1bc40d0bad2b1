"""Baselines to compare tools with: predictions that ignore the citation, use a single property of it, or combine tools.

Source: HALLMARK, arXiv:2607.18360, section on baselines. Baselines send no requests; what they know about DOIs comes from the
predictions of a run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from pytest_citecheck.benchmark.hallmark.cascade import cascade
from pytest_citecheck.benchmark.hallmark.ensemble import VOTES, Voting, ensemble
from pytest_citecheck.benchmark.hallmark.oracles import Pool, by_subtest, by_title, by_venue, plain_title
from pytest_citecheck.benchmark.hallmark.prescreening import prescreened
from pytest_citecheck.readers.hallmark.schema import LabelledEntry, Prediction, Verdict3

__all__ = ["BASELINES", "Baseline", "BaselineError", "Given"]

_SEED = 42
_SHARE = 0.5
_RESOLVES = 0.85
_FAILS = 0.75
"""HALLMARK's confidence in an entry whose DOI resolves, and in one whose DOI does not."""
_PRESENCE = (0.8, 0.6)
_ORACLE = (0.8, 0.5)
"""HALLMARK's confidences of doi_presence and title_oracle: in HALLUCINATED, in VALID."""
_LAST_YEAR = 2026

Entries = Sequence[LabelledEntry]


class BaselineError(ValueError):
    """A baseline cannot be computed; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Given:
    """What a baseline is given besides the entries. runs: the predictions of tools. pool: the entries of other splits.

    voting: of an ensemble.
    """

    runs: Sequence[Sequence[Prediction]] = ()
    pool: Pool = ()
    voting: Voting | None = None


Decide = Callable[[Entries, Given], list[Prediction]]


@dataclass(frozen=True, slots=True)
class Baseline:
    """One baseline.

    summary: what it does, as a phrase. leaks: whether it reads gold labels; it is then a diagnostic of the split, not a
    tool. runs: the least and the most prediction files that it takes (None: any number). pooled: whether it needs a pool.
    """

    name: str
    summary: str
    decide: Decide
    leaks: bool = False
    runs: tuple[int, int | None] = (0, 0)
    pooled: bool = False

    def predict(
        self,
        entries: Entries,
        runs: Sequence[Sequence[Prediction]] = (),
        pool: Pool = (),
        voting: Voting | None = None,
    ) -> list[Prediction]:
        """One prediction per entry, in the order of the entries.

        runs: the predictions of other tools, one sequence per tool. pool: the labelled entries of other splits. voting: weights
        and threshold of a vote. Raises
        BaselineError for too few or too many runs, a pool that is missing or not used, or data that the split does not have.
        """
        least, most = self.runs
        if len(runs) < least:
            raise BaselineError(f"{self.name} needs the predictions of {least} tool{'s' if least > 1 else ''}")
        if most is not None and len(runs) > most:
            takes = {0: "no tool", 1: "only one tool"}.get(most, f"{most} tools")
            raise BaselineError(f"{self.name} takes the predictions of {takes}")
        if self.pooled and not any(entry.label == "VALID" for entry in pool):
            raise BaselineError(f"{self.name} needs a pool with VALID entries")
        if pool and not self.pooled:
            raise BaselineError(f"{self.name} takes no pool")
        if voting is not None and self.name not in {f"ensemble_{rule}" for rule in VOTES}:
            raise BaselineError(f"{self.name} takes no weights and no threshold")
        return [replace(said, source=self.name) for said in self.decide(entries, Given(runs, pool, voting))]


def _each(judge: Callable[[LabelledEntry], tuple[bool, str]], sure: tuple[float, float] = (0.5, 0.5)) -> Decide:
    """Predictions by a judgement of each entry alone: whether it is hallucinated, and why. sure: confidence of either label."""

    def decide(entries: Entries, _: Given) -> list[Prediction]:
        return [_sure(_said(entry, *judge(entry)), sure) for entry in entries]

    return decide


def _said(entry: LabelledEntry, hallucinated: bool, reason: str) -> Prediction:
    label: Verdict3 = "HALLUCINATED" if hallucinated else "VALID"
    return Prediction(entry.key, label, reason=reason)


def _sure(said: Prediction, confidences: tuple[float, float]) -> Prediction:
    return replace(said, confidence=confidences[said.label != "HALLUCINATED"])


def _random(entries: Entries, _: Given) -> list[Prediction]:
    draws = Random(_SEED)  # noqa: S311 - reproducible, not secret
    return [_said(entry, draws.random() < _SHARE, "random prediction") for entry in entries]


def _by_presence(entry: LabelledEntry) -> tuple[bool, str]:
    return (False, "the entry has a DOI") if _has_doi(entry) else (True, "the entry has no DOI")


def _has_doi(entry: LabelledEntry) -> bool:
    return bool(entry.fields.get("doi", "").strip())


def _by_year(entry: LabelledEntry) -> tuple[bool, str]:
    year = entry.fields.get("year", "").strip()
    late = year.isdecimal() and int(year) > _LAST_YEAR
    return late, f"the year is {'' if late else 'not '}after {_LAST_YEAR}"


def _duplicate_title(entries: Entries, _: Given) -> list[Prediction]:
    titles = [plain_title(entry) for entry in entries]
    count = Counter(filter(None, titles))
    return [
        _said(entry, count[title] > 1, f"{count[title]} entries of the split have this title")
        for entry, title in zip(entries, titles, strict=True)
    ]


def _resolved(given: Given) -> Mapping[str, bool | None]:
    """By key, whether the DOI resolves. Raises BaselineError."""
    found = {prediction.key: prediction.subtests.get("doi_resolves") for prediction in given.runs[0]}
    if all(answer is None for answer in found.values()):
        raise BaselineError("no prediction states whether a DOI resolves (`subtest_results.doi_resolves`)")
    return found


def _doi_resolution(entries: Entries, given: Given) -> list[Prediction]:
    found = _resolved(given)
    return [_by_doi(entry, found.get(entry.key), open_label="UNCERTAIN", sure=(0.5, 0.5)) for entry in entries]


def _doi_only(*, prescreen: bool) -> Decide:
    def decide(entries: Entries, given: Given) -> list[Prediction]:
        found = _resolved(given)
        said = [_by_doi(entry, found.get(entry.key), open_label="VALID", sure=(_FAILS, _RESOLVES)) for entry in entries]
        return [_overridden(*both) for both in zip(entries, said, strict=True)] if prescreen else said

    return decide


def _by_doi(
    entry: LabelledEntry, resolves: bool | None, *, open_label: Verdict3, sure: tuple[float, float]
) -> Prediction:
    """By whether the DOI resolves; where that is not known, the open label at .5."""
    if not _has_doi(entry):
        return Prediction(entry.key, open_label, reason="the entry has no DOI")
    if resolves is None:
        return Prediction(entry.key, open_label, reason="nothing is known about the DOI")
    said = _said(entry, not resolves, "the DOI resolves" if resolves else "the DOI does not resolve")
    return replace(_sure(said, sure), subtests={"doi_resolves": resolves})


def _overridden(entry: LabelledEntry, said: Prediction) -> Prediction:
    """The prediction, or what prescreening finds: it turns VALID into HALLUCINATED, never the other way."""
    found = prescreened(entry.fields) if said.label == "VALID" else None
    if found is None:
        return said
    confidence, reason = found
    return replace(said, label="HALLUCINATED", confidence=confidence, reason=reason, stage="prescreening")


def _oracle(judge: Callable[[Entries, Pool], list[tuple[bool, str]]], sure: tuple[float, float] = (1.0, 1.0)) -> Decide:
    def decide(entries: Entries, given: Given) -> list[Prediction]:
        said = [_said(entry, *judged) for entry, judged in zip(entries, judge(entries, given.pool), strict=True)]
        return [replace(_sure(one, sure), reason=f"diagnostic: {one.reason}") for one in said]

    return decide


def _gold(subtest: str) -> Decide:
    def judge(entries: Entries, _: Pool) -> list[tuple[bool, str]]:
        if not any(subtest in entry.subtests for entry in entries):
            raise BaselineError(f"this baseline needs `subtests.{subtest}`, which no entry of the split states")
        return by_subtest(entries, subtest)

    return _oracle(judge)


def _ensemble(rule: str) -> Decide:
    def decide(entries: Entries, given: Given) -> list[Prediction]:
        try:
            return ensemble([entry.key for entry in entries], given.runs, rule, given.voting)
        except ValueError as error:
            raise BaselineError(str(error)) from error

    return decide


def _cascade(*, aggressive: bool) -> Decide:
    return lambda entries, given: cascade([entry.key for entry in entries], *given.runs, aggressive=aggressive)


_SAME = "same prediction for every entry"
_MANY = (2, None)

# fmt: off
BASELINES: Mapping[str, Baseline] = {
    baseline.name: baseline
    for baseline in (
        Baseline("always_hallucinated", "calls every entry hallucinated", _each(lambda _: (True, _SAME), (1.0, 1.0))),
        Baseline("always_valid", "calls every entry valid", _each(lambda _: (False, _SAME), (1.0, 1.0))),
        Baseline("random", f"tosses a coin for every entry (seed {_SEED}, probability {_SHARE})", _random),
        Baseline("doi_presence", "calls an entry hallucinated if it has no DOI", _each(_by_presence, _PRESENCE)),
        Baseline("future_year", f"calls an entry hallucinated if its year is after {_LAST_YEAR}", _each(_by_year)),
        Baseline("duplicate_title", "calls an entry hallucinated if another entry has its title", _duplicate_title),
        Baseline("doi_only", "calls an entry hallucinated if its DOI did not resolve in a run, or prescreening finds a fault",
                 _doi_only(prescreen=True), runs=(1, 1)),
        Baseline("doi_only_no_prescreening", "calls an entry hallucinated if its DOI did not resolve in a run",
                 _doi_only(prescreen=False), runs=(1, 1)),
        Baseline("doi_resolution", "the same, but uncertain without a DOI or without information",
                 _doi_resolution, runs=(1, 1)),
        Baseline("title_oracle", "calls an entry hallucinated if a VALID entry of the pool has its title",
                 _oracle(by_title, _ORACLE),
                 leaks=True, pooled=True),
        Baseline("venue_oracle", "calls an entry hallucinated if its venue is not known from VALID entries of the pool",
                 _oracle(by_venue), leaks=True, pooled=True),
        Baseline("gold_title", "calls an entry hallucinated if its gold sub-test title_exists is false",
                 _gold("title_exists"), leaks=True),
        Baseline("gold_venue", "calls an entry hallucinated if its gold sub-test venue_correct is false",
                 _gold("venue_correct"), leaks=True),
        Baseline("ensemble_vote", "vote of the tools that decide, weighted by confidence", _ensemble("vote"), runs=_MANY),
        Baseline("ensemble_vote_decided", "the same", _ensemble("vote_decided"), runs=_MANY),
        Baseline("ensemble_mean", "mean probability of several tools", _ensemble("mean"), runs=_MANY),
        Baseline("ensemble_max", "the label of the most confident tool", _ensemble("max"), runs=_MANY),
        Baseline("ensemble_any", "hallucinated if any tool finds that more likely than not", _ensemble("any"), runs=_MANY),
        Baseline("cascade", "a tool, then a model for what the tool leaves open", _cascade(aggressive=False), runs=(2, 2)),
        Baseline("cascade_aggressive", "the same; what the model does not decide is hallucinated", _cascade(aggressive=True),
                 runs=(2, 2)),
    )
}
# fmt: on
"""All baselines by name."""
