"""The log output of the HTTP libraries contains no secret and is otherwise complete."""

from __future__ import annotations

import asyncio
import logging

import pytest

from pytest_citecheck.net import Scrubber, Secret, Transport, TransportSettings, scrubbed_logs
from pytest_citecheck.sources import Credentials
from tests.support.transport_support import FakeSource, dois, reply, serving

SECRETS = ("top-secret-key", "jane@example.org", "mirror-password")


class Keyed(FakeSource):
    contact = {"mailto": "{contact}"}  # noqa: RUF012
    credentials = Credentials("FAKE_KEY", parameter="api_key")


def test_nothing_secret_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with serving(lambda path: reply("", 404, location=path, x_echo="top\\u002dsecret-key", x_more=path)) as server:
        url = server.url.replace("//", "//me:mirror-password@")
        settings = TransportSettings(
            base_urls={"fake": url}, contact="jane@example.org", keys={"fake": "top-secret-key"}
        )

        async def run() -> None:
            async with Transport(settings) as transport:
                await transport.ask(Keyed(), dois("a"))

        asyncio.run(run())
    assert "top-secret-key" in server.paths[0]
    libraries = {record.name.partition(".")[0] for record in caplog.records}
    assert libraries >= {"httpcore", "pytest_citecheck"}
    assert "HTTP Request: GET" in caplog.text
    assert "api_key=REDACTED" in caplog.text
    for secret in (*SECRETS, "secret-key", "jane%40example", "bWU6bWlycm9y"):
        assert secret not in caplog.text
    assert not [record for record in caplog.records if any(secret in str(vars(record)) for secret in SECRETS)]


def test_messages_tracebacks_and_wrong_calls_are_cleaned(caplog: pytest.LogCaptureFixture) -> None:
    logger = logging.getLogger("httpcore.new")
    with scrubbed_logs(Scrubber(["top-secret"])):
        try:
            raise ValueError("the key is top-secret")
        except ValueError:
            logger.warning("failed with %s", Secret("top-secret"), exc_info=True)
        logger.warning("wrong %d", "top-secret")
        logger.warning("100 % of top-secret")
    assert "failed with REDACTED" in caplog.text
    assert "ValueError: the key is REDACTED" in caplog.text
    assert "100 % of REDACTED" in caplog.text
    assert "top-secret" not in caplog.text


def test_afterwards_the_loggers_are_as_before() -> None:
    before = {name: list(logging.getLogger(name).filters) for name in ("httpx", "httpcore", "httpcore.http11")}
    with scrubbed_logs(Scrubber()), scrubbed_logs(Scrubber()):
        assert len(logging.getLogger("httpx").filters) == len(before["httpx"]) + 2
    assert {name: logging.getLogger(name).filters for name in before} == before


def test_a_secret_shows_itself_to_nobody() -> None:
    secret = Secret("top-secret")
    assert secret == "top-secret"
    assert repr([secret, {"key": secret}]) == "['REDACTED', {'key': 'REDACTED'}]"
    settings = TransportSettings(
        base_urls={"a": "https://u:top-secret@h"}, contact="me@top-secret.org", keys={"a": "top-secret"}
    )
    assert "top-secret" not in repr(settings)
    assert "top-secret" not in repr((settings.keys, settings.contact, settings.base_urls))
