"""An entry of a split with a reference string as its source is read from the string, not from fields that lost a part of it."""

from __future__ import annotations

import json

import pytest

from pytest_citecheck.inputs import HALLMARK

STRING = (
    "Ada Quillfeather and Tom Nightwhistle. Entirely absent gradients of dreamt networks. "
    "In Advances in Neural Information Processing Systems, 2022."
)
FIELDS = {"title": "Entirely absent gradients of dreamt networks", "author": "Ada Quillfeather", "year": "2022"}


def read(raw: str | None) -> dict[str, str]:
    row = {"bibtex_key": "k1", "bibtex_type": "inproceedings", "fields": FIELDS, "raw_bibtex": raw, "label": "VALID"}
    (reference,) = HALLMARK.read("s.jsonl", json.dumps(row).encode()).references
    assert (reference.key, reference.location.line) == ("k1", 1)
    return dict(reference.fields)


def test_a_string_has_its_venue_and_all_its_authors() -> None:
    fields = read(STRING)
    assert fields["title"] == FIELDS["title"]
    assert "Advances in Neural Information Processing Systems" in fields["booktitle"]
    assert "Nightwhistle" in fields["author"]


@pytest.mark.parametrize("raw", [None, "", "@inproceedings{k1, title = {Another one}}"])
def test_without_a_string_the_fields_count(raw: str | None) -> None:
    assert read(raw) == FIELDS
