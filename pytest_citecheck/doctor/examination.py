"""Examines each source: its state in a run, and its answers to controls.

It has no code for single services: it reads the declarations of each source (`pytest_citecheck.sources.base.Source`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol, TypeVar

from pytest_citecheck.matching import compare_titles
from pytest_citecheck.model import Answer, Found, Query, QueryKind, Record, Unavailable
from pytest_citecheck.net import Identity, Reply, is_readable
from pytest_citecheck.sources import MalformedAnswerError, Response, Source

if TYPE_CHECKING:
    from pytest_citecheck.models.chat import CallFailure, Endpoint
    from pytest_citecheck.models.chat import Reply as ModelReply
    from pytest_citecheck.net import Transport, TransportSettings

_STATES = (
    "unreachable", "walled", "key refused", "key missing", "no credit", "refused", "failing", "rate-limited", "shape changed",
    "control not found", "no answer", "reachable", "configured", "on", "off",
)  # fmt: skip
"""The worst first; ``configured`` and ``on``: not queried now, ``off``: no run queries it."""
WRONG = frozenset(_STATES[: _STATES.index("reachable")])
"""The states in which something is wrong."""

_WITHOUT_RESPONSE = {
    "hold": "rate-limited", "login": "key refused", "malformed": "shape changed", "too-large": "shape changed",
}  # fmt: skip
"""State by the reason of a missing response; all others are unreachable."""
_SHOWN: Mapping[str, str] = {"title": "title", "authors": "authors", "year": "years", "venue": "venues"}
"""Fields of a record by the field for which a source is authoritative: its control has them all."""
_BY_POINTER = frozenset({"title", "place"})
"""Kinds of queries that a source may answer with identifiers alone."""
_KEY_WORDS = (b"api key", b"api_key", b"apikey", b"token", b"unauthorized", b"credential")
_MOST_READ = 4096


class _Examined(Protocol):
    @property
    def state(self) -> str: ...


_T = TypeVar("_T", bound=_Examined)


def by_urgency(examined: Iterable[_T]) -> list[_T]:
    """Problems first, else in the given order."""
    return sorted(examined, key=lambda one: _STATES.index(one.state))


@dataclass(frozen=True, slots=True)
class LookUp:
    """Answer to one control. lost: the fields that its record should have, and lacks."""

    query: Query
    state: str
    detail: str
    reply: Reply = field(repr=False)
    lost: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Examined:
    """State of one source for this user.

    off: reasons why it is not queried, by kind of query. key: ``found``, ``none``, or empty if it uses none. look_ups:
    empty unless it was queried.
    """

    source: Source
    off: Mapping[QueryKind, str]
    key: str
    mirrored: bool
    look_ups: tuple[LookUp, ...] = ()

    @property
    def state(self) -> str:
        """The worst state of its look-ups; ``on`` or ``off`` if it was not asked."""
        if self.look_ups:
            return by_urgency(self.look_ups)[0].state
        return "off" if self.off.keys() >= self.source.batch.keys() else "on"

    @property
    def limits(self) -> Mapping[str, str]:
        """The headers that state limits and pools, of all answers together."""
        return {name: value for one in self.look_ups for name, value in one.reply.limits.items()}


def reason_off(source: Source, kind: QueryKind, settings: TransportSettings) -> str:
    """Reason why no run sends queries of this kind to this source; empty if runs do."""
    if source.name in settings.base_urls:
        return ""
    form = source.credentials
    if form is None or Identity.of(settings).admitted(source, kind):
        return ""
    other = f" (or {' and '.join(form.login.variables)})" if form.login else ""
    return f"key needed: {form.variable}{other}"


def configured(source: Source, settings: TransportSettings) -> Examined:
    """State of a source that can be determined without a query."""
    off = {kind: reason for kind in source.batch if (reason := reason_off(source, kind, settings))}
    found = settings.keys.get(source.name) or source.name in settings.logins
    key = "" if source.credentials is None else "found" if found else "none"
    return Examined(source, off, key, source.name in settings.base_urls)


async def examined(sources: Sequence[Source], settings: TransportSettings, transport: Transport) -> list[Examined]:
    """Query all of these sources once for each kind of query that a run sends and that has a sample."""
    known = [configured(source, settings) for source in sources]

    async def asked(one: Examined) -> Examined:
        controls = [query for kind, query in one.source.samples().items() if kind not in one.off]
        has_key = one.key == "found"
        replies = await asyncio.gather(*(transport.probe(one.source, query) for query in controls))
        look_ups = tuple(
            judged(one.source, query, reply, has_key=has_key) for query, reply in zip(controls, replies, strict=True)
        )
        return Examined(one.source, one.off, one.key, one.mirrored, look_ups)

    return list(await asyncio.gather(*map(asked, known)))


def judged(source: Source, query: Query, reply: Reply, *, has_key: bool) -> LookUp:
    """Meaning of a reply to a control."""
    if reply.failure is not None or reply.response is None:
        failure = reply.failure or Unavailable("connection", "no response")
        return LookUp(query, _WITHOUT_RESPONSE.get(failure.reason, "unreachable"), failure.detail, reply)
    if refusal := _refusal(source, reply, reply.response, has_key=has_key):
        return LookUp(query, *refusal, reply)
    answer, problem = _answer(source, query, reply.response)
    if answer is None:
        changed = reply.response.status < 300
        detail = problem if changed else f"HTTP status {reply.response.status}: {problem}"
        return LookUp(query, "shape changed" if changed else "failing", detail, reply)
    controls = [one for one in answer.records if _is_control(one, query)] if isinstance(answer, Found) else []
    if not controls:
        return LookUp(query, "control not found", f"it does not show its control: {query.title or query.value}", reply)
    lost = _lost(source, query, controls)
    detail = f"no longer read: {', '.join(lost)}" if lost else ""
    return LookUp(query, "shape changed" if lost else "reachable", detail, reply, lost)


def _refusal(source: Source, reply: Reply, response: Response, *, has_key: bool) -> tuple[str, str] | None:
    """State and detail of a response that no parser reads; None for others."""
    status, stated = response.status, f"HTTP status {response.status}"
    wait = "" if reply.wait is None else f", asks to wait {reply.wait:.0f} s"
    denied = status in (401, 403)
    rows = (
        (reply.walled, "walled", f"it demands a browser ({stated})"),
        (status == 429, "rate-limited", f"{stated}{wait}{_crowded(source, has_key=has_key)}"),
        (
            has_key and (denied or (status == 400 and _speaks_of_keys(response.body))),
            "key refused",
            f"{stated} to a request with the key",
        ),
        (denied, "refused", f"{stated} to a request without a key"),
        (not is_readable(status), "failing", stated),
    )
    return next(((state, detail) for applies, state, detail in rows if applies), None)


def _crowded(source: Source, *, has_key: bool) -> str:
    form = source.credentials
    if form is None or not form.pooled or has_key:
        return ""
    return f": clients without a key share one pool; {form.variable} holds a key ({form.obtained})"


def _speaks_of_keys(body: bytes) -> bool:
    return any(word in body[:_MOST_READ].lower() for word in _KEY_WORDS)


def _answer(source: Source, query: Query, response: Response) -> tuple[Answer | None, str]:
    """Records that the parser reads, and the reason if it reads none."""
    try:
        answer = source.parse([query], response).get(query)
    except MalformedAnswerError as error:
        return None, str(error)
    except Exception as error:  # noqa: BLE001 - an answer that breaks its parser has changed
        return None, f"it broke its parser: {type(error).__name__}: {error}"
    if isinstance(answer, Unavailable):
        return None, answer.detail
    return answer, "" if answer is not None else "the parser found no answer to the question"


def _is_control(record: Record, query: Query) -> bool:
    """Return True if a record is the requested work; a record found by its identifier is."""
    title = query.value if query.kind == "title" else query.title
    if not title or not record.title:
        return True
    comparison = compare_titles(title, record.title, record.subtitle, record.other_titles)
    return comparison.relation in ("same", "short")


def _lost(source: Source, query: Query, controls: Sequence[Record]) -> tuple[str, ...]:
    """The fields that no record of the control has, though its source states them."""
    wanted = [name for name in source.authoritative_for if name in _SHOWN] or ["title"] * (not source.authoritative_for)
    lost = tuple(name for name in wanted if not any(getattr(one, _SHOWN[name]) for one in controls))
    return () if query.kind in _BY_POINTER and len(lost) == len(wanted) else lost


_CALL_STATES = {
    **dict.fromkeys(("timeout", "connection", "dns", "tls", "redirect"), "unreachable"),
    **dict.fromkeys(("http-401", "http-403"), "key refused"),
    **dict.fromkeys(("http-402", "quota"), "no credit"),
    **dict.fromkeys(("malformed", "too-large"), "shape changed"),
    "http-429": "rate-limited",
}
"""State by the reason of a failed call; all others are ``failing``."""

_LONGEST_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class ExaminedEndpoint:
    """One endpoint. served: the model that answered, as the endpoint names it; tokens: that the call took."""

    endpoint: Endpoint
    state: str
    detail: str = ""
    served: str = ""
    tokens: int | None = None

    @property
    def has_key(self) -> bool:
        """True if a key is configured."""
        return bool(self.endpoint.api_key)


def configured_endpoint(endpoint: Endpoint) -> ExaminedEndpoint:
    """State of an endpoint that can be determined without a call."""
    return ExaminedEndpoint(endpoint, "configured" if endpoint.api_key else "key missing")


async def examined_endpoints(endpoints: Iterable[Endpoint]) -> list[ExaminedEndpoint]:
    """All of these endpoints, the worst first, each that has a key called once with the parameters of its configuration."""
    from pytest_citecheck.models.chat import ChatModels, ChatRequest, ChatSettings, Message  # noqa: PLC0415 - if asked for

    request = ChatRequest((Message("user", "Answer with the word: yes"),))
    known = [configured_endpoint(endpoint) for endpoint in endpoints]
    callable_ = [
        replace(one.endpoint, attempts=1, timeout=min(one.endpoint.timeout, _LONGEST_SECONDS), search=None)
        for one in known
        if one.has_key
    ]
    async with ChatModels(callable_, ChatSettings()) as models:
        said = await asyncio.gather(*(models[endpoint.name].ask(request) for endpoint in callable_))
    outcomes = dict(zip((endpoint.name for endpoint in callable_), said, strict=True))
    return by_urgency([_judged(one, outcomes.get(one.endpoint.name)) for one in known])


def _judged(one: ExaminedEndpoint, said: ModelReply | CallFailure | None) -> ExaminedEndpoint:
    from pytest_citecheck.models.chat import CallFailure  # noqa: PLC0415

    if said is None:
        return one
    if isinstance(said, CallFailure):
        return replace(one, state=_CALL_STATES.get(said.reason, "failing"), detail=said.detail)
    counted = None not in (said.prompt_tokens, said.completion_tokens)
    tokens = (said.prompt_tokens or 0) + (said.completion_tokens or 0) if counted else None
    if said.content.strip():
        return replace(one, state="reachable", served=said.model, tokens=tokens)
    detail = f"the answer is empty (it ends for {said.finish_reason})"
    return replace(one, state="no answer", detail=detail, served=said.model, tokens=tokens)
