"""The line format of the local index and what an entry says as evidence."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.index.entry import Entry, EntryError
from pytest_citecheck.index.evidence import record
from pytest_citecheck.model import Person

LINE: dict[str, Any] = {
    "source": "dblp",
    "id": "conf/nips/VaswaniSPUJGKP17",
    "title": "Attention is All you Need",
    "authors": ["Ashish Vaswani", "Noam Shazeer"],
    "year": 2017,
    "venue": "NIPS",
    "doi": "",
    "arxiv": "1706.03762",
    "url": "https://dblp.org/rec/conf/nips/VaswaniSPUJGKP17",
    "type": "inproceedings",
}

TEXT = st.text(max_size=8)
TEXTS = st.lists(TEXT, max_size=3).map(tuple)
FULL = TEXT.filter(str.strip)
ENTRIES = st.builds(
    Entry, FULL, TEXT, FULL, TEXTS, st.none() | st.integers(1000, 2100), *[TEXT] * 9, TEXTS, TEXTS, *[TEXT] * 3, TEXTS,
    st.booleans(),
)  # fmt: skip


@given(ENTRIES)
def test_the_line_format_keeps_everything(entry: Entry) -> None:
    assert Entry.from_json(json.loads(json.dumps(entry.to_json()))) == entry


def test_only_what_is_said_beyond_the_ten_fields_is_written() -> None:
    entry = Entry.from_json(LINE)
    assert entry.to_json() == LINE
    assert entry._replace(pages="5998-6008", complete=False).to_json() == {
        **LINE,
        "pages": "5998-6008",
        "complete": False,
    }


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"year": "2017"}, "the field 'year' is neither a whole number nor null"),
        ({"year": True}, "the field 'year' is neither a whole number nor null"),
        ({"year": 2017.0}, "the field 'year' is neither a whole number nor null"),
        ({"authors": "Ashish Vaswani"}, "the field 'authors' is no list of strings"),
        ({"authors": [{"family": "Vaswani"}]}, "the field 'authors' is no list of strings"),
        ({"isbn": "9780306406157"}, "the field 'isbn' is no list of strings"),
        ({"title": None}, "the field 'title' is no string"),
        ({"title": " "}, "the field 'title' is empty"),
        ({"source": ""}, "the field 'source' is empty"),
        ({"complete": 1}, "the field 'complete' is neither true nor false"),
        ({"author": []}, "the field 'author' is not one of the format"),
    ],
)
def test_a_line_of_another_form_is_refused_by_name(change: dict[str, Any], message: str) -> None:
    with pytest.raises(EntryError, match=f"^{message}$"):
        Entry.from_json({**LINE, **change})


@pytest.mark.parametrize("name", sorted(LINE))
def test_each_of_the_ten_fields_is_needed(name: str) -> None:
    with pytest.raises(EntryError, match=f"^the field '{name}' is missing$"):
        Entry.from_json({key: value for key, value in LINE.items() if key != name})


def test_as_evidence() -> None:
    entry = Entry(
        "anthology", "P19-1001", "A Title", ("Ada Lovelace",), 2019, "ACL", "10.18653/v1/p19-1001", type="inproceedings",
        acl="P19-1001", dblp="conf/acl/L19", venues=("Annual Meeting of the ACL", "ACL"), editors=("Alan Turing",),
        complete=False,
    )  # fmt: skip
    evidence = record(entry)
    assert evidence.source == "anthology"
    assert evidence.authors == (Person(literal="Ada Lovelace"),)
    assert evidence.authors_complete is False
    assert evidence.editors == (Person(literal="Alan Turing"),)
    assert evidence.years == (2019,)
    assert evidence.venues == ("ACL", "Annual Meeting of the ACL")
    assert evidence.related == (("acl", "P19-1001"), ("dblp", "conf/acl/L19"))
    assert evidence.type == "inproceedings"
    assert record(Entry("s", "", "t")).years == ()


@pytest.mark.parametrize(
    ("stated", "read"),
    [("paper-conference", "inproceedings"), ("dissertation", "thesis"), ("submission", "other"), ("", "")],
)
def test_types(stated: str, read: str) -> None:
    assert record(Entry("s", "", "t", type=stated)).type == read
