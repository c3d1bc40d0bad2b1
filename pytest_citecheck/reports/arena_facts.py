"""What a report of an arena says of the arena itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["ArenaFacts", "AskedEndpoint"]


@dataclass(frozen=True, slots=True)
class AskedEndpoint:
    """One endpoint: its name, the model behind it, whether it could search."""

    name: str
    model: str
    search: bool


@dataclass(frozen=True, slots=True)
class ArenaFacts:
    """task, scenario: as the configuration states them. dataset: file of the queries; in_file: how many it has.

    queries: text by number, of those of the run. examples: cases of each model, at most.
    """

    task: str
    scenario: str
    dataset: str
    in_file: int
    endpoints: tuple[AskedEndpoint, ...]
    queries: Mapping[str, str] = field(default_factory=dict)
    examples: int = 3
