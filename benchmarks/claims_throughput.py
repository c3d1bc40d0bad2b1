"""Claims judged by five models at a local server that takes 50 ms for each call.

    python -m benchmarks.claims_throughput [PAIRS]

Without arguments: 1,000 pairs. Prints how long asking took beside the bound that the limits of concurrency give (calls of an
endpoint / its concurrency x latency; endpoints are asked at the same time), and the time and peak memory of the whole run.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from tests.stand_ins.model_endpoints import Call, ModelEndpoints, Said

_LATENCY = 0.05  # seconds
_MODELS = 5
_CONCURRENCY = 5
_SOURCE = "The bridge of town {number} was finished in {year} after six years of work. It is {number} metres long. " * 8


def _pair(number: int) -> dict[str, str]:
    source = _SOURCE.format(number=number, year=1800 + number % 200)
    claim = f"The bridge of town {number} is {number} metres long."
    return {"id": f"row-{number}", "claim": claim, "source": source, "label": "Supported"}


def main() -> None:
    """Print one measurement."""
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    moments: list[float] = []
    lock = threading.Lock()

    def script(call: Call) -> Said:
        began = time.monotonic()
        time.sleep(_LATENCY)
        with lock:
            moments.extend((began, time.monotonic()))
        mark = str(call.messages[-1]["content"]).partition("=== ")[2].partition(" ===")[0]
        return Said(json.dumps({"verdict": "SUPPORTED", "confidence": 90, "reasoning": f"It says so. {mark}"}))

    with tempfile.TemporaryDirectory() as name, ModelEndpoints(script) as models:
        folder = Path(name)
        (folder / "claims.json").write_text(json.dumps({"rows": [_pair(number) for number in range(pairs)]}))
        judges = "\n".join(
            f"  m{number}: {{base_url: {models.base_urls['openai']}, api_key: k-1234567, model: m{number},"
            f" max_concurrency: {_CONCURRENCY}}}"
            for number in range(_MODELS)
        )
        (folder / "judges.yaml").write_text(f"target_endpoints:\n{judges}\n")
        command = "-m pytest --citecheck=claims.json --citecheck-claims=judges.yaml -q --tb=no -p no:cacheprovider"
        began = time.monotonic()
        done = subprocess.run(
            [sys.executable, *command.split()], cwd=folder, capture_output=True, text=True, check=False
        )
        seconds = time.monotonic() - began
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    bound = pairs / _CONCURRENCY * _LATENCY
    print(f"{len(moments) // 2} calls in {max(moments) - min(moments):.1f} s; the limits allow {bound:.1f} s")
    processor = used.ru_utime + used.ru_stime
    end = (done.stdout or done.stderr).strip().splitlines()[-1]
    print(
        f"whole run {seconds:.1f} s, {processor:.1f} s of processor time, {used.ru_maxrss / 1024:.0f} MB at most: {end}"
    )


if __name__ == "__main__":
    main()
