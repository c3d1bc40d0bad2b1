"""The options that decide which answers a run gets: sources, recordings, and how old an answer may be."""

from __future__ import annotations

import datetime
import os
from pathlib import Path

import pytest

from pytest_citecheck.plugin.features import Option
from pytest_citecheck.plugin.options import OPTIONS, environment_value
from pytest_citecheck.today import today


def oldest_day(text: str) -> str:
    """The first day of which a recorded answer is young enough, as ISO 8601; empty if the age does not matter.

    text: a number of days. Raises ValueError.
    """
    if not text.strip():
        return ""
    try:
        days = datetime.timedelta(days=float(text))
        return (today() - days).isoformat() if days else ""
    except (ValueError, OverflowError) as error:
        raise ValueError(f"citecheck_max_age is a number of days, not {text!r}") from error


ANSWER_OPTIONS: tuple[Option, ...] = tuple(
    option
    for option in OPTIONS
    if option.flag
    and option.dest
    in {
        *("citecheck_index", "citecheck_cassettes", "citecheck_offline", "citecheck_cache", "citecheck_refresh"),
        *("citecheck_timeout", "citecheck_profile", "citecheck_policy", "citecheck_contact", "citecheck_rate"),
        *("citecheck_base_url", "citecheck_urls", "citecheck_prior", "citecheck_baseline"),
        *("citecheck_sources", "citecheck_exclude"),
    }
)
"""The options that decide which answers a run gets and how it judges them; commands such as ``citecheck fix`` have them too."""


_WITHOUT_EFFECT = frozenset({"citecheck_refresh", "citecheck_timeout", "citecheck_contact", "citecheck_rate"})


def stated_arguments(config: pytest.Config) -> list[str]:
    """Return `answer_arguments` for a report, which contains no server of a user and no path of the machine."""
    found = []
    for argument in answer_arguments(config):
        flag, equals, value = argument.partition("=")
        if flag in ("--base-url", "--cache"):  # an answer is the same wherever it was kept
            continue
        if Path(value).is_absolute():
            inside = Path(value).is_relative_to(config.rootpath)
            value = Path(value).relative_to(config.rootpath).as_posix() if inside else Path(value).name
        found.append(f"{flag}{equals}{value}")
    return found


def answer_arguments(config: pytest.Config) -> list[str]:
    """Return the options of this run that decide its answers and verdicts, as ``citecheck fix`` takes them.

    Environment variables reach the next command anyway. Limits and contact data do not change a verdict.
    """
    from pytest_citecheck.checks import DEFAULT  # noqa: PLC0415 - slow to import; the table above is read often

    base = config.inipath.parent if config.inipath else config.rootpath
    found = []
    for option in ANSWER_OPTIONS:
        if option.dest in _WITHOUT_EFFECT:
            continue
        value = config.getoption(option.dest)
        if not value and option.ini and environment_value(option) is None and (value := config.getini(option.ini)):
            values = value if isinstance(value, list) else [value]
            value = [os.path.relpath(base / one) if option.is_path and one != "off" else one for one in values]
        if option.dest == "citecheck_policy" and value == DEFAULT.name:
            continue
        values = value if isinstance(value, list) else [value] if value else []
        flag = option.flag.replace("--citecheck-", "--")
        found += [flag if one is True else f"{flag}={one}" for one in values]
    return found
