"""What was said in conversations that have no answer yet: a run that is killed continues them, and pays for no call twice."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_citecheck.chat.protocol import CallFailure, ChatRequest, Reply, ToolCall
from pytest_citecheck.chat.tools import Tool

if TYPE_CHECKING:
    from pytest_citecheck.arena.cells import Cell
    from pytest_citecheck.chat.protocol import ChatModel

__all__ = ["UnderWay"]


class UnderWay:
    """A file with a line for each reply of a model, and each result of a tool, in a conversation. Raises OSError."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[str, Any] = {}
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return
        for line in data.split(b"\n"):
            self._read(line)

    def _read(self, line: bytes) -> None:
        # A line that was cut off, or is anything else, is asked for again.
        try:
            value = json.loads(line)
            self._known[value["key"]] = value["said"]
        except (ValueError, KeyError, TypeError, RecursionError):
            return

    def find(self, key: str) -> Any:
        """What was said before; None if nothing was."""
        return self._known.get(key)

    def keep(self, key: str, said: Any) -> None:
        """Write it down with one call of the system. Raises OSError."""
        self._known[key] = said
        line = json.dumps({"key": key, "said": said}, ensure_ascii=False).encode("utf-8", "replace")
        handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o666)
        try:
            os.write(handle, b"\n" + line + b"\n")  # whatever a killed run left on the last line
        finally:
            os.close(handle)

    def forget(self) -> None:
        """Remove the file: all conversations have ended."""
        self._known.clear()
        self._path.unlink(missing_ok=True)

    def model(self, model: ChatModel, cell: Cell) -> ChatModel:
        """The model of a cell, which says again what it has said."""
        return _Model(model, cell, self)

    def tool(self, tool: Tool, cell: Cell) -> Tool:
        """A tool in the conversation of a cell, which gives the same results again."""

        async def run(arguments: Mapping[str, Any]) -> str:
            key = _key(cell, tool.spec.name, dict(arguments))
            known = self.find(key)
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
    kept: UnderWay

    @property
    def name(self) -> str:
        return self.behind.name

    async def ask(self, request: ChatRequest) -> Reply | CallFailure:
        key = _key(self.cell, "", [asdict(message) for message in request.messages], bool(request.tools))
        known = _reply(self.kept.find(key))
        if known is not None:
            return known
        said = await self.behind.ask(request)
        if isinstance(said, Reply) and not said.replayed:
            self.kept.keep(key, asdict(said))
        return said


def _key(cell: Cell, *parts: object) -> str:
    text = json.dumps([*cell.key, *parts], sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _reply(said: Any) -> Reply | None:
    """The reply that was written down; None if it is not one."""
    if not isinstance(said, dict):
        return None
    try:
        return Reply(**{**said, "tool_calls": tuple(ToolCall(**call) for call in said["tool_calls"])})
    except (KeyError, TypeError):
        return None
