"""Finding the same title among many: token-sort ratio of at least .95, as HALLMARK asks of contributed entries.

The ratio of two texts is 2 M / (length of both), M being what they have in common in order (rapidfuzz, ``fuzz.ratio``), so
texts of very different lengths need no comparison: those that are left to the library lie in a window of lengths.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping

from rapidfuzz import fuzz, process
from rapidfuzz.utils import default_process

__all__ = ["SAME_TITLE", "earlier_titles", "sorted_words"]

SAME_TITLE = 0.95
"""The token-sort ratio from which two titles count as one."""
_MARKUP = re.compile(r"\\[A-Za-z]+\s*|\\.|[{}$\\]")
_LONGEST = 1000
"""Characters of a title up to which it is compared; of longer ones only equal ones are found."""


def sorted_words(title: str) -> str:
    """The words of a title in alphabetical order: lower case, without LaTeX commands, braces and punctuation."""
    return " ".join(sorted(default_process(_MARKUP.sub("", title)).split()))


def earlier_titles(titles: Iterable[str], since: int = 0) -> dict[int, int]:
    """For the places (from 0) of titles that occurred before, the place of an earlier one that is the same.

    since: the first place that is asked about. A title without letters and digits is never the same as another.
    """
    first: dict[str, int] = {}
    found: dict[int, int] = {}
    for place, title in enumerate(titles):
        words = sorted_words(title)
        if words and first.setdefault(words, place) != place and place >= since:
            found[place] = first[words]
    return found | _similar(first, since)


def _similar(places: Mapping[str, int], since: int) -> dict[int, int]:
    """The same for titles that differ in what `sorted_words` keeps, given with their places."""
    texts = sorted((words for words in places if len(words) <= _LONGEST), key=len)
    lengths = [len(words) for words in texts]
    found = {}
    for words in texts:
        place = places[words]
        if place < since:
            continue
        low = bisect_left(lengths, int(len(words) * SAME_TITLE / (2 - SAME_TITLE)))
        high = bisect_right(lengths, int(len(words) * (2 - SAME_TITLE) / SAME_TITLE) + 1)
        alike = process.extract_iter(
            words, texts[low:high], scorer=fuzz.ratio, processor=None, score_cutoff=100 * SAME_TITLE
        )
        earlier = min(places[text] for text, _, _ in alike)  # the title itself is among them
        if earlier < place:
            found[place] = earlier
    return found
