"""Documents named by identifier or address: fetching, caching, replay and refusal."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from pytest_citecheck.inputs import target_of

BBL = b"\\begin{thebibliography}{1}\\bibitem{b} A. Lovelace. \\newblock Roses of the sea. \\newblock 2001.\\end{thebibliography}"
MAIN = b"\\documentclass{article}\\begin{document}\\cite{b}" + BBL + b"\\end{document}"
TARGETS = {
    "2401.01234": ("2401.01234", ["https://arxiv.org/e-print/2401.01234", "https://arxiv.org/pdf/2401.01234"]),
    "arXiv:2401.01234v2": (
        "2401.01234v2",
        ["https://arxiv.org/e-print/2401.01234v2", "https://arxiv.org/pdf/2401.01234v2"],
    ),
    "https://arxiv.org/abs/2401.01234v2": ("2401.01234v2", []),
    "https://arxiv.org/pdf/2401.01234.pdf": ("2401.01234", []),
    "arxiv.org/html/2401.01234": ("2401.01234", []),
    "hep-th/9901001": (
        "hep-th/9901001",
        ["https://arxiv.org/e-print/hep-th/9901001", "https://arxiv.org/pdf/hep-th/9901001"],
    ),
    "10.48550/arXiv.2401.01234": ("2401.01234", []),
    "https://openreview.net/forum?id=rJ4km2R5t7": (
        "https://openreview.net/forum?id=rJ4km2R5t7",
        ["https://openreview.net/pdf?id=rJ4km2R5t7"],
    ),
    "10.1000/xyz123": ("10.1000/xyz123", ["https://doi.org/10.1000/xyz123"]),
    "https://doi.org/10.1000/XYZ123": ("10.1000/xyz123", ["https://doi.org/10.1000/xyz123"]),
    "https://example.org/a/paper.pdf#page=2": ("https://example.org/a/paper.pdf", ["https://example.org/a/paper.pdf"]),
}


@pytest.mark.parametrize("text", TARGETS)
def test_what_a_text_names(text: str) -> None:
    name, addresses = TARGETS[text]
    found = target_of(text)
    assert found is not None
    assert found.name == name
    assert not addresses or list(found.addresses) == addresses


@pytest.mark.parametrize(
    "text", ["refs.bib", "paper.pdf", "1234.56", "2499.01234", "a/b.bib", "10.bib", "bibs/*.bib", "-"]
)
def test_names_of_files_are_not_fetched(text: str) -> None:
    assert target_of(text) is None


def test_names_and_tokens_of_an_address_do_not_show() -> None:
    found = target_of("https://example.org/paper.pdf?token=secret")
    assert found is not None
    assert "secret" not in found.name


def packed(content: bytes) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        info = tarfile.TarInfo("main.tex")
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))
    return stream.getvalue()


class Server(BaseHTTPRequestHandler):
    asked: ClassVar[list[str]] = []
    headers_seen: ClassVar[list[str]] = []
    answers: ClassVar[dict[str, tuple[int, bytes, str]]] = {}

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.headers_seen.append(str(self.headers))
        status, body, location = self.answers.get(self.path, (404, b"gone", ""))
        self.send_response(status)
        if location:
            self.send_header("Location", location)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None: ...  # noqa: A002


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    for name in ("asked", "headers_seen"):
        monkeypatch.setattr(Server, name, [])
    monkeypatch.setattr(Server, "answers", {})
    running = HTTPServer(("127.0.0.1", 0), Server)
    thread = threading.Thread(target=running.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{running.server_port}"
    running.shutdown()
    running.server_close()
    thread.join()


def run(pytester: pytest.Pytester, named: str, *options: str, cache: str = "cache") -> pytest.RunResult:
    return pytester.runpytest(f"--citecheck={named}", f"--citecheck-cache={cache}", "-q", "--co", *options)


@pytest.mark.exhaustive
def test_a_source_is_fetched_once_and_its_ids_are_as_typed(pytester: pytest.Pytester, server: str) -> None:
    Server.answers["/e-print/2401.01234"] = (302, b"", "/src/2401.01234")
    Server.answers["/src/2401.01234"] = (200, packed(MAIN), "")
    mirror = f"--citecheck-base-url=arxiv={server}"
    for _ in range(2):
        assert "2401.01234::b[doi]" in run(pytester, "2401.01234", mirror).outlines
    assert Server.asked == ["/e-print/2401.01234", "/src/2401.01234"]
    assert "2401.01234::b[doi]" in run(pytester, "arXiv:2401.01234", "--citecheck-offline").outlines
    one = run(pytester, "2401.01234", "2401.01234::b[title]", "--citecheck-offline").outlines
    assert [line for line in one if "::" in line] == ["2401.01234::b[title]"]
    run(pytester, "2401.01234", mirror, "--citecheck-refresh")
    assert len(Server.asked) == 4


@pytest.mark.exhaustive
@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["no workers", "two workers"])
def test_a_fetched_document_is_checked(pytester: pytest.Pytester, server: str, workers: tuple[str, ...]) -> None:
    Server.answers["/e-print/2401.01234"] = (200, gzip.compress(MAIN), "")
    run(pytester, "2401.01234", f"--citecheck-base-url=arxiv={server}")
    options = ("--citecheck-cache=cache", "--citecheck-offline", "--citecheck-json=report.json", *workers)
    pytester.runpytest("--citecheck=2401.01234", *options)
    report = json.loads((pytester.path / "report.json").read_text())
    assert [(one["id"], one["path"]) for one in report["references"]] == [("2401.01234::b", "2401.01234/main.tex")]
    assert str(pytester.path) not in (pytester.path / "report.json").read_text()


@pytest.mark.exhaustive
def test_the_pdf_is_fetched_where_a_source_has_no_references(pytester: pytest.Pytester, server: str) -> None:
    Server.answers["/e-print/2401.01234"] = (200, packed(b"no class"), "")
    Server.answers["/pdf/2401.01234"] = (200, BBL, "")
    assert "2401.01234::b[doi]" in run(pytester, "2401.01234", f"--citecheck-base-url=arxiv={server}").outlines
    assert Server.asked == ["/e-print/2401.01234", "/pdf/2401.01234"]


@pytest.mark.exhaustive
def test_a_page_leads_to_its_pdf(pytester: pytest.Pytester, server: str) -> None:
    page = b"<html><head><meta name='citation_pdf_url' content='/paper.pdf'></head></html>"
    Server.answers["/10.1000/xyz"] = (200, page, "")
    Server.answers["/paper.pdf"] = (
        200,
        (Path(__file__).parents[2] / "fixtures/manuscripts/paper.pdf").read_bytes(),
        "",
    )
    found = run(pytester, "10.1000/XYZ", f"--citecheck-base-url=doi_org={server}").outlines
    assert any(line.startswith("10.1000/xyz::") for line in found)


@pytest.mark.exhaustive
def test_a_page_leads_to_no_private_address(pytester: pytest.Pytester, server: str) -> None:
    page = b"<html><head><meta name='citation_pdf_url' content='http://127.0.0.2:1/paper.pdf'></head>no list</html>"
    Server.answers["/page"] = (200, page, "")
    run(pytester, f"{server}/page").stdout.fnmatch_lines(["*/page has no list of references*"])
    assert Server.asked == ["/page"]


@pytest.mark.exhaustive
def test_a_long_address(pytester: pytest.Pytester, server: str) -> None:
    path = f"/{'a,b%20' * 60}.bbl"
    Server.answers[path] = (200, BBL, "")
    assert any(line.endswith("::b[doi]") for line in run(pytester, f"{server}{path}").outlines)


def test_redirects_to_other_private_addresses_are_refused(pytester: pytest.Pytester, server: str) -> None:
    Server.answers["/paper.pdf"] = (302, b"", "http://169.254.169.254/latest")
    result = run(pytester, f"{server}/paper.pdf")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*cannot be fetched: 127.0.0.1 does not send it (*private address*"])


@pytest.mark.exhaustive
def test_recordings_are_replayed_without_network(pytester: pytest.Pytester, server: str) -> None:
    Server.answers["/refs.bbl"] = (200, BBL, "")
    address = f"{server}/refs.bbl"
    options = ("--citecheck-cassettes=tapes",)
    assert f"{address}::b[doi]" in run(pytester, address, *options, "--citecheck-record=new", cache="off").outlines
    assert f"{address}::b[doi]" in run(pytester, address, *options, cache="off").outlines
    assert Server.asked == ["/refs.bbl"]
    missing = run(pytester, "2401.01234", *options, cache="off")
    missing.stderr.fnmatch_lines(["*2401.01234 is not fetched: it is not recorded in *"])


@pytest.mark.exhaustive
def test_no_secret_leaves_and_mistakes_are_said(
    pytester: pytest.Pytester, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEMANTIC_SCHOLAR_API_KEY", "key-of-mine")
    Server.answers["/refs.bbl"] = (200, BBL, "")
    run(pytester, f"{server}/refs.bbl?token=typed", "--citecheck-contact=me@example.org", cache="off")
    assert Server.asked == ["/refs.bbl?token=typed"]
    assert [text for text in Server.headers_seen if "key-of-mine" in text or "me@example.org" in text] == []
    missing = run(pytester, f"{server}/none.pdf")
    missing.stderr.fnmatch_lines(["*none.pdf cannot be fetched: 127.0.0.1 answers with status 404"])
    password = run(pytester, "https://me:pass@example.org/a.pdf")
    password.stderr.fnmatch_lines(["*addresses with a user name or password are not fetched*"])
    password.stderr.no_fnmatch_line("*me:pass*")
    run(pytester, "2401.01234", "--citecheck-offline", cache="off").stderr.fnmatch_lines(
        ["*2401.01234 is not fetched: offline*"]
    )
