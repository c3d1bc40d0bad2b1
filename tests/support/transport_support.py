"""A source, a server and a clock for the tests of the transport, each as small as it can be."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import socketserver
import struct
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final
from urllib.parse import parse_qs, quote, urlsplit

from pytest_citecheck.model import Absent, Answer, Found, Query, QueryKind, Record
from pytest_citecheck.sources import MalformedAnswerError, Rate, Request, Response, Source

DATE: Final = "Sat, 21 Nov 2026 08:00:00 GMT"
ISO_DATE: Final = "2026-11-21T08:00:00Z"
RESET: Final = None
"""A step of a reply: break the connection as a crashed peer does."""
CLOSE: Final = b""
"""A step of a reply: close the connection in good order."""

Step = bytes | float | None
Reply = Sequence[Step]


class FakeSource(Source):
    """Asks ``/works?ids=a,b`` and reads ``{"a": "title", "b": null}``."""

    label = "Fake"
    documentation = ""
    limits = absence = ""
    keeps_author_order = True

    def __init__(self, name: str = "fake", size: int = 1, rate: Rate | None = None, extra: str = "") -> None:
        self.name = name
        self.base_url = f"https://api.{name}.example.org"
        self.batch: Mapping[QueryKind, int] = {"doi": size, "title": 1}
        self.rate = rate or Rate(10_000, 8)
        self.extra = extra
        self.parsed: list[tuple[Query, ...]] = []

    def accepts(self, query: Query) -> bool:
        return query.kind in self.batch

    def url(self, values: Sequence[str]) -> str:
        return f"{self.base_url}/works?ids={quote(','.join(values))}{self.extra}"

    def request(self, queries: Sequence[Query]) -> Request:
        return Request(self.name, self.url([query.value for query in queries]))

    def parse(self, queries: Sequence[Query], response: Response) -> dict[Query, Answer]:
        self.parsed.append(tuple(queries))
        try:
            titles = json.loads(response.body)
            assert isinstance(titles, dict)
        except (ValueError, AssertionError) as error:
            raise MalformedAnswerError("no JSON object") from error
        return {query: self._answer(query, titles[query.value]) for query in queries}

    def singles(self, request: Request) -> tuple[Request, ...]:
        values = parse_qs(urlsplit(request.url).query)["ids"][0].split(",")
        return tuple(Request(self.name, self.url([value])) for value in values)

    def _answer(self, query: Query, title: str | None) -> Answer:
        return Absent() if title is None else Found((Record(self.name, query.value, title=title),))


def dois(*values: str) -> list[Query]:
    return [Query("doi", value) for value in values]


def whole(body: bytes | str, status: int = 200, **headers: str) -> bytes:
    """The bytes of one whole response; header names with underscores for hyphens."""
    body = body.encode() if isinstance(body, str) else body
    lines = {"date": DATE, "content-type": "application/json", "content-length": str(len(body))}
    lines |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"HTTP/1.1 {status} Reason\r\n{head}\r\n".encode() + body


def reply(body: bytes | str, status: int = 200, **headers: str) -> list[bytes]:
    """A reply that is one whole response."""
    return [whole(body, status, **headers)]


def titles(path: str) -> list[bytes]:
    """A good answer to any request of `FakeSource`: every id is titled after itself."""
    ids = parse_qs(urlsplit(path).query)["ids"][0].split(",")
    return reply(json.dumps({value: f"Title of {value}" for value in ids}))


class Server:
    """Serves HTTP on loopback; ``script`` turns the path of a request into the steps of its reply."""

    def __init__(self, script: Callable[[str], Reply]) -> None:
        self.script = script
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.stopping = threading.Event()
        server = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                with contextlib.suppress(OSError):
                    while server.converse(self):
                        pass

        class Listener(socketserver.ThreadingTCPServer):
            daemon_threads = True
            # With the default of 5, a burst of connections waits a second for the next try of the kernel.
            request_queue_size = 128

        self._tcp = Listener(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._tcp.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._tcp.server_address[1]}"

    @property
    def paths(self) -> list[str]:
        return [path for path, _ in self.requests]

    def converse(self, handler: socketserver.StreamRequestHandler) -> bool:
        first = handler.rfile.readline().decode("latin-1")
        if first.count(" ") != 2:
            return False
        path = first.split(" ")[1]
        headers = {}
        while line := handler.rfile.readline().decode("latin-1").strip():
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        self.requests.append((path, headers))
        kept_alive = False
        for step in self.script(path):
            if step is RESET:
                linger = struct.pack("ii", 1, 0)
                handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                handler.connection.close()
                return False
            if step == CLOSE:
                return False
            if isinstance(step, float):
                self.stopping.wait(step)
            else:
                handler.wfile.write(step)
                kept_alive = b"content-length" in step
        return kept_alive

    def stop(self) -> None:
        self.stopping.set()
        self._tcp.shutdown()
        self._tcp.server_close()
        self._thread.join()


@contextlib.contextmanager
def serving(script: Callable[[str], Reply]) -> Iterator[Server]:
    server = Server(script)
    try:
        yield server
    finally:
        server.stop()


class FakeTime:
    """A clock that moves only when somebody sleeps."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.slept: list[float] = []

    def clock(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        await asyncio.sleep(0)
        self.seconds += seconds
