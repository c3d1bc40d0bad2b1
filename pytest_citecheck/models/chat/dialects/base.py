"""Interface of an API of language models. Pure: it builds requests and parses answers, but sends nothing."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import quote, urlencode, urlsplit, urlunsplit

from pytest_citecheck.matching import lazy_pattern
from pytest_citecheck.models.chat.endpoint import dropped_parameters
from pytest_citecheck.net import Secret
from pytest_citecheck.sources import MalformedAnswerError, Request, parse_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_citecheck.models.chat.endpoint import ChatRequest, Endpoint, Reply
    from pytest_citecheck.net import Exchanger, RawResponse

OWN_CALL_ID = "citecheck-call-"
"""Begins the id of a tool call to which the provider gave none."""

_SURROGATES = lazy_pattern("[\ud800-\udfff]")


def mapping(value: object) -> dict[str, Any]:
    """The object, else an empty one."""
    return value if isinstance(value, dict) else {}


@dataclass(frozen=True, slots=True)
class Post:
    """One request; its headers identify the user."""

    url: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)

    async def sent(self, exchanger: Exchanger, service: str, largest: int) -> RawResponse:
        """The response, of any status. service: in messages. largest: bytes of the body. Raises ExchangeError."""
        request = Request(service, self.url, body=self.body)
        return await exchanger.exchange(request, lambda: None, largest=largest, own_headers=self.headers, errors=True)


class Dialect(Protocol):
    """One API. name: in configurations. limit: the parameter that limits the tokens of an answer."""

    name: str
    limit: str

    def post(self, endpoint: Endpoint, asked: ChatRequest) -> Post:
        """The request. Raises ValueError or TypeError for values that JSON cannot represent."""

    def reply(self, body: bytes) -> Reply:
        """Parse a body with a status 200 to 299. Raises MalformedAnswerError."""


def sent_parameters(endpoint: Endpoint, asked: ChatRequest) -> dict[str, Any]:
    """The parameters of the endpoint and of the call that go into the body."""
    both = {**endpoint.parameters, **asked.parameters}
    body = {name: value for name, value in both.items() if name not in {*dropped_parameters(both), *_PLACES}}
    return {**body, **mapping(both.get("extra_body"))}


_PLACES = ("extra_body", "extra_headers", "extra_query")


_ANSWER_LIMITS = ("max_tokens", "max_completion_tokens", "maxOutputTokens", "max_output_tokens")


def answer_limit(endpoint: Endpoint, asked: ChatRequest) -> int | None:
    """The tokens of the largest answer that the parameters allow; None if they state no limit."""
    sent = sent_parameters(endpoint, asked)
    places = (sent, mapping(sent.get("generationConfig")))
    limits = [count(place.get(name)) for place in places for name in _ANSWER_LIMITS]
    answers = [count(place.get(name)) or 1 for place in places for name in ("n", "candidateCount")]
    return max((limit for limit in limits if limit), default=0) * max(answers) or None


def post(endpoint: Endpoint, asked: ChatRequest, path: str, key: str, body: Mapping[str, Any], **headers: str) -> Post:
    """The request to ``path`` below the base URL, which may end with it already. key: the header for the key."""
    both = {**endpoint.parameters, **asked.parameters}
    base = urlsplit(endpoint.base_url)
    root = base.path.rstrip("/")
    for shared in ("/v1beta", "/v1"):
        if root.endswith(shared) and path.startswith(f"{shared}/"):
            root = root.removesuffix(shared)
    whole = root if root.endswith(path) else root + path
    query = "&".join(filter(None, (base.query, urlencode(mapping(both.get("extra_query"))))))
    url = Secret(urlunsplit((base.scheme, base.netloc, quote(whole, safe="/:%@"), query, "")))
    extra = {str(name).lower(): Secret(value) for name, value in mapping(both.get("extra_headers")).items()}
    text = json.dumps(body, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
    own = {key: Secret(f"Bearer {endpoint.api_key}" if key == "authorization" else endpoint.api_key)}
    # Half a surrogate pair becomes its escape in JSON.
    return Post(
        url, {**headers, **(own if endpoint.api_key else {}), **extra}, text.encode("utf-8", "backslashreplace")
    )


def tools_of(asked: ChatRequest, schema: str = "parameters") -> list[dict[str, Any]]:
    """The tools of a request. schema: the name of the schema of their arguments."""
    return [{"name": tool.name, "description": tool.description, schema: dict(tool.parameters)} for tool in asked.tools]


def first_of(value: object) -> object:
    """The first element of a list; None for an empty one, and for anything else."""
    return value[0] if isinstance(value, list) and value else None


def body_object(body: bytes) -> Mapping[str, Any]:
    """The JSON object of a body. Raises MalformedAnswerError."""
    value = parse_json(body)
    if not isinstance(value, dict):
        raise MalformedAnswerError("the body is not a JSON object")
    return value


def string(value: object) -> str:
    """The string as it is, without halves of surrogate pairs; empty for anything else."""
    return _SURROGATES.sub("", value) if isinstance(value, str) else ""


def count(value: object) -> int | None:
    """A number of tokens; None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**12 else None


def total(values: Iterable[object]) -> int | None:
    """Sum of the stated numbers of tokens; None without any."""
    stated = [number for number in map(count, values) if number is not None]
    return sum(stated) if stated else None


def json_object(text: str) -> Mapping[str, Any]:
    """The object that a model wrote as arguments; otherwise empty."""
    try:
        return mapping(json.loads(text))
    except (ValueError, RecursionError):
        return {}
