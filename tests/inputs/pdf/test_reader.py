"""PDFs: unreadable files are errors with a reason and take bounded time and memory; GROBID's TEI."""

from __future__ import annotations

import zlib
from collections.abc import Callable

import pytest

from pytest_citecheck.inputs import PDF, NoFiles, Surroundings, UnreadableDocumentError

TEI = b"""<?xml version="1.0" encoding="UTF-8"?>
<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><back><div><listBibl>
<biblStruct coords="12,1,2,3,4" xml:id="b0"><analytic><title level="a" type="main">Long Short-Term Memory</title>
<author><persName><forename type="first">Sepp</forename><surname>Hochreiter</surname></persName></author>
<author><persName><forename type="first">J</forename><surname>Schmidhuber</surname></persName></author>
<idno type="DOI">10.1162/neco.1997.9.8.1735</idno></analytic>
<monogr><title level="j">Neural Computation</title><imprint><biblScope unit="volume">9</biblScope>
<biblScope unit="page" from="1735" to="1780"/><date type="published" when="1997-11-15"/></imprint></monogr></biblStruct>
<biblStruct xml:id="b1"><monogr><title level="m">Deep Learning</title>
<author><persName><surname>Goodfellow</surname></persName></author>
<imprint><publisher>MIT Press</publisher><date type="published" when="2016"/></imprint></monogr></biblStruct>
</listBibl></div></back></text></TEI>"""


def pdf(*objects: bytes, trailer: bytes = b"") -> bytes:
    """A PDF of these objects, the first of which is its catalogue."""
    data, places = b"%PDF-1.5\n", []
    for number, content in enumerate(objects, start=1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    start = len(data)
    data += b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table)
    return data + b"trailer\n<< /Size %d /Root 1 0 R %s>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, trailer, start)


def page(content: bytes, kind: bytes = b"") -> bytes:
    stream = b"<< /Length %d %s>>\nstream\n%s\nendstream" % (len(content), kind, content)
    font = b"<< /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"
    return pdf(
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources %s >>" % font,
        stream,
    )


def shown(*lines: str) -> bytes:
    return b"BT /F 9 Tf 12 TL 70 700 Td " + b"".join(b"(%s) Tj T* " % line.encode() for line in lines) + b"ET"


def bomb(size: int) -> bytes:
    return zlib.compress(b" " * size, 9)


ENCRYPTED = page(shown("x")).replace(
    b"/Root 1 0 R",
    b"/Root 1 0 R /ID [<00><00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <%s> /U <%s> >>"
    % (b"11" * 32, b"22" * 32),
)
UNREADABLE: dict[str, tuple[bytes | Callable[[], bytes], str]] = {
    "empty": (b"%PDF-1.5", "is not a PDF that can be read"),
    "noise": (b"%PDF-1.5" + bytes(range(256)) * 40, "is not a PDF that can be read"),
    "encrypted": (ENCRYPTED, "is encrypted"),
    "no text": (page(b"0 0 10 10 re f"), r"contains no text \(scanned pages"),
    "no references": (
        page(shown("A paper about 1999.", "It refers to nothing.")),
        "has no recognizable reference section",
    ),
    "a bomb": (
        lambda: page(bomb(100_000_000), b"/Filter /FlateDecode "),
        "contains no text|too much memory|cannot be read",
    ),
    "pages in a circle": (
        pdf(b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 9999999 >>"),
        "contains no text|cannot be read|is not a PDF",
    ),
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", UNREADABLE)
def test_what_cannot_be_read_says_why(name: str) -> None:
    pytest.importorskip("pypdfium2")
    data, why = UNREADABLE[name]
    with pytest.raises(UnreadableDocumentError, match=why):
        PDF.read("paper.pdf", data() if callable(data) else data)


def test_items_have_their_pages() -> None:
    pytest.importorskip("pypdfium2")
    data = page(
        shown(
            "A paper.",
            "References",
            "[1] S. Hochreiter. Long short-term memory. Neural Computation, 1997.",
            "[2] L. Breiman. Random forests. Machine Learning, 2001.",
            "[3] R. Tarjan. Depth-first search. SIAM, 1972.",
        )
    )
    whole = PDF.read("paper.pdf", data)
    assert [one.key for one in whole.references] == ["ref_1", "ref_2", "ref_3"]
    assert str(whole.references[0].location) == "paper.pdf, page 1"
    assert whole.references[1].text == "L. Breiman. Random forests. Machine Learning, 2001."


def test_without_the_library_the_message_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(UnreadableDocumentError, match=r"\.\[documents\]"):
        PDF.read("paper.pdf", b"%PDF-1.5")


def test_grobid_reads_instead() -> None:
    around = Surroundings(NoFiles(), tei=lambda _: TEI)
    first, second = PDF.read_document("paper.pdf", b"%PDF-1.5", around).references
    assert dict(first.fields) == {
        "title": "Long Short-Term Memory",
        "journal": "Neural Computation",
        "author": "Hochreiter, Sepp and Schmidhuber, J",
        "doi": "10.1162/neco.1997.9.8.1735",
        "volume": "9",
        "pages": "1735--1780",
        "year": "1997",
    }
    assert (first.type, str(first.location)) == ("article", "paper.pdf, page 12")
    assert (second.type, second.fields["publisher"]) == ("book", "MIT Press")


@pytest.mark.parametrize("tei", [b"", b"<html>", b"<!DOCTYPE x [<!ENTITY a 'b'>]><x>&a;</x>", b"<TEI/>"])
def test_answers_of_grobid_that_are_none(tei: bytes) -> None:
    with pytest.raises(UnreadableDocumentError, match="GROBID"):
        PDF.read_document("paper.pdf", b"%PDF-1.5", Surroundings(NoFiles(), tei=lambda _: tei))
