"""The lines of a PDF, as a program of its own: a file from a stranger may take any time and memory, or kill what reads it.

It reads the PDF from its standard input and writes JSON: ``{"pages": [[[text, left, right, bottom, height], …], …]}`` with points
as the unit, or ``{"problem": …}``. It imports nothing of the package, so that it starts quickly.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import sys
from typing import Any

_MEMORY = 3_000_000_000  # bytes of address space, of which PDFium maps more than it uses
_SECONDS = 60  # of processor time
_MOST_PAGES = 3000
_MOST_CHARACTERS = 20_000_000
_BREAKS = frozenset((10, 13))
_HYPHENS = frozenset((2, 0xFFFE))  # what PDFium makes of a hyphen at the end of a line


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
    """The lines of each page, in the order of the file."""
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
    unicode_of = raw.FPDFText_GetUnicode
    lines: list[tuple[str, float, float, float, float]] = []
    signs: list[str] = []
    first = last = -1

    def finish() -> None:
        nonlocal first, last
        text = "".join(signs)
        if text.strip() and first >= 0:
            left, _, bottom, top = _box(raw, handle, first)
            right = _box(raw, handle, last)[1]
            lines.append((text, round(left, 1), round(right, 1), round(bottom, 1), round(top - bottom, 1)))
        signs.clear()
        first = last = -1

    for index in range(number):
        code = unicode_of(handle, index)
        if code in _BREAKS:
            finish()
            continue
        if code in _HYPHENS:
            signs.append("\u00ad")
            finish()
            continue
        if code == 0 or 0xD800 <= code < 0xE000:
            continue
        signs.append(chr(code) if code < 0x110000 else "\ufffd")
        if code != 32:
            first = index if first < 0 else first
            last = index
    finish()
    return lines


def _box(raw: Any, handle: Any, index: int) -> tuple[float, float, float, float]:
    """left, right, bottom, top of a character with its font's height."""
    rectangle = raw.FS_RECTF()
    if not raw.FPDFText_GetLooseCharBox(handle, index, ctypes.byref(rectangle)):
        return 0.0, 0.0, 0.0, 0.0
    return rectangle.left, rectangle.right, rectangle.bottom, rectangle.top


if __name__ == "__main__":
    main()
