"""Requirements for entries before they are added to a benchmark."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz import fuzz

from pytest_citecheck.benchmark import earlier_titles, sorted_words, validate
from pytest_citecheck.cli import main
from pytest_citecheck.inputs import FALSE_SUBTESTS, SUBTESTS, TIERS, Problem, Split, read_split

FIELDS = {"title": "On Nothing", "author": "Ada Nobody", "year": "2020"}
VALID: dict[str, Any] = {
    "bibtex_key": "a",
    "bibtex_type": "article",
    "fields": FIELDS,
    "label": "VALID",
    "generation_method": "scraped",
    "publication_date": "2020",
    "added_to_benchmark": "2026-02-14",
    "subtests": {"title_exists": True, "fields_complete": False, "cross_db_agreement": False, "doi_resolves": None},
}
WRONG = {
    **VALID,
    "label": "HALLUCINATED",
    "hallucination_type": "wrong_venue",
    "difficulty_tier": 2,
    "explanation": "another venue",
    "subtests": {"venue_correct": False, "cross_db_agreement": False, "title_exists": True},
}


def split(path: str, *entries: dict[str, Any]) -> Split:
    return read_split(path, (b"\n".join(json.dumps(entry).encode() for entry in entries),))


def problems(*entries: dict[str, Any], against: tuple[Split, ...] = ()) -> tuple[Problem, ...]:
    count, found = validate("c.jsonl", (b"\n".join(json.dumps(entry).encode() for entry in entries),), against)
    assert count == len(entries)
    return found


def titled(key: str, title: str) -> dict[str, Any]:
    return VALID | {"bibtex_key": key, "fields": FIELDS | {"title": title}}


@pytest.mark.parametrize("entry", [VALID, WRONG])
def test_nothing_is_wrong_with_a_whole_entry(entry: dict[str, Any]) -> None:
    assert problems(entry) == ()


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (VALID | {"bibtex_key": None}, "“bibtex_key” is missing"),
        (VALID | {"bibtex_type": ""}, "“bibtex_type” is missing"),
        (VALID | {"fields": FIELDS | {"title": " "}}, "missing `fields.title`"),
        (VALID | {"fields": {"title": "T", "year": "2020"}}, "missing `fields.author`"),
        (VALID | {"fields": {"title": "T", "author": "A"}}, "missing `fields.year`"),
        (VALID | {"fields": FIELDS | {"year": 2020}}, "“fields.year” is a number, 2020, and is read as text"),
        (VALID | {"label": None}, "missing `label`"),
        (VALID | {"label": "FAKE"}, "“label” is 'FAKE', not one of VALID, HALLUCINATED"),
        (
            VALID | {"hallucination_type": "wrong_venue"},
            "`hallucination_type` is 'wrong_venue', but the label is VALID",
        ),
        (VALID | {"difficulty_tier": 1}, "`difficulty_tier` is 1, but the label is VALID"),
        (VALID | {"bibtex_key": "__canary__1"}, "keys with this prefix are canaries and are dropped from every split"),
        (WRONG | {"hallucination_type": None}, "“hallucination_type” is missing"),
        (WRONG | {"hallucination_type": "typo"}, "“hallucination_type” is 'typo', which is not a known type"),
        (WRONG | {"difficulty_tier": 4}, "“difficulty_tier” is 4, not 1, 2 or 3"),
        (WRONG | {"difficulty_tier": 3}, "`difficulty_tier` is 3, but wrong_venue has tier 2"),
        (WRONG | {"explanation": " "}, "missing `explanation`: say what is wrong with a hallucinated entry"),
    ],
)
def test_errors(entry: dict[str, Any], said: str) -> None:
    assert [(problem.line, problem.severity, problem.message) for problem in problems(entry)] == [(1, "error", said)]


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (VALID | {"generation_method": "dreamt"}, "unknown `generation_method` 'dreamt'"),
        (VALID | {"generation_method": None}, "missing `generation_method`"),
        (VALID | {"publication_date": None}, "missing `publication_date`"),
        (VALID | {"added_to_benchmark": ""}, "missing `added_to_benchmark`"),
        (VALID | {"publication_date": "May"}, "`publication_date` is 'May', not a date like 2024-05-31, 2024-05 or 2024"),
        (VALID | {"subtests": {"is_nice": True}}, "unknown sub-test `subtests.is_nice`"),
        (VALID | {"subtests": {"authors_match": False}}, "`subtests.authors_match` is false, but the label is VALID"),
        (VALID | {"subtests": {"doi_resolves": True}}, "`subtests.doi_resolves` is set, but the entry has no DOI"),
        (WRONG | {"subtests": {"venue_correct": True}}, "`subtests.venue_correct` is true, but must be false for wrong_venue"),
        (WRONG | {"subtests": {"venue_correct": None}}, "`subtests.venue_correct` is null, but must be false for wrong_venue"),
        (WRONG | {"subtests": {"venue_real": True}}, "`subtests.venue_correct` is true, but must be false for wrong_venue"),
        (
            WRONG | {"subtests": {"cross_db_agreement": True}},
            "`subtests.cross_db_agreement` is true, but must be false for wrong_venue",
        ),
    ],
)  # fmt: skip
def test_warnings(entry: dict[str, Any], said: str) -> None:
    assert [(problem.severity, problem.message) for problem in problems(entry)] == [("warning", said)]


def test_the_table_of_false_subtests_is_about_the_known_types_and_subtests() -> None:
    assert set(FALSE_SUBTESTS) == set(TIERS)
    assert set().union(*FALSE_SUBTESTS.values()) == set(SUBTESTS) - {"cross_db_agreement"}


def test_the_table_of_types_is_documented_as_it_is() -> None:
    page = (Path(__file__).parents[3] / "docs" / "benchmark-formats.md").read_text(encoding="utf-8")
    for name, false in FALSE_SUBTESTS.items():
        listed = ", ".join(f"`{subtest}`" for subtest in sorted(false))
        assert f"| `{name}` | {TIERS[name]} | {listed} |" in page


def test_all_that_is_wrong_is_said_by_line() -> None:
    found = problems(VALID | {"label": None, "fields": {}}, WRONG | {"bibtex_key": "b", "explanation": ""})
    assert [(problem.line, problem.key) for problem in found] == [(1, "a")] * 4 + [(2, "b")]


def test_lines_that_are_no_entries_are_errors() -> None:
    count, found = validate("c", (b'{"bibtex_key": "x"\n\n' + json.dumps(VALID).encode(),))
    assert (count, [(problem.line, problem.key, problem.severity) for problem in found]) == (2, [(1, "x", "error")])


def test_keys_and_titles_that_are_there_already() -> None:
    known = split("old.jsonl", titled("z", "Something Else"), titled("k", "On {N}othing at All"))
    found = problems(
        titled("k", "Quite New"), titled("n", "at all: on nothing!"), titled("n", "Newer Still"), against=(known,)
    )
    assert [str(problem) for problem in found] == [
        "c.jsonl:1: error: k: duplicate key, first used at old.jsonl:2",
        "c.jsonl:2: error: n: same title as k at old.jsonl:2",
        "c.jsonl:3: error: n: duplicate key, first used at c.jsonl:2",
    ]


def made(key: str, source: str, method: str = "perturbation") -> dict[str, Any]:
    return WRONG | {"bibtex_key": key, "source": source, "generation_method": method}


@pytest.mark.parametrize(
    ("entries", "copies"),
    [
        ((VALID, made("b", "")), []),  # another label
        ((VALID, VALID | {"bibtex_key": "b"}), [(2, "a")]),
        ((made("a", "x"), made("b", "x")), []),
        ((made("a", "x"), made("b", "y")), []),  # titles of the same references may be put together twice
        ((made("a", ""), made("b", "")), [(2, "a")]),  # perturbations of nobody knows what
        ((made("a", "x", "llm_generated"), made("b", "x", "llm_generated")), [(2, "a")]),
        ((made("a", "x"), made("b", "x", "adversarial"), made("c", "x")), [(2, "a"), (3, "b")]),
        ((made("a", "x"), VALID | {"bibtex_key": "b"}, VALID | {"bibtex_key": "c"}), [(3, "b")]),
    ],
)
def test_titles_that_may_come_back_within_a_file(entries: tuple[dict[str, Any], ...], copies: list[Any]) -> None:
    assert [(problem.line, problem.message) for problem in problems(*entries)] == [
        (line, f"same title as {key} at c.jsonl:{'abc'.index(key) + 1}") for line, key in copies
    ]


def test_no_title_of_a_split_may_come_back() -> None:
    known = split("old.jsonl", made("k", "x"))
    for entry in (VALID, made("n", "x")):
        (problem,) = problems(entry, against=(known,))
        assert problem.message == "same title as k at old.jsonl:1"


# In 38 letters and spaces one more letter leaves 2 * 38 / 77 = .987 in common; in 9 one more leaves 18 / 19 = .947.
@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Deep learning for graphs of many kinds", "Deep learnings for graphs of many kinds", True),
        ("Graph of Many Kinds, for Deep Learning", "Deep learning for {G}raph of many kinds.", True),
        ("On graphs", "On graphss", False),
        (r"\emph{Sch\"on} und gut", "gut und schon", True),
        ("", "", False),
        ("!?", "!?", False),
        ("x" * 1500, "x" * 1500, True),
        ("x" * 1500, "x" * 1499, False),  # titles of this length are compared for being equal only
    ],
)
def test_titles_that_are_the_same(one: str, other: str, same: bool) -> None:
    assert earlier_titles([one, other]) == ({1: 0} if same else {})
    assert earlier_titles([one, other], since=2) == {}


WORDS = st.lists(st.sampled_from(["deep", "deeper", "graph", "graphs", "of", "learning"]), max_size=12).map(" ".join)


@given(st.lists(WORDS, max_size=12))
def test_no_pair_of_equal_titles_is_missed(titles: list[str]) -> None:
    """The same as comparing each with each."""
    texts = [sorted_words(title) for title in titles]
    expected = {
        place
        for place, text in enumerate(texts)
        if text and any(other and fuzz.ratio(text, other) >= 95 for other in texts[:place])
    }
    assert set(earlier_titles(titles)) == expected


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad, old = tmp_path / "good.jsonl", tmp_path / "bad.jsonl", tmp_path / "old.jsonl"
    good.write_text(json.dumps(VALID | {"publication_date": ""}))
    bad.write_text(json.dumps(VALID | {"label": "\x1b[2J"}))
    old.write_text(json.dumps(VALID))
    assert main(["validate", str(good)]) == 0
    assert capsys.readouterr().out == (
        f"{good}:1: warning: a: missing `publication_date`\n{good}: 1 entry, 0 errors, 1 warning\n"
    )
    assert main(["validate", str(good), str(bad)]) == 1
    assert "\x1b" not in capsys.readouterr().out
    assert main(["validate", str(good), "--against", str(old)]) == 1
    assert f"{good}: 1 entry, 2 errors, 1 warning" in capsys.readouterr().out
    many = [VALID | {"bibtex_key": f"k{place}", "added_to_benchmark": ""} for place in range(40)]
    bad.write_text("".join(json.dumps(entry) + "\n" for entry in many))
    capsys.readouterr()
    assert main(["validate", str(bad)]) == 1
    told = capsys.readouterr().out.splitlines()  # 39 titles occur before, and no date is there
    assert [sum(f" {kind}: " in line for line in told) for kind in ("error", "warning")] == [39, 1]
    assert told[0] == (f"{bad}:1: warning: k0: missing `added_to_benchmark` (and 39 more entries: --all prints them)")
    assert told[-1] == f"{bad}: 40 entries, 39 errors, 40 warnings"
    assert main(["validate", str(bad), "--all"]) == 1
    told = capsys.readouterr().out.splitlines()
    assert [line.split(":")[1] for line in told[:3]] == ["1", "2", "2"]
    assert len(told) == 39 + 40 + 1
    assert main(["validate", str(tmp_path / "none")]) == 2
    assert main(["validate", str(good), "--against", str(tmp_path / "none")]) == 2
    assert "No such file" in capsys.readouterr().err
