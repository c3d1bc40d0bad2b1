"""Keys, the contact address and passwords of mirrors never appear in a run's output, logs or files."""

from __future__ import annotations

import base64
import html
import json
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.stand_ins.server import LocalServices

REFS = """@inproceedings{resnet, author = {Kaiming He and Xiangyu Zhang and Shaoqing Ren and Jian Sun},
  title = {Deep Residual Learning for Image Recognition}, booktitle = {CVPR}, year = {2016}, doi = {10.1109/CVPR.2016.90},
  pmid = {99999999}}
@article{none, author = {Ada Quillfeather}, title = {On a work that nobody has ever written}, journal = {Nowhere}, year = 2020}
"""
KEYS = {
    "OPENALEX_API_KEY": "open+alex/key=1",
    "SEMANTIC_SCHOLAR_API_KEY": "scholar key&2",
    "NCBI_API_KEY": "ncbi-key-33333",
}
SECRETS = (*KEYS.values(), "jane.doe@example.org", "pass#word/of:mirror")

# A source whose answers repeat what was sent, in every spelling, and whose reader fails in several ways.
CONFTEST = """
import base64, html, json, logging, os
from urllib.parse import quote
import pytest

logging.basicConfig(filename="all.txt", level=logging.DEBUG)

class Escape(BaseException):
    pass

def pytest_citecheck_sources(config, sources):
    source = next(source for source in sources if source.name == "pubmed")
    def parse(questions, response, whole=source.parse):
        kind = {KIND!r}
        if kind == "repeats":
            key, address = os.environ["NCBI_API_KEY"], os.environ["CITECHECK_CONTACT"]
            spelt = [key, address, quote(key, safe=""), json.dumps(key), html.escape(address),
                     "".join(f"\\\\u{{ord(c):04x}}" for c in key), base64.b64encode(f"x:{{key}}".encode()).decode()]
            raise ValueError(" ".join(spelt))
        if kind == "escapes":
            raise Escape("the reader is gone")
        return whole(questions, response)
    source.__dict__["parse"] = parse
"""


def spellings(secret: str) -> list[str]:
    found = [secret, quote(secret, safe=""), quote(secret), json.dumps(secret)[1:-1], html.escape(secret)]
    found.append("".join(f"\\u{ord(character):04x}" for character in secret))
    for before in range(3):
        encoded = base64.b64encode(b"x" * before + secret.encode()).decode()
        found.append(encoded[4 if before else 0 : len(encoded) - 4])
    return found


def around(spelt: str, octets: bytes) -> bytes:
    place = octets.lower().find(spelt.lower().encode())
    return octets[max(0, place - 100) : place + 100]


CACHE = ("--citecheck-cache=cache",)
CASSETTES = ("--citecheck-cassettes=tapes", "--citecheck-record=all")


# Recordings with keys are also looked through by tests/plugin/test_network.py.
@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("kind", "kept"),
    [
        pytest.param("", [CACHE], id="as stated, a cache"),
        *(
            pytest.param(kind, [CACHE, CASSETTES], marks=pytest.mark.exhaustive, id=kind or "as stated")
            for kind in ("", "repeats", "escapes")
        ),
    ],
)
def test_no_secret_is_told(
    kind: str,
    kept: list[tuple[str, ...]],
    pytester: pytest.Pytester,
    services: LocalServices,
    live: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    pytester.makefile(".bib", refs=REFS)
    pytester.makeconftest(CONFTEST.replace("{KIND!r}", repr(kind)).replace("{{", "{").replace("}}", "}"))
    monkeypatch.setenv("CITECHECK_CONTACT", "jane.doe@example.org")
    # The command line is the user's own, and pytest shows it; the environment is not.
    mirror = services.base_urls["crossref"].replace("//", f"//me:{quote('pass#word/of:mirror', safe='')}@")
    urls = {option.partition("=")[2] for option in live if option.startswith("--citecheck-base-url=crossref=")}
    urls |= {option.partition("=")[2] for option in live if "base-url" in option} - urls
    options = [option for option in live if option.startswith("--citecheck-rate")]
    given = [f"crossref={mirror}" if url.startswith("crossref=") else url for url in sorted(urls)]
    monkeypatch.setenv("CITECHECK_BASE_URL", " ".join(given))
    told: dict[str, bytes] = {}
    for written in kept:
        result = pytester.runpytest_subprocess(
            "--citecheck=refs.bib",
            *options,
            *written,
            "--showlocals",
            "--full-trace",
            "--log-level=debug",
            "--log-cli-level=debug",
            "-o",
            "log_cli=true",
            "--log-file=log.txt",
            "-rA",
            "--citecheck-json=r.json",
            "--citecheck-html=r.html",
            "--citecheck-markdown=r.md",
            "--junit-xml=j.xml",
        )
        told[f"output of {written}"] = (result.stdout.str() + result.stderr.str()).encode()
    assert any("ncbi-key-33333" in request.path for request in services.requests)
    assert (kind == "escapes") == (b"INTERNALERROR" in b"".join(told.values()))
    names = [
        path for path in Path().rglob("*") if path.is_file() and path.suffix not in (".bib", ".py", ".ini", ".pyc")
    ]
    assert {path.suffix for path in names} >= {".txt", ".sqlite"}
    told |= {str(path): path.read_bytes() for path in names}
    assert b"HTTP Request: GET" in told["all.txt"]
    assert [
        (spelt, name, around(spelt, octets))
        for spelt in {spelt for secret in SECRETS for spelt in spellings(secret)}
        for name, octets in told.items()
        if spelt.lower().encode() in octets.lower()
    ] == []
