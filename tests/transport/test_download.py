"""Downloads of large files: continued, checked, put in place as a whole, whatever the server or the line does."""

from __future__ import annotations

import errno
import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from pytest_citecheck.transport.downloads import partial_file
from pytest_citecheck.transport.downloads.checksums import stated_checksum
from pytest_citecheck.transport.downloads.download import TRIES, Downloaded, DownloadError, Limits, download
from pytest_citecheck.transport.downloads.partial_file import PartialFile, read_origin
from tests.support.transport_support import CLOSE, RESET, Reply, Server, reply, serving, whole

BODY = bytes(range(256)) * 400
HALF = len(BODY) // 2
MD5 = hashlib.md5(BODY, usedforsecurity=False).hexdigest()
DATE = "Fri, 20 Nov 2026 08:00:00 GMT"


@dataclass
class Files:
    """A server of one file as real ones are (RFC 9110); ``faults`` go before what it would answer, one a request."""

    body: bytes = BODY
    etag: str = '"v1"'
    ranges: bool = True
    faults: list[Callable[[dict[str, str]], Reply]] = field(default_factory=list)
    beside: dict[str, Reply] = field(default_factory=dict)
    server: Server = field(init=False)

    def __call__(self, path: str) -> Reply:
        headers = self.server.requests[-1][1]
        if path in self.beside:
            return self.beside[path]
        return self.faults.pop(0)(headers) if self.faults else self.answer(headers)

    def answer(self, headers: dict[str, str]) -> Reply:
        about = {"etag": self.etag, "last_modified": DATE, "content_type": "application/gzip"}
        if headers.get("if-none-match") == self.etag:
            return [f"HTTP/1.1 304 Not Modified\r\netag: {self.etag}\r\ncontent-length: 0\r\n\r\n".encode()]
        if self.ranges and "range" in headers and headers.get("if-range") in (self.etag, DATE):
            start = int(headers["range"].removeprefix("bytes=").removesuffix("-"))
            if start >= len(self.body):
                return reply(b"", 416, content_range=f"bytes */{len(self.body)}")
            stated = f"bytes {start}-{len(self.body) - 1}/{len(self.body)}"
            return [whole(self.body[start:], 206, content_range=stated, **about)]
        return [whole(self.body, 200, **about)]

    def cut(self, headers: dict[str, str], *, size: int = HALF) -> Reply:
        """The line breaks after so many bytes of the answer."""
        full = b"".join(step for step in self.answer(headers) if isinstance(step, bytes))
        return [full[: full.index(b"\r\n\r\n") + 4 + size], 0.02, RESET]


@pytest.fixture
def files() -> Iterator[Files]:
    script = Files()
    with serving(script) as server:
        script.server = server
        yield script


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "dump.gz"


def fetch(files: Files, target: Path, **options: Any) -> Downloaded:
    return download(f"{files.server.url}/dump.gz", target, **{"sleep": lambda _: None, **options})


def beside(target: Path) -> set[str]:
    return {path.name for path in target.parent.iterdir()} - {target.name}


def break_off(files: Files, target: Path) -> None:
    """A download that was interrupted in its middle."""

    def interrupt(done: int, _: int | None) -> None:
        if done:
            raise KeyboardInterrupt

    files.faults.append(files.cut)
    with pytest.raises(KeyboardInterrupt):
        fetch(files, target, progress=interrupt)
    assert beside(target) >= {"dump.gz.part", "dump.gz.part.json"}


def test_a_whole_file_and_nothing_else_is_left(files: Files, target: Path) -> None:
    seen: list[tuple[int, int | None]] = []
    got = fetch(files, target, progress=lambda done, total: seen.append((done, total)))
    assert target.read_bytes() == BODY
    assert (got.changed, got.resumed, got.origin.size) == (True, 0, len(BODY))
    assert beside(target) == {"dump.gz.origin.json"}
    assert seen[0] == (0, len(BODY))
    assert seen[-1] == (len(BODY), len(BODY))
    ((_, headers),) = files.server.requests
    assert headers["user-agent"].startswith("pytest-citecheck/")
    assert headers["accept-encoding"] == "identity"


def test_the_same_version_is_not_sent_twice(files: Files, target: Path) -> None:
    first = fetch(files, target)
    assert fetch(files, target) == Downloaded(target, first.origin, changed=False)
    assert files.server.requests[-1][1]["if-none-match"] == '"v1"'
    files.etag, files.body = '"v2"', BODY[::-1]
    assert fetch(files, target).changed
    assert target.read_bytes() == BODY[::-1]


def test_a_file_that_was_changed_here_is_fetched_again(files: Files, target: Path) -> None:
    fetch(files, target)
    target.write_bytes(b"mine")
    assert fetch(files, target).changed
    assert "if-none-match" not in files.server.requests[-1][1]
    assert target.read_bytes() == BODY


@pytest.mark.parametrize("etag", ['"v1"', 'W/"weak"', ""], ids=["strong", "weak", "date only"])
def test_a_broken_line_is_continued_in_the_same_call(files: Files, target: Path, etag: str) -> None:
    files.etag = etag
    files.faults = [files.cut]
    fetch(files, target, checksum=MD5)
    assert target.read_bytes() == BODY
    headers = files.server.requests[-1][1]
    start = int(headers["range"].removeprefix("bytes=").removesuffix("-"))
    assert 0 < start <= HALF
    assert headers["if-range"] == ('"v1"' if etag == '"v1"' else DATE)


def test_an_interrupted_download_is_continued_by_the_next_one(files: Files, target: Path) -> None:
    target.write_bytes(b"the old one")
    break_off(files, target)
    assert target.read_bytes() == b"the old one"
    got = fetch(files, target)
    assert 0 < got.resumed <= HALF
    assert target.read_bytes() == BODY
    assert beside(target) == {"dump.gz.origin.json"}


@pytest.mark.parametrize(
    "change",
    [
        {"etag": '"v2"', "body": BODY[::-1]},
        {"etag": '"v2"', "body": BODY + b"more"},
        {"ranges": False},
    ],
    ids=["another version", "longer", "no ranges"],
)
def test_what_cannot_be_continued_begins_again(files: Files, target: Path, change: dict[str, Any]) -> None:
    break_off(files, target)
    for name, value in change.items():
        setattr(files, name, value)
    got = fetch(files, target)
    assert got.resumed == 0
    assert target.read_bytes() == files.body


@pytest.mark.parametrize(
    "stated",
    [f"bytes 0-{len(BODY) - 1}/{len(BODY)}", f"bytes 9-{len(BODY)}/{len(BODY) + 1}", "pages 1-2/3", "bytes x"],
)
def test_another_part_than_the_one_asked_for_is_not_used(files: Files, target: Path, stated: str) -> None:
    break_off(files, target)
    files.faults = [lambda _: reply(BODY, 206, content_range=stated, etag='"v1"')]
    assert fetch(files, target).resumed == 0
    assert target.read_bytes() == BODY


def test_a_part_of_another_version_is_not_used(files: Files, target: Path) -> None:
    """A server that knows Range but not If-Range."""
    break_off(files, target)

    def blind(headers: dict[str, str]) -> Reply:
        start = int(headers["range"].removeprefix("bytes=").removesuffix("-"))
        return reply(BODY[::-1][start:], 206, etag='"v2"', content_range=f"bytes {start}-{len(BODY) - 1}/{len(BODY)}")

    files.faults = [blind]
    fetch(files, target)
    assert target.read_bytes() == BODY


def test_a_whole_part_is_only_put_in_its_place(files: Files, target: Path) -> None:
    break_off(files, target)
    (target.parent / "dump.gz.part").write_bytes(BODY)
    assert fetch(files, target).resumed == len(BODY)
    assert target.read_bytes() == BODY
    assert len(files.server.requests) == 2


def test_a_part_that_is_too_long_begins_again(files: Files, target: Path) -> None:
    break_off(files, target)
    (target.parent / "dump.gz.part").write_bytes(BODY + b"?")
    assert fetch(files, target).resumed == 0
    assert target.read_bytes() == BODY


@pytest.mark.parametrize(
    "state", [b"", b"{", b"[]", b'{"url": 3}', b'{"url": "https://e.org/other", "etag": "\\"v1\\""}']
)
def test_a_part_of_unknown_origin_is_not_used(files: Files, target: Path, state: bytes) -> None:
    (target.parent / "dump.gz.part").write_bytes(b"whatever")
    (target.parent / "dump.gz.part.json").write_bytes(state)
    assert fetch(files, target).resumed == 0
    assert target.read_bytes() == BODY


def test_without_a_version_nothing_is_continued(files: Files, target: Path) -> None:
    full = whole(BODY)
    files.faults = [lambda _: [full[: full.index(b"\r\n\r\n") + 4 + HALF], 0.02, RESET], lambda _: [full]]
    fetch(files, target)
    assert "range" not in files.server.requests[-1][1]
    assert target.read_bytes() == BODY


def test_a_busy_server_is_given_the_time_that_it_asks_for(files: Files, target: Path) -> None:
    slept: list[float] = []
    files.faults = [lambda _: reply("", 503, retry_after="7"), lambda _: reply("", 429)]
    fetch(files, target, sleep=slept.append)
    assert slept[0] == 7
    assert len(slept) == 2
    assert target.read_bytes() == BODY


def test_patience_ends(files: Files, target: Path) -> None:
    slept: list[float] = []
    files.faults = [lambda _: reply("", 503)] * 99
    with pytest.raises(DownloadError, match=rf"127\.0\.0\.1 answered 503 \({TRIES} attempts\)"):
        fetch(files, target, sleep=slept.append)
    assert len(slept) == TRIES - 1
    files.faults = [lambda _: reply("", 503, retry_after="9999")]
    with pytest.raises(DownloadError, match="asks to come back in 9,999 s"):
        fetch(files, target)
    files.faults = [lambda _: reply("", 503, retry_after="60")]
    with pytest.raises(DownloadError, match="the 30 s for it are over"):
        fetch(files, target, limits=Limits(seconds=30))
    assert beside(target) == set()


def test_a_line_that_breaks_again_and_again_keeps_what_came(files: Files, target: Path) -> None:
    files.faults = [lambda headers: files.cut(headers, size=1000)] * TRIES
    with pytest.raises(DownloadError, match="broke") as stop:
        fetch(files, target)
    assert 1000 <= stop.value.kept <= 1000 * TRIES
    assert (target.parent / "dump.gz.part").stat().st_size == stop.value.kept
    assert not target.exists()


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (reply("", 404), "answered 404"),
        (reply("", 416), "answered 416"),
        (reply("", 206), "answered 206"),
        (reply("", 304), "answered 304"),
        (reply("<html>Log in</html>", content_type="text/html; charset=utf-8"), "a web page instead of the file"),
        (reply(""), "an empty file"),
        (reply("x", 302, location="http://files.example.org/"), "without https"),
        (reply("x", 302, location="ftp://files.example.org/"), "redirect to a ftp address"),
        (reply("x", 302, location="https://169.254.169.254/"), "private address"),
        (reply("x", 302, location="https://intranet.example.org/"), "private address"),
    ],
)
def test_what_is_not_the_file_is_said_and_not_kept(files: Files, target: Path, fault: Reply, message: str) -> None:
    target.write_bytes(b"the old one")
    files.faults = [lambda _: fault]
    with pytest.raises(DownloadError, match=message) as stop:
        fetch(files, target, lookup=lambda host: ["10.0.0.7" if host.startswith("intranet") else "127.0.0.1"])
    assert stop.value.kept == 0
    assert target.read_bytes() == b"the old one"
    assert beside(target) == set()


def test_a_redirect_on_this_machine_is_followed(files: Files, target: Path) -> None:
    files.faults = [lambda _: reply("", 302, location="/elsewhere")]
    fetch(files, target)
    assert files.server.paths == ["/dump.gz", "/elsewhere"]
    files.faults = [lambda _: reply("", 302, location="/round")] * 9
    with pytest.raises(DownloadError, match="more than 3 redirects"):
        fetch(files, target)


@pytest.mark.parametrize(
    "url",
    ["http://dblp.org/xml/dblp.xml.gz", "ftp://dblp.org/x", "dblp.org/x", "https:///x", "https://[::1", "file:///x"],
)
def test_only_https(url: str, target: Path) -> None:
    with pytest.raises(DownloadError, match=r"https only|no address"):
        download(url, target)
    with pytest.raises(DownloadError, match=r"https only|no address"):
        download("https://dblp.org/xml/dblp.xml.gz", target, checksum_url=url)


def test_nobody_listens(target: Path) -> None:
    with serving(lambda _: []) as server:
        url = server.url
    with pytest.raises(DownloadError, match=r"127\.0\.0\.1 refused the connection"):
        download(url, target, sleep=lambda _: None)


def test_a_silent_server_is_left(files: Files, target: Path) -> None:
    head = whole(BODY).partition(b"\r\n\r\n")[0] + b"\r\n\r\n"
    files.faults = [lambda _: [head, 5.0, CLOSE]] * TRIES
    with pytest.raises(DownloadError, match="fell silent"):
        fetch(files, target, limits=Limits(stall=0.05))


def test_a_server_that_trickles_is_left_in_the_end(files: Files, target: Path) -> None:
    head = whole(BODY, etag='"v1"').partition(b"\r\n\r\n")[0] + b"\r\n\r\n"
    files.faults = [lambda _: [head, *([b"x"] * 9), 0.15, b"x", 5.0]]
    with pytest.raises(DownloadError, match="it takes more than") as stop:
        fetch(files, target, limits=Limits(seconds=0.1))
    assert stop.value.kept > 0


def test_limits_of_size(files: Files, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DownloadError, match="102,400 bytes, more than 9"):
        fetch(files, target, limits=Limits(largest=9))
    endless = b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n"
    files.faults = [lambda _: [endless, BODY, CLOSE]]
    with pytest.raises(DownloadError, match="more than 9 bytes"):
        fetch(files, target, limits=Limits(largest=9))
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(9, 0, 9))
    with pytest.raises(DownloadError, match=r"102,400 bytes are to come, and the disk .* has 9"):
        fetch(files, target)
    assert not target.exists()


def test_a_body_without_a_length_ends_with_the_connection(files: Files, target: Path) -> None:
    files.faults = [lambda _: [b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n", BODY, CLOSE]]
    fetch(files, target, checksum=MD5)
    assert target.read_bytes() == BODY


def test_an_encoding_is_part_of_the_file(files: Files, target: Path) -> None:
    files.faults = [lambda _: reply(BODY, content_encoding="gzip", content_type="application/xml")]
    fetch(files, target)
    assert target.read_bytes() == BODY


def test_a_full_disk_is_said_and_leaves_what_fits(files: Files, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = PartialFile.write

    def full(self: PartialFile, data: bytes) -> None:
        write(self, data[:100])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(PartialFile, "write", full)
    with pytest.raises(DownloadError, match="the disk is full") as stop:
        fetch(files, target)
    assert stop.value.kept == 100
    monkeypatch.undo()
    assert fetch(files, target).resumed == 100
    assert target.read_bytes() == BODY


def test_a_folder_that_cannot_be_made(files: Files, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(DownloadError, match="cannot be written"):
        fetch(files, tmp_path / "file" / "dump.gz")


@pytest.mark.parametrize(
    "stated",
    [MD5, MD5.upper(), hashlib.sha256(BODY).hexdigest()],
    ids=["md5", "capitals", "sha256"],
)
def test_the_right_checksum(files: Files, target: Path, stated: str) -> None:
    fetch(files, target, checksum=stated)
    assert target.read_bytes() == BODY


def test_a_wrong_checksum_keeps_nothing(files: Files, target: Path) -> None:
    target.write_bytes(b"the old one")
    with pytest.raises(DownloadError, match=f"has the checksum {MD5}, not {'0' * 32}") as stop:
        fetch(files, target, checksum="0" * 32)
    assert stop.value.kept == 0
    assert target.read_bytes() == b"the old one"
    assert beside(target) == set()
    with pytest.raises(DownloadError, match="neither an MD5 nor a SHA-256"):
        fetch(files, target, checksum="md5")


def test_a_checksum_from_the_file_beside_it(files: Files, target: Path) -> None:
    url = f"{files.server.url}/dump.gz.md5"
    files.beside["/dump.gz.md5"] = reply(f"{MD5}  dump.gz\n")
    fetch(files, target, checksum_url=url)
    assert target.read_bytes() == BODY
    target.unlink()
    files.beside["/dump.gz.md5"] = reply(f"{'1' * 32}  dump.gz\n")
    with pytest.raises(DownloadError, match=rf"not {'1' * 32} \(http://127.*dump\.gz\.md5\)"):
        fetch(files, target, checksum_url=url)
    for nothing, message in ((reply("", 404), "answered 404"), (reply("soon"), "states no checksum")):
        files.beside["/dump.gz.md5"] = nothing
        with pytest.raises(DownloadError, match=message) as stop:
            fetch(files, target, checksum_url=url)
        assert stop.value.kept == len(BODY)
    files.beside["/dump.gz.md5"] = reply(MD5)
    assert fetch(files, target, checksum_url=url).resumed == len(BODY)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{MD5}  dump.gz\n", MD5),
        (f"{MD5} *dump.gz", MD5),
        (MD5.upper(), MD5),
        (f"MD5(dump.gz)= {MD5}", MD5),
        (f"MD5 (dump.gz) = {MD5}", MD5),
        (f"{'2' * 32}  other.gz\n{MD5}  dump.gz\n", MD5),
        (f"{'2' * 32}  ./old/dump.gz\n{MD5}  dump.gz\n", ""),
        (f"{'3' * 64}  dump.gz\n", "3" * 64),
        (f"{'2' * 32}  other.gz\n{MD5}  another.gz\n", ""),
        (f"{MD5[:-1]}  dump.gz", ""),
        ("", ""),
    ],
)
def test_forms_of_checksum_files(text: str, expected: str) -> None:
    assert stated_checksum(text, "dump.gz") == expected


def test_two_processes_do_not_write_one_file(files: Files, target: Path) -> None:
    pytest.importorskip("fcntl")
    with PartialFile(target, "x"), pytest.raises(DownloadError, match="by another process"):
        fetch(files, target)
    assert beside(target) == set()


def test_a_file_that_another_process_put_in_its_place_is_not_written_into(
    files: Files, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fcntl = pytest.importorskip("fcntl")
    flock = fcntl.flock

    def late(file: Any, operation: int) -> None:
        (target.parent / "dump.gz.part").replace(target)
        flock(file, operation)

    monkeypatch.setattr(fcntl, "flock", late)
    (target.parent / "dump.gz.part").write_bytes(BODY)
    with pytest.raises(partial_file.BusyError):
        PartialFile(target, "x")
    assert target.read_bytes() == BODY


def test_the_origin_is_that_of_the_file(files: Files, target: Path) -> None:
    got = fetch(files, target)
    assert read_origin(target) == got.origin
    assert json.loads((target.parent / "dump.gz.origin.json").read_text()) == {
        "url": f"{files.server.url}/dump.gz", "etag": '"v1"', "last_modified": DATE, "size": len(BODY),
    }  # fmt: skip
    target.write_bytes(b"another")
    assert read_origin(target) is None
    target.unlink()
    assert read_origin(target) is None
