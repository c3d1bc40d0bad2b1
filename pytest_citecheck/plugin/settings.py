"""Settings of a run: the options, resolved once.

Precedence: command line, then environment, then ini file, then default.
"""

from __future__ import annotations

import importlib.util
import os
import zlib
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast
from urllib.parse import urlsplit

import pytest

from pytest_citecheck.checks import CHECKS, DEFAULT, POLICIES, Named, Policy, PolicyError, named_policy, read_policy
from pytest_citecheck.confinement import within
from pytest_citecheck.lookup import PROFILES
from pytest_citecheck.net import TransportSettings, user_cache
from pytest_citecheck.plugin.answering import oldest_day
from pytest_citecheck.plugin.features import Option
from pytest_citecheck.plugin.options import (
    OPTIONS,
    added_options,
    environment_value,
    files_named,
    unknown_setting,
    unknown_variable,
)
from pytest_citecheck.plugin.servers import Servers, read_servers
from pytest_citecheck.plugin.trust_store import TrustError, is_trusted
from pytest_citecheck.plugin.waivers import Waiver, read_baseline, read_waiver
from pytest_citecheck.reports import FORMATS

if TYPE_CHECKING:
    from pytest_citecheck.net import RecordMode
    from pytest_citecheck.plugin.extensions import Extensions
    from pytest_citecheck.sources import Source

FULL = "full"
"""Formats that a run prints by default."""


def output_file(text: str | None) -> Path | None:
    """Check a file to write at the end: report early that it cannot be written. Raises pytest.UsageError."""
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


def chart_file(text: str | None) -> Path | None:
    """A chart to write at the end. Raises pytest.UsageError."""
    path = output_file(text)
    if path is None:
        return None
    if path.suffix not in (".png", ".svg", ".pdf"):
        raise pytest.UsageError(f"a chart is a .png, .svg or .pdf file, not {path.name}")
    if importlib.util.find_spec("matplotlib") is None:
        raise pytest.UsageError("charts need matplotlib: pip install '.[charts]' in a checkout")
    return path


def is_plain(config: pytest.Config) -> bool:
    """Return True if the run has no pytest output (``citecheck check``), so that a document can be its output."""
    return getattr(config.pluginmanager.getplugin("terminalreporter"), "is_plain", False)


def has_prose(config: pytest.Config) -> bool:
    """Return True if standard output is for people: always, but in a run of ``citecheck check`` that prints a format for
    machines."""
    return getattr(config.pluginmanager.getplugin("terminalreporter"), "prose", True)


def read_formats(given: Iterable[str], *, plain: bool) -> Iterator[tuple[str, str | None]]:
    """Format and file of each ``NAME`` or ``NAME=FILE``; None for the output of the run. Raises pytest.UsageError.

    plain: result of `is_plain`; one document may then be the output.
    """
    on_screen: list[str] = []
    for value in dict.fromkeys(given):
        name, equals, file = value.partition("=")
        if name != FULL and name not in FORMATS:
            raise pytest.UsageError(
                f"--citecheck-format: unknown format {name!r}; known are {', '.join((FULL, *FORMATS))}"
            )
        if equals and (name == FULL or not file):
            raise pytest.UsageError(
                f"--citecheck-format={value}: {'full has no file' if name == FULL else 'the file name is missing'}"
            )
        if not equals:
            on_screen.append(name)
            if name != FULL and not plain and not FORMATS[name].is_lines:
                raise pytest.UsageError(f"--citecheck-format={name} needs a file: --citecheck-format={name}=FILE")
        if name != FULL:
            yield name, file or None
    if plain and len(on_screen) > 1:
        raise pytest.UsageError(
            f"only one format can be the output, not {' and '.join(on_screen)}; name files: FORMAT=FILE"
        )


@dataclass(frozen=True, slots=True)
class DocumentSettings:
    """everything: include entries that a document does not cite. grobid: address of a GROBID server, or empty.

    roots: further folders of files that documents may name. table: the file of a table that spreadsheets read; None if none is
    wanted.
    """

    everything: bool = False
    grobid: str = ""
    table: Path | None = None
    roots: tuple[Path, ...] = ()


def read_document_settings(value: Callable[[str], Any]) -> DocumentSettings:
    """From the values of the options. Raises pytest.UsageError."""
    grobid = value("citecheck_grobid") or ""
    parts = urlsplit(grobid)
    if grobid and (parts.scheme not in ("http", "https") or not parts.hostname):
        raise pytest.UsageError(f"--citecheck-grobid takes the address of a GROBID, not {grobid!r}")
    return DocumentSettings(
        everything=bool(value("citecheck_all")),
        grobid=grobid.rstrip("/"),
        table=output_file(value("citecheck_csv")),
        roots=tuple(Path(one).absolute() for one in value("citecheck_root") or ()),
    )


@dataclass(frozen=True, slots=True)
class Shard:
    """One of ``parts`` parts of all references; ``part`` counts from 1."""

    part: int
    parts: int

    def holds(self, key: str) -> bool:
        """Return True if the reference of this key belongs to it: the same on every machine and in every version of Python."""
        return zlib.crc32(key.encode("utf-8", "surrogatepass")) % self.parts == self.part - 1


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of one run, resolved once."""

    files: tuple[str, ...]
    walk: bool
    indexes: tuple[Path, ...]
    index_max_age: float
    cassettes: Path | None
    record: RecordMode
    drop_unasked: bool
    oldest_answer: str
    offline: bool
    json: Path | None
    chart: Path | None
    html: Path | None
    markdown: Path | None
    language: Literal["en", "zh", "both"]
    formats: tuple[tuple[str, Path | None], ...]
    shard: Shard | None
    lenient: bool
    policy: Policy
    strict: bool
    min_checked: float
    prior: float | None
    contact: str = field(repr=False)
    cache: Path | None
    refresh: bool
    timeout: float | None
    plan: bool
    urls: bool
    sources: tuple[str, ...]
    exclude: tuple[str, ...]
    exclude_files: tuple[str, ...]
    profile: str
    servers: Servers
    waivers: tuple[Waiver, ...]
    baseline: tuple[Waiver, ...]
    documents: DocumentSettings
    features: Mapping[str, Any]

    def transport(self, sources: Iterable[Source]) -> TransportSettings:
        """Return the network settings; API keys come from the environment. Raise ValueError for invalid values."""
        known = list(sources)
        return TransportSettings(
            base_urls=dict(self.servers.base_urls),
            contact=self.contact,
            keys=self.servers.usable_keys(known),
            logins=self.servers.usable_logins(known),
            total_timeout=self.timeout,
            cache=None if self.cassettes else self.cache,
            refresh=self.refresh,
            cassettes=self.cassettes,
            record=self.record if self.cassettes else None,
            drop_unasked=self.drop_unasked,
            oldest=self.oldest_answer,
            offline=self.offline,
            rates=self.servers.limits(),
        )


_FLAGS = ("offline", "lenient", "strict", "refresh", "plan", "urls")
_WRITTEN = ("json", "html", "markdown")


def resolve_settings(config: pytest.Config, extensions: Extensions) -> Settings:
    """Settings of this run. extensions: additions of hooks. Raises pytest.UsageError for unusable values."""
    named = extensions.named
    base = config.inipath.parent if config.inipath else config.rootpath
    if unknown := unknown_variable(os.environ) or unknown_setting(_names_in_file(config)):
        raise pytest.UsageError(unknown)
    _demand_trust(config, base)
    value = partial(_value_of, config)
    files, walk = _files(config, base)
    record, folder = _recording(config, base)

    def beside(name: str) -> Path:
        return base if is_from_ini(config, name) else Path()

    plain: dict[str, Any] = {name: bool(value(f"citecheck_{name}")) for name in _FLAGS}
    plain |= {name: output_file(value(f"citecheck_{name}")) for name in _WRITTEN}
    return Settings(
        files=files,
        walk=walk,
        indexes=_indexes(value("citecheck_index"), beside("citecheck_index")),
        index_max_age=positive_seconds(
            value("citecheck_index_max_age") or "90", "citecheck_index_max_age is a number of days"
        )
        or 90,
        cassettes=folder,
        record=cast("RecordMode", "new" if record == "exact" else record),
        drop_unasked=record == "exact",
        oldest_answer=_oldest_answer(value("citecheck_max_age")),
        **plain,
        chart=chart_file(value("citecheck_chart")),
        language=cast("Any", one_of("citecheck_language", value("citecheck_language") or "en", ("en", "zh", "both"))),
        formats=tuple(
            (name, output_file(file))
            for name, file in read_formats(value("citecheck_format") or (), plain=is_plain(config))
        ),
        shard=_shard(value("citecheck_shard")),
        policy=_policy(value("citecheck_policy"), beside("citecheck_policy"), named),
        min_checked=_share(value("citecheck_min_checked"), "citecheck_min_checked") or 0.0,
        prior=_share(value("citecheck_prior"), "citecheck_prior"),
        contact=contact_address(value("citecheck_contact") or ""),
        cache=_cache(config, value("citecheck_cache"), base),
        timeout=positive_seconds(value("citecheck_timeout")),
        sources=_names(value("citecheck_sources")),
        exclude=_names(value("citecheck_exclude")),
        exclude_files=tuple(value("citecheck_exclude_files") or ()),
        profile=_profile(value("citecheck_profile")),
        servers=read_servers(
            *(value(f"citecheck_{name}") or () for name in ("api_key", "base_url", "rate")),
            base_urls_of_a_file=is_from_ini(config, "citecheck_base_url"),
        ),
        features=dict(
            ChainMap(
                *config.hook.pytest_citecheck_settings(config=config, value=value, base=base, extensions=extensions)
            )
        ),
        documents=read_document_settings(value),
        baseline=_baseline(value("citecheck_baseline"), beside("citecheck_baseline")),
        waivers=_waivers(value("citecheck_ignore"), named.checks),
    )


def _waivers(lines: Iterable[str], added: Iterable[str]) -> tuple[Waiver, ...]:
    checks = (*CHECKS, *added, "syntax", "duplicates")
    return tuple(read_waiver(line, checks) for line in lines)


def _value_of(config: pytest.Config, name: str) -> Any:
    return _value(config, next(option for option in OPTIONS if option.dest == name))


def _files(config: pytest.Config, base: Path) -> tuple[tuple[str, ...], bool]:
    """The files of the run, and True if the arguments of pytest are searched for them."""
    given: list[str] | None = config.getoption("citecheck")
    files = [part for value in given or () for part in files_named(value)]
    typed = config.args_source is config.ArgsSource.ARGS
    if not files and not (given is not None and typed):
        files = [str(base / pattern) for pattern in config.getini("citecheck_files")]
    return tuple(files), given is not None and not files


def _recording(config: pytest.Config, base: Path) -> tuple[str, Path | None]:
    """The mode of recording and the folder of cassettes."""
    record = _value_of(config, "citecheck_record") or "none"
    if _value_of(config, "citecheck_offline"):
        if config.getoption("citecheck_record") not in (None, "none"):
            raise pytest.UsageError("--citecheck-offline and --citecheck-record exclude each other")
        record = "none"  # overrides the environment and the ini file
    one_of("citecheck_record", record, ("none", "new", "all", "exact"))
    cassettes = _value_of(config, "citecheck_cassettes")
    if record != "none" and not cassettes:
        raise pytest.UsageError(f"--citecheck-record={record} needs --citecheck-cassettes=DIR to record into")
    ini = is_from_ini(config, "citecheck_cassettes")
    folder = (base / cassettes if ini else Path(cassettes).absolute()) if cassettes else None
    if folder and record == "none" and not folder.is_dir():
        raise pytest.UsageError(f"no such folder of cassettes: {folder}")
    if folder and record != "none" and ini:
        demand_inside(config, "citecheck_cassettes", folder, base)
    return record, folder


def _names_in_file(config: pytest.Config) -> Iterable[str]:
    """The names of all settings in the settings file; pytest 9 has no public name for them any more."""
    return config._inicfg if hasattr(config, "_inicfg") else config.inicfg  # noqa: SLF001


def _oldest_answer(text: str | None) -> str:
    try:
        return oldest_day(text or "")
    except ValueError as error:
        raise pytest.UsageError(str(error)) from error


def _value(config: pytest.Config, option: Option) -> Any:
    given = config.getoption(option.dest) if option.flag else None
    if given is not None and given != []:
        return given
    environment = environment_value(option)
    if environment is not None:
        return environment
    return config.getini(option.ini) if option.ini else None


def one_of(name: str, text: str, choices: tuple[str, ...]) -> str:
    # The command line is checked by pytest; the ini file and the environment are not.
    if text not in choices:
        raise pytest.UsageError(f"{name} must be one of {', '.join(choices)}, not {text!r}")
    return text


def _shard(text: str | None) -> Shard | None:
    if not text:
        return None
    part, _, parts = text.partition("/")
    if not (part.isdecimal() and parts.isdecimal() and 1 <= int(part) <= int(parts)):
        raise pytest.UsageError(f"a shard must be N/M with N from 1 to M, not {text!r}")
    return Shard(int(part), int(parts))


def contact_address(address: str) -> str:
    """The address, if it is one. Raises pytest.UsageError."""
    if address and ("@" not in address or not address.isascii() or not address.isprintable() or " " in address):
        raise pytest.UsageError(f"the contact is an e-mail address, not {address!r}")
    return address


def _cache(config: pytest.Config, text: str | None, base: Path) -> Path | None:
    if text and text.strip().lower() == "off":
        return None
    if not text:
        return user_cache()
    if not is_from_ini(config, "citecheck_cache"):
        return Path(text).expanduser().absolute()
    folder = (base / Path(text).expanduser()).absolute()
    demand_inside(config, "citecheck_cache", folder, base)
    return folder


def is_from_ini(config: pytest.Config, name: str) -> bool:
    """Return True if the value of this option comes from the ini file, the base of its relative paths."""
    return not config.getoption(name) and not os.environ.get(name.upper())


def _demand_trust(config: pytest.Config, base: Path) -> None:
    """Refuse settings that are allowed only in a trusted folder. Raises pytest.UsageError."""
    added = added_options(config)
    for option in (option for option in OPTIONS if option.trusted):
        from_ini = option.ini and is_from_ini(config, option.dest) and config.getini(option.ini)
        in_addopts = getattr(added, option.dest, None)
        if (from_ini or in_addopts) and not is_trusted_folder(base):
            name = f"addopts = {option.flag}" if in_addopts else option.ini
            raise pytest.UsageError(
                f"{name} in {config.inipath or base} is ignored because its folder is not trusted; run citecheck "
                f"trust, or pass {option.flag} on the command line"
            )


def demand_inside(config: pytest.Config, name: str, folder: Path, base: Path) -> None:
    """Refuse paths outside the folder of an untrusted settings file. Raises pytest.UsageError."""
    if within(folder, (base,)) is None and not is_trusted_folder(base):
        raise pytest.UsageError(
            f"{name} in {config.inipath or base} points outside its folder, which is allowed only in trusted "
            f"folders (citecheck trust)"
        )


def is_trusted_folder(folder: Path) -> bool:
    """True if the user trusts the folder. Raises UsageError if the list of trusted folders cannot be read."""
    try:
        return is_trusted(folder)
    except TrustError as error:
        raise pytest.UsageError(f"the list of trusted folders cannot be read: {error}") from error


def _indexes(given: Iterable[str] | None, base: Path) -> tuple[Path, ...]:
    paths = tuple(dict.fromkeys((base / Path(name).expanduser()).absolute() for name in given or ()))
    for path in paths:
        from pytest_citecheck.index import is_set  # noqa: PLC0415 - for runs with an index

        if not path.is_file() and not is_set(path):
            raise pytest.UsageError(f"--citecheck-index: no such file: {path}")
    return paths


def _baseline(text: str | None, base: Path) -> tuple[Waiver, ...]:
    return read_baseline(base / Path(text).expanduser()) if text else ()


def _policy(text: str | None, base: Path, named: Named) -> Policy:
    name = (text or DEFAULT.name).strip()
    path = base / Path(name).expanduser()
    try:
        if path.suffix == ".toml":
            return read_policy(path.read_text(encoding="utf-8"), str(path), _policy_name(name), named)
        if name not in (*POLICIES, *named.policies) and path.exists():
            raise PolicyError(f"{name} is not a .toml file, which a custom policy must be")
        return named_policy(name, named)
    except PolicyError as error:
        raise pytest.UsageError(f"citecheck_policy: {error}") from error
    except UnicodeDecodeError as error:
        raise pytest.UsageError(f"citecheck_policy: {name} is not in UTF-8 (byte {error.start + 1})") from error
    except OSError as error:
        raise pytest.UsageError(f"citecheck_policy: {name} cannot be read: {error.strerror or error}") from error


def _policy_name(file: str) -> str:
    """Return the name of a file's policy: the file stem, or the full path if a shipped policy has that name."""
    path = Path(file)
    if path.stem not in POLICIES:
        return path.stem
    # Reports contain no paths of the machine.
    return path.name if path.is_absolute() or file.startswith("~") else path.as_posix()


def _share(text: str | None, name: str) -> float | None:
    """A share from 0 to 1; None if none is stated. Raises pytest.UsageError."""
    if not text:
        return None
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise pytest.UsageError(f"{name} must be a share from 0 to 1, not {text!r}")
    return share


def positive_seconds(text: str | None, what: str = "--citecheck-timeout is a number of seconds") -> float | None:
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise pytest.UsageError(f"{what}, more than 0, not {text!r}")
    return seconds


def _names(lines: Iterable[str] | None) -> tuple[str, ...]:
    return tuple(name.strip().lower() for line in lines or () for name in line.split(",") if name.strip())


def _profile(text: str | None) -> str:
    name = (text or "default").strip()
    if name not in PROFILES:
        raise pytest.UsageError(f"citecheck_profile must be of {', '.join(PROFILES)}, not {name!r}")
    return name
