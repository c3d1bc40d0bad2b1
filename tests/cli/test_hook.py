"""``citecheck hook``: the entries that have changed since they passed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from pytest_citecheck.cli import main
from pytest_citecheck.cli.entries.engine import Engine
from tests.cli.test_pre_commit import entries

ROOT = Path(__file__).parents[2]
HOOK = ("hook", "refs.bib", "--cassettes=evidence", "--state=state.json")


@pytest.fixture
def looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many entries each evaluation was for."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evidence").mkdir()
    for name in ("arxiv", "crossref", "semantic_scholar", "dblp_sparql", "doi_org", "doi_ra"):
        shutil.copy(ROOT / f"cassettes/{name}.json", tmp_path / "evidence")
    counts: list[int] = []
    evaluations = Engine.evaluations

    def counted(self, contents, only=None):  # type: ignore[no-untyped-def]
        counts.append(len(only))
        return evaluations(self, contents, only)

    monkeypatch.setattr(Engine, "evaluations", counted)
    return counts


@pytest.mark.exhaustive
def test_only_what_has_changed_is_looked_at(looked_at: list[int]) -> None:
    bib = Path("refs.bib")
    bib.write_text(entries("vaswani2017attention", "he2016deep"), "utf-8")
    assert main(HOOK) == 0
    assert main(HOOK) == 0
    assert looked_at == [2]
    bib.write_text("% moved\n" + entries("he2016deep", "vaswani2017attention", "hochreiter1997long"), "utf-8")
    assert main(HOOK) == 0
    assert looked_at == [2, 1]
    bib.write_text(bib.read_text("utf-8").replace("Image Recognition", "Image Classification"), "utf-8")
    assert main(HOOK) == 1
    assert main(HOOK) == 1  # what failed has not passed
    assert looked_at == [2, 1, 1, 1]
    assert main([*HOOK[:-1], "--state=off"]) == 1
    assert looked_at[-1] == 3


@pytest.mark.exhaustive
def test_other_evidence_and_other_settings_count(looked_at: list[int]) -> None:
    Path("refs.bib").write_text(entries("vaswani2017attention", "he2016deep"), "utf-8")
    assert main(HOOK) == 0
    cassette = Path("evidence/crossref.json")
    text = cassette.read_text("utf-8")
    cassette.write_text(text + " \n", "utf-8")  # the same answers in another file
    assert main(HOOK) == 0
    assert looked_at == [2]
    assert main([*HOOK, "--policy=strict"]) == 0
    assert looked_at == [2, 2]
    assert main(HOOK) == 0
    cassette.write_text(text.replace("2026", "2025"), "utf-8")
    main(HOOK)
    assert looked_at[-1] in (1, 2)
    assert len(looked_at) == 4
    Path("state.json").write_text("[]")
    main(HOOK)
    assert looked_at[-1] == 2


@pytest.mark.exhaustive
def test_entries_without_evidence_fail_in_one_line_each(
    looked_at: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    new = "@article{new, author={Quill, Ann}, title={A Title of Which Nothing is Recorded}, journal={Nature}, year={2024}}\n"
    Path("refs.bib").write_text(entries("he2016deep") + new, "utf-8")
    assert main(HOOK) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert line == (
        "refs.bib:11:1: error not-recorded new: no recorded evidence "
        "(record it: citecheck record refs.bib --cassettes=evidence)"
    )
    allowing = [*HOOK[:-1], "--state=allowing.json", "--allow-unrecorded"]
    assert main(allowing) == 0
    assert ": warning not-recorded new: no recorded evidence" in capsys.readouterr().out
    assert main(allowing) == 0
    assert capsys.readouterr().out == ""
    assert looked_at == [2, 2]  # it is remembered
    crossref = Path("evidence/crossref.json")
    crossref.write_text(crossref.read_text("utf-8") + " ", "utf-8")
    assert main(allowing) == 0
    assert looked_at == [2, 2, 1]  # until there is other evidence
    assert main(HOOK) == 1


@pytest.mark.exhaustive
def test_many_entries_without_evidence_are_counted(looked_at: list[int], capsys: pytest.CaptureFixture[str]) -> None:
    new = "@article{{new{0}, author={{Quill, Ann}}, title={{An Unknown Title {0}}}, journal={{Nature}}, year=2024}}\n"
    Path("refs.bib").write_text("".join(map(new.format, range(40))), "utf-8")
    assert main(HOOK) == 1
    lines = [line for line in capsys.readouterr().out.splitlines() if "not-recorded" in line]
    assert len(lines) == 6
    assert lines[-1].startswith("refs.bib: error not-recorded: 35 more entries: no recorded evidence (record it: ")


def test_committed_entries_are_not_looked_at(looked_at: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    def git(*arguments: str) -> None:
        who = ("-c", "user.name=An Author", "-c", "user.email=author@example.org")
        subprocess.run(["git", *who, *arguments], check=True, capture_output=True)

    for name in [name for name in os.environ if name.startswith(("GIT_", "PRE_COMMIT"))]:
        monkeypatch.delenv(name)
    invented = entries("plausible-fabrication-3-spin-glass")
    Path("refs.bib").write_text(invented, "utf-8")
    git("init", "-q")
    git("add", "refs.bib")
    git("commit", "-qm", "Cite")
    assert main(HOOK) == 0
    assert looked_at == []
    Path("refs.bib").write_text("% moved\n" + invented + entries("he2016deep"), "utf-8")
    assert main(HOOK) == 0
    assert looked_at == [1]
    assert main([*HOOK, "--all"]) == 1
    git("add", "refs.bib")
    git("commit", "-qm", "Cite another")
    monkeypatch.setenv("PRE_COMMIT_FROM_REF", "HEAD~1")
    assert main([*HOOK[:-1], "--state=off"]) == 0
    assert looked_at == [1, 1, 1]
