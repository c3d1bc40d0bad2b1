"""INSPIRE-HEP: collaborations, errata, cut lists and preprints in its records."""

from __future__ import annotations

from typing import Any

from pytest_citecheck.model import Person, Record
from pytest_citecheck.sources import inspire_record


def record(**metadata: Any) -> Record:
    parsed = inspire_record(
        {"id": "1124337", "metadata": {"titles": [{"title": "Observation of a new particle"}], **metadata}}
    )
    assert parsed
    return parsed[1]


def test_the_members_of_a_collaboration_come_before_the_collaboration() -> None:
    found = record(
        authors=[{"full_name": "Aad, Georges"}, {"full_name": "Smith, John, Jr."}, {"full_name": "Sukarno"}],
        author_count=2932,
        collaborations=[{"value": "ATLAS"}, {"value": "LIGO Scientific Collaboration"}],
    )
    assert found.authors == (
        Person(family="Aad", given="Georges"),
        Person(family="Smith", given="John", suffix="Jr."),
        Person(literal="Sukarno"),
        Person(literal="ATLAS Collaboration", group=True),
        Person(literal="LIGO Scientific Collaboration", group=True),
    )
    assert not found.authors_complete


def test_an_erratum_is_neither_the_place_nor_the_doi_of_a_work() -> None:
    names, found = inspire_record(
        {
            "id": "5",
            "metadata": {
                "titles": [{"title": "A model", "subtitle": "of leptons"}, {"title": "A Model"}],
                "publication_info": [
                    {"journal_title": "Phys.Rev.D", "journal_volume": "99", "year": 2019, "material": "erratum"},
                    {
                        "journal_title": "Phys.Lett.B",
                        "journal_volume": "716",
                        "page_start": "1",
                        "page_end": "29",
                        "year": 2012,
                    },
                ],
                "dois": [
                    {"value": "10.1/erratum", "material": "erratum"},
                    {"value": "10.1/WORK"},
                    {"value": "10.1/work"},
                ],
                "arxiv_eprints": [{"value": "hep-th/9711200"}],
                "preprint_date": "1997-11",
            },
        }
    ) or (frozenset(), None)
    assert found
    assert (found.doi, found.arxiv, found.venues, found.volume, found.pages) == (
        "10.1/work", "hep-th/9711200", ("Phys.Lett.B",), "716", "1-29",
    )  # fmt: skip
    assert found.years == (2012, 1997)
    assert (found.title, found.subtitle, found.other_titles) == ("A model", "of leptons", ("A Model",))
    assert {("doi", "10.1/erratum"), ("doi", "10.1/work"), ("arxiv", "hep-th/9711200")} == names


def test_an_article_of_arxiv_that_appeared_nowhere_is_a_preprint() -> None:
    assert record(document_type=["article"], arxiv_eprints=[{"value": "1207.7214"}]).type == "preprint"
    assert record(document_type=["thesis"], thesis_info={"institutions": [{"name": "MIT"}], "date": "1999"}).venues == (
        "MIT",
    )


def test_editors_and_supervisors_are_no_authors() -> None:
    found = record(
        authors=[
            {"full_name": "Lee, Ann", "inspire_roles": ["editor"]},
            {"full_name": "Ode, Ben", "inspire_roles": ["supervisor"]},
            {"full_name": "Ray, Cal"},
        ]
    )
    assert (found.authors, found.editors) == (
        (Person(family="Ray", given="Cal"),),
        (Person(family="Lee", given="Ann"),),
    )
