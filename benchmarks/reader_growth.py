"""Growth of the work of every reader on every marker, repeated: executed lines, steps charged to the budget, processor time.

``python -m benchmarks.reader_growth [NAME …]`` prints the cases whose lines or steps grow by more than 2.3 when a file doubles,
and those that take more than 0.6 s for 16,000 characters and more than five times as long for 48,000. NAME: a format in the
table.
"""

from __future__ import annotations

import sys
import time

from tests.support.grown_files import FRAMES, Case, cases, charged, is_superlinear
from tests.support.steps import steps

_SIZES = {"lines": (300, steps), "charged steps": (800, charged)}


def main(names: list[str]) -> int:
    """Print the cases that grow too fast and a summary. Returns 1 if there are any, or if no case has such a name."""
    checked = [case for case in cases() if not names or case.name in names]
    found = 0
    for case in checked:
        wrong = [kind for kind, (size, count) in _SIZES.items() if is_superlinear(case, size, count)]
        if _is_slow(case):
            wrong.append("processor time")
        if wrong:
            found += 1
            print(f"{case}: {', '.join(wrong)}", flush=True)
    print(
        f"{len(checked)} cases of {len({case.name for case in checked})} of {len(FRAMES)} formats, {found} grow too fast"
    )
    return int(found > 0 or not checked)


def _is_slow(case: Case) -> bool:
    short = _seconds(case, 16_000)
    return short > 0.6 and _seconds(case, 48_000) > 5 * short


def _seconds(case: Case, characters: int) -> float:
    case.read(1000)()  # what is computed once in a process
    run = case.read(characters)
    begin = time.thread_time()
    run()
    return time.thread_time() - begin


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
