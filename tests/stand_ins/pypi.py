"""The local PyPI: ``/pypi/NAME/json`` (docs.pypi.org/api/json)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tests.stand_ins.replies import Parameters, Reply, json_reply

if TYPE_CHECKING:
    from tests.stand_ins.facts import Facts, Work

_JSON = "application/json"
_PATH = re.compile(r"/pypi/([^/]+)/json")
_FIRST, _LAST = "2015", "2025"


class PyPI:
    """PyPI's answers to GET requests. With ``shift``, every project is exchanged for a later one."""

    def __init__(self, facts: Facts, *, shift: int = 0) -> None:
        self._projects = [work for work in facts.works if work.package.startswith("pypi:")]
        self._shift = shift
        self._positions = {work.package.removeprefix("pypi:"): number for number, work in enumerate(self._projects)}

    def answer(self, path: str, parameters: Parameters) -> Reply:
        match = _PATH.fullmatch(path)
        position = self._positions.get(match[1]) if match else None
        if position is None:
            return json_reply(404, _JSON, {"message": "Not Found"})
        return json_reply(200, _JSON, _project(self._projects[(position + self._shift) % len(self._projects)]))


def _project(work: Work) -> dict[str, Any]:
    people = ", ".join(map(str, work.authors))
    info = {"name": work.title, "summary": work.summary, "author": people, "author_email": "", "maintainer": None}
    years = [str(work.issued[0]) if work.issued else _FIRST, work.last_year or _LAST]
    files = {f"{number}.0": [{"upload_time": f"{year}-06-01T12:00:00"}] for number, year in enumerate(years, start=1)}
    return {"info": info, "last_serial": 1, "releases": {**files, "0.1": []}, "urls": [], "vulnerabilities": []}
