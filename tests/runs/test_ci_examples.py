"""Examples for CI: valid by the schemas of their systems, and with working shell steps.

The schemas are from SchemaStore, as bundled with check-jsonschema.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

ROOT = Path(__file__).parents[2]
CI = ROOT / "docs" / "ci"
INVENTED = "plausible-fabrication-4-hypergradient"


def load(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("path", "schema"),
    [
        (ROOT / "action.yml", "github-actions"),
        (CI / "github.yml", "github-workflows"),
        (CI / "github-pytest.yml", "github-workflows"),
        (CI / "gitlab-ci.yml", "gitlab-ci"),
        (CI / "azure-pipelines.yml", "azure-pipelines"),
    ],
    ids=lambda value: value.name if isinstance(value, Path) else value,
)
def test_an_example_is_valid(path: Path, schema: str) -> None:
    package = pytest.importorskip("check_jsonschema").__name__
    text = (files(package) / "builtin_schemas" / "vendor" / f"{schema}.json").read_text(encoding="utf-8")
    jsonschema.validate(load(path), json.loads(text))


@pytest.mark.exhaustive
def test_the_example_for_pre_commit_is_valid() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pre_commit", "validate-config", str(CI / "pre-commit-config.yaml")], check=False
    )
    assert done.returncode == 0
    known = {hook["id"] for hook in load(ROOT / ".pre-commit-hooks.yaml")}
    (repository,) = load(CI / "pre-commit-config.yaml")["repos"]
    assert {hook["id"] for hook in repository["hooks"]} <= known


def steps(name: str) -> list[str]:
    """Return the shell steps of an example; for the action, with inputs passed as GitHub does."""
    if name == "action.yml":
        given = load(CI / "github.yml")["jobs"]["citations"]["steps"][1]["with"]
        inputs = {key: value.get("default", "") for key, value in load(ROOT / name)["inputs"].items()} | given
        scripts = []
        for step in load(ROOT / name)["runs"]["steps"]:
            if "run" in step:
                lines = [
                    f"export {variable}='{re.sub(r'.*inputs[.]([a-z-]+).*', lambda m: inputs[m[1]], value)}'"
                    for variable, value in step.get("env", {}).items()
                ]
                scripts.append("\n".join([*lines, step["run"]]))
        return scripts
    text = (CI / name).read_text(encoding="utf-8")
    if name == "Jenkinsfile":
        return re.findall(r"sh '([^']+)'", text)
    data = yaml.safe_load(text)
    if name == "gitlab-ci.yml":
        return list(data["citations"]["script"])
    if name == "azure-pipelines.yml":
        return [step["script"] for step in data["steps"] if "script" in step]
    return [step["run"] for step in data["jobs"]["citations"]["steps"] if "run" in step]


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("name", "written", "said"),
    [
        ("action.yml", {"citecheck.sarif"}, "::error file=refs.bib,"),
        ("github-pytest.yml", {"citations.xml"}, "::error file=refs.bib,"),
        ("gitlab-ci.yml", {"citations.xml", "gl-code-quality-report.json"}, "title-not-in-venue"),
        ("azure-pipelines.yml", {"citations.xml"}, "##vso[task.logissue type=error;"),
        ("Jenkinsfile", {"citations.xml", "citecheck.sarif"}, "title-not-in-venue"),
    ],
)
def test_the_steps_find_an_invented_reference(tmp_path: Path, name: str, written: set[str], said: str) -> None:
    text = (ROOT / "fixtures" / "hallucinated.bib").read_text(encoding="utf-8")
    (entry,) = (part for part in text.split("\n\n") if f"{{{INVENTED}," in part)
    (tmp_path / "refs.bib").write_text(entry + "\n", encoding="utf-8")
    shutil.copytree(ROOT / "cassettes", tmp_path / "evidence")
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "pip").write_text("#!/bin/sh\necho pip: $*\n")  # there is no network
    (programs / "pip").chmod(0o755)
    path = os.pathsep.join([str(programs), str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST_", "CITECHECK_"))}
    environment |= {"PATH": path, "GITHUB_ACTION_PATH": str(ROOT), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}
    install, check = steps(name)
    command = ["bash", "-eo", "pipefail", "-c"]
    installed = subprocess.run(
        [*command, install], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert installed.stdout.startswith("pip: install --quiet ")
    done = subprocess.run([*command, check], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert said in done.stdout
    assert all((tmp_path / file).stat().st_size > 0 for file in written)
    assert (tmp_path / "summary.md").exists() == ("github" in check)
