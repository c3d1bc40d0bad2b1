"""The judge without a model on labelled claims: how often its passes and failures are right.

    CITECHECK_SHARED=DIR python -m benchmarks.claims_without_model [FILE]

FILE holds claims with labels in any format that pytest reads (default: ``DIR/claims/dataset.json``). Each supported claim
that the judge passes is then made wrong, by another number and by a negation: how many are failed, left open and passed.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from pathlib import Path

from pytest_citecheck.benchmark import wilson
from pytest_citecheck.models.claims import judge_without_model, read_claim_file


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
    said = [judge_without_model(pair.claim, pair.source).verdict for pair in pairs]
    print(f"{path.name}: {len(pairs)} labelled pairs, {dict(Counter(pair.truth for pair in pairs))}")
    for what, verdict in (("passes", "Supported"), ("failures", "Not supported")):
        truths = [str(pair.truth) for pair, one in zip(pairs, said, strict=True) if one == verdict]
        right = truths.count(verdict)
        low, high = wilson(right, len(truths)) if truths else (0.0, 1.0)
        print(f"{what} right {right}/{len(truths)} ({low:.2f}–{high:.2f})")
    decided = sum(one in ("Supported", "Not supported") for one in said)
    print(f"decided {decided}/{len(said)} ({decided / len(said):.1%}), unusable {said.count('Source unavailable')}")
    counts: dict[str, Counter[str]] = {}
    for pair, one in zip(pairs, said, strict=True):
        for kind, claim in _wrong(pair.claim).items() if one == pair.truth == "Supported" else ():
            counts.setdefault(kind, Counter())[judge_without_model(claim, pair.source).verdict or "open"] += 1
    for kind, found in counts.items():
        print(f"with {kind}: {found['Not supported']} failed, {found['open']} open, {found['Supported']} passed")


if __name__ == "__main__":
    main()
