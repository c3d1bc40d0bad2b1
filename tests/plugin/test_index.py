"""Checks answered by a local index: before any service, offline, with its age and its closed scopes."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_citecheck.cli import main
from pytest_citecheck.index import Agreement, Collection, ScopeError, build, read, read_scopes
from pytest_citecheck.model import Notice, Record
from tests.stand_ins.server import LocalServices
from tests.support.records import work

RESNET = work(
    "dblp", "conf/cvpr/HeZRS16", "Deep Residual Learning for Image Recognition",
    ("Kaiming He", "Xiangyu Zhang 0005", "Shaoqing Ren", "Jian Sun 0001"), 2016, "CVPR", doi="10.1109/cvpr.2016.90",
    type="inproceedings", dblp="conf/cvpr/HeZRS16",
)  # fmt: skip
ADAM = work(
    "arxiv", "1412.6980", "Adam: A Method for Stochastic Optimization", ("Diederik P. Kingma", "Jimmy Ba"), 2014, "arXiv",
    arxiv="1412.6980", type="preprint",
)  # fmt: skip
REFERENCES = """
@inproceedings{resnet, author = {Kaiming He and Xiangyu Zhang and Shaoqing Ren and Jian Sun},
  title = {Deep Residual Learning for Image Recognition}, booktitle = {CVPR}, year = {2016}, doi = {10.1109/CVPR.2016.90}}
@inproceedings{near, author = {Kaiming He and Xiangyu Zhang and Shaoqing Ren and Jian Sun},
  title = {Deep Recurrent Learning for Image Recognition}, booktitle = {CVPR}, year = {2016}, doi = {10.1109/CVPR.2016.90}}
@misc{adam, author = {Kingma, Diederik P. and Ba, Jimmy}, title = {Adam: A Method for Stochastic Optimization},
  year = {2014}, eprint = {1412.6980}, archiveprefix = {arXiv}}
@article{unknown, author = {Ada Quillfeather}, title = {A work that no index of ours holds}, journal = {Nature}, year = {2001}}
"""


def make(path: Path, entries: Iterable[Record] = (RESNET, ADAM), *, date: str = "") -> Path:
    build(path, entries, collections=[Collection("dblp", date=date)])
    return path


@pytest.fixture
def refs(pytester: pytest.Pytester) -> Path:
    make(pytester.path / "my.index")
    return pytester.makefile(".bib", refs=REFERENCES)


@pytest.mark.parametrize(
    "workers",
    [pytest.param((), id="one process"), pytest.param(("-n", "1"), id="a worker", marks=pytest.mark.exhaustive)],
)
def test_offline_it_answers_what_it_holds_and_fails_nothing_that_it_does_not(
    pytester: pytest.Pytester, refs: Path, workers: tuple[str, ...]
) -> None:
    result = pytester.runpytest(
        "--citecheck=refs.bib",
        "--citecheck-prior=0.3",
        "--citecheck-index=my.index",
        "--citecheck-offline",
        "--citecheck-json=r.json",
        *workers,
    )
    result.stdout.fnmatch_lines(["*near*title-near-miss*", "*index my.index: * look-ups*"])
    references = json.loads(Path("r.json").read_text(encoding="utf-8"))["references"]
    verdicts = {reference["key"]: reference["verdict"]["name"] for reference in references}
    assert verdicts == {
        "resnet": "verified", "near": "misdescribed", "adam": "verified", "unknown": "undecided",
    }  # fmt: skip
    assert {check["outcome"] for check in references[3]["checks"].values()} == {"passed", "unverifiable"}


@pytest.mark.exhaustive
def test_what_it_settles_is_never_asked_online(
    pytester: pytest.Pytester, refs: Path, services: LocalServices, live: list[str]
) -> None:
    pytester.runpytest("--citecheck=refs.bib", "--citecheck-index=my.index", "-k", "resnet", *live).assert_outcomes(
        passed=6
    )
    assert services.requests == []
    pytester.runpytest("--citecheck=refs.bib", "--citecheck-index=my.index", "-k", "unknown", *live)
    assert services.requests


@pytest.mark.exhaustive
def test_a_retracted_work_that_it_holds_is_warned_of(pytester: pytest.Pytester) -> None:
    retracted = replace(RESNET, notices=(Notice("retraction", "retraction-watch", "2024-05-06", "10.1109/notice"),))
    make(pytester.path / "my.index", [retracted])
    pytester.makefile(".bib", refs=REFERENCES)
    result = pytester.runpytest_subprocess(
        "--citecheck=refs.bib", "--citecheck-index=my.index", "--citecheck-offline", "-k", "resnet"
    )
    result.assert_outcomes(passed=6)
    result.stdout.fnmatch_lines(
        [
            "with a warning (1 reference):",
            "*resnet doi: the cited work has been retracted (2024-05-06, *[[]doi-retraction]",
        ]
    )


def test_a_notice_in_a_dump_reaches_the_warning(pytester: pytest.Pytester) -> None:
    work = {
        "DOI": "10.1109/cvpr.2016.90", "prefix": "10.1109", "type": "proceedings-article", "deposited": {},
        "title": ["Deep Residual Learning for Image Recognition"], "issued": {"date-parts": [[2016, 6]]},
        "author": [{"given": given, "family": family} for given, family in
                   (("Kaiming", "He"), ("Xiangyu", "Zhang"), ("Shaoqing", "Ren"), ("Jian", "Sun"))],
        "container-title": ["2016 IEEE Conference on Computer Vision and Pattern Recognition (CVPR)"],
        "updated-by": [{"type": "retraction", "DOI": "10.1109/notice", "updated": {"date-parts": [[2024, 5, 6]]}}],
    }  # fmt: skip
    (pytester.path / "crossref.jsonl").write_text(json.dumps(work), encoding="utf-8")
    build(pytester.path / "my.index", (item for item in read("crossref.jsonl") if isinstance(item, Record)))
    pytester.makefile(".bib", refs=REFERENCES)
    result = pytester.runpytest(
        "--citecheck=refs.bib", "--citecheck-index=my.index", "--citecheck-offline", "-k", "resnet"
    )
    result.stdout.fnmatch_lines(["*resnet doi: the cited work has been retracted (2024-05-06*"])


def test_the_plan_knows_the_index(pytester: pytest.Pytester, refs: Path) -> None:
    options = ("--citecheck=refs.bib", "--citecheck-index=my.index", "--citecheck-plan")
    result = pytester.runpytest(*options, "-k", "resnet")
    result.stdout.fnmatch_lines(["*nothing would be sent"])


def test_several_indexes_and_the_ini_file(pytester: pytest.Pytester, refs: Path) -> None:
    make(pytester.path / "one.index", [RESNET])
    make(pytester.path / "two.index", [ADAM])
    pytester.makeini("[pytest]\ncitecheck_index =\n    one.index\n    two.index\n")
    result = pytester.runpytest("--citecheck=refs.bib", "--citecheck-offline")
    result.stdout.fnmatch_lines(["*index one.index: *", "*index two.index: *"])
    assert result.parseoutcomes()["passed"] >= 10


@pytest.mark.exhaustive
def test_an_old_index_is_named(pytester: pytest.Pytester, refs: Path) -> None:
    make(pytester.path / "old.index", date="2020-01-01")
    options = ("--citecheck=refs.bib", "--citecheck-index=old.index", "--citecheck-offline")
    result = pytester.runpytest(*options)
    result.stdout.fnmatch_lines(["note: *old.index is of 2020-01-01: rebuild it*"])
    assert "is of 2020" not in pytester.runpytest(*options, "-o", "citecheck_index_max_age=100000").stdout.str()


@pytest.mark.sample(1)
@pytest.mark.parametrize("text", ["", "no index at all"])
def test_a_file_that_is_no_index_is_a_usage_error(pytester: pytest.Pytester, refs: Path, text: str) -> None:
    Path("wrong.index").write_text(text, encoding="utf-8")
    result = pytester.runpytest("--citecheck=refs.bib", "--citecheck-index=wrong.index")
    assert "wrong.index" in result.stdout.str() + result.stderr.str()
    assert "INTERNALERROR" not in result.stdout.str()
    assert pytester.runpytest("--citecheck=refs.bib", "--citecheck-index=none").ret == pytest.ExitCode.USAGE_ERROR


def volume(source: str, *, without: int = 0) -> list[Record]:
    """A volume, and the beginning of the next year's: the latest year of a venue is never taken as complete."""
    papers = [
        work(source, str(n), f"Paper number {n} about entirely ordinary gradients", (f"Ada Author{n}",), 2021, "ICML",
              type="inproceedings")
        for n in range(40 - without)
    ]  # fmt: skip
    return [*papers, replace(papers[0], id="next", title="Gradients of the year after", years=(2022,))]


INVENTED = """@inproceedings{a, author = {Ada Quillfeather and Tom Nightwhistle}, booktitle = {ICML}, year = {2021},
    title = {Spectral kernels for wholly imaginary learning problems}}"""


@pytest.mark.parametrize(("lacking", "fabricated"), [(0, True), (5, False)])
def test_absence_is_evidence_where_independent_collections_agree(
    pytester: pytest.Pytester, live: list[str], lacking: int, fabricated: bool
) -> None:
    agreement = Agreement()
    entries = agreement.watch([*volume("dblp"), *volume("papers", without=lacking)])
    build(pytester.path / "my.index", entries, scopes=agreement.scopes())
    pytester.makefile(".bib", refs=INVENTED)
    # DBLP and the publisher have complete lists of this venue as well: here the index alone is to be heard.
    result = pytester.runpytest(
        "--citecheck=refs.bib", "--citecheck-index=my.index", "-k", "title", *without_lists(pytester, live)
    )
    said = "*my.index is complete for icml 2021 (DBLP, papers: at most 0.56% of about 40 works missing)*"
    assert (result.parseoutcomes().get("failed") == 1) == fabricated
    if fabricated:
        result.stdout.fnmatch_lines([said])


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("own", "options", "outcome", "said"),
    [
        (
            14,
            (),
            "unverifiable",
            "is nearly complete for icml 2021 (DBLP, papers: at most 1.61% of about 150 works missing)",
        ),
        (14, ("--citecheck-prior=0.5",), "failed", "is nearly complete for icml 2021"),
        (40, (), "unverifiable", "has 200 works of icml 2021 (DBLP, papers)"),  # how many are missing?
    ],
)
def test_an_absence_from_nearly_all_works_of_a_venue_counts_as_much_as_few_are_missing(
    pytester: pytest.Pytester, own: int, options: tuple[str, ...], outcome: str, said: str
) -> None:
    agreement = Agreement()
    alone = [
        work(
            source,
            f"{source}{n}",
            f"Work {n} that only {source} knows",
            ("Eve One",),
            2021,
            "ICML",
            type="inproceedings",
        )
        for source in ("dblp", "papers")
        for n in range(own)
    ]
    both = [
        replace(one, id=f"{one.id}/{n}", title=f"{one.title}, part {n}")
        for n in range(3)
        for one in volume("dblp")[:40]
    ]
    entries = agreement.watch([*both, *(replace(one, source="papers") for one in both), *alone, *volume("dblp")[-1:]])
    build(pytester.path / "my.index", entries, volumes=agreement.volumes(), scopes=agreement.scopes())
    pytester.makefile(".bib", refs=INVENTED)
    pytester.runpytest(
        "--citecheck=refs.bib",
        "--citecheck-index=my.index",
        "--citecheck-offline",
        "--citecheck-json=report.json",
        *options,
    )
    finding = json.loads((pytester.path / "report.json").read_text())["references"][0]["checks"]["title"]
    assert (finding["code"], finding["outcome"]) == ("title-not-listed", outcome)
    assert f"my.index {said}" in finding["message"]


def without_lists(pytester: pytest.Pytester, live: list[str]) -> list[str]:
    pytester.makeconftest(
        "def pytest_citecheck_sources(config, sources):\n"
        "    sources[:] = [s for s in sources if 'dblp' not in s.name and 'author_search' not in s.batch]\n"
    )
    return [option for option in live if "=dblp" not in option]


def test_one_upstream_under_two_names_is_no_agreement() -> None:
    agreement = Agreement()
    assert len(list(agreement.watch([*volume("dblp-2024"), *volume("dblp-crawl")]))) == 82
    assert list(agreement.scopes()) == []


def test_the_latest_year_of_a_venue_is_not_complete_by_agreement() -> None:
    agreement = Agreement()
    both = [entry for entry in (*volume("dblp"), *volume("papers")) if entry.year == 2021]
    assert len(list(agreement.watch(both))) == 80
    assert list(agreement.scopes()) == []
    later = volume("dblp")[-1]
    assert list(agreement.watch([later])) == [later]
    assert [scope[1:3] for scope in agreement.scopes()] == [("icml", 2021)]


def test_an_index_that_turns_out_to_be_damaged_is_an_outage(pytester: pytest.Pytester) -> None:
    path = pytester.path / "my.index"
    build(path, volume("dblp"))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE blocks SET content = zeroblob(9)")
    title = volume("dblp")[0].title
    pytester.makefile(".bib", refs=INVENTED.replace("Spectral kernels for wholly imaginary learning problems", title))
    result = pytester.runpytest("--citecheck=refs.bib", "--citecheck-index=my.index", "--citecheck-offline", "-rs")
    assert result.parseoutcomes().get("failed") is None
    assert "INTERNALERROR" not in result.stdout.str() + result.stderr.str()
    result.stdout.fnmatch_lines(["*; 1 query unanswered: malformed (index my.index); details: -v"])


def test_declarations(tmp_path: Path) -> None:
    path = tmp_path / "scopes.yaml"
    path.write_text(
        "- {collection: dblp, venue: International Conference on Machine Learning, years: [2019, 2021-2023], why: counted}\n"
        "- {collection: dblp, venue: CVPR, years: 2022, complete: false, why: half of it}\n",
        encoding="utf-8",
    )
    assert read_scopes(path) == [
        *(("dblp", "icml", year, True, "counted") for year in (2019, 2021, 2022, 2023)),
        ("dblp", "cvpr", 2022, False, "half of it"),
    ]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{}", "a list of declarations is needed"),
        ("- 1", "item 1: a mapping is needed"),
        ("- {collection: a, venue: ICML, years: 2020}", "item 1: missing: why"),
        ("- {collection: a, venue: ICML, years: 2020, why: b, c: d}", "item 1: unknown: c"),
        ("- {collection: a, venue: ICML, years: soon, why: b}", "item 1: no year: 'soon'"),
        ("- {collection: a, venue: No Such Venue, years: 2020, why: b}", "no venue is known as 'No Such Venue'"),
        ("- [", "scopes.yaml"),
    ],
)
def test_wrong_declarations(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "scopes.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ScopeError, match=complaint):
        read_scopes(path)


OWN = """@inproceedings{near, author = {Kaiming He and Xiangyu Zhang and Shaoqing Ren and Jian Sun},
  title = {Deep Recurrent Learning for Image Recognition}, booktitle = {CVPR}, year = {2016}, doi = {10.1109/CVPR.2016.90}}
@article{unknown, author = {Ada Quillfeather}, title = {A work that no index of ours holds}, journal = {Nature}, year = {2001}}
"""


@pytest.mark.parametrize("workers", [(), pytest.param(("-n", "2"), marks=pytest.mark.exhaustive)])
def test_a_file_never_testifies_for_itself(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str], workers: tuple[str, ...]
) -> None:
    pytester.makefile(".bib", refs=OWN, mine=OWN)
    assert main(["index", "build", "own.index", "mine.bib"]) == 0
    built = capsys.readouterr()
    assert re.search("library-mine: 2 records, .*your own references: they help to find works", built.out)
    assert "this index holds only your own references" in built.err
    assert main(["index", "lookup", "own.index", "A work that no index of ours holds"]) == 0
    assert re.search(r"from library-mine.*\(your own references: no authority\)", capsys.readouterr().out)
    result = pytester.runpytest(
        "--citecheck=refs.bib", "--citecheck-index=own.index", "--citecheck-offline", "--citecheck-cache=off",
        "--citecheck-json=report.json", *workers,
    )  # fmt: skip
    report = json.loads((pytester.path / "report.json").read_text())
    assert [one["verdict"]["name"] for one in report["references"]] == ["undecided", "undecided"]
    result.stdout.fnmatch_lines(["note: *own.index contains only your own references, *"])


@pytest.mark.exhaustive
def test_it_is_no_witness_against_another(pytester: pytest.Pytester, refs: Path) -> None:
    del refs
    pytester.makefile(".bib", mine=OWN)
    assert main(["index", "add", "my.index", "mine.bib"]) == 0
    pytester.runpytest("--citecheck=refs.bib", "--citecheck-index=my.index", "--citecheck-offline", "--citecheck-cache=off",
                       "--citecheck-prior=0.3", "--citecheck-json=report.json")  # fmt: skip
    verdicts = {
        one["key"]: one["verdict"]["name"]
        for one in json.loads((pytester.path / "report.json").read_text())["references"]
    }
    assert verdicts["resnet"] == "verified"
    assert verdicts["near"] == "misdescribed"
    assert verdicts["unknown"] == "undecided"


def test_the_suggested_command_has_the_options_that_decide_the_answers(pytester: pytest.Pytester, refs: Path) -> None:
    pytester.makeini("[pytest]\ncitecheck_index = my.index\ncitecheck_profile = arena\n")
    result = pytester.runpytest(
        f"--citecheck={refs.name}",
        "--citecheck-offline",
        "--citecheck-policy=strict",
        "--citecheck-timeout=60",
        "--citecheck-prior=0.3",
    )
    (line,) = [line for line in result.outlines if line.startswith("corrections: ")]
    assert line.split()[1:] == [
        "citecheck", "fix", "--diff", "refs.bib", "--index=my.index", "--offline", "--profile=arena", "--prior=0.3",
        "--policy=strict",
    ]  # fmt: skip
