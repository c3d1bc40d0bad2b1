"""Works cited in the footnotes of a LaTeX document that has no bibliography."""

from __future__ import annotations

import pytest

from pytest_citecheck.inputs import LATEX, NoFiles, Surroundings, UnreadableDocumentError

_DOCUMENT = r"""\documentclass{article}
\begin{document}
Salt moved north.\footnote{Marta Ilves, ``Salt Roads of the North,'' \emph{Baltic Studies} 12 (2004): 3--29.}
So did amber.\footnote{Ibid., 7; cf.\ Juhan Tamm, \emph{Amber and Law} (Riga: Zinatne, 2005), 30.}
Tolls were paid.\footnote{Greta Holm, \textit{The Toll of {Narva}} (Tartu: University Press, 2006), 2.}
Again.\footnote[3]{Holm, \emph{Toll}, 9.}
Others agree.\footnote{I thank the editors.}
Four.\endnote{Peeter Saar, ``Harbours and Hides,'' \emph{Baltic Studies} 15 (2007): 1--9.}
%s
\end{document}
"""


def test_the_notes_are_the_bibliography() -> None:
    read = LATEX.read_document("essay.tex", (_DOCUMENT % "").encode(), Surroundings(NoFiles()))
    assert [(one.location.line, one.fields["title"]) for one in read.references] == [
        (3, "Salt Roads of the North"),
        (4, "Amber and Law"),
        (5, "The Toll of Narva"),
        (8, "Harbours and Hides"),
    ]
    assert [note.message for note in read.notes if "thank the editors" in note.message]


@pytest.mark.parametrize("further", [r"A key.\cite{holm2006}", r"\bibliography{lost}"])
def test_a_document_with_keys_or_a_lost_bibliography_is_still_an_error(further: str) -> None:
    with pytest.raises(UnreadableDocumentError):
        LATEX.read_document("essay.tex", (_DOCUMENT % further).encode(), Surroundings(NoFiles()))
