"""The word-level difference of two titles.

Words are aligned by the Levenshtein distance on words (V. I. Levenshtein, Soviet Physics Doklady 10, 1966,
707-710), never by comparing bags of words: the order counts.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from rapidfuzz.distance import Indel, Levenshtein

from pytest_citecheck.text.normal_form import CJK, words
from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.thresholds import PARTIAL_CREDIT
from pytest_citecheck.titles.spelling_variants import standard_spelling, write_out_umlauts
from pytest_citecheck.titles.tokens import Tokens, join, standard_words, weight

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Gap", "TokenChange", "align", "changes", "render", "shared_weight"]


_SURFACE_WORD = lazy_pattern(
    rf"\d+(?:\.\d+)+[^\W_]*|\d{{1,3}}(?:,\d{{3}})+|[&%{CJK}]|(?:(?![{CJK}])[^\W_])+(?:['’][^\W_]+)*[+#*]*"
)
_Part = tuple[tuple[str, ...], tuple[str, ...]]  # the words of one title and of the other in a gap

_CHUNK = lazy_pattern(r"\S+")
_LONGEST_CHUNK = 200
"""Characters without a blank that are read letter by letter, each time from the beginning: no word is longer."""
_EDGES = " \t.,;:!?'\"()[]{}…“”‘’„«»‹›¿¡-–—/"


@dataclass(frozen=True, slots=True)
class TokenChange:
    """One difference, in the original spelling of the words concerned.

    ``replaced``: the citation says ``cited`` where the record says ``found``. ``dropped``: the citation lacks
    ``found``. ``added``: the record lacks ``cited``. ``moved``: both have the words, at different places.
    """

    kind: Literal["replaced", "dropped", "added", "moved"]
    cited: str
    found: str


@dataclass(frozen=True, slots=True)
class Gap:
    """A stretch where two titles differ: words ``[start_a, end_a)`` of one stand against ``[start_b,
    end_b)``."""

    start_a: int
    end_a: int
    start_b: int
    end_b: int


def shared_weight(a: Tokens, b: Tokens) -> float:
    """The share of the words of both that the other has too, wherever they stand: 0 to 1, by weight."""
    shared = a.vocabulary & b.vocabulary
    total = a.weight + b.weight
    if not total:
        return 0.0
    if len(a.vocabulary) == len(a.tokens) or len(b.vocabulary) == len(b.tokens):
        return 2 * weight(shared) / total  # one of them repeats no word
    common = Counter(a.tokens) & Counter(b.tokens)
    return 2 * weight([token for token in shared for _ in range(common[token])]) / total


def _with_compounds(tokens: Tokens, other: Tokens) -> tuple[list[str], list[int]]:
    """The words of ``tokens``, compounds closed that ``other`` closes, and where each word starts."""
    if tokens.pairs.isdisjoint(other.vocabulary):
        return list(tokens.tokens), list(range(len(tokens.tokens) + 1))
    merged: list[str] = []
    starts: list[int] = []
    index = 0
    while index < len(tokens.tokens):
        starts.append(index)
        compound = join(tokens.tokens[index : index + 2])
        if index + 1 < len(tokens.tokens) and compound in other.vocabulary:
            merged.append(compound)
            index += 2
        else:
            merged.append(tokens.tokens[index])
            index += 1
    starts.append(index)
    return merged, starts


def align(a: Tokens, b: Tokens) -> tuple[list[Gap], float]:
    """Where the two titles differ, and their similarity: the weight of the words in common, in order, 0 to 1.

    A misspelled or inflected word counts in part. Differences that mean nothing (compounds, umlauts written out, the
    asterisk of a footnote) are no gaps. Symmetric: ``align(b, a)`` finds the same gaps, seen from the other side.
    """
    if b.key < a.key:  # an alignment is not unique, so one order has to be chosen
        gaps, similarity = align(b, a)
        return [Gap(gap.start_b, gap.end_b, gap.start_a, gap.end_a) for gap in gaps], similarity
    gaps = [gap for gap in _gaps(a, b) if not _harmless(gap, a, b)]
    total = a.weight + b.weight
    if not total:
        return gaps, 0.0
    lost = sum(_loss(a.tokens[gap.start_a : gap.end_a], b.tokens[gap.start_b : gap.end_b]) for gap in gaps)
    return gaps, max(0.0, 1 - lost / total)


def _gaps(a: Tokens, b: Tokens) -> list[Gap]:
    words_a, starts_a = _with_compounds(a, b)
    words_b, starts_b = _with_compounds(b, a)
    gaps: list[Gap] = []
    for step in Levenshtein.opcodes(words_a, words_b):
        if step.tag == "equal":
            continue
        gap = Gap(starts_a[step.src_start], starts_a[step.src_end], starts_b[step.dest_start], starts_b[step.dest_end])
        if gaps and gaps[-1].end_a == gap.start_a and gaps[-1].end_b == gap.start_b:
            gap = Gap(gaps[-1].start_a, gap.end_a, gaps[-1].start_b, gap.end_b)
            gaps.pop()
        gaps.append(gap)
    return gaps


def _loss(part_a: tuple[str, ...], part_b: tuple[str, ...]) -> float:
    lost = weight(part_a) + weight(part_b)
    if len(part_a) == len(part_b):
        for word_a, word_b in zip(part_a, part_b, strict=True):
            credit = Indel.normalized_similarity(word_a, word_b, score_cutoff=PARTIAL_CREDIT)
            lost -= credit * weight((word_a, word_b))
    return lost


def _harmless(gap: Gap, a: Tokens, b: Tokens) -> bool:
    part_a, part_b = a.tokens[gap.start_a : gap.end_a], b.tokens[gap.start_b : gap.end_b]
    if not part_a or not part_b:
        # Of a run of signs ("$&!#*") every export loses others.
        return not any(map(str.isalnum, "".join((*part_a, *part_b))))
    joined_a, joined_b = join(part_a), join(part_b)
    # The bar below is a letter of its own in some character sets, and was lost on the way.
    if joined_a == joined_b or joined_a.rstrip("=") == joined_b.rstrip("=") in ("<", ">"):
        return True
    if standard_spelling(joined_a) == standard_spelling(joined_b):
        return True
    if joined_a.rstrip("*") == joined_b.rstrip("*") and len(part_a[-1].rstrip("*")) > 3:
        return gap.end_a == len(a.tokens) and gap.end_b == len(b.tokens)
    if a.text.isascii() and b.text.isascii():
        return False
    return joined_b == _joined_without_umlauts(a, gap.start_a, gap.end_a) or joined_a == _joined_without_umlauts(
        b, gap.start_b, gap.end_b
    )


def _joined_without_umlauts(tokens: Tokens, start: int, end: int) -> str:
    return join(standard_words(write_out_umlauts(_cut(tokens, start, end))))


@lru_cache(maxsize=32768)
def _spans(text: str, count: int) -> tuple[tuple[int, int], ...]:
    """Where in the plain ``text`` each of its ``count`` words stands, in characters; empty if that is not worth finding out."""
    spans = [match.span() for match in _SURFACE_WORD.finditer(text)]
    if len(spans) == count:
        return tuple(spans)
    spans = []
    for chunk in _CHUNK.finditer(text):
        piece, offset = chunk.group(), chunk.start()
        inside = len(words(piece))
        if inside == 1:
            ends = [len(piece)]
        else:
            surface = [match.end() for match in _SURFACE_WORD.finditer(piece)]
            if len(surface) != inside and len(piece) > _LONGEST_CHUNK:
                return ()
            ends = surface if len(surface) == inside else _ends(piece, inside)
        start = 0
        for end in ends:
            part = piece[start:end]
            bare = part.strip(_EDGES) or part
            left = start + part.index(bare)
            spans.append((offset + left, offset + left + len(bare)))
            start = end
    return tuple(spans)


def _ends(piece: str, count: int) -> list[int]:
    """Where each of the ``count`` words of ``piece`` ends, found by reading it letter by letter."""
    seen = [len(words(piece[:position])) for position in range(1, len(piece) + 1)]
    return [
        max((position for position, so_far in enumerate(seen, start=1) if so_far <= word), default=len(piece))
        for word in range(1, count + 1)
    ]


def _cut(tokens: Tokens, start: int, end: int) -> str:
    spans = _spans(tokens.text, len(tokens.tokens))
    if start >= end or end > len(spans):
        return " ".join(tokens.tokens[start:end])
    return tokens.text[spans[start][0] : spans[end - 1][1]]


def changes(cited: Tokens, found: Tokens, gaps: Sequence[Gap]) -> tuple[TokenChange, ...]:
    """The gaps between the cited and the found title as changes, in their order, with what was moved put together."""
    parts = [(cited.tokens[gap.start_a : gap.end_a], found.tokens[gap.start_b : gap.end_b]) for gap in gaps]
    partners = _swapped(parts)
    rest = [index for index in range(len(gaps)) if index not in partners]
    placed: list[tuple[int, TokenChange]] = []
    for index, partner in partners.items():
        # What the citation has here, the record has there.
        here, there = gaps[index], gaps[partner]
        if parts[index][0]:
            text_a, text_b = _cut(cited, here.start_a, here.end_a), _cut(found, there.start_b, there.end_b)
            placed.append((index, TokenChange("moved", text_a, text_b)))
    if rest and _is_permutation([parts[index] for index in rest]):
        first, last = gaps[rest[0]], gaps[rest[-1]]
        text_a, text_b = _cut(cited, first.start_a, last.end_a), _cut(found, first.start_b, last.end_b)
        placed.append((rest[0], TokenChange("moved", text_a, text_b)))
    else:
        for index in rest:
            text_a = _cut(cited, gaps[index].start_a, gaps[index].end_a)
            text_b = _cut(found, gaps[index].start_b, gaps[index].end_b)
            kind: Literal["replaced", "added", "dropped"] = (
                "replaced" if text_a and text_b else "added" if text_a else "dropped"
            )
            placed.append((index, TokenChange(kind, text_a, text_b)))
    return tuple(change for _, change in sorted(placed, key=lambda item: item[0]))


def _swapped(parts: Sequence[_Part]) -> dict[int, int]:
    """Pairs of gaps where the words missing at one place are those too many at the other, both ways round."""
    partners: dict[int, int] = {}
    for index, (part_a, part_b) in enumerate(parts):
        for later in range(index + 1, len(parts)):
            if index not in partners and later not in partners and parts[later] == (part_b, part_a):
                partners[index], partners[later] = later, index
    return partners


def _is_permutation(parts: Sequence[_Part]) -> bool:
    words_a = sorted(word for part_a, _ in parts for word in part_a)
    return words_a == sorted(word for _, part_b in parts for word in part_b)


def render(cited: Tokens, found: Tokens, gaps: Sequence[Gap]) -> str:
    """The cited title with its differences marked in the notation of GNU wdiff: ``[-cited-]{+found+}``."""
    spans = _spans(cited.text, len(cited.tokens))
    if len(spans) != len(cited.tokens):
        return f"[-{cited.text}-]{{+{found.text}+}}"
    pieces: list[str] = []
    position = 0
    for gap in gaps:
        removed, added = _cut(cited, gap.start_a, gap.end_a), _cut(found, gap.start_b, gap.end_b)
        if removed:
            start, end = spans[gap.start_a][0], spans[gap.end_a - 1][1]
            pieces.append(f"{cited.text[position:start]}[-{removed}-]" + (f"{{+{added}+}}" if added else ""))
            position = end
        elif gap.start_a < len(spans):
            start = spans[gap.start_a][0]
            pieces.append(f"{cited.text[position:start]}{{+{added}+}} ")
            position = start
        else:
            pieces.append(f"{cited.text[position:]} {{+{added}+}}")
            position = len(cited.text)
    pieces.append(cited.text[position:])
    return "".join(pieces)
