"""The table of options, as pytest and the command line see it, and the files that they name."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import pytest

if TYPE_CHECKING:
    from pytest_citecheck.readers.base import Reader

__all__ = ["OPTIONS", "Kind", "Option", "add_options", "existing_files", "files_named", "matching_files", "requested"]

Kind = Literal["text", "flag", "lines"]


class Option(NamedTuple):  # every run of pytest makes this class, and making a dataclass takes ten times as long
    """One option: its flag, its ini name (empty: command line only) and its environment variable (empty: none).

    const: the value if the flag stands alone; None if it needs one. trusted: a settings file can set it only if its folder is
    trusted (`pytest_citecheck.plugin.settings.trust`). for_check: whether ``citecheck check`` takes it from a settings
    file at all.
    is_path: the value is a path, relative to the settings file that states it.
    """

    dest: str
    kind: Kind
    help: str
    flag: str = ""
    ini: str = ""
    env: str = ""
    metavar: str | None = None
    choices: tuple[str, ...] | None = None
    const: str | None = None
    trusted: bool = False
    for_check: bool = True
    is_path: bool = False


OPTIONS: tuple[Option, ...] = (
    Option(
        "citecheck_index", "lines",
        "Local index to ask before any service (repeatable; made with `citecheck index build`)",
        "--citecheck-index", "citecheck_index", "CITECHECK_INDEX", "PATH", is_path=True,
    ),
    Option(
        "citecheck_index_max_age", "text", "Days after which an index is called old (default: 90)",
        "", "citecheck_index_max_age",
    ),
    Option(
        "citecheck_cassettes", "text", "Folder of recorded answers to replay from or record into",
        "--citecheck-cassettes", "citecheck_cassettes", "CITECHECK_CASSETTES", "DIR", is_path=True,
    ),
    Option(
        "citecheck_record", "text",
        "With cassettes: none = replay only, never a live call (default); new = record what is missing; "
        "all = record everything anew",
        "--citecheck-record", "citecheck_record", "CITECHECK_RECORD", None, ("none", "new", "all"),
    ),
    Option(
        "citecheck_offline", "flag", "Never ask the network: what neither index, cache nor cassettes answer is unverifiable",
        "--citecheck-offline", "citecheck_offline", "CITECHECK_OFFLINE",
    ),
    Option(
        "citecheck_cache", "text",
        "Folder in which answers are kept from run to run and request rates are shared between runs (default: the user's "
        "cache folder); off = neither. Not used with cassettes",
        "--citecheck-cache", "citecheck_cache", "CITECHECK_CACHE", "DIR|off", is_path=True,
    ),
    Option(
        "citecheck_refresh", "flag", "Ask again what the cache holds from earlier runs",
        "--citecheck-refresh", "", "CITECHECK_REFRESH",
    ),
    Option(
        "citecheck_timeout", "text",
        "Seconds for all asking together; what is not answered by then is unverifiable (default: no limit)",
        "--citecheck-timeout", "citecheck_timeout", "CITECHECK_TIMEOUT", "SECONDS",
    ),
    Option(
        "citecheck_plan", "flag", "Print how many requests would go to whom, send none, and run no checks",
        "--citecheck-plan",
    ),
    Option(
        "citecheck_urls", "flag", "Ask whether cited web pages still exist (404 and 410 fail completeness)",
        "--citecheck-urls", "citecheck_urls", "CITECHECK_URLS",
    ),
    Option(
        "citecheck_profile", "text",
        "Who is asked for what: default, or arena (the order of the Reference Hallucination Arena)",
        "--citecheck-profile", "citecheck_profile", "CITECHECK_PROFILE", None, ("default", "arena"),
    ),
    Option(
        "citecheck_api_key", "lines",
        "API keys, one a line: NAME=KEY. The environment variable of the service (docs/sources.md) goes first, and is the "
        "better place for a key",
        "", "citecheck_api_key", for_check=False,
    ),
    Option(
        "citecheck_json", "text", "Write the findings, verdicts and evidence to this JSON file",
        "--citecheck-json", "", "", "FILE",
    ),
    Option(
        "citecheck_chart", "text", "Draw outcomes per check to this file (.png, .svg or .pdf; needs matplotlib)",
        "--citecheck-chart", "", "", "FILE",
    ),
    Option(
        "citecheck_html", "text", "Write one HTML page: references with their evidence, scores, charts",
        "--citecheck-html", "", "", "FILE",
    ),
    Option(
        "citecheck_markdown", "text", "Write the results as Markdown", "--citecheck-markdown", "", "", "FILE",
    ),
    Option(
        "citecheck_language", "text", "Language of the Markdown: en (default), zh, or both",
        "--citecheck-language", "citecheck_language", "", None, ("en", "zh", "both"),
    ),
    Option(
        "citecheck_predictions", "text", "Write what was found as predictions about benchmark entries (JSON lines)",
        "--citecheck-predictions", "", "", "FILE",
    ),
    Option(
        "citecheck_expect", "text",
        "What an item tests: citation = the reference (default); truth = the checker, whose finding has to agree with the "
        "label of the entry",
        "--citecheck-expect", "citecheck_expect", "CITECHECK_EXPECT", None, ("citation", "truth"),
    ),
    Option(
        "citecheck_fail_under", "text",
        "Thresholds for the scores of labelled references, such as f1=0.95,fpr<=0.03; they alone decide the exit code of "
        "the checks",
        "--citecheck-fail-under", "citecheck_fail_under", "CITECHECK_FAIL_UNDER", "GATES",
    ),
    Option(
        "citecheck_selftest", "text",
        "Test the checks: of the references given, which have to be right, make N hallucinated ones of each type (default: 5), "
        "check all, and print what is detected",
        "--citecheck-selftest", "", "", "N", None, "5",
    ),
    Option(
        "citecheck_shard", "text", "Check only the references of one of N parts, such as 3/8 (by a hash of their keys)",
        "--citecheck-shard", "", "CITECHECK_SHARD", "N/M",
    ),
    Option(
        "citecheck_lenient", "flag",
        "Lines of a benchmark or answers file that cannot be read are failing items (default: the file is refused)",
        "--citecheck-lenient", "citecheck_lenient", "CITECHECK_LENIENT",
    ),
    Option(
        "citecheck_policy", "text",
        "What fails, what is only warned of: default, strict, neurips-2026, arena, lenient, or a file of your own "
        "(docs/policies.md)",
        "--citecheck-policy", "citecheck_policy", "CITECHECK_POLICY", "NAME|FILE", is_path=True,
    ),
    Option(
        "citecheck_strict", "flag", "A check that is unverifiable fails",
        "--citecheck-strict", "citecheck_strict", "CITECHECK_STRICT",
    ),
    Option(
        "citecheck_contact", "text", "E-mail address that the services may write to; some of them then allow more",
        "--citecheck-contact", "citecheck_contact", "CITECHECK_CONTACT", "ADDRESS",
    ),
    Option(
        "citecheck_rate", "lines",
        "Requests a second to allow for a service instead of its usual rate, as NAME=N (repeatable). In the ini file only of a "
        "trusted folder",
        "--citecheck-rate", "citecheck_rate", "CITECHECK_RATE", "NAME=N", trusted=True,
    ),
    Option(
        "citecheck_base_url", "lines",
        "Ask a mirror or proxy instead of a service, as NAME=URL (repeatable). In the ini file only of a trusted folder, and no "
        "API key is sent there then",
        "--citecheck-base-url", "citecheck_base_url", "CITECHECK_BASE_URL", "NAME=URL", trusted=True, for_check=False,
    ),
    Option(
        "citecheck_ignore", "lines",
        "Waivers, one a line: KEY CHECK REASON (CHECK: a check, several with commas, or *); the checks are then expected "
        "to fail (xfail)",
        "", "citecheck_ignore",
    ),
)  # fmt: skip
"""Every option but ``--citecheck`` itself, which is a list of files and has its own rule."""


def add_options(parser: pytest.Parser) -> None:
    """Register every flag and ini name with pytest."""
    group = parser.getgroup("citecheck", "citation checks")
    group.addoption(
        "--citecheck",
        action="append",
        nargs="?",
        const="",
        default=None,
        metavar="PATH",
        dest="citecheck",
        help="Check the references of this bibliography (repeatable, comma-separated, globs). Without PATH: of the "
        "BibTeX files named as arguments, or found in the folders named",
    )
    parser.addini("citecheck_files", "Bibliographies to check (paths or globs, relative to the ini file)", "args", [])
    for option in OPTIONS:
        if option.flag:
            extra: dict[str, Any] = {"dest": option.dest, "default": None, "help": option.help}
            if option.kind == "flag":
                extra["action"] = "store_true"
            else:
                extra["action"] = "append" if option.kind == "lines" else "store"
                extra["metavar"] = option.metavar
                extra["choices"] = option.choices
                if option.const is not None:
                    extra |= {"nargs": "?", "const": option.const}
            group.addoption(option.flag, **extra)
        if option.ini:
            ini_type: Any = {"flag": "bool", "lines": "linelist", "text": "string"}[option.kind]
            default: Any = {"flag": False, "lines": [], "text": ""}[option.kind]
            parser.addini(option.ini, option.help, ini_type, default)


def requested(config: pytest.Config) -> bool:
    """Whether citations are to be checked at all in this run."""
    return config.getoption("citecheck") is not None or bool(config.getini("citecheck_files"))


def existing_files(given: Iterable[str]) -> list[str]:
    """The bibliographies named by ``--citecheck`` that are there, globs resolved; nothing is said of the others yet."""
    return [name for value in given for part in files_named(value) for name in matching_files(part)]


def matching_files(pattern: str, further: Iterable[Reader] = ()) -> list[str]:
    """The file of that name, the bibliographies below that folder, or the files that the glob matches, sorted.

    further: readers from hooks, whose files in folders are bibliographies, too.
    """
    if Path(pattern).is_dir():
        from pytest_citecheck.readers import READERS  # noqa: PLC0415 - only here, and slow to import

        suffixes = {suffix for reader in (*further, *READERS) if reader.lenient for suffix in reader.suffixes}
        found = (path for path in Path(pattern).rglob("*") if path.suffix.lower() in suffixes and path.is_file())
        below = (path.relative_to(pattern) for path in found)
        # As pytest does: not what tools keep in hidden folders and beside.
        own = [path for path in below if not any(part.startswith(".") or part == "node_modules" for part in path.parts)]
        return sorted(str(Path(pattern) / path) for path in own)
    if Path(pattern).exists():
        return [pattern]
    import glob  # noqa: PLC0415 - half a millisecond of every run of pytest

    return [name for name in sorted(glob.glob(pattern, recursive=True)) if Path(name).is_file()]  # noqa: PTH207


def files_named(value: str) -> list[str]:
    """The files that one value of ``--citecheck`` names, divided by commas."""
    # A name that exists is one file, whatever commas it holds.
    return [value] if Path(value).is_file() else [part.strip() for part in value.split(",") if part.strip()]
