"""Texts of sources: their encodings, PDFs, pages that are no source, and long ones, of which nothing is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_citecheck.model import Found, Query
from pytest_citecheck.models import ModelAnswer
from pytest_citecheck.models.claims import (
    LONGEST_SOURCE,
    PAGE_TEXT,
    ClaimPair,
    SourceFolder,
    decoded_page,
    decoded_text,
    judge_without_model,
    judgement,
    nearest_passages,
    row_of,
    second_prompt,
    text_of,
    together,
    unusable,
    user_prompt,
)
from pytest_citecheck.sources import MalformedAnswerError, Response

CLAIM = "The lighthouse of Skerry Point was finished in 1832 after six years of work."
FILLER = "The keeper wrote a letter about the weather to his sister on the mainland. "
LONG = FILLER * 2_000 + CLAIM + " " + FILLER * 50
GERMAN = "Der Turm ist aus Granit und wurde von der Stadt für die Fischer gebaut. "
CHINESE = "灯塔于1832年完工，高三十一米，由花岗岩建成。" * 10
FRENCH = "Le phare a été achevé en 1832 ; il est élevé de trente et un mètres."


# Nothing of a long source is dropped.


def test_a_claim_on_the_last_page_is_found() -> None:
    assert len(LONG) > 2 * LONGEST_SOURCE
    found = judge_without_model(CLAIM, LONG)
    assert (found.verdict, found.quote) == ("Supported", CLAIM)
    assert CLAIM in nearest_passages(CLAIM, LONG)
    wrong = judge_without_model(CLAIM.replace("1832", "1823"), LONG)
    assert (wrong.verdict, wrong.comments) == ("Not supported", "the claim says 1823, the source 1832")


def test_a_model_sees_the_passages_that_resemble_the_claim_and_knows_what_it_does_not_see() -> None:
    said = user_prompt(ClaimPair("a", CLAIM, LONG))
    assert CLAIM in said.split("Text of the source:")[1]
    assert len(said) < LONGEST_SOURCE + 5_000
    assert "characters not shown …]" in said
    assert f"The source has {len(LONG):,} characters. All of it was searched for the words of the claim." in said


def test_a_short_source_is_shown_as_it_is() -> None:
    pair = ClaimPair("a", CLAIM, "x" * LONGEST_SOURCE)
    assert "x" * LONGEST_SOURCE + "\n===" in user_prompt(pair)
    assert "searched" not in user_prompt(pair)
    assert second_prompt(pair, judgement('{"verdict": "NOT SUPPORTED", "more": "storm"}')) == ""


def test_a_model_that_does_not_find_a_claim_sees_other_passages() -> None:
    storm = "A gale blew the roof away that winter."
    pair = ClaimPair("a", "A storm destroyed the tower.", FILLER * 1_000 + storm + FILLER * 1_000)
    assert storm not in user_prompt(pair)
    more = judgement('{"verdict": "NOT SUPPORTED", "reason_type": "omission", "more": "gale roof"}')
    again = second_prompt(pair, more)
    assert storm in again
    assert again.count("===") == user_prompt(pair).count("===")
    assert second_prompt(pair, judgement('{"verdict": "NOT SUPPORTED", "reason_type": "contradiction"}')) == ""
    assert second_prompt(pair, judgement('{"verdict": "SUPPORTED"}')) == ""


def test_the_row_states_how_much_a_model_saw() -> None:
    answer = ModelAnswer('{"verdict": "NOT SUPPORTED"}', prompt_tokens=5, cost=0.1, seconds=1.0)
    both = together(answer, ModelAnswer('{"verdict": "SUPPORTED"}', prompt_tokens=7, cost=0.2, seconds=2.0))
    assert (both.prompt_tokens, both.completion_tokens, round(both.cost or 0, 3), both.calls) == (12, None, 0.3, 2)
    one, two = (row_of(ClaimPair("a", CLAIM, LONG), "m", "m", said).seen for said in (answer, both))
    assert f"of {len(LONG):,} characters" in one
    assert int(two.split()[0].replace(",", "")) > int(one.split()[0].replace(",", ""))
    assert row_of(ClaimPair("a", CLAIM, CLAIM), "m", "m", answer).seen == ""


def test_every_source_of_a_group_keeps_its_label() -> None:
    source = f"[Source 1 of 2]\n{FILLER * 900}\n\n[Source 2 of 2]\n{FILLER * 900}{CLAIM}"
    said = user_prompt(ClaimPair("a", CLAIM, source, sources=2))
    assert "[Source 1 of 2]" in said
    assert said.index("[Source 2 of 2]") < said.rindex(CLAIM)


# Encodings.


@pytest.mark.parametrize(
    ("data", "charset", "expected"),
    [
        (f'<meta charset="gbk"><p>{CHINESE}'.encode("gbk"), "", CHINESE),
        (f'<meta http-equiv="Content-Type" content="text/html; charset=gb2312"><p>{CHINESE}'.encode("gbk"), "", CHINESE),
        (f"<p>{CHINESE}".encode("gbk"), "gbk", CHINESE),
        (f'<meta charset="iso-8859-1"><p>{FRENCH}'.encode("latin-1"), "", FRENCH),
        (f"<p>{FRENCH}".encode("latin-1"), "ISO-8859-1", FRENCH),
        (f"<p>{FRENCH}".encode("latin-1"), "", FRENCH),
        (f"<p>{FRENCH}".encode("utf-16"), "", FRENCH),
        (f"<p>{FRENCH}".encode("utf-16-le"), "", FRENCH),
        (f"<p>{FRENCH}".encode("utf-8-sig"), "latin-1", FRENCH),
        (f'<?xml version="1.0" encoding="windows-1252"?><p>{FRENCH}'.encode("cp1252"), "", FRENCH),
        (f'<meta charset="utf-8"><p>{FRENCH}'.encode("cp1252"), "no-such-charset", FRENCH),
        (f"<p>{FRENCH}".encode(), "", FRENCH),
    ],
)  # fmt: skip
def test_a_page_is_decoded_by_its_mark_http_or_itself(data: bytes, charset: str, expected: str) -> None:
    assert expected in decoded_page(data, charset)


@pytest.mark.parametrize("encoding", ["gbk", "utf-8", "utf-16", "utf-8-sig"])
def test_a_chinese_text_states_no_encoding(encoding: str) -> None:
    assert decoded_text(CHINESE.encode(encoding)) == CHINESE


def test_files_in_the_folder_are_decoded(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(f'<meta charset="gbk"><body>{CHINESE}'.encode("gbk"))
    (tmp_path / "b.txt").write_bytes(FRENCH.encode("utf-16"))
    assert SourceFolder(tmp_path).text("a")[0] == CHINESE
    assert SourceFolder(tmp_path).text("b")[0] == FRENCH


def test_a_pdf_is_read_with_the_library_of_the_extra(tmp_path: Path) -> None:
    pytest.importorskip("pypdfium2")
    lines = ["The lighthouse of Skerry Point was fin-", "ished in 1832 after six years", "of work."]
    stream = "BT /F1 12 Tf 72 700 Td " + " ".join(f"({line}) Tj 0 -14 Td" for line in lines) + " ET"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    body = "%PDF-1.4\n" + "".join(f"{number} 0 obj\n{one}\nendobj\n" for number, one in enumerate(objects, start=1))
    (tmp_path / "a.pdf").write_bytes((body + "trailer << /Root 1 0 R /Size 6 >>\n%%EOF\n").encode())
    text, name, problem = SourceFolder(tmp_path).text("a")
    assert (text, problem) == (CLAIM, "")
    assert judge_without_model(CLAIM, text).verdict == "Supported"
    assert name.endswith("/a.pdf")


# Texts that are no source.


MENU = "Home | News | Sport | Contact\n"
NOTICES = {
    "a paywall": MENU + "The flood of Milbeck. Subscribe to continue reading this article. Already a subscriber?",
    "a cookie notice": MENU + "We and our 812 partners use cookies. Accept all cookies or manage your preferences.",
    "a robot check": "Please verify you are human by completing the action below. This site checks your connection first.",
    "an error page": MENU + "404 – Page not found. The page you are looking for has moved. Try to search our site.",
    "a login page": MENU + "You must log in to view this page. Forgot your password?",
    "a notice about scripts": MENU + "You need to enable JavaScript to run this app. Please reload this page.",
}  # fmt: skip
CLOUDFLARE = (
    "Just a moment... Checking your browser before accessing the site. Ray ID: 7d1f2a3b4c5d Security by Cloudflare."
)


@pytest.mark.parametrize("reason", NOTICES)
def test_a_notice_is_no_source(reason: str, tmp_path: Path) -> None:
    assert unusable(NOTICES[reason]) == f"the source is {reason}"
    found = judge_without_model(CLAIM, NOTICES[reason])
    assert (found.verdict, found.comments) == ("Source unavailable", f"the source is {reason}")
    (tmp_path / "a.html").write_text(f"<p>{NOTICES[reason]}", encoding="utf-8")
    assert SourceFolder(tmp_path).text("a")[2].endswith(f"/a.html is no source: the source is {reason}")


@pytest.mark.parametrize("text", [*NOTICES.values(), CLOUDFLARE])
def test_a_notice_is_refused_where_pages_are_fetched(text: str) -> None:
    response = Response(200, f"<body><p>{text}</p></body>".encode(), {"content-type": "text/html"})
    with pytest.raises(MalformedAnswerError, match="the source is a"):
        PAGE_TEXT.parse([Query("url", "https://x.example/")], response)


def test_an_article_beside_a_notice_is_a_source() -> None:
    article = (FILLER + CLAIM + " ") * 8
    text = f"We use cookies. Accept all cookies. {article} Subscribe to read more. Page not found? Tell us."
    assert unusable(text, CLAIM) == ""
    response = Response(200, f"<p>{text}".encode(), {"content-type": "text/html"})
    (answer,) = PAGE_TEXT.parse([Query("url", "https://x.example/")], response).values()
    assert isinstance(answer, Found)
    assert CLAIM in text_of(answer.records[0])


def test_a_paper_about_notices_is_a_source() -> None:
    abstract = (
        "We study CAPTCHAs, which ask users to prove that they are human. Robots solve most of them in less time than people do. "
        "In an experiment with 1,400 participants, distorted letters took 15 seconds on average, and grids of pictures took 26. "
        "A cookie policy that remembers solved puzzles halves the time. We discuss what follows for sites that show them often, "
        "and release the data of the study together with the code of all the programs that solved the puzzles. "
        "Our results suggest that puzzles of this kind cost people more time than they cost the programs that they are to stop."
    )
    assert unusable(abstract) == ""


@pytest.mark.parametrize(
    ("text", "language"),
    [(FRENCH * 4, "French"), (CHINESE, "Chinese"), (GERMAN * 4, "German")],
)  # fmt: skip
def test_a_text_in_another_language_is_named(text: str, language: str) -> None:
    claim = "The lighthouse of the town was built by the fishermen and is made of granite from the island."
    assert unusable(text, claim) == f"the source is in {language}, the claim in English"
    assert unusable(text) == ""
