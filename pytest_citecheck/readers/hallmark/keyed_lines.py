"""The lines of a split or of predictions: each states one thing under the key of an entry.

Source: HALLMARK, arXiv:2607.18360, schema version 1.0, and the rules of its loader.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol, TypeVar

from pytest_citecheck.readers.hallmark.json_lines import Bytes, JsonLine, Problem, json_lines
from pytest_citecheck.readers.hallmark.values import LineError, Warn

__all__ = ["is_canary", "keyed_lines"]

_CANARY = "__canary__"


class _Keyed(Protocol):
    @property
    def key(self) -> str: ...


T = TypeVar("T", bound=_Keyed)


def is_canary(key: str) -> bool:
    """Whether an entry of this key only marks that a file was trained on, and stands for no reference."""
    return key.startswith(_CANARY)


def keyed_lines(
    path: str, data: Bytes, read: Callable[[JsonLine, Warn], T], repeated: str, *, keep_repeated: bool
) -> Iterator[T | Problem]:
    """What ``read`` makes of each line, and problems, in the order of the file; only the keys stay in memory.

    A line for which ``read`` raises LineError is skipped, with the problem; canaries are skipped without one. repeated: the
    message on a key that occurred before, with ``{line}`` for where; a warning if such lines are kept, else an error.
    """
    seen: dict[str, int] = {}
    for line in json_lines(path, data):
        if isinstance(line, Problem):
            yield line
            continue
        key = line.value.get("bibtex_key")
        key = key if isinstance(key, str) else ""
        if is_canary(key):
            continue
        warnings: list[str] = []
        try:
            item = read(line, warnings.append)
        except LineError as error:
            yield Problem(path, line.line, key, str(error))
            continue
        first = seen.setdefault(item.key, line.line)
        if first != line.line:
            message = repeated.format(line=first)
            if not keep_repeated:
                yield Problem(path, line.line, key, message)
                continue
            warnings.append(message)
        for warning in warnings:
            yield Problem(path, line.line, key, warning, "warning")
        yield item
