"""`--citecheck-selftest`: the checks tested on hallucinations made of the user's own references."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_citecheck.benchmark import score, selftest_section
from pytest_citecheck.index import build
from pytest_citecheck.reports import text_lines
from tests.support.metric_rows import H, U, V, hallucinated, said, valid
from tests.support.records import work

WORKS = [
    ("Deep Residual Learning for Image Recognition", "Kaiming He and Xiangyu Zhang and Shaoqing Ren and Jian Sun", "CVPR", 2016),
    ("Densely Connected Convolutional Networks", "Gao Huang and Zhuang Liu and Kilian Q. Weinberger", "CVPR", 2017),
    ("Attention is All you Need", "Ashish Vaswani and Noam Shazeer and Niki Parmar and Jakob Uszkoreit", "NeurIPS", 2017),
    ("Auto-Encoding Variational Bayes", "Diederik P. Kingma and Max Welling", "ICLR", 2014),
]  # fmt: skip


@pytest.fixture
def refs(pytester: pytest.Pytester) -> Path:
    entries = [
        work(source, str(n), title, tuple(authors.split(" and ")), year, venue, f"10.1000/{n}", type="inproceedings")
        for source in ("dblp", "acl")
        for n, (title, authors, venue, year) in enumerate(WORKS)
    ]
    build(pytester.path / "my.index", entries)
    text = "\n".join(
        f"@inproceedings{{k{n}, title={{{title}}}, author={{{authors}}}, booktitle={{{venue}}}, year={year}, "
        f"doi={{10.1000/{n}}}}}"
        for n, (title, authors, venue, year) in enumerate(WORKS)
    )
    return pytester.makefile(".bib", refs=text + "\n@misc{bare, title = {No author, no year}}")


def run(pytester: pytest.Pytester, *arguments: str) -> dict[str, Any]:
    pytester.runpytest(
        "--citecheck=refs.bib", "--citecheck-index=my.index", "--citecheck-offline", "--citecheck-cache=off",
        "--citecheck-json=r.json", *arguments,
    )  # fmt: skip
    found: dict[str, Any] = json.loads(Path("r.json").read_text(encoding="utf-8"))
    return found


@pytest.mark.exhaustive
def test_detection_of_each_type_is_measured(pytester: pytest.Pytester, refs: Path) -> None:
    result = run(pytester, "--citecheck-selftest=3")
    scores = result["metrics"]
    assert scores["num_valid"] == 4
    assert scores["false_positive_rate"] == 0
    types = scores["per_type_metrics"]
    assert types["swapped_authors"]["count"] == 3
    # The index has all about these works, so these cannot be missed.
    for kind in ("swapped_authors", "placeholder_authors", "future_date", "near_miss_title"):
        assert types[kind]["detection_rate"] == 1, kind
    assert {"k0", "k0~future_date"} & {reference["key"] for reference in result["references"]}
    # Each stands where the reference stands that it was made of.
    assert {reference["line"] for reference in result["references"]} == {1, 2, 3, 4}
    assert any("bare" in note and "excluded from the self-test" in note for note in result["notes"])


@pytest.mark.exhaustive
def test_it_is_the_same_again_and_with_workers(pytester: pytest.Pytester, refs: Path) -> None:
    once = run(pytester, "--citecheck-selftest=2")
    assert run(pytester, "--citecheck-selftest=2", "-n", "2") == once


@pytest.mark.exhaustive
def test_what_passes_is_what_the_checks_get_right(pytester: pytest.Pytester, refs: Path) -> None:
    result = pytester.runpytest(
        "--citecheck=refs.bib", "--citecheck-index=my.index", "--citecheck-offline", "--citecheck-selftest", "-q",
        "-k", "authors]",
    )  # fmt: skip
    assert result.parseoutcomes()["passed"] >= 4 + 4 + 4  # the valid ones, swapped and placeholder authors
    result.stdout.fnmatch_lines(
        [
            "*self-test on refs.bib: detected references*",
            "made of your references *caught * 95 % interval * undecided",
            "swapped_authors *4 of 4 (100.0%) *51.0% to 100.0% *0",
            "all of these * of * to *",
            "originals accused *0 of 4 (0.0%) *0.0% to 49.0% *0",
        ]
    )


def test_what_is_undecided_is_not_caught() -> None:
    entries = [hallucinated("a", "wrong_venue"), hallucinated("b", "wrong_venue"), valid("c")]
    scored = score(entries, [said("a", H), said("b", U), said("c", H)])
    assert [line.split() for line, _ in text_lines([selftest_section(scored)])][2:] == [
        # Wilson, z = 1.96, 1 of 2: (.5 + 1.9208/2 ± 1.96·√(.125 + .2401))/(1 + 1.9208) = .0945, .9055
        ["wrong_venue", "1", "of", "2", "(50.0%)", "9.5%", "to", "90.5%", "1"],
        ["all", "of", "these", "1", "of", "2", "(50.0%)", "9.5%", "to", "90.5%", "1"],
        ["originals", "accused", "1", "of", "1", "(100.0%)", "20.7%", "to", "100.0%", "0"],
    ]
    assert "originals accused" in str([*text_lines([selftest_section(score([valid("c")], [said("c", V)]))])])


@pytest.mark.parametrize("number", ["0", "-1", "many"])
def test_wrong_numbers(pytester: pytest.Pytester, refs: Path, number: str) -> None:
    result = pytester.runpytest("--citecheck=refs.bib", f"--citecheck-selftest={number}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--citecheck-selftest takes a number of references of each type*"])
