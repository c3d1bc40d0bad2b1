"""Numbers on one screen add up: the last line, the headings, the lists and the table of a run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_citecheck.cli import main

ROOT = Path(__file__).parents[2]
CASSETTES = ROOT / "cassettes"
BROKEN = "\n@article{x, title = {a"  # it ends inside a field, so no check can read it
ENTRIES = re.split(r"(?m)^(?=@)", (ROOT / "fixtures" / "hallucinated.bib").read_text("utf-8"))
TEXT = "".join(ENTRIES[1::5]) + BROKEN
STATED = ("default", "neurips-2026", "lenient")
HEADING = re.compile(r"^(\w+)\b.* \((\d+) references?\):$")
SELECTIONS: tuple[list[str], ...] = ([], ["--select=title"], ["--select=doi,completeness"], ["-k", "not venue"])


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wrong.bib").write_text(TEXT, "utf-8")


def parts_of(line: str) -> tuple[int, dict[str, int]]:
    """The number of references in a sentence, and the counts in its brackets or after its colon."""
    total = re.search(r"(\d+) references?\b(?: was checked)?(?: \(|: )([^);]*)", line)
    assert total is not None, line
    counts = re.findall(r"(\d+) ([a-z ]+)", total[2])
    return int(total[1]), {name.strip(): int(count) for count, name in counts}


@pytest.mark.sample(1)
@pytest.mark.parametrize("selection", SELECTIONS, ids=" ".join)
def test_verdicts_of_the_last_line_add_up(selection: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    main(["wrong.bib", f"--cassettes={CASSETTES}", *selection])
    last = capfd.readouterr().out.splitlines()[-1]
    total, counts = parts_of(last)
    assert sum(counts.values()) in (total, 0), last
    assert counts or selection
    assert not counts or ("without a verdict" in counts) == bool(selection)


@pytest.mark.exhaustive
@pytest.mark.parametrize("policy", STATED)
@pytest.mark.parametrize("answers", [f"--cassettes={CASSETTES}", "--offline"])
def test_headings_agree_with_the_last_line(policy: str, answers: str, capfd: pytest.CaptureFixture[str]) -> None:
    main(["wrong.bib", answers, "--cache=off", f"--policy={policy}"])
    lines = capfd.readouterr().out.splitlines()
    _, counts = parts_of(lines[-1])
    headings = [(found[1], int(found[2])) for line in lines if (found := HEADING.match(line))]
    for verdict in ("fabricated", "unfindable", "misdescribed"):
        listed = sum(count for name, count in headings if name == verdict)
        assert listed <= counts.get(verdict, 0), "under some policies, some only have warnings"
        assert policy != "default" or listed == counts.get(verdict, 0)
    undecided = [line for line in lines if line.startswith("undecided (")]
    for line in undecided:
        place = lines.index(line)
        of_reasons = [re.match(r"  (\d+) references?: ", one) for one in lines[place + 1 :]]
        assert sum(int(one[1]) for one in of_reasons if one) == counts["undecided"] == parts_of_heading(line)


def parts_of_heading(line: str) -> int:
    found = HEADING.match(line)
    assert found is not None
    return int(found[2])


@pytest.mark.exhaustive
@pytest.mark.parametrize("policy", STATED)
def test_no_reference_is_listed_twice(policy: str, capfd: pytest.CaptureFixture[str]) -> None:
    main(["wrong.bib", f"--cassettes={CASSETTES}", f"--policy={policy}"])
    above, _, undecided = capfd.readouterr().out.partition("\nundecided (")
    found = set(re.findall(r"^  wrong\.bib:\d+ (\S+)", above, re.MULTILINE))
    keys = {key.strip(",") for line in undecided.splitlines() if line.startswith("    ") for key in line.split()}
    assert found
    assert not found & keys


@pytest.mark.exhaustive
@pytest.mark.parametrize("more", [[], ["--citecheck-strict"]])
@pytest.mark.parametrize("policy", STATED)
def test_the_rows_of_the_table_add_up(pytester: pytest.Pytester, policy: str, more: list[str]) -> None:
    pytester.makefile(".bib", wrong=TEXT)
    options = [f"--citecheck-cassettes={CASSETTES}", f"--citecheck-policy={policy}", *more]
    result = pytester.runpytest("--citecheck=wrong.bib", *options)
    lines = result.stdout.lines
    place = next(number for number, line in enumerate(lines) if line.startswith("findings of"))
    columns = lines[place].split()[2:]
    rows = {}
    for line in lines[place + 1 :]:
        name, *numbers = line.split()
        if len(numbers) != len(columns) or not all(one == "." or one.isdigit() for one in numbers):
            break
        rows[name] = dict(zip(columns, (0 if one == "." else int(one) for one in numbers), strict=True))
    total, counts = parts_of(lines[place + 1 + len(rows)])
    assert sum(counts.values()) == total
    assert counts["unreadable"] == 1
    for name in ("doi", "title", "authors", "venue", "completeness", "cross_db"):
        assert sum(rows[name].values()) == total - 1
    outcomes = result.parseoutcomes()
    assert sum(row["failed"] for row in rows.values()) <= outcomes["failed"], "items of whole files may fail besides"
    assert sum(row["passed"] for row in rows.values()) <= outcomes["passed"]


@pytest.mark.exhaustive
@pytest.mark.parametrize("verbosity", [[], ["-q"]], ids=["", "-q"])
def test_an_outage_takes_two_lines_at_most(verbosity: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    """Whatever number of services is down: their names, with the reason, are in one line, and the last line stays."""
    down = [f"--base-url={name}=http://127.0.0.1:9" for name in NAMES]
    assert main(["wrong.bib", "--cache=off", f"--sources={','.join(NAMES)}", *down, *verbosity]) in (1, 3)
    lines = capfd.readouterr().out.splitlines()
    naming = [
        line
        for line in lines[:-1]
        if not line.startswith("citecheck: ")
        if re.search(r"services?, |unanswered|DataCite|Crossref:", line)
    ]
    assert len(naming) <= 2
    assert "no service answered: " in "\n".join(lines)
    assert re.match(r"\d+ (errors?|references, none)\b", lines[-1])


NAMES = ("crossref", "datacite", "semantic_scholar", "europe_pmc")
