"""PyPI, CRAN, GitHub and Hugging Face: requests, records, answers that are refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_citecheck.model import Absent, Answer, Found, Person, Query, Record
from pytest_citecheck.sources import CRAN, GITHUB, HUGGING_FACE, PYPI, MalformedAnswerError, Response, Source

NUMPY, GGPLOT = Query("package", "pypi:scikit-learn"), Query("package", "cran:ggplot2")
REPOSITORY, MODEL = (Query("repository", "github.com/numpy/numpy"), Query("repository", "huggingface.co/models/gpt2"))
DATA = Query("repository", "huggingface.co/datasets/rajpurkar/squad")
BODIES: dict[str, dict[str, Any]] = {
    "pypi": {
        "info": {
            "name": "scikit_learn",
            "summary": "A set",
            "author": "",
            "author_email": '"Ada Quist" <a@b.c>, x@y.z',
        },
        "releases": {"0.9": [{"upload_time": "2011-01-01T00:00:00"}], "1.0": [{"upload_time": "2013-05-04"}], "2": []},
    },
    "cran": {
        "name": "ggplot2",
        "latest": "3.5.1",
        "timeline": {"0.5": "2007-06-10T00:00:00+00:00", "3.5.1": "2009-04-23T08:00:08+00:00"},
        "versions": {
            "0.5": {"Title": "An Old One", "Author": "Hadley Wickham"},
            "3.5.1": {
                "Title": "Create Elegant\n  Graphics",
                "Author": "Hadley Wickham [aut] (<https://orcid.org/0000-0003>, a (b) c),\n Winston Chang [aut, cre], "
                "Posit Software, PBC [cph, fnd]",
            },
        },
    },
    "github": {
        "name": "numpy",
        "full_name": "numpy/numpy",
        "owner": {"login": "numpy", "type": "Organization"},
        "description": "The fundamental package",
        "created_at": "2010-09-13T23:02:39Z",
        "pushed_at": "2012-01-01T00:00:00Z",
    },
    "hugging_face": {"id": "openai-community/gpt2", "createdAt": "2022-03-02T23:29:04.000Z", "lastModified": "2024"},
}
ASKED: dict[str, tuple[Source, Query]] = {
    "pypi": (PYPI, NUMPY),
    "cran": (CRAN, GGPLOT),
    "github": (GITHUB, REPOSITORY),
    "hugging_face": (HUGGING_FACE, MODEL),
}
DENIALS: dict[str, object] = {
    "pypi": {"message": "Not Found"},
    "cran": {"error": "not_found", "reason": "missing"},
    "github": {"message": "Not Found", "status": "404"},
    "hugging_face": {"error": "Repository not found"},
}


def ask(name: str, body: object, status: int = 200) -> Answer:
    source, query = ASKED[name]
    return source.parse([query], Response(status, json.dumps(body).encode()))[query]


def record(name: str, **changes: Any) -> Record:
    answer = ask(name, BODIES[name] | changes)
    assert isinstance(answer, Found)
    (found,) = answer.records
    assert found.type == "project"
    assert not found.authors_complete
    return found


def test_addresses() -> None:
    assert PYPI.request([NUMPY]).url == "https://pypi.org/pypi/scikit-learn/json"
    assert CRAN.request([GGPLOT]).url == "https://crandb.r-pkg.org/ggplot2/all"
    assert GITHUB.request([REPOSITORY]).url == "https://api.github.com/repos/numpy/numpy"
    assert HUGGING_FACE.request([MODEL]).url == "https://huggingface.co/api/models/gpt2"
    assert HUGGING_FACE.request([DATA]).url == "https://huggingface.co/api/datasets/rajpurkar/squad"


def test_a_project_of_pypi() -> None:
    found = record("pypi")
    assert (found.id, found.title, found.subtitle, found.years) == (
        "scikit-learn",
        "scikit_learn",
        "A set",
        (2011, 2012, 2013),
    )
    assert list(map(str, found.authors)) == ["Ada Quist"]
    info = {"name": "scikit-learn", "author": "Ada Quist and Bo Lind et al.", "maintainer": "Cy Day"}
    assert list(map(str, record("pypi", info=info).authors)) == ["Ada Quist", "Bo Lind", "Cy Day"]


def test_a_package_of_cran() -> None:
    found = record("cran")
    assert (found.title, found.subtitle, found.years) == ("ggplot2", "Create Elegant Graphics", (2007, 2008, 2009))
    assert list(map(str, found.authors)) == ["Hadley Wickham", "Winston Chang"]
    assert list(map(str, record("cran", latest="0.5").authors)) == ["Hadley Wickham"]


def test_a_repository_of_github() -> None:
    found = record("github")
    assert (found.id, found.years) == ("numpy/numpy", (2010, 2011, 2012))
    assert found.authors == (Person(literal="numpy", group=True),)
    moved = record("github", full_name="scipy/numpy", owner={"login": "scipy", "type": "User"})
    assert (moved.id, moved.authors) == ("scipy/numpy", (Person(literal="scipy"),))


def test_a_model() -> None:
    found = record("hugging_face", cardData={"pretty_name": "GPT 2"})
    assert (found.title, found.other_titles) == ("gpt2", ("openai-community/gpt2", "GPT 2"))
    assert found.years == (2022, 2023, 2024)


@pytest.mark.parametrize("name", ASKED)
def test_what_is_not_there(name: str) -> None:
    answer = ask(name, DENIALS[name], 404)
    assert isinstance(answer, Absent)
    assert bool(answer.scope) == (name != "hugging_face")
    with pytest.raises(MalformedAnswerError):
        ask(name, DENIALS[name])
    for body in ({"message": "API rate limit exceeded"}, {"error": "Invalid username or password."}):
        with pytest.raises(MalformedAnswerError):
            ask(name, body, 404)


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("pypi", {"info": {"name": "numpy"}}),
        ("pypi", {"info": []}),
        ("pypi", {"info": {"name": {"a": 1}}}),
        ("cran", {"name": "GGplot2"}),
        ("cran", {"versions": {}}),
        ("cran", {"versions": "1.0"}),
        ("github", {"full_name": "numpy"}),
        ("github", {"owner": None}),
        ("github", {"name": 1.5}),
        ("hugging_face", {"id": None}),
        ("hugging_face", {"id": "openai/"}),
    ],
)
def test_another_thing_is_no_answer(name: str, changes: dict[str, Any]) -> None:
    with pytest.raises(MalformedAnswerError):
        ask(name, BODIES[name] | changes)


@pytest.mark.parametrize("name", ASKED)
def test_fields_of_wrong_types_are_left_out(name: str) -> None:
    optional = (
        "releases",
        "timeline",
        "description",
        "created_at",
        "pushed_at",
        "createdAt",
        "lastModified",
        "cardData",
    )
    wrongs: tuple[Any, ...] = (None, 7, [], {"a": [1]}, "x" * 100)
    for wrong in wrongs:
        body = BODIES[name] | {field: wrong for field in optional if field in BODIES[name] or name == "hugging_face"}
        assert isinstance(ask(name, body), Found)
