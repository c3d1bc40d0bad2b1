"""Whether two titles are the same, and what differs if not.

Sameness is decided on words after harmless variation was removed, never by a similarity score: "16x16" and
"32x32", "C" and "C++" differ in little but name different works.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from rapidfuzz.distance import Indel

from pytest_citecheck.text.normal_form import fold, without_latex_and_markup
from pytest_citecheck.thresholds import CUT_TITLE_WORDS, DISORDER, NEAR_IN_ANY_ORDER, NEAR_IN_ORDER, NEAR_LETTERS
from pytest_citecheck.titles.parts import heads, tails, unmarked, without_labels
from pytest_citecheck.titles.token_diff import TokenChange, align, changes, render, shared_weight
from pytest_citecheck.titles.tokens import FUNCTION_WORDS, Tokens, join, standard_words, tokenise

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["TitleComparison", "TokenChange", "compare_titles", "render_diff", "title_key"]

Relation = Literal["same", "short", "near", "different"]

_RANK: dict[Relation, int] = {"same": 0, "short": 1, "near": 2, "different": 3}

_WORTH_ALIGNING = 0.3  # by words; by letters for short titles with several misspellings
_LETTERS_WORTH_ALIGNING = 0.8


@dataclass(frozen=True, slots=True)
class TitleComparison:
    """How a cited title relates to the title of a record.

    ``same``: nothing differs but harmless variation. ``short``: one is the main title of the other, cut where
    the subtitle begins, or cut by an ellipsis, or without the coined name in front ("BigGAN: ") or the year
    after; right only if identifiers or authors agree. ``near``: most is shared, but words were changed, dropped,
    added or moved. ``different``: anything else.

    similarity: share of the words in common, by weight, less if in another order, or of the letters if they
        are nearly the same; 0 to 1, and 1 only for ``same``.
    changes: what differs, from the cited to the found title; empty for ``same`` and for titles with little in
        common.
    found: the title form of the record that fits the cited title best.
    """

    relation: Relation
    similarity: float
    changes: tuple[TokenChange, ...]
    found: str

    @property
    def only_function_words(self) -> bool:
        """Whether there are changes, and all concern articles, prepositions, conjunctions and auxiliaries."""
        return bool(self.changes) and all(
            FUNCTION_WORDS.issuperset((*tokenise(change.cited).tokens, *tokenise(change.found).tokens))
            for change in self.changes
        )


@lru_cache(maxsize=65536)
def _prepared(title: str) -> Tokens:
    text = without_latex_and_markup(title)
    return tokenise(without_labels(text) if text else "")


@lru_cache(maxsize=65536)
def _settled(key: str) -> str:
    # Running words together can spell a new word ("col" + "our"), and a key has to be its own key.
    while (again := join(standard_words(key))) != key:
        key = again
    return key


def title_key(text: str) -> str:
    """The normal form of a title, for exact look-up and for finding duplicates.

    Equal for titles that differ in harmless ways only, as far as normalisation alone can tell: case, accents,
    markup, punctuation, spaces and hyphens, regional spelling, labels. Idempotent; empty only for a text
    without any sign.
    """
    if not text:
        return ""
    return _settled(_prepared(text).key) or fold(text).replace(" ", "")


def compare_titles(cited: str, title: str, subtitle: str = "", others: Sequence[str] = ()) -> TitleComparison:
    """How ``cited`` relates to the title of a record; symmetric in the two titles.

    cited, title: titles as Unicode text, LaTeX and markup allowed.
    subtitle: of the record, if the source keeps it apart.
    others: titles under which the record is known as well (original, translated, of earlier versions).
    """
    if not subtitle and not others:
        return _compare(cited, title)
    comparisons = _comparisons(cited, title, subtitle, others)
    return min(comparisons, key=lambda comparison: (_RANK[comparison.relation], -comparison.similarity))


def _comparisons(cited: str, title: str, subtitle: str, others: Sequence[str]) -> list[TitleComparison]:
    result: list[TitleComparison] = []
    if subtitle and not title_key(title).endswith(title_key(subtitle)):
        full = f"{title}: {subtitle}"
        whole = _compare(cited, full)
        alone = _compare(cited, title)
        if alone.relation == "same" and whole.relation != "same":
            alone = TitleComparison("short", whole.similarity, whole.changes, full)
        result += [whole, alone]
    else:
        result.append(_compare(cited, title))
    result += [_compare(cited, other) for other in others if other]
    return result


@lru_cache(maxsize=16384)
def _compare(cited: str, title: str) -> TitleComparison:
    a, b = _prepared(cited or ""), _prepared(title or "")
    if not a.key or not b.key:
        # Nothing but punctuation is no title to compare, unless it is literally the title.
        signs = title_key(cited)
        same = bool(signs) and signs == title_key(title)
        return TitleComparison("same" if same else "different", float(same), (), title or "")
    if a.key == b.key or _is_marked(a, b):
        return TitleComparison("same", 1.0, (), title)
    short = _is_cut(a, b)
    in_any_order = shared_weight(a, b)
    letters = Indel.normalized_similarity(a.key, b.key, score_cutoff=_LETTERS_WORTH_ALIGNING)
    if not short and not letters and in_any_order < _WORTH_ALIGNING:
        return TitleComparison("different", in_any_order, (), title)
    gaps, in_order = align(a, b)
    if not gaps:
        return TitleComparison("same", 1.0, (), title)
    if short:
        relation: Relation = "short"
    elif in_order >= NEAR_IN_ORDER or in_any_order >= NEAR_IN_ANY_ORDER or letters >= NEAR_LETTERS:
        relation = "near"
    else:
        relation = "different"
    similarity = min(max(in_order, DISORDER * in_any_order, letters if letters >= NEAR_LETTERS else 0.0), 0.999)
    # Costly, and of no use for titles that have little in common.
    differing = changes(a, b, gaps) if relation != "different" else ()
    return TitleComparison(relation, similarity, differing, title)


def _is_marked(a: Tokens, b: Tokens) -> bool:
    """Whether one title is the other with a number before it, or a footnote mark or a comment after it."""
    shorter, longer = (a, b) if len(a.key) < len(b.key) else (b, a)
    if not (longer.key.endswith(shorter.key) or longer.key.startswith(shorter.key)):
        return False
    bare = unmarked(longer.text)
    return bare != longer.text and _prepared(bare).key == shorter.key


def _is_cut(a: Tokens, b: Tokens) -> bool:
    """Whether one title is the other up to where a subtitle begins, or up to its own ellipsis, or after its coined name."""
    shorter, longer = (a, b) if len(a.key) < len(b.key) else (b, a)
    if longer.key.endswith(shorter.key) and any(_prepared(tail).key == shorter.key for tail in tails(longer.text)):
        return True
    if not longer.key.startswith(shorter.key):
        return False
    if shorter.text.endswith(("...", "…")) and len(shorter.tokens) >= CUT_TITLE_WORDS:
        return True
    return any(_prepared(head).key == shorter.key for head in heads(longer.text))


def render_diff(comparison: TitleComparison, cited: str) -> str:
    """The word-level difference in one line: ``Causal [-abstractions-]{+abstraction+} of neural networks``.

    What the citation says stands in ``[-…-]``, what the record says in ``{+…+}``. Without a difference that
    means something, the cited title.
    """
    if comparison.relation == "same":
        return without_latex_and_markup(cited)
    a, b = _prepared(cited), _prepared(comparison.found)
    gaps, _ = align(a, b)
    return render(a, b, gaps)
