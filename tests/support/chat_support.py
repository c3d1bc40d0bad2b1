"""Asks models behind the stand-in of endpoints, on a clock that moves only when somebody sleeps."""

from __future__ import annotations

import asyncio
from typing import Any

from pytest_citecheck.models.chat import CallFailure, ChatModels, ChatRequest, ChatSettings, Endpoint, Message, Reply
from tests.stand_ins.model_endpoints import ModelEndpoints
from tests.support.transport_support import FakeTime

KEY = "sk-a1b2c3d4e5f6"


def question(text: str = "hi", **given: Any) -> ChatRequest:
    return ChatRequest((Message("user", text),), **given)


QUESTION = question()


def endpoint(local: ModelEndpoints, api: str = "openai", **given: Any) -> Endpoint:
    """The endpoint of an API, which is its name too."""
    return Endpoint(
        **{"name": api, "base_url": local.base_urls[api], "model": "m", "api_key": KEY, "api": api, **given}
    )


def ask(
    one: Endpoint, *requests: ChatRequest, settings: ChatSettings | None = None, time: FakeTime | None = None
) -> list[Reply | CallFailure]:
    """The outcome of each of these calls, which are made at once."""
    time = time or FakeTime()

    async def main() -> list[Reply | CallFailure]:
        async with ChatModels(
            [one], settings or ChatSettings(), clock=time.clock, sleep=time.sleep, now=time.clock, jitter=lambda: 1.0
        ) as models:
            return list(await asyncio.gather(*map(models[one.name].ask, requests or (QUESTION,))))

    return asyncio.run(main())


def outcome(said: Reply | CallFailure) -> tuple[str, int]:
    """Return the outcome of a call and the number of requests."""
    return (said.finish_reason if isinstance(said, Reply) else said.reason, said.attempts)
