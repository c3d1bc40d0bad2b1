"""``citecheck hook``: the entries that have changed since they passed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from pytest_citecheck.cli import Engine, main
from tests.cli.test_pre_commit import entries
from tests.plugin.test_index import REFERENCES, make
from tests.stand_ins.facts_file import load_facts
from tests.stand_ins.server import FACTS_FILE, LocalServices

ROOT = Path(__file__).parents[2]
HOOK = ("hook", "refs.bib", "--cassettes=evidence", "--state=state.json")


@pytest.fixture
def looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the number of entries in each evaluation."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evidence").mkdir()
    for name in ("arxiv", "crossref", "semantic_scholar", "dblp_sparql", "doi_org", "doi_ra"):
        shutil.copy(ROOT / f"cassettes/{name}.json", tmp_path / "evidence")
    counts: list[int] = []
    evaluated = Engine.evaluated

    def counted(self, wanted):  # type: ignore[no-untyped-def]
        counts.append(len(wanted))
        return evaluated(self, wanted)

    monkeypatch.setattr(Engine, "evaluated", counted)
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
    bib.write_text(bib.read_text("utf-8").replace("2016.90", "2016.990"), "utf-8")
    assert main(HOOK) == 1
    assert main(HOOK) == 1  # what failed has not passed
    assert looked_at == [2, 1, 1, 1]
    assert main([*HOOK[:-1], "--state=off"]) == 1
    assert looked_at[-1] == 3


@pytest.mark.exhaustive
def test_other_evidence_and_other_settings_count(looked_at: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
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
    monkeypatch.setenv("CITECHECK_PRIOR", "0.3")
    main(HOOK)
    assert len(looked_at) == 6


@pytest.mark.exhaustive
def test_entries_without_evidence_fail_in_one_line_each(
    looked_at: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    new = "@article{new, author={Quill, Ann}, title={A Title of Which Nothing is Recorded}, journal={Nature}, year={2024}}\n"
    Path("refs.bib").write_text(entries("he2016deep") + new, "utf-8")
    assert main(HOOK) == 3
    (line,) = capsys.readouterr().out.splitlines()
    assert line == (
        "refs.bib:11:1: error not-recorded new: no recorded evidence "
        "(record it: citecheck record refs.bib --cassettes=evidence)"
    )
    assert main(HOOK) == 3
    assert capsys.readouterr().out.splitlines() == [line]
    assert looked_at == [2]  # it is remembered
    allowing = [*HOOK[:-1], "--state=allowing.json", "--allow-unrecorded"]
    assert main(allowing) == 0
    assert ": warning not-recorded new: no recorded evidence" in capsys.readouterr().out
    assert main(allowing) == 0
    assert capsys.readouterr().out == ""
    assert looked_at == [2, 2]
    crossref = Path("evidence/crossref.json")
    crossref.write_text(crossref.read_text("utf-8") + " ", "utf-8")
    assert main(allowing) == 0
    assert looked_at == [2, 2, 1]  # until there is other evidence
    assert main(HOOK) == 3


@pytest.mark.exhaustive
def test_many_entries_without_evidence_are_counted(looked_at: list[int], capsys: pytest.CaptureFixture[str]) -> None:
    new = "@article{{new{0}, author={{Quill, Ann}}, title={{An Unknown Title {0}}}, journal={{Nature}}, year=2024}}\n"
    Path("refs.bib").write_text("".join(map(new.format, range(40))), "utf-8")
    assert main(HOOK) == 3
    lines = [line for line in capsys.readouterr().out.splitlines() if "not-recorded" in line]
    assert len(lines) == 6
    assert lines[-1].startswith("refs.bib: error not-recorded: 35 more entries: no recorded evidence (record it: ")


@pytest.mark.exhaustive
def test_a_share_of_entries_may_be_without_evidence(looked_at: list[int], capsys: pytest.CaptureFixture[str]) -> None:
    new = "@article{new, author={Quill, Ann}, title={A Title of Which Nothing is Recorded}, journal={Nature}, year={2024}}\n"
    Path("refs.bib").write_text(entries("he2016deep") + new, "utf-8")
    assert main([*HOOK, "--min-checked=0.6"]) == 3
    assert ": error not-recorded new: " in capsys.readouterr().out
    assert main([*HOOK[:-1], "--state=off", "--min-checked=0.5"]) == 0
    assert ": warning not-recorded new: " in capsys.readouterr().out
    assert main([*HOOK, "--min-checked=0.5"]) == 0
    assert capsys.readouterr().out == ""  # named once already
    assert looked_at == [2, 2]
    with pytest.raises(SystemExit, match="2"):
        main([*HOOK, "--min-checked=80"])
    assert "--min-checked: must be a share from 0 to 1, not '80'" in capsys.readouterr().err


@pytest.mark.exhaustive
def test_cached_answers_are_evidence(looked_at: list[int], capsys: pytest.CaptureFixture[str]) -> None:
    Path("refs.bib").write_text(entries("he2016deep", "hochreiter1997long"), "utf-8")
    with LocalServices(load_facts(FACTS_FILE)) as services:
        live = [f"--base-url={name}={url}" for name, url in services.base_urls.items()]
        hook = ["hook", "refs.bib", "--cache=kept", "--state=state.json", *live]
        assert main(hook) == 3
        assert capsys.readouterr().out.count("error not-recorded") == 2
        assert main(hook) == 3
        assert looked_at == [2]
        assert (
            main([*hook[:3], "--state=off", *live, "--online", *(f"--rate={name}=200" for name in services.base_urls)])
            == 0
        )
        assert main(hook) == 0  # what was open has been cached
    assert looked_at == [2, 2, 2]
    assert main(hook) == 0
    assert looked_at == [2, 2, 2]


@pytest.mark.exhaustive
def test_the_local_index_is_evidence(looked_at: list[int], capsys: pytest.CaptureFixture[str]) -> None:
    make(Path("my.index"))
    Path("refs.bib").write_text(REFERENCES, "utf-8")
    assert main(["hook", "refs.bib", "--index=my.index", "--cache=off", "--state=off"]) == 3
    said = [line.split()[1:4] for line in capsys.readouterr().out.splitlines()]
    assert said == [["error", "not-recorded", "unknown:"]]
    assert looked_at == [4]


def git(*arguments: str) -> None:
    who = ("-c", "user.name=An Author", "-c", "user.email=author@example.org")
    subprocess.run(["git", *who, *arguments], check=True, capture_output=True)


@pytest.fixture
def repository(looked_at: list[int], monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A repository, and how many entries each evaluation was for."""
    for name in [name for name in os.environ if name.startswith(("GIT_", "PRE_COMMIT"))]:
        monkeypatch.delenv(name)
    git("init", "-q")
    return looked_at


def test_new_citations_of_documents_are_looked_at(repository: list[int], capsys: pytest.CaptureFixture[str]) -> None:
    Path("chapters").mkdir()
    Path("refs.bib").write_text(entries("he2016deep", "plausible-fabrication-3-spin-glass"), "utf-8")
    main_file, chapter = Path("main.tex"), Path("chapters/one.tex")
    main_file.write_text(
        "\\documentclass{article}\n\\cite{he2016deep}\\input{chapters/one}\\bibliography{refs}\n", "utf-8"
    )
    chapter.write_text("Deep \\cite{he2016deep}.\n", "utf-8")
    Path("README.md").write_text("By @octocat.\n", "utf-8")
    git("add", ".")
    git("commit", "-qm", "Begin")
    documents = ("hook", "main.tex", "chapters/one.tex", "README.md", *HOOK[2:])
    assert main(documents) == 0
    main_file.write_text("% a comment\n" + main_file.read_text("utf-8"), "utf-8")
    Path("README.md").write_text("By @octocat and @hubot; see [@nobody].\n", "utf-8")
    assert main(documents) == 0
    assert (repository, capsys.readouterr().out) == ([], "")
    chapter.write_text("Deep \\cite{he2016deep,plausible-fabrication-3-spin-glass,nobody}.\n", "utf-8")
    assert main(documents) == 1
    said = capsys.readouterr().out
    assert repository == [2]
    assert [said.count(one) for one in ("error doi-other-work plausible", "error missing-entry nobody", "he2016")] == [
        1,
        1,
        0,
    ]


def test_new_references_of_a_list_are_looked_at(repository: list[int], capsys: pytest.CaptureFixture[str]) -> None:
    notes = Path("notes.md")
    listed = "# Notes\n\n## References\n\n- Quill, A. (2023). An older title of no paper. Nature, 5, 1-9.\n"
    notes.write_text(listed, "utf-8")
    git("add", ".")
    git("commit", "-qm", "Begin")
    added = "- Smith, B. (2024). A title of which nothing is recorded. Nature, 6, 10-19.\n"
    notes.write_text(listed + added, "utf-8")
    assert main(("hook", "notes.md", *HOOK[2:])) == 3
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("notes.md:6:1: error not-recorded ")
    assert line.endswith(": no recorded evidence (look it up: citecheck notes.md)")
    assert repository == [1]


CONTENTS = {"right": ("he2016deep",), "invented": ("plausible-fabrication-3-spin-glass",), "gone": ()}


@pytest.mark.sample(2)
@pytest.mark.parametrize("staged", ["right", "invented"])
@pytest.mark.parametrize("working", CONTENTS)
@pytest.mark.parametrize("folder", ["", "paper"])
def test_what_is_staged_is_checked(
    repository: list[int], monkeypatch: pytest.MonkeyPatch, staged: str, working: str, folder: str
) -> None:
    bib = Path(folder, "refs.bib")
    bib.parent.mkdir(exist_ok=True)
    bib.write_text(entries(*CONTENTS[staged]), "utf-8")
    git("add", ".")
    if working == "gone":
        bib.unlink()
    else:
        bib.write_text(entries(*CONTENTS[working]), "utf-8")
    evidence, state = Path("evidence").absolute(), Path("state.json").absolute()
    before = {one.name for one in Path().iterdir()}
    monkeypatch.chdir(folder or ".")
    arguments = ("hook", "refs.bib", "--staged", f"--cassettes={evidence}", f"--state={state}")
    assert main(arguments) == (staged == "invented")
    assert Path.cwd() == evidence.parent / folder
    assert "GIT_WORK_TREE" not in os.environ
    assert {one.name for one in evidence.parent.iterdir()} - {"state.json"} == before


def test_a_renamed_and_partly_staged_file_is_checked_as_staged(repository: list[int]) -> None:
    Path("old.bib").write_text(entries("he2016deep"), "utf-8")
    git("add", ".")
    git("commit", "-qm", "Begin")
    git("mv", "old.bib", "refs.bib")
    Path("refs.bib").write_text(entries("he2016deep", "plausible-fabrication-3-spin-glass"), "utf-8")
    assert main([*HOOK, "--staged"]) == 0
    git("add", "refs.bib")
    assert main([*HOOK, "--staged"]) == 1


def test_staged_files_need_a_repository(looked_at: list[int], capsys: pytest.CaptureFixture[str]) -> None:
    Path("refs.bib").write_text(entries("he2016deep"), "utf-8")
    assert main([*HOOK, "--staged"]) == 2
    assert "no git repository" in capsys.readouterr().err


@pytest.mark.parametrize(("strict", "code"), [((), 0), (("--strict",), 3)])
def test_without_a_network_the_commit_passes_with_one_line(
    repository: list[int], capsys: pytest.CaptureFixture[str], strict: tuple[str, ...], code: int
) -> None:
    Path("refs.bib").write_text(entries("he2016deep", "hochreiter1997long"), "utf-8")
    offline = (
        "hook",
        "refs.bib",
        "--online",
        "--cache=off",
        "--state=off",
        "--sources=crossref",
        "--base-url=crossref=http://127.0.0.1:9",
    )
    assert main([*offline, *strict]) == code
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("citecheck: no service could be reached, so 2 entries are not checked")


@pytest.mark.exhaustive
def test_committed_entries_are_not_looked_at(repository: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = repository
    invented = entries("plausible-fabrication-3-spin-glass")
    Path("refs.bib").write_text(invented, "utf-8")
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


def test_citation_files_and_code_are_looked_at(repository: list[int], capsys: pytest.CaptureFixture[str]) -> None:
    Path("CITATION.cff").write_text(
        "title: engines\nreferences:\n  - type: book\n    title: A book of which nothing is recorded\n    year: 2001\n"
        "    authors: [{family-names: Quill, given-names: Ada}]\n    publisher: {name: Press}\n",
        "utf-8",
    )
    Path("engines.py").write_text(
        '"""Engines.\n\nReferences\n----------\n.. [1] B. Smith, "A title of nothing", Nature, 6, 10-19, 2024.\n"""\n',
        "utf-8",
    )
    assert main(("hook", "CITATION.cff", "engines.py", *HOOK[2:])) == 3
    said = capsys.readouterr().out
    assert "CITATION.cff:" in said
    assert "engines.py:5:" in said
    assert repository == [2]
    assert main(("hook", "citecheck.toml", *HOOK[2:])) == 2
