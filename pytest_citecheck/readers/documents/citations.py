r"""Citations in the text of a document: ``\cite{key}`` and its kin in LaTeX, ``[@key]`` and ``@key`` in Markdown.

natbib, biblatex (the manual, section 3.9) and plain LaTeX; the citations of pandoc (the user's guide, "Citation syntax").
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["LATEX_CITATION", "MARKDOWN_CITATION", "blanked_latex", "blanked_markdown", "keys_of", "spaces"]

_OPTION = r"\[(?:[^\[\]]|\[[^\[\]]*+\])*+\]"
# \nocite cites nothing in the text; whoever wants it reads it apart.
LATEX_CITATION = re.compile(
    r"\\(?!nocite|setcite|bibcite|citestyle|citereset|Declare|makeciteu?|defcite|renewcite|newcites|citenumfont)"
    r"(?:[A-Za-z]*cite[A-Za-z]*)\*?"
    r"(?:\s*\([^()]*\)){0,2}(?:\s*<[^<>]*>)?"
    rf"(?P<braces>(?:\s*+{_OPTION}){{0,2}}+\s*+\{{[^{{}}]*+\}}(?:(?:{_OPTION}){{0,2}}+\{{[^{{}}]*+\}})*+)",
    re.IGNORECASE,
)
_SEVERAL = lazy_pattern(r"\\[A-Za-z]*cites\b", re.IGNORECASE)
_BRACES = lazy_pattern(r"\{([^{}]*)\}")
MARKDOWN_CITATION = lazy_pattern(
    r"\[(?P<group>[^\[\]]*(?<![\w.])-?@[^\[\]]*)\](?!\()|(?<![\w@./\\])-?@(?:\{(?P<braced>[^{}\s]+)\}|(?P<bare>[\w][\w:.#$%&+?<>~/-]*\w))"
)
_KEY_IN_GROUP = lazy_pattern(r"(?<![\w.])-?@(?:\{([^{}\s]+)\}|([\w][\w:.#$%&+?<>~/-]*\w|\w))")

_COMMENT = lazy_pattern(r"(?<!\\)((?:\\\\)*)%[^\n]*")
_VERB = lazy_pattern(
    r"\\(?:verb\*?|lstinline(?:\[[^\[\]\n]*+\])?|mintinline(?:\[[^\[\]\n]*+\])?\{[^{}\n]*+\})([^\sA-Za-z*\[])"
)
_LONGEST_VERB = 300
# ``\ifthenelse{…}`` and its kin take their branches in braces and have no ``\fi``.
_CONDITIONAL = lazy_pattern(r"\\(if(?!f(?![A-Za-z@]))[A-Za-z@]*+|else|fi)(?![A-Za-z@]|\s*+\{)(?:(?<=\\if)\s*+0(?=\s))?")
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
        if match[0].startswith("\\citeproc"):  # pandoc, from version 3.1.8
            keys = [key.removeprefix("ref-") for key in keys]
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
    said = _COMMENT.sub(lambda match: match[1] + spaces(match[0][len(match[1]) :]), _without_verb(text))
    return _without_skipped(_without_blocks(said, begin))


def _without_verb(text: str) -> str:
    r"""The text with blanks for ``\verb|…|`` and its kin, which end on their line."""
    parts, position = [], 0
    for start in _VERB.finditer(text):
        if start.start() < position:
            continue
        end = text.find("}" if start[1] == "{" else start[1], start.end(), start.end() + _LONGEST_VERB)
        if end >= 0 and "\n" not in text[start.end() : end]:
            parts += [text[position : start.start()], " " * (end + 1 - start.start())]
            position = end + 1
    return "".join([*parts, text[position:]])


def _without_skipped(text: str) -> str:
    r"""The text with blanks for what TeX skips: from ``\iffalse`` to its ``\else`` or ``\fi``."""
    open_ifs: list[tuple[bool, int]] = []  # whether it is false, and where what it skips begins
    skipped: list[tuple[int, int]] = []
    for match in _CONDITIONAL.finditer(text):
        name = match[1]
        if name not in ("else", "fi"):
            open_ifs.append((name == "iffalse" or "0" in match[0], match.end()))
        elif open_ifs:
            false, begin = open_ifs.pop()
            if false:
                skipped.append((begin, match.start()))
            if name == "else":
                open_ifs.append((False, match.end()))
    parts, position = [], 0
    for begin, end in sorted(skipped):
        if begin >= position:
            parts += [text[position:begin], spaces(text[begin:end])]
            position = end
    return "".join([*parts, text[position:]])


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
