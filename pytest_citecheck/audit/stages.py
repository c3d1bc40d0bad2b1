"""The stages that workers do, partition by partition."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pytest_citecheck.audit.exact_join import extract_keys
from pytest_citecheck.audit.judging import judge_partition
from pytest_citecheck.audit.workbench import Workbench

__all__ = ["STAGES"]

STAGES: Mapping[str, Callable[[Workbench, int], int]] = {"keys": extract_keys, "judge": judge_partition}
