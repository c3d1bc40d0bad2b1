"""The main job on the shipped fixtures, from the shipped cassettes, as the README runs it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from vcr.cassette import Cassette
from vcr.serializers import jsonserializer

pytestmark = pytest.mark.exhaustive

EXPECTATION = re.compile(
    r"^% type: (?P<type>\w+); expected failing checks: (?P<checks>[\w, ]+)$\n@\w+\{(?P<key>[^,]+),", re.MULTILINE
)
TYPES = {
    "fabricated_doi", "nonexistent_venue", "placeholder_authors", "future_date", "chimeric_title", "wrong_venue",
    "swapped_authors", "preprint_as_published", "hybrid_fabrication", "merged_citation", "partial_author_list",
    "near_miss_title", "plausible_fabrication", "arxiv_version_mismatch",
}  # fmt: skip


@pytest.fixture(scope="module")
def reports(root: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The JSON reports of both fixtures."""
    path = tmp_path_factory.mktemp("reports") / "both.json"
    names = ("refs", "hallucinated")
    files = [f"--citecheck=fixtures/{name}.bib" for name in names]
    options = [
        "--citecheck-cassettes=cassettes",
        f"--citecheck-json={path}",
        "-q",
        "--tb=no",
        "-rN",
        "-p",
        "no:cacheprovider",
    ]
    command = [sys.executable, "-m", "pytest", *files, *options]
    run = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert path.exists(), run.stdout + run.stderr
    references = json.loads(path.read_text(encoding="utf-8"))["references"]
    return {name: {"references": [one for one in references if one["path"].endswith(f"{name}.bib")]} for name in names}


def outcomes(report: dict[str, Any]) -> Iterable[tuple[str, str, dict[str, Any]]]:
    for reference in report["references"]:
        for check, finding in reference["checks"].items():
            yield reference["key"], check, finding


def test_no_real_reference_fails(reports: dict[str, Any]) -> None:
    assert len(reports["refs"]["references"]) >= 60
    assert [(key, check) for key, check, finding in outcomes(reports["refs"]) if finding["outcome"] == "failed"] == []


def test_at_most_five_per_cent_are_unverifiable_each_for_a_stated_reason(reports: dict[str, Any]) -> None:
    found = list(outcomes(reports["refs"]))
    open_ones = [finding for _, _, finding in found if finding["outcome"] == "unverifiable"]
    assert len(open_ones) <= 0.05 * len(found)
    assert all(finding["message"] for finding in open_ones)
    # Nothing is missing from the shipped recordings.
    assert not [finding for finding in open_ones if finding["code"] in ("unavailable", "not-recorded", "not-asked")]


def test_every_invention_fails_in_the_way_its_type_calls_for(reports: dict[str, Any], root: Path) -> None:
    failed: dict[str, set[str]] = {}
    for key, check, finding in outcomes(reports["hallucinated"]):
        if finding["outcome"] == "failed":
            failed.setdefault(key, set()).add(check)
    text = (root / "fixtures" / "hallucinated.bib").read_text(encoding="utf-8")
    expected = {match["key"]: set(match["checks"].split(", ")) for match in EXPECTATION.finditer(text)}
    assert len(expected) == len(reports["hallucinated"]["references"]) >= 42
    assert {key: checks for key, checks in expected.items() if not checks <= failed.get(key, set())} == {}
    types = [match["type"] for match in EXPECTATION.finditer(text)]
    assert set(types) == TYPES
    assert min(types.count(name) for name in TYPES) >= 3


def test_no_invention_is_verified(reports: dict[str, Any]) -> None:
    names = {reference["verdict"]["name"] for reference in reports["hallucinated"]["references"]}
    assert names <= {"misdescribed", "fabricated"}


def test_reports_are_the_same_bytes_again_and_with_workers(pytester: pytest.Pytester, root: Path) -> None:
    written = []
    for number, workers in enumerate([(), (), ("-n", "2")]):
        name = f"{number}.json"
        pytester.runpytest(
            f"--citecheck={root / 'fixtures' / 'refs.bib'}", f"--citecheck={root / 'fixtures' / 'hallucinated.bib'}",
            f"--citecheck-cassettes={root / 'cassettes'}", f"--citecheck-json={name}", "--tb=no", "-q", *workers,
        )  # fmt: skip
        written.append((pytester.path / name).read_bytes())
    assert written[0] == written[1] == written[2]


def test_a_part_of_a_bibliography_and_a_new_entry_still_replay(pytester: pytest.Pytester, root: Path) -> None:
    text = (root / "fixtures" / "refs.bib").read_text(encoding="utf-8")
    entry = next(part for part in text.split("\n\n") if part.startswith("@article{lamport1978time"))
    pytester.makefile(".bib", refs='@string{cacm = "Communications of the ACM"}\n' + entry)
    result = pytester.runpytest("--citecheck=refs.bib", f"--citecheck-cassettes={root / 'cassettes'}")
    result.assert_outcomes(passed=6)


def test_what_is_not_recorded_is_unverifiable_and_says_how_to_record_it(pytester: pytest.Pytester, root: Path) -> None:
    pytester.makefile(
        ".bib", refs="@article{new, author={New, Ann}, title={Never Recorded Before}, journal={J}, year=2020}"
    )
    result = pytester.runpytest("--citecheck=refs.bib", f"--citecheck-cassettes={root / 'cassettes'}", "-rs")
    assert result.ret == 3  # not enough evidence
    assert "failed" not in result.parseoutcomes()
    result.stdout.fnmatch_lines(["*not in the cassettes*--citecheck-record=new*"])


@pytest.mark.parametrize("path", sorted((Path(__file__).parents[2] / "cassettes").glob("*.json")), ids=lambda p: p.stem)
def test_vcrpy_reads_the_shipped_cassettes(path: Path) -> None:
    cassette = Cassette.load(path=str(path), serializer=jsonserializer)
    assert len(cassette) > 0
    text = path.read_text(encoding="utf-8")
    assert "127.0.0.1" not in text
    assert "authorization" not in text.lower()
    assert "mailto" not in text
