"""The tool ``web_search``: a search behind a small interface, and its results as text for a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

from pytest_citecheck.chat.protocol import ToolSpec
from pytest_citecheck.chat.search.options import DEPTHS, Depth
from pytest_citecheck.chat.tools import Tool, ToolError

__all__ = ["MOST_HITS", "Hit", "Search", "search_tool"]

MOST_HITS = 5
_LONGEST_CONTENT = 1_500
_NOTHING = "The search found nothing."


@dataclass(frozen=True, slots=True)
class Hit:
    """One result of a search."""

    title: str
    url: str
    content: str


class Search(Protocol):
    """A search engine."""

    async def search(self, query: str, depth: Depth) -> Sequence[Hit]:
        """The best hits first. Raises ToolError."""


_PARAMETERS: Mapping[str, object] = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "description": "What to search for."},
        "search_depth": {"type": "string", "enum": list(DEPTHS), "description": "How thoroughly to search."},
    },
    "required": ["query"],
}
_SPEC = ToolSpec(
    "web_search",
    "Search for scholarly works, to find them and to confirm that they exist: titles, authors, years, venues, identifiers.",
    _PARAMETERS,
)


def search_tool(search: Search, most: Depth = "advanced") -> Tool:
    """The tool over a search. most: the depth of a search that names none, and the greatest that a model may choose."""

    async def run(arguments: Mapping[str, Any]) -> str:
        query, depth = arguments.get("query"), arguments.get("search_depth", most)
        if not isinstance(query, str) or not query.strip():
            raise ToolError("the argument 'query' must be a text")
        if depth not in DEPTHS:
            raise ToolError(f"the argument 'search_depth' must be one of {', '.join(DEPTHS)}")
        hits = await search.search(query.strip(), cast("Depth", min(depth, most, key=DEPTHS.index)))
        return "\n\n".join(_shown(number, hit) for number, hit in enumerate(hits[:MOST_HITS], start=1)) or _NOTHING

    return Tool(_SPEC, run)


def _shown(number: int, hit: Hit) -> str:
    content = hit.content if len(hit.content) <= _LONGEST_CONTENT else f"{hit.content[:_LONGEST_CONTENT]}…"
    return "\n".join(filter(None, (f"{number}. {hit.title}", hit.url, content)))
