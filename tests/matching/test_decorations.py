"""Publishers' additions to titles, and those that may be left out."""

from __future__ import annotations

import pytest

from pytest_citecheck.matching import undecorated_forms
from tests.support.evidence_builders import entry, evaluated, found, record

PEARSON = "On lines and planes of closest fit to systems of points in space"


@pytest.mark.parametrize(
    ("stated", "cited"),
    [
        (f"LIII. {PEARSON}", PEARSON),
        ("I.\u2014COMPUTING MACHINERY AND INTELLIGENCE", "COMPUTING MACHINERY AND INTELLIGENCE"),
        ("IX. On the problem of the most efficient tests", "On the problem of the most efficient tests"),
        ("810. The synthesis of some acids", "The synthesis of some acids"),
        ("Guest Editorial: Machines that learn slowly", "Machines that learn slowly"),
        ("ORIGINAL ARTICLE: Machines that learn slowly", "Machines that learn slowly"),
        ("Data from: Machines that learn slowly", "Machines that learn slowly"),
        ("Announcement: Reducing our irreproducibility", "Reducing our irreproducibility"),
        ("Introduction to Algorithms, 3rd Edition", "Introduction to Algorithms"),
        ("Neural Networks: Tricks of the Trade (2nd ed.)", "Neural Networks: Tricks of the Trade"),
        (
            "Artificial Intelligence - a modern approach (3. internat. ed.)",
            "Artificial Intelligence - a modern approach",
        ),
    ],
)
def test_section_numbers_and_rubrics(stated: str, cited: str) -> None:
    assert cited in undecorated_forms(stated, anchored=False)


@pytest.mark.parametrize(
    "title",
    [
        "I. Robot",
        "Statistical modeling: the two cultures (with comments)",
        "3D vision of machines",
        "Preparing a second edition",
        "Notes on the third edition",
    ],
)
def test_what_may_belong_to_the_title_stays(title: str) -> None:
    assert undecorated_forms(title, anchored=False) == ()


def test_remarks_in_brackets_go_from_a_record_that_the_citation_names() -> None:
    assert undecorated_forms("Does inertia depend on energy? [AdP 17, 549 (1905)]", anchored=True) == (
        "Does inertia depend on energy?",
    )


def test_an_old_title_is_not_accused_of_its_section_number() -> None:
    reference = entry(
        f"@article{{a, author = {{Pearson, Karl}}, title = {{{PEARSON}}}, journal = {{Philosophical Magazine}}, year = 1901, "
        "doi = {10.1080/14786440109462720}}"
    )
    known = record(
        f"LIII. {PEARSON}", "Karl Pearson", year=1901, venue="Philosophical Magazine", doi="10.1080/14786440109462720"
    )
    findings = evaluated(reference, found(known, kind="doi", value="10.1080/14786440109462720")).findings
    assert {name for name, finding in findings.items() if finding.outcome == "failed"} == set()
