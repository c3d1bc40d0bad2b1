r"""The sentence around each ``\cite{key}`` or ``[@key]`` is a claim; a folder holds the texts of the sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_citecheck.models.claims.manuscripts import SourceFolder, html_text
from pytest_citecheck.models.claims.review import holds_claims, read_claim_file

TEX = r"""\documentclass{article}
% \cite{comment}
\newcommand{\x}{\cite{preamble}}
\begin{document}
\section{Introduction \cite{heading}}
Residual networks won the challenge in 2015~\cite{he2016}. Transformers rely on attention
alone, e.g. in translation \citep[see][p.~3]{vaswani2017, gehring2017}; they are \emph{fast}.
\citet{kingma2015} introduce Adam. It works well.\cite{after} Dr. Smith et al. agree.
\begin{itemize}
\item First \textcite{a:b/c} says 50\% is large, as before \cite{he2016}.
\end{itemize}
\begin{verbatim} \cite{code} \end{verbatim}
\nocite{*}
\end{document}
"""
MARKDOWN = """---
title: "[@front]"
---
# Heading

Residual networks won in 2015 [@he2016; see @b, p. 3]. As @kingma2015 show, Adam **works**. Mail me@example.org or `@code`.
Then it rains often. [@after] And this is [a link](https://x.example/@foo) too.

- Item one says enough [-@item1].
"""


def read(tmp_path: Path, name: str, text: str) -> dict[str, tuple[int, str]]:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return {pair.id: (pair.line, pair.claim) for pair in read_claim_file(path, name).pairs}


def test_citations_in_latex(tmp_path: Path) -> None:
    attention = "Transformers rely on attention alone, e.g. in translation; they are fast."
    assert read(tmp_path, "paper.tex", TEX) == {
        "he2016": (6, "Residual networks won the challenge in 2015."),
        "vaswani2017": (7, attention),
        "gehring2017": (7, attention),
        "kingma2015": (8, "the authors introduce Adam."),
        "after": (8, "It works well."),
        "a:b/c": (10, "First the authors says 50% is large, as before."),
        "he2016~2": (10, "First the authors says 50% is large, as before."),
    }


def test_citations_in_markdown(tmp_path: Path) -> None:
    assert read(tmp_path, "paper.md", MARKDOWN) == {
        "he2016": (6, "Residual networks won in 2015."),
        "b": (6, "Residual networks won in 2015."),
        "kingma2015": (6, "As the authors show, Adam works."),
        "after": (7, "Then it rains often."),
        "item1": (9, "Item one says enough."),
    }


def test_sources_come_from_a_folder_and_what_is_missing_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "sources"
    folder.mkdir()
    (folder / "he2016.txt").write_text("Residual networks won.", encoding="utf-8")
    page = "<html><head><title>t</title></head><body><script>x</script><p>Adam &amp; friends</p>works</body></html>"
    (folder / "a_b_c.html").write_text(page, encoding="utf-8")
    (folder / "after.txt").write_bytes(b" \n")
    (folder / "kingma2015.pdf").write_bytes(b"%PDF-1.4 broken")
    path = tmp_path / "paper.tex"
    path.write_text(TEX, encoding="utf-8")
    pairs = {pair.id: pair for pair in read_claim_file(path, "paper.tex").pairs}
    assert [name for name, pair in pairs.items() if pair.runs] == ["he2016", "a:b/c", "he2016~2"]
    assert pairs["a:b/c"].source == "Adam & friends\nworks"
    assert pairs["a:b/c"].source_name == "sources/a_b_c.html"
    assert pairs["vaswani2017"].unfit.startswith("there is no sources/vaswani2017.txt, .html or .pdf (")
    assert pairs["after"].unfit == "sources/after.txt contains no text"
    assert pairs["kingma2015"].unfit.startswith("sources/kingma2015.pdf ")


@pytest.mark.parametrize("key", ["../secret", "/etc/passwd", "..", "", "a/../../b"])
def test_a_key_does_not_lead_out_of_the_folder(tmp_path: Path, key: str) -> None:
    (tmp_path / "sources").mkdir()
    (tmp_path / "secret.txt").write_text("s", encoding="utf-8")
    assert SourceFolder(tmp_path / "sources").text(key)[0] == ""


def test_html_without_end(tmp_path: Path) -> None:
    assert html_text("<p>one<script>two<p>three") == "one"
    assert html_text("</script></p>a<br>b &lt;c&gt;") == "a\nb <c>"


def test_manuscripts_are_claims_only_where_wanted(tmp_path: Path) -> None:
    path = tmp_path / "paper.md"
    path.write_text(MARKDOWN, encoding="utf-8")
    assert holds_claims(path, manuscripts=True)
    assert not holds_claims(path, manuscripts=False)


@pytest.mark.parametrize("name", ["x.tex", "x.md"])
@pytest.mark.parametrize(
    "text", ["\\cite{" * 20_000, "[@" * 20_000, "{" * 50_000, "`" * 50_000, "a. " * 20_000, "\\begin{verbatim}" * 5_000]
)
def test_nonsense_ends_soon(tmp_path: Path, name: str, text: str) -> None:
    read(tmp_path, name, text)
