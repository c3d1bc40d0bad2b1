"""Local services that refuse what comes too fast, and the log of what they have answered."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.stand_ins import FACTS_FILE, LocalServices
from tests.stand_ins.faults import RateLimit

WORK = "/works/10.1038/nature14539"


@pytest.fixture(scope="module")
def running() -> Iterator[LocalServices]:
    with LocalServices(FACTS_FILE.with_name("example_facts.yaml")) as services:
        yield services


@pytest.fixture
def services(running: LocalServices) -> Iterator[LocalServices]:
    yield running
    running.heal("crossref")


def get(services: LocalServices, path: str = WORK) -> httpx.Response:
    return httpx.get(services.base_urls["crossref"] + path, trust_env=False)


@given(gaps=st.lists(st.floats(0, 2), max_size=40), rate=st.sampled_from([0.5, 1.0, 2.5, 5.0]))
def test_no_second_has_more_than_the_rate_and_nobody_slower_is_refused(gaps: list[float], rate: float) -> None:
    now = 0.0
    limit = RateLimit(rate, retry_after=False, now=lambda: now)
    window, most = max(1, 1 / rate), max(1, int(rate))
    admitted: list[float] = []
    for gap in gaps:
        now += gap
        recent = sum(1 for moment in admitted if moment > now - window)
        assert limit.admits() is (recent < most)
        admitted += [now] if recent < most else []


@pytest.mark.exhaustive
def test_what_comes_too_fast_gets_status_429(services: LocalServices) -> None:
    before = services.statuses("crossref")
    services.limit("crossref", 2, now=lambda: 0.0)
    answers = [get(services) for _ in range(5)]
    assert [answer.status_code for answer in answers] == [200, 200, 429, 429, 429]
    assert "retry-after" not in answers[2].headers
    assert services.statuses("crossref") - before == {200: 2, 429: 3}
    assert not services.statuses("dblp_sparql")
    services.limit("crossref", 1, retry_after=True, now=lambda: 0.0)
    assert [get(services).headers.get("retry-after") for _ in range(2)] == [None, "1"]
    services.heal("crossref")
    assert get(services).status_code == 200


@pytest.mark.parametrize("rate", [0.0, -1.0, float("nan")])
def test_a_limit_is_above_zero(services: LocalServices, rate: float) -> None:
    with pytest.raises(ValueError, match="above 0"):
        services.limit("crossref", rate)
    with pytest.raises(KeyError, match="nobody"):
        services.limit("nobody", 1)


def test_only_what_was_sent_in_full_is_finished(services: LocalServices) -> None:
    before = len(services.finished)
    start = time.time()
    assert get(services, "/works/10.1038/none").status_code == 404
    for kind in ("early-close", "reset"):
        services.fault("crossref", kind, times=1)
        with pytest.raises(httpx.HTTPError):
            get(services)
    services.fault("crossref", "timeout", times=1)
    address = urlsplit(services.base_urls["crossref"])
    with socket.create_connection(("127.0.0.1", address.port or 0)) as gone:
        gone.sendall(b"GET /crossref/works HTTP/1.1\r\nHost: x\r\n\r\n")
    assert get(services).status_code == 200
    first, last = services.finished[before:]
    assert (first.request.path, first.status, last.request.path, last.status) == ("/works/10.1038/none", 404, WORK, 200)
    assert start <= first.moment <= last.moment <= time.time()
    assert services.requests[-1] == last.request
