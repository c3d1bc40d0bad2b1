"""User-visible effects of queries: the plan, the cache, the deadline, keys, dead pages, retracted works."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from pytest_citecheck.reports import FORMATS
from tests.stand_ins.server import LocalServices
from tests.support.outcomes import assert_checks

RESNET = """@inproceedings{resnet, author = {Kaiming He and Xiangyu Zhang and Shaoqing Ren and Jian Sun},
  title = {Deep Residual Learning for Image Recognition}, booktitle = {CVPR}, year = {2016}, doi = {10.1109/CVPR.2016.90}}
"""
RETRACTED = """@article{wakefield, author = {Wakefield, AJ and Murch, SH and Anthony, A and others},
  title = {Ileal-lymphoid-nodular hyperplasia, non-specific colitis, and pervasive developmental disorder in children},
  journal = {The Lancet}, year = {1998}, doi = {10.1016/S0140-6736(97)11096-0}%s}
"""
PAGE = "@online{page, author = {Ada Quillfeather}, title = {A page}, year = 2020, url = {https://example.org/%s}}\n"


def sources(result: pytest.RunResult) -> str:
    return "\n".join(line for line in result.outlines if re.match(r"  \S.*: \d+ ", line))


@pytest.fixture
def live(live: list[str]) -> list[str]:
    """The options of the other tests, with a cache."""
    return [option for option in live if not option.startswith("--citecheck-cache")]


@pytest.fixture
def refs(pytester: pytest.Pytester) -> Path:
    return pytester.makefile(".bib", refs=RESNET)


def test_the_plan_says_who_would_be_asked_and_sends_nothing(
    pytester: pytest.Pytester, refs: Path, services: LocalServices, live: list[str]
) -> None:
    result = pytester.runpytest("--citecheck=refs.bib", "--citecheck-plan", *live)
    assert result.ret == 0
    assert services.requests == []
    result.stdout.fnmatch_lines(
        [
            "*citecheck plan*",
            "source*query*at least*expected*at most",
            "Crossref*doi*1*1*1",
            "requests*1*",
            "*nothing was sent",
        ]
    )
    assert "PASSED" not in result.stdout.str()


def test_the_plan_says_what_searches_cost(pytester: pytest.Pytester, live: list[str]) -> None:
    thesis = (
        "@phdthesis{a, author = {Ada Quillfeather}, title = {An invented theory of absent gradients}, school = {MIT}}"
    )
    pytester.makefile(".bib", refs=thesis)
    result = pytester.runpytest("--citecheck=refs.bib", "--citecheck-plan", *live)
    result.stdout.fnmatch_lines(["OpenAlex*title*1*$0.0010 of $0.10 a day"])


@pytest.mark.exhaustive
def test_the_plan_knows_the_cache(pytester: pytest.Pytester, refs: Path, live: list[str]) -> None:
    pytester.runpytest("--citecheck=refs.bib", *live)
    result = pytester.runpytest("--citecheck=refs.bib", "--citecheck-plan", *live)
    result.stdout.fnmatch_lines(["1 reference: nothing would be sent"])


@pytest.mark.parametrize(
    "workers",
    [pytest.param((), id="one process"), pytest.param(("-n", "1"), id="a worker", marks=pytest.mark.exhaustive)],
)
def test_the_plan_counts_the_least_and_the_most(
    pytester: pytest.Pytester, live: list[str], services: LocalServices, workers: tuple[str, ...]
) -> None:
    pytester.makefile(".bib", refs=RESNET.replace("10.1109/CVPR.2016.90", "10.1109/nothing"))
    plan = pytester.runpytest("--citecheck=refs.bib", "--citecheck-plan", *live, *workers)
    numbers = re.search(r"^requests\s+(\d+)\s+\d+\s+(\d+)$", plan.stdout.str(), re.MULTILINE)
    assert numbers
    pytester.runpytest("--citecheck=refs.bib", *live)
    assert int(numbers[1]) <= len(services.requests) <= int(numbers[2])


@pytest.mark.exhaustive
def test_a_second_run_sends_nothing_and_says_the_same(
    pytester: pytest.Pytester, refs: Path, services: LocalServices, live: list[str]
) -> None:
    first = pytester.runpytest("--citecheck=refs.bib", "--citecheck-json=1.json", *live)
    sent = len(services.requests)
    second = pytester.runpytest("--citecheck=refs.bib", "--citecheck-json=2.json", *live)
    assert len(services.requests) == sent > 0
    assert second.parseoutcomes() == first.parseoutcomes()
    assert "from the cache" in sources(second)
    one, two = (json.loads(Path(name).read_text(encoding="utf-8"))["references"] for name in ("1.json", "2.json"))
    assert one == two


@pytest.mark.exhaustive
def test_refresh_asks_again(pytester: pytest.Pytester, refs: Path, services: LocalServices, live: list[str]) -> None:
    pytester.runpytest("--citecheck=refs.bib", *live)
    sent = len(services.requests)
    pytester.runpytest("--citecheck=refs.bib", "--citecheck-refresh", *live)
    assert len(services.requests) == 2 * sent


@pytest.mark.exhaustive
def test_the_cache_can_be_elsewhere_or_off(
    pytester: pytest.Pytester, refs: Path, services: LocalServices, live: list[str]
) -> None:
    pytester.runpytest("--citecheck=refs.bib", "--citecheck-cache=here", *live)
    assert list(Path("here").glob("*.sqlite"))
    sent = len(services.requests)
    result = pytester.runpytest("--citecheck=refs.bib", "--citecheck-cache=off", *live)
    result.stdout.fnmatch_lines(["citecheck: *no cache"])
    assert len(services.requests) == 2 * sent


@pytest.mark.exhaustive
def test_an_outage_is_not_kept(pytester: pytest.Pytester, refs: Path, services: LocalServices, live: list[str]) -> None:
    services.fault("crossref", "503")
    assert "unanswered" in sources(pytester.runpytest("-v", "--citecheck=refs.bib", *live))
    services.heal("crossref")
    before = len(services.requests)
    assert "unanswered" not in sources(pytester.runpytest("-v", "--citecheck=refs.bib", *live))
    assert {request.service for request in services.requests[before:]} >= {"crossref"}


@pytest.mark.exhaustive
def test_what_is_cached_is_known_offline(pytester: pytest.Pytester, refs: Path, live: list[str]) -> None:
    pytester.runpytest("--citecheck=refs.bib", *live)
    assert_checks(pytester.runpytest("--citecheck=refs.bib", "--citecheck-offline", *live), passed=6)


def test_a_cache_that_cannot_be_used_is_named_and_harms_nothing(
    pytester: pytest.Pytester, refs: Path, live: list[str]
) -> None:
    Path("file").write_text("no folder", encoding="utf-8")
    result = pytester.runpytest("--citecheck=refs.bib", "--citecheck-cache=file", *live)
    assert_checks(result, passed=6)
    result.stdout.fnmatch_lines(["note: *file*"])


@pytest.mark.exhaustive
def test_the_time_for_asking_is_bounded(
    pytester: pytest.Pytester, refs: Path, services: LocalServices, live: list[str]
) -> None:
    services.fault("crossref", "timeout")
    result = pytester.runpytest("-v", "--citecheck=refs.bib", "--citecheck-timeout=0.5", "-rs", *live)
    assert result.parseoutcomes().get("failed") is None
    assert result.duration < 10
    assert re.search(
        r"Crossref: 1 request, \d quer(y|ies) unanswered \(timed out after 0\.5 s \(--citecheck-timeout\)\)",
        sources(result),
    )
    assert "deadline" in result.stdout.str()


@pytest.mark.parametrize(
    ("option", "complaint"),
    [
        ("--citecheck-timeout=soon", "*is a number of seconds, more than 0, not 'soon'*"),
        ("--citecheck-timeout=0", "*is a number of seconds*"),
    ],
)
def test_impossible_values(pytester: pytest.Pytester, refs: Path, option: str, complaint: str) -> None:
    result = pytester.runpytest("--citecheck=refs.bib", option)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([complaint])


@pytest.mark.exhaustive
def test_keys_and_contact_go_out_in_the_form_of_each_service_and_nowhere_else(
    pytester: pytest.Pytester, services: LocalServices, live: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = {
        "OPENALEX_API_KEY": "open-secret",
        "SEMANTIC_SCHOLAR_API_KEY": "scholar-secret",
        "NCBI_API_KEY": "ncbi-secret",
    }
    for name, value in secrets.items():
        monkeypatch.setenv(name, value)
    thesis = "@phdthesis{t, title = {An invented thesis of no school}}"
    pytester.makefile(".bib", refs=RESNET.replace("}}\n", "}, pmid = {99999999}}\n") + thesis)
    options = ["--citecheck=refs.bib", "--citecheck-contact=me@example.org", *live]
    result = pytester.runpytest(*options, "--citecheck-json=r.json", "--citecheck-cache=cache", "--junit-xml=j.xml")
    by_service = {request.service: request for request in services.requests}
    assert by_service["semantic_scholar"].headers["x-api-key"] == "scholar-secret"
    pubmed = parse_qs(urlsplit(by_service["pubmed"].path).query)
    assert pubmed["api_key"] == ["ncbi-secret"]
    assert pubmed["email"] == ["me@example.org"]
    assert parse_qs(urlsplit(by_service["openalex"].path).query)["api_key"] == ["open-secret"]
    assert "mailto:me@example.org" in by_service["crossref"].headers["user-agent"]
    recorded = pytester.runpytest(*options, "--citecheck-cassettes=tapes", "--citecheck-record=all")
    for service, request in by_service.items():
        assert (request.headers.get("x-api-key") is not None) == (service == "semantic_scholar")
    written = [path.read_bytes() for path in Path().rglob("*") if path.is_file() and path.suffix != ".bib"]
    assert len(written) > 6
    output = (result.stdout.str() + result.stderr.str() + recorded.stdout.str()).encode()
    for secret in (*secrets.values(), "me@example.org"):
        assert not [text for text in (*written, output) if secret.encode() in text]


def test_a_key_for_nobody_is_an_error(pytester: pytest.Pytester, refs: Path) -> None:
    pytester.makeini("[pytest]\ncitecheck_api_key = nobody=secret-of-mine\n")
    result = pytester.runpytest("--citecheck=refs.bib")
    assert "unknown source 'nobody'" in result.stdout.str() + result.stderr.str()
    assert "secret-of-mine" not in result.stdout.str() + result.stderr.str()


@pytest.mark.parametrize(
    "workers",
    [pytest.param((), id="one process"), pytest.param(("-n", "1"), id="a worker", marks=pytest.mark.exhaustive)],
)
def test_a_retracted_work_is_warned_of(pytester: pytest.Pytester, live: list[str], workers: tuple[str, ...]) -> None:
    pytester.makefile(".bib", refs=RETRACTED % "")
    result = pytester.runpytest("--citecheck=refs.bib", "--citecheck-json=r.json", *live, *workers)
    assert result.parseoutcomes().get("failed") is None
    result.stdout.fnmatch_lines(["*wakefield doi: the cited work has been retracted (2010*[[]doi-retraction]"])
    (reference,) = json.loads(Path("r.json").read_text(encoding="utf-8"))["references"]
    assert reference["notices"][0]["kind"] == "retraction"
    assert reference["verdict"]["name"] == "verified"


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", sorted(FORMATS))
def test_a_retracted_work_is_in_every_report(name: str, pytester: pytest.Pytester, live: list[str]) -> None:
    pytester.makefile(".bib", refs=RETRACTED % "")
    result = pytester.runpytest("--citecheck=refs.bib", f"--citecheck-format={name}=out", *live)
    assert "failed" not in result.parseoutcomes()
    said = Path("out").read_text("utf-8")
    assert "retract" in said
    assert name == "json" or ("doi-retraction" in said and "2010" in said)


def test_a_project_may_refuse_retracted_works(pytester: pytest.Pytester, live: list[str]) -> None:
    pytester.makefile(".bib", refs=RETRACTED % "")
    pytester.makefile(".toml", ours='[codes]\ndoi-retraction = "error"\n')
    result = pytester.runpytest("--citecheck=refs.bib", "--citecheck-policy=ours.toml", *live)
    assert result.parseoutcomes()["failed"] == 1
    result.stdout.fnmatch_lines(["*doi-retraction*"])


def test_a_citation_that_says_so_is_not_warned_of(pytester: pytest.Pytester, live: list[str]) -> None:
    pytester.makefile(".bib", refs=RETRACTED % ", note = {Retracted in 2010}")
    result = pytester.runpytest("--citecheck=refs.bib", *live)
    assert "retract" not in result.stdout.str()


@pytest.mark.exhaustive
def test_pages_are_asked_only_on_request(pytester: pytest.Pytester, services: LocalServices, live: list[str]) -> None:
    pytester.makefile(".bib", refs=PAGE % "gone" + (PAGE % "there").replace("{page,", "{there,"))
    pytester.runpytest("--citecheck=refs.bib", *live)
    assert not [request for request in services.requests if request.service == "web_page"]
    result = pytester.runpytest("--citecheck=refs.bib", "--citecheck-urls", *live)
    pages = [request.path for request in services.requests if request.service == "web_page"]
    assert sorted(pages) == ["/example.org/", *["/example.org/gone"] * 3, "/example.org/there"]
    assert result.parseoutcomes()["failed"] == 1
    result.stdout.fnmatch_lines(["*https://example.org/gone does not exist: example.org answers 404*url-gone*"])
