"""Examines endpoints of language models: whether a key is there, and whether a call is answered, by which model."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

from pytest_citecheck.chat.models import ChatModels, ChatSettings
from pytest_citecheck.chat.protocol import CallFailure, ChatRequest, Message, Reply

if TYPE_CHECKING:
    from pytest_citecheck.chat.endpoint import Endpoint

__all__ = [
    "WRONG_STATES",
    "EndpointState",
    "ExaminedEndpoint",
    "by_urgency",
    "configured_endpoint",
    "examined_endpoints",
]

EndpointState = Literal[
    "unreachable",
    "key refused",
    "key missing",
    "no credit",
    "failing",
    "rate-limited",
    "shape changed",
    "no answer",
    "reachable",
    "configured",
]
"""The worst first; ``configured`` is an endpoint that was not called."""

_ORDER: tuple[EndpointState, ...] = get_args(EndpointState)
WRONG_STATES = frozenset(_ORDER[: _ORDER.index("reachable")])
"""The states in which something is wrong."""

_STATES: Mapping[str, EndpointState] = {
    "timeout": "unreachable",
    "connection": "unreachable",
    "dns": "unreachable",
    "tls": "unreachable",
    "redirect": "unreachable",
    "http-401": "key refused",
    "http-403": "key refused",
    "http-402": "no credit",
    "quota": "no credit",
    "http-429": "rate-limited",
    "malformed": "shape changed",
    "too-large": "shape changed",
}
"""By the reason of a failure; all others are ``failing``."""

_REQUEST = ChatRequest((Message("user", "Answer with the word: yes"),))
_LONGEST_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class ExaminedEndpoint:
    """One endpoint. served: the model that answered, as the endpoint names it; tokens: that the call took."""

    endpoint: Endpoint
    state: EndpointState
    detail: str = ""
    served: str = ""
    tokens: int | None = None

    @property
    def has_key(self) -> bool:
        """Whether a key is configured."""
        return bool(self.endpoint.api_key)


def configured_endpoint(endpoint: Endpoint) -> ExaminedEndpoint:
    """What is known of an endpoint without a call."""
    return ExaminedEndpoint(endpoint, "configured" if endpoint.api_key else "key missing")


async def examined_endpoints(endpoints: Iterable[Endpoint]) -> list[ExaminedEndpoint]:
    """All of these endpoints, the worst first, each that has a key called once with the parameters of its configuration."""
    known = [configured_endpoint(endpoint) for endpoint in endpoints]
    callable_ = [
        replace(one.endpoint, attempts=1, timeout=min(one.endpoint.timeout, _LONGEST_SECONDS), search=None)
        for one in known
        if one.has_key
    ]
    async with ChatModels(callable_, ChatSettings()) as models:
        said = await asyncio.gather(*(models[endpoint.name].ask(_REQUEST) for endpoint in callable_))
    outcomes = dict(zip((endpoint.name for endpoint in callable_), said, strict=True))
    return by_urgency([_judged(one, outcomes.get(one.endpoint.name)) for one in known])


def by_urgency(examined: Sequence[ExaminedEndpoint]) -> list[ExaminedEndpoint]:
    """What is wrong first, then in the order of the configuration."""
    return sorted(examined, key=lambda one: _ORDER.index(one.state))


def _judged(one: ExaminedEndpoint, said: Reply | CallFailure | None) -> ExaminedEndpoint:
    if said is None:
        return one
    if isinstance(said, CallFailure):
        return replace(one, state=_STATES.get(said.reason, "failing"), detail=said.detail)
    counted = None not in (said.prompt_tokens, said.completion_tokens)
    tokens = (said.prompt_tokens or 0) + (said.completion_tokens or 0) if counted else None
    if said.content.strip():
        return replace(one, state="reachable", served=said.model, tokens=tokens)
    detail = f"the answer is empty (it ends for {said.finish_reason})"
    return replace(one, state="no answer", detail=detail, served=said.model, tokens=tokens)
