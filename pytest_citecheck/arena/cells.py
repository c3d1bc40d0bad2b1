"""The cells of an arena, which are its answers to ask for: each endpoint with each query, as often as samples are wanted."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from pytest_citecheck.arena.prompts import system_prompt
from pytest_citecheck.arena.queries import Query
from pytest_citecheck.chat.configuration.endpoints import EndpointOptions
from pytest_citecheck.readers.base import AnswerGroup

__all__ = ["Cell", "SelectionError", "cells_of", "selected_models", "selected_queries"]


_TOKENS_OF_REFERENCE = 250  # a BibTeX entry and a sentence


class SelectionError(ValueError):
    """A selection of models or queries that selects nothing; the text says of what there is."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One answer to ask for. sample: from 1. prompt: the system prompt. fingerprint: of all that the answer depends on."""

    endpoint: EndpointOptions
    query: Query
    sample: int
    prompt: str = field(repr=False)
    fingerprint: str

    @property
    def key(self) -> tuple[str, str]:
        """What identifies an answer to it."""
        return self.endpoint.name, self.fingerprint

    @property
    def spoken(self) -> str:
        """All that the model is told."""
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
            **({"tool": True} if self.endpoint.tools.enabled else {}),
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
            tool=self.endpoint.tools.enabled,
            served=self.endpoint.model,
        )


def cells_of(endpoints: Iterable[EndpointOptions], queries: Iterable[Query], samples: int = 1) -> list[Cell]:
    """All cells, query by query."""
    endpoints = list(endpoints)
    times: Counter[str] = Counter()
    cells = []
    for query in queries:
        times[query.text] += 1  # the same query twice in a file is to be answered twice
        for endpoint in endpoints:
            prompt = system_prompt(endpoint, query)
            for sample in range(1, samples + 1):
                mark = _fingerprint(endpoint, prompt, query, sample, times[query.text])
                cells.append(Cell(endpoint, query, sample, prompt, mark))
    return cells


def _fingerprint(endpoint: EndpointOptions, prompt: str, query: Query, sample: int, occurrence: int) -> str:
    """Model, prompt, parameters and query; neither address nor key, and nothing that only the scores depend on."""
    tools = endpoint.tools
    said = {
        "model": endpoint.model,
        "prompt": prompt,
        "parameters": endpoint.parameters,
        "query": query.text,
        "sample": [sample, occurrence],
        "tools": [tools.iterations, tools.search_depth, tools.provider] if tools.enabled else None,
    }
    text = json.dumps(said, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def selected_models(endpoints: Sequence[EndpointOptions], patterns: Sequence[str]) -> tuple[EndpointOptions, ...]:
    """The endpoints whose name matches one of the shell patterns; all without a pattern. Raises SelectionError."""
    for pattern in patterns:
        if not any(fnmatchcase(one.name, pattern) for one in endpoints):
            raise SelectionError(f"no model is named {pattern!r}; there are {', '.join(one.name for one in endpoints)}")
    return tuple(
        one for one in endpoints if not patterns or any(fnmatchcase(one.name, pattern) for pattern in patterns)
    )


def selected_queries(queries: Sequence[Query], parts: Sequence[str]) -> tuple[Query, ...]:
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
            raise SelectionError(f"no query {part!r}: give numbers, ranges such as 2-5, ids or disciplines")
        chosen |= found
    return tuple(query for query in queries if not parts or query.number in chosen)
