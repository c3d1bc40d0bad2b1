r"""The sentences with citations in a manuscript: ``\cite{key}`` and its kin in LaTeX, ``[@key]`` and ``@key`` in Markdown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from pytest_citecheck.claims.manuscripts.source_folder import ABSTRACT, SourceFolder
from pytest_citecheck.claims.pairs import ClaimFile, ClaimPair
from pytest_citecheck.readers.documents.citations import (
    LATEX_CITATION,
    MARKDOWN_CITATION,
    blanked_latex,
    blanked_markdown,
    keys_of,
    spaces,
)
from pytest_citecheck.text.latex import decode
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["read_manuscript"]

_SHORTEST = 10  # characters of a sentence that says something

# Citations that are part of the sentence, as its subject or object.
_TEXTUAL = lazy_pattern(r"\\(?:citet|Citet|citeauthor|Citeauthor|textcite|Textcite|newcite)")
_AUTHORS = "the authors"

_VERBATIM = (r"verbatim\*?", "lstlisting", "comment", "thebibliography", r"equation\*?", r"align\*?", "minted")
_PREAMBLE = lazy_pattern(r"\A.*?\\begin\{document\}", re.DOTALL)
_BREAKS = lazy_pattern(
    r"\n[ \t]*\n|\\(?:par|item|section|subsection|subsubsection|paragraph|chapter|begin|end|caption|title|maketitle)\b"
    r"(?:\*?(?:\[[^\]]*\])?\{(?:[^{}]|\{[^{}]*\})*\})?|^[ \t]*(?:[-*+]|\d+\.|\#{1,6}|>)[ \t]+",
    re.MULTILINE,
)
_END = lazy_pattern(r"(?P<mark>[.!?]['\"”’)]*)(?=\s|\Z|\\|\[)")
_ABBREVIATIONS = lazy_pattern(
    r"(?:\b(?:e\.g|i\.e|cf|vs|al|etc|fig|figs|eq|eqs|sec|ch|no|nos|vol|pp|approx|resp|ca|dr|prof|mr|mrs|st|ref|refs)|\b[A-Z])\.\Z",
    re.IGNORECASE,
)


def read_manuscript(text: str, where: str, suffix: str, sources: SourceFolder) -> ClaimFile:
    """One pair for each citation of each key, in the order of the text."""
    latex = suffix == ".tex"
    blanked = _blanked(text, latex=latex)
    times: Counter[str] = Counter()
    pairs = []
    known: dict[str, tuple[str, str, str]] = {}
    for start, end in _sentences(blanked, latex=latex):
        for place, key in _keys(blanked, start, end, latex=latex):
            times[key] += 1
            claim = _plain(blanked[start:end], latex=latex)
            source, name, problem = known.setdefault(key, sources.text(key))
            if len(claim) < _SHORTEST:
                problem = "the sentence says too little"
            pairs.append(
                ClaimPair(
                    id=key if times[key] == 1 else f"{key}~{times[key]}",
                    claim=claim,
                    source=source,
                    version="manuscript",
                    unfit=problem,
                    cites=key,
                    path=where,
                    line=text.count("\n", 0, place) + 1,
                    source_name=name,
                    abstract=name.endswith(ABSTRACT),
                )
            )
    return ClaimFile(where, tuple(pairs))


def _blanked(text: str, *, latex: bool) -> str:
    """The text with spaces where nothing is said: places stay as they are."""
    if not latex:
        return blanked_markdown(text)
    return _PREAMBLE.sub(lambda match: spaces(match[0]), blanked_latex(text, _VERBATIM))


def _sentences(text: str, *, latex: bool) -> Iterator[tuple[int, int]]:
    start = 0
    for part in (*_BREAKS.finditer(text), None):
        stop = part.start() if part else len(text)
        yield from _within(text, start, stop, latex=latex)
        start = part.end() if part else stop


def _within(text: str, start: int, stop: int, *, latex: bool) -> Iterator[tuple[int, int]]:
    """The sentences of one paragraph. A citation right after a full stop belongs to the sentence before it."""
    position = start
    while position < stop:
        end = stop
        for mark in _END.finditer(text, position, stop):
            if _ABBREVIATIONS.search(text, max(position, mark.start() - 10), mark.start() + 1):
                continue
            end = mark.end()
            pattern = LATEX_CITATION if latex else MARKDOWN_CITATION
            after = re.compile(r"[\s~]*").match(text, end, stop)
            follows = pattern.match(text, after.end(), stop) if after else None
            while follows is not None and _stands_alone(text, follows.end(), stop, latex=latex, match=follows):
                end = follows.end()
                after = re.compile(r"[\s~]*").match(text, end, stop)
                follows = pattern.match(text, after.end(), stop) if after else None
            break
        yield position, end
        position = end


def _stands_alone(text: str, end: int, stop: int, *, latex: bool, match: re.Match[str]) -> bool:
    """Whether a citation behind a full stop begins no sentence of its own: a capital letter, or the end, follows."""
    if latex and _TEXTUAL.match(match[0]):
        return False
    if not latex and match["group"] is None:
        return False
    rest = text[end:stop].lstrip(" \t\n~")
    return not rest or rest[0].isupper() or rest[0] in "\\[(“\"'."


def _keys(text: str, start: int, end: int, *, latex: bool) -> Iterator[tuple[int, str]]:
    """Each key that is cited there, once, with its place."""
    seen: set[str] = set()
    for match in (LATEX_CITATION if latex else MARKDOWN_CITATION).finditer(text, start, end):
        for key in keys_of(match):
            if key not in seen and key != "*":
                seen.add(key)
                yield match.start(), key


def _plain(sentence: str, *, latex: bool) -> str:
    """The words of a sentence without its citations and markup."""
    if latex:
        bare = LATEX_CITATION.sub(lambda match: _AUTHORS if _TEXTUAL.match(match[0]) else "", sentence)
        bare = re.sub(r"\\(?:label|ref|autoref|cref|footnotemark|index)\*?\{[^{}]*\}", "", bare)
        bare = decode(bare.replace("~", " "))
    else:
        bare = MARKDOWN_CITATION.sub(lambda match: "" if match["group"] is not None else _AUTHORS, sentence)
        bare = re.sub(r"!?\[([^\[\]]*)\]\([^()]*\)", r"\1", bare)
        bare = re.sub(r"(\*\*|__|(?<!\w)[*_]|[*_](?!\w))", "", bare)
    return re.sub(r" ([.,;:!?)])", r"\1", " ".join(bare.split())).strip(" ,;")
