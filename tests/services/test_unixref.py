"""Crossref's XML as records."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.model import Notice, Person, Record
from pytest_citecheck.sources import parse_unixref, parse_xml

DOI = "10.1000/one"
HELD = "<doi_data><doi>10.1000/ONE</doi><resource>https://publisher.example/one</resource></doi_data>"
AUTHOR = (
    '<person_name sequence="first" contributor_role="author"><given_name>Ada</given_name><surname>Byron</surname>'
    "<suffix>Jr.</suffix></person_name>"
)
PEOPLE = (
    f'<contributors>{AUTHOR}<organization sequence="additional" contributor_role="author">The Group</organization>'
    '<person_name sequence="additional" contributor_role="author"><surname>Plato</surname></person_name>'
    '<anonymous sequence="additional" contributor_role="author"/>'
    '<person_name sequence="first" contributor_role="editor"><given_name>Ed</given_name><surname>Itor</surname>'
    '</person_name><person_name sequence="first" contributor_role="translator"><given_name>T</given_name>'
    "<surname>R</surname></person_name></contributors>"
)
TITLES = "<titles><title>On H<sub>2</sub>O</title><subtitle>A Study</subtitle><title>Zweitens</title>"
TITLES += '<original_language_title language="de">Wasser</original_language_title></titles>'


def date(year: int, name: str = "publication_date") -> str:
    return f'<{name} media_type="print"><month>05</month><year>{year}</year></{name}>'


def maybe(inside: str, doi: str = DOI) -> Record | None:
    body = f'<doi_records><doi_record owner="10.1000"><crossref>{inside}</crossref></doi_record></doi_records>'
    return parse_unixref(parse_xml(body.encode()), doi)


def record(inside: str, doi: str = DOI) -> Record:
    found = maybe(inside, doi)
    assert found is not None
    return found


JOURNAL = f"""<journal><journal_metadata><full_title>Journal of Water</full_title><abbrev_title>J. Water</abbrev_title>
<issn media_type="print">1234-5678</issn><doi_data><doi>10.1000/journal</doi></doi_data></journal_metadata>
<journal_issue>{date(2001)}<journal_volume><volume>7</volume></journal_volume><issue>3</issue>
<doi_data><doi>10.1000/issue</doi></doi_data></journal_issue>
<journal_article publication_type="full_text">{TITLES}{PEOPLE}{date(2000)}{date(1999)}
<acceptance_date><year>1998</year></acceptance_date>
<pages><first_page>10</first_page><last_page>19</last_page></pages>
<program name="relations"><related_item><intra_work_relation relationship-type="hasPreprint" identifier-type="doi">10.1000/PRE
</intra_work_relation></related_item><related_item><inter_work_relation relationship-type="isReviewOf"
identifier-type="doi">10.1000/other</inter_work_relation></related_item></program>
{HELD}<citation_list><citation><doi>10.1000/cited</doi></citation></citation_list></journal_article></journal>"""


def test_a_journal_article() -> None:
    assert record(JOURNAL) == Record(
        source="doi_content",
        id=DOI,
        url="https://doi.org/10.1000/one",
        title="On H2O",
        subtitle="A Study",
        other_titles=("Zweitens", "Wasser"),
        authors=(
            Person(family="Byron", given="Ada", suffix="Jr."),
            Person(literal="The Group", group=True),
            Person(literal="Plato"),
        ),
        editors=(Person(family="Itor", given="Ed"),),
        years=(1999, 2000, 2001),
        venues=("Journal of Water", "J. Water"),
        type="article",
        doi=DOI,
        volume="7",
        number="3",
        pages="10-19",
        issn=("1234-5678",),
        agency="Crossref",
        related=(("has-preprint", "10.1000/pre"),),
    )


def test_namespaces_change_nothing() -> None:
    plain = record(JOURNAL)
    for version in ("1.0", "1.1"):
        inside = JOURNAL.replace("<journal>", f'<journal xmlns="http://www.crossref.org/xschema/{version}">')
        assert record(inside) == plain


@pytest.mark.parametrize("doi", ["10.1000/cited", "10.1000/other", "10.1000/on", ""])
def test_only_the_doi_that_was_deposited_is_described(doi: str) -> None:
    assert maybe(JOURNAL, doi) is None


def test_the_journal_itself() -> None:
    found = record(JOURNAL, "10.1000/journal")
    assert (found.title, found.authors, found.type) == ("Journal of Water", (), "other")


def test_a_conference_paper() -> None:
    inside = f"""<conference><event_metadata><conference_name>Conference on Water</conference_name>
    <conference_acronym>CW</conference_acronym><conference_date start_year="2003" end_year="2004"/></event_metadata>
    <proceedings_series_metadata><series_metadata><titles><title>Water Notes</title></titles><issn>8765-4321</issn>
    </series_metadata><proceedings_title>Proceedings of CW</proceedings_title><volume>12</volume>
    <publisher><publisher_name>Wet</publisher_name></publisher>{date(2005)}<isbn>9783161484100</isbn>
    <doi_data><doi>10.1000/proceedings</doi></doi_data></proceedings_series_metadata>
    <conference_paper>{TITLES}{PEOPLE}{date(2004)}<publisher_item><item_number item_number_type="article_number">A12
    </item_number></publisher_item>{HELD}</conference_paper></conference>"""
    found = record(inside)
    assert found.venues == ("Proceedings of CW", "Water Notes", "Conference on Water", "CW")
    assert (found.years, found.volume, found.publisher, found.pages) == ((2004, 2005, 2003), "12", "Wet", "A12")
    assert (found.isbn, found.issn, found.type) == (("9783161484100",), ("8765-4321",), "inproceedings")
    volume = record(inside, "10.1000/proceedings")
    assert (volume.title, volume.type, volume.years) == ("Proceedings of CW", "proceedings", (2005, 2003))
    assert volume.venues == ("Water Notes", "Conference on Water", "CW")


BOOK = f"""<book book_type="edited_book"><book_series_metadata><series_metadata><titles><title>Wet Books</title></titles>
<issn>1111-2222</issn></series_metadata><contributors><person_name contributor_role="editor"><given_name>Ed</given_name>
<surname>Itor</surname></person_name></contributors><titles><title>All Waters</title></titles><volume>9</volume>{date(2010)}
<isbn>9783161484100</isbn><publisher><publisher_name>Wet</publisher_name></publisher>
<doi_data><doi>10.1000/book</doi></doi_data></book_series_metadata>
<content_item component_type="chapter">{TITLES}<contributors>{AUTHOR}</contributors>{date(2011)}
<pages><first_page>5</first_page></pages>{HELD}</content_item></book>"""


def test_a_chapter_of_a_book() -> None:
    found = record(BOOK)
    assert (found.title, found.type, found.pages, found.volume) == ("On H2O", "chapter", "5", "9")
    assert found.venues == ("All Waters", "Wet Books")
    assert found.authors == (Person(family="Byron", given="Ada", suffix="Jr."),)
    assert (found.editors, found.years, found.publisher) == ((), (2011, 2010), "Wet")
    assert (found.isbn, found.issn) == (("9783161484100",), ("1111-2222",))


def test_the_book_of_a_chapter() -> None:
    found = record(BOOK, "10.1000/book")
    assert (found.title, found.type, found.venues) == ("All Waters", "book", ("Wet Books",))
    assert (found.editors, found.years) == ((Person(family="Itor", given="Ed"),), (2010,))
    assert found.isbn == ("9783161484100",)


@pytest.mark.parametrize(
    ("inside", "kind", "venues", "years"),
    [
        (
            (
                f"<dissertation>{AUTHOR}{TITLES}{date(2002, 'approval_date')}<institution><institution_name>U. of Water"
                f"</institution_name></institution>{HELD}</dissertation>"
            ),
            "thesis",
            ("U. of Water",),
            (2002,),
        ),
        (
            (
                f"<posted_content type='preprint'><group_title>Hydrology</group_title>{PEOPLE}{TITLES}"
                f"{date(2019, 'posted_date')}<institution><institution_name>WaterRxiv</institution_name></institution>{HELD}"
                "</posted_content>"
            ),
            "preprint",
            ("WaterRxiv", "Hydrology"),
            (2019,),
        ),
        (f"<posted_content type='other'>{TITLES}{HELD}</posted_content>", "other", (), ()),
        (
            f"<report-paper><report-paper_metadata>{PEOPLE}{TITLES}{date(1990)}{HELD}</report-paper_metadata></report-paper>",
            "report",
            (),
            (1990,),
        ),
        (
            (
                "<database><database_metadata><titles><title>Water Base</title></titles></database_metadata>"
                f"<dataset>{PEOPLE}{TITLES}<database_date>{date(2015)}</database_date>{HELD}</dataset></database>"
            ),
            "dataset",
            ("Water Base",),
            (2015,),
        ),
        (f"<peer_review>{TITLES}{date(2016, 'review_date')}{HELD}</peer_review>", "other", (), (2016,)),
        (
            f"<standard><standard_metadata>{TITLES}{date(2017)}{HELD}</standard_metadata></standard>",
            "other",
            (),
            (2017,),
        ),
        (
            (
                f"<sa_component parent_doi='10.1000/p'><component_list><component>{TITLES}{HELD}</component></component_list>"
                "</sa_component>"
            ),
            "other",
            (),
            (),
        ),
    ],
)
def test_other_kinds(inside: str, kind: str, venues: tuple[str, ...], years: tuple[int, ...]) -> None:
    found = record(inside)
    assert (found.title, found.type, found.venues, found.years) == ("On H2O", kind, venues, years)


def test_the_author_of_a_dissertation_stands_in_it() -> None:
    inside = f"<dissertation>{AUTHOR}{TITLES}{HELD}</dissertation>"
    assert record(inside).authors == (Person(family="Byron", given="Ada", suffix="Jr."),)


def test_a_retracted_article_says_so_in_its_title() -> None:
    inside = JOURNAL.replace("<title>On H", "<title>RETRACTED ARTICLE: On H")
    assert record(inside).notices == (Notice("retraction", "crossref"),)
    assert record(inside).other_titles[0] == "On H2O"
    update = '<crossmark><updates><update type="retraction">10.1/x</update></updates></crossmark>'
    notice = inside.replace("<citation_list>", f"{update}<citation_list>")
    assert record(notice).notices == ()


@given(
    st.text(alphabet=st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="<&\ufffe\uffff"), max_size=30)
)
def test_any_text_is_read(value: str) -> None:
    inside = (
        f"<journal><journal_metadata><full_title>{value}</full_title></journal_metadata><journal_article><titles><title>{value}"
        f"</title></titles><publication_date><year>{value}</year></publication_date><contributors><person_name "
        f"contributor_role='author'><surname>{value}</surname></person_name></contributors>{HELD}</journal_article></journal>"
    )
    assert record(inside).doi == DOI
