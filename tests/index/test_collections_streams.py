"""Detection of compression and archives by their bytes, and of formats by content before name."""

from __future__ import annotations

import gzip
import io
import sys
import tarfile
from typing import TYPE_CHECKING

import pytest

from pytest_citecheck.index import collection_name, detect, read
from pytest_citecheck.sources import LONGEST, DumpError
from tests.support.dump_samples import DUMPS, entries, problems, readings

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

DBLP = (DUMPS / "dblp.xml").read_bytes()


def archive(members: Mapping[str, bytes]) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as tar:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return file.getvalue()


CROSSREF = {
    "works/0.json.gz": gzip.compress((DUMPS / "crossref_items.json").read_bytes()),
    "works/._0.json.gz": b"what macOS adds",
    "works/1.json.gz": gzip.compress((DUMPS / "crossref.jsonl").read_bytes()),
}


@pytest.mark.parametrize("name", ["dblp.xml.gz", "dblp.xml", "dump"])
def test_gzip(name: str, tmp_path: Path) -> None:
    assert readings(tmp_path / name, gzip.compress(DBLP)) == list(read(DUMPS / "dblp.xml"))


def test_gzip_of_several_members_with_padding(tmp_path: Path) -> None:
    middle = len(DBLP) // 2
    data = gzip.compress(DBLP[:middle]) + gzip.compress(b"") + gzip.compress(DBLP[middle:]) + b"\0" * 100
    assert readings(tmp_path / "dblp.xml.gz", data) == list(read(DUMPS / "dblp.xml"))


def test_gzip_with_a_wrong_checksum(tmp_path: Path) -> None:
    data = bytearray(gzip.compress(DBLP))
    data[-8] ^= 1
    items = readings(tmp_path / "dblp.xml.gz", bytes(data))
    assert entries(items) == entries(list(read(DUMPS / "dblp.xml")))
    (problem,) = problems(items)
    assert problem.offset == len(DBLP)


def test_zstandard(tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    middle = len(DBLP) // 2
    packed = zstandard.compress(DBLP[:middle]) + zstandard.compress(DBLP[middle:])
    assert readings(tmp_path / "dblp.xml.zst", packed) == list(read(DUMPS / "dblp.xml"))
    (problem,) = problems(readings(tmp_path / "dblp.xml.zst", packed[:-3]))[-1:]
    assert "Zstandard data end too early" in problem.reason or "has no end" in problem.reason
    damaged = zstandard.compress(DBLP) + b"no frame"
    assert any("Zstandard data are damaged" in one.reason for one in problems(readings(tmp_path / "x", damaged)))


def test_zstandard_without_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    (tmp_path / "dblp.xml.zst").write_bytes(b"\x28\xb5\x2f\xfd\x00\x01")
    with pytest.raises(DumpError, match=r"pip install '.\[index\]'"):
        list(read(tmp_path / "dblp.xml.zst"))


@pytest.mark.parametrize("packed", [False, True])
def test_tar(packed: bool, tmp_path: Path) -> None:
    data = archive(CROSSREF)
    items = readings(tmp_path / "works.tar", gzip.compress(data) if packed else data)
    assert items == 2 * list(read(DUMPS / "crossref.jsonl"))


def test_damage_in_a_tar(tmp_path: Path) -> None:
    whole = list(read(DUMPS / "crossref.jsonl"))
    data = bytearray(archive(CROSSREF))
    data[0:10] = b"\xff" * 10  # the header of the first member
    items = readings(tmp_path / "works.tar", bytes(data))
    assert entries(items) == whole
    assert "no header" in problems(items)[0].reason
    cut = archive(CROSSREF)
    cut = cut[: cut.rindex(b"works/1.json.gz") + 512 + 40]
    items = readings(tmp_path / "works.tar", cut)
    assert entries(items)[: len(whole)] == whole
    assert any("archive ends within works/1.json.gz" in problem.reason for problem in problems(items))


def test_a_broken_member_is_named(tmp_path: Path) -> None:
    items = readings(tmp_path / "a.tar", archive({"0.json": b'[{"DOI": "10.1000/x", "title": ["A]}]'}))
    assert {problem.file for problem in problems(items)} == {f"{tmp_path / 'a.tar'}:0.json"}


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(read(tmp_path / "none.xml"))


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("anything", b"\xef\xbb\xbf  <!DOCTYPE dblp SYSTEM 'dblp.dtd'>", "dblp-xml"),
        ("dblp.xml.gz", b"<PubmedArticleSet>", "pubmed-xml"),
        ("refs.bib", b"", "bibtex"),
        ("refs.txt", b"% A comment\n@article{a,", "bibtex"),
        ("x", b'[{"title": "A", "authors": ["B"]}]', "openreview"),
        ("x", b'{"broken": "\n{"DOI": "10.1/x", "title": ["A"], "reference-count": 1}', "crossref"),
        ("x", b"Provider: Somebody\nTY  - JOUR\n", "ris"),
        ("x", b"a,b,c\n1,2,3\n", ""),
    ],
)
def test_detect(name: str, data: bytes, expected: str) -> None:
    found = detect(name, data)
    assert (found.name if found else "") == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("/data/My-List.bib.gz", "my-list"),
        ("anthology+abstracts.bib.gz", "acl_anthology"),
        ("all.tar:refs.csl.json", "refs"),
        ("plain", "plain"),
    ],
)
def test_collection_name(name: str, expected: str) -> None:
    assert collection_name(name) == expected


@pytest.mark.exhaustive
def test_a_first_line_that_is_too_long_is_called_so(tmp_path: Path) -> None:
    """The fields that identify the format are after the overlong part; a shorter file of this kind has no known format."""
    line = b'{"abstract": "' + b"x" * LONGEST + b'", "source": "a"}'
    (problem,) = problems(readings(tmp_path / "a.jsonl", line + b"\n" + line))
    assert str(problem).endswith(
        f"a.jsonl, line 1: the line has {len(line):,} bytes, more than the {LONGEST:,} that are read"
    )
    (problem,) = problems(readings(tmp_path / "a.jsonl", line[-LONGEST // 2 :] + b"\n" + line))
    assert problem.reason == "the file is in none of the known formats"


CUTS = {
    "dblp.xml.gz": gzip.compress(DBLP)[:-300],
    "damaged.xml.gz": gzip.compress(DBLP)[:300] + b"\xff" * 300 + gzip.compress(DBLP)[300:],
    "dblp.tar": archive({"dblp.xml": DBLP})[:-11_000],
    "empty.bib": b"",
    "page.html": b"<html>Log in</html>",
}


@pytest.mark.parametrize("name", CUTS)
def test_what_is_lost_with_a_cut_file_is_not_one_record(name: str, tmp_path: Path) -> None:
    assert any(problem.cut for problem in problems(readings(tmp_path / name, CUTS[name])))


def test_a_broken_record_is_one_record(tmp_path: Path) -> None:
    (problem,) = problems(readings(tmp_path / "dblp.xml", DBLP.replace(b"<title>", b"<title>&nothing;", 1)))
    assert not problem.cut


@pytest.mark.parametrize("data", [b"no frame", b""], ids=["damaged", "cut"])
def test_what_is_lost_with_cut_zstandard(data: bytes, tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    whole = zstandard.compress(DBLP)
    found = problems(readings(tmp_path / "dblp.xml.zst", whole + data if data else whole[:-40]))
    assert any(problem.cut for problem in found)
