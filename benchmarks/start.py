"""Start of a run: how many modules it imports, how many patterns it compiles, and how long that takes.

    python -m benchmarks.start [FILE]

checks FILE (default: a BibTeX file with one entry) offline, without a cache, and with no other plugins or with all that are
installed. The counts are the same on every machine; take the times on an idle one.
``python -X importtime -m pytest --citecheck=FILE`` shows single modules.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_ENTRY = "@article{a, title = {Wheels}, author = {Ada Lovelace}, journal = {Cards}, year = 1844}\n"
_TRIES = 5
_COUNT = """
import re._compiler as compiler, sys
compiled, compile_one = [], compiler.compile
compiler.compile = lambda *given, **named: (compiled.append(1), compile_one(*given, **named))[1]
import pytest
code = pytest.main(sys.argv[1:])
print("counted", int(code), len(compiled), *sys.modules)
"""


class Start:
    """Counts of one start. own: modules of this package; patterns: regular expressions compiled; loaded: names of modules."""

    def __init__(self, code: int, patterns: int, loaded: frozenset[str]) -> None:
        self.code, self.patterns, self.loaded = code, patterns, loaded
        self.modules = len(loaded)
        self.own = sum(name.split(".")[0] == "pytest_citecheck" for name in loaded)


def start_of(file: Path) -> Start:
    """Run the plugin over a file in a separate process, and count."""
    done = subprocess.run(
        [sys.executable, "-c", _COUNT, *_arguments(file)], capture_output=True, text=True, check=True, env=only_plugin()
    )
    line = next(line for line in done.stdout.splitlines() if line.startswith("counted "))
    _, code, patterns, *loaded = line.split()
    return Start(int(code), int(patterns), frozenset(loaded))


def _arguments(file: Path) -> list[str]:
    return [f"--citecheck={file}", "--citecheck-offline", "--citecheck-cache=off", "-p", "no:cacheprovider", "-q"]


def only_plugin(*others: str) -> dict[str, str]:
    """Return an environment for runs that load this plugin and ``others``, given by module, but nothing else installed."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "CITECHECK_"))}
    kept.pop("PYTHONDONTWRITEBYTECODE", None)
    return kept | {
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTEST_PLUGINS": ",".join(("pytest_citecheck.plugin", *others)),
    }


def _seconds(*command: str, environment: dict[str, str] | None = None) -> float:
    taken = []
    for _ in range(_TRIES):
        begun = time.perf_counter()
        subprocess.run([sys.executable, *command], capture_output=True, check=False, env=environment or only_plugin())
        taken.append(time.perf_counter() - begun)
    return min(taken)


def main() -> None:
    """Print the counts and times."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(folder) / "refs.bib"
        if len(sys.argv) == 1:
            file.write_text(_ENTRY, encoding="utf-8")
        start = start_of(file)
        print(f"{start.modules} modules ({start.own} of pytest_citecheck), {start.patterns} patterns")
        print(f"{_seconds('-m', 'pytest', *_arguments(file)):.2f} s for the run")
        installed = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
        for name, options in {
            "the run": _arguments(file),
            "pytest without this plugin": ["-q", "-p", "no:citecheck"],
        }.items():
            seconds = _seconds("-m", "pytest", *options, environment=installed)
            print(f"{seconds:.2f} s for {name} with all installed plugins")
        print(f"{_seconds('-c', 'import pytest'):.2f} s to import pytest alone")


if __name__ == "__main__":
    main()
