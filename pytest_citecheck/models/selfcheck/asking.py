"""Asks a model about a reference until its answers agree or there are enough of them, and keeps every answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path, PurePosixPath
from types import UnionType
from typing import TYPE_CHECKING, Any, cast

from pytest_citecheck.atomic_write import append_line, whole_lines
from pytest_citecheck.models.chat import CallFailure
from pytest_citecheck.models.selfcheck.prompts import Call, Method, Options, Subject, overlap, overlap_call, question
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


_KINDS: Mapping[str, UnionType | type] = {
    **dict.fromkeys(("key", "method", "provider", "model", "served", "prompt_hash"), str),
    **dict.fromkeys(("prompt_tokens", "completion_tokens"), int | None),
    "answer": str | None,
    "cost": int | float | None,
    "sample": int,
}


def _parsed(line: bytes) -> LoggedCall | None:
    """The call of a line; None for an invalid one."""
    try:
        value = json.loads(line)
        values = {field.name: value[field.name] for field in fields(LoggedCall)}
        if values["pair"] is not None:
            values["pair"] = int(values["pair"][0]), int(values["pair"][1])
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        return None
    return LoggedCall(**values) if all(isinstance(values[name], kind) for name, kind in _KINDS.items()) else None


class NotAnsweredError(Exception):
    """A call is impossible in this run: no network, or no budget. The text has the reason."""


class ModelCallError(Exception):
    """The provider failed; the text has the details."""


_UNMADE = frozenset({"budget", "deadline", "offline", "not-recorded"})


@dataclass(slots=True)
class AskedModel:
    """A model with the file of its calls. now: the time as ISO 8601."""

    endpoint: Endpoint
    log: CallLog
    chat: ChatModel
    now: Callable[[], str]

    async def answer(self, call: Call) -> str | None:
        """The answer to one call; None if the provider filtered it. Raises NotAnsweredError, ModelCallError and OSError."""
        name, model = self.endpoint.name, self.endpoint.model
        known = self.log.known.get(identity(call, name, model))
        if known is not None:
            return known.answer
        said = await self.chat.ask(call.request)
        if isinstance(said, CallFailure):
            error = NotAnsweredError if said.reason in _UNMADE else ModelCallError
            raise error(f"{name}: {said.reason}: {said.detail}")
        logged = _logged(call, self.endpoint, said, self.now())
        self.log.add(logged)
        return logged.answer

    async def _answers(self, calls: Sequence[Call]) -> list[str | None]:
        """The answers to several calls at once."""
        found = await asyncio.gather(*map(self.answer, calls), return_exceptions=True)
        for answer in found:
            if isinstance(answer, BaseException):
                raise answer
        return cast("list[str | None]", found)

    async def samples(self, subject: Subject, method: Method, options: Options) -> tuple[str | None, ...]:
        """The answers of one method. Raises NotAnsweredError, ModelCallError and OSError."""
        first, most = options.counts(method)
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
            f"overlap of answers {a + 1} and {b + 1} counts as 0: {share}"
            for (a, b), share in read.items()
            if isinstance(share, str)
        )
        shares = {pair: 0.0 if isinstance(share, str) else share for pair, share in read.items()}
        result = score("iq", subject, answers, options, shares)
        return replace(result, notes=(*result.notes, *notes))


async def score_of(model: AskedModel, subject: Subject, method: Method, options: Options) -> MethodScore:
    """The score of one method for one reference. Raises NotAnsweredError, ModelCallError and OSError."""
    answers = await model.samples(subject, method, options)
    if options.engine == "lm" and method == "iq":
        return await model.judged(subject, answers, options)
    return score(method, subject, answers, options)


def _logged(call: Call, endpoint: Endpoint, said: Reply, time: str) -> LoggedCall:
    of_call = ("key", "method", "sample", "pair", "temperature", "token_limit", "prompt_hash")
    values: dict[str, Any] = {name: getattr(call, name) for name in of_call}
    return LoggedCall(
        **values,
        provider=endpoint.name,
        model=endpoint.model,
        served=said.model,
        answer=None if said.finish_reason == "content_filter" else said.content,
        finish=said.finish_reason,
        prompt_tokens=said.prompt_tokens,
        completion_tokens=said.completion_tokens,
        cost=said.cost,
        time=time,
    )
