"""The judge without a model on labelled claims: how often its passes and failures are right, tuned and untuned.

    CITECHECK_SHARED=DIR python -m benchmarks.claims_without_model [FILE]

FILE holds claims with labels in any format that pytest reads (default: ``DIR/claims/dataset.json``). The one threshold that
is tuned, ``CLAIM_SAID``, is chosen on four fifths of the pairs and measured on the last fifth (untuned), five times. Beside it
stands the value of the package on all pairs, which were seen when it was chosen (tuned). Then each supported claim that the
judge passes is made wrong, by another number and by a negation: how many are failed, left open and passed.
"""

from __future__ import annotations

import os
import random
import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from unittest import mock

from pytest_citecheck.benchmark import wilson
from pytest_citecheck.models.claims import ClaimPair, literal, read_claim_file
from pytest_citecheck.thresholds import CLAIM_SAID

_VALUES = (0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9)
_FOLDS = 5
_LEAST_RIGHT = 0.9  # of the passes, where the threshold is chosen

Said = Sequence[tuple[str | None, str]]
"""The verdict and the label of each pair."""


def _judged(pairs: Sequence[ClaimPair], value: float) -> list[tuple[str | None, str]]:
    with mock.patch.object(literal, "CLAIM_SAID", value):
        return [(literal.judge_without_model(pair.claim, pair.source).verdict, str(pair.truth)) for pair in pairs]


def _right(said: Said, verdict: str) -> tuple[int, int]:
    given = [truth for one, truth in said if one == verdict]
    return given.count(verdict), len(given)


def _line(name: str, said: Said) -> str:
    parts = []
    for what, verdict in (("passes", "Supported"), ("failures", "Not supported")):
        right, given = _right(said, verdict)
        low, high = wilson(right, given) if given else (0.0, 1.0)
        parts.append(f"{what} right {right}/{given} ({low:.2f}–{high:.2f})")
    decided = sum(one in ("Supported", "Not supported") for one, _ in said)
    unusable = sum(one == "Source unavailable" for one, _ in said)
    return (
        f"{name:<10}{', '.join(parts)}, decided {decided}/{len(said)} ({decided / len(said):.1%}), unusable {unusable}"
    )


def _chosen(by_value: dict[float, list[tuple[str | None, str]]], places: Sequence[int]) -> float:
    """The lowest threshold at which enough passes of these pairs are right."""
    for value in _VALUES:
        right, given = _right([by_value[value][place] for place in places], "Supported")
        if given and right / given >= _LEAST_RIGHT:
            return value
    return _VALUES[-1]


def _wrong(claim: str) -> dict[str, str]:
    """The claim with another number, and with a negation, as far as it has a place for them."""
    found = {}
    number = re.search(r"\d+", claim)
    if number:
        digits = number[0]
        other = digits[:-1] + str((int(digits[-1]) + 3) % 10)
        found["another number"] = f"{claim[: number.start()]}{other}{claim[number.end() :]}"
    if re.search(r"\b(?:was|is|were|are|has|had)\b", claim):
        found["a negation"] = re.sub(r"\b(was|is|were|are|has|had)\b", r"\1 not", claim, count=1)
    return found


def main() -> None:
    """Print the figures."""
    default = Path(os.environ.get("CITECHECK_SHARED", "/nowhere")) / "claims" / "dataset.json"
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else default
    pairs = [pair for pair in read_claim_file(path, path.name).pairs if pair.runs and pair.truth is not None]
    by_value = {value: _judged(pairs, value) for value in dict.fromkeys((*_VALUES, CLAIM_SAID))}
    order = list(range(len(pairs)))
    random.Random(37).shuffle(order)
    untuned: list[tuple[str | None, str]] = []
    chosen = []
    for fold in range(_FOLDS):
        held = order[fold::_FOLDS]
        value = _chosen(by_value, [place for place in order if place not in set(held)])
        chosen.append(value)
        untuned += [by_value[value][place] for place in held]
    print(f"{path.name}: {len(pairs)} labelled pairs, {dict(Counter(pair.truth for pair in pairs))}")
    print(_line("tuned", by_value[CLAIM_SAID]) + f", at {CLAIM_SAID}")
    print(_line("untuned", untuned) + f", at {', '.join(map(str, chosen))}")
    passed = [
        pair for pair, (one, truth) in zip(pairs, by_value[CLAIM_SAID], strict=True) if one == truth == "Supported"
    ]
    counts: dict[str, Counter[str]] = {}
    for pair in passed:
        for kind, claim in _wrong(pair.claim).items():
            said = literal.judge_without_model(claim, pair.source).verdict
            counts.setdefault(kind, Counter())[said or "open"] += 1
    for kind, found in counts.items():
        print(f"with {kind}: {found['Not supported']} failed, {found['open']} open, {found['Supported']} passed")


if __name__ == "__main__":
    main()
