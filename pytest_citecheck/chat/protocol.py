"""What is said to a language model, and what comes back: the same for every provider.

A caller builds a `ChatRequest` and awaits `ChatModel.ask`, which returns a `Reply` or a `CallFailure` and raises nothing but
cancellation. Calls may be awaited all at once: the model keeps to its own concurrency, rate, time-outs, retries and budget.

    async def answer(model: ChatModel, question: str) -> str:
        said = await model.ask(ChatRequest((Message("user", question),)))
        return f"failed: {said.reason}" if isinstance(said, CallFailure) else said.content

`pytest_citecheck.chat.models.ChatModels` has the model behind each `pytest_citecheck.chat.endpoint.Endpoint`. Tests write a class
with ``name`` and ``ask``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "CallFailure",
    "ChatModel",
    "ChatRequest",
    "FinishReason",
    "Message",
    "Reply",
    "Role",
    "ToolCall",
    "ToolSpec",
]

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

    tool_calls: of an assistant message. tool_call_id: of a tool message, the call that it answers. native: what the provider
    wants back beside (signatures of its reasoning); see `Reply.message`.
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

    sample: tells repeated identical requests apart in recordings; it is not sent.
    """

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    parameters: Mapping[str, object] = field(default_factory=dict)
    sample: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model said.

    content: empty if there is none. reasoning: what the provider gives apart from the content. finish_reason: why the answer
    ends. prompt_tokens, completion_tokens: as the provider counts them; None if it does not say. model: that the provider
    says it used; empty if it does not say. attempts: requests that were sent. seconds: from the first request to the answer,
    waiting for retries included, waiting for a free slot not. cost: in US dollars; None if the price or the tokens are not
    known. replayed: from a recording. native: as in `Message`.
    """

    content: str
    finish_reason: FinishReason = "stop"
    reasoning: str = ""
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
        """The answer as a message of the conversation that goes on."""
        return Message("assistant", self.content, self.tool_calls, native=self.native)


@dataclass(frozen=True, slots=True)
class CallFailure:
    """Why there is no reply.

    reason: ``http-<status>``, ``timeout``, ``connection``, ``dns``, ``tls``, ``redirect``, ``malformed``, ``too-large``,
    ``quota`` (the account is exhausted), ``budget`` (the limit of this run), ``deadline`` (the time of this run),
    ``not-recorded`` (replay without this call), ``request`` (it cannot be written as JSON). detail: for people, with the error
    message of the endpoint; secrets are replaced. attempts: requests that were sent. stopped: the endpoint is not asked again in
    this run, and later calls fail at once with this reason.
    """

    reason: str
    detail: str
    attempts: int = 1
    seconds: float = 0.0
    stopped: bool = False


class ChatModel(Protocol):
    """One model behind one endpoint."""

    @property
    def name(self) -> str:
        """The name of the endpoint in the configuration."""

    async def ask(self, request: ChatRequest) -> Reply | CallFailure:
        """The answer of the model. Raises nothing but cancellation."""
