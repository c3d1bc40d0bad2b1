"""Quotes are found in their source as it is written, or not at all."""

from __future__ import annotations

import pytest

from pytest_citecheck.models.claims import match_quote

SOURCE = (
    "The bridge – opened in 1985 – cost “ten million” euros. It was designed by José García. Later it was\u00a0widened and "
    "re- painted in soft\u00adgreen paint &amp; varnish."
)

VECTORS = [
    ("The bridge – opened in 1985", "exact", "The bridge – opened in 1985"),
    (
        'The bridge - opened in 1985 - cost "ten million" euros',
        "normalized",
        "The bridge – opened in 1985 – cost “ten million” euros",
    ),
    (
        '"widened and re-painted in softgreen paint & varnish"',
        "normalized",
        "widened and re- painted in soft\u00adgreen paint &amp; varnish",
    ),
    ("opened in 1985 … designed by José García", "normalized", "opened in 1985 … designed by José García"),
    ("designed by José García ... opened in 1985", "partial", "designed by José García"),
    ("opened in 1985 [...] nothing like this text here", "partial", "opened in 1985"),
    ("It was designed by José García;", "normalized", "It was designed by José García"),
    ("cost ten million euros.", "not-found", ""),
    ("designed by Jose Garcia in total", "not-found", ""),
    ("in 1985", "too-short", ""),
    ("", "empty", ""),
    ("“”", "empty", ""),
    (None, "empty", ""),
]


@pytest.mark.parametrize(("quote", "status", "verified"), VECTORS)
def test_w25_vectors(quote: str | None, status: str, verified: str) -> None:
    found = match_quote(quote, SOURCE)
    assert (found.status, found.verified) == (status, verified)
    assert found.is_verified == (status in ("exact", "normalized"))


@pytest.mark.parametrize("source", ["", " \n", None])
def test_w25_there_is_no_source(source: str | None) -> None:
    assert match_quote("a quote that is long enough", source).status == "no-source"


@pytest.mark.parametrize(
    "quote", ["T h e b r i d g e", "The <b>bridge opened</b> in 1985", "The bridge [sic] opened in 1985"]
)
def test_w25_what_is_not_verbatim_stays_unmatched(quote: str) -> None:
    assert not match_quote(quote, SOURCE).is_verified


def test_the_verified_text_is_that_of_the_source() -> None:
    # Characters that become several, or none, and marks that combine.
    source = "Œuvre: the ﬁnal Café\u200b (Cafe\u0301) had &#8220;İ seats&quot; … and 5½ tables\ud800."
    found = match_quote("the final café (café) had 'i\u0307 seats'", source)
    assert (found.status, found.verified) == ("normalized", "the ﬁnal Café\u200b (Cafe\u0301) had &#8220;İ seats&quot;")
    assert source[found.start : found.end] == found.verified
