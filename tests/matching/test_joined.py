"""Other readings of damaged author lists."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.matching import are_damaged_names, other_reading
from pytest_citecheck.matching import author_lists as joined_names
from pytest_citecheck.model import Person


def reading(*names: str) -> list[str]:
    return [str(person) for person in other_reading([Person(literal=name) for name in names])]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["Ada Lovelace, Alan Turing"], ["Ada Lovelace", "Alan Turing"]),
        (["A. Lovelace; A. Turing"], ["A. Lovelace", "A. Turing"]),
        (["Ada Lovelace and Alan Turing & Grace Hopper"], ["Ada Lovelace", "Alan Turing", "Grace Hopper"]),
        (["Lovelace, Ada, Turing, Alan"], ["Lovelace, Ada", "Turing, Alan"]),
        (["Ada Lovelace", "Ada Lovelace"], ["Ada Lovelace"]),
        (["Guy Bar-Shalom", "Guy Bar Shalom", "Ada Lovelace"], ["Guy Bar-Shalom", "Ada Lovelace"]),
        (["Ada Lovelace y Alan Turing e Grace Hopper"], ["Ada Lovelace", "Alan Turing", "Grace Hopper"]),
        (["Santiago Ramón y Cajal"], []),
        (["Lovelace, Ada"], []),
        (["King, Martin Luther, Jr."], []),
        (["Ada Lovelace", "Alan Turing"], []),
        ([], []),
    ],
)
def test_reading(names: list[str], expected: list[str]) -> None:
    assert reading(*names) == expected


@pytest.mark.parametrize(
    ("names", "damaged"),
    [
        (["Ada Lovelace", "Alan Turing"], False),
        (["Lovelace, Ada"], False),
        (["King, Martin Luther, Jr."], False),
        (["Lovelace, Turing"], False),  # may be one name
        (["Lovelace", "Turing"], False),  # family names only
        (["Ada Lovelace", "Mausam"], False),
        (["Ada Lovelace", "Turing", "Hopper"], True),
        (["Ada Lovelace", "Alan Turing", "Lovelace"], True),
        (["Ada Lovelace, Alan Turing, Grace Hopper"], True),
        (["Ada Lovelace and Alan Turing"], True),
        (["Mauro Dell'", "Amico"], True),
        (["Shaun O'Neill", "Ada Lovelace"], False),
        (['Ada "Countess" Lovelace'], False),
        (['Ada ", Countess'], True),
        (["Cyprien de Masson d", "#x27"], True),
        (["Department of Physics, Chemistry, and Biology"], False),  # an organisation
        ([], False),
    ],
)
def test_signs_of_damage(names: list[str], damaged: bool) -> None:
    assert are_damaged_names([Person(literal=name) for name in names]) is damaged


def test_a_split_name_is_read_as_it_was_written() -> None:
    assert [str(p) for p in other_reading([Person(family="Jinghuan Shang", given="Srijan Das")])] == [
        "Jinghuan Shang",
        "Srijan Das",
    ]
    assert other_reading([Person(family="Beethoven", given="Ludwig", particle="van")]) == ()


@given(st.lists(st.text(alphabet="ab ,;&.", max_size=20), max_size=4))
def test_another_reading_differs_and_has_no_empty_or_repeated_name(names: list[str]) -> None:
    persons = [Person(literal=name) for name in names]
    again = other_reading(persons)
    assert again != tuple(persons) or not again
    assert len(set(again)) == len(again)


@given(st.lists(st.text(alphabet="ab ,;&.'\"王", max_size=20), max_size=4))
def test_several_names_in_one_are_always_damage(names: list[str]) -> None:
    persons = [Person(literal=name) for name in names]
    assert are_damaged_names([*persons, Person(literal="Ada Lovelace; Alan Turing")])
    assert isinstance(are_damaged_names(persons), bool)


_NAMES = st.sampled_from(["Ann Lee", "Bo van Chen", "Cy", "and Dee"])
_JOINED = st.builds(
    lambda first, joint, second: f"{first}{joint}{second}",
    _NAMES,
    st.sampled_from([" ", " and ", " AND ", " y ", " e ", " i ", ", ", ",", "; ", " & ", "|", " • ", "·"]),
    _NAMES,
)


@given(
    st.lists(
        st.builds(Person, st.just("") | _JOINED, _NAMES | _JOINED, _NAMES, st.sampled_from(["", "van"])), max_size=3
    )
)
def test_no_joined_names_are_passed_over(persons: list[Person]) -> None:
    found = other_reading(persons)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(joined_names, "_may_be_several", lambda _: True)
        joined_names._other_reading.cache_clear()
        assert other_reading(persons) == found
    joined_names._other_reading.cache_clear()
