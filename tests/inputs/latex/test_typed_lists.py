"""Lists of references that are typed below a heading of a LaTeX document, without ``thebibliography``."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from pytest_citecheck.inputs import LATEX, NoFiles, Surroundings, UnreadableDocumentError

_TITLES = ["Salt roads of the north", "Amber and law", "Harbours and hides"]
_ITEMS = [
    r"Ilves, M. \& Holm, G. (2004). Salt roads of the north. \emph{Baltic Studies}, 12(2), 3--29.",
    r"Tamm, J. (2005). Amber and law. \textit{Baltic Studies}, 13(1), 30--41.",
    r"Saar, P. (2007). Harbours and hides. \emph{Baltic Studies}, 15(3), 1--9.",
]
_SHAPES: dict[str, Callable[[Sequence[str]], str]] = {
    "enumerate": lambda items: _environment("enumerate", [f"\\item {item}" for item in items]),
    "itemize": lambda items: _environment("itemize", [f"\\item\n  {item}" for item in items]),
    "description": lambda items: _environment(
        "description", [f"\\item[{place}] {item}" for place, item in enumerate(items)]
    ),
    "hangparas": lambda items: "\\begin{hangparas}{.25in}{1}\n" + "\n\n".join(items) + "\n\\end{hangparas}",
    "paragraphs": "\n\n".join,
    "noindent": lambda items: "\n\n".join(f"\\noindent {item}" for item in items),
    "hangindent": lambda items: "\n\n".join(f"\\hangindent=1.5em\n{item}" for item in items),
    "par": lambda items: "\n".join(f"{item}\\par" for item in items),
    "breaks": "\\\\[2pt]\n".join,
    "numbers": lambda items: "\n\n".join(f"[{place}] {item}" for place, item in enumerate(items, 1)),
    "numbers with a dot": lambda items: "\n".join(f"{place}. {item}" for place, item in enumerate(items, 1)),
}


def _environment(name: str, lines: Sequence[str]) -> str:
    return "\\begin{" + name + "}\n" + "\n".join(lines) + "\n\\end{" + name + "}"


def _document(listed: str, further: str = "") -> bytes:
    return (
        "\\documentclass{article}\n\\begin{document}\nSalt moved north (Ilves 2004).\\footnote{Cf. Tamm 2005, 31.}\n"
        f"\\section*{{References}}\n{listed}\n{further}\\end{{document}}\n"
    ).encode()


@pytest.mark.parametrize("heading", ["References", "7 References", "BIBLIOGRAPHY", "Literatur", "参考文献"])
@pytest.mark.parametrize("shape", _SHAPES)
def test_a_typed_list_is_read(shape: str, heading: str) -> None:
    text = _document(_SHAPES[shape](_ITEMS)).replace(b"References", heading.encode())
    read = LATEX.read_document("essay.tex", text, Surroundings(NoFiles()))
    assert [one.fields["title"] for one in read.references] == _TITLES
    assert [one.fields["journal"] for one in read.references] == ["Baltic Studies"] * 3


def test_the_list_ends_at_the_next_heading_and_has_lines() -> None:
    further = "\\section{Appendix}\nHolm, G. (2006). The toll of Narva. Baltic Studies, 14(4), 1--20.\n"
    text = _document("\n\n".join(_ITEMS), further)
    read = LATEX.read_document("essay.tex", text, Surroundings(NoFiles()))
    assert [(one.location.line, one.fields["title"]) for one in read.references] == [
        (5, _TITLES[0]), (7, _TITLES[1]), (9, _TITLES[2]),
    ]  # fmt: skip


def test_a_document_with_keys_still_needs_a_bibliography() -> None:
    with pytest.raises(UnreadableDocumentError, match="cites 1 key but has no bibliography"):
        LATEX.read_document("essay.tex", _document("\n\n".join(_ITEMS), "\\cite{a}\n"), Surroundings(NoFiles()))
