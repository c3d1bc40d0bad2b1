"""DataCite: requests, works as records, answers that are refused."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.model import Absent, Answer, Found, Notice, Person, Query, Record, Unavailable
from pytest_citecheck.sources import DATACITE, MalformedAnswerError, Response, datacite_record
from pytest_citecheck.sources import FIELDS as ASKED

DOI = Query("doi", "10.48550/arxiv.1706.03762")
OTHER = Query("doi", "10.5281/zenodo.28518")
TITLE = Query("title", "Attention Is All You Need", authors=("Vaswani",))

ATTRIBUTES: dict[str, Any] = {
    "doi": "10.48550/arXiv.1706.03762",
    "creators": [{"name": "Vaswani, Ashish", "nameType": "Personal", "givenName": "Ashish", "familyName": "Vaswani"}],
    "titles": [{"title": "Attention Is All You Need"}],
    "publisher": "arXiv",
    "publicationYear": 2017,
    "dates": [{"date": "2017-06-12T17:57:34Z", "dateType": "Submitted"}, {"date": "2023", "dateType": "Updated"}],
    "types": {"resourceTypeGeneral": "Preprint"},
    "container": {},
    "registered": "2022-03-01T00:00:00Z",
}


def document(*attributes: object, **meta: object) -> Response:
    data = [{"id": "10.1/x", "type": "dois", "attributes": item} for item in attributes]
    return Response(200, json.dumps({"data": data, "meta": {"total": len(data), "page": 1, **meta}}).encode())


def ask(query: Query, response: Response) -> Answer:
    return DATACITE.parse([query], response)[query]


def record(**changes: object) -> Record:
    parsed = datacite_record({"type": "dois", "attributes": {**ATTRIBUTES, **changes}})
    assert parsed is not None
    return parsed


def test_a_preprint_of_arxiv() -> None:
    assert record() == Record(
        source="datacite",
        id="10.48550/arxiv.1706.03762",
        url="https://doi.org/10.48550/arxiv.1706.03762",
        title="Attention Is All You Need",
        authors=(Person(family="Vaswani", given="Ashish"),),
        years=(2017,),
        venues=("arXiv",),
        type="preprint",
        publisher="arXiv",
        doi="10.48550/arxiv.1706.03762",
        arxiv="1706.03762",
        agency="DataCite",
    )


def test_bare_datacite_json_is_read_as_well() -> None:
    assert datacite_record(ATTRIBUTES) == record()
    assert datacite_record({"id": "https://doi.org/10.1/X", "attributes": {"titles": [{"title": "T"}]}}) == Record(
        source="datacite",
        id="10.1/x",
        url="https://doi.org/10.1/x",
        title="T",
        type="other",
        doi="10.1/x",
        agency="DataCite",
    )


def test_titles_by_their_type() -> None:
    titles = [
        {"title": "Titel", "titleType": "TranslatedTitle"},
        {"title": "A subtitle", "titleType": "Subtitle"},
        {"title": "Main &amp; first"},
        {"title": "Haupttitel", "lang": "de", "titleType": None},
        {"title": "Alternative", "titleType": "AlternativeTitle"},
        {"title": "(:unav)"},
    ]
    found = record(titles=titles)
    assert found.title == "Main & first"
    assert found.subtitle == "A subtitle"
    assert found.other_titles == ("Haupttitel", "Titel", "Alternative")
    assert record(titles=titles[:1]).title == "Titel"


@pytest.mark.parametrize(
    ("creator", "expected"),
    [
        ({"name": "CyArk", "nameType": "Organizational"}, Person(literal="CyArk", group=True)),
        ({"name": "van Dongen, B.", "nameType": "Personal"}, Person(family="van Dongen", given="B.")),
        ({"name": "Hart, E; Read, J"}, Person(literal="Hart, E; Read, J")),
        ({"name": "Bimbo, Nuno", "givenName": "Nuno", "familyName": "Bimbo"}, Person(family="Bimbo", given="Nuno")),
        ({"name": "Plato", "nameType": "Personal", "familyName": None}, Person(literal="Plato")),
    ],
)
def test_names(creator: dict[str, object], expected: Person) -> None:
    assert record(creators=[creator]).authors == (expected,)


@pytest.mark.parametrize("creator", [{"name": "(:unav)"}, {"name": ":Unkn"}, {}, None, 4, {"name": "Unknown"}])
def test_codes_for_unknown_are_no_names(creator: object) -> None:
    assert record(creators=[creator]).authors == ()


def test_contributors_of_type_editor_are_editors() -> None:
    contributors = [
        {"name": "Doe, Jane", "contributorType": "Editor", "nameType": "Personal"},
        {"name": "Host", "contributorType": "HostingInstitution"},
    ]
    assert record(contributors=contributors).editors == (Person(family="Doe", given="Jane"),)


def test_years_are_those_of_publication() -> None:
    dates = [
        {"date": "2016-01", "dateType": "Issued"},
        {"date": "2014/2015", "dateType": "Collected"},
        {"date": "2015-12-01", "dateType": "Available"},
        {"date": "2024", "dateType": "Updated"},
        {"date": None, "dateType": "Issued"},
        "x",
    ]
    assert record(publicationYear="2017", dates=dates).years == (2017, 2016, 2015)


def test_venues_container_before_repository() -> None:
    article = {"types": {"resourceTypeGeneral": "JournalArticle"}, "publisher": "A Publishing House"}
    assert record(container={"type": "Series", "title": "GMS Journal; 34(2):Doc25"}, **article).venues == (
        "GMS Journal",
        "GMS Journal; 34(2):Doc25",
    )
    assert record(**article).venues == ()
    data = {"types": {"resourceTypeGeneral": "Dataset"}, "publisher": {"name": "Dryad"}}
    assert (record(**data).venues, record(**data).publisher) == (("Dryad",), "Dryad")
    items = [{"relationType": "IsPublishedIn", "titles": [{"title": "Journal of Things"}]}, {"relationType": "Cites"}]
    assert record(relatedItems=items, **article).venues == ("Journal of Things",)


def test_related_versions() -> None:
    related = [
        {"relationType": "IsVersionOf", "relatedIdentifier": "10.1000/ALL", "relatedIdentifierType": "DOI"},
        {"relationType": "IsIdenticalTo", "relatedIdentifier": "arXiv:1706.03762v2", "relatedIdentifierType": "arXiv"},
        {"relationType": "Cites", "relatedIdentifier": "10.1000/2", "relatedIdentifierType": "DOI"},
        {"relationType": "IsVersionOf", "relatedIdentifier": "https://x.example", "relatedIdentifierType": "URL"},
    ]
    found = record(doi="10.1/z", relatedIdentifiers=related)
    assert found.related == (("is-version-of", "10.1000/all"), ("is-identical-to", "1706.03762"))
    assert found.arxiv == "1706.03762"


def test_a_doi_question_takes_only_the_record_of_that_doi() -> None:
    assert DATACITE.parse([DOI, OTHER], document(ATTRIBUTES)) == {DOI: Found((record(),)), OTHER: Absent()}
    alias = {
        **ATTRIBUTES,
        "identifiers": [{"identifierType": "DOI", "identifier": "https://doi.org/10.5281/ZENODO.28518"}],
    }
    assert isinstance(ask(OTHER, document(alias)), Found)
    assert ask(DOI, document()) == Absent("")


def test_an_unknown_doi() -> None:
    body = b'{"errors": [{"status": "404", "title": "The resource you are looking for doesn\'t exist."}]}'
    assert ask(DOI, Response(404, body)) == Absent("")
    for queries in ([TITLE], [DOI, OTHER]):
        with pytest.raises(MalformedAnswerError):
            DATACITE.parse(queries, Response(404, body))
    with pytest.raises(MalformedAnswerError, match="Bad request"):
        ask(DOI, Response(400, b'{"errors": [{"title": "Bad request"}]}'))


def test_a_single_resource_is_an_answer() -> None:
    body = json.dumps({"data": {"id": "10.48550/arxiv.1706.03762", "type": "dois", "attributes": ATTRIBUTES}})
    assert ask(DOI, Response(200, body.encode())) == Found((record(),))


def test_searches() -> None:
    assert ask(TITLE, document(ATTRIBUTES, {**ATTRIBUTES, "titles": []})) == Found((record(),))
    assert ask(TITLE, document()) == Absent("")


@pytest.mark.parametrize(
    "body",
    [
        {"data": [{"id": "10.17616/r3", "type": "re3data", "attributes": {"doi": "10.17616/r3"}}]},
        {"data": [], "meta": {"total": 7, "page": 1}},
        {"data": [{"type": "dois", "attributes": {}}]},
        {"data": "10.1/x"},
    ],
)
def test_other_resources_and_empty_pages_are_refused(body: object) -> None:
    with pytest.raises(MalformedAnswerError):
        ask(DOI, Response(200, json.dumps(body).encode()))


def test_requests() -> None:
    batch = parse_qs(urlsplit(DATACITE.request([DOI, OTHER]).url).query)
    assert batch["query"] == ['doi:("10.48550/arxiv.1706.03762" OR "10.5281/zenodo.28518")']
    assert batch["page[size]"] == ["2"]
    title = parse_qs(urlsplit(DATACITE.request([TITLE]).url).query)
    assert title["query"] == ['titles.title:"Attention Is All You Need"']
    assert title["page[size]"] == ["5"]
    for query in (batch, title):
        assert query["sort"] == ["relevance"]
        assert query["disable-facets"] == ["true"]
        assert query["fields[dois]"] == [ASKED]
    short = DATACITE.request([Query("title", 'A "quoted" \\ title', authors=("O'Neil",))]).url
    assert parse_qs(urlsplit(short).query)["query"] == ['titles.title:"A quoted title" AND creators.name:"O\'Neil"']


OTHER_TITLE = Query("title", "Something Quite Different From That")


def test_titles_are_searched_for_together() -> None:
    short = Query("title", "Deep learning", authors=('Le "Cun" OR',))
    request = DATACITE.request([TITLE, short])
    query = parse_qs(urlsplit(request.url).query)
    assert query["query"] == [
        'titles.title:"Attention Is All You Need" OR (titles.title:"Deep learning" AND creators.name:"Le \\"Cun\\" OR")'
    ]
    assert query["page[size]"] == ["10"]
    assert DATACITE.singles(request) == (DATACITE.request([TITLE]), DATACITE.request([short]))


def test_each_title_gets_what_resembles_it() -> None:
    other = {**ATTRIBUTES, "doi": "10.1/other", "titles": [{"title": OTHER_TITLE.value}]}
    third = Query("title", "A third title that is not there")
    answers = DATACITE.parse([TITLE, OTHER_TITLE, third], document(ATTRIBUTES, other))
    dois = [[one.doi for one in answer.records] if isinstance(answer, Found) else answer for answer in answers.values()]
    assert dois == [["10.48550/arxiv.1706.03762"], ["10.1/other"], Absent("")]


def test_a_list_that_is_cut_says_nothing_about_titles_that_it_does_not_show() -> None:
    both = DATACITE.parse([TITLE, OTHER_TITLE], document(ATTRIBUTES, total=40))
    assert isinstance(both[TITLE], Found)
    assert isinstance(both[OTHER_TITLE], Unavailable)
    # Alone, a search ranks: what it does not show does not fit.
    assert ask(OTHER_TITLE, document(ATTRIBUTES, total=40)) == Absent("")
    replayed = json.loads(document(ATTRIBUTES, total=40).body)
    replayed["links"] = {"self": DATACITE.request([TITLE, OTHER_TITLE]).url}
    assert isinstance(ask(OTHER_TITLE, Response(200, json.dumps(replayed).encode())), Unavailable)


def test_a_work_that_was_removed() -> None:
    dates = [{"date": "2021-02-03T10:00:00Z", "dateType": "Withdrawn"}, {"date": "2020", "dateType": "Issued"}]
    assert record(dates=dates).notices == (Notice("removal", "datacite", "2021-02-03"),)
    assert record(titles=[{"title": "WITHDRAWN: Attention"}], dates=dates) == record(
        titles=[{"title": "WITHDRAWN: Attention"}, {"title": "Attention"}], dates=dates
    )
    retracted = record(titles=[{"title": "RETRACTED: Attention"}])
    assert (retracted.notices, retracted.other_titles) == ((Notice("retraction", "datacite"),), ("Attention",))
    newer = {"relationType": "IsObsoletedBy", "relatedIdentifier": "10.1/new", "relatedIdentifierType": "DOI"}
    assert record(relatedIdentifiers=[newer]).notices == ()


TITLES = st.text(alphabet="ab:\"()-'/ORAND,.?$\\", max_size=20).map(lambda text: f"x{text}")


@given(st.lists(st.tuples(TITLES, st.lists(TITLES, max_size=2)), min_size=1, max_size=8))
def test_a_search_is_found_again_by_each_of_its_titles(values: list[tuple[str, list[str]]]) -> None:
    queries = [Query("title", title, tuple(authors)) for title, authors in values]
    assert DATACITE.singles(DATACITE.request(queries)) == tuple(DATACITE.request([query]) for query in queries)


DOI_VALUES = st.builds(
    lambda prefix, suffix: f"10.{prefix}/{suffix}".lower(),
    st.integers(1000, 99999),
    st.text(alphabet="abcXYZ019.-_:;,()<>[]/%&?#+='\"\\ö OR", min_size=1, max_size=20),
)


@given(st.lists(DOI_VALUES, min_size=1, max_size=25, unique=True))
def test_a_batch_is_found_again_by_each_of_its_questions(values: list[str]) -> None:
    queries = [Query("doi", value) for value in values]
    assert DATACITE.singles(DATACITE.request(queries)) == tuple(DATACITE.request([query]) for query in queries)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["title", "name", "date"]), inner),
    max_leaves=5,
)
FIELDS = [*ATTRIBUTES, "contributors", "identifiers", "relatedIdentifiers", "relatedItems", "alternateIdentifiers"]


@given(st.dictionaries(st.sampled_from(FIELDS), JSON_VALUES))
def test_fields_of_any_type_do_no_harm(fields: dict[str, object]) -> None:
    assert isinstance(ask(DOI, document({**fields, "doi": DOI.value})), Found)


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ("Dissertation", "thesis"),
        ("ConferencePaper", "inproceedings"),
        ("Journal Article", "article"),
        ("Working Paper", "report"),
        ("Book chapter", "chapter"),
        ("Skala", "other"),
        ("", "other"),
    ],
)
def test_a_text_is_what_its_depositor_calls_it(stated: str, expected: str) -> None:
    assert record(types={"resourceTypeGeneral": "Text", "resourceType": stated}).type == expected


@pytest.mark.parametrize(("stated", "expected"), [(2549, 2006), ("2566", 2023), (2026, 2026), (1499, 1499)])
def test_years_of_the_buddhist_era(stated: object, expected: int) -> None:
    assert record(publicationYear=stated, dates=[]).years == (expected,)
