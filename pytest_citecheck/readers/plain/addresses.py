"""Web addresses and DOIs as references print them, also where a line break has put blanks into them."""

from __future__ import annotations

import re

from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["ADDRESS", "mended_addresses"]

ADDRESS = r"https?://[^\s<>\"“”]+"
_SCHEME = lazy_pattern(r"\bhttps?\s?:\s?/\s?/\s?(?=\w)", re.IGNORECASE)
_CUT = lazy_pattern(
    rf"(?P<address>{ADDRESS}?)(?P<hinge>[/_=&#~-]|(?<=www)\.|(?<=[a-z])\.)\s(?P<more>[\w%][^\s<>\"“”]*)"
)
_ARXIV = lazy_pattern(r"(arxiv\.\s?org/(?:abs|pdf)/\s?\d{4})\.\s(?=\d{4,5}\b)")
_PATH = lazy_pattern(r"[\w%~.-]*[/_=~-][^\s]*|[a-z0-9-]+\.[a-z]{2,4}[^\s]*|[a-z0-9-]+[,.;]?$")


def mended_addresses(text: str) -> str:
    """The text with addresses in one piece: ``https: //www. epa.gov/x/ y`` becomes ``https://www.epa.gov/x/y``."""
    text = _SCHEME.sub(lambda match: "https://" if "s" in match[0][:5].lower() else "http://", text)
    text = _ARXIV.sub(r"\1.", text)
    for _ in range(4):
        mended = _CUT.sub(_joined, text)
        if mended == text:
            break
        text = mended
    return text


def _joined(match: re.Match[str]) -> str:
    if match["hinge"] == "." and not re.match(r"[a-z0-9-]+\.[a-z]{2,}|[a-z]{2,4}/", match["more"]):
        return match[0]
    if not _PATH.match(match["more"]):
        return match[0]
    return f"{match['address']}{match['hinge']}{match['more']}"
