"""Documents of an audit become pages, JSON and JUnit."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from pytest_citecheck.cli import main


def test_chosen_documents_are_reported(
    tmp_path: Path, corpus: Path, index: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(corpus, "c.bib").write_text("@misc{x, title = {A title}, author = {Doe, Jane}, year = {2019}}")
    out, page, data, junit = (tmp_path / name for name in ("out", "page.html", "data.json", "junit.xml"))
    assert main(["audit", str(corpus), "-o", str(out), "--index", str(index), "-n", "0", "--prior", "0.3"]) == 1
    chosen = ["report", str(out), "--document", "a.*"]
    assert main([*chosen, "--html", str(page), "--json", str(data), "--junit", str(junit)]) == 0
    report = json.loads(data.read_bytes())
    assert {one["path"] for one in report["references"]} == {"a.bib"}
    assert report["summary"]["verdicts"]["misdescribed"] == 1
    assert "right0" in page.read_text()
    suite = ET.parse(junit).getroot()[0]  # noqa: S314 - written here
    failed = [case.get("name") for case in suite.iter("testcase") if case.find("failure") is not None]
    errors = [
        f"{one['id'].partition('::')[2]}[{check}]"
        for one in report["references"]
        for check, finding in one["checks"].items()
        if finding["severity"] == "error"
    ]
    assert failed == errors != []
    assert suite.get("failures") == str(len(failed))
    assert main(["report", str(out), "--worst", "1", "--json", str(data)]) == 0
    assert len({one["path"] for one in json.loads(data.read_bytes())["references"]}) == 1
    assert main(["report", str(out), "--document", "z", "--json", str(data)]) == 2
    assert main(["report", str(corpus), "--html", str(page)]) == 2
    assert "not of an audit" in capsys.readouterr().err
