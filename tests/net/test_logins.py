"""A token for name and password: requested once, sent only where needed, never stored or shown."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_citecheck.cli import main
from pytest_citecheck.model import Answer, Found, Query, Unavailable
from pytest_citecheck.net import Transport, TransportSettings
from pytest_citecheck.plugin import read_servers
from pytest_citecheck.sources import OPENREVIEW, SOURCES, Rate
from tests.stand_ins.openreview import PASSWORD, TOKEN
from tests.stand_ins.server import LocalServices
from tests.support.transport_support import FakeTime

USER = "someone@example.org"
IDS = [OPENREVIEW.controls["openreview"], Query("openreview", "absent1234")]
TITLE = OPENREVIEW.controls["title"]


@pytest.fixture
def services() -> Iterator[LocalServices]:
    with LocalServices() as running:
        running.fault("openreview", "login-required")
        yield running


def ask(
    services: LocalServices,
    queries: list[Query],
    password: str = PASSWORD,
    folder: Path | None = None,
    hours: float = 0,
) -> list[Answer]:
    """Return the answers; the last query is sent ``hours`` hours after the others."""
    time = FakeTime()
    settings = TransportSettings(
        base_urls={"openreview": services.mirrors["openreview"]},
        rates={"openreview": Rate(1000, 4)},
        logins={"openreview": (USER, password)},
        cassettes=folder,
        record="new" if folder else None,
    )

    async def run() -> list[Answer]:
        async with Transport(settings, clock=time.clock, sleep=time.sleep) as transport:
            answers = await transport.ask(OPENREVIEW, queries[:-1])
            await time.sleep(hours * 3600)
            answers |= await transport.ask(OPENREVIEW, queries[-1:])
            return [answers[query].answer for query in queries]

    return asyncio.run(run())


def logins(services: LocalServices) -> int:
    return sum(request.path == "/login" for request in services.requests)


def test_one_login_serves_all_that_need_it(
    services: LocalServices, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    answers = ask(services, [TITLE, *IDS], folder=tmp_path)
    assert isinstance(answers[0], Found)
    assert isinstance(answers[1], Found)
    assert logins(services) == 1
    written = "".join(path.read_text() for path in tmp_path.rglob("*.json")) + caplog.text
    assert "/notes?id=" in written
    assert not [secret for secret in (PASSWORD, TOKEN, USER) if secret in written]


def test_a_search_needs_no_login(services: LocalServices) -> None:
    assert isinstance(ask(services, [TITLE])[0], Found)
    assert logins(services) == 0


@pytest.mark.parametrize(("hours", "expected"), [(0.5, 1), (1.0, 2)])
def test_a_key_is_had_anew_when_its_hour_is_over(services: LocalServices, hours: float, expected: int) -> None:
    ask(services, IDS, hours=hours)
    assert logins(services) == expected


def test_a_refused_login_costs_the_ids_alone(services: LocalServices) -> None:
    *denied, found = ask(services, [*IDS, TITLE], password="wrong-password")
    assert all(isinstance(answer, Unavailable) and answer.reason == "login" for answer in denied)
    assert isinstance(found, Found)
    assert logins(services) == 1
    assert "wrong-password" not in str(denied)


def test_name_and_password_are_read_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENREVIEW_USERNAME", USER)
    monkeypatch.delenv("OPENREVIEW_PASSWORD", raising=False)
    servers = read_servers((), (), (), base_urls_of_a_file=False)
    with pytest.raises(ValueError, match="OPENREVIEW_PASSWORD, which is not set"):
        servers.usable_logins(SOURCES)
    monkeypatch.setenv("OPENREVIEW_PASSWORD", PASSWORD)
    assert servers.usable_logins(SOURCES)["openreview_venue"] == (USER, PASSWORD)
    untrusted = read_servers((), ["openreview=https://x.example"], (), base_urls_of_a_file=True)
    assert "openreview" not in untrusted.usable_logins(SOURCES)


def test_the_doctor_logs_in(
    services: LocalServices, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["doctor", "--live", "--cache=off", "--source=openreview", "--rate=openreview=1000"]
    arguments += [f"--base-url=openreview={services.mirrors['openreview']}"]
    assert main(arguments) == 1
    assert "openreview: HTTP status 403 to a request without a key" in capsys.readouterr().out
    monkeypatch.setenv("OPENREVIEW_USERNAME", USER)
    monkeypatch.setenv("OPENREVIEW_PASSWORD", "wrong-password")
    assert main(arguments) == 1
    assert "OpenReview refused the login with HTTP status 400" in capsys.readouterr().out
    monkeypatch.setenv("OPENREVIEW_PASSWORD", PASSWORD)
    assert main(arguments) == 0
    shown = capsys.readouterr()
    assert not [secret for secret in (PASSWORD, TOKEN, USER) if secret in shown.out + shown.err]
