"""A scripted stand-in for a model invents three of ten references: how many survive with the tools of ``citecheck mcp``?

Usage: ``python -m benchmarks.agents``. Offline: the services' answers are recorded.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

ROOT = Path(__file__).parents[1]
_ENTRY = re.compile(r"^@\w+\{([^,]++),.*?^\}", re.DOTALL | re.MULTILINE)
INVENTED = 3
_WRITTEN = 10
_CODE = "import sys; from pytest_citecheck.cli import main; sys.exit(main())"


def memory_of_the_model() -> tuple[list[str], list[str]]:
    """The entries that the model writes from memory: real ones, and invented ones that look as plausible."""
    real = [match[0] for match in _ENTRY.finditer((ROOT / "fixtures/refs.bib").read_text("utf-8"))]
    wrong = list(_ENTRY.finditer((ROOT / "fixtures/hallucinated.bib").read_text("utf-8")))
    invented = [match[0] for match in wrong if match[1].startswith("plausible-fabrication")]
    return real[: _WRITTEN - INVENTED], invented[:INVENTED]


def related_work(entries: Iterable[str]) -> str:
    """The section that the model writes."""
    keys = [match[1] for entry in entries if (match := _ENTRY.match(entry))]
    return "Related work: " + " ".join(f"See \\cite{{{key}}}." for key in keys)


async def verified_by_tools(entries: list[str]) -> list[str]:
    """The entries that the model keeps after it has checked all and looked up those that were not verified."""
    line = ["mcp", f"--cassettes={ROOT / 'cassettes'}", "--offline"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    server = StdioServerParameters(command=sys.executable, args=["-c", _CODE, *line], env=environment)
    async with Client(stdio_client(server), mode="legacy") as client:
        checked = await _call(client, "check_references", text="\n\n".join(entries))
        kept = []
        for entry, answer in zip(entries, checked["references"], strict=True):
            if answer["verdict"] == "verified":
                kept.append(entry)
                continue
            found = await _call(client, "find_reference", title=answer["title"])
            kept += [one["bibtex"] for one in found["records"][:1] if one["match"] == "work"]
        return kept


async def _call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    done = await client.call_tool(tool, arguments)
    assert not done.is_error, done.content
    return dict(done.structured_content or {})


def survivors(kept: Iterable[str], invented: Iterable[str]) -> int:
    """The number of invented entries in the section."""
    text = related_work(kept)
    return sum(match[1] in text for entry in invented if (match := _ENTRY.match(entry)))


def main() -> None:
    real, invented = memory_of_the_model()
    written = [*real, *invented]
    kept = asyncio.run(verified_by_tools(written))
    print(f"without the tools: {len(written)} references, {survivors(written, invented)} invented")
    print(f"with the tools: {len(kept)} references, {survivors(kept, invented)} invented")


if __name__ == "__main__":
    main()
