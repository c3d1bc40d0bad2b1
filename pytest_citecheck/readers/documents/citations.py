r"""Citations in the text of a document: ``\cite{key}`` and its kin in LaTeX, ``[@key]`` and ``@key`` in Markdown.

natbib, biblatex (the manual, section 3.9) and plain LaTeX; the citations of pandoc (the user's guide, "Citation syntax").
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["LATEX_CITATION", "MARKDOWN_CITATION", "blanked_latex", "blanked_markdown", "keys_of", "spaces"]

# \nocite cites nothing in the text; whoever wants it reads it apart.
LATEX_CITATION = re.compile(
    r"\\(?!nocite|setcite|bibcite|citestyle|citereset|Declare|makeciteu?|defcite|renewcite|citenumfont)"
    r"(?:[A-Za-z]*cite[A-Za-z]*)\*?"
    r"(?:\s*\([^()]*\)){0,2}(?:\s*<[^<>]*>)?"
    r"(?P<braces>(?:\s*\[[^\[\]]*\]){0,2}\s*\{[^{}]*\}(?:(?:\[[^\[\]]*\]){0,2}\{[^{}]*\})*)",
    re.IGNORECASE,
)
_SEVERAL = lazy_pattern(r"\\[A-Za-z]*cites\b", re.IGNORECASE)
_BRACES = lazy_pattern(r"\{([^{}]*)\}")
MARKDOWN_CITATION = lazy_pattern(
    r"\[(?P<group>[^\[\]]*(?<![\w.])-?@[^\[\]]*)\](?!\()|(?<![\w@./\\])-?@(?:\{(?P<braced>[^{}\s]+)\}|(?P<bare>[\w][\w:.#$%&+?<>~/-]*\w))"
)
_KEY_IN_GROUP = lazy_pattern(r"(?<![\w.])-?@(?:\{([^{}\s]+)\}|([\w][\w:.#$%&+?<>~/-]*\w|\w))")

_COMMENT = lazy_pattern(r"(?<!\\)((?:\\\\)*)%[^\n]*")
_FENCE = lazy_pattern(r"^(?:```|~~~)|<!--", re.MULTILINE)
_CODE = lazy_pattern(r"`[^`\n]*`|\A---\n.*?\n---\n", re.DOTALL)
_UNSAID = lazy_pattern(r"[\\#{}=]")


def keys_of(match: re.Match[str]) -> list[str]:
    r"""The keys of one citation, of either pattern. ``\cite{a}{b}`` cites ``a``; ``\cites{a}{b}`` cites both."""
    if match.re is LATEX_CITATION:
        braces = _BRACES.findall(match["braces"])
        if not _SEVERAL.match(match[0]):
            braces = braces[:1]
        keys = [key.strip() for part in braces for key in part.split(",")]
    elif match["group"] is not None:
        keys = [braced or bare for braced, bare in _KEY_IN_GROUP.findall(match["group"])]
    else:
        keys = [match["braced"] or match["bare"]]
    return [key for key in keys if key and not _UNSAID.search(key)]


def spaces(text: str) -> str:
    """As many blanks, with the line ends of the text."""
    return re.sub(r"[^\n]", " ", text)


def blanked_latex(text: str, environments: tuple[str, ...]) -> str:
    """The text with blanks for comments and these environments: places stay as they are."""
    begin = re.compile(rf"\\begin\{{(?:{'|'.join(environments)})\}}")
    return _without_blocks(_COMMENT.sub(lambda match: match[1] + spaces(match[0][len(match[1]) :]), text), begin)


def blanked_markdown(text: str) -> str:
    """The text with blanks for code, comments and the header: places stay as they are."""
    return _CODE.sub(lambda match: spaces(match[0]), _without_blocks(text, _FENCE))


def _without_blocks(text: str, starts: re.Pattern[str]) -> str:
    """Blanks from each of these starts to its end; one that has no end is left."""
    return "".join(_parts(text, starts))


def _parts(text: str, starts: re.Pattern[str]) -> Iterator[str]:
    position, endless = 0, set[str]()
    for start in starts.finditer(text):
        if start.start() < position or start[0] in endless:
            continue
        closing = _closing_of(start[0])
        end = text.find(closing, start.end())
        if end < 0:
            endless.add(start[0])
            continue
        yield text[position : start.start()]
        yield spaces(text[start.start() : end + len(closing)])
        position = end + len(closing)
    yield text[position:]


def _closing_of(start: str) -> str:
    if start == "<!--":
        return "-->"
    return start.replace("begin", "end", 1) if start.startswith("\\") else f"\n{start}"
