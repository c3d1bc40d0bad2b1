"""A service added as documented: one file in ``sources/`` and one line in the registry."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_citecheck import sources
from pytest_citecheck.plugin import gathering
from pytest_citecheck.sources import registry
from tests.support.transport_support import Server, reply, serving

API = '''
"""zbMATH Open: works of mathematics by DOI and title (a toy of two kinds of questions)."""

import json
from urllib.parse import quote

from pytest_citecheck.model import Absent, Found, Person, Record
from pytest_citecheck.sources import Rate, Request, Role, Source, TitleSearch


class MathDb(Source):
    name = "mathdb"
    label = "zbMATH Open"
    base_url = "https://api.mathdb.org"
    documentation = "https://api.mathdb.org/v1/"
    batch = {"doi": 1, "title": 1}
    keeps_author_order = True
    rate = Rate(per_second=1.0, concurrency=1)
    limits = "none published"
    absence = "no evidence"
    first_hand = ("title", "authors", "year")
    ROLE

    def accepts(self, question):
        return question.kind in self.batch

    def request(self, questions):
        return Request(self.name, f"{self.base_url}/v1/document/_search?{questions[0].kind}={quote(questions[0].value)}")

    def parse(self, questions, response):
        found = tuple(
            Record(self.name, item["id"], title=item["title"], authors=(Person(literal=item["author"]),), years=(1999,))
            for item in json.loads(response.body)
        )
        return {question: Found(found) if found else Absent() for question in questions}


MATHDB = MathDb()
'''
TITLE = "An invented history of gradients in mathematics"
CITED = (
    f"@article{{a, author={{Ada Quillfeather}}, title={{{TITLE}}}, journal={{Acta}}, year=1999, doi={{10.9999/none}}}}"
)
ANSWER = json.dumps([{"id": "1", "title": TITLE, "author": "Ada Quillfeather"}])
ROLES = {
    "no role": "",
    "title search": 'role = Role(looks_up=("doi",), titles=(TitleSearch("single", 5),))',
    "mathematics only": 'role = Role(titles=(TitleSearch("single", 5, ("other",)),))',
}


@pytest.fixture
def _mathdb(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The module of the service among the others, and its line in the registry."""
    (tmp_path / "mathdb.py").write_text(
        API.replace("ROLE", ROLES[getattr(request, "param", "title search")]), encoding="utf-8"
    )
    monkeypatch.setattr(sources, "__path__", [*sources.__path__, str(tmp_path)])
    mathdb = importlib.import_module("pytest_citecheck.sources.mathdb").MATHDB
    extended = (*registry.SOURCES, mathdb)
    for module in (registry, gathering):
        monkeypatch.setattr(module, "SOURCES", extended)
    yield
    for name in [name for name in sys.modules if name.startswith("pytest_citecheck.sources.mathdb")]:
        del sys.modules[name]


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(lambda _: reply(ANSWER)) as server:
        yield server


@pytest.fixture
def options(pytester: pytest.Pytester, live: list[str], server: Server) -> list[str]:
    pytester.makefile(".bib", refs=CITED)
    asked = [option for option in live if not option.startswith("--citecheck-cache")]
    return ["--citecheck=refs.bib", "--citecheck-json=r.json", *asked, f"--citecheck-base-url=mathdb={server.url}"]


def written() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path("r.json").read_text(encoding="utf-8"))
    return found


def judged() -> list[Any]:
    """The findings and the verdict of each reference."""
    return [(reference["checks"], reference["verdict"]) for reference in written()["references"]]


def kinds() -> set[str]:
    """Return the kinds of queries that the service received, according to the report."""
    evidence = written()["references"][0]["evidence"]
    return {line["question"]["kind"] for line in evidence if line["source"] == "mathdb"}


@pytest.mark.exhaustive
@pytest.mark.parametrize("_mathdb", ROLES, indirect=True)
@pytest.mark.usefixtures("_mathdb")
def test_a_service_from_one_folder_and_one_line_is_asked(pytester: pytest.Pytester, options: list[str]) -> None:
    pytester.runpytest(*options, "--citecheck-cache=off")
    assert "title" in kinds()
    assert written()["references"][0]["checks"]["title"]["record"]["source"] == "mathdb"


@pytest.mark.exhaustive
@pytest.mark.usefixtures("_mathdb")
def test_it_is_replayed(pytester: pytest.Pytester, options: list[str], server: Server) -> None:
    pytester.runpytest(*options, "--citecheck-cassettes=tapes", "--citecheck-record=new")
    recorded, asked = judged(), len(server.requests)
    assert asked
    pytester.runpytest("--citecheck=refs.bib", "--citecheck-json=r.json", "--citecheck-cassettes=tapes")
    assert judged() == recorded
    assert len(server.requests) == asked


@pytest.mark.exhaustive
@pytest.mark.usefixtures("_mathdb")
def test_its_answers_are_kept_in_the_cache(pytester: pytest.Pytester, options: list[str], server: Server) -> None:
    pytester.runpytest(*options, "--citecheck-cache=kept")
    first, asked = judged(), len(server.requests)
    assert asked
    pytester.runpytest(*options, "--citecheck-cache=kept")
    assert judged() == first
    assert len(server.requests) == asked


@pytest.mark.exhaustive
@pytest.mark.usefixtures("_mathdb")
def test_a_recording_made_without_it_gives_the_findings_that_it_gave(
    pytester: pytest.Pytester, options: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    replay = ("--citecheck=refs.bib", "--citecheck-json=r.json", "--citecheck-cassettes=tapes")
    with monkeypatch.context() as before:
        before.setattr(gathering, "SOURCES", registry.SOURCES[:-1])
        pytester.runpytest(*options[:-1], "--citecheck-cassettes=tapes", "--citecheck-record=new")
        pytester.runpytest(*replay)
        expected = written()
    assert expected["notes"] == []
    result = pytester.runpytest(*replay)
    note = "not queried, because the cassettes contain no answer: zbMATH Open (record with --citecheck-record=new)"
    assert f"note: {note}" in result.stdout.str()
    # Apart from the note the report is the same, to the byte.
    assert json.dumps(written()) == json.dumps(expected | {"notes": [note]})


@pytest.mark.exhaustive
@pytest.mark.usefixtures("_mathdb")
def test_what_a_recording_with_it_lacks_is_not_recorded(pytester: pytest.Pytester, options: list[str]) -> None:
    pytester.runpytest(*options, "--citecheck-cassettes=tapes", "--citecheck-record=new")
    pytester.makefile(".bib", refs=CITED.replace("gradients", "integrals"))
    pytester.runpytest("--citecheck=refs.bib", "--citecheck-json=r.json", "--citecheck-cassettes=tapes")
    lines = [line for line in written()["references"][0]["evidence"] if line["source"] == "mathdb"]
    assert [line["reason"] for line in lines if line["question"]["kind"] == "title"] == ["not-recorded"]


def test_without_any_recording_everything_is_not_recorded(pytester: pytest.Pytester) -> None:
    pytester.makefile(".bib", refs=CITED)
    pytester.mkdir("tapes")
    pytester.runpytest("--citecheck=refs.bib", "--citecheck-json=r.json", "--citecheck-cassettes=tapes")
    assert written()["references"][0]["checks"]["title"]["message"].count("(not-recorded)") == 1
