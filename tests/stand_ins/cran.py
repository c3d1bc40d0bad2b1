"""The local crandb: ``/NAME/all`` (github.com/r-hub/crandb)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tests.stand_ins.replies import Parameters, Reply, json_reply

if TYPE_CHECKING:
    from tests.stand_ins.facts import Facts, Work

_JSON = "application/json"
_PATH = re.compile(r"/([^/]+)/all")


class Cran:
    """The database's answers to GET requests. With ``shift``, every package is exchanged for a later one."""

    def __init__(self, facts: Facts, *, shift: int = 0) -> None:
        self._packages = [work for work in facts.works if work.package.startswith("cran:")]
        self._shift = shift
        self._positions = {work.package.removeprefix("cran:"): number for number, work in enumerate(self._packages)}

    def answer(self, path: str, parameters: Parameters) -> Reply:
        match = _PATH.fullmatch(path)
        position = self._positions.get(match[1]) if match else None
        if position is None:
            return json_reply(404, _JSON, {"error": "not_found", "reason": "missing"})
        return json_reply(200, _JSON, _package(self._packages[(position + self._shift) % len(self._packages)]))


def _package(work: Work) -> dict[str, Any]:
    people = ", ".join([*(f"{name} [aut]" for name in work.authors), "Posit Software, PBC [cph, fnd] (company)"])
    first, last = "0.1.0", "1.0.0"
    dates = {first: f"{work.issued[0]}-06-10T00:00:00+00:00", last: f"{work.last_year}-06-10T00:00:00+00:00"}
    versions = {
        version: {"Package": work.title, "Version": version, "Title": work.summary, "Author": people, "date": date}
        for version, date in dates.items()
    }
    found = {"_id": work.title, "name": work.title, "title": work.summary, "latest": last, "archived": False}
    return found | {"versions": versions, "timeline": dates}
