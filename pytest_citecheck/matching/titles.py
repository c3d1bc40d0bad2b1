"""Comparison of two titles and description of their differences.

Sameness is decided on words after harmless variation was removed, never by a similarity score: "16x16" and
"32x32", "C" and "C++" differ in little but name different works.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Literal

from rapidfuzz.distance import Indel

from pytest_citecheck.matching.text import MAYBE_BLANKS, fold, lazy_pattern, without_latex_and_markup, words
from pytest_citecheck.matching.title_spelling import (
    FUNCTION_WORDS,
    TokenChange,
    Tokens,
    align,
    changes,
    join,
    render,
    shared_weight,
    standard_words,
    tokenise,
)
from pytest_citecheck.model import Person
from pytest_citecheck.thresholds import (
    ACCENTED_WORDS,
    CUT_TITLE_WORDS,
    DISORDER,
    NEAR_IN_ANY_ORDER,
    NEAR_IN_ORDER,
    NEAR_LETTERS,
    TELLING_PART,
    UNDECORATED_WORDS,
)

# Accents alone or before their letters ("täk¯", "Poincar´e"), replacements of letters that could not be decoded, UTF-8
# read as Latin-1 ("Ã¼", "â€“"), control characters, and a question mark inside a word ("Schr?dinger").
_DAMAGE = lazy_pattern(
    "[\u02c6\u02c7\u02d8-\u02dd\u00a8\u00af\u00b4\u00b8\ufffd\x00-\x08\x0e-\x1f\x7f-\x9f\ue000-\uf8ff]"
    "|\u00c3[\u0080-\u00bf]|\u00c2[\u00a0-\u00bf]|\u00e2\u20ac|\\?[^\\W\\d_A-Z]"
)


def is_damaged(text: str) -> bool:
    """Return True if a title or name as a record has it shows that letters were lost or misread."""
    return _DAMAGE.search(text) is not None


_INFLECTIONS = frozenset({"", "s", "es", "d", "ed", "ing"})


def breaks_off(title: str, cited: str) -> bool:
    """Return True if a record's title is the beginning of the cited one, up to the middle of a word or to a word that ends
    no title ("Distilling the Knowledge in a")."""
    found, whole = words(title), words(cited)
    while found and whole and found[0] != whole[0] and whole[0] in FUNCTION_WORDS:
        whole = whole[1:]
    begun, cited = "".join(found), "".join(whole)
    ends = {len("".join(whole[:number])) for number in range(len(whole) + 1)}
    begins = len(found) > 1 and cited.startswith(begun) and cited[len(begun) :] not in _INFLECTIONS
    return begins and (len(begun) not in ends or found[-1] in FUNCTION_WORDS)


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


@lru_cache(maxsize=2048)
def undecorated_forms(title: str, *, anchored: bool) -> tuple[str, ...]:
    """The other titles under which the work of this record may be cited.

    anchored: whether the citation names the record by an identifier; only then a remark in brackets at the end may be one of
    the publisher ("[AdP 17, 549 (1905)]", "(with comments by …)") and not a part of the title.
    """
    return tuple(
        other for other in dict.fromkeys(_without(title, anchored=anchored)) if len(other.split()) >= UNDECORATED_WORDS
    )


def without_rubric(title: str) -> str:
    """The title without a rubric that was run together with it; empty without one, or if little remains.

    Only for titles of works with a known identifier: "Editorial boards" is a title.
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
# Text beside a title in a list of links, on Google Scholar (also in front) and in the title of a web page.
_LINK = r"(?:code|pdf|html|slides|video|poster|data|project(?:\s+page)?|website|bibtex|supp(?:lement)?|doi|link)"
_PAGE = r"(?:openreview|springerlink|request\s+pdf|semantic\s+scholar|ieee\s+[^|]*|proceedings\s+of\s[^|]*)"
# The journal name that ADS assigns to e-prints, and additions of Google Scholar, pasted into the title.
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
"""Maximum number of labels to remove: no real title has more than three, and "[J]" can be repeated without end."""
_SIGNS_OF_SUFFIX = ("//", " | ", ", pp", "arXiv ")

_BOUNDARY = lazy_pattern(
    rf"(?<!\d){MAYBE_BLANKS}:|:(?!\d)|(?<![?!])[?!]++(?=[\s\"'”’)\]])|[.;]\s|{MAYBE_BLANKS}(?:—|--+)|\s[-–](?=\s)"
)
# The text after the main title distinguishes these works, so removing it changes the work.
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
"""Maximum number of places where a title may end: real ones have some five."""
_LONGEST_MARK = 400
"""Characters to examine after a boundary: the type of the next part shows in its first words."""


def without_labels(text: str) -> str:
    """The plain title ``text`` without labels that only some sources add, such as "(Extended Abstract)".

    "RETRACTED ARTICLE:" is such a label, because publishers put it before the title of the retracted work itself.
    "Erratum", "Comment on", "Reply to" and "Retraction of" stay, because they introduce another work. A title that
    consists of labels only is unchanged.
    """
    for _ in range(_MOST_LABELS):
        rest = _PREFIX.sub("", text, count=1)
        if _MAYBE_SUFFIX.search(rest, len(rest) - _LONGEST_END) or any(sign in rest for sign in _SIGNS_OF_SUFFIX):
            rest = _SUFFIX.sub("", rest, count=1)
        if rest == text or not words(rest):
            return text
        text = rest
    return text


# An abstract, a demonstration or a talk about a work printed elsewhere has this in its title.
_AGAIN = lazy_pattern(
    r"[(\[]\s*+(?:(?:extended|short|invited\s+talk|conference|poster|demo)\s+)?abstracts?(?:\s+(?:only|reprint))?\s*+[)\]]\s*+\.?$"
    r"|[(\[]\s*+(?:journal\s+version|(?:invited|keynote|plenary)(?:\s+(?:talk|lecture|paper|address))?|demo(?:nstration)?|poster"
    r"|tutorial)\s*+[)\]]\s*+\.?$|[:.\u2013\u2014]\s*+(?:an\s++)?extended\s++abstract\s*+\.?$"
    r"|^(?:poster|demo|invited\s++talk|keynote|live\s++demonstration)\s*+:",
    re.IGNORECASE,
)


def is_second_appearance(text: str) -> bool:
    """Return True if the plain title ``text`` calls its work an abstract, a demonstration or a talk: the paper may be
    elsewhere."""
    return _AGAIN.search(text.strip()) is not None


_LEFTOVERS = lazy_pattern(rf"&(?:amp|lt|gt|quot|apos|nbsp|#\d{{2,5}}|#x[0-9a-f]{{2,5}});|{_SERVER}$", re.IGNORECASE)


def has_leftovers(text: str) -> bool:
    """Return True if the title ``text`` has printable artefacts of an export: "&amp;", ". arXiv e-prints"."""
    return _LEFTOVERS.search(text.strip()) is not None


def unmarked(text: str) -> str:
    """The plain title ``text`` without its number in a list of references, a footnote mark and a comment of TeX.

    All of them may belong to a title as well, so they are marks only if the other title is without.
    """
    return _RAISED.sub("", _COMMENT.sub("", _NUMBERING.sub("", text)))


def tails(text: str) -> Iterator[str]:
    """Rest of the plain title ``text`` after a coined name and a colon: some citations omit the name.

    The name is one word that is written like no other word (``DPO``, ``BigGAN``, ``word2vec``).
    """
    if name := _COINED.match(text):
        yield text[name.end() :]


def separate_parts(text: str) -> list[str]:
    """Main title and subtitle of the plain title ``text``, if it has both; each only if it is distinctive alone."""
    head = next(heads(text), "")
    parts = (head.rstrip(" :;.–—-"), text[len(head) :].strip()) if head else ()
    return [part for part in parts if len(words(part)) >= TELLING_PART]


def heads(text: str) -> Iterator[str]:
    """The beginnings of the plain title ``text`` that end where a subtitle may begin, the shortest first.

    Boundaries are a colon, question or exclamation mark, full stop, semicolon and dash. A beginning does not count if
    the rest is the number of a part, or a notice about a work ("Part II", "3", "Erratum"). A year in brackets at the
    end is dropped too.
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


Relation = Literal["same", "short", "near", "different"]

_RANK: dict[Relation, int] = {"same": 0, "short": 1, "near": 2, "different": 3}

_WORTH_ALIGNING = 0.3  # by words; by letters for short titles with several misspellings
_LETTERS_WORTH_ALIGNING = 0.8


@dataclass(frozen=True, slots=True)
class TitleComparison:
    """Result of comparing a cited title with the title of a record.

    ``same``: only harmless differences. ``short``: one is the main title of the other, cut where the subtitle begins,
    or cut by an ellipsis, or without the coined name in front ("BigGAN: ") or the year after; right only if identifiers
    or authors agree. ``near``: most is shared, but words were changed, dropped, added or moved. ``different``: anything
    else.

    similarity: share of the words in common, by weight, less if in another order, or of the letters if they are nearly
        the same; 0 to 1, and 1 only for ``same``.
    changes: differences from the cited to the found title; empty for ``same`` and for titles with little in common.
    found: the title form of the record that fits the cited title best.
    """

    relation: Relation
    similarity: float
    changes: tuple[TokenChange, ...]
    found: str

    @property
    def only_function_words(self) -> bool:
        """True if there are changes, and all concern articles, prepositions, conjunctions and auxiliaries."""
        return bool(self.changes) and all(
            FUNCTION_WORDS.issuperset((*tokenise(change.cited).tokens, *tokenise(change.found).tokens))
            for change in self.changes
        )


@lru_cache(maxsize=2048)
def _prepared(title: str) -> Tokens:
    text = without_latex_and_markup(title)
    return tokenise(without_labels(text) if text else "")


@lru_cache(maxsize=2048)
def _settled(key: str) -> str:
    # Running words together can spell a new word ("col" + "our"), and the key of a key must be the key itself.
    while (again := join(standard_words(key))) != key:
        key = again
    return key


def title_key(text: str) -> str:
    """Normal form of a title, for exact look-up and for finding duplicates.

    Equal for titles with only harmless differences, as far as normalisation can show: case, accents, markup,
    punctuation, spaces and hyphens, regional spelling, labels. Idempotent; empty only for a text without any sign.
    """
    if not text:
        return ""
    return _settled(_prepared(text).key) or fold(text).replace(" ", "")


def compare_titles(cited: str, title: str, subtitle: str = "", others: Sequence[str] = ()) -> TitleComparison:
    """Compare ``cited`` with the title of a record; symmetric in the two titles.

    cited, title: titles as Unicode text, LaTeX and markup allowed.
    subtitle: of the record, if the source has a separate one.
    others: further titles of the record (original, translated, of earlier versions).
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


@lru_cache(maxsize=4096)
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
    """Return True if one title is the other with a number before it, or a footnote mark or a comment after it."""
    shorter, longer = (a, b) if len(a.key) < len(b.key) else (b, a)
    if not (longer.key.endswith(shorter.key) or longer.key.startswith(shorter.key)):
        return False
    bare = unmarked(longer.text)
    return bare != longer.text and _prepared(bare).key == shorter.key


def _is_cut(a: Tokens, b: Tokens) -> bool:
    """Return True if one title is the other up to where a subtitle begins, or up to its own ellipsis, or after its coined
    name."""
    shorter, longer = (a, b) if len(a.key) < len(b.key) else (b, a)
    if longer.key.endswith(shorter.key) and any(_prepared(tail).key == shorter.key for tail in tails(longer.text)):
        return True
    if not longer.key.startswith(shorter.key):
        return False
    if shorter.text.endswith(("...", "…")) and len(shorter.tokens) >= CUT_TITLE_WORDS:
        return True
    return any(_prepared(head).key == shorter.key for head in heads(longer.text))


def render_diff(comparison: TitleComparison, cited: str) -> str:
    """Format the word-level difference in one line: ``Causal [-abstractions-]{+abstraction+} of neural networks``.

    Text of the citation is in ``[-…-]``, text of the record in ``{+…+}``. Without a significant difference, return the
    cited title.
    """
    if comparison.relation == "same":
        return without_latex_and_markup(cited)
    a, b = _prepared(cited), _prepared(comparison.found)
    gaps, _ = align(a, b)
    return render(a, b, gaps)


_REVIEW = lazy_pattern(r"\W*(?:a\s+|the\s+|book\s+)?review(?:\s+of\b|\s*:)", re.IGNORECASE)


def is_review_of(cited: str, title: str) -> bool:
    """Return True if the title ``cited`` marks the work as a review, and ends in the ``title`` of the reviewed work."""
    match = _REVIEW.match(cited)
    if match is None:
        return False
    subject, reviewed = words(cited[match.end() :]), words(title)
    return bool(reviewed) and tuple(subject[-len(reviewed) :]) == tuple(reviewed)


def reviewers(people: Sequence[Person], cited: str) -> tuple[Person, ...]:
    """Select the people of a record whom the ``cited`` title of the review does not name as authors of the book."""
    named = frozenset(words(cited))
    family = {person: words(person.family or person.literal) for person in people}
    return tuple(person for person in people if not (family[person] and family[person][-1] in named))


# Articles, prepositions and conjunctions, folded; without the words that two of the languages share.
_WORDS: dict[str, frozenset[str]] = {
    "en": frozenset({"the", "of", "and", "for", "with", "from", "by", "on", "to", "is", "are", "how", "its", "using"}),
    "de": frozenset({"der", "die", "das", "und", "fur", "fuer", "uber", "ueber", "zur", "zum", "eine", "von", "mit"}),
    "fr": frozenset({"les", "des", "du", "une", "et", "dans", "sur", "au", "aux", "pour", "avec", "par"}),
    "es": frozenset({"el", "los", "las", "y", "del", "una", "con"}),
    "pt": frozenset({"dos", "uma", "os", "nas", "nos", "ao", "e", "em", "um"}),
    "it": frozenset({"il", "gli", "della", "delle", "dei", "nel", "nella", "di", "sulla", "sul"}),
    "nl": frozenset({"het", "een", "van", "voor", "naar", "bij", "tot"}),
    "pl": frozenset({"w", "z", "dla", "oraz", "przez"}),
}


@lru_cache(maxsize=2048)
def language(title: str) -> str:
    """Language with the most function words, or ``other`` for a script that is not Latin; empty if unknown."""
    letters = [letter for letter in fold(title) if letter.isalpha()]
    if letters and sum(letter.isascii() for letter in letters) < len(letters) / 2:
        return "other"
    found = words(title)
    scores = {language: sum(word in known for word in found) for language, known in _WORDS.items()}
    best = max(scores, key=lambda language: scores[language])
    rivals = [language for language, score in scores.items() if score == scores[best]]
    return best if scores[best] and len(rivals) == 1 else ""


def may_be_translation(cited: str, found: str) -> bool:
    """Return True if the function words and accents of two titles (plain text) suggest different languages."""
    first, second = language(cited), language(found)
    if first and second:
        return first != second
    # If function words decide nothing, accents do: English has none, and one foreign name has them in one word.
    return abs(_accented(cited) - _accented(found)) >= ACCENTED_WORDS and 0 in (_accented(cited), _accented(found))


def _accented(title: str) -> int:
    """Number of words with letters that English does not use."""
    return sum(not word.isascii() for word in title.split())
