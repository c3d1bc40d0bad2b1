"""Several BibTeX files that are one bibliography: macros and parents reach across them, in any order."""

from __future__ import annotations

from itertools import permutations

import pytest

from pytest_citecheck.inputs import read_bibtex, read_together
from pytest_citecheck.model import Reference

ABBRV = '@string{nips = "Advances in Neural Information Processing Systems"}\n@string{pami = ieee # " PAMI"}'
IEEE = '@string{ieee = "IEEE Transactions on"}\n@article{own, title={O}, journal=ieee}'
REFS = """@inproceedings{a, title={T}, booktitle=nips, year=2017}
@article{b, title={U}, journal=PAMI}
@inproceedings{c, title={C}, crossref={VOL}}
@inproceedings{d, title={D}, xdata={place}}"""
VOLUMES = "@proceedings{vol, title={The Volume}, year=2001, crossref={series}}\n@xdata{place, location={Paris}}"
SERIES = '@proceedings{series, title={S}, publisher="ACM"}'
ALL = {"abbrv.bib": ABBRV, "ieee.bib": IEEE, "refs.bib": REFS, "volumes.bib": VOLUMES, "series.bib": SERIES}


def read(*names: str) -> dict[str, Reference]:
    bibliographies = read_together((name, ALL[name].encode()) for name in names)
    assert [bibliography.path for bibliography in bibliographies] == list(names)
    return {one.key: one for bibliography in bibliographies for one in bibliography.references}


@pytest.mark.parametrize("names", [*permutations(ALL)][::7])
def test_macros_and_parents_reach_across_files_in_any_order(names: tuple[str, ...]) -> None:
    found = read(*names)
    assert found["a"].fields["booktitle"] == "Advances in Neural Information Processing Systems"
    assert found["b"].fields["journal"] == "IEEE Transactions on PAMI"
    assert (found["c"].fields["booktitle"], found["c"].fields["year"], found["c"].fields["publisher"]) == (
        "The Volume",
        "2001",
        "ACM",
    )
    assert found["d"].fields["location"] == "Paris"
    assert [one.key for one in found.values() if one.defects] == []


def test_alone_each_file_says_what_is_missing() -> None:
    codes = {one.key: [defect.code for defect in one.defects] for one in read("refs.bib").values()}
    assert codes == {
        "a": ["undefined-macro"],
        "b": ["undefined-macro"],
        "c": ["crossref-missing"],
        "d": ["xdata-missing"],
    }


def test_one_file_is_read_as_by_itself() -> None:
    (together,) = read_together([("refs.bib", REFS.encode())])
    assert together == read_bibtex("refs.bib", REFS.encode())


def test_the_file_itself_goes_first_then_the_first_of_the_others() -> None:
    files = [
        ("one.bib", b"@string{j = {One}}\n@article{x, title={T}, journal=j}"),
        ("two.bib", b"@article{y, title={T}, journal=j}"),
        ("three.bib", b"@string{j = {Three}}\n@article{z, title={T}, journal=j, note=missing}"),
    ]
    (one, two, three) = (bibliography.references[0] for bibliography in read_together(files))
    assert [of.fields["journal"] for of in (one, two, three)] == ["One", "One", "Three"]
    assert [defect.code for defect in three.defects] == ["undefined-macro"]


def test_parents_that_lead_back_across_files_are_a_fault_and_no_loop() -> None:
    files = [
        ("one.bib", b"@inproceedings{a, title={A}, crossref={b}}"),
        ("two.bib", b"@proceedings{b, title={B}, crossref={a}}"),
    ]
    found = [one for bibliography in read_together(files) for one in bibliography.references]
    assert {defect.code for one in found for defect in one.defects} == {"crossref-cycle"}
