"""HAL and theses.fr: queries, documents and theses as records, refused responses, and their coverage."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from pytest_citecheck.inputs import cited_metadata
from pytest_citecheck.model import Absent, Answer, Found, Person, Query, Record, Unavailable
from pytest_citecheck.sources import (
    HAL,
    THESES_FR,
    MalformedAnswerError,
    Response,
    Source,
    hal_record,
    may_be_french,
    parse_thesis,
)
from tests.support.evidence_builders import reference

DALAL, LEARN = Query("hal", "tel-00390303"), Query("hal", "hal-00650905")
PEOPLE = Query("title", "Finding People in Images and Videos", ("Dalal",))
CODING = Query("title", "Sparse coding for machine learning, image processing and computer vision", ("Mairal",))
MAIRAL, NOBODY = Query("nnt", "2010DENS0040"), Query("nnt", "2019XXXX0001")
DOCUMENT: dict[str, Any] = {
    "halId_s": "tel-00390303",
    "docType_s": "THESE",
    "title_s": ["Finding People in Images and Videos", "Trouver des personnes"],
    "authLastName_s": ["Dalal"],
    "authFirstName_s": ["Navneet"],
    "authFullName_s": ["Navneet Dalal"],
    "producedDateY_i": 2006,
    "authorityInstitution_s": ["Institut National Polytechnique de Grenoble - INPG"],
}
THESIS: dict[str, Any] = {
    "id": "2010DENS0040",
    "titrePrincipal": "Représentations parcimonieuses en apprentissage statistique",
    "titreEN": CODING.value,
    "auteurs": [{"ppn": "150000000", "nom": "Mairal", "prenom": "Julien"}],
    "etabSoutenanceN": "Cachan, Ecole normale supérieure",
    "dateSoutenance": "30/11/2010",
    "status": "soutenue",
}


def of_hal(*documents: object, total: object = None) -> bytes:
    return json.dumps(
        {"response": {"numFound": len(documents) if total is None else total, "docs": documents}}
    ).encode()


def of_theses(*theses: object, total: object = None) -> bytes:
    return json.dumps({"totalHits": len(theses) if total is None else total, "theses": theses}).encode()


def ask(source: Source, body: bytes, *queries: Query, status: int = 200) -> list[Answer]:
    return list(source.parse(queries, Response(status, body)).values())


def asked_for(source: Source, *queries: Query) -> str:
    return parse_qs(urlsplit(source.request(queries).url).query)["q"][0]


def test_queries() -> None:
    assert asked_for(HAL, DALAL, LEARN) == 'halId_s:("tel-00390303" OR "hal-00650905")'
    assert asked_for(HAL, PEOPLE) == (
        '(title_t:("finding" AND "people" AND "images" AND "videos") AND authLastName_t:("dalal"))'
    )
    assert asked_for(THESES_FR, MAIRAL, NOBODY) == "nnt:(2010DENS0040 OR 2019XXXX0001)"
    assert asked_for(THESES_FR, CODING) == "sparse coding machine learning image processing computer vision mairal"
    for source, queries in ((HAL, (DALAL, LEARN)), (HAL, (PEOPLE, CODING)), (THESES_FR, (MAIRAL, NOBODY))):
        assert source.singles(source.request(queries)) == tuple(source.request([one]) for one in queries)


def test_a_document_of_hal() -> None:
    assert hal_record(DOCUMENT) == Record(
        source="hal",
        id="tel-00390303",
        url="https://hal.science/tel-00390303",
        title="Finding People in Images and Videos",
        other_titles=("Trouver des personnes",),
        authors=(Person(family="Dalal", given="Navneet"),),
        years=(2006,),
        venues=("Institut National Polytechnique de Grenoble - INPG",),
        type="thesis",
        related=(("hal", "tel-00390303"),),
    )


def test_what_hal_has_from_others_is_compiled() -> None:
    found = hal_record(DOCUMENT | {"docType_s": "COMM", "doiId_s": "10.1109/CVPR.2005.177"})
    assert found is not None
    assert (found.compiled, found.doi, found.type) == (True, "10.1109/cvpr.2005.177", "inproceedings")
    edited = hal_record(DOCUMENT | {"docType_s": "DOUV", "authFirstName_s": []})
    assert edited is not None
    assert (edited.authors, list(map(str, edited.editors))) == ((), ["Navneet Dalal"])


def test_a_thesis() -> None:
    assert parse_thesis(THESIS) == Record(
        source="theses_fr",
        id="2010DENS0040",
        url="https://theses.fr/2010DENS0040",
        title="Représentations parcimonieuses en apprentissage statistique",
        other_titles=(CODING.value,),
        authors=(Person(family="Mairal", given="Julien"),),
        years=(2010,),
        venues=("Cachan, Ecole normale supérieure",),
        type="thesis",
        related=(("nnt", "2010DENS0040"),),
    )


def test_each_question_gets_its_records() -> None:
    found, absent = ask(HAL, of_hal(DOCUMENT), DALAL, LEARN)
    assert (isinstance(found, Found), absent) == (True, Absent())
    found, absent = ask(THESES_FR, of_theses(THESIS), MAIRAL, NOBODY)
    assert (isinstance(found, Found), absent) == (True, Absent())
    assert isinstance(ask(THESES_FR, of_theses(THESIS), CODING)[0], Found)
    assert ask(HAL, of_hal(DOCUMENT), PEOPLE, CODING)[1] == Absent()


def test_what_could_not_be_read_denies_nothing() -> None:
    assert isinstance(ask(HAL, of_hal(DOCUMENT, {"halId_s": 7}), LEARN)[0], Unavailable)
    assert isinstance(ask(THESES_FR, of_theses(THESIS, {"status": "soutenue"}), NOBODY)[0], Unavailable)
    written = THESIS | {"id": "s12345", "status": "enCours"}
    assert ask(THESES_FR, of_theses(written), NOBODY) == [Absent()]


@pytest.mark.parametrize(
    ("source", "body"),
    [
        pytest.param(HAL, of_hal(total=3), id="HAL, fewer than counted"),
        pytest.param(HAL, of_hal(total="many"), id="HAL, no number"),
        pytest.param(HAL, of_hal({"title_s": []}), id="HAL, no title"),
        pytest.param(HAL, b'{"error": {"msg": "undefined field nosuch", "code": 400}}', id="HAL, an error"),
        pytest.param(THESES_FR, of_theses(total=2), id="theses.fr, fewer than counted"),
        pytest.param(THESES_FR, of_theses({"nnt": None}), id="theses.fr, no number"),
        pytest.param(THESES_FR, b'{"totalHits": 0, "theses": null}', id="theses.fr, no list"),
    ],
)
def test_what_is_no_list(source: Source, body: bytes) -> None:
    query = LEARN if source is HAL else NOBODY
    with pytest.raises(MalformedAnswerError):
        ask(source, body, query)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"school": "Université Pierre et Marie Curie"}, True),
        ({"school": "INRIA"}, True),
        ({"school": "ENS Cachan", "address": "Cachan"}, True),
        ({"school": "MIT", "url": "https://theses.hal.science/tel-00390303"}, True),
        ({"school": "Université de Montréal"}, False),
        ({"school": "Université catholique de Louvain"}, False),
        ({"school": "Stanford University"}, False),
        ({"school": "University of Paris, Texas"}, False),
        ({}, False),
    ],
)
def test_what_may_be_french(fields: dict[str, str], expected: bool) -> None:
    assert may_be_french(cited_metadata(reference("phdthesis", **fields))) is expected
