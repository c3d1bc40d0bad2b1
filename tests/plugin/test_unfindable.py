"""User-visible results for a reference that no source has: a warning, an error if many are invented, or no finding."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

KNOWN = Path(__file__).parents[2] / "fixtures" / "refs.bib"
INVENTED = """@article{nowhere, author = {Hugo Abbott and Iris Bishop}, year = 2015,
  title = {Unheard thoughts on a topic of nobody}, journal = {Nature}}
"""
WIDE = 'extends = "default"\nescape-limit = 0.5\n'


@pytest.fixture
def options(pytester: pytest.Pytester, live: list[str]) -> list[str]:
    entries = KNOWN.read_text(encoding="utf-8").split("\n\n@")
    known = [entry for entry in entries if "he2016deep" in entry or "devlin2019bert" in entry]
    assert len(known) == 2
    pytester.makefile(".bib", refs=INVENTED + "\n\n@".join(["", *known]))
    (pytester.path / "wide.toml").write_text(WIDE, encoding="utf-8")
    return ["--citecheck=refs.bib", "--citecheck-policy=wide.toml", "--citecheck-json=out.json", *live]


@pytest.mark.exhaustive
@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one-process", "two-workers"])
def test_it_is_a_warning_with_what_the_searches_would_have_found(
    pytester: pytest.Pytester, options: list[str], workers: tuple[str, ...]
) -> None:
    result = pytester.runpytest(*options, *workers)
    assert result.ret == 0
    result.stdout.fnmatch_lines([
        "unfindable: services that would almost certainly have it do not (1 reference):",
        "  refs.bib:1 nowhere title: not found: * answered and together find *% (*) of articles *; *found 2 of 2 other*",
    ])  # fmt: skip
    report = json.loads((pytester.path / "out.json").read_text())
    verdict = next(one["verdict"] for one in report["references"] if one["key"] == "nowhere")
    assert verdict["name"] == "unfindable"
    assert verdict["escape"]["looked_for"] == 2, "the controls of the run reach whoever checks"


@pytest.mark.exhaustive
def test_where_many_are_invented_it_is_an_error(pytester: pytest.Pytester, options: list[str]) -> None:
    result = pytester.runpytest("--citecheck-prior=0.9", *options)
    result.assert_outcomes(failed=1, passed=13, skipped=4)
    result.stdout.fnmatch_lines(["refs.bib:1 nowhere title: * [[]title-unfindable]"])


@pytest.mark.exhaustive
def test_a_narrow_limit_is_not_met_with_two_controls(pytester: pytest.Pytester, options: list[str]) -> None:
    (pytester.path / "wide.toml").write_text(WIDE.replace("0.5", "0.000001"), encoding="utf-8")
    result = pytester.runpytest("--citecheck-prior=0.0001", *options)
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            "undecided (1 reference):",
            "  1 reference: no source queried has sufficient data → add a DOI or another identifier*",
        ]
    )


@pytest.mark.exhaustive
@pytest.mark.parametrize(("prior", "label"), [("0.01", "UNCERTAIN"), ("0.9", "HALLUCINATED")])
def test_its_error_is_a_prediction(pytester: pytest.Pytester, options: list[str], prior: str, label: str) -> None:
    blind = {
        "bibtex_key": "blind",
        "bibtex_type": "article",
        "fields": {
            "author": "Nora Castle and Paul Dane",
            "title": "Unwritten lines on a matter of no one",
            "journal": "Nature",
            "year": "2015",
        },
    }
    (pytester.path / "blind.jsonl").write_text(json.dumps(blind) + "\n", encoding="utf-8")
    files = ["--citecheck=blind.jsonl", "--citecheck-predictions=predicted.jsonl"]
    pytester.runpytest(f"--citecheck-prior={prior}", *files, *options)
    predictions = map(json.loads, (pytester.path / "predicted.jsonl").read_text().splitlines())
    assert [line["label"] for line in predictions if line["bibtex_key"] == "blind"] == [label]
    report = json.loads((pytester.path / "out.json").read_text())
    verdict = next(one["verdict"] for one in report["references"] if one["key"] == "blind")
    assert (verdict["name"], verdict.get("label", "UNCERTAIN")) == ("unfindable", label)


@pytest.mark.parametrize("share", ["2", "-0.1", "much"])
def test_a_prior_is_a_share(pytester: pytest.Pytester, options: list[str], share: str) -> None:
    result = pytester.runpytest(f"--citecheck-prior={share}", *options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*citecheck_prior must be a share from 0 to 1, not '{share}'*"])
