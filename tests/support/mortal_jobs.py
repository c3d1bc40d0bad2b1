"""Jobs of an audit that kill the process that performs them; with few imports, as each process begins with them."""

from __future__ import annotations

import os
from pathlib import Path

from pytest_citecheck.audit import Job


def dying_once(job: Job) -> int:
    """The first start of the second job kills."""
    mark = Path(job.folder, f"begun-{job.number}")
    if job.number == 1 and not mark.exists():
        mark.touch()
        os._exit(1)
    return job.number


def dying(job: Job) -> int:
    """Every start kills."""
    del job
    os._exit(1)
