"""Insignificant prefixes of venue names, with typical copying errors."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.matching import compare_venues, lookup, without_prefix

ICML = "International Conference on Machine Learning"
OPENINGS = [
    "InProceedings of the",
    "InThe",
    "InProc.",
    "Proceedings ofthe",
    "Proceedings oft he",
    "Proceedings of thc",
    "Proceed- ings of the",
    "Proccedings of the",
    "Prceedings of the 37th",
    "Procof",
    "Proceedings der",
    "Tagungsband",
    "Actas de la",
    "Actes de",
    "Atti della",
    "Paper presented at the",
    "Presentation at the",
    "Selected papers from",
    "Publication in",
    "37-th",
    "37 th",
    "The 38-th",
    "In the Nth",
    "XXXVII",
    "XXXVIIth",
    "VI",
    "Thirty-fith",
    "Thirtyseventh",
    "Fourtieth",
    "Proceedings of the Thirty-fith",
]
BEHIND = ["XXXVII", "Part XXI", "USA", "Series", "Best Student Paper", "Vancouver", "Volume 37", "2019 Proceedings"]


@pytest.mark.parametrize("opening", OPENINGS)
def test_an_opening_says_nothing_of_the_venue(opening: str) -> None:
    found = lookup(f"{opening} {ICML}")
    assert found is not None
    assert found.id == "icml"


@pytest.mark.parametrize("behind", BEHIND)
def test_what_may_stand_behind_the_name_needs_no_comma(behind: str) -> None:
    found = lookup(f"{ICML} {behind}")
    assert found is not None
    assert found.id == "icml"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("InProceedings of the National Academy of Sciences", "Proceedings of the National Academy of Sciences"),
        ("InEuropean Conference on Odd Results", "European Conference on Odd Results"),
        ("InIEEE Conference on Odd Results", "IEEE Conference on Odd Results"),
        ("Actas de la Conferencia de Cosas", "Proceedings of the Conferencia de Cosas"),
        ("Compu- ter Vision and Pattern Recog- nition", "Computer Vision and Pattern Recognition"),
        ("The Fourty-fith Symposium on Odd Results", "Symposium on Odd Results"),
    ],
)
def test_reads_openings(text: str, expected: str) -> None:
    assert without_prefix(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "In",
        "XXI",
        "Proceedings",
        "Proceedings of the National Academy of Sciences",
        "Proceedings of AI Conference on Odd Results",
        "proceedings of the ieee conference on odd results",
        "Third World Quarterly",
        "First Monday",
        "IV Symposium on Odd Cars",  # Intelligent Vehicles
        "CV Conference on Odd Results",
        "INFOCOM 2019",
        "InTech Journal of Odd Results",
        "Papers in Regional Science",
        "Pre- and Post-Processing in Practice",
        "Talk at ICML 2019",  # an invited one stands in no proceedings
    ],
)
def test_leaves_everything_else_alone(text: str) -> None:
    assert without_prefix(text) == text


@given(st.sampled_from(OPENINGS), st.from_regex(r"[A-Z][a-z]{4,8} [A-Z][a-z]{4,8}", fullmatch=True))
def test_an_opening_makes_no_known_venue_of_an_unknown_one(opening: str, topic: str) -> None:
    name = f"European Conference on {topic} Oddities"
    assert lookup(f"{opening} {name}") is None
    assert compare_venues(f"{opening} {name}", name) == "same"


@given(st.text(max_size=40))
def test_reads_anything(text: str) -> None:
    assert len(without_prefix(text)) <= len(text) + len("Proceedings of the ")


def test_a_slip_in_the_number_of_a_summit() -> None:
    assert compare_venues("Proceedings of Machine Translation Summit XVII: Research Track", "MT Summit") == "same"
