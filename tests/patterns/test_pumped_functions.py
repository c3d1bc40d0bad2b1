"""Functions that parse and compare texts take linear time, even if a character or word is repeated."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_citecheck.inputs.answers import read_records, references_in, without_reasoning
from pytest_citecheck.inputs.bibtex import names as bibtex_names
from pytest_citecheck.inputs.bibtex.reader import read_bibtex
from pytest_citecheck.matching import catalogue_ids as catalogue_keys
from pytest_citecheck.matching import catalogue_ids as standard_numbers
from pytest_citecheck.matching import identifiers as arxiv_id
from pytest_citecheck.matching import identifiers as doi
from pytest_citecheck.matching import markup, text, titles, venues
from pytest_citecheck.matching import names as name_parsing
from pytest_citecheck.matching import text as latex
from pytest_citecheck.matching import titles as decorations
from pytest_citecheck.matching import titles as title_parts
from pytest_citecheck.model import Location, Person
from pytest_citecheck.sources import search as search_words
from tests.support.pumped_texts import growth_of_repetition

HERE = Location("answers.jsonl", 1, 1)
FUNCTIONS: dict[str, Callable[[str], object]] = {
    "latex.decode": latex.decode,
    "latex.unescape": latex.unescape,
    "text.without_latex_and_markup": text.without_latex_and_markup,
    "text.fold": text.fold,
    "text.words": text.words,
    "title_parts.without_labels": title_parts.without_labels,
    "title_parts.unmarked": title_parts.unmarked,
    "title_parts.heads": lambda value: list(title_parts.heads(value)),
    "title_parts.tails": lambda value: list(title_parts.tails(value)),
    "decorations.undecorated_forms": lambda value: decorations.undecorated_forms(value, anchored=True),
    "titles.compare_titles": lambda value: titles.compare_titles(value, "Attention is all you need"),
    "venues.compare_venues": lambda value: venues.compare_venues(value, "Nature"),
    "bibtex_names.name_list": bibtex_names.name_list,
    "name_parsing.parse": lambda value: name_parsing.parse(Person(literal=value)),
    "doi.find_dois": doi.find_dois,
    "doi.normalise_doi": doi.normalise_doi,
    "standard_numbers.find_isbns": standard_numbers.find_isbns,
    "standard_numbers.find_issns": standard_numbers.find_issns,
    "arxiv_id.normalise_arxiv": arxiv_id.normalise_arxiv,
    "arxiv_id.malformed_arxiv": arxiv_id.malformed_arxiv,
    "catalogue_keys.acl_id": catalogue_keys.acl_id,
    "markup.without_markup": markup.without_markup,
    "search_words.distinctive_words": lambda value: search_words.distinctive_words(value, 5),
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
