"""An index is the same for any number of processes that read its dumps."""

from __future__ import annotations

import gzip
import io
import os
import signal
import tarfile
import zipfile
from pathlib import Path

import pytest

from pytest_citecheck.cli import main
from pytest_citecheck.index import LocalIndex, Workers

pytest.importorskip("numpy")

COUNT = 3000


def dblp(first: int) -> bytes:
    """A dump whose papers are in volumes that stand long before them, with a name in Latin-1."""
    volume = (
        b'<proceedings key="conf/icml/19"><title>Proceedings</title><booktitle>ICML (1)</booktitle>'
        b"<year>2019</year></proceedings>\n"
    )
    papers = b"".join(
        b'<inproceedings key="conf/icml/%d"><author>Ren\xe9 %s</author><title>Study %d of %s.</title>'
        b"<year>2019</year><booktitle>ICML</booktitle><crossref>conf/icml/19</crossref></inproceedings>\n"
        % (number, name, number, name)
        for number, name in ((n, b"abcdefgh"[n % 8 :] + b"o") for n in range(first, first + COUNT))
    )
    return b'<?xml version="1.0" encoding="ISO-8859-1"?>\n<dblp>\n' + volume + papers + b"</dblp>\n"


def lines(source: str) -> bytes:
    """Lines of records, of which one is broken and some repeat others."""
    form = (
        '{{"source": "{0}", "id": "{1}", "title": "Work {1} on things", "authors": ["A. {1}"], "year": 2020, "venue": "ICML", '
        '"doi": "10.1/{1}", "arxiv": "", "url": "", "type": "article"}}\n'
    )
    stated = [form.format(source, number % (COUNT - 7)) for number in range(COUNT)]
    stated[COUNT // 2] = '{"source": broken\n'
    return "".join(stated).encode()


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Dumps in one file, by lines and in an archive, of which all are divided."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("pytest_citecheck.sources.dumps.PART", 1 << 16)
    monkeypatch.setattr("pytest_citecheck.index.workers.LARGE", 1)
    Path("dblp.xml.gz").write_bytes(gzip.compress(dblp(0)))
    Path("lines.jsonl").write_bytes(lines("a"))
    with tarfile.open("more.tar", "w") as archive:
        for name, data in (("b.jsonl.gz", gzip.compress(lines("b"))), ("c.xml", dblp(COUNT))):
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    with zipfile.ZipFile("more.zip", "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr("e.jsonl", lines("e"))
        zipped.writestr("folder/f.jsonl.gz", gzip.compress(lines("f")))
    Path("small.jsonl").write_bytes(lines("d")[:2000])
    return ["dblp.xml.gz", "lines.jsonl", "more.tar", "more.zip", "small.jsonl"]


def built(out: str, files: list[str], jobs: int, *more: str) -> int:
    return main(["index", "build", out, *files, "-j", str(jobs), "--errors", f"{out}.tsv", *more])


@pytest.mark.exhaustive
def test_any_number_of_processes_writes_the_same_file(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    told = []
    for jobs in (1, 2, 3):
        assert built("works.index", files, jobs) == 0
        Path("works.index").rename(f"{jobs}.index")
        Path("works.index.tsv").rename(f"{jobs}.tsv")
        told.append([part for part in capsys.readouterr() for part in part.splitlines() if "CPU" not in part])
    assert len({Path(f"{jobs}.index").read_bytes() for jobs in (1, 2, 3)}) == 1
    assert len({Path(f"{jobs}.tsv").read_text() for jobs in (1, 2, 3)}) == 1
    assert told[0] == told[1] == told[2]
    assert not list(Path().glob(".works*"))


@pytest.mark.exhaustive
def test_parts_give_what_the_whole_gives(files: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert built("parts.index", files, 1) == 0
    monkeypatch.setattr("pytest_citecheck.index.workers.LARGE", 1 << 40)
    assert built("whole.index", files, 1) == 0
    with LocalIndex(Path("parts.index")) as parts, LocalIndex(Path("whole.index")) as whole:
        assert list(parts) == list(whole)
        assert parts.scopes() == whole.scopes()
        assert parts.volumes() == whole.volumes()
        (paper,) = parts.by_identifier("dblp", f"conf/icml/{COUNT - 1}")
        assert paper.authors[0].literal.startswith("René")
    assert Path("parts.index.tsv").read_text() == Path("whole.index.tsv").read_text()


@pytest.mark.exhaustive
def test_shards_have_the_same_records(files: list[str]) -> None:
    assert built("one.index", files, 1) == 0
    assert built("set.index", files, 2, "--shards", "2") == 0
    with LocalIndex(Path("one.index")) as one, LocalIndex(Path("set.index")) as several:
        assert list(one) == list(several)


@pytest.mark.skipif(os.name != "posix", reason="needs the signals of POSIX")
def test_a_process_that_is_killed_is_told_and_nothing_changes(
    files: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert built("works.index", files[:1], 1) == 0
    before = Path("works.index").read_bytes()
    start = Workers._start

    def killed(self: Workers, source: str) -> None:
        start(self, source)
        os.kill(self._processes[0].pid or 0, signal.SIGKILL)

    monkeypatch.setattr(Workers, "_start", killed)
    capsys.readouterr()
    assert built("works.index", files, 2) == 1
    assert "a process that read the dumps died: nothing was changed" in capsys.readouterr().err
    assert Path("works.index").read_bytes() == before
    assert not list(Path().glob(".works*"))


def test_a_file_that_is_missing_is_a_problem(tmp_path: Path) -> None:
    with Workers(tmp_path / "works.index", 1) as reading:
        (batch,) = reading.read([tmp_path / "none.jsonl"], "")
    assert batch.last
    assert batch.ended is not None
    assert batch.ended.reason.startswith("the file cannot be read")
