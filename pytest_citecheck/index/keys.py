"""The normal form of a title for search, and the numbers under which the index keeps titles, identifiers and names.

Separate from `pytest_citecheck.matching.text` on purpose: stored keys must not change when matching improves, and it
may be coarse ("C" and "C++" meet here), because the index only proposes and the checks decide. Increase `VERSION` when
a result of this module changes; files of another version are refused.

Folding follows Unicode Standard Annex #15 (NFKD) without combining marks, and the case folding of the Unicode Standard.
"""

from __future__ import annotations

import html
import re
import unicodedata
from dataclasses import fields
from hashlib import blake2b
from operator import attrgetter
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any
from zlib import crc32

from pytest_citecheck.evidence import upstream
from pytest_citecheck.matching import (
    CATALOGUES,
    GREEK,
    acl_id,
    acl_volume,
    dblp_key,
    normalise_arxiv,
    normalise_doi,
    openreview_id,
    volume_and_number,
)
from pytest_citecheck.model import Record

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_citecheck.model import Person

VERSION = 1
"""Version of the normal form and of all hashes."""

IDENTIFIERS = ("doi", "arxiv", "pmid", "acl", "openreview", "dblp", "isbn")
"""The kinds of identifiers by which records are found: fields of `Record`, and kinds of
`pytest_citecheck.matching.catalogue_ids.CATALOGUES`."""

SEARCHED_AUTHORS = 6
"""Number of authors of a work that can be found by name and year."""

_MOST_WORDS = 64  # of a title that get keys: longer ones are abstracts in the wrong field
_CAPITALS_COUNT = frozenset({"openreview", "dblp"})

STOP_WORDS = frozenset(
    {"a", "an", "and", "as", "at", "by", "for", "from", "in", "is", "its", "of", "on", "or", "the", "to", "via", "with"}
)
"""Not searched for, unless a title has no other words."""

_DROPPED = "'`{}$^_"
_ASCII = str.maketrans(
    {
        chr(code): None if chr(code) in _DROPPED else chr(code).lower() if chr(code).isalnum() else " "
        for code in range(128)
    }
)
# Patterns are texts that are compiled when they are first needed: most titles need none, and compiling takes a while.
_TAG = r"</?[a-zA-Z][\w:.-]*+(?:\s[^<>=]*+=[^<>]*+>|\s*+/?>)"
_STYLE = (
    r"\\(?:(?:text|math|emph|operatorname|ensuremath|mbox|small|large|footnotesize|noopsort|left|right)[a-zA-Z]*"
    r"|rm|it|bf|sc|tt|sf|em|cal|bb)(?![a-zA-Z])\s*"
)
_ACCENT = r"\\(?:[\"'`^~=.]|[cHuvdbkrt](?=\s*\{|\s+[a-zA-Z]\b))\s*"
_LETTERS = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′‵ʹʻʼʽˈ´\u00ad\u200b\u200c\u200d\u2060\ufeff™®©"),
        "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ħ": "h", "ŧ": "t", "ŋ": "ng", "ı": "i",
        "ȷ": "j", "ς": "σ", "×": "x",
    }
)  # fmt: skip
_MARKS = "[\u0300-\u036f\u0483-\u0489\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe2f]"
# Up to three letters are symbols; longer runs are words of Greek text.
_GREEK_SYMBOLS = r"(?<![α-ω])[α-ω]{1,3}(?![α-ω])"
# Scripts without spaces between words: Thai and Lao, Burmese, Khmer, Chinese and Japanese.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
# Python's \w leaves out the vowel signs of Indic scripts.
_RUN = rf"[{_UNSPACED}]+|(?:[^\W_{_UNSPACED}]|[\u0900-\u0dff])+"
_UNSPACED_LETTER = rf"[{_UNSPACED}]"


def title_text(title: str) -> str:
    """``title`` folded: small letters and digits of any script in words with one space between them; empty if there are
    none."""
    if title.isascii():
        if "\\" not in title and "<" not in title and "&" not in title:
            return title.translate(_ASCII)
        title = _without_markup(title)
        if title.isascii():
            return title.translate(_ASCII)
    elif "\\" in title or "<" in title or "&" in title:
        title = _without_markup(title)
    text = unicodedata.normalize("NFKD", title.casefold())
    text = re.sub(_MARKS, "", unicodedata.normalize("NFKD", text.casefold())).translate(_LETTERS)
    text = re.sub(_GREEK_SYMBOLS, lambda run: "".join(GREEK[letter] for letter in run[0]), text)
    return " ".join(re.findall(_RUN, unicodedata.normalize("NFC", text.translate(_ASCII))))


def _without_markup(title: str) -> str:
    if "&" in title:
        title = html.unescape(html.unescape(title))
    title = re.sub(_TAG, "", title)
    return re.sub(_ACCENT, "", re.sub(_STYLE, "", title)).replace("\\", "")


def read_title(title: str) -> tuple[list[str], str]:
    """Folded words of ``title`` in order, and its normal form.

    Text in a script without spaces gives its pairs of characters as words. Equal titles have the same normal form,
    which consists of letters and digits; for a title without any, its signs. Empty only for an empty title.
    """
    text = title_text(title)
    found = text.split()
    form = text.replace(" ", "") or "".join(title.split())
    if text.isascii():
        return found, form
    result = []
    for word in found:
        if len(word) > 2 and re.match(_UNSPACED_LETTER, word):
            result += [word[i : i + 2] for i in range(len(word) - 1)]
        else:
            result.append(word)
    return result, form


def posting_keys(title_words: list[str]) -> list[int]:
    """The 32-bit keys of a title: each word except stop words, each pair of neighbours joined, and each pair with one
    word between.

    Pairs are joined so that "pre-training", "pretraining" and "pre training" meet.
    """
    kept = [word.encode() for word in title_words if word not in STOP_WORDS] or [word.encode() for word in title_words]
    if len(kept) > _MOST_WORDS:
        del kept[_MOST_WORDS:]
    # The checksum of a text can be continued, so nothing must be joined for it.
    singles = [crc32(word) for word in kept]
    return [*singles, *map(crc32, kept[1:], singles), *map(crc32, kept[2:], singles)]


def exact_hash(text: str) -> int:
    """48-bit hash of a normal form or an identifier. Compare the records found under it."""
    return int.from_bytes(digest(text)[:6], "little")


def digest(text: str) -> bytes:
    """Eight bytes; the first six are `exact_hash`."""
    return blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()


def identifier_text(kind: str, value: str) -> str:
    """Text to hash for an identifier: ``doi:10.1000/x``. Case matters only in schemes that are case-sensitive."""
    return f"{kind}:{value}" if kind in _CAPITALS_COUNT else f"{kind}:{value.lower()}"


def identifiers(record: Record) -> list[str]:
    """The texts of all identifiers of a record."""
    found = []
    if record.doi:
        found.append(f"doi:{record.doi.lower()}")
    if record.arxiv:
        found.append(f"arxiv:{record.arxiv.lower()}")
    if record.pmid:
        found.append(identifier_text("pmid", record.pmid))
    found += [identifier_text(kind, value) for kind, value in record.related if kind in CATALOGUES]
    found += [identifier_text("isbn", number) for number in record.isbn]
    return found


def volume_text(record: Record) -> str:
    """Text to hash for the volume of a record: the initials of its journal, and the volume; empty without volume and pages.

    Abbreviations keep the initials of a name, so all forms of it meet.
    """
    if not (record.volume and record.pages and record.venues):
        return ""
    volume, _ = volume_and_number(record.volume)
    return f"volume:{venue_initials(record.venues[0])}|{volume.rstrip(ascii_uppercase)}" if volume else ""


def venue_initials(venue: str) -> str:
    """The initials of all words of a name that abbreviations keep."""
    return "".join(word[0] for word in title_text(venue).split() if word not in STOP_WORDS)


def volume_texts(venues: Iterable[str], volume: str) -> list[str]:
    """The texts under which a volume of a journal with any of these names is found.

    An acronym may be of initials, too; the letter of a section is part of the name or of the volume, so it is left out.
    """
    found = [venue_initials(name) for name in venues]
    found += [name.lower() for name in venues if name.isalpha() and name.isupper()]
    return [f"volume:{letters}|{volume.rstrip(ascii_uppercase)}" for letters in dict.fromkeys(found) if letters]


def full_title(record: Record) -> str:
    """The title with its subtitle."""
    return f"{record.title}: {record.subtitle}" if record.subtitle else record.title


def other_forms(record: Record) -> list[str]:
    """Normal forms of a record in addition to its full title: without subtitle, and other titles."""
    titles = (record.title, *record.other_titles) if record.subtitle else record.other_titles
    return list(filter(None, (read_title(title)[1] for title in titles)))


def author(person: Person) -> str:
    """The `family` of a person as a record states it."""
    return family(person.literal or person.family or person.given)


def family(name: str) -> str:
    """The folded last part of a family name: the text before the comma in "Family, Given", else the last word."""
    last = name[name.rfind(" ") + 1 :]
    if last.isascii() and last.isalpha() and "," not in name:
        last = last.lower()
        if last not in _SUFFIXES:
            return last
    stated = title_text(name.partition(",")[0]).split()
    while len(stated) > 1 and (stated[-1].isdigit() or stated[-1] in _SUFFIXES):
        stated.pop()
    return stated[-1] if stated else ""


_SUFFIXES = frozenset({"jr", "sr", "ii", "iii", "iv"})


def author_keys(families: Iterable[str], year: int | None) -> list[int]:
    """The 32-bit keys of authors, given by their `family`, each with the year of the work."""
    suffix = f"|{year or 0}".encode()
    return [crc32(suffix, crc32(name.encode())) for name in families if name]


_FIELDS = tuple(field.name for field in fields(Record))
_VALUES = attrgetter(*_FIELDS)


def identified(record: Record, source: str = "") -> Record:
    """The record, of the collection ``source`` if one is given, with its identifiers where it stated none of their kind: its
    DOI, arXiv id and (in ``related``) keys of the ACL Anthology, OpenReview and dblp, of which its ``url`` is the address or
    which its ``id`` is."""
    url = record.url.lower()
    known = {kind for kind, _ in record.related}
    own = upstream(record.source)
    keys = (
        ("acl", _acl(record, url, own) if "acl" not in known else ""),
        ("openreview", openreview_id(record.url) if "openreview.net/" in url and "openreview" not in known else ""),
        ("dblp", _dblp(record, url, own) if "dblp" not in known else ""),
    )
    changed: dict[str, Any] = {}
    if any(value for _, value in keys):
        changed["related"] = (*record.related, *((kind, value) for kind, value in keys if value))
    if not record.doi and "doi.org/" in url and (doi := normalise_doi(record.url)):
        changed["doi"] = doi
    if not record.arxiv and (arxiv := _arxiv(record, url, own)):
        changed["arxiv"] = arxiv
    if source and source != record.source:
        changed["source"] = source
    # As `dataclasses.replace`, in a third of the time.
    return Record(**{**dict(zip(_FIELDS, _VALUES(record), strict=True)), **changed}) if changed else record


def _arxiv(record: Record, url: str, own: str) -> str:
    if "arxiv.org/" in url:
        return normalise_arxiv(record.url)[0]
    return normalise_arxiv(record.id)[0] if own == "arxiv" else ""


def _acl(record: Record, url: str, own: str) -> str:
    if "acl" in url or "/10.18653/" in url or "/10.3115/" in url:
        return acl_id(record.url) or acl_volume(record.url)
    return acl_id(record.id) if own == "acl" else ""


def _dblp(record: Record, url: str, own: str) -> str:
    if "dblp" in url and (key := dblp_key(record.url)):
        return key
    if record.id[:5].lower() == "dblp:":
        return dblp_key(record.id)
    return dblp_key(f"dblp:{record.id}") if "/" in record.id and own == "dblp" else ""
