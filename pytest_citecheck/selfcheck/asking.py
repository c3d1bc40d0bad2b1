"""Asks a model about a reference until its answers agree or there are enough of them, and keeps every answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pytest_citecheck.chat.protocol import CallFailure
from pytest_citecheck.selfcheck.answers import overlap
from pytest_citecheck.selfcheck.call_log import CallLog, LoggedCall, identity
from pytest_citecheck.selfcheck.overlap import pairs
from pytest_citecheck.selfcheck.prompts import Call, overlap_call, question
from pytest_citecheck.selfcheck.scores import MethodScore, agree, score
from pytest_citecheck.selfcheck.subject import DIRECT, Method, Options, Subject

if TYPE_CHECKING:
    from pytest_citecheck.chat.endpoint import Endpoint
    from pytest_citecheck.chat.protocol import ChatModel, Reply

__all__ = ["AskedModel", "ModelCallError", "NotAnsweredError", "score_of"]


class NotAnsweredError(Exception):
    """A call cannot be made in this run: without network, or beyond the budget. The text says why."""


class ModelCallError(Exception):
    """The provider failed; the text says how."""


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
            raise NotAnsweredError(f"this answer of {name} is not in {self.log.path.name}, and no model is called")
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
        calls = [
            question(subject, method, number, options, api=self.endpoint.api, configured=self.endpoint.parameters)
            for number in range(most)
        ]
        found = await self._answers(calls[:first])
        if not agree(method, found, options):
            found += await self._answers(calls[first:])
        return tuple(found)

    async def judged(self, subject: Subject, answers: Sequence[str | None], options: Options) -> MethodScore:
        """The score of ``iq`` by the engine ``lm``: the model says how much each pair of answers agrees."""
        wanted = [(a, b) for a, b in pairs(len(answers)) if answers[a] is not None and answers[b] is not None]
        calls = [
            overlap_call(
                subject.key,
                (a, b),
                answers[a] or "",
                answers[b] or "",
                options,
                api=self.endpoint.api,
                configured=self.endpoint.parameters,
            )
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
