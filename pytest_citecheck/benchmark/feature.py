"""The feature for benchmarks: labelled references, scores, and their options and commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pytest_citecheck.plugin.features import Option

if TYPE_CHECKING:
    from pytest_citecheck.plugin.extensions import Extensions
    from pytest_citecheck.plugin.features import Opening
    from pytest_citecheck.reports import Layout

OPTIONS = (
    Option(
        "citecheck_predictions", "text", "Benchmarks only: write a prediction for each entry (JSON Lines)",
        "--citecheck-predictions", "", "", "FILE",
    ),
    Option(
        "citecheck_expect", "text",
        "Benchmarks only: subject of the tests: citation = the reference (default); truth = the checker, which fails "
        "if a finding contradicts the label",
        "--citecheck-expect", "citecheck_expect", "CITECHECK_EXPECT", None, ("citation", "truth"),
    ),
    Option(
        "citecheck_fail_under", "text",
        "Benchmarks only: score thresholds that decide the exit code, such as f1=0.95,fpr<=0.03 for labelled "
        "references, verification_rate>=0.9 for models or claims_binary>=0.8 for judges of claims",
        "--citecheck-fail-under", "citecheck_fail_under", "CITECHECK_FAIL_UNDER", "GATES",
    ),
    Option(
        "citecheck_selftest", "text",
        "Test the checker: make N wrong references of each type (default: 5) from your correct ones and print the "
        "detection rates",
        "--citecheck-selftest", "", "", "N", None, "5",
    ),
)  # fmt: skip

CHECK_SETTINGS: dict[str, str] = {}

COMMANDS = {
    name: f"pytest_citecheck.benchmark.commands.{name}"
    for name in ("mutate", "validate", "dataset", "score", "rank", "compare")
}

SECTIONS = {"benchmarks": ("citecheck_selftest", "citecheck_fail_under")}

# ruff: noqa: PLC0415 - every run of pytest loads this file


def layouts() -> tuple[Layout, ...]:
    """The sections of scores."""
    from pytest_citecheck.benchmark import score_sections

    return (score_sections,)


def pytest_citecheck_settings(value: Callable[[str], Any], extensions: Extensions) -> dict[str, Any]:
    """Read the options above. Raises pytest.UsageError."""
    from pytest_citecheck.benchmark import read_benchmark_settings

    return {"benchmark": read_benchmark_settings(value, extensions.metrics)}


def pytest_citecheck_open(opening: Opening) -> None:
    """Let labels and scores take part in the run."""
    from pytest_citecheck.benchmark import BenchmarkRun, benchmark_settings

    opening.starts.append(BenchmarkRun)
    opening.outputs += filter(None, [benchmark_settings(opening.settings).predictions])
