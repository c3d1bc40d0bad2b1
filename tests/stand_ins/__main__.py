"""``python -m tests.stand_ins --port 0``: print the base URLs of the local services, serve until stopped."""

from __future__ import annotations

import argparse
import contextlib
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.stand_ins.facts_file import FactsError
from tests.stand_ins.faults import KINDS
from tests.stand_ins.server import FACTS_FILE, LocalServices

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until interrupted or terminated; returns 0, or 2 when the facts or the port cannot be used."""
    parser = argparse.ArgumentParser(prog="python -m tests.stand_ins", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="port on 127.0.0.1 (default: a free one)")
    parser.add_argument("--facts", type=Path, default=FACTS_FILE, help="YAML file of bibliographic facts")
    parser.add_argument(
        "--fault",
        action="append",
        default=[],
        type=_fault,
        metavar="SERVICE=KIND[,times=N][,rate=R][,seed=S]",
        help=f"switch a fault on (repeatable); kinds: {', '.join(sorted(KINDS))}",
    )
    options = parser.parse_args(arguments)
    try:
        services = LocalServices(options.facts, port=options.port)
    except (FactsError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    with services, contextlib.suppress(KeyboardInterrupt):
        for fault in options.fault:
            try:
                services.fault(**fault)
            except (KeyError, ValueError) as error:
                print(error.args[0], file=sys.stderr)
                return 2
        for name, url in services.mirrors.items():
            print(f"{name}={url}", flush=True)
        while True:
            signal.pause()
    return 0


def _fault(text: str) -> dict[str, Any]:
    first, *settings = text.split(",")
    service, _, kind = first.partition("=")
    fault: dict[str, Any] = {"service": service, "kind": kind}
    kinds = {"times": int, "rate": float, "seed": int}
    for setting in settings:
        name, _, value = setting.partition("=")
        if name not in kinds:
            raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(kinds)}")
        fault[name] = kinds[name](value)
    return fault


if __name__ == "__main__":
    raise SystemExit(main())
