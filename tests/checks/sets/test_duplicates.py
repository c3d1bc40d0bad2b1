"""Conflicting entries: one work twice, or one key for two works; and pairs that are allowed."""

from __future__ import annotations

import pytest

from pytest_citecheck.checks import conflicts, duplicates_finding
from pytest_citecheck.inputs import read_bibtex

ADA = "author={Ada Lovelace}, "
ON_STARS = "title={On the Motion of Distant Stars}, "


def found(*entries: str) -> tuple[str, str]:
    whole = read_bibtex("refs.bib", "\n".join(entries).encode())
    one = duplicates_finding(conflicts(whole.references))
    return one.outcome, one.code


PAIRS = {
    "nothing": ("passed", "duplicates-none", ADA + ON_STARS + "year=2001", "title={Roses}, year=2002"),
    "title, author and year": ("failed", "duplicate-work", ADA + ON_STARS + "year=2001", ADA + ON_STARS + "year=2001"),
    "one DOI": ("failed", "duplicate-work", ON_STARS + "doi={10.1000/a.1}",
        "title={On the motion of distant stars}, doi={10.1000/A.1}"),
    "preprint and publication": (
        "unverifiable",
        "duplicate-version",
        ADA + ON_STARS + "journal={Nature}, year=2001",
        ADA + ON_STARS + "journal={arXiv preprint arXiv:2001.01234}, year=2020",
    ),
    "years apart": ("passed", "duplicates-none", ADA + ON_STARS + "year=2001", ADA + ON_STARS + "year=2009"),
    "other pages": ("passed", "duplicates-none", ADA + ON_STARS + "pages={1--9}", ADA + ON_STARS + "pages={10--19}"),
    "other DOIs": ("passed", "duplicates-none", ADA + ON_STARS + "doi={10.1000/a.1}", ADA + ON_STARS + "doi={10.1000/a.2}"),
    **{f"{title} of two books": ("passed", "duplicates-none",
        f"{ADA}title={{{title}}}, year=2010, journal={{Book of Weaving}}",
        f"{ADA}title={{{title}}}, year=2010, journal={{Book of Spinning}}") for title in ("Introduction", "Editorial Preface")},
    "an introduction twice": ("failed", "duplicate-work", ADA + "title={Introduction}, journal={Book of Weaving}, year=2010",
        ADA + "title={Introduction}, journal={Book of Weaving}, year=2010"),
    "other author": ("passed", "duplicates-none", ADA + ON_STARS, "author={Grace Hopper}, " + ON_STARS),
    "a DOI that is of one of them": ("passed", "duplicates-none", ON_STARS + "doi={10.1000/a.1}",
        "title={Roses}, doi={10.1000/a.1}"),
    "parts": ("passed", "duplicates-none", ADA + "title={On Stars and Planets. I}", ADA + "title={On Stars and Planets. II}"),
    "a workshop and the conference": ("passed", "duplicates-none", ADA + ON_STARS + "year=2001, journal={NeurIPS}",
        ADA + ON_STARS + "year=2001, journal={NeurIPS Workshop on Deep Learning}"),
    "two tracks": ("passed", "duplicates-none", ADA + ON_STARS + "year=2021, journal={Findings of ACL}",
        ADA + ON_STARS + "year=2021, journal={Annual Meeting of the Association for Computational Linguistics}"),
    "two conferences": ("passed", "duplicates-none", ADA + ON_STARS + "year=2001, journal={ICML}",
        ADA + ON_STARS + "year=2001, journal={Computer Vision and Pattern Recognition}"),
    "two unlisted venues": ("passed", "duplicates-none", ADA + ON_STARS + "year=2001, journal={Astronomers' Quarterly}",
        ADA + ON_STARS + "year=2001, journal={Annals of Navigation}"),
    "two names of one venue": ("failed", "duplicate-work", ADA + ON_STARS + "year=2017, journal={Proc. CVPR}",
        ADA + ON_STARS + "year=2017, journal={IEEE Conference on Computer Vision and Pattern Recognition}"),
    "one without a venue": ("failed", "duplicate-work", ADA + ON_STARS + "year=2017, journal={SIGGRAPH}",
        ADA + ON_STARS + "year=2017, pages={16}"),
    "two names of an unlisted venue": ("failed", "duplicate-work", ADA + ON_STARS + "journal={Neurocase}, pages={1--9}",
        ADA + ON_STARS + "journal={Neurocase: Case Studies in Neuropsychology}, pages={1-9}"),
    "one arXiv id, and a workshop": ("passed", "duplicates-none",
        ADA + ON_STARS + "eprint={2001.01234}, journal={ICML}",
        ADA + ON_STARS + "eprint={2001.01234}, journal={ICML Workshop on Causality}"),
    "a report": ("passed", "duplicates-none", ADA + ON_STARS + "year=2001, journal={Nature}",
        ADA + ON_STARS + "year=2001, journal={Technical Report 7, University of London}"),
    "an abstract": ("passed", "duplicates-none", ADA + ON_STARS + "year=2001, journal={Nature}",
        ADA + ON_STARS + "year=2001, journal={Nature}, note={Abstract}"),
    "two volumes of a series": ("passed", "duplicates-none", ADA + "title={Proceedings of Astronomy Days 2019}",
        ADA + "title={Proceedings of Astronomy Days 2020}"),
    "two parts": ("passed", "duplicates-none", ADA + ON_STARS + "part={1}", ADA + ON_STARS + "part={2}"),
    "a title that heads many": ("passed", "duplicates-none", ADA + "title={Editorial}", ADA + "title={Editorial}"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "first", "second", "code"),
    [
        ("incollection", "booktitle={Book of Weaving}", "booktitle={Book of Spinning}", "duplicates-none"),
        (
            "inbook",
            "booktitle={Manual of Looms}, pages={1--9}",
            "booktitle={Manual of Kilns}, pages={1--12}",
            "duplicates-none",
        ),
        ("incollection", "booktitle={Book of Weaving}", "booktitle={Book of Weaving}", "duplicate-work"),
        (
            "inproceedings",
            "booktitle={Proc. CVPR}",
            "booktitle={Computer Vision and Pattern Recognition}",
            "duplicate-work",
        ),
    ],
)
def test_chapters_are_told_apart_by_their_books(kind: str, first: str, second: str, code: str) -> None:
    common = f"{ADA} title={{Introduction to the Whole Volume}}, year=2010, "
    assert found(f"@{kind}{{a, {common}{first}}}", f"@{kind}{{b, {common}{second}}}")[1] == code


@pytest.mark.parametrize("name", PAIRS)
def test_two_entries(name: str) -> None:
    outcome, code, first, second = PAIRS[name]
    assert found(f"@article{{a, {first}}}", f"@article{{b, {second}}}") == (outcome, code)


def test_a_book_and_its_part() -> None:
    stated = f"{ADA}{ON_STARS}doi={{10.1000/a.1}}, year=2001"
    assert found(f"@book{{a, {stated}}}", f"@incollection{{b, {stated}}}") == ("passed", "duplicates-none")


def test_one_key() -> None:
    first = f"@article{{a, {ON_STARS}}}"
    assert found(first, "@article{a, title={Roses and Thorns}}") == ("failed", "key-of-two-works")
    assert found(first, first) == ("passed", "duplicates-none")
    paths = [
        read_bibtex(name, text.encode()).references
        for name, text in (("a.bib", first), ("b.bib", first[:-1] + "year=1}"))
    ]
    assert conflicts([*paths[0], *paths[1]]) == []
    other = read_bibtex("b.bib", first.replace("Distant", "distant\\'").encode()).references
    assert [one.code for one in conflicts([*paths[0], *other])] == []
    other = read_bibtex("b.bib", (first[:-1] + "year=1999}").encode()).references
    year = read_bibtex("a.bib", (first[:-1] + "year=1998}").encode()).references
    assert [one.code for one in conflicts([*year, *other])] == ["conflicting-entries"]


@pytest.mark.exhaustive
def test_many_entries_of_one_title_take_linear_time() -> None:
    entries = "".join(f"@article{{k{number}, {ADA}{ON_STARS}pages={{{number}--{number}}}}}\n" for number in range(1500))
    assert conflicts(read_bibtex("refs.bib", entries.encode()).references) == []
