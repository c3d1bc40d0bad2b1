"""``citecheck claims sources``: open full texts, and what is refused, from a local server that plays all hosts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_citecheck.cli import main
from pytest_citecheck.model import Identifiers
from pytest_citecheck.models.claims import europe_pmc_id, full_text_urls
from tests.support.transport_support import Reply, reply, serving

SAID = "The lamp of the tower burned oil for many years, and the keepers wrote about it. " * 8
REFUSED = {
    "a paywall": "<p>Purchase access to continue reading this article. Already a subscriber? Log in.</p>"
    + "<p>x</p>" * 60,
    "a robot check": "<title>Just a moment...</title><p>Verify you are human. Ray ID: 1.</p>" + "<p>x</p>" * 60,
    "a cookie notice": "<p>We value your privacy. Our partners use cookies.</p><p>Accept all cookies</p>"
    + "<p>x</p>" * 60,
    "an error page": "<h1>Oops!</h1><p>The page you are looking for does not exist.</p>" + "<p>x</p>" * 60,
    "in German": "<p>" + "Die Lampe des Turms brannte mit dem Öl und es war für die Wärter nicht leicht. " * 8 + "</p>",
}
ENTRIES = {
    "html": "eprint={2401.00001}, archiveprefix={arXiv}",
    "pdf": "eprint={2401.00002}, archiveprefix={arXiv}",
    "europe": "doi={10.1234/open}",
    "pmc": "pmcid={PMC77}",
    "acl": "url={https://aclanthology.org/P19-1001/}",
    "doi": "doi={10.18653/v1/2021.acl-long.7}",
    "pmlr": "url={https://proceedings.mlr.press/v97/foo19a.html}",
    "old": "url={http://proceedings.mlr.press/v32/bar14.html}",
    "wall": "url={https://publisher.example/article}, abstract={Its own abstract.}",
}


KNOWN = (
    *("/", "/html/2401.00001", "/pdf/2401.00002", "P19-1001.pdf", "2021.acl-long.7.pdf"),
    *("v97/foo19a/foo19a.pdf", "v32/bar14.pdf"),
)


def served(path: str) -> Reply:
    """Bodies by the end of the path: Europe PMC finds one work, and a publisher has a paywall."""
    if "search?" in path:
        works = [{"pmcid": "PMC42"}] if "open" in path else []
        return reply(json.dumps({"resultList": {"result": works}}), content_type="application/json")
    if path.endswith("fullTextXML"):
        body = f"<abstract><p>{SAID}</p></abstract><body><p>{SAID}</p></body><back>Refs</back>"
        return reply(f"<article><article-meta/>{body}</article>", content_type="application/xml")
    if path.endswith(KNOWN):
        return reply(f"<article><p>{SAID}</p></article>", content_type="text/html")
    for name, page in REFUSED.items():
        if path.endswith(name.split()[-1]):
            return reply(f"<body>{page}</body>", content_type="text/html; charset=utf-8")
    return reply("", 404)


def fill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entries: dict[str, str], *options: str) -> list[str]:
    """Run the command; the paths that it requested."""
    monkeypatch.chdir(tmp_path)
    claims = (
        f"The lamp of the tower was fed with oil, and it burned for all of the night [@{key}]." for key in entries
    )
    Path("paper.md").write_text("\n\n".join(claims), encoding="utf-8")
    lines = (f"@misc{{{key}, title={{A title}}, {fields}}}\n" for key, fields in entries.items())
    Path("refs.bib").write_text("".join(lines), encoding="utf-8")
    names = ("page_text", "europe_pmc_ids")
    with serving(served) as server:
        mirrors = [f"--base-url={name}={server.url}" for name in names] + [f"--rate={name}=1000" for name in names]
        own = ["claims", "sources", "paper.md", "--bib=refs.bib", "--cache=off", *mirrors, *options]
        assert main(own) == 0
        return [path for path, _ in server.requests]


def test_open_full_texts_are_found_by_identifier(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(tmp_path, monkeypatch, ENTRIES)
    said = capsys.readouterr()
    assert "9 of 9 missing sources filled" in said.out
    texts = {file.name: file.read_text(encoding="utf-8") for file in Path("sources").iterdir()}
    assert set(texts) == {*(f"{key}.txt" for key in ENTRIES if key != "wall"), "wall.abstract.txt"}
    assert "Refs" not in texts["europe.txt"]
    assert texts["pmc.txt"].count("The lamp of the tower") == 16


def test_only_abstracts_on_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = fill(tmp_path, monkeypatch, {"html": f"{ENTRIES['html']}, abstract={{Its own.}}"}, "--abstracts-only")
    assert asked == []
    assert Path("sources/html.abstract.txt").is_file()


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", REFUSED, ids=lambda name: name.split()[-1])
def test_what_is_no_full_text_is_refused_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    fill(tmp_path, monkeypatch, {"key": f"url={{https://publisher.example/{name.split()[-1]}}}"}, "--urls")
    said = capsys.readouterr().err
    assert said.startswith("key: nothing: ")
    assert f"the source is {name}" in said
    assert not list(Path("sources").iterdir())


def test_addresses_have_known_hosts_only() -> None:
    hosts = {url.split("/")[2] for url in full_text_urls(Identifiers(
        arxiv="2401.1", pmcid="PMC1", doi="10.18653/v1/p19-1001", url="https://proceedings.mlr.press/v1/a09.html"
    ))}  # fmt: skip
    assert hosts == {"export.arxiv.org", "www.ebi.ac.uk", "aclanthology.org", "proceedings.mlr.press"}
    assert full_text_urls(Identifiers(url="https://elsewhere.example/proceedings.mlr.press.html", doi="10.1/x")) == ()
    assert [europe_pmc_id(text) for text in ("{", "{}", '{"resultList": {"result": [{"pmcid": "../x"}]}}')] == [""] * 3
