"""Ordered tables of rules: the first rule that applies decides.

A table ends with a rule that always applies. ``python -m benchmarks.rules`` counts how often each rule decides, and a rule that
decides nothing is deleted.
"""

from __future__ import annotations

from collections.abc import Callable
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
        TABLES[name] = self

    def deciding(self, facts: Facts) -> Rule[Facts]:
        """The first rule that applies."""
        return next(rule for rule in self.rules if rule.applies(facts))


TABLES: dict[str, Table[Any]] = {}
"""All tables of the modules imported so far, by their names."""


def always(_facts: object) -> bool:
    """The condition of the last rule."""
    return True
