"""Hooks of the documentation site (mkdocs.yml): the files beside ``docs`` are pages too."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

_ROOT = Path(__file__).parent.parent
_BESIDE = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "editors/vscode/README.md")
_ACCESS = (
    ('data-md-component="search" role="dialog"', 'data-md-component="search" role="dialog" aria-label="Search"'),
    ("<th></th>", "<td></td>"),  # a heading without text is none
)
_NO_PAGE = "\0"
_TEXT_OF_NO_PAGE = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\0")
_LINK = re.compile(r"\]\((?!\w+:|#)([^)\s]+)\)")


def on_files(files: Files, config: Any) -> Files:
    """Add the files beside ``docs``."""
    for name in _BESIDE:
        files.append(File.generated(config, f"project/{name}", abs_src_path=str(_ROOT / name)))
    return files


def on_post_page(output: str, **_: Any) -> str:
    """Give names and keyboard access to parts of the theme that have none."""
    for before, after in _ACCESS:
        output = output.replace(before, after)
    return output


def on_page_markdown(markdown: str, page: Any, files: Files, **_: Any) -> str:
    """Rewrite links so that they lead to pages of this site; links to other files of the repository become text."""
    place = page.file.src_uri
    folder = posixpath.dirname(place.removeprefix("project/") if place.startswith("project/") else f"docs/{place}")

    def led(match: re.Match[str]) -> str:
        target, sharp, anchor = match[1].partition("#")
        path = posixpath.normpath(posixpath.join(folder, target))
        uri = path.removeprefix("docs/") if path.startswith("docs/") else f"project/{path}"
        if files.get_file_from_path(uri) is None:
            return f"]{_NO_PAGE}"
        return f"]({posixpath.relpath(uri, posixpath.dirname(place) or '.')}{sharp}{anchor})"

    return _TEXT_OF_NO_PAGE.sub(r"\1", _LINK.sub(led, markdown))
