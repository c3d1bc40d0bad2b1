"""Compare the reports of two checkouts, byte by byte.

    python -m benchmarks.same_reports OTHER_CHECKOUT

runs the fixtures of this checkout with the package of either checkout, offline, and compares what each writes: terminal, JSON,
HTML, Markdown, JUnit XML and the files of the arena. A redesign must change none of them. Exit code 1 if a file differs.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

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
)


def _reports(checkout: Path, arguments: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    with tempfile.TemporaryDirectory(prefix="same_reports_") as name:
        folder = Path(name)
        for part in ("fixtures", "cassettes"):
            shutil.copytree(ROOT / part, folder / part)
        before = {path.relative_to(folder) for path in folder.rglob("*")}
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST_", "CITECHECK_"))}
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
            env=kept | {"PYTHONPATH": str(checkout)},
            capture_output=True,
            check=False,
        )
        yield "exit code", str(done.returncode).encode()
        yield "terminal", b"\n".join(sorted(done.stdout.splitlines())) if "-n" in arguments else done.stdout
        yield "errors", done.stderr
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.relative_to(folder) not in before:
                yield str(path.relative_to(folder)), path.read_bytes()


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
