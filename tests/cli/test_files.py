"""Input and output files of the commands: protected from overwriting, of the wrong kind, or empty."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from pytest_citecheck.benchmark import file_kind
from pytest_citecheck.cli import all_commands, main, refuse_overwrite
from tests.cli.test_score import written_split, written_tool
from tests.support.metric_rows import MICRO_ENTRIES, MICRO_PREDICTIONS, H, V, said
from tests.support.report_data import reference, report
from tests.support.suites import first_fast


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    written_split(Path("split.jsonl"), MICRO_ENTRIES)
    written_tool(Path("tool.jsonl"), MICRO_PREDICTIONS)
    written_tool(Path("other.jsonl"), [said("h1", V), said("h2", H)])
    written_tool(Path("foreign.jsonl"), [said("elsewhere", H)])
    Path("empty.jsonl").write_bytes(b"")
    Path("blank.jsonl").write_bytes(b"\n\n")
    Path("run.xml").write_text("<testsuites/>", encoding="utf-8")
    Path("run.json").write_text(json.dumps(report(reference("a"))), encoding="utf-8")
    Path("refs.bib").write_text("@misc{a, title = {A}}", encoding="utf-8")
    if sys.platform == "win32":
        pytest.skip("links need rights there")
    Path("symlink").symlink_to("split.jsonl")
    Path("hardlink").hardlink_to("tool.jsonl")
    Path("folder").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        "score predictions --split split.jsonl tool.jsonl --json split.jsonl",
        "score predictions --split split.jsonl tool.jsonl --json folder/../tool.jsonl",
        "score predictions --split split.jsonl tool.jsonl other.jsonl --json other.jsonl",
        "score predictions --split split.jsonl tool.jsonl --json symlink",
        "score predictions --split symlink tool.jsonl --json split.jsonl",
        "score predictions --split split.jsonl tool.jsonl --json hardlink",
        "rank --split split.jsonl tool.jsonl other.jsonl --json tool.jsonl",
        "score junit run.xml --json run.xml",
        "report run.json --html run.json",
        "report run.json --markdown run.json",
        "mutate refs.bib --out refs.bib",
        "dataset baseline random --split split.jsonl --out split.jsonl",
        "dataset baseline ensemble_max --split split.jsonl --out other.jsonl --predictions tool.jsonl other.jsonl",
        "dataset baseline title_oracle --split split.jsonl --out split.jsonl --pool split.jsonl",
        "compare union --split split.jsonl tool.jsonl --json tool.jsonl",
        "compare power --split split.jsonl --json split.jsonl",
        "compare contamination --split split.jsonl tool.jsonl --corpus refs.bib --json refs.bib",
        "dataset inspect --split split.jsonl --out split.jsonl",
    ],
)
def test_no_command_writes_over_what_it_reads(files: Path, arguments: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.read_bytes() for path in files.iterdir() if path.is_file()}
    assert main(arguments.split()) == 2
    assert capsys.readouterr().err.split("refusing to overwrite the input file ")[1].strip()
    assert {path: path.read_bytes() for path in files.iterdir() if path.is_file()} == before


@pytest.mark.skipif(sys.platform == "win32", reason="needs /dev/null")
def test_what_is_no_regular_file_cannot_be_lost(files: Path) -> None:
    refuse_overwrite(
        [None, Path("/dev/null"), Path("new.json")], [Path("/dev/null"), Path("split.jsonl"), Path("none")]
    )


PREDICTIONS = "this file contains predictions, not labelled entries of a split"
SPLIT = "this file contains labelled entries of a split, not predictions"


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        ("score predictions --split tool.jsonl split.jsonl", 2, f"tool.jsonl: {PREDICTIONS}"),
        ("rank --split tool.jsonl other.jsonl split.jsonl", 2, f"tool.jsonl: {PREDICTIONS}"),
        ("dataset baseline random --split tool.jsonl --out new", 2, f"tool.jsonl: {PREDICTIONS}"),
        ("compare union --split tool.jsonl other.jsonl", 2, f"tool.jsonl: {PREDICTIONS}"),
        ("compare cutoff --split split.jsonl split.jsonl --date 2024-01-01", 1, f"skipped: split.jsonl: {SPLIT}"),
        ("compare power --split blank.jsonl", 2, "blank.jsonl: no entry in this file"),
        ("dataset stats --split tool.jsonl", 2, f"tool.jsonl: {PREDICTIONS}"),
        ("dataset diagnose --split split.jsonl --predictions split.jsonl", 2, f"split.jsonl: {SPLIT}"),
        ("dataset submit tool.jsonl --queue queue --by ada", 1, f"tool.jsonl: {PREDICTIONS}"),
        ("validate split.jsonl --against tool.jsonl", 2, f"tool.jsonl: {PREDICTIONS}"),
        ("validate tool.jsonl", 1, f"error: tool.jsonl: {PREDICTIONS}"),
        ("score predictions --split split.jsonl split.jsonl", 1, f"skipped: split.jsonl: {SPLIT}"),
        (
            "dataset baseline doi_only --split split.jsonl --out new --predictions split.jsonl",
            2,
            f"split.jsonl: {SPLIT}",
        ),
        ("score predictions --split split.jsonl empty.jsonl", 1, "skipped: empty.jsonl: no prediction in this file"),
        ("score predictions --split blank.jsonl tool.jsonl", 2, "blank.jsonl: no entry in this file"),
        ("validate empty.jsonl", 1, "error: empty.jsonl: no entry in this file"),
        ("validate blank.jsonl", 1, "error: blank.jsonl: no entry in this file"),
        ("rank --split split.jsonl tool.jsonl", 2, "nothing to rank: tool.jsonl is the only tool"),
        ("rank --split split.jsonl tool.jsonl foreign.jsonl", 1, "nothing to rank: only tool fits the split"),
        (
            "dataset baseline doi_only --split split.jsonl --out new",
            2,
            "the predictions of one tool: name them with --predictions",
        ),
        (
            "dataset baseline ensemble_max --split split.jsonl --out new --predictions tool.jsonl",
            2,
            "the predictions of at least 2 tools, one file each: name them with --predictions",
        ),
    ],
)
def test_one_line_says_what_is_wrong_with_a_file(
    files: Path, arguments: str, code: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments.split()) == code
    out, err = capsys.readouterr()
    lines = (out + err).splitlines()
    assert sum(told in line for line in lines) == 1
    assert len(lines) <= 3
    assert not (files / "new").exists()


@pytest.mark.parametrize("command", first_fast(["score predictions", "rank --bootstrap 10"]))
def test_files_that_do_not_fit_cost_only_themselves(
    files: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["--split", "split.jsonl", "foreign.jsonl", "tool.jsonl", "split.jsonl", "other.jsonl", "empty.jsonl"]
    assert main([*command.split(), *given, "--json", "scores.json"]) == 1
    out, err = capsys.readouterr()
    assert {line.split()[0] for line in out.splitlines()} >= {"tool", "other"}
    assert [line.split(": ")[1] for line in err.splitlines() if line.startswith("skipped")] == [
        *("split.jsonl", "empty.jsonl", "foreign.jsonl")
    ]
    assert Path("scores.json").exists()


def test_an_entry_among_predictions_costs_its_line(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Path("tool.jsonl").open("ab") as file:
        file.write(Path("split.jsonl").read_bytes().splitlines()[0])
    assert main(["score", "predictions", "--split", "split.jsonl", "tool.jsonl", "--strict"]) == 1
    assert "tool.jsonl:5: error: h1: this line is an entry of a split, not a prediction" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('{"bibtex_key": "a", "label": "VALID", "fields": {}}', "split"),
        ('{"bibtex_key": "a", "bibtex_type": "misc"}', "split"),
        ('no JSON\n[]\n\n{"bibtex_key": "a", "pred_label": "VALID"}', "predictions"),
        ('{"bibtex_key": "a", "prediction": "VALID"}', "predictions"),
        ('{"bibtex_key": "a"}', None),
        ('{"model": "m", "label": "VALID"}', None),
        ("", None),
    ],
)
def test_the_kind_of_a_file(text: str, kind: str | None) -> None:
    assert file_kind((text.encode(),)) == kind


@pytest.mark.parametrize(
    ("arguments", "inside"),
    [
        ("mutate refs.bib --out new", "pytest_citecheck.benchmark.benchmark"),
        ("report run.json --charts new", "pytest_citecheck.benchmark.draw_charts"),
        ("validate split.jsonl", "pytest_citecheck.benchmark.validate"),
        ("dataset baseline random --split split.jsonl --out new", "pytest_citecheck.inputs.load_split"),
        ("score predictions --split split.jsonl tool.jsonl", "pytest_citecheck.inputs.load_split"),
        ("score junit run.xml", "pytest_citecheck.benchmark.commands.score_junit.read_suites"),
        ("cache info --cache folder", "pytest_citecheck.net.cache.AnswerCache.statistics"),
        ("check refs.bib", "pytest.main"),
    ],
)
def test_an_interrupted_command_says_so(
    files: Path, arguments: str, inside: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(inside, interrupted)
    assert main(arguments.split()) == 130
    name = " ".join(arguments.split()[: 2 if arguments.startswith(("score", "dataset")) else 1])
    assert capsys.readouterr().err == f"citecheck {name}: interrupted\n"


@pytest.mark.parametrize("command", [*all_commands(), "score junit", "score predictions"])
def test_help_is_plain_text(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main([*command.split(), "--help"])
    assert stop.value.code == 0
    text = capsys.readouterr().out
    assert text.startswith("usage: citecheck ")
    assert "``" not in text
