"""The local content negotiation of doi.org: the metadata of a DOI in CSL-JSON, as its agency states them.

Written after real answers: Crossref serves the works of its REST API with titles and containers as single strings, DataCite
and the other agencies plain CSL-JSON. (doi.org redirects to the agency; here it answers itself.) An unknown DOI gets
doi.org's page.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from tests.stand_ins.crossref_works import work_message
from tests.stand_ins.facts import ArxivRecord, Facts, Name, Work, arxiv_doi
from tests.stand_ins.replies import Parameters, Reply, json_reply

if TYPE_CHECKING:
    from collections.abc import Sequence

_CSL = "application/vnd.citationstyles.csl+json"
_PAGE = """<!DOCTYPE html>
<html lang="en-us"><head><title>Error: DOI Not Found</title></head>
<body><h2>DOI Not Found</h2><h3>{doi}</h3><p>This DOI cannot be found in the DOI System.</p></body></html>
"""
_TYPES = {
    "journal-article": "article-journal",
    "proceedings-article": "paper-conference",
    "posted-content": "article",
    "book": "book",
    "monograph": "book",
    "book-chapter": "chapter",
    "dissertation": "thesis",
    "report": "report",
    "dataset": "dataset",
}


class DoiContent:
    """The answers to GET requests for a DOI. With ``shift``, every work found is exchanged for a later one."""

    def __init__(self, facts: Facts, *, shift: int = 0) -> None:
        items = [(work.doi, _item(work)) for work in facts.works if work.doi]
        items += [(arxiv_doi(work.arxiv.id), _preprint(work.arxiv)) for work in facts.works if work.arxiv]
        self._items = tuple(items)
        self._positions = {doi.lower(): position for position, (doi, _) in enumerate(items)}
        self._shift = shift

    def answer(self, path: str, _parameters: Parameters) -> Reply:
        doi = unquote(path.removeprefix("/"))
        position = self._positions.get(doi.lower())
        if position is None:
            return Reply(404, "text/html;charset=utf-8", _PAGE.format(doi=html.escape(doi)).encode())
        return json_reply(200, _CSL, self._items[(position + self._shift) % len(self._items)][1])


def _item(work: Work) -> dict[str, Any]:
    if work.agency == "Crossref":
        return _of_crossref(work)
    item: dict[str, Any] = {"type": _TYPES.get(work.type, "article"), "id": f"https://doi.org/{work.doi}"}
    item |= _people("author", work.authors) | _people("editor", work.editors)
    item["issued"] = {"date-parts": [list(work.issued)]}
    stated = {"container-title": work.container, "volume": work.volume, "issue": work.issue, "page": work.pages}
    stated |= {"DOI": work.doi, "publisher": work.publisher, "title": work.title, "ISSN": ", ".join(work.issn)}
    return item | {name: value for name, value in stated.items() if value}


def _of_crossref(work: Work) -> dict[str, Any]:
    message = work_message(work, 1)
    short = message.pop("short-container-title")
    for name in ("title", "container-title"):
        message[name] = next(iter(message[name]), "")
    return message | ({"container-title-short": short[0]} if short else {})


def _preprint(record: ArxivRecord) -> dict[str, Any]:
    doi = arxiv_doi(record.id)
    return {
        "type": "article",
        "id": f"https://doi.org/{doi}",
        **_people("author", record.authors),
        "issued": {"date-parts": [[record.published[0]]]},
        "DOI": doi,
        "publisher": "arXiv",
        "title": record.title,
        "URL": f"https://arxiv.org/abs/{record.id}",
    }


def _people(role: str, names: Sequence[Name]) -> dict[str, list[dict[str, str]]]:
    people = [
        {"literal": name.literal}
        if name.literal
        else {
            key: value
            for key, value in (("family", name.family), ("given", name.given), ("suffix", name.suffix))
            if value
        }
        for name in names
    ]
    return {role: people} if people else {}
