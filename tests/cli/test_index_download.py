"""``citecheck index build --from``: dumps come from a real HTTP server, which misbehaves as real ones do."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from threading import Thread

import pytest

from pytest_citecheck.cli import main
from pytest_citecheck.index import LocalIndex
from pytest_citecheck.net import DownloadError, Downloads

pytest.importorskip("numpy")


class Files(ThreadingHTTPServer):
    """Serves ``files`` by path. cut: bytes after which a connection ends, by path, once each. ranges: False to ignore them."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files: dict[str, bytes] = {}
        self.cut: dict[str, list[int]] = {}
        self.ranges = True
        self.asked: Counter[str] = Counter()
        self.starts: list[int] = []
        self.headers: list[dict[str, str]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Files
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        server = self.server
        server.asked[f"{self.command} {self.path}"] += 1
        server.headers.append(dict(self.headers))
        body = server.files.get(self.path)
        if body is None:
            self.send_error(404)
            return
        tag = f'"{hashlib.sha256(body).hexdigest()[:12]}"'
        start = 0
        if server.ranges and self.headers.get("If-Range") == tag:
            start = int(self.headers["Range"].removeprefix("bytes=").removesuffix("-"))
        if self.command == "GET":
            server.starts.append(start)
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        self.send_header("ETag", tag)
        self.send_header("Last-Modified", "Tue, 03 Nov 2026 10:00:00 GMT")
        self.send_header("Content-Length", str(len(body) - start))
        self.end_headers()
        if self.command == "HEAD":
            return
        cuts = server.cut.get(self.path)
        end = cuts.pop(0) if cuts else len(body)
        self.wfile.write(body[start:end])
        if end < len(body):
            self.close_connection = True

    do_HEAD = do_GET  # noqa: N815 - the name that http.server calls

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Files]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("pytest_citecheck.net.downloads._PAUSE", 0.001)
    with Files() as files:
        Thread(target=files.serve_forever, args=(0.02,), daemon=True).start()
        yield files
        files.shutdown()


def noise(seed: int, size: int) -> bytes:
    return Random(seed).randbytes(size)  # noqa: S311 - the same in every run


def dblp(count: int) -> bytes:
    papers = "".join(
        f'<article key="journals/x/A{number}"><author>Ada Lovelace</author>'
        f"<title>Study {number * 7919 % 10007} of {number * 104729 % 1009} films.</title>"
        f"<year>2019</year><journal>X</journal></article>\n"
        for number in range(count)
    )
    return gzip.compress(f'<?xml version="1.0" encoding="US-ASCII"?>\n<dblp>\n{papers}</dblp>\n'.encode())


def publish(server: Files, path: str, body: bytes) -> None:
    """Serve a file with its checksum."""
    server.files[path] = body
    server.files[f"{path}.md5"] = f"{hashlib.md5(body).hexdigest()}  {path.rpartition('/')[2]}\n".encode()  # noqa: S324


def openalex(*numbers: int) -> bytes:
    works = (
        {
            "id": f"https://openalex.org/W{number}", "title": f"A study of films {number}", "publication_year": 2020,
            "authorships": [{"raw_author_name": "Ada Lovelace", "author": {"display_name": "Ada Lovelace"}}],
        }
        for number in numbers
    )  # fmt: skip
    return gzip.compress("".join(f"{json.dumps(work)}\n" for work in works).encode())


def publish_openalex(server: Files, **partitions: bytes) -> None:
    entries = []
    for name, body in partitions.items():
        key = f"data/works/updated_date=2026-{name[1:3]}-{name[3:]}/part_000.gz"
        server.files[f"/{key}"] = body
        entries.append({"url": f"s3://openalex/{key}", "meta": {"content_length": len(body), "record_count": 1}})
    server.files["/data/works/manifest"] = json.dumps({"entries": entries}).encode()


def run(server: Files, action: str, *arguments: str) -> int:
    mirrors = [f"--mirror=dblp={server.url}/xml/dblp.xml.gz", f"--mirror=openalex={server.url}/data/works/manifest"]
    return main(["index", action, "works.index", *arguments, *mirrors])


def held() -> dict[str, int]:
    with LocalIndex(Path("works.index")) as index:
        return {one.name: one.records for one in index.collections()}


def test_one_command_downloads_builds_and_says_what_the_index_has(
    server: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    publish(server, "/xml/dblp.xml.gz", dblp(40))
    publish_openalex(server, _0101=openalex(1, 2), _0203=openalex(2, 3))
    assert run(server, "build", "--from", "dblp,openalex") == 0
    assert held() == {"dblp": 40, "openalex": 3}
    told = capsys.readouterr().out
    assert "downloaded: 3 files" in told
    assert "dblp: 40 records, as of 2026-11-03" in told
    names = {name.lower() for headers in server.headers for name in headers}
    assert not names & {"authorization", "cookie", "from", "referer"}


def test_an_update_loads_what_is_new(server: Files, capsys: pytest.CaptureFixture[str]) -> None:
    publish(server, "/xml/dblp.xml.gz", dblp(40))
    publish_openalex(server, _0101=openalex(1, 2))
    assert run(server, "build", "--from", "dblp,openalex") == 0
    capsys.readouterr()
    assert run(server, "update") == 0
    assert capsys.readouterr().out == "nothing new of dblp, openalex\n"
    Path("works.index.dumps/openalex/updated_date=2026-01-01/part_000.gz").unlink()  # to save space
    publish(server, "/xml/dblp.xml.gz", dblp(30))  # ten records were withdrawn
    publish_openalex(server, _0101=openalex(1, 2), _0502=openalex(2, 7))
    assert run(server, "update") == 0
    assert held() == {"dblp": 30, "openalex": 3}
    assert server.asked["GET /data/works/updated_date=2026-01-01/part_000.gz"] == 1


@pytest.mark.exhaustive
def test_a_connection_that_ends_is_continued(server: Files) -> None:
    body = dblp(4000)
    publish(server, "/xml/dblp.xml.gz", body)
    server.cut["/xml/dblp.xml.gz"] = [10_000, 30_000]
    assert run(server, "build", "--from", "dblp") == 0
    assert held() == {"dblp": 4000}
    assert server.starts == [0, 0, 10_000, 30_000]  # the checksum first


def test_a_run_that_was_given_up_is_continued_by_the_next(server: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    body = noise(1, 100_000)
    server.files["/a.gz"] = body
    server.cut["/a.gz"] = [50_000]
    monkeypatch.setattr("pytest_citecheck.net.downloads.ATTEMPTS", 0)
    with Downloads() as client:
        client_target = Path("a.gz")
        with pytest.raises(DownloadError, match="run the command again to continue after 50,000 bytes"):
            client.fetch(f"{server.url}/a.gz", client_target)
        client.fetch(f"{server.url}/a.gz", client_target)
    assert client_target.read_bytes() == body
    assert server.starts == [0, 50_000]
    assert not list(Path().glob("a.gz.part*"))


@pytest.mark.sample(1)
@pytest.mark.parametrize("why", ["no ranges", "another file"])
def test_a_file_begins_anew_where_it_cannot_be_continued(server: Files, why: str) -> None:
    server.files["/a.gz"] = noise(1, 100_000)
    server.cut["/a.gz"] = [50_000]
    server.ranges = why != "no ranges"
    original = server.files["/a.gz"]
    with Downloads() as client:
        if why == "another file":
            changed = noise(2, 90_000)

            # After the cut the server has another file, with another tag.
            def told(done: int, size: int) -> None:
                if done >= 50_000 and size == 100_000:
                    server.files["/a.gz"] = changed

            client.fetch(f"{server.url}/a.gz", Path("a.gz"), told=told)
        else:
            client.fetch(f"{server.url}/a.gz", Path("a.gz"))
    assert Path("a.gz").read_bytes() == (original if why == "no ranges" else changed)
    assert server.starts == [0, 0]


def test_a_wrong_checksum_is_refused(server: Files, capsys: pytest.CaptureFixture[str]) -> None:
    publish(server, "/xml/dblp.xml.gz", dblp(4))
    server.files["/xml/dblp.xml.gz.md5"] = b"0" * 32
    assert run(server, "build", "--from", "dblp") == 1
    assert "should be 00000000000000000000000000000000: it was removed" in capsys.readouterr().err
    assert not Path("works.index").exists()
    assert not list(Path("works.index.dumps").rglob("*.*"))


def test_a_missing_checksum_is_reported_before_the_download(server: Files, capsys: pytest.CaptureFixture[str]) -> None:
    publish(server, "/xml/dblp.xml.gz", dblp(4))
    del server.files["/xml/dblp.xml.gz.md5"]
    assert run(server, "build", "--from", "dblp") == 1
    assert "dblp.xml.gz.md5: the server answers with status 404" in capsys.readouterr().err
    assert server.asked["GET /xml/dblp.xml.gz"] == 0


def test_a_dump_that_is_replaced_during_the_download_is_compared_with_its_own_checksum(server: Files) -> None:
    publish(server, "/xml/dblp.xml.gz", noise(1, 100_000))
    server.cut["/xml/dblp.xml.gz"] = [50_000]

    def told(done: int, size: int) -> None:
        if done >= 50_000 and size == 100_000:
            publish(server, "/xml/dblp.xml.gz", noise(2, 90_000))

    with Downloads() as client:
        url = f"{server.url}/xml/dblp.xml.gz"
        client.fetch(url, Path("a.gz"), f"{url}.md5", told)
    assert Path("a.gz").read_bytes() == noise(2, 90_000)


def test_a_full_disk_is_told_before_the_download(
    server: Files, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    publish_openalex(server, _0101=openalex(*range(500)))
    usage = shutil.disk_usage("/")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1000))
    assert run(server, "build", "--from", "openalex") == 1
    assert "1 kB free: --dumps names another folder" in capsys.readouterr().err.replace("1,000 bytes", "1 kB")
    assert not any(path.endswith(".gz") for path in server.asked)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--from", "crossref"], "publishes its data file as a torrent"),
        (["--from", "books"], "no dump of 'books' is known"),
        ([], "no FILE is named"),
        (["--from", "dblp", "--mirror", "dblp"], "--mirror takes NAME=URL"),
        (["--from", "dblp", "--mirror", "dblp=https://me:secret@dblp.example/x.gz"], "no login is sent to a mirror"),
    ],
)
def test_wrong_usage(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["index", "build", "works.index", *arguments]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "body",
    [
        b"{}",
        b"<html>",
        b'{"entries": [{"url": "s3://openalex/../../etc/passwd"}]}',
        b'{"entries": [{"url": "http://else/.x"}]}',
    ],
)
def test_a_list_that_leads_elsewhere_is_refused(body: bytes, server: Files, capsys: pytest.CaptureFixture[str]) -> None:
    server.files["/data/works/manifest"] = body
    assert run(server, "build", "--from", "openalex") == 1
    assert capsys.readouterr().err.startswith("citecheck index build: ")


def test_lists_of_folders_and_incremental_files(server: Files, capsys: pytest.CaptureFixture[str]) -> None:
    def article(number: int) -> bytes:
        return gzip.compress(
            b"<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>%d</PMID><Article><Journal><Title>J</Title>"
            b"</Journal><ArticleTitle>Study of films %d</ArticleTitle></Article></MedlineCitation></PubmedArticle>"
            b"</PubmedArticleSet>" % (number, number)
        )

    def page(*names: str) -> bytes:
        rows = "".join(f'<a href="{name}">{name}</a>   2026-01-29 14:21   19M\n' for name in names)
        return f'<pre><a href="../">up</a>\n{rows}<a href="README.txt">README.txt</a></pre>'.encode()

    publish(server, "/pubmed/baseline/pubmed26n0001.xml.gz", article(1))
    publish(server, "/pubmed/updatefiles/pubmed26n0002.xml.gz", article(2))
    server.files["/pubmed/baseline/"] = page("pubmed26n0001.xml.gz", "pubmed26n0001.xml.gz.md5")
    server.files["/pubmed/updatefiles/"] = page("pubmed26n0002.xml.gz")
    mirror = f"--mirror=pubmed={server.url}/pubmed/baseline/"
    assert main(["index", "build", "works.index", "--from", "pubmed", mirror]) == 0, capsys.readouterr().err
    assert held() == {"pubmed": 2}
    publish(server, "/pubmed/updatefiles/pubmed26n0003.xml.gz", article(3))
    server.files["/pubmed/updatefiles/"] = page("pubmed26n0002.xml.gz", "pubmed26n0003.xml.gz")
    assert main(["index", "update", "works.index"]) == 0  # the mirror is remembered
    assert held() == {"pubmed": 3}
    assert server.asked["GET /pubmed/baseline/pubmed26n0001.xml.gz"] == 1
