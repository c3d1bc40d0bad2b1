"""The rules of HALLMARK's prescreening, one case on either side of each."""

from __future__ import annotations

import pytest

from pytest_citecheck.benchmark import prescreened


@pytest.mark.parametrize(
    ("fields", "confidence"),
    [
        ({"year": "2027"}, 0.95),
        ({"year": "2026"}, None),
        ({"year": "1899"}, 0.7),
        ({"year": "1900"}, None),
        ({"year": "in press"}, None),
        ({"author": "Li"}, 0.8),
        ({"author": "Liu"}, None),
        ({"author": "et al."}, 0.8),
        ({"author": "Ada Lovelace and others"}, None),
        ({"author": "Author1 and Author2"}, 0.8),
        ({"author": "Author A"}, 0.8),
        ({"author": "Jane Authors"}, None),
        ({"author": "X, Anna and Y, Berta"}, 0.8),
        ({"author": "X, Anna and Young, Berta"}, None),
        ({"author": "Smith12 and Jane Doe"}, 0.75),
        ({"author": "Zhenzhi Wang 0001"}, None),
        ({"author": "A. B. and C.-D. E."}, 0.8),
        ({"author": "JOHN SMITH and JANE DOE"}, 0.75),
        ({"author": "JOHN SMITH and Jane Doe"}, None),
        ({"author": "Ada Lovelace", "year": "2030"}, 0.95),
        ({"author": "Author1", "year": "2030"}, 0.95),
        ({}, None),
    ],
)
def test_rules(fields: dict[str, str], confidence: float | None) -> None:
    found = prescreened(fields)
    assert (found and found[0]) == confidence
