"""A submission by an untrusted author: the folder ``submission``, plus files that are too large to keep.

No test is in that folder, and no test imports from it. ``EXECUTED`` in it is the trace of executed code.
"""

from __future__ import annotations

import shutil
from pathlib import Path

RIGHT = ("kingma2015adam", "devlin2019bert")
"""Keys of the references that nothing may accuse."""

_FOLDER = Path(__file__).with_name("submission")

# Texts whose reading once took time that grew with the square of their length, and one that was compared as a whole.
_GROWN = {
    "doi": "10.1000/" * 8_000,
    "title": "<title" * 11_000,
    "journal": "A" * 64_000,
    "isbn": "(" * 64_000,
    "note": "[J]" * 21_000,
    "author": "A. B. and " * 6_000 + "C. D.",
    "pages": "1-" * 32_000,
    "year": "‹" + "1" * 64_000,
    "number": "{" * 32_000 + "}" * 32_000,
}


def lay_out(folder: Path, canary: int) -> None:
    """Write the submission into an empty folder; its addresses lead to the port ``canary`` of this machine."""
    shutil.copytree(_FOLDER, folder, dirs_exist_ok=True)
    for path in folder.rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes().replace(b"@CANARY@", str(canary).encode()))
    entries = [
        f"@article{{grown-{name}, {name} = {{{text}}}, title2 = {{T}}, author2 = {{Nobody, N.}}, year2 = 2020}}"
        for name, text in _GROWN.items()
    ]
    long = "word " * 2_000_000
    entries.append(f"@misc{{long, author = {{Nobody, N.}}, title = {{{long}}}, year = 2020}}")
    refs = folder / "refs.bib"
    refs.write_text("\n".join([*entries, refs.read_text(encoding="utf-8")]), encoding="utf-8")
