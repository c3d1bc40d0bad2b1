"""A file with wrong entries, services that edit it while they answer, and the edits."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.stand_ins import LocalServices

ROOT = Path(__file__).parents[2]
FIRST, SECOND, RIGHT = "wrong-venue-1-glove", "wrong-venue-2-psiblast", "he2016deep"
CHANGED = "the entry was changed or removed while citecheck ran"
OTHER = "@misc{mine,\n  title = {A note of my own},\n  year = {2001}\n}\n"

Edit = Callable[[bytes], bytes | None]


class Edited(LocalServices):
    """Services that edit a file while they answer the first request."""

    def __init__(self) -> None:
        super().__init__()
        self.meanwhile: Callable[[], object] | None = None

    def respond(self, *arguments: Any, **named: Any) -> Any:
        with self._log_lock:
            meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            meanwhile()
        return super().respond(*arguments, **named)

    @property
    def options(self) -> list[str]:
        """Options of a command that queries these services."""
        urls = self.base_urls
        return [
            "--cache=off",
            *(f"--base-url={name}={url}" for name, url in urls.items()),
            *(f"--rate={name}=1000" for name in urls),
        ]


def entry(text: str, key: str) -> str:
    """The entry with this key."""
    found = re.search(rf"^(?:% citecheck.*\n)?@\w+\{{{key},[\s\S]*?^\}}", text, re.MULTILINE)
    assert found is not None
    return found[0]


def two_wrong_entries(path: Path) -> None:
    """Write two entries with wrong venues and one without a fault."""
    wrong, right = ((ROOT / "fixtures" / name).read_text("utf-8") for name in ("hallucinated.bib", "refs.bib"))
    parts = [entry(wrong, FIRST), entry(wrong, SECOND), entry(right, RIGHT)]
    path.write_text("\n\n".join(parts) + "\n", "utf-8", newline="")


def replaced(old: str, new: str) -> Edit:
    def edit(data: bytes) -> bytes:
        assert old.encode() in data
        return data.replace(old.encode(), new.encode(), 1)

    return edit


def removed(data: bytes) -> bytes:
    parts = data.decode().split("\n\n")
    return "\n\n".join(part for part in parts if FIRST not in part).encode()


EDITS: Mapping[str, tuple[Edit, frozenset[str]]] = {
    "nothing": (lambda data: data, frozenset()),
    "another entry": (replaced(f"{{{RIGHT},", f"{{{RIGHT},\n  note = {{mine}},"), frozenset()),
    "the same entry": (replaced(f"{{{FIRST},", f"{{{FIRST},\n  note = {{mine}},"), frozenset({FIRST})),
    "the entry removed": (removed, frozenset({FIRST})),
    "an entry before": (lambda data: OTHER.encode() + b"\n" + data, frozenset()),
    "another file": (lambda _: OTHER.encode(), frozenset({FIRST, SECOND})),
    "an unreadable file": (lambda _: b"@article{\x00\xff", frozenset({FIRST, SECOND})),
    "an empty file": (lambda _: b"", frozenset({FIRST, SECOND})),
    "deleted": (lambda _: None, frozenset({FIRST, SECOND})),
    "line ends": (lambda data: data.replace(b"\n", b"\r\n"), frozenset()),
    "encoding": (lambda data: data.decode().encode("utf-16"), frozenset()),
}
"""Edits of the file while a command runs, and the entries whose corrections they make impossible."""
