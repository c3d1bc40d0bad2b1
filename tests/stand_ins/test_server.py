"""The server: services on the wire, faults while sending, the log, and that nothing outlives it."""

from __future__ import annotations

import email.utils
import http.client
import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.stand_ins import FACTS_FILE, Facts, LocalServices
from tests.stand_ins.replies import HoldingNothing, Reply
from tests.support.suites import first_fast

if TYPE_CHECKING:
    from collections.abc import Iterator

EXAMPLE = FACTS_FILE.with_name("example_facts.yaml")
NATURE = "/works/10.1038/nature14539"


@pytest.fixture
def services() -> Iterator[LocalServices]:
    with LocalServices(EXAMPLE) as running:
        yield running


def connect(services: LocalServices, timeout: float = 5) -> http.client.HTTPConnection:
    port = urlsplit(services.base_urls["crossref"]).port
    return http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)


def get(services: LocalServices, name: str, path: str, *, timeout: float = 5) -> tuple[int, dict[str, str], bytes]:
    with closing(connect(services, timeout)) as connection:
        connection.request("GET", f"/{name}{path}", headers={"User-Agent": "test"})
        response = connection.getresponse()
        headers = {key.lower(): value for key, value in response.getheaders()}
        return response.status, headers, response.read()


@pytest.mark.parametrize(
    ("name", "path", "expected"),
    [
        ("crossref", NATURE, b'"Deep learning"'),
        ("crossref", "/works?query.bibliographic=deep+learning&rows=1", b'"Deep learning"'),
        ("datacite", "/dois?query=doi:(%2210.48550/arxiv.1706.03762%22)&page[size]=5", b"Vaswani, Ashish"),
        ("doi_org", "/api/handles/10.1038/nature14539", b'"responseCode":1'),
        ("doi_ra", "/ra/10.1038/nature14539", b'"RA":"Crossref"'),
        ("arxiv", "/api/query?search_query=ti:%22ricci+flow%22", b"math/0211159v1"),
    ],
)
def test_each_service_answers_below_its_base_url(
    services: LocalServices, name: str, path: str, expected: bytes
) -> None:
    status, headers, body = get(services, name, path)
    assert status == 200
    assert expected in body
    assert headers["date"] == "Fri, 20 Nov 2026 12:00:00 GMT"
    assert headers["content-length"] == str(len(body))
    assert services.mirrors[name].startswith("http://127.0.0.1:")


def test_the_same_question_gives_the_same_bytes_in_every_run() -> None:
    bodies = []
    for _ in range(2):
        with LocalServices(EXAMPLE) as services:
            bodies.append(get(services, "crossref", "/works"))
    assert bodies[0] == bodies[1]


def test_without_a_moment_of_recording_it_is_now(tmp_path: Path) -> None:
    facts = tmp_path / "facts.yaml"
    facts.write_text(EXAMPLE.read_text(encoding="utf-8").replace("recorded:", "# "), encoding="utf-8")
    with LocalServices(facts) as services:
        _, headers, _ = get(services, "crossref", NATURE)
    stated = email.utils.parsedate_to_datetime(headers["date"])
    assert abs(stated.timestamp() - time.time()) < 60


def test_requests_are_logged_in_order_with_lower_case_header_names(services: LocalServices) -> None:
    get(services, "crossref", f"{NATURE}?mailto=a%40b.example")
    get(services, "doi_org", "/api/handles/10.1/x")
    first, second = services.requests
    assert (first.service, first.method, first.path) == ("crossref", "GET", f"{NATURE}?mailto=a%40b.example")
    assert first.headers["user-agent"] == "test"
    assert second.service == "doi_org"


def test_unknown_services_and_other_methods_are_refused(services: LocalServices) -> None:
    assert get(services, "nobody", "/works")[0] == 404
    assert services.requests == []
    with closing(connect(services)) as connection:
        connection.request("POST", f"/crossref{NATURE}", body=b"x")
        assert connection.getresponse().status == 405
    assert [request.method for request in services.requests] == ["POST"]


def test_connections_are_kept_alive(services: LocalServices) -> None:
    with closing(connect(services)) as connection:
        for _ in range(3):
            connection.request("GET", f"/crossref{NATURE}")
            assert connection.getresponse().read()
        assert connection.sock is not None


def test_many_clients_at_once(services: LocalServices) -> None:
    with ThreadPoolExecutor(16) as pool:
        statuses = list(pool.map(lambda _: get(services, "crossref", NATURE)[0], range(64)))
    assert statuses == [200] * 64
    assert len(services.requests) == 64


def test_faults_strike_the_first_requests_and_can_be_healed(services: LocalServices) -> None:
    services.fault("crossref", "429-retry-after", times=1)
    status, headers, _ = get(services, "crossref", NATURE)
    assert (status, headers["retry-after"]) == (429, "1")
    assert get(services, "crossref", NATURE)[0] == 200
    services.fault("crossref", "503")
    assert get(services, "crossref", NATURE)[0] == 503
    assert get(services, "doi_org", "/api/handles/10.1038/nature14539")[0] == 200
    services.heal("crossref")
    assert get(services, "crossref", NATURE)[0] == 200


def test_wrong_records_and_loops(services: LocalServices) -> None:
    services.fault("crossref", "wrong-record", times=1)
    _, _, body = get(services, "crossref", NATURE)
    assert json.loads(body)["message"]["DOI"] == "10.1109/cvpr.2016.90"
    services.fault("crossref", "redirect-loop")
    status, headers, _ = get(services, "crossref", f"{NATURE}?a=b")
    assert (status, headers["location"]) == (302, f"{services.base_urls['crossref']}{NATURE}?a=b")


def test_unknown_services_and_kinds_cannot_fail(services: LocalServices) -> None:
    with pytest.raises(KeyError, match="nobody"):
        services.fault("nobody", "503")
    with pytest.raises(KeyError, match="nobody"):
        services.heal("nobody")
    with pytest.raises(ValueError, match="418"):
        services.fault("crossref", "418")


def test_a_timeout_never_answers(services: LocalServices) -> None:
    services.fault("crossref", "timeout")
    with pytest.raises(TimeoutError):
        get(services, "crossref", NATURE, timeout=0.1)


def test_a_timeout_in_the_body_stops_in_its_middle(services: LocalServices) -> None:
    services.fault("crossref", "timeout-body")
    with closing(connect(services, 0.2)) as connection:
        connection.request("GET", f"/crossref{NATURE}")
        response = connection.getresponse()
        length = int(response.getheader("content-length", "0"))
        assert len(response.read(length // 2)) == length // 2
        with pytest.raises(TimeoutError):
            response.read(1)


def test_an_early_close_leaves_the_body_incomplete(services: LocalServices) -> None:
    services.fault("crossref", "early-close")
    with pytest.raises(http.client.IncompleteRead):
        get(services, "crossref", NATURE)


def test_a_reset_is_a_reset(services: LocalServices) -> None:
    services.fault("crossref", "reset", times=1)
    with pytest.raises(ConnectionResetError):
        get(services, "crossref", NATURE)
    assert get(services, "crossref", NATURE)[0] == 200


def test_a_huge_body_has_no_announced_length_and_a_client_may_leave(services: LocalServices) -> None:
    services.fault("datacite", "huge")
    with closing(connect(services)) as connection:
        connection.request("GET", "/datacite/dois")
        response = connection.getresponse()
        assert response.getheader("content-length") is None
        assert len(response.read(5_000_000)) == 5_000_000


@pytest.mark.exhaustive
def test_a_huge_body_is_a_gigabyte(services: LocalServices) -> None:
    services.fault("crossref", "huge")
    port = urlsplit(services.base_urls["crossref"]).port
    with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
        client.sendall(b"GET /crossref/works HTTP/1.1\r\nHost: x\r\n\r\n")
        room = bytearray(1 << 20)
        assert sum(iter(lambda: client.recv_into(room), 0)) > 1_000_000_000


@pytest.mark.parametrize("kind", ["timeout", "timeout-body", "huge", ""])
def test_no_thread_or_socket_outlives_the_services_even_with_clients_waiting(kind: str) -> None:
    before = threading.active_count()
    with LocalServices(EXAMPLE) as services:
        port = urlsplit(services.base_urls["crossref"]).port
        if kind:
            services.fault("crossref", kind)
        client = socket.create_connection(("127.0.0.1", port), timeout=60)
        client.sendall(f"GET /crossref{NATURE} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        deadline = time.monotonic() + 60
        while not services.requests and time.monotonic() < deadline:
            time.sleep(0.005)
        started = time.monotonic()
    assert time.monotonic() - started < 60
    client.close()
    assert threading.active_count() == before
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=1)


@pytest.mark.exhaustive
def test_the_command_prints_the_base_urls_and_ends_when_terminated(services: LocalServices) -> None:
    command = [sys.executable, "-m", "tests.stand_ins", "--facts", str(EXAMPLE), "--fault", "crossref=503,times=1"]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root) as process:
        try:
            assert process.stdout is not None
            lines = [process.stdout.readline().strip() for _ in services.mirrors]
            assert all(re.fullmatch(r"\w+=http://127\.0\.0\.1:\d+/\w+", line) for line in lines)
            urls = dict(line.split("=") for line in lines)
            assert list(urls) == list(services.mirrors)
            address = urlsplit(urls["crossref"])
            with closing(http.client.HTTPConnection("127.0.0.1", address.port, timeout=60)) as connection:
                connection.request("GET", "/crossref/works/10.1000/1")
                assert connection.getresponse().status == 503
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0
        finally:
            process.kill()  # whatever failed above: no server outlives its test


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("arguments", "complaint"),
    first_fast(
        [
            (["--facts", "nowhere.yaml"], "nowhere.yaml"),
            (["--fault", "crossref=418"], "unknown fault '418'"),
            (["--fault", "nobody=503"], "no service 'nobody'"),
            (["--fault", "crossref=503,often=2"], "'often' is none of times, rate, seed"),
        ]
    ),
)
def test_the_command_says_what_it_cannot_use(arguments: list[str], complaint: str) -> None:
    command = [sys.executable, "-m", "tests.stand_ins", "--facts", str(EXAMPLE), *arguments]
    root = Path(__file__).parents[2]
    finished = subprocess.run(command, capture_output=True, text=True, cwd=root, timeout=120, check=False)
    assert finished.returncode == 2
    assert complaint in finished.stderr


def test_a_stand_in_that_holds_nothing_sends_one_body() -> None:
    service = HoldingNothing('{"hits": []}')(Facts(()), shift=1)
    assert service.answer("/any", {}) == Reply(200, "application/json", b'{"hits": []}')
