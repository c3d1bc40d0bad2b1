"""The local theses.fr: ``/api/v1/theses/recherche/``.

Written after the documentation (theses.fr/api/v1): a search wants all words, in titles, names and numbers.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tests.stand_ins.replies import Parameters, Reply, json_reply
from tests.stand_ins.search import words

if TYPE_CHECKING:
    from tests.stand_ins.facts import Facts, Work

_NUMBERS = re.compile(r"nnt:\(([^()]*)\)")


class ThesesFr:
    """The answers of theses.fr to GET requests: it contains the theses that have a number. ``shift`` as in the others."""

    def __init__(self, facts: Facts, *, shift: int = 0) -> None:
        self._theses = [work for work in facts.works if work.nnt]
        self._shift = shift

    def answer(self, path: str, parameters: Parameters) -> Reply:
        if path != "/api/v1/theses/recherche/":
            return Reply(404, "text/html", b"<!DOCTYPE html><html><body>404</body></html>")
        query = parameters.get("q", "")
        numbers = _NUMBERS.fullmatch(query)
        wanted = set(numbers[1].split(" OR ")) if numbers else set(words(query))
        found = [
            i for i, work in enumerate(self._theses) if (work.nnt in wanted if numbers else wanted <= set(_words(work)))
        ]
        shown = [
            self._theses[(i + self._shift) % len(self._theses)] for i in found[: int(parameters.get("nombre", "10"))]
        ]
        return json_reply(200, "application/json", {"totalHits": len(found), "theses": list(map(_thesis, shown))})


def _words(work: Work) -> tuple[str, ...]:
    return words(f"{work.title} {work.vernacular} {' '.join(map(str, work.authors))} {work.nnt}")


def _thesis(work: Work) -> dict[str, Any]:
    year, month, day = (*work.issued, 1, 1)[:3]
    return {
        "id": work.nnt,
        "nnt": work.nnt,
        "titrePrincipal": work.vernacular or work.title,
        "titreEN": work.title if work.vernacular else None,
        "auteurs": [{"ppn": None, "nom": name.family, "prenom": name.given} for name in work.authors],
        "etabSoutenanceN": work.publisher,
        "dateSoutenance": f"{day:02}/{month:02}/{year}",
        "status": "soutenue",
    }
