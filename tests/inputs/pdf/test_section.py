"""Reference sections of PDFs: headings, numbering, columns, page breaks, hyphens, and text after the list."""

from __future__ import annotations

from collections import Counter

import pytest

from pytest_citecheck.inputs import (
    ends_references,
    in_unicode,
    is_references_heading,
    joined,
    reference_items,
    words_of,
)

Row = tuple[str, float, float, float, float]


def column(*texts: str, left: float = 70, top: float = 700, gap: float = 12, size: float = 9) -> list[Row]:
    """Return a column of lines. A text with leading blanks is indented, one with ``+`` follows a gap."""
    rows, bottom = [], top
    for text in texts:
        bare = text.lstrip("+")
        indent = len(bare) - len(bare.lstrip())
        bottom -= gap + (6 if text.startswith("+") else 0)
        rows.append((bare.strip(), left + 5 * indent, left + 200.0, bottom, size))
    return rows


def texts(*pages: list[Row]) -> list[str]:
    items = [item for item in reference_items(pages) if item.kind == "reference"]
    return [f"{item.label} {item.text} @{item.lines[0].page}".strip() for item in items]


NUMBERED = (
    "[1] A. Lovelace. Notes on engines.",
    "  Nature, 1:2-3, 1843.",
    "[2] G. Hopper. Compil\u00ad",
    "  ers. 1952.",
    "[3] E. Noether. Rings. 1921.",
)
HANGING = (
    "Ada Lovelace. Notes on engines.",
    "  Nature, 1:2-3, 1843.",
    "Grace Hopper. Compil\u00ad",
    "  ers. 1952.",
    "Emmy Noether. Rings.",
    "  Ann. 1921.",
)


def test_numbered_items() -> None:
    assert texts(column("As in References [1].", "References", *NUMBERED)) == [
        "1 A. Lovelace. Notes on engines. Nature, 1:2-3, 1843. @1",
        "2 G. Hopper. Compilers. 1952. @1",
        "3 E. Noether. Rings. 1921. @1",
    ]


def test_hanging_items_across_columns_and_pages_with_running_heads() -> None:
    def head(number: int) -> list[Row]:
        return [(f"Paper of Lovelace {number}", 70.0, 200.0, 750.0, 9.0)]

    def foot(number: int) -> list[Row]:
        return [(str(number), 300.0, 305.0, 30.0, 9.0)]

    pages = [
        [*head(1), *column("Text. " * 5, "7 REFERENCES", *HANGING[:3]), *foot(1)],
        [*head(2), *column(HANGING[3], HANGING[4], left=72), *column(HANGING[5], left=320), *foot(2)],
        [*head(3), *column("  More of it, 1999.", "Last One. Fields.", "  Ann. 1930."), *foot(3)],
    ]
    assert texts(*pages) == [
        "Ada Lovelace. Notes on engines. Nature, 1:2-3, 1843. @1",
        "Grace Hopper. Compilers. 1952. @1",
        "Emmy Noether. Rings. Ann. 1921. More of it, 1999. @2",
        "Last One. Fields. Ann. 1930. @3",
    ]


def test_items_that_only_a_gap_sets_apart() -> None:
    rows = column(
        "Bibliography",
        "+A. Lovelace. Notes.",
        "Nature, 1843.",
        "+G. Hopper. Compilers.",
        "ACM, 1952.",
        "+E. Noether. Rings.",
        "Ann., 1921.",
    )
    assert [text.split(".")[1].strip() for text in texts(rows)] == ["Lovelace", "Hopper", "Noether"]


def test_labels() -> None:
    rows = column(
        "References",
        "[Lov43] A. Lovelace. Notes. 1843.",
        "[Hop52] G. Hopper. Compilers. 1952.",
        "[Noe21] E. Noether. 1921.",
    )
    assert texts(rows)[0] == "Lov43 A. Lovelace. Notes. 1843. @1"
    rows = column(
        "References",
        "[Lovelace, 1843] Lovelace, A. (1843).",
        "  Notes.",
        "[Hopper and Noether,",
        "  1952a] Hopper, G. (1952).",
    )
    assert [text[:9] for text in texts(rows)] == ["Lovelace,", "Hopper, G"]


@pytest.mark.parametrize(
    "after", ["A Proofs", "Appendix", "Supplementary Material", "NeurIPS Paper Checklist", "Acknowledgments"]
)
def test_what_follows_the_list_is_none(after: str) -> None:
    rows = column("References", *NUMBERED, after, "We prove in 1999 that x.", "And so on in 2001.")
    assert texts(rows)[-1] == "3 E. Noether. Rings. 1921. @1"
    unmarked = [*column("References", *NUMBERED), *column("The rest of the text.", top=300)]
    assert texts(unmarked)[-1] == "3 E. Noether. Rings. 1921. @1"


def test_two_lists_and_a_table_of_contents() -> None:
    contents = column("Contents", "1 Introduction 1", "References", "Appendix 9", "Index 12")
    rows = column("References", *NUMBERED)
    assert len(texts(contents, rows, column("Text."), rows)) == 6
    assert texts(contents) == []


@pytest.mark.parametrize(
    "line",
    [
        "References",
        "REFERENCES",
        "7. References",
        "R E F E R E N C E S",
        "VI. REFERENCES",
        "Literaturverzeichnis",
        "参考文献",
        "Works Cited",
        "Список литературы",
    ],
)
def test_headings(line: str) -> None:
    assert is_references_heading(line)


@pytest.mark.parametrize("line", ["References 12", "References are listed below", "see the references", ""])
def test_no_headings(line: str) -> None:
    assert not is_references_heading(line)
    assert not ends_references("Reproducibility of findings, Science.")


JOINED = [
    (["Compil\u00ad", "ers"], "Compilers"),
    (["self\u00ad", "supervised"], "self-supervised"),
    (["Inter\u00ad", "national"], "International"),
    (["doi: 10 . 1257 /", "aer.91.5.1369."], "doi: 10.1257/aer.91.5.1369."),
    (["doi: 10 . 1016 / S0003 -4916(02)00018-0."], "doi: 10.1016/S0003-4916(02)00018-0."),
    (["doi: 10.1016/j.", "inffus.2019.12.012."], "doi: 10.1016/j.inffus.2019.12.012."),
    (["doi: 10 . 1086/307221. eprint: a/9"], "doi: 10.1086/307221. eprint: a/9"),
    (["doi: 10.1086/307221. 2010. In: X"], "doi: 10.1086/307221. 2010. In: X"),
    (["Jean-", "Paul"], "Jean-Paul"),
    (["convolu-", "tional"], "convolutional"),
    (["pages 12–", "15"], "pages 12–15"),
    (["https://doi.org/10.1145/", "3292500.3330701."], "https://doi.org/10.1145/3292500.3330701."),
    (["doi: 10.1145/3292500.", "3330701"], "doi: 10.1145/3292500.3330701"),
    (["arXiv:1706.03762,", "2017."], "arXiv:1706.03762, 2017."),
    (["https://example.org/a", "Accessed 2020"], "https://example.org/a Accessed 2020"),
    (["https://example.org/a.", "2020."], "https://example.org/a. 2020."),
]


@pytest.mark.parametrize(("lines", "text"), JOINED)
def test_lines_in_one_piece(lines: list[str], text: str) -> None:
    assert joined(lines, Counter()) == text


def test_the_words_of_the_paper_tell_whether_a_hyphen_is_one() -> None:
    assert joined(["pre\u00ad", "training"], words_of(["pretraining helps; pretraining"])) == "pretraining"
    assert joined(["fuzzy\u00ad", "set"], words_of(["a fuzzy-set"])) == "fuzzy-set"


def test_signs_of_fonts_without_a_map_to_unicode() -> None:
    assert in_unicode(["e\ufb03cient"])("e\ufb03cient J¨urgen C´ap") == "efficient Jürgen Cáp"
    cork = in_unicode(["\x10x\x11"])
    assert cork("\x10e\x1ecient\x11 1\x152 \x9aídek \xaaaw\u00ad") == "“efficient” 1–2 Žídek ław\u00ad"


@pytest.mark.exhaustive
def test_hostile_lines_take_bounded_time() -> None:
    rows = [("References", 70.0, 90.0, 700.0, 9.0)]
    rows += [
        ("Lovelace 1843 doi 10.1/" if number % 2 else "x-", float(number % 97), 99.0, float(number * 7919 % 997), 9.0)
        for number in range(6_000)
    ]
    assert len(texts(rows)) <= 5000


def test_without_a_list_the_footnotes_are_read() -> None:
    body = column(*("Words of a paper that go on for a while." for _ in range(20)), size=12)
    notes = column(
        "1 Vgl. Beck, Ulrich (1986): Risikogesellschaft, Frankfurt 1986; Statistisches Bundesamt (2013): Elterngeld, Wiesbaden.",
        "2 Siehe ausführlich Luhmann, Niklas (1984): Soziale Systeme, Frankfurt.",
        "3 Das ist nicht der Fall, wie wir sehen werden.",
        "4 Siehe für alle Zahlen: Habermas, Jürgen (1981): Theorie des kommunikativen Handelns, Frankfurt.",
        "5 Young gab dem einen Namen. Vgl. Michael Young, The Rise of Meritocracy, London 1958.",
        top=200,
        size=8,
    )
    assert texts([*body, *notes]) == [
        "Beck, Ulrich (1986): Risikogesellschaft, Frankfurt 1986 @1",
        "Statistisches Bundesamt (2013): Elterngeld, Wiesbaden. @1",
        "Luhmann, Niklas (1984): Soziale Systeme, Frankfurt. @1",
        "Habermas, Jürgen (1981): Theorie des kommunikativen Handelns, Frankfurt. @1",
        "Michael Young, The Rise of Meritocracy, London 1958. @1",
    ]
