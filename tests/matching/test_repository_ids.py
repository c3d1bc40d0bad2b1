"""HAL ids and numbers of French theses, parsed from text that people write."""

from __future__ import annotations

import pytest

from pytest_citecheck.matching import cited_identifiers, hal_id, nnt
from tests.support.evidence_builders import reference


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hal-00650905v2", "hal-00650905"),
        ("https://inria.hal.science/hal-00650905", "hal-00650905"),
        ("https://tel.archives-ouvertes.fr/tel-00390303/document", "tel-00390303"),
        ("https://hal.inria.fr/inria-00548512/", "inria-00548512"),
        ("HAL-00650905", "hal-00650905"),
        ("mem_sic_00000001", "mem_sic_00000001"),
        ("1706.03762", ""),
        ("hep-th/9901001", ""),
        ("https://example.org/hal-01234567", ""),
        ("hal-0065090", ""),
    ],
)
def test_hal(text: str, expected: str) -> None:
    assert hal_id(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2010DENS0040", "2010DENS0040"),
        ("https://www.theses.fr/2010DENS0040/document", "2010DENS0040"),
        ("http://theses.fr/2010dens0040", "2010DENS0040"),
        ("http://www.theses.fr/s12345", ""),
        ("199812345678", ""),
        ("Technical Report 2010", ""),
    ],
)
def test_theses(text: str, expected: str) -> None:
    assert nnt(text) == expected


def test_the_fields_that_state_them() -> None:
    hal = cited_identifiers(reference("misc", eprint="hal-00650905", eprinttype="HAL"))
    assert (hal.hal, hal.arxiv, hal.arxiv_problem) == ("hal-00650905", "", "")
    assert cited_identifiers(reference("phdthesis", hal_id="tel-00390303", hal_version="v1")).hal == "tel-00390303"
    assert cited_identifiers(reference("phdthesis", number="2010DENS0040")).nnt == "2010DENS0040"
    assert cited_identifiers(reference("article", number="2010DENS0040")).nnt == ""
    two = cited_identifiers(
        reference("phdthesis", url="https://theses.hal.science/tel-00595312", note="https://theses.fr/2010DENS0040")
    )
    assert (two.hal, two.nnt) == ("tel-00595312", "2010DENS0040")
