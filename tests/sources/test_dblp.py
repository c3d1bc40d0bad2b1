"""DBLP: the elements of its XML as records."""

from __future__ import annotations

import pytest

from pytest_citecheck.model import Notice, Person, Record
from pytest_citecheck.sources import parse_publication, parse_xml


def read(element: str) -> Record | None:
    return parse_publication(parse_xml(element.encode()))


def record(element: str, key: str = "x/y/Z1") -> Record:
    found = read(element.replace("KEY", f'key="{key}"'))
    assert found is not None
    return found


def paper(**changes: str) -> Record:
    """A conference paper with other values of these fields."""
    fields = {"author": "Wei Wang 0001", "title": "T.", "year": "2017", "booktitle": "NIPS"} | changes
    inside = "".join(f"<{name}>{value}</{name}>" for name, value in fields.items())
    return record(f"<inproceedings KEY>{inside}</inproceedings>")


def test_a_paper_of_a_conference() -> None:
    element = """<inproceedings KEY><author>Wei Wang 0001</author><author>A&#225;ron van den Oord</author>
    <title>Pandora's Box &amp; Friends.</title><pages>5998-6008</pages><year>2017</year><booktitle>NIPS</booktitle>
    <ee>https://doi.org/10.5555/3295222.ABC</ee></inproceedings>"""
    assert record(element, "conf/nips/WangO17") == Record(
        source="dblp",
        id="conf/nips/WangO17",
        url="https://dblp.org/rec/conf/nips/WangO17",
        title="Pandora's Box & Friends",
        authors=(Person(literal="Wei Wang"), Person(literal="A\u00e1ron van den Oord")),
        years=(2017,),
        venues=("NIPS",),
        type="inproceedings",
        doi="10.5555/3295222.abc",
        pages="5998-6008",
    )


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ("Deep learning.", "Deep learning"),
        ("Why Deep?", "Why Deep?"),
        ("To be continued...", "To be continued..."),
        ("Java vs. C++", "Java vs. C++"),
    ],
)
def test_the_closing_period_is_dblps_own(stated: str, expected: str) -> None:
    assert paper(title=stated).title == expected


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"journal": "CoRR", "volume": "abs/1706.03762"}, "1706.03762"),
        ({"journal": "CoRR", "volume": "cs.LO/0207041"}, "cs/0207041"),
        ({"journal": "CoRR", "volume": "math.GT/0309136"}, "math/0309136"),
        ({"journal": "CoRR", "ee": "http://arxiv.org/abs/1706.03762"}, "1706.03762"),
        ({"journal": "CoRR", "ee": "https://doi.org/10.48550/ARXIV.2406.20062"}, "2406.20062"),
        ({"volume": "abs/1706.03762"}, ""),
    ],
)
def test_arxiv_ids(changes: dict[str, str], expected: str) -> None:
    assert paper(**changes).arxiv == expected


def test_a_thesis_with_a_translated_title() -> None:
    element = "<phdthesis KEY><title>Learning (fast). (Apprentissage (rapide)).</title></phdthesis>"
    found = record(element, "phd/hal/X")
    assert (found.title, found.other_titles[0]) == ("Learning (fast)", "Apprentissage (rapide)")


@pytest.mark.parametrize(
    "element",
    [
        '<article key="homepages/v/AshishVaswani"><title>Home Page</title></article>',
        '<article key="x/y/Z1"><author>A B</author></article>',
        "<article><title>T</title></article>",
        '<person key="x/y/Z1"><title>T</title></person>',
    ],
)
def test_everything_else_is_no_publication(element: str) -> None:
    assert read(element) is None


def test_a_preprint() -> None:
    element = """<article publtype="informal" KEY><author>A B</author><title>On <i>k</i>-SAT and H<sub>2</sub>O?</title>
    <year>2017</year><volume>abs/1706.03762</volume><journal>CoRR</journal><ee>http://arxiv.org/abs/1706.03762</ee></article>"""
    found = record(element, "journals/corr/VaswaniSPUJGKP17")
    assert (found.title, found.type, found.arxiv, found.venues) == (
        "On k-SAT and H2O?",
        "preprint",
        "1706.03762",
        ("CoRR",),
    )
    assert found.notices == ()
    withdrawn = record(element.replace('"informal"', '"informal withdrawn"'), "journals/corr/abs-1706-03762")
    assert (withdrawn.type, withdrawn.notices) == ("preprint", (Notice("removal", "dblp"),))


@pytest.mark.parametrize(
    ("element", "kind", "venues"),
    [
        ("<article KEY><title>T</title><journal>J</journal></article>", "article", ("J",)),
        ('<article publtype="informal" KEY><title>T</title><journal>J</journal></article>', "other", ("J",)),
        ("<incollection KEY><title>T</title><booktitle>B</booktitle></incollection>", "chapter", ("B",)),
        ("<book KEY><title>T</title><series>S</series></book>", "book", ("S",)),
        ("<phdthesis KEY><title>T</title><school>U</school></phdthesis>", "thesis", ("U",)),
        ("<mastersthesis KEY><title>T</title><school>U</school></mastersthesis>", "thesis", ("U",)),
        ("<data KEY><title>T</title></data>", "dataset", ()),
        ("<www KEY><title>T</title></www>", "other", ()),
    ],
)
def test_kinds_of_publications(element: str, kind: str, venues: tuple[str, ...]) -> None:
    found = record(element)
    assert (found.type, found.venues) == (kind, venues)


def test_proceedings_and_their_editors() -> None:
    element = """<proceedings KEY><editor>Ed Itor 0002</editor><title>Proceedings of X</title><volume>12</volume>
    <year>2008</year><isbn>978-3-540-87876-6</isbn><booktitle>X</booktitle><series>LNCS</series><publisher>P</publisher>
    </proceedings>"""
    found = record(element)
    assert (found.authors, found.editors) == ((), (Person(literal="Ed Itor"),))
    assert (found.type, found.venues, found.isbn) == ("proceedings", ("X", "LNCS"), ("9783540878766",))
    assert (found.volume, found.publisher, found.years) == ("12", "P", (2008,))


def test_a_book_with_authors_and_editors() -> None:
    found = record("<book KEY><author>A B</author><editor>C D</editor><title>T</title></book>")
    assert (found.authors, found.editors) == ((Person(literal="A B"),), (Person(literal="C D"),))
