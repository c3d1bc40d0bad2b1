"""The hook under the real pre-commit program: a good entry passes, an invented one stops the commit."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from pytest_citecheck.readers import reader_for
from pytest_citecheck.readers.bibtex.reader import BIBTEX

ROOT = Path(__file__).parents[2]
GOOD = next(part for part in (ROOT / "fixtures/refs.bib").read_text("utf-8").split("\n\n") if "{vaswani2017" in part)
INVENTED = next(
    part
    for part in (ROOT / "fixtures/hallucinated.bib").read_text("utf-8").split("\n\n")
    if "{plausible-fabrication-3" in part
)


@pytest.fixture
def paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository of a paper whose hook is the shipped one, run from the environment of this test."""
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    # Installing the hook's own environment would need the network: the same command runs from this one.
    hook |= {"language": "system", "entry": f"{Path(sys.executable).parent / hook['entry']}"}
    hook["args"] = ["--config=pytest.ini"]
    config = {"repos": [{"repo": "local", "hooks": [hook]}]}
    (tmp_path / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    (tmp_path / "pytest.ini").write_text("[pytest]\ncitecheck_cassettes = evidence\n")
    shutil.copytree(ROOT / "cassettes", tmp_path / "evidence")
    for name in [name for name in os.environ if name.startswith(("GIT_", "PYTEST_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / ".cache"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    run(tmp_path, "git", "init", "-q")
    run(tmp_path, "git", "config", "user.name", "An Author")
    run(tmp_path, "git", "config", "user.email", "author@example.org")
    run(tmp_path, sys.executable, "-m", "pre_commit", "install")
    return tmp_path


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def commit(folder: Path) -> subprocess.CompletedProcess[str]:
    run(folder, "git", "add", "-A")
    return run(folder, "git", "commit", "-m", "Cite")


@pytest.mark.exhaustive
def test_a_good_entry_passes_and_an_invented_one_stops_the_commit(paper: Path) -> None:
    macro = '@string{nips = "Advances in Neural Information Processing Systems"}\n\n'
    (paper / "refs.bib").write_text(macro + GOOD + "\n", encoding="utf-8")
    good = commit(paper)
    assert good.returncode == 0, good.stdout + good.stderr
    assert "Passed" in good.stderr + good.stdout
    (paper / "refs.bib").write_text(macro + GOOD + "\n\n" + INVENTED + "\n", encoding="utf-8")
    bad = commit(paper)
    assert bad.returncode == 1
    said = bad.stdout + bad.stderr
    line = (macro + GOOD + "\n\n" + INVENTED).splitlines().index(
        next(x for x in INVENTED.splitlines() if x.startswith("@"))
    ) + 1
    assert f"refs.bib:{line} plausible-fabrication-3-spin-glass [doi] doi-other-work: " in said
    assert not (paper / ".pytest_cache").exists()


@pytest.mark.parametrize("name", ["refs.bib", "paper/refs.bibtex", "refs.biblatex", "REFS.BIB", "refs.bib.txt", "bib"])
def test_the_hook_runs_for_the_files_that_the_bibtex_reader_reads(name: str) -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert bool(re.search(hook["files"], name)) == (reader_for(name) is BIBTEX)
    assert hook["types"] == ["text"]


def test_files_of_other_kinds_do_not_start_the_hook(paper: Path) -> None:
    (paper / "paper.tex").write_text("\\cite{nobody}\n")
    done = commit(paper)
    assert done.returncode == 0
    assert "no files to check" in done.stdout + done.stderr
