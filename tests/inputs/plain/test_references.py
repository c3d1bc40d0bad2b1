"""References in plain text: parsed fields equal the original ones, and uncertain ones are left out."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.inputs import bibtex_authors, cited_metadata, read_bibtex, read_plain_references
from pytest_citecheck.matching import compare_authors, compare_venues
from pytest_citecheck.model import Location, Reference
from tests.support.reference_styles import STYLES, Known, known, numbered
from tests.support.steps import growth_of_steps
from tests.support.suites import first_fast

FIXTURES = Path(__file__).parents[3] / "fixtures"
LETTERS = re.compile(r"[^A-Za-z]")
HERE = Location("answers.jsonl", 3, 3)
# A list without quotation marks whose authors are an organisation or end in a pseudonym has no certain end of the authors.
SHARE_OF_TITLES = {"ieee_unquoted": 0.95, "vancouver": 0.98, "plain_style": 0.98}

_PRINTED = frozenset({"article", "inproceedings", "misc"})
"""The types of works that the styles print as their manuals have it."""


@pytest.fixture(scope="module")
def works() -> list[Known]:
    printed = [
        known(reference)
        for name in ("refs.bib", "hallucinated.bib")
        for reference in read_bibtex(name, (FIXTURES / name).read_bytes()).references
        if reference.type in _PRINTED
    ]
    # A collaboration beside its members is written with a semicolon or not at all: lists of names do not show where it ends.
    return [work for work in printed if len({person.group for person in work.people}) < 2]


def read(text: str) -> list[Reference]:
    return read_plain_references(text, HERE)


def straight(text: str) -> str:
    return text.replace("“", '"').replace("”", '"')


@pytest.mark.parametrize(
    "item", ["**1. The Flight of Birds** Ann Lee. Nature, 2020.", "1. **The Flight of Birds** Ann Lee. Nature, 2020."]
)
def test_bold_type_around_the_number_too(item: str) -> None:
    (reference,) = read(item)
    assert (reference.fields["title"], reference.fields["author"]) == ("The Flight of Birds", "Ann Lee")


@pytest.mark.exhaustive
@pytest.mark.parametrize("style", first_fast(STYLES, 5))
def test_what_a_style_prints_is_read_back(style: str, works: list[Known]) -> None:
    found = read(numbered([STYLES[style](work) for work in works]))
    assert len(found) == len(works)
    right: Counter[str] = Counter()
    wrong = []
    for work, reference in zip(works, found, strict=True):
        cited = cited_metadata(reference)
        same = {
            "title": straight(cited.title) == straight(work.title),
            "year": cited.year_text == work.year,
            "authors": not compare_authors(cited.people, work.people).code,
            "volume": reference.fields.get("volume") == work.volume,
        }
        stated = {"title": cited.title, "year": cited.year_text, "authors": cited.people.names}
        stated["volume"] = reference.fields.get("volume", "") if work.volume else ""
        for name, value in stated.items():
            if value and same[name]:
                right[name] += 1
            elif value and not reference.uncertain:
                wrong.append((name, value, reference.text))
        venue = cited.venue if cited.venue_field != "eprint" else ""
        if venue and venue != work.venue and compare_venues(venue, work.venue) == "different":
            wrong.append(("venue", venue, reference.text))
    assert wrong == []
    assert right["title"] / len(works) >= SHARE_OF_TITLES.get(style, 0.99)
    assert right["year"] / len(works) >= 0.99
    assert right["authors"] / len(works) >= 0.95


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        (
            "Vaswani, A., et al. (2017). *Attention is all you need*. Advances in Neural Information Processing Systems, 30.",
            {"title": "Attention is all you need", "author": "Vaswani, A. and others", "year": "2017", "volume": "30"},
        ),
        (
            "Goodfellow, I., Bengio, Y., & Courville, A. (2016). *Deep learning*. MIT Press.",
            {"title": "Deep learning", "howpublished": "MIT Press", "type": "misc"},
        ),
        # A question mark ends no title if another sentence of the title follows.
        (
            'Smith, J. (2020). Is it real? A study of things. Nature, 5(2), 1-3. This paper shows "great" things.',
            {"title": "Is it real? A study of things", "journal": "Nature", "volume": "5", "number": "2", "pages": "1-3"},
        ),
        (
            "OpenAI. (2023). GPT-4 technical report. arXiv:2303.08774v3 [cs.CL].",
            {"title": "GPT-4 technical report", "author": "{OpenAI}", "eprint": "2303.08774v3", "archiveprefix": "arXiv"},
        ),
        (
            "LeCun Y, Bengio Y, Hinton G. Deep learning. Nature. 2015 May 28;521(7553):436-44. PMID: 26017442.",
            {"author": "LeCun, Y. and Bengio, Y. and Hinton, G.", "title": "Deep learning", "pmid": "26017442"},
        ),
        (
            "Attention Is All You Need (Vaswani et al., 2017) — the transformer paper",
            {"title": "Attention Is All You Need", "author": "Vaswani and others", "year": "2017"},
        ),
        (
            '**"Attention Is All You Need"** by Vaswani et al. (2017) - Introduced the Transformer.',
            {"title": "Attention Is All You Need", "howpublished": None, "booktitle": None},
        ),
        (
            '**Devlin et al. (2019)**: "BERT: Pre-training of Transformers". NAACL-HLT 2019.',
            {"title": "BERT: Pre-training of Transformers", "author": "Devlin and others", "year": "2019"},
        ),
        (
            "Kingma & Ba (2015). Adam: A method for stochastic optimization. ICLR.",
            {"author": "Kingma and Ba", "title": "Adam: A method for stochastic optimization", "booktitle": "ICLR"},
        ),
        (
            r"\bibitem{k} D.~P. Kingma and J.~Ba. Adam: A method for optimization. In \emph{ICLR}, 2015.",
            {"author": "Kingma, D. P. and Ba, J.", "title": "Adam: A method for optimization", "booktitle": "ICLR"},
        ),
        (
            "[Deep residual learning](https://doi.org/10.1109/CVPR.2016.90) by Kaiming He and Jian Sun, 2016",
            {"title": "Deep residual learning", "doi": "10.1109/cvpr.2016.90", "author": "Kaiming He and Jian Sun"},
        ),
        (
            "An T. Le, Armin Biess, and Jan Peters. Motion Planning via Transport. In NeurIPS, 2023.",
            {"author": "An T. Le and Armin Biess and Jan Peters", "title": "Motion Planning via Transport"},
        ),
        (
            "Jin M, Chang H. Power up! Robust networks via powering. In: AAAI; 2021.",
            {"author": "Jin, M. and Chang, H.", "title": "Power up! Robust networks via powering", "booktitle": "AAAI"},
        ),
        # Where the title ends cannot be known; the rest is kept.
        (
            "Doe, J. (2020). One sentence here. Another sentence here. And a third one here.",
            {"title": None, "author": "Doe, J.", "year": "2020"},
        ),
        ("Smith and others, on things, in Proceedings of something, pp. 3-4, 2011", {"title": None, "year": "2011"}),
    ],
)  # fmt: skip
def test_items(item: str, expected: dict[str, str | None]) -> None:
    (reference,) = read(f"1. {item}" if not item.startswith("\\") else item)
    stated = {**reference.raw, "type": reference.type}
    assert {name: stated.get(name) for name in expected} == expected
    assert reference.location == HERE
    assert reference.text


@pytest.mark.parametrize(
    ("people", "title", "rest"),
    [
        ("Hofstadter, Douglas R.", "Gödel, Escher, Bach: An Eternal Golden Braid", "New York: Basic Books, 1979."),
        ("Foucault, Michel.", "Surveiller et punir. Naissance de la prison", "Paris: Gallimard, 1975."),
        ("Shannon, Claude E., ed.", "Automata Studies", "Princeton: Princeton UP, 1956."),
    ],
)
def test_a_book_has_its_title_in_italic_type_after_the_people(people: str, title: str, rest: str) -> None:
    fields = read(f"1. {people} *{title}*. {rest}\n2. Latour, Bruno. *Science in Action*. Harvard UP, 1987.\n")[
        0
    ].fields
    assert (fields["title"], fields["author"].partition(",")[0]) == (title, people.partition(",")[0])


def test_a_word_in_italic_type_is_no_title() -> None:
    other = "2. Latour, Bruno. *Science in Action*. Harvard UP, 1987."
    text = f"1. Thompson, D'Arcy. *On* growth and form. Cambridge UP, 1917.\n{other}\n"
    assert read(text)[0].fields["title"] == "On growth and form"


@pytest.mark.parametrize(
    "text",
    [
        "- Introduction to the topic\n- Use of neural networks in 2017\n- **Note:** I could not verify these.",
        "I am sorry, but I cannot provide references on this topic.",
        "In 2017, the field changed. Many say so.",
        "1. The user wants five papers\n2. I should search in 2020",
        "",
    ],
)
def test_prose_is_no_reference(text: str) -> None:
    assert read(text) == []


def test_lists_of_several_kinds_are_cut_into_their_items() -> None:
    text = """Some papers:

### 1. Deep Residual Learning for Image Recognition
**Authors:** Kaiming He, Jian Sun
**Published in:** CVPR 2016
**DOI:** [10.1109/CVPR.2016.90](https://doi.org/10.1109/CVPR.2016.90)

**2. Random Forests**
- Authors: Leo Breiman
- Journal: Machine Learning, 45(1), 5-32
- Year: 2001

   Breiman grows many trees.

[3] Y. LeCun, Y. Bengio, and G. Hinton, "Deep learning," Nature,
    vol. 521, no. 7553, pp. 436–444, May 2015.

Vaswani A, Shazeer N. Attention is all you need. NeurIPS 2017.
"""
    assert [(r.fields["title"], r.fields.get("year")) for r in read(text)] == [
        ("Deep Residual Learning for Image Recognition", "2016"),
        ("Random Forests", "2001"),
        ("Deep learning", "2015"),
        ("Attention is all you need", "2017"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See https://doi.org/10.1000/ABC.1.", {"doi": "10.1000/abc.1"}),
        ("It is in (doi:10.1000/abc), they say.", {"doi": "10.1000/abc"}),
        ("On arXiv:1706.03762v5.", {"eprint": "1706.03762v5", "archiveprefix": "arXiv"}),
        ("At https://arxiv.org/abs/hep-th/9711200v3, first.", {"eprint": "hep-th/9711200v3"}),
        ("PMID: 26017442.", {"pmid": "26017442"}),
        ("Look at https://pubmed.ncbi.nlm.nih.gov/26017442/.", {"pmid": "26017442"}),
        ("https://aclanthology.org/N19-1423/ and arXiv:1810.04805", {"url": "https://aclanthology.org/N19-1423/"}),
        ("https://openreview.net/forum?id=Bkg6RiCqY7, arXiv:1711.05101", {"url": "https://openreview.net/forum?id=Bkg6RiCqY7"}),
    ],
)  # fmt: skip
def test_identifiers_in_running_text(text: str, expected: dict[str, str]) -> None:
    (reference,) = read(text)
    assert {name: reference.fields.get(name) for name in expected} == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Vaswani, A., Shazeer, N., & Polosukhin, I.", "Vaswani, A. and Shazeer, N. and Polosukhin, I."),
        ("Daumé, H., III, & van den Oord, A.", "Daumé, III, H. and van den Oord, A."),
        ("A. Vaswani, N. Shazeer, and N. de Freitas", "Vaswani, A. and Shazeer, N. and de Freitas, N."),
        ("Vaswani A, Shazeer NM, et al.", "Vaswani, A. and Shazeer, N. M. and others"),
        ("Vaswani, Ashish, Noam Shazeer, and Niki Parmar", "Vaswani, Ashish and Noam Shazeer and Niki Parmar"),
        ("Ashish Vaswani and Noam Shazeer", "Ashish Vaswani and Noam Shazeer"),
        ("Smith, J., Doe, A., … Roe, R.", "Smith, J. and Doe, A. and others"),
        ("Müller, K.-R.; Łukasz, P.", "Müller, K.-R. and Łukasz, P."),
        ("World Health Organization", "{World Health Organization}"),
        ("Attention is all you need", ""),
        ("Leo Breiman. Random Forests", ""),
        ("", ""),
    ],
)
def test_authors(text: str, expected: str) -> None:
    assert bibtex_authors(text) == expected


@given(
    st.lists(
        st.sampled_from(
            [
                "1. ",
                "[2] ",
                "- ",
                "\n",
                "\n\n",
                "Vaswani, A.",
                "(2017). ",
                "**",
                "*",
                '"',
                "“",
                "”?",
                " In ",
                "10.1/x",
                "et al.",
                ", vol. 3",
                "Title Words ",
                "[",
                "](http://a.b/c)",
                "\\",
                "{",
                "é",
                "_",
                ": ",
                "; 2016. ",
                "\u2028",
                "\ue000",
            ]
        ),
        max_size=25,
    )
)
def test_nothing_is_invented(pieces: list[str]) -> None:
    text = "".join(pieces)
    for reference in read(text):
        assert reference.text in text
        for name in ("title", "journal", "booktitle"):
            letters = LETTERS.sub("", reference.fields.get(name, ""))
            assert letters in LETTERS.sub("", text)


HOSTILE = [
    *(("1. ", unit, "") for unit in ("A. ", "Smith, J., ", "(2017). ", '"', "*a", "[a](", "A. Bcd and ", "J. Abc. ")),
    ("1. ", "Word ", "(2017"),
    ("", "1.\n", ""),
]


# An item of more than 5,000 characters is no reference.
@pytest.mark.exhaustive
@pytest.mark.parametrize(("prefix", "unit", "suffix"), HOSTILE)
def test_hostile_items_take_steps_by_their_length(prefix: str, unit: str, suffix: str) -> None:
    assert growth_of_steps(read, unit, 4800 // len(unit) // 4, prefix=prefix, suffix=suffix) < 5
