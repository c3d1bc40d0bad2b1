"""Requests the missing answers from the models of an arena, and stores each as it arrives."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from pytest_citecheck.atomic_write import append_line, whole_lines
from pytest_citecheck.inputs import AnswerGroup
from pytest_citecheck.models import ModelAnswer, fingerprint, one_answer
from pytest_citecheck.models.arena.configuration import ArenaQuery, system_prompt
from pytest_citecheck.models.chat import CallFailure, ChatModel, ChatRequest, Endpoint, Reply, Tool, ToolCall

_TOKENS_OF_REFERENCE = 250  # a BibTeX entry and a sentence


class SelectionError(ValueError):
    """A selection of models or queries that selects nothing; the text lists the valid ones."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One answer to request. sample: from 1. prompt: the system prompt. fingerprint: of all that the answer depends on."""

    endpoint: Endpoint
    query: ArenaQuery
    sample: int
    prompt: str = field(repr=False)
    fingerprint: str

    @property
    def key(self) -> tuple[str, str]:
        """Key of an answer to this request."""
        return self.endpoint.name, self.fingerprint

    @property
    def spoken(self) -> str:
        """Messages to the model."""
        return f"{self.prompt}\n{self.query.text}"

    @property
    def expected(self) -> int:
        """The tokens that the answer has, roughly."""
        return _TOKENS_OF_REFERENCE * self.query.num_refs

    def described(self) -> dict[str, Any]:
        """The cell in the file of answers."""
        query = self.query
        return {
            "model": self.endpoint.name,
            "query": query.text,
            **({"id": query.id} if query.id else {}),
            "discipline": query.discipline,
            "num_refs": query.num_refs,
            "language": query.language,
            **({"year_constraint": dict(query.constraint)} if query.constraint else {}),
            **({"tool": True} if self.endpoint.search is not None else {}),
            "served": self.endpoint.model,
        }

    def group(self) -> AnswerGroup:
        """The cell as the reader of answers describes an answer."""
        query = self.query
        return AnswerGroup(
            model=self.endpoint.name,
            query=query.text,
            number=query.number,
            sample=self.sample,
            discipline=query.discipline,
            language=query.language,
            requested=query.num_refs,
            earliest=query.earliest,
            latest=query.latest,
            id=query.id,
            tool=self.endpoint.search is not None,
            served=self.endpoint.model,
        )


def cells_of(endpoints: Iterable[Endpoint], queries: Iterable[ArenaQuery], samples: int = 1) -> list[Cell]:
    """All cells, query by query."""
    endpoints = list(endpoints)
    times: Counter[str] = Counter()
    cells = []
    for query in queries:
        times[query.text] += 1  # a query that occurs twice in a file is answered twice
        for endpoint in endpoints:
            prompt = system_prompt(endpoint, query)
            for sample in range(1, samples + 1):
                mark = _fingerprint(endpoint, prompt, query, sample, times[query.text])
                cells.append(Cell(endpoint, query, sample, prompt, mark))
    return cells


def _fingerprint(endpoint: Endpoint, prompt: str, query: ArenaQuery, sample: int, occurrence: int) -> str:
    """Model, prompt, parameters and query; neither address nor key, and nothing that only the scores depend on."""
    search = endpoint.search
    said = {
        "model": endpoint.model,
        "prompt": prompt,
        "parameters": endpoint.parameters,
        "query": query.text,
        "sample": [sample, occurrence],
        "tools": [endpoint.iterations, search.depth, search.provider] if search is not None else None,
    }
    return fingerprint(said)[:16]


def selected_models(endpoints: Sequence[Endpoint], patterns: Sequence[str]) -> tuple[Endpoint, ...]:
    """The endpoints whose name matches one of the shell patterns; all without a pattern. Raises SelectionError."""
    names = [endpoint.name for endpoint in endpoints]
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise SelectionError(f"unknown model {pattern!r}; known are {', '.join(names)}")
    chosen = {name for name in names if not patterns or any(fnmatchcase(name, pattern) for pattern in patterns)}
    return tuple(endpoint for endpoint in endpoints if endpoint.name in chosen)


def selected_queries(queries: Sequence[ArenaQuery], parts: Sequence[str]) -> tuple[ArenaQuery, ...]:
    """The queries of these numbers (``3``), ranges (``2-5``), ids or disciplines; all without a part. Raises SelectionError."""
    chosen: set[int] = set()
    for part in parts:
        low, dash, high = part.partition("-")
        if low.isdecimal() and (high.isdecimal() or not dash):
            span = range(int(low), int(high or low) + 1)
            found = {query.number for query in queries if query.number in span}
        else:
            found = {query.number for query in queries if part in (query.id, query.discipline)}
        if not found:
            raise SelectionError(f"unknown query {part!r}: use numbers, ranges such as 2-5, ids or disciplines")
        chosen |= found
    return tuple(query for query in queries if not parts or query.number in chosen)


async def bare_answer(model: ChatModel, cell: Cell) -> ModelAnswer:
    """The answer to a cell in one call, without a tool."""
    return await one_answer(model, cell.prompt, cell.query.text, cell.sample - 1)


class ConversationLog:
    """A file with a line for each reply of a model, and each result of a tool, in a conversation. Raises OSError.

    known: earlier messages by their keys.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.known: dict[str, Any] = {}
        for line in whole_lines(path):
            # The answer of a truncated or invalid line is requested again.
            with contextlib.suppress(ValueError, KeyError, TypeError, RecursionError):
                value = json.loads(line)
                self.known[value["key"]] = value["said"]

    def keep(self, key: str, said: Any) -> None:
        """Write it down with one call of the system. Raises OSError."""
        self.known[key] = said
        append_line(self._path, json.dumps({"key": key, "said": said}, ensure_ascii=False).encode("utf-8", "replace"))

    def forget(self) -> None:
        """Remove the file: all conversations have ended."""
        self.known.clear()
        self._path.unlink(missing_ok=True)

    def model(self, model: ChatModel, cell: Cell) -> ChatModel:
        """The model of a cell, which repeats its earlier messages."""
        return _Model(model, cell, self)

    def tool(self, tool: Tool, cell: Cell) -> Tool:
        """A tool in the conversation of a cell, which repeats its earlier results."""

        async def run(arguments: Mapping[str, Any]) -> str:
            key = _key(cell, tool.spec.name, dict(arguments))
            known = self.known.get(key)
            if isinstance(known, str):
                return known
            result = await tool.run(arguments)
            self.keep(key, result)
            return result

        return replace(tool, run=run)


@dataclass(frozen=True, slots=True)
class _Model:
    behind: ChatModel
    cell: Cell
    kept: ConversationLog

    @property
    def name(self) -> str:
        return self.behind.name

    async def ask(self, request: ChatRequest) -> Reply | CallFailure:
        key = _key(self.cell, "", [asdict(message) for message in request.messages], bool(request.tools))
        known = _reply(self.kept.known.get(key))
        if known is not None:
            return known
        said = await self.behind.ask(request)
        if isinstance(said, Reply) and not said.replayed:
            self.kept.keep(key, asdict(said))
        return said


def _key(cell: Cell, *parts: object) -> str:
    return fingerprint([*cell.key, *parts])[:32]


def _reply(said: Any) -> Reply | None:
    """The reply that was written down; None if it is not one."""
    if not isinstance(said, dict):
        return None
    try:
        return Reply(**{**said, "tool_calls": tuple(ToolCall(**call) for call in said["tool_calls"])})
    except (KeyError, TypeError):
        return None
