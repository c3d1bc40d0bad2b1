"""Settings that pytest accepts from an untrusted settings file."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from pytest_citecheck.plugin import TrustError, distrust, is_trusted, trust, trusted_folders
from tests.stand_ins.server import LocalServices

REFS = """@misc{adam, author = {Kingma, Diederik P. and Ba, Jimmy}, year = 2014,
  title = {Adam: A Method for Stochastic Optimization}}"""


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_folders_are_trusted_one_by_one_until_told_otherwise(tmp_path: Path) -> None:
    below = tmp_path / "below"
    below.mkdir()
    (tmp_path / "link").symlink_to(below)
    assert not is_trusted(below)
    assert trust(tmp_path / "link") == below
    trust(below)
    assert trusted_folders() == [below]
    assert is_trusted(below)
    assert not is_trusted(tmp_path)
    distrust(below)
    assert not is_trusted(below)
    with pytest.raises(TrustError, match="is not trusted"):
        distrust(below)


def test_a_folder_that_is_none_is_not_trusted(tmp_path: Path) -> None:
    with pytest.raises(TrustError, match="no such folder"):
        trust(tmp_path / "none")
    (tmp_path / "a\nb").mkdir()
    with pytest.raises(TrustError, match="control characters"):
        trust(tmp_path / "a\nb")


def test_the_list_is_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    trust(tmp_path)
    (path,) = [path for path in (tmp_path / "config").rglob("*") if path.is_file()]
    assert path.parent.stat().st_mode & 0o777 == 0o700
    path.write_bytes(b"\xff")
    with pytest.raises(TrustError, match="not in UTF-8"):
        is_trusted(tmp_path)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("setting", "said"),
    [
        (
            "citecheck_base_url = dblp_sparql=http://127.0.0.1:9",
            "citecheck_base_url in *tox.ini is ignored because its folder is not trusted",
        ),
        (
            "citecheck_rate = dblp_sparql=1000",
            "citecheck_rate in *tox.ini is ignored because its folder is not trusted",
        ),
        ("citecheck_cache = ../elsewhere", "citecheck_cache in *tox.ini points outside its folder"),
        (
            "citecheck_record = new\ncitecheck_cassettes = /elsewhere",
            "citecheck_cassettes in *tox.ini points outside its folder",
        ),
    ],
)
def test_settings_that_could_do_harm_need_a_trusted_folder(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, setting: str, said: str
) -> None:
    monkeypatch.delenv("CITECHECK_CACHE")
    pytester.makefile(".bib", refs=REFS)
    pytester.makeini(f"[pytest]\n{setting}\n")
    refused = pytester.runpytest("--citecheck=refs.bib", "--citecheck-plan")
    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    refused.stderr.fnmatch_lines([f"*{said}*"])
    trust(pytester.path)
    assert pytester.runpytest("--citecheck=refs.bib", "--citecheck-plan").ret == 0


@pytest.mark.exhaustive
@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_folders_inside_that_of_the_settings_file_need_no_trust(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, live: list[str]
) -> None:
    monkeypatch.delenv("CITECHECK_CACHE")
    pytester.makefile(".bib", refs=REFS)
    pytester.makeini("[pytest]\ncitecheck_cache = kept\n")
    pytester.runpytest("--citecheck=refs.bib", *live[1:])
    assert list((pytester.path / "kept").glob("answers-*.sqlite"))
    pytester.makeini("[pytest]\ncitecheck_cassettes = tapes\ncitecheck_record = new\n")
    pytester.runpytest("--citecheck=refs.bib", *live)
    assert list((pytester.path / "tapes").glob("*.json"))
    (pytester.path / "link").symlink_to(pytester.path.parent)
    pytester.makeini("[pytest]\ncitecheck_cache = link/kept\n")
    assert pytester.runpytest("--citecheck=refs.bib", "--citecheck-offline").ret == pytest.ExitCode.USAGE_ERROR


@pytest.mark.parametrize("trusting", [False, True])
def test_no_variable_but_that_of_the_service_is_read(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, live: list[str], trusting: bool
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "the-crown-jewels")
    pytester.makefile(".bib", refs=REFS)
    pytester.makeini("[pytest]\ncitecheck_api_key = semantic_scholar=${AWS_SECRET_ACCESS_KEY}\n")
    if trusting:
        trust(pytester.path)
    result = pytester.runpytest("--citecheck=refs.bib", *live)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["*semantic_scholar can be read from SEMANTIC_SCHOLAR_API_KEY only, not from AWS_SECRET*"]
    )
    assert "the-crown-jewels" not in result.stdout.str() + result.stderr.str()


@pytest.mark.exhaustive
def test_the_key_in_the_environment_goes_before_that_in_the_file(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, live: list[str], services: LocalServices
) -> None:
    pytester.makefile(".bib", refs=REFS)
    pytester.makeini("[pytest]\ncitecheck_api_key = semantic_scholar=of-the-file\n")
    pytester.runpytest("--citecheck=refs.bib", *live)
    monkeypatch.setenv("SEMANTIC_SCHOLAR_API_KEY", "of-the-user")
    pytester.runpytest("--citecheck=refs.bib", *live)
    keys = [request.headers.get("x-api-key") for request in services.requests if request.service == "semantic_scholar"]
    assert list(dict.fromkeys(keys)) == ["of-the-file", "of-the-user"]


def test_no_key_goes_to_a_server_that_a_file_names(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, services: LocalServices
) -> None:
    monkeypatch.setenv("SEMANTIC_SCHOLAR_API_KEY", "of-the-user")
    monkeypatch.setenv("OPENALEX_API_KEY", "of-the-user-too")
    pytester.makefile(".bib", refs=REFS)
    mirrors = "".join(f"\n  {name}={url}" for name, url in services.base_urls.items())
    pytester.makeini(f"[pytest]\ncitecheck_base_url ={mirrors}\n")
    trust(pytester.path)
    rates = [f"--citecheck-rate={name}=1000" for name in services.base_urls]
    pytester.runpytest("--citecheck=refs.bib", "--citecheck-json=r.json", "--citecheck-cache=off", *rates)
    assert json.loads(Path("r.json").read_text(encoding="utf-8"))["references"]
    assert [request for request in services.requests if request.service == "semantic_scholar"]
    for request in services.requests:
        assert "of-the-user" not in f"{request.headers} {request.path}"
