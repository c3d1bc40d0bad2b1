"""The local Europe PMC: ``/search`` with a query in its syntax, answers of result type ``core`` in JSON.

Written after "Europe PMC RESTful web service" (europepmc.org/RestfulWebService), its search syntax, and real answers of
2025. It holds what PubMed holds (source MED) and preprints of Crossref (source PPR).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from tests.stand_ins.pubmed import initials, medline_works, stopped
from tests.stand_ins.query_language import Document, Operand, QuerySyntaxError, contains, parse_query
from tests.stand_ins.replies import Parameters, Reply, json_reply, stable_number

if TYPE_CHECKING:
    from tests.stand_ins.facts import DateParts, Facts, Name, Notice, Work

_JSON = "application/json;charset=UTF-8"
_HEADERS = {"x-frame-options": "SAMEORIGIN", "access-control-allow-origin": "*"}
_VERSION = "6.9"
_DEFAULT_SIZE = 25
_MOST = 1000
_KEYWORDS = frozenset({"DOI", "EXT_ID", "SRC", "PMCID"})
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_LINKS = {"retraction": "Retraction in", "concern": "Expression of concern in", "correction": "Erratum in"}


class EuropePmc:
    """Europe PMC's answers to GET requests. With ``shift``, every record found is exchanged for a later one."""

    def __init__(self, facts: Facts, *, shift: int = 0) -> None:
        preprints = [work for work in facts.works if work.type == "posted-content" and work.agency == "Crossref"]
        self._works = (*medline_works(facts), *preprints)
        self._shift = shift

    def answer(self, path: str, parameters: Parameters) -> Reply:
        query = parameters.get("query", "")
        if path != "/search":
            return Reply(404, "text/html;charset=UTF-8", b"<html><body>HTTP Status 404</body></html>", _HEADERS)
        if parameters.get("format") != "json" or parameters.get("resultType") != "core":
            return json_reply(400, _JSON, {"version": _VERSION, "errCode": 400, "errMsg": "not played here"}, _HEADERS)
        try:
            wanted = parse_query(query)
        except QuerySyntaxError as error:
            return json_reply(200, _JSON, {"version": _VERSION, "errCode": 404, "errMsg": str(error)}, _HEADERS)
        size = min(int(parameters.get("pageSize", _DEFAULT_SIZE)), _MOST)
        found = [place for place, work in enumerate(self._works) if wanted.matches(_document(work), _match)]
        shown = [self._works[(place + self._shift) % len(self._works)] for place in found[:size]]
        body: dict[str, Any] = {"version": _VERSION, "hitCount": len(found)}
        if len(found) > size:
            body["nextCursorMark"] = "AoIIP4ZawSg1MzEyODI1MA=="
            body["nextPageUrl"] = f"https://www.ebi.ac.uk/europepmc/webservices/rest/search?query={quote(query)}"
        body["request"] = {
            "queryString": query,
            "resultType": "core",
            "cursorMark": "*",
            "pageSize": size,
            "sort": "",
            "synonym": False,
        }
        body["resultList"] = {"result": [_result(work) for work in shown]}
        return json_reply(200, _JSON, body, _HEADERS)


def _identity(work: Work) -> tuple[str, str]:
    """Source and id."""
    return ("MED", work.pmid) if work.pmid else ("PPR", f"PPR{1000 + stable_number(work.doi, 900_000)}")


def _document(work: Work) -> Document:
    source, identifier = _identity(work)
    return {
        "TITLE": f"{work.title} {work.subtitle}",
        "AUTH": "\n".join(name.literal or f"{name.family} {initials(name.given)}" for name in work.authors),
        "DOI": work.doi,
        "EXT_ID": identifier,
        "SRC": source,
        "PMCID": work.pmcid,
    }


def _match(operand: Operand, document: Document) -> bool:
    if operand.field in _KEYWORDS:
        return document[operand.field].lower() == operand.text.lower()
    return contains(operand, document)


def _result(work: Work) -> dict[str, Any]:
    source, identifier = _identity(work)
    result: dict[str, Any] = {"id": identifier, "source": source}
    if work.pmid:
        result["pmid"] = work.pmid
    if work.pmcid:
        result |= {"pmcid": work.pmcid, "fullTextIdList": {"fullTextId": [work.pmcid]}}
    if work.doi:
        result["doi"] = work.doi.lower()
    result["title"] = stopped(work.title) if work.pmid else work.title
    if work.authors:
        result["authorString"] = ", ".join(_short(name) for name in work.authors) + "."
        result["authorList"] = {"author": [_author(name) for name in work.authors]}
    if work.pmid:
        result["journalInfo"] = _journal(work)
    else:
        result["bookOrReportDetails"] = {"publisher": work.container, "yearOfPublication": work.issued[0]}
    result["pubYear"] = str((work.print or work.issued)[0])
    if work.pages:
        result["pageInfo"] = work.pages
    result["language"] = "swe" if work.vernacular else "eng"
    result["pubTypeList"] = {"pubType": _types(work)}
    links = [_link(work, notice) for notice in work.notices if notice.kind in _LINKS]
    if links:
        result["commentCorrectionList"] = {"commentCorrection": links}
    result |= {"isOpenAccess": "N", "inPMC": "Y" if work.pmcid else "N", "citedByCount": 0}
    if work.online:
        result["electronicPublicationDate"] = _iso(work.online)
    return result | {"firstPublicationDate": _iso(work.online or work.issued)}


def _short(name: Name) -> str:
    return name.literal or f"{name.family} {initials(name.given)}".strip()


def _author(name: Name) -> dict[str, str]:
    if name.literal:
        return {"collectiveName": name.literal}
    author = {"fullName": _short(name), "firstName": name.given.replace(".", ""), "lastName": name.family}
    return {key: value for key, value in (author | {"initials": initials(name.given)}).items() if value}


def _journal(work: Work) -> dict[str, Any]:
    date = work.print or work.issued
    abbreviation = work.short_container or work.container
    journal = {"title": work.container, "medlineAbbreviation": abbreviation.replace(".", "")}
    journal |= {"isoabbreviation": abbreviation}
    journal |= dict(zip(("issn", "essn"), work.issn, strict=False))
    info: dict[str, Any] = {name: value for name, value in (("issue", work.issue), ("volume", work.volume)) if value}
    return info | {
        "journalIssueId": stable_number(work.container, 4_000_000),
        "dateOfPublication": " ".join([str(date[0]), *(_MONTHS[month - 1] for month in date[1:2])]),
        "monthOfPublication": date[1] if len(date) > 1 else 0,
        "yearOfPublication": date[0],
        "printPublicationDate": _iso(date),
        "journal": journal,
    }


def _types(work: Work) -> list[str]:
    if not work.pmid:
        return ["Preprint"]
    retracted = any(notice.kind == "retraction" for notice in work.notices)
    return ["Retracted Publication", "Journal Article"] if retracted else ["Journal Article"]


def _link(work: Work, notice: Notice) -> dict[str, Any]:
    year, *rest = notice.date
    day = " ".join([str(year), *(_MONTHS[month - 1] for month in rest[:1]), *map(str, rest[1:])])
    reference = f"{work.short_container or work.container}. {day}" + (f". doi: {notice.doi}." if notice.doi else "")
    return {
        "id": str(stable_number(reference, 40_000_000)),
        "source": "MED",
        "reference": reference,
        "type": _LINKS[notice.kind],
        "orderIn": 1,
    }


def _iso(parts: DateParts) -> str:
    """A full date; what is not known is the first, as Europe PMC has it."""
    year, month, day = (*parts, 1, 1)[:3]
    return f"{year}-{month:02}-{day:02}"
