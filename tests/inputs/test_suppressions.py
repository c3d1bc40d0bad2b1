"""Waivers in a bibliography, next to their entries."""

from __future__ import annotations

import pytest

from pytest_citecheck.inputs import content_hash, read_bibtex, read_reason
from pytest_citecheck.model import Suppression

ENTRY = "@article{key,\n  title = {T},\n  year = 2001,\n}\n"


def read(text: str) -> tuple[Suppression, ...]:
    return read_bibtex("refs.bib", text.encode()).references[-1].suppressions


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("% citecheck: ignore[venue] old name\n" + ENTRY, [(("venue",), "old name", "", "", 1)]),
        ("%% a\n%citecheck: ignore [doi, venue-other] x, until 2027-06-01\n% b\n" + ENTRY,
         [(("doi", "venue-other"), "x", "2027-06-01", "", 2)]),
        ("% citecheck: ignore all is well [0a1b2c3d4e]\n" + ENTRY, [((), "all is well", "", "0a1b2c3d4e", 1)]),
        ("% citecheck: ignore[venue] of another\n\n" + ENTRY, []),
        ("% citecheck: ignore[venue] first\n" + ENTRY + ENTRY.replace("key", "second"), []),
        (ENTRY.replace("  year", "  % citecheck: ignore[title] x\n  year"), [(("title",), "x", "", "", 3)]),
        (ENTRY.replace("  year", "  citecheck = {ignore venue: old; ignore doi: none, until 2027-01-01},\n  year"),
         [(("venue",), "old", "", "", 1), (("doi",), "none", "2027-01-01", "", 1)]),
        ("% citecheck is a tool\n" + ENTRY, []),
    ],
    ids=["above", "among-comments", "bound", "apart", "of-the-entry-before", "inside", "field", "prose"],
)  # fmt: skip
def test_where_waivers_stand(text: str, expected: list[tuple[object, ...]]) -> None:
    assert read(text) == tuple(Suppression(*one) for one in expected)  # type: ignore[arg-type]
    assert read(text.replace("\n", "\r\n")) == read(text)


def test_reason_last_day_and_content() -> None:
    assert read_reason("in print; until 2027-06-01 [00ff00ff00]") == ("in print", "2027-06-01", "00ff00ff00")
    assert read_reason("until then it is so") == ("until then it is so", "", "")
    assert read_reason("") == ("", "", "")


def test_content_is_what_is_cited() -> None:
    def of(text: str) -> str:
        return content_hash(read_bibtex("refs.bib", text.encode()).references[0])

    assert of(ENTRY) == of("@article{key, year = {2001}, title = {T}}")
    assert of(ENTRY) == of("% citecheck: ignore x\n" + ENTRY.replace("title", "citecheck = {ignore *: x}, title"))
    assert of(ENTRY) != of(ENTRY.replace("2001", "2002"))
    assert of(ENTRY) != of(ENTRY.replace("{key", "{other"))
