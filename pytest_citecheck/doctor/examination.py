"""Examines each source: its state in a run, and its answers to controls compared with the parser's expectations.

It has no code for single services: it reads the declarations of each source (`pytest_citecheck.sources.base.Source`).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from pytest_citecheck.atomic_write import atomic_write
from pytest_citecheck.doctor.bodies import Body, Change, body_of, change, expected_shape, read_shape
from pytest_citecheck.matching import compare_titles, lazy_pattern
from pytest_citecheck.model import Absent, Answer, Found, Query, QueryKind, Record, Unavailable
from pytest_citecheck.models.chat import CallFailure, ChatModels, ChatRequest, ChatSettings, Message
from pytest_citecheck.models.chat import Reply as protocol_Reply
from pytest_citecheck.net import Identity, Probe, Reply, is_readable
from pytest_citecheck.sources import SOURCES, MalformedAnswerError, Response, Source, source

if TYPE_CHECKING:
    from pytest_citecheck.models.chat import Endpoint
    from pytest_citecheck.net import TransportSettings

State = Literal[
    "unreachable",
    "walled",
    "key refused",
    "refused",
    "failing",
    "rate-limited",
    "shape changed",
    "control not found",
    "reachable",
    "on",
    "off",
]
"""The worst first; ``on`` is a source that was not asked, ``off`` one that no run asks."""

_ORDER: tuple[State, ...] = get_args(State)
WRONG = frozenset(_ORDER[: _ORDER.index("reachable")])
"""The states in which something is wrong."""

_WITHOUT_RESPONSE: Mapping[str, State] = {
    "hold": "rate-limited",
    "login": "key refused",
    "malformed": "shape changed",
    "too-large": "shape changed",
}
"""By the reason of a missing response; all others are unreachable."""

_NAMESPACE = lazy_pattern(r"\{[^{}\s]*\}")
_KEY_WORDS = (b"api key", b"api_key", b"apikey", b"token", b"unauthorized", b"credential")
_MOST_READ = 4096


@dataclass(frozen=True, slots=True)
class LookUp:
    """Answer to one control. change: of the shape; unknown without an expected shape (``compared``)."""

    query: Query
    state: State
    detail: str
    reply: Reply = field(repr=False)
    compared: bool = False
    change: Change = field(default_factory=Change)


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
    def state(self) -> State:
        """The worst state of its look-ups; ``on`` or ``off`` if it was not asked."""
        states = [one.state for one in self.look_ups]
        return (
            min(states, key=_ORDER.index) if states else "off" if self.off.keys() >= self.source.batch.keys() else "on"
        )

    @property
    def limits(self) -> Mapping[str, str]:
        """The headers that state limits and pools, of all answers together."""
        return {name: value for one in self.look_ups for name, value in one.reply.limits.items()}


def by_urgency(sources: Iterable[Examined]) -> list[Examined]:
    """Problems first, then in the order of the registry."""
    return sorted(sources, key=lambda one: _ORDER.index(one.state))


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


async def examined(sources: Sequence[Source], settings: TransportSettings, probe: Probe) -> list[Examined]:
    """Query all of these sources once for each kind of query that a run sends and that has a sample."""
    known = [configured(source, settings) for source in sources]

    async def asked(one: Examined) -> Examined:
        controls = [query for kind, query in one.source.samples().items() if kind not in one.off]
        has_key = one.key == "found"
        replies = await asyncio.gather(*(probe.ask(one.source, query) for query in controls))
        look_ups = tuple(
            judged(one.source, query, reply, has_key=has_key) for query, reply in zip(controls, replies, strict=True)
        )
        return Examined(one.source, one.off, one.key, one.mirrored, look_ups)

    return list(await asyncio.gather(*map(asked, known)))


def judged(source: Source, query: Query, reply: Reply, *, has_key: bool) -> LookUp:
    """Meaning of a reply to a control."""
    if reply.failure is not None or reply.response is None:
        return _without_response(query, reply)
    response = reply.response
    status = response.status
    if reply.walled:
        return LookUp(query, "walled", f"it demands a browser (HTTP status {status})", reply)
    if status == 429:
        wait = "" if reply.wait is None else f", asks to wait {reply.wait:.0f} s"
        return LookUp(query, "rate-limited", f"HTTP status 429{wait}{_crowded(source, has_key=has_key)}", reply)
    if has_key and (status in (401, 403) or (status == 400 and _speaks_of_keys(response.body))):
        return LookUp(query, "key refused", f"HTTP status {status} to a request with the key", reply)
    if status in (401, 403):
        return LookUp(query, "refused", f"HTTP status {status} to a request without a key", reply)
    if not is_readable(status):
        return LookUp(query, "failing", f"HTTP status {status}", reply)
    answer, problem = _answer(source, query, response)
    if problem and status >= 300:
        return LookUp(query, "failing", f"HTTP status {status}: {problem}", reply)
    return _compared(source, query, reply, answer, problem)


def _without_response(query: Query, reply: Reply) -> LookUp:
    failure = reply.failure or Unavailable("connection", "no response")
    state = _WITHOUT_RESPONSE.get(failure.reason, "unreachable")
    return LookUp(query, state, failure.detail, reply)


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


def _compared(source: Source, query: Query, reply: Reply, answer: Answer | None, problem: str) -> LookUp:
    expected = expected_shape(source, query)
    status, body = (reply.response.status, reply.response.body) if reply.response else (0, b"")
    found = isinstance(answer, Found) and any(_is_witness(record, query) for record in answer.records)
    changed = Change() if expected is None else change(expected, body, answer)
    # An absence lacks all data of the control, or is a message of the service.
    explicit = isinstance(answer, Absent) and (status >= 400 or bool(answer.scope))
    denied = answer is not None and not found and (explicit or not changed.is_partial)
    if answer is None or (changed and not denied):
        # Without the right format, there is no more to report.
        stated = "" if changed.retyped[:1] and changed.retyped[0].startswith("the body") else problem
        said = "; ".join(filter(None, (stated, *_in_words(changed))))
        return LookUp(query, "shape changed", said, reply, expected is not None, changed)
    if not found:
        wanted = query.title or query.value
        said = f"it does not show what it certainly has: {wanted}"
        return LookUp(query, "control not found", said, reply, expected is not None, changed)
    return LookUp(query, "reachable", "", reply, expected is not None, changed)


def _is_witness(record: Record, query: Query) -> bool:
    """Return True if a record is the requested work; a record found by its identifier is."""
    title = query.value if query.kind == "title" else query.title
    if not title or not record.title:
        return True
    comparison = compare_titles(title, record.title, record.subtitle, record.other_titles)
    return comparison.relation in ("same", "short")


def _in_words(changed: Change) -> Iterable[str]:
    if changed.missing:
        yield f"missing: {', '.join(map(_short, changed.missing))}"
    if changed.retyped:
        yield ", ".join(map(_short, changed.retyped))
    if changed.lost:
        yield f"no longer read: {', '.join(changed.lost)}"


def _short(place: str) -> str:
    """The place without namespaces, except where there is nothing else to see."""
    return _NAMESPACE.sub("", place) if "/" in place else place


# Examines endpoints of language models: whether a key is there, and whether a call is answered, by which model.


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

_ENDPOINTS_ORDER: tuple[EndpointState, ...] = get_args(EndpointState)
WRONG_STATES = frozenset(_ENDPOINTS_ORDER[: _ENDPOINTS_ORDER.index("reachable")])
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
        """True if a key is configured."""
        return bool(self.endpoint.api_key)


def configured_endpoint(endpoint: Endpoint) -> ExaminedEndpoint:
    """State of an endpoint that can be determined without a call."""
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
    return endpoints_by_urgency([_judged(one, outcomes.get(one.endpoint.name)) for one in known])


def endpoints_by_urgency(examined: Sequence[ExaminedEndpoint]) -> list[ExaminedEndpoint]:
    """Problems first, then in the order of the configuration."""
    return sorted(examined, key=lambda one: _ENDPOINTS_ORDER.index(one.state))


def _judged(one: ExaminedEndpoint, said: protocol_Reply | CallFailure | None) -> ExaminedEndpoint:
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


# Live answers to the controls, written as bodies that the conformance tests read.


INDEX = "index.jsonl"
"""One line per answer: service, kind, control, url, status, content_type, date; ``file``: its body, reduced to the
parsed parts, else (``places``) its places."""

_ENDINGS = {"JSON": "json", "XML": "xml"}


def write_bodies(folder: Path, examined: Iterable[Examined]) -> tuple[int, int]:
    """Write the answers into this folder, replacing earlier ones to the same queries; return the numbers of bodies and
    places.

    Nothing is written for a service without an answer. Raises OSError.
    """
    rows = _known(folder / INDEX)
    bodies = places = 0
    for one in examined:
        for look_up in one.look_ups:
            written = _written(one.source, look_up)
            if written is None:
                continue
            name, content, is_body = written
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with atomic_write(path) as file:
                file.write(content)
            rows[one.source.name, look_up.query.kind] = _row(one.source, look_up, name, is_body=is_body)
            bodies += is_body
            places += not is_body
    with atomic_write(folder / INDEX) as file:
        file.write("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for _, row in sorted(rows.items())).encode())
    return bodies, places


def _known(index: Path) -> dict[tuple[str, str], Mapping[str, Any]]:
    lines = index.read_text(encoding="utf-8").splitlines() if index.exists() else []
    return {(row["service"], row["kind"]): row for row in map(json.loads, lines)}


def _written(source: Source, look_up: LookUp) -> tuple[str, bytes, bool] | None:
    """The name and content of the file for an answer, and whether it is its body; None if there is nothing to write."""
    response = look_up.reply.response
    body = body_of(response.body) if response is not None and look_up.state in ("reachable", "shape changed") else None
    if response is None or body is None:
        return None
    place = f"{source.name}/{look_up.query.kind}"
    reduced = _reduced(source, look_up.query, response, body)
    if reduced is not None:
        return f"{place}.{_ENDINGS[body.format]}", reduced, True
    known = {name: "|".join(sorted(types)) for name, types in sorted(body.places().items())}
    return f"{place}.places.json", f"{json.dumps(known, indent=1, ensure_ascii=False)}\n".encode(), False


def _reduced(source: Source, query: Query, response: Response, body: Body) -> bytes | None:
    """The body with only the parsed parts; None if it reads nothing, or the format has no parts."""
    if body.format not in _ENDINGS:
        return None
    try:
        shape = read_shape(source, query, response)
        answer = source.parse([query], response)
    except Exception:  # noqa: BLE001 - however the parser fails, there is nothing to keep
        return None
    kept = {*shape.needed, *shape.read, *shape.unread}
    # One by one, because one of two equivalent places must stay.
    for place in shape.unread:
        fewer = {one for one in kept if one != place and not one.startswith(f"{place}/")}
        try:
            same = source.parse([query], replace(response, body=body.only(fewer))) == answer
        except Exception:  # noqa: BLE001 - it cannot do without
            same = False
        kept = fewer if same else kept
    return body.only(kept)


def _row(source: Source, look_up: LookUp, name: str, *, is_body: bool) -> dict[str, Any]:
    response = look_up.reply.response
    assert response is not None  # noqa: S101 - narrows the type
    return {
        "service": source.name,
        "kind": look_up.query.kind,
        "control": look_up.query.value,
        "file": name,
        "places": not is_body,
        "url": look_up.reply.url,
        "status": response.status,
        "content_type": response.headers.get("content-type", ""),
        "date": response.date,
    }


# Examined sources: all registered ones.


def known_sources() -> list[Source]:
    """All sources, in the order of the registry."""
    return list(SOURCES)


def chosen_sources(names: Iterable[str]) -> list[Source]:
    """Sources with these names, each once; all without names. Raises KeyError with the valid names."""
    return list(dict.fromkeys(map(source, names))) or known_sources()
