"""The local RFC Editor: ``/rfc/rfcNNNN.json``, written after the files beside the RFCs (www.rfc-editor.org/rfc)."""

from __future__ import annotations

import calendar
import re
from typing import TYPE_CHECKING, Any

from tests.stand_ins.replies import Parameters, Reply, json_reply

if TYPE_CHECKING:
    from tests.stand_ins.facts import Facts, Name, Work

_PATH = re.compile(r"/rfc/rfc([1-9]\d*)\.json")
_DOI = "10.17487/RFC"
_NO_PAGE = b"<!DOCTYPE html><html><head><title>404 Not Found</title></head><body><h1>Not Found</h1></body></html>"


class RfcEditor:
    """The RFC Editor's answers to GET requests. With ``shift``, every RFC is exchanged for a later one."""

    def __init__(self, facts: Facts, *, shift: int = 0) -> None:
        self._rfcs = [work for work in facts.works if _number(work)]
        self._shift = shift
        self._positions = {_number(work): position for position, work in enumerate(self._rfcs)}

    def answer(self, path: str, parameters: Parameters) -> Reply:
        match = _PATH.fullmatch(path)
        position = self._positions.get(match[1]) if match else None
        if position is None:
            return Reply(404, "text/html", _NO_PAGE)
        return json_reply(200, "application/json", _file(self._rfcs[(position + self._shift) % len(self._rfcs)]))


def _number(work: Work) -> str:
    """Return the number of an RFC, which its DOI contains too."""
    return work.rfc or str(int(work.doi[len(_DOI) :] or 0) if work.doi.startswith(_DOI) else "")


def _file(work: Work) -> dict[str, Any]:
    year, month = (*work.issued, 1)[:2]
    return {
        "draft": "",
        "doc_id": f"RFC{int(_number(work)):04}",
        "title": work.title,
        "authors": [_person(name) for name in work.authors],
        "format": ["ASCII", "HTML"],
        "pub_status": "PROPOSED STANDARD",
        "status": "PROPOSED STANDARD",
        "pub_date": f"{calendar.month_name[month]} {year}",
        "obsoletes": [],
        "obsoleted_by": [],
        "doi": f"10.17487/RFC{int(_number(work)):04}",
    }


def _person(name: Name) -> str:
    initials = " ".join(f"{part[0]}." for part in name.given.split())
    return name.literal or f"{initials} {name.family}"
