"""Parser for one printed reference: title, authors, venue, year, identifiers.

Uncertain fields are left out: a missing field is reported as missing, but a wrongly split one would accuse the author of an
error. The end of a title is certain if marks show it (quotation marks, bold or italic type, a label), or if the text after it
can only be a venue.
"""

from __future__ import annotations

import re
from itertools import islice

from pytest_citecheck.inputs.budget import lazy_pattern
from pytest_citecheck.inputs.dates import YEAR
from pytest_citecheck.inputs.plain.cues import Marked, is_venue, lone_year, marked, read_tail, sentence_breaks
from pytest_citecheck.inputs.plain.names import bibtex_authors, names_persons, title_words
from pytest_citecheck.matching import BLANKS, MAYBE_BLANKS, find_dois, lookup, normalise_arxiv

_YEAR = rf"(?P<year>{YEAR})"
_URL = lazy_pattern(r"https?://[^\s<>\"“”]+")
_NOISE = lazy_pattern(
    r"\[Online\]\.?"
    r"|\b(?:Available(?: at| from)?|Retrieved(?: [A-Z][a-z]+ \d+, \d{4},?)? from|Accessed(?: on)?:?[^.]{0,80}?\d{4}|DOI|URL)"
    r"\s*+:?\s*+(?=[.,;)\]]|$)|\(\s*+\)|\[\s*+\]",
    re.IGNORECASE,
)
_DOI = lazy_pattern(r"\(?\b(?:doi\s*+[:=]?\s*+)?10\.\d{4,9}/[^\s\"“”]+", re.IGNORECASE)
_PMID = lazy_pattern(r"\bPMID\s*+:?\s*+(\d{1,8})\b", re.IGNORECASE)
_PMID_ADDRESS = lazy_pattern(r"(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pubmed)/(\d{1,8})\b")
_ARXIV_NOTE = lazy_pattern(MAYBE_BLANKS + r"[(\[]\s*+arXiv\s*+:[^()\[\]]*+(?:\[[\w.-]++\]\s*+)?[)\]]", re.IGNORECASE)

_DATED = (
    lazy_pattern(
        rf"(?P<authors>.{{2,}}?)[,.]?{MAYBE_BLANKS}\({_YEAR}[a-z]?(?:,[^()]{{0,40}})?\)\s*+(?:[.:,–—-]\s++|(?<=\s))(?P<rest>\S(?s:.*))"
    ),
    lazy_pattern(rf"(?P<authors>.{{2,}}?)[.,]?{BLANKS}{_YEAR}[a-z]?[.:]\s++(?P<rest>\S(?s:.*))"),
)
_NAMED_AFTER = lazy_pattern(
    rf"(?P<title>[^()]{{8,}}?){MAYBE_BLANKS}\((?P<authors>[^()]{{2,}}?)(?:,\s*+|{BLANKS}){_YEAR}[a-z]?\)(?P<rest>(?s:.*))"
)
_VANCOUVER_DATE = lazy_pattern(rf"\b{YEAR}(?:\s+[A-Z][a-z]{{2}}(?:\s+\d+)?)?\s*;|;\s*{YEAR}\b")
_VANCOUVER_NAMES = lazy_pattern(r"[^.]{0,300}?[A-ZÀ-ÖØ-Þ]{1,4}, [^.]{0,300}? [A-ZÀ-ÖØ-Þ]{1,4}(?:\.|,? et al)")
_IEEE = lazy_pattern(
    r"(?P<authors>(?:(?:and\s++)?(?:[^\W\d_]{1,3}\.[\s-]*+)++[^\W\d_][^,.]{0,100}"
    rf"(?:(?:,\s*+|{MAYBE_BLANKS})(?:Jr\.|Sr\.|I{{2,3}}))?(?:(?:,\s++|{BLANKS})et\s++al\.,\s++|,\s++|{BLANKS}(?=and\s)))+)"
    r"(?P<rest>\S(?s:.*))"
)
_IN = lazy_pattern(r",\s+(?:in:?\s+(?=[A-Z0-9]|arXiv\b)|(?=arXiv (?:preprint )?arXiv:|arXiv[:,]))")
_INITIAL_FIRST = lazy_pattern(r"\s*(?:[^\W\d_]\.|[^\W\d_],|&|and\s)")
_LAST_INITIAL = lazy_pattern(r"(?:^|[\s.-])[^\W\d_]$")
_OPENING, _CLOSING = "“„«「『《‘", "”“»」』》’"
_SINGLE_END = lazy_pattern(r"’(?=,\s|\s\(|\.?$|\.\s)")
_WITHIN_WORDS = lazy_pattern(r"[^\W_]\s?$")
"""Text before a quotation inside a title: 'industry “are we there yet?”', 'Rwkv-7" goose"'."""
_AFTER_QUOTE = lazy_pattern(r"[\s,.;)\]「『《]|$")
_FINAL_YEAR = lazy_pattern(rf",\s+(?:[A-Z][a-z]{{2,8}}\.?\s+)?{YEAR}[a-z]?[\s.]*$")
_SEPARATOR = lazy_pattern(r"^[\s.,;:|–—-]+")
_AUTHORS_END = lazy_pattern(
    rf"\.\s|\s\(|;|\s[–—|-]\s|:\s|,\s++(?=in\s|published\s|presented\s|appeared\s|{_YEAR})|,\s++(?=[A-Z]{{3,}})"
    rf"|(?<=al\.),|(?<=et al),|\.$|,\s++(?=[^,]*+,\s*+{YEAR})|$"
)
_TITLE_CASE = lazy_pattern(r"[^\W\d_]{4,}")
_NO_TITLE = lazy_pattern(
    r"(?:doi|arxiv|link|pdf|url|paper|code|source|https?)\b.*|.*\bet al\b\.?[^()]*|[^()]*\bet al\b.*", re.IGNORECASE
)
_DESCRIPTION = lazy_pattern(
    r"\b(?:introduc|propos|present|describ|show|demonstrat|provid|discuss|review|explor|survey|seminal|landmark|foundational"
    r"|influential|paper|this|these)", re.IGNORECASE,
)  # fmt: skip
"""Words of remarks about a paper that do not occur in publisher names."""
_MOST_WORDS_BEFORE_STOP, _FEWEST = 3, 5  # words of an abbreviated name ("IEEE Trans."); letters of a title


def read_citation(text: str) -> tuple[str, dict[str, str]]:
    """Return the style of a printed reference and its fields in BibTeX's names, with ``type``.

    The style is ``marks`` if marks delimit the title and ``parts`` if its neighbours do. If neither does, it is `""` and the
    only fields are identifiers.
    """
    whole = " ".join(text.split())
    found = identifiers(whole)
    stripped = Marked(without_identifiers(marked(whole).text))
    styles = (_emphasised, _quoted) if _quotes_inside(stripped) else (_quoted, _emphasised)
    style, bare = "marks", stripped.bare
    fields = styles[0](stripped) or styles[1](stripped)
    if not fields.get("title"):
        fields = _title_first(stripped) or _italic_first(stripped) or _placed(bare)
        style = "marks" if fields else "parts"
        fields = fields or _dated(stripped) or _ieee(bare) or _listed(bare)
        style = style if fields else "marks"
        fields = fields or _named_after(bare)
    fields = {name: value for name, value in fields.items() if value}
    if not re.search(r"[^\W\d_]{2}", fields.get("title", "")):
        fields.pop("title", None)
    if (fields or found) and "year" not in fields and (year := lone_year(bare)):
        fields["year"] = year
    return (style if "title" in fields else ""), fields | found if fields or found else {}


def identifiers(text: str) -> dict[str, str]:
    """Return the DOI, arXiv id, PMID and address in the text, leaving out kinds that occur more than once."""
    found: dict[str, str] = {}
    dois = [doi for doi in find_dois(text) if not doi.startswith("10.48550/")] or list(find_dois(text))
    if len(dois) == 1:
        found["doi"] = dois[0]
    arxiv, version = normalise_arxiv(text)
    if arxiv:
        found["eprint"] = f"{arxiv}v{version}" if version else arxiv
        found["archiveprefix"] = "arXiv"
    pmids = {*_PMID.findall(text), *_PMID_ADDRESS.findall(text)}
    if len(pmids) == 1:
        found["pmid"] = pmids.pop()
    urls = dict.fromkeys(address.rstrip(".,;:)]>*_") for address in _URL.findall(text))
    others = [url for url in urls if "doi.org/" not in url]
    if len(others) == 1:
        found["url"] = others[0]
    return found


def without_identifiers(text: str) -> str:
    """Remove addresses and DOIs. An arXiv id may be the venue, so it is removed only if it is in brackets."""
    text = _PMID.sub("", _URL.sub("", _DOI.sub("", _ARXIV_NOTE.sub("", text))))
    return " ".join(_NOISE.sub("", text).split())


def _quoted(source: Marked) -> dict[str, str]:
    """Parse a title in double quotation marks: IEEE, MLA, Chicago."""
    text = source.bare
    span = _quotation(text)
    if span is None:
        return {}
    start, end = span
    title = text[start + 1 : end].rstrip(" ,.").strip()
    if len(title) < _FEWEST:
        return {}
    fields = around_title(text[:start], text[end + 1 :])
    before = text[:start].strip(" ,;:.–—-")
    one_name = re.fullmatch(r"[^\W\d_a-z][\w'’-]+", before) and text[:start].rstrip()[-1:] in ",.:"
    if one_name and not fields["author"]:
        fields["author"] = before
    if before and not fields["author"] and "year" not in fields:
        return {}  # a word in a sentence
    return {"title": title, **fields}


def _quotes_inside(source: Marked) -> bool:
    """Return True if emphasised text contains a quotation mark, so that the emphasis delimits the title."""
    return any(sign in text for _, _, text in source.spans("bold", "link") for sign in '"“„')


def _quotation(text: str) -> tuple[int, int] | None:
    """Return the offsets of the quotation marks around the title, or None if they are ambiguous."""
    first = next((index for index, sign in enumerate(text) if sign in _OPENING or sign == '"'), -1)
    if first < 0:
        return None
    if text[first] == "‘":  # the same sign as an apostrophe ends it
        last = _SINGLE_END.search(text, first)
        return (first, last.start()) if last and text[:first].rstrip()[-1:] in ",.:)" else None
    within = text[first] in '"“„' and _WITHIN_WORDS.search(text, max(0, first - 2), first)
    if within:
        return None
    if text[first] == '"':
        marks = [index for index in range(first + 1, len(text)) if text[index] == '"']
        if len(marks) == 1:
            return (first, marks[0]) if _AFTER_QUOTE.match(text, marks[0] + 1) else None
        closing = [at for at in marks if text[at - 1] in ",." and _AFTER_QUOTE.match(text, at + 1)]
        return (first, closing[0]) if closing else None
    depth = 0
    for index in range(first, len(text)):
        if text[index] == text[first]:
            depth += 1
        elif text[index] in _CLOSING:
            depth -= 1
            if not depth:
                # “Why should I trust you?”: Explaining … starts with a quotation but is not one as a whole.
                return (first, index) if _AFTER_QUOTE.match(text, index + 1) else None
    return None


def _emphasised(source: Marked) -> dict[str, str]:
    """Parse a title in bold type or as link text."""
    spans = [span for span in source.spans("bold", "link") if _may_be_title(span[2])]
    if len(spans) != 1:
        return {}
    start, end, text = spans[0]
    title = text
    rest = source.bare_part(end)
    named = _NAMED_AFTER.fullmatch(title)
    if named is not None and (authors := dated_people(named["authors"])):
        return {"title": named["title"].strip(), **around_title("", rest), "author": authors, "year": named["year"]}
    dated = re.fullmatch(rf"(?P<title>.+?){MAYBE_BLANKS}\({_YEAR}\)", title)
    year = {"year": dated["year"]} if dated else {}
    title = (dated["title"] if dated else title).strip().rstrip(".,:;")
    if title[:1] in '"“' and title[-1:] in '"”' and not re.search('["“”]', title[1:-1]):
        title = title[1:-1].rstrip(".,")
    around = around_title(source.bare_part(0, start), rest)
    if names_persons(title) and not around["author"]:
        return {}  # "**Leo Breiman** (2001)": two capitalised words may be a name
    return {"title": title.strip(), **around, **year}


def _italic_first(source: Marked) -> dict[str, str]:
    """Parse a title in italic type directly after the people, as MLA and Chicago print books."""
    begin, end, text = next(iter(source.spans("italic")), (0, 0, ""))
    before = re.sub(r",?\s(?:eds?|Hrsg|Hg)\.\s*$", ".", source.bare_part(0, begin).strip())
    people = bibtex_authors(before.rstrip(" .,:;–—-")) or bibtex_authors(before.rstrip(" ,:;–—-"))
    if not people or not _may_be_title(text) or not re.match(r"\s*[.,(]|\s[(–—-]|$", source.bare_part(end)):
        return {}
    return {"title": text.strip(" .,"), "author": people, **tail_fields(_SEPARATOR.sub("", source.bare_part(end)))}


def _may_be_title(text: str) -> bool:
    words = text.strip(" .,;")
    if len(words) < _FEWEST or words.endswith(":") or not re.search(r"[^\W\d_]{3}", words):
        return False
    named = _NAMED_AFTER.fullmatch(words)
    if _NO_TITLE.fullmatch(words) and not named:
        return False
    several = re.search(r",|&|\band\b|\bet al\b", words)
    return bool(named) or not several or not names_persons(words)


def around_title(before: str, after: str) -> dict[str, str]:
    """Parse the text before and after a title that is set apart by marks."""
    before = before.strip(" ,;:.–—-")
    dated = re.fullmatch(rf"(?P<authors>.*?)[,.]?{MAYBE_BLANKS}\(?{_YEAR}[a-z]?(?:,[^()]{{0,40}})?\)?", before)
    year = {"year": dated["year"]} if dated else {}
    authors = dated_people(dated["authors"]) if dated else bibtex_authors(before)
    after = _SEPARATOR.sub("", after)
    after, early = _early_year(after)
    if not before:
        authors, after = leading_authors(after)
        after, later = _early_year(after)
        early = early or later
    year = year or ({"year": early} if early else {})
    return {"author": authors, **tail_fields(after), **year}


def _early_year(text: str) -> tuple[str, str]:
    """Split off a year at the beginning of the text, in parentheses or before a full stop."""
    match = re.match(rf"\(({YEAR})[a-z]?\)|({YEAR})[.:]\s", text)
    return (_SEPARATOR.sub("", text[match.end() :]), match[1] or match[2]) if match else (text, "")


_BY_WORD = lazy_pattern(
    r"(?:by|von|par|por|de|di|—)\s++(?=(?:v[ao]n\s|d[aei]\s)?[^\W\d_a-z][^\s,(]*+\s++[^\s(])|(?:作者|著者)\s*+[:：]\s*+",
    re.IGNORECASE,
)
"""A word for "by" before names in their usual order; before a family name alone it may be part of it."""
_FAMILY_ALONE = lazy_pattern(
    r"(?:(?:van|von|de|del|der|den|di|da|la|le|el|al)\s)*[^\W\d_a-z][^\W\d_]*+(?:[-’'][^\W\d_]++)*"
)
_ONE_WITH_YEAR = lazy_pattern(rf"(?P<people>{_FAMILY_ALONE.pattern})(?=\s*+[(（]{_YEAR}[a-z]?[)）])")


def dated_people(text: str) -> str:
    """Return the people in text beside a year, in BibTeX's form: there, a family name alone is one of them."""
    text = _BY_WORD.sub("", text.strip(), count=1).strip(" ,;:") if _BY_WORD.match(text.strip()) else text.strip(" ,;:")
    alone = _FAMILY_ALONE.fullmatch(text) is not None and not title_words(text) and not text.isupper()
    return bibtex_authors(text) or (text if alone else "")


def leading_authors(text: str) -> tuple[str, str]:
    """Split off the longest list of authors at the beginning of the text."""
    text = _BY_WORD.sub("", text, count=1) if _BY_WORD.match(text) else text
    if (one := _ONE_WITH_YEAR.match(text)) and (alone := dated_people(one["people"])):
        return alone, text[one.end() :].lstrip()
    ends = [match.start() for match in _AUTHORS_END.finditer(text)][:100]
    inner = re.match(r"\(([^()]+)\)", text)
    if inner and (found := _dated_names(inner[1])):
        return found[0], f"({found[1]}) {text[inner.end() :]}"
    for end in reversed(ends):
        authors = bibtex_authors(text[:end])
        cut = _INITIAL_FIRST.match(text[end + 1 :]) or _is_middle_initial(text, end)
        if authors and not cut and lookup(text[:end].rpartition(",")[2]) is None:
            return authors, _SEPARATOR.sub("", text[end:])
    return "", text


def _dated_names(text: str) -> tuple[str, str] | None:
    match = re.fullmatch(rf"(?P<authors>.+?),?{BLANKS}{_YEAR}[a-z]?", text)
    authors = dated_people(match["authors"]) if match else ""
    if match and not authors:  # "Goodfellow et al., NeurIPS 2014"
        authors = dated_people(match["authors"].rpartition(", ")[0])
    return (authors, match["year"]) if match and authors else None


def tail_fields(text: str) -> dict[str, str]:
    """Return the details after a title; a venue of unknown kind only if its name is written like one."""
    fields = read_tail(text)
    name = fields.get("howpublished", "")
    proper = len(name) < 120 and all(word[0].isupper() for word in _TITLE_CASE.findall(name))
    if name and (not proper or _DESCRIPTION.search(name) or _begins_with_names(name)):
        fields.pop("howpublished")
        fields.pop("type")
    return fields


def _dated(source: Marked) -> dict[str, str]:
    """Parse authors, year, title, venue: APA, Harvard, ACM."""
    text = source.bare
    for pattern in _DATED:
        match = pattern.fullmatch(text)
        authors = dated_people(match["authors"]) if match else ""
        if match and (authors or _begins_with_names(match["authors"])):
            title, tail = _split(match["rest"])
            stated = {"author": authors, "year": match["year"], "title": title}
            return stated | tail_fields(tail) | stated
    return {}


def _begins_with_names(text: str) -> bool:
    """Return True if a list that cannot be parsed as a whole begins with a valid name."""
    head = ",".join(text.split(",")[:2])
    whole_sentence = re.search(r"[^\W\d_]{4}\.\s", text)
    return len(head) < len(text) and not whole_sentence and bool(bibtex_authors(head))


def _listed(text: str) -> dict[str, str]:
    """Parse authors, title, venue, each ending in a full stop: Vancouver, BibTeX's plain style, Nature."""
    ends = [match.start() for match in re.finditer(r"\.\s+(?=\S)", text)][:60]
    if _VANCOUVER_DATE.search(text) or _VANCOUVER_NAMES.match(text):
        for end in ends:
            authors = bibtex_authors(text[:end])
            initials = re.search(r"\s[A-ZÀ-ÖØ-Þ]{1,4}(?:,? et al)?$", text[:end])
            if authors and initials and not _INITIAL_FIRST.match(text[end + 1 :]):
                return _titled(authors, text[end + 1 :])
    for end in reversed(ends):
        if _INITIAL_FIRST.match(text[end + 1 :]) or _is_middle_initial(text, end):
            continue
        head = text[: end + 1] if re.search(r"\b(?:al|Jr|Sr)$", text[:end]) else text[:end]
        if authors := bibtex_authors(head):
            return _titled(authors, text[end + 1 :])
    return {}


def _is_middle_initial(text: str, end: int) -> bool:
    """Return True if the full stop at this offset follows an initial within a list: "An T. Le", "A. Vaswani, N. Shazeer"."""
    before = text[:end]
    if _LAST_INITIAL.search(before) is None:
        return False
    return _INITIAL_FIRST.match(text) is not None or re.search(r"[^\W\d_]{2}\s[^\W\d_]$", before) is not None


def _titled(authors: str, rest: str) -> dict[str, str]:
    title, tail = _split(rest.strip())
    if not title:
        return {"author": authors}
    return {"author": authors, "title": title, **tail_fields(tail)}


def _split(rest: str) -> tuple[str, str]:
    """Split title and rest at a full stop; the title is empty if it is not certain which full stop."""
    breaks = sentence_breaks(rest)
    if not breaks:
        title = _FINAL_YEAR.sub("", rest)
        alone = len(title) >= _FEWEST and not re.search(r",\s*\d|\bpp\b|\bvol\b", title)
        return (title.rstrip(" ."), rest[len(title) :]) if alone else ("", rest)
    for position, match in enumerate(breaks):
        title, tail = rest[: match.end("stop")].strip(), rest[match.end() :]
        asks = match["stop"][0] in "?!"
        if is_venue(tail) and _starts_with_name(tail, asks=asks):
            return _ended(title), tail
        sentence = tail[: breaks[position + 1].start() - match.end() + 1] if position + 1 < len(breaks) else tail
        if is_venue(sentence) and not asks:
            return _ended(title), tail
        if not asks and position == 0 and len(breaks) == 1:
            return _ended(title), tail
    return "", rest


def _ended(title: str) -> str:
    return title if title.endswith(("...", "?", "!")) else title.rstrip(" .")


def _starts_with_name(tail: str, *, asks: bool) -> bool:
    """Return True if no sentence ends before the venue's details: "A survey. Nature, 5(2)" still begins with a title."""
    name = re.split(rf",\s++\d|{BLANKS}\d|,\s*+vol|\(", tail, maxsplit=1)[0]
    first, stop, _ = name.partition(". ")
    if not stop or re.match(r"in\b", tail, re.IGNORECASE):
        return True
    words = first.split()
    if len(words) > _MOST_WORDS_BEFORE_STOP:
        return False
    known = lookup(name.strip(" .,")) is not None
    return known or (not asks and not (len(words) > 1 and words[-1].islower()))


def _ieee(text: str) -> dict[str, str]:
    """Parse ``A. Vaswani and N. Shazeer, Attention is all you need, in Proc. NeurIPS, 2017``: IEEE without quotation marks."""
    match = _IEEE.fullmatch(text)
    authors = bibtex_authors(match["authors"]) if match else ""
    if match is None or not authors or _INITIAL_FIRST.match(match["rest"]):
        return {}
    rest = match["rest"]
    within = list(_IN.finditer(rest))
    if len(within) == 1:
        place = within[0].start()
        return {"author": authors, "title": rest[:place].strip(), **tail_fields(rest[place + 1 :])}
    for comma in re.finditer(r",\s+(?=[A-Z])", rest):
        name = re.match(r"[^,]+(?=,\s+vol\b)", rest[comma.end() :])
        if name and (lookup(name[0]) or all(word[0].isupper() for word in _TITLE_CASE.findall(name[0]))):
            return {"author": authors, "title": rest[: comma.start()].strip(), **tail_fields(rest[comma.end() :])}
    return {}


def _is_sentence(title: str, rest: str) -> bool:
    """Return True if this is a sentence that cites a work by people and year, without a title."""
    words = _TITLE_CASE.findall(title)
    return _SENTENCE.match(rest) is not None and sum(word[0].isupper() for word in words) < 0.6 * len(words)


_SENTENCE = lazy_pattern(r"\s*(?:,|and\b|but\b|while\b|whereas\b|showed\b|found\b)")
"""The rest of a sentence that only cites a work."""


def _named_after(text: str) -> dict[str, str]:
    """Parse ``Attention is all you need (Vaswani et al., 2017)``."""
    match = _NAMED_AFTER.fullmatch(text)
    authors = dated_people(match["authors"]) if match else ""
    if match is None or not authors or sentence_breaks(match["title"]) or _is_sentence(match["title"], match["rest"]):
        return {}
    return {"title": match["title"].strip(" .,"), "author": authors, "year": match["year"]}


_BETWEEN = lazy_pattern(
    rf"(?:(?<!\s)\s++)?+[(（]{_YEAR}[)）]\s*+(?:[–—-]|by|von|par|por|de|di|(?:作者|著者)\s*+[:：])\s*+|\s[–—]\s++|(?<=\w)\s++(?:作者|著者)\s*+[:：]\s*+"
)
"""A dash or a word for "by" between a title and its people; a word only after the year."""
_MOST_BETWEEN = 8


_PLACED_TITLE = lazy_pattern(
    rf"(?P<before>[^()]{{12,400}}?)\s*+\((?P<place>[^()]{{2,200}}(?:\([^()]{{1,20}}\)[^()]{{0,40}})?),\s*+{_YEAR}\)[.\s]*+"
)


def _placed(text: str) -> dict[str, str]:
    """Parse ``Ashish Vaswani and Noam Shazeer, Attention is all you need (NeurIPS, 2017)``."""
    match = _PLACED_TITLE.fullmatch(text)
    if match is None or bibtex_authors(match["place"]):
        return {}
    before = match["before"]
    for comma in reversed([*re.finditer(r",\s+(?=\S)", before)][: _MOST_BETWEEN * 4]):
        authors = bibtex_authors(before[: comma.start()])
        if authors and not authors.startswith("{") and " " in before[comma.end() :]:
            title = before[comma.end() :].strip(" .,")
            return {"title": title, "author": authors, **tail_fields(match["place"]), "year": match["year"]}
    return {}


def _title_first(source: Marked) -> dict[str, str]:
    """Parse ``Attention is all you need (2017) – Ashish Vaswani et al., NeurIPS``."""
    text = source.bare
    for mark in islice(_BETWEEN.finditer(text), _MOST_BETWEEN):
        title = text[: mark.start()].strip(" .,")
        people, rest = leading_authors(text[mark.end() :])
        year = mark["year"] or lone_year(rest)
        if not people or (people.startswith("{") and not mark["year"]) or not year:
            continue
        if sentence_breaks(title) or re.search(rf"[(]{_YEAR}", title):
            return {}
        marks = [one for _, _, one in source.spans("italic") if one in title]
        title = marks[0] if len(marks) == 1 and _may_be_title(marks[0]) else title
        return {"title": title, **tail_fields(_early_year(rest)[0]), "author": people, "year": year}
    return {}


_KINDS = {
    "J": ("article", "journal"), "C": ("inproceedings", "booktitle"), "A": ("inproceedings", "booktitle"),
    "M": ("book", "publisher"), "G": ("book", "publisher"), "D": ("phdthesis", "school"), "R": ("techreport", "institution"),
    "N": ("article", "journal"), "S": ("standard", "publisher"), "P": ("patent", "howpublished"),
    "EB": ("online", "howpublished"),
    "DB": ("dataset", "howpublished"), "DS": ("dataset", "howpublished"),
    "CP": ("software", "howpublished"), "Z": ("misc", "howpublished"),
}  # fmt: skip
_MARK = lazy_pattern(
    MAYBE_BLANKS
    + r"\[(?P<kind>J|C|A|M|G|D|R|N|S|P|EB|DB|DS|CP|Z)(?:/(?:OL|CD|MT|DK))?\]\s*+(?P<within>//)?\s*+[.,:]?\s*+"
)
_DETAILS = lazy_pattern(
    rf"(?P<venue>.{{2,200}}?)[,.]\s*+(?P<year>{YEAR})?+[,\s]*+(?P<volume>\d{{1,4}})?+\s*+(?:\((?P<number>[^()]{{1,20}})\))?+"
    r"(?:\s*+:\s*+(?P<pages>[A-Za-z]?+\d\w*+(?:-\w++)*+(?:\s*+[-–—]\s*+[A-Za-z]?+\d\w*+)?+))?+\s*+[.,]?+\s*+"
    r"(?:\[\d{4}.*|https?:.*|DOI.*|doi.*)?$"
)
_VOLUME = lazy_pattern(
    rf"(?P<booktitle>.{{4,200}}?)[,.]\s*+(?:[^:.]{{2,40}}:\s*+(?P<publisher>[^:]{{2,80}}?),\s*+)?(?P<year>{YEAR})"
    r"(?:\s*+:\s*+(?P<pages>[A-Za-z]?+\d\w*+(?:\s*+[-–—]\s*+[A-Za-z]?+\d\w*+)?+))?+\s*+[.,]?+\s*+(?:\[\d{4}.*|https?:.*|DOI.*|doi.*)?$"
)
_PLACE = lazy_pattern(rf"(?:(?P<place>[^:,.]{{2,30}}):\s*)?(?P<name>[^,.:]{{2,80}}),\s*(?P<year>{YEAR})")
_PEOPLE = re.compile(rf"(?P<people>.{{2,}}?)(?<!\s)[,.]?+\s*+[(,]?+\s*+(?:(?P<year>{YEAR})[a-z]?+\)?+)?+[.,]?+$")
_MOST = 60  # candidate ends of the people
_COLON = lazy_pattern(r"(?P<people>[^:]{3,}?):\s+(?=\S)")
_ENDS_IN_INITIAL = lazy_pattern(r"(?:^|[\s,.-])[^\W\d_]\.$|et al\.?$|(?:\s|^)[A-Z]{1,3}$")


def read_standard(text: str) -> tuple[bool, dict[str, str]]:
    """Return True if marks delimit the title, and the fields (empty if the string follows no standard).

    The field ``rest`` contains the text after the names and colon if the end of the title is not marked.
    """
    mark = _MARK.search(text)
    if mark is not None and (fields := _gbt(text, mark)):
        return True, fields
    fields = _by_colon(text)
    return "title" in fields, fields


def _gbt(text: str, mark: re.Match[str]) -> dict[str, str]:
    before, rest = text[: mark.start()], text[mark.end() :]
    kind, where = _KINDS[mark["kind"]]
    stops = [*re.finditer(r"\.\s*(?=\S)", before)][:_MOST], [*re.finditer(r":\s*(?=\S)", before)][:_MOST]
    for stop in (*reversed(stops[0]), *stops[1]):
        people = _PEOPLE.fullmatch(before[: stop.start() + 1].rstrip(": "))
        authors = bibtex_authors(people["people"]) if people else ""
        if people and authors:
            return {"author": authors, "title": before[stop.end() :].strip(), "type": kind, **_gbt_details(rest, where)}
    title = before.strip()
    return {"title": title, "type": kind, **_gbt_details(rest, where)} if 2 < len(title) < 300 else {}


def _gbt_details(rest: str, where: str) -> dict[str, str]:
    if where in ("publisher", "school", "institution") and (placed := _PLACE.match(rest)):
        return {where: placed["name"].strip(), "year": placed["year"]}
    if where == "booktitle" and (volume := _VOLUME.match(rest)):
        return {name: value.strip() for name, value in volume.groupdict().items() if value}
    if where == "journal" and (details := _DETAILS.match(rest)):
        return {("journal" if name == "venue" else name): value for name, value in details.groupdict().items() if value}
    found = read_tail(rest)
    name = next((found[one] for one in ("booktitle", "journal", "howpublished") if one in found), "")
    numbers: dict[str, str] = {one: found[one] for one in ("year", "volume", "number", "pages") if one in found}
    return {**numbers, **({where: name} if name else {})}


def _by_colon(text: str) -> dict[str, str]:
    """Parse names, a colon, the title, a full stop: DIN 1505 and LNCS."""
    head = _COLON.match(text)
    if head is None:
        return {}
    people = head["people"].strip()
    if re.search(r"\b[^\W\d_]\.\s+(?:[^\W\d_]+-[a-z]|[^\W\d_]{3,}\s[^\W\d_]{3,})", people.rpartition(";")[2]):
        return {}  # "DUCHESNAY, E. Scikit-learn: machine learning": the colon is part of the title
    if _ENDS_IN_INITIAL.search(people) or re.fullmatch(r"[^\W\d_a-z]{2,}(?:[\s-][^\W\d_a-z]{2,})*, \S.*", people):
        authors = bibtex_authors(people)
    else:
        authors = bibtex_authors(people)
        full = re.search(r"\s[A-Z]{1,3}(?=,|$)|[^\W\d_]{2}\.\s", people) is None
        one = " " in authors and "," not in authors and len(authors.split()) < 4 and text[head.end()].isupper()
        several = full and (" and " in authors or one)
        authors = authors if several or (authors.startswith("{") and " " in authors) else ""
    if not authors:
        return {}
    rest = text[head.end() :]
    within = re.search(r"(?<=[.?!])\s+In:?\s+(?=\S)", rest)
    if within is None:
        return {"author": authors, "rest": rest}
    title = rest[: within.start()].strip()
    title = title if title.endswith(("?", "!")) else title.rstrip(".")
    return {"author": authors, "title": title, **read_tail(rest[within.start() :].strip())}
