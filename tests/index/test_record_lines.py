"""The project's own line format."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_citecheck.index import LineError, stated_record
from pytest_citecheck.model import Notice, Person
from pytest_citecheck.sources import record_type
from tests.support.records import as_line

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
FULL: dict[str, Any] = LINE | {
    "venues": ["Advances in Neural Information Processing Systems 30"],
    "editors": ["Isabelle Guyon"],
    "notices": [
        {"kind": "retraction", "stated_by": "retraction-watch", "date": "2026-01-02", "doi": "10.1000/n"},
        {"kind": "concern", "stated_by": "dblp", "date": "", "doi": ""},
    ],
    "pmid": "123", "volume": "30", "number": "1", "pages": "5998-6008", "subtitle": "On heads", "publisher": "Curran",
    "isbn": ["9780306406157"], "issn": ["1049-5258"], "other_titles": ["Aufmerksamkeit"], "acl": "P19-1001",
    "openreview": "aBcDe", "dblp": "conf/nips/VaswaniSPUJGKP17", "complete": False,
}  # fmt: skip


@pytest.mark.parametrize("line", [LINE, FULL], ids=["ten fields", "all fields"])
def test_the_line_format_keeps_everything(line: dict[str, Any]) -> None:
    assert as_line(stated_record(json.loads(json.dumps(line)))) == line


def test_the_record_of_a_line() -> None:
    record = stated_record(FULL)
    assert record.authors == (Person("Ashish Vaswani"), Person("Noam Shazeer"))
    assert record.authors_complete is False
    assert record.editors == (Person("Isabelle Guyon"),)
    assert record.years == (2017,)
    assert record.venues == ("NIPS", "Advances in Neural Information Processing Systems 30")
    assert record.related == (("acl", "P19-1001"), ("openreview", "aBcDe"), ("dblp", "conf/nips/VaswaniSPUJGKP17"))
    bare = stated_record({**LINE, "year": None, "venue": ""})
    assert (bare.years, bare.venues) == ((), ())


def test_a_blank_name_is_nobody() -> None:
    record = stated_record({**LINE, "authors": ["", "Noam Shazeer", " "], "editors": [""]})
    assert (record.authors, record.editors) == ((Person("Noam Shazeer"),), ())


def test_a_notice_is_stated_by_its_collection_unless_it_says_otherwise() -> None:
    assert stated_record({**LINE, "notices": [{"kind": "removal"}]}).notices == (Notice("removal", "dblp"),)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"year": "2017"}, "the field `year` is neither a whole number nor null"),
        ({"year": True}, "the field `year` is neither a whole number nor null"),
        ({"year": 2017.0}, "the field `year` is neither a whole number nor null"),
        ({"authors": "Ashish Vaswani"}, "the field `authors` is not a list of strings"),
        ({"authors": [{"family": "Vaswani"}]}, "the field `authors` is not a list of strings"),
        ({"isbn": "9780306406157"}, "the field `isbn` is not a list of strings"),
        ({"title": None}, "the field `title` is not a string"),
        ({"title": " "}, "the field `title` is empty"),
        ({"source": ""}, "the field `source` is empty"),
        ({"complete": 1}, "the field `complete` is neither true nor false"),
        ({"author": []}, "the field `author` is not one of the format"),
        ({"notices": "retraction"}, "the field `notices` is not a list of objects with a `kind` .*"),
        ({"notices": [{"kind": "gossip"}]}, "the field `notices` is not a list of objects with a `kind` .*"),
        (
            {"notices": [{"kind": "removal", "date": 2020}]},
            "the field `notices` is not a list of objects with a `kind` .*",
        ),
    ],
)
def test_a_line_of_another_form_is_refused_by_name(change: dict[str, Any], message: str) -> None:
    with pytest.raises(LineError, match=f"^{message}$"):
        stated_record({**LINE, **change})


@pytest.mark.parametrize("name", sorted(LINE))
def test_each_of_the_ten_fields_is_needed(name: str) -> None:
    with pytest.raises(LineError, match=f"^the field `{name}` is missing$"):
        stated_record({key: value for key, value in LINE.items() if key != name})


@pytest.mark.parametrize(
    ("stated", "read"),
    [
        ("paper-conference", "inproceedings"), ("dissertation", "thesis"), ("submission", "submission"), ("webpage", "other"),
        ("", ""),
    ],
)  # fmt: skip
def test_types(stated: str, read: str) -> None:
    assert record_type(stated) == read
