"""Calls one endpoint: within its limits, with retries, and until it makes no sense any more."""

from __future__ import annotations

import contextlib
import hashlib
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from pytest_citecheck.matching import lazy_pattern
from pytest_citecheck.models.chat.dialects import DIALECTS
from pytest_citecheck.models.chat.dialects.base import answer_limit
from pytest_citecheck.models.chat.endpoint import CallFailure, ChatRequest, Reply, read_refusal
from pytest_citecheck.models.chat.spending import LARGEST_ANSWER, NOTHING, Amount, Booking, bound
from pytest_citecheck.net import (
    Cassette,
    Clock,
    ExchangeError,
    Exchanger,
    Interaction,
    Pacer,
    RawResponse,
    Sleep,
    UnsearchableError,
    backoff,
    retry_after,
)
from pytest_citecheck.sources import LARGEST_BODY, MalformedAnswerError, Rate, Request

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_citecheck.models.chat.dialects.base import Dialect, Post
    from pytest_citecheck.models.chat.endpoint import Endpoint
    from pytest_citecheck.models.chat.spending import Prices, Spending
    from pytest_citecheck.net import Deadline, Scrubber

LONGEST_WAIT = 60.0
"""The most seconds of a Retry-After that are waited for, and the longest pause between two attempts."""

_FIRST_PAUSE = 2.0
_RETRIED_STATUSES = frozenset({408, 409, 425, 429})
_RETRIED_REASONS = frozenset({"timeout", "connection", "dns"})
_STOPPING_STATUSES = frozenset({401, 402, 403})
_LONGEST_DETAIL = 300

# Calls in a row without any response after which an endpoint counts as dead: 100 queries to a server that swallows everything
# would otherwise take two hours of time-outs. Twice the calls under way, if that is more: those may share one bad moment.
_SILENT_CALLS, _SILENT_IN_A_ROW = 10, "calls in a row without a response"

# Answers in a row that came too late or could not be read, after which an endpoint counts as useless: each may have been billed.
_USELESS_ANSWERS, _USELESS_IN_A_ROW = 10, "late or unreadable answers in a row"
_USELESS = frozenset({"timeout", "malformed", "too-large"})

# Providers do not bill for these refusals. Other refusals may come after the work: Azure bills for filtered prompts
# (400), and a gateway timeout (408, 500, 502, 504) does not show the state of the server.
_UNBILLED_STATUSES = frozenset({400, 401, 402, 403, 404, 405, 409, 413, 415, 422, 425, 429, 503, 529})
_UNSENT_REASONS = frozenset({"dns", "tls"})

_REQUEST_ID = "x-client-request-id"


@dataclass(frozen=True, slots=True)
class Collaborators:
    """Objects that the endpoints of one run share; ``jitter`` is drawn evenly from 0 to 1."""

    deadline: Deadline
    scrubber: Scrubber
    spending: Spending
    prices: Prices
    on_answer: Callable[[], object]
    clock: Clock
    sleep: Sleep
    now: Clock
    jitter: Callable[[], float]


@dataclass(frozen=True, slots=True)
class _Failed:
    """A failed attempt. again: another one may succeed. wait: seconds that the endpoint requests. stop: all others will
    fail too."""

    reason: str
    detail: str
    again: bool = False
    wait: float | None = None
    stop: bool = False


@dataclass(slots=True)
class _Course:
    """The progress of a call. post: the request as sent. answer: tokens of the largest answer. id: the same in every run."""

    post: Post
    answer: int
    id: str
    attempts: int = 0
    start: float = math.nan


@dataclass(slots=True, eq=False, repr=False)
class CalledModel:
    """The `ChatModel` of one endpoint.

    recordings: None without cassettes. unsent: result of a call that is not allowed to be sent; None if calls are sent.
    stopped: why the endpoint is no longer called in this run; None if it is.
    """

    endpoint: Endpoint
    exchanger: Exchanger
    recordings: Recordings | None
    shared: Collaborators
    unsent: CallFailure | None
    stopped: CallFailure | None = field(default=None, init=False)
    _pacer: Pacer = field(init=False)
    _in_a_row: Counter[str] = field(default_factory=Counter, init=False)
    _limited: int = field(default=0, init=False)
    _longest: int = field(default=0, init=False)  # tokens: some providers do not count reasoning for the limit

    def __post_init__(self) -> None:
        rate = Rate(self.endpoint.rate or math.inf, self.endpoint.concurrency)
        self._pacer = Pacer(rate, self.shared.clock, self.shared.sleep)

    @property
    def _dialect(self) -> Dialect:
        return DIALECTS[self.endpoint.api]

    @property
    def name(self) -> str:
        """The name of the endpoint in the configuration."""
        return self.endpoint.name

    async def ask(self, request: ChatRequest) -> Reply | CallFailure:
        """The answer of the model. Raises nothing but cancellation."""
        try:
            post = self._dialect.post(self.endpoint, request)
        except (TypeError, ValueError, RecursionError) as error:
            return CallFailure("request", f"the call cannot be written: {self._shown(str(error))}", 0)
        body = self.recordings.find(post, request.sample) if self.recordings is not None else None
        if body is not None:
            return self._replayed(body)
        if self.unsent is not None:
            return self.unsent
        course = self._course(request, post)
        try:
            async with self.shared.deadline.limit():
                outcome = await self._persist(request, post, course)
        except TimeoutError:
            outcome = _Failed("deadline", "the time for all calls is over")
        seconds = 0.0 if math.isnan(course.start) else self.shared.clock() - course.start
        if isinstance(outcome, _Failed):
            if outcome.reason in _RETRIED_REASONS:
                most = max(_SILENT_CALLS, 2 * self.endpoint.concurrency)
                self._heed(outcome, _SILENT_IN_A_ROW, most)
            return CallFailure(outcome.reason, outcome.detail, course.attempts, seconds)
        return replace(outcome, attempts=course.attempts, seconds=seconds)

    def _course(self, request: ChatRequest, post: Post) -> _Course:
        """A call with its id, and with a limit for its answer if the budget needs one."""
        # The id identifies the content of the call, so that the provider's log shows a call that is repeated after a
        # kill.
        said = f"{self.name}\n{request.sample}\n".encode() + post.body
        request_id = f"citecheck-{hashlib.sha256(said).hexdigest()[:24]}"
        limits, price = self.shared.spending.limits, self.shared.prices.of(self.endpoint)
        answer = answer_limit(self.endpoint, request)
        if answer is None:
            answer = LARGEST_ANSWER
            if limits.tokens is not None or (limits.dollars is not None and price is not None and price.output):
                post = self._dialect.post(self.endpoint, self._limited_to(answer, request))
        return _Course(replace(post, headers={**post.headers, _REQUEST_ID: request_id}), answer, request_id)

    def _limited_to(self, tokens: int, request: ChatRequest) -> ChatRequest:
        """The same call with a limit for its answer."""
        name = self._dialect.limit
        if self.endpoint.api == "openai" and urlsplit(self.endpoint.base_url).hostname == "api.openai.com":
            name = "max_completion_tokens"  # its reasoning models refuse the older name
        return replace(request, parameters={**request.parameters, name: tokens})

    async def _persist(self, request: ChatRequest, post: Post, course: _Course) -> Reply | _Failed:
        while True:
            outcome = await self._in_turn(request, post, course)
            if isinstance(outcome, Reply):
                return outcome
            if not outcome.again or course.attempts >= self.endpoint.attempts:
                return outcome
            await self._wait(outcome, course.attempts)

    async def _in_turn(self, request: ChatRequest, post: Post, course: _Course) -> Reply | _Failed:
        """One attempt, when there is room for it."""
        if not await self._pacer.enter():
            return self._turned_away()
        try:
            if await self._pacer.turn() is None:
                return self._turned_away()
            booking = await self._booked(course)
            if isinstance(booking, _Failed):
                return booking
            try:
                if course.attempts == 0:
                    course.start = self.shared.clock()
                course.attempts += 1
                outcome = await self._try(request, post, course, booking)
            finally:
                self.shared.spending.close(booking)
        finally:
            self._pacer.leave()
        if isinstance(outcome, _Failed) and outcome.stop:
            self._stop(outcome.reason, outcome.detail)
        if isinstance(outcome, Reply):
            self._in_a_row[_USELESS_IN_A_ROW] = 0
        elif outcome.reason in _USELESS:
            self._heed(outcome, _USELESS_IN_A_ROW, _USELESS_ANSWERS)
        return outcome

    async def _booked(self, course: _Course) -> Booking | _Failed:
        """Room in the budget for one request."""
        price = self.shared.prices.of(self.endpoint)
        most = bound(course.post.body, max(course.answer, self._longest), price)
        if most is None:
            if self.shared.spending.limits.dollars is not None:
                return _Failed("budget", f"the price of {self.endpoint.model} is unknown for a prompt of this length")
            most = Amount(1, len(course.post.body) + course.answer)
        booking = await self.shared.spending.reserve(most, self.name, course.id)
        if isinstance(booking, str):
            return _Failed("budget", booking)
        if self.stopped is not None:  # while the call waited for room
            booking.billed = NOTHING
            self.shared.spending.close(booking)
            return self._turned_away()
        return booking

    def _stop(self, reason: str, detail: str) -> None:
        if self.stopped is None:
            self.stopped = CallFailure(reason, detail, 0)
            self._pacer.close()

    def _heed(self, failed: _Failed, what: str, most: int) -> None:
        """Stop calling an endpoint after this many failures of a kind."""
        self._in_a_row[what] += 1
        if self._in_a_row[what] >= most:
            self._stop(failed.reason, f"{self._in_a_row[what]} {what}, the last: {failed.detail}")

    def _turned_away(self) -> _Failed:
        cause = self.stopped
        return _Failed(cause.reason, cause.detail, stop=True) if cause else _Failed("connection", "the run has ended")

    async def _wait(self, failed: _Failed, attempts: int) -> None:
        limited = failed.reason == "http-429"
        seconds = backoff(attempts, self.shared.jitter(), _FIRST_PAUSE, LONGEST_WAIT)
        if failed.wait is not None:
            seconds = min(failed.wait, LONGEST_WAIT)
            # A single call may exceed a limit that others do not; a second one shows that all do.
            if limited and self._limited:
                self._pacer.hold(seconds)
        self._limited += limited
        try:
            await self._pacer.pause(seconds)
        finally:
            self._limited -= limited

    async def _try(self, request: ChatRequest, post: Post, course: _Course, booking: Booking) -> Reply | _Failed:
        """Send one request. The booking gets its bill if known."""
        try:
            raw = await course.post.sent(self.exchanger, self.endpoint.name, LARGEST_BODY)
        except ExchangeError as error:
            if error.reason in _UNSENT_REASONS or error.hopeless:
                booking.billed = NOTHING
            return _Failed(error.reason, self._shown(error.detail), again=error.reason in _RETRIED_REASONS)
        self._in_a_row[_SILENT_IN_A_ROW] = 0
        if not 200 <= raw.status <= 299:
            refused = self._refused(raw, raw.status)
            if raw.status in _UNBILLED_STATUSES and isinstance(refused, _Failed):
                booking.billed = NOTHING
            return refused
        try:
            body = self.shared.scrubber.body(raw.body)
            reply = self._dialect.reply(body)
        except UnsearchableError as error:
            return _Failed("malformed", f"the answer has {error}")
        except MalformedAnswerError as error:
            # Some gateways wrap the failure of the server behind them.
            wrapped = read_refusal(raw.body)
            if wrapped.status is not None:
                return self._refused(raw, wrapped.status)
            return _Failed("malformed", self._shown(f"the answer could not be read: {error} {wrapped.message}"))
        reply = self._priced(reply)
        booking.billed = self._billed(reply)
        if self.recordings is not None:
            self.recordings.record(post, request.sample, raw.status, raw.headers, body)
        self.shared.on_answer()
        return reply

    def _refused(self, raw: RawResponse, status: int) -> Reply | _Failed:
        said = read_refusal(raw.body)
        if said.filtered:
            return Reply("", "content_filter")  # the text does not come from the model
        detail = self._shown(f"HTTP status {status}: {said.message}" if said.message else f"HTTP status {status}")
        if said.quota:
            return _Failed("quota", detail, stop=True)
        again = status in _RETRIED_STATUSES or status >= 500
        stop = status in _STOPPING_STATUSES or said.key
        exact = raw.headers.get("retry-after-ms", "")  # OpenAI's own
        whole = retry_after(raw.headers, self.shared.now())
        wait = int(exact[:9]) / 1000 if exact.isascii() and exact.isdigit() else whole
        return _Failed(f"http-{status}", detail, again and not stop, said.wait if wait is None else wait, stop)

    def _replayed(self, body: bytes) -> Reply | CallFailure:
        try:
            return replace(self._priced(self._dialect.reply(body)), attempts=0, replayed=True)
        except MalformedAnswerError as error:
            return CallFailure("malformed", f"the recorded answer could not be read: {error}", 0)

    def _priced(self, reply: Reply) -> Reply:
        price = self.shared.prices.of(self.endpoint, reply.model)
        if price is None or reply.prompt_tokens is None or reply.completion_tokens is None:
            return reply
        return replace(reply, cost=price.cost(reply.prompt_tokens, reply.completion_tokens))

    def _billed(self, reply: Reply) -> Amount | None:
        """Cost of a reply; None if the endpoint counts no tokens, or no price is known for this number."""
        if reply.prompt_tokens is None or reply.completion_tokens is None:
            return None
        self._longest = max(self._longest, reply.completion_tokens)
        if reply.cost is None and self.shared.prices.of(self.endpoint, reply.model) is not None:
            return None
        return Amount.of_money(reply.cost or 0.0, tokens=reply.prompt_tokens + reply.completion_tokens)

    def _shown(self, text: str) -> str:
        """The text without secrets, and not too long."""
        clean = " ".join(self.shared.scrubber.text(text).split())
        return clean if len(clean) <= _LONGEST_DETAIL else f"{clean[:_LONGEST_DETAIL]}…"


_SAMPLE = "citecheck-sample"
_UNSAFE = lazy_pattern(r"[^A-Za-z0-9_.-]+")


def cassette_name(endpoint: str, kind: str = "model") -> str:
    """The name of the cassette of an endpoint, without suffix; no two endpoints share one. kind: ``model`` or ``search``."""
    safe = _UNSAFE.sub("-", endpoint)[:60]
    # Capital letters need a mark too: some file systems ignore case.
    mark = "" if safe == endpoint.lower() else f"-{hashlib.sha256(endpoint.encode('utf-8', 'replace')).hexdigest()[:8]}"
    return f"{kind}-{safe}{mark}"


class _Calls:
    """Calls of an endpoint as a `Cassette` needs them."""

    def __init__(self, name: str) -> None:
        self.name = name

    def singles(self, request: Request) -> tuple[Request, ...]:
        """The same call without address, under which it is looked for."""
        return (_anywhere(request),)


def _anywhere(request: Request) -> Request:
    """The call without a specific address: its content is in the body and the end of the path, or in the query."""
    parts = urlsplit(request.url)
    sample = parse_qs(parts.query).get(_SAMPLE, ["0"])[-1]
    query = f"{_SAMPLE}={sample}" if request.body else parts.query
    return replace(request, url=f"https://endpoint.invalid/{parts.path.rpartition('/')[2]}?{query}")


class Recordings:
    """A cassette by its name, in a folder. Raises CassetteError if a file is broken.

    fresh: ignore existing recordings.
    """

    def __init__(self, folder: Path, name: str, scrubber: Scrubber, *, fresh: bool) -> None:
        self._cassette = Cassette(folder, _Calls(name), fresh=fresh)
        self._scrubber = scrubber

    @property
    def problem(self) -> str:
        """Return a description of recordings that were edited, or an empty string."""
        return self._cassette.problem

    def find(self, post: Post, sample: int) -> bytes | None:
        """The recorded body that answers this call; None without a complete one."""
        try:
            request = _anywhere(self._request(post, sample))
        except UnsearchableError:
            return None
        found = self._cassette.find(request)
        return None if found is None or found.damaged else found.body

    def record(self, post: Post, sample: int, status: int, headers: Mapping[str, str], body: bytes) -> None:
        """Add a call with its answer, without secrets, unless the format cannot store it."""
        shown = {name: self._scrubber.text(value) for name, value in headers.items()}
        with contextlib.suppress(UnicodeDecodeError, UnsearchableError):
            self._cassette.record(Interaction.of(self._request(post, sample), status, shown, body))

    def save(self) -> None:
        """Write the recordings. Raises CassetteError."""
        self._cassette.save()

    def _request(self, post: Post, sample: int) -> Request:
        """The call as it is stored: without headers and secrets."""
        url = self._scrubber.url(post.url)
        number = f"{'&' if '?' in url else '?'}{_SAMPLE}={sample}" if sample else ""
        return Request(self._cassette.path.stem, f"{url}{number}", body=self._scrubber.body(post.body))
