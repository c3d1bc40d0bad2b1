"""Highest numbers of volumes and months."""

from __future__ import annotations

import datetime

import pytest

from pytest_citecheck.matching import beyond_month, beyond_volume, numbered, unassigned_prefix

TODAY = datetime.date(2026, 11, 20)


@pytest.mark.parametrize(
    ("doi", "expected"),
    [
        ("10.1109/iccv.2019.00612", ("10.1109/iccv.2019.", 612)),
        ("10.24963/ijcai.2020/216", ("10.24963/ijcai.2020/", 216)),
        ("10.1007/978-3-030-58452-8_24", ("10.1007/978-3-030-58452-8_", 24)),
        ("10.1038/nature14539", ("10.1038/nature", 14539)),
        ("10.1000/12", ("10.1000/", 12)),
        ("10.1000/x", ("", 0)),
    ],
)
def test_the_last_number_counts(doi: str, expected: tuple[str, int]) -> None:
    assert numbered(doi) == expected


@pytest.mark.parametrize(
    ("doi", "beyond"),
    [
        ("10.1109/iccv.2019.01083", False),
        ("10.1109/iccv.2019.01200", False),
        ("10.1109/iccv.2019.01400", True),
        ("10.24963/ijcai.2020/779", False),
        ("10.24963/ijcai.2020/1900", True),
        ("10.1145/3292500.9930701", False),  # of these numbers most are of other volumes
        ("10.1109/unknown.2019.99999", False),
        ("10.1162/tacl_a_00638", False),  # a journal numbers on
    ],
)
def test_beyond_the_volume(doi: str, beyond: bool) -> None:
    assert bool(beyond_volume(doi)) == beyond


@pytest.mark.parametrize(
    ("doi", "unassigned"),
    [
        ("10.1109/iccv.2019.00001", False),
        ("10.1000.10/123", False),
        ("10.70777/x", False),
        ("10.98765/x", True),
        ("10.8888/x", True),
        ("10.9790/x", False),
        ("10.123456/x", True),
    ],
)
def test_unassigned_prefixes(doi: str, unassigned: bool) -> None:
    assert bool(unassigned_prefix(doi, TODAY)) == unassigned


def test_newer_prefixes_may_be_assigned_later() -> None:
    assert unassigned_prefix("10.85000/x", TODAY)
    assert not unassigned_prefix("10.85000/x", TODAY.replace(year=TODAY.year + 1))


@pytest.mark.parametrize(
    ("arxiv", "beyond"),
    [
        ("1706.03762", False),
        ("2405.09999", False),
        ("2405.79999", True),
        ("2612.00001", False),  # the clock may be slow
        ("2701.00001", True),
        ("2703.00001", True),
        ("hep-th/9711200", False),
        ("0712.9999", True),
    ],
)
def test_beyond_the_month(arxiv: str, beyond: bool) -> None:
    assert bool(beyond_month(arxiv, TODAY)) == beyond
