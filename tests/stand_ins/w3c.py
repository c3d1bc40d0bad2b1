"""The local W3C API: ``/specifications/NAME`` and ``/specifications/NAME/versions/DATE`` (api.w3.org/doc)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.stand_ins.replies import Parameters, Reply, json_reply

if TYPE_CHECKING:
    from tests.stand_ins.facts import Facts, Work

_JSON = "application/json"
_NONE = {"type": "https://tools.ietf.org/html/rfc2616#section-10", "title": "An error occurred", "status": 404}


class W3c:
    """The answers of the API to GET requests. With ``shift``, every report is exchanged for a later one."""

    def __init__(self, facts: Facts, *, shift: int = 0) -> None:
        self._reports = [work for work in facts.works if work.w3c]
        self._shift = shift
        self._positions: dict[str, int] = {}
        for position, work in enumerate(self._reports):
            name, _, date = work.w3c.partition("/")
            self._positions |= {
                f"/specifications/{name}": position,
                f"/specifications/{name}/versions/{date}": position,
            }

    def answer(self, path: str, parameters: Parameters) -> Reply:
        position = self._positions.get(path)
        if position is None:
            return json_reply(404, _JSON, _NONE)
        report = self._reports[(position + self._shift) % len(self._reports)]
        return json_reply(200, _JSON, _version(report) if "/versions/" in path else _series(report))


def _series(work: Work) -> dict[str, Any]:
    name = work.w3c.partition("/")[0]
    return {"shortlink": f"https://www.w3.org/TR/{name}/", "title": work.title, "shortname": name}


def _version(work: Work) -> dict[str, Any]:
    name, _, date = work.w3c.partition("/")
    uri = f"https://www.w3.org/TR/{date[:4]}/REC-{name}-{date}/"
    found = {"status": "Recommendation", "uri": uri, "date": f"{date[:4]}-{date[4:6]}-{date[6:]}", "title": work.title}
    return found | {"shortlink": f"https://www.w3.org/TR/{name}/"}
