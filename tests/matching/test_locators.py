"""Volumes, numbers, pages and article numbers: one normal form for all ways of writing, and their comparison."""

from __future__ import annotations

import pytest

from pytest_citecheck.matching import (
    Asked,
    asked_place,
    cited_locator_of,
    compare_locators,
    locator,
    pages_of,
    same_start,
    same_volume,
    volume_and_number,
)


@pytest.mark.parametrize(
    ("written", "volume", "number"),
    [
        ("12", "12", ""),
        ("012", "12", ""),
        ("Vol. 12", "12", ""),
        ("12(3)", "12", "3"),
        ("28N5", "28", "5"),
        ("121 (Pt6)", "121", "Pt6"),
        ("108 ( Pt 6", "108", "Pt 6"),
        ("B741", "741B", ""),
        ("741B", "741B", ""),
        ("C-33", "33C", ""),
        ("10138 LNCS", "10138", ""),
        ("32 Suppl", "32", "Suppl"),
        ("19 Suppl 1", "19", "Suppl 1"),
        ("229-232", "229", ""),
        ("109\\textendash{}110", "109", ""),
        ("vi", "6", ""),
        ("XLII", "42", ""),
        ("2021", "2021", ""),
        ("PP", "", ""),
        ("forthcoming", "", ""),
        ("", "", ""),
    ],
)
def test_volumes_have_one_form(written: str, volume: str, number: str) -> None:
    assert volume_and_number(written) == (volume, number)


@pytest.mark.parametrize(
    ("written", "first", "last"),
    [
        ("345--367", "345", "367"),
        ("345–367", "345", "367"),
        ("345 - 367", "345", "367"),
        ("pp. 345-367", "345", "367"),
        ("345+", "345", ""),
        ("345ff", "345", ""),
        ("311-9", "311", "319"),
        ("1047-59", "1047", "1059"),
        ("2237-8; author reply 2238", "2237", "2238"),
        ("e104151", "E104151", ""),
        ("026002", "026002", ""),
        ("S12--S19", "S12", "S19"),
        ("S87-94", "S87", "S94"),
        ("L12", "L12", ""),
        ("23:1-23:30", "23", ""),
        ("xii–xx", "xii", "xx"),
        ("41 pp", "", ""),
        ("n/a", "", ""),
        ("", "", ""),
    ],
)
def test_pages_have_one_form(written: str, first: str, last: str) -> None:
    assert pages_of(written) == (first, last)


@pytest.mark.parametrize(
    ("fields", "starts", "identifies"),
    [
        ({"volume": "4", "pages": "12--19"}, ("12",), True),
        ({"volume": "4", "pages": "1--19"}, ("1",), False),
        ({"volume": "4", "pages": "1--19", "eid": "e23"}, ("E23", "1"), True),
        ({"volume": "4", "articleno": "104151"}, ("104151",), True),
        ({"pages": "12--19"}, ("12",), False),
        ({"volume": "4"}, (), False),
    ],
)
def test_a_place_identifies_a_work_unless_it_begins_on_page_1(
    fields: dict[str, str], starts: tuple[str, ...], identifies: bool
) -> None:
    place = cited_locator_of(fields)
    assert (place.starts, place.identifies) == (starts, identifies)


@pytest.mark.parametrize(
    ("cited", "found", "expected"),
    [
        (("12", "345--367"), ("12", "345-367"), "same"),
        (("12(3)", "345"), ("12", "345-367"), "same"),
        (("12", "e104151"), ("12", "104151"), "same"),
        (("B741", "12--20"), ("741", "12-20"), "same"),
        (("12", "350"), ("12", "345-367"), "inside"),
        (("13", "345--367"), ("12", "345-367"), "volume"),
        (("2019", "345--367"), ("12", "345-367"), "unknown"),  # the volume is written as the year
        (("1912", "345--367"), ("12", "345-367"), "unknown"),  # year and month
        (("12", "400--410"), ("12", "345-367"), "pages"),
        (("12", "23"), ("12", "345-367"), "unknown"),  # the number of pages
        (("12", "1--23"), ("12", "345-367"), "unknown"),  # paged from 1
        (("12", "104151"), ("12", "12-20"), "unknown"),  # an article number
        (("12", "S12"), ("12", "12-20"), "unknown"),  # a supplement
        (("12", "E68"), ("12", "68-70"), "unknown"),  # pages of the electronic issue
        (("12 Suppl 1", "12--20"), ("12", "345-367"), "unknown"),
        (("12 Suppl 1", "345"), ("12", "345-367"), "same"),
        (("12", "xii"), ("12", "12-20"), "unknown"),
        (("", "345--367"), ("12", "345-367"), "unknown"),
        (("PP", "345--367"), ("12", "345-367"), "unknown"),
        (("12", ""), ("12", "345-367"), "unknown"),
    ],
)
def test_places_are_compared(cited: tuple[str, str], found: tuple[str, str], expected: str) -> None:
    place = cited_locator_of({"volume": cited[0], "pages": cited[1]})
    assert compare_locators(place, locator(found[0], "", found[1]), (2019,)) == expected


def test_a_letter_of_a_section_may_be_left_out() -> None:
    assert same_volume("741B", "741")
    assert not same_volume("741B", "741A")
    assert not same_volume("", "741")


def test_small_electronic_pages_are_no_article_numbers() -> None:
    assert same_start("E0104151", "104151")
    assert same_start("026002", "26002")
    assert not same_start("E68", "68")
    assert not same_start("S1234", "1234")


def test_a_query_keeps_its_parts() -> None:
    asked = Asked("Neural | Computation", "0899-7667", "12", "345")
    assert asked_place(asked.value) == ("Neural   Computation", "0899-7667", "12", "345")
    assert asked_place("Neural Computation||12").first == ""
