"""The local doi.org: the Handle API and the look-up of registration agencies.

``/api/handles/{doi}`` follows the Handle.Net documentation ("Handle Proxy Server REST API"): response code 1
with the values of a handle, 100 with status 404 for one that does not exist, 200 if it has no values of the
type asked for. ``/ra/{doi},{doi}`` follows the DOI documentation ("Which RA?"): one object each, with ``RA``
or with ``status``.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import unquote

from tests.stand_ins.facts import Facts, arxiv_doi
from tests.stand_ins.replies import Parameters, Reply, json_reply, stable_number

_JSON = "application/json;charset=UTF-8"
_HEADERS = {"server": "cloudflare", "access-control-allow-origin": "*"}
_HANDLES = "/api/handles/"
_AGENCIES = ("/ra/", "/doiRA/")
SHORT = {"10/bqf3tz": "10.1038/nature14539"}
"""Short DOIs (shortdoi.org), which have a value of type HS_ALIAS."""
_TIMESTAMP = "2024-05-14T07:10:22Z"


class DoiOrg:
    """doi.org's answers to GET requests. With ``shift``, every DOI found is exchanged for a later one."""

    def __init__(self, facts: Facts, *, shift: int = 0) -> None:
        self._shift = shift
        self._prefixes = facts.prefixes
        agencies = {work.doi: work.agency for work in facts.works if work.doi}
        agencies |= {arxiv_doi(work.arxiv.id): "DataCite" for work in facts.works if work.arxiv}
        self._dois = tuple(agencies.items())
        self._positions = {doi.lower(): position for position, (doi, _) in enumerate(self._dois)}

    def answer(self, path: str, parameters: Parameters) -> Reply:
        if path.startswith(_HANDLES):
            return self._handle(unquote(path.removeprefix(_HANDLES)), parameters)
        for start in _AGENCIES:
            if path.startswith(start):
                asked = unquote(path.removeprefix(start)).split(",")
                return json_reply(200, _JSON, [self._agency(doi.strip()) for doi in asked], _HEADERS)
        return Reply(404, "text/html;charset=utf-8", b"<html><body><h1>DOI Not Found</h1></body></html>", _HEADERS)

    def _handle(self, asked: str, parameters: Parameters) -> Reply:
        if asked in SHORT:
            return json_reply(
                200, _JSON, {"responseCode": 1, "handle": asked, "values": _alias(SHORT[asked])}, _HEADERS
            )
        position = self._positions.get(asked.lower())
        if position is None:
            return json_reply(404, _JSON, {"responseCode": 100, "handle": asked}, _HEADERS)
        if self._shift:
            asked = self._dois[(position + self._shift) % len(self._dois)][0]
        values = [value for value in _values(asked) if parameters.get("type", value["type"]) == value["type"]]
        body = {"responseCode": 1, "handle": asked, "values": values}
        if not values:
            body = {"responseCode": 200, "handle": asked}
        return json_reply(200, _JSON, body, _HEADERS)

    def _agency(self, asked: str) -> dict[str, str]:
        if asked in self._prefixes:
            prefixes = list(self._prefixes)
            stated = prefixes[(prefixes.index(asked) + self._shift) % len(prefixes)]
            return {"DOI": stated, "RA": self._prefixes[stated]}
        if not re.fullmatch(r"10\.\d[\d.]*(/\S+)?", asked):
            return {"DOI": asked, "status": "Invalid DOI"}
        position = self._positions.get(asked.lower())
        if position is None:
            return {"DOI": asked, "status": "DOI does not exist"}
        doi, agency = self._dois[(position + self._shift) % len(self._dois)]
        return {"DOI": doi if self._shift else asked, "RA": agency}


def _alias(doi: str) -> list[dict[str, Any]]:
    data = {"format": "string", "value": doi}
    return [{"index": 1, "type": "HS_ALIAS", "data": data, "ttl": 86400, "timestamp": _TIMESTAMP}]


def _values(doi: str) -> list[dict[str, Any]]:
    prefix = doi.partition("/")[0]
    stamp = {"ttl": 86400, "timestamp": _TIMESTAMP}
    administrator = {"handle": f"0.na/{prefix}", "index": 200, "permissions": "111111110010"}
    sequence = f"{20240514000000 + stable_number(doi, 10**6)}"
    return [
        {"index": 1, "type": "URL", "data": {"format": "string", "value": f"https://publisher.example/{doi}"}, **stamp},
        {"index": 700050, "type": "700050", "data": {"format": "string", "value": sequence}, **stamp},
        {"index": 100, "type": "HS_ADMIN", "data": {"format": "admin", "value": administrator}, **stamp},
    ]
