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

from pytest_citecheck.inputs import BIBTEX, CFF, DOCSTRINGS, LATEX, MARKDOWN, RESTRUCTURED_TEXT, reader_for

ROOT = Path(__file__).parents[2]


def entries(*keys: str) -> str:
    """These entries of the fixtures, with the macro that the first one uses."""
    parts = [
        part
        for name in ("refs.bib", "hallucinated.bib")
        for part in (ROOT / "fixtures" / name).read_text("utf-8").split("\n\n")
    ]
    chosen = [next(part for part in parts if f"{{{key}," in part) for key in keys]
    return "\n\n".join(['@string{nips = "Advances in Neural Information Processing Systems"}', *chosen]) + "\n"


def shipped(*names: str) -> list[dict[str, object]]:
    """The shipped hooks of these ids, run from the environment of this test: installing their own would need the network."""
    hooks = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
    return [
        hooks[name]
        | {
            "language": "system",
            "entry": f"{Path(sys.executable).parent / hooks[name]['entry']}",
            "args": ["--config=pytest.ini"],
        }
        for name in names
    ]


@pytest.fixture
def paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository of a paper with the shipped hook, settings and recorded answers."""
    configure(tmp_path, "citecheck")
    (tmp_path / "pytest.ini").write_text("[pytest]\ncitecheck_cassettes = evidence\n")
    shutil.copytree(ROOT / "cassettes", tmp_path / "evidence")
    for name in [name for name in os.environ if name.startswith(("GIT_", "PYTEST_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / ".cache"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / ".user-cache"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    (tmp_path / ".gitignore").write_text(".cache\n.user-cache\n")
    run(tmp_path, "git", "init", "-q")
    run(tmp_path, "git", "config", "user.name", "An Author")
    run(tmp_path, "git", "config", "user.email", "author@example.org")
    run(tmp_path, sys.executable, "-m", "pre_commit", "install")
    return tmp_path


def configure(folder: Path, *names: str) -> None:
    config = {"repos": [{"repo": "local", "hooks": shipped(*names)}]}
    (folder / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def commit(folder: Path) -> subprocess.CompletedProcess[str]:
    run(folder, "git", "add", "-A")
    return run(folder, "git", "commit", "-m", "Cite")


@pytest.mark.exhaustive
def test_a_good_entry_passes_and_an_invented_one_stops_the_commit(paper: Path) -> None:
    (paper / "refs.bib").write_text(entries("vaswani2017attention"), encoding="utf-8")
    good = commit(paper)
    assert good.returncode == 0, good.stdout + good.stderr
    assert "Passed" in good.stderr + good.stdout
    text = entries("vaswani2017attention", "plausible-fabrication-3-spin-glass")
    (paper / "refs.bib").write_text(text, encoding="utf-8")
    bad = commit(paper)
    assert bad.returncode == 1
    said = bad.stdout + bad.stderr
    line = 1 + next(i for i, one in enumerate(text.splitlines()) if "{plausible-fabrication-3" in one)
    end = line + entries("plausible-fabrication-3-spin-glass").count("\n")
    places = re.findall(r"refs\.bib:(\d+):\d+: error doi-other-work plausible-fabrication-3-spin-glass: ", said)
    assert [line < int(place) < end for place in places] == [True]
    assert "vaswani2017attention" not in said
    assert not (paper / ".pytest_cache").exists()


@pytest.mark.exhaustive
def test_an_entry_without_evidence_is_stopped_with_the_command_that_records_it(paper: Path) -> None:
    new = "@article{new, author={Quill, Ann}, title={A Title of Which Nothing is Recorded}, journal={Nature}, year={2024}}\n"
    (paper / "refs.bib").write_text(entries("vaswani2017attention") + new, encoding="utf-8")
    stopped = commit(paper)
    assert stopped.returncode == 1
    said = stopped.stdout + stopped.stderr
    assert (
        "error not-recorded new: no recorded evidence (record it: citecheck record refs.bib --config=pytest.ini)"
        in said
    )
    assert said.count("refs.bib:") == 1
    config = yaml.safe_load((paper / ".pre-commit-config.yaml").read_text())
    config["repos"][0]["hooks"][0]["args"].append("--allow-unrecorded")
    (paper / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    assert commit(paper).returncode == 0


@pytest.mark.exhaustive
def test_a_new_citation_of_a_committed_entry_stops_the_commit(paper: Path) -> None:
    (paper / "refs.bib").write_text(entries("vaswani2017attention", "plausible-fabrication-3-spin-glass"), "utf-8")
    text = "\\documentclass{article}\n\\cite{vaswani2017attention}\n\\bibliography{refs}\n"
    (paper / "paper.tex").write_text(text, "utf-8")
    run(paper, "git", "add", "-A")
    assert run(paper, "git", "commit", "--no-verify", "-m", "Begin").returncode == 0
    (paper / "paper.tex").write_text(f"% revised\n{text}", "utf-8")
    assert commit(paper).returncode == 0
    (paper / "paper.tex").write_text(
        text.replace("attention}", "attention,plausible-fabrication-3-spin-glass}"), "utf-8"
    )
    stopped = commit(paper)
    assert stopped.returncode == 1
    assert "error doi-other-work plausible-fabrication-3-spin-glass: " in stopped.stdout + stopped.stderr


@pytest.mark.exhaustive
def test_a_waived_entry_passes(paper: Path) -> None:
    (paper / "refs.bib").write_text(entries("wrong-venue-2-psiblast"), encoding="utf-8")
    assert commit(paper).returncode == 1
    waive = ("waive", "wrong-venue-2-psiblast", "venue-other", "refs.bib", "--reason=printed so")
    run(paper, str(Path(sys.executable).parent / "citecheck"), *waive)
    assert commit(paper).returncode == 0


@pytest.mark.exhaustive
def test_the_fixer_mends_and_stops(paper: Path) -> None:
    configure(paper, "citecheck-fix", "citecheck")
    (paper / "refs.bib").write_text(entries("wrong-venue-2-psiblast"), encoding="utf-8")
    stopped = commit(paper)
    assert stopped.returncode == 1
    assert "files were modified by this hook" in stopped.stdout + stopped.stderr
    assert (paper / "refs.bib").read_text("utf-8") == entries("wrong-venue-2-psiblast").replace(
        "{Nature Genetics}", "{Nucleic Acids Research}"
    )
    assert commit(paper).returncode == 0


_FILES = [
    "refs.bib",
    "paper/refs.bibtex",
    "refs.biblatex",
    "REFS.BIB",
    "refs.bib.txt",
    "bib",
    "a.tex",
    "a.md",
    "a.Rmd",
    "a.html",
    "a.py",
    "a.pyx",
    "a.rst",
    "CITATION.cff",
]


@pytest.mark.parametrize("name", _FILES)
def test_the_hooks_run_for_the_files_that_they_read(name: str) -> None:
    for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text()):
        read = {"citecheck-fix": (BIBTEX,), "citecheck-docstrings": (DOCSTRINGS, RESTRUCTURED_TEXT, CFF)}.get(
            hook["id"], (BIBTEX, LATEX, MARKDOWN)
        )
        assert bool(re.search(hook["files"], name)) == (reader_for(name) in read)
        assert hook["types"] == ["text"]


@pytest.mark.exhaustive
def test_files_of_other_kinds_do_not_start_the_hook(paper: Path) -> None:
    run(paper, "git", "add", "-A")
    run(paper, "git", "commit", "--no-verify", "-m", "Begin")  # with the page beside the recorded answers
    (paper / "paper.rst").write_text("Nobody\n")
    done = commit(paper)
    assert done.returncode == 0
    assert "no files to check" in done.stdout + done.stderr
