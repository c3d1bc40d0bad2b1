"""Parsers for the styles of the humanities and social sciences, in English, German and French.

``Beck, Ulrich (1986): Risikogesellschaft. Auf dem Weg …, Frankfurt a. M.: Suhrkamp.`` ``Becker, G. S. und Nigel Tomes, 1979, An
equilibrium theory, Journal of Political Economy, 87(6), S. 1153-1189.`` ``Luhmann, Niklas: Soziale Systeme. Frankfurt 1984.``
``Heinrich Best, »Historische Sozialforschung«, in: KZfSS, 40 (1988), S. 1-15.`` People come first, then the year or the title.
The title ends at its quotation mark, before "in:", or before the first part that can only be an imprint, a series or a journal.
"""

from __future__ import annotations

import re

from pytest_citecheck.inputs.budget import lazy_pattern
from pytest_citecheck.inputs.dates import YEAR
from pytest_citecheck.inputs.plain.cues import container
from pytest_citecheck.inputs.plain.names import EAST_ASIAN, WORD_LISTS, bibtex_authors
from pytest_citecheck.matching import lookup
from pytest_citecheck.model import Reading

_EDITED = r"\(?\b(?:Hrsg|Hg|eds?|Eds?|Herausgeber|éds?|dir|coord)\b\.?(?:innen)?\)?"
_WHEN = (
    rf"(?:\[{YEAR}\]\s*|{YEAR}\s*/\s*)?(?P<year>{YEAR})[a-z]?(?:\s*[/–-]\s*\d{{2,4}}|\s*\[{YEAR}[^\]]{{0,12}}\])?"
    r"|o\.\s?J\.|n\.\s?d\.|s\.\s?d\.|[Ii]m Erscheinen|[Ii]m Druck|[Ii]n [Pp]ress|[Ff]orthcoming|i\.\s?E\."
    r"|[Ii]n Begutachtung|[Ii]n Vorbereitung"
)
_DATED = (
    lazy_pattern(rf"(?<![\s,.;])[\s,.;]*+\((?:{_WHEN})(?:,\s*[^()]{{1,40}})?\)\s*(?:{_EDITED})?\s*[:.,–-]?\s*"),
    lazy_pattern(rf"(?:[,.;]|(?<![\s,.;]))\s++(?:{_WHEN})\s*+(?:{_EDITED}\s*+)?[:.,]\s*+"),
)
_QUOTES = {"»": "«", "„": '“”"', "“": "”", '"': '"', "‘": "’", "‚": "‘’", "'": "'", "«": "»", "›": "‹"}
_AFTER_QUOTE = lazy_pattern(r"[\s]*(?:[,.;(]|$|[Ii]n\b)")
_WITHIN = (
    lazy_pattern(r"(?:(?P<stop>[?!,.;:])|(?<![\s?!,.;:]))\s++(?:in|In|IN)\s*+:\s++(?=\S)"),
    lazy_pattern(rf"(?P<stop>[.?!,])\s+[Ii]n\s+(?=(?:[^\W\d_]\.|[^\W\d_a-z][\w-]+,?\s)[^.]{{0,160}}?{_EDITED})"),
    lazy_pattern(r"(?P<stop>[.?!])\s+In\s+(?=[^\W\d_a-z„“\"])"),
)
_BREAK = lazy_pattern(r"(?P<stop>[.,;?!])[\"”’“«)]?\s++(?=[^\W_]|[(=„“\"»])|(?<!\s)\s++(?P<bracket>\()(?==)")
_ABBREVIATED = lazy_pattern(
    r"(?:^|[\s.(/-])(?:[A-ZÄÖÜ]|St|Dr|Prof|vs|ca|bzw|d\.\s?h|z\.\s?B|u\.\s?a|Frankf|\d{1,2})\.$"
)
_CUT_WORD = lazy_pattern(r"[.,:]\s[^\W\d_a-z]\w{0,7}$")
"""A last word between a punctuation mark and the full stop: "Random forests, Mach."."""
_PLACE = lazy_pattern(
    r"(?P<place>(?:[^\W\d_a-zß-öø-ÿ][\w’'-]+|M\.)(?:\s[^\W\d_a-zß-öø-ÿ][\w’'-]+){0,2})"
    r"(?:\s*[/.]?\s*(?:a\.\s?M\.?|am Main|\(Main\)|M\.|u\.\s?a\.|usw\.|et al\.?|etc\.|i\.\s?Br\.|a\.\s?d\.\s?\w+"
    r"|bei \w+|D\.?\s?C\.?))*"
    r"(?:,?\s*\(?(?:[A-Z]{2}|UK|USA|Mass\.?|Calif\.?|Conn\.?|Ill\.?|N\.\s?[YJ]\.|D\.\s?C\.)\)?(?=[\s:,.;/&]|$))?"
)
_SENTENCE = lazy_pattern(r"(?<![^\W\d_])[^\W\d_]{4,}+\.\s++[^\W\d_]{2,}")
"""The end of a word and the start of a title: "SCHMIDHUBER, Jürgen. Long Short-Term Memory"."""
_PAGES_LAST = lazy_pattern(r",\s(?:S|pp?)\.\s?\d[\d\s–-]*(?:ff?)?$")
_IN_BRACKETS = lazy_pattern(r"(?:(?<!\s)\s++)?+\([^()]*+\)$")
_LONGEST_IMPRINT, _MOST_LOWER, _WORDS_OF_PLACE, _WORDS_OF_PUBLISHER = 160, 3, 2, 7
_PUBLISHER = lazy_pattern(
    r"\b(?:Verlag|Press|Publish\w*|Springer|Suhrkamp|Campus|Leske|Budrich|Westdeutscher|Routledge|Sage|SAGE|Wiley|Blackwell|Beltz|Juventa"
    r"|Nomos|transcript|Transcript|Oldenbourg|Rowohlt|Fischer|Reclam|Hogrefe|UTB|De Gruyter|Gruyter|Lit|Lang|Mohr"
    r"|Siebeck|Enke|Piper|Beck"
    r"|Macmillan|Penguin|Elsevier|Kluwer|Elgar|Ashgate|Polity|Erlbaum|University|Universität\w*|Books|Gallimard|Seuil|Presses|PUF|Editorial"
    r"|Akademie|Asgard|Duncker|Humblot|Huber|VS|UVK|Institut\w*|Institute|Centre|Center|Zentrum|Commission|Foundation|Association)\b"
)
_SERIES = lazy_pattern(
    r"\(?=|\(?(?:\d{1,2}\.|[Zz]weite|[Dd]ritte|2nd|3rd|[45]th|1st|[Ss]econd|[Tt]hird|[Rr]ev(?:ised|\.)|[Nn]eu|[Üü]berarb\w*\.?|[Ee]rw\w*\.?|[Uu]nveränd\w*\.?)"
    r"[^.:;]{0,50}?(?:Aufl|Auflage|Ausg|Ausgabe|ed\b|edn|edition|Edition)"
    r"|(?:Band|Bd\.?|Vol(?:ume|\.)?|Heft|H\.|Nr\.?|No\.?|Teil)\s?[IVX\d]+\b(?!\s*:)|Schriftenreihe|Schriften (?:der"
    r"|des|zur)|Reihe\b|Beiträge (?:aus|der|des|zur)\b"
    r"|(?:[A-ZÄÖÜ][\w-]*\s){0,4}(?:[Dd]iscussion|[Ww]orking|[Ii]dea|[Rr]esearch|[Oo]ccasional|[Tt]echnical"
    r"|[Pp]olicy)[ -][Pp]apers?\b|Arbeitspapier\w*|Arbeitsbericht\w*"
    r"|Forschungsbericht\w*|[A-Z]{2,}[ -](?:[Pp]aper|Working|Discussion|Arbeits)|Diss(?:ertation|\.)|Inauguraldiss"
    r"|Habil|Magister|Diplom|Masterarbeit"
    r"|[Uu]nveröff|Unpublished|unpublished|Manuskript|Manuscript|Ms\.|mimeo|Drucksache|Paper presented|Vortrag"
    r"|Referat|Research [Rr]eport|Report [Nn]o"
    r"|[Ee]ndbericht|Gutachten\b|Sonderheft|Sonderband|Themenheft|Beiheft|Jahresgutachten"
    r"|hrsg\.|[Hh]erausgegeben|[Üü]bers|[Aa]us dem|[Tt]ranslated|[Ee]dited by|mit (?:einem|einer)|im Auftrag"
    r"|URL|https?:|www\.|Verfügbar|Retrieved|Available|Accessed|Zugriff|Abruf|Stand\b|Online|PhD|Ph\.D|Doctoral|Master['’]s|Bachelor"
    r"|[Ii]m Erscheinen|[Ii]m Druck|[Ff]orthcoming|S\.\s?\d|pp?\.\s?\d"
)
_DETAILS = (
    r"(?:[\d\s()/:;,.–—=*-]|Jg\.?|Jahrg\.?|Jahrgang|[Vv]ol\.?|[Vv]olume|Bd\.|H\.|Heft|Nr\.|[Nn]o\.?|[Nn]umber|[Ii]ssue|S\.|[Pp]p?\.|[Pp]ages|ff?\.|and|u\."
    r"|Spring|Summer|Winter|Fall|Autumn|Jan\w*\.?|Feb\w*\.?|M[aä]r\w*\.?|Apr\w*\.?|Ma[iy]|Jun[ie]?\.?|Jul[iy]?\.?|Aug\w*\.?|Sept?\w*\.?|O[ck]t\w*\.?|Nov\w*\.?|De[cz]\w*\.?"
    r"|Suppl\.?|Special [Ii]ssue|Sonderheft|art\.|[IVX]+\b)"
)
_JOURNAL = re.compile(
    rf"(?P<name>[^\d\W][^\d:;?!]{{1,110}}?)[,.:]?\s*+(?:\(|\[)?(?:Jg\.?|[Vv]ol\.?|[Vv]olume|Bd\.|H\.|Heft|Nr\.|[Nn]o\.?|\d){_DETAILS}{{2,80}}+\]?\.?"
)
_FINAL_YEAR = lazy_pattern(rf"(?<![\s,(])[\s,(]++(?P<year>{YEAR})[a-z]?\)?(?:\s*+\[[^\]]*+\])?[\s.]*+$")
_LOWER_WORD = lazy_pattern(r"(?<![\w’'])[a-zß-öø-ÿ][\w’'-]*")
_SMALL = frozenset(WORD_LISTS["small_words_of_venues"])
_LONGEST_PEOPLE, _LONGEST_GROUP = 600, 14
_WORD = lazy_pattern(
    r"(?:[^\W\d_a-zß-öø-ÿ][\w’'`´.-]*|van|von|vom|zu|zur|zum|de|del|della|der|den|di|da|dos|das|du|la|le|te|ter|ten|el|al|bin|af|av|y|d['’]\w+|jr\.?)"
)
_MANY = lazy_pattern(
    r"(?<![\s,;])[\s,;]*+(?:\bet\.? al\b\.?|\bu\.\s?a\.|\bund andere\b|\band others\b|\bet autres\b)\s*+$"
)
_TITLE_AFTER_INITIAL = lazy_pattern(r",\s(?:[^\W\d_]\.[\s-]?)+(?!(?:und|and|u\.|sowie|et|y)\b)[^\W\d_][\w-]+[^,&;]*$")
"""A title after the initials of the last inverted name: "Toutanova, K. BERT: Pre-training"."""
_AND = lazy_pattern(r"(?<!\s)(?:\s*+[;/&]|\s++(?:und|u\.|sowie|and|et|y)(?=\s))\s*+")


IN_MARKS = ("marks around the title",)
ONLY_AFTER, LOOSE = "a date before the title, and what only follows one after it", "people before the title"


def author_date(text: str) -> Reading | None:
    """Parse a string without identifiers that starts with people; None if it is in none of these styles."""
    if EAST_ASIAN.search(text[:_LONGEST_PEOPLE]):
        return _japanese(text)
    for number, pattern in enumerate(_DATED):
        match = pattern.search(text, 0, _LONGEST_PEOPLE)
        if match is None or match.end() >= len(text):
            continue
        # Any sentence may start with an organisation, a bare year and a comma.
        sentence = number > 0 and match[0].rstrip().endswith(",")
        people = _persons(text[: match.start()]) if sentence else _people(text[: match.start()])
        found = _split(text[match.end() :], dated=True) if people else None
        if found is not None:
            return _made(people, match["year"] or "", found, dated=True)
    return _undated(text)


_JAPANESE = lazy_pattern(
    rf"(?P<people>[^(（「『《]{{2,120}}?)\s*+[(（]\s*+(?P<year>{YEAR})\s*+年?\s*+[)）]\s*+[:：.．,，]?\s*+[「『《“](?P<title>[^」』》”]{{2,200}})[」』》”]\s*+[,，.．]?\s*+"
    r"(?:[『《](?P<venue>[^』》]{2,120})[』》])?(?P<rest>.*)"
)


def _japanese(text: str) -> Reading | None:
    """Parse ``甘利俊一（1998）「自然勾配学習法」『計測と制御』37(7)``."""
    match = _JAPANESE.fullmatch(text)
    people = bibtex_authors(re.sub(r"(?<!\s)\s*+[・;；]\s*+", ", ", match["people"].strip())) if match else ""
    if match is None or not people:
        return None
    fields = {"author": people, "title": match["title"].strip(), "year": match["year"], "journal": match["venue"] or ""}
    kind = "article" if match["venue"] else "misc"
    return Reading(kind, {name: value for name, value in fields.items() if value}, IN_MARKS, certain=True)


_Split = tuple[str, str, str, bool, bool]
"""Title, venue, details, whether marks delimit the title, and whether the text after it can only follow a title."""


def _undated(text: str) -> Reading | None:
    """Parse ``People: title. Place: publisher, year``, ``People, »title«, in: …`` and ``First Last, title, place year``."""
    for mark in re.finditer(r":\s+|[,.]\s+(?=[»„“\"‘‚])|,\s+(?=[^\W\d_a-z])", text[:_LONGEST_PEOPLE]):
        before, after = text[: mark.start()], text[mark.end() :]
        if not before or re.search(r"\d|(?<![^\W\d_])[^\W\d_]{2,}+\.\s", before) or _TITLE_AFTER_INITIAL.search(before):
            break
        people = _persons(before)
        one = mark[0][0] == "," and after[0] not in _QUOTES
        single = " and " in people and any(" " not in name for name in people.split(" and ") if name != "others")
        single |= re.match(r"[^\W\d_]\.\s", before) is not None and "," in before
        initials = re.search(r"[^\W\d_]\.$", before)
        if not people or single or (one and (initials or "," in before or " and " in people or _more_names(after))):
            continue
        found = _split(text[mark.end() :], dated=False)
        if found is not None and (stated := _year_after(text, mark.end() + len(found[0]))):
            return _made(people, stated, found, dated=mark[0][0] == ":" and _INVERTED.fullmatch(before) is not None)
    return None


def _year_after(text: str, place: int) -> str:
    """Return the year at the end of the text, or else the only one after a place."""
    year = _FINAL_YEAR.search(text)
    inside = set(re.findall(rf"(?<![\d/-]){YEAR}(?![\d/-])", text[place:]))
    return year["year"] if year else inside.pop() if len(inside) == 1 else ""


_INVERTED = lazy_pattern(r"[^\W\d_a-z][\w-]+, [^\W\d_a-z][\w.-]+(?: [^\W\d_a-z][\w.-]+)?")
"""One person, family name first; a colon after it ends the people as surely as a year."""


def _more_names(text: str) -> bool:
    """Return True if the text may begin with another person: initials and a name, or only capitalised words."""
    first = re.split(r"[,.:]\s", text)[0].split()
    return re.match(r"(?:[^\W\d_]\.[\s-]?)+[^\W\d_]", text) is not None or (
        1 < len(first) <= 4 and all(_WORD.fullmatch(word) and word[0].isupper() for word in first)
    )


def _made(people: str, year: str, found: _Split, *, dated: bool) -> Reading:
    """Return the reading; it is certain only if marks delimit the title. dated: a year or a colon ends the people."""
    title, venue, details, quoted, sure = found
    fields = {"author": people, "title": title, "year": year}
    kind = "misc"
    if venue:
        kind, where = container(venue, volume=bool(re.search(r"\d", details)))
        if where == "howpublished":
            kind, where = "incollection", "booktitle"
        fields[where] = venue
    cues = IN_MARKS if quoted else (ONLY_AFTER,) if sure and dated else (LOOSE,)
    return Reading(kind, {name: value for name, value in fields.items() if value}, cues, certain=quoted)


_IN = lazy_pattern(r"\s+(?:in|In)\b")
_LONGEST_TITLE = 1_000


def _split(rest: str, *, dated: bool) -> _Split | None:
    """Split a text that begins with a title into title, venue and the rest."""
    rest = re.sub(rf"^(?:{_EDITED})\s*[:.,]?\s*", "", rest.strip())
    if len(rest) < 3:
        return None
    if (quoted := _quoted(rest)) is not None:
        title, tail = quoted
        return (title, *_venue(tail), True, True)
    for pattern in _WITHIN:
        match = pattern.search(rest)
        if match is not None:
            stop = match["stop"] or ""
            title = rest[: match.start()] + (stop if stop in "?!" else "")
            return (_clean(title), *_venue(rest[match.end() :]), False, True)
    for match in _BREAK.finditer(rest, 0, _LONGEST_TITLE):
        title, tail, stop = rest[: match.start()], rest[match.end() :], match["stop"] or ""
        if _goes_on(title, stop, tail, dated=dated):
            continue
        whole = _clean(title + (stop if stop in "?!" else ""))
        if journal := _journal(tail):
            return whole, *journal, False, True
        if _is_imprint(tail) or _SERIES.match(tail):
            return whole, "", tail, False, True
    if dated and len(_BREAK.findall(rest)) <= 1 and len(rest) < 300:
        return _clean(rest), "", "", False, False
    return None


def _goes_on(title: str, stop: str, tail: str, *, dated: bool) -> bool:
    """Return True if the mark after these words does not end a title."""
    if stop == "." and (_ABBREVIATED.search(f"{title}.") or _CUT_WORD.search(title)):
        return True
    part = re.match(r"[IVX]{1,4}[.,]\s", tail) is not None
    return part or (stop == "," and len(title.split()) < 2 and not dated)


def _clean(title: str) -> str:
    return title.strip(" .,;:*_")


def _quoted(rest: str) -> tuple[str, str] | None:
    closing = _QUOTES.get(rest[0], "")
    for place in range(2, len(rest)) if closing else ():
        if (
            rest[place] in closing
            and (_AFTER_QUOTE.match(rest, place + 1) or rest[place - 1] in ",.")
            and not (rest[place] in "’'" and rest[place + 1 : place + 2].isspace() and not _IN.match(rest, place + 1))
        ):
            return rest[1:place].strip(" ,."), rest[place + 1 :]
    return None


def _venue(tail: str) -> tuple[str, str]:
    """Split the text after a title into the name of the journal or book, and the details."""
    tail = re.sub(r"^[\s,.;:]*(?:[Ii]n\s*:?\s+)?", "", tail)
    edited = re.match(rf"[^:]{{3,160}}?{_EDITED}\s*[,:.]\s*(?:{YEAR}[,:]\s*)?", tail)
    if edited:
        tail = tail[edited.end() :]
    if journal := _journal(tail):
        return journal
    end = re.search(
        rf"[,.;]\s+(?={YEAR}|\d|S\.|pp?\.|Vol|Jg|H\.|Bd)|\s\(|[.]\s+(?=[A-ZÄÖÜ])|,\s+(?=[^\W\d_a-z][\w-]+(?::|,|\.?$))|:\s|\s\d+\s?[(,:]",
        tail,
    )
    return (tail[: end.start()].strip(' "“”„»«'), tail[end.start() :]) if end else (tail.strip(' ."“”„»«'), "")


def _journal(tail: str) -> tuple[str, str] | None:
    match = _JOURNAL.fullmatch(tail.strip())
    if match is None:
        return None
    name = match["name"].strip(" ,.")
    words = [word for word in re.findall(r"[\w’'.&-]+", name) if word not in _SMALL and any(map(str.isalpha, word))]
    proper = sum(word[0].isupper() for word in words) >= 0.7 * len(words) or lookup(name) is not None
    if not words or len(words) > 10 or not proper or re.search(r"(?<![^.\s])[^.\s]{4,}+\.\s", name):
        return None
    return name, tail[len(match["name"]) :]


def _is_imprint(tail: str) -> bool:
    """Return True if the text consists of places, with or without a publisher, or of a publisher and a place.

    No list of places is needed: an imprint has the form of one, ends the reference and has no words of a sentence.
    """
    text = _FINAL_YEAR.sub("", _IN_BRACKETS.sub("", _PAGES_LAST.sub("", tail.strip(" .,;")))).strip(" .,;")
    place = _PLACE.match(text) if 0 < len(text) <= _LONGEST_IMPRINT else None
    if place is None or _SENTENCE.search(text):
        return False
    after = text[place.end() :].lstrip()
    lower = [word for word in _LOWER_WORD.findall(text) if word not in _SMALL]
    if lower and not (after.startswith(":") and len(lower) < _MOST_LOWER):
        return False
    short = len(place["place"].split()) <= _WORDS_OF_PLACE
    if after.startswith((":", "/", ";")):
        return short and len(after.split()) <= (2 * _WORDS_OF_PUBLISHER if after[0] == ":" else _WORDS_OF_PLACE + 1)
    second = _PLACE.fullmatch(after[1:].lstrip()) if after[:1] in ("/", ",", "–", "-") else None
    if not after or (second is not None and len(second["place"].split()) <= _WORDS_OF_PLACE):
        return short
    before, _, last = text.rpartition(", ")
    city = _PLACE.fullmatch(last) if 1 < len(before.split()) <= _WORDS_OF_PUBLISHER else None
    if city is not None and len(city["place"].split()) <= _WORDS_OF_PLACE:
        return "," not in before
    return _PUBLISHER.search(text) is not None and len(text.split()) <= _WORDS_OF_PUBLISHER


def _people(text: str) -> str:
    """Return the people before a date in BibTeX's form; an organisation in braces; `""` if neither."""
    text = re.sub(rf"(?<![\s,])[\s,]*+{_EDITED}[\s,.:]*+$", "", text.strip()).strip(" ,;:")
    if not text:
        return ""
    if persons := _persons(text):
        return persons
    words = text.split()
    proper = words[0][:1].isupper() or words[0][:1].isdigit()
    if proper and len(words) <= _LONGEST_GROUP and not re.search(r"[.?!]\s+[^\W\d_]{3,}|[„“»«\"]|[:;]", text):
        return f"{{{text}}}"
    return ""


def _persons(text: str) -> str:
    text = re.sub(rf"(?<![\s,])[\s,]*+{_EDITED}[\s,.:]*+$", "", text.strip()).strip(" ,;:")
    others = _MANY.search(text)
    bare = text[: others.start()] if others else text
    if _SENTENCE.search(bare):
        return ""
    if not re.search(r"/|\sund\s|\su\.\s", bare) and (plain := bibtex_authors(text)) and not plain.startswith("{"):
        return plain
    names: list[str] = []
    for piece in filter(None, _AND.split(bare)):
        parts = [part.strip() for part in piece.split(",") if part.strip()]
        place = 0
        while place < len(parts):
            part = parts[place]
            if not _is_words(part) or len(part.split()) > 5:
                return ""
            inverted = place + 1 < len(parts) and (len(part.split()) == 1 or place == 0 or part.split()[0].islower())
            if inverted and _is_words(parts[place + 1]):
                names.append(f"{part}, {parts[place + 1]}")
                place += 2
            else:
                names.append(part)
                place += 1
    if not names or (len(names) == 1 and len(names[0].split()) < 2 and not others):
        return ""
    return " and ".join([*names, "others"] if others else names)


def _is_words(part: str) -> bool:
    return all(_WORD.fullmatch(word) for word in part.split())
