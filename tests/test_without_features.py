"""The core works without the rooms of its features: they register themselves, and it knows none of them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FEATURES = tuple(sorted(path.parent.name for path in (ROOT / "pytest_citecheck").glob("*/feature.py")))
RECORDED = ("--cassettes", str(ROOT / "cassettes"), "--cache=off")


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package without the folders that have a file ``feature.py``."""
    folder = tmp_path_factory.mktemp("core")
    shutil.copytree(
        ROOT / "pytest_citecheck", folder / "pytest_citecheck", ignore=shutil.ignore_patterns("__pycache__", *FEATURES)
    )
    for name in ("refs.bib", "hallucinated.bib"):
        shutil.copy(ROOT / "fixtures" / name, folder)
    return folder


def run(core: Path, *arguments: str, package: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a module in the folder of the core. package: the folder with the package; None: the same."""
    environment = {**os.environ, "PYTHONPATH": str(package or core), "PYTHONSAFEPATH": "1"}
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=core, check=False)


def test_the_core_has_no_feature(core: Path) -> None:
    assert FEATURES == ("benchmark", "models")
    assert [name for name in FEATURES if (core / "pytest_citecheck" / name).exists()] == []
    said = run(core, "pytest_citecheck", "score", "predictions")
    assert said.returncode == 2
    assert "unknown command or file 'score'" in said.stderr


@pytest.mark.exhaustive
@pytest.mark.parametrize("file", ["refs.bib", pytest.param("hallucinated.bib", marks=pytest.mark.exhaustive)])
def test_checks_are_the_same(core: Path, file: str) -> None:
    arguments = ("pytest_citecheck", "check", file, *RECORDED, "--format=json")
    without, whole = run(core, *arguments), run(core, *arguments, package=ROOT)
    assert without.returncode == whole.returncode
    assert json.loads(without.stdout)["references"] == json.loads(whole.stdout)["references"] != []


@pytest.mark.exhaustive
def test_a_run_of_pytest_is_the_same(core: Path) -> None:
    arguments: tuple[str, ...] = ("pytest", "-q", "-rA", "-p", "no:randomly", "--citecheck=hallucinated.bib")
    arguments += (f"--citecheck-cassettes={ROOT / 'cassettes'}", "--citecheck-cache=off")
    without, whole = run(core, *arguments), run(core, *arguments, package=ROOT)
    assert without.returncode == whole.returncode == 1
    lines = [one for one in whole.stdout.splitlines() if one.startswith(("PASSED", "FAILED", "SKIPPED"))]
    assert (
        [one for one in without.stdout.splitlines() if one.startswith(("PASSED", "FAILED", "SKIPPED"))] == lines != []
    )


def test_an_option_of_a_feature_is_unknown(core: Path) -> None:
    said = run(core, "pytest", "--citecheck=refs.bib", "--citecheck-fail-under=f1=0.5")
    assert said.returncode == 4
    assert "unrecognized arguments: --citecheck-fail-under" in said.stderr


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "command", ["fix --diff", "explain", "index info", "doctor --help", "report --help", "mcp --help"]
)
def test_commands_of_the_core_start(core: Path, command: str) -> None:
    name, *further = command.split()
    said = run(
        core, "pytest_citecheck", name, *(further or ["--help"]), *(["--help"] if "--help" not in further else [])
    )
    assert (said.returncode, said.stderr) == (0, "")
