"""Claims of pages of wikis, and the texts that they cite."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.cli import main
from pytest_citecheck.model import Absent, Found, Query
from pytest_citecheck.models.claims import (
    PAGE_TEXT,
    WIKI_PAGE,
    WikiCitation,
    abstract_urls,
    is_pinned,
    read_claim_file,
    read_wiki_page,
    text_of,
)
from pytest_citecheck.net import Cassette, Interaction
from pytest_citecheck.sources import MalformedAnswerError, Response, Source

ADDRESS = "https://en.wikipedia.org/w/index.php?title=Port_Ellen&oldid=12"
LIVE, COPY = "https://example.org/live", "https://web.archive.org/web/2020/https://example.org/live"


def mark(number: int, name: str = "") -> str:
    return f'<sup class="reference"><a href="#cite_note-{name or number}">[{number}]</a></sup>'


NOTES = f"""<ol>
<li id="cite_note-1"><a href="{LIVE}">Title</a>. <a href="{COPY}">Archived</a>. <a href="/wiki/Other">w</a></li>
<li id="cite_note-10"><a href="#CITEREFSmith2001">Smith 2001</a>, p. 12.</li>
<li id="cite_note-2"><a href="https://archive.today/abc">copy</a> <a href="https://example.net/x">live</a></li>
<li id="cite_note-3">A book. <a href="https://books.google.com/books?id=1">search</a></li></ol>
<cite id="CITEREFSmith2001">Smith (2001). <a href="https://example.com/smith.pdf">A book</a>.</cite>"""


def citations(text: str) -> tuple[WikiCitation, ...]:
    return read_wiki_page(f"<h1>Port Ellen</h1><div><p>{text}</p>{NOTES}</div>", ADDRESS).citations


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        (f"It is old.{mark(1)} It is high.{mark(2)}", ["It is old.", "It is high."]),
        (f"It is very old.{mark(1)}{mark(2)}", ["It is very old.", "It is very old."]),
        (f"It is very old.{mark(1)} {mark(2)} ", ["It is very old.", "It is very old."]),
        (f"It is old.{mark(1)},{mark(2)}", ["It is old.", "It is old.,"]),  # a comma is text: too little, so the whole
        (f"Built in 1832{mark(1)} by X.{mark(2)}", ["Built in 1832", "Built in 1832 by X."]),
        (f"It is old.<sup>[<i>citation\u00a0needed</i>]</sup> And high.{mark(1)}", ["It is old. And high."]),
        (f"It is old.<sup>[<a>when?</a>]</sup><style>p {{}}</style> And high.{mark(1)}", ["It is old. And high."]),
    ],
)
def test_w27_a_claim_is_the_text_before_its_mark(text: str, claims: list[str]) -> None:
    assert [one.claim.rstrip(",").replace(".,", ".") for one in citations(text)] == [
        claim.replace(".,", ".") for claim in claims
    ]


def test_w27_one_is_not_ten_and_named_references_come_again() -> None:
    found = citations(f"It is very old.{mark(10)} It is very high.{mark(1)} It is white and red.{mark(1)}")
    assert [(one.number, one.occurrence, one.occurrences) for one in found] == [(10, 1, 1), (1, 1, 2), (1, 2, 2)]
    page = read_wiki_page(f"<p>It is very old.{mark(10)}</p>", ADDRESS)
    assert page.find(1) is None


def test_w28_a_citation_that_is_not_there_is_no_other_one() -> None:
    page = read_wiki_page(f"<p>It is very old.{mark(10)}</p>", ADDRESS)
    assert (page.find(10, 1), page.find(10, 2), page.find(1)) == (page.citations[0], None, None)


def test_w27_archives_first_and_short_citations_are_followed() -> None:
    found = {one.number: one.cited for one in citations("".join(map(mark, (1, 10, 2, 3))))}
    assert [found[number].url for number in (1, 10, 2, 3)] == [
        COPY, "https://example.com/smith.pdf", "https://example.net/x", "",
    ]  # fmt: skip
    assert found[10].page == "12"


def test_a_page_is_pinned_by_its_revision() -> None:
    assert is_pinned(ADDRESS)
    assert not is_pinned("https://en.wikipedia.org/wiki/Port_Ellen")


@given(st.text(st.sampled_from('<>/=" psupa[1]div#cite_note-1\n'), max_size=200))
def test_any_page_is_read(page: str) -> None:
    read_wiki_page(page, ADDRESS)


@pytest.mark.exhaustive
def test_a_deep_page_takes_linear_time() -> None:
    assert read_wiki_page("<div><span>" * 20_000 + mark(1), ADDRESS).citations


def answer(body: str | bytes, kind: str = "text/html", status: int = 200) -> str:
    question = Query("url", LIVE)
    data = body.encode() if isinstance(body, str) else body
    found = PAGE_TEXT.parse([question], Response(status, data, {"content-type": kind}))[question]
    assert isinstance(found, Found)
    return text_of(found.records[0])


WORDS = "The lighthouse of Port Ellen was finished in 1832. " * 3


def test_the_text_of_a_page_is_that_of_its_article() -> None:
    page = f"<body><nav>Menu</nav><article><h1>Title</h1><script>x()</script><p>{WORDS}</p></article><footer>F</footer>"
    assert answer(page) == f"Title{WORDS}".strip()
    assert "Menu" in answer(f"<body><nav>Menu</nav><p>{WORDS}</p>")
    assert answer(WORDS, "text/plain") == WORDS
    crossref = {"message": {"abstract": "<jats:p>The lighthouse &lt; others.</jats:p>"}}
    assert answer(json.dumps(crossref), "application/json").startswith("The lighthouse")
    assert answer(json.dumps({"resultList": {"result": [{"abstractText": "Short."}]}}), "application/json") == "Short."


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        ("<p>Please log in.</p>", "text/html", 200),
        ("{}", "application/json", 200),
        ('{"message": 5, "resultList": []}', "application/json", 200),
        ("{", "application/json", 200),
        (b"\x00\x01", "image/png", 200),
        ("bad", "text/html", 400),
        ("", "", 200),
    ],
)
def test_what_has_no_text_is_no_answer(body: str | bytes, kind: str, status: int) -> None:
    with pytest.raises(MalformedAnswerError):
        answer(body, kind, status)


def test_a_page_that_is_gone_is_absent() -> None:
    question = Query("url", LIVE)
    assert isinstance(PAGE_TEXT.parse([question], Response(404, b"", {}))[question], Absent)


def test_a_copy_of_the_wayback_machine_is_fetched_without_its_frame() -> None:
    assert PAGE_TEXT.request([Query("url", COPY)]).url == COPY.replace("/2020/", "/2020id_/")
    assert [url.split("/")[2] for url in abstract_urls("10.1/a", "1706.03762", "1")] == [
        "www.ebi.ac.uk", "export.arxiv.org", "api.crossref.org", "www.ebi.ac.uk",
    ]  # fmt: skip


def record(folder: Path, source: Source, pages: dict[str, tuple[str, str]]) -> None:
    folder.mkdir(exist_ok=True)
    cassette = Cassette(folder, source, fresh=True)
    for url, (body, kind) in pages.items():
        request = source.request([Query("url", url)])
        cassette.record(Interaction.of(request, 200, {"content-type": kind}, body.encode()))
    cassette.save()


def test_a_wiki_page_becomes_a_file_of_claims_and_its_sources_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    page = f"<h1>P</h1><p>It was finished in 1832.{mark(1)}{mark(2)} It is very white.{mark(3)}</p>{NOTES}"
    record(tmp_path / "tapes", WIKI_PAGE, {ADDRESS: (f"{page}{' ' * 100}", "text/html")})
    record(tmp_path / "tapes", PAGE_TEXT, {COPY: (f"<p>{WORDS}</p>", "text/html")})
    assert main(["claims", "extract", ADDRESS, "one.json", "--cassettes=tapes"]) == 0
    pairs = {pair.id: pair for pair in read_claim_file(tmp_path / "one.json", "one.json").pairs}
    assert pairs["cite_1"].source.startswith("The lighthouse")
    assert [(name, pair.unfit) for name, pair in pairs.items() if pair.unfit] == [
        ("cite_2", "the source could not be fetched"), ("cite_3", "no URL is cited"),
    ]  # fmt: skip
    capsys.readouterr()
    assert (
        main(
            ["claims", "extract", ADDRESS, "two.json", "--cassettes=tapes", "--groups", "--citation=1", "--citation=9"]
        )
        == 0
    )
    assert "the page has no citation [9]" in capsys.readouterr().err  # W28
    assert main(["claims", "extract", ADDRESS, "two.json", "--cassettes=tapes", "--groups"]) == 0
    together = read_claim_file(tmp_path / "two.json", "two.json").pairs[0]
    assert (together.id, together.sources) == ("cite_1+cite_2", 2)
    assert "[Source 2 of 2] not available: not in the cassettes" in together.source
    record(tmp_path / "live", WIKI_PAGE, {LIVE: (f"{page}{' ' * 100}", "text/html")})
    assert main(["claims", "extract", LIVE, "x.json", "--cassettes=live"]) == 2
    assert "states no revision" in capsys.readouterr().err


def test_the_current_revision_is_used_where_none_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    script = '<script>RLCONF={"wgRevisionId":4711,"wgTitle":"P"}</script>'
    page = f"{script}<h1>P</h1><p>It was finished in 1832.{mark(1)}</p>{NOTES}{' ' * 100}"
    record(tmp_path / "tapes", WIKI_PAGE, {LIVE: (page, "text/html")})
    assert main(["claims", "extract", LIVE, "one.json", "--cassettes=tapes"]) == 0
    assert f"revision: {LIVE}?oldid=4711" in capsys.readouterr().out
    assert json.loads(Path("one.json").read_text(encoding="utf-8"))["metadata"]["article_url"] == f"{LIVE}?oldid=4711"


@pytest.mark.parametrize("separator", [",", ";"])
def test_the_table_of_the_benchmark_is_extracted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], separator: str
) -> None:
    monkeypatch.chdir(tmp_path)
    page = f"<h1>P</h1><p>It was finished in 1832.{mark(1)} It is very white.{mark(1)}</p>{NOTES}{' ' * 100}"
    record(tmp_path / "tapes", WIKI_PAGE, {ADDRESS: (page, "text/html")})
    record(tmp_path / "tapes", PAGE_TEXT, {COPY: (f"<p>{WORDS}</p>", "text/html")})
    lines = [
        ["Citation number", "Citation instance", "Article URL with oldid", "Ground truth", "Dataset version", "Notes", "", ""],
        ["1", "2", ADDRESS, "Supported", "v1", "", "", ""],
        ["1", "3", ADDRESS, "Not supported", "v3", "two\nlines", "", ""],
        ["1", "1", f"{ADDRESS}3", "Partially supported", "v2", "", "", ""],
    ]  # fmt: skip
    text = "\r\n".join(separator.join(f'"{cell}"' for cell in line) for line in lines)
    Path("citations.csv").write_text(text, encoding="utf-8-sig", newline="")
    assert main(["claims", "extract", "citations.csv", "c.json", "--cassettes=tapes"]) == 0
    pairs = read_claim_file(Path("c.json"), "c.json").pairs
    assert [(pair.id, pair.truth, pair.version, pair.unfit) for pair in pairs] == [
        ("row_2", "Supported", "v1", ""),
        ("row_3", "Not supported", "v3", "the claim could not be extracted"),
        ("row_4", "Partially supported", "v2", "the article could not be fetched"),
    ]
    assert (pairs[0].claim, pairs[0].source[:14]) == ("It is very white.", "The lighthouse")
    assert "row_3: claim_extraction_failed: the page has 2 occurrences of [1]" in capsys.readouterr().err
    Path("other.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    assert main(["claims", "extract", "other.csv", "c.json"]) == 2


def test_the_sources_of_a_manuscript_are_filled_with_abstracts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("paper.md").write_text(
        "Stated here as a claim [@own]. Given there [@doi]. Nobody has it [@none]. Lost [@gone].\n"
    )
    Path("refs.bib").write_text(
        "@misc{own, title={A}, abstract={An abstract of its own.}}\n@article{doi, title={B}, doi={10.1234/b}}\n"
        "@misc{none, title={C}}"
    )
    crossref = json.dumps({"message": {"abstract": "<jats:p>From Crossref.</jats:p>"}})
    record(
        tmp_path / "tapes", PAGE_TEXT, {"https://api.crossref.org/works/10.1234%2Fb": (crossref, "application/json")}
    )
    assert main(["claims", "sources", "paper.md", "--bib=refs.bib", "--cassettes=tapes"]) == 0
    said = capsys.readouterr()
    assert "doi: sources/doi.abstract.txt" in said.out
    assert "2 of 4 missing sources filled" in said.out
    assert "none: nothing: the entry has no identifier" in said.err
    assert "gone: nothing: no entry with this key" in said.err
    pairs = {pair.id: pair for pair in read_claim_file(Path("paper.md"), "paper.md").pairs}
    assert pairs["doi"].source == "From Crossref.\n"
    assert pairs["doi"].abstract
    assert pairs["own"].source_name == "sources/own.abstract.txt"
