"""DOIs compared with the cited venues of their works."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_citecheck.matching import foreign_registrant, is_registrant_of, lookup
from pytest_citecheck.matching import identifiers as registrants

CVPR = "IEEE/CVF Conference on Computer Vision and Pattern Recognition"


@pytest.mark.parametrize(
    ("venue", "year", "doi", "foreign"),
    [
        (CVPR, 2021, "10.1109/cvpr46437.2021.00001", False),
        (CVPR, 2021, "10.4444/cvpr.2021.00001", True),
        ("CVPR", 2021, "10.4444/cvpr.2021.00001", True),
        ("CVPR", 2021, "10.48550/arxiv.2103.00001", False),  # a repository's, of any venue
        ("CVPR", 2021, "10.5281/zenodo.1234", False),
        ("CVPR Workshops", 2021, "10.4444/x", False),  # nothing was counted of workshops
        ("CVPR", 1983, "10.4444/x", False),  # nor of that year
        ("CVPR", None, "10.4444/x", False),
        ("ICLR", 2021, "10.4444/x", True),  # its works have no DOIs
        ("NeurIPS", 2019, "10.5555/3454287", False),  # the ACM Digital Library's number for works without a DOI
        ("Journal of Unheard-of Matters", 2019, "10.4444/x", False),
        ("", 2019, "10.4444/x", False),
    ],
)
def test_foreign(venue: str, year: int | None, doi: str, foreign: bool) -> None:
    assert bool(foreign_registrant(venue, year, doi)) is foreign


def test_the_reason_names_the_registrant() -> None:
    assert (
        foreign_registrant("CVPR", 2021, "10.4444/x") == f"DOIs of works of {CVPR} begin with 10.1109, not with 10.4444"
    )
    assert "have no publisher DOIs" in foreign_registrant("ICLR", 2021, "10.4444/x")


def test_registrants_of_a_venue() -> None:
    assert is_registrant_of("CVPR", 2021, "10.1109/x")
    assert is_registrant_of("CVPR", 2021, "10.48550/x")
    assert not is_registrant_of("CVPR", 2021, "10.4444/x")
    assert not is_registrant_of("ICLR", 2021, "10.1109/x")


def test_the_table_is_about_known_venues() -> None:
    path = Path(registrants.__file__).parent / "data" / "registrants.json"
    table = json.loads(path.read_text(encoding="utf-8"))
    assert "counted on" in table["source"]
    known = {json.loads(line)["id"] for line in (path.parent / "venues.jsonl").read_text(encoding="utf-8").splitlines()}
    assert set(table["venues"]) <= known
    found = lookup("CVPR")
    assert found is not None
    assert table["venues"][found.id][2] == ["10.1109"]
    for first, last, prefixes in table["venues"].values():
        assert 1900 < first <= last < 2100
        assert all(prefix.startswith("10.") and "/" not in prefix for prefix in prefixes)
