"""How right the verdicts are on HALLMARK, offline over the local index: the table of docs/accuracy.md.

    CITECHECK_SHARED=FOLDER python -m benchmarks.accuracy [--index works.index]

A second table has the scores under the policy that decides what the default leaves open: what it costs to abstain, and not to.
Without ``--index`` one is built of the records in the folder, which takes a minute. Nothing is asked online.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pytest_citecheck.hallmark.prediction_file import load_predictions
from pytest_citecheck.hallmark.schema import LabelledEntry, Prediction
from pytest_citecheck.hallmark.split import load_split
from pytest_citecheck.index.keys import read_title
from pytest_citecheck.metrics.score import score

_ROWS = {
    "detection_rate": "detection rate",
    "false_positive_rate": "false positive rate",
    "f1_hallucination": "F1",
    "mcc": "MCC",
    "tier3_f1": "tier-3 F1",
    "tier_weighted_f1": "TW-F1",
    "ece": "ECE",
    "committed_coverage": "decided",
}
_COMMITTING = "neurips-2026"


def checked(split: Path, index: Path, folder: Path, policy: str) -> tuple[list[Prediction], dict[str, Any]]:
    """The predictions of a run under a policy and its JSON report."""
    command = [
        *(sys.executable, "-m", "pytest", f"--citecheck={split}", f"--citecheck-index={index}", "--citecheck-offline"),
        *("--citecheck-cache=off", f"--citecheck-policy={policy}"),
        *(f"--citecheck-predictions={folder / 'p'}", f"--citecheck-json={folder / 'r'}"),
        *("-q", "--tb=no", "-rN", "-p", "no:cacheprovider", f"--rootdir={folder}", "-c", os.devnull),
    ]
    subprocess.run(command, cwd=folder, capture_output=True, check=False)
    return list(load_predictions(folder / "p").predictions), json.loads((folder / "r").read_text(encoding="utf-8"))


def halves(entries: Sequence[LabelledEntry]) -> Iterator[list[LabelledEntry]]:
    """The entries by work: all that are made of one paper are in one half."""
    for half in (0, 1):
        yield [
            entry for entry in entries if zlib.crc32(read_title(entry.fields.get("title", ""))[1].encode()) % 2 == half
        ]


def number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def table(entries: Sequence[LabelledEntry], predictions: Sequence[Prediction]) -> dict[str, Any]:
    """Print the scores of all entries and of the halves; returns those of all."""
    by_key = {prediction.key: prediction for prediction in predictions}
    columns = {"all": score(entries, predictions)}
    for name, half in zip(("one half", "other half"), halves(entries), strict=True):
        columns[name] = score(half, [by_key[entry.key] for entry in half])
    print(f"| | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}")
    for field, name in _ROWS.items():
        print(f"| {name} | {' | '.join(number(column[field]) for column in columns.values())} |")
    return columns["all"]


def tell(split: Path, index: Path, folder: Path) -> None:
    """Print what there is to say of one split."""
    entries = list(load_split(split).entries)
    predictions, report = checked(split, index, folder, "default")
    by_key = {prediction.key: prediction for prediction in predictions}
    print(f"### {split.stem}: {len(entries)} references\n")
    kinds = table(entries, predictions)["type_accuracy"]["overall"]
    print(f"\nUnder the policy {_COMMITTING}:\n")
    table(entries, checked(split, index, folder, _COMMITTING)[0])
    print(f"\nType of hallucination guessed rightly, of those detected: {number(kinds)}.\n")
    print("| type | entries | decided | detected of the decided |\n|---|---|---|---|")
    for kind in sorted({entry.hallucination_type for entry in entries if entry.hallucination_type}):
        of_kind = [by_key[entry.key].label for entry in entries if entry.hallucination_type == kind]
        decided = [label for label in of_kind if label != "UNCERTAIN"]
        share = number(decided.count("HALLUCINATED") / len(decided)) if decided else "-"
        print(f"| `{kind}` | {len(of_kind)} | {len(decided)} | {share} |")
    told = {reference["key"]: reference for reference in report["references"]}
    print("\nValid references that were accused:\n")
    for entry in entries:
        if entry.label == "VALID" and by_key[entry.key].label == "HALLUCINATED":
            failed = [
                f"{check['code']}" for check in told[entry.key]["checks"].values() if check["outcome"] == "failed"
            ]
            print(f"- `{entry.key}`: {', '.join(failed)}")
    reasons = Counter(
        told[entry.key]["verdict"]["reason"] for entry in entries if by_key[entry.key].label == "UNCERTAIN"
    )
    print("\nWhy the others were not decided:\n")
    for reason, count in reasons.most_common():
        print(f"- {count}: {reason}")
    print()


def main() -> None:
    parser = argparse.ArgumentParser(description="Print how right the verdicts are on HALLMARK.")
    parser.add_argument("--index", type=Path)
    chosen = parser.parse_args()
    shared = Path(os.environ["CITECHECK_SHARED"])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        index = chosen.index
        if index is None:
            index = folder / "works.index"
            build = [sys.executable, "-c", "import sys; from pytest_citecheck.cli import main; sys.exit(main())"]
            subprocess.run([*build, "index", "build", index, shared / "records" / "records.jsonl.zst"], check=True)
        for split in ("dev_public", "temporal_448"):
            tell(shared / "hallmark" / f"{split}.jsonl", index.resolve(), folder)


if __name__ == "__main__":
    main()
