r"""``\bibitem`` and biblatex's ``\entry``: the markup of the styles is used for parsing."""

from __future__ import annotations

import pytest

from pytest_citecheck.inputs import BBL, LATEX, read_bbl
from pytest_citecheck.model import Reference

TITLE = "Long short-term memory"
# The styles as they come with TeX Live, of one entry.
STYLES = {
    "plain": r"""\bibitem{hs97}
Sepp Hochreiter and J{\"u}rgen Schmidhuber.
\newblock Long short-term memory.
\newblock {\em Neural Computation}, 9(8):1735--1780, 1997.
""",
    "plainnat": r"""\bibitem[Hochreiter and Schmidhuber(1997)]{hs97}
Sepp Hochreiter and J{\"u}rgen Schmidhuber.
\newblock Long short-term memory.
\newblock \emph{Neural Computation}, 9\penalty0 (8):\penalty0 1735--1780, 1997.
\newblock \doi{10.1162/neco.1997.9.8.1735}.
""",
    "apalike": r"""\bibitem[Hochreiter and Schmidhuber, 1997]{hs97}
Hochreiter, S. and Schmidhuber, J. (1997).
\newblock Long short-term memory.
\newblock {\em Neural Computation}, 9(8):1735--1780.
""",
    "acl_natbib": r"""\bibitem[{Hochreiter and Schmidhuber(1997)}]{hs97}
Sepp Hochreiter and J{\"u}rgen Schmidhuber. 1997.
\newblock \href {https://doi.org/10.1162/neco.1997.9.8.1735} {Long short-term memory}.
\newblock \emph{Neural Computation}, 9(8):1735--1780.
""",
    "IEEEtran": r"""\bibitem{hs97}
\BIBentryALTinterwordspacing
S.~Hochreiter and J.~Schmidhuber, ``Long short-term memory,'' \emph{Neural Computation}, vol.~9, no.~8, pp. 1735--1780,
  1997. [Online]. Available: \url{https://doi.org/10.1162/neco.1997.9.8.1735}
\BIBentrySTDinterwordspacing
""",
    "ACM": r"""\bibitem[Hochreiter and Schmidhuber(1997)]%
        {hs97}
\bibfield{author}{\bibinfo{person}{Sepp Hochreiter} {and} \bibinfo{person}{J\"{u}rgen Schmidhuber}.}
  \bibinfo{year}{1997}\natexlab{}.
\newblock \showarticletitle{Long short-term memory}.
\newblock \bibinfo{journal}{\emph{Neural Computation}} \bibinfo{volume}{9}, \bibinfo{number}{8} (\bibinfo{year}{1997}),
  \bibinfo{pages}{1735--1780}.
""",
    "REVTeX": r"""\bibitem [{\citenamefont {Hochreiter}\ and\ \citenamefont {Schmidhuber}(1997)}]{hs97}%
  \BibitemOpen
  \bibfield  {author} {\bibinfo {author} {\bibfnamefont {S.}~\bibnamefont {Hochreiter}}\ and\ \bibinfo {author} {\bibfnamefont
  {J.}~\bibnamefont {Schmidhuber}},\ }\bibfield  {title} {\bibinfo {title} {Long short-term memory},\ }\href
  {https://doi.org/10.1162/neco.1997.9.8.1735} {\bibfield  {journal} {\bibinfo  {journal} {Neural Computation}\ }\textbf {\bibinfo
  {volume} {9}},\ \bibinfo {pages} {1735} (\bibinfo {year} {1997})}\BibitemShut {NoStop}%
""",
    "Springer": r"""\bibitem[\protect\citeauthoryear{Hochreiter and Schmidhuber}{1997}]{hs97}
\begin{barticle}
\bauthor{\bsnm{Hochreiter}, \binits{S.}},
\bauthor{\bsnm{Schmidhuber}, \binits{J.}}:
\batitle{Long short-term memory}.
\bjtitle{Neural Computation}
\bvolume{9}(\bissue{8}),
\bfpage{1735}--\blpage{1780}
(\byear{1997})
\end{barticle}
""",
    "Elsevier": r"""\bibitem{hs97}
S.~Hochreiter, J.~Schmidhuber, \href{https://doi.org/10.1162/neco.1997.9.8.1735}{Long short-term memory}, Neural Computation
  9~(8) (1997) 1735--1780.
""",
}
BIBLATEX = r"""% $ biblatex auxiliary file $
\refsection{0}
  \datalist[entry]{nty/global//global/global/global}
    \entry{hs97}{article}{}{}
      \name{author}{2}{}{%
        {{hash=1}{%
           family={Hochreiter},
           familyi={H\bibinitperiod},
           given={Sepp},
           giveni={S\bibinitperiod}}}%
        {{un=0,hash=2}{%
           family={Schmidhuber},
           given={J\"urgen},
           prefix={von},
           giveni={J\bibinitperiod}}}%
      }
      \strng{namehash}{x}
      \field{journaltitle}{Neural Computation}
      \field{title}{Long Short-Term Memory}
      \field{year}{1997}
      \field{pages}{1735\bibrangedash 1780}
      \verb{doi}
      \verb 10.1162/neco.1997.9.8.1735
      \endverb
    \endentry
  \enddatalist
\endrefsection
"""


def only(text: str) -> Reference:
    (one,) = read_bbl("main.bbl", text.encode()).references
    return one


@pytest.mark.parametrize("style", STYLES)
def test_what_styles_write(style: str) -> None:
    one = only(f"\\begin{{thebibliography}}{{9}}\n\n{STYLES[style]}\n\\end{{thebibliography}}\n")
    assert (one.key, one.location.path, one.location.line) == ("hs97", "main.bbl", 3)
    assert one.fields["title"].rstrip(",") == TITLE
    assert one.fields["year"] == "1997"
    assert [name.strip() for name in one.fields["author"].split(" and ")][1].replace("Jürgen", "J.") in (
        "J. Schmidhuber",
        "Schmidhuber, J.",
    )
    assert "journal" not in one.fields or one.fields["journal"] == "Neural Computation"
    if "10.1162" in STYLES[style]:
        assert one.fields["doi"] == "10.1162/neco.1997.9.8.1735"


def test_biblatex_entries() -> None:
    one = only(BIBLATEX)
    assert (one.type, one.location.line) == ("article", 4)
    assert dict(one.fields) == {
        "author": "Hochreiter, Sepp and von Schmidhuber, Jürgen",
        "journaltitle": "Neural Computation",
        "title": "Long Short-Term Memory",
        "year": "1997",
        "pages": "1735--1780",
        "doi": "10.1162/neco.1997.9.8.1735",
    }


APACITE = r"""\begin{thebibliography}{}
\bibitem [\protect \citeauthoryear {%
Turing%
\ \BBA {} Hopper%
}{%
{\protect \APACyear {1936}}%
}]{%
turing1936}
\APACinsertmetastar {%
turing1936}%
\begin{APACrefauthors}%
Turing, A\BPBI M.%
\BCBT {}\ \BBA {} Hopper, G.%
\end{APACrefauthors}%
\unskip\
\newblock
\APACrefYearMonthDay{1936}{}{}.
\newblock
{\BBOQ}\APACrefatitle {On Computable Numbers} {On computable numbers}.{\BBCQ}
\newblock
\APACjournalVolNumPages{Proceedings}{42}{1}{230--265}.
\newblock
\begin{APACrefDOI} \doi{10.1000/abc} \end{APACrefDOI}
\PrintBackRefs{\CurrentBib}
\end{thebibliography}
"""


def test_apacite() -> None:
    (found,) = BBL.read("paper.bbl", APACITE.encode()).references
    assert found.key == "turing1936"
    assert dict(found.fields) == {
        "author": "Turing, A. M. and Hopper, G.", "title": "On Computable Numbers", "year": "1936", "journal": "Proceedings",
        "volume": "42", "number": "1", "pages": "230–265", "doi": "10.1000/abc",
    }  # fmt: skip


def test_apacite_omits_authors_before_the_last() -> None:
    people = "\\BCBT {}\\ \\BBA {} Hopper, G.%"
    (found,) = BBL.read("paper.bbl", APACITE.replace(people, "\\BDBL {}Hopper, G.%").encode()).references
    assert found.fields["author"] == "Turing, A. M. and others"


def test_editors_of_acm_are_no_authors() -> None:
    text = r"""\bibitem[A(1998)]%
        {key}
\bibfield{author}{\bibinfo{person}{David Harel}.} \bibinfo{year}{1998}\natexlab{}.
\newblock \showarticletitle{Statecarts in use}.
\newblock In \bibinfo{booktitle}{\emph{Lectures}}, \bibfield{editor}{\bibinfo{person}{Grzegorz Rozenberg}} (Eds.).
"""
    (found,) = BBL.read("paper.bbl", text.encode()).references
    assert (found.key, found.fields["author"]) == ("key", "David Harel")


def test_the_list_that_pandoc_prints() -> None:
    text = r"""\begin{CSLReferences}{1}{0}
\leavevmode\vadjust pre{\hypertarget{ref-turing1936}{}}%
Turing, Alan M. 1936. {``On Computable Numbers.''} \emph{Proceedings} 42 (1): 230--65.

\leavevmode\hypertarget{ref-hopper1952}{}%
Hopper, Grace. 1952. {``The Education of a Computer.''} \emph{Proceedings} 5: 243--49.

\end{CSLReferences}
"""
    first, second = BBL.read("paper.tex", text.encode()).references
    assert (first.key, first.fields["title"]) == ("turing1936", "On Computable Numbers")
    assert (second.key, second.fields["title"]) == ("hopper1952", "The Education of a Computer")


def test_the_lists_of_other_versions_of_pandoc() -> None:
    new = r"""\documentclass{article}\begin{document}(\citeproc{ref-hopper1952}{Hopper 1952})
\begin{CSLReferences}{1}{0}
\bibitem[\citeproctext]{ref-hopper1952}
Hopper, Grace. 1952. {``The Education of a Computer.''} \emph{Proceedings of the ACM} 5: 243--49.
\end{CSLReferences}\end{document}"""
    old = r"""\documentclass{apa6}\begin{document}
\hypertarget{refs}{}
\leavevmode\hypertarget{ref-hopper1952}{}%
Hopper, G. (1952). The education of a computer. \emph{Proceedings}, \emph{5}, 243--249.
\end{document}"""
    for text in (new, old):
        (only,) = LATEX.read("paper.tex", text.encode()).references
        assert (only.key, only.fields["title"].lower(), only.defects) == (
            "hopper1952",
            "the education of a computer",
            (),
        )


def test_amsrefs() -> None:
    text = r"""\documentclass{article}\usepackage{amsrefs}\begin{document}\cite{hopper1952}\cite{turing1936}*{p. 3}
\begin{bibdiv}\begin{biblist}
\bib{hopper1952}{article}{
  author={Hopper, Grace},
  author={Turing, Alan M.}, % the other one
  title={The education of \emph{a} computer},
  journal={Proceedings}, volume={5}, date={1952-05}, pages={243--249},
}
\bib*{turing1936}{article}{author={Turing, Alan M.}, title={On numbers}, book={title={Logic}, publisher={ACM}}, date={1936}}
\end{biblist}\end{bibdiv}\end{document}"""
    first, second = LATEX.read("paper.tex", text.encode()).references
    assert (first.key, first.type, first.location.line) == ("hopper1952", "article", 3)
    assert first.fields == {
        "author": "Hopper, Grace and Turing, Alan M.",
        "title": "The education of a computer",
        "journal": "Proceedings",
        "volume": "5",
        "year": "1952",
        "pages": "243--249",
    }
    assert (second.type, second.fields["booktitle"], second.fields["year"]) == ("incollection", "Logic", "1936")
    assert [one.defects for one in (first, second)] == [(), ()]
