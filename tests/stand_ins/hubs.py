"""The local GitHub (``/repos/OWNER/NAME``, docs.github.com/en/rest/repos/repos) and Hugging Face (``/models/…``, ``/datasets/…``,
huggingface.co/docs/hub/api): what an account holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.stand_ins.replies import Parameters, Reply, json_reply

if TYPE_CHECKING:
    from tests.stand_ins.facts import Facts, Work

_JSON = "application/json; charset=utf-8"


class _Hub:
    """With ``shift``, every repository is exchanged for a later one."""

    host = path = ""

    def __init__(self, facts: Facts, *, shift: int = 0) -> None:
        self._works = [work for work in facts.works if work.repository.startswith(self.host)]
        self._shift = shift
        self._positions = {
            f"{self.path}/{work.repository.removeprefix(self.host)}": number for number, work in enumerate(self._works)
        }

    def answer(self, path: str, parameters: Parameters) -> Reply:
        position = self._positions.get(path)
        if position is None:
            return self.refused()
        return json_reply(200, _JSON, self.shown(self._works[(position + self._shift) % len(self._works)]))

    def refused(self) -> Reply:
        raise NotImplementedError

    def shown(self, work: Work) -> dict[str, Any]:
        raise NotImplementedError


class GitHub(_Hub):
    """GitHub's answers to GET requests."""

    host, path = "github.com/", "/repos"

    def refused(self) -> Reply:
        return json_reply(
            404, _JSON, {"message": "Not Found", "documentation_url": "https://docs.github.com", "status": "404"}
        )

    def shown(self, work: Work) -> dict[str, Any]:
        owner = work.repository.split("/")[1]
        login = next((str(name) for name in work.authors if str(name).lower() == owner), owner)
        return {
            "id": 1,
            "name": work.title,
            "full_name": f"{login}/{work.title}",
            "private": False,
            "owner": {"login": login, "type": "Organization"},
            "description": work.summary or None,
            "created_at": f"{(*work.issued, 2015)[0]}-03-01T00:00:00Z",
            "pushed_at": f"{work.last_year or 2026}-03-01T00:00:00Z",
        }


class HuggingFace(_Hub):
    """The Hub's answers to GET requests: missing objects are refused."""

    host, path = "huggingface.co/", ""

    def refused(self) -> Reply:
        return json_reply(401, _JSON, {"error": "Invalid username or password."})

    def shown(self, work: Work) -> dict[str, Any]:
        name = work.repository.split("/", 2)[2]
        years = f"{(*work.issued, 2022)[0]}", work.last_year or "2025"
        dates = dict(zip(("createdAt", "lastModified"), (f"{year}-03-02T23:29:04.000Z" for year in years), strict=True))
        return {"id": name, "private": False, "gated": False, "tags": [], **dates}
