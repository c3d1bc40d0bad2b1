"""Compare the reports of two checkouts, byte by byte.

    python -m benchmarks.same_reports OTHER_CHECKOUT

runs the fixtures of this checkout with the package of either checkout, offline and without other installed plugins, and compares
their outputs: terminal, JSON, HTML, Markdown, JUnit XML and the files of the arena. A redesign must change none of them. Exit
code 1 if a file differs.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks.start import only_plugin

ROOT = Path(__file__).parent.parent
_OUTPUTS = (
    "--citecheck-json=run.json",
    "--citecheck-html=run.html",
    "--citecheck-markdown=run.md",
    "--junit-xml=run.xml",
)
_CASSETTES = "--citecheck-cassettes=cassettes"
RUNS: Mapping[str, tuple[str, ...]] = {
    "bibliographies": (
        *(
            "--citecheck=fixtures/refs.bib",
            "--citecheck=fixtures/hallucinated.bib",
            "--citecheck=fixtures/conventions.bib",
        ),
        *(_CASSETTES, *_OUTPUTS),
    ),
    "two processes": ("--citecheck=fixtures/refs.bib", _CASSETTES, "-n", "2", *_OUTPUTS),
    "answers": ("--citecheck=fixtures/answers.jsonl", _CASSETTES, *_OUTPUTS),
    "manuscripts": ("--citecheck=fixtures/manuscripts", _CASSETTES, *_OUTPUTS),
    "arena": ("--citecheck=fixtures/arena/arena.yaml", "--citecheck-cassettes=fixtures/arena/cassettes", *_OUTPUTS),
    "claims": (
        *("--citecheck=fixtures/claims/claims.json", "--citecheck-claims=fixtures/claims/judges.yaml"),
        *("--citecheck-cassettes=fixtures/claims/cassettes", *_OUTPUTS),
    ),
}
# Durations, moments of this run and temporary folders differ between any two runs.
_CHANGING = re.compile(
    rb'\bin \d+\.\d+s\b(?: \(\d+:\d+:\d+\))?|time="[\d.]+"|timestamp="[^"]+"|hostname="[^"]+"|"duration": [\d.]+'
    rb"|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[^\"<\s]*|rootdir: .*|[^\s\"']*/same_reports_[^/\s\"']+"
    rb"|(?m:^citecheck: .* \d+/\d+(?:, about .*)?\n)"  # progress
)
# The order in which several processes report differs from run to run.
_DOTS = re.compile(rb"(?m)^[.sFEx]+ +\[ *\d+%\]$")
_BETWEEN = re.compile(rb"\n|(?=<testcase )|(?=</testsuite>)")


def _reports(checkout: Path, arguments: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    with tempfile.TemporaryDirectory(prefix="same_reports_") as name:
        folder = Path(name)
        for part in ("fixtures", "cassettes"):
            shutil.copytree(ROOT / part, folder / part)
        before = {path.relative_to(folder) for path in folder.rglob("*")}
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "pytest",
                "-p",
                "no:cacheprovider",
                "--citecheck-offline",
                "--citecheck-cache=off",
                *arguments,
            ],
            cwd=folder,
            env=only_plugin("xdist.plugin") | {"PYTHONPATH": str(checkout)},
            capture_output=True,
            check=False,
        )
        yield "exit code", str(done.returncode).encode()
        written = {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()} - before
        files = {str(path): (folder / path).read_bytes() for path in sorted(written)}
        for file, data in {"terminal": done.stdout, "errors": done.stderr, **files}.items():
            yield file, _in_order(data) if "-n" in arguments else data


def _in_order(data: bytes) -> bytes:
    """Sort the lines and test cases of an output."""
    return b"\n".join(sorted(_BETWEEN.split(_DOTS.sub(b"", _CHANGING.sub(b"", data)))))


def main() -> int:
    """Print which outputs of each run are the same, and which differ."""
    other, differing = Path(sys.argv[1]).resolve(), 0
    for name, arguments in RUNS.items():
        one, two = (
            {file: _CHANGING.sub(b"", data) for file, data in _reports(checkout, arguments)}
            for checkout in (ROOT, other)
        )
        different = sorted(file for file in one.keys() | two.keys() if one.get(file) != two.get(file))
        differing += len(different)
        print(
            f"{name}: {len(one) - len(different)} of {len(one)} the same"
            + "".join(f"; differs: {file}" for file in different)
        )
    return int(differing > 0)


if __name__ == "__main__":
    raise SystemExit(main())
