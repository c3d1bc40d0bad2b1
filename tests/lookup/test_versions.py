"""Versions of e-prints: the queried version, its cost, and its effect in a run."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pytest_citecheck.checks import evaluate
from pytest_citecheck.lookup import Gathered, gather
from pytest_citecheck.model import Found
from pytest_citecheck.net import TransportSettings
from pytest_citecheck.sources import SOURCES, Rate, source
from tests.stand_ins.facts import ArxivRecord, DblpRecord, Facts, Name, Work
from tests.stand_ins.server import LocalServices
from tests.support.evidence_builders import TODAY, entry, stated

FIRST = "Sparse gradients for the training of looms"
NOW = "Weaving with sparse gradients"
PEOPLE = (Name("Ada", "Quillfeather"), Name("Tom", "Nightwhistle"))
REFERENCE = """@misc{%s, author = {Ada Quillfeather and Tom Nightwhistle}, title = {%s}, year = {2021},
  eprint = {%s}, archiveprefix = {arXiv}}
"""


def eprint(identifier: str, version: int, title: str = NOW, first: str = FIRST) -> Work:
    """Return a work that only arXiv knows, with the titles of its first version and of all others."""
    earlier = (first,) if version > 1 else ()
    held = ArxivRecord(identifier, version, (2021, 1, 5), (2021, 6, 1), title, PEOPLE, "cs.LG", earlier_titles=earlier)
    return Work(id=identifier, title=title, type="posted-content", authors=PEOPLE, arxiv=held)


ONCE, TWICE, THRICE = eprint("2101.00001", 1), eprint("2101.00002", 2), eprint("2101.00003", 3)
FACTS = Facts((ONCE, TWICE, THRICE), {"10.48550": "DataCite"})


def ask(services: LocalServices, *cited: tuple[str, str]) -> Gathered:
    """Gather evidence for references with these titles and arXiv ids."""
    references = {str(number): entry(REFERENCE % (number, title, name)) for number, (title, name) in enumerate(cited)}
    return asyncio.run(gather(references, SOURCES, _settings(services), TODAY))


def _settings(services: LocalServices) -> TransportSettings:
    return TransportSettings(base_urls=services.base_urls, rates={one.name: Rate(1000, 4) for one in SOURCES})


def of_arxiv(gathered: Gathered, name: str = "0") -> list[str]:
    """Return the ids queried at arXiv, in order."""
    asked = gathered.evidence[name].asked
    return [one.query.value for one in asked if (one.source, one.query.kind) == ("arxiv", "arxiv")]


@pytest.fixture(scope="module")
def gathered() -> Gathered:
    with LocalServices(FACTS) as services:
        return ask(services, *((title, name) for title, name, _ in CASES))


PRINTED = Work(
    id="printed",
    title="Weaving with dense gradients in looms",
    type="proceedings-article",
    authors=PEOPLE,
    container="International Conference on Machine Learning",
    issued=(2021,),
    doi="10.1000/looms",
    agency="Crossref",
    dblp=(
        DblpRecord(
            "conf/icml/QuillfeatherN21", "2021", "Conference and Workshop Papers", "Weaving with dense gradients in looms",
            ("Ada Quillfeather", "Tom Nightwhistle"), ("ICML",), doi="10.1000/looms",
        ),
    ),
    arxiv=ArxivRecord(
        "2101.00004", 1, (2021, 1, 5), (2021, 1, 5), "Weaving with sparse gradients in looms", PEOPLE, "cs.LG",
    ),
)  # fmt: skip


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("word", "asked", "outcome"), [("sparse", True, "passed"), ("rough", True, "failed"), ("dense", False, "passed")]
)
def test_a_title_that_was_printed_otherwise_is_looked_for_among_preprints(word: str, asked: bool, outcome: str) -> None:
    """One word is another in the proceedings: an e-print of the work may have the cited one."""
    cited = entry(
        "@inproceedings{a, author = {Ada Quillfeather and Tom Nightwhistle}, "
        f"title = {{Weaving with {word} gradients in looms}}, "
        "booktitle = {International Conference on Machine Learning}, year = 2021, doi = {10.1000/looms}}"
    )
    with LocalServices(Facts((PRINTED,), {"10.1000": "Crossref"})) as services:
        gathered = asyncio.run(gather({"a": cited}, SOURCES, _settings(services), TODAY))
    titles = [one for one in gathered.evidence["a"].asked if (one.source, one.query.kind) == ("arxiv", "title")]
    assert bool(titles) is asked
    assert stated(evaluate(cited, gathered.evidence["a"], TODAY).findings["title"])[0] == outcome


CASES = [
    (FIRST, "2101.00002", ["2101.00002v1"]),
    (FIRST.replace("looms", "weavers"), "2101.00003", ["2101.00003v1"]),
    ("Nothing of this is in any title", "2101.00002", ["2101.00002v1"]),
    (FIRST, "2101.00003v2", ["2101.00003v2"]),
    (FIRST, "2101.00003v9", ["2101.00003v1"]),  # there is no such version
    (FIRST, "2101.00003v3", []),  # the cited version is the one that was seen
    (NOW, "2101.00003", []),
    (NOW.upper(), "2101.00003v1", []),
    (FIRST, "2101.00001", []),  # there is one version only
    (FIRST, "2101.00009", []),
]


@pytest.mark.exhaustive
@pytest.mark.parametrize("place", range(len(CASES)), ids=lambda place: " ".join(CASES[place][:2]))
def test_a_version_is_asked_for_where_the_latest_has_another_title(gathered: Gathered, place: int) -> None:
    _, name, versions = CASES[place]
    asked = of_arxiv(gathered, str(place))
    assert asked == [name.partition("v")[0], *versions]


def test_the_answer_is_that_version(gathered: Gathered) -> None:
    answers = {asked.query.value: asked.answer for asked in gathered.evidence["0"].asked}
    answer = answers["2101.00002v1"]
    assert isinstance(answer, Found)
    assert [(record.arxiv, record.version, record.title) for record in answer.records] == [("2101.00002", 1, FIRST)]


def test_a_preprint_that_is_found_by_a_similar_title_is_asked_for_its_first_version_too() -> None:
    dense = NOW.replace("sparse", "dense")
    people = "Ada Quillfeather and Tom Nightwhistle"
    cited = entry(f"@article{{a, author = {{{people}}}, title = {{{dense}}}, journal = {{arXiv}}, year = {{2021}}}}")
    renamed = eprint("2101.00002", 2, first=dense)
    with LocalServices(Facts((renamed,), {"10.48550": "DataCite"})) as services:
        gathered = asyncio.run(gather({"0": cited}, SOURCES, _settings(services), TODAY))
    assert of_arxiv(gathered)[-1] == "2101.00002v1"
    assert gathered.states["0"].evaluate_so_far().findings["title"].code == "title-ok"


def test_versions_share_a_request_and_cost_nothing_else() -> None:
    with LocalServices(FACTS) as services:
        gathered = ask(services, (FIRST, "2101.00002"), (FIRST, "2101.00003"), (NOW, "2101.00001"))
        lists = [request.path for request in services.requests if "id_list=" in request.path]
    assert len(lists) == 2
    asked = {(one.source, one.query.kind) for evidence in gathered.evidence.values() for one in evidence.asked}
    assert not [name for name, kind in asked if kind == "title" and source(name).batch[kind] == 1]
    assert all(f"{name}v1" in lists[1] for name in ("2101.00002", "2101.00003"))
    assert "2101.00001" not in lists[1]


@pytest.mark.exhaustive
def test_what_a_user_sees(pytester: pytest.Pytester) -> None:
    cited = {
        "first": (FIRST, "2101.00002"),
        "wrong": (FIRST.replace("training", "drawing"), "2101.00002"),
        "between": (FIRST.replace("training", "drawing"), "2101.00003"),
        "never": ("Looms without any sparse pattern", "2101.00002"),
    }
    text = "".join(REFERENCE % (key, *values) for key, values in cited.items())
    Path(pytester.path, "refs.bib").write_text(text, encoding="utf-8")
    with LocalServices(FACTS) as services:
        urls = services.base_urls
        options = [f"--citecheck-base-url={name}={url}" for name, url in urls.items()]
        options += [f"--citecheck-rate={name}=1000" for name in urls]
        result = pytester.runpytest(
            "--citecheck=refs.bib", "--citecheck-cache=off", "--citecheck-prior=0.3", "-rsf", *options
        )
    result.stdout.fnmatch_lines_random(
        [
            "refs.bib:* wrong title: * → *[[]title-near-miss[]]",
            "SKIPPED *refs.bib*title-version: *",
            "refs.bib:* never doi: *[[]arxiv-other-work[]]",
        ]
    )
    output = result.stdout.str()
    assert "refs.bib::first" not in output
    assert "refs.bib::between" not in [line.partition("[")[0].removeprefix("FAILED ") for line in result.outlines]
