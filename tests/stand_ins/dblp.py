"""The local DBLP: ``/search/publ/api``, publication search answered as JSON, and ``/rec/{key}.xml``, one record.

Written after DBLP's help pages ("How to use the dblp search API?") and real answers. Every word of the query
must be the beginning of a word of the record (title, authors, venue, year, type), ``word$`` must be the whole
word, ``a|b`` is either; ``author:``, ``venue:``, ``year:``, ``type:`` and ``streamid:`` name facets, whose
value is complete when a colon follows it. There is no tolerance for typing errors: one odd word, and there
are no hits.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from tests.stand_ins.replies import Parameters, Reply, json_reply, stable_number
from tests.stand_ins.search import words

if TYPE_CHECKING:
    from tests.stand_ins.facts import DblpRecord, Facts

_JSON = "application/json; charset=utf-8"
_HEADERS = {"server": "Apache", "vary": "Accept"}
_FACETS = ("author", "venue", "year", "type", "streamid")
_DEFAULT_HITS = 30
_MOST_HITS = 1000
_COMPUTED = 100
_DEFAULT_COMPLETIONS = 10

_Test = Callable[["_Searchable"], bool]


_NOT_FOUND = b"<html><head><title>dblp: 404 Not Found</title></head><body><h1>404 Not Found</h1></body></html>"
_ELEMENTS = {
    "Journal Articles": ("article", "journal"),
    "Conference and Workshop Papers": ("inproceedings", "booktitle"),
    "Parts in Books or Collections": ("incollection", "booktitle"),
    "Books and Theses": ("book", "series"),
    "Editorship": ("proceedings", "booktitle"),
}
"""The element and the name of the venue by type; everything else is an informal article."""


class _Searchable:
    """A record with the words and facet values that a query is compared with."""

    def __init__(self, record: DblpRecord) -> None:
        self.record = record
        texts = (record.title, *record.authors, *record.venues, record.year, record.type)
        self.words = frozenset(word for text in texts for word in words(text))
        self.facets = {
            "author": tuple(_facet_value(author) for author in record.authors),
            "venue": tuple(_facet_value(venue) for venue in record.venues),
            "year": (record.year,),
            "type": (_facet_value(record.type),),
            "streamid": ("/".join(record.key.split("/")[:2]),),
        }


class Dblp:
    """DBLP's answers to GET requests. With ``shift``, every record found is exchanged for a later one."""

    def __init__(self, facts: Facts, *, shift: int = 0) -> None:
        self._records = tuple(_Searchable(record) for work in facts.works for record in work.dblp)
        self._shift = shift

    def answer(self, path: str, parameters: Parameters) -> Reply:
        if path != "/search/publ/api":
            return Reply(404, "text/html; charset=utf-8", b"<html><body><h1>404 Not Found</h1></body></html>", _HEADERS)
        asked = parameters.get("q", "").split()
        tests = [_test(part) for part in asked]
        found = [i for i, one in enumerate(self._records) if tests and all(test(one) for test in tests)]
        records = [self._records[(position + self._shift) % len(self._records)].record for position in found]
        records.sort(key=lambda record: -int(record.year))
        first = _number(parameters, "f", 0)
        sent = records[first : first + min(_number(parameters, "h", _DEFAULT_HITS), _MOST_HITS)]
        query = " ".join(_as_understood(part) for part in asked)
        if parameters.get("format") != "json":
            body = f'<?xml version="1.0"?>\n<result><query>{html.escape(query)}</query></result>\n'
            return Reply(200, "application/xml; charset=utf-8", body.encode(), _HEADERS)
        result: dict[str, Any] = {
            "query": query,
            "status": {"@code": "200", "text": "OK"},
            "time": {"@unit": "msecs", "text": "2.93"},
        }
        limit = _number(parameters, "c", _DEFAULT_COMPLETIONS)
        result["completions"] = _completions(asked, [self._records[i] for i in found], limit)
        result["hits"] = {
            "@total": str(len(records)),
            "@computed": str(min(len(records), max(_COMPUTED, first + len(sent)))),
            "@sent": str(len(sent)),
            "@first": str(first),
        }
        if sent:
            result["hits"]["hit"] = [_hit(record, len(asked)) for record in sent]
        return json_reply(200, _JSON, {"result": result}, _HEADERS)


class DblpRecords:
    """DBLP's answers to requests for a record. With ``shift``, every record found is exchanged for a later one."""

    def __init__(self, facts: Facts, *, shift: int = 0) -> None:
        self._records = tuple(record for work in facts.works for record in work.dblp)
        self._positions = {record.key: position for position, record in enumerate(self._records)}
        self._shift = shift

    def answer(self, path: str, _parameters: Parameters) -> Reply:
        position = self._positions.get(unquote(path).removeprefix("/rec/").removesuffix(".xml"))
        if position is None or not path.endswith(".xml"):
            return Reply(404, "text/html; charset=utf-8", _NOT_FOUND, _HEADERS)
        record = self._records[(position + self._shift) % len(self._records)]
        body = f'<?xml version="1.0" encoding="US-ASCII"?>\n<dblp>\n{_element(record)}\n</dblp>\n'
        return Reply(200, "application/xml", body.encode("ascii", "xmlcharrefreplace"), _HEADERS)


def _element(record: DblpRecord) -> str:
    tag, place = _ELEMENTS.get(record.type, ("article", "journal"))
    kind = "" if record.type in _ELEMENTS else 'publtype="informal" '
    role = "editor" if tag == "proceedings" else "author"
    doi = record.doi or _arxiv_doi(record)
    lines = [f'<{role} pid="{_pid(author)}">{_escaped(author)}</{role}>' for author in record.authors]
    lines.append(f"<title>{_escaped(_closed(record.title))}</title>")
    stated = [("pages", record.pages), ("year", record.year), *((place, venue) for venue in record.venues)]
    stated += [("volume", record.volume), ("number", record.number), ("publisher", record.publisher)]
    stated += [("ee", record.ee or _electronic_edition(record, doi)), ("url", f"db/{record.key}.html")]
    lines += [f"<{name}>{_escaped(value)}</{name}>" for name, value in stated if value]
    return "\n".join([f'<{tag} {kind}key="{record.key}" mdate="2025-01-19">', *lines, f"</{tag}>"])


def _closed(title: str) -> str:
    """End the title with a period, as DBLP does."""
    return title if title.endswith((".", "?", "!")) else f"{title}."


def _number(parameters: Parameters, name: str, default: int) -> int:
    text = parameters.get(name, "")
    return int(text) if text.isdecimal() else default


def _facet_value(text: str) -> str:
    return "_".join(words(text))


def _facet(part: str) -> tuple[str, str, bool] | None:
    """Name and value of a facet, and whether the value is complete; None for anything that is no facet."""
    name, colon, value = part.partition(":")
    if not colon or name.lower() not in _FACETS:
        return None
    return name.lower(), value.removesuffix(":"), value.endswith(":")


def _test(part: str) -> _Test:
    facet = _facet(part)
    if facet:
        name, value, whole = facet
        wanted = value.lower() if name == "streamid" else _facet_value(value)
        if whole:
            return lambda one: wanted in one.facets[name]
        return lambda one: any(found.startswith(wanted) for found in one.facets[name])
    alternatives = [_word_test(word) for word in part.split("|") if words(word)]
    return lambda one: not alternatives or any(test(one) for test in alternatives)


def _word_test(word: str) -> _Test:
    wanted = words(word)
    if word.endswith("$"):
        return lambda one: set(wanted) <= one.words
    return lambda one: all(any(found.startswith(part) for found in one.words) for part in wanted)


def _as_understood(part: str) -> str:
    """Return a part of the query as DBLP repeats it: words that count as prefixes get a star."""
    if _facet(part):
        return f":facetid:{part}"
    return part if part.endswith("$") else f"{part.lower()}*"


def _completions(asked: Sequence[str], found: Sequence[_Searchable], limit: int) -> dict[str, Any]:
    last = words(asked[-1])[-1:] if asked and not _facet(asked[-1]) else ()
    counts: dict[str, int] = {}
    for one in found if last else ():
        for word in sorted(one.words):
            if word.startswith(last[0]):
                counts[word] = counts.get(word, 0) + 1
    shown = [_completion(word, count) for word, count in sorted(counts.items(), key=lambda pair: -pair[1])[:limit]]
    completions: dict[str, Any] = {"@total": str(len(counts)), "@computed": str(len(counts)), "@sent": str(len(shown))}
    if shown:
        completions["c"] = shown if len(shown) > 1 else shown[0]
    return completions


def _completion(word: str, count: int) -> dict[str, str]:
    identifier = str(59_000_000 + stable_number(word, 900_000))
    return {"@sc": str(count), "@dc": str(count), "@oc": str(count), "@id": identifier, "text": word}


def _hit(record: DblpRecord, score: int) -> dict[str, Any]:
    identifier = str(1000 + stable_number(record.key, 7_000_000))
    return {"@score": str(score), "@id": identifier, "info": _info(record), "url": f"URL#{identifier}"}


def _info(record: DblpRecord) -> dict[str, Any]:
    info: dict[str, Any] = {}
    authors = [{"@pid": _pid(author), "text": _escaped(author)} for author in record.authors]
    if authors:
        info["authors"] = {"author": authors if len(authors) > 1 else authors[0]}
    info["title"] = _escaped(_closed(record.title))
    venues = [_escaped(venue) for venue in record.venues]
    if venues:
        info["venue"] = venues if len(venues) > 1 else venues[0]
    members = {"volume": record.volume, "number": record.number, "pages": record.pages, "publisher": record.publisher}
    info |= {name: _escaped(value) for name, value in members.items() if value}
    preprint = record.type.startswith("Informal")
    info |= {"year": record.year, "type": record.type, "access": "open" if preprint else "closed", "key": record.key}
    doi = record.doi or _arxiv_doi(record)
    if doi:
        info["doi"] = doi.upper()
    info["ee"] = record.ee or _electronic_edition(record, doi)
    info["url"] = f"https://dblp.org/rec/{record.key}"
    return info


def _arxiv_doi(record: DblpRecord) -> str:
    """DBLP links CoRR by DOI since arXiv registers DOIs (2022), by address before."""
    corr = record.volume.startswith("abs/") and int(record.year) >= 2022
    return f"10.48550/arXiv.{record.volume.removeprefix('abs/')}" if corr else ""


def _electronic_edition(record: DblpRecord, doi: str) -> str:
    if doi:
        return f"https://doi.org/{doi}"
    if record.volume.startswith("abs/"):
        return f"http://arxiv.org/{record.volume}"
    return f"https://papers.example/{record.key}"


def _pid(author: str) -> str:
    return f"{1 + stable_number(author, 320)}/{1 + stable_number(author + 'pid', 9999)}"


def _escaped(text: str) -> str:
    return html.escape(text, quote=True).replace("&#x27;", "&apos;")
