"""The local arXiv API: ``/api/query`` with ``id_list`` or ``search_query``, answered as an Atom feed.

Written after the arXiv API User's Manual and real feeds: ten results unless ``max_results`` asks for more
(identifiers beyond are cut off without a word), well-formed identifiers that do not exist are left out,
malformed ones are left out like unknown ones, entries come in an order of their own, and long titles are broken across lines.
"""

from __future__ import annotations

import base64
import hashlib
import re
import textwrap
from dataclasses import replace
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from tests.stand_ins.query_language import Document, Operand, QuerySyntaxError, contains, parse_query
from tests.stand_ins.replies import Parameters, Reply
from tests.stand_ins.search import Index, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.stand_ins.facts import ArxivRecord, DateParts, Facts

_ATOM = "application/atom+xml; charset=utf-8"
_IDENTIFIER = re.compile(r"(\d{4}\.\d{4,5}|[a-zA-Z-]+(?:\.[A-Z]{2})?/\d{7})(?:v(\d+))?")
_SUBJECT_CLASS = re.compile(r"\.[A-Z]{2}(?=/)")
_SUBMITTED = re.compile(r"submittedDate:\[(\d{4})\d{8} TO (\d{4})\d{8}\]")
_DEFAULT_RESULTS = 10
_MOST_RESULTS = 2000
_TITLE_WIDTH = 76
_SCHEME = "http://arxiv.org/schemas/atom"
_NAMESPACES = (
    'xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" '
    f'xmlns:arxiv="{_SCHEME}" xmlns="http://www.w3.org/2005/Atom"'
)
_UPDATED = "2026-11-20T00:00:00Z"


class _BadRequestError(ValueError):
    """The arguments are the message and the fragment of the error's documented address."""


class Arxiv:
    """arXiv's answers to GET requests. With ``shift``, every submission found is exchanged for another."""

    def __init__(self, facts: Facts, *, shift: int = 0) -> None:
        self._records = tuple(work.arxiv for work in facts.works if work.arxiv)
        self._shift = shift
        self._by_id = {_canonical(record.id): position for position, record in enumerate(self._records)}
        self._documents = [_document(record) for record in self._records]
        self._index = Index([{"all": " ".join(document.values())} for document in self._documents])

    def answer(self, path: str, parameters: Parameters) -> Reply:
        if path != "/api/query":
            return Reply(404, "text/html; charset=utf-8", b"<html><body><h1>404 Not Found</h1></body></html>")
        try:
            start = _number(parameters, "start", 0)
            size = _number(parameters, "max_results", _DEFAULT_RESULTS)
            found = self._found(parameters.get("search_query", ""), parameters.get("id_list", ""))
        except _BadRequestError as error:
            entry = _error_entry(*error.args)
            return Reply(400, _ATOM, _feed(parameters, 0, 1, 1, [entry]))
        shown = found[start : start + min(size, _MOST_RESULTS)]
        return Reply(200, _ATOM, _feed(parameters, start, size, len(found), [_entry(one) for one in shown]))

    def _found(self, query: str, id_list: str) -> Sequence[ArxivRecord]:
        identifiers = [part.strip() for part in id_list.split(",") if part.strip()]
        positions = self._search(query) if query else []
        if not identifiers:
            return [self._record(position) for position in positions]
        asked = [self._identified(identifier) for identifier in identifiers]
        # In an order of its own.
        known = sorted((position, version) for position, version in asked if position is not None)
        if query:
            known = [(position, version) for position, version in known if position in positions]
        return [_version(self._record(position), version) for position, version in known]

    def _identified(self, identifier: str) -> tuple[int | None, int]:
        match = _IDENTIFIER.fullmatch(identifier)
        if match is None:
            return None, 0
        position = self._by_id.get(_canonical(match[1]))
        if position is None:
            return None, 0
        latest = self._record(position).version
        version = int(match[2] or latest)
        return (position, min(version, latest)) if self._shift or 1 <= version <= latest else (None, 0)

    def _record(self, position: int) -> ArxivRecord:
        return self._records[(position + self._shift) % len(self._records)]

    def _search(self, text: str) -> Sequence[int]:
        if dates := _SUBMITTED.fullmatch(text):
            return [i for i, record in enumerate(self._records) if dates[1] <= str(record.published[0]) <= dates[2]]
        try:
            query = parse_query(text)
        except QuerySyntaxError as error:
            raise _BadRequestError(f"search_query: {error}", "search_query") from None
        matching = [i for i, document in enumerate(self._documents) if query.matches(document, _match)]
        scores = {i: score for score, i in self._index.rank({"all": " ".join(one.text for one in query.operands)})}
        return sorted(matching, key=lambda position: (-scores.get(position, 0.0), position))


def _version(record: ArxivRecord, version: int) -> ArxivRecord:
    earlier = record.earlier_titles
    return replace(record, version=version, title=earlier[version - 1] if version <= len(earlier) else record.title)


def _match(operand: Operand, document: Document) -> bool:
    """Match ``au:del_maestro_a`` by family name and initials; compare other operands literally."""
    field = "" if operand.field == "all" else operand.field
    if field == "au" and "_" in operand.text:
        parts = words(operand.text.replace("_", " "))
        names = [words(name) for name in document["au"].split("\n")]
        return any(all(any(word.startswith(part) for word in name) for part in parts) for name in names)
    return contains(Operand(field, operand.text, operand.phrase), document)


def _canonical(identifier: str) -> str:
    return _SUBJECT_CLASS.sub("", identifier).lower()


def _number(parameters: Parameters, name: str, default: int) -> int:
    text = parameters.get(name, str(default))
    if not text.isdecimal():
        raise _BadRequestError(f"{name} must be an integer", f"{name}_must_be_an_integer")
    return int(text)


def _document(record: ArxivRecord) -> dict[str, str]:
    return {
        "ti": record.title,
        "au": "\n".join(map(str, record.authors)),
        "co": record.comment,
        "jr": record.journal_ref,
        "cat": record.category,
        "id": record.id,
    }


def _feed(parameters: Parameters, start: int, size: int, total: int, entries: Sequence[str]) -> bytes:
    query, ids = parameters.get("search_query", ""), parameters.get("id_list", "")
    asked = f"search_query={query}&id_list={ids}&start={start}&max_results={size}"
    link = f"https://arxiv.org/api/query?search_query={query}&start={start}&max_results={size}&id_list={ids}"
    digest = base64.b64encode(hashlib.sha256(asked.encode()).digest()[:20]).decode().rstrip("=")
    lines = [
        "<?xml version='1.0' encoding='UTF-8'?>",
        f"<feed {_NAMESPACES}>",
        f"  <id>https://arxiv.org/api/{digest}</id>",
        f"  <title>arXiv Query: {escape(asked)}</title>",
        f"  <updated>{_UPDATED}</updated>",
        f'  <link href={quoteattr(link)} type="application/atom+xml"/>',
        f"  <opensearch:itemsPerPage>{size}</opensearch:itemsPerPage>",
        f"  <opensearch:totalResults>{total}</opensearch:totalResults>",
        f"  <opensearch:startIndex>{start}</opensearch:startIndex>",
        *entries,
        "</feed>",
    ]
    return ("\n".join(lines) + "\n").encode()


def _entry(record: ArxivRecord) -> str:
    address = f"arxiv.org/abs/{record.id}v{record.version}"
    title = "\n  ".join(textwrap.wrap(record.title, _TITLE_WIDTH, break_long_words=False, break_on_hyphens=False))
    updated = record.published if record.version == 1 else record.updated
    pdf = address.replace("/abs/", "/pdf/")
    lines = [
        f"<id>http://{address}</id>",
        f"<title>{escape(title)}</title>",
        f"<updated>{_moment(updated)}</updated>",
        f'<link href="https://{address}" rel="alternate" type="text/html"/>',
        f'<link href="https://{pdf}" rel="related" type="application/pdf" title="pdf"/>',
        f"<summary>  An abstract about a subject of {escape(record.category)}.</summary>",
        f'<category term="{record.category}" scheme="{_SCHEME}"/>',
        f"<published>{_moment(record.published)}</published>",
    ]
    if record.comment:
        lines.append(f"<arxiv:comment>{escape(record.comment)}</arxiv:comment>")
    lines.append(f'<arxiv:primary_category term="{record.category}"/>')
    if record.journal_ref:
        lines.append(f"<arxiv:journal_ref>{escape(record.journal_ref)}</arxiv:journal_ref>")
    for name in record.authors:
        lines.append(f"<author>\n      <name>{escape(str(name))}</name>\n    </author>")
    if record.doi:
        lines.append(f"<arxiv:doi>{escape(record.doi)}</arxiv:doi>")
        lines.append(f'<link rel="related" href={quoteattr(f"https://doi.org/{record.doi}")} title="doi"/>')
    return "\n".join(["  <entry>", *(f"    {line}" for line in lines), "  </entry>"])


def _error_entry(message: str, fragment: str) -> str:
    address = f"http://arxiv.org/api/errors#{fragment}"
    lines = [
        f"<id>{escape(address)}</id>",
        "<title>Error</title>",
        f"<summary>{escape(message)}</summary>",
        f"<updated>{_UPDATED}</updated>",
        f'<link href={quoteattr(address)} rel="alternate" type="text/html"/>',
        "<author>\n      <name>arXiv api core</name>\n    </author>",
    ]
    return "\n".join(["  <entry>", *(f"    {line}" for line in lines), "  </entry>"])


def _moment(date: DateParts) -> str:
    year, month, day = (*date, 1, 1)[:3]
    return f"{year}-{month:02}-{day:02}T17:57:34Z"
