"""A stranger's document names a private file: nothing of it reaches a report or a service, unless an option allows its folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.stand_ins.server import LocalServices

BIB = "@article{k, title = {Private Notes About MARK}, author = {Ada Lovelace}, journal = {Notes}, year = {2017}}"
TEX = r"\documentclass{article}\begin{document}\cite{k}%s\end{document}"
LISTED = (
    r"\begin{thebibliography}{1}\bibitem{k} A. Lovelace. Private Notes About MARK. Notes, 2017.\end{thebibliography}"
)
BCF = '<bcf:controlfile xmlns:bcf="x"><bcf:bibdata section="0"><bcf:datasource type="file">%s</bcf:datasource></bcf:bibdata>'
BCF += '<bcf:section number="0"><bcf:citekey order="1">k</bcf:citekey></bcf:section></bcf:controlfile>'
CSL = (
    '[{"id": "k", "type": "article-journal", "title": "Private Notes About MARK", "author": [{"family": "Lovelace"}]}]'
)
YAML = "k:\n  type: article\n  title: Private Notes About MARK\n  author: Lovelace, Ada\n  date: 2017\n"


@dataclass(frozen=True)
class Way:
    """A document that names a file as %s; the private file's suffix and text; further files of the document.

    rooted: True if a leading slash means the folder of the document.
    """

    document: str
    text: str
    suffix: str = ".bib"
    private: str = BIB
    further: Mapping[str, str] = field(default_factory=dict)
    rooted: bool = False


OWN = {"own.bib": "@misc{own, title = {Own Work}, author = {Ada Lovelace}, year = {2017}}"}
WAYS = {
    "bibliography": Way("main.tex", TEX % r"\bibliography{%s}"),
    "addbibresource": Way("main.tex", TEX % r"\addbibresource{%s}"),
    "input": Way("main.tex", TEX % r"\input{%s}", ".tex", LISTED),
    "import": Way("main.tex", TEX % r"\import{./}{%s}", ".tex", LISTED),
    "subfile": Way("main.tex", TEX % r"\subfile{%s}", ".tex", LISTED),
    "nested input": Way("main.tex", TEX % r"\input{part}", ".tex", LISTED, {"part.tex": r"\input{%s}"}),
    "bibdata": Way("main.aux", "\\citation{k}\n\\bibdata{%s}\n"),
    "@input": Way("main.aux", "\\@input{%s}\n\\bibdata{own}\n", ".aux", "\\citation{MARK}\n", OWN),
    "datasource": Way("main.bcf", BCF),
    "header": Way("main.md", "---\nbibliography: %s\n---\nAs in [@k].\n"),
    "header list": Way("main.qmd", "---\nbibliography: [own.bib, '%s']\n---\nAs in [@k; @own].\n", further=OWN),
    "header json": Way("main.md", "---\nbibliography: %s\n---\nAs in [@k].\n", ".json", CSL),
    "project": Way("main.qmd", "As in [@k].\n", further={"_quarto.yml": "bibliography: %s\n"}),
    "#bibliography": Way("main.typ", '#bibliography("%s") @k', rooted=True),
    "hayagriva": Way("main.typ", '#bibliography("%s") @k', ".yml", YAML, rooted=True),
    "#include": Way("main.typ", '#include "%s"\n#bibliography("own.bib") @own', ".typ", "@MARK", OWN, rooted=True),
}
ESCAPES = ("parent", "absolute", "link", "link to folder")


@dataclass(frozen=True)
class Attack:
    """One document, the words of the private file, and whether the name can lead there at all."""

    document: Path
    mark: str
    leads: bool


def lay_out(inbox: Path, private: Path) -> dict[str, Attack]:
    """Write one document for each way and escape."""
    attacks = {}
    for number, (name, way) in enumerate(WAYS.items()):
        for escape in ESCAPES:
            mark = f"lantern{number:02d}{ESCAPES.index(escape)}x"
            folder, secret = inbox / mark, private / f"{mark}{way.suffix}"
            folder.mkdir(parents=True)
            secret.write_text(way.private.replace("MARK", mark), "utf-8")
            named = {
                "parent": f"../../{private.name}/{secret.name}",
                "absolute": str(secret),
                "link": f"near{way.suffix}",
                "link to folder": f"near/{secret.name}",
            }[escape]
            if escape.startswith("link"):
                link = folder / named.split("/")[0]
                link.symlink_to(secret if escape == "link" else private, target_is_directory=escape != "link")
            for file, text in {way.document: way.text, **way.further}.items():
                (folder / file).write_text(text.replace("%s", named), "utf-8")
            attacks[f"{name}, {escape}"] = Attack(
                folder / way.document, mark, not (way.rooted and escape == "absolute")
            )
    return attacks


def checked(
    where: Path, services: LocalServices, live: Sequence[str], *arguments: str | Path
) -> tuple[str, str, dict[str, object]]:
    """Run pytest; return the output, everything that the services received, and the report."""
    report = where / "report.json"
    options = ["-p", "no:cacheprovider", "-rs", "--continue-on-collection-errors", f"--citecheck-json={report}", *live]
    line = [sys.executable, "-m", "pytest", *map(str, arguments), *options]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(line, cwd=where, env=environment, capture_output=True, encoding="utf-8", check=False)
    sent = "\n".join(f"{request.path} {request.body!r}" for request in services.requests)
    return done.stdout + done.stderr, sent, json.loads(report.read_text("utf-8")) if report.exists() else {}


@pytest.fixture
def where(tmp_path: Path) -> Path:
    """The folder where the command is started."""
    (tmp_path / "private").mkdir()
    (tmp_path / "started").mkdir()
    return tmp_path / "started"


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "allowed", [pytest.param(False, id="refused"), pytest.param(True, id="allowed", marks=pytest.mark.exhaustive)]
)
def test_a_document_names_no_file_outside_its_folder(
    where: Path, services: LocalServices, live: list[str], allowed: bool
) -> None:
    private = where.parent / "private"
    attacks = lay_out(where.parent / "inbox", private)
    option = [f"--citecheck-root={private}"] if allowed else []
    named = [f"--citecheck={one.document}" for one in attacks.values()]
    shown, sent, report = checked(where, services, live, *named, *option)
    everything = f"{shown}\n{sent}\n{json.dumps(report)}".lower()
    # The marks are in the names of the folders and files, too.
    said = everything.replace("\\", "").split()
    reached = {name for name, one in attacks.items() if any(_tells(word, one.mark) for word in said)}
    assert reached == ({name for name, one in attacks.items() if one.leads} if allowed else set())
    if not allowed:
        assert (
            shown.count("--citecheck-root=FOLDER") + json.dumps(report).count("--citecheck-root=FOLDER")
            >= len(attacks) // 2
        )


def _tells(word: str, mark: str) -> bool:
    """Return True for the mark in a title, a query or a key, but not in the name of a file or folder."""
    return mark in word.replace(f"/{mark}", "").replace(f"{mark}.", "")


@pytest.mark.exhaustive
def test_links_in_a_folder_lead_to_no_file_outside(where: Path, services: LocalServices, live: list[str]) -> None:
    for place in ("inbox/paper", "inbox/library", "project/docs"):
        folder = where.parent / place
        folder.mkdir(parents=True)
        for name in ("refs.bib", "paper.pdf", "list.md", "page.rst", "code.py", "paper.tex"):
            text = (
                f"{BIB}\n"
                if name == "refs.bib"
                else f'"""{LISTED}\n\nReferences:\nA. Lovelace. Private Notes About MARK. 2017."""'
            )
            (secret := where.parent / "private" / name).write_text(text.replace("MARK", "lantern"), "utf-8")
            (folder / name).symlink_to(secret)
    (where.parent / "inbox/paper/main.tex").write_text(TEX % r"\bibliography{refs}", "utf-8")
    (where.parent / "project/pyproject.toml").touch()
    inbox = where.parent / "inbox"
    shown, sent, report = checked(
        where, services, live, f"--citecheck={inbox}", f"--citecheck={where.parent / 'project'}"
    )
    walked = checked(where, services, live, "--citecheck", inbox)
    assert "lantern" not in f"{shown}{sent}{json.dumps(report)}{walked}".lower()
    assert "it is a link that leads out of the folder" in shown


@pytest.mark.exhaustive
@pytest.mark.parametrize("allowed", [False, True], ids=["refused", "allowed"])
def test_the_claims_of_a_manuscript_name_no_file_outside(
    where: Path, services: LocalServices, live: list[str], allowed: bool
) -> None:
    private, folder = where.parent / "private", where.parent / "inbox"
    (folder / "sources").mkdir(parents=True)
    (private / "part.tex").write_text(r"The lantern was lit in 1843 by the keeper of the house \cite{k}.", "utf-8")
    (private / "k.txt").write_text("The keeper of the house lit all seven torches in 1843. " * 20, "utf-8")
    (folder / "sources/k.txt").symlink_to(private / "k.txt")
    text = (
        r"\documentclass{article}\begin{document}The keeper lit seven torches in 1843 \cite{k}.\input{%s}\end{document}"
    )
    (folder / "main.tex").write_text(text % (private / "part"), "utf-8")
    option = [f"--citecheck-root={private}"] if allowed else []
    shown, sent, report = checked(
        where, services, live, f"--citecheck={folder}/main.tex", "--citecheck-claims", *option
    )
    said = f"{shown}{sent}{json.dumps(report)}"
    assert [word in said for word in ("lantern was lit", "all seven torches")] == [allowed, allowed]


CORPORA = {
    "corpus.jsonl": (
        "data/claims.jsonl",
        {"id": 7, "claim": "The lamp was lit.", "cited_doc_ids": [1], "evidence": {}},
        {"doc_id": 1, "title": "Private", "abstract": ["The lantern was lit."]},
    ),
    "wiki-pages/wiki-001.jsonl": (
        "data/dev.jsonl",
        {"id": 7, "verifiable": "VERIFIABLE", "label": "SUPPORTS", "claim": "It was lit.", "evidence": [[[1, 2, "Lamp", 0]]]},
        {"id": "Lamp", "text": "t", "lines": "0\tThe lantern was lit ."},
    ),
}  # fmt: skip


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", CORPORA)
@pytest.mark.parametrize("allowed", [False, True], ids=["refused", "allowed"])
def test_the_texts_of_a_data_set_are_no_files_outside(
    where: Path, services: LocalServices, live: list[str], name: str, allowed: bool
) -> None:
    private, folder = where.parent / "private", where.parent / "inbox/data"
    (folder / name).parent.mkdir(parents=True)
    claims, row, text = CORPORA[name]
    (where.parent / "inbox" / claims).write_text(f"{json.dumps(row)}\n", "utf-8")
    (private / "own.jsonl").write_text(f"{json.dumps(text)}\n", "utf-8")
    (folder / name).symlink_to(private / "own.jsonl")
    option = [f"--citecheck-root={private}"] if allowed else []
    shown, sent, report = checked(where, services, live, f"--citecheck={where.parent / 'inbox' / claims}", *option)
    assert ("lantern" in f"{shown}{sent}{json.dumps(report)}", "--citecheck-root=FOLDER" in shown) == (
        allowed,
        not allowed,
    )


@pytest.mark.sample(1)
@pytest.mark.parametrize("repository", [False, True], ids=["folder", "repository"])
def test_the_hook_looks_for_bibliographies_in_the_repository_of_the_chapter(
    where: Path, services: LocalServices, live: list[str], repository: bool
) -> None:
    """Without a repository, the .bib files above the chapter and the start folder are somebody else's."""
    (where.parent / "mine.bib").write_text(BIB.replace("MARK", "lantern"), "utf-8")
    (where.parent / "inbox/chapters").mkdir(parents=True)
    chapter = where.parent / "inbox/chapters/one.tex"
    chapter.write_text(r"As in \cite{k}.", "utf-8")
    if repository:
        subprocess.run(["git", "init", "-q", where.parent], check=True)
    options = [one.replace("--citecheck-", "--") for one in live]
    command = [
        str(Path(sys.executable).with_name("citecheck")),
        "hook",
        str(chapter),
        "--state=off",
        "--online",
        *options,
    ]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(command, cwd=where, env=environment, capture_output=True, encoding="utf-8", check=False)
    said = f"{done.stdout}{done.stderr}{[request.path for request in services.requests]}"
    assert ("lantern" in said) == repository, done.stderr
