"""Which files of a submission are its documents: the main LaTeX file, else what else holds its references."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable

from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["BINARY", "main_documents", "main_sources"]

_MAIN = lazy_pattern(rb"^[^%\n]*\\document(?:class|style)\b", re.MULTILINE)
_CITES = lazy_pattern(rb"\\(?:[a-z]*cite[a-z]*|bibliography|addbibresource|printbibliography|bibitem)\b", re.IGNORECASE)
_INPUTS = lazy_pattern(rb"\\(?:input|include|subfile|import)\b")
_HEADER = lazy_pattern(rb"\A(?:\xef\xbb\xbf)?---\r?\n(?:.*\n)*?(?:bibliography|references)\s*:")
_HEAD = 1 << 20
_MOST = 5000
BINARY = (".docx", ".docm", ".odt", ".pdf")
_SKIPPED = lazy_pattern(r"(?:^|/)(?:\.|node_modules/|__MACOSX/)")


def main_documents(names: Iterable[str], head: Callable[[str], bytes | None]) -> list[str]:
    """The names of the documents among these, those of the first kind that is there.

    LaTeX files with a document class that cite or input; Markdown whose header names a bibliography; ``.bbl``; Word,
    OpenDocument, PDF beside no source of LaTeX. head: the first bytes of a file.
    """
    kept = sorted(name for name in names if not _SKIPPED.search(name))[:_MOST]
    by_suffix: dict[str, list[str]] = {}
    for name in kept:
        by_suffix.setdefault(posixpath.splitext(name)[1].lower(), []).append(name)
    latex = _mains(by_suffix.get(".tex", []), head)
    if latex:
        return _outermost(latex)
    if cited := _cited_notes(kept, head):
        return cited
    for suffix in (".bbl", *BINARY):
        if by_suffix.get(suffix) and (suffix != ".pdf" or not by_suffix.get(".tex")):
            return _outermost(by_suffix[suffix])
    return []


def main_sources(names: Iterable[str], head: Callable[[str], bytes | None]) -> list[str]:
    """The main LaTeX files of all folders, and Markdown with a bibliography in folders without one, sorted."""
    kept = sorted(name for name in names if not _SKIPPED.search(name))
    latex = _mains([name for name in kept if name.lower().endswith(".tex")], head)
    homes = {posixpath.dirname(name) for name in latex}
    return sorted(latex + [name for name in _cited_notes(kept, head) if posixpath.dirname(name) not in homes])


def _cited_notes(names: Iterable[str], head: Callable[[str], bytes | None]) -> list[str]:
    """The Markdown files whose header names a bibliography."""
    notes = [name for suffix in (".md", ".qmd", ".rmd") for name in names if name.lower().endswith(suffix)]
    return [name for name in notes if _HEADER.match((head(name) or b"")[:_HEAD])]


def _mains(names: list[str], head: Callable[[str], bytes | None]) -> list[str]:
    """The LaTeX files with a document class that cite, or that input files of which one cites: slides and letters do neither."""
    heads = {name: (head(name) or b"")[:_HEAD] for name in names}
    citing = {name for name, data in heads.items() if _CITES.search(data)}
    mains = [name for name, data in heads.items() if _MAIN.search(data)]
    parts = bool(citing - set(mains))
    return [name for name in mains if name in citing or (parts and _INPUTS.search(heads[name]))]


def _outermost(names: list[str]) -> list[str]:
    """Those in the folder nearest to the root: figures and styles have folders of their own."""
    depth = min(name.count("/") for name in names)
    return [name for name in names if name.count("/") == depth]
