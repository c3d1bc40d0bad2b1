"""What a release consists of: pinned actions, notices for the data of others, and a bill of materials."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "pytest_citecheck"
WORKFLOWS = sorted(ROOT.glob(".github/workflows/*.yml"))
RELEASE = ROOT / ".github" / "workflows" / "release.yml"
_USES = re.compile(r"\buses:\s*(\S+)(.*)")
_PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}")


@pytest.mark.parametrize("path", [*WORKFLOWS, ROOT / "action.yml"], ids=lambda path: path.name)
def test_actions_are_pinned_by_commit_with_their_version(path: Path) -> None:
    used = _USES.findall(path.read_text("utf-8"))
    assert used
    for action, comment in used:
        assert _PINNED.fullmatch(action), f"{path.name}: {action}: name the commit, not a tag that can be moved"
        assert re.fullmatch(r" # v\d+\.\d+\.\d+", comment), f"{path.name}: {action}: state the version"


def test_one_commit_of_each_action_is_used() -> None:
    found: dict[str, set[str]] = {}
    for path in (*WORKFLOWS, ROOT / "action.yml"):
        for action, comment in _USES.findall(path.read_text("utf-8")):
            found.setdefault(action.partition("@")[0], set()).add(action + comment)
    assert {name: len(pins) for name, pins in found.items()} == dict.fromkeys(found, 1)


def data_files() -> set[Path]:
    """The files of the package that contain no code."""
    code = {".py", ".pyi", ".pyc", ".typed"}
    return {path for path in PACKAGE.rglob("*") if path.is_file() and path.suffix not in code}


def test_the_notice_lists_every_data_file_and_no_other() -> None:
    text = (ROOT / "NOTICE").read_text("utf-8")
    patterns = re.findall(r"^  (\S+/\S+)", text, re.MULTILINE)
    listed = {pattern: set(PACKAGE.glob(pattern)) for pattern in patterns}
    assert [pattern for pattern, files in listed.items() if not files] == []
    assert sorted(data_files() - set().union(*listed.values())) == []


def test_foreign_data_is_parsed_by_releases_without_known_holes() -> None:
    """The bounds and their reasons are in docs/dependencies.md, too."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    optional = [line for lines in project["optional-dependencies"].values() for line in lines]
    stated = "\n".join([*project["dependencies"], *optional])
    page = (ROOT / "docs" / "dependencies.md").read_text("utf-8")
    for name, fixed, hole in (
        ("httpcore", "1.0.9", "CVE-2025-43859"),
        ("pypdfium2", "5.15", "CVE-2026-4455"),
        ("pyarrow", "23.0.1", "CVE-2026-25087"),
        ("duckdb", "1.1", "CVE-2024-41672"),
    ):
        assert re.search(rf"^{name}>={re.escape(fixed)}(?![.\d])", stated, re.MULTILINE)
        assert f"{name} ≥ {fixed}" in page
        assert hole in page


def steps() -> list[str]:
    """The commands of the release workflow."""
    (job,) = yaml.safe_load(RELEASE.read_text("utf-8"))["jobs"].values()
    return [line.strip() for step in job["steps"] for line in step.get("run", "").splitlines()]


def test_the_release_workflow_can_only_read_and_publishes_nothing() -> None:
    workflow = yaml.safe_load(RELEASE.read_text("utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    assert not any(re.search(r"twine|publish|secrets\.|gh release", line) for line in steps())
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    (installed,) = re.findall(r"\[([\w,]+)\]", "\n".join(steps()))
    assert set(installed.split(",")) == extras.keys() - {"docs", "tests", "dev"}


def test_the_release_has_the_extension_and_a_bill_of_materials_for_each_program() -> None:
    assert "npm run package" in steps()
    assert sum(".cdx.json" in line for line in steps()) == 2
    assert 'bare/bin/python -m pip install "$(echo "$GITHUB_WORKSPACE"/dist/*.whl)"' in steps()


@pytest.mark.exhaustive
def test_its_bill_of_materials_names_the_package_and_what_it_needs(tmp_path: Path) -> None:
    pytest.importorskip("cyclonedx_py")
    (line,) = (line for line in steps() if line.startswith("cyclonedx-py"))
    (tmp_path / "dist").mkdir()
    (tmp_path / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    command = [sys.executable, "-m", "cyclonedx_py", *shlex.split(line)[1:-1], sys.executable]
    done = subprocess.run(command, cwd=tmp_path, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    made = json.loads((tmp_path / "dist" / "pytest-citecheck.cdx.json").read_text("utf-8"))
    assert made["bomFormat"] == "CycloneDX"
    assert made["metadata"]["component"]["name"] == "pytest-citecheck"
    assert {"pytest", "httpcore", "h11", "pypdfium2"} <= {one["name"] for one in made["components"]}


def test_the_wheel_contains_licence_and_notice() -> None:
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert pyproject["project"]["license-files"] == ["LICENSE", "NOTICE"]
    assert pyproject["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == ["pytest_citecheck"]
