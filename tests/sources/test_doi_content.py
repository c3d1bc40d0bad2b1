"""Content negotiation: requests, CSL-JSON as records, answers that are refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.model import Absent, Answer, Found, Notice, Person, Query, Record
from pytest_citecheck.sources import DOI_CONTENT, MalformedAnswerError, Response

DOI = Query("doi", "10.5012/bkcs.2013.34.10.2889")
ITEM: dict[str, Any] = {
    "type": "article-journal",
    "id": "https://doi.org/10.5012/bkcs.2013.34.10.2889",
    "DOI": "10.5012/BKCS.2013.34.10.2889",
    "title": "On the Nature of Things",
    "container-title": "Bulletin of Things",
    "container-title-short": "Bull. Things",
    "author": [
        {"family": "Kim", "given": "Min Su"},
        {"family": "Gogh", "given": "V.", "non-dropping-particle": "van", "suffix": "Jr."},
        {"literal": "Things Collaboration"},
        {"literal": "Lee Jae"},
        {"name": "Institute of Things"},
        {"family": "Plato"},
        {},
    ],
    "editor": [{"family": "Humboldt", "given": "A.", "dropping-particle": "von"}],
    "issued": {"date-parts": [["2013", "10", "20"]]},
    "published-online": {"date-parts": [[2012, 12]]},
    "volume": 34,
    "issue": "10",
    "page": "2889-2890",
    "publisher": "Society of Things",
    "ISSN": "0253-2964, 1229-5949",
}


def answer(item: object, status: int = 200, query: Query = DOI) -> Answer:
    body = item if isinstance(item, bytes) else json.dumps(item).encode()
    return DOI_CONTENT.parse([query], Response(status, body))[query]


def record(**changes: object) -> Record:
    found = answer({**ITEM, **changes})
    assert isinstance(found, Found)
    return found.records[0]


def test_a_journal_article() -> None:
    assert record() == Record(
        source="doi_content",
        id=DOI.value,
        url=f"https://doi.org/{DOI.value}",
        title="On the Nature of Things",
        authors=(
            Person(family="Kim", given="Min Su"),
            Person(family="Gogh", given="V.", particle="van", suffix="Jr."),
            Person(literal="Things Collaboration", group=True),
            Person(literal="Lee Jae"),
            Person(literal="Institute of Things", group=True),
            Person(literal="Plato"),
        ),
        authors_complete=False,
        editors=(Person(family="Humboldt", given="A.", particle="von"),),
        years=(2013, 2012),
        venues=("Bulletin of Things", "Bull. Things"),
        type="article",
        publisher="Society of Things",
        doi=DOI.value,
        volume="34",
        number="10",
        pages="2889-2890",
        issn=("0253-2964", "1229-5949"),
    )


def test_a_list_of_one_item() -> None:
    assert answer([ITEM]) == answer(ITEM)
    for items in ([], [ITEM, ITEM], [1]):
        with pytest.raises(MalformedAnswerError):
            answer(items)


@pytest.mark.parametrize(
    ("stated", "kind"),
    [
        ("article-journal", "article"),
        ("paper-conference", "inproceedings"),
        ("thesis", "thesis"),
        ("article", "other"),
        ("journal-article", "article"),
        ("proceedings-article", "inproceedings"),
        ("posted-content", "preprint"),
        ("webpage", "other"),
        (None, "other"),
    ],
)
def test_types_of_csl_and_of_crossref(stated: object, kind: str) -> None:
    assert record(type=stated).type == kind


def test_titles() -> None:
    found = record(
        title=["Main <i>one</i>", "Second"], subtitle=["A subtitle"], **{"original-title": "Erst", "title-short": "M"}
    )
    assert (found.title, found.subtitle) == ("Main one", "A subtitle")
    assert found.other_titles == ("Second", "Erst", "M")
    assert record(title="Main: a subtitle", subtitle="A subtitle").subtitle == ""


def test_venues() -> None:
    csl = {"container-title": ["Proc. A", "Proc. B"], "collection-title": "LNCS", "event-title": "Conference on A"}
    assert record(**csl).venues == ("Proc. A", "Proc. B", "Bull. Things", "LNCS", "Conference on A")
    crossref = record(event={"name": "Symposium", "acronym": ["SYM"], "start": {"date-parts": [[2011]]}})
    assert crossref.venues[-2:] == ("Symposium", "SYM")
    assert crossref.years == (2013, 2012, 2011)


def test_relations_and_notices_as_crossref_states_them() -> None:
    found = record(
        title="RETRACTED: On the Nature of Things",
        relation={"is-preprint-of": [{"id": "10.1000/Paper", "id-type": "doi"}], "cites": [{"id": "10.1000/x"}]},
        **{"updated-by": [{"type": "correction", "DOI": "10.1000/c", "updated": {"date-parts": [[2014]]}}]},
    )
    assert found.related == (("is-preprint-of", "10.1000/paper"),)
    assert found.notices == (Notice("correction", "crossref", "2014", "10.1000/c"), Notice("retraction", "crossref"))
    assert found.other_titles == ("On the Nature of Things",)


def test_books() -> None:
    found = record(type="book", ISBN=["http://isbn.org/978-3-16-148410-0", "9783161484101"], ISSN=None)
    assert found.isbn == ("9783161484100",)  # the other one has a wrong check digit
    assert found.issn == ()


@pytest.mark.parametrize("name", ["10.5012/other", "10.5012/bkcs.2013.34.10.288", "", "x"])
def test_an_item_about_another_doi_is_refused(name: str) -> None:
    with pytest.raises(MalformedAnswerError, match="instead of"):
        answer({**ITEM, "DOI": name, "id": "https://doi.org/10.5012/other", "URL": None})


def test_an_item_that_crossref_calls_identical() -> None:
    found = answer(
        {**ITEM, "DOI": "10.1000/new", "relation": {"is-identical-to": [{"id": DOI.value, "id-type": "doi"}]}}
    )
    assert isinstance(found, Found)
    assert found.records[0].doi == "10.1000/new"


@pytest.mark.parametrize("field", ["id", "URL"])
def test_an_item_without_a_doi_is_taken_by_its_address(field: str) -> None:
    item = {key: value for key, value in ITEM.items() if key not in ("DOI", "id")}
    found = answer({**item, field: f"http://dx.doi.org/{DOI.value.upper()}"})
    assert isinstance(found, Found)
    assert found.records[0].doi == DOI.value
    for other in ("https://doi.org/10.5012/other", "https://journal.example/1", None):
        with pytest.raises(MalformedAnswerError):
            answer({**item, field: other})
    with pytest.raises(MalformedAnswerError, match="title"):
        answer({field: f"https://doi.org/{DOI.value}", "message": "something went wrong"})


PAGE = "<!DOCTYPE html><title>Error: DOI Not Found</title><h3>{}</h3><p>This DOI cannot be found in the DOI System.</p>"


def test_an_unknown_doi() -> None:
    assert answer(PAGE.format(DOI.value.upper()).encode(), 404) == Absent("")
    odd = Query("doi", "10.1000/a<b>&c")
    assert answer(PAGE.format("10.1000/a&lt;b&gt;&amp;c").encode(), 404, odd) == Absent("")


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (404, PAGE.format("10.5012/other").encode()),
        (200, PAGE.format(DOI.value).encode()),
        (410, PAGE.format(DOI.value).encode()),
        (404, b"Resource not found."),
        (404, f"<h1>DOI Not Found</h1>{DOI.value}".encode()),
        (400, json.dumps(ITEM).encode()),
        (200, b"@article{kim, title={On the Nature of Things}}"),
        (200, b"Kim, M. S. (2013). On the Nature of Things. https://doi.org/10.5012/bkcs.2013.34.10.2889"),
        (200, b"<html><body>A journal</body></html>"),
        (200, b"<html><body><br>A journal</body></html>"),
        (200, b"<doi_records><doi_record><crossref><error>doi not found</error></crossref></doi_record></doi_records>"),
        (200, json.dumps(ITEM).encode()[:-5]),
        (200, b""),
    ],
)
def test_everything_else_is_refused(status: int, body: bytes) -> None:
    with pytest.raises(MalformedAnswerError):
        answer(body, status)


def test_the_request() -> None:
    request = DOI_CONTENT.request([Query("doi", "10.1000/a<b>(c);d/e?f#g")])
    assert request.url == "https://doi.org/10.1000/a%3Cb%3E%28c%29%3Bd/e%3Ff%23g"
    assert request.accept.startswith("application/vnd.citationstyles.csl+json")
    assert DOI_CONTENT.follows


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["date-parts", "family", "given", "literal", "name", "id", "raw"]), inner)
    ),
    max_leaves=5,
)
FIELDS = [*ITEM, "event", "relation", "subtitle", "updated-by", "ISBN", "original-title", "collection-title"]


@given(st.dictionaries(st.sampled_from(FIELDS), JSON_VALUES))
def test_fields_of_any_type_do_no_harm(fields: dict[str, object]) -> None:
    assert isinstance(answer({**fields, "DOI": DOI.value}), Found)
