"""``--citecheck-grobid``: the user's GROBID parses the PDF; an outage is an error with its reason."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

TEI = b"""<TEI xmlns="http://www.tei-c.org/ns/1.0"><listBibl><biblStruct>
<analytic><title type="main">Random forests</title></analytic>
<monogr><title level="j">Machine Learning</title><imprint><date when="2001"/></imprint></monogr></biblStruct></listBibl></TEI>"""


class Grobid(BaseHTTPRequestHandler):
    status = 200

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        good = self.path == "/api/processReferences" and b'name="input"' in body and b"%PDF-1.5 x" in body
        self.send_response(self.status if good else 400)
        self.send_header("Content-Length", str(len(TEI)))
        self.end_headers()
        self.wfile.write(TEI)

    def log_message(self, format: str, *args: object) -> None: ...  # noqa: A002


@pytest.fixture
def grobid() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Grobid)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def run(pytester: pytest.Pytester, address: str, *options: str) -> pytest.RunResult:
    Path("paper.pdf").write_bytes(b"%PDF-1.5 x")
    return pytester.runpytest(
        "--citecheck=paper.pdf", f"--citecheck-grobid={address}", "--citecheck-cache=off", "--co", "-q", *options
    )


@pytest.mark.exhaustive
def test_a_grobid_reads(pytester: pytest.Pytester, grobid: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "paper.pdf::ref_1[title]" in run(pytester, grobid).outlines
    monkeypatch.setattr(Grobid, "status", 503)
    run(pytester, grobid).stdout.fnmatch_lines(["GROBID at * is busy (503)*"])
    run(pytester, grobid, "--citecheck-offline").stdout.fnmatch_lines(["GROBID at * is not queried (offline mode)"])


@pytest.mark.exhaustive
def test_no_grobid_is_an_error(pytester: pytest.Pytester) -> None:
    run(pytester, "http://127.0.0.1:9").stdout.fnmatch_lines(["GROBID at * does not answer (connection: *"])
    run(pytester, "ftp://x").stderr.fnmatch_lines(["*--citecheck-grobid takes the address of a GROBID*"])
