"""The table of options, as pytest and the command line see it, and the settings they resolve to.

Precedence: command line, then environment, then ini file, then default.
"""

from __future__ import annotations

import glob
import importlib.util
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import pytest

if TYPE_CHECKING:
    from pytest_citecheck.transport.settings import RecordMode, TransportSettings

__all__ = [
    "OPTIONS",
    "Option",
    "Settings",
    "Waiver",
    "add_options",
    "existing_files",
    "matching_files",
    "resolve_settings",
]

Kind = Literal["text", "flag", "lines"]


@dataclass(frozen=True, slots=True)
class Option:
    """One option: its flag, its ini name (empty: command line only) and its environment variable (empty: none)."""

    dest: str
    kind: Kind
    help: str
    flag: str = ""
    ini: str = ""
    env: str = ""
    metavar: str | None = None
    choices: tuple[str, ...] | None = None


OPTIONS: tuple[Option, ...] = (
    Option(
        "citecheck_cassettes", "text", "Folder of recorded answers to replay from or record into",
        "--citecheck-cassettes", "citecheck_cassettes", "CITECHECK_CASSETTES", "DIR",
    ),
    Option(
        "citecheck_record", "text",
        "With cassettes: none = replay only, never a live call (default); new = record what is missing; "
        "all = record everything anew",
        "--citecheck-record", "citecheck_record", "CITECHECK_RECORD", None, ("none", "new", "all"),
    ),
    Option(
        "citecheck_offline", "flag", "Never ask the network: what no cassette answers is unverifiable",
        "--citecheck-offline", "citecheck_offline", "CITECHECK_OFFLINE",
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
        "citecheck_strict", "flag", "A check that is unverifiable fails",
        "--citecheck-strict", "citecheck_strict", "CITECHECK_STRICT",
    ),
    Option(
        "citecheck_contact", "text", "E-mail address that the services may write to (sent in the User-Agent only)",
        "--citecheck-contact", "citecheck_contact", "CITECHECK_CONTACT", "ADDRESS",
    ),
    Option(
        "citecheck_rate", "lines", "Requests a second to allow for a service instead of its usual rate, as NAME=N (repeatable)",
        "--citecheck-rate", "citecheck_rate", "CITECHECK_RATE", "NAME=N",
    ),
    Option(
        "citecheck_base_url", "lines", "Ask a mirror or proxy instead of a service, as NAME=URL (repeatable)",
        "--citecheck-base-url", "citecheck_base_url", "CITECHECK_BASE_URL", "NAME=URL",
    ),
    Option(
        "citecheck_ignore", "lines",
        "Waivers, one a line: KEY CHECK REASON (CHECK: a check, several with commas, or *); the checks are then expected "
        "to fail (xfail)",
        "", "citecheck_ignore",
    ),
)  # fmt: skip
"""Every option but ``--citecheck`` itself, which is a list of files and has its own rule."""


@dataclass(frozen=True, slots=True)
class Waiver:
    """A known problem that somebody accepted: ``key`` is a shell pattern, no ``checks`` means all."""

    key: str
    checks: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Settings:
    """What one run was asked to do, resolved once."""

    files: tuple[str, ...]
    walk: bool
    cassettes: Path | None
    record: RecordMode
    offline: bool
    json: Path | None
    chart: Path | None
    strict: bool
    contact: str
    base_urls: Mapping[str, str]
    rates: Mapping[str, float]
    waivers: tuple[Waiver, ...]

    def transport(self) -> TransportSettings:
        from pytest_citecheck.sources.base import Rate  # noqa: PLC0415
        from pytest_citecheck.transport.settings import TransportSettings  # noqa: PLC0415

        return TransportSettings(
            base_urls=dict(self.base_urls),
            contact=self.contact,
            cassettes=self.cassettes,
            record=self.record if self.cassettes else None,
            offline=self.offline,
            rates={name: Rate(rate, max(1, round(rate))) for name, rate in self.rates.items()},
        )


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
        ".bib files named as arguments, or found in the folders named",
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
            group.addoption(option.flag, **extra)
        if option.ini:
            ini_type: Any = {"flag": "bool", "lines": "linelist", "text": "string"}[option.kind]
            default: Any = {"flag": False, "lines": [], "text": ""}[option.kind]
            parser.addini(option.ini, option.help, ini_type, default)


def resolve_settings(config: pytest.Config) -> Settings | None:
    """The settings of this run, or None if no citation is to be checked.

    Raises pytest.UsageError for values that make no sense.
    """
    given: list[str] | None = config.getoption("citecheck")
    ini_files: list[str] = config.getini("citecheck_files")
    if given is None and not ini_files:
        return None
    files = [part for value in given or () for part in _files(value)]
    base = config.inipath.parent if config.inipath else config.rootpath
    typed = config.args_source is config.ArgsSource.ARGS
    if not files and not (given is not None and typed):
        files = [str(base / pattern) for pattern in ini_files]

    def value(name: str) -> Any:
        option = next(option for option in OPTIONS if option.dest == name)
        return _value(config, option)

    record = value("citecheck_record") or "none"
    offline = bool(value("citecheck_offline"))
    if offline and config.getoption("citecheck_record") not in (None, "none"):
        raise pytest.UsageError("--citecheck-offline and --citecheck-record exclude each other")
    if offline:
        record = "none"  # whatever the environment or the ini file say
    if record not in ("none", "new", "all"):
        raise pytest.UsageError(f"citecheck_record must be none, new or all, not {record!r}")
    cassettes = value("citecheck_cassettes")
    if record != "none" and not cassettes:
        raise pytest.UsageError(f"--citecheck-record={record} needs --citecheck-cassettes=DIR to record into")
    from_ini = config.getoption("citecheck_cassettes") is None and not os.environ.get("CITECHECK_CASSETTES")
    folder = (base / cassettes if from_ini else Path(cassettes).absolute()) if cassettes else None
    if folder and record == "none" and not folder.is_dir():
        raise pytest.UsageError(f"no such folder of cassettes: {folder}")
    return Settings(
        files=tuple(files),
        walk=given is not None and not files,
        cassettes=folder,
        record=cast("RecordMode", record),
        offline=offline,
        json=_output(value("citecheck_json")),
        chart=_chart(value("citecheck_chart")),
        strict=bool(value("citecheck_strict")),
        contact=_contact(value("citecheck_contact") or ""),
        base_urls=dict(_base_url(text) for text in value("citecheck_base_url") or ()),
        rates=dict(_rate(text) for text in value("citecheck_rate") or ()),
        waivers=tuple(_waiver(line) for line in value("citecheck_ignore")),
    )


def _value(config: pytest.Config, option: Option) -> Any:
    given = config.getoption(option.dest) if option.flag else None
    if given is not None and given != []:
        return given
    environment = os.environ.get(option.env) if option.env else None
    if environment is not None:
        readers: dict[Kind, Callable[[str], Any]] = {
            "flag": lambda text: text.strip().lower() not in ("", "0", "no", "false", "off"),
            "lines": lambda text: text.replace(",", " ").split(),
            "text": str,
        }
        return readers[option.kind](environment)
    return config.getini(option.ini) if option.ini else None


def existing_files(given: Iterable[str]) -> list[str]:
    """The bibliographies named by ``--citecheck`` that are there, globs resolved; nothing is said of the others yet."""
    return [name for value in given for part in _files(value) for name in matching_files(part)]


def matching_files(pattern: str) -> list[str]:
    """The file of that name, the .bib files below that folder, or the files that the glob matches, sorted."""
    if Path(pattern).is_dir():
        below = (path.relative_to(pattern) for path in Path(pattern).rglob("*.bib") if path.is_file())
        # As pytest does: not what tools keep in hidden folders and beside.
        own = [path for path in below if not any(part.startswith(".") or part == "node_modules" for part in path.parts)]
        return sorted(str(Path(pattern) / path) for path in own)
    if Path(pattern).exists():
        return [pattern]
    return [name for name in sorted(glob.glob(pattern, recursive=True)) if Path(name).is_file()]  # noqa: PTH207


def _files(value: str) -> list[str]:
    # A name that exists is one file, whatever commas it holds.
    return [value] if Path(value).is_file() else [part.strip() for part in value.split(",") if part.strip()]


def _output(text: str | None) -> Path | None:
    """A file to write at the end: that it cannot be written is better said at the start."""
    if not text:
        return None
    path = Path(text).absolute()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise pytest.UsageError(f"cannot write {path}: {error.strerror}") from error
    if path.is_dir() or not os.access(path.parent, os.W_OK):
        raise pytest.UsageError(f"cannot write {path}")
    return path


def _chart(text: str | None) -> Path | None:
    path = _output(text)
    if path is None:
        return None
    if path.suffix not in (".png", ".svg", ".pdf"):
        raise pytest.UsageError(f"a chart is a .png, .svg or .pdf file, not {path.name}")
    if importlib.util.find_spec("matplotlib") is None:
        raise pytest.UsageError("a chart needs matplotlib: pip install pytest-citecheck[charts]")
    return path


def _contact(address: str) -> str:
    if address and ("@" not in address or not address.isascii() or not address.isprintable() or " " in address):
        raise pytest.UsageError(f"the contact is an e-mail address, not {address!r}")
    return address


def _base_url(text: str) -> tuple[str, str]:
    name, _, url = text.partition("=")
    if not url.strip().startswith(("http://", "https://")):
        raise pytest.UsageError(f"a base URL is given as NAME=URL (http or https), not {text!r}")
    return name.strip(), url.strip().rstrip("/")


def _rate(text: str) -> tuple[str, float]:
    name, _, number = text.partition("=")
    try:
        rate = float(number)
    except ValueError:
        rate = 0.0
    if not 0 < rate < float("inf"):
        raise pytest.UsageError(f"a rate is given as NAME=N (requests a second, more than 0), not {text!r}")
    return name.strip(), rate


def _waiver(line: str) -> Waiver:
    from pytest_citecheck.model import CHECKS  # noqa: PLC0415

    words = line.split(maxsplit=2)
    checks = tuple(words[1].split(",")) if len(words) > 1 else ()
    known = (*CHECKS, "syntax")
    if len(words) < 3 or (checks != ("*",) and not set(checks) <= set(known)):
        raise pytest.UsageError(
            f"citecheck_ignore: a waiver is KEY CHECK REASON, and a reason is a must: {line!r}. CHECK is * or of "
            f"{', '.join(known)}; several with commas"
        )
    return Waiver(words[0], () if checks == ("*",) else checks, words[2])
