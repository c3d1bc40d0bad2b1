"""Functions that parse and compare texts take linear time, even if a character or word is repeated."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_citecheck.inputs import name_list, read_bibtex, read_records, references_in, without_reasoning
from pytest_citecheck.matching import (
    acl_id,
    compare_titles,
    compare_venues,
    decode,
    find_dois,
    find_isbns,
    find_issns,
    fold,
    heads,
    malformed_arxiv,
    normalise_arxiv,
    normalise_doi,
    parse,
    tails,
    undecorated_forms,
    unescape,
    unmarked,
    without_labels,
    without_latex_and_markup,
    without_markup,
    words,
)
from pytest_citecheck.model import Location, Person
from pytest_citecheck.sources import whole_words
from tests.support.pumped_texts import growth_of_repetition

HERE = Location("answers.jsonl", 1, 1)
FUNCTIONS: dict[str, Callable[[str], object]] = {
    "latex.decode": decode,
    "latex.unescape": unescape,
    "text.without_latex_and_markup": without_latex_and_markup,
    "text.fold": fold,
    "text.words": words,
    "title_parts.without_labels": without_labels,
    "title_parts.unmarked": unmarked,
    "title_parts.heads": lambda value: list(heads(value)),
    "title_parts.tails": lambda value: list(tails(value)),
    "decorations.undecorated_forms": lambda value: undecorated_forms(value, anchored=True),
    "titles.compare_titles": lambda value: compare_titles(value, "Attention is all you need"),
    "venues.compare_venues": lambda value: compare_venues(value, "Nature"),
    "bibtex_names.name_list": name_list,
    "name_parsing.parse": lambda value: parse(Person(literal=value)),
    "doi.find_dois": find_dois,
    "doi.normalise_doi": normalise_doi,
    "standard_numbers.find_isbns": find_isbns,
    "standard_numbers.find_issns": find_issns,
    "arxiv_id.normalise_arxiv": normalise_arxiv,
    "arxiv_id.malformed_arxiv": malformed_arxiv,
    "catalogue_keys.acl_id": acl_id,
    "markup.without_markup": without_markup,
    "search_words.whole_words": lambda value: whole_words(value, 5),
    "references_in": lambda value: references_in(value, HERE),
    "without_reasoning": without_reasoning,
    "read_records": read_records,
    "read_bibtex": lambda value: read_bibtex("refs.bib", value.encode()),
    "read_bibtex, in braces": lambda value: read_bibtex("refs.bib", f"@article{{k, title = {{{value}".encode()),
    "read_bibtex, in quotes": lambda value: read_bibtex("refs.bib", f'@article{{k, author = "{value}"}}'.encode()),
}
BODIES = (
    *"{}()[]<>&$%\"#@'`~^-:.,_*|Aa1 \né中\u0301“‹",
    *(
        "10.1000/",
        "10.1000/a ",
        "[J]",
        "(a",
        "{a}",
        "a{",
        "{\\",
        "\\a",
        "\\'",
        "\\'{",
        "\\textbf{",
        "\\url{",
        "$a",
        "--",
        "``",
    ),
    *(
        "and ",
        " and ",
        " & ",
        ", ",
        "A. ",
        "A B, ",
        "A, B. and ",
        "et al. ",
        "...",
        "1. ",
        "- a\n",
        "\n\n",
        "vol. 1 ",
        "(2017) ",
    ),
    *(
        "2017. ",
        "<i>",
        "<math>",
        "<title",
        "&amp;",
        "&amp;amp;",
        "%25",
        "@a{",
        "@a{b,",
        "a=",
        "={",
        '"}',
        "**",
        "*a",
        "https://",
    ),
    *(
        "https://doi.org/10.",
        "arXiv",
        "arXiv:",
        "PMID ",
        "ISBN ",
        "IEEE ",
        "Proceedings of the ",
        "<think>",
        "</think>\n",
        '{"query":',
        "```",
    ),
)


@pytest.mark.exhaustive
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_repetition_makes_it_superlinear(name: str) -> None:
    slow = []
    for body in BODIES:
        grown = growth_of_repetition(FUNCTIONS[name], body)
        if grown is not None and grown.superlinear:
            slow.append(f"{body!r}: {grown}")
    assert slow == []
