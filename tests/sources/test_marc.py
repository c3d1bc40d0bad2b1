"""Books and theses in MARC 21: which names, titles, years and numbers a record has, and when it may convict."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import pytest

from pytest_citecheck.model import Person, Record
from pytest_citecheck.sources import marc_record

Field = tuple[str, str, str, dict[str, str]]
DEEP = {"a": "Deep learning /", "c": "Ian Goodfellow, Yoshua Bengio, and Aaron Courville."}
PEOPLE: list[Field] = [
    ("100", "1", " ", {"a": "Goodfellow, Ian,", "4": "aut"}),
    ("700", "1", " ", {"a": "Bengio, Yoshua,", "e": "Verfasser", "4": "aut"}),
    ("700", "1", " ", {"a": "Courville, Aaron,", "e": "author."}),
]


def marc(
    *fields: Field, title: dict[str, str] = DEEP, leader: str = "     cam a22      c 4500", fixed: str = ""
) -> Record:
    found = marc_record("k10plus", element(*fields, title=title, leader=leader, fixed=fixed), "https://example.org/{}")
    assert found is not None
    return found


def element(*fields: Field, title: dict[str, str], leader: str = "", fixed: str = "") -> ET.Element:
    root = ET.Element("record")
    ET.SubElement(root, "leader").text = leader
    ET.SubElement(root, "controlfield", {"tag": "001"}).text = "847393926"
    ET.SubElement(root, "controlfield", {"tag": "008"}).text = fixed
    for tag, first, second, subfields in (*fields, ("245", "1", "0", title)):
        field = ET.SubElement(root, "datafield", {"tag": tag, "ind1": first, "ind2": second})
        for code, text in subfields.items():
            ET.SubElement(field, "subfield", code=code).text = text
    return root


def test_a_book() -> None:
    imprint: Field = ("264", " ", "1", {"a": "Cambridge, Massachusetts ;", "b": "The MIT Press,", "c": "[2016]"})
    numbers: list[Field] = [("020", " ", " ", {"a": "9780262035613"}), ("020", " ", " ", {"z": "9780387848570"})]
    assert marc(*PEOPLE, imprint, *numbers, fixed="161115s2016    xxu") == Record(
        source="k10plus",
        id="847393926",
        url="https://example.org/847393926",
        title="Deep learning",
        authors=(Person(family="Goodfellow", given="Ian"), Person(family="Bengio", given="Yoshua"),
                 Person(family="Courville", given="Aaron")),
        authors_complete=False,
        years=(2016,),
        type="book",
        publisher="The MIT Press",
        isbn=("9780262035613",),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "title", "authors", "editors", "compiled"),
    [
        # without roles, those whom the statement names before others
        ([("100", "1", " ", {"a": "Foucault, Michel."}), ("700", "1", " ", {"a": "Sheridan, Alan."})],
         {"a": "Discipline and punish", "c": "Michel Foucault ; translated by Alan Sheridan."}, ["Michel Foucault"], [], False),
        # the heading is another form of the name than the title page has
        ([("100", "1", " ", {"a": "Trockij, Lev D.", "4": "aut"})],
         {"a": "The revolution betrayed", "c": "by Leon Trotsky ; transl. by Max Eastman"}, ["Leon Trotsky"], [], True),
        ([("100", "0", " ", {"a": "Aristoteles"})], {"a": "Nicomachean ethics", "c": "Aristotle"}, ["Aristoteles"], [], True),
        # editors
        ([("700", "1", " ", {"a": "Chapelle, Olivier"}), ("700", "1", " ", {"a": "Zien, Alexander"})],
         {"a": "Semi-supervised learning /", "c": "edited by Olivier Chapelle and Alexander Zien"}, [],
         ["Olivier Chapelle", "Alexander Zien"], False),
        ([("700", "1", " ", {"a": "Zien, Alexander", "e": "Hrsg."})], {"a": "X", "c": "hrsg. von Alexander Zien"}, [],
         ["Alexander Zien"], False),
        # translators, illustrators, supervisors and authors of other works are none
        ([("100", "1", " ", {"a": "Eco, Umberto", "4": "aut"}), ("700", "1", " ", {"a": "Kroeber, Burkhart", "4": "trl"}),
          ("700", "1", " ", {"a": "Weaver, William", "t": "Another work"})],
         {"a": "Der Name der Rose", "c": "Umberto Eco"}, ["Umberto Eco"], [], False),
        # groups count where there are no persons
        ([("110", "2", " ", {"a": "American Psychiatric Association,"})], {"a": "DSM-5", "c": "American Psychiatric Association"},
         ["American Psychiatric Association"], [], True),
        # nothing confirms the headings
        ([("100", "1", " ", {"a": "Eco, Umberto", "4": "aut"})], {"a": "Il nome della rosa"}, ["Umberto Eco"], [], True),
        # a set, and a part of one: its number may be that of the other
        (PEOPLE[:1], DEEP | {"n": "Vol. 1.", "p": "Basics /"}, ["Ian Goodfellow"], [], True),
    ],
)  # fmt: skip
def test_people(
    fields: list[Field], title: dict[str, str], authors: list[str], editors: list[str], compiled: bool
) -> None:
    found = marc(*fields, title=title)
    assert (list(map(str, found.authors)), list(map(str, found.editors)), found.compiled) == (
        authors,
        editors,
        compiled,
    )


def test_a_record_of_a_set_convicts_nobody() -> None:
    assert marc(*PEOPLE, leader="     cam a22      ca4500").compiled


@pytest.mark.parametrize(
    ("fields", "fixed"),
    [
        ([("880", "1", " ", {"6": "245-01/$1", "a": "机器学习"})], ""),
        ([("041", " ", " ", {"a": "rus"})], ""),
        ([], "900101s1990    ru            000 0 rus  "),
    ],
)
def test_a_transliterated_record_convicts_nobody(fields: list[Field], fixed: str) -> None:
    """Chebyshev is Čebyšev in one catalogue and Tschebyscheff in another."""
    assert marc(*PEOPLE, *fields, fixed=fixed).compiled


def test_titles() -> None:
    found = marc(
        ("246", "1", " ", {"a": "Fundamental algorithms"}),
        ("880", "1", " ", {"6": "245-01/$1", "a": "機械学習"}),
        ("240", "1", "0", {"a": "Le capital au XXIe siècle"}),
        title={"a": "\x98The\x9c art of programming :", "b": "a survey /", "n": "1", "p": "Basics"},
    )
    assert (found.title, found.subtitle) == ("The art of programming", "a survey")
    assert {"Basics", "The art of programming: Basics", "The art of programming: 1", "機械学習", "Fundamental algorithms",
            "Le capital au XXIe siècle"} <= set(found.other_titles)  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "fixed", "years"),
    [
        ([("264", " ", "1", {"c": "[2016]"}), ("264", " ", "4", {"c": "©2017"})], "161115t20162017xxu", (2016, 2017)),
        ([("260", " ", " ", {"c": "1994 [1995 printing]"})], "", (1994, 1995)),
        ([], "900101r19651964xxu", (1965, 1964)),
        ([], "900101e20150412xxu", (2015,)),  # a day, and no second year
        ([("502", " ", " ", {"b": "Dissertation", "c": "Bonn", "d": "1962"})], "", (1962,)),
        ([("260", " ", " ", {"c": "19uu"})], "900101s19uu    xx ", ()),
    ],
)
def test_years(fields: list[Field], fixed: str, years: tuple[int, ...]) -> None:
    assert marc(*fields, fixed=fixed).years == years


def test_a_thesis() -> None:
    found = marc(("502", " ", " ", {"a": "Zugl.: Stuttgart, Univ., Diss., 2003"}))
    assert (found.type, found.venues) == ("thesis", ("Zugl.: Stuttgart, Univ., Diss., 2003",))


@pytest.mark.parametrize("title", [{"a": ""}, {"b": "rest"}, {"a": " /"}])
def test_what_is_no_record(title: dict[str, Any]) -> None:
    assert marc_record("k10plus", element(title=title), "") is None
