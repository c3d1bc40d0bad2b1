"""Corrections in docstrings: only words of the reference change, and the code stays the same."""

from __future__ import annotations

import pytest

from pytest_citecheck.fixing import Correction, fixed_text_file, text_references
from pytest_citecheck.model import Reference

SOURCE = '''def line(x):
\tr"""Find lines \\alpha.

\tReferences
\t----------
\t.. [1] C. Galamhos, J. Matas and J. Kittler, "Progressive probabilistic
\t       Hugh transform for line detection", in Proceedings of CVPR, 1998,
\t       :DOI:`10.1000/wrong`
\t.. [2] A. Author, "Trees and other plants", Journal of Trees, 2001."""
\treturn "Galamhos"
'''


def wanted(source: bytes, place: int, **values: str) -> dict[int, tuple[Reference, tuple[Correction, ...]]]:
    reference = text_references("line.py", source)[place]
    return {
        place: (
            reference,
            tuple(Correction(name, value, "title", "title-near", ("Crossref",)) for name, value in values.items()),
        )
    }


CHANGES = {
    "title": ({"title": "Progressive probabilistic Hough transform for line detection"}, {"Hugh": "Hough"}),
    "name": ({"author": "Galambos, Charles and Matas, J. and Kittler, J."}, {"C. Galamhos": "C. Galambos"}),
    "year": ({"year": "1999"}, {"1998": "1999"}),
    "doi": ({"doi": "10.1109/right"}, {"10.1000/wrong": "10.1109/right"}),
    "two": ({"year": "1999", "doi": "10.1109/right"}, {"1998": "1999", "10.1000/wrong": "10.1109/right"}),
}


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["unix", "windows"])
@pytest.mark.parametrize("name", sorted(CHANGES))
def test_only_the_words_of_the_correction_change(name: str, end: str) -> None:
    values, changes = CHANGES[name]
    before = expected = SOURCE.replace("\n", end)
    for old, new in changes.items():
        expected = expected.replace(old, new, 1)
    fixed = fixed_text_file("line.py", before.encode(), wanted(before.encode(), 0, **values))
    assert fixed.data.decode() == expected
    assert (fixed.written, dict(fixed.refused)) == ((0,), {})


DOIS = {
    "role": (SOURCE, '2001.\n\t   :DOI:`10.1000/trees`"""'),
    "address": (
        SOURCE.replace(":DOI:`10.1000/wrong`", "https://doi.org/10.1000/wrong"),
        '2001.\n\t   https://doi.org/10.1000/trees"""',
    ),
    "plain": (
        SOURCE.replace(":DOI:`10.1000/wrong`", "x").replace(" and other plants", ""),
        '2001. doi:10.1000/trees"""',
    ),
}


@pytest.mark.parametrize("name", sorted(DOIS))
def test_a_doi_is_added_in_the_style_of_the_file(name: str) -> None:
    source, ending = DOIS[name]
    fixed = fixed_text_file("line.py", source.encode(), wanted(source.encode(), 1, doi="10.1000/trees"))
    assert fixed.data.decode() == source.replace('2001."""', ending)
    assert text_references("line.py", fixed.data)[1].fields["doi"] == "10.1000/trees"


REFUSED = [
    ({"author": "Galambos, Charles and Kittler, J."}, "people are missing or added"),
    ({"title": 'A "quoted" title'}, "cannot be written"),
    ({"volume": "3"}, "a missing `volume` cannot be added"),
    ({"year": ""}, "cannot be written"),
]


@pytest.mark.parametrize(("values", "why"), REFUSED, ids=["people", "quotes", "volume", "removal"])
def test_a_correction_that_has_no_place_is_refused(values: dict[str, str], why: str) -> None:
    fixed = fixed_text_file("line.py", SOURCE.encode(), wanted(SOURCE.encode(), 0, **values))
    assert fixed.data == SOURCE.encode()
    assert why in fixed.refused[0]


def test_other_references_and_broken_files_stay() -> None:
    source = SOURCE.encode() + b"\xff("
    fixed = fixed_text_file("line.py", source, wanted(source, 0, year="1999"))
    assert fixed.data == source.replace(b"1998", b"1999")
    repeated = SOURCE.replace("CVPR, 1998", "CVPR 1998, 1998").encode()
    fixed = fixed_text_file("line.py", repeated, wanted(repeated, 0, year="1999"))
    assert fixed.data == repeated
