"""Cues in the words around a boundary: does a title begin, does one end, does a venue or year follow?"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Callable
from dataclasses import dataclass

from pytest_citecheck.inputs.budget import lazy_pattern
from pytest_citecheck.inputs.dates import YEAR
from pytest_citecheck.inputs.plain.names import WORD_LISTS, name_share, names_persons
from pytest_citecheck.matching import BLANKS, MAYBE_BLANKS, MONTHS, is_preprint_venue, lookup, without_latex_and_markup

_PAGE = r"[A-Za-z]{0,3}\d[\w.]{0,40}"
_PAGES = rf"(?P<pages>{_PAGE}(?:\s*+(?:--?|[‐-―−])\s*+{_PAGE})?)"
_MONTH = rf"(?:{'|'.join(MONTHS).title()})[a-z]*\.?"
_YEAR = rf"(?P<year>{YEAR})(?!\.\d{{4,5}}\b)"  # 1907.02444 is an arXiv id
_DASH = r"(?:--?|[‐-―−])"
_DETAIL = (
    # Neural Computation, vol. 9, no. 8, pp. 1735-1780
    lazy_pattern(
        rf"(?:[,.]\s*+|{MAYBE_BLANKS})\bvol(?:\.|ume)?\s*+(?P<volume>\w[\w/.]{{0,40}}\w|\w)"
        r"(?:\s*+,?\s*+(?:no|iss|issue|number)\.?\s*+(?P<number>[\w/-]{1,40}))?"
        rf"(?:,?\s*+(?:\(?{_MONTH}\s*+)?\(?{YEAR}\)?)?(?:\s*+[,:]?\s*+(?:pp?\.|pages?)?\s*+{_PAGES})?(?=\W|$)"
    ),
    # Neural Computation. 1997;9(8):1735-80
    lazy_pattern(
        rf"(?:[,.;]\s*+|{MAYBE_BLANKS}){_YEAR}(?:\s++{_MONTH}(?:\s++\d++)?)?\s*+;\s*+(?!{YEAR}\b)"
        rf"(?P<volume>\w[\w/.]{{0,40}}\w|\w)?(?:\s*+\((?P<number>[^()]{{1,20}})\))?(?:\s*+:\s*+{_PAGES})?"
    ),
    # Neural Computation 9, no. 8 (1997): 1735-80, and 9.8 (1997): 1735-80
    lazy_pattern(
        rf"(?:,\s++|{BLANKS})(?P<volume>\d{{1,5}})(?:\.(?P<number>\d[\w-]*+)|,\s*+no\.\s*+(?P<issue>[\w/-]++))?"
        rf"\s*+\((?:{_MONTH}\s*+)?{_YEAR}\)(?:\s*+:\s*+{_PAGES})?"
    ),
    # Neural Computation, 9(8), 1735-1780
    lazy_pattern(
        rf"(?:,\s++|{BLANKS})(?P<volume>\d{{1,5}})\s*+\((?!pp?\.|{YEAR}\))(?P<number>[^()]{{1,20}})\)"
        rf"(?:\s*+[,:]\s*+(?:pp?\.\s*+)?{_PAGES})?(?=\s*+(?:[.,;(]|$))"
    ),
    # Neural Computation 9: 1735-80
    lazy_pattern(rf"(?:,\s++|{BLANKS})(?!{YEAR}\b)(?P<volume>\d{{1,5}})\s*+:\s*+{_PAGES}(?=\s*+(?:[.,;(]|$))"),
    # Neural Computation, 9, 1735-1780
    lazy_pattern(
        rf",\s++(?!{YEAR}\b)(?P<volume>\d{{1,5}})(?!\s*+{_DASH}\s*+\d)(?=\s*+(?:[.,:;]|$))"
        rf"(?:\s*+[,:]\s*+(?:pp?\.\s*+)?{_PAGES})?(?=\s*+(?:[.,;(]|$))"
    ),
    # In Proceedings of X (pp. 770-778), X, pages 770-778
    lazy_pattern(rf"(?:[,.;:]\s*+|{MAYBE_BLANKS})\(?\b(?:pp?\.|pages?\b)\s*+{_PAGES}\)?"),
    # X, 2017; X (2017); X. 2017
    lazy_pattern(rf"{MAYBE_BLANKS}(?:[,.;]\s*+(?:{_MONTH}\s*+)?|\(\s*+(?:{_MONTH}\s*+)?){_YEAR}\b\)?"),
)
_LONE_YEAR = lazy_pattern(rf"(?:^|[,.;(]\s*)(?:{_MONTH}\s*(?:\d+,\s*)?)?{_YEAR}[a-z]?(?=\s*(?:[,.;:)]|$))")
_ANY_YEAR = lazy_pattern(rf"(?<![\d:/.-]){_YEAR}(?![\d/-])")
_FINAL_YEAR = lazy_pattern(rf",\s*\(?{YEAR}\)?$")
_FURTHER_PAGES = lazy_pattern(rf"(?:\bpp?\.|\bpages?\b)\s*{_PAGES}")
_IN = lazy_pattern(r"^in(?::\s*|\s+)(?=\S)", re.IGNORECASE)
_PUBLISHED = lazy_pattern(r"^(?:published|presented|appeared)\s+(?:in|at)\s+(?:the\s+)?(?=\S)", re.IGNORECASE)
_IN_BRACKETS = lazy_pattern(rf"^\(([^()]{{2,120}}\s{YEAR})\)(?=[\s.,;]|$)")
_CONFERENCE = lazy_pattern(r"\b(?:Proc\b|Proceedings|Conf\b|Conference|Symposium|Workshop|Meeting)", re.IGNORECASE)
_JOURNAL = re.compile(
    r"^(?:Proc(?:eedings|\.) of the (?:IEEE|National Academy|Royal)|Journal\b|.*\bJournal of\b)", re.IGNORECASE
)
_ABBREVIATED = lazy_pattern(
    r"(?=[^.]*\.\s)(?:(?:[^\W\d_a-z][^\W\d_]{0,8}[.:]{0,2}|of|for|[A-Z]|\(\d\)|&)(?:\s+|$)){2,12}"
)
"""Capitalised words, some of them abbreviated: J. Mol. Biol., Publ. Math. Inst. Hautes Études Sci."""
_VENUE_LONGEST_VENUE = 250
_MOST_ABBREVIATED = 5


def container(venue: str, *, volume: bool = False) -> tuple[str, str]:
    """Return entry type and field for a venue known only by name. volume: True if it has a volume."""
    known = lookup(venue)
    if known is not None and known.kind == "conference":
        return "inproceedings", "booktitle"
    if volume or is_preprint_venue(venue) or (known is not None and known.kind == "journal") or _JOURNAL.match(venue):
        return "article", "journal"
    if _CONFERENCE.search(venue):
        return "inproceedings", "booktitle"
    return "misc", "howpublished"


def is_venue(text: str) -> bool:
    """Return True if a segment of a reference is certainly a venue with its details, not part of a title."""
    text = text.strip()
    if _IN.match(text) or _ABBREVIATED.fullmatch(text):
        return True
    if len(text) < _VENUE_LONGEST_VENUE and (is_preprint_venue(text) or lookup(text) is not None):
        return True
    name, details = _detailed(text)
    return bool(name) and ("volume" in details or "pages" in details)


_WITH_PLACE = lazy_pattern(
    r",\s(?:[A-Z][^\W\d_.]+(?:\s[A-Z][^\W\d_]+){0,2})(?:,\s[A-Z][^\W\d_.]*+(?:\s[A-Z][^\W\d_]+)?)?:\s[A-Z][^:]*$"
)
"""Place and publisher after the name of a book: ``, Philadelphia, Pennsylvania: SIAM``."""


def read_tail(text: str) -> dict[str, str]:
    """Return the certain fields in the text after a title, including the entry's ``type``."""
    text = _PUBLISHED.sub("", text.strip(" ,;."))
    whole = text
    if bracketed := _IN_BRACKETS.match(text):  # Title, by A. Author (ICLR 2015). What it shows.
        text = bracketed[1]
    within = _IN.match(text)
    rest = text[within.end() :] if within else text
    name, fields = _detailed(rest)
    name = _FINAL_YEAR.sub("", name.strip(" ,;:.("))
    if "pages" not in fields and (further := _FURTHER_PAGES.search(whole)):
        fields["pages"] = further["pages"]
    if not fields.get("year") and (year := lone_year(text)):
        fields["year"] = year
    if name and len(name) < _VENUE_LONGEST_VENUE and not re.fullmatch(r"[\W\d]*", name):
        kind, where = container(name, volume="volume" in fields)
        if within and where != "journal":
            kind, where = "inproceedings", "booktitle"
            name = _WITH_PLACE.sub("", name)
        fields |= {"type": kind, where: name}
    return fields


def _detailed(text: str) -> tuple[str, dict[str, str]]:
    """Split the text at the first detail into name and details."""
    for pattern in _DETAIL:
        match = pattern.search(text, 1) if len(text) > 1 else None
        if match is not None:
            found = {name: value for name, value in match.groupdict().items() if value}
            if "issue" in found:
                found["number"] = found.pop("issue")
            if "pages" in found:
                found["pages"] = found["pages"].rstrip(".")
            return text[: match.start()], found
    return (text if _ABBREVIATED.fullmatch(text) else _first_sentence(text)), {}


def _first_sentence(text: str) -> str:
    """Return the text up to a full stop that does not end an abbreviation."""
    head, stop, rest = text.partition(". ")
    if stop and lookup(text.rstrip(" .")) is not None:
        return text
    cut = re.fullmatch(r"[^\W\d_a-z][^\W\d_]{0,7}", head) is not None and lookup(head) is None
    if stop and cut and len(rest.split()) <= _MOST_ABBREVIATED and rest[:1].isupper():
        return text
    return head


def lone_year(text: str) -> str:
    """Return the only year between punctuation marks, or else the only year in the text."""
    for pattern in (_LONE_YEAR, _ANY_YEAR):
        years = {match["year"] for match in pattern.finditer(text)}
        if years:
            return years.pop() if len(years) == 1 else ""
    return ""


_DATE = rf"{YEAR}[a-z]?"
_BOUNDARY = lazy_pattern(
    rf"(?P<year>(?<!\S)\(?(?P<when>{_DATE})(?:,[^()]{{0,40}})?\)?[.,:;]?\s++(?=\S))"
    r"|(?P<stop>(?<=\S)(?<![.?!])[.?!]++[\"”’)\]]?\s++(?=\S))|(?P<comma>,\s++(?=\S))|(?P<colon>:\s++(?=\S))"
    r"|(?P<semicolon>;\s++(?=\S))|(?P<dash>\s[–—|-]{1,3}\s(?=\S))|(?P<bracket>(?<!\s)\s++(?=[(\[]))"
)
ENDS_IN_INITIAL = lazy_pattern(r"(?:^|[\s.-])[^\W\d_a-zß-öø-ÿ]\.$|et al\.$")
_COUNTED = lazy_pattern(r"\b(?:vol|no|nos|pp?|ser|ch|art|sec|pt|bd|hrsg|nr|jg|s|t|vyp|т|№|с)\.$", re.IGNORECASE)
"""Abbreviations that a number follows."""

_BREAK = lazy_pattern(r"(?P<stop>[.?!][\"”’)]?)\s+(?=[\"“‘(\[]?(?:[^\W_a-z]|[a-z]{2,4}R?[Xx]iv\b))")
_LONGEST_CUT = 8  # letters of an abbreviation and the character before it
_NO_BREAK = lazy_pattern(
    r"(?:^|[\s(.-])(?:[A-Z]|vs|cf|etc|Dr|Prof|St|No|Vol|pp|ed|eds|Inc|approx|ca|et al|i\.e|e\.g)\.$", re.IGNORECASE
)
_BOUNDARIES_PART = lazy_pattern(
    r"[IVX]{1,4}\.\s"
)  # part of a title: "The index of elliptic operators. I. Annals of Mathematics"
_BOUNDARIES_ENDS_IN_PART = lazy_pattern(r"[a-z][.,]\s+[IVX]{1,4}\.$")


@dataclass(frozen=True, slots=True)
class Boundary:
    end: int  # of the part before
    start: int  # of the part after
    kind: str
    year: str = ""
    initial: bool = False  # a full stop after an initial


def boundaries_in(text: str) -> list[Boundary]:
    found = []
    for match in _BOUNDARY.finditer(text):
        kind = match.lastgroup or ""
        year = (match["when"] or "")[:4]
        end = match.start()
        if kind == "stop":
            end = match.start() + len(match[0].rstrip())
        if kind == "stop" and text[match.end()].isdigit() and _COUNTED.search(text, max(0, end - 6), end):
            continue
        initial = kind == "stop" and ENDS_IN_INITIAL.search(text[max(0, end - 6) : end]) is not None
        found.append(Boundary(end, match.end(), kind, year, initial))
        if kind == "year" and (mark := re.search(r"[.,:?]\s+$", match[0])):
            # "for 2024. https://…": the year ends a title.
            at = match.start() + mark.start()
            kinds = {".": "stop", "?": "stop", ",": "comma", ":": "colon"}
            found.append(Boundary(at + (mark[0][0] in ".?"), match.end(), kinds[mark[0][0]]))
    return found


def sets_apart(text: str, boundary: Boundary) -> bool:
    """Return True if the year separates two parts: it is in brackets or between two marks."""
    before = text[: boundary.end].rstrip()
    return text[boundary.end] == "(" or (
        before.endswith((".", ",", ")", "?", "!")) and text[: boundary.start].rstrip()[-1] in ".:,;"
    )


def may_end(text: str, end: Boundary) -> bool:
    return end.kind != "year" or sets_apart(text, end)


def sentence_breaks(text: str) -> list[re.Match[str]]:
    """Return the sentence ends: not after an abbreviation, and after (not before) the part number of a title."""
    found = []
    for match in _BREAK.finditer(text):
        cut = max(0, match.start() - _LONGEST_CUT), match.start() + 1
        if not _BOUNDARIES_PART.match(text, match.end()) and (
            _BOUNDARIES_ENDS_IN_PART.search(text, *cut) or not _NO_BREAK.search(text, *cut)
        ):
            found.append(match)
    return found


_SIGNS = {"bold": ("\ue000", "\ue001"), "italic": ("\ue002", "\ue003"), "link": ("\ue004", "\ue005")}
"""Private-use characters that replace the marks; any in the original text are removed first."""
_PRIVATE = lazy_pattern("[\ue000-\ue005]")
_LINK = lazy_pattern(r"\[((?:[^\[\]]|\[[^\[\]]*\])+)\]\(<?https?://(?:[^\s()]|\([^\s()]*\))*(?:\s+\"[^\"]*\")?\)")


def _element(names: str) -> str:
    """Return a pattern for an HTML element, capturing its content, which contains no element with these names."""
    return rf"<(?:{names})>((?:[^<\n]|<(?!/?(?:{names})>))++)</(?:{names})>"


# Content never includes its own mark, so an unclosed mark is searched only up to the next one.
_BOLD = lazy_pattern(
    r"\*\*(?=\S)((?:[^*\n]|\*(?!\*))++)(?<=\S)\*\*|(?<!\w)__(?=\S)((?:[^_\n]|_(?!_))++)(?<=\S)__(?!\w)|"
    + _element("b|strong"),
    re.IGNORECASE,
)
_ITALIC = lazy_pattern(
    r"(?<![^\W\u3040-\u30ff\u4e00-\u9fff])(?<!\*)\*(?=[^\s*])([^*]++)(?<=\S)\*(?![^\W\u3040-\u30ff\u4e00-\u9fff]|\*)|(?<!\w)_(?=\S)([^_]++)(?<=\S)_(?!\w)|"
    + _element("i|em"),
    re.IGNORECASE,
)


class Marked:
    """A text with private-use characters around emphasised parts."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.bare = self.bare_part(0)

    def spans(self, *kinds: str) -> list[tuple[int, int, str]]:
        """Return offsets (in ``text``, including the marks) and plain text of parts with these kinds of emphasis."""
        found: list[tuple[int, int, str]] = []
        for kind in kinds:
            opening, closing = _SIGNS[kind]
            for match in re.finditer(f"{opening}([^{opening}{closing}]*){closing}", self.text):
                span = (match.start(), match.end(), " ".join(_PRIVATE.sub("", match[1]).split()))
                place = bisect(found, span)
                if not any(one[0] < span[1] and span[0] < one[1] for one in found[max(0, place - 1) : place + 1]):
                    found.insert(place, span)
        return found

    def bare_part(self, start: int, end: int | None = None) -> str:
        """Return the text between two offsets without marks."""
        return _PRIVATE.sub("", self.text[start:end])


def marked(text: str) -> Marked:
    """Parse Markdown and HTML emphasis; link addresses are dropped."""
    text = _PRIVATE.sub("", text)
    text = _LINK.sub(lambda link: _around("link", link[1]), text)
    text = _BOLD.sub(lambda bold: _around("bold", bold[1] or bold[2] or bold[3]), text)
    text = _ITALIC.sub(lambda italic: _around("italic", italic[1] or italic[2] or italic[3]), text)
    if re.search(r"[<&][a-z/#]", text, re.IGNORECASE):
        text = without_latex_and_markup(text)
    return Marked(text)


def _around(kind: str, content: str) -> str:
    opening, closing = _SIGNS[kind]
    return f"{opening}{content}{closing}"


ADDRESS = r"https?://[^\s<>\"“”]+"
LAST_ADDRESS = r"https?://(?:(?!https?://)[^\s<>\"“”])+"
"""The last of several addresses without a gap, for patterns that go on after it: each would be searched to its end."""
_SCHEME = lazy_pattern(r"\bhttps?\s?:\s?/\s?/\s?(?=\w)", re.IGNORECASE)
_CUT = lazy_pattern(
    rf"(?P<address>{LAST_ADDRESS}?)(?P<hinge>[/_=&#~-]|(?<=www)\.|(?<=[a-z])\.)\s(?P<more>[\w%][^\s<>\"“”]*)"
)
_ARXIV = lazy_pattern(r"(arxiv\.\s?org/(?:abs|pdf)/\s?\d{4})\.\s(?=\d{4,5}\b)")
_PATH = lazy_pattern(r"[\w%~.-]*[/_=~-][^\s]*|[a-z0-9-]+\.[a-z]{2,4}[^\s]*|[a-z0-9-]+[,.;]?$")


def rejoin_split_urls(text: str) -> str:
    """Rejoin split URLs: ``https: //www. epa.gov/x/ y`` becomes ``https://www.epa.gov/x/y``."""
    text = _SCHEME.sub(lambda match: "https://" if "s" in match[0][:5].lower() else "http://", text)
    text = _ARXIV.sub(r"\1.", text)
    for _ in range(4):
        rejoined = _CUT.sub(_joined, text)
        if rejoined == text:
            break
        text = rejoined
    return text


def _joined(match: re.Match[str]) -> str:
    if match["hinge"] == "." and not re.match(r"[a-z0-9-]+\.[a-z]{2,}|[a-z]{2,4}/", match["more"]):
        return match[0]
    if not _PATH.match(match["more"]):
        return match[0]
    return f"{match['address']}{match['hinge']}{match['more']}"


_ADDRESS = lazy_pattern(ADDRESS)
_STOP_WORDS = frozenset(WORD_LISTS["small_words_of_titles"])
_DETAIL_ONLY = lazy_pattern(
    rf"[\s.,;()]*"
    rf"(?:{ADDRESS}|URL|Accessed\b.*|\[?Online\b.*|Available\b.*|Retrieved\b.*|last accessed.*|(?:{_MONTH}\s+)?{_DATE}\b"
    rf"|(?:0?\d|1[0-2])\s+{_DATE})",
    re.IGNORECASE,
)
_DATED = lazy_pattern(rf"[\s(]*(?:{_MONTH}\s+(?:\d+,\s+)?|(?:0?\d|1[0-2])[ /])?{_DATE}\b(?!\s+[A-Za-z]{{3,}})\)?")
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
"""Weight of each mark as evidence that a title ends before it."""
_NAMED_AND_DATED = lazy_pattern(rf"[,.]?\s*(?:\(?{_DATE}|{ADDRESS}|doi\b)", re.IGNORECASE)
_LONGEST_VENUE = 160
_ENDS_IN_CUT_VENUE = lazy_pattern(
    r"[^.][.?!,]\s+[^\W\d_a-z]\w{0,9}\.?\s?$|[IVX]\.\s+(?:[^\W\d_a-z]\w{0,9}\.?\s?){1,3}$"
)
"""One capitalised word after a full stop: "Random forests. Mach", of "Mach. Learn."."""
_PART = lazy_pattern(r"[IVX]{1,4}[.,]\s")
"""A part number, which belongs to the title."""
_ENDS_IN_PART = lazy_pattern(r"[a-zà-ÿ][.,:]?\s+[IVX]{1,4}\.$")
Cued = tuple[float, tuple[str, ...]]


def capitalised(words: list[str]) -> float:
    content = [word for word in words if word.strip(".,()&").lower() not in _STOP_WORDS and any(map(str.isalpha, word))]
    return sum(any(map(str.isupper, word)) for word in content) / max(1, len(content))


def beginning(text: str) -> float:
    """Score the first words as the beginning of a title rather than of further names or a venue."""
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
    """Return True if the words after "In" name a venue and do not begin a title ("In search of …")."""
    first = _first_part(text)
    return _VENUE_WORDS.search(first) is not None or lookup(first) is not None or capitalised(first.split()) > 0.8


def _lone_name(head: str) -> bool:
    return len(head.split()) in (2, 3) and capitalised(head.split()) > 0.99


def _goes_on(text: str) -> bool:
    """Return True if a list of names continues here, rather than a title that contains a comma."""
    stop = next((match.start() for match in sentence_breaks(text)), len(text))
    share, count = name_share(text[:stop])
    return count > 1 and share > 0.6


_PAIRS = (("(", ")"), ("[", "]"), ("“", "”"))
_IN_VENUE = lazy_pattern(r",\s+in\s+(?:the\s+)?[A-Z]")
_AFTER_PART = lazy_pattern(r"[a-zà-ÿ][.,]\s+[IVX]{1,4}\.\s+\S")
_NOT_OF_TITLES = lazy_pattern(
    rf"[,.]\s+(?:{_MONTH}\s+|\d\d\s+)?{_DATE}$|\bpp?\.\s*\d|\bet al\b|[.?,]\s+In:?\s+[A-Z0-9]"
)
_AFTER_MARK = lazy_pattern(r"[.,]\s+(?:arXiv|CoRR|bioRxiv|URL|Accessed)\b")
_AGAINST: tuple[tuple[str, float, Callable[[str, str], float]], ...] = (
    ("a lone word in lower case", 2.0, lambda bare, _: bare.isalpha() and bare.islower()),
    ("an end that goes on", 3.0, lambda bare, _: _ENDS_OPEN.search(bare) is not None),
    ("an address", 5.0, lambda bare, _: _ADDRESS.search(bare) is not None),
    ("several persons", 3.0, lambda bare, _: "," in bare and names_persons(bare)),
    ("a bracket without its other half", 2.0, lambda bare, _: sum(bare.count(a) != bare.count(b) for a, b in _PAIRS)),
    ("a sentence that ends", 1.2, lambda bare, _: sum(one["stop"][0] == "." for one in sentence_breaks(bare))),
    ("a question that ends", 0.4, lambda bare, _: sum(one["stop"][0] != "." for one in sentence_breaks(bare))),
    ("a venue after “in”", 1.5, lambda bare, _: _IN_VENUE.search(bare) is not None),
    ("words after the number of a part", 3.0, lambda bare, _: _AFTER_PART.search(bare) is not None),
    ("the first word of an abbreviated venue", 1.5, lambda bare, _: _ENDS_IN_CUT_VENUE.search(bare) is not None),
    ("a year, pages or people", 2.5, lambda bare, _: _NOT_OF_TITLES.search(bare) is not None),
    ("an archive", 3.0, lambda bare, _: _ARCHIVE.search(bare, 1) is not None and _AFTER_MARK.search(bare) is not None),
    (
        "an abbreviation at the end", 1.5,
        lambda _, title: ABBREVIATED_END.search(title) is not None and _ENDS_IN_PART.search(title) is None,
    ),
)  # fmt: skip
"""Evidence against words as a title: its meaning, its weight, and how often it is there (given the bare and the whole words)."""
_LENGTHS = ((1, -1.0), (2, -0.2), (30, 1.0), (45, 0.0))
"""Most words of a title and the weight of that length; longer ones weigh `_TOO_LONG`."""
_TOO_LONG, _NO_WORD = -3.0, -20.0


def inside(title: str) -> float:
    """Score the words between two boundaries as a title."""
    bare = title.strip(" .,;:\"“”'")
    if not re.search(r"[^\W\d_]{2}", bare):
        return _NO_WORD
    count = len(bare.split())
    length = next((weight for most, weight in _LENGTHS if count <= most), _TOO_LONG)
    return length - sum(weight * times(bare, title) for _, weight, times in _AGAINST)


@dataclass(frozen=True, slots=True)
class _After:
    """Words after a boundary: its kind, the words, those up to the first detail, the share of them with a capital, and
    whether a question mark ends the title."""

    kind: str
    text: str
    first: str
    proper: float
    asks: bool

    def fewer(self, most: int) -> bool:
        return len(self.first.split()) <= most


def _is_known(one: _After) -> bool:
    venue_like = one.proper > 0.5 or one.fewer(3) or _VENUE_WORDS.search(one.first) is not None
    return venue_like and len(one.first) < _LONGEST_VENUE and lookup(one.first) is not None


def _named_and_dated(one: _After) -> bool:
    named = one.kind == "stop" and not one.asks and one.proper > 0.9 and len(one.first.split()) > 0 and one.fewer(6)
    return named and _NAMED_AND_DATED.match(one.text, len(one.first)) is not None


_IN_KNOWN = lazy_pattern(r"[Ii]n:?\s+(?:Proc|Adv|Int|IEEE|ACM|arXiv|[A-Z]{3,}|.{0,80}\b(?:Conf|Symp|Workshop|Journal))")
_APART = ("colon", "bracket", "dash", "semicolon")
_FOR: tuple[tuple[str, Callable[[_After], object], Callable[[_After], float]], ...] = (
    ("", lambda one: not one.text, lambda _: 0.0),
    ("", lambda one: one.kind == "stop" and _PART.match(one.text), lambda _: -4.0),
    ("a year or an address after the title", lambda one: _DETAIL_ONLY.match(one.text) or _DATED.match(one.text),
     lambda one: 2.8 if one.kind in ("comma", "year", "bracket") else 1.6),
    ("“In” after the title", lambda one: _WITHIN.match(one.text),
     lambda one: 3.0 if one.kind == "stop" or _IN_KNOWN.match(one.text) else 1.0),
    ("an archive, a thesis or a page after the title", lambda one: _ARCHIVE.match(one.text), lambda _: 2.5),
    ("a volume or edition after the title",
     lambda one: one.kind in ("comma", "stop") and _VOLUME_OF_BOOK.match(one.text),
     lambda one: 2.6 if one.kind == "comma" else 1.5),
    ("", lambda one: one.kind == "dash" and (lookup(one.first) or _PUBLISHER.search(one.first)), lambda _: 2.0),
    ("", lambda one: one.kind in _APART, lambda _: 0.0),
    ("a known venue after the title", _is_known, lambda _: 3.0),
    ("a venue with volume or pages after the title", lambda one: _NUMBERED.match(one.text),
     lambda one: 2.6 if one.proper > 0.6 else 2.0),
    ("a publisher after the title", lambda one: _PUBLISHER.search(one.first) and one.fewer(10), lambda _: 2.0),
    ("words of venues after the title", lambda one: _VENUE_WORDS.search(one.first) and one.proper >= 0.6,
     lambda one: 2.6 if one.asks and one.proper > 0.9 else 1.6),
    ("a name with a year or an address after the title", _named_and_dated, lambda _: 2.2),
    ("", lambda one: one.asks and one.proper < 0.9, lambda _: -1.0),
    ("", lambda _: True, lambda one: 0.5 if one.proper > 0.9 else -0.5),
)  # fmt: skip
"""Evidence for the end of a title: its meaning, its condition and its weight. The first row whose condition holds counts."""
_ASKING = -0.6


def following(text: str, end: Boundary) -> Cued:
    """Score the words after a boundary as the text after a title."""
    after = text[end.end if end.kind == "year" else end.start :].lstrip(" ,;.")
    asks = end.kind == "stop" and text[: end.end].endswith(("?", "!"))
    first = _first_part(after)
    one = _After(end.kind, after, first, capitalised(first.split()), asks)
    cue, _, weight = next(row for row in _FOR if row[1](one))
    return _MARKS[end.kind] + (_ASKING if asks else 0.0) + weight(one), (cue,) if cue else ()


def _first_part(after: str) -> str:
    """Return the words up to the first detail."""
    return _DETAILS_BEGIN.split(after, maxsplit=1)[0].strip(" ,.")


_DETAILS_BEGIN = lazy_pattern(
    rf",\s+(?=\d|vol|pp?\.|no\.|{_DATE}|{_MONTH}\s)|[,.]\s+(?={_DATE})|\s\(|\s\d+[(:,]|\.\s+(?=[A-Z])|\.$|:\s"
)
