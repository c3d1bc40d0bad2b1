"""References of kinds that ordinary bibliographies rarely contain, checked offline against a small index of plausible records.

`predictions.tsv` lists the verdict and the highest severity that each reference should get, derived from the documentation
rather than from the output. Entries in `WRONG` are expected to fail: the tool does not yet behave as predicted.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_citecheck.cli import main

pytestmark = pytest.mark.exhaustive

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
SEVERITIES = ("none", "warning", "error")

_EDITIONS = "a book or thesis is verified although no record has the cited year"
WRONG = {
    # Wrong citations that are verified.
    "nas2016": "arXiv exports the year 2016, so the citation is accepted",
    "vasvani2017": "v for w may be a transliteration: a warning, although two sources agree on w",
    "clrs2004": _EDITIONS,
    # Wrong citations that get a higher severity than predicted.
    "scipydoi": "the DOI is that of the correction, under another title: an error",
    # Wrong citations that get a lower severity than they should.
    "postdoi": "the registry of the cited DOI may have cut the list: a warning",
    "shapname": "publishers' pages misspell names: a warning, although two sources agree",
    "tinybertmain": "Findings cited as the main conference count as another version, unlike a workshop",
    "dlother": "the authors are compared with an article of the same title instead of the book by the cited publisher",
    # Correct citations that are verified without evidence for the cited version.
    "clrs2022": _EDITIONS,
    # Correct citations that should be verified.
    "ale2015short": "an exact match of the title hides the record of the extended abstract",
    "icml2018": "a volume is not recognised by its name in DBLP, which adds place and date",
    "aristotle1999": "a single name without braces does not match the same name in a record",
    "ieee754": "a standard without authors is not verified by its DOI",
    "xing2003": "the year in which older NeurIPS proceedings were printed is not confirmed",
}


def predictions() -> dict[str, dict[str, str]]:
    with (HERE / "predictions.tsv").open(encoding="utf-8", newline="") as file:
        return {row["key"]: row for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)}


PREDICTIONS = predictions()


@pytest.fixture(scope="module")
def references(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, dict[str, Any]]:
    """The references of one run over the whole file, by key."""
    folder = tmp_path_factory.mktemp("kinds")
    assert main(["index", "build", str(folder / "kinds.index"), str(HERE / "records.jsonl")]) == 0
    (folder / "kinds.bib").write_bytes((HERE / "kinds.bib").read_bytes())
    command = [
        sys.executable, "-m", "pytest", "--citecheck=kinds.bib", "--citecheck-index=kinds.index", "--citecheck-offline",
        "--citecheck-cache=off", "--citecheck-json=r.json", "--tb=no", "-q", "-p", "no:cacheprovider",
        "-p", "tests.support.network_guard",
    ]  # fmt: skip
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTEST_PLUGINS": "pytest_citecheck.plugin",
    }
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert (folder / "r.json").exists(), done.stdout + done.stderr
    report = json.loads((folder / "r.json").read_text(encoding="utf-8"))
    return {reference["key"]: reference for reference in report["references"]}


def severity(reference: Mapping[str, Any]) -> str:
    """The highest severity among the findings of a reference."""
    found = {check["severity"] for check in reference["checks"].values()}
    return max(found.intersection(SEVERITIES), key=SEVERITIES.index, default="none")


def expected(key: str) -> Any:
    marks = [pytest.mark.xfail(reason=WRONG[key], strict=True)] if key in WRONG else []
    return pytest.param(key, marks=marks, id=key)


def test_every_entry_has_a_prediction(references: Mapping[str, dict[str, Any]]) -> None:
    assert list(references) == list(PREDICTIONS)
    assert WRONG.keys() <= PREDICTIONS.keys()


CORRECT = [key for key, row in PREDICTIONS.items() if row["correct"] == "yes"]


@pytest.mark.parametrize("key", CORRECT)
def test_correct_citations_have_no_error(references: Mapping[str, dict[str, Any]], key: str) -> None:
    failed = [check["code"] for check in references[key]["checks"].values() if check["severity"] == "error"]
    assert not failed


@pytest.mark.parametrize("key", [expected(key) for key in PREDICTIONS])
def test_verdict_and_severity_are_as_predicted(references: Mapping[str, dict[str, Any]], key: str) -> None:
    row, reference = PREDICTIONS[key], references[key]
    codes = {name: check["code"] for name, check in reference["checks"].items()}
    assert (reference["verdict"]["name"], severity(reference)) == (row["verdict"], row["level"]), codes


@pytest.mark.parametrize("key", list(PREDICTIONS))
def test_a_reference_with_a_warning_is_not_verified(references: Mapping[str, dict[str, Any]], key: str) -> None:
    reference = references[key]
    assert not (reference["verdict"]["name"] == "verified" and severity(reference) != "none")


@pytest.mark.parametrize("key", ["rdd2011", "lfw2007", "chord2001", "settles2009"])
def test_technical_reports_get_no_doi_of_a_published_paper(references: Mapping[str, dict[str, Any]], key: str) -> None:
    fixes = {field for check in references[key]["checks"].values() for field in check["fixes"]}
    assert not fixes.intersection({"doi", "booktitle", "journal", "year"})
