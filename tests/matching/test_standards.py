"""Numbers of RFCs and short names of W3C reports, as people cite them."""

from __future__ import annotations

import pytest

from pytest_citecheck.matching import rfc_number, w3c_report


@pytest.mark.parametrize(
    ("number", "kind", "fields"),
    [
        ("8259", "techreport", {"type": "RFC", "number": "8259"}),
        ("791", "techreport", {"series": "Request for Comments", "number": "0791"}),
        ("8259", "misc", {"howpublished": "RFC 8259"}),
        ("8259", "misc", {"howpublished": "RFC 8259 (Internet Standard)"}),
        ("8259", "misc", {"note": "IETF RFC 8259"}),
        ("8259", "misc", {"number": "RFC~8259"}),
        ("8259", "article", {"journal": "RFC 8259"}),
        ("2119", "misc", {"title": "RFC 2119: Key words for use in RFCs"}),
        ("2119", "misc", {"url": "https://www.rfc-editor.org/rfc/rfc2119.txt"}),
        ("2119", "misc", {"url": "https://www.rfc-editor.org/info/rfc2119"}),
        ("2119", "misc", {"howpublished": "https://tools.ietf.org/html/rfc2119#section-1"}),
        ("2119", "misc", {"url": "https://datatracker.ietf.org/doc/html/rfc2119"}),
        ("2119", "misc", {"url": "https://www.ietf.org/rfc/rfc2119.txt", "note": "RFC 2119"}),
        ("", "misc", {"url": "https://www.ietf.org/rfc/rfc2119.txt", "note": "RFC 8174"}),  # which of the two?
        ("2616", "article", {"journal": "RFC 2616", "note": "obsoleted by RFC 7230"}),
        ("", "misc", {"note": "Obsoletes RFC 7159"}),
        ("", "misc", {"note": "RFC 8259, obsoleted by RFC 9999"}),
        ("", "misc", {"note": "RFC 19999, to appear"}),
        ("", "misc", {"howpublished": "Internet-Draft, RFC 8259"}),
        ("", "techreport", {"number": "8259", "institution": "Stanford"}),
        ("", "article", {"title": "RFC 2119: a critical reading"}),
        ("", "misc", {"title": "Ambiguity of Uppercase vs Lowercase in RFC 2119 Key Words"}),
        ("", "misc", {"url": "https://www.rfc-editor.org/errata/rfc2119"}),
        ("", "misc", {"url": "https://example.org/rfc2119"}),
    ],
)
def test_numbers_of_rfcs(number: str, kind: str, fields: dict[str, str]) -> None:
    assert rfc_number(kind, fields, "") == number


def test_the_doi_of_an_rfc_states_its_number() -> None:
    assert rfc_number("misc", {"note": "RFC 1"}, "10.17487/rfc0791") == "791"
    assert rfc_number("misc", {}, "10.17487/draft") == ""


@pytest.mark.parametrize(
    ("report", "url"),
    [
        ("xml/20081126", "https://www.w3.org/TR/2008/REC-xml-20081126/"),
        ("CSS2/20110607", "http://www.w3.org/TR/2011/REC-CSS2-20110607"),
        ("xml", "https://www.w3.org/TR/xml/"),
        ("xml", "https://www.w3.org/TR/REC-xml/#sec-intro"),
        ("WCAG21", "https://www.w3.org/TR/WCAG21/."),
        ("prov-o", "https://www.w3.org/TR/prov-o"),
        ("", "https://www.w3.org/TR/"),
        ("", "https://www.w3.org/Style/CSS/"),
        ("", "https://www.w3.org/TR/xml/ and https://www.w3.org/TR/prov-o/"),
    ],
)
def test_short_names_of_reports(report: str, url: str) -> None:
    assert w3c_report({"url": url}) == report
