"""Claims of manuscripts: how many extracted claims are usable, and how many citations that carry a claim get one.

    python -m benchmarks.claims_of_manuscripts FOLDER [--list]

FOLDER holds the papers that ``claims_of_manuscripts.tsv`` names: vignettes of R packages, in LaTeX (``.Rnw``, ``.ltx``). Debian
12 has them in r-cran-sandwich, r-cran-lme4, r-cran-pscl, r-cran-multcomp, r-cran-brms and r-cran-zoo. A row of the table is a
judgement by hand of one citation: the file, the line, the keys, the hash of the claim as it was extracted, the sample, and

- ``usable``: the text is a whole statement that the cited work can support or contradict;
- ``damaged``: words are missing or belong to another citation;
- ``none``: the citation carries no such claim (own work, software notes, pointers, existence), and was extracted all the same;
- ``left``: it carries no claim, and was left out; ``lost``: it carries one, and was left out.

Pointers, mentions of tools and data, and definitions count as no claim; these rows were judged again when the table of cues
was written, with both samples in sight. Until then the sample ``untuned`` had not been used for the rules. A claim whose text has
changed since counts as not judged. --list prints a row for each citation that is not judged.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pytest_citecheck.benchmark import wilson
from pytest_citecheck.models.claims import CUES, ClaimPair, SourceFolder, read_manuscript

_TABLE = Path(__file__).with_suffix(".tsv")
_CODE = re.compile(r"^<<[^\n]*>>=.*?^@[^\n]*$", re.MULTILINE | re.DOTALL)
_NO_SOURCE = "there is no "
_EXTRACTED = ("usable", "damaged", "none")


def _pairs(file: Path) -> Iterator[ClaimPair]:
    """The claims of a paper, without its code but with its lines."""
    text = _CODE.sub(lambda match: "\n" * match[0].count("\n"), file.read_text(encoding="utf-8", errors="replace"))
    yield from read_manuscript(text, file.name, ".tex", SourceFolder(file.parent / "no-sources")).pairs


def _hash(pair: ClaimPair) -> str:
    return hashlib.sha256(pair.claim.encode()).hexdigest()[:10]


def main() -> None:
    """Print the figures."""
    folder, shows = Path(sys.argv[1]), "--list" in sys.argv
    judged = {}
    for line in _TABLE.read_text(encoding="utf-8").splitlines()[1:]:
        file, place, keys, digest, verdict, sample = line.split("\t")
        judged[file, place, keys] = digest, verdict, sample
    cues: dict[str, Counter[bool]] = {cue.name: Counter() for cue in CUES}
    counts: dict[str, Counter[str]] = {"tuned": Counter(), "untuned": Counter()}
    others = 0
    for path in sorted(folder.iterdir()):
        for pair in _pairs(path):
            key = (path.name, str(pair.line), "+".join(pair.keys))
            extracted = pair.unfit.startswith(_NO_SOURCE)
            digest, verdict, sample = judged.get(key, ("", "", ""))
            if digest == _hash(pair) and extracted == (verdict in _EXTRACTED):
                counts[sample][verdict] += 1
                for cue in CUES:
                    if cue.pattern.search(pair.claim):
                        cues[cue.name][verdict in ("none", "left")] += 1
                continue
            others += 1
            if shows:
                said = pair.claim if extracted else f"[{pair.unfit}] {pair.claim}"
                print("\t".join((*key, _hash(pair), said)))
    for sample, found in counts.items():
        extracted_ones = found["usable"] + found["damaged"] + found["none"]
        carrying = found["usable"] + found["damaged"] + found["lost"]
        print(
            f"{sample}: {_share('extracted claims usable', found['usable'], extracted_ones)}; "
            f"{_share('citations with a claim covered', found['usable'], carrying)}"
        )
        print(f"  {', '.join(f'{name} {count}' for name, count in sorted(found.items()))}")
    print("cue: right, wrong (as in the table of cues)")
    for cue in CUES:
        found_ones = cues[cue.name][True], cues[cue.name][False]
        print(
            f"  {cue.name}: {found_ones[0]}, {found_ones[1]}"
            + ("" if found_ones == (cue.right, cue.wrong) else " CHANGED")
        )
    print(f"not judged: {others}")


def _share(name: str, part: int, whole: int) -> str:
    low, high = wilson(part, whole) if whole else (0.0, 1.0)
    return f"{name} {part} of {whole} ({part / max(1, whole):.2f}, {low:.2f}–{high:.2f})"


if __name__ == "__main__":
    main()
