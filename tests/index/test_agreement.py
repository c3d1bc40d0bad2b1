"""Agreement of independent collections, and its storage by every index writer."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_citecheck.index import (
    Agreement,
    Collection,
    Coverage,
    Independence,
    LocalIndex,
    ScopeError,
    add,
    lacking,
    merge,
    read_derivations,
    read_scopes,
    rebuild,
    remove,
    venue_id,
    venue_ids,
)
from pytest_citecheck.model import Record
from tests.support.records import work


def volume(source: str, papers: int = 40, year: int = 2019) -> list[Record]:
    """A volume of ICML, and a paper of the year after: the latest year is never taken as complete."""
    stated = [work(source, f"{year}/{n}", f"Paper {n} of {year}", ("A. B.",), year, "ICML") for n in range(papers)]
    return [*stated, work(source, "after", "A paper of the year after", ("A. B.",), year + 1, "ICML")]


def agreed(*sources: str, collections: tuple[Collection, ...] = ()) -> list[str]:
    """Return the collections that agree on ICML 2019 if each of them has all of it."""
    agreement = Agreement()
    for source in sources:
        list(agreement.watch(volume(source)))
    return [scope[0] for scope in agreement.scopes(collections)]


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        (("dblp", "papers"), ["dblp+papers"]),
        (("dblp", "mlanthology"), []),  # takes part of its facts from dblp
        (("dblp", "mlanthology", "papers"), ["dblp+mlanthology+papers"]),
        (("api-dblp", "dblp-crawl"), []),
        (("api-dblp", "acl_anthology"), ["acl+dblp"]),
        (("acl_anthology", "acl-anthology-crawl"), []),
        (("api-openalex", "crossref"), []),
        (("mlanthology", "crossref"), []),  # by way of OpenAlex
        (("crossref", "dblp"), ["crossref+dblp"]),
        (("dblp",), []),
    ],
)
def test_one_source_counted_twice_is_no_agreement(sources: tuple[str, ...], expected: list[str]) -> None:
    assert agreed(*sources) == expected


def test_two_that_derive_from_a_third_are_counted_with_it_and_not_against_it() -> None:
    mine = Collection("mine", derives_from="dblp+crossref")
    assert agreed("mine", "papers", collections=(mine,)) == ["mine+papers"]
    assert agreed("mine", "api-dblp", collections=(mine,)) == []
    assert agreed("mine", "crossref", collections=(mine,)) == []
    assert agreed("mine", "theirs", collections=(Collection("mine", derives_from="theirs-2024"),)) == []
    chain = (Collection("mine", derives_from="theirs"), Collection("theirs", derives_from="dblp"))
    assert agreed("mine", "dblp", collections=chain) == []
    round_about = (Collection("mine", derives_from="theirs"), Collection("theirs", derives_from="mine"))
    assert agreed("mine", "theirs", collections=round_about) == []


def lists(first: str, second: str, *, both: int, each: int) -> Agreement:
    """Two lists of ICML 2019 with titles in common, and as many that only one has."""
    agreement = Agreement()
    for source, start in ((first, 0), (second, 1)):
        own = [
            work(source, f"own/{n}", f"Paper {2 * n + start} of one list", ("A. B.",), 2019, "ICML")
            for n in range(each)
        ]
        list(agreement.watch([*volume(source, both), *own]))
    return agreement


@pytest.mark.parametrize(("each", "complete"), [(0, False), (2, False), (3, True)])
def test_a_list_with_filled_gaps_lacks_nothing_of_the_one_that_filled_them(each: int, complete: bool) -> None:
    found = lists("dblp", "mlanthology", both=400, each=each)
    assert bool(list(found.scopes())) is complete
    assert bool(list(lists("dblp", "semantic_scholar", both=400, each=each).scopes())) is False  # it copies DBLP


@pytest.mark.parametrize(("each", "works", "lacks"), [(0, 200, 0.0002), (20, 242, 0.0109), (60, 338, 0.0587)])
def test_the_size_of_a_venue_and_year_is_estimated_from_two_lists(each: int, works: int, lacks: float) -> None:
    *_, size, missing = next(iter(lists("dblp", "papers", both=200, each=each).volumes()))
    assert (size, round(missing, 4)) == (works, lacks)


def test_what_was_not_read_to_its_end_has_no_say() -> None:
    cut = Collection("papers", complete=False)
    assert agreed("dblp", "papers", collections=(cut,)) == []
    assert agreed("dblp", "papers", "theirs", collections=(cut,)) == ["dblp+theirs"]
    assert agreed("dblp", "papers", "papers-2024", collections=(cut,)) == ["dblp+papers"]
    # Its titles count all the same: they are lacking in the others.
    agreement = Agreement()
    list(agreement.watch([*volume("dblp"), *volume("theirs"), *volume("papers", 60)]))
    assert list(agreement.scopes([cut])) == []
    assert next(row[2:] for row in agreement.volumes([cut])) == ("dblp+papers+theirs", 60, 40, 0, 1.0)


def test_independence_names_those_that_were_cut() -> None:
    independence = Independence([Collection("b", complete=False), Collection("a", complete=False), Collection("c")])
    assert independence.cut(["c", "b", "a", "d"]) == ["a", "b"]
    assert independence.controls(["c", "b", "d"]) == ["c", "d"]


def closed(path: Path) -> int:
    with LocalIndex(path) as index:
        return len(Coverage(index).closed)


def test_every_change_remembers_what_was_cut_and_what_derives(tmp_path: Path) -> None:
    path = tmp_path / "i"
    rebuild(path, [*volume("dblp"), *volume("papers")], [Collection("papers", complete=False)], ())
    assert closed(path) == 0
    add(path, volume("other", 1))
    assert closed(path) == 0
    # What was lost may still be lacking.
    add(path, volume("papers"), collections=[Collection("papers", complete=True)])
    assert closed(path) == 0
    rebuild(tmp_path / "whole", volume("papers"), [Collection("papers")], ())
    merge(tmp_path / "both", [path, tmp_path / "whole"])
    assert closed(tmp_path / "both") == 0
    remove(path, "papers")
    add(path, volume("papers"), collections=[Collection("papers")])
    assert closed(path) == 1
    add(path, [], collections=[Collection("papers", derives_from="dblp")])
    assert closed(path) == 0
    with LocalIndex(path) as index:
        known = {collection.name: collection for collection in index.collections()}
    assert known["papers"] == Collection("papers", 41, derives_from="dblp")


@pytest.mark.parametrize(
    ("second", "why"),
    [
        (Collection("mlanthology"), "is only in collections that derive from one another (dblp, mlanthology)"),
        (Collection("papers", complete=False), "not all of papers could be read, so it does not count"),
        (Collection("dblp-2024"), "is in one collection only (dblp)"),
    ],
)
def test_why_it_is_not_agreed(tmp_path: Path, second: Collection, why: str) -> None:
    rebuild(tmp_path / "i", [*volume("dblp"), *volume(second.name)], [second], ())
    with LocalIndex(tmp_path / "i") as index:
        said = Coverage(index).why_not("ICML", 2019)
    assert said == f"International Conference on Machine Learning 2019 is not declared complete, and {why}"


def test_declared_derivations(tmp_path: Path) -> None:
    path = tmp_path / "scopes.yaml"
    path.write_text(
        "- {collection: mine, derives_from: dblp}\n- {collection: dblp, venue: ICML, years: 2020, why: counted}\n"
        "- {collection: theirs, derives_from: [dblp, crossref]}\n"
    )
    assert read_derivations(path) == {"mine": "dblp", "theirs": "dblp+crossref"}
    assert read_scopes(path) == [("dblp", "icml", 2020, True, "counted")]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("- {derives_from: dblp}", "item 1: missing: collection"),
        ("- {collection: a, derives_from: dblp, venue: ICML}", "item 1: unknown: venue"),
        ("- {collection: a, derives_from: []}", "item 1: no collection: \\[\\]"),
        ("- {collection: a, derives_from: ''}", "item 1: no collection: ''"),
        ("- {collection: a, derives_from: [dblp, null]}", "item 1: no collection: "),
        ("{}", "a list of declarations is needed"),
        ("- 1", "item 1: a mapping is needed"),
    ],
)
def test_wrong_derivations(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "scopes.yaml"
    path.write_text(text)
    with pytest.raises(ScopeError, match=complaint):
        read_derivations(path)


@pytest.mark.parametrize(
    ("both", "one", "other", "share"),
    [(100, 0, 0, 0.0), (90, 10, 10, 0.01), (50, 50, 0, 0.0), (1000, 10, 20, 10 / 1010 * 20 / 1020)],
)
def test_what_two_collections_lack(both: int, one: int, other: int, share: float) -> None:
    assert lacking(both, one, other) == pytest.approx(share)
    assert lacking(both, one, other, unseen=3) > share


def test_a_joint_volume_is_of_each_of_its_venues() -> None:
    joint = (
        "Thirty-Fifth AAAI Conference on Artificial Intelligence, AAAI 2021, Thirty-Third Conference on Innovative Applications "
        "of Artificial Intelligence, IAAI 2021, The Eleventh Symposium on Educational Advances in Artificial Intelligence, EAAI "
        "2021, Virtual Event, February 2-9, 2021"
    )
    assert venue_id(joint, 2021) == ""
    assert venue_ids(joint, 2021) == ("aaai", "iaai", "eaai")
    assert venue_ids("AAAI", 2021) == ("aaai",)
    assert venue_ids("AAAI Workshops", 2021) == ()
    # One collection lists what was in the joint volume, the other one AAAI's own papers: both are whole.
    agreement = Agreement()
    entries = [
        work(source, f"{venue}{n}", f"Paper {n} of that year", ("A. B.",), 2021, venue)
        for source, venue, papers in (("dblp", joint, 120), ("papers", "AAAI", 90))
        for n in range(papers)
    ]
    list(agreement.watch([*entries, work("dblp", "later", "A later one", ("A. B.",), 2022, "AAAI")]))
    assert [scope[1:3] for scope in agreement.scopes()] == [("aaai", 2021)]
