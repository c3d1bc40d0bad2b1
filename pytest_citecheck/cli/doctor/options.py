"""The options about servers, which are those of pytest."""

from __future__ import annotations

import argparse
from pathlib import Path

from pytest_citecheck.plugin.settings.options import OPTIONS

__all__ = ["SETTINGS", "add_settings"]

SETTINGS = {
    option.dest: option
    for option in OPTIONS
    if option.dest
    in {
        "citecheck_api_key",
        "citecheck_base_url",
        "citecheck_cache",
        "citecheck_contact",
        "citecheck_rate",
        "citecheck_timeout",
    }
}


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Add the options of pytest about servers, under their names without ``citecheck``."""
    parser.add_argument(
        "--config",
        type=Path,
        metavar="SETTINGS",
        help="read options from this settings file; servers and keys only if its folder is trusted. Default: the project's "
        "settings file, if its folder is trusted (citecheck trust)",
    )
    for option in SETTINGS.values():
        if option.flag:
            parser.add_argument(
                option.flag.replace("--citecheck-", "--"),
                dest=option.dest,
                action="append" if option.kind == "lines" else "store",
                metavar=option.metavar,
                help=option.help,
            )
