"""The endpoint of a language model, as a user configures it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol
from urllib.parse import urlsplit

from pytest_citecheck.matching import lazy_pattern
from pytest_citecheck.net import Secret
from pytest_citecheck.sources import MalformedAnswerError, listing, mapping, parse_json, text

Role = Literal["system", "user", "assistant", "tool"]
FinishReason = Literal["stop", "length", "tool_calls", "content_filter", "other"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that the model wants to be run. arguments: the text as the model wrote it, JSON or not."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation.

    tool_calls: of an assistant message. tool_call_id: of a tool message, the call that it answers. native: further data
    that the provider expects back (signatures of its reasoning); see `Reply.message`.
    """

    role: Role
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    native: Mapping[str, object] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool that the model may call. parameters: the JSON schema of its arguments."""

    name: str
    description: str
    parameters: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One call. parameters: of the provider (temperature, max_tokens …), sent as they are, over those of the endpoint.

    sample: distinguishes repeated identical requests in recordings; it is not sent.
    """

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    parameters: Mapping[str, object] = field(default_factory=dict)
    sample: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """Reply of the model.

    content: without the reasoning; empty if there is none. finish_reason:
    reason for the end of the answer. prompt_tokens, completion_tokens: as the provider counts them; None if it does
    not. model: model used according to the provider; empty if it is not stated. attempts: requests that were sent.
    seconds: from the first request to the answer, waiting for retries included, waiting for a free slot not. cost: in
    US dollars; None if the price or the tokens are not known. replayed: from a recording. native: as in `Message`.
    """

    content: str
    finish_reason: FinishReason = "stop"
    tool_calls: tuple[ToolCall, ...] = ()
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    model: str = ""
    attempts: int = 1
    seconds: float = 0.0
    cost: float | None = None
    replayed: bool = False
    native: Mapping[str, object] = field(default_factory=dict, repr=False)

    @property
    def message(self) -> Message:
        """The answer as a message of the continuing conversation."""
        return Message("assistant", self.content, self.tool_calls, native=self.native)


@dataclass(frozen=True, slots=True)
class CallFailure:
    """Why there is no reply.

    reason: ``http-<status>``, ``timeout``, ``connection``, ``dns``, ``tls``, ``redirect``, ``malformed``, ``too-large``,
    ``quota`` (the account is exhausted), ``budget`` (the limit of this run), ``deadline`` (the time of this run),
    ``not-recorded`` (replay without this call), ``request`` (it cannot be written as JSON). detail: for people, with the error
    message of the endpoint; secrets are replaced. attempts: requests that were sent.
    """

    reason: str
    detail: str
    attempts: int = 1
    seconds: float = 0.0


class ChatModel(Protocol):
    """One model behind one endpoint."""

    @property
    def name(self) -> str:
        """The name of the endpoint in the configuration."""

    async def ask(self, request: ChatRequest) -> Reply | CallFailure:
        """The answer of the model. Raises nothing but cancellation."""


TAVILY = "https://api.tavily.com"

Depth = Literal["basic", "advanced"]
DEPTHS: tuple[Depth, ...] = ("basic", "advanced")
Provider = Literal["tavily", "json", "sources"]
PROVIDERS: tuple[Provider, ...] = ("tavily", "json", "sources")


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """A search that a user configures.

    provider: ``tavily``; ``json``, a server that answers ``GET {url}?q=…&format=json`` as SearXNG does; ``sources``, the
    bibliographic services of this package. url: of the server; empty for Tavily's own. depth: the most thorough search of Tavily
    that a model may choose. price: US dollars for one search; None: unknown.
    """

    provider: Provider = "tavily"
    api_key: str = field(default="", repr=False)
    url: str = field(default="", repr=False)
    depth: Depth = "advanced"
    price: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "api_key", Secret(self.api_key))
        object.__setattr__(self, "url", Secret(self.url))

    @property
    def is_paid(self) -> bool:
        """True if each search is paid for: at Tavily; an own server and the services of this package take nothing."""
        return self.provider == "tavily" and not self.url


_DROPPED = {
    "stream": "answers are not streamed",
    "stream_options": "answers are not streamed",
    "messages": "the messages come from the caller",
    "model": "the endpoint sets the model",
    "timeout": "the endpoint sets the timeout",
}

# Placeholder keys of local servers, which may occur in any text.
_PLACEHOLDERS = frozenset({"ollama", "lm-studio", "not-needed", "no-key", "none", "dummy", "empty", "placeholder"})
_TELLING = ("auth", "authorization", "key", "token", "secret", "cookie", "password", "signature", "credentials")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One model at one address.

    api: ``openai`` (chat completions, at any address), ``anthropic`` (messages) or ``gemini`` (generateContent).
        parameters: of the provider, sent as they are; ``extra_body``, ``extra_headers`` and ``extra_query`` as in the
        client of OpenAI.
    system_prompt: None for the one of the caller. iterations: calls of the model in one conversation with a search, at most.
    concurrency: calls at the same time. rate: requests a second; None: limited by concurrency only. timeout: seconds
        for one request. attempts: requests for one call. token_prices: US dollars for a million input and output
        tokens; None: prices of the table (`pytest_citecheck.models.chat.spending`). search: the search that the model
        may call as a tool. secrets: values that are never shown, beside the key.
    """

    name: str
    base_url: str = field(repr=False)
    model: str
    api_key: str = field(default="", repr=False)
    api: str = "openai"
    parameters: Mapping[str, object] = field(default_factory=dict, repr=False)
    concurrency: int = 5
    rate: float | None = None
    timeout: float = 120.0
    attempts: int = 3
    token_prices: tuple[float, float] | None = None
    search: SearchOptions | None = None
    iterations: int = 10
    system_prompt: str | None = None
    secrets: frozenset[str] = field(default=frozenset(), repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "api_key", Secret(self.api_key))
        object.__setattr__(self, "base_url", Secret(self.base_url))

    def check(self) -> None:
        """Raise ValueError for values that a configuration does not rule out."""
        wrong = next(self._problems(), "")
        if wrong:
            raise ValueError(f"endpoint {self.name}: {wrong}")

    def _problems(self) -> Iterator[str]:
        try:
            parts = urlsplit(self.base_url)
            usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
        except ValueError:
            usable = False
        if not usable:
            yield "base_url must look like https://host[:port][/path]"
        if not (self.api_key.isascii() and self.api_key.isprintable()):
            yield "api_key must be one line of ASCII characters"
        try:
            json.dumps(dict(self.parameters), allow_nan=False)
        except (TypeError, ValueError, RecursionError):
            yield "extra_params must be valid JSON"
        for name in ("extra_body", "extra_headers", "extra_query"):
            if not isinstance(self.parameters.get(name) or {}, Mapping):
                yield f"extra_params.{name} must be an object"

    def all_secrets(self) -> set[str]:
        """Values that must never be shown: the key, values of variables, and texts in headers and parameters that look
        like keys."""
        found = {str(self.api_key), self.search.api_key if self.search else "", *self.secrets}
        found |= set(_telling(self.parameters))
        found |= {value.removeprefix("Bearer ") for value in found}
        return {value for value in found if value.casefold() not in _PLACEHOLDERS}


def _telling(value: object) -> Iterator[str]:
    """Texts, at any depth, whose name ends like the name of a key."""
    for name, member in value.items() if isinstance(value, Mapping) else ():
        if isinstance(member, str) and str(name).lower().endswith(_TELLING):
            yield member
        yield from _telling(member)


def dropped_parameters(parameters: Mapping[str, object]) -> dict[str, str]:
    """The parameters that are not sent, with the reason."""
    return {name: _DROPPED[name] for name in parameters if name in _DROPPED}


# The codes of OpenAI, Moonshot and DashScope for an account without money; Anthropic has none, but always these words.
_QUOTA_CODES = frozenset(
    {
        "insufficient_quota",
        "billing_hard_limit_reached",
        "billing_not_active",
        "exceeded_current_quota_error",
        "arrearage",
    }
)
_QUOTA_WORDS = "credit balance is too low"
_KEY_CODES = frozenset({"api_key_invalid", "invalid_api_key"})
_FILTER_CODES = frozenset({"content_filter", "content_policy_violation"})

_MARKUP = lazy_pattern(r"<[^<>]*>")
_SECONDS = lazy_pattern(r"(\d{1,6}(?:\.\d{1,9})?)s\Z")
_MASKED_KEY = lazy_pattern(r"(?<!\S)\S*?\*{3,}\S*")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Content of the body of a failed call.

    message: text of the provider; may contain secrets. quota: the account is exhausted. key: the key is not accepted.
    filtered: this prompt is refused for its content. status: the HTTP status in the body, if it differs from the
    response's. wait: seconds.
    """

    message: str
    quota: bool = False
    key: bool = False
    filtered: bool = False
    status: int | None = None
    wait: float | None = None


def read_refusal(body: bytes) -> Refusal:
    """Parse the body of a failed call, which may have any form."""
    try:
        whole = parse_json(body)
    except MalformedAnswerError:
        plain = body.decode("utf-8", "replace")
        return Refusal(_MASKED_KEY.sub("REDACTED", " ".join(_MARKUP.sub(" ", plain).split())))
    outer = mapping(whole[0] if isinstance(whole, list) and whole else whole)
    error = outer.get("error")
    inner = mapping(error)
    messages = (inner.get("message"), error, outer.get("message"), outer.get("detail"))
    message = next(filter(None, map(text, messages)), "")
    codes = {text(place.get(key)).lower() for place in (outer, inner) for key in ("code", "type", "status")}
    wait = None
    for stated in map(mapping, listing(inner.get("details"))):
        codes.add(text(stated.get("reason")).lower())
        delay = _SECONDS.match(text(stated.get("retryDelay")))
        wait = float(delay[1]) if delay else wait
        violations = map(mapping, listing(stated.get("violations")))
        if any("perday" in text(violation.get("quotaId")).lower() for violation in violations):
            codes.add("insufficient_quota")  # Google: daily quotas that are used up
    code = inner.get("code")
    flagged = bool(mapping(inner.get("metadata")).get("flagged_input"))
    return Refusal(
        _MASKED_KEY.sub("REDACTED", " ".join(message.split())),
        quota=bool(codes & _QUOTA_CODES) or _QUOTA_WORDS in message.lower(),
        key=bool(codes & _KEY_CODES),
        filtered=flagged or bool(codes & _FILTER_CODES),
        status=code if isinstance(code, int) and 400 <= code <= 599 else None,
        wait=wait,
    )
