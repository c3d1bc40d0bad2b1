"""Ordered tables of rules: the first rule that applies decides.

A table ends with a rule that always applies. ``python -m benchmarks.rules`` counts how often each rule decides, and a rule that
decides nothing is deleted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

Facts = TypeVar("Facts")


@dataclass(frozen=True, slots=True)
class Rule(Generic[Facts]):
    """A row. name: stable id. sentence: a format string over the facts (``{0.source}``). gives: the result, if it is
    not the sentence."""

    name: str
    applies: Callable[[Facts], object]
    sentence: str = ""
    gives: Any = ""

    def said(self, facts: Facts) -> str:
        """The sentence about these facts."""
        return self.sentence.format(facts)


class Table(Generic[Facts]):
    """Rules in their order. page: the page below docs/ that lists them."""

    def __init__(self, name: str, page: str, *rules: Rule[Facts]) -> None:
        self.name, self.page, self.rules = name, page, rules
        self.module = rules[0].applies.__module__
        TABLES[name] = self

    def deciding(self, facts: Facts) -> Rule[Facts]:
        """The first rule that applies."""
        rule = next(rule for rule in self.rules if rule.applies(facts))
        for decisions in _TRACES:
            decisions[self, rule.name] = None
        return rule


TABLES: dict[str, Table[Any]] = {}
"""All tables of the modules imported so far, by their names."""


_TRACES: list[dict[tuple[Table[Any], str], None]] = []


@contextmanager
def traced() -> Iterator[dict[tuple[Table[Any], str], None]]:
    """The rows that decide within the block: tables with the names of their rules, each once, in order."""
    _TRACES.append({})
    try:
        yield _TRACES[-1]
    finally:
        _TRACES.pop()


def always(_facts: object) -> bool:
    """The condition of the last rule."""
    return True
