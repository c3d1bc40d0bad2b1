"""Fields that children inherit from their parents."""

from __future__ import annotations

import pytest

from pytest_citecheck.inputs import Heir, inherit


def heir(key: str, type_: str = "misc", **raw: str) -> Heir:
    return Heir(key, type_, dict(raw), dict(raw))


@pytest.mark.parametrize(
    ("parent", "child", "fields"),
    [
        ("proceedings", "inproceedings", {"booktitle": "T", "booksubtitle": "S", "year": "1"}),
        ("book", "inbook", {"booktitle": "T", "booksubtitle": "S", "year": "1"}),
        ("collection", "incollection", {"booktitle": "T", "booksubtitle": "S", "year": "1"}),
        ("mvbook", "book", {"maintitle": "T", "mainsubtitle": "S", "year": "1"}),
        ("periodical", "article", {"journaltitle": "T", "journalsubtitle": "S", "year": "1"}),
        ("book", "book", {"title": "T", "subtitle": "S", "year": "1"}),
        ("misc", "misc", {"title": "T", "subtitle": "S", "year": "1"}),
    ],
)
def test_titles_of_parents_are_renamed_in_biblatex(parent: str, child: str, fields: dict[str, str]) -> None:
    entries = [heir("c", child, crossref="p"), heir("p", parent, title="T", subtitle="S", year="1")]
    inherit(entries)
    assert {name: value for name, value in entries[0].fields.items() if name != "crossref"} == fields
    assert entries[0].fields == entries[0].raw


def test_a_parent_that_states_its_booktitle_hands_down_that_one() -> None:
    entries = [heir("c", "inproceedings", crossref="p"), heir("p", "proceedings", title="T", booktitle="B")]
    inherit(entries)
    assert entries[0].fields == {"crossref": "p", "booktitle": "B"}


def test_fields_of_the_child_win_and_empty_ones_count_as_missing() -> None:
    entries = [heir("c", year="2", note="", crossref="p"), heir("p", year="1", note="N")]
    inherit(entries)
    assert entries[0].fields["year"] == "2"
    assert entries[0].fields["note"] == "N"


@pytest.mark.parametrize("name", ["doi", "url", "eprint", "pages", "abstract", "crossref", "xdata"])
def test_what_identifies_the_parent_is_not_handed_down(name: str) -> None:
    child = heir("c", crossref="p")
    inherit([child, heir("p", **{name: "x"})])
    assert child.fields.get(name) in (None, "p")


def test_xdata_hands_down_everything_the_first_named_first() -> None:
    child = heir("c", xdata="x, y")
    inherit([child, heir("y", doi="2", note="N"), heir("x", doi="1")])
    assert (child.fields["doi"], child.fields["note"]) == ("1", "N")


def test_xdata_of_a_parent_reaches_the_child_of_a_crossref() -> None:
    child = heir("c", crossref="p")
    inherit([child, heir("p", xdata="x"), heir("x", publisher="P")])
    assert child.fields["publisher"] == "P"


def test_keys_are_found_without_regard_to_case_but_exact_ones_first() -> None:
    child = heir("c", crossref="KEY")
    inherit([child, heir("key", note="lower"), heir("KEY", note="upper")])
    assert child.fields["note"] == "upper"
    other = heir("c", crossref="KEY")
    inherit([other, heir("key", note="lower")])
    assert other.fields["note"] == "lower"


def test_a_chain_of_thousands_is_followed() -> None:
    entries = [heir(f"k{number}", crossref=f"k{number + 1}") for number in range(3000)] + [heir("k3000", note="N")]
    inherit(entries)
    assert entries[0].fields["note"] == "N"


def test_a_circle_is_reported_once_and_ends() -> None:
    entries = [heir("a", crossref="b", note="A"), heir("b", crossref="c"), heir("c", crossref="a")]
    inherit(entries)
    assert [[code for code, _ in entry.faults] for entry in entries] == [[], [], ["crossref-cycle"]]


@pytest.mark.parametrize("link", ["crossref", "xdata"])
def test_a_long_chain_hands_down_only_so_much(link: str) -> None:
    entries = [heir("k0", f0="x")]
    entries += [heir(f"k{n}", **{link: f"k{n - 1}", f"f{n}": "x"}) for n in range(1, 3_000)]
    own = sum(len(entry.raw) for entry in entries)
    inherit(entries)
    assert sum(len(entry.raw) for entry in entries) - own == 10_000 + 10 * own
    assert [code for code, _ in entries[-1].faults] == ["inheritance-overflow"]
    assert entries[-1].raw["f2999"] == "x"


def test_a_volume_of_any_size_hands_down_all() -> None:
    fields = {f"f{n}": "x" for n in range(20)}
    entries = [heir("v", "proceedings", **fields)]
    entries += [heir(f"k{n}", "inproceedings", crossref="v", title="T", author="A") for n in range(1_000)]
    inherit(entries)
    assert all(len(entry.raw) == 23 and not entry.faults for entry in entries[1:])


def test_each_of_many_parents_is_looked_at_once() -> None:
    parents = [heir(f"p{n}", "xdata", **{f"f{n}": "x"}) for n in range(2_000)]
    child = heir("c", xdata=",".join(parent.key for parent in parents))
    inherit([child, *parents])
    assert len(child.raw) == 2_001
