"""An audit agrees with the plugin, reads all of its input, and can be rerun with the same command."""

from __future__ import annotations

import json
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from pytest_citecheck.audit import (
    EngineError,
    Folder,
    InProcess,
    Job,
    Processes,
    RowError,
    as_reference,
    read_rows,
    unread_of,
)
from pytest_citecheck.cli import main
from tests.audit.conftest import WORKS
from tests.support.mortal_jobs import dying, dying_once

pq = pytest.importorskip("pyarrow.parquet")
pa = pytest.importorskip("pyarrow")


def audit(
    *arguments: object, out: Path, index: Path | None = None, code: tuple[int, ...] = (0, 1, 3)
) -> list[dict[str, Any]]:
    """Run the command in this process; all rows that it wrote."""
    given = ["--index", str(index)] if index is not None else []
    assert main(["audit", *map(str, arguments), "-o", str(out), "-n", "0", *given]) in code
    return [row for part in sorted(out.glob("references/*.parquet")) for row in read_rows(part)]


@pytest.mark.exhaustive
def test_what_it_says_of_each_reference_is_what_the_plugin_says(
    pytester: pytest.Pytester, corpus: Path, index: Path
) -> None:
    rows = audit(corpus, "--prior=0.3", out=pytester.path / "out", index=index)
    for file in corpus.iterdir():
        (pytester.path / file.name).write_bytes(file.read_bytes())
    pytester.runpytest_inprocess(
        "--citecheck=.", "--citecheck-prior=0.3", f"--citecheck-index={index}", "--citecheck-offline", "--citecheck-cache=off",
        "--citecheck-json=report.json", "-q",
    )  # fmt: skip
    said = json.loads((pytester.path / "report.json").read_bytes())["references"]
    assert {one["id"]: one for one in said} == {row["id"]: json.loads(row["report"]) for row in rows}
    assert {row["verdict"] for row in rows} >= {"verified", "misdescribed", None}
    assert [row["document"] for row in rows] == sorted(row["document"] for row in rows)
    assert rows[0]["evidence"] == ["index dblp:conf/x/0"]


@pytest.mark.exhaustive
def test_the_join_gives_the_same_files(tmp_path: Path, corpus: Path, index: Path) -> None:
    plain, joined = tmp_path / "plain", tmp_path / "joined"
    audit(corpus, "--partition", 1, out=plain, index=index)
    audit(corpus, "--partition", 1, "--join", out=joined, index=index)
    assert contents(plain) == contents(joined)
    assert len(contents(plain)) == 3
    assert any(row["numbers"] for part in joined.glob("exact/*.parquet") for row in read_rows(part))


def contents(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in out.glob("references/*.parquet")}


@pytest.mark.exhaustive
def test_an_interrupted_audit_goes_on(
    tmp_path: Path, corpus: Path, index: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Finished work is not repeated, even on another day; the result is the same as without an interruption."""
    out, whole = tmp_path / "out", tmp_path / "whole"
    run = InProcess.run

    def interrupted(self: InProcess, jobs: list[Job]) -> Any:
        yield from run(self, jobs[:2])
        raise KeyboardInterrupt

    monkeypatch.setattr(InProcess, "run", interrupted)
    audit(corpus, "--partition", 1, out=out, index=index, code=(130,))
    assert "rerun the same command" in capsys.readouterr().err
    assert len(contents(out)) == 2
    monkeypatch.setattr(InProcess, "run", run)
    audit(corpus, "--partition", 1, out=out, index=index)
    audit(corpus, "--partition", 1, out=whole, index=index)
    assert contents(out) == contents(whole)
    assert [json.loads(line)["partition"] for line in Folder(out).log.read_text().splitlines() if line] == [0, 1, 2]


def test_another_audit_is_not_mixed_in(
    tmp_path: Path, corpus: Path, index: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    audit(corpus, out=tmp_path / "out", index=index)
    audit(corpus, "--strict", out=tmp_path / "out", index=index, code=(2,))
    assert "choose another folder" in capsys.readouterr().err


def test_rows_are_read_and_broken_ones_named(tmp_path: Path, index: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = WORKS[0]
    row = {"document": "p1", "key": "k1", "type": "inproceedings", "title": one.title, "year": 2010, "doi": one.doi}
    lines = tmp_path / "refs.jsonl"
    row["authors"] = [str(person) for person in one.authors]
    lines.write_text(
        "\n".join([json.dumps(row), '{"key": ', "[1]", '{"key": "empty"}', json.dumps({"bibtex": "@misc{"})])
    )
    table = tmp_path / "refs.parquet"
    stated = [{"key": "k2", "fields": json.dumps({"title": one.title})}, {"key": "x", "fields": "{"}]
    pq.write_table(pa.Table.from_pylist(stated), table)
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(b"PAR1 and nothing else")
    out = tmp_path / "out"
    rows = audit(lines, table, broken, "--partition", 2, out=out, index=index)
    assert [(row["key"], row["title"], row["document"]) for row in rows if row["title"]] == [
        ("k1", one.title, "p1"), ("k2", one.title, str(table))
    ]  # fmt: skip
    named = {(Path(item.path).name, item.row) for item in unread_of(Folder(out))}
    assert {
        ("refs.jsonl", 2),
        ("refs.jsonl", 3),
        ("refs.jsonl", 4),
        ("refs.parquet", 2),
        ("broken.parquet", 0),
    } <= named
    assert f"{lines}:2: the line is not JSON" in capsys.readouterr().err


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_archives_are_read(tmp_path: Path, corpus: Path, index: Path, kind: str) -> None:
    archive = tmp_path / f"corpus.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(archive, "w") as packed:
            for file in corpus.iterdir():
                packed.write(file, file.name)
    else:
        with tarfile.open(archive, "w:gz") as packed_tar:
            for file in corpus.iterdir():
                packed_tar.add(file, file.name)
    rows = audit(archive, out=tmp_path / "out", index=index)
    assert [row["report"] for row in rows] == [row["report"] for row in audit(corpus, out=tmp_path / "2", index=index)]


def test_a_query_is_read(tmp_path: Path, index: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path(tmp_path, "refs.csv").write_text(f"paper,title\np7,{WORKS[1].title}\n")
    query = f"SELECT paper AS document, title FROM '{tmp_path}/refs.csv'"  # noqa: S608
    assert [row["document"] for row in audit(query, out=tmp_path / "out", index=index)] == ["p7"]
    audit("SELECT nonsense FROM nowhere", out=tmp_path / "other", code=(2,))
    assert "the query cannot be run" in capsys.readouterr().err


@pytest.mark.parametrize(
    "row", [{}, {"key": "k"}, {"fields": "["}, {"fields": 3}, {"title": True}, {"bibtex": "@a{b}\n@c{d}"}]
)
def test_a_row_that_states_nothing_is_an_error(row: dict[str, Any]) -> None:
    with pytest.raises(RowError):
        as_reference(row, "refs.jsonl", 1)


def test_the_fields_of_a_row_are_those_of_an_entry() -> None:
    row = {
        "type": "Article!",
        "title": "A {brace",
        "year": 2019.0,
        "authors": ["Doe, Jane", "Smith and Sons"],
        "x y": "no",
    }
    reference = as_reference(row, "p", 7)
    assert (reference.type, reference.location.line, reference.fields["year"]) == ("article", 7, "2019")
    assert reference.raw["author"] == "Doe, Jane and {Smith and Sons}"
    assert reference.fields["title"] == "A brace"


def test_the_summary_has_the_worst_documents_first(tmp_path: Path, corpus: Path, index: Path) -> None:
    Path(corpus, "c.bib").write_text("@misc{x, title = {=HYPERLINK}, author = {Doe, Jane}, year = {2019}}")
    audit(corpus, out=tmp_path / "out", index=index)
    lines = Path(tmp_path, "out", "summary", "documents.csv").read_text().splitlines()
    assert lines[0].startswith("document,references,verified")
    assert [line.partition(",")[0] for line in lines[1:]] == ["a.bib", "b.bib", "c.bib"]
    page = Path(tmp_path, "out", "summary", "index.html").read_text()
    assert page.index("a.bib") < page.index("c.bib")
    assert "doi,doi-ok" in Path(tmp_path, "out", "summary", "codes.csv").read_text()


def test_nothing_to_read_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    audit(tmp_path / "missing", out=tmp_path / "out", code=(5,))
    assert "no such file or folder" in capsys.readouterr().err


@pytest.mark.exhaustive
def test_a_worker_that_dies_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first start of a job kills its process."""
    monkeypatch.setattr("pytest_citecheck.audit.engines.perform", dying_once)
    engine = Processes(2)
    jobs = [Job(str(tmp_path), "judge", number) for number in range(3)]
    assert sorted(engine.run(jobs)) == [0, 1, 2]
    engine.close()


@pytest.mark.exhaustive
def test_a_job_that_always_kills_ends_the_audit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_citecheck.audit.engines.perform", dying)
    monkeypatch.setattr("pytest_citecheck.audit.engines.ATTEMPTS", 2)
    with pytest.raises(EngineError, match="workers died 2 times over partition 3"):
        list(Processes(1).run([Job(str(tmp_path), "judge", 3)]))
