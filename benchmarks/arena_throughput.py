"""An arena of three models against local servers that take 50 ms for each call.

    python -m benchmarks.arena_throughput [QUERIES] [--check]

Without arguments: 500 queries, five references in each answer. Prints how long asking took beside the bound that the limits of
concurrency give (calls of an endpoint / its concurrency x latency; endpoints are asked at the same time), and the peak memory of
the run. With ``--check`` the references are looked up and checked too, at local services without latency.
"""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from tests.stand_ins.generated import generated_world
from tests.stand_ins.model_endpoints import Call, ModelEndpoints, Said
from tests.stand_ins.server import LocalServices

_LATENCY = 0.05  # seconds
_REFERENCES = 5
_CONCURRENCY = {"one": 5, "two": 10, "three": 20}
_YAML = """
task: {{description: throughput}}
dataset: {{path: queries.json}}
target_endpoints:
{endpoints}
output: {{output_dir: out}}
report: {{enabled: false, chart: {{enabled: false}}}}
"""


@dataclass(frozen=True, slots=True)
class Measured:
    """calls: of all models. asking: seconds from the first to the last call. bound: the minimum under the limits.

    seconds, memory: of the whole run, in MB.
    """

    calls: int
    asking: float
    bound: float
    seconds: float
    memory: float
    end: str


def measure(folder: Path, queries: int, *, check: bool) -> Measured:
    """Run the arena once in an empty folder."""
    world = generated_world(max(200, queries))
    entries = re.split(r"\n(?=@)", world.bibliography)
    moments: list[float] = []
    lock = threading.Lock()

    def script(call: Call) -> Said:
        began = time.monotonic()
        number = int(call.messages[-1]["content"].rpartition(" ")[2])
        time.sleep(_LATENCY)
        with lock:
            moments.extend((began, time.monotonic()))
        return Said("\n".join(entries[(number * _REFERENCES + place) % len(entries)] for place in range(_REFERENCES)))

    with ModelEndpoints(script) as models, LocalServices(world.facts) as services:
        url = models.base_urls["openai"]
        endpoints = "\n".join(
            f"  {name}: {{base_url: {url}, api_key: k-1234567, model: {name}, max_concurrency: {most}}}"
            for name, most in _CONCURRENCY.items()
        )
        (folder / "arena.yaml").write_text(_YAML.format(endpoints=endpoints), encoding="utf-8")
        asked = [{"query": f"works on topic {number}", "num_refs": _REFERENCES} for number in range(queries)]
        (folder / "queries.json").write_text(json.dumps(asked), encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "--citecheck=arena.yaml", "-q", "--tb=no", "-p", "no:cacheprovider"]
        for name, base in services.base_urls.items():
            command += [f"--citecheck-base-url={name}={base}", f"--citecheck-rate={name}=10000"]
        command += [f"--citecheck-cache={folder / 'cache'}", *(() if check else ("-k", "nothing"))]
        began = time.monotonic()
        done = subprocess.run(command, cwd=folder, env=dict(os.environ), capture_output=True, text=True, check=False)
        seconds = time.monotonic() - began
    return Measured(
        calls=len(moments) // 2,
        asking=max(moments) - min(moments),
        bound=max(queries / most for most in _CONCURRENCY.values()) * _LATENCY,
        seconds=seconds,
        memory=resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024,
        end=(done.stdout or done.stderr).strip().splitlines()[-1],
    )


def main() -> None:
    """Print one measurement."""
    numbers = [int(argument) for argument in sys.argv[1:] if argument.isdecimal()]
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder), numbers[0] if numbers else 500, check="--check" in sys.argv)
    print(f"{found.calls} calls in {found.asking:.1f} s; the limits allow {found.bound:.1f} s")
    print(f"whole run {found.seconds:.1f} s, {found.memory:.0f} MB at most: {found.end}")


if __name__ == "__main__":
    main()
