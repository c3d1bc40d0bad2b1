"""Settings that the citecheck command reads from a project, and the choice of the file."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pytest_citecheck.cli import SettingsFileError, find_settings, read_settings
from pytest_citecheck.plugin import OPTIONS

COMMAND = Path(sys.executable).parent / "citecheck"
BY_NAME = {option.ini: option for option in OPTIONS if option.ini}
REFS = "@misc{a, title = {T}, year = 2000}"


def texts(path: Path) -> dict[str, tuple[str, ...]]:
    return {option.ini: values for option, values in read_settings(path).values.items()}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pytest.ini", "[pytest]\ncitecheck_strict = yes\ncitecheck_ignore =\n  a title known\n  b * known too\n"),
        ("tox.ini", "[pytest]\ncitecheck_strict = true\ncitecheck_ignore =\n  a title known\n  b * known too\n"),
        ("setup.cfg", "[tool:pytest]\ncitecheck_strict = 1\ncitecheck_ignore =\n  a title known\n  b * known too\n"),
        ("pytest.toml", "[pytest]\ncitecheck_strict = true\ncitecheck_ignore = ['a title known', 'b * known too']\n"),
        (
            "pyproject.toml",
            "[tool.pytest.ini_options]\ncitecheck_strict = true\ncitecheck_ignore = '''\na title known\nb * known too'''\n",
        ),
        (
            "pyproject.toml",
            "[tool.pytest]\ncitecheck_strict = true\ncitecheck_ignore = ['a title known', 'b * known too']\n",
        ),
        ("mine.ini", "[pytest]\ncitecheck_strict = on\ncitecheck_ignore =\n  a title known\n  b * known too\n"),
        ("mine.toml", "[pytest]\ncitecheck_strict = true\ncitecheck_ignore = ['a title known', 'b * known too']\n"),
    ],
)
def test_each_kind_of_settings_file_is_read(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert texts(tmp_path / name) == {
        "citecheck_strict": ("true",),
        "citecheck_ignore": ("a title known", "b * known too"),
    }


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    path = tmp_path / "pytest.ini"
    path.write_text(
        "[pytest]\ncitecheck_cassettes = evidence\ncitecheck_index =\n  one.index\n  /two.index\n"
        "citecheck_policy = rules/mine.toml\ncitecheck_cache = off\n"
    )
    assert texts(path) == {
        "citecheck_cassettes": (str(tmp_path / "evidence"),),
        "citecheck_index": (str(tmp_path / "one.index"), "/two.index"),
        "citecheck_policy": (str(tmp_path / "rules/mine.toml"),),
        "citecheck_cache": ("off",),
    }
    path.write_text("[pytest]\ncitecheck_policy = strict\n")
    assert texts(path) == {"citecheck_policy": ("strict",)}


def test_neither_servers_nor_keys_nor_anything_of_pytest_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "pytest.ini"
    path.write_text(
        "[pytest]\naddopts = -p evil\npythonpath = .\ncitecheck_api_key = openalex=k\ncitecheck_base_url = dblp=http://x.example\n"
    )
    settings = read_settings(path)
    assert not settings.values
    assert settings.refused == ("citecheck_api_key", "citecheck_base_url")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("pytest.toml", b"[pytest", "Expected ']'"),
        ("pytest.ini", b"no section\n", "pytest.ini:1"),
        ("pytest.ini", b"[pytest]\ncitecheck_strict = \xff\n", "not UTF-8 (byte 29)"),
        (
            "pytest.toml",
            b"[pytest]\ncitecheck_strict = [true, false]\n",
            "citecheck_strict has a value of the wrong type",
        ),
        ("pytest.toml", b"[pytest]\ncitecheck_ignore = [{a = 1}]\n", "citecheck_ignore has a value of the wrong type"),
        (
            "pytest.ini",
            b"[pytest]\ncitecheck_strict = perhaps\n",
            "citecheck_strict must be true or false, not 'perhaps'",
        ),
        ("pytest.ini", b"#" * 1_000_001, "larger than 1,000,000 bytes"),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SettingsFileError) as error:
        read_settings(tmp_path / name)
    assert name in str(error.value)
    assert said in str(error.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SettingsFileError, match="No such file"):
        read_settings(tmp_path / "none.ini")


def test_the_nearest_file_with_such_settings_in_the_repository_counts(tmp_path: Path) -> None:
    paper = tmp_path / "repository" / "paper"
    paper.mkdir(parents=True)
    (tmp_path / "repository" / ".git").mkdir()
    (tmp_path / "pytest.ini").write_text("[pytest]\ncitecheck_strict = true\n")
    assert find_settings(paper) is None
    (tmp_path / "repository" / "pyproject.toml").write_text("[tool.pytest]\ncitecheck_strict = true\n")
    (paper / "pytest.ini").write_text("[pytest]\naddopts = -x\n")
    found = find_settings(paper)
    assert found is not None
    assert found.path == tmp_path / "repository" / "pyproject.toml"


def test_arguments_leave_out_what_was_typed_or_stands_in_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "pytest.ini"
    path.write_text(
        "[pytest]\ncitecheck_strict = true\ncitecheck_offline = false\ncitecheck_profile = arena\n"
        "citecheck_contact = a@b.example\ncitecheck_ignore =\n  a title x\n  b title y\n"
    )
    monkeypatch.setenv("CITECHECK_PROFILE", "default")
    arguments = list(read_settings(path).arguments(frozenset({"citecheck_contact"})))
    assert arguments == ["--citecheck-strict", "-o", "citecheck_ignore=a title x\nb title y"]


@pytest.mark.exhaustive
def test_settings_need_to_be_named_or_trusted(pytester: pytest.Pytester) -> None:
    pytester.makefile(".bib", refs=REFS)
    pytester.makeini("[pytest]\ncitecheck_strict = true\ncitecheck_base_url = dblp=http://127.0.0.1:9\n")
    untrusted = pytester.run(COMMAND, "check", "--offline", "refs.bib")
    assert untrusted.ret == 3
    untrusted.stderr.fnmatch_lines(["*ignoring the settings in *tox.ini: its folder is not trusted*--config*"])
    named = pytester.run(COMMAND, "check", "--offline", "--config=tox.ini", "refs.bib")
    assert named.ret == 1
    named.stderr.fnmatch_lines(["*ignoring citecheck_base_url in tox.ini*"])
    assert pytester.run(COMMAND, "trust", ".").outlines == [f"trusted: {pytester.path}"]
    assert pytester.run(COMMAND, "check", "--offline", "refs.bib").ret == 1
    assert pytester.run(COMMAND, "trust", "--list").outlines == [str(pytester.path)]
    assert pytester.run(COMMAND, "trust", ".", "--remove").ret == 0
    assert pytester.run(COMMAND, "check", "--offline", "refs.bib").ret == 3


@pytest.mark.exhaustive
def test_a_broken_file_of_the_project_only_gives_a_note(pytester: pytest.Pytester) -> None:
    pytester.makefile(".bib", refs=REFS)
    (pytester.path / "pyproject.toml").write_text("[")
    result = pytester.run(COMMAND, "check", "--offline", "refs.bib")
    assert result.ret == 3
    result.stderr.fnmatch_lines(["*ignoring the project's settings: *pyproject.toml: *"])
    named = pytester.run(COMMAND, "check", "--offline", "--config=pyproject.toml", "refs.bib")
    assert named.ret == 2
