"""``pytest --citecheck=submissions/``: each paper is checked, unreadable files are reported, totals rank the papers."""

from __future__ import annotations

import csv
import io
import json
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_citecheck.audit import Piece, Unread, pieces_of, read_pieces
from pytest_citecheck.plugin import format_of

FIXTURES = Path(__file__).parents[2] / "fixtures"
OFFLINE = ("--citecheck-offline", "--citecheck-cache=off")


def entry(key: str, title: str) -> str:
    return f"@article{{{key}, title={{{title}}}, author={{Ada Lovelace}}, journal={{Nature}}, year=2001}}\n"


PAPER = "\\documentclass{article}\\begin{document}\\cite{%s}\\bibliography{refs}\\end{document}"


@pytest.fixture
def submissions(pytester: pytest.Pytester) -> Path:
    folder = pytester.mkdir("submissions")
    for name, cited in (("p1", "a"), ("p2", "gone")):
        (folder / name).mkdir()
        (folder / name / "main.tex").write_text(PAPER % cited)
        (folder / name / "refs.bib").write_text(
            entry("a", "=cmd|'/c calc'!A1 and Flowers") + entry("b", "Uncited Roses")
        )
        (folder / name / "figure.pdf").write_bytes(b"%PDF-1.5")
        (folder / name / "old.bib").write_text(entry("z", "Left Over"))
    with zipfile.ZipFile(folder / "p3.zip", "w") as archive:
        archive.writestr("src/main.tex", PAPER % "b")
        archive.writestr("src/refs.bib", entry("b", "A Title in an Archive"))
        archive.writestr("src/figure.png", b"\x89PNG")
    (folder / "p4.pdf").write_bytes(b"%PDF-1.5 broken")
    return folder


@pytest.mark.exhaustive
@pytest.mark.usefixtures("submissions")
def test_each_submission_is_checked_and_ranked(pytester: pytest.Pytester) -> None:
    reports = ("--citecheck-csv=table.csv", "--citecheck-json=report.json", "--citecheck-html=page.html")
    result = pytester.runpytest("--citecheck=submissions", *OFFLINE, *reports)
    result.assert_outcomes(passed=2, failed=2, skipped=10)
    result.stdout.fnmatch_lines(
        [
            "submissions/p2/main.tex:1 gone syntax: * [[]missing-entry]",
            "submissions/p4.pdf:1 document syntax: submissions/p4.pdf *",
            "submissions (4), the worst first:",
            "  p2: 1 reference, 1 with errors",
            "  p4.pdf: not read (submissions/p4.pdf *",
            "  p1: 1 reference, 0 with errors (1 undecided)",
            "  p3.zip: 1 reference, 0 with errors (1 undecided)",
        ]
    )
    report = json.loads((pytester.path / "report.json").read_text())
    assert {one["id"].partition("::")[0]: one["submission"] for one in report["references"]} == {
        "submissions/p1/main.tex": "p1",
        "submissions/p2/main.tex": "p2",
        "submissions/p3.zip": "p3.zip",
        "submissions/p4.pdf": "p4.pdf",
    }
    assert [one["checks"]["syntax"]["code"] for one in report["references"] if "syntax" in one["checks"]] == [
        "missing-entry",
        "unreadable-document",
    ]
    assert [one["path"] for one in report["references"] if one["submission"] == "p3.zip"] == [
        "submissions/p3.zip/src/refs.bib"
    ]
    table = (pytester.path / "table.csv").read_bytes()
    assert table.startswith(b"\xef\xbb\xbfsubmission,place,key,")
    rows = list(csv.DictReader(io.StringIO(table.decode("utf-8-sig"))))
    assert [row["submission"] for row in rows if row["submission"]] == ["p1", "p2", "p3.zip", "p4.pdf"]
    passed_over = {row["place"].removeprefix("submissions/") for row in rows if row["verdict"] == "not read"}
    assert passed_over == {"p1/figure.pdf", "p1/old.bib", "p2/figure.pdf", "p2/old.bib"}
    assert rows[0]["title"].startswith("'=cmd")
    assert 'name="submission"' in (pytester.path / "page.html").read_text()


def messy(folder: Path) -> None:
    """A folder in which some files cannot be read."""
    (folder / "stray.bib").write_text(entry("a", "A Title of Flowers"))
    (folder / "we[ird].bbl").write_text("\\begin{thebibliography}{1}\\bibitem{b} A. Lovelace. \\newblock Roses. 2001.")
    (folder / "empty.pdf").write_bytes(b"")
    (folder / "broken.zip").write_bytes(b"PK broken")
    (folder / "image.bib").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    (folder / "notes.doc").write_bytes(b"\xd0\xcf")


@pytest.mark.exhaustive
@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["no workers", "two workers"])
def test_a_broken_file_costs_only_itself_and_every_report_lists_it(
    pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    messy(pytester.mkdir("papers"))
    reports = ("--citecheck-csv=table.csv", "--citecheck-json=report.json", "--citecheck-html=page.html")
    result = pytester.runpytest("--citecheck=papers", *OFFLINE, *reports, *workers)
    result.stdout.fnmatch_lines(
        [
            "  broken.zip: not read (papers/broken.zip is damaged *",
            "  empty.pdf: not read (papers/empty.pdf is empty)",
            "not read (2 files):",
            "  papers/image.bib: it is not a BibTeX file",
            "  papers/notes.doc: no reader for .doc files; save it as .docx or .pdf",
        ]
    )
    report = json.loads((pytester.path / "report.json").read_text())
    assert {one["id"] for one in report["references"]} == {
        "papers/broken.zip::document",
        "papers/empty.pdf::document",
        "papers/stray.bib::a",
        "papers/we[ird].bbl::b",
    }
    unread = {"papers/broken.zip", "papers/empty.pdf", "papers/image.bib", "papers/notes.doc"}
    assert {one["path"] for one in report["unread"]} == unread
    assert all(one["reason"] for one in report["unread"])
    rows = list(csv.DictReader(io.StringIO((pytester.path / "table.csv").read_text("utf-8-sig"))))
    assert {row["place"].partition(":")[0] for row in rows} >= unread
    assert [row["warnings"] for row in rows if row["verdict"] == "not read"] == [
        "it is not a BibTeX file",
        "no reader for .doc files; save it as .docx or .pdf",
    ]
    page = (pytester.path / "page.html").read_text()
    assert [file for file in unread if f'<li dir="auto">{file}: ' not in page] == []


def test_an_audit_of_a_folder_agrees_with_a_run(pytester: pytest.Pytester) -> None:
    folder = pytester.mkdir("papers")
    messy(folder)
    pytester.runpytest("--citecheck=papers", *OFFLINE, "--citecheck-json=report.json")
    report = json.loads((pytester.path / "report.json").read_text())
    pieces = list(pieces_of([str(folder)], 500))
    cited, unread = read_pieces(one for one in pieces if isinstance(one, Piece))
    assert {f"papers/{one.id}" for one in cited} == {one["id"] for one in report["references"]}
    unread += [one for one in pieces if isinstance(one, Unread)]
    assert {f"papers/{Path(one.path).name}" for one in unread} == {one["path"] for one in report["unread"]}


@pytest.mark.exhaustive
def test_a_folder_with_a_paper_is_that_paper_and_one_of_bibliographies_is_what_it_was(
    pytester: pytest.Pytester,
) -> None:
    folder = pytester.mkdir("paper")
    (folder / "refs.bib").write_text(entry("a", "A Title of Flowers") + entry("b", "Uncited Roses"))
    collected = pytester.runpytest("--citecheck=paper", *OFFLINE, "--co", "-q").outlines
    assert len([line for line in collected if line.startswith("paper/refs.bib::")]) == 12
    (folder / "main.tex").write_text(PAPER % "a")
    for given in (("--citecheck=paper",), ("--citecheck", "--", "paper")):
        collected = pytester.runpytest(*OFFLINE, "--co", "-q", *given).outlines
        assert {line.partition("[")[0] for line in collected if "::" in line} == {"paper/main.tex::a"}


def tar(*members: tuple[str, bytes, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, content, kind in members:
            info = tarfile.TarInfo(name)
            info.type, info.size, info.linkname = kind, len(content) if kind == tarfile.REGTYPE else 0, "/etc/passwd"
            archive.addfile(info, io.BytesIO(content))
    return packed.getvalue()


MAIN = ("main.tex", (PAPER % "a").encode(), tarfile.REGTYPE)
HOSTILE: dict[str, tuple[bytes | Callable[[], bytes], str]] = {
    "up": (tar(MAIN, ("../refs.bib", b"x", tarfile.REGTYPE)), "points outside the archive"),
    "absolute": (tar(MAIN, ("/etc/refs.bib", b"x", tarfile.REGTYPE)), "points outside the archive"),
    "link": (tar(MAIN, ("refs.bib", b"", tarfile.SYMTYPE)), "is a link or a device"),
    "device": (tar(MAIN, ("refs.bib", b"", tarfile.CHRTYPE)), "is a link or a device"),
    "bomb": (
        lambda: tar(MAIN, ("refs.bib", bytes(110_000_000), tarfile.REGTYPE)),
        "has more than 100 MB when unpacked",
    ),
    "cut": (tar(MAIN)[:-30], "is damaged"),
    "nothing": (tar(("a.tex", b"x", tarfile.REGTYPE)), "contains no document with references"),
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_archives_are_errors(pytester: pytest.Pytester, name: str) -> None:
    data, why = HOSTILE[name]
    (pytester.path / "p.tar.gz").write_bytes(data() if callable(data) else data)
    result = pytester.runpytest("--citecheck=p.tar.gz", *OFFLINE)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines([f"p.tar.gz*{why}*"])


@pytest.mark.exhaustive
@pytest.mark.parametrize("suffix", [".pdf", ".docx", ".zip", ".tex", ".json", ".bib"])
def test_files_of_a_gigabyte_are_errors(pytester: pytest.Pytester, suffix: str) -> None:
    starts = {
        ".pdf": b"%PDF-1.5",
        ".docx": b"PK",
        ".zip": b"PK",
        ".tex": b"\\cite{a}",
        ".json": b'[{"title": "a", "type": "book"',
        ".bib": b"",
    }
    with (pytester.path / f"large{suffix}").open("wb") as file:
        file.write(starts[suffix])
        file.truncate(1_100_000_000)
    result = pytester.runpytest(f"--citecheck=large{suffix}", *OFFLINE)
    result.stdout.fnmatch_lines([f"*large{suffix}* has 1.1 GB; at most 200 MB are read"])


def test_links_of_a_submission_lead_nowhere(pytester: pytest.Pytester) -> None:
    (pytester.path / "secret.bib").write_text(entry("a", "A Secret"))
    folder = pytester.mkdir("submissions") / "p1"
    folder.mkdir()
    (folder / "main.tex").write_text(PAPER % "a")
    (folder / "refs.bib").symlink_to(pytester.path / "secret.bib")
    result = pytester.runpytest("--citecheck=submissions", *OFFLINE)
    result.stdout.fnmatch_lines(["*syntax: submissions/p1/main.tex names submissions/p1/refs.bib, which is outside*"])


@pytest.mark.exhaustive
def test_standard_input(pytester: pytest.Pytester) -> None:
    command = (sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *OFFLINE, "--co", "-q", "--citecheck=-")
    result = pytester.run(*command, stdin=entry("a", "Roses").encode())
    assert sum("stdin.bib::a[" in line for line in result.outlines) == 6
    pytester.run(*command, stdin=b"").stderr.fnmatch_lines(["*--citecheck=-: standard input is empty"])


def test_the_format_of_standard_input() -> None:
    starts = {
        b"@misc{a": ".bib",
        b"TY  - JOUR": ".ris",
        b"%PDF-1.5": ".pdf",
        b"10.1/a": ".txt",
        b"[{": ".json",
        b"[1] A. Author": ".txt",
        b"<html>": ".html",
    }
    assert {start: format_of(start) for start in starts} == starts


@pytest.mark.exhaustive
def test_workers_read_each_pdf_once(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        """
        from pathlib import Path
        from pytest_citecheck.inputs import pdf

        read = pdf.pages_of

        def counted(path, data):
            with Path(__file__).with_name("read.txt").open("a") as file:
                file.write(path + "\\n")
            return read(path, data)

        pdf.pages_of = counted
        """
    )
    (pytester.path / "paper.pdf").write_bytes((FIXTURES / "manuscripts" / "paper.pdf").read_bytes())
    (pytester.path / "broken.pdf").write_bytes(b"%PDF-1.5 broken")
    folder = pytester.mkdir("papers")
    for name in ("paper.pdf", "broken.pdf"):
        (pytester.path / name).rename(folder / name)
    arguments = ("--citecheck=papers", *OFFLINE)
    one = pytester.runpytest_subprocess(*arguments, "-p", "no:randomly").parseoutcomes()
    (pytester.path / "read.txt").unlink()
    assert pytester.runpytest_subprocess(*arguments, "-n", "3").parseoutcomes() == one
    read = (pytester.path / "read.txt").read_text().split()
    assert sorted(read) == ["papers/broken.pdf", "papers/paper.pdf"]
