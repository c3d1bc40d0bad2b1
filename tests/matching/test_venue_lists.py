"""The table of publishers' lists."""

from __future__ import annotations

from pytest_citecheck.matching import all_lists, venue_year_list, venue_year_lists
from pytest_citecheck.sources import SOURCES, VenueYearLists


def test_the_table_is_sound() -> None:
    keepers = {source.name for source in SOURCES if isinstance(source, VenueYearLists)}
    lists = all_lists()
    assert {name for one in lists for name in one.sources} == keepers
    places = [(one.sources, one.venue.id, one.year) for one in lists]
    assert len(set(places)) == len(places) >= 130
    addresses = [(one.sources, one.at) for one in lists]
    assert len(set(addresses)) == len(addresses)
    assert all(one.papers >= 30 and one.control and one.parts >= 1 and 2005 < one.year < 2026 for one in lists)
    numbers = [one.at for one in lists if one.sources == ("crossref_isbn",)]
    assert all(sum(int(digit) * (1, 3)[i % 2] for i, digit in enumerate(number)) % 10 == 0 for number in numbers)


def test_a_list_is_found_by_who_keeps_it_and_by_its_place() -> None:
    first = venue_year_list("pmlr_page", "icml", 2019)
    assert first is not None
    assert (first.at, first.name, first.values) == ("v97", "ICML 2019", ("icml",))
    assert venue_year_list("cvf", "icml", 2019) is None
    assert [one.values for one in venue_year_lists("iclr", 2022)] == [("iclr",), ("iclr", "iclr#2")]
    assert venue_year_lists("icml", None) == venue_year_lists("unheard-of", 2019) == ()
