"""Connections are kept for the next request of the same host, however many there are, and not for ever many hosts."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import httpx
import pytest

from pytest_citecheck.net import HttpClients, Network, NetworkBackend
from pytest_citecheck.net import exchange as clients


class Server(ThreadingHTTPServer):
    """Counts the connections that it accepts."""

    request_queue_size = 64
    daemon_threads = True
    accepted = 0


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def setup(self) -> None:
        super().setup()
        self.server.accepted += 1

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_: object) -> None: ...


@contextmanager
def servers(number: int) -> Iterator[Sequence[Server]]:
    with ExitStack() as stack:
        made = [stack.enter_context(Server(("127.0.0.1", 0), Handler)) for _ in range(number)]
        for server in made:
            Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
            stack.callback(server.shutdown)
        yield made


async def ask(http: HttpClients, server: Server, together: asyncio.Barrier | None = None) -> None:
    url = f"http://127.0.0.1:{server.server_address[1]}/"
    async with http.stream(url, {}, b"", {}) as response:
        if together is not None:
            await together.wait()
        assert [block async for block in response.blocks] == [b"ok"]


def made() -> HttpClients:
    backend = NetworkBackend(Network(lambda host: [host], 5.0))
    return HttpClients(backend, httpx.Timeout(5.0))


@pytest.mark.exhaustive
@pytest.mark.parametrize("at_once", [2, 40])
def test_a_connection_is_used_again(at_once: int) -> None:
    async def rounds(server: Server) -> None:
        http = made()
        for _ in range(4):
            together = asyncio.Barrier(at_once)
            await asyncio.gather(*(ask(http, server, together) for _ in range(at_once)))
        await http.aclose()

    with servers(1) as [server]:
        asyncio.run(rounds(server))
        assert server.accepted == at_once


def test_idle_connections_of_many_hosts_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clients, "_MOST_HOSTS", 3)

    async def visit(visited: Sequence[Server]) -> None:
        http = made()
        busy = visited[0]
        together = asyncio.Barrier(2)
        under_way = asyncio.create_task(ask(http, busy, together))
        for server in visited[1:4]:
            await ask(http, server)
        await together.wait()
        await under_way  # its pool was not closed under it
        await ask(http, busy)
        await ask(http, visited[1])
        await http.aclose()

    with servers(4) as visited:
        asyncio.run(visit(visited))
        assert [server.accepted for server in visited] == [1, 2, 1, 1]
