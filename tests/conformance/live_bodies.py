"""Output of `citecheck doctor --shapes DIR`: responses of the live services to their witnesses, reduced to the fields read.

The folder is CITECHECK_BODIES, or else ``bodies`` next to this module. Without it there are none.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pytest_citecheck.doctor import INDEX, change, expected_shape
from pytest_citecheck.model import Found
from pytest_citecheck.sources import Response, source
from tests.conformance.recorded import assert_plausible

FOLDER = Path(os.environ.get("CITECHECK_BODIES") or Path(__file__).with_name("bodies"))


def rows(folder: Path) -> Sequence[dict[str, Any]]:
    """One dictionary an answer; none without a folder."""
    index = folder / INDEX
    return [json.loads(line) for line in index.read_text(encoding="utf-8").splitlines()] if index.exists() else []


def assert_read(folder: Path, row: dict[str, Any]) -> None:
    """The parser finds the witness in this answer, and the answer has the shipped shape."""
    asked = source(row["service"])
    control = asked.samples()[row["kind"]]
    assert control.value == row["control"]
    expected = expected_shape(asked, control)
    assert expected, "python -m tests.stand_ins.shapes"
    if row["places"]:
        stated = json.loads((folder / row["file"]).read_text(encoding="utf-8"))
        assert not expected.needed.keys() - stated.keys(), f"the parser did not read the answer of {row['date']}"
        return
    body = (folder / row["file"]).read_bytes()
    response = Response(row["status"], body, {"content-type": row["content_type"]}, row["date"])
    answer = asked.parse([control], response)[control]
    assert isinstance(answer, Found)
    for record in answer.records:
        assert_plausible(record)
    found = change(expected, body, answer)
    assert not found, found
