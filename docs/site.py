"""Makes a site of these pages (mkdocs.yml): the start page is ``start.md``, and the files beside ``docs`` are pages too."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

_ROOT = Path(__file__).parent.parent
_BESIDE = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")
_LINK = re.compile(r"\]\((?!\w+:|#)([^)\s]+)\)")
_MOVED = {"start.md": "index.html", "index.md": "local-index.html"}


def on_files(files: Files, config: Any) -> Files:
    """Add the files beside ``docs``, and make the start page the first one."""
    for name in _BESIDE:
        files.append(File.generated(config, f"project/{name}", abs_src_path=str(_ROOT / name)))
    for file in files:
        if file.src_uri in _MOVED:
            file.dest_uri = file.url = _MOVED[file.src_uri]
    return files


def on_page_markdown(markdown: str, page: Any, files: Files, **_: Any) -> str:
    """Let links lead to the pages of this site; what is only in the repository becomes text."""
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
