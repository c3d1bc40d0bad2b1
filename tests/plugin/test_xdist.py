"""Under pytest-xdist: the network is queried once, by the controller, in every mode of distribution, with the same results."""

from __future__ import annotations

import pytest

from pytest_citecheck.checks import CHECKS
from pytest_citecheck.index import build
from tests.plugin.test_index import ADAM, REFERENCES, RESNET
from tests.plugin.test_outcomes import RIGHT, TWICE_WRONG, WRONG
from tests.stand_ins.server import LocalServices
from tests.support.outcomes import assert_checks

REFS = RIGHT + WRONG


@pytest.mark.parametrize(
    "mode",
    ["load", *(pytest.param(mode, marks=pytest.mark.exhaustive) for mode in ("loadscope", "loadgroup", "worksteal"))],
)
def test_every_distribution_mode(
    pytester: pytest.Pytester, live: list[str], services: LocalServices, mode: str
) -> None:
    pytester.makefile(".bib", refs=RIGHT + TWICE_WRONG)
    one = pytester.runpytest("--citecheck=refs.bib", "--citecheck-prior=0.3", "--citecheck-json=one.json", "-v", *live)
    alone = len(services.requests)
    result = pytester.runpytest(
        "--citecheck=refs.bib",
        "--citecheck-prior=0.3",
        "--citecheck-json=two.json",
        "-v",
        "-n",
        "2",
        f"--dist={mode}",
        *live,
    )
    assert_checks(result, 2, passed=9, failed=2)
    if mode in ("load", "loadscope"):  # the others may take the second failing check to the other worker
        assert result.stdout.str().count("evidence and correction: see refs.bib::twice[doi]") == 1
    assert len(services.requests) == 2 * alone
    summaries = [run.stdout.str().partition("references decided")[2].partition("==")[0] for run in (one, result)]
    assert summaries[0] == summaries[1] != ""
    assert (pytester.path / "one.json").read_bytes() == (pytester.path / "two.json").read_bytes()


@pytest.mark.exhaustive
def test_max_fail_and_verbose_ids(pytester: pytest.Pytester, live: list[str]) -> None:
    pytester.makefile(".bib", refs=REFS)
    result = pytester.runpytest("--citecheck=refs.bib", "--citecheck-prior=0.3", "-v", "-n", "1", *live)
    result.stdout.fnmatch_lines(["*FAILED refs.bib::wrong[[]title[]]*"])
    result = pytester.runpytest("--citecheck=refs.bib", "--citecheck-prior=0.3", "--maxfail=1", "-n", "2", *live)
    assert result.ret in (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED)


@pytest.mark.exhaustive
def test_with_xdist_switched_off(pytester: pytest.Pytester, live: list[str]) -> None:
    pytester.makefile(".bib", refs=REFS)
    for args in (("-n", "0"), ("-p", "no:xdist")):
        assert_checks(
            pytester.runpytest("--citecheck=refs.bib", "--citecheck-prior=0.3", *args, *live), 2, passed=10, failed=1
        )


@pytest.mark.exhaustive
@pytest.mark.parametrize("workers", [2, pytest.param(8, marks=pytest.mark.exhaustive)])
def test_workers_look_up_on_their_own(pytester: pytest.Pytester, workers: int) -> None:
    """Offline, the controller looks nothing up; the reports are the same to the byte."""
    build(pytester.path / "my.index", [RESNET, ADAM])
    adam = REFERENCES[REFERENCES.index("@misc") : REFERENCES.index("@article")]
    pytester.makefile(".bib", refs=REFERENCES + "".join(adam.replace("{adam", f"{{adam{n}") for n in range(8)))
    pytester.makeconftest(
        "from pytest_citecheck.lookup.index_source import IndexSource\n"
        "def pytest_sessionfinish(session):\n"
        "    looked_up = IndexSource.asked if hasattr(IndexSource, 'asked') else 0\n"
        "    print('controller' if not hasattr(session.config, 'workerinput') else 'worker', looked_up)\n"
        "def pytest_configure(config):\n"
        "    ask = IndexSource.ask\n"
        "    def counted(self, questions):\n"
        "        IndexSource.asked = getattr(IndexSource, 'asked', 0) + 1\n"
        "        return ask(self, questions)\n"
        "    IndexSource.ask = counted\n"
    )
    common = ("--citecheck=refs.bib", "--citecheck-index=my.index", "--citecheck-offline", "--citecheck-cache=off")
    pytester.runpytest_subprocess(*common, "--citecheck-json=0.json", "--junitxml=0.xml", "-n0")
    result = pytester.runpytest_subprocess(
        *common, f"--citecheck-json={workers}.json", "--junitxml=2.xml", f"-n{workers}", "-s"
    )
    result.stdout.fnmatch_lines(["*controller 0"])
    assert (pytester.path / "0.json").read_bytes() == (pytester.path / f"{workers}.json").read_bytes()
    one, two = ((pytester.path / f"{name}.xml").read_text().count("<property ") for name in (0, 2))
    assert one == two > 100


@pytest.mark.exhaustive
def test_a_file_that_is_no_index_is_a_usage_error(pytester: pytest.Pytester) -> None:
    pytester.makefile(".bib", refs=REFS)
    pytester.makefile(".index", wrong="no index")
    result = pytester.runpytest_subprocess(
        "--citecheck=refs.bib", "--citecheck-index=wrong.index", "--citecheck-offline", "-n2"
    )
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "wrong.index" in result.stderr.str() + result.stdout.str()
    assert "INTERNALERROR" not in result.stderr.str() + result.stdout.str()


@pytest.mark.exhaustive
def test_the_references_of_a_worker_that_crashes_go_to_others(pytester: pytest.Pytester) -> None:
    build(pytester.path / "my.index", [RESNET, ADAM])
    adam = REFERENCES[REFERENCES.index("@misc") : REFERENCES.index("@article")]
    pytester.makefile(".bib", refs="".join(adam.replace("{adam", f"{{adam{n}") for n in range(20)))
    pytester.makeconftest(
        "import os\n"
        "def pytest_runtest_setup(item):\n"
        "    if 'adam3[authors]' in item.nodeid and not os.path.exists('crashed'):\n"
        "        open('crashed', 'w').close()\n"
        "        os._exit(1)\n"
    )
    result = pytester.runpytest_subprocess(
        "--citecheck=refs.bib", "--citecheck-index=my.index", "--citecheck-offline", "--citecheck-cache=off", "-n2",
        "-m", "not duplicates",
    )  # fmt: skip
    outcomes = result.parseoutcomes()
    assert outcomes["passed"] + outcomes.get("skipped", 0) == len(CHECKS) * 20 - 1
    assert outcomes["failed"] == 1  # the reference that it was at
    result.stdout.fnmatch_lines(["*crashed while running*refs.bib::adam3*"])
