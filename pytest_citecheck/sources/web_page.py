"""Web pages: existence of cited URLs, queried only on request (``--citecheck-urls``).

Documentation: RFC 9110, section 15.5. Absence: the server itself says that the page is gone (404 or 410), and shows its
front page; 401, 403, 429 and 5xx are refusals, which are no evidence. A page that exists proves little: its title is
read if it states one, as far as a search engine's is, so the record counts as compiled. Limits: one request a second to
a host.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from urllib.parse import quote, urlsplit, urlunsplit

from pytest_citecheck.matching import lazy_pattern, without_markup
from pytest_citecheck.model import Absent, Answer, Found, Query, QueryKind, Record
from pytest_citecheck.sources.base import MalformedAnswerError, Request, Response, Role, Source

_GONE = frozenset({404, 410})
_TITLE = lazy_pattern(rb"<title(?=[\s>])[^<>]*+>([^<]{1,1000})</title\s*+>", re.IGNORECASE)
_CHARSET = lazy_pattern(r"charset=[\"']?([\w.-]+)", re.IGNORECASE)


class WebPage(Source):
    """Any server of the web, queried for one page (see the module)."""

    name = "web_page"
    label = "web pages"
    base_url = ""
    documentation = "https://www.rfc-editor.org/rfc/rfc9110#section-15.5"
    batch: Mapping[QueryKind, int] = {"url": 1}
    keeps_author_order = False
    limits = "one request a second to a host"
    absence = "404 or 410, answered twice by a server whose front page works, means that the page is gone; otherwise no evidence"
    role = Role()
    follows = True
    enough_bytes = 100_000

    def accepts(self, query: Query) -> bool:
        """http and https URLs of named hosts, without user and password."""
        if query.kind != "url":
            return False
        try:
            parts = urlsplit(query.value)
            return parts.scheme.lower() in ("http", "https") and bool(parts.hostname) and "@" not in parts.netloc
        except ValueError:
            return False

    def request(self, queries: Sequence[Query]) -> Request:
        """The URL itself, without its fragment."""
        parts = urlsplit(queries[0].value)
        path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._")
        query = quote(parts.query, safe="/%:@!$&'()*+,;=~-._?")
        host = parts.netloc.encode("idna").decode("ascii") if not parts.netloc.isascii() else parts.netloc
        return Request(self.name, urlunsplit((parts.scheme.lower(), host.lower(), path, query, "")), accept="*/*")

    def parse(self, queries: Sequence[Query], response: Response) -> dict[Query, Answer]:
        """Found with the title of the page, or Absent. Raises MalformedAnswerError for 400, which is neither."""
        query = queries[0]
        host = urlsplit(query.value).hostname or ""
        if response.status in _GONE:
            return {query: Absent(f"{host} answers {response.status}")}
        if response.status >= 300:
            raise MalformedAnswerError(f"{host} answered status {response.status}")
        record = Record(self.name, query.value, url=query.value, title=_title(response), compiled=True)
        return {query: Found((record,))}

    def control(self, query: Query) -> Query:
        """The front page of the same server: one that does not show it either is not at work."""
        parts = urlsplit(query.value)
        return Query("url", urlunsplit((parts.scheme, parts.netloc, "/", "", "")))


def _title(response: Response) -> str:
    kind = response.headers.get("content-type", "")
    found = _TITLE.search(response.body) if "html" in kind.lower() else None
    if found is None:
        return ""
    charset = _CHARSET.search(kind)
    try:
        text = found[1].decode(charset[1] if charset else "utf-8", errors="replace")
    except LookupError:
        text = found[1].decode("utf-8", errors="replace")
    return without_markup(text)


WEB_PAGE = WebPage()
