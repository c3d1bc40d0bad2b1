"""Measure verdict accuracy on HALLMARK, offline with the local index: the table of docs/evidence/accuracy.md.

    CITECHECK_SHARED=FOLDER python -m benchmarks.accuracy [--index works.index]

``scopes.yaml`` declares where the index is complete, beyond the scopes that it detects itself. ``hallmark_errors.yaml`` lists
references labelled valid that contain an error. A second table has the scores under the policy that decides the cases that the
default leaves open. It shows the cost of abstaining and of not abstaining. Without ``--index``, an index is built from the
records in the folder, which takes a minute. No service is queried.
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

import yaml

from pytest_citecheck.benchmark import load_predictions, score
from pytest_citecheck.index import Coverage, LocalIndex, read_title
from pytest_citecheck.inputs import LabelledEntry, Prediction, load_split
from pytest_citecheck.matching import is_preprint_venue

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
_HERE = Path(__file__).parent
_COMMITTING = "neurips-2026"
_SAYING_NOTHING = ("doi-not-cited", "doi-to-add", "venue-missing", "other-authors")


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
    """Print the scores of all entries and of the halves; return the scores of all entries."""
    by_key = {prediction.key: prediction for prediction in predictions}
    columns = {"all": score(entries, predictions)}
    for name, half in zip(("one half", "other half"), halves(entries), strict=True):
        columns[name] = score(half, [by_key[entry.key] for entry in half])
    print(f"| | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}")
    for field, name in _ROWS.items():
        print(f"| {name} | {' | '.join(number(column[field]) for column in columns.values())} |")
    return columns["all"]


def tell(split: Path, index: Path, folder: Path) -> None:
    """Print the results for one split."""
    entries = list(load_split(split).entries)
    predictions, report = checked(split, index, folder, "default")
    by_key = {prediction.key: prediction for prediction in predictions}
    print(f"### {split.stem}: {len(entries)} references\n")
    kinds = table(entries, predictions)["type_accuracy"]["overall"]
    _without_errors(entries, predictions)
    print(f"\nUnder the policy {_COMMITTING}:\n")
    table(entries, checked(split, index, folder, _COMMITTING)[0])
    print(f"\nHallucination type predicted correctly, of the detected ones: {number(kinds)}.\n")
    print("| type | entries | decided | detection rate |\n|---|---|---|---|")
    for kind in sorted({entry.hallucination_type for entry in entries if entry.hallucination_type}):
        of_kind = [by_key[entry.key].label for entry in entries if entry.hallucination_type == kind]
        decided = [label for label in of_kind if label != "UNCERTAIN"]
        share = number(decided.count("HALLUCINATED") / len(decided)) if decided else "-"
        print(f"| `{kind}` | {len(of_kind)} | {len(decided)} | {share} |")
    told = {reference["key"]: reference for reference in report["references"]}
    print("\nFalse positives:\n")
    for entry in entries:
        if entry.label == "VALID" and by_key[entry.key].label == "HALLUCINATED":
            failed = [
                f"{check['code']}" for check in told[entry.key]["checks"].values() if check["outcome"] == "failed"
            ]
            print(f"- `{entry.key}`: {', '.join(failed)}")
    coverage = _coverage(index)
    reasons = Counter(
        (str(entry.label).lower(), _why_open(entry, told[entry.key], coverage))
        for entry in entries
        if by_key[entry.key].label == "UNCERTAIN"
    )
    print("\nReasons of the undecided references:\n")
    for (label, reason), count in sorted(reasons.items(), key=lambda item: (-item[1], item[0])):
        print(f"- {count} {label}: {reason}")
    print()


def _without_errors(entries: Sequence[LabelledEntry], predictions: Sequence[Prediction]) -> None:
    errors = yaml.safe_load((_HERE / "hallmark_errors.yaml").read_text(encoding="utf-8"))
    sound = [entry for entry in entries if entry.key not in errors]
    if len(sound) < len(entries):
        scores = score(sound, predictions)
        print(
            f"\nWithout the {len(entries) - len(sound)} valid references with an error (hallmark_errors.yaml): false "
            f"positive rate {number(scores['false_positive_rate'])}, F1 {number(scores['f1_hallucination'])}, "
            f"tier-3 F1 {number(scores['tier3_f1'])}."
        )


def _coverage(index: Path) -> Coverage:
    with LocalIndex(index) as opened:
        return Coverage(opened)


def _why_open(entry: LabelledEntry, told: dict[str, Any], coverage: Coverage) -> str:
    """Explain why a reference is left open: evidence without proof, or an index that is no evidence of absence."""
    if told["checks"]["title"]["outcome"] == "passed":
        doubts = [f"{name}: {told['checks'][name]['code']}" for name in ("doi", "authors", "venue", "cross_db")
                  if told["checks"][name]["outcome"] == "unverifiable"
                  and told["checks"][name]["code"] not in _SAYING_NOTHING]  # fmt: skip
        return f"the work is known, but not everything cited is confirmed ({', '.join(doubts)})"
    if told["checks"]["title"]["code"] != "unavailable":
        return f"only a similar work is known ({told['checks']['title']['code']})"
    venue = entry.fields.get("booktitle") or entry.fields.get("journal") or ""
    year = entry.fields.get("year", "")
    if not venue or not year.isdecimal():
        return "no record, and no cited venue"
    if is_preprint_venue(venue):
        return "no record, and the index does not contain all of arXiv"
    why = coverage.why_not(venue, int(year))
    if why.startswith("no single"):
        return "no record, and the cited venue is unknown"
    if not why:
        return "no record, but the venue-year list has similar works, or works by these authors"
    return f"no record, and the index is not complete for {venue} {year}"


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
            records = shared / "records" / "records.jsonl.zst"
            build = [sys.executable, "-c", "import sys; from pytest_citecheck.cli import main; sys.exit(main())"]
            subprocess.run([*build, "index", "build", index, records, "--scopes", _HERE / "scopes.yaml"], check=True)
        for split in ("dev_public", "temporal_448"):
            tell(shared / "hallmark" / f"{split}.jsonl", index.resolve(), folder)


if __name__ == "__main__":
    main()
