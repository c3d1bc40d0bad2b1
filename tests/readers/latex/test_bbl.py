r"""``\bibitem`` and biblatex's ``\entry``: what styles mark is read as they mark it."""

from __future__ import annotations

import pytest

from pytest_citecheck.model import Reference
from pytest_citecheck.readers.latex.bbl import read_bbl

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
