"""The sources that are examined: all that are registered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pytest_citecheck.services import SOURCES, source

if TYPE_CHECKING:
    from pytest_citecheck.services.base import Source

__all__ = ["chosen_sources", "known_sources"]


def known_sources() -> list[Source]:
    """All sources, in the order of the registry."""
    return list(SOURCES)


def chosen_sources(names: Iterable[str]) -> list[Source]:
    """The sources of these names, each once; all if there is no name. Raises KeyError, naming those that there are."""
    return list(dict.fromkeys(map(source, names))) or known_sources()
