"""XML bodies: accepted ones, and ones rejected before parsing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.sources import MalformedAnswerError, parse_xml

PUBLIC = '<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle//EN" "https://example.org/pubmed.dtd">'
BOMB = '<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">'


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<r>plain</r>", "plain"),
        ("\ufeff<r>mark</r>", "mark"),
        ('<?xml version="1.0" encoding="UTF-8"?>\n<r>Müller</r>\n', "Müller"),
        ("<r>&lt;&gt;&amp;&quot;&apos;</r>", "<>&\"'"),
        ("<r>&#252;&#xFC;</r>", "üü"),
        ("<r><![CDATA[a < b]]></r>", "a < b"),
    ],
)
def test_what_is_read(body: str, text: str) -> None:
    assert parse_xml(body.encode()).text == text


@pytest.mark.parametrize(
    "prolog",
    [
        PUBLIC,
        '<?xml version="1.0" ?>\n' + PUBLIC + "\n",
        "\ufeff" + PUBLIC,
        "<!DOCTYPE r SYSTEM 'r.dtd'>",
        "<!DOCTYPE r>",
        '<!DOCTYPE r SYSTEM "file:///etc/passwd" >',
    ],
)
def test_an_external_document_type_is_never_read(prolog: str) -> None:
    body = f"{prolog}<r>text</r>".encode()
    assert parse_xml(body, doctype=True).text == "text"
    with pytest.raises(MalformedAnswerError, match="declaration"):
        parse_xml(body)


@pytest.mark.parametrize("doctype", [False, True])
@pytest.mark.parametrize(
    "body",
    [
        f"<!DOCTYPE r [{BOMB}]><r>&b;</r>".encode(),
        f'<!DOCTYPE r SYSTEM "r.dtd" [{BOMB}]><r>&b;</r>'.encode(),
        b'<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r>&x;</r>',
        b'<!DOCTYPE r [<!ENTITY % x SYSTEM "https://example.org/x.dtd">%x;]><r/>',
        b"<!DOCTYPE r [<!ELEMENT r ANY>]><r/>",
        PUBLIC.encode() * 2 + b"<r/>",
        b"<r/>" + PUBLIC.encode(),
        b"<!doctype html><html></html>",
        b"<r>&nbsp;</r>",
        b"<r>&undeclared;</r>",
        b"<r>cut",
        b"<r/><r/>",
        b"<r>\xff</r>",
        '<?xml version="1.0" encoding="UTF-16"?><r/>'.encode("utf-16"),
        b"<r>\0</r>",
        b"<r>&#0;</r>",
        b"",
        b"not XML",
    ],
)
def test_what_is_refused(body: bytes, doctype: bool) -> None:
    with pytest.raises(MalformedAnswerError):
        parse_xml(body, doctype=doctype)


def test_an_undeclared_entity_is_refused_although_a_definition_was_named() -> None:
    with pytest.raises(MalformedAnswerError, match="whole XML document"):
        parse_xml(PUBLIC.encode() + b"<r>&alpha;</r>", doctype=True)


@given(
    body=st.one_of(
        st.binary(max_size=60),
        st.lists(
            st.sampled_from(
                [b"<r>", b"</r>", b"&a;", b"<!DOCTYPE r", b"[", b"]>", b">", b"\xef\xbb\xbf", b"x", b"<?xml "]
            )
            | st.binary(max_size=3),
            max_size=8,
        ).map(b"".join),
    ),
    doctype=st.booleans(),
)
def test_nothing_else_is_raised_for_any_bytes(body: bytes, doctype: bool) -> None:
    try:
        root = parse_xml(body, doctype=doctype)
    except MalformedAnswerError:
        return
    assert b"<" + root.tag.encode() in body


@given(text=st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=40))
def test_any_text_comes_back(text: str) -> None:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    numbers = "".join(f"&#{ord(character)};" for character in text)
    try:
        assert parse_xml(f"<r>{escaped}</r>".encode()).text == text
        assert parse_xml(f"<r>{numbers}</r>".encode()).text == text
    except MalformedAnswerError:
        assert {"\ufffe", "\uffff"} & set(text)  # the two that XML does not know


@pytest.mark.parametrize(("depth", "refused"), [(100, False), (101, True), (10_000, True)])
def test_nesting_is_limited(depth: int, refused: bool) -> None:
    body = b"<a>" * depth + b"</a>" * depth
    if refused:
        with pytest.raises(MalformedAnswerError, match="nested"):
            parse_xml(body)
    else:
        assert parse_xml(body).tag == "a"


@pytest.mark.parametrize(
    "body",
    [
        b"<a>" + b"<a/>" * 500_001 + b"</a>",
        b"<a " + b" ".join(b'a%d=""' % number for number in range(500_001)) + b"/>",
        b"<a>" * 500_001,
    ],
)
def test_elements_and_attributes_are_limited(body: bytes) -> None:
    with pytest.raises(MalformedAnswerError, match="500,000 elements and attributes"):
        parse_xml(body)


@pytest.mark.exhaustive
def test_as_many_as_allowed_are_read() -> None:
    assert len(parse_xml(b"<a>" + b"<a/>" * 499_998 + b"</a>")) == 499_998
