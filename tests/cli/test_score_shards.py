"""citecheck score junit: whether the files of shards make one whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_citecheck.benchmark import missing_shards, split_under_two_paths
from pytest_citecheck.cli import main

WHOLE = "the scores cover only a part of the split"


@pytest.mark.parametrize(
    ("runs", "told"),
    [
        ([("", {"a"})], []),
        ([("1/2", {"a"}), ("2/2", {"a"})], []),
        ([("1/3", {"a"}), ("3/3", {"a"})], [f"a: no cases from shard 2 of 3: {WHOLE}"]),
        ([("1/3", {"a"})], [f"a: no cases from shards 2, 3 of 3: {WHOLE}"]),
        ([("1/3", {"a"}), ("1/3", {"a"}), ("2/3", {"a"})], [f"a: no cases from shard 3 of 3: {WHOLE}"]),
        ([("1/2", {"a"}), ("2/2", set())], []),  # nothing fell into the second part
        ([("1/2", {"a"}), ("", set())], [f"a: no cases from shard 2 of 2: {WHOLE}"]),  # tests of something else
        (
            [("1/2", {"a"}), ("2/3", {"a"})],
            [f"a: no cases from shard 2 of 2: {WHOLE}", f"a: no cases from shards 1, 3 of 3: {WHOLE}"],
        ),
        ([("1/2", {"a"}), ("", {"a"})], []),  # a whole run beside a part of it
        ([("1/2", {"a", "b"}), ("2/2", {"a"})], [f"b: no cases from shard 2 of 2: {WHOLE}"]),
        ([("1/13", {"a"})], [f"a: no cases from shards 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 … of 13: {WHOLE}"]),
        ([("0/2", {"a"}), ("x", {"b"}), ("1/99999999", {"c"})], []),  # written by something else
    ],
)  # fmt: skip
def test_missing_shards(runs: list[tuple[str, set[str]]], told: list[str]) -> None:
    assert list(missing_shards(runs)) == told


@pytest.mark.parametrize(
    ("keys", "pairs"),
    [
        ({"x/s.jsonl": {"a"}, "y/s.jsonl": {"b"}}, 1),
        ({"x/s.jsonl": {"a", "b"}, "y/s.jsonl": {"b"}}, 0),  # one split twice, or another version of it
        ({"x/s.jsonl": {"a"}, "x/t.jsonl": {"b"}}, 0),
        ({"s.jsonl": {"a"}, "x/s.jsonl": {"b"}, "y/s.jsonl": {"c"}}, 3),
    ],
)
def test_one_split_under_two_paths(keys: dict[str, set[str]], pairs: int) -> None:
    assert len(list(split_under_two_paths(keys))) == pairs


def written(name: str, shard: str, split: str, key: str) -> str:
    stated = {
        "file": split,
        "key": key,
        "line": "1",
        "check": "title",
        "outcome": "passed",
        "verdict": "verified",
        "probability": "0.1",
        "truth.label": "VALID",
    }
    case = "".join(f'<property name="citecheck.{one}" value="{value}"/>' for one, value in stated.items())
    run = f'<property name="citecheck.shard" value="{shard}"/>'
    Path(name).write_text(
        f"<testsuites><testsuite><properties>{run}</properties><testcase name='t'><properties>{case}</properties>"
        "</testcase></testsuite></testsuites>",
        encoding="utf-8",
    )
    return name


def test_the_command_warns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    first = written("1.xml", "1/2", "s.jsonl", "a")
    assert main(["score", "junit", first, written("2.xml", "2/2", "s.jsonl", "b")]) == 0
    assert capsys.readouterr().err == ""
    assert main(["score", "junit", first]) == 0
    assert capsys.readouterr().err == f"citecheck score junit: warning: s.jsonl: no cases from shard 2 of 2: {WHOLE}\n"
    assert main(["score", "junit", first, written("3.xml", "2/2", "x&#8238;&#10;/s.jsonl", "b")]) == 0
    same, *missing = capsys.readouterr().err.splitlines()
    assert "\u202e" not in same
    assert "have the same name and no key in common" in same
    assert len(missing) == 2
