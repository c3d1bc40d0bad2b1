"""Find regular expressions of the package that take more than linear time on adversarial texts.

    python -m benchmarks.pumped_patterns

Tries all pumps of `tests.support.pumped_texts` on all patterns, which takes some minutes; the test suite tries some of them.
Prints a line for each superlinear pattern, and the number of trials. The exit status is 1 if there is any.
"""

from __future__ import annotations

import sys

from tests.support.package_patterns import collect_patterns
from tests.support.pumped_texts import pumps, superlinear_pumps


def main() -> int:
    patterns, _ = collect_patterns()
    slow = 0
    for found in patterns:
        for pump, grown in superlinear_pumps(found.pattern, found.methods):
            slow += 1
            print(f"{found.place} {sorted(found.methods)} {pump} {grown}", flush=True)
    tried = sum(len(pumps(found.pattern)) for found in patterns)
    print(f"{len(patterns)} patterns, {tried} pumps, {slow} superlinear")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
