"""Identifiers that the project's own lines have only in ``url`` or ``id``."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_citecheck.index import identified, read
from tests.support.records import as_line, work

BARE: dict[str, Any] = {"source": "mine", "id": "1", "title": "A title", "authors": ("A. B.",), "year": 2019}


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ({"url": "https://doi.org/10.1000/AB"}, {"doi": "10.1000/ab"}),
        ({"url": "http://dx.doi.org/10.1000/AB"}, {"doi": "10.1000/ab"}),
        ({"url": "https://example.org/10.1000/ab"}, {}),
        ({"url": "https://arxiv.org/abs/1706.03762v5"}, {"arxiv": "1706.03762"}),
        ({"url": "https://ArXiv.org/pdf/1706.03762"}, {"arxiv": "1706.03762"}),
        ({"source": "arxiv-crawl", "id": "1706.03762v1"}, {"arxiv": "1706.03762"}),
        ({"source": "papers", "id": "1706.03762"}, {}),  # may be any number of theirs
        ({"url": "https://aclanthology.org/N19-1423"}, {"acl": "N19-1423"}),
        ({"url": "https://www.aclweb.org/anthology/N19-1423.pdf"}, {"acl": "N19-1423"}),
        ({"url": "https://aclanthology.org/volumes/2020.acl-main/"}, {"acl": "2020.acl-main"}),
        ({"url": "https://doi.org/10.18653/v1/N19-1423"}, {"doi": "10.18653/v1/n19-1423", "acl": "N19-1423"}),
        ({"source": "acl-anthology-crawl", "id": "N19-1423"}, {"acl": "N19-1423"}),
        ({"source": "acl_anthology", "id": "devlin-etal-2019-bert"}, {}),
        ({"source": "papers", "id": "N19-1423"}, {}),
        ({"url": "https://openreview.net/forum?id=rJl-b3RcF7"}, {"openreview": "rJl-b3RcF7"}),
        ({"url": "https://openreview.net/group?id=ICLR.cc"}, {}),
        ({"url": "https://dblp.org/rec/conf/nips/X17.html"}, {"dblp": "conf/nips/X17"}),
        ({"id": "DBLP:conf/nips/X17"}, {"dblp": "conf/nips/X17"}),
        ({"source": "api-dblp", "id": "conf/nips/X17"}, {"dblp": "conf/nips/X17"}),
        ({"source": "papers", "id": "conf/nips/X17"}, {}),
        ({"source": "dblp", "id": "X17"}, {}),
        ({"url": "https://proceedings.mlr.press/v89/chien19a.html"}, {}),
        # What a field says stays.
        ({"dblp": "conf/nips/Y17", "id": "DBLP:conf/nips/X17"}, {"dblp": "conf/nips/Y17"}),
        ({"doi": "10.1000/y", "url": "https://doi.org/10.1000/x"}, {"doi": "10.1000/y"}),
        ({"acl": "P19-1001", "url": "https://aclanthology.org/N19-1423"}, {"acl": "P19-1001"}),
        ({"arxiv": "1412.6980", "url": "https://arxiv.org/abs/1706.03762"}, {"arxiv": "1412.6980"}),
        ({"openreview": "abcdefgh", "url": "https://openreview.net/forum?id=rJl-b3RcF7"}, {"openreview": "abcdefgh"}),
    ],
)
def test_keys(stated: dict[str, str], expected: dict[str, str], tmp_path: Path) -> None:
    record = work(**{**BARE, **stated})
    # What was stated stands first.
    found = identified(record)
    assert set(found.related) == set(work(**{**BARE, **stated, **expected}).related)
    assert replace(found, related=()) == replace(work(**{**BARE, **stated, **expected}), related=())
    (tmp_path / "a.jsonl").write_text(json.dumps(as_line(record)))
    assert list(read(tmp_path / "a.jsonl")) == [found]


def test_the_name_of_a_collection_changes_no_key() -> None:
    record = work("dblp", "conf/nips/X17", "A title")
    assert identified(record, "ours") == work("ours", "conf/nips/X17", "A title", dblp="conf/nips/X17")
