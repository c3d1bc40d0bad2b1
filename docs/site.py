"""Hooks of the documentation site (mkdocs.yml): the files beside ``docs`` are pages too."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

_ROOT = Path(__file__).parent.parent
_BESIDE = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")
_LINK = re.compile(r"\]\((?!\w+:|#)([^)\s]+)\)")


def on_files(files: Files, config: Any) -> Files:
    """Add the files beside ``docs``."""
    for name in _BESIDE:
        files.append(File.generated(config, f"project/{name}", abs_src_path=str(_ROOT / name)))
    return files


def on_page_markdown(markdown: str, page: Any, files: Files, **_: Any) -> str:
    """Rewrite links so that they lead to pages of this site; links to other files of the repository become text."""
    place = page.file.src_uri
    beside = place.startswith("project/")

    def led(match: re.Match[str]) -> str:
        target, sharp, anchor = match[1].partition("#")
        path = posixpath.normpath(
            posixpath.join("" if beside else posixpath.join("docs", posixpath.dirname(place)), target)
        )
        uri = path.removeprefix("docs/") if path.startswith("docs/") else f"project/{path}"
        if files.get_file_from_path(uri) is None:
            return "]"
        return f"]({posixpath.relpath(uri, posixpath.dirname(place) or '.')}{sharp}{anchor})"

    return _LINK.sub(led, markdown)
