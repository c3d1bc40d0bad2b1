"""Copies of a work and its parts fill the first places of a search, and are not taken for it."""

from __future__ import annotations

import asyncio
import json

from pytest_citecheck.model import Found, Query
from pytest_citecheck.net import Transport, TransportSettings
from pytest_citecheck.sources import CROSSREF, Rate
from tests.stand_ins.server import LocalServices

TITLED = Query("title", "Deep Residual Learning for Image Recognition", ("He",))
DOI = "10.1109/cvpr.2016.90"


def test_the_work_is_found_behind_its_copies() -> None:
    async def ask(url: str) -> Found:
        settings = TransportSettings(base_urls={"crossref": url}, rates={"crossref": Rate(1000, 4)})
        async with Transport(settings) as transport:
            answer = (await transport.ask(CROSSREF, [TITLED]))[TITLED].answer
        assert isinstance(answer, Found)
        return answer

    with LocalServices() as services:
        services.fault("crossref", "copies")
        path = CROSSREF.request([TITLED]).url.removeprefix(CROSSREF.base_url)
        _, reply = services.respond("GET", f"/crossref{path}", {})
        items = json.loads(reply.body)["message"]["items"]
        found = asyncio.run(ask(services.mirrors["crossref"]))
    assert [item["DOI"].partition("/")[0] for item in items[:7]] == ["10.65215"] * 7
    assert items[7]["type"] == "component"
    assert len({item["title"][0] for item in items[:9]}) == 1
    dois = [record.doi for record in found.records]
    assert dois[0] == DOI
    assert not [doi for doi in dois if doi.startswith("10.65215") or doi.endswith("g001")]
