"""Fit the probability that a citation is wrong on HALLMARK and real bibliographies, and measure its calibration.

    CITECHECK_SHARED=FOLDER python -m benchmarks.fit_probability --index works.index [--write]

Prints the section "Figures" of docs/evidence/probability.md. Each half of dev_public (split by work) is scored with the model
fitted on the other half; temporal_448 is never used for fitting. ``--write`` stores the model fitted on all of dev_public in
``pytest_citecheck/checks/data/probability.json``. A second run on the same day writes the same bytes.

An index made for a benchmark has nearly all of its correct works, so a missing work is invented. This is not true of other
bibliographies. Every reference is therefore evaluated three times: with the data of the index, with the data that arXiv would
have, and without any. Each of these is repeated with all services silent (``--citecheck-offline``) and with no services at all.
The six evaluations count as one reference.

Nearly all references of real bibliographies are correct, and an index has few of them. They (`judged_bibliographies`) have the
same total weight as HALLMARK. The probabilities are for the share of wrong references in this mixture (``prior`` in the file),
and the last table shows them for the share in real bibliographies.
"""

from __future__ import annotations

import argparse
import datetime
import json
import math
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from pathlib import Path
from statistics import fmean
from typing import cast

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy import halves, number
from benchmarks.judged_bibliographies import JudgedReference, judged_bibliographies
from benchmarks.offline_evidence import ThinnedIndex, hallmark_references, offline_evidence
from pytest_citecheck.benchmark import PREDICTED, Pairs, brier, ece_file_order, ece_fixed_width, ece_tie_safe, pair
from pytest_citecheck.checks import CHECKS, Model, ReferenceCase, decide, features, findings
from pytest_citecheck.inputs import LabelledEntry, Prediction, Verdict3, load_split
from pytest_citecheck.lookup import IndexSource
from pytest_citecheck.model import Evidence, Query, Record, Reference, VerdictName
from pytest_citecheck.sources import SOURCES

_DATA = Path(__file__).parent.parent / "pytest_citecheck" / "checks" / "data" / "probability.json"
_COMMAND = "python -m benchmarks.fit_probability --index works.index --write"
_PENALTIES = {
    "verified": 0.05,
    "failed": 0.05,
    "rule": 0.5,
    "outcome": 0.5,
    "code": 2.0,
    "agree": 0.5,
    "unavailable": 0.5,
}
"""Half of them times the squared coefficient is added to the log loss: verdicts are fitted, codes have to earn theirs."""
_ROUNDS, _SWEEPS = 30, 200
Numbers = NDArray[np.float64]
_EDGES = (0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.98, 0.99, 1.01)
Judged = tuple[VerdictName, tuple[str, ...]]
"""The name of the verdict, and the features that are on."""


@dataclass(frozen=True, slots=True)
class Row:
    """An entry evaluated under one condition; the first condition is ``--citecheck-offline``."""

    entry: LabelledEntry
    condition: str
    verdict: VerdictName
    features: tuple[str, ...]

    @property
    def wrong(self) -> bool:
        return self.entry.label == "HALLUCINATED"


Scored = tuple[Row, float]


def _as_a_preprint(query: Query, record: Record) -> Record | None:
    """Return arXiv's record of the work: without its later venue, and None for a query with a publisher's DOI."""
    if query.kind not in ("title", "arxiv"):
        return None
    return replace(record, source="arxiv", type="preprint", venues=("arXiv",), doi="", related=(), editors=())


def rows(split: Path, path: Path, today: datetime.date) -> Iterator[Row]:
    """Every entry under every condition."""
    entries = {entry.key: entry for entry in load_split(split).entries}
    references = hallmark_references(split)
    indexes = {
        "whole": IndexSource(path, "index"),
        "of preprints": ThinnedIndex(path, _as_a_preprint),
        "empty": ThinnedIndex(path, lambda *_: None),
    }
    for services, sources in (("silent", SOURCES), ("none", ())):
        for name, index in indexes.items():
            for reference, evidence in offline_evidence(references, index, sources, today):
                condition = f"services {services}, index {name}"
                yield Row(entries[reference.key], condition, *_judged(reference, evidence, today))
    for index in indexes.values():
        index.close()


def _judged(reference: Reference, evidence: Evidence, today: datetime.date) -> Judged:
    case = ReferenceCase(reference, evidence, today)
    found = findings(case)
    ruling = decide(case, found)
    return ruling.name, features(case, found, ruling)


def fit(judged: Sequence[Row], real: Sequence[JudgedReference] = ()) -> Model:
    """Return the coefficients that maximise the penalised likelihood, by iteratively reweighted least squares.

    The coefficients of failed checks are non-negative and those of agreement non-positive, regardless of the data: another
    failed check never makes a citation more probable. The bounded least squares are solved coordinate by coordinate (Friedman,
    Hastie, Tibshirani, "Regularization paths for generalized linear models via coordinate descent", 2010).
    """
    every: list[Row | JudgedReference] = [*judged, *real]
    names = sorted({name for row in every for name in row.features})
    place = {name: number for number, name in enumerate(names, start=1)}
    on = np.zeros((len(every), len(names) + 1))
    on[:, 0] = 1
    for number_, row in enumerate(every):
        on[number_, [place[name] for name in row.features]] = 1
    wrong = np.array([row.wrong for row in every], dtype=float)
    share = _weights(judged, real)
    penalties = np.array([0.0, *map(_penalty, names)])
    bounds = [(-math.inf, math.inf), *map(_bounds, names)]
    found = np.zeros(len(names) + 1)
    for _ in range(_ROUNDS):
        chance = 1 / (1 + np.exp(-(on @ found)))
        curvature = share * np.maximum(chance * (1 - chance), 1e-5)
        hessian = (on * curvature[:, None]).T @ on
        target = hessian @ found + on.T @ (share * (wrong - chance))
        found = _least_squares(hessian + np.diag(penalties), target, bounds, found)
    return Model(round(float(found[0]), 4), {name: round(float(found[at]), 4) for name, at in place.items()})


def _weights(judged: Sequence[Row], real: Sequence[JudgedReference]) -> Numbers:
    """Return the weight of each row: 1 in total for the conditions of a reference; real references and benchmark weigh the
    same.
    """
    conditions = len({row.condition for row in judged})
    real_share = len(judged) / conditions / max(len(real), 1)
    return np.array([1 / conditions] * len(judged) + [real_share] * len(real))


def prior(judged: Sequence[Row], real: Sequence[JudgedReference]) -> float:
    """The share of wrong references in the mixture."""
    return fmean((fmean(row.wrong for row in judged), fmean(one.wrong for one in real)))


def _penalty(name: str) -> float:
    head, *rest = name.split(":")
    return _PENALTIES.get(head) or _PENALTIES["code" if len(rest) > 1 else "outcome"]


def _bounds(name: str) -> tuple[float, float]:
    head = name.partition(":")[0]
    if head == "agree":
        return -math.inf, 0.0
    return (0.0 if head in CHECKS or head == "failed" else -math.inf), math.inf


def _least_squares(matrix: Numbers, target: Numbers, bounds: Sequence[tuple[float, float]], start: Numbers) -> Numbers:
    """The minimum of ½wᵀ·matrix·w - targetᵀ·w within the bounds."""
    found = start.copy()
    for _ in range(_SWEEPS):
        before = found.copy()
        for at, (lowest, highest) in enumerate(bounds):
            rest = target[at] - matrix[at] @ found + matrix[at, at] * found[at]
            found[at] = min(max(rest / matrix[at, at], lowest), highest)
        if np.abs(found - before).max() < 1e-7:
            break
    return found


def scored(judged: Iterable[Row], model: Model) -> list[Scored]:
    """Each row with the probability that its citation is wrong."""
    return [(row, model.probability(row.verdict, row.features)) for row in judged]


def _pairs(of: Sequence[Scored]) -> Pairs:
    predictions = []
    for row, chance in of:
        label = cast("Verdict3", PREDICTED[row.verdict])
        predictions.append(Prediction(row.entry.key, label, 1 - chance if label == "VALID" else chance))
    return pair([row.entry for row, _ in of], predictions)


def tell(name: str, of: Sequence[Scored]) -> None:
    """Print how well the probabilities of these rows, all of one condition, are calibrated: one line of the table."""
    pairs = _pairs(of)
    decided = sum(1 for _ in pairs.committed())
    squares = [(chance - row.wrong) ** 2 for row, chance in of]
    losses = [-math.log(chance if row.wrong else 1 - chance) for row, chance in of]
    figures = (ece_file_order(pairs), ece_tie_safe(pairs), ece_fixed_width(pairs), brier(pairs))
    means = (math.fsum(squares) / len(of), math.fsum(losses) / len(of))
    print(f"| {name} | {len(of)} | {decided} | {' | '.join(map(number, (*figures, *means)))} |")


def tell_reliability(name: str, of: Sequence[Scored]) -> None:
    """Print, by the probability stated, how many citations there are, of all verdicts, and how many are wrong."""
    print(f"\n{name}:\n")
    print("| probability | verdicts | n | mean | wrong |\n|---|---|---|---|---|")
    for low, high in pairwise(_EDGES):
        inside = [(row, chance) for row, chance in of if low <= chance < high]
        if inside:
            count = Counter(row.verdict for row, _ in inside)
            mean, wrong = fmean(chance for _, chance in inside), fmean(row.wrong for row, _ in inside)
            verdicts = ", ".join(sorted(count))
            print(f"| {low:g} to {min(high, 1):g} | {verdicts} | {len(inside)} | {mean:.3f} | {wrong:.3f} |")


def tell_real(real: Sequence[JudgedReference], model: Model, assumed: float) -> None:
    """Print the probabilities for the share of wrong references in real bibliographies.

    assumed: share of wrong references in the fit.
    """
    share = fmean(one.wrong for one in real)
    factor = share / (1 - share) * (1 - assumed) / assumed
    print(f"\nReal bibliographies, of which {share:.4f} are wrong (odds times {factor:.4f}):\n")
    print("| verdict | n | stated | with that share | wrong |\n|---|---|---|---|---|")
    for verdict in ("verified", "undecided", "misdescribed", "fabricated"):
        chances = [(model.probability(one.verdict, one.features), one.wrong) for one in real if one.verdict == verdict]
        if chances:
            shifted = fmean(chance * factor / (chance * factor + 1 - chance) for chance, _ in chances)
            stated, wrong = fmean(chance for chance, _ in chances), fmean(one for _, one in chances)
            print(f"| {verdict} | {len(chances):,} | {stated:.4f} | {shifted:.4f} | {wrong:.4f} |")


def tables(dev: Sequence[Row], temporal: Sequence[Row], real: Sequence[JudgedReference]) -> None:
    """Print the calibration on data that was not used for the fit."""
    parts = [{entry.key for entry in half} for half in halves([row.entry for row in dev])]
    one, other = ([row for row in dev if row.entry.key in part] for part in parts)
    crossed = {
        "dev_public, one half": scored(one, fit(other, real)),
        "dev_public, other half": scored(other, fit(one, real)),
    }
    fitted = fit(dev, real)
    whole = {"dev_public": list(chain(*crossed.values())), "temporal_448": scored(temporal, fitted)}
    conditions = list(dict.fromkeys(row.condition for row in dev))
    print(
        "| condition | scored | n | decided | ECE | ties together | equal widths | Brier | Brier, all | log loss, all |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for condition in conditions:
        for name, of in {**(crossed if condition == conditions[0] else {}), **whole}.items():
            tell(f"{condition} | {name}", [item for item in of if item[0].condition == condition])
    for name, of in whole.items():
        tell_reliability(f"{name}, {conditions[0]}", [item for item in of if item[0].condition == conditions[0]])
    tell_real(real, fitted, prior(dev, real))


def written(model: Model, dev: Sequence[Row], real: Sequence[JudgedReference], today: datetime.date) -> str:
    """Return the data file: the model, its training data, and for each feature the number of rows with it and of wrong ones."""
    every: list[Row | JudgedReference] = [*dev, *real]
    count = Counter(name for row in every for name in row.features)
    wrong = Counter(name for row in every for name in row.features if row.wrong)
    stated = {
        "date": today.isoformat(),
        "data": "HALLMARK (arXiv:2607.18360), all of dev_public, judged under six conditions, and as often real bibliographies",
        "command": _COMMAND,
        "n": len({row.entry.key for row in dev}),
        "wrong": len({row.entry.key for row in dev if row.wrong}),
        "real": len(real),
        "real_wrong": sum(one.wrong for one in real),
        "prior": round(prior(dev, real), 4),
        "conditions": list(dict.fromkeys(row.condition for row in dev)),
        "penalties": _PENALTIES,
        "intercept": model.intercept,
        "coefficients": model.coefficients,
        "rows": {name: [count[name], wrong[name]] for name in model.coefficients},
    }
    lines = [f"  {json.dumps(name)}: {_value(value)}" for name, value in stated.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _value(value: object) -> str:
    """Format as JSON, with one entry of a mapping per line."""
    if not isinstance(value, dict):
        return json.dumps(value)
    return "{\n" + ",\n".join(f"    {json.dumps(name)}: {json.dumps(one)}" for name, one in value.items()) + "\n  }"


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Fit the probability that a citation is wrong, and say how good it is."
    )
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--write", action="store_true", help="put what was fitted into the package")
    chosen = parser.parse_args()
    folder = Path(os.environ["CITECHECK_SHARED"]) / "hallmark"
    today = datetime.datetime.now(tz=datetime.UTC).date()
    dev, temporal = (
        list(rows(folder / f"{name}.jsonl", chosen.index, today)) for name in ("dev_public", "temporal_448")
    )
    real = judged_bibliographies(folder.parent / "real_bibs", chosen.index, today)
    tables(dev, temporal, real)
    if chosen.write:
        _DATA.parent.mkdir(exist_ok=True)
        _DATA.write_text(written(fit(dev, real), dev, real, today), encoding="utf-8")


if __name__ == "__main__":
    main()
