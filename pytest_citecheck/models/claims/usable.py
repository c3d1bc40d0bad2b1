"""Texts that are no source, with the reason: paywalls, logins, cookie walls, robot checks, error pages, other languages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from pytest_citecheck.matching import lazy_pattern
from pytest_citecheck.models.claims.word_lists import FUNCTION_WORDS

_LEAST = 100  # characters of a text that has something to say
_NOTICE = 3_000  # characters; a longer text is more than a notice
_HEAD = 600  # characters, in which an error page says what it is
_REST = 400  # characters of sentences beside a notice
_LEAST_SENTENCE = 40  # characters; menus are shorter

# A notice that fills the page, wherever its words are.
_WALLS: Mapping[str, re.Pattern[str]] = {
    "a paywall": lazy_pattern(
        r"subscribe (?:now )?to (?:continue|read|unlock|view|get)|subscribers? only|for subscribers"
        r"|already a (?:subscriber|member)"
        r"|(?:to )?continue reading (?:this|the|your)|remaining free articles?|limit of free articles"
        r"|free articles? (?:this month|left)"
        r"|purchase (?:access|this|a subscription|pdf|article)|buy (?:this )?(?:article|access|pdf|chapter)"
        r"|rent this article"
        r"|access (?:through|via|provided by) your institution|institutional (?:login|access|subscription)|get full access"
        r"|unlock (?:this|the full) (?:article|story)|start your (?:free )?(?:trial|subscription)|price excludes vat",
        re.IGNORECASE,
    ),
    "a login page": lazy_pattern(
        r"(?:please|you must|you need to|have to) (?:log|sign) ?in\b|(?:log|sign) ?in (?:to continue|to view"
        r"|to your account|required)"
        r"|forgot(?:ten)? (?:your )?password|create an account to (?:continue|read|view)",
        re.IGNORECASE,
    ),
    "a cookie notice": lazy_pattern(
        r"(?:we|site|website|partners)\b[^.]{0,60}\bcookies|accept (?:all )?cookies|cookie (?:policy|settings"
        r"|preferences|consent)"
        r"|manage (?:your )?(?:consent|preferences|cookies)|reject all|we (?:value|care about) your privacy"
        r"|legitimate interest"
        r"|before you continue to",
        re.IGNORECASE,
    ),
    "a notice about scripts": lazy_pattern(
        r"(?:enable|turn on|requires?|without) javascript|javascript (?:is|must be) (?:disabled|not enabled"
        r"|enabled|required)"
        r"|your browser (?:is not supported|does not support|is out of date)",
        re.IGNORECASE,
    ),
}
# A notice that the head of the page states.
_STOPS: Mapping[str, re.Pattern[str]] = {
    "a robot check": lazy_pattern(
        r"just a moment\.\.\.|checking (?:if the site connection|your browser)|\b(?:verify|verifying|confirm"
        r"|prove)\b[^.]{0,30}\bhuman"
        r"|(?:are|re) (?:not )?a robot|captcha|unusual traffic|attention required! ?\| ?cloudflare|ray id"
        r"|pardon our interruption"
        r"|performance (?:&|and) security by cloudflare|ddos protection|press (?:&|and) hold"
        r"|enable javascript and cookies to continue"
        r"|automated (?:access|requests|queries)|bot detection|you have been blocked|access denied"
        r"|request (?:has been )?blocked",
        re.IGNORECASE,
    ),
    "an error page": lazy_pattern(
        r"page (?:was |could |can|is )?(?:not|no longer)(?: be)? (?:found|available|exist)|(?:error"
        r"|http)\s*(?:404|410|500|502|503)\b"
        r"|404\s*[-–:|]?\s*(?:error|not found|page)|(?:doesn[’']t|does not|no longer) exists?\b|not found on this server"
        r"|page you (?:requested|are looking for|were looking for)|has not archived that url|domain (?:is|may be) for sale"
        r"|buy this domain|account (?:has been )?suspended|site can[’']t be reached|service (?:temporarily )?unavailable"
        r"|internal server error|bad gateway|content (?:is )?(?:no longer available|unavailable)|oops[!,. ]",
        re.IGNORECASE,
    ),
}
_NOTICES = {**_STOPS, **_WALLS}
_SENTENCE = re.compile(r"[^.!?\n|]+[.!?\n|]*")


def unusable(text: str, claim: str = "") -> str:
    """Why a text is no source; empty if it may be one. claim: to compare languages with; empty if it does not matter."""
    plain = " ".join(text.split())
    if len(plain) < _NOTICE and _prose(text) < _REST:
        places = {**dict.fromkeys(_STOPS, plain[:_HEAD]), **dict.fromkeys(_WALLS, plain)}
        for reason, pattern in _NOTICES.items():
            if pattern.search(places[reason]):
                return f"the source is {reason}"
    if len(plain) < min(_LEAST, len(claim) or _LEAST):
        return "the source has almost no text"
    of_claim, of_source = (language_of(claim) if claim else ""), language_of(plain[:20_000])
    if of_claim and of_source and of_claim != of_source:
        return f"the source is in {of_source}, the claim in {of_claim}"
    return ""


def _prose(text: str) -> int:
    """The characters of whole sentences that are no part of a notice. An article about paywalls has many."""
    lines = (match[0].strip() for match in _SENTENCE.finditer(text))
    said = [line for line in lines if len(line) >= _LEAST_SENTENCE]
    return sum(len(line) for line in said if not any(pattern.search(line) for pattern in _NOTICES.values()))


_SCRIPTS: Mapping[str, re.Pattern[str]] = {
    "Chinese": lazy_pattern("[\u4e00-\u9fff]"),
    "Japanese": lazy_pattern("[\u3040-\u30ff]"),
    "Korean": lazy_pattern("[\uac00-\ud7af]"),
    "Russian": lazy_pattern("[\u0400-\u04ff]"),
    "Greek": lazy_pattern("[\u0370-\u03ff]"),
    "Arabic": lazy_pattern("[\u0600-\u06ff]"),
    "Hebrew": lazy_pattern("[\u0590-\u05ff]"),
    "Hindi": lazy_pattern("[\u0900-\u097f]"),
    "Thai": lazy_pattern("[\u0e00-\u0e7f]"),
}
_LEAST_WORDS = 5  # function words that show a language
_LETTERS = lazy_pattern(r"[^\W\d_]+")


@lru_cache(maxsize=256)
def language_of(text: str) -> str:
    """The language of a text by its script, or its function words; empty if neither shows it."""
    letters = sum(len(match[0]) for match in _LETTERS.finditer(text))
    for name, pattern in _SCRIPTS.items():
        if 2 * sum(1 for _ in pattern.finditer(text)) > letters > 0:
            return "Japanese" if name == "Chinese" and _SCRIPTS["Japanese"].search(text) else name
    found = [match[0].lower() for match in _LETTERS.finditer(text)]
    counts = {name: sum(word in words for word in found) for name, words in FUNCTION_WORDS.items()}
    first, second, *_ = sorted(counts.values(), reverse=True)
    if first < _LEAST_WORDS or first < 1.5 * second or 10 * first < len(found):
        return ""
    return max(counts, key=lambda name: counts[name])
