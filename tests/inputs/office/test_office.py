"""Word and OpenDocument: items of citation managers first, else the final list; damaged files are errors."""

from __future__ import annotations

import base64
import io
import json
import zipfile
from collections.abc import Callable
from xml.sax.saxutils import escape, quoteattr

import pytest

from pytest_citecheck.inputs import DOCX, ODT, Bibliography, UnreadableDocumentError

LSTM = "Hochreiter, S., & Schmidhuber, J. (1997). Long short-term memory. Neural Computation, 9(8), 1735–1780."
ITEM = {
    "id": 7,
    "type": "article-journal",
    "title": "Random forests",
    "author": [{"family": "Breiman", "given": "Leo"}],
    "DOI": "10.1023/A:1",
}
CSL = json.dumps({"citationID": "x", "citationItems": [{"id": 7, "uris": ["http://zotero.org/1"], "itemData": ITEM}]})
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
TEXT = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"


def archive(**parts: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as made:
        for name, text in parts.items():
            made.writestr(name.replace("__", "/").replace("_", "."), text)
    return packed.getvalue()


def docx(*paragraphs: str, **parts: str) -> bytes:
    body = "".join(f"<w:p>{one}</w:p>" for one in paragraphs)
    return archive(word__document_xml=f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>', **parts)


def odt(*paragraphs: str) -> bytes:
    body = "".join(f"<text:p>{one}</text:p>" for one in paragraphs)
    return archive(content_xml=f'<office xmlns:text="{TEXT}"><body>{body}</body></office>')


def run(text: str) -> str:
    return f"<w:r><w:t>{escape(text)}</w:t></w:r>"


def field(code: str, shown: str = "(Breiman, 2001)") -> str:
    half = len(code) // 2
    marks = [f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "separate", "end")]
    codes = "".join(f"<w:r><w:instrText>{escape(part)}</w:instrText></w:r>" for part in (code[:half], code[half:]))
    return marks[0] + codes + marks[1] + run(shown) + marks[2]


ENDNOTE = (
    " ADDIN EN.CITE <EndNote><Cite><record><rec-number>3</rec-number><ref-type name='Journal Article'>17</ref-type><contributors>"
    "<authors><author>Breiman, Leo</author></authors></contributors><titles><title>Random forests</title></titles></record>"
    "</Cite></EndNote>"
)
CONTROL = base64.b64encode(CSL.encode()).decode()
DATA = base64.b64encode(ENDNOTE.partition("EN.CITE ")[2].encode()).decode()
CODED = {
    "Zotero": docx(run("Text."), field(f" ADDIN ZOTERO_ITEM CSL_CITATION {CSL} ")),
    "Mendeley": docx(run("Text."), field(f"ADDIN CSL_CITATION {CSL}")),
    "EndNote": docx(run("Text."), field(ENDNOTE)),
    "EndNote's data": docx(
        run("Text."),
        field(" ADDIN EN.CITE ").replace('"begin"/>', f'"begin"><w:fldData>{DATA}</w:fldData></w:fldChar>'),
    ),
    "Mendeley Cite": docx(
        run("Text."), f'<w:sdt><w:sdtPr><w:tag w:val="MENDELEY_CITATION_v3_{CONTROL}"/></w:sdtPr></w:sdt>'
    ),
    "a footnote": docx(
        run("Text."), word__footnotes_xml=f'<w:n xmlns:w="{WORD}"><w:p>{field("ADDIN CSL_CITATION " + CSL)}</w:p></w:n>'
    ),
}


def only(whole: Bibliography) -> tuple[str, str, str]:
    (one,) = whole.references
    return one.fields["title"], one.fields["author"], str(one.location)


@pytest.mark.parametrize("program", CODED)
def test_the_items_of_citation_programs(program: str) -> None:
    title, author, place = only(DOCX.read("paper.docx", CODED[program]))
    assert (title, author) == ("Random forests", "Breiman, Leo")
    assert place.startswith("paper.docx, paragraph ")


def test_a_work_that_is_cited_twice_is_one_reference() -> None:
    code = field(f"ADDIN ZOTERO_ITEM CSL_CITATION {CSL}")
    assert (
        only(DOCX.read("paper.docx", docx(run("x"), code, code + run("again") + code)))[2] == "paper.docx, paragraph 2"
    )
    name = quoteattr(f"ZOTERO_ITEM CSL_CITATION {CSL} RNDabc")
    mark = f"See <text:reference-mark-start text:name={name}/>(Breiman)<text:reference-mark-end text:name='x'/>."
    assert only(ODT.read("paper.odt", odt("x", mark, mark)))[2] == "paper.odt, paragraph 2"


def test_lists_at_the_end() -> None:
    lines = [
        "Paper of 1999",
        "References",
        LSTM,
        "Breiman, L. (2001). Random forests. Machine Learning, 45(1), 5–32.",
        "Appendix",
        "Of 2003 it is told.",
    ]
    for whole in (DOCX.read("p.docx", docx(*map(run, lines))), ODT.read("p.odt", odt(*map(escape, lines)))):
        assert [one.text for one in whole.references] == lines[2:4]
        assert str(whole.references[1].location).endswith(", paragraph 4")


def test_own_sources_of_word_and_libreoffice() -> None:
    source = (
        '<b:Sources xmlns:b="x"><b:Source><b:Tag>Bre01</b:Tag><b:SourceType>JournalArticle</b:SourceType>'
        "<b:Title>Random forests</b:Title>"
        "<b:Author><b:Author><b:NameList><b:Person><b:Last>Breiman</b:Last><b:First>Leo</b:First></b:Person></b:NameList></b:Author>"
        "</b:Author><b:Year>2001</b:Year></b:Source></b:Sources>"
    )
    assert only(DOCX.read("p.docx", docx(run("x"), customXml__item1_xml=source)))[:2] == (
        "Random forests",
        "Breiman, Leo",
    )
    stated = {"identifier": "b", "bibliography-type": "article", "author": "Breiman, Leo", "title": "Random forests"}
    mark = f"<text:bibliography-mark {' '.join(f'text:{name}={quoteattr(value)}' for name, value in stated.items())}/>"
    assert only(ODT.read("p.odt", odt(mark)))[:2] == ("Random forests", "Breiman, Leo")


ENTITIES = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><w:document xmlns:w="x">&b;</w:document>'
UNREADABLE: dict[str, tuple[bytes | Callable[[], bytes], str]] = {
    "no archive": (b"PK\x03\x04 nothing", "is damaged"),
    "encrypted": (b"\xd0\xcf\x11\xe0" + bytes(600), "is encrypted"),
    "another archive": (archive(a_txt="x"), "is not an? "),
    "entities": (archive(word__document_xml=ENTITIES, content_xml=ENTITIES), "declares entities"),
    "a bomb": (
        lambda: archive(word__document_xml=" " * 60_000_000, content_xml=" " * 60_000_000),
        "has more than 50 MB",
    ),
    "broken XML": (archive(word__document_xml="<a><b>", content_xml="<a><b>"), "cannot be read"),
    "cut": (docx(run("x"))[:-40], "is damaged"),
    "nothing": (docx(run("Of 1999.")), "and no list of references|is not an OpenDocument"),
    "broken codes": (
        docx(field("ADDIN CSL_CITATION {"), field("ADDIN EN.CITE <EndNote>"), field("ADDIN CSL_CITATION [1]")),
        "no list|is not an Open",
    ),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_cannot_be_read_says_why(name: str) -> None:
    made, why = UNREADABLE[name]
    data = made() if callable(made) else made
    for reader in (DOCX, ODT):
        with pytest.raises(UnreadableDocumentError, match=why):
            reader.read("paper.docx", data)


@pytest.mark.parametrize("program", ["Word", "LibreOffice"])
def test_line_breaks_in_a_paragraph_set_references_apart(program: str) -> None:
    other = "Breiman, L. (2001). Random forests. Machine Learning, 45(1), 5–32."
    if program == "Word":
        lines = f"{run(LSTM)}<w:r><w:br/></w:r>{run(other)}"
        read = DOCX.read("a.docx", docx(run("References"), lines))
    else:
        read = ODT.read("a.odt", odt("References", f"{escape(LSTM)}<text:line-break/>{escape(other)}"))
    assert [one.text for one in read.references] == [LSTM, other]
