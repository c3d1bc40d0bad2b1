"""Names in the services' responses."""

from __future__ import annotations

import pytest

from pytest_citecheck.model import Person
from pytest_citecheck.sources import stated_name, stated_parts, undivided


@pytest.mark.parametrize("value", ["&NA;", "(:unav)", ":null", "N/A", ":", "4", "", None, ["x"], 3, "  "])
def test_what_is_no_name(value: object) -> None:
    assert stated_name(value) == ""


@pytest.mark.parametrize(
    ("value", "expected"),
    [("  Paul\n Erd&#337;s ", "Paul Erdős"), ("<b>Na</b> Li", "Na Li"), ("王伟", "王伟"), ("K8 O'Hara", "K8 O'Hara")],
)
def test_names_are_plain_text(value: str, expected: str) -> None:
    assert stated_name(value) == expected


@pytest.mark.parametrize(
    ("family", "given", "expected"),
    [
        ("Na", "Kyunghee", ("Na", "Kyunghee")),
        ("Null", "Jan", ("Null", "Jan")),
        ("Null", "", ("", "")),
        ("null", "null", ("", "")),
        ("&NA;", "A", ("", "A")),
        ("Doe", "None", ("Doe", "")),
    ],
)
def test_a_family_name_beside_a_given_name_is_one(family: str, given: str, expected: tuple[str, str]) -> None:
    assert stated_parts(family, given) == expected


def test_groups_are_known_by_their_last_word() -> None:
    assert undivided("ATLAS Collaboration") == Person(literal="ATLAS Collaboration", group=True)
    assert undivided("The Gene Ontology Consortium").group
    assert not undivided("Consortium Smith").group
    assert not undivided("Wei Wang").group
