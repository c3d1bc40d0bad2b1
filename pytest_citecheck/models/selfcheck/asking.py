"""Asks a model about a reference until its answers agree or there are enough of them, and keeps every answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from pytest_citecheck.atomic_write import append_line, whole_lines
from pytest_citecheck.models.chat import CallFailure
from pytest_citecheck.models.selfcheck.prompts import (
    DIRECT,
    Call,
    Method,
    Options,
    Subject,
    overlap,
    overlap_call,
    question,
)
from pytest_citecheck.models.selfcheck.scores import MethodScore, agree, pairs, score

if TYPE_CHECKING:
    from pytest_citecheck.models.chat import ChatModel, Endpoint, Reply

# The file of calls, one line for each: an interrupted run can resume, and a run can be repeated without network and
# key.
Identity = tuple[str, str, int, tuple[int, int] | None, str, str, str]


@dataclass(frozen=True, slots=True)
class LoggedCall:
    """One line. provider: the endpoint of the configuration. answer: None if the provider filtered it.

    model: the requested one; served: the one that answered, according to the provider.
    """

    key: str
    method: str
    sample: int
    pair: tuple[int, int] | None
    provider: str
    model: str
    served: str
    temperature: float | None
    token_limit: int | None
    prompt_hash: str
    answer: str | None
    finish: str
    prompt_tokens: int | None
    completion_tokens: int | None
    cost: float | None
    time: str

    @property
    def identity(self) -> Identity:
        """Identity of the call."""
        return self.key, self.method, self.sample, self.pair, self.provider, self.model, self.prompt_hash


def call_key(reference_id: str) -> str:
    """The key of a reference in the file of calls: its id without the folder, which differs between machines."""
    file, _, rest = reference_id.partition("::")
    return f"{PurePosixPath(file).name}::{rest}"


def identity(call: Call, provider: str, model: str) -> Identity:
    """Identity of a call to a model."""
    return call.key, call.method, call.sample, call.pair, provider, model, call.prompt_hash


class CallLog:
    """The calls in a file. Raises OSError."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.known: dict[Identity, LoggedCall] = {}
        for line in whole_lines(path):
            logged = _parsed(line)
            if logged is not None:
                self.known.setdefault(logged.identity, logged)

    def add(self, logged: LoggedCall) -> None:
        """Append a call. Raises OSError."""
        append_line(self.path, json.dumps(asdict(logged), ensure_ascii=False).encode("utf-8", "replace"))
        self.known[logged.identity] = logged


_NAMES = tuple(field.name for field in fields(LoggedCall))


def _parsed(line: bytes) -> LoggedCall | None:
    """The call of a line; None for an invalid one."""
    try:
        value = json.loads(line)
        pair = value["pair"]
        values = {name: value[name] for name in _NAMES}
        values["pair"] = None if pair is None else (int(pair[0]), int(pair[1]))
        logged = LoggedCall(**values)
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        return None
    texts = (logged.key, logged.method, logged.provider, logged.model, logged.served, logged.prompt_hash)
    counts = (logged.prompt_tokens, logged.completion_tokens)
    fits = (
        all(isinstance(text, str) for text in texts)
        and all(isinstance(count, int | None) for count in counts)
        and isinstance(logged.answer, str | None)
        and isinstance(logged.cost, int | float | None)
        and isinstance(logged.sample, int)
    )
    return logged if fits else None


class NotAnsweredError(Exception):
    """A call is impossible in this run: no network, or no budget. The text has the reason."""


class ModelCallError(Exception):
    """The provider failed; the text has the details."""


_UNMADE = frozenset({"budget", "deadline", "offline", "not-recorded"})


@dataclass(slots=True)
class AskedModel:
    """A model with the file of its calls. chat: None to take answers from the file alone. now: the time as ISO 8601."""

    endpoint: Endpoint
    log: CallLog
    chat: ChatModel | None
    now: Callable[[], str]
    calls: int = field(default=0, init=False)

    async def answer(self, call: Call) -> str | None:
        """The answer to one call; None if the provider filtered it. Raises NotAnsweredError, ModelCallError and OSError."""
        name, model = self.endpoint.name, self.endpoint.model
        known = self.log.known.get(identity(call, name, model))
        if known is not None:
            return known.answer
        if self.chat is None:
            raise NotAnsweredError(
                f"this answer of {name} is not in {self.log.path.name}, and model calls are disabled"
            )
        said = await self.chat.ask(call.request)
        if isinstance(said, CallFailure):
            error = NotAnsweredError if said.reason in _UNMADE else ModelCallError
            raise error(f"{name}: {said.reason}: {said.detail}")
        self.calls += 1
        logged = _logged(call, self.endpoint, said, self.now())
        self.log.add(logged)
        return logged.answer

    async def _answers(self, calls: Sequence[Call]) -> list[str | None]:
        """The answers to several calls at once."""
        found = await asyncio.gather(*map(self.answer, calls), return_exceptions=True)
        for one in found:
            if isinstance(one, BaseException):
                raise one
        return [one for one in found if not isinstance(one, BaseException)]

    async def samples(self, subject: Subject, method: Method, options: Options) -> tuple[str | None, ...]:
        """The answers of one method. Raises NotAnsweredError, ModelCallError and OSError."""
        most = options.direct if method in DIRECT else options.indirect
        first = most
        if options.agree_after is not None:
            first = min(most, options.agree_after if method in DIRECT else 2)
        calls = [question(subject, method, number, options, self.endpoint) for number in range(most)]
        found = await self._answers(calls[:first])
        if not agree(method, found, options):
            found += await self._answers(calls[first:])
        return tuple(found)

    async def judged(self, subject: Subject, answers: Sequence[str | None], options: Options) -> MethodScore:
        """The score of ``iq`` by the engine ``lm``: the model rates the agreement of each pair of answers."""
        wanted = [(a, b) for a, b in pairs(len(answers)) if answers[a] is not None and answers[b] is not None]
        calls = [
            overlap_call(subject.key, (a, b), (answers[a] or "", answers[b] or ""), options, self.endpoint)
            for a, b in wanted
        ]
        said = await self._answers(calls)
        read = {pair: overlap(text or "") for pair, text in zip(wanted, said, strict=True)}
        notes = tuple(
            f"overlap of answers {a + 1} and {b + 1} counts as 0: {one.reason}"
            for (a, b), one in read.items()
            if one.value is None
        )
        result = score("iq", subject, answers, options, {pair: one.value or 0.0 for pair, one in read.items()})
        return replace(result, notes=(*result.notes, *notes))


async def score_of(model: AskedModel, subject: Subject, method: Method, options: Options) -> MethodScore:
    """The score of one method for one reference. Raises NotAnsweredError, ModelCallError and OSError."""
    answers = await model.samples(subject, method, options)
    if options.engine == "lm" and method == "iq":
        return await model.judged(subject, answers, options)
    return score(method, subject, answers, options)


def _logged(call: Call, endpoint: Endpoint, said: Reply, time: str) -> LoggedCall:
    filtered = said.finish_reason == "content_filter"
    return LoggedCall(
        key=call.key,
        method=call.method,
        sample=call.sample,
        pair=call.pair,
        provider=endpoint.name,
        model=endpoint.model,
        served=said.model,
        temperature=call.temperature,
        token_limit=call.token_limit,
        prompt_hash=call.prompt_hash,
        answer=None if filtered else said.content,
        finish=said.finish_reason,
        prompt_tokens=said.prompt_tokens,
        completion_tokens=said.completion_tokens,
        cost=said.cost,
        time=time,
    )
