"""Parsing shared by PubMed and Europe PMC: titles, journals and links in MEDLINE's form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.matching import without_markup
from pytest_citecheck.model import Notice
from pytest_citecheck.sources import cited_doi, journal_names, medline_notices, medline_title, other_version


@pytest.mark.parametrize(
    ("stated", "title"),
    [
        ("A plain title.", "A plain title"),
        ("Is it so?", "Is it so?"),
        ("A title without a stop", "A title without a stop"),
        ("[A translated title].", "A translated title"),
        ("[A translated title.]", "A translated title"),
        ("[Is it so?].", "Is it so?"),
        ("[A translated title (author's transl)].", "A translated title"),
        ("[3H]Ouabain binding and uptake of [14C].", "[3H]Ouabain binding and uptake of [14C]"),
        ("[One] and [two].", "[One] and [two]"),
        ("Health care in the U.S.", "Health care in the U.S."),
        ("And so on...", "And so on..."),
        ("CellML 2.0.", "CellML 2.0"),
        ("The <i>TERT</i> gene &amp; more.", "The TERT gene & more"),
        ("[Not Available].", ""),
        ("[not available]", ""),
        ("", ""),
    ],
)
def test_titles(stated: str, title: str) -> None:
    assert medline_title(stated) == title


@given(st.text(alphabet="abÄ .?:-5", max_size=20))
def test_brackets_change_nothing_else(title: str) -> None:
    found = medline_title(title)
    assert medline_title(f"[{title}].") == found
    assert without_markup(title).startswith(found)


def test_journals_without_the_place_that_tells_namesakes_apart() -> None:
    assert journal_names("Science (New York, N.Y.)", "Science", "") == ("Science", "Science (New York, N.Y.)")
    assert journal_names("BMJ (Clinical research ed.)") == ("BMJ", "BMJ (Clinical research ed.)")
    assert journal_names("Genes, brain &amp; behavior", "Genes Brain Behav") == (
        "Genes, brain & behavior",
        "Genes Brain Behav",
    )
    assert journal_names("(Untold)") == ("(Untold)",)


@pytest.mark.parametrize(
    ("link", "reference", "notice"),
    [
        (
            "RetractionIn",
            "Lancet. 2010 Feb 6;375(9713):445. doi: 10.1016/S0140-6736(10)60175-4.",
            Notice("retraction", "x", "2010-02-06", "10.1016/s0140-6736(10)60175-4"),
        ),
        ("Retraction in", "Somewhere. 2011 Mar-Apr;3(2):1", Notice("retraction", "x", "2011-03")),
        ("RetractedandRepublishedIn", "Somewhere. 2011;3:1", Notice("retraction", "x", "2011")),
        ("PartialRetractionIn", "Somewhere. 2011 Winter;3:1", Notice("correction", "x", "2011")),
        ("Expression of concern in", "Somewhere", Notice("concern", "x")),
        ("ErratumIn", "BMJ. 2018 Aug 17;362:k3210", Notice("correction", "x", "2018-08-17")),
        ("CorrectedandRepublishedIn", "Somewhere. 2011 May 99;1:1", Notice("correction", "x", "2011-05")),
    ],
)
def test_notices_on_a_work(link: str, reference: str, notice: Notice) -> None:
    assert medline_notices([(link, reference)], ["Journal Article"], "x") == (notice,)


@pytest.mark.parametrize(
    "link", ["RetractionOf", "Retraction of", "ErratumFor", "Erratum for", "CommentIn", "Cites", "UpdateIn", ""]
)
def test_what_a_work_says_of_others_is_no_notice_on_it(link: str) -> None:
    assert medline_notices([(link, "Somewhere. 2011 May 3;1:1")], ["Retraction of Publication"], "x") == ()


def test_a_publication_type_alone_tells_of_a_retraction_once() -> None:
    types = ["Journal Article", "Retracted Publication"]
    assert medline_notices([], types, "x") == (Notice("retraction", "x"),)
    linked = medline_notices([("RetractionIn", "Somewhere. 2011;1:1")], types, "x")
    assert linked == (Notice("retraction", "x", "2011"),)


def test_links_to_other_versions() -> None:
    assert other_version("UpdateIn") == other_version("Preprint of") == "is-preprint-of"
    assert other_version("UpdateOf") == other_version("Preprint in") == "has-preprint"
    assert other_version("Cites") == ""
    assert cited_doi("Cell. 2023 Jul 20;186(15):3307-3324.e30. doi: 10.1016/J.CELL.2023.05.044.") == (
        "10.1016/j.cell.2023.05.044"
    )
    assert cited_doi("BMJ. 2018 Aug 17;362:k3210") == ""
