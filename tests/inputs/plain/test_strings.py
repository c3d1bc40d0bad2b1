"""Reference strings: a style's output is parsed back, page damage is repaired, and glued references are separated."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_citecheck.inputs import cited_metadata, read_bibtex, read_reference_strings, segmentations, tidied
from pytest_citecheck.matching import compare_authors
from pytest_citecheck.model import Location, Reference
from tests.support.printed_styles import PRINTED
from tests.support.reference_styles import Known, known
from tests.support.suites import first_fast

HERE = Location("strings.txt", 1, 1)
FIXTURES = Path(__file__).parents[3] / "fixtures"
ENOUGH = 0.99


def read(*texts: str) -> list[Reference]:
    return read_reference_strings([(text, HERE) for text in texts])


@pytest.fixture(scope="module")
def works() -> list[Known]:
    """Return real works, except those by several groups or by a group with a comma: no style marks the end of such names."""
    entries = read_bibtex("refs.bib", (FIXTURES / "refs.bib").read_bytes()).references
    printed = [known(entry) for entry in entries if entry.type in ("article", "inproceedings", "misc")]
    return [
        work
        for work in printed
        if len({person.group for person in work.people}) < 2
        and not any("," in person.literal for person in work.people)
    ]


@pytest.mark.exhaustive
@pytest.mark.parametrize("style", first_fast(PRINTED, 4))
def test_what_a_style_prints_is_read_back(style: str, works: list[Known]) -> None:
    found = read(*(PRINTED[style](work) for work in works))
    assert len(found) == len(works) >= 40
    wrong: dict[str, list[str]] = {"title": [], "year": [], "authors": []}
    for work, reference in zip(works, found, strict=True):
        cited = cited_metadata(reference)
        same = {
            "title": cited.title.replace("“", '"').replace("”", '"') == work.title.replace("“", '"').replace("”", '"'),
            "year": cited.year_text == work.year,
            "authors": not compare_authors(cited.people, work.people).code,
        }
        for name, is_same in same.items():
            wrong[name] += [] if is_same else [reference.text]
    assert {name: texts for name, texts in wrong.items() if len(texts) > (1 - ENOUGH) * len(works)} == {}


@pytest.mark.parametrize(
    ("text", "title", "author"),
    [
        ("Ann Lee, Bo Wu, and et al. The flight of birds. arXiv preprint arXiv:2001.00001, 2020.", "The flight of birds",
         "Ann Lee and Bo Wu and others"),
        ("Ann et al. Lee. The flight of birds. Nature, 5:1-9, 2020.", "The flight of birds", ""),
        ("OpenAI. GPT-4 technical report, 2023.", "GPT-4 technical report", "{OpenAI}"),
        ("World Health Organization. Global tuberculosis report 2020. Geneva, 2020.", "Global tuberculosis report 2020",
         "{World Health Organization}"),
        ("Ann Lee. Progress in flight “are we there yet?”. Birds, 18(3):155–166, 2012.", "Progress in flight “are we there yet?”",
         "Ann Lee"),
        ("Ann Lee. Who governs? Birds and power in an American city. Yale University Press, 1961.",
         "Who governs? Birds and power in an American city", "Ann Lee"),
        ("Ann Lee. A convnet for the 2020s, 2022. URL https: //arxiv.org/abs/2201. 03545.", "A convnet for the 2020s", "Ann Lee"),
        ("Glaive AI. Reasoning dataset. https://huggingface.co/datasets/ glaiveai/reasoning-v1, 2023.", "Reasoning dataset", ""),
        ("Ann Lee and Bo Wu. Eﬃcient ﬂight: how birds trans-\nform multi-\nscale winds. Nature, 5:1-9, 2020.",
         "Efficient flight: how birds transform multi-scale winds", "Ann Lee and Bo Wu"),
        ("Robert A. Dahl. Equilibrium points in games. Econometrica, 36(1):48–49, 1950.",
         "Equilibrium points in games", "Robert A. Dahl"),
    ],
)  # fmt: skip
def test_hard_strings(text: str, title: str, author: str) -> None:
    (reference,) = read(text)
    assert reference.fields["title"] == title
    assert not author or reference.raw["author"] == author


def test_two_references_in_one_string_are_parted() -> None:
    first = "Office of Science. American ai initiative. https://trumpwhitehouse.archives.gov/ostp/ai, 2019."
    second = "R. Patel and H. Gomez. Algorithmic bias and climate justice: An ethical perspective. AI and Ethics, 2021."
    assert [one.text for one in read(f"{first} {second}")] == [first, second]
    assert [one.key for one in read(f"{first} {second}", second)] == ["ref_1", "ref_2", "ref_3"]


def test_a_string_of_which_nothing_can_be_told_is_a_reference_without_fields() -> None:
    (reference,) = read("[3] ???")
    assert (reference.fields, reference.readable, reference.text) == ({}, True, "???")


def test_what_only_one_reading_finds_is_uncertain() -> None:
    certain, probable = read(
        "A. Lee, “The flight of birds,” Nature, vol. 5, 2020.", "Birdwatch. The flight of birds, 2020."
    )
    assert not certain.uncertain
    assert probable.uncertain
    assert probable.fields["title"] == "The flight of birds"
    assert probable.readings[0].cues


@pytest.mark.parametrize(
    ("text", "people", "title"),
    [
        ("Lee AB, Wu C: The flight of birds: a survey. Nature 2020, 5:1-9.", "Lee AB, Wu C", "The flight of birds: a survey."),
        ("Ann Lee and Bo Wu. Birds; Their Wings and Their Songs. Nature, 5:1-9, 2020.", "Ann Lee and Bo Wu",
         "Birds; Their Wings and Their Songs."),
        ("Ann Lee and Bo Wu. Birds – Their Wings and Their Songs. Nature, 5:1-9, 2020.", "Ann Lee and Bo Wu",
         "Birds – Their Wings and Their Songs."),
        ("Ann Lee (Vienna) and Bo Wu. The flight of birds. Nature, 5:1-9, 2020.", "Ann Lee (Vienna) and Bo Wu",
         "The flight of birds."),
        ("Ann Lee; Bo Wu. The flight of birds. Nature, 5:1-9, 2020.", "Ann Lee; Bo Wu", "The flight of birds."),
        ("L. Breiman, Random forests of birds, Machine Learning, 45, 2001.", "L. Breiman", "Random forests of birds"),
    ],
)  # fmt: skip
def test_a_title_begins_behind_the_people(text: str, people: str, title: str) -> None:
    best = segmentations(text)[0]
    assert (best.before, best.title) == (people, title)


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("the flight trans- forms Multi- scale winds", "the flight transforms Multi-scale winds"),
        ("pre- and post-training", "pre- and post-training"),
        ("self- supervised", "self-supervised"),
    ],
)
def test_a_hyphen_of_a_line_break_is_taken_out(text: str, joined: str) -> None:
    assert tidied(text) == joined


@pytest.mark.parametrize(
    ("text", "venue"),
    [
        ("Advances in Neural Information Processing Systems. Workshop on Bayes, 3-9.", "Workshop on Bayes"),
        (
            "In International Conference on Machine Learning, 2016. Causal Inference Workshop.",
            "Causal Inference Workshop",
        ),
        ("In International Conference on Machine Learning, 2016.", ""),
    ],
)
def test_a_workshop_after_the_proceedings_belongs_to_the_venue(text: str, venue: str) -> None:
    string = f"Hoffman, M. D., & Johnson, M. J. (2016). The surgery of bounds in workshop machines. {text}"
    (found,) = read_reference_strings([(string, Location("a.txt", 1, 1))])
    said = found.fields["booktitle"]
    assert (venue in said, "orkshop" in said) == (True, bool(venue))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("https://arxiv.org/abs/1706.03762", "identifier"),
        ("[3] arXiv:2005.14165", "identifier"),
        ("doi: 10.1000/182", "identifier"),
        ("Words that nobody can tell apart. doi:10.1000/182", "misc"),
    ],
)
def test_a_string_with_only_identifiers_asks_for_no_other_fields(text: str, kind: str) -> None:
    (found,) = read_reference_strings([(text, Location("a.txt", 1, 1))])
    assert found.type == kind


@pytest.mark.parametrize(
    "text",
    [
        "Kingma, D. P. y Ba, J. (2015). Adam: A method for optimization. En Proceedings of the Workshop on Learning.",
        "Kingma, D. P. et Ba, J. (2015). « Adam: A method for optimization ». Dans Proceedings of the Workshop on Learning.",
    ],
)
def test_the_word_before_proceedings_in_other_languages(text: str) -> None:
    (found,) = read_reference_strings([(text, Location("a.txt", 1, 1))])
    assert (found.fields["author"], found.fields["title"], found.fields["booktitle"]) == (
        "Kingma, D. P. and Ba, J.", "Adam: A method for optimization", "Proceedings of the Workshop on Learning",
    )  # fmt: skip


def test_a_title_in_spanish_keeps_its_first_word() -> None:
    (found,) = read_reference_strings(
        [("Proust, M. (1913). En busca del tiempo perdido. Alianza.", Location("a.txt", 1, 1))]
    )
    assert found.fields["title"] == "En busca del tiempo perdido"


@pytest.mark.parametrize(
    "text",
    [
        "D. P. Kingma and J. Ba, ``Adam: A method for optimization,'' in Proc. ICLR, 2015. (Cited on pages 2 and 4.)",
        "Kingma DP, Ba J. Adam: A method for optimization [Internet]. arXiv; 2015. Cited on page 3.",
    ],
)
def test_additions_of_styles_are_not_part_of_a_reference(text: str) -> None:
    (found,) = read_reference_strings([(text, Location("a.txt", 1, 1))])
    assert (found.fields["title"], found.fields["author"]) == (
        "Adam: A method for optimization",
        "Kingma, D. P. and Ba, J.",
    )
    assert not any("Cited" in value for value in found.fields.values())
