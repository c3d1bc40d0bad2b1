"""The input arguments of all commands that read prediction files. Needs no extra."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.cli.benchmark.files import add_split_argument
from pytest_citecheck.readers.hallmark.schema import TIERS

if TYPE_CHECKING:
    import argparse

__all__ = ["add_input_arguments"]


def add_input_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the prediction files, the split and its filters."""
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path, help="predictions of a tool (JSON Lines)")
    add_split_argument(parser)
    parser.add_argument(
        "--dup-policy",
        choices=("first", "last"),
        default="last",
        help="which prediction counts if a key has several (default: last)",
    )
    parser.add_argument(
        "--filter-tier",
        metavar="N",
        type=int,
        choices=(1, 2, 3),
        help="score only hallucinated entries of this tier, and the valid ones",
    )
    parser.add_argument(
        "--filter-type",
        metavar="TYPE",
        choices=sorted(TIERS),
        help="score only hallucinated entries of this type, and the valid ones",
    )
