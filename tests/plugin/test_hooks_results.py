"""The results hook: called once with the whole run; and every example of docs/hooks.md."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from pytest_citecheck.cli import main
from pytest_citecheck.plugin import hookspecs
from tests.support.suites import first_fast

PAGE = (Path(__file__).parents[2] / "docs" / "hooks.md").read_text(encoding="utf-8")
EXAMPLES = {
    found[1]: example
    for example in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    if (found := re.search(r"^def (\w+)", example, re.MULTILINE))
}
KEYS = ("ash", "birch", "cedar", "dogwood")
REFERENCES = "".join(
    f"@book{{{key}, author={{Ada Quillfeather}}, title={{Tides of {key}}}, publisher={{P}}, year={year}}}\n"
    for key, year in zip(KEYS, (1999, 2999, 1999, 1999), strict=True)
)
NOTING = """
import json, os
def pytest_citecheck_results(result):
    with open("calls.txt", "a") as file:
        told = {
            "keys": sorted(reference.key for reference in result.references),
            "verdicts": result.verdicts(),
            "failed": sorted(
                f"{reference.key} {check} {finding['code']} {finding['severity']}"
                for reference in result.references
                for check, finding in reference.findings.items()
                if finding["outcome"] == "failed"
            ),
            "evidence": sum(len(list(reference.evidence)) for reference in result.references),
            "scores": [scores["num_entries"] for scores in result.scores],
            "gold": [reference.gold and reference.gold["label"] for reference in result.references],
        }
        print(json.dumps(told), file=file)
"""


def calls(pytester: pytest.Pytester) -> list[Any]:
    file = pytester.path / "calls.txt"
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file.exists() else []


@pytest.fixture
def refs(pytester: pytest.Pytester) -> pytest.Pytester:
    (pytester.path / "refs.bib").write_text(REFERENCES, encoding="utf-8")
    return pytester


@pytest.mark.parametrize(
    "distribution",
    [pytest.param((), id="one-process"), pytest.param(("-n2",), id="two-workers", marks=pytest.mark.exhaustive)],
)
def test_it_is_called_once_with_the_whole_run(refs: pytest.Pytester, distribution: tuple[str, ...]) -> None:
    refs.makeconftest(NOTING)
    result = refs.runpytest("--citecheck=refs.bib", "--citecheck-offline", *distribution)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    (told,) = calls(refs)
    assert told["keys"] == list(KEYS)
    assert told["verdicts"] == {"verified": 0, "misdescribed": 1, "fabricated": 0, "unfindable": 0, "undecided": 3}
    assert told["failed"] == ["birch completeness year-future error"]
    assert told["evidence"] > 0


@pytest.mark.parametrize(
    ("options", "ended"),
    [
        (("--collect-only",), pytest.ExitCode.OK),
        (("--citecheck-plan",), pytest.ExitCode.OK),
        (("--citecheck-fail-under=nonsense",), pytest.ExitCode.USAGE_ERROR),
    ],
    ids=["collect-only", "plan", "usage-error"],
)
def test_it_is_not_called_where_nothing_ran(
    refs: pytest.Pytester, options: tuple[str, ...], ended: pytest.ExitCode
) -> None:
    refs.makeconftest(NOTING)
    assert refs.runpytest("--citecheck=refs.bib", "--citecheck-offline", *options).ret == ended
    assert calls(refs) == []


def test_it_is_not_called_in_other_runs(refs: pytest.Pytester) -> None:
    refs.makeconftest(NOTING)
    refs.makepyfile("def test_other(): pass")
    refs.runpytest().assert_outcomes(passed=1)
    assert calls(refs) == []


def test_if_it_raises_the_run_says_so_after_its_reports(refs: pytest.Pytester) -> None:
    refs.makeconftest("def pytest_citecheck_results(result):\n    raise ConnectionError('no such host')\n")
    result = refs.runpytest("--citecheck=refs.bib", "--citecheck-offline", "--citecheck-json=r.json")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stdout.fnmatch_lines(
        [
            "4 references: 1 misdescribed, 3 undecided",
            "citecheck: pytest_citecheck_results failed in *conftest.py: ConnectionError: no such host",
        ]
    )
    result.stdout.no_fnmatch_line("*INTERNALERROR*")
    assert (refs.path / "r.json").exists()


# ----- shards ---------------------------------------------------------------------------------------------


def labelled(pytester: pytest.Pytester) -> None:
    entries = [
        {
            "bibtex_key": key,
            "bibtex_type": "misc",
            "fields": {"title": f"Tides of {key}", "year": "1999"},
            "label": "VALID",
        }
        for key in KEYS
    ]
    (pytester.path / "dev.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")


@pytest.mark.exhaustive
def test_it_is_called_once_for_merged_shards(pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]) -> None:
    labelled(pytester)
    run = ("--citecheck=dev.jsonl", "--citecheck-offline")
    for part in "12":
        pytester.runpytest(*run, f"--citecheck-shard={part}/2", f"--junitxml=s{part}.xml")
    pytester.makeconftest(NOTING)
    pytester.runpytest(*run)
    assert main(["score", "junit", "s1.xml", "s2.xml"]) == 0
    assert len(calls(pytester)) == 1  # of the run: the command calls no hook that it was not given
    assert main(["score", "junit", "-p", "conftest.py", "s1.xml", "s2.xml"]) == 0
    whole, merged = calls(pytester)
    assert {**merged, "evidence": 0} == {**whole, "evidence": 0}
    assert (merged["scores"], merged["gold"]) == ([4], ["VALID"] * 4)


@pytest.mark.exhaustive
def test_for_merged_shards_it_may_be_in_a_module(pytester: pytest.Pytester) -> None:
    labelled(pytester)
    pytester.runpytest("--citecheck=dev.jsonl", "--citecheck-offline", "--junitxml=s.xml")
    folder = pytester.mkdir("elsewhere")  # the command imports nothing from the working folder
    (folder / "noting_of_results.py").write_text(NOTING, encoding="utf-8")
    pytester.syspathinsert(folder)
    assert main(["score", "junit", "-p", "noting_of_results", "s.xml"]) == 0
    assert len(calls(pytester)) == 1


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("plugin", "told"),
    [
        (
            "def pytest_citecheck_results(result):\n    raise OSError('gone')",
            "pytest_citecheck_results failed in own.py: OSError: gone",
        ),
        ("raise OSError('gone')", "the plugin cannot be imported: OSError: gone"),
        ("", "metric: pytest_citecheck_metrics"),
    ],
    ids=["raises", "import", "metric"],
)
def test_a_plugin_of_the_command_that_fails_is_named(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str], plugin: str, told: str
) -> None:
    labelled(pytester)
    pytester.runpytest("--citecheck=dev.jsonl", "--citecheck-offline", "--junitxml=s.xml")
    if not plugin:
        plugin = EXAMPLES["pytest_citecheck_metrics"].replace(
            "answers = [", "raise OSError('gone')\n            answers = ["
        )
        told = "pytest_citecheck_metrics: the metric 'doubt' failed: OSError: gone"
    (pytester.path / "own.py").write_text(plugin, encoding="utf-8")
    assert main(["score", "junit", "-p", "own.py", "s.xml"]) == 2
    assert f"citecheck score junit: error: {told}" in capsys.readouterr().err


# ----- the examples ---------------------------------------------------------------------------------------


@pytest.fixture
def posted() -> Iterator[tuple[str, list[Any]]]:
    """Yield the address of a local server and the list of objects posted to it."""
    received: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/", received
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.exhaustive
def test_the_example_posts_a_summary(
    refs: pytest.Pytester, posted: tuple[str, list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    address, received = posted
    monkeypatch.setenv("CHAT_URL", address)
    refs.makeconftest(EXAMPLES["pytest_citecheck_results"])
    refs.runpytest("--citecheck=refs.bib", "--citecheck-offline")
    assert received == [
        {
            "verdicts": {"verified": 0, "misdescribed": 1, "fabricated": 0, "unfindable": 0, "undecided": 3},
            "wrong": ["refs.bib:2 birch: year-future"],
        }
    ]


def test_there_is_an_example_of_every_hook() -> None:
    assert sorted(EXAMPLES) == hookspecs.__all__


@pytest.mark.exhaustive
@pytest.mark.parametrize("hook", first_fast(sorted(set(EXAMPLES) - {"pytest_citecheck_results"}), 2))
def test_the_example_runs(refs: pytest.Pytester, hook: str) -> None:
    refs.makeconftest(EXAMPLES[hook])
    policy = ["--citecheck-policy=house"] if "policies" in hook else []
    result = refs.runpytest("--citecheck=refs.bib", "--citecheck-offline", *policy)
    assert result.parseoutcomes()["failed"] == 1
