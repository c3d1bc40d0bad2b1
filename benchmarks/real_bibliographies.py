"""Compare the accusations against real bibliographies with manual judgements.

    CITECHECK_SHARED=FOLDER python -m benchmarks.real_bibliographies [--index works.index] [--only 000,017] [--json FILE]

Runs ``pytest --citecheck=FILE --citecheck-offline`` over each file of ``FOLDER/real_bibs`` and compares the findings that
decide a verdict with ``adjudication.tsv``: accusations judged right, false, in an unprinted field, wrongly diagnosed,
undecidable, and unjudged ones. Without ``--index``, an index is built from the records in the folder. No service is queried.
The exit code is 1 if there is an accusation judged false.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_HERE = Path(__file__).parent
_MADE = "made"
_WARNED = "a warning"
_GONE = "not made"


@dataclass(frozen=True, slots=True)
class Judgement:
    """A row of adjudication.tsv: the accusation against a reference (file number and key), and if it was right."""

    file: str
    key: str
    code: str
    judged: str
    reason: str


@dataclass(frozen=True, slots=True)
class Accusation:
    """A reference with a verdict against it. messages: by code, of the failed checks but completeness."""

    file: str
    line: int
    key: str
    verdict: str
    messages: Mapping[str, str]


def judgements(folder: Path) -> dict[tuple[str, str], Judgement]:
    """The accusations judged by hand, by file number and key."""
    with (folder / "adjudication.tsv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    found = [Judgement(r["position"][:3], r["key"], r["code"], r["judgement"], r["reason"] or "") for r in rows]
    return {(one.file, one.key): one for one in found}


def report_of(bibliography: Path, index: Path, folder: Path) -> dict[str, Any]:
    """The JSON report of a run over a file, with its lines of terminal output as ``lines``. Raises CalledProcessError."""
    report = folder / f"{bibliography.stem}.json"
    command = [
        *(sys.executable, "-m", "pytest", f"--citecheck={bibliography}", f"--citecheck-index={index}"),
        *("--citecheck-offline", "--citecheck-cache=off", f"--citecheck-json={report}"),
        *("-q", "-p", "no:cacheprovider", f"--rootdir={folder}", "-c", os.devnull),
    ]
    run = subprocess.run(command, cwd=folder, capture_output=True, check=False, text=True)
    if not report.exists():
        raise subprocess.CalledProcessError(run.returncode, command, run.stdout, run.stderr)
    return {**json.loads(report.read_text(encoding="utf-8")), "lines": run.stdout.count("\n")}


def accusations(report: Mapping[str, Any], file: str) -> Iterator[Accusation]:
    """The references of a report that are misdescribed or fabricated."""
    for one in report["references"]:
        if one["verdict"]["name"] in ("misdescribed", "fabricated"):
            failed = {
                check["code"]: check["message"]
                for name, check in one["checks"].items()
                if check["outcome"] == "failed" and name != "completeness"
            }
            yield Accusation(file, one["line"], one["key"], one["verdict"]["name"], failed)


def warnings(report: Mapping[str, Any]) -> dict[str, list[str]]:
    """The codes of warnings by the keys of the references, completeness and syntax aside."""
    found = {}
    for one in report["references"]:
        checks = [check for name, check in one["checks"].items() if name not in ("completeness", "syntax")]
        if codes := [check["code"] for check in checks if check["severity"] == "warning"]:
            found[one["key"]] = codes
    return found


def _told(
    accused: Mapping[tuple[str, str], Accusation],
    warned: Mapping[tuple[str, str], list[str]],
    judged: Mapping[tuple[str, str], Judgement],
) -> int:
    counts: Counter[tuple[str, str]] = Counter()
    for at, one in judged.items():
        counts[one.judged, _MADE if at in accused else _WARNED if at in warned else _GONE] += 1
    print(f"| judged by hand | accusations | {_MADE} | {_WARNED} | {_GONE} |\n|---|---|---|---|---|")
    for name in dict.fromkeys(one.judged for one in judged.values()):
        made, told, gone = (counts[name, what] for what in (_MADE, _WARNED, _GONE))
        print(f"| {name} | {made + told + gone} | {made} | {told} | {gone} |")
    further = warned.keys() - judged.keys() - accused.keys()
    print(f"| not judged | {len(accused.keys() - judged.keys())} | | {len(further)} | |\n")
    codes_ = Counter(code for at in warned for code in warned[at])
    print(f"warnings: {', '.join(f'{count} {code}' for code, count in codes_.most_common())}\n")
    for at, one in judged.items():
        right = one.judged == "right"
        if right != (at in accused) or one.judged == "wrong-diagnosis":
            codes = ", ".join(accused[at].messages if at in accused else warned.get(at, [_GONE]))
            print(f"- {one.judged}: {one.file} `{one.key}` {one.code} → {codes}. {one.reason}")
    for at in sorted(accused.keys() - judged.keys()):
        said = "; ".join(f"{code}: {message}" for code, message in accused[at].messages.items())
        print(f"- not judged: {at[0]}:{accused[at].line} `{at[1]}` {accused[at].verdict}: {said}")
    return counts["false", _MADE] + counts["false-unprinted-field", _MADE]


def main() -> int:
    """Check the files, print the tables, and return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--index", type=Path, help="an index of the records of the folder; without it, one is built")
    parser.add_argument("--only", default="", help="numbers of files, separated by commas")
    parser.add_argument("--json", type=Path, help="write all accusations to this file")
    given = parser.parse_args()
    shared = Path(os.environ["CITECHECK_SHARED"])
    wanted = set(filter(None, given.only.split(",")))
    verdicts: Counter[str] = Counter()
    lines = entries = 0
    accused = {}
    warned = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        index = given.index
        if index is None:
            index = folder / "works.index"
            build = [sys.executable, "-c", "import sys; from pytest_citecheck.cli import main; sys.exit(main())"]
            records = shared / "records" / "records.jsonl.zst"
            subprocess.run([*build, "index", "build", index, records, "--scopes", _HERE / "scopes.yaml"], check=True)
        for path in sorted((shared / "real_bibs").glob("*.bib")):
            if not wanted or path.name[:3] in wanted:
                report = report_of(path, index.resolve(), folder)
                verdicts.update(report["summary"]["verdicts"])
                lines, entries = lines + report["lines"], entries + report["summary"]["references"]
                accused.update({(one.file, one.key): one for one in accusations(report, path.name[:3])})
                warned.update({(path.name[:3], key): codes for key, codes in warnings(report).items()})
    if given.json:
        rows = [vars_of(one) for one in accused.values()]
        given.json.write_text(json.dumps(rows, indent=1, ensure_ascii=False), encoding="utf-8")
    judged = {at: one for at, one in judgements(shared / "real_bibs").items() if not wanted or one.file in wanted}
    shown = ", ".join(f"{count:,} {name}" for name, count in verdicts.items())
    print(f"{entries:,} references: {shown}; {lines:,} lines of output\n")
    return int(_told(accused, warned, judged) > 0)


def vars_of(one: Accusation) -> dict[str, Any]:
    """An accusation as JSON."""
    return {"file": one.file, "line": one.line, "key": one.key, "verdict": one.verdict, "messages": dict(one.messages)}


if __name__ == "__main__":
    sys.exit(main())
