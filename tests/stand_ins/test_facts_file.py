"""The facts file of the local services: what it yields, and what it refuses with which words."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest

from tests.stand_ins import FACTS_FILE, Facts, FactsError, load_facts
from tests.stand_ins.facts import Name

if TYPE_CHECKING:
    from pathlib import Path

EXAMPLE = FACTS_FILE.with_name("example_facts.yaml")
MINIMAL = "works:\n  - {id: a, title: T, type: book, issued: '2001', doi: 10.1000/x, agency: Crossref}\n"


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "facts.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_example_is_read_with_defaults_filled_in() -> None:
    facts = load_facts(EXAMPLE)
    assert len(facts.works) == 8
    assert facts.recorded == dt.datetime(2026, 11, 20, 12, tzinfo=dt.UTC)
    assert facts.prefixes["10.1090"] == "Crossref"  # not 10.109
    assert facts.prefixes["10.48550"] == "DataCite"
    attention, nature, resnet, *_ = facts.works
    assert attention.issued == (2017, 12, 4)
    assert [record.venues for record in attention.dblp] == [("NIPS",), ("CoRR",)]
    assert nature.dblp[0].title == "Deep learning"
    assert nature.dblp[0].doi == "10.1038/nature14539"
    assert resnet.dblp[0].authors[1] == "Xiangyu Zhang 0005"
    assert resnet.arxiv is not None
    assert resnet.arxiv.updated == resnet.arxiv.published == (2015, 12, 10)
    assert resnet.arxiv.authors == resnet.authors


def test_identifiers_and_years_stay_the_strings_they_were(tmp_path: Path) -> None:
    block = "{id: 1706.10010, published: 2017-06, category: cs.CL}"
    text = f"works: [{{id: a, title: T, type: x, arxiv: {block}}}]"
    arxiv = load_facts(written(tmp_path, text)).works[0].arxiv
    assert arxiv is not None
    assert (arxiv.id, arxiv.published) == ("1706.10010", (2017, 6))


def test_names_in_short(tmp_path: Path) -> None:
    text = "works:\n  - {id: a, title: T, type: x, authors: 'Ford, L. R., Jr.; van der Berg, A; Student'}"
    assert load_facts(written(tmp_path, text)).works[0].authors == (
        Name("L. R.", "Ford", "Jr."),
        Name("A", "van der Berg"),
        Name(literal="Student"),
    )


def test_facts_are_joined() -> None:
    facts = load_facts(EXAMPLE)
    more = Facts(facts.works[:1], {"10.1000": "Crossref"})
    joined = facts.joined_with(more)
    assert joined.works == facts.works + facts.works[:1]
    assert joined.prefixes == {**facts.prefixes, "10.1000": "Crossref"}
    assert joined.recorded == facts.recorded


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("works: 3", "a list of `works`"),
        ("works: [", "facts.yaml"),
        ("works: [[]]", "item 1 (without id): a mapping is needed"),
        ("works: [{id: a, type: book}]", "item 1 (a): `title` is missing"),
        ("works: [{id: a, title: [T], type: book}]", "`title` must be a str"),
        ("works: [{id: a, title: T, type: book, year: 3}]", "item 1 (a): unknown keys: year"),
        ("works: [{id: a, title: T, type: book, issued: 2017-13}]", "`issued` must be YYYY"),
        ("works: [{id: a, title: T, type: book, issued: 17}]", "`issued` must be YYYY"),
        ("works: [{id: a, title: T, type: book, isbn: [[1]]}]", "`isbn` must be strings"),
        ("works: [{id: a, title: T, type: book, authors: [{given: A}]}]", "either `family` or `name`"),
        ("works: [{id: a, title: T, type: book, authors: 'Ford, L. R.;'}]", "is not `Family, Given`"),
        ("works: [{id: a, title: T, type: book, authors: {given: A}}]", "`authors` must be names"),
        ("works: [{id: a, title: T, type: book, doi: nonsense, agency: Crossref}]", "`doi` is no DOI"),
        ("works: [{id: a, title: T, type: book, doi: 10.1000/x}]", "`doi` and `agency` belong together"),
        ("works: [{id: a, title: T, type: book, doi: 10.1000/x, agency: B}]", "`issued` is missing"),
        ("works: [{id: a, title: T, type: x, dblp: {year: 2001, type: y}}]", "dblp: `key` is missing"),
        ("works: [{id: a, title: T, type: x, arxiv: {id: 1.1, category: c, published: 2001}}]", "no arXiv id"),
        ("works: [{id: a, title: T, type: x, arxiv: {id: 1706.00001, category: c}}]", "`published` is"),
        ("works: [{id: a, title: T, type: x, arxiv: {id: 1706.00001, category: c, published: 2001, earlier_titles: [S]}}]",
         "`earlier_titles` has as many"),
        ("works: [{id: a, title: T, type: x, event: CVPR}]", "`event` must be a dict"),
        (MINIMAL, "prefix 10.1000 has no agency"),
        (MINIMAL + "prefixes: {ten: Crossref}", "is no prefix with its agency"),
        (MINIMAL + "recorded: yesterday", "`recorded` must be an ISO 8601 moment"),
        (MINIMAL + "recoded: 2026", "unknown keys: recoded"),
        ("works: [{id: a, title: T, type: x}, {id: a, title: T, type: x}]", "item a: id a stands in a too"),
    ],
)  # fmt: skip
def test_errors_name_file_item_and_cause(tmp_path: Path, text: str, complaint: str) -> None:
    if "prefix" not in complaint:
        text = text.replace(MINIMAL, MINIMAL + "prefixes: {10.1000: Crossref}\n")
    path = written(tmp_path, text)
    with pytest.raises(FactsError) as caught:
        load_facts(path)
    assert str(path) in str(caught.value)
    assert complaint in str(caught.value)


def test_a_missing_file_is_a_facts_error(tmp_path: Path) -> None:
    with pytest.raises(FactsError, match=r"nowhere\.yaml"):
        load_facts(tmp_path / "nowhere.yaml")
