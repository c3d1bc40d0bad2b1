"""What publishers and catalogues put around a title, and authors omit: section numbers, rubrics, editions, remarks in
brackets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from pytest_citecheck.text.blanks import MAYBE_BLANKS
from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.thresholds import UNDECORATED_WORDS

__all__ = ["undecorated_forms", "without_rubric"]

# "LIII. On lines …" (Philosophical Magazine), "I.\u2014Computing machinery …" (Mind), "810. The synthesis …" (J. Chem. Soc.).
_SECTION = lazy_pattern(r"\s*+(?:[IVXLCDM]{1,8}|\d{1,4})\s*+\.\s*+[\u2010-\u2015-]*+\s*+(?=\S)")
_RUBRIC = lazy_pattern(
    r"\s*+(?:(?:guest )?editorial|(?:original|research|review|regular|invited|short|survey) (?:article|paper|communication)|"
    r"review|announcement|commentary|perspective|viewpoint|data from|supplementary (?:material|data) (?:from|for))"
    r"\s*+:\s*+(?=\S)",
    re.IGNORECASE,
)
# "Editorial Exploratory research in machine learning", as a publisher's page runs them together.
_RUN_ON = lazy_pattern(r"\s*+(?:(?:guest )?editorial|announcement|commentary|viewpoint)[.:-]?\s++(?=\S)", re.IGNORECASE)
_REMARK = lazy_pattern(MAYBE_BLANKS + r"(?:\([^()]*\)|\[[^\[\]]*\])\s*+\.?\s*$")
# "Introduction to Algorithms, 3rd Edition", "Neural Networks: Tricks of the Trade (2nd ed.)": how DBLP titles books.
_EDITION = lazy_pattern(
    MAYBE_BLANKS + r"[,(]\s*+(?:\d{1,2}(?:st|nd|rd|th|\.)|second|third|fourth|fifth|revised|international)"
    r"(?:\s++(?:revised|internat\.|international))?\s++ed(?:\.|ition)\s*+\)?\s*+\.?\s*$",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def undecorated_forms(title: str, *, anchored: bool) -> tuple[str, ...]:
    """The other titles under which the work of this record may be cited.

    anchored: whether the citation names the record by an identifier; only then a remark in brackets at the end may be one of
    the publisher ("[AdP 17, 549 (1905)]", "(with comments by …)") and not a part of the title.
    """
    return tuple(
        other for other in dict.fromkeys(_without(title, anchored=anchored)) if len(other.split()) >= UNDECORATED_WORDS
    )


def without_rubric(title: str) -> str:
    """The title without a rubric that was run together with it; empty if it has none, or is nothing much without it.

    Only for a title whose work is known by an identifier: "Editorial boards" is a title.
    """
    match = _RUN_ON.match(title)
    rest = title[match.end() :] if match else ""
    return rest if len(rest.split()) >= UNDECORATED_WORDS else ""


def _without(title: str, *, anchored: bool) -> Iterator[str]:
    for pattern in (_SECTION, _RUBRIC):
        if match := pattern.match(title):
            yield title[match.end() :]
    if ("," in title or "(" in title) and (match := _EDITION.search(title)):
        yield title[: match.start()]
    if anchored:
        if match := _REMARK.search(title):
            yield title[: match.start()]
        yield without_rubric(title)
