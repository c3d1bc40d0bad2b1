"""Identifiers in the services' responses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.sources import arxiv_id, arxiv_id_of_doi, doi_name, pmc_id, pubmed_id


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ("10.1038/NATURE14539", "10.1038/nature14539"),
        ("https://doi.org/10.1038/nature14539", "10.1038/nature14539"),
        ("http://dx.doi.org/10.1002/(SICI)1097-4571(1999)50%3C1", "10.1002/(sici)1097-4571(1999)50<1"),
        ("doi:10.1000/182", "10.1000/182"),
        ("10.1000/a.", "10.1000/a."),
        ("urn:nbn:de:101", ""),
        ("", ""),
        ("10.1000", ""),
    ],
)
def test_doi_names(stated: str, expected: str) -> None:
    assert doi_name(stated) == expected


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ("1706.03762", "1706.03762"),
        ("http://arxiv.org/abs/1706.03762v7", "1706.03762"),
        ("https://arxiv.org/pdf/0704.0001v2.pdf", "0704.0001"),
        ("arXiv:1706.03762", "1706.03762"),
        ("abs/1706.03762", "1706.03762"),
        ("quant-ph/0201082v1", "quant-ph/0201082"),
        ("math.GT/0309136", "math/0309136"),
        ("hep-th/9901001", "hep-th/9901001"),
        ("1706.3762123", ""),
        ("http://arxiv.org/api/errors#incorrect_id_format_for_1", ""),
        ("nature14539", ""),
    ],
)
def test_arxiv_ids(stated: str, expected: str) -> None:
    assert arxiv_id(stated) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1706.03762", True),
        ("0704.0001", True),
        ("1412.9999", True),
        ("1501.00001v2", True),
        ("math/0309136", True),
        ("math.GT/0309136", True),
        ("hep-th/9107001", True),
        ("1713.03762", False),
        ("1700.03762", False),
        ("1706.3762", False),
        ("1412.00001", False),
        ("0703.0001", False),
        ("nonsense/0309136", False),
        ("x", False),
        ("", False),
    ],
)
def test_ids_that_arxiv_can_have_given(value: str, expected: bool) -> None:
    assert bool(arxiv_id(value)) is expected


def test_the_arxiv_id_behind_a_doi() -> None:
    assert arxiv_id_of_doi("10.48550/arxiv.1706.03762") == "1706.03762"
    assert arxiv_id_of_doi("10.48550/ARXIV.MATH/0309136") == "math/0309136"
    assert arxiv_id_of_doi("10.1038/nature14539") == ""


@pytest.mark.exhaustive
@given(st.text(max_size=40))
def test_normal_forms_are_stable(value: str) -> None:
    assert doi_name(doi_name(value)) == doi_name(value)
    assert arxiv_id(arxiv_id(value)) == arxiv_id(value)


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ("1", "1"),
        ("26017442", "26017442"),
        ("0", ""),
        ("012", ""),
        ("123456789", ""),
        ("PMC12", ""),
        ("１２", ""),
        ("", ""),
    ],
)
def test_pubmed_ids(stated: str, expected: str) -> None:
    assert pubmed_id(stated) == expected


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ("PMC2883744", "PMC2883744"),
        ("PMC2883744.1", "PMC2883744"),
        ("2883744", ""),
        ("pmc12", ""),
        ("PMC0", ""),
        ("", ""),
    ],
)
def test_ids_of_pubmed_central(stated: str, expected: str) -> None:
    assert pmc_id(stated) == expected
