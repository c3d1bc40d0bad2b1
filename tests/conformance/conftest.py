"""Shared fixtures of the conformance tests: an index of a million real records, which takes a minute to build."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_citecheck.index import LocalIndex, read_scopes, rebuild, stated_record
from pytest_citecheck.model import Record

RECORDS = Path(os.environ.get("CITECHECK_SHARED", "/nowhere")) / "records" / "records.jsonl.zst"
SCOPES = Path(__file__).parents[2] / "benchmarks" / "scopes.yaml"


def records() -> Iterator[Record]:
    zstandard = pytest.importorskip("zstandard")
    with RECORDS.open("rb") as file:
        for line in io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(file), encoding="utf-8"):
            yield stated_record(json.loads(line))


@pytest.fixture(scope="session")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalIndex]:
    if not RECORDS.exists():
        pytest.skip("CITECHECK_SHARED names no folder with the records")
    path = tmp_path_factory.mktemp("index") / "records.index"
    report = rebuild(path, records(), (), read_scopes(SCOPES))
    assert report.records + report.replaced == 1_241_112
    assert report.size / report.records <= 410
    with LocalIndex(path) as opened:
        yield opened
