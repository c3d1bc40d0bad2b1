"""doi.org's recorded answers about the agencies of prefixes."""

from __future__ import annotations

import pytest

from pytest_citecheck.model import Found, Query
from pytest_citecheck.sources import DOI_RA, Response
from tests.conformance.recorded import Recorded, file_ids, needs_recordings, recordings

pytestmark = needs_recordings

RECORDED = recordings("doi_ra")

AGENCIES = {
    "10.1016": "Crossref",
    "10.3389": "Crossref",
    "10.14454": "DataCite",
    "10.18713": "DataCite",
    "10.11367": "JaLC",
    "10.1241": "JaLC",
    "10.2791": "OP",
    "10.3280": "mEDRA",
    "10.5012": "KISTI",
}


def test_there_are_recordings() -> None:
    assert {item.url.rpartition("/")[2] for item in RECORDED} == set(AGENCIES)


@pytest.mark.parametrize("item", RECORDED, ids=file_ids)
def test_every_prefix_has_its_agency(item: Recorded) -> None:
    prefix = item.url.rpartition("/")[2]
    query = Query("prefix", prefix)
    assert DOI_RA.request([query]).url == item.url
    answer = DOI_RA.parse([query], Response(item.status, item.body))[query]
    assert isinstance(answer, Found)
    assert answer.records[0].agency == AGENCIES[prefix]
