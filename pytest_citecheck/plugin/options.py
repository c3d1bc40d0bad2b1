"""The table of options for pytest and the command line, and the bibliographies that ``--citecheck`` names."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from pytest_citecheck.plugin.features import Option, all_features

if TYPE_CHECKING:
    from pytest_citecheck.inputs import Reader

_ENDINGS = (
    *(".bib", ".bibtex", ".biblatex", ".bbl", ".aux", ".bcf", ".tex", ".ltx", ".ris", ".nbib", ".csljson"),
    *(".pdf", ".docx", ".docm", ".odt"),
)  # fmt: skip

_PROJECT = (".py", ".pyi", ".pyx", ".rst", ".ipynb", ".cff")

_OPTIONS: tuple[Option, ...] = (
    Option(
        "citecheck_index", "lines",
        "Query this local index before any service (repeatable; built with `citecheck index build`)",
        "--citecheck-index", "citecheck_index", "CITECHECK_INDEX", "PATH", is_path=True,
    ),
    Option(
        "citecheck_index_max_age", "text", "Warn about an index that is older than this many days (default: 90)",
        "", "citecheck_index_max_age",
    ),
    Option(
        "citecheck_cassettes", "text", "Folder of recorded answers (cassettes) to replay or to record into",
        "--citecheck-cassettes", "citecheck_cassettes", "CITECHECK_CASSETTES", "DIR", is_path=True,
    ),
    Option(
        "citecheck_record", "text",
        "Recording mode: none = replay only (default); new = record missing answers; all = record every answer "
        "again; exact = like new, and delete unused answers",
        "--citecheck-record", "citecheck_record", "CITECHECK_RECORD", None, ("none", "new", "all", "exact"),
    ),
    Option(
        "citecheck_max_age", "text",
        "Maximum age of recorded answers in days for `citecheck record` and the hook (default: unlimited)",
        "", "citecheck_max_age",
    ),
    Option(
        "citecheck_offline", "flag", "Send no requests: a check that index, cache and cassettes cannot answer is unverifiable",
        "--citecheck-offline", "citecheck_offline", "CITECHECK_OFFLINE",
    ),
    Option(
        "citecheck_cache", "text",
        "Folder of the answer cache and the request rates that runs share (default: the user's cache folder); off = no cache. "
        "Not used with cassettes",
        "--citecheck-cache", "citecheck_cache", "CITECHECK_CACHE", "DIR|off", is_path=True,
    ),
    Option(
        "citecheck_refresh", "flag", "Ignore cached answers and query the services again",
        "--citecheck-refresh", "", "CITECHECK_REFRESH",
    ),
    Option(
        "citecheck_timeout", "text",
        "Seconds for all queries together; a check without an answer by then is unverifiable (default: no limit)",
        "--citecheck-timeout", "citecheck_timeout", "CITECHECK_TIMEOUT", "SECONDS",
    ),
    Option(
        "citecheck_plan", "flag", "Print the number of requests to each service, without sending any or running checks",
        "--citecheck-plan",
    ),
    Option(
        "citecheck_urls", "flag", "Request each cited web page (404 and 410 fail completeness)",
        "--citecheck-urls", "citecheck_urls", "CITECHECK_URLS",
    ),
    Option(
        "citecheck_sources", "lines",
        "Query only these sources, separated by commas: crossref,dblp (names in docs/sources.md; local indexes are always used)",
        "--citecheck-sources", "citecheck_sources", "CITECHECK_SOURCES", "NAMES",
    ),
    Option(
        "citecheck_exclude", "lines", "Do not query these sources, separated by commas",
        "--citecheck-exclude", "citecheck_exclude", "CITECHECK_EXCLUDE", "NAMES",
    ),
    Option(
        "citecheck_exclude_files", "lines",
        "Leave out files and folders with these names or paths when a folder is searched (shell patterns; repeatable)",
        "--citecheck-exclude-files", "citecheck_exclude_files", "CITECHECK_EXCLUDE_FILES", "PATTERN",
    ),
    Option(
        "citecheck_profile", "text",
        "Order of the sources: default, or arena (the order of the Reference Hallucination Arena)",
        "--citecheck-profile", "citecheck_profile", "CITECHECK_PROFILE", None, ("default", "arena"),
    ),
    Option(
        "citecheck_api_key", "lines",
        "API keys, one per line: NAME=KEY. Prefer the service's environment variable (docs/sources.md), which "
        "overrides this",
        "", "citecheck_api_key", for_check=False,
    ),
    Option(
        "citecheck_json", "text", "Write findings, verdicts and evidence to this JSON file",
        "--citecheck-json", "", "", "FILE",
    ),
    Option(
        "citecheck_chart", "text", "Draw a chart of the outcomes per check (.png, .svg or .pdf; needs matplotlib)",
        "--citecheck-chart", "", "", "FILE",
    ),
    Option(
        "citecheck_html", "text", "Write an HTML report: references with their evidence, scores, charts",
        "--citecheck-html", "", "", "FILE",
    ),
    Option(
        "citecheck_markdown", "text", "Write a Markdown report", "--citecheck-markdown", "", "", "FILE",
    ),
    Option(
        "citecheck_language", "text", "Language of the Markdown report: en (default), zh or both",
        "--citecheck-language", "citecheck_language", "", None, ("en", "zh", "both"),
    ),
    Option(
        "citecheck_format", "lines",
        "Write the findings in this format (repeatable): for example concise or github at the end of the output, or sarif "
        "to a file as NAME=FILE (docs/ci.md lists all formats)",
        "--citecheck-format", "", "CITECHECK_FORMAT", "NAME[=FILE]",
    ),
    Option(
        "citecheck_shard", "text", "Check part N of M of the references, such as 3/8 (split by a hash of the keys)",
        "--citecheck-shard", "", "CITECHECK_SHARD", "N/M",
    ),
    Option(
        "citecheck_prior", "text",
        "Expected share of invented references, 0 to 1 (default: 0.0004; 0.3 for answers of models). A higher share "
        "turns more warnings into errors",
        "--citecheck-prior", "citecheck_prior", "CITECHECK_PRIOR", "SHARE",
    ),
    Option(
        "citecheck_lenient", "flag",
        "Benchmarks only: report each unreadable line of a benchmark or answers file as a failing item "
        "(default: refuse the file)",
        "--citecheck-lenient", "citecheck_lenient", "CITECHECK_LENIENT",
    ),
    Option(
        "citecheck_policy", "text",
        "Which findings are errors and which are warnings: default, strict, neurips-2026, iclr-2026, acl-2026, arxiv-2026, "
        "arena, lenient, or your own file (docs/policies.md)",
        "--citecheck-policy", "citecheck_policy", "CITECHECK_POLICY", "NAME|FILE", is_path=True,
    ),
    Option(
        "citecheck_all", "flag", "Manuscripts only: also check bibliography entries that the manuscript does not cite",
        "--citecheck-all", "citecheck_all", "CITECHECK_ALL",
    ),
    Option(
        "citecheck_root", "lines",
        "Documents may name files below this folder too, besides their own folder and the one where the command starts "
        "(repeatable)",
        "--citecheck-root", "", "CITECHECK_ROOT", "FOLDER", trusted=True,
    ),
    Option(
        "citecheck_grobid", "text", "Read the references of PDFs with the GROBID server at this address",
        "--citecheck-grobid", "citecheck_grobid", "CITECHECK_GROBID", "URL", trusted=True,
    ),
    Option(
        "citecheck_csv", "text", "Write a CSV table with one row per reference",
        "--citecheck-csv", "", "", "FILE",
    ),
    Option(
        "citecheck_strict", "flag", "Fail unverifiable checks",
        "--citecheck-strict", "citecheck_strict", "CITECHECK_STRICT",
    ),
    Option(
        "citecheck_min_checked", "text",
        "Fail the run if services answer for less than this share of references, 0 to 1 (default: 0). Models below "
        "it are not ranked (default: 0.9)",
        "--citecheck-min-checked", "citecheck_min_checked", "CITECHECK_MIN_CHECKED", "SHARE",
    ),
    Option(
        "citecheck_contact", "text", "Your e-mail address, sent to the services; some allow more requests with one",
        "--citecheck-contact", "citecheck_contact", "CITECHECK_CONTACT", "ADDRESS",
    ),
    Option(
        "citecheck_rate", "lines",
        "Requests per second to a service, as NAME=N (repeatable). An ini file can set it only in a trusted folder",
        "--citecheck-rate", "citecheck_rate", "CITECHECK_RATE", "NAME=N", trusted=True,
    ),
    Option(
        "citecheck_base_url", "lines",
        "Query a mirror or proxy instead of a service, as NAME=URL (repeatable). An ini file can set it only in a "
        "trusted folder; no API key is sent to it",
        "--citecheck-base-url", "citecheck_base_url", "CITECHECK_BASE_URL", "NAME=URL", trusted=True, for_check=False,
    ),
    Option(
        "citecheck_baseline", "text",
        "Accept the findings in this file, written by `citecheck baseline write`: only new ones fail",
        "--citecheck-baseline", "citecheck_baseline", "CITECHECK_BASELINE", "FILE", is_path=True,
    ),
    Option(
        "citecheck_ignore", "lines",
        "Waivers, one per line: KEY CHECK REASON (CHECK: checks or codes separated by commas, or *). Waived checks "
        "are expected failures (xfail)",
        "", "citecheck_ignore",
    ),
)  # fmt: skip

_SECTIONS: dict[str, tuple[str, ...]] = {
    "checking": (
        *("citecheck", "citecheck_policy", "citecheck_strict", "citecheck_min_checked"),
        *("citecheck_baseline", "citecheck_all", "citecheck_prior"),
    ),
    "sources": (
        *("citecheck_sources", "citecheck_exclude", "citecheck_index", "citecheck_contact", "citecheck_timeout"),
        *("citecheck_offline", "citecheck_plan"),
    ),
    "recording": ("citecheck_cassettes", "citecheck_record", "citecheck_cache", "citecheck_refresh"),
    "output": ("citecheck_format", "citecheck_json", "citecheck_html", "citecheck_markdown", "citecheck_csv"),
}

OPTIONS: tuple[Option, ...] = (*_OPTIONS, *(option for feature in all_features() for option in feature.OPTIONS))
"""Every option except ``--citecheck`` itself, which takes files (`add_options`)."""

SECTIONS = _SECTIONS | {name: dests for feature in all_features() for name, dests in feature.SECTIONS.items()}
"""Sections of ``pytest --help``. It does not show the other flags, which are rarely used: docs/options.md has them all."""


_FURTHER_VARIABLES = ("CITECHECK_MCP_TOKEN", "CITECHECK_COMMAND", "CITECHECK_SHARED", "CITECHECK_TEST_COUNTS")
"""Variables of the server for agents, of the action and of tests."""


def unknown_variable(names: Iterable[str]) -> str:
    """The message for the first variable ``CITECHECK_…`` that does not exist; empty if there is none."""
    known = [*(option.env for option in OPTIONS if option.env), *_FURTHER_VARIABLES]
    return _unknown(
        "variable", [name for name in names if not name.startswith("CITECHECK_ACTION_")], "CITECHECK_", known
    )


def unknown_setting(names: Iterable[str]) -> str:
    """The message for the first setting ``citecheck…`` of a settings file that does not exist; empty if there is none."""
    return _unknown("setting", names, "citecheck", ["citecheck_files", *(one.ini for one in OPTIONS if one.ini)])


def _unknown(what: str, names: Iterable[str], prefix: str, known: list[str]) -> str:
    wrong = next((name for name in sorted(names) if name.startswith(prefix) and name not in known), None)
    if wrong is None:
        return ""
    from pytest_citecheck.nearest import hint  # noqa: PLC0415 - rarely needed

    return f"unknown {what} {wrong}{hint(wrong, known)}"


def environment_value(option: Option) -> Any:
    """The value of an option in the environment; None if its variable is not set."""
    text = os.environ.get(option.env) if option.env else None
    if text is None or option.kind == "text":
        return text
    if option.kind == "flag":
        return text.strip().lower() not in ("", "0", "no", "false", "off")
    return text.replace(",", " ").split()


def add_options(parser: pytest.Parser) -> None:
    """Register every flag and ini name with pytest."""
    groups = {
        dest: parser.getgroup(f"citecheck-{name}", f"citecheck: {name}")
        for name, dests in SECTIONS.items()
        for dest in dests
    }
    groups["citecheck"].addoption(
        "--citecheck",
        action="append",
        nargs="?",
        const="",
        default=None,
        metavar="PATH",
        dest="citecheck",
        help="Check the references in this file, folder or glob (repeatable, comma-separated): together they are one "
        "bibliography, macros and crossref reach across files. Without PATH: in the BibTeX files and folders given as arguments",
    )
    parser.addini("citecheck_files", "Bibliographies to check (paths or globs, relative to the ini file)", "args", [])
    for option in OPTIONS:
        if option.flag:
            shown = option.help if option.dest in groups else argparse.SUPPRESS
            extra: dict[str, Any] = {"dest": option.dest, "default": None, "help": shown}
            if option.kind == "flag":
                extra["action"] = "store_true"
            else:
                extra["action"] = "append" if option.kind == "lines" else "store"
                extra["metavar"] = option.metavar
                extra["choices"] = option.choices
                if option.const is not None:
                    extra |= {"nargs": "?", "const": option.const}
            groups.get(option.dest, groups["citecheck"]).addoption(option.flag, **extra)
        if option.ini:
            ini_type: Any = {"flag": "bool", "lines": "linelist", "text": "string"}[option.kind]
            default: Any = {"flag": False, "lines": [], "text": ""}[option.kind]
            parser.addini(option.ini, option.help, ini_type, default)


class _AddedOptions(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Leave it to pytest to complain."""
        raise argparse.ArgumentError(None, message)


def added_options(config: pytest.Config) -> argparse.Namespace:
    """The plugin's options in ``addopts`` of the settings file, which pytest mixes with those of the command line.

    citecheck: the values of ``--citecheck``. others: everything else.
    """
    parser = _AddedOptions(add_help=False, allow_abbrev=False, fromfile_prefix_chars="@", argument_default=None)
    parser.add_argument("--citecheck", action="append", nargs="?", const="")
    for option in OPTIONS:
        if option.flag and option.kind == "flag":
            parser.add_argument(option.flag, dest=option.dest, action="store_true")
        elif option.flag:
            nargs = None if option.const is None else "?"
            parser.add_argument(option.flag, dest=option.dest, nargs=nargs, const=option.const)
    added: list[str] = config.getini("addopts")
    try:
        found, others = parser.parse_known_args(added)
    except (argparse.ArgumentError, OSError):
        return argparse.Namespace(citecheck=None, others=added)
    found.others = others
    return found


def requested(config: pytest.Config) -> bool:
    """Return True if this run checks citations."""
    return (
        config.getoption("citecheck") is not None
        or bool(config.getini("citecheck_files"))
        or any("::" in argument and is_bibliography(argument.partition("::")[0]) for argument in config.args)
    )


def is_bibliography(file: str) -> bool:
    """Return True if node ids with this file name belong to references, judged by its suffix."""
    return file.lower().endswith(_ENDINGS)


def names_reference(argument: str, tests: Iterable[str]) -> bool:
    """Return True if a node id may name a reference in code or documentation. tests: patterns of test files."""
    file, colons, rest = argument.partition("::")
    if not colons or not file.lower().endswith(_PROJECT):
        return False
    if not any(fnmatch(os.path.basename(file), one) for one in tests):  # noqa: PTH119
        return True
    from pytest_citecheck.checks import CHECKS  # noqa: PLC0415 - other runs of pytest need no check

    return rest.rpartition("[")[2].removesuffix("]") in (*CHECKS, "syntax")


def existing_files(given: Iterable[str]) -> list[str]:
    """The bibliographies named by ``--citecheck`` that exist, with globs resolved. Missing ones are not reported here.

    Bibliographies of test suites are left out if only a folder above them is named.
    """
    parts = [part for value in given for part in files_named(value)]
    found = [
        name
        for part in parts
        if not _is_software(part)
        for name in matching_files(part)
        if not (Path(part).is_dir() and any(fnmatch(one, "test*") for one in Path(name).relative_to(part).parts[:-1]))
    ]
    return [name for name in found if not name.lower().endswith(_PROJECT)]


def files_beside(given: Iterable[str]) -> list[str]:
    """A file of each folder that ``--citecheck`` names, as a place for conftest.py files; none in folders with code."""
    folders = [part for value in given for part in files_named(value) if os.path.isdir(part)]  # noqa: PTH112 - as below
    files = {folder: [path for path in sorted(Path(folder).iterdir()) if path.is_file()] for folder in folders}
    return [
        str(names[0])
        for folder, names in files.items()
        if names and not any(path.suffix in _PROJECT for path in Path(folder).rglob("*"))
    ]


def _is_software(part: str) -> bool:
    if not os.path.isdir(part):  # noqa: PTH112 - Path.is_dir raises for a long address
        return False
    from pytest_citecheck.inputs import is_project  # noqa: PLC0415 - only for folders

    return is_project(Path(part))


def matching_files(pattern: str, further: Iterable[Reader] = ()) -> list[str]:
    """The file with this name, the bibliographies below this folder, or the files that the glob matches, sorted.

    further: readers from hooks, whose files in folders are also bibliographies.
    """
    if Path(pattern).is_dir():
        from pytest_citecheck.confinement import leads_out  # noqa: PLC0415 - rarely a folder
        from pytest_citecheck.inputs import all_readers  # noqa: PLC0415

        suffixes = {suffix for reader in (*further, *all_readers()) if _is_kept(reader) for suffix in reader.suffixes}
        found = (path for path in Path(pattern).rglob("*") if path.suffix.lower() in suffixes and path.is_file())
        below = (path.relative_to(pattern) for path in found if not leads_out(path, Path(pattern)))
        # Like pytest, skip hidden folders and node_modules.
        own = [path for path in below if not any(part.startswith(".") or part == "node_modules" for part in path.parts)]
        return sorted(str(Path(pattern) / path) for path in own)
    if Path(pattern).exists():
        return [pattern]
    import glob  # noqa: PLC0415 - half a millisecond of every run of pytest

    return [name for name in sorted(glob.glob(pattern, recursive=True)) if Path(name).is_file()]  # noqa: PTH207


def _is_kept(reader: Reader) -> bool:
    """Return True if folders are searched for such files: bibliographies that an author keeps. A page or a text may be
    anything."""
    from pytest_citecheck.inputs import DocumentReader  # noqa: PLC0415 - slow to import, needed only here

    return reader.lenient and not isinstance(reader, DocumentReader)


def files_named(value: str) -> list[str]:
    """The files that one value of ``--citecheck`` names, separated by commas."""
    # A name that exists is one file, even if it contains commas. Path.is_file raises for a long address.
    is_file = os.path.isfile(value)  # noqa: PTH113
    return [value] if is_file else [part.strip() for part in value.split(",") if part.strip()]
