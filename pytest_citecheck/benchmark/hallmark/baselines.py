"""Baselines to compare tools with: predictions that ignore the citation, or use a single property of it.

Source: HALLMARK, arXiv:2607.18360, section on baselines. Baselines send no requests; what they know about DOIs comes from the
predictions of a run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from pytest_citecheck.benchmark.hallmark.ensemble import ensemble
from pytest_citecheck.readers.hallmark.schema import LabelledEntry, Prediction, Verdict3

__all__ = ["BASELINES", "Baseline", "BaselineError"]

_SEED = 42
_SHARE = 0.5

Entries = Sequence[LabelledEntry]
Runs = Sequence[Sequence[Prediction]]


class BaselineError(ValueError):
    """A baseline cannot be computed; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """One baseline.

    summary: what it does, as a phrase. leaks: whether it reads the gold labels; it is then a diagnostic of the split, not a
    tool. runs: the least and the most prediction files that it takes (None: any number).
    """

    name: str
    summary: str
    decide: Callable[[Entries, Runs], list[Prediction]]
    leaks: bool = False
    runs: tuple[int, int | None] = (0, 0)

    def predict(self, entries: Entries, runs: Runs = ()) -> list[Prediction]:
        """One prediction per entry, in the order of the entries.

        runs: the predictions of other tools, one sequence per tool. Raises BaselineError for too few or too many runs, or if
        the split does not contain the data that the baseline reads.
        """
        least, most = self.runs
        if len(runs) < least:
            raise BaselineError(f"{self.name} needs the predictions of {least} tool{'s' if least > 1 else ''}")
        if most is not None and len(runs) > most:
            raise BaselineError(f"{self.name} takes the predictions of {'only one tool' if most else 'no tool'}")
        return self.decide(entries, runs)


def _always(label: Verdict3) -> Callable[[Entries, Runs], list[Prediction]]:
    def decide(entries: Entries, _: Runs) -> list[Prediction]:
        name = "always_hallucinated" if label == "HALLUCINATED" else "always_valid"
        return [
            Prediction(entry.key, label, reason="same prediction for every entry", source=name) for entry in entries
        ]

    return decide


def _random(entries: Entries, _: Runs) -> list[Prediction]:
    draws = Random(_SEED)  # noqa: S311 - reproducible, not secret
    return [
        Prediction(
            entry.key,
            "HALLUCINATED" if draws.random() < _SHARE else "VALID",
            reason="random prediction",
            source="random",
        )
        for entry in entries
    ]


def _doi_presence(entries: Entries, _: Runs) -> list[Prediction]:
    return [
        Prediction(entry.key, "VALID", reason="the entry has a DOI", source="doi_presence")
        if _has_doi(entry)
        else Prediction(entry.key, "HALLUCINATED", reason="the entry has no DOI", source="doi_presence")
        for entry in entries
    ]


def _has_doi(entry: LabelledEntry) -> bool:
    return bool(entry.fields.get("doi", "").strip())


def _doi_only(entries: Entries, runs: Runs) -> list[Prediction]:
    answers = {prediction.key: prediction.subtests.get("doi_resolves") for prediction in runs[0]}
    if all(answer is None for answer in answers.values()):
        raise BaselineError("no prediction states whether a DOI resolves (`subtest_results.doi_resolves`)")
    return [_by_doi(entry, answers.get(entry.key)) for entry in entries]


def _by_doi(entry: LabelledEntry, resolves: bool | None) -> Prediction:
    if not _has_doi(entry):
        return Prediction(entry.key, "UNCERTAIN", reason="the entry has no DOI", source="doi_only")
    if resolves is None:
        return Prediction(entry.key, "UNCERTAIN", reason="nothing is known about the DOI", source="doi_only")
    label: Verdict3 = "VALID" if resolves else "HALLUCINATED"
    reason = "the DOI resolves" if resolves else "the DOI does not resolve"
    return Prediction(entry.key, label, reason=reason, subtests={"doi_resolves": resolves}, source="doi_only")


def _oracle(subtest: str, name: str) -> Callable[[Entries, Runs], list[Prediction]]:
    def decide(entries: Entries, _: Runs) -> list[Prediction]:
        if not any(subtest in entry.subtests for entry in entries):
            raise BaselineError(f"{name} needs `subtests.{subtest}`, which no entry of the split states")
        return [
            Prediction(
                entry.key,
                "HALLUCINATED" if entry.subtests.get(subtest) is False else "VALID",
                confidence=1.0,
                reason=f"diagnostic: read from the gold sub-test {subtest}",
                source=name,
            )
            for entry in entries
        ]

    return decide


def _ensemble(rule: str) -> Callable[[Entries, Runs], list[Prediction]]:
    def decide(entries: Entries, runs: Runs) -> list[Prediction]:
        return ensemble([entry.key for entry in entries], runs, rule)

    return decide


BASELINES: Mapping[str, Baseline] = {
    baseline.name: baseline
    for baseline in (
        Baseline("always_hallucinated", "calls every entry hallucinated", _always("HALLUCINATED")),
        Baseline("always_valid", "calls every entry valid", _always("VALID")),
        Baseline("random", f"tosses a coin for every entry (seed {_SEED}, probability {_SHARE})", _random),
        Baseline("doi_presence", "calls an entry hallucinated if it has no DOI", _doi_presence),
        Baseline(
            "doi_only",
            "calls an entry hallucinated if its DOI did not resolve in a run; uncertain without a DOI",
            _doi_only,
            runs=(1, 1),
        ),
        Baseline(
            "title_oracle",
            "calls an entry hallucinated if its gold sub-test title_exists is false",
            _oracle("title_exists", "title_oracle"),
            leaks=True,
        ),
        Baseline(
            "venue_oracle",
            "calls an entry hallucinated if its gold sub-test venue_correct is false",
            _oracle("venue_correct", "venue_oracle"),
            leaks=True,
        ),
        Baseline("ensemble_vote", "vote of several tools, weighted by confidence", _ensemble("vote"), runs=(2, None)),
        Baseline("ensemble_mean", "mean probability of several tools", _ensemble("mean"), runs=(2, None)),
        Baseline("ensemble_max", "highest probability of several tools", _ensemble("max"), runs=(2, None)),
    )
}
"""All baselines by name."""
