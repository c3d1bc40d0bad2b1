r"""The sentence around each ``\cite{key}`` or ``[@key]`` is a claim; a folder holds the texts of the sources."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.models.claims import (
    CUES,
    ClaimPair,
    SourceFolder,
    holds_claims,
    html_text,
    read_claim_file,
    read_manuscript,
)

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


def with_bibliography(folder: Path, name: str, text: str) -> Path:
    """Write a manuscript, and entries for its keys with a name and a year, such as ``kingma2015``."""
    people = sorted(set(re.findall(r"\b([a-z]+)((?:17|19|20)\d\d)\b", text)))
    entries = [
        f"@article{{{who}{year}, author = {{{who.title()}, Ann}}, title = {{On {who}}}, year = {year}}}"
        for who, year in people
    ]
    (folder / "refs.bib").write_text("\n".join(entries), encoding="utf-8")
    if name.endswith(".tex"):
        text = text.replace(r"\end{document}", "\\bibliography{refs}\n\\end{document}")
    elif text.startswith("---\n"):
        text = text.replace("---\n", "---\nbibliography: refs.bib\n", 1)
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def read(tmp_path: Path, name: str, text: str) -> dict[str, tuple[int, str]]:
    path = with_bibliography(tmp_path, name, text)
    return {pair.id: (pair.line, pair.claim) for pair in read_claim_file(path, name).pairs}


def test_citations_in_latex(tmp_path: Path) -> None:
    assert read(tmp_path, "paper.tex", TEX) == {
        "he2016": (6, "Residual networks won the challenge in 2015."),
        "vaswani2017+gehring2017": (7, "Transformers rely on attention alone, e.g. in translation"),
        "kingma2015": (8, "Kingma (2015) introduce Adam."),
        "after": (8, "It works well."),
        "a:b/c+he2016": (10, "First the authors says 50% is large, as before."),
    }


def test_citations_in_markdown(tmp_path: Path) -> None:
    assert read(tmp_path, "paper.md", MARKDOWN) == {
        "he2016+b": (7, "Residual networks won in 2015."),
        "kingma2015": (7, "As Kingma (2015) show, Adam works."),
        "after": (8, "Then it rains often."),
        "item1": (10, "Item one says enough."),
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
    assert [name for name, pair in pairs.items() if pair.runs] == ["he2016", "a:b/c+he2016"]
    together = pairs["a:b/c+he2016"]
    assert together.source == "[Source 1 of 2]\nAdam & friends\nworks\n\n[Source 2 of 2]\nResidual networks won."
    assert together.source_name == "sources/a_b_c.html, sources/he2016.txt"
    together = pairs["vaswani2017+gehring2017"]
    assert together.unfit.startswith("there is no sources/vaswani2017.txt, .html or .pdf (")
    assert (together.keys, together.cites) == (("vaswani2017", "gehring2017"), "vaswani2017, gehring2017")
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


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["x.tex", "x.md"])
@pytest.mark.parametrize(
    "text", ["\\cite{" * 20_000, "[@" * 20_000, "{" * 50_000, "`" * 50_000, "a. " * 20_000, "\\begin{verbatim}" * 5_000]
)
def test_nonsense_ends_soon(tmp_path: Path, name: str, text: str) -> None:
    read(tmp_path, name, text)


OWN, EXIST, POINTS, TABLE, LIST = (
    "about the authors’ own work",
    "it only says that works exist",
    "it only points to the work",
    "in a table",
    "a list of works",
)
# A text, and what is cited together, the claim, and why it is left out.
PARTS = [
    (r"Deep networks generalise well \cite{a}, but they need much data \cite{b}.",
     [("a", "Deep networks generalise well", ""), ("b", "they need much data.", "")]),
    (r"Adam converges faster than plain descent~\cite{a,b}.", [("a+b", "Adam converges faster than plain descent.", "")]),
    (r"The rate fell by 12\% in 2019 (e.g., \cite{a}; see also \cite{b}).", [("a+b", "The rate fell by 12% in 2019.", "")]),
    (r"The prevalence is 8\% in adults~\cite{a} and 10\% in children~\cite{b}.",
     [("a+b", "The prevalence is 8% in adults and 10% in children.", "")]),
    (r"It was first seen in 1998 \cite{x}; later studies found none in children \cite{y} or adults \cite{z}.",
     [("x", "It was first seen in 1998", ""), ("y+z", "later studies found none in children or adults.", "")]),
    (r"BERT \cite{devlin2019} is an encoder that is trained on masked tokens.",
     [("devlin2019", "BERT is an encoder that is trained on masked tokens.", "")]),
    (r"Transformers \cite{a} replace recurrence by attention and LSTMs \cite{b} use gates to keep gradients.",
     [("a", "Transformers replace recurrence by attention", ""), ("b", "LSTMs use gates to keep gradients.", "")]),
    (r"\citet{smith2020} show that pruning keeps accuracy, while \citet{lee2021} find that it harms robustness.",
     [("smith2020", "Smith (2020) show that pruning keeps accuracy", ""),
      ("lee2021", "Lee (2021) find that it harms robustness.", "")]),
    (r"In \cite{he2016}, residual connections are shown to ease training.",
     [("he2016", "In He (2016), residual connections are shown to ease training.", "")]),
    (r"As shown by Smith et al. \cite{smith2020}, pruning keeps accuracy.",
     [("smith2020", "As shown by Smith et al., pruning keeps accuracy.", "")]),
    (r"It lost 30 metres, as \textcite{mueller2010} measured.",
     [("mueller2010", "It lost 30 metres, as Mueller (2010) measured.", "")]),
    (r"Attention replaces recurrence in models of language (see also \citealt{a}).",
     [("a", "Attention replaces recurrence in models of language.", "")]),
    (r"Attention replaces recurrence in models of language (\citealp{a}; \citealt[p.~3]{b}).",
     [("a+b", "Attention replaces recurrence in models of language.", "")]),
    (r"\citealt{smith2020} show that pruning keeps accuracy.",
     [("smith2020", "Smith (2020) show that pruning keeps accuracy.", "")]),
    (r"It is known \nocite{hidden2001} that water boils at 100 degrees \cite{w}.",
     [("w", "It is known that water boils at 100 degrees.", "")]),
    (r"Images were collected\footnote{Crowd workers labelled them in 2009 \cite{a}.} and sorted into classes \cite{b}.",
     [("a", "Crowd workers labelled them in 2009.", ""), ("b", "Images were collected and sorted into classes.", "")]),
    (r"\begin{figure}\caption[Short]{The block adds its input to its output \cite{a}.}\end{figure}",
     [("a", "The block adds its input to its output.", "")]),
    (r"We use the Adam optimizer \cite{a} with a learning rate of 0.1.",
     [("a", "We use the Adam optimizer with a learning rate of 0.1.", OWN)]),
    (r"Several works have studied this problem \cite{a,b,c}.", [("a+b+c", "Several works have studied this problem.", EXIST)]),
    (r"For a survey of the field, see \cite{survey2020}.",
     [("survey2020", "For a survey of the field, see Survey (2020).", POINTS)]),
    (r"\begin{tabular}{l}ResNet has many layers \cite{a} \\ \end{tabular}", [("a", "{l}ResNet has many layers", TABLE)]),
    (r"Models such as GPT \cite{a}, T5 \cite{b}, PaLM \cite{c}, OPT \cite{d} are trained on web text.",
     [("a+b+c+d", "Models such as GPT, T5, PaLM, OPT are trained on web text.", LIST)]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), PARTS)
def test_each_citation_carries_a_part_of_its_sentence(
    tmp_path: Path, text: str, expected: list[tuple[str, str, str]]
) -> None:
    path = with_bibliography(tmp_path, "paper.tex", f"\\begin{{document}}\n{text}\n\\end{{document}}\n")
    (tmp_path / "sources").mkdir()
    for key in {key for names, _, _ in expected for key in names.split("+")}:
        (tmp_path / "sources" / f"{key}.txt").write_text("Some text of a source.", encoding="utf-8")
    pairs = read_claim_file(path, "paper.tex").pairs
    found = [("+".join(pair.keys), pair.claim, pair.unfit) for pair in pairs]
    assert [one[::2] for one in found] == [one[::2] for one in expected]
    if not any(problem == TABLE for _, _, problem in expected):
        assert found == expected
    assert all(pair.sources == len(pair.keys) for pair in pairs)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Introduction\nResidual networks won in 2015 [@a].\n", [("a", 2, "Residual networks won in 2015.")]),
        ("Title of it\n=====\nThe river is 148 km long [@a; @b, p. 3].\n", [("a+b", 3, "The river is 148 km long.")]),
        (
            "Water boils at 100 degrees.[^1]\n\n[^1]: Only at sea level, as @celsius1742 measured.\n",
            [("celsius1742", 3, "Only at sea level, as the authors measured.")],
        ),
        (
            "The tower is 31 m high^[It was measured again in 1990 [@a].] and made of granite [@b].",
            [("a", 1, "It was measured again in 1990."), ("b", 1, "The tower is 31 m high and made of granite.")],
        ),
        ("::: {.note}\nTrees contain no cycles at all [@a].\n:::\n", [("a", 2, "Trees contain no cycles at all.")]),
    ],
)
def test_headings_and_footnotes_in_markdown(tmp_path: Path, text: str, expected: list[tuple[str, int, str]]) -> None:
    path = tmp_path / "paper.md"
    path.write_text(text, encoding="utf-8")
    assert [(pair.id, pair.line, pair.claim) for pair in read_claim_file(path, "paper.md").pairs] == expected


def test_files_that_are_input_are_read(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "intro.tex").write_text("\nThe river is 148 km long \\cite{a}.\n", encoding="utf-8")
    path = tmp_path / "paper.tex"
    path.write_text("\\begin{document}\n\\input{parts/intro}\nIt rises in the hills \\cite{b}.\n", encoding="utf-8")
    pairs = read_claim_file(path, "paper.tex").pairs
    assert {(pair.id, pair.path, pair.file, pair.line) for pair in pairs} == {
        ("a", "paper.tex", "parts/intro.tex", 2),
        ("b", "paper.tex", "", 3),
    }


def test_what_one_of_several_sources_lacks_fails_no_claim(tmp_path: Path) -> None:
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "a.txt").write_text("Some text of a source.", encoding="utf-8")
    path = tmp_path / "paper.md"
    path.write_text("The river is 148 km long [@a; @b].", encoding="utf-8")
    (pair,) = read_claim_file(path, "paper.md").pairs
    assert (pair.runs, pair.sources, pair.abstract) == (True, 2, True)
    assert "[Source 2 of 2] not available: there is no sources/b.txt" in pair.source


CLAUSES = (
    "pruning keeps the accuracy of networks",
    "the rate of errors was 12 percent in 2019",
    "storms damaged the old harbour",
    "larger models need more memory",
    "the fever affects children under five",
)
BETWEEN = (", but ", "; ", ", and ", ", while ")


@given(
    st.lists(st.sampled_from(CLAUSES), min_size=1, max_size=5, unique=True),
    st.lists(st.sampled_from(BETWEEN), min_size=5, max_size=5),
    st.lists(st.integers(1, 3), min_size=5, max_size=5),
    st.sampled_from([r"\cite", r"\citep", r"\parencite*", r"~\cite"]),
)
def test_each_citation_has_the_words_between_it_and_the_one_before(
    clauses: list[str], between: list[str], sizes: list[int], command: str
) -> None:
    parts, keys = [], []
    for number, (clause, size) in enumerate(zip(clauses, sizes, strict=False)):
        keys.append(tuple(f"k{number}{letter}" for letter in "abc"[:size]))
        space = "" if command.startswith("~") else " "
        parts.append(f"{clause}{space}{command}{{{','.join(keys[-1])}}}")
    text = "".join(f"{part}{between[place]}" for place, part in enumerate(parts[:-1])) + parts[-1]
    found = claims_of(text)
    assert [pair.keys for pair in found] == keys
    assert [pair.claim.rstrip(".").lower() for pair in found] == clauses


def claims_of(sentence: str) -> list[ClaimPair]:
    text = f"\\begin{{document}}\n{sentence[0].upper()}{sentence[1:]}.\n\\end{{document}}\n"
    return list(read_manuscript(text, "p.tex", ".tex", SourceFolder(Path("no-such-folder"))).pairs)


def test_a_part_without_a_subject_keeps_that_of_the_sentence() -> None:
    found = claims_of(
        r"pruning keeps accuracy \cite{a} and saves memory on phones \cite{b}, but harms robustness to noise \cite{c}"
    )
    said = ["Pruning keeps accuracy", "Pruning saves memory on phones", "Pruning harms robustness to noise."]
    assert [pair.claim for pair in found] == said
    found = claims_of(r"adam was proposed in 2014 \cite{a} and extended to decoupled decay \cite{b}")
    assert [pair.claim for pair in found] == ["Adam was proposed in 2014", "Adam was extended to decoupled decay."]


NAMES = r"""
@book{one, author = {Feller, William}, title = {Probability}, year = 1991}
@article{Two:x, author = {Debreu, G. and van der Berg, Ada}, title = {Orders}, date = {1954-03}}
@article{three, author = {Doe, A. and Roe, B. and Poe, C.}, title = {Ravens}, year = {2020}}
@misc{four, title = {Annual Report}, year = 2011}
"""


@pytest.mark.parametrize(
    ("cited", "shown"),
    [
        (r"\citet{one}", "Feller (1991)"),
        (r"\Citet*{one}", "Feller (1991)"),
        (r"\textcite[p.~3]{Two:x}", "Debreu and van der Berg (1954)"),
        (r"\Textcite{three}", "Doe et al. (2020)"),
        (r"\citeauthor{three}", "Doe et al."),
        (r"\citeauthor*{one}", "Feller"),
        (r"\textcites{one}{three}", "Feller (1991) and Doe et al. (2020)"),
        (r"\citet{one,Two:x}", "Feller (1991) and Debreu and van der Berg (1954)"),
        (r"\citet{four}", "Annual Report (2011)"),
        (r"\citet{unknown1999}", "The authors"),
        ("@one", "Feller (1991)"),
        ("@{Two:x}", "Debreu and van der Berg (1954)"),
    ],
)
def test_names_come_from_the_bibliography(tmp_path: Path, cited: str, shown: str) -> None:
    (tmp_path / "refs.bib").write_text(NAMES, encoding="utf-8")
    said = f"{cited} found that ravens count to seven."
    if cited.startswith("@"):
        path = tmp_path / "paper.md"
        path.write_text(f"---\nbibliography: refs.bib\n---\n\n{said}\n", encoding="utf-8")
    else:
        path = tmp_path / "paper.tex"
        path.write_text(f"\\begin{{document}}\n{said}\n\\bibliography{{refs}}\n\\end{{document}}\n", encoding="utf-8")
    (pair,) = read_claim_file(path, path.name).pairs
    assert pair.claim == f"{shown} found that ravens count to seven."


SKIPPED = (
    ("our method extends the tree of cuts", "first person"),
    ("this paper extends the tree of cuts", "this paper"),
    ("the algorithm is here described with its proof", "here"),
    ("next, the two methods are compared by their cost", "announcement"),
    ("the following model of growth was suggested", "below"),
    ("another plan is to have a version with sound", "plan"),
    ("the slot map is an object of class shape", "code"),
    ("the authors acknowledge funding of the council", "thanks"),
    ("see the proofs of the theorem", "see"),
    ("the proof of convergence is described in \\citet{x}", "described in"),
    ("more details on the proof can be found at the site", "informed by"),
    ("the fitted curve is the one proposed by \\citet{x}", "method of"),
    ("the data were taken from the national survey", "source of data"),
    ("the plots were drawn with the package of the group", "software"),
    ("this is often called the kernel trick", "naming"),
)
"""A sentence for each cue."""


@pytest.mark.parametrize(("sentence", "cue"), SKIPPED)
def test_each_cue_skips_a_sentence_with_its_reason(sentence: str, cue: str) -> None:
    (pair,) = claims_of(f"{sentence} \\cite{{k}}")[:1]
    (row,) = (one for one in CUES if one.name == cue)
    assert pair.unfit == row.reason
    assert row.pattern.search(pair.claim)


def test_every_cue_is_tried() -> None:
    assert [cue.name for cue in CUES] == [name for _, name in SKIPPED]


@pytest.mark.parametrize("verb", ["boils", "freezes", "flows", "clots", "burned", "froze"])
def test_a_whole_sentence_needs_no_known_verb(verb: str) -> None:
    (pair,) = claims_of(f"Water {verb} at 100 degrees \\cite{{k}}")
    assert pair.unfit.startswith("there is no no-such-folder/k.txt")  # only the source is missing
