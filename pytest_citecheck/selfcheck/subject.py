"""A reference as it is put to a model, and how it is asked about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from pytest_citecheck.selfcheck.answers import YesRule

if TYPE_CHECKING:
    from pytest_citecheck.model import Person

__all__ = ["DIRECT", "INDIRECT", "LISTED_AT_MOST", "METHODS", "Engine", "Method", "Options", "Subject", "shown_list"]

Method = Literal["iq", "dq1", "dq2", "dq3", "year", "venue"]
METHODS: tuple[Method, ...] = ("iq", "dq1", "dq2", "dq3", "year", "venue")
"""``iq`` asks who wrote it, ``dq1`` to ``dq3`` whether it exists, ``year`` and ``venue`` when and where it appeared."""
DIRECT: tuple[Method, ...] = ("dq1", "dq2", "dq3")
INDIRECT: tuple[Method, ...] = ("iq", "year", "venue")
Engine = Literal["local", "lm", "cited"]

LISTED_AT_MOST = 50
"""References in the list that dq3 shows; a list without end would cost more than all other calls."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A reference to ask about. key: unique in the run. listed: titles of its list; position: its own place there, from 0."""

    key: str
    title: str
    authors: tuple[Person, ...] = ()
    year: int | None = None
    venue: str = ""
    listed: tuple[str, ...] = ()
    position: int = 0


@dataclass(frozen=True, slots=True)
class Options:
    """How references are asked about.

    direct, indirect: samples of each method (j and i of the paper). agree_after: a direct query stops after so many answers if
    they agree, and an indirect one after two; None: never. engine: how lists of names are compared. yes: how a yes is
    recognised. cut: characters of a list that the engine ``lm`` shows; None: all. weights: of the methods in the ensemble.
    reasoning: the model takes no temperature and no token limit. threshold: a score of at most this is a failure.
    """

    direct: int = 10
    indirect: int = 3
    agree_after: int | None = 3
    engine: Engine = "local"
    yes: YesRule = "word"
    cut: int | None = None
    weights: Mapping[Method, float] = field(
        default_factory=lambda: {"iq": 1 / 2, "dq1": 1 / 6, "dq2": 1 / 6, "dq3": 1 / 6}
    )
    reasoning: bool = False
    threshold: float = 0.5

    def __post_init__(self) -> None:
        if self.direct < 1:
            raise ValueError("a direct query needs at least one sample")
        if self.indirect < (1 if self.engine == "cited" else 2):
            raise ValueError("an indirect query needs at least two samples to compare")
        if self.agree_after is not None and self.agree_after < 1:
            raise ValueError("agree_after must be at least 1")
        if any(weight < 0 for weight in self.weights.values()) or not sum(self.weights.values()):
            raise ValueError("weights must be 0 or more, and not all 0")


def shown_list(titles: tuple[str, ...], position: int) -> tuple[tuple[str, ...], int]:
    """The part of a list of references that is shown, and the number (from 1) of one of them in it."""
    first = max(0, min(position - LISTED_AT_MOST // 2, len(titles) - LISTED_AT_MOST))
    return titles[first : first + LISTED_AT_MOST], position - first + 1
