r"""Sentences of a manuscript that are no claims about the cited work: one table of cues.

A cue is a pattern. A sentence that matches it is left out, with the reason. ``right`` and ``wrong`` count its sentences in the
judged samples: those that carry no claim, and those that do. `python -m benchmarks.claims_of_manuscripts` counts them again.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from pytest_citecheck.matching import lazy_pattern
from pytest_citecheck.models.claims.word_lists import EXISTING

SHORTEST = 10  # characters of a claim
LEAST_WORDS = 3
_FEW_WORDS = 4  # of a sentence that only says that works exist, beside the words that say so
_MATHS = 6  # signs of mathematics in a sentence that is mostly a formula

OWN: Final = "about the authors’ own work"
EXIST: Final = "it only says that works exist"
POINTER: Final = "it only points to the work"
ELSEWHERE: Final = "it refers to another place in the paper"
TOOL: Final = "it only names software or data"
DEFINITION: Final = "it only gives a name"
THANKS: Final = "it thanks somebody"
FORMULA: Final = "mostly a formula"
PART: Final = "no whole sentence"

_NAME = r"(?-i:the authors|[A-Z][\w'’-]+(?:(?:,? (?:and|&)|,) [A-Z][\w'’-]+)*+(?: et al\.?)?(?: \(\d{4}[a-z]?\))?)"
_TOLD = (
    r"(?:found|described|explained|documented|discussed|detailed|reviewed|illustrated|outlined|summari[sz]ed|introduced"
    r"|presented|given|provided|analy[sz]ed|treated|covered|surveyed)"
)
_SOFTWARE = r"(?:packages?|software|toolbox(?:es)?|librar(?:y|ies)|add-ons?)"


class Cue(NamedTuple):
    """A row. right, wrong: judged sentences with the cue that carry no claim, and that do."""

    name: str
    pattern: re.Pattern[str]
    reason: str
    right: int
    wrong: int


def _cue(name: str, pattern: str, reason: str, right: int, wrong: int) -> Cue:
    return Cue(name, lazy_pattern(pattern, re.IGNORECASE), reason, right, wrong)


CUES: Final = (
    _cue("first person", r"\b(?:we|our|ours|us)\b|\bI(?= [a-z]{2,} )", OWN, 22, 2),
    _cue(
        "this paper",
        r"\b(?:this|the present|the current) (?:paper|work|article|study|thesis|section|chapter|appendix|report|vignette"
        r"|graph|plot|implementation|introduction|manual|document|tutorial|guide|package|function)\b|\b(?:section"
        r"|appendix) \d|\bin (?:the following|the appendix)\b"
        r"|\bin the next (?:paper|work|section|chapter|study)\b",
        OWN, 7, 0,
    ),
    _cue("here", r"\b(?:here (?:described|proposed|used|presented)|described here|is here|illustrated below)\b", OWN, 3, 0),
    _cue(
        "announcement",
        r"\A(?:next|afterwards|then|finally|first|second),? the .{0,60}?\b(?:is|are) (?:\w+ ){0,2}"
        r"(?:introduced|compared|illustrated|described|discussed|presented)\b"
        r"|\bnotation of .{0,60}? is (?:adopted|used|followed)\b",
        OWN, 3, 0,
    ),
    _cue(
        "below", r"\b(?:the following|following (?:example|code|model|figure|table|section)|below)\b", OWN, 2, 0,
    ),
    _cue(
        "plan",
        r"\b(?:(?:is|are) (?:intended|planned) to|another plan|(?:for|in) (?:the )?future(?: \w+)?(?:\W*\Z"
        r"|[ ,](?:work|research|versions?))"
        r"|future (?:modification|extension|version)s?|replicat(?:es?|ion of)|reproduc(?:es?|tion of)"
        r"|(?:is|are) (?:now|then|here|next) (?:\w+ly )?(?:analy[sz]ed|estimated|fitted|applied|investigated|compared))\b",
        OWN, 1, 0,
    ),
    _cue(
        "code",
        r"\b\w+\([^()]{0,60}=[^()]{0,60}\)|\b(?:help|data|vignette|library)\(|\b[a-z]\w* ?= ?[\"“]"
        r"|\bobjects? of class\b|\bslots?\b"
        r"|\b(?:with|using|by) the functions? (?!of\b)|\busing the call\b|\b\w+[a-z]_\w+\b|\{\} function\b"
        r"|\b(?:default (?:is|value)|(?:the|an?|optional) arguments? (?:of|to) the)\b",
        TOOL, 2, 0,
    ),
    _cue("thanks", r"\b(?:acknowledge[sd]?|grateful(?:ly)?|funded by|funding|thanks (?:are due )?to|thank)\b", THANKS, 0, 0),
    _cue(
        "see",
        r"\A\W*+(?:see|refer to|cf\.)\s|\A\W*+(?:compare|for (?:a|an|more|further|details|recent|an overview"
        r"|reviews?|surveys?)\b.{0,80}\bsee"
        r"|the reader is referred|readers? (?:may|can|should)|(?:e\.g\.|i\.e\.)?,?\s*see (?:also|e\.g\.))\b.{0,80}\Z"
        rf"|\b(?:see|refer to|referred to|consult) (?:also )?(?:the )?{_NAME}?\W{{0,3}}\Z"
        r"|\b(?:for|more) (?:an? )?(?:details?|overview|review|survey|introduction|discussion)\b.{0,60}\bsee\b.{0,40}\Z",
        POINTER, 6, 0,
    ),
    _cue(
        "described in",
        rf"\b(?:is|are|was|were|be|been|being)(?: \w+ly| also| already)? {_TOLD}(?: \w+ly| there| in (?:\w+ )?detail"
        rf"| further)?"
        rf",? (?:in|by|at)(?: detail (?:in|by))?,? (?:e\.g\.,? )?{_NAME}(?:,? (?:and )?{_NAME})*+.{{0,45}}\Z"
        rf"|\A.{{0,140}}\b(?:as|like) (?:the ones? )?{_TOLD} (?:\w+ly )?(?:in|by) {_NAME}.{{0,60}}\Z"
        rf"|\b{_TOLD} in (?:chapters?|sections?|tables?|figures?|the (?:book|documentation|manual|special issue))\b"
        rf"|\b(?:approach|method|procedure|model|version|introduction)s? {_TOLD} (?:in|by) {_NAME}\W*\Z",
        POINTER, 6, 1,
    ),
    _cue(
        "informed by",
        r"\A.{0,120}\b(?:informed by|inspired by|meant to supplement|along the lines of|adapted from|borrowed from"
        r"|modified from)\b"
        r"|\b(?:(?:details|examples|information|descriptions?|overviews?|introductions?|surveys?|references|discussions?)"
        r"(?: \w+){0,6} (?:can be|are|is|may be) (?:found|given|provided|available)|can be found (?:in|at)"
        r"|(?:reader|audience)s? (?:(?:is|are) referred|(?:can|may) (?:read|find|consult))|see the (?:reference )?manual"
        r"|(?:provides?|gives?|offers?|contains?|is|are) (?:an? )?(?:\w+ ){0,2}(?:overview|introduction"
        r"|starting points?|survey|textbook|reference)|standard reference|in the spirit of|special issue)\b",
        POINTER, 3, 1,
    ),
    _cue(
        "method of",
        r"\bimplement(?:s|ing|ed)? (?:the|an?|methods?)\b.{0,80}"
        r"\b(?:proposed|introduced|suggested|described|developed) (?:in|by)\b"
        r"|\b(?:is|are) (?:the|those?) (?:(?:ones?|methods?|approach(?:es)?|algorithms?|versions?) )?"
        rf"(?:(?:proposed|introduced|suggested) )?(?:of|in|by) {_NAME}"
        rf"|\b(?:follow(?:s|ing)?|as in|according to|analogous(?:ly)? to|similar(?:ly)? to) {_NAME}\W*\Z",
        POINTER, 1, 1,
    ),
    _cue(
        "source of data",
        r"\A.{0,40}\b(?:data|data ?sets?|series|examples?|tables?|figures?|values)\b.{0,60}\b(?:is|are|was|were"
        r"|been)(?: \w+ly)? "
        r"(?:taken|obtained|available|drawn|re-?constructed|reproduced|extracted|downloaded|provided|contained|used"
        r"|from|analy[sz]ed)"
        r"\b.{0,60}\b(?:from|in|by|at|as|the authors)\b|\A(?:source|taken from|data from)\b"
        rf"|\b(?:examples?|data|data ?sets?|model)\b.{{0,30}}\b(?:from|in|given in|used by) {_NAME}\W*\Z",
        TOOL, 3, 1,
    ),
    _cue(
        "software",
        rf"\b(?:use[sd]?|using|via|through|created|generated|drawn|employed|checked)\b.{{0,60}}\b(?:{_SOFTWARE}"
        rf"|functions? from)\b"
        rf"|\b(?:contained|included|available) in (?:the )?(?:\w+ )?{_SOFTWARE}\b|\bwith the package\b"
        rf"|\bthe package contains\b"
        rf"|\b{_SOFTWARE}\b.{{0,40}}\b(?:imports?|(?:is|are|was|were) (?:used|employed))\b|\bsystem for statistical\b"
        r"|\b(?:R|Python|Stata|SAS|MATLAB) (?:version|system|scripts?)\b"
        rf"|\b(?:another|other|further|e\.g\.,?(?: for)?|such as)(?: \w+){{0,4}} {_SOFTWARE} (?!(?:that|which)\b)",
        TOOL, 13, 3,
    ),
    _cue(
        "naming",
        r"\b(?:is|are|was|were)(?: \w+ly| also| often| sometimes)* (?:called|known as|referred to as|termed|dubbed"
        r"|named|denoted(?: by)?)\b"
        r"\W+(?:\S++\s*+){1,8}\Z",
        DEFINITION, 1, 0,
    ),
)  # fmt: skip
"""The table of cues, in the order in which they are looked for."""

_EXIST = lazy_pattern(
    r"\b(?:there (?:is|are|has been|have been)|(?:several|many|various|numerous|a number of|some|recent|prior"
    r"|previous|earlier"
    r"|existing|other|related|most|extensive|much|a lot of|a (?:wide|large|growing) (?:range|body|number) of|different)\b"
    r"(?: \w+){0,2} (?:works?|studies|papers|methods|approaches|research|literature|researchers|authors|efforts"
    r"|attempts|techniques"
    r"|models|algorithms|solutions|frameworks|datasets|benchmarks|surveys|variants|extensions))\b",
    re.IGNORECASE,
)
_FRAGMENT = lazy_pattern(
    r"\A\W*+(?:where|which|with|using|is|are|has|have|had|was|were|can|could|will|does|do|for|if|a|an|the(?! authors)"
    r"|that|these|those|in|of|by|from|on|as|or|than|so|data|assuming|estimating|following|based|according|see|respectively"
    r"|[a-z]+ing|[a-z]+s (?:the|a|an)|[a-z]+ (?:of|by|in|and))\b"
)
"""The beginning of words that follow a formula, a list or code: their subject is not among them."""
_CUT_OFF = lazy_pattern(
    r"\b(?:to|the|a|an|of|for|with|by|and|or|that|as|is|are|from|than|via|through|into|using|between|the following(?: \w+)?"
    r"|(?:of|in|has|takes) the form|as follows|given by|such that|defined as|denoted by|written as|reads"
    r"|that for some (?:\w+)|see|e\.g|i\.e)\W*\Z"
    r"|[([“`][^)\]”]{0,3}\Z"
)
"""The end of words in front of a formula or of code."""
_GERUND = lazy_pattern(r"\A[A-Z][a-z]+ing\b")
_INFINITIVE = lazy_pattern(r"\bto (?:\w+ly )?[a-z]+")
_MATH = lazy_pattern(r"[=<>≤≥∈∉∑∏∫∂∇∀∃×→∞≠≡⊂∪∩±·∼≈^|{}\\]|\b[α-ωΑ-Ω]\b")


def says_something(text: str) -> bool:
    """Return True if a text is long enough to be a claim."""
    return len(text) >= SHORTEST and len(text.split()) >= LEAST_WORDS


def no_claim(said: str, whole: str, verb: re.Pattern[str]) -> str:
    """Return why a part of a sentence is no claim about the cited work, or an empty text. verb: matches finite verbs."""
    if not says_something(said):
        return "the sentence is too short"
    for cue in CUES:
        if cue.pattern.search(said):
            return cue.reason
    if CUES[0].pattern.match(whole) and not re.search(r"[;:]", whole):
        return OWN
    if _is_part(said, whole, verb):
        return PART
    if len(_MATH.findall(said)) >= _MATHS:
        return FORMULA
    exist = _EXIST.search(said)
    rest = f"{said[: exist.start()]} {said[exist.end() :]}" if exist is not None else ""
    words = [word for word in re.findall(r"[\w.'’-]+", rest.lower()) if word.strip(".") not in EXISTING]
    return EXIST if exist is not None and len(words) <= _FEW_WORDS and not re.search(r"\d", rest) else ""


def _is_part(said: str, whole: str, verb: re.Pattern[str]) -> bool:
    """Return True if the words lack their beginning, their end or their verb."""
    begins = whole[:1].isupper()
    gerund = _GERUND.match(said) is not None
    finite = verb.search(_INFINITIVE.sub("", said) if gerund else said) is not None
    if begins and not gerund and whole.endswith((".", "!", "?")):
        finite = finite or (said[:5], said[-20:]) == (whole[:5], whole[-20:])  # no list of verbs has them all
    return (_FRAGMENT.match(said) is not None and not begins) or _CUT_OFF.search(said) is not None or not finite
