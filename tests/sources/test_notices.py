"""Notices on works: Crossref's links to them, and prefixes of titles."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.matching import compare_titles
from pytest_citecheck.model import Notice
from pytest_citecheck.sources import announced, notices_of

TITLE = "A Study of Nothing at All"


def update(kind: str, source: str = "publisher", date: object = None, doi: str = "10.1000/NOTICE") -> dict[str, object]:
    updated = {"updated": {"date-parts": [date]}} if date else {}
    return {"type": kind, "source": source, "DOI": doi, "label": kind.title(), **updated}


@pytest.mark.parametrize(
    ("stated", "kind"),
    [
        ("retraction", "retraction"),
        ("Retraction", "retraction"),
        ("withdrawal", "removal"),
        ("removal", "removal"),
        ("expression_of_concern", "concern"),
        ("expression-of-concern", "concern"),
        ("partial_retraction", "concern"),
        ("correction", "correction"),
        ("corrigendum", "correction"),
        ("erratum", "correction"),
        ("addendum", "correction"),
        ("clarification", "correction"),
        ("new_version", None),
        ("new_edition", None),
        ("something", None),
        ("", None),
    ],
)
def test_types_of_updates(stated: str, kind: str | None) -> None:
    found = notices_of({"updated-by": [update(stated, date=[2020, 5, 4])]})
    assert [notice.kind for notice in found] == ([kind] if kind else [])


def test_who_stated_it_and_when() -> None:
    updates = [update("retraction", date=[2020, 5]), update("retraction", "retraction-watch", [2020, 5, 4], "")]
    assert notices_of({"updated-by": updates}) == (
        Notice("retraction", "crossref", "2020-05", "10.1000/notice"),
        Notice("retraction", "retraction-watch", "2020-05-04"),
    )


def test_updates_that_the_work_itself_makes_are_none_on_it() -> None:
    assert notices_of({"update-to": [update("retraction")]}) == ()


@pytest.mark.parametrize(
    ("updates", "kinds"),
    [
        ([update("retraction", date=[2019, 1, 1]), update("reinstatement", date=[2020, 1, 1])], []),
        ([update("retraction"), update("reinstatement", date=[2020, 1, 1])], []),
        ([update("retraction", date=[2019, 1, 1]), update("reinstatement")], []),
        ([update("retraction", date=[2021, 1, 1]), update("reinstatement", date=[2020, 1, 1])], ["retraction"]),
        ([update("correction", date=[2019, 1, 1]), update("reinstatement", date=[2020, 1, 1])], ["correction"]),
    ],
)
def test_what_was_reinstated_is_not_retracted_any_more(updates: list[object], kinds: list[str]) -> None:
    assert [notice.kind for notice in notices_of({"updated-by": updates})] == kinds


@pytest.mark.parametrize("updates", [None, 3, "retraction", [None, 3, [], {}, {"type": ["retraction"]}]])
def test_updates_of_another_form_are_none(updates: object) -> None:
    assert notices_of({"updated-by": updates}) == ()


@pytest.mark.parametrize(
    ("stated", "kind"),
    [
        (f"RETRACTED: {TITLE}", "retraction"),
        (f"Retracted: {TITLE}", "retraction"),
        (f"RETRACTED ARTICLE: {TITLE}", "retraction"),
        (f"Retracted Chapter: {TITLE}", "retraction"),
        (f"RETRACTED ARTICLE - {TITLE}", "retraction"),
        (f"[RETRACTED] {TITLE}", "retraction"),
        (f"[Retracted Article]. {TITLE}", "retraction"),
        (f"{TITLE} (Retracted)", "retraction"),
        (f"{TITLE} [RETRACTED ARTICLE].", "retraction"),
        (f"WITHDRAWN: {TITLE}", "removal"),
        (f"(Withdrawn) {TITLE}", "removal"),
        (f"REMOVED: {TITLE}", "removal"),
    ],
)
def test_titles_that_announce_a_notice(stated: str, kind: str) -> None:
    found = announced(stated)
    assert found == (kind, TITLE)
    assert compare_titles(TITLE, stated, "", [found[1]]).relation == "same"


@pytest.mark.parametrize(
    "title",
    [
        TITLE,
        "",
        f"Retraction: {TITLE}",
        f"Retraction notice to {TITLE}",
        f"Erratum: {TITLE}",
        f"Notice of Retraction: {TITLE}",
        "Retracted Science and the Retraction Index",
        "Withdrawn from the world",
        "Removed: how words leave a language",
        "RETRACTED:",
        "Why has the number of retracted articles increased?",
    ],
)
def test_titles_that_announce_nothing(title: str) -> None:
    assert announced(title) is None


@pytest.mark.parametrize(
    ("stated", "kind"),
    [
        (f"Notice of Retraction: {TITLE}", "retraction"),
        (f"Notice of Retraction {TITLE}", "retraction"),
        (f"Notice of Violation of IEEE Publication Principles: {TITLE}", "concern"),
        (f"Notice of Violation of IEEE Publication Principles {TITLE}", "concern"),
    ],
)
def test_ieee_gives_the_work_the_title_of_the_notice(stated: str, kind: str) -> None:
    assert announced(stated, "10.1109/icbbe.2011.1") == (kind, TITLE)
    assert announced(stated, "10.1001/jama.1") is None


@given(st.text(max_size=60))
def test_what_is_left_is_part_of_the_title(title: str) -> None:
    found = announced(title)
    assert found is None or (found[1] and found[1] in title)
