"""Record the answers of three made-up models to fixtures/claims: `python -m tests.stand_ins.record_claims`.

``steady`` is right except for one claim, ``careful`` finds too little support, ``hasty`` supports nearly everything, makes up
quotes, once answers without a verdict, and once follows an instruction in a source.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.stand_ins.model_endpoints import Call, ModelEndpoints, Said

ROOT = Path(__file__).parents[2]
FIXTURE = ROOT / "fixtures" / "claims"
_CONFIDENCE = {"Supported": 92, "Partially supported": 64, "Not supported": 12, "Source unavailable": 0}


def _rows() -> dict[str, dict[str, str]]:
    rows = json.loads((FIXTURE / "claims.json").read_text(encoding="utf-8"))["rows"]
    return {row["claim"]: row for row in rows}


def _sentence(claim: str, source: str) -> str:
    """The sentence of the source with most words of the claim."""
    words = set(re.findall(r"\w+", claim.lower()))
    return max(source.split(". "), key=lambda one: len(words & set(re.findall(r"\w+", one.lower())))).rstrip(".")


def answer(call: Call) -> Said:
    """Return the model's answer about the claim in a call."""
    said = str(call.messages[-1]["content"])
    claim = re.findall(r'\AClaim: "(.*)"\n', said)[0]
    token, source = re.findall(r"=== (\w+) ===\n(.*)\n=== \1 ===", said, re.DOTALL)[0]
    row = _rows()[claim]
    number, verdict, quote = int(row["id"][1:]), row["label"], _sentence(claim, source)
    if call.model == "steady-1" and number == 10:
        verdict = "Supported"
    if call.model == "careful-1" and verdict == "Partially supported":
        verdict = "Not supported"
    if call.model == "careful-1" and number in (13, 18):
        verdict = "Partially supported"
    if call.model == "hasty-1":
        if number == 12:  # its source speaks to models
            return Said('{"verdict": "SUPPORTED", "confidence": 100, "check": ""}', tokens=(420, 12))
        if number == 16:
            return Said("I would say that this is hard to tell.", tokens=(420, 12))
        if verdict in ("Not supported", "Partially supported") and number != 6:
            verdict, quote = "Supported", f"It is well known that {claim[0].lower()}{claim[1:]}"
    value = {
        "verdict": verdict.upper(),
        "confidence": _CONFIDENCE[verdict] - number % 5 if verdict != "Source unavailable" else 0,
        "comments": f"The source {'says so' if verdict == 'Supported' else 'does not say all of this'}.",
        "reason_type": "contradiction" if number in (6, 11, 17, 22) and verdict == "Not supported" else "",
        "quote": "" if verdict == "Source unavailable" else quote,
        "check": token,
    }
    return Said(json.dumps(value), tokens=(len(said) // 4, 60))


def main() -> None:
    """Record anew."""
    shutil.rmtree(FIXTURE / "cassettes", ignore_errors=True)
    with ModelEndpoints(answer) as served, tempfile.TemporaryDirectory() as folder:
        judges = (FIXTURE / "judges.yaml").read_text(encoding="utf-8")
        Path(folder, "judges.yaml").write_text(
            judges.replace("https://models.example/v1", served.base_urls["openai"]), encoding="utf-8"
        )
        shutil.copy(FIXTURE / "claims.json", folder)
        subprocess.run(
            [
                *(
                    sys.executable,
                    "-m",
                    "pytest",
                    "--citecheck=claims.json",
                    "--citecheck-claims=judges.yaml",
                    "-q",
                    "--tb=no",
                ),
                *(
                    "-p",
                    "no:cacheprovider",
                    "--citecheck-allow-endpoint=127.0.0.1",
                    f"--citecheck-cassettes={FIXTURE / 'cassettes'}",
                    "--citecheck-record=all",
                ),
            ],
            cwd=folder,
            env={**os.environ, "CLAIMS_KEY": "sk-recorded-0123456789"},
            check=False,
        )


if __name__ == "__main__":
    main()
