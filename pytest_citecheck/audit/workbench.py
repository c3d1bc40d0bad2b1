"""What a worker keeps open between partitions: the plan, the indexes, the policy."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.audit.index_copies import local_index
from pytest_citecheck.audit.plan import Folder
from pytest_citecheck.gather.index_source import IndexSource
from pytest_citecheck.verdict.policy_file import named_policy, read_policy

if TYPE_CHECKING:
    from pytest_citecheck.verdict.policies import Policy

__all__ = ["Workbench", "workbench"]

_KEPT = threading.local()  # an open index is good for one thread


class Workbench:
    """One audit as a worker sees it."""

    def __init__(self, path: Path) -> None:
        """Raises OSError, OtherAuditError, IndexFileError."""
        self.folder = Folder(path)
        self.plan = self.folder.plan()
        settings = self.plan.settings
        self.policy: Policy = (
            read_policy(settings.policy_text, settings.policy, settings.policy)
            if settings.policy_text
            else named_policy(settings.policy)
        )
        self.indexes = [
            IndexSource(local_index(address, expected), f"index-{number}" if number > 1 else "index")
            for number, (address, expected) in enumerate(settings.indexes, 1)
        ]

    def propose(self, number: int) -> None:
        """Give the first index what the join has found for a partition, if there was one."""
        if self.plan.settings.joined:
            from pytest_citecheck.audit.exact_join import proposals  # noqa: PLC0415 - needs pyarrow

            self.indexes[0].propose(proposals(self.folder, number))


def workbench(path: str) -> Workbench:
    """The one of this thread."""
    kept: tuple[str, Workbench] | None = getattr(_KEPT, "bench", None)
    if kept is None or kept[0] != path:
        kept = _KEPT.bench = path, Workbench(Path(path))
    return kept[1]
