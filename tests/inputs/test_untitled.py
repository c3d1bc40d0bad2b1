"""Reference strings without a title, as APS, ACS and A&A print them, are read by their places; records have the titles."""

from __future__ import annotations

import pytest

from pytest_citecheck.inputs import read_reference_strings
from pytest_citecheck.model import Location, Record, Reference
from tests.support.evidence_builders import evaluated, found, record

PLACES = {
    "A. Einstein, B. Podolsky, and N. Rosen, Phys. Rev. 47, 777 (1935).":
        ("Einstein, Podolsky, Rosen", "Phys. Rev.", "47", "777"),
    "S. Weinberg, Phys. Rev. Lett. 19, 1264 (1967).": ("Weinberg", "Phys. Rev. Lett.", "19", "1264"),
    "W. Kohn and L. J. Sham, Phys. Rev. 140, A1133 (1965).": ("Kohn, Sham", "Phys. Rev.", "140", "A1133"),
    "B. P. Abbott et al. (LIGO Scientific Collaboration), Phys. Rev. Lett. 116, 061102 (2016).":
        ("Abbott, others", "Phys. Rev. Lett.", "116", "061102"),
    "G. 't Hooft and M. Veltman, Nucl. Phys. B44, 189 (1972).": ("'t Hooft, Veltman", "Nucl. Phys.", "B44", "189"),
    "K. S. Novoselov, A. K. Geim, Science 306, 666 (2004).": ("Novoselov, Geim", "Science", "306", "666"),
    "A. One and B. Two, J. Inv. Mach. 12 (3), 41–60 (1950)": ("One, Two", "J. Inv. Mach.", "12", "41–60"),
    "Becke, A. D. J. Chem. Phys. 1993, 98, 5648-5652.": ("Becke", "J. Chem. Phys.", "98", "5648-5652"),
    "Lee, C.; Yang, W.; Parr, R. G. Phys. Rev. B 1988, 37, 785.": ("Lee, Yang, Parr", "Phys. Rev. B", "37", "785"),
    "Riess, A. G., Filippenko, A. V., Challis, P., et al. 1998, AJ, 116, 1009":
        ("Riess, Filippenko, Challis, others", "AJ", "116", "1009"),
    "Bruzual, G., & Charlot, S. 2003, MNRAS, 344, 1000": ("Bruzual, Charlot", "MNRAS", "344", "1000"),
    "Planck Collaboration VI. 2020, A&A, 641, A6": ("Planck Collaboration", "A&A", "641", "A6"),
}  # fmt: skip


def read(text: str) -> Reference:
    (one,) = read_reference_strings([(text, Location("refs.txt", 1, 1))])
    return one


@pytest.mark.parametrize(("text", "expected"), PLACES.items())
def test_people_journal_volume_page_and_year(text: str, expected: tuple[str, str, str, str]) -> None:
    one = read(text)
    families = ", ".join(name.partition(", ")[0].strip("{}") for name in one.fields["author"].split(" and "))
    assert (families, one.fields["journal"], one.fields["volume"], one.fields["pages"]) == expected
    assert one.fields["year"] in text
    assert "title" not in one.fields
    assert one.type == "article"
    assert not one.uncertain


@pytest.mark.parametrize(
    "text",
    [
        "Y. LeCun, Y. Bengio, G. Hinton, Deep Learning, Nature 521, 436 (2015).",
        "K. S. Novoselov et al., Electric field effect in atomically thin carbon films, Science 306, 666 (2004).",
        "Becke, A. D. Density-functional thermochemistry. J. Chem. Phys. 1993, 98, 5648-5652.",
        "Ann Bee and Cy Dee. On looms. Annals of Mills, 12(3):41-60, 1950.",
        "A. One and B. Two, On the history of mills, 12, 41 (1950).",
    ],
)
def test_a_title_is_not_taken_for_people_or_a_journal(text: str) -> None:
    assert read(text).fields.get("title")


JOURNAL = "Physical Review Letters"


def at(pages: str, people: str) -> Record:
    return record("A Model of Leptons", people, venue=JOURNAL, year=1967, type="article", volume="19", pages=pages)


def test_a_record_at_its_place_gives_the_title() -> None:
    cited = read("S. Weinberg, Phys. Rev. Lett. 19, 1264 (1967).")
    verified = evaluated(cited, found(at("1264-1266", "Steven Weinberg"), kind="place"))
    assert verified.verdict.name == "verified"
    assert verified.findings["venue"].code == "place-ok"
    assert verified.case.cited.title == "A Model of Leptons"


@pytest.mark.parametrize(("pages", "people"), [("1264-1266", "Abdus Salam"), ("1300-1301", "Steven Weinberg")])
def test_another_place_or_other_people_decide_nothing(pages: str, people: str) -> None:
    cited = read("S. Weinberg, Phys. Rev. Lett. 19, 1264 (1967).")
    open_ = evaluated(cited, found(at(pages, people), kind="place"))
    assert open_.verdict.name == "undecided"
    assert not any(finding.outcome == "failed" for finding in open_.findings.values())
