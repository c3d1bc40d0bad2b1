"""The parts of a title: what single sources decorate it with, and where a subtitle begins."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from pytest_citecheck.text.blanks import MAYBE_BLANKS
from pytest_citecheck.text.normal_form import words
from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.thresholds import TELLING_PART

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["has_leftovers", "heads", "is_second_appearance", "separate_parts", "tails", "unmarked", "without_labels"]

_LANGUAGE = (
    "arabic|chinese|czech|danish|dutch|english|finnish|french|german|greek|hungarian|italian|japanese|korean|"
    "norwegian|polish|portuguese|romanian|russian|spanish|swedish|turkish|ukrainian"
)
_LABEL = (
    r"(?:(?:extended|short|student|poster|demo|meeting|conference|invited\s+talk)\s+abstract|"
    r"abstract(?:\s+(?:only|reprint))?|"
    r"(?:extended|full|long|short|preliminary|preprint|journal|conference|technical|online|final|draft)\s+version|"
    r"(?:short|full|long|regular|invited|keynote|demo|demonstration|poster|tool|position|vision|industry|experience|"
    r"wip|work[\s-]in[\s-]progress)\s+paper|"
    r"(?:invited|keynote|plenary|contributed)\s+(?:talk|lecture|address|presentation|speech)|"
    r"(?:poster|panel|tutorial|workshop)\s+session|(?:technical|preliminary|(?:practical\s+)?experience)\s+report|"
    r"(?:research|original)\s+article|transactions\s+(?:letters|papers)|industry\s+track|competition\s+contribution|"
    r"functional\s+pearl|experiments\s*&\s*analysis|with\s+retrospective|wip|invited|keynote|panel|poster|oral|"
    r"spotlight|tutorial|demo|demonstration|preprint|best\s+(?:student\s+)?paper(?:\s+award)?|"
    r"(?:guest\s+)?editorial|letter(?:\s+to\s+the\s+editor)?|book\s+review|"
    r"supplementary\s+materials?|supplement|"
    rf"(?:in|published\s+in|article\s+in)\s+(?:{_LANGUAGE})|"
    r"version\s+\d++(?:\s*+;[^()\[\]]*+(?:\[[^\[\]]*+\][^()\[\]]*+)?)?)"
)
# What stands beside a title in a list of links, on Google Scholar (also in front) and in the title of a web page.
_LINK = r"(?:code|pdf|html|slides|video|poster|data|project(?:\s+page)?|website|bibtex|supp(?:lement)?|doi|link)"
_PAGE = r"(?:openreview|springerlink|request\s+pdf|semantic\s+scholar|ieee\s+[^|]*|proceedings\s+of\s[^|]*)"
# The journal that ADS gives e-prints, and what Google Scholar does, where they were pasted into the title.
_SERVER = r"[.,;:(\[]\s*+arxiv\s++(?:e-?prints?|preprint)(?:[\s:]++arxiv:\s?[\w./-]{5,30})?\s*+[)\].]?"
# The kind of document and its carrier, and then the volume: GB/T 7714-2015, annex B.
_KIND = (
    r"(?:(?<=\w\w)|(?<=[\s)?!.]))[\[［](?-i:(?:[ACDGJMNPRSZ]|CM|CP|DB|DS|EB)(?:/(?:CD|DK|MT|OL))?)[\]］]"
    r"(?:\s*+[.,])?(?:\s*+//(?s:.*))?"
)
_PREFIX = lazy_pattern(
    rf"^(?:reprint\s+of\s*+:?\s*+|(?:retracted|withdrawn)(?:\s++(?:article|paper|chapter))?\s*+:\s*+|"
    rf"[\[(]\s*+{_LABEL}\s*+[\])]\s*+[:.\-–—]?\s*+|"
    r"\[(?:pdf|html|book|citation|b|c|\d{4}\.\d{4,5}(?:v\d+)?)\]\s*|\(pdf\)\s*|"
    r"(?:position|poster|demo|invited|keynote|live\s+demonstration)"
    r"(?:\s++(?:abstract|paper|statement|talk|address|speech|lecture))?\s*+:\s*+)",
    re.IGNORECASE,
)
_SUFFIX = lazy_pattern(
    rf"{MAYBE_BLANKS}(?:[\[(]\s*+{_LABEL}\s*+[\])]\s*+[.*]?$|"
    rf"\[\s*+{_LINK}\s*+\]$|(?<=\s)\|\s*+{_PAGE}$|{_KIND}$|,\s*+pp\.?\s*+\d++(?:\s*+[-–—]++\s*+\d++)?\.?$|"
    r"(?:[:.–—]|(?<=\s)-++)\s*+(?:an\s++)?extended\s++(?:abstract|version)\s*+\.?$|"
    rf"{_SERVER}$|(?:(?<=\s)\*++|(?<![†‡§¶])[†‡§¶]++)$)",
    re.IGNORECASE,
)
_MAYBE_SUFFIX = lazy_pattern(r"(?:[)\]］*†‡§¶]|abstract|version)[.,]?$", re.IGNORECASE)
_LONGEST_END = len("abstract.")
_MOST_LABELS = 8
"""Labels that are taken off a title: no real one has more than three, and "[J]" can be repeated without end."""
_SIGNS_OF_SUFFIX = ("//", " | ", ", pp", "arXiv ")

_BOUNDARY = lazy_pattern(
    rf"(?<!\d){MAYBE_BLANKS}:|:(?!\d)|(?<![?!])[?!]++(?=[\s\"'”’)\]])|[.;]\s|{MAYBE_BLANKS}(?:—|--+)|\s[-–](?=\s)"
)
# What follows the main title tells these works apart, so cutting it off makes another work.
_DISTINGUISHING = frozenset({
    "part", "pt", "vol", "volume", "book", "chapter", "section", "erratum", "errata", "corrigendum",
    "corrigenda", "correction", "corrections", "addendum", "reply", "replies", "comment", "comments",
    "rejoinder", "response", "retraction", "retracted", "editorial", "teil", "band", "tome",
})  # fmt: skip
# A number in a list of references before it, a footnote mark or a comment after it.
_NUMBERING = lazy_pattern(r"^(?:\[\d{1,3}\]|\(\d{1,3}\)|\d{1,3}[.)])\s+(?=\S)")
_RAISED = lazy_pattern(r"(?<=[a-z]{3})[¹²³⁰⁴-⁹]++$")
_COMMENT = lazy_pattern(r"(?<![\d\s])\s++%\s(?s:.*)$")
_YEAR = lazy_pattern(MAYBE_BLANKS + r"\((?:19|20)\d\d\)\.?$")
# "BigGAN: ", "word2vec: ", "MoCo v3: ", but not "Abstract: ": one word, not spelt as other words are, and its version.
_COINED = lazy_pattern(r"(?=[^\s:]*(?:[^\s:][A-Z]|\d))[A-Za-z0-9][\w+*.\-/()]*(?:\s+v?\d+(?:\.\d+)*)?\s*:\s+(?=\S)")
_ORDINAL = lazy_pattern(r"(?:[ivx]+|\d+(?:\.\d+)*)$")
_ARTICLES = frozenset({"a", "an", "the"})


_MOST_BOUNDARIES = 32
"""Places at which a title is taken to end: real ones have some five."""
_LONGEST_MARK = 400
"""Characters after a boundary that are looked at: the words that tell what follows stand at its beginning."""


def without_labels(text: str) -> str:
    """The plain title ``text`` without labels that only some sources add, such as "(Extended Abstract)".

    "RETRACTED ARTICLE:" is such a label, because publishers put it before the title of the retracted work
    itself. "Erratum", "Comment on", "Reply to" and "Retraction of" stay: what they introduce is another work.
    A title that consists of labels only is left as it is.
    """
    for _ in range(_MOST_LABELS):
        rest = _PREFIX.sub("", text, count=1)
        if _MAYBE_SUFFIX.search(rest, len(rest) - _LONGEST_END) or any(sign in rest for sign in _SIGNS_OF_SUFFIX):
            rest = _SUFFIX.sub("", rest, count=1)
        if rest == text or not words(rest):
            return text
        text = rest
    return text


# An abstract, a demonstration or a talk of what is printed in full elsewhere says so in its title.
_AGAIN = lazy_pattern(
    r"[(\[]\s*+(?:(?:extended|short|invited\s+talk|conference|poster|demo)\s+)?abstracts?(?:\s+(?:only|reprint))?\s*+[)\]]\s*+\.?$"
    r"|[(\[]\s*+(?:journal\s+version|(?:invited|keynote|plenary)(?:\s+(?:talk|lecture|paper|address))?|demo(?:nstration)?|poster"
    r"|tutorial)\s*+[)\]]\s*+\.?$|[:.\u2013\u2014]\s*+(?:an\s++)?extended\s++abstract\s*+\.?$"
    r"|^(?:poster|demo|invited\s++talk|keynote|live\s++demonstration)\s*+:",
    re.IGNORECASE,
)


def is_second_appearance(text: str) -> bool:
    """Whether the plain title ``text`` calls its work an abstract, a demonstration or a talk: the paper may be elsewhere."""
    return _AGAIN.search(text.strip()) is not None


_LEFTOVERS = lazy_pattern(rf"&(?:amp|lt|gt|quot|apos|nbsp|#\d{{2,5}}|#x[0-9a-f]{{2,5}});|{_SERVER}$", re.IGNORECASE)


def has_leftovers(text: str) -> bool:
    """Whether the title ``text`` has what only an export leaves in it and a style would print: "&amp;", ". arXiv e-prints"."""
    return _LEFTOVERS.search(text.strip()) is not None


def unmarked(text: str) -> str:
    """The plain title ``text`` without its number in a list of references, a footnote mark and a comment of TeX.

    All of them may belong to a title as well, so they are marks only if the other title is without.
    """
    return _RAISED.sub("", _COMMENT.sub("", _NUMBERING.sub("", text)))


def tails(text: str) -> Iterator[str]:
    """What stands in the plain title ``text`` after a coined name and a colon: some citations omit the name.

    The name is one word that is written like no other word (``DPO``, ``BigGAN``, ``word2vec``).
    """
    if name := _COINED.match(text):
        yield text[name.end() :]


def separate_parts(text: str) -> list[str]:
    """The main title and the subtitle of the plain title ``text``, if there are both; each only if it tells enough alone."""
    head = next(heads(text), "")
    parts = (head.rstrip(" :;.–—-"), text[len(head) :].strip()) if head else ()
    return [part for part in parts if len(words(part)) >= TELLING_PART]


def heads(text: str) -> Iterator[str]:
    """The beginnings of the plain title ``text`` that end where a subtitle may begin, the shortest first.

    Boundaries are a colon, question or exclamation mark, full stop, semicolon and dash. A beginning does
    not count if the rest says which part of a work it is, or that it is a notice about one ("Part II", "3",
    "Erratum"). A year in brackets at the end is dropped too.
    """
    if year := _YEAR.search(text):
        yield text[: year.start()]
    for boundary in islice(_BOUNDARY.finditer(text), _MOST_BOUNDARIES):
        rest = words(text[boundary.end() : boundary.end() + _LONGEST_MARK])
        while rest and rest[0] in _ARTICLES:
            rest = rest[1:]
        if not rest or rest[0] in _DISTINGUISHING or (len(rest) == 1 and _ORDINAL.match(rest[0])):
            continue
        yield text[: boundary.end()]
