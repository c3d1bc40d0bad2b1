"""What publishers put around a title in their deposits, and authors leave away: section numbers, rubrics, remarks in brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

__all__ = ["undecorated"]

# "LIII. On lines …" (Philosophical Magazine), "I.\u2014Computing machinery …" (Mind), "810. The synthesis …" (J. Chem. Soc.).
_SECTION = re.compile(r"\s*(?:[IVXLCDM]{1,8}|\d{1,4})\s*\.\s*[\u2010-\u2015-]*\s*(?=\S)")
_RUBRIC = re.compile(
    r"\s*(?:(?:guest )?editorial|(?:original|research|review|regular|invited|short|survey) (?:article|paper|communication)|"
    r"review|data from|supplementary (?:material|data) (?:from|for))\s*:\s*(?=\S)",
    re.IGNORECASE,
)
_REMARK = re.compile(r"\s*(?:\([^()]*\)|\[[^\[\]]*\])\s*\.?\s*$")
_FEWEST_WORDS = 3


@lru_cache(maxsize=4096)
def undecorated(title: str, *, anchored: bool) -> tuple[str, ...]:
    """The titles under which the work of this record may be cited besides.

    anchored: whether the citation names the record by an identifier; only then a remark in brackets at the end may be one of
    the publisher ("[AdP 17, 549 (1905)]", "(with comments by …)") and not a part of the title.
    """
    return tuple(
        other for other in dict.fromkeys(_without(title, anchored=anchored)) if len(other.split()) >= _FEWEST_WORDS
    )


def _without(title: str, *, anchored: bool) -> Iterator[str]:
    for pattern in (_SECTION, _RUBRIC):
        if match := pattern.match(title):
            yield title[match.end() :]
    if anchored and (match := _REMARK.search(title)):
        yield title[: match.start()]
