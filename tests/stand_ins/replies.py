"""Replies of a local service, before the server sends them."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, Self, runtime_checkable

Parameters = Mapping[str, str]
"""The parameters of a query string, decoded; of a repeated one the last."""


@dataclass(frozen=True, slots=True)
class Reply:
    """Status, media type, body and the service's own headers."""

    status: int
    content_type: str
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


class Service(Protocol):
    """A service turns the path below its base URL and the parameters into a reply, and remembers nothing."""

    def answer(self, path: str, parameters: Parameters) -> Reply:
        """The reply to a GET request; ``path`` is still percent-encoded."""
        ...


@runtime_checkable
class Posted(Protocol):
    """A service that also answers questions that are posted."""

    def post(self, path: str, parameters: Parameters, body: bytes) -> Reply:
        """The reply to a POST request with this body."""
        ...


class HoldingNothing:
    """The minimal stand-in, a row of `tests.stand_ins.server`: it answers every GET request with an empty result."""

    def __init__(self, body: str, content_type: str = "application/json") -> None:
        self._reply = Reply(200, content_type, body.encode())

    def __call__(self, facts: object, *, shift: int = 0) -> Self:
        return self

    def answer(self, path: str, parameters: Parameters) -> Reply:
        return self._reply


def json_reply(status: int, content_type: str, value: Any, headers: Mapping[str, str] | None = None) -> Reply:
    """A reply with a compact JSON body."""
    body = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    return Reply(status, content_type, body, headers or {})


def stable_number(text: str, limit: int) -> int:
    """A number below ``limit`` that depends on the text alone: for ids, counts and dates not stated."""
    return zlib.crc32(text.encode()) % limit
