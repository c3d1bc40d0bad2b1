"""Pages by which a server demands a browser that computes for it (Anubis, github.com/TecharoHQ/anubis).

No program passes them, and none should try. They come with any status: DBLP sends 200, 429 and 500.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["demands_browser"]

_MARKERS = (b'id="anubis_challenge"', b'id="anubis_version"')
_BEGINNING = 1 << 16


def demands_browser(headers: Mapping[str, str], body: bytes) -> bool:
    """Whether a response, of whatever status, is such a page; header names are in lower case."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind == "text/html" and any(marker in body[:_BEGINNING] for marker in _MARKERS)
