"""Pages: numbers in margins, running heads and stamps go; markers of lists and the ends of items stay."""

from __future__ import annotations

import pytest

from pytest_citecheck.inputs import Row, body_lines, reference_items

ITEMS = (
    "Lovelace, A. (1843). Notes on the analytical",
    "engine. Scientific Memoirs, 3, 666-731.",
    "Hopper, G. (1952). The education of a computer.",
    "Proceedings of the ACM, 5, 243-249.",
    "Noether, E. (1921). Idealtheorie in Ringbereichen.",
    "Mathematische Annalen, 83, 24-66.",
    "Turing, A. M. (1936). On computable numbers.",
    "Proceedings of the Society, 42, 230-265.",
)
BODY = tuple(f"We rest on work {chr(97 + number)} of others, which is known." for number in range(9))


def page(texts: tuple[str, ...], *, left: float = 80, top: float = 700) -> list[Row]:
    rows = [(text, left, left + 240.0, top - 12 * place, 10.0) for place, text in enumerate(texts)]
    # Further lines of items hang.
    return [(t, x + 12 if number % 2 and t in ITEMS else x, r, b, h) for number, (t, x, r, b, h) in enumerate(rows)]


def numbered(rows: list[Row], first: int, *, every: int = 1, edge: float = 60.0, ruler: bool = False) -> list[Row]:
    """Add right-aligned numbers to the page: beside each line, each fifth line, or evenly down the page."""
    height = 4.0
    if ruler:
        return [*rows, *((f"{n:03}", edge - 10, edge, 730.0 - 11 * n, height) for n in range(55))]
    result: list[Row] = []
    for place, row in enumerate(rows):
        number = first + place
        if number % every == 0:
            result.append((str(number), edge - 4.0 * len(str(number)), edge, row[3] + 2, height))
        result.append(row)
    return result


def texts(pages: list[list[Row]]) -> list[str]:
    return [item.text for item in reference_items(pages) if item.kind == "reference"]


EXPECTED = [f"{ITEMS[place]} {ITEMS[place + 1]}" for place in range(0, 8, 2)]


@pytest.mark.parametrize("edge", [60.0, 345.0])
@pytest.mark.parametrize("every", [1, 5])
def test_line_numbers_go(edge: float, every: int) -> None:
    pages = [numbered(page(BODY * 3), 1, every=every, edge=edge), numbered(page(BODY * 2), 28, every=every, edge=edge)]
    pages.append(numbered(page(("More words.", "References", *ITEMS)), 46, every=every, edge=edge))
    assert texts(pages) == EXPECTED


@pytest.mark.parametrize("edges", [(40.0,), (40.0, 560.0)])
def test_rulers_beside_the_page_go(edges: tuple[float, ...]) -> None:
    pages = [page(BODY), page(("References", *ITEMS))]
    for edge in edges:
        pages = [numbered(rows, 0, edge=edge, ruler=True) for rows in pages]
    assert texts(pages) == EXPECTED


def test_numbers_of_a_list_stay() -> None:
    rows: list[Row] = []
    for number, item in enumerate(EXPECTED, start=1):
        bottom = 700.0 - 24 * number
        rows += [(str(number), 70.0, 76.0, bottom, 10.0), (item, 90.0, 500.0, bottom, 10.0)]
    found = reference_items([page(BODY), page(BODY), [("References", 70.0, 120.0, 705.0, 10.0), *rows]])
    assert [(item.label, item.text) for item in found] == [(str(n), text) for n, text in enumerate(EXPECTED, start=1)]


def test_heads_stamps_and_page_numbers_go_and_last_lines_of_items_stay() -> None:
    pages = []
    for number in range(1, 5):
        head = (f"Journal of Things, 12 ({number})", 80.0, 300.0, 760.0, 8.0)
        stamp = ("Powered by TCPDF (www.tcpdf.org)", 400.0, 500.0, 20.0, 6.0)
        words = tuple(f"{text} {chr(96 + number)}" for text in BODY)
        pages.append([head, *page(words), (str(number), 290.0, 300.0, 30.0, 8.0), stamp])
    pages[0].insert(5, ("1843", 80.0, 100.0, 650.0, 10.0))
    found = [line.text for line in body_lines(pages)]
    body = [f"{text} {letter}" for letter in "abcd" for text in BODY]
    assert found == [*body[:4], "1843", *body[4:]]
