"""The word-level difference of two titles.

Words are aligned by the Levenshtein distance on words (V. I. Levenshtein, Soviet Physics Doklady 10, 1966,
707-710), never by comparing bags of words: the order counts.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from operator import add
from typing import TYPE_CHECKING, Literal

from rapidfuzz.distance import Indel, Levenshtein

from pytest_citecheck.matching.text import CJK, data_file, lazy_pattern, words
from pytest_citecheck.thresholds import FUNCTION_DISCOUNT, PARTIAL_CREDIT

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_ROWS = (line.partition("\t") for line in data_file("spelling.tsv").splitlines() if not line.startswith("#"))
_RULES = tuple((lazy_pattern(pattern), replacement) for pattern, _, replacement in _ROWS)
# Most words match no rule. A search for letters that every rule needs excludes them fastest; then one for the rules.
_HINT = lazy_pattern(
    "our|ae|oe|sulph|aluminium|sceptic|artefact|ence|exion|enquir|ment|lful|ll|yz|iz|re|logue|programme|ageing|disc|mould"
    "|plough|practis|focuss|advisor|learnt|towards|amongst|whilst|vs"
    "|cypher|syphon|[sl]eable|izeable|adaptor|cendent|panjabi|uig|umanian|koran|outeing|orientated|exes$|ixes$|formulae"
    "|eb[iy][sc]|ap(?:u|ou)n|off$|hono"
)
_ANY = lazy_pattern("|".join(pattern.pattern for pattern, _ in _RULES))

_UMLAUTS = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "å": "aa", "Å": "Aa", "ø": "oe", "Ø": "Oe"}
)


@lru_cache(maxsize=16384)
def standard_spelling(word: str) -> str:
    """One spelling for all regional spellings of the folded ``word``; not always one that a dictionary knows.

    Only the two spellings of one word fall together: inflections (model, models) stay apart.
    """
    if not _HINT.search(word) or not _ANY.search(word):
        return word
    before = ""
    while before != word:
        before = word
        for pattern, replacement in _RULES:
            if pattern.search(word):  # a template with groups costs more than a search, match or none
                word = pattern.sub(replacement, word)
    return word


def write_out_umlauts(text: str) -> str:
    """``text`` with German and Nordic letters written out (``Über`` as ``Ueber``)."""
    return text.translate(_UMLAUTS)


FUNCTION_WORDS = frozenset({
    "a", "an", "the", "of", "for", "in", "on", "at", "to", "from", "by", "with", "into", "onto", "via", "per", "as",
    "about", "above", "across", "after", "against", "along", "among", "amid", "around", "before", "behind", "below",
    "beneath", "beside", "between", "beyond", "during", "inside", "outside", "over", "through", "throughout",
    "toward", "under", "until", "upon", "within", "and", "or", "but", "nor", "is", "are", "was", "were", "be",
    "been", "being", "it", "its", "this", "that", "these", "those", "which", "who", "whose", "whom", "there",
    "than", "then", "der", "das", "dem", "den", "des", "ein", "eine", "einer", "eines", "und", "von", "vom", "zur",
    "zum", "im", "le", "la", "les", "un", "une", "du", "de", "et", "el", "los", "las", "una", "del",
})  # fmt: skip

_SERIES_MARKERS = frozenset({
    "part", "vol", "volume", "book", "chapter", "type", "phase", "stage", "class",
})  # fmt: skip
_ROMAN = {
    "i": "1", "ii": "2", "iii": "3", "iv": "4", "v": "5", "vi": "6", "vii": "7", "viii": "8", "ix": "9",
    "x": "10", "xi": "11", "xii": "12", "xiii": "13", "xiv": "14", "xv": "15", "xvi": "16", "xvii": "17",
    "xviii": "18", "xix": "19", "xx": "20",
}  # fmt: skip
_DIGIT = lazy_pattern(r"\d")


@dataclass(frozen=True, slots=True)
class Tokens:
    """A plain title, split into words for comparison.

    tokens: the words, folded, in one regional spelling.
    key: the words run together.
    vocabulary: the different words.
    pairs: the compounds that adjoining words would make, so that the same compound is found in another title.
    weight: the sum over the words, 1 for a content word and 0.2 for a function word.
    """

    text: str
    tokens: tuple[str, ...]
    key: str
    vocabulary: frozenset[str]
    pairs: frozenset[str]
    weight: float


def join(tokens: Sequence[str]) -> str:
    """Words run together, so that hyphens and spaces make no difference. Digits of different words do not merge."""
    text = "".join(tokens)
    if not _DIGIT.search(text):
        return text
    parts: list[str] = []
    last = ""
    for token in tokens:
        if last.isdecimal() and token[0].isdecimal():
            parts.append(".")
        parts.append(token)
        last = token[-1]
    return "".join(parts)


def weight(tokens: Collection[str]) -> float:
    """Weight of words in a similarity: 1 each, or 0.2 for a function word."""
    return len(tokens) - FUNCTION_DISCOUNT * sum(map(FUNCTION_WORDS.__contains__, tokens))


_ENDING_OF = {1: "st", 2: "nd", 3: "rd"}
_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth",
)  # fmt: skip
_IN_DIGITS = {
    **{word: str(number) for number, word in enumerate(_NUMBERS, 2)},
    **{word: f"{number}{_ENDING_OF.get(number, 'th')}" for number, word in enumerate(_ORDINALS, 1)},
}


def standard_words(text: str) -> tuple[str, ...]:
    """Folded words of ``text`` in one regional spelling, with ordinals and small numbers ("Part II") as digits."""
    tokens = [_IN_DIGITS.get(token, token) for token in map(standard_spelling, words(text))]
    if not _SERIES_MARKERS.isdisjoint(tokens):
        for index in range(1, len(tokens)):
            if tokens[index] in _ROMAN and tokens[index - 1] in _SERIES_MARKERS:
                tokens[index] = _ROMAN[tokens[index]]
    return tuple(tokens)


def tokenise(text: str) -> Tokens:
    """The comparable words of the plain title ``text``."""
    tokens = standard_words(text)
    return Tokens(
        text=text,
        tokens=tokens,
        key=join(tokens),
        vocabulary=frozenset(tokens),
        pairs=frozenset(map(add, tokens, tokens[1:])),
        weight=weight(tokens),
    )


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

    ``replaced``: ``cited`` in the citation corresponds to ``found`` in the record. ``dropped``: the citation lacks
    ``found``. ``added``: the record lacks ``cited``. ``moved``: both have the words, at different places.
    """

    kind: Literal["replaced", "dropped", "added", "moved"]
    cited: str
    found: str


@dataclass(frozen=True, slots=True)
class Gap:
    """A stretch where two titles differ: words ``[start_a, end_a)`` of one correspond to ``[start_b, end_b)`` of the
    other."""

    start_a: int
    end_a: int
    start_b: int
    end_b: int


def shared_weight(a: Tokens, b: Tokens) -> float:
    """Share of the words that both have, in any order: 0 to 1, by weight."""
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
    """Gaps between two titles, and their similarity: the weight of the common words, in order, 0 to 1.

    A misspelled or inflected word counts in part. Harmless differences (compounds, umlauts written out, the asterisk of
    a footnote) are no gaps. Symmetric: ``align(b, a)`` finds the same gaps, seen from the other side.
    """
    if b.key < a.key:  # an alignment is not unique, so one order must be chosen
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
        # Every export loses different characters of a run of signs ("$&!#*").
        return not any(map(str.isalnum, "".join((*part_a, *part_b))))
    joined_a, joined_b = join(part_a), join(part_b)
    # The bar below is a separate letter in some character sets, and was lost on the way.
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


@lru_cache(maxsize=2048)
def _spans(text: str, count: int) -> tuple[tuple[int, int], ...]:
    """Spans, in characters, of the ``count`` words in the plain ``text``; empty if they are not worth the search."""
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
    """End positions of the ``count`` words of ``piece``, found by reading it letter by letter."""
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
    """Gaps between the cited and the found title as changes, in order, with the parts of a move combined."""
    parts = [(cited.tokens[gap.start_a : gap.end_a], found.tokens[gap.start_b : gap.end_b]) for gap in gaps]
    partners = _swapped(parts)
    rest = [index for index in range(len(gaps)) if index not in partners]
    placed: list[tuple[int, TokenChange]] = []
    for index, partner in partners.items():
        # The citation has the first text here, the record the second.
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
