"""Number of requests for a bibliography, counted by the local services."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from urllib.parse import unquote_plus

import pytest

from tests.stand_ins.generated import World, generated_world
from tests.stand_ins.server import LocalServices, LoggedRequest

REFERENCES = 1000


@pytest.fixture(scope="module")
def world() -> World:
    return generated_world(REFERENCES)


@pytest.fixture
def generated(world: World) -> Iterator[LocalServices]:
    with LocalServices(world.facts) as services:
        yield services


def options(services: LocalServices) -> list[str]:
    urls = services.base_urls
    return [
        *(f"--citecheck-base-url={name}={url}" for name, url in urls.items()),
        *(f"--citecheck-rate={name}=5000" for name in urls),
        "-q",
        "--tb=no",
        "-rN",
        "-s",
        "-p",
        "no:logging",
    ]


def text(request: LoggedRequest) -> str:
    return unquote_plus(request.path) + request.body.decode()


def concerned(request: LoggedRequest, entry: str) -> bool:
    """Return True if a request includes this entry: by its DOI, its title or its first author."""
    doi = re.search(r"doi = {(.*?)}", entry)
    words = re.search(r"title = {(.*?)}", entry)
    family = re.search(r"author = {(\w+),", entry)
    assert words
    assert family
    asked = text(request).lower()
    title = [word for word in words[1].lower().split() if word in asked]
    return (
        (doi is not None and re.search(rf"{re.escape(doi[1])}(?!\d)", asked) is not None)
        or len(title) >= 3
        or family[1].lower() in asked
    )


def alone(request: LoggedRequest) -> bool:
    """Return True if a request is for a single reference."""
    asked = text(request)
    together = asked.count('" | "') + asked.count(" OR ") + asked.count(",doi:") + asked.count('", "')
    return not together and "&year:" not in asked


@pytest.mark.exhaustive
def test_a_bibliography_of_a_thousand(pytester: pytest.Pytester, world: World, generated: LocalServices) -> None:
    pytester.path.joinpath("refs.bib").write_text(world.bibliography, encoding="utf-8")
    result = pytester.runpytest("--citecheck=refs.bib", *options(generated))
    cold = list(generated.requests)
    print(dict(Counter(request.service for request in cold)), f"{len(cold) / REFERENCES:.3f} a reference")
    # What is denied is asked again, most of it after a witness; of the references, a twentieth is invented.
    repeated = sum(times - 1 for times in Counter(map(text, cold)).values()) + sum(
        "/doiRA/" in text(one) for one in cold
    )
    assert len(cold) - repeated <= 0.45 * REFERENCES
    assert repeated <= 6 * len(world.invented)
    failed = result.parseoutcomes().get("failed", 0)
    assert failed <= 2 * len(world.invented)

    entries = re.split(r"\n(?=@)", world.bibliography)
    for entry in entries:
        key = re.match(r"@\w+{(\w+),", entry)
        assert key
        if key[1] in world.invented:
            own = [text(request) for request in cold if concerned(request, entry) and alone(request)]
            assert len({asked for asked in own if "/doiRA/" not in asked}) <= 6, own
            assert len(own) <= 6 + 3, own

    # One check of each reference will do: all six need the same answers.
    again = pytester.runpytest("--citecheck=refs.bib", "-k", "title]", *options(generated))
    assert sum(again.parseoutcomes().get(name, 0) for name in ("passed", "failed", "skipped")) == REFERENCES
    assert len(generated.requests) == len(cold)


@pytest.mark.exhaustive
def test_one_by_one_it_takes_many_times_as_many(pytester: pytest.Pytester) -> None:
    """A tenth of such a bibliography by sources that take one question a request."""
    world = generated_world(REFERENCES // 10)
    pytester.path.joinpath("refs.bib").write_text(world.bibliography, encoding="utf-8")
    pytester.makeconftest(
        """
        import copy
        def pytest_citecheck_sources(config, sources):
            for position, source in enumerate(sources):
                single = copy.copy(source)
                single.batch = {kind: 1 for kind in source.batch}
                sources[position] = single
        """
    )
    with LocalServices(world.facts) as services:
        pytester.runpytest("--citecheck=refs.bib", *options(services))
        count = len(services.requests)
    print(f"one by one: {count / len(world.bibliography.split(chr(10) + '@')):.3f} a reference")
    assert count > 0.9 * REFERENCES / 10
