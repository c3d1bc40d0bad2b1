"""The judge without a model. It decides only what a sentence of the source says in the same words, and abstains otherwise.

- *Supported*: a sentence of the source is the claim, word for word.
- *Not supported*: a sentence of the source says the same with one other number, and the source nowhere has the number of the
  claim.
- Otherwise no verdict: the claim is *not shown*. A paraphrase is beyond this judge.
"""

from __future__ import annotations

import re
from dataclasses import replace

from pytest_citecheck.matching import lazy_pattern
from pytest_citecheck.model import Judgement
from pytest_citecheck.models.claims.pairs import clean_source, instructions
from pytest_citecheck.models.claims.passages import SourceIndex, between, indexed, sentences
from pytest_citecheck.models.claims.usable import unusable

OVERLAP = "overlap"
"""The name of this judge."""
NOT_SHOWN = "not-shown"
"""The flag of a judgement without a verdict because the judge abstains."""

_READ = 12  # sentences of a source that are compared word by word, the most similar ones first
_LEAST_WORDS = 3  # words and numbers of a claim
_WRAPPED = lazy_pattern(r"(?<=[^\n]{40})\n(?=[^\W\d_])")
"""The end of a wrapped line within a paragraph."""
_TOKEN = lazy_pattern(r"\d+(?:,\d{3})*(?:\.\d+)?|[^\W\d_]+(?:['’.&-][^\W\d_]+)*|[$£€¥%]")


def judge_without_model(claim: str, source: str) -> Judgement:
    """The verdict with the sentence that decides as its quote, or a judgement without a verdict and the flag “not-shown”."""
    text = clean_source(source)
    flags = ("instructions",) if instructions(text) else ()
    text = without_instructions(text)
    if problem := unusable(text, claim):
        return Judgement("Source unavailable", 0, problem, flags=flags)
    index = indexed(_WRAPPED.sub(" ", text))
    found = [_compared(claim[start:end], index) for start, end in sentences(claim)]
    decided = [said for said in found if said is not None]
    if wrong := next((said for said in decided if said.verdict == "Not supported"), None):
        return replace(wrong, flags=flags)
    if decided and len(decided) == len(found):
        quote = " ... ".join(dict.fromkeys(said.quote for said in decided))
        return replace(decided[0], quote=quote, flags=flags)
    searched = f"all {len(index.text):,} characters of the source were searched"
    return Judgement(None, None, f"words alone do not decide it; {searched}", flags=(*flags, NOT_SHOWN))


def without_instructions(text: str) -> str:
    """The text without what it says to models."""
    return "\n".join(text[start:end] for start, end in between(instructions(text), len(text)))


def _tokens(text: str) -> list[str]:
    return [match[0].casefold().replace("’", "'") for match in _TOKEN.finditer(text)]


def _compared(claim: str, index: SourceIndex) -> Judgement | None:
    """Judgement of one sentence of a claim; None if no sentence of the source decides it."""
    words = _tokens(claim)
    if len(words) < _LEAST_WORDS:
        return None
    for _, number in index.ranked(claim)[:_READ]:
        sentence = index.text[slice(*index.places[number])].strip()
        of_source = _tokens(sentence)
        if "?" in sentence:
            continue
        if of_source == words:
            return Judgement("Supported", 95, "this sentence of the source is the claim, word for word", "", sentence)
        if reason := _other_number(words, of_source, index):
            return Judgement("Not supported", 5, reason, "contradiction", sentence)
    return None


def _other_number(words: list[str], of_source: list[str], index: SourceIndex) -> str:
    """Return which number of the claim differs from the sentence of the source, if nothing else does; else an empty string."""
    differ = [place for place, pair in enumerate(zip(words, of_source, strict=False)) if pair[0] != pair[1]]
    if len(differ) != 1 or len(of_source) < len(words):
        return ""
    claimed, stated = words[differ[0]], of_source[differ[0]]
    if not (claimed[0].isdigit() and stated[0].isdigit()) or _digits(claimed) != _digits(stated):
        return ""  # numbers with other digits may be rounded
    is_whole = differ[0] + 1 < len(words) or len(of_source) == len(words) or len(claimed) == 4  # a year needs no unit
    if not is_whole or claimed in _tokens(index.text):
        return ""
    return f"the claim says {claimed}, the source {stated}"


def _digits(number: str) -> int:
    """The significant digits of a number as printed."""
    return len(re.sub(r"\D", "", number).strip("0"))
