"""Extract the lines of a PDF in a separate program: an untrusted file may take any time and memory, or crash the process.

Reads the PDF from standard input and writes JSON: ``{"pages": [[[text, left, right, bottom, height], …], …]}`` in points, or
``{"problem": …}``. Imports nothing from the package, for a quick start.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import sys
from typing import Any

_MEMORY = 3_000_000_000  # bytes of address space; PDFium maps more than it uses
_SECONDS = 60  # processor time
_MOST_PAGES = 3000
_MOST_CHARACTERS = 20_000_000
_BREAKS = frozenset((10, 13))
_ACCENTS = {
    0xB4: "\u0301", 0x60: "\u0300", 0x2C6: "\u0302", 0xA8: "\u0308", 0x2DC: "\u0303", 0xAF: "\u0304", 0x2D8: "\u0306",
    0x2D9: "\u0307", 0x2DA: "\u030a", 0x2DD: "\u030b", 0x2C7: "\u030c", 0xB8: "\u0327", 0x2DB: "\u0328",
}  # fmt: skip
_DOTLESS = frozenset((0x131, 0x237))
_MOST_ACCENTS = 500  # per page
_DIGITS = frozenset("0123456789")
_LONGEST_NUMBER = 4  # digits of a line number
_GAP = 5.0  # points; wider than a blank in a justified line
_HYPHENS = frozenset((2, 0xFFFE))  # PDFium's characters for a hyphen at a line end


def main() -> None:
    """Read, extract, write."""
    with contextlib.suppress(ImportError, ValueError, OSError):  # not on Windows
        import resource  # noqa: PLC0415

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS + 5))
    try:
        said: dict[str, Any] = {"pages": extract(sys.stdin.buffer.read())}
    except MemoryError:
        said = {"problem": f"takes more than {_MEMORY // 1_000_000_000} GB to read"}
    except Exception as error:  # noqa: BLE001 - a damaged file ends in any error
        said = {"problem": _reason(error)}
    sys.stdout.write(json.dumps(said))


def _reason(error: Exception) -> str:
    text = str(error)
    if "password" in text.lower():
        return "is encrypted; save it without a password"
    if "Failed to load document" in text:
        return "is not a PDF that can be read"
    return f"cannot be read ({type(error).__name__}: {text[:200]})"


def extract(data: bytes) -> list[list[tuple[str, float, float, float, float]]]:
    """Return the lines of each page, in file order."""
    import pypdfium2  # noqa: PLC0415 - after the limits are set

    document = pypdfium2.PdfDocument(data)
    pages: list[list[tuple[str, float, float, float, float]]] = []
    count = 0
    for number in range(min(len(document), _MOST_PAGES)):
        try:
            page = document[number]
            text = page.get_textpage()
        except pypdfium2.PdfiumError:
            pages.append([])
            continue
        lines = _lines(pypdfium2.raw, text)
        count += sum(len(line[0]) for line in lines)
        pages.append(lines)
        text.close()
        page.close()
        if count > _MOST_CHARACTERS:
            break
    return pages


def _lines(raw: Any, page: Any) -> list[tuple[str, float, float, float, float]]:
    handle = page.raw
    number = raw.FPDFText_CountChars(handle)
    codes = [raw.FPDFText_GetUnicode(handle, index) for index in range(number)]
    accents = _accents(raw, handle, codes)
    lines: list[tuple[str, float, float, float, float]] = []
    signs: list[str] = []
    places: list[int] = []

    def finish() -> None:
        for start, end in _parts(raw, handle, signs, places):
            text = "".join(signs[start:end])
            printed = [place for sign, place in zip(signs[start:end], places[start:end], strict=True) if sign != " "]
            if text.strip() and printed:
                left, _, bottom, top = _box(raw, handle, printed[0])
                right = _box(raw, handle, printed[-1])[1]
                lines.append((text, round(left, 1), round(right, 1), round(bottom, 1), round(top - bottom, 1)))
        signs.clear()
        places.clear()

    for index, code in enumerate(codes):
        if index in accents and accents[index] < 0:
            continue  # placed after its letter
        if code in _BREAKS:
            finish()
            continue
        if code in _HYPHENS:
            signs.append("\u00ad")
            places.append(index)
            finish()
            continue
        if code == 0 or 0xD800 <= code < 0xE000:
            continue
        sign = chr(code) if code < 0x110000 else "\ufffd"
        signs.append(sign + _ACCENTS[accents[index]] if index in accents else sign)
        places.append(index)
    finish()
    return lines


def _parts(raw: Any, handle: Any, signs: list[str], places: list[int]) -> list[tuple[int, int]]:
    """Split off a number at either end of the line that differs in size or has a wide gap: a line number or a marker."""
    first, last = 0, len(signs)
    while first < last and signs[first] == " ":
        first += 1
    while last > first and signs[last - 1] == " ":
        last -= 1
    start, end = first, last
    while start < last and signs[start] in _DIGITS:
        start += 1
    while end > first and signs[end - 1] in _DIGITS:
        end -= 1
    after = next((at for at in range(start, last) if signs[at] != " "), last)
    before = next((at for at in range(end - 1, first - 1, -1) if signs[at] != " "), first - 1)
    parts = [(first, last)]
    if 0 < start - first <= _LONGEST_NUMBER and after < last and _apart(raw, handle, places[start - 1], places[after]):
        parts = [(first, start), (after, last)]
    if 0 < last - end <= _LONGEST_NUMBER and before >= first and _apart(raw, handle, places[before], places[end]):
        parts[-1] = (parts[-1][0], before + 1)
        parts.append((end, last))
    return parts


def _apart(raw: Any, handle: Any, one: int, other: int) -> bool:
    """Return True if two neighbours differ in size or are further apart than a blank."""
    (_, right, bottom, top), (left, _, below, above) = _box(raw, handle, one), _box(raw, handle, other)
    small, large = sorted((top - bottom, above - below))
    return left - right > _GAP or small < 0.8 * large


def _accents(raw: Any, handle: Any, codes: list[int]) -> dict[int, int]:
    """Assign the separate accents of older TeX fonts: the letter's index maps to the accent, the accent's index to -1."""
    found: dict[int, int] = {}
    signs = [index for index, code in enumerate(codes) if code in _ACCENTS]
    if not signs or len(signs) > _MOST_ACCENTS:
        return found
    letters = [
        index for index, code in enumerate(codes) if code in _DOTLESS or (code < 0x110000 and chr(code).isalpha())
    ]
    boxes = {index: _box(raw, handle, index) for index in letters}
    for index in signs:
        left, right, bottom, top = _box(raw, handle, index)
        middle, height = (left + right) / 2, max(top - bottom, 1.0)
        over = [
            (abs(box[2] - bottom), letter)
            for letter, box in boxes.items()
            if box[0] - 0.5 <= middle <= box[1] + 0.5 and abs(box[2] - bottom) < 0.6 * height
        ]
        if over:
            found[min(over)[1]] = codes[index]
            found[index] = -1
    return found


def _box(raw: Any, handle: Any, index: int) -> tuple[float, float, float, float]:
    """Return left, right, bottom and top of a character, using its font's height."""
    rectangle = raw.FS_RECTF()
    if not raw.FPDFText_GetLooseCharBox(handle, index, ctypes.byref(rectangle)):
        return 0.0, 0.0, 0.0, 0.0
    return rectangle.left, rectangle.right, rectangle.bottom, rectangle.top


if __name__ == "__main__":
    main()
