"""Access to servers on this machine: who may connect, the token of a server, and errors without paths of the machine."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import Final

LOOPBACK: Final = "127.0.0.1"
_NAMES: Final = (LOOPBACK, "localhost")


def allowed_hosts(port: int) -> list[str]:
    """Values of the Host header. Another one is a name that an attacker points to this machine (DNS rebinding)."""
    return [f"{name}:{port}" for name in _NAMES]


def allowed_origins(port: int) -> list[str]:
    """Values of the Origin header of the server's own pages."""
    return [f"http://{host}" for host in allowed_hosts(port)]


def new_token() -> str:
    """A token that nobody can guess."""
    return secrets.token_urlsafe(24)


def is_token(given: str, token: str) -> bool:
    """Compare in a time that does not depend on the first difference."""
    return secrets.compare_digest(given.encode("utf-8", "replace"), token.encode())


def without_paths(text: str, folders: Iterable[Path]) -> str:
    """The text with names relative to these folders, inner ones first."""
    for folder in folders:
        if folder != folder.parent:
            text = text.replace(f"{folder}{os.sep}", "").replace(str(folder), "…")
    return text
