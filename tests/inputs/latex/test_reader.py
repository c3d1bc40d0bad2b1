r"""Citations of a LaTeX document: input files, bibliographies, keys with their locations."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_citecheck.inputs import (
    Bibliography,
    DocumentReader,
    FolderFiles,
    Surroundings,
    UnreadableDocumentError,
    all_readers,
    reader_for,
)

BIB = """@article{a2017, title={First Title}, author={Ada Lovelace}, journal={J}, year=2017}
@article{b2018, title={Second Title}, author={Ada Lovelace}, journal={J}, year=2018, ids={old2018}}
@article{c2019, title={Third Title}, author={Ada Lovelace}, journal={J}, year=2019}
"""
MAIN = r"\documentclass{article}\begin{document}%s\bibliography{refs}\end{document}"


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def read(folder: Path, name: str, *, everything: bool = False) -> Bibliography:
    reader = reader_for(str(folder / name))
    assert isinstance(reader, DocumentReader)
    return reader.read_document(name, (folder / name).read_bytes(), Surroundings(FolderFiles(folder), everything))


def keys(whole: Bibliography) -> list[str]:
    return [reference.key for reference in whole.references]


CITING: list[tuple[str, list[str]]] = [
    (r"\cite{a2017}", ["a2017"]),
    (r"\citep[see][p.~3]{a2017,  c2019}", ["a2017", "c2019"]),
    (r"\parencites[1]{a2017}[2]{b2018}", ["a2017", "b2018"]),
    (r"\cite{a2017}{b2018}", ["a2017"]),
    (r"\textcite{old2018}", ["b2018"]),
    ("\\citet\n{a2017}", ["a2017"]),
    *(
        (rf"\{command}[{option}]{{a2017}}", ["a2017"])
        for command in ("cite", "citep", "parencite", "footcite[see]")
        for option in (
            r"\S{}4b",
            r"Theorem~\ref{lemma:one}",
            r"\emph{a} and \textbf{b, \emph{c}}",
            "{p.~[3]}",
            "{see, 4}",
            "[4]",
            r"\emph{a \textbf{b \textit{c \textsc{d}}}}",
            "see [1] and [2, [3]]",
            r"\{ and \]",
            "$[0,1)$",
            "{]}",
        )
    ),
    *(
        (rf"\{command}{{2}}{{a2017}}", ["a2017"])
        for command in ("volcite", "pvolcite", "fvolcite", "ftvolcite", "avolcite", "tvolcite", "Volcite", "volcite*")
    ),
    *((rf"\pvolcite{{{volume}}}[3]{{a2017}}", ["a2017"]) for volume in (r"\S{}2", r"\textsc{ii}", "{2}", "1, 2")),
    (r"\volcite {2} [3] {a2017}", ["a2017"]),
    (r"\tvolcites(see)(and on){1}{a2017} {2} [4] {b2018}", ["a2017", "b2018"]),
    (r"\cites({(})(z){a2017}{b2018}", ["a2017", "b2018"]),
    (r"\cite[as in \cite{b2018}]{a2017}", ["a2017", "b2018"]),
    (r"\iftrue\cite{a2017}\else\cite{gone}\fi", ["a2017"]),
    (r"\iffalse{\cite{gone}}\iff\fi\cite{a2017}", ["a2017"]),
    (r"\newif\iflong\longtrue\iflong\cite{a2017}\else\cite{gone}\fi", ["a2017"]),
    (r"\newif\iflong\ifdefined\x\longtrue\fi\iflong\cite{a2017}\else\cite{b2018}\fi", ["a2017", "b2018"]),
    (r"\newif\iflong\def\all{\longtrue}\iflong\cite{a2017}\else\cite{b2018}\fi", ["a2017", "b2018"]),
    (r"\let\ifshort\iffalse \ifshort\cite{gone}\fi\cite{a2017}", ["a2017"]),
    (r"\volcite[see]{2}[12]{a2017}", ["a2017"]),
    (r"\volcites{1}[3]{a2017}{2}{b2018}", ["a2017", "b2018"]),
    (r"\newif\ifdraft\draftfalse\ifdraft \cite{gone}\else\cite{a2017}\fi", ["a2017"]),
    (r"\newif\ifdraft\draftfalse\drafttrue\ifdraft\cite{a2017}\fi", ["a2017"]),
    (r"\newif\ifdraft \ifdraft\cite{a2017}\fi", ["a2017"]),  # another file may turn it on
    (r"\nocite{*}", ["a2017", "b2018", "c2019"]),
    (r"\cite{a2017} \nocite{c2019}", ["a2017", "c2019"]),
    ("\\cite{a2017}% \\cite{b2018}\n", ["a2017"]),
    (r"\cite{a2017} 5\% \cite{b2018}", ["a2017", "b2018"]),
    (r"\cite{a2017}\begin{verbatim}\cite{b2018}\end{verbatim}", ["a2017"]),
    (r"\newcommand{\seen}[1]{\cite{#1}}\setcitestyle{numbers}\defcitealias{b2018}{B}\cite{a2017}", ["a2017"]),
    (r"\cite{a2017}\bibliography{refs}\end{document}\cite{b2018}", ["a2017"]),
    (r"\newcites{sec}{Secondary Sources}\cite{a2017}\citesec{b2018}", ["a2017", "b2018"]),
    (r"\verb|%\cite{gone}| \cite{a2017} \verb*+\cite{gone}+ \lstinline[language=TeX]!\cite{gone}!", ["a2017"]),
    (r"\verb is a command; \cite{a2017}| and \cite{b2018}|", ["a2017", "b2018"]),
    (
        r"\iffalse \cite{gone} \ifx\a\b \cite{gone} \fi \cite{gone} \else \cite{a2017} \fi \cite{b2018}",
        ["a2017", "b2018"],
    ),
    (r"\ifthenelse{\cite{a2017}}{}{} $a \iff b$ \if0 \cite{gone} \fi \iftrue \cite{b2018} \fi", ["a2017", "b2018"]),
    (r"\iffalse \cite{a2017}", ["a2017"]),
    (r"\newcommand{\citebox}[2][]{\node[draw,#1]{#2};}\citebox[fill=red,thick]{Some, Text}\cite{a2017}", ["a2017"]),
    (
        r"\NewDocumentCommand{\citemark}{m}{\textbf{#1}}\def\citeof#1{see \cite{#1}}\citemark{gone}\citeof{a2017}",
        ["a2017"],
    ),
    (r"\cite[see \tikz[baseline] \draw (0,0);]{a2017}", ["a2017"]),
]


@pytest.mark.parametrize(("text", "cited"), CITING)
def test_entries_that_are_cited_are_taken(tmp_path: Path, text: str, cited: list[str]) -> None:
    write(tmp_path, main_tex=MAIN % text, refs_bib=BIB)
    assert keys(read(tmp_path, "main.tex")) == cited


def test_inputs_are_followed_and_places_are_those_of_the_entries(tmp_path: Path) -> None:
    write(
        tmp_path,
        main_tex=MAIN % "\\include{ch/one}\\input two ",
        ch__one_tex="\n\\cite{a2017}\\input{ch/deep}\\include{main}",
        ch__deep_tex="\\cite{b2081}",
        two_tex="\\cite{c2019}",
        refs_bib=BIB,
    )
    whole = read(tmp_path, "main.tex")
    places = {one.key: f"{one.location.path}:{one.location.line}" for one in whole.references}
    assert places == {"a2017": "refs.bib:1", "c2019": "refs.bib:3", "b2081": "ch/deep.tex:1"}
    (defect,) = whole.references[-1].defects
    assert (defect.fatal, defect.code) == (True, "missing-entry")
    assert "nearest key is `b2018`" in defect.message
    assert [note.code for note in whole.notes] == ["uncited"]


def test_includeonly_leaves_chapters_out_and_says_so(tmp_path: Path) -> None:
    text = r"\includeonly{one, ch/two}\include{one}\include{ch/two}\include{three}\input{four}"
    chapters = {"one_tex": "a2017", "ch__two_tex": "b2018", "three_tex": "gone", "four_tex": "c2019"}
    write(tmp_path, main_tex=MAIN % text, refs_bib=BIB, **{name: f"\\cite{{{key}}}" for name, key in chapters.items()})
    whole = read(tmp_path, "main.tex")
    assert keys(whole) == ["a2017", "b2018", "c2019"]
    assert [note.message for note in whole.notes if note.code == "not-followed"] == [r"\includeonly leaves out three"]


@pytest.mark.parametrize(
    "switch",
    [
        r"\newif\ifdraft\draftfalse\ifdraft%s\fi",
        r"\iffalse%s\fi",
        r"\ifx\a\b%s\else\fi",
        r"\ifdraft%s\fi",
        r"\iftoggle{draft}{%s}{}",
        r"\newcommand{\some}{%s}",
    ],
)
def test_includeonly_that_may_be_skipped_leaves_nothing_out(tmp_path: Path, switch: str) -> None:
    text = switch % r"\includeonly{one}" + r"\include{one}\include{two}"
    write(tmp_path, main_tex=MAIN % text, refs_bib=BIB, one_tex=r"\cite{a2017}", two_tex=r"\cite{b2018}")
    assert keys(read(tmp_path, "main.tex")) == ["a2017", "b2018"]


@pytest.mark.parametrize(
    "switch",
    [
        r"\iftrue%s\fi",
        r"\iffalse\else%s\fi",
        r"\newif\ifdraft\drafttrue\ifdraft%s\fi",
        r"\newif\ifdraft\draftfalse\ifdraft\else%s\fi",
        r"\newif\ifdraft\draftfalse%s",
    ],
)
def test_includeonly_that_is_read_leaves_chapters_out(tmp_path: Path, switch: str) -> None:
    text = switch % r"\includeonly{one}" + r"\include{one}\include{two}"
    write(tmp_path, main_tex=MAIN % text, refs_bib=BIB, one_tex=r"\cite{a2017}", two_tex=r"\cite{b2018}")
    assert keys(read(tmp_path, "main.tex")) == ["a2017"]


def test_all_takes_in_what_is_not_cited(tmp_path: Path) -> None:
    write(tmp_path, main_tex=MAIN % "\\cite{a2017}", refs_bib=BIB)
    assert keys(read(tmp_path, "main.tex", everything=True)) == ["a2017", "b2018", "c2019"]


@pytest.mark.parametrize(
    ("preamble", "packages"),
    [
        (r"\documentclass{article}\usepackage{my}", {"my_sty": r"\RequirePackage{biblatex}\addbibresource{refs.bib}"}),
        (r"\documentclass[a4paper]{my}", {"my_cls": r"\LoadClass{article}\AtEndDocument{\bibliography{refs}}"}),
        (
            r"\documentclass{article}\usepackage[a=b]{amsmath, one}",
            {"one_sty": r"\RequirePackage{two}\bibliography{gone}", "two_sty": r"\bibliography{refs}"},
        ),
    ],
)
def test_a_local_package_may_name_the_bibliography(tmp_path: Path, preamble: str, packages: dict[str, str]) -> None:
    write(tmp_path, main_tex=preamble + r"\begin{document}\cite{a2017}\end{document}", refs_bib=BIB, **packages)
    assert keys(read(tmp_path, "main.tex")) == ["a2017"]


def test_members_of_a_cited_set_are_taken_in(tmp_path: Path) -> None:
    refs = BIB + "@set{both, entryset = {a2017, c2019}}\n"
    write(tmp_path, main_tex=MAIN % "\\cite{both}", refs_bib=refs)
    assert keys(read(tmp_path, "main.tex")) == ["a2017", "c2019", "both"]


def test_a_bibliography_may_be_embedded(tmp_path: Path) -> None:
    embedded = "\\begin{filecontents*}{refs.bib}\n" + BIB + "\\end{filecontents*}\n"
    write(tmp_path, main_tex=embedded + MAIN % "\\cite{b2018}")
    (one,) = read(tmp_path, "main.tex").references
    assert (one.key, one.location.path, one.location.line) == ("b2018", "main.tex", 3)


def test_a_part_of_a_document_names_the_document(tmp_path: Path) -> None:
    write(tmp_path, main_tex=MAIN % "\\input{part}", part_tex="\\cite{a2017}", refs_bib=BIB)
    with pytest.raises(UnreadableDocumentError, match=r"pytest --citecheck=main\.tex"):
        read(tmp_path, "part.tex")


UNREADABLE = {
    "no_bibliography": (r"\documentclass{article}\cite{a}", "has no bibliography"),
    "absent": (r"\cite{a}\bibliography{gone}", "gone.bib, which does not exist"),
    "nothing cited": (r"\bibliography{refs}", "contains no citation"),
    "no text": ("\x00\xff" * 50, "has no bibliography"),
    "a device": (r"\cite{a}\input{/dev/zero}\bibliography{/dev/zero}", "is outside the folders"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_document_of_which_nothing_can_be_read_says_why(tmp_path: Path, name: str) -> None:
    text, why = UNREADABLE[name]
    write(tmp_path, main_tex=text, refs_bib=BIB)
    with pytest.raises(UnreadableDocumentError, match=why):
        read(tmp_path, "main.tex")


def test_nothing_leads_out_of_a_confined_folder(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    write(inside, main_tex=MAIN % "\\cite{a2017}")
    write(tmp_path, refs_bib=BIB)
    (inside / "refs.bib").symlink_to(tmp_path / "refs.bib")
    files = FolderFiles(inside)
    assert (files.read("refs.bib"), files.read("../refs.bib")) == (None, None)
    assert FolderFiles(inside, [tmp_path]).read("refs.bib") == BIB.encode()


def test_what_latex_writes_tells_the_same(tmp_path: Path) -> None:
    write(
        tmp_path,
        main_aux="\\relax\n\\citation{a2017,b2081}\n\\@input{part.aux}\n\\bibdata{refs,main-blx}\n",
        part_aux="\\citation{c2019}\n",
        bib_aux="\\abx@aux@cite{0}{a2017}\n",
        bib_bcf='<?xml version="1.0"?><bcf:controlfile xmlns:bcf="x"><bcf:bibdata section="0">'
        '<bcf:datasource type="file">refs.bib</bcf:datasource></bcf:bibdata>'
        '<bcf:section number="0"><bcf:citekey order="1">a2017</bcf:citekey></bcf:section>'
        "</bcf:controlfile>",
        refs_bib=BIB,
    )
    assert keys(read(tmp_path, "main.aux")) == ["a2017", "c2019", "b2081"]
    assert keys(read(tmp_path, "bib.aux")) == keys(read(tmp_path, "bib.bcf")) == ["a2017"]
    assert read(tmp_path, "main.aux").references[-1].location.line == 2


@pytest.mark.parametrize("name", ["x.tex", "x.aux", "x.bbl"])
@pytest.mark.parametrize("part", [b"", b"\\", b"{", b"\\cite{", b"\\entry{a}{b}\\field{", b"\\bibitem["])
def test_hostile_documents_are_errors(tmp_path: Path, name: str, part: bytes) -> None:
    (tmp_path / name).write_bytes(part * 3000)
    with pytest.raises(UnreadableDocumentError):
        read(tmp_path, name)


def test_documents_are_registered() -> None:
    assert {".tex", ".bbl", ".aux", ".bcf"} <= {suffix for reader in all_readers() for suffix in reader.suffixes}
