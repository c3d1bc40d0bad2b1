"""What is asked of a model about a pair, and what becomes of its answer."""

from __future__ import annotations

import datetime
import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from pytest_citecheck import __version__
from pytest_citecheck.arena.answer_log import LoggedAnswer, ModelAnswer
from pytest_citecheck.chat.configuration.endpoints import EndpointOptions
from pytest_citecheck.claims.answers import Judgement, judgement
from pytest_citecheck.claims.judges.cascades import NOT_ASKED
from pytest_citecheck.claims.judges.prompts import Prompt, token_for, user_prompt
from pytest_citecheck.claims.pairs import ClaimPair, content_hash
from pytest_citecheck.claims.quotes import match_quote
from pytest_citecheck.claims.results import ResultRow
from pytest_citecheck.claims.safety import instructions
from pytest_citecheck.claims.verdicts import PARSE_ERROR

__all__ = ["ClaimCell", "cells_of", "row_of", "row_of_judgement"]

_TOKENS_OF_VERDICT = 200  # the JSON with a comment and a quote


@dataclass(frozen=True, slots=True)
class ClaimCell:
    """A pair for one model. prompt: the system prompt; fingerprint: of all that the answer depends on."""

    endpoint: EndpointOptions
    pair: ClaimPair
    prompt: Prompt = field(repr=False)
    fingerprint: str

    @property
    def key(self) -> tuple[str, str]:
        """What identifies an answer to it."""
        return self.endpoint.name, self.fingerprint

    @property
    def question(self) -> str:
        """What the user says."""
        return user_prompt(self.pair)

    @property
    def spoken(self) -> str:
        """All that the model is told."""
        return f"{self.prompt.text}\n{self.question}"

    @property
    def expected(self) -> int:
        """The tokens that the answer has, roughly."""
        return _TOKENS_OF_VERDICT

    def described(self) -> dict[str, Any]:
        """The cell in the file of answers."""
        prompt = hashlib.sha256(self.prompt.text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        parameters = self.endpoint.parameters
        return {
            "model": self.endpoint.name,
            "claim": self.pair.id,
            "file": self.pair.path,
            "asked": self.endpoint.model,
            "prompt": prompt,
            "prompt_source": self.prompt.source,
            **({"prompt_date": self.prompt.date} if self.prompt.date else {}),
            "pair": content_hash(self.pair)[:16],
            "labels": self.pair.version,
            "citecheck": __version__,
            "run_at": datetime.datetime.now(tz=datetime.UTC).isoformat(timespec="seconds"),
            **({"temperature": parameters["temperature"]} if "temperature" in parameters else {}),
        }


def cells_of(endpoints: Iterable[EndpointOptions], pairs: Iterable[ClaimPair], prompt: Prompt) -> list[ClaimCell]:
    """All cells of pairs that can be judged, pair by pair. prompt: of models whose configuration has none of its own."""
    endpoints = list(endpoints)
    cells = []
    for pair in pairs:
        if pair.runs and pair.source.strip():  # of a group without any text nothing is to be asked
            question = user_prompt(pair)
            cells += [_cell(endpoint, pair, _prompt_of(endpoint, prompt), question) for endpoint in endpoints]
    return cells


def _prompt_of(endpoint: EndpointOptions, prompt: Prompt) -> Prompt:
    return Prompt(endpoint.system_prompt, "endpoint") if endpoint.system_prompt else prompt


def _cell(endpoint: EndpointOptions, pair: ClaimPair, prompt: Prompt, question: str) -> ClaimCell:
    said = {"model": endpoint.model, "prompt": prompt.text, "parameters": endpoint.parameters, "question": question}
    text = json.dumps(said, sort_keys=True, ensure_ascii=True, default=str)
    return ClaimCell(endpoint, pair, prompt, hashlib.sha256(text.encode()).hexdigest()[:16])


def row_of(pair: ClaimPair, provider: str, model: str, logged: ModelAnswer | LoggedAnswer | None) -> ResultRow:
    """What a model answered about a pair, read anew from its text. logged: None if it was not asked."""
    if logged is None:
        return ResultRow(pair.id, provider, model, truth=pair.truth or "", error=NOT_ASKED)
    answer = logged.answer if isinstance(logged, LoggedAnswer) else logged
    if answer.text is None:
        error = f"{answer.failure}: {answer.detail}" if answer.detail else answer.failure
        row = ResultRow(pair.id, provider, model, truth=pair.truth or "", verdict="ERROR", error=error or "failed")
    else:
        said = judgement(answer.text)
        row = row_of_judgement(pair, provider, model, said)
        whole = row.verdict != PARSE_ERROR and "recovered" not in row.flags
        if whole and token_for(pair) not in answer.text:
            row = replace(row, flags=(*row.flags, "canary"))
        if not answer.text.strip() and answer.finish == "length":
            row = replace(row, comments="the answer is empty: the limit of tokens was spent on reasoning")
    return replace(
        row,
        latency=round(1000 * answer.seconds),
        tokens_in=answer.prompt_tokens,
        tokens_out=answer.completion_tokens,
        cost=answer.cost,
    )


def row_of_judgement(pair: ClaimPair, provider: str, model: str, said: Judgement) -> ResultRow:
    """The row of a judgement, with its quote looked up in the source."""
    found = match_quote(said.quote, pair.source)
    flags = said.flags
    if "instructions" not in flags and instructions(pair.source):
        flags = (*flags, "instructions")
    return ResultRow(
        pair.id,
        provider,
        model,
        truth=pair.truth or "",
        verdict=said.verdict or PARSE_ERROR,
        confidence=said.confidence,
        comments=said.comments,
        reason_type=said.reason_type,
        quote=said.quote,
        verified=found.verified,
        quote_status=found.status,
        quote_verified=found.is_verified,
        flags=flags,
    )
