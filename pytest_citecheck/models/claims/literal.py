"""The judge without a model. It decides only what words and numbers show, and abstains from everything else.

- *Supported*: a sentence of the source contains the claim nearly word for word and in its order, with all its numbers and names,
  and neither denies nor doubts it.
- *Not supported*: a sentence of the source says the same with another number, date or score.
- Otherwise no verdict: the claim is *not shown*. A paraphrase is beyond this judge.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pytest_citecheck.matching import lazy_pattern
from pytest_citecheck.model import Judgement
from pytest_citecheck.models.claims.pairs import clean_source, instructions
from pytest_citecheck.models.claims.passages import SourceIndex, indexed, plain_stem, sentences
from pytest_citecheck.models.claims.usable import unusable
from pytest_citecheck.models.claims.word_lists import HEDGES, LIGHT, MONTHS, NEGATIONS, NUMERALS, PAIRED, VAGUE
from pytest_citecheck.thresholds import CLAIM_FRAME, CLAIM_SAID

OVERLAP = "overlap"
"""The name of this judge."""
NOT_SHOWN = "not-shown"
"""The flag of a judgement without a verdict because the judge abstains."""

_READ = 12  # sentences of a source that are compared word by word, the most similar ones first
_LEAST_WORDS = 3  # words and numbers of a claim
_LEAST_FRAME = 2  # words around a number
_LEAST_PLAIN = 1  # of them that are no names
_LONGEST_SENTENCE = 120  # words of a sentence that are compared
_NEAR = 3  # words between a number and the word that it belongs to

_WEAKENED = lazy_pattern(
    r"\s+(?:only|just|merely|simply|least|less|fewer|more|later|sooner|earlier|longer than|doubt"
    r"|necessarily|uncommon|unlike|one of)\b"
    r"|[^.;]{0,120}\b(?:until|till|unless)\b",
    re.IGNORECASE,
)
_WRAPPED = lazy_pattern(r"(?<=[^\n]{40})\n(?=[^\W\d_])")
"""The end of a wrapped line within a paragraph."""
_TOKEN = lazy_pattern(
    r"(?P<score>(?<![\w.,])\d{1,3}[–-]\d{1,3}(?![\w–-]|[.,]\d))"
    r"|(?P<number>(?:(?P<money>[$£€¥])\s?)?(?<![\w.])\d[\d,]*+(?:\.\d+)?(?P<ordinal>st|nd|rd|th)?(?P<percent>\s?(?:%|per\s?cent\b))?"
    r"(?:\s?(?P<large>thousand|million|billion|trillion)\b)?)"
    r"|(?P<word>[^\W_]+(?:['’.&-][^\W_]+)*)"
)
_LARGE = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_OPPOSITES: dict[str, tuple[str, ...]] = {}
for _one, _other in (pair.split() for line in PAIRED.split("\n") if line.strip() for pair in line.strip().split("|")):
    _OPPOSITES[plain_stem(_one)] = (*_OPPOSITES.get(plain_stem(_one), ()), plain_stem(_other))
    _OPPOSITES[plain_stem(_other)] = (*_OPPOSITES.get(plain_stem(_other), ()), plain_stem(_one))


@dataclass(frozen=True, slots=True)
class _Token:
    """A word or a number.

    kind: empty for a word, else what is counted. name: whether it has a capital within a sentence. exact: False for a number
    that is rounded or a bound.
    """

    stem: str
    text: str
    kind: str = ""
    value: float = 0.0
    name: bool = False
    exact: bool = True


@dataclass(frozen=True, slots=True)
class _Sentence:
    """The words of a sentence that say something.

    negated: places of words after a negation. passive: whether a “by” follows a “was”.
    """

    text: str
    tokens: tuple[_Token, ...]
    negated: tuple[int, ...]
    hedged: bool
    passive: bool

    def numbers(self) -> Iterator[tuple[int, _Token]]:
        return ((place, one) for place, one in enumerate(self.tokens) if one.kind)


def judge_without_model(claim: str, source: str) -> Judgement:
    """The verdict with the sentence that decides as its quote, or a judgement without a verdict and the flag “not-shown”."""
    text = clean_source(source)
    told = instructions(text)
    flags = ("instructions",) if told else ()
    text = without_instructions(text) if told else text
    if problem := unusable(text, claim):
        return Judgement("Source unavailable", 0, problem, flags=flags)
    index = indexed(_WRAPPED.sub(" ", text))
    whole = _sentence(claim)
    parts = [_sentence(claim[start:end]) for start, end in sentences(claim)]
    found = [_compared(whole, index)]
    if found[0] is None and len(parts) > 1:
        found = [_compared(one, index) for one in parts if one.tokens]
    for judged in found:
        if judged is not None and judged.verdict == "Not supported":
            return _with(judged, flags)
    if found and all(judged is not None for judged in found):
        said = [judged for judged in found if judged is not None]
        quote = " ... ".join(dict.fromkeys(judged.quote for judged in said))
        return Judgement("Supported", said[0].confidence, said[0].comments, "", quote, flags)
    searched = f"all {len(index.text):,} characters of the source were searched"
    return Judgement(None, None, f"words alone do not decide it; {searched}", flags=(*flags, NOT_SHOWN))


def _with(said: Judgement, flags: tuple[str, ...]) -> Judgement:
    return Judgement(said.verdict, said.confidence, said.comments, said.reason_type, said.quote, flags)


def without_instructions(text: str) -> str:
    """The text without what it says to models."""
    parts, position = [], 0
    for start, end in instructions(text):
        parts.append(text[position:start])
        position = end
    return "\n".join((*parts, text[position:]))


def _sentence(text: str) -> _Sentence:
    tokens: list[_Token] = []
    negated: list[int] = []
    vague = starts = True
    vague = False
    hedged = was = passive = False
    for match in _TOKEN.finditer(text):
        word = match["word"]
        if word is None:
            tokens.append(_number(match, exact=not vague))
            vague = starts = False
            continue
        lower = word.lower().replace("’", "'")
        stem = plain_stem(word)
        vague = lower in VAGUE or (vague and lower == "than")
        hedged = hedged or ((stem in HEDGES or lower in HEDGES) and (lower != "may" or word == "may"))
        was = was or lower in ("was", "were", "been", "is", "are")
        passive = passive or (was and lower == "by")
        if lower in NEGATIONS or stem in NEGATIONS or lower.endswith("n't"):
            # “Not until 1985” and “no fewer than” deny nothing.
            hedged = hedged or _WEAKENED.match(text, match.end()) is not None
            negated.append(len(tokens))
        elif lower in NUMERALS:
            tokens.append(_Token(f"#{float(NUMERALS[lower])}", word, "count", NUMERALS[lower]))
        elif lower in MONTHS and word[0].isupper():
            tokens.append(_Token(f"month{MONTHS[lower]}", word, "month", MONTHS[lower]))
        elif lower not in LIGHT:
            tokens.append(_Token(stem, word, name=word[0].isupper() and not starts))
        starts = False
    return _Sentence(text, _units(tokens[:_LONGEST_SENTENCE]), tuple(negated), hedged, passive)


def _number(match: re.Match[str], *, exact: bool) -> _Token:
    if match["score"]:
        one = match["score"].replace("–", "-")
        return _Token(one, match[0], "score")
    digits = re.search(r"\d[\d,]*(?:\.\d+)?", match[0])
    assert digits is not None  # noqa: S101 - the pattern contains one
    plain = digits[0].rstrip(",")
    value = float(plain.replace(",", "")) * _LARGE.get((match["large"] or "").lower(), 1)
    if match["percent"]:
        kind = "percent"
    elif match["money"]:
        kind = "money"
    elif match["ordinal"]:
        kind = "ordinal"
    elif len(plain) == 4 and plain.isdigit() and 1000 <= value <= 2100:
        kind = "year"
    else:
        kind = "count"
    return _Token(f"#{value}", match[0].strip(), kind, value, exact=exact)


def _units(tokens: list[_Token]) -> tuple[_Token, ...]:
    """The tokens, with the unit of each count, and the days of dates marked."""
    found = []
    for place, one in enumerate(tokens):
        after = tokens[place + 1] if place + 1 < len(tokens) else None
        before = tokens[place - 1] if place else None
        beside_month = any(other is not None and other.kind == "month" for other in (before, after))
        if one.kind == "count" and beside_month and 1 <= one.value <= 31:
            one = _Token(one.stem, one.text, "day", one.value, exact=one.exact)
        elif one.kind == "count":
            unit = after.stem if after is not None and not after.kind else ""
            one = _Token(one.stem, one.text, f"count {unit}", one.value, exact=one.exact)
        found.append(one)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Aligned:
    """A claim beside a sentence. pairs: places of equal words in both, in order."""

    claim: _Sentence
    other: _Sentence
    pairs: tuple[tuple[int, int], ...]

    @property
    def paired(self) -> dict[int, int]:
        return dict(self.pairs)

    @property
    def held(self) -> float:
        """The share of the claim’s words that the other one has, in any order."""
        theirs = {token.stem for token in self.other.tokens}
        return sum(token.stem in theirs for token in self.claim.tokens) / max(1, len(self.claim.tokens))

    def share(self, *, numbers: bool = True, without: frozenset[int] = frozenset()) -> float:
        wanted = [
            place for place, one in enumerate(self.claim.tokens) if (numbers or not one.kind) and place not in without
        ]
        paired = self.paired
        return sum(place in paired for place in wanted) / len(wanted) if wanted else 0.0


def _aligned(claim: _Sentence, other: _Sentence) -> _Aligned:
    """The longest common subsequence of their words."""
    one, two = [token.stem for token in claim.tokens], [token.stem for token in other.tokens]
    lengths = [[0] * (len(two) + 1) for _ in range(len(one) + 1)]
    for i in range(len(one) - 1, -1, -1):
        row, below = lengths[i], lengths[i + 1]
        for j in range(len(two) - 1, -1, -1):
            row[j] = below[j + 1] + 1 if one[i] == two[j] else max(below[j], row[j + 1])
    pairs, i, j = [], 0, 0
    while i < len(one) and j < len(two):
        if one[i] == two[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif lengths[i + 1][j] >= lengths[i][j + 1]:
            i += 1
        else:
            j += 1
    return _Aligned(claim, other, tuple(pairs))


def _compared(claim: _Sentence, index: SourceIndex) -> Judgement | None:
    """Judgement from the most similar sentences; None if they do not decide."""
    if len(claim.tokens) < _LEAST_WORDS:
        return None
    close = [number for _, number in index.ranked(claim.text)[:_READ]]
    single = [_aligned(claim, _read(index, number)) for number in close]
    for one in single:
        reason = _other_number(one, single)
        if reason:
            return Judgement("Not supported", 5, reason, "contradiction", one.other.text.strip())
    for one in single:
        if _says_as_much(one):
            said = f"{100 * one.held:.0f} % of the claim’s words are in this sentence, with all its numbers and names"
            return Judgement("Supported", 95, said, "", one.other.text.strip())
    return None


def _read(index: SourceIndex, number: int) -> _Sentence:
    start, end = index.places[number]
    return _sentence(index.text[start:end])


def _says_as_much(one: _Aligned) -> bool:
    """Return True if the sentence has the words of the claim in their order, and nothing that turns them."""
    claim, other = one.claim, one.other
    if one.held < CLAIM_SAID or sum(not (token.name or token.kind) for token in claim.tokens) < _LEAST_PLAIN:
        return False
    stems = {token.stem for token in other.tokens}
    if not all(token.stem in stems for token in claim.tokens if token.kind or token.name):
        return False
    if len(claim.negated) != len(other.negated) or (other.hedged and not claim.hedged) or "?" in other.text:
        return False
    if any(place not in one.paired and token.stem in stems for place, token in enumerate(claim.tokens)):
        return False  # a word stands elsewhere: “from 40 to 55” is not “from 55 to 40”
    if _names_exchanged(one):
        return False
    missing = {token.stem for token in claim.tokens} - stems
    return not any(opposite in stems for stem in missing for opposite in _OPPOSITES.get(stem, ())) and not _substituted(
        one
    )


def _names_exchanged(one: _Aligned) -> bool:
    """Return True if the names that both have are in another order, and a passive does not explain it."""
    named = {token.stem for part in (one.claim, one.other) for token in part.tokens if token.name}
    first, second = (
        list(dict.fromkeys(token.stem for token in part.tokens if token.stem in named))
        for part in (one.claim, one.other)
    )
    mine, theirs = [stem for stem in first if stem in second], [stem for stem in second if stem in first]
    return mine != theirs and one.claim.passive == one.other.passive


def _substituted(one: _Aligned) -> bool:
    """Return True if the source has another word in place of a word of the claim, between the same two words."""
    paired, stems = one.paired, {token.stem for token in one.claim.tokens}
    theirs = {token.stem for token in one.other.tokens}
    last = len(one.claim.tokens) - 1
    for place, token in enumerate(one.claim.tokens):
        if token.stem in theirs or not all(
            beside in paired for beside in (place - 1, place + 1) if 0 <= beside <= last
        ):
            continue
        slot = [one.other.tokens[where].stem for where in _slot(one, place)]
        if 0 < len(slot) < _NEAR and not stems & set(slot):
            return True
    return False


def _slot(one: _Aligned, place: int) -> range:
    """The places in the source between the words that are paired on either side of a word of the claim."""
    before = [pair for pair in one.pairs if pair[0] < place]
    after = [pair for pair in one.pairs if pair[0] > place]
    start = before[-1][1] + 1 if before else max(0, after[0][1] - after[0][0] + place) if after else 0
    stop = after[0][1] if after else before[-1][1] + 1 + place - before[-1][0] if before else 0
    return range(start, max(start, stop))


def _negations(one: _Aligned) -> tuple[int, int]:
    """Negations of the claim, and of the source among the words that are paired, that the other one lacks."""
    theirs = [place for _, place in one.pairs]
    if not theirs:
        return 0, 0
    claim = len(one.claim.negated) % 2
    other = sum(theirs[0] <= place <= theirs[-1] for place in one.other.negated) % 2
    return (1, 0) if claim and not other else (0, 1) if other and not claim else (0, 0)


def _other_number(one: _Aligned, beside: Sequence[_Aligned]) -> str:
    """Why a sentence contradicts the claim: another number, in the same place, of the same kind; empty if it does not."""
    words = sum(not token.kind for token in one.claim.tokens)
    unpaired = [(place, token) for place, token in one.claim.numbers() if place not in one.paired]
    if one.other.hedged or one.claim.hedged or len(unpaired) != 1:
        return ""  # more than one: a sentence about another year or another thing
    if words < _LEAST_FRAME or one.share(numbers=False) < CLAIM_FRAME or _negations(one) != (0, 0):
        return ""
    ((place, token),) = unpaired
    other = _rival(one, place, token) if token.exact and not _stated_nearby(token, beside) else None
    return f"the claim says {token.text}, the source {other.text}" if other else ""


def _rival(one: _Aligned, place: int, token: _Token) -> _Token | None:
    """The number of the source in place of a number of the claim."""
    stated = {number.stem for _, number in one.claim.numbers()}
    alike = [(where, other) for where, other in one.other.numbers() if other.kind == token.kind]
    theirs = [
        (where, other)
        for where, other in alike
        if other.stem not in stated and other.exact and not _rounded(token, other)
    ]
    slot = _wide_slot(one, place)
    fits = [other for where, other in theirs if where in slot]
    if len(fits) == 1:
        return fits[0]
    alone = len(alike) == 1 and theirs and token.kind in ("year", "month", "percent", "score")
    return (fits or [theirs[0][1]])[0] if alone else None


def _stated_nearby(token: _Token, beside: Iterable[_Aligned]) -> bool:
    """Return True if another sentence that resembles the claim has the number."""
    return any(token.stem == other.stem for one in beside for _, other in one.other.numbers())


def _rounded(one: _Token, other: _Token) -> bool:
    """Return True if one of two numbers is the other one, rounded."""
    if one.kind in ("year", "month", "day", "score", "ordinal"):
        return False
    return any(
        math.isclose(float(f"{high.value:.{_digits(low)}g}"), low.value) for low, high in ((one, other), (other, one))
    )


def _digits(number: _Token) -> int:
    """The significant digits of a number as printed."""
    printed = re.search(r"\d[\d,.]*", number.text)
    return len(re.sub(r"\D", "", printed[0]).strip("0")) if printed else 1


def _wide_slot(one: _Aligned, place: int) -> range:
    """The places in the source near the word that is paired before or after a number of the claim."""
    before = [pair for pair in one.pairs if place - _NEAR <= pair[0] < place]
    after = [pair for pair in one.pairs if place < pair[0] <= place + _NEAR]
    if before and after:
        return range(before[-1][1] + 1, after[0][1])
    if before:
        return range(before[-1][1] + 1, before[-1][1] + 1 + place - before[-1][0])
    if after:
        return range(after[0][1] - (after[0][0] - place), after[0][1])
    return range(0)
