"""Outcomes as a user sees them: passed, failed with evidence, skipped with a reason; JSON, JUnit, waivers, exit codes."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from junitparser import xunit2

from pytest_citecheck.checks import CHECKS
from tests.stand_ins.server import LocalServices
from tests.support.outcomes import UNDECIDED, assert_checks
from tests.support.suites import first_fast
from tests.support.transport_support import reply, serving

RIGHT = """@inproceedings{vaswani,
  author = {Vaswani, Ashish and Shazeer, Noam and Parmar, Niki and Uszkoreit, Jakob and Jones, Llion and Gomez, Aidan N.
            and Kaiser, Lukasz and Polosukhin, Illia},
  title = {Attention Is All You Need}, booktitle = {Advances in Neural Information Processing Systems}, year = {2017},
  eprint = {1706.03762}, archiveprefix = {arXiv}
}
"""
WRONG = RIGHT.replace("{vaswani,", "{wrong,").replace("Attention Is All", "Attraction Is All")


def test_a_right_reference_passes(pytester: pytest.Pytester, live: list[str]) -> None:
    pytester.makefile(".bib", refs=RIGHT)
    result = pytester.runpytest("--citecheck=refs.bib", *live)
    assert_checks(result, passed=6)
    assert result.ret == 0


def test_a_failure_says_where_what_and_how_to_mend_it(pytester: pytest.Pytester, live: list[str]) -> None:
    (pytester.path / "refs.bib").write_text("\n" + WRONG)
    result = pytester.runpytest("--citecheck=refs.bib", "--citecheck-prior=0.3", "-v", *live)
    assert result.ret == 1
    assert "Traceback" not in result.stdout.str()
    result.stdout.fnmatch_lines(
        [
            "refs.bib:2 wrong [[]title[]] title-near-miss: *",
            "  cited:  Attraction Is All You Need",
            "  found:  Attention Is All You Need",
            "  record: *",
            "  queried:",
            "    arXiv: arxiv 1706.03762: 1 record*",
            "  corrected entry (changed fields marked):",
            "    >   title = {Attention Is All You Need},*",
            "FAILED refs.bib::wrong[[]title[]] - title-near-miss: *",
        ]
    )


def test_each_finding_is_one_line_and_once_in_the_short_summary(pytester: pytest.Pytester, live: list[str]) -> None:
    (pytester.path / "refs.bib").write_text("\n" + WRONG)
    output = pytester.runpytest("--citecheck=refs.bib", "--citecheck-prior=0.3", *live).stdout.str()
    line = "refs.bib:2 wrong title: Attraction Is All You Need → Attention Is All You Need [title-near-miss]"
    assert output.splitlines().count(line) == 1
    assert output.count("title-near-miss") == 2
    assert "FAILED refs.bib::wrong[title] - title-near-miss: " in output


# Two of its checks fail: doi and title.
TWICE_WRONG = WRONG.replace("{wrong,", "{twice,\n  doi = {forthcoming},")


@pytest.mark.parametrize("options", [(), pytest.param(("-k", "doi"), marks=pytest.mark.exhaustive)])
def test_evidence_and_correction_stand_with_the_first_failure(
    pytester: pytest.Pytester, live: list[str], options: tuple[str, ...]
) -> None:
    pytester.makefile(".bib", refs=TWICE_WRONG + WRONG)
    output = pytester.runpytest("--citecheck=refs.bib", "--citecheck-prior=0.3", "-v", *options, *live).stdout.str()
    alone = "-k" in options
    assert output.count("  queried:\n") == output.count("  corrected entry") == (1 if alone else 2)
    assert ("evidence and correction: see refs.bib::twice[doi]" in output) is not alone
    assert "evidence and correction: see refs.bib::wrong" not in output


def test_a_failure_that_a_waiver_hides_is_referred_to_by_none(pytester: pytest.Pytester, live: list[str]) -> None:
    pytester.makeini("[pytest]\ncitecheck_ignore =\n    twice doi known\n")
    pytester.makefile(".bib", refs=TWICE_WRONG)
    output = pytester.runpytest("--citecheck=refs.bib", "--citecheck-prior=0.3", "-v", *live).stdout.str()
    assert "  queried:\n" in output
    assert "see refs.bib::twice[doi]" not in output


@pytest.mark.sample(1)
@pytest.mark.parametrize("style", first_fast(["short", "line", "no", "long", "native"], 2))
def test_every_traceback_style(pytester: pytest.Pytester, live: list[str], style: str) -> None:
    pytester.makefile(".bib", refs=WRONG)
    result = pytester.runpytest("--citecheck=refs.bib", "--citecheck-prior=0.3", f"--tb={style}", *live)
    assert result.ret == 1
    assert "pytest_citecheck/" not in result.stdout.str()


def test_json_report(pytester: pytest.Pytester, live: list[str]) -> None:
    pytester.makefile(".bib", refs=RIGHT + WRONG)
    pytester.runpytest("--citecheck=refs.bib", "--citecheck-prior=0.3", "--citecheck-json=out/report.json", *live)
    report = json.loads((pytester.path / "out" / "report.json").read_text(encoding="utf-8"))
    assert report["schema"] == "citecheck-report/1"
    assert report["summary"]["references"] == 2
    assert report["summary"]["verdicts"] == {
        "verified": 1,
        "misdescribed": 1,
        "fabricated": 0,
        "unfindable": 0,
        "undecided": 0,
    }
    right, wrong = report["references"]
    assert (right["key"], right["line"], right["verdict"]["name"]) == ("vaswani", 1, "verified")
    assert wrong["checks"]["title"]["code"] == "title-near-miss"
    assert wrong["checks"]["title"]["fixes"] == {"title": "Attention Is All You Need"}
    assert wrong["checks"]["title"]["record"]["url"].startswith("http")
    assert {line["source"] for line in wrong["evidence"]} >= {"arxiv", "dblp_sparql"}
    assert all(line["date"].endswith("Z") for line in wrong["evidence"] if line["answer"] != "unavailable")


@pytest.mark.parametrize("workers", [(), pytest.param(("-n", "1"), marks=pytest.mark.exhaustive)])
def test_junit_properties(pytester: pytest.Pytester, live: list[str], workers: tuple[str, ...]) -> None:
    pytester.makefile(".bib", refs=RIGHT + WRONG)
    pytester.runpytest("--citecheck=refs.bib", "--citecheck-prior=0.3", "--junitxml=junit.xml", *live, *workers)
    (suite,) = xunit2.JUnitXml.fromfile(str(pytester.path / "junit.xml"))
    assert suite.tests == 2 * len(CHECKS)
    run = {item.name: item.value for item in suite.properties()}  # type: ignore[no-untyped-call]
    assert run["citecheck.references"] == "2"
    assert run["citecheck.verdict.misdescribed"] == "1"
    cases = {case.name: case for case in suite}
    case = cases["wrong[title]"]
    assert isinstance(case, xunit2.TestCase)
    properties = {item.name: item.value for item in case.properties()}  # type: ignore[no-untyped-call]
    assert properties["citecheck.key"] == "wrong"
    assert properties["citecheck.check"] == "title"
    assert properties["citecheck.code"] == "title-near-miss"
    assert properties["citecheck.verdict"] == "misdescribed"
    assert 0 <= float(properties["citecheck.probability"]) <= 1
    assert properties["citecheck.record"].startswith("http")
    assert "dblp_sparql=found" in properties["citecheck.sources"].split()
    (failure,) = case.result
    assert failure.message.startswith("title-near-miss: ")
    assert len(failure.message) <= 120


def test_unverifiable_is_skipped_with_its_reason(pytester: pytest.Pytester) -> None:
    pytester.makefile(".bib", refs=RIGHT)
    result = pytester.runpytest("--citecheck=refs.bib", "--citecheck-offline", "-rs")
    result.assert_outcomes(passed=1, skipped=UNDECIDED)
    assert result.ret == 3  # no source answered
    result.stdout.fnmatch_lines(
        [
            "SKIPPED [[]*[]] refs.bib:1: vaswani [[]doi, title, authors, venue, cross_db*[]] unavailable: no answer from *"
        ]
    )


@pytest.mark.exhaustive
def test_one_cause_is_one_line_of_skips_and_what_fails_is_not_in_it(pytester: pytest.Pytester, live: list[str]) -> None:
    unknown = (
        "@inproceedings{注意力, author = {Quillfeather, Ada}, title = {No such thing}, booktitle = {None}, year = 2011}"
    )
    (pytester.path / "refs.bib").write_text(unknown, encoding="utf-8")
    (pytester.path / "own.toml").write_text('[unverifiable]\nvenue = "error"\n')
    for options, checks in (([], "title, authors, venue, cross_db"), (["own.toml"], "title, authors, cross_db")):
        policy = [f"--citecheck-policy={name}" for name in options]
        result = pytester.runpytest("--citecheck=refs.bib", "-rs", *policy, *live)
        lines = [line for line in result.outlines if line.startswith("SKIPPED")]
        assert f"SKIPPED [{checks.count(',') + 1}] refs.bib:1: 注意力 [{checks}] not-found: " in lines[1]
        assert "[1] refs.bib:1: 注意力 [doi] doi-not-cited: no DOI or arXiv id is cited" in lines[0]


def test_strict_makes_unverifiable_fail(pytester: pytest.Pytester) -> None:
    pytester.makefile(".bib", refs=RIGHT)
    result = pytester.runpytest("--citecheck=refs.bib", "--citecheck-offline", "--citecheck-strict")
    result.assert_outcomes(passed=1, failed=UNDECIDED)
    assert result.ret == 1


@pytest.mark.exhaustive
def test_last_failed_and_stop_at_the_first(pytester: pytest.Pytester, live: list[str]) -> None:
    pytester.makefile(".bib", refs=WRONG + RIGHT)
    pytester.runpytest("--citecheck=refs.bib", "--citecheck-prior=0.3", "-x", *live).assert_outcomes(passed=1, failed=1)
    assert_checks(pytester.runpytest("--citecheck=refs.bib", "--citecheck-prior=0.3", *live), 2, passed=10, failed=1)
    pytester.runpytest("--citecheck=refs.bib", "--citecheck-prior=0.3", "--lf", *live).assert_outcomes(
        failed=1, deselected=2 * len(CHECKS) - 1
    )


def test_only_what_is_selected_is_asked_for(
    pytester: pytest.Pytester, live: list[str], services: LocalServices
) -> None:
    pytester.makefile(".bib", refs=RIGHT + WRONG.replace("1706.03762", "1810.04805"))
    pytester.runpytest("--citecheck=refs.bib", "-k", "vaswani", *live)
    assert services.requests
    assert not any("1810.04805" in request.path for request in services.requests)


def test_collect_only_asks_nobody(pytester: pytest.Pytester, live: list[str], services: LocalServices) -> None:
    pytester.makefile(".bib", refs=RIGHT)
    pytester.runpytest("--citecheck=refs.bib", "--co", *live)
    assert services.requests == []


def test_a_work_cited_twice_is_asked_for_once(
    pytester: pytest.Pytester, live: list[str], services: LocalServices
) -> None:
    pytester.makefile(".bib", a=RIGHT, b=RIGHT)
    pytester.runpytest("--citecheck=a.bib", *live)
    alone = len(services.requests)
    pytester.runpytest("--citecheck=a.bib,b.bib", *live)
    assert len(services.requests) == 2 * alone


def test_a_second_problem_of_one_check_is_in_summary_json_and_junit(pytester: pytest.Pytester) -> None:
    pytester.makefile(".bib", refs=RIGHT.replace("{2017}", "{20x7}, issn = {0028-0837}"))
    result = pytester.runpytest(
        "--citecheck=refs.bib", "--citecheck-offline", "--citecheck-json=r.json", "--junitxml=j.xml"
    )
    result.stdout.fnmatch_lines(
        ["refs.bib:1 vaswani completeness: *20x7*; '0028-0837' * [[]year-malformed, issn-invalid]"]
    )
    (written,) = json.loads((pytester.path / "r.json").read_text())["references"]
    assert written["checks"]["completeness"]["also"] == ["issn-invalid"]
    assert '"citecheck.also" value="issn-invalid"' in (pytester.path / "j.xml").read_text()


WAIVER = """[pytest]
citecheck_ignore =
    wrong title the publisher printed it that way
    vaswani doi no longer needed
    gone * this key was removed
"""


def test_waivers_expect_failures_and_outdated_ones_are_named(pytester: pytest.Pytester, live: list[str]) -> None:
    pytester.makeini(WAIVER)
    pytester.makefile(".bib", refs=RIGHT + WRONG)
    result = pytester.runpytest("--citecheck=refs.bib", "--citecheck-prior=0.3", "-rx", *live)
    outcomes = result.parseoutcomes()
    assert outcomes["xfailed"] == 1
    assert outcomes["xpassed"] == 1
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            "outdated waiver: vaswani doi (no longer needed): every check that it covers passes",
            "outdated waiver: gone [*] (this key was removed): the bibliographies have no such key",
            "XFAIL refs.bib::wrong[[]title[]] - the publisher printed it that way*",
        ]
    )


def test_what_is_waived_counts_neither_as_failed_nor_for_attention(pytester: pytest.Pytester, live: list[str]) -> None:
    pytester.makeini("[pytest]\ncitecheck_ignore =\n    wrong title,cross_db known\n")
    pytester.makefile(".bib", refs=WRONG)
    result = pytester.runpytest("--citecheck=refs.bib", "--citecheck-json=r.json", *live)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["findings of * waived", "title * 1"])
    result.stdout.no_fnmatch_line("misdescribed*")
    assert json.loads((pytester.path / "r.json").read_text())["references"][0]["checks"]["title"]["waived"] is True


@pytest.mark.parametrize(
    "line", ["wrong title", "wrong", "wrong titel a typo", "wrong title,doi,venu a typo", "wrong no check"]
)
def test_a_waiver_without_a_reason_or_with_an_unknown_check_is_refused(pytester: pytest.Pytester, line: str) -> None:
    pytester.makeini(f"[pytest]\ncitecheck_ignore =\n    {line}\n")
    pytester.makefile(".bib", refs=WRONG)
    result = pytester.runpytest("--citecheck=refs.bib")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*a reason is required*"])


@pytest.mark.exhaustive
def test_options_from_environment_and_ini_in_the_order_of_precedence(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makefile(".bib", refs=RIGHT)
    pytester.makeini("[pytest]\ncitecheck_cassettes = from-ini\n")
    for name in ("from-ini", "from-env", "from-flag"):
        pytester.mkdir(name)
    header = "citecheck: *cassettes *{}* (replay only)"
    pytester.runpytest("--citecheck=refs.bib").stdout.fnmatch_lines([header.format("from-ini")])
    monkeypatch.setenv("CITECHECK_CASSETTES", "from-env")
    pytester.runpytest("--citecheck=refs.bib").stdout.fnmatch_lines([header.format("from-env")])
    result = pytester.runpytest("--citecheck=refs.bib", "--citecheck-cassettes=from-flag")
    result.stdout.fnmatch_lines([header.format("from-flag")])


HOSTILE = "Attention\x1b[2J Is All\u202e You Need\n::error file=x::owned"


def test_terminal_escapes_and_workflow_commands_are_neutralised(pytester: pytest.Pytester, live: list[str]) -> None:
    Path(pytester.path / "refs.bib").write_text(RIGHT.replace("Attention Is All You Need", HOSTILE), encoding="utf-8")
    output = pytester.runpytest("--citecheck=refs.bib", "-rA", *live).stdout.str()
    assert "\x1b[2J" not in output
    assert "\u202e" not in output
    assert not any(line.lstrip().startswith("::error") for line in output.splitlines())


OWN_SOURCE = """
import json
from pytest_citecheck.model import Absent, Found, Person, Record
from pytest_citecheck.sources import Rate, Request, Source
class Shelf(Source):
    name = "shelf"
    label = "my shelf"
    base_url = "https://shelf.example.org"
    documentation = limits = absence = ""
    batch = {"title": 1}
    keeps_author_order = True
    rate = Rate(1000, 4)
    first_hand = ("title", "authors")
    def accepts(self, question):
        return question.kind == "title"
    def request(self, questions):
        return Request(self.name, "https://shelf.example.org/books")
    def parse(self, questions, response):
        book = json.loads(response.body)
        record = Record(self.name, "1", title=book["title"], authors=(Person(literal=book["author"]),), years=(1999,))
        return {question: Found((record,)) for question in questions}
def pytest_citecheck_sources(config, sources):
    sources.append(Shelf())
"""


def test_a_source_of_ones_own_is_asked(pytester: pytest.Pytester, live: list[str]) -> None:
    pytester.makefile(
        ".bib",
        refs="@book{a, author={Ada Quillfeather}, title={An invented history of gradients}, publisher={P}, year=1999}",
    )
    pytester.makeconftest(OWN_SOURCE)
    book = json.dumps({"title": "An invented history of gradients", "author": "Ada Quillfeather"})
    with serving(lambda _: reply(book)) as server:
        result = pytester.runpytest(
            "--citecheck=refs.bib", "--citecheck-json=r.json", *live, f"--citecheck-base-url=shelf={server.url}"
        )
    assert result.parseoutcomes().get("failed") is None
    report = json.loads((pytester.path / "r.json").read_text())
    assert report["references"][0]["checks"]["title"]["record"]["source"] == "shelf"


def test_an_own_source_from_conftest(pytester: pytest.Pytester, live: list[str]) -> None:
    pytester.makefile(".bib", refs=RIGHT)
    pytester.makeconftest(
        "def pytest_citecheck_sources(config, sources):\n    sources[:] = [s for s in sources if s.name == 'arxiv']\n"
    )
    result = pytester.runpytest("--citecheck=refs.bib", "--citecheck-json=r.json", *live)
    assert result.ret == 0
    report = json.loads((pytester.path / "r.json").read_text())
    assert {line["source"] for line in report["references"][0]["evidence"]} == {"arxiv"}


def test_a_skip_in_the_setup_of_one_check_leaves_the_others_alone(pytester: pytest.Pytester) -> None:
    pytester.makefile(".bib", a=RIGHT, b=RIGHT)
    pytester.makeconftest(
        """
        import pytest
        def pytest_runtest_setup(item):
            if item.name.endswith("[cross_db]"):
                pytest.skip("not today")
        """
    )
    result = pytester.runpytest("--citecheck=a.bib,b.bib", "--citecheck-offline")
    result.assert_outcomes(passed=2, skipped=2 * UNDECIDED)


def test_a_key_cannot_steer_the_terminal(pytester: pytest.Pytester) -> None:
    key = "k\x1b]0;PWN\x07\x9b31m\u202e"
    (pytester.path / "refs.bib").write_text(f"@misc{{{key}, title={{T}}, year=2999}}\n", encoding="utf-8")
    result = pytester.runpytest("--citecheck=refs.bib", "--citecheck-offline", "-v", "-rA")
    assert result.ret == 1
    assert not any(mark in result.stdout.str() for mark in ("\x1b]0;", "\x07", "\x9b", "\u202e"))


@pytest.mark.skipif(sys.platform == "win32", reason="needs /dev/null")
def test_the_report_is_written_through_links_and_into_pipes(pytester: pytest.Pytester) -> None:
    pytester.makefile(".bib", refs=RIGHT)
    real = pytester.path / "real.json"
    (pytester.path / "link.json").symlink_to(real)
    pytester.runpytest("--citecheck=refs.bib", "--citecheck-offline", "--citecheck-json=link.json")
    assert (pytester.path / "link.json").is_symlink()
    assert json.loads(real.read_text())["schema"] == "citecheck-report/1"
    pytester.runpytest("--citecheck=refs.bib", "--citecheck-offline", "--citecheck-json=/dev/null")
    assert not Path("/dev/null").is_file()


@pytest.mark.parametrize(
    "workers",
    [pytest.param((), id="one process"), pytest.param(("-n", "2"), id="workers", marks=pytest.mark.exhaustive)],
)
def test_notes_on_files_without_checks(pytester: pytest.Pytester, workers: tuple[str, ...]) -> None:
    pytester.makefile(".bib", refs=RIGHT)
    (pytester.path / "notes.bib").write_bytes(b"<<<<<<< HEAD\nnothing but text\xff here\n")
    pytester.runpytest("--citecheck=refs.bib,notes.bib", "--citecheck-offline", "--citecheck-json=r.json", *workers)
    assert len(json.loads((pytester.path / "r.json").read_text())["notes"]) == 2


SLIP = RIGHT.replace("{vaswani,", "{slip,\n  doi = {forthcoming},")
MISLEADING = RIGHT.replace("{vaswani,", "{misleading,").replace(
    "Shazeer, Noam and Parmar, Niki", "Lovelace, Ada and Hopper, Grace"
)
BARE = "@misc{bare, author = {Ada Lovelace}, year = {1843}}\n"
HINTED = "@book{hinted, author = {Ada Lovelace}, title = {Notes on the Engine}, year = {1943}, isbn = {0028-0836}}\n"


@pytest.mark.parametrize("workers", [(), pytest.param(("-n", "2"), marks=pytest.mark.exhaustive)])
def test_hints_are_counted(pytester: pytest.Pytester, live: list[str], workers: tuple[str, ...]) -> None:
    pytester.makefile(".bib", refs=SLIP + BARE + MISLEADING + HINTED)
    prior = "--citecheck-prior=0.3"
    output = pytester.runpytest("--citecheck=refs.bib", prior, *live, *workers).stdout.str()
    assert re.search(
        r"hints \(all are in --citecheck-json and --citecheck-html\): 1 field-advised \(\w+\), 1 issn-in-isbn \(hinted\)",
        output,
    )


@pytest.mark.exhaustive
@pytest.mark.parametrize("count", [100, pytest.param(1000, marks=pytest.mark.exhaustive)])
def test_many_incomplete_entries_take_few_lines(pytester: pytest.Pytester, count: int) -> None:
    entries = [
        f"@article{{k{number}, author = {{A. Author}}, title = {{Title number {number}}}, year = 2001"
        + ("}" if number % 10 == 0 else f", journal = {{Journal {number}}}}}")
        for number in range(count)
    ]
    pytester.makefile(".bib", refs="\n".join(entries))
    result = pytester.runpytest("--citecheck=refs.bib", "--citecheck-offline", "--citecheck-cache=off", "-q")
    result.assert_outcomes(failed=count // 10, passed=count - count // 10, skipped=UNDECIDED * count)
    assert len(result.stdout.lines) <= 0.6 * count
