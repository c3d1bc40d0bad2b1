"""Signs of a PDF in Unicode: ligatures, accents beside their letters, the encoding of TeX fonts without a map to Unicode."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable

from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["in_unicode"]

# The encoding of Cork (T1, 1990): what it has where Unicode has controls, and then in place of Latin-1.
_QUOTES = "‹›“”„«»–—\u200b‰ıȷ"
_CORK = {
    **{0x0E + number: sign for number, sign in enumerate(_QUOTES)},
    **dict(zip(range(0x1B, 0x20), ("ff", "fi", "fl", "ffi", "ffl"), strict=True)),
    **{0x80 + number: sign for number, sign in enumerate("ĂĄĆČĎĚĘĞĹĽŁŃŇŊŐŔŘŚŠŞŤŢŰŮŸŹŽŻĲİđ§")},
}
_CORK[0x17] = ""  # a mark without width between letters
_INSTEAD_OF_LATIN = {
    **{0xA0 + number: sign for number, sign in enumerate("ăąćčďěęğĺľłńňŋőŕřśšşťţűůÿźžżĳ¡¿£")},
    0xAD: "\u00ad",  # the mark of a hyphen at the end of a line, which is none of the font
    0xDF: "SS",
    0xFF: "ß",
}
_GIVEN_AWAY = lazy_pattern("[\x0e-\x1f\x80-\x9f]")
_CONTROLS = lazy_pattern("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
_ACCENTS = {
    "´": "\u0301", "`": "\u0300", "ˆ": "\u0302", "¨": "\u0308", "˜": "\u0303", "¯": "\u0304", "˘": "\u0306", "˙": "\u0307",
    "˚": "\u030a", "˝": "\u030b", "ˇ": "\u030c",
}  # fmt: skip
_ACCENTED = lazy_pattern(rf"([{''.join(_ACCENTS)}]) ?([^\W\d_])")
_DOTLESS = lazy_pattern("([ıȷ])([\u0300-\u030c])")
_AFTER = lazy_pattern(r"([^\W\d_]) ?([¸˛])")
_HOOKS = {"¸": "\u0327", "˛": "\u0328"}


def in_unicode(lines: Iterable[str]) -> Callable[[str], str]:
    """What reads a line of this document: the font encodings of all its lines are those of one program."""
    table = dict(_LIGATURES)
    if any(_GIVEN_AWAY.search(line) for line in lines):
        table |= {**_CORK, **_INSTEAD_OF_LATIN}

    def readable(text: str) -> str:
        text = text.translate(table)
        text = _ACCENTED.sub(_composed, text)
        text = _DOTLESS.sub(lambda match: {"ı": "i", "ȷ": "j"}[match[1]] + match[2], text)
        text = _AFTER.sub(lambda match: match[1] + _HOOKS[match[2]], text)
        return _CONTROLS.sub("", unicodedata.normalize("NFC", text))

    return readable


def _composed(match: re.Match[str]) -> str:
    return {"ı": "i", "ȷ": "j"}.get(match[2], match[2]) + _ACCENTS[match[1]]
