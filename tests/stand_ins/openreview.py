"""The local OpenReview: ``/notes`` by id and ``/notes/search``, in both versions of the API.

A login gives a token to everybody who knows the `PASSWORD`; the fault ``login-required`` asks for it where the real service does.

Written after the documentation (docs.openreview.net): version 1 states the fields of a submission as they are, version 2 as
objects with a ``value``; each holds its own submissions, and says NotFoundError for those of the other.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from typing import TYPE_CHECKING, Any

from tests.stand_ins.replies import Parameters, Reply, json_reply
from tests.stand_ins.search import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.stand_ins.facts import Facts, Work

PASSWORD = "open-sesame-7"
TOKEN = "eyJhbGciOiJub25lIn0.stand-in"

_JSON = "application/json; charset=utf-8"
_FIRST_YEAR_OF_VERSION_2 = 2023
_DEFAULT_LIMIT = 1000
_ACRONYM = re.compile(r"\b([A-Z][A-Za-z]*[A-Z]+)\b")


class OpenReview:
    """Answers of version 2 to GET requests. With ``shift``, every submission found is exchanged for a later one."""

    version = 2

    def __init__(self, facts: Facts, *, shift: int = 0) -> None:
        self._works = [work for work in facts.works if work.openreview and self._holds(work)]
        self._shift = shift
        self._positions = {work.openreview: position for position, work in enumerate(self._works)}

    def _holds(self, work: Work) -> bool:
        return (work.issued[0] >= _FIRST_YEAR_OF_VERSION_2) == (self.version == 2)

    def answer(self, path: str, parameters: Parameters) -> Reply:
        if path == "/notes" and "id" in parameters:
            return self._note(parameters["id"])
        if path == "/notes/search" and parameters.get("term"):
            wanted = set(words(parameters["term"]))
            found = [i for i, work in enumerate(self._works) if wanted & set(words(work.title))]
            found.sort(key=lambda position: -len(wanted & set(words(self._works[position].title))))
            shown = found[: int(parameters.get("limit", _DEFAULT_LIMIT))]
            return self._list(shown, len(found))
        return _error(404, "NotFoundError", f"The requested path {path} was not found")

    def post(self, path: str, parameters: Parameters, body: bytes) -> Reply:
        """``/login``."""
        said = json.loads(body)
        if path != "/login" or said.get("password") != PASSWORD:
            return _error(400, "Error", "Invalid username or password")
        return json_reply(200, _JSON, {"token": TOKEN, "user": {"id": said["id"]}})

    def _note(self, identifier: str) -> Reply:
        position = self._positions.get(identifier)
        if position is None:
            return _error(404, "NotFoundError", f"The Note {identifier} was not found")
        return self._list([position], 1)

    def _list(self, positions: Sequence[int], count: int) -> Reply:
        works = [self._works[(position + self._shift) % len(self._works)] for position in positions]
        body: dict[str, Any] = {"notes": [self._render(work) for work in works]}
        # Version 2 counts where that is asked for.
        return json_reply(200, _JSON, body | ({"count": count} if self.version == 1 else {}))

    def _render(self, work: Work) -> dict[str, Any]:
        group, series = _group(work)
        conference = f"{group}/Conference"
        submitted = _milliseconds(dt.datetime(work.issued[0] - 1, 9, 28, tzinfo=dt.UTC))
        decided = _milliseconds(dt.datetime(work.issued[0], 1, 12, tzinfo=dt.UTC))
        content = {
            "title": work.title,
            "authors": [str(name) for name in work.authors],
            "authorids": [f"~{str(name).replace(' ', '_')}1" for name in work.authors],
            "venue": f"{series} {work.issued[0]}",
            "venueid": conference,
            "_bibtex": _bibtex(work),
        }
        note: dict[str, Any] = {
            "id": work.openreview,
            "forum": work.openreview,
            "cdate": submitted,
            "tcdate": submitted,
            "pdate": decided,
            "signatures": [conference],
            "readers": ["everyone"],
            "writers": [conference],
            "number": 1,
        }
        if self.version == 1:
            return note | {"invitation": f"{conference}/-/Blind_Submission", "content": content, "replyto": None}
        valued = {name: {"value": value} for name, value in content.items()}
        return note | {"invitations": [f"{conference}/-/Submission"], "content": valued, "version": 2}


class OpenReviewV1(OpenReview):
    """Answers of version 1."""

    version = 1


def _group(work: Work) -> tuple[str, str]:
    """The group of a conference and year, and the acronym of the series."""
    acronym = _ACRONYM.search(work.container)
    series = acronym[1] if acronym else "NeurIPS"
    return f"{series}.cc/{work.issued[0]}", series


def _bibtex(work: Work) -> str:
    people = " and ".join(map(str, work.authors))
    container = re.sub(r",? [A-Z]+ \d{4}\Z", "", work.container)
    address = f"https://openreview.net/forum?id={work.openreview}"
    fields = {
        "title": work.title,
        "author": people,
        "booktitle": container,
        "year": str(work.issued[0]),
        "url": address,
    }
    lines = ",\n".join(f"{name}={{{value}}}" for name, value in fields.items())
    return f"@inproceedings{{\n{work.id},\n{lines}\n}}"


def _milliseconds(moment: dt.datetime) -> int:
    return int(moment.timestamp()) * 1000


def _error(status: int, name: str, message: str) -> Reply:
    return json_reply(status, _JSON, {"name": name, "message": message, "status": status, "details": {}})
