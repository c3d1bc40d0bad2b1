"""PubMed: requests, citations as records, answers that are refused."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import parse_qs, urlsplit
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.model import Absent, Answer, Found, Notice, Person, Query, Record, Unavailable
from pytest_citecheck.sources import PUBMED, MalformedAnswerError, Response, parse_article, parse_xml

PMID = Query("pmid", "26017442")
OTHER = Query("pmid", "9500320")
WITNESS = PUBMED.controls["pmid"]
TITLE = Query("title", "Deep learning for cellular image analysis", authors=("Moen",))

DOCTYPE = '<!DOCTYPE {0} PUBLIC "-//NLM//DTD {0}//EN" "https://dtd.nlm.nih.gov/{0}.dtd">'

FORMULA = (
    "<m:math xmlns:m='http://www.w3.org/1998/Math/MathML'>\n <m:msup>\n  <m:mi>x</m:mi>\n  <m:mn>2</m:mn>\n </m:msup>"
    "<m:annotation>x^2</m:annotation></m:math>"
)


def citation(pmid: str = PMID.value, article: str = "", around: str = "", data: str = "") -> str:
    """Return a citation with these elements in ``Article``, next to it and in ``PubmedData``."""
    return (
        f'<PubmedArticle><MedlineCitation Status="MEDLINE"><PMID Version="1">{pmid}</PMID>'
        f"<Article>{article}</Article>{around}</MedlineCitation><PubmedData>{data}</PubmedData></PubmedArticle>"
    )


def citations(*elements: str) -> Response:
    head = '<?xml version="1.0" ?>' + DOCTYPE.format("PubmedArticleSet")
    return Response(200, f"{head}<PubmedArticleSet>{''.join(elements)}</PubmedArticleSet>".encode())


def ids(*found: str, count: int | None = None, size: int | None = None, start: int = 0, more: str = "") -> Response:
    listed = "".join(f"<Id>{pmid}</Id>" for pmid in found)
    body = (
        f"{DOCTYPE.format('eSearchResult')}<eSearchResult><Count>{len(found) if count is None else count}</Count>"
        f"<RetMax>{len(found) if size is None else size}</RetMax><RetStart>{start}</RetStart>"
        f"<IdList>{listed}</IdList>{more}</eSearchResult>"
    )
    return Response(200, body.encode())


def ask(query: Query, response: Response) -> Answer:
    return PUBMED.parse([query], response)[query]


def record(article: str = "", around: str = "", data: str = "") -> Record:
    answer = ask(PMID, citations(citation(PMID.value, article, around, data)))
    assert isinstance(answer, Found)
    return answer.records[0]


def author(**parts: str) -> str:
    return "<Author>" + "".join(f"<{name}>{escape(value)}</{name}>" for name, value in parts.items()) + "</Author>"


def test_a_journal_article() -> None:
    found = record(
        "<Journal><ISSN IssnType='Electronic'>1476-4687</ISSN><JournalIssue><Volume>521</Volume><Issue>7553</Issue>"
        "<PubDate><Year>2015</Year><Month>May</Month><Day>28</Day></PubDate></JournalIssue>"
        "<Title>Nature</Title><ISOAbbreviation>Nature</ISOAbbreviation></Journal>"
        "<ArticleTitle>Deep learning.</ArticleTitle><Pagination><MedlinePgn>436-44</MedlinePgn></Pagination>"
        "<ELocationID EIdType='doi' ValidYN='Y'>10.1038/Nature14539</ELocationID>"
        "<AuthorList CompleteYN='Y'>"
        + author(LastName="LeCun", ForeName="Yann", Initials="Y")
        + author(LastName="Bengio", Initials="Y")
        + "</AuthorList><PublicationTypeList><PublicationType>Journal Article</PublicationType></PublicationTypeList>",
        "<MedlineJournalInfo><MedlineTA>Nature</MedlineTA><ISSNLinking>0028-0836</ISSNLinking></MedlineJournalInfo>",
        "<ArticleIdList><ArticleId IdType='pubmed'>26017442</ArticleId><ArticleId IdType='pmc'>PMC123</ArticleId>"
        "<ArticleId IdType='doi'>10.1038/nature14539</ArticleId></ArticleIdList>",
    )
    assert found == Record(
        source="pubmed",
        id="26017442",
        url="https://pubmed.ncbi.nlm.nih.gov/26017442/",
        title="Deep learning",
        authors=(Person(family="LeCun", given="Yann"), Person(family="Bengio", given="Y")),
        years=(2015,),
        venues=("Nature",),
        type="article",
        doi="10.1038/nature14539",
        pmid="26017442",
        volume="521",
        number="7553",
        pages="436-44",
        issn=("1476-4687", "0028-0836"),
        related=(("pmcid", "PMC123"),),
    )


@pytest.mark.parametrize(
    ("article", "title", "others"),
    [
        ("<ArticleTitle>The <i>APOE</i>\n   locus.</ArticleTitle>", "The APOE locus", ()),
        ("<ArticleTitle>H<sub>2</sub>O &amp; p &lt; 0.05.</ArticleTitle>", "H2O & p < 0.05", ()),
        (f"<ArticleTitle>On {FORMULA} again.</ArticleTitle>", "On x2 again", ()),
        (
            "<ArticleTitle>[Mental health].</ArticleTitle><VernacularTitle>Psykisk hälsa.</VernacularTitle>",
            "Mental health",
            ("Psykisk hälsa",),
        ),
        ("<ArticleTitle/><VernacularTitle>Psykisk hälsa.</VernacularTitle>", "Psykisk hälsa", ()),
        (
            "<ArticleTitle>[Not Available].</ArticleTitle><VernacularTitle>Psykisk hälsa.</VernacularTitle>",
            "Psykisk hälsa",
            (),
        ),
        ("", "", ()),
    ],
)
def test_titles(article: str, title: str, others: tuple[str, ...]) -> None:
    found = record(article)
    assert (found.title, found.other_titles) == (title, others)


@pytest.mark.parametrize(
    ("element", "expected"),
    [
        (
            author(LastName="van der Berg", ForeName="Jan A", Initials="JA"),
            Person(family="van der Berg", given="Jan A"),
        ),
        (author(LastName="Smith", ForeName="J", Suffix="Jr"), Person(family="Smith", given="J", suffix="Jr")),
        (author(CollectiveName="ASTRO-CM Team"), Person(literal="ASTRO-CM Team", group=True)),
        (author(LastName="Suharto"), Person(family="Suharto")),
        (author(ForeName="Madonna"), Person(literal="Madonna")),
    ],
)
def test_names(element: str, expected: Person) -> None:
    assert record(f"<AuthorList>{element}</AuthorList>").authors == (expected,)


def test_investigators_editors_and_names_in_error_are_no_authors() -> None:
    found = record(
        "<AuthorList Type='authors' CompleteYN='Y'>"
        + author(LastName="Right", ForeName="Ada")
        + author(LastName="Wrong", ForeName="Ida").replace("<Author>", "<Author ValidYN='N'>")
        + "<Author/></AuthorList><AuthorList Type='editors' CompleteYN='N'>"
        + author(LastName="Editor", ForeName="Ed")
        + "</AuthorList>",
        "<InvestigatorList><Investigator><LastName>Many</LastName></Investigator></InvestigatorList>",
    )
    assert found.authors == (Person(family="Right", given="Ada"),)
    assert found.editors == (Person(family="Editor", given="Ed"),)
    assert found.authors_complete


def test_a_cut_list_of_authors_says_so() -> None:
    assert not record(f"<AuthorList CompleteYN='N'>{author(LastName='First')}</AuthorList>").authors_complete
    assert record("").authors_complete


@pytest.mark.parametrize(
    ("date", "data", "years"),
    [
        ("<MedlineDate>2000 Spring</MedlineDate>", "", (2000,)),
        ("<MedlineDate>1998 Dec-1999 Jan</MedlineDate>", "", (1998, 1999)),
        ("<Year>2019</Year>", "", (2019,)),
        ("<Season>Winter</Season>", "", ()),
        # The work was out when PubMed listed it, but later dates are only those of deposits.
        ("<Year>2017</Year>", "<PubMedPubDate PubStatus='entrez'><Year>2016</Year></PubMedPubDate>", (2017, 2016)),
        ("<Year>1976</Year>", "<PubMedPubDate PubStatus='pubmed'><Year>2001</Year></PubMedPubDate>", (1976,)),
        ("<Year>2017</Year>", "<PubMedPubDate PubStatus='received'><Year>2015</Year></PubMedPubDate>", (2017,)),
        ("<Year>2017</Year>", "<PubMedPubDate PubStatus='epublish'><Year>2018</Year></PubMedPubDate>", (2017, 2018)),
        ("", "<PubMedPubDate PubStatus='entrez'><Year>2016</Year></PubMedPubDate>", ()),
    ],
)
def test_years(date: str, data: str, years: tuple[int, ...]) -> None:
    article = f"<Journal><JournalIssue><PubDate>{date}</PubDate></JournalIssue></Journal>"
    assert record(article, data=f"<History>{data}</History>").years == years


def test_the_electronic_date_counts_as_well() -> None:
    article = (
        "<Journal><JournalIssue><PubDate><Year>2008</Year></PubDate></JournalIssue></Journal>"
        "<ArticleDate DateType='Electronic'><Year>2007</Year><Month>12</Month></ArticleDate>"
    )
    assert record(article).years == (2008, 2007)


def test_pages() -> None:
    assert record("<Pagination><MedlinePgn>2237-8; author reply 2238</MedlinePgn></Pagination>").pages == "2237-8"
    assert record("<Pagination><StartPage>25</StartPage><EndPage>138</EndPage></Pagination>").pages == "25-138"
    assert record("<Pagination><StartPage>e25</StartPage></Pagination>").pages == "e25"


def test_a_doi_declared_wrong_is_none_and_a_second_one_is_the_same_work() -> None:
    locations = "<ELocationID EIdType='doi' ValidYN='N'>10.1/wrong</ELocationID>"
    listed = "<ArticleIdList><ArticleId IdType='doi'>10.1/SECOND</ArticleId></ArticleIdList>"
    assert record(locations, data=listed).doi == "10.1/second"
    both = record(locations + "<ELocationID EIdType='doi'>10.1/first</ELocationID>", data=listed)
    assert (both.doi, both.related) == ("10.1/first", (("is-identical-to", "10.1/second"),))


def test_identifiers_of_cited_works_are_not_those_of_the_work() -> None:
    cited = "<ReferenceList><Reference><ArticleIdList><ArticleId IdType='doi'>10.1/cited</ArticleId></ArticleIdList>"
    assert record(data=cited + "</Reference></ReferenceList>").doi == ""


def test_preprints() -> None:
    found = record(
        "<Journal><Title>ArXiv</Title></Journal><ELocationID EIdType='pii'>arXiv:2304.02112v2</ELocationID>"
        "<PublicationTypeList><PublicationType>Journal Article</PublicationType>"
        "<PublicationType>Preprint</PublicationType></PublicationTypeList>",
        "<CommentsCorrectionsList><CommentsCorrections RefType='UpdateIn'>"
        "<RefSource>Cell. 2023 Jul 20;186(15):3307. doi: 10.1016/j.cell.2023.05.044.</RefSource>"
        "</CommentsCorrections></CommentsCorrectionsList>",
    )
    assert (found.type, found.arxiv) == ("preprint", "2304.02112")
    assert found.related == (("is-preprint-of", "10.1016/j.cell.2023.05.044"),)


def test_a_retraction() -> None:
    found = record(
        "<PublicationTypeList><PublicationType>Retracted Publication</PublicationType></PublicationTypeList>",
        "<CommentsCorrectionsList><CommentsCorrections RefType='RetractionIn'>"
        "<RefSource>Lancet. 2010 Feb 6;375(9713):445</RefSource><PMID>20137807</PMID></CommentsCorrections>"
        "<CommentsCorrections RefType='CommentIn'><RefSource>Lancet. 1998 Feb 28;351:611</RefSource>"
        "</CommentsCorrections></CommentsCorrectionsList>",
    )
    assert found.notices == (Notice("retraction", "pubmed", "2010-02-06"),)
    assert found.pmid == PMID.value


BOOK = (
    "<PubmedBookArticle><BookDocument><PMID>20821847</PMID>{chapter}<Book><Publisher><PublisherName>BIOS</PublisherName>"
    "</Publisher><BookTitle book='x'>Endocrinology: An Integrated Approach</BookTitle><PubDate><Year>2001</Year>"
    "</PubDate><AuthorList Type='authors'><Author><LastName>Nussey</LastName><ForeName>Stephen</ForeName></Author>"
    "</AuthorList><AuthorList Type='editors'><Author><LastName>Pagon</LastName></Author></AuthorList>"
    "<CollectionTitle>A Series</CollectionTitle><Isbn>1-85996-252-1</Isbn>"
    "<ELocationID EIdType='doi'>10.1/book</ELocationID></Book>"
    "<ContributionDate><Year>2012</Year></ContributionDate></BookDocument></PubmedBookArticle>"
)


def test_a_book() -> None:
    found = parse_article(parse_xml(BOOK.format(chapter="").encode()))
    assert found is not None
    assert (found.title, found.type, found.venues) == ("Endocrinology: An Integrated Approach", "book", ("A Series",))
    assert (found.publisher, found.isbn, found.years, found.doi) == ("BIOS", ("9781859962527",), (2001,), "10.1/book")
    assert found.authors == (Person(family="Nussey", given="Stephen"),)
    assert found.editors == (Person(family="Pagon"),)


def test_a_chapter_of_a_book() -> None:
    own = "<ArticleTitle>The thyroid gland</ArticleTitle><AuthorList><Author><LastName>Own</LastName></Author></AuthorList>"
    found = parse_article(parse_xml(BOOK.format(chapter=own).encode()))
    assert found is not None
    assert (found.title, found.type, found.doi) == ("The thyroid gland", "chapter", "")
    assert found.venues == ("Endocrinology: An Integrated Approach", "A Series")
    assert (found.authors, found.years) == ((Person(family="Own"),), (2012, 2001))


def test_an_id_question_takes_only_the_citation_of_that_id() -> None:
    answers = PUBMED.parse([PMID, OTHER, WITNESS], citations(citation(PMID.value), citation("1")))
    assert isinstance(answers[PMID], Found)
    assert isinstance(answers[WITNESS], Found)
    assert answers[OTHER] == Absent("PubMed has no such PMID")


def test_silence_is_an_absence_only_beside_a_citation() -> None:
    assert ask(PMID, citations(citation("1"))) == Absent("PubMed has no such PMID")
    with pytest.raises(MalformedAnswerError, match="no citation"):
        ask(PMID, citations())


def test_beside_a_citation_that_cannot_be_read_nothing_is_absent() -> None:
    unread = b"<PubmedArticle><MedlineCitation/></PubmedArticle></PubmedArticleSet>"
    whole = citations(citation("1"))
    answers = PUBMED.parse([PMID, WITNESS], replace(whole, body=whole.body.replace(b"</PubmedArticleSet>", unread)))
    assert isinstance(answers[WITNESS], Found)
    assert isinstance(answers[PMID], Unavailable)


@pytest.mark.parametrize(
    "body",
    [
        b"<eFetchResult><ERROR>Supplied id parameter is empty.</ERROR></eFetchResult>",
        b"<PubmedArticle><MedlineCitation><PMID>26017442</PMID><Article/></MedlineCitation></PubmedArticle>",
        b"<PubmedArticleSet><PubmedArticle>wrong</PubmedArticle></PubmedArticleSet>",
        b"<PubmedArticleSet><DeleteCitation><PMID>26017442</PMID></DeleteCitation></PubmedArticleSet>",
        b"<eSummaryResult><DocSum><Id>26017442</Id></DocSum></eSummaryResult>",
        citations(citation("1")).body[:-10],
        b'<!DOCTYPE x [<!ENTITY a "b">]><PubmedArticleSet/>',
    ],
)
def test_other_bodies_are_refused(body: bytes) -> None:
    with pytest.raises(MalformedAnswerError):
        ask(PMID, Response(200, body))
    with pytest.raises(MalformedAnswerError):
        ask(TITLE, Response(200, body))


def test_other_statuses_are_refused() -> None:
    for query, response in ((PMID, citations(citation("1"))), (TITLE, ids())):
        with pytest.raises(MalformedAnswerError, match="status 400"):
            ask(query, Response(400, response.body))


def test_a_search_gives_ids_to_ask_for() -> None:
    answer = ask(TITLE, ids("31133758", "26017442", count=40, size=2))
    assert isinstance(answer, Found)
    assert [(found.pmid, found.title) for found in answer.records] == [("31133758", ""), ("26017442", "")]
    nothing = "<ErrorList><PhraseNotFound>abc</PhraseNotFound></ErrorList>"
    assert ask(TITLE, ids(more=nothing)) == Absent("")


@pytest.mark.parametrize(
    ("response", "problem"),
    [
        (ids("1", count=3, size=3), "1 of 3 ids"),
        (ids(count=3, size=3), "0 of 3 ids"),
        (ids("101595451"), "another database"),
        (Response(200, b"<eSearchResult><ERROR>Invalid db name</ERROR></eSearchResult>"), "Invalid db name"),
        (Response(200, b"<eSearchResult><Count>0</Count></eSearchResult>"), "not a list of ids"),
        (Response(200, ids().body.replace(b"<Count>0", b"<Count>many")), "not a list of ids"),
    ],
)
def test_searches_that_are_refused(response: Response, problem: str) -> None:
    with pytest.raises(MalformedAnswerError, match=problem):
        ask(TITLE, response)


def test_requests() -> None:
    batch = urlsplit(PUBMED.request([PMID, OTHER]).url)
    assert batch.path.endswith("/efetch.fcgi")
    assert parse_qs(batch.query) == {"db": ["pubmed"], "id": ["26017442,9500320"], "retmode": ["xml"]}
    title = parse_qs(urlsplit(PUBMED.request([TITLE]).url).query)
    assert title["term"] == ["deep[ti] AND learning[ti] AND cellular[ti] AND image[ti] AND analysis[ti]"]
    short = Query("title", "Deep learning", authors=("Le-Cun AND [x]",))
    assert parse_qs(urlsplit(PUBMED.request([short]).url).query)["term"] == [
        "deep[ti] AND learning[ti] AND le-cun and x[au]"
    ]


@pytest.mark.parametrize("value", ["", "0", "012", "123456789", "PMC12", "１２", "1a", "1\n"])
def test_what_is_no_pubmed_id_is_not_asked(value: str) -> None:
    assert not PUBMED.accepts(Query("pmid", value))


@given(st.lists(st.integers(1, 99_999_999).map(str), min_size=1, max_size=200, unique=True))
def test_a_batch_is_found_again_by_each_of_its_questions(values: list[str]) -> None:
    queries = [Query("pmid", value) for value in values]
    assert PUBMED.singles(PUBMED.request(queries)) == tuple(PUBMED.request([query]) for query in queries)


@given(st.text(max_size=60))
def test_titles_hold_nothing_that_the_query_language_reads(title: str) -> None:
    query = Query("title", title)
    if PUBMED.accepts(query):
        (term,) = parse_qs(urlsplit(PUBMED.request([query]).url).query)["term"]
        words = [part.removesuffix("[ti]") for part in term.split(" AND ")]
        assert all(words)
        assert not set("".join(words)) & set('[]():"*~ ')
        assert not {"AND", "OR", "NOT"} & set(words)


TAGS = (
    *("PMID", "Article", "Journal", "Title", "ArticleTitle", "AuthorList", "Author", "LastName", "PubDate", "Year"),
    *("ELocationID", "ArticleId", "Pagination", "MedlinePgn", "Book", "BookTitle", "BookDocument", "MedlineCitation"),
)
ELEMENTS = st.recursive(
    st.text(alphabet="ab1 9.", max_size=6),
    lambda inner: st.lists(
        st.tuples(st.sampled_from(TAGS), inner).map(lambda pair: f"<{pair[0]}>{pair[1]}</{pair[0]}>"), max_size=4
    ).map("".join),
    max_leaves=12,
)


@given(ELEMENTS, ELEMENTS, st.sampled_from(["PubmedArticle", "PubmedBookArticle"]))
def test_elements_in_any_place_do_no_harm(inside: str, beside: str, tag: str) -> None:
    part = "BookDocument" if tag == "PubmedBookArticle" else "MedlineCitation"
    odd = f"<{tag}><{part}><PMID>7</PMID><Article>{inside}</Article><Book>{inside}</Book>{beside}</{part}></{tag}>"
    answer = ask(Query("pmid", "7"), citations(odd))
    assert isinstance(answer, Found)
    assert answer.records[0].pmid == "7"


FIRST = Query("place", "N Engl J Med||382|727", ("Zhu",), 2020)
SECOND = Query("place", "Lancet||394|121", ("Gerstein",), 2019)


def key(query: Query) -> str:
    (line,) = parse_qs(urlsplit(PUBMED.request([query]).url).query)["bdata"]
    return line.split("|")[5]


def test_places_are_asked_for_together() -> None:
    asked = parse_qs(urlsplit(PUBMED.request([FIRST, SECOND]).url).query)
    assert asked["bdata"] == [
        f"n engl j med|2020|382|727|zhu|{key(FIRST)}|\rlancet|2019|394|121|gerstein|{key(SECOND)}|"
    ]
    singles = PUBMED.singles(PUBMED.request([FIRST, SECOND]))
    assert [one.url for one in singles] == [PUBMED.request([query]).url for query in (FIRST, SECOND)]


@pytest.mark.parametrize(
    "denial",
    [
        "NOT_FOUND",
        "NOT_FOUND;INVALID_JOURNAL",
        "AMBIGUOUS (783 citations)",
        "AMBIGUOUS 26315901,25768914",
        "AMBIGUOUS",
        "",
    ],
)
def test_an_answer_belongs_to_a_place_by_its_key(denial: str) -> None:
    lines = [f"lancet|2019|394|121||{key(SECOND)}|{denial}", f"n engl j med|2020|382|727|zhu|{key(FIRST)}|31978945"]
    answers = PUBMED.parse([FIRST, SECOND], Response(200, "\r\n".join([*lines, ""]).encode()))
    found = answers[FIRST]
    assert isinstance(found, Found)
    assert [(record.pmid, record.title) for record in found.records] == [("31978945", "")]
    assert answers[SECOND] == Absent()


def test_a_missing_line_is_no_evidence_and_a_page_is_no_answer() -> None:
    body = f"n engl j med|2020|382|727|zhu|{key(FIRST)}|31978945\n".encode()
    assert PUBMED.parse([FIRST, SECOND], Response(200, body))[SECOND] == Absent()
    with pytest.raises(MalformedAnswerError):
        PUBMED.parse([FIRST], Response(200, b"<html><body>Error</body></html>"))
