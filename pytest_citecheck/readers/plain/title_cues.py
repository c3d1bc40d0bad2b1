"""What the words around a boundary say: whether a title begins there, stands before it, or is followed by a venue or a year."""

from __future__ import annotations

import re

from pytest_citecheck.readers.plain.addresses import ADDRESS
from pytest_citecheck.readers.plain.boundaries import YEAR, Boundary, sentence_breaks
from pytest_citecheck.readers.plain.names import name_share, names_persons
from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.venues.comparison import lookup

__all__ = ["ABBREVIATED_END", "Cued", "beginning", "capitalised", "following", "inside"]

_ADDRESS = lazy_pattern(ADDRESS)
_STOP_WORDS = frozenset({
    "a", "an", "the", "of", "in", "on", "for", "and", "or", "with", "to", "from", "by", "via", "using", "as", "at", "into", "vs",
    "der", "die", "das", "und", "von", "de", "la", "le", "les", "des", "du", "et", "el", "y", "del", "e", "do", "da", "dos", "em",
})  # fmt: skip
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?"
_DETAIL_ONLY = lazy_pattern(
    rf"[\s.,;()]*(?:{ADDRESS}|URL|Accessed\b.*|\[?Online\b.*|Available\b.*|Retrieved\b.*|last accessed.*|(?:{_MONTH}\s+)?{YEAR}\b"
    rf"|(?:0?\d|1[0-2])\s+{YEAR})",
    re.IGNORECASE,
)
_DATED = lazy_pattern(rf"[\s(]*(?:{_MONTH}\s+(?:\d+,\s+)?|(?:0?\d|1[0-2])[ /])?{YEAR}\b(?!\s+[A-Za-z]{{3,}})\)?")
_WITHIN = lazy_pattern(
    r"[Ii]n(?::\s*|\s+)(?=[A-Z0-9“\"(]|arXiv|\w+RxIV|international|proceedings|advances|european|conference|ieee|acm)"
)
_ARCHIVE = lazy_pattern(
    r"(?:arXiv\b|CoRR\b|bioRxiv|medRxiv|ChemRxiv|PsyArXiv|SSRN|Preprint|Technical report|Tech(?:nical)?\.? rep|Ph\.?D\.? [Tt]hes"
    r"|Master['’]?s [Tt]hes|Doctoral diss|Working paper|Tweet\b|Blog|GitHub\b|Website|Unpublished|Manuscript|Lecture notes?\b"
    r"|Accessed\b|Available\b|Retrieved\b|Software|Version \d|https?:|URL\b|doi\b|Dataset\b|Datasets?\.|Misc\b|ISBN\b"
    r"|Wikipedia\b|Research Square|Anonymous GitHub|Product page)",
    re.IGNORECASE,
)
_PUBLISHER = lazy_pattern(
    r"\b(?:Press|Springer|Elsevier|Wiley|Routledge|Citeseer|Publish(?:ing|ers?)|Verlag|Editions?|Éditions|Books|University"
    r"|Inc|Ltd|Corporation|Association|Society|Institute|Citeseer|IEEE|ACM|Foundation|Media|Academic|McGraw|Pearson|Addison|SAGE"
    r"|Kluwer|Birkhäuser|Macmillan|Penguin|Blackwell|O['’]Reilly|Prentice|CRC|Hall|Oxford|Cambridge|Curran|PMLR|JMLR)\b"
)
_VENUE_WORDS = lazy_pattern(
    r"\b(?:Proceedings|Proc\.|Journal|Transactions|Trans\.|Conference|Conf\.|Symposium|Workshop|Letters|Annals|Review|Reviews"
    r"|Magazine|Bulletin|Advances|Science|Sciences|Nature|Research|IEEE|ACM|International|Blog|Encyclopedia|News|Quarterly"
    r"|Annual|Meeting|Findings|Lecture Notes|J\.|Rev\.|Lett\.|Int\.|Zeitschrift|Revue|Revista|Rivista|Acta|Archives?)(?=\W|$)"
)
_NUMBERED = lazy_pattern(
    r"(?:[^.]{2,90}?|(?:(?-i:[^\W\d_a-z])\w{0,10}\.?[,:]?\s+(?:(?:of|for|and|&|the|in|de|der)\s+)?){1,9}?)[,.]?\s*+(?:vol\.?\s*+)?(?<!\w)\d+\s*+(?:\(\w|:\s?\w?\d|,\s*(?:pp?\.?|no\.|\d+\s*[(:,–-]))",
    re.IGNORECASE,
)
_VOLUME_OF_BOOK = lazy_pattern(
    r"(?:volume|vol\.|number|no\.)\s+\w+|(?:\d+(?:st|nd|rd|th)|second|third|revised)\s+ed(?:ition|\.)", re.IGNORECASE
)
_ENDS_OPEN = lazy_pattern(
    r"(?:\b(?:of|the|in|on|for|and|or|with|to|from|by|via|using|a|an|vs)|[-–—&/(])\s*$", re.IGNORECASE
)
ABBREVIATED_END = lazy_pattern(
    r"(?:^|[\s(.-])(?:[A-Z]|vs|cf|Dr|Mr|Mrs|Ms|Prof|St|No|Vol|pp|eds?|approx|ca|al|i\.e|e\.g|Inc|Pvt|Ltd|Co|Jr|Sr|U\.S|feat)\.$"
)


_MARKS = {
    "stop": 1.0, "end": 0.8, "year": 0.0, "comma": -1.6, "colon": -4.0, "semicolon": -2.0, "dash": -1.5, "bracket": -1.5,
}  # fmt: skip
"""How much each mark says that a title ends before it."""
_NAMED_AND_DATED = lazy_pattern(rf"[,.]?\s*(?:\(?{YEAR}|{ADDRESS}|doi\b)", re.IGNORECASE)
_LONGEST_VENUE = 160
_ENDS_IN_CUT_VENUE = lazy_pattern(
    r"[^.][.?!,]\s+[^\W\d_a-z]\w{0,9}\.?\s?$|[IVX]\.\s+(?:[^\W\d_a-z]\w{0,9}\.?\s?){1,3}$"
)
"""One word in capitals after a full stop: "Random forests. Mach", of "Mach. Learn."."""
_PART = lazy_pattern(r"[IVX]{1,4}[.,]\s")
"""The number of a part, which belongs to the title."""
_ENDS_IN_PART = lazy_pattern(r"[a-zà-ÿ][.,:]?\s+[IVX]{1,4}\.$")
Cued = tuple[float, tuple[str, ...]]


def capitalised(words: list[str]) -> float:
    content = [word for word in words if word.strip(".,()&").lower() not in _STOP_WORDS and any(map(str.isalpha, word))]
    return (
        sum(word.strip("(“\"'")[:1].isupper() or any(map(str.isupper, word)) for word in content) / len(content)
        if content
        else 0.0
    )


def beginning(text: str) -> float:
    """What the first words say: whether a title begins here, or names go on, or a venue stands here."""
    weight = 0.0
    first = text.lstrip("“\"'([")[:1]
    weight += 0.3 if first.isupper() or first.isdigit() or not first.isascii() else -0.3
    head = re.split(r"[.?!]\s|,\s|:\s", text, maxsplit=1)[0]
    if re.match(r"(?:and|&|et al)\b|[^\W\d_]\.", text) or re.match(r"(?:[^\W\d_]{1,3}\.\s?)+(?:[,\s]|$)", text):
        weight -= 4
    elif text[len(head) : len(head) + 1] == "," and (names_persons(head) or _lone_name(head)) and _goes_on(text):
        weight -= 3
    if _DETAIL_ONLY.match(text) and not re.match(r"\d{4}\s+[A-Za-z]", text):
        weight -= 5
    elif (within := _WITHIN.match(text)) and _within_venue(text[within.end() :]):
        weight -= 4
    elif _ARCHIVE.match(text) and not re.match(r"(?:software|blog|version|dataset)\b", text, re.IGNORECASE):
        weight -= 2.5
    elif re.match(r"(?:pp?\.|pages?|vol\.|volume|no\.)\s|[^\W\d_]+,?\s(?:vol\.|\d+\s?[,(:])", text, re.IGNORECASE):
        weight -= 4
    return weight


def _within_venue(text: str) -> bool:
    """Whether the words after "In" name a venue, and do not begin a title ("In search of …")."""
    first = _first_part(text)
    return _VENUE_WORDS.search(first) is not None or lookup(first) is not None or capitalised(first.split()) > 0.8


def _lone_name(head: str) -> bool:
    return len(head.split()) in (2, 3) and capitalised(head.split()) > 0.99


def _goes_on(text: str) -> bool:
    """Whether a list of names goes on here, rather than a title in which a comma stands."""
    stop = next((match.start() for match in sentence_breaks(text)), len(text))
    share, count = name_share(text[:stop])
    return count > 1 and share > 0.6


def inside(title: str) -> float:
    """How much the words between two boundaries look like a title."""
    bare = title.strip(" .,;:\"“”'")
    if not re.search(r"[^\W\d_]{2}", bare):
        return -20.0
    words = bare.split()
    count = len(words)
    weight: float = -1.0 if count == 1 else -0.2 if count == 2 else 1.0 if count <= 30 else 0.0 if count <= 45 else -3.0
    if count == 1 and bare.isalpha() and bare.islower():
        weight -= 2
    if _ENDS_OPEN.search(bare):
        weight -= 3
    if _ADDRESS.search(bare):
        weight -= 5
    if names_persons(bare) and "," in bare:
        weight -= 3
    for opening, closing in (("(", ")"), ("[", "]"), ("“", "”")):
        if bare.count(opening) != bare.count(closing):
            weight -= 2
    weight -= 1.2 * sum(match["stop"][0] == "." for match in sentence_breaks(bare))
    if re.search(r",\s+in\s+(?:the\s+)?[A-Z]", bare):
        weight -= 1.5
    if re.search(r"[a-zà-ÿ][.,]\s+[IVX]{1,4}\.\s+\S", bare):
        weight -= 3
    if _ENDS_IN_CUT_VENUE.search(bare):
        weight -= 1.5
    weight -= 0.4 * sum(match["stop"][0] != "." for match in sentence_breaks(bare))
    if re.search(rf"[,.]\s+(?:{_MONTH}\s+|\d\d\s+)?{YEAR}$|\bpp?\.\s*\d|\bet al\b|[.?,]\s+In:?\s+[A-Z0-9]", bare):
        weight -= 2.5
    if _ARCHIVE.search(bare, 1) and re.search(r"[.,]\s+(?:arXiv|CoRR|bioRxiv|URL|Accessed)\b", bare):
        weight -= 3
    if ABBREVIATED_END.search(title) and not _ENDS_IN_PART.search(title):
        weight -= 1.5
    return weight


def following(text: str, end: Boundary) -> Cued:
    """What the words after a boundary say about a title that ends there."""
    kind = end.kind
    after = text[end.end if kind == "year" else end.start :].lstrip(" ,;.")
    weight = _MARKS[kind]
    asks = kind == "stop" and text[: end.end].endswith(("?", "!"))
    if asks:
        weight -= 0.6
    if not after:
        return weight, ()
    if kind == "stop" and _PART.match(after):
        return weight - 4, ()
    if _DETAIL_ONLY.match(after) or _DATED.match(after):
        return weight + (2.8 if kind in ("comma", "year", "bracket") else 1.6), (
            "a year or an address after the title",
        )
    if _WITHIN.match(after):
        good = 3.0 if kind in ("stop", "comma") else 0.0
        if kind == "comma" and not re.match(
            r"[Ii]n:?\s+(?:Proc|Adv|Int|IEEE|ACM|arXiv|[A-Z]{3,}|.{0,80}\b(?:Conf|Symp|Workshop|Journal))", after
        ):
            good = 1.0
        return weight + good, ("“In” after the title",)
    first = _first_part(after)
    if _ARCHIVE.match(after):
        return weight + (2.5 if kind != "bracket" else 1.5), ("an archive, a thesis or a page after the title",)
    if kind in ("comma", "stop") and _VOLUME_OF_BOOK.match(after):
        return weight + (2.6 if kind == "comma" else 1.5), ("a volume or edition after the title",)
    if kind in ("colon", "bracket", "dash", "semicolon"):
        if kind == "dash" and (lookup(first) or _PUBLISHER.search(first) or "Wikipedia" in first):
            weight += 2
        return weight, ()
    proper = capitalised(first.split())
    if (
        (proper > 0.5 or len(first.split()) < 4 or _VENUE_WORDS.search(first))
        and len(first) < _LONGEST_VENUE
        and lookup(first) is not None
    ):
        return weight + 3.0, ("a known venue after the title",)
    if _NUMBERED.match(after):
        return weight + (2.6 if proper > 0.6 else 2.0), ("a venue with volume or pages after the title",)
    if _PUBLISHER.search(first) and len(first.split()) <= 10:
        return weight + 2.0, ("a publisher after the title",)
    if _VENUE_WORDS.search(first) and proper >= 0.6:
        return weight + (2.6 if asks and proper > 0.9 else 1.6), ("words of venues after the title",)
    if (
        kind == "stop"
        and not asks
        and proper > 0.9
        and 0 < len(first.split()) <= 6
        and _NAMED_AND_DATED.match(after, len(first))
    ):
        return weight + 2.2, ("a name with a year or an address after the title",)
    if asks and proper < 0.9:
        return weight - 1.0, ()
    return weight + (0.5 if proper > 0.9 else -0.5), ()


def _first_part(after: str) -> str:
    """The words up to the first detail."""
    return re.split(
        rf",\s+(?=\d|vol|pp?\.|no\.|{YEAR}|{_MONTH}\s)|[,.]\s+(?={YEAR})|\s\(|\s\d+[(:,]|\.\s+(?=[A-Z])|\.$|:\s",
        after,
        maxsplit=1,
    )[0].strip(" ,.")
