"""One HTTP server on the loopback interface that plays endpoints of language models: OpenAI, Anthropic and Gemini."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, Self

STATUS_FAULTS: Mapping[str, tuple[int, str, str]] = {
    "400": (400, "invalid_request_error", "Unsupported value: temperature"),
    "400-filter": (400, "content_filter", "The prompt was filtered"),
    "401": (401, "authentication_error", "Incorrect API key provided"),
    "402": (402, "payment_required", "Insufficient Balance"),
    "403": (403, "permission_error", "Country not supported"),
    "404": (404, "not_found_error", "The model does not exist"),
    "408": (408, "timeout_error", "Request timed out"),
    "429": (429, "rate_limit_error", "Rate limit reached"),
    "429-retry-after": (429, "rate_limit_error", "Rate limit reached"),
    "429-milliseconds": (429, "rate_limit_error", "Rate limit reached"),
    "429-quota": (429, "insufficient_quota", "You exceeded your current quota"),
    "500": (500, "server_error", "The server had an error; failed to generate"),
    "529": (529, "overloaded_error", "Overloaded"),
}
FAULTS = (
    *STATUS_FAULTS,
    *("echo-key", "page", "timeout", "drip", "cut", "reset", "huge", "malformed", "no-message", "wrapped-502"),
    *("empty", "null", "filter", "length", "unknown-tool", "endless-tools"),
)
"""The kinds of faults. ``echo-key`` refuses and repeats all headers in its message, ``page`` responds with a web page,
``timeout`` never responds, ``drip`` sends a byte now and then, ``cut`` closes the connection within the body, ``huge`` sends 10
MB, ``wrapped-502`` reports another server's failure with status 200. The last row contains answers as models give them.
"""

RETRY_AFTER = 7
_HUGE = 10_000_000


class Call(NamedTuple):
    """One request. ``body`` is its JSON, ``messages`` its conversation in the form of the API."""

    api: str
    model: str
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def messages(self) -> list[Mapping[str, Any]]:
        return list(self.body.get("messages") or self.body.get("contents") or [])


@dataclass(frozen=True)
class Said:
    """A model's answer: text, tool calls (name and arguments as text), finish reason, and token counts."""

    text: str | None = "Hello."
    tools: tuple[tuple[str, str], ...] = ()
    finish: str = "stop"
    tokens: tuple[int, int] | None = (11, 7)


Script = Callable[[Call], Said | str]


@dataclass
class _Fault:
    kind: str
    left: int | None
    model: str | None


@dataclass
class _Board:
    lock: threading.Lock = field(default_factory=threading.Lock)
    faults: list[_Fault] = field(default_factory=list)

    def due(self, call: Call) -> str:
        with self.lock:
            for fault in self.faults:
                if fault.left == 0 or fault.model not in (None, call.model):
                    continue
                if fault.left is not None:
                    fault.left -= 1
                return fault.kind
        return ""


class ModelEndpoints:
    """The endpoints as a context manager. script: the model's answers; a string is its text. hits: results of each search."""

    def __init__(self, script: Script = lambda _: Said()) -> None:
        self.script = script
        self.hits: list[Mapping[str, object]] = [
            {"title": "A title", "url": "https://example.org", "content": "Words."}
        ]
        self.closing = threading.Event()
        self._board = _Board()
        self._calls: list[Call] = []
        self._lock = threading.Lock()
        self._active = self._most = 0
        self._billed = [0, 0]
        self._server = _Server(("127.0.0.1", 0), self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), name="model-endpoints")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def base_urls(self) -> dict[str, str]:
        """Return the base URL of each API, as users configure it."""
        root = f"http://127.0.0.1:{self._server.server_address[1]}"
        return {api: f"{root}{path}" for api, (path, _) in PLAYED.items()}

    @property
    def search_url(self) -> str:
        """The base URL of a search that answers as Tavily and SearXNG do; faults name it as the model ``search``."""
        return self.base_urls["openai"].removesuffix("/openai/v1")

    @property
    def calls(self) -> list[Call]:
        """All requests so far, in the order in which they came in."""
        with self._lock:
            return list(self._calls)

    @property
    def most_at_once(self) -> int:
        """The most requests that were under way at the same time."""
        return self._most

    def fault(self, kind: str, times: int | None = None, *, model: str | None = None) -> None:
        """Switch a fault on, for all requests or the next ``times``, of all models or one. Raises ValueError."""
        if kind not in FAULTS:
            raise ValueError(f"unknown fault {kind!r}, known are {', '.join(FAULTS)}")
        self._board.faults.append(_Fault(kind, times, model))

    def heal(self) -> None:
        """Switch every fault off."""
        self._board.faults.clear()

    def received(self, call: Call) -> str:
        """Log a request; the fault that is due."""
        with self._lock:
            self._calls.append(call)
        return self._board.due(call)

    @property
    def billed(self) -> tuple[int, int]:
        """Tokens read and written that the provider bills: of every answer, whether or not it arrives whole and in time."""
        with self._lock:
            return self._billed[0], self._billed[1]

    def bill(self, said: Said) -> None:
        with self._lock:
            for place, tokens in enumerate(said.tokens or (0, 0)):
                self._billed[place] += tokens

    def count(self, change: int) -> None:
        with self._lock:
            self._active += change
            self._most = max(self._most, self._active)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    block_on_close = False

    def __init__(self, address: tuple[str, int], endpoints: ModelEndpoints) -> None:
        self.endpoints = endpoints
        super().__init__(address, _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that close the connection."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def do_POST(self) -> None:
        endpoints = self.server.endpoints
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = json.loads(self.rfile.read(int(headers.get("content-length", "0"))) or b"{}")
        api = self.path.split("/")[1].partition("?")[0]
        in_path = self.path.rpartition("/models/")[2].partition(":")[0].partition("?")[0].removeprefix("/")
        call = Call(api, str(body.get("model", in_path)), self.path, headers, body)
        kind = endpoints.received(call)
        endpoints.count(1)
        try:
            self._answer(call, kind)
        finally:
            endpoints.count(-1)

    do_GET = do_POST  # noqa: N815 - the name is that of http.server

    def _answer(self, call: Call, kind: str) -> None:
        if kind in STATUS_FAULTS:
            status, code, message = STATUS_FAULTS[kind]
            extra = {"retry-after": str(RETRY_AFTER)} if kind in ("429-retry-after", "429-milliseconds") else {}
            extra |= {"retry-after-ms": "250"} if kind == "429-milliseconds" else {}
            self._send(status, json.dumps(_error(call.api, status, code, message)).encode(), extra)
        elif kind == "echo-key":
            said = f"not accepted: {json.dumps(dict(call.headers))}"
            self._send(401, json.dumps(_error(call.api, 401, "authentication_error", said)).encode())
        elif kind == "page":
            self._send(200, b"<html><body>Welcome to the network</body></html>", {"content-type": "text/html"})
        elif kind == "wrapped-502":
            self._send(200, json.dumps({"error": {"code": 502, "message": "upstream failed"}}).encode())
        elif kind == "timeout":
            self.server.endpoints.bill(_altered(kind, self.server.endpoints.script(call)))
            self.server.endpoints.closing.wait(30)
            self.close_connection = True
        elif kind == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            self.close_connection = True
        else:
            if call.api == "search":
                whole = json.dumps({"results": self.server.endpoints.hits}).encode()
            else:
                answer = _altered(kind, self.server.endpoints.script(call))
                self.server.endpoints.bill(answer)
                whole = json.dumps(_rendered(call, answer)).encode()
            if kind == "malformed":
                whole = b'{"choices": [{,}'
            elif kind == "no-message":
                whole = b'{"id": 5, "choices": [null], "content": "text", "candidates": [7]}'
            self._send(200, whole, slowly=kind == "drip", cut=kind == "cut")

    def _send(
        self,
        status: int,
        body: bytes,
        headers: Mapping[str, str] | None = None,
        *,
        slowly: bool = False,
        cut: bool = False,
    ) -> None:
        self.send_response_only(status)
        stated = {"content-type": "application/json", "content-length": str(len(body)), **(headers or {})}
        for name, value in {"date": "Sat, 21 Nov 2026 08:00:00 GMT", **stated}.items():
            self.send_header(name, value)
        self.end_headers()
        if cut:
            self.wfile.write(body[: len(body) // 2])
            self.close_connection = True
        elif slowly:
            for byte in body:
                self.wfile.write(bytes((byte,)))
                if self.server.endpoints.closing.wait(0.05):
                    return
        else:
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Print nothing: requests are logged as data."""


def _altered(kind: str, said: Said | str) -> Said:
    if kind == "empty":
        return Said("")
    if kind == "null":
        return Said(None)
    if kind == "filter":
        return Said("", finish="filter")
    if kind == "length":
        return Said("Hel", finish="length")
    if kind == "unknown-tool":
        return Said(None, (("launch_rocket", "{}"),))
    if kind == "endless-tools":
        return Said(None, (("web_search", '{"query": "again"}'),))
    if kind == "huge":
        return Said("x" * _HUGE)
    return Said(said) if isinstance(said, str) else said


def _error(api: str, status: int, code: str, message: str) -> Any:
    if api == "anthropic":
        return {"type": "error", "error": {"type": code, "message": message}}
    if api == "gemini":
        return {"error": {"code": status, "message": message, "status": code.upper()}}
    return {"error": {"message": message, "type": code, "code": code}}


def _rendered(call: Call, said: Said) -> Any:
    return PLAYED[call.api][1](call, said)


def _openai(call: Call, said: Said) -> Any:
    message: dict[str, Any] = {"role": "assistant", "content": said.text}
    if said.tools:
        message["tool_calls"] = [
            {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": arguments}}
            for number, (name, arguments) in enumerate(said.tools)
        ]
    finish = "tool_calls" if said.tools else {"filter": "content_filter"}.get(said.finish, said.finish)
    answer: dict[str, Any] = {
        "object": "chat.completion",
        "model": f"{call.model}-2026",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
    }
    if said.tokens:
        answer["usage"] = {"prompt_tokens": said.tokens[0], "completion_tokens": said.tokens[1]}
    return answer


def _anthropic(call: Call, said: Said) -> Any:
    blocks: list[Any] = [] if said.text is None else [{"type": "text", "text": said.text}]
    blocks += [
        {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": json.loads(arguments)}
        for number, (name, arguments) in enumerate(said.tools)
    ]
    finish = {"stop": "end_turn", "length": "max_tokens", "filter": "refusal"}[said.finish]
    answer: dict[str, Any] = {
        "type": "message",
        "role": "assistant",
        "model": f"{call.model}-2026",
        "content": blocks,
        "stop_reason": "tool_use" if said.tools else finish,
    }
    if said.tokens:
        answer["usage"] = {"input_tokens": said.tokens[0], "output_tokens": said.tokens[1]}
    return answer


def _gemini(call: Call, said: Said) -> Any:
    parts: list[Any] = [] if said.text is None else [{"text": said.text}]
    parts += [{"functionCall": {"name": name, "args": json.loads(arguments)}} for name, arguments in said.tools]
    finish = {"stop": "STOP", "length": "MAX_TOKENS", "filter": "SAFETY"}[said.finish]
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": finish}
    answer: dict[str, Any] = {"candidates": [candidate], "modelVersion": f"{call.model}-2026"}
    if said.tokens:
        answer["usageMetadata"] = {"promptTokenCount": said.tokens[0], "candidatesTokenCount": said.tokens[1]}
    return answer


PLAYED: Mapping[str, tuple[str, Callable[[Call, Said], Any]]] = {
    "openai": ("/openai/v1", _openai),
    "anthropic": ("/anthropic", _anthropic),
    "gemini": ("/gemini", _gemini),
}
"""The APIs that are played, each with its path and the form of its answers."""
