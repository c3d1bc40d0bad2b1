"""Settings of a run that concern models: of arenas and calls, of claims, of self-checks."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import pytest

from pytest_citecheck.confinement import OutsideError
from pytest_citecheck.plugin import TrustError, demand_inside, is_from_ini, is_trusted, one_of

if TYPE_CHECKING:
    from pytest_citecheck.models.answer_log import Ask
    from pytest_citecheck.models.chat import KeyRules
    from pytest_citecheck.plugin import Settings


def read_settings(config: pytest.Config, value: Callable[[str], Any], base: Path) -> dict[str, Any]:
    """Settings by feature, from the values of the options. base: the folder of the settings file. Raises pytest.UsageError."""
    from_ini = is_from_ini(config, "citecheck_arena_output")
    arena = read_arena_settings(value, base if from_ini else Path())
    if arena.output is not None and from_ini:
        demand_inside(config, "citecheck_arena_output", arena.output, base)
    return {
        "arena": arena,
        "claims": read_claim_settings(value, lambda name: base if is_from_ini(config, name) else Path()),
        "selfcheck": read_selfcheck_settings(value),
    }


def of_arena(settings: Settings) -> ArenaSettings:
    """The settings of arenas and of calls."""
    return cast("ArenaSettings", settings.features["arena"])


def of_claims(settings: Settings) -> ClaimSettings:
    """The settings of claims."""
    return cast("ClaimSettings", settings.features["claims"])


def of_selfcheck(settings: Settings) -> SelfcheckSettings | None:
    """The settings of self-checks; None without them."""
    return cast("SelfcheckSettings | None", settings.features["selfcheck"])


def replays(settings: Settings) -> bool:
    """Return True if answers come from recordings only."""
    return settings.cassettes is not None and settings.record == "none"


def may_call(config: pytest.Config, settings: Settings) -> bool:
    """Return True if this process may call models over the network, so that keys are needed."""
    if hasattr(config, "workerinput") or config.getoption("collectonly") or settings.plan:
        return False
    return calls_models(settings)


def calls_models(settings: Settings) -> bool:
    """Return True if a run with these settings calls models over the network."""
    return not (settings.offline or replays(settings) or of_arena(settings).ask == "none")


@contextlib.contextmanager
def usage_errors(option: str, path: Path | None, *others: type[Exception]) -> Iterator[None]:
    """Raise pytest.UsageError for errors of a configuration and of files. path: of an error that names no file."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise pytest.UsageError(f"{option}: {path} is not in UTF-8 (byte {error.start + 1})") from error
    except _configuration_errors(others) as error:
        raise pytest.UsageError(f"{option}: {error}") from error
    except OSError as error:
        raise pytest.UsageError(f"{option}: {error.filename or path}: {error.strerror or error}") from error


def _configuration_errors(others: tuple[type[Exception], ...]) -> tuple[type[Exception], ...]:
    from pytest_citecheck.models.chat import ConfigurationError  # noqa: PLC0415 - most runs have no model

    return (ConfigurationError, OutsideError, TrustError, *others)


def asks_here(session: pytest.Session) -> bool:
    """Return True if this process runs all items, so that it asks about them together before the first."""
    config = session.config
    distributed = hasattr(config, "workerinput") or config.pluginmanager.hasplugin("dsession")
    broken = session.testsfailed and not config.getoption("continue_on_collection_errors")
    return not distributed and not broken and not config.getoption("collectonly")


def key_rules(configuration: Path, allowed: Iterable[str]) -> KeyRules:
    """To which hosts the variables in a configuration may go. allowed: hosts that the user names. Raises TrustError."""
    from pytest_citecheck.models.chat import KeyRules  # noqa: PLC0415 - most runs have no model

    folder = configuration.parent.resolve()
    return KeyRules(folder, is_trusted(folder), frozenset(allowed))


@dataclass(frozen=True, slots=True)
class ArenaSettings:
    """Selected models and queries, requested answers, and the folder for the Arena's files.

    hosts: hosts to which configurations in untrusted folders may send variables. budget: US dollars without
    confirmation.
    """

    models: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    ask: Ask = "missing"
    output: Path | None = None
    hosts: tuple[str, ...] = ()
    budget: float | None = None


def read_arena_settings(value: Callable[[str], Any], base: Path) -> ArenaSettings:
    """From the values of the options. base: the folder that the output is relative to. Raises pytest.UsageError."""
    mode = one_of("citecheck_ask", value("citecheck_ask") or "missing", ("missing", "failed", "all", "none"))
    output = value("citecheck_arena_output")
    return ArenaSettings(
        _parts(value("citecheck_models")),
        _parts(value("citecheck_queries")),
        cast("Ask", mode),
        (base / Path(output).expanduser()).absolute() if output else None,
        _parts(value("citecheck_allow_endpoint")),
        _dollars(value("citecheck_budget")),
    )


def _dollars(text: str | None) -> float | None:
    if not text:
        return None
    try:
        dollars = float(text.strip().removeprefix("$"))
    except ValueError:
        dollars = -1.0
    if not 0 <= dollars < float("inf"):
        raise pytest.UsageError(f"citecheck_budget is a number of US dollars, not {text!r}")
    return dollars


def _parts(given: Iterable[str] | None) -> tuple[str, ...]:
    """The values of a repeatable option, which commas divide too."""
    return tuple(part.strip() for text in given or () for part in text.split(",") if part.strip())


Partial = Literal["warn", "pass", "fail"]
WITHOUT_MODEL = "overlap"


@dataclass(frozen=True, slots=True)
class ClaimSettings:
    """wanted: True if citations in manuscripts are claims. judges: the file of judges; None for the method without a
    model.

    sources: the folder of sources; None for the one beside a manuscript. partial: effect of partial support.
    """

    wanted: bool = False
    judges: Path | None = None
    sources: Path | None = None
    partial: Partial = "warn"
    version: str = "all"


def read_claim_settings(value: Callable[[str], Any], beside: Callable[[str], Path]) -> ClaimSettings:
    """From the values of the options. beside: the folder that a path is relative to, by its option. Raises pytest.UsageError."""

    def place(name: str) -> Path | None:
        text = value(name)
        return (beside(name) / Path(text).expanduser()).absolute() if text else None

    judges = value("citecheck_claims")
    partial = one_of("citecheck_claims_partial", value("citecheck_claims_partial") or "warn", get_args(Partial))
    sources = place("citecheck_claims_sources")
    if sources is not None and not sources.is_dir():
        raise pytest.UsageError(f"--citecheck-claims-sources: no such folder: {sources}")
    return ClaimSettings(
        wanted=bool(judges),
        judges=None if judges in (None, "", WITHOUT_MODEL) else place("citecheck_claims"),
        sources=sources,
        partial=cast("Partial", partial),
        version=value("citecheck_claims_version") or "all",
    )


CROSS = "cross"
"""The answers of two models to ``iq``, compared with one another."""

# In the order of items; numpy and the room of self-checks are not loaded to read options.
_METHODS = ("iq", "dq1", "dq2", "dq3", "year", "venue", CROSS)
_GROUPS = {"dq": ("dq1", "dq2", "dq3"), "all": _METHODS[:-1]}
_LOG = "selfcheck.jsonl"


@dataclass(frozen=True, slots=True)
class SelfcheckSettings:
    """methods: in the order of items. file: of the configuration; None for the arena of the run. models: names in it, or none."""

    methods: tuple[str, ...]
    file: Path | None
    models: tuple[str, ...]
    only_open: bool
    log: Path


def read_selfcheck_settings(value: Callable[[str], Any]) -> SelfcheckSettings | None:
    """From the values of the options; None without self-checks. Raises pytest.UsageError."""
    given = value("citecheck_selfcheck")
    if not given:
        for name in ("model", "for", "log"):
            if value(f"citecheck_selfcheck_{name}"):
                raise pytest.UsageError(f"--citecheck-selfcheck-{name} needs --citecheck-selfcheck")
        return None
    wanted: set[str] = set()
    for word in _parts([given.lower()]):
        if word not in (*_METHODS, *_GROUPS):
            raise pytest.UsageError(f"--citecheck-selfcheck: {word!r} is none of {', '.join((*_METHODS, *_GROUPS))}")
        wanted.update(_GROUPS.get(word, (word,)))
    file, _, names = (value("citecheck_selfcheck_model") or "").partition("::")
    models = _parts([names])
    if CROSS in wanted and len(models) != 2:
        raise pytest.UsageError(
            "--citecheck-selfcheck=cross compares two models: --citecheck-selfcheck-model=FILE::ONE,OTHER"
        )
    reach = one_of("citecheck_selfcheck_for", value("citecheck_selfcheck_for") or "open", ("open", "all"))
    return SelfcheckSettings(
        tuple(method for method in _METHODS if method in wanted),
        Path(file).expanduser().absolute() if file else None,
        models,
        reach == "open",
        Path(value("citecheck_selfcheck_log") or _LOG).expanduser().absolute(),
    )
