"""Data sets of claims, in the shapes of their published files; the rows are made up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_citecheck.models.claims import ClaimFileError, ClaimPair, holds_claims, read_claim_file

CLAIM = "The tower was finished in 1832."
SCIFACT = {
    "id": 7,
    "claim": CLAIM,
    "cited_doc_ids": [11, 12],
    "evidence": {"11": [{"sentences": [1], "label": "CONTRADICT"}, {"sentences": [0], "label": "CONTRADICT"}]},
}
DOCUMENTS = [
    {"doc_id": number, "title": f"Title {number}", "abstract": ["One.", "Two."], "structured": False}
    for number in (11, 12)
]
FEVER = {
    "id": 91198,
    "verifiable": "VERIFIABLE",
    "label": "SUPPORTS",
    "claim": CLAIM,
    "evidence": [
        [[1, 2, "Port_Ellen_-LRB-Islay-RRB-", 0]],
        [[1, 3, "Port_Ellen_-LRB-Islay-RRB-", 1], [1, 3, "Gone", 1]],
    ],
}
UNKNOWN = {
    "id": 2,
    "verifiable": "NOT VERIFIABLE",
    "label": "NOT ENOUGH INFO",
    "claim": CLAIM,
    "evidence": [[[1, None, None, None]]],
}
PAGE = {
    "id": "Port_Ellen_-LRB-Islay-RRB-",
    "text": "t",
    "lines": "0\tThe tower -LRB- white -RRB- is old .\tIslay\tIslay\n1\tIt is high .\n2\t",
}
VITAMINC = {
    "unique_id": "5eb_1",
    "case_id": "5eb",
    "wiki_revision_id": "9",
    "label": "REFUTES",
    "claim": CLAIM,
    "evidence": "It was finished in 1932.",
    "page": "Tower",
    "revision_type": "real",
}
ATTRIBUTION = {
    "id": "HAGRID_3",
    "question": "When?",
    "claim": CLAIM,
    "response": CLAIM,
    "references": ["It was.", "In 1832."],
    "citation_links": [],
    "attribution_label": "attributable",
    "src_dataset": "HAGRID",
}
AVERITEC = {
    "claim": CLAIM,
    "required_reannotation": False,
    "speaker": None,
    "label": "Conflicting Evidence/Cherrypicking",
    "questions": [
        {
            "question": "When was it finished?",
            "answers": [
                {
                    "answer": "In 1832.",
                    "answer_type": "Extractive",
                    "source_url": "https://a.example",
                    "source_medium": "Web text",
                },
                {"answer": "No", "answer_type": "Boolean", "boolean_explanation": "It was in 1932.", "source_url": ""},
            ],
        }
    ],
}
ALCE = {
    "args": {"seed": 42},
    "data": [
        {
            "sample_id": "q1",
            "question": "When?",
            "answer": "1832",
            "docs": [
                {"title": "Tower", "text": "Finished in 1832.", "id": "1"},
                {"title": "Lamp", "text": "Lit in 1833.", "id": "2"},
            ],
            "output": "It was finished in 1832 [1][2]. The lamp was lit in 1833 [2] . It is nice. It is high [9].",
        }
    ],
}


def written(tmp_path: Path, name: str, *rows: Any) -> Path:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    text = json.dumps(rows[0], indent=1) if name.endswith(".json") else "".join(f"{json.dumps(row)}\n" for row in rows)
    path.write_text(text, encoding="utf-8")
    return path


def read(path: Path) -> tuple[ClaimPair, ...]:
    assert holds_claims(path, manuscripts=False)
    return read_claim_file(path, path.name).pairs


def test_scifact(tmp_path: Path) -> None:
    written(tmp_path, "corpus.jsonl", *DOCUMENTS)
    first, second = read(written(tmp_path, "claims_dev.jsonl", SCIFACT))
    assert (first.id, first.truth, first.source) == ("7:11", "Not supported", "Title 11 One. Two.")
    assert (second.id, second.truth, second.line, second.runs) == ("7:12", "Not supported", 1, True)
    unlabelled = {name: value for name, value in SCIFACT.items() if name != "evidence"}
    assert [pair.truth for pair in read(written(tmp_path, "test.jsonl", unlabelled))] == [None, None]


def test_fever(tmp_path: Path) -> None:
    written(tmp_path, "wiki-pages/wiki-001.jsonl", {"id": "", "text": "", "lines": ""}, PAGE)
    known, unknown = read(written(tmp_path, "dev.jsonl", FEVER, UNKNOWN))
    assert (known.id, known.truth, known.source) == ("91198", "Supported", "The tower ( white ) is old . It is high .")
    assert (unknown.truth, unknown.unfit) == ("Not supported", "the data set names no page")


def test_fever_without_its_pages(tmp_path: Path) -> None:
    (pair,) = read(written(tmp_path, "dev.jsonl", FEVER))
    assert pair.unfit == "wiki-pages has no page Port_Ellen_-LRB-Islay-RRB-"


def test_vitaminc_and_attributionbench(tmp_path: Path) -> None:
    (first,) = read(written(tmp_path, "vitaminc.jsonl", VITAMINC))
    assert (first.id, first.truth, first.source) == ("5eb_1", "Not supported", "It was finished in 1932.")
    one, two = read(written(tmp_path, "bench.jsonl", ATTRIBUTION, ATTRIBUTION))
    assert (one.id, one.truth, one.source, two.id) == ("HAGRID_3", "Supported", "It was. In 1832.", "HAGRID_3~2")


def test_averitec(tmp_path: Path) -> None:
    first, empty = read(written(tmp_path, "dev.json", [AVERITEC, {**AVERITEC, "questions": [], "label": "Refuted"}]))
    assert (first.id, first.truth, first.cites) == ("row_1", "Partially supported", "https://a.example")
    assert first.source == "When was it finished? In 1832.\nWhen was it finished? No It was in 1932."
    assert (empty.truth, empty.unfit, empty.line) == ("Not supported", "there is no text of the source", 27)


def test_alce(tmp_path: Path) -> None:
    both, one, none, lost = read(written(tmp_path, "asqa.json", ALCE))
    assert (both.id, both.claim, both.sources) == ("q1.1", CLAIM.replace("The tower", "It"), 2)
    assert "[Source 2 of 2]\nLamp\nLit in 1833." in both.source
    assert (one.claim, one.source, one.truth) == ("The lamp was lit in 1833.", "Lamp\nLit in 1833.", None)
    assert (none.unfit, lost.unfit) == ("the sentence cites nothing", "it cites [9], which is not there")


@pytest.mark.parametrize(
    ("name", "rows", "told"),
    [
        ("a.jsonl", [VITAMINC, {**VITAMINC, "label": "MAYBE"}], "a.jsonl:2: 'MAYBE' is not a label that is known"),
        ("a.jsonl", [VITAMINC, {"claim": CLAIM}], "a.jsonl:2: not a row of WiCE, VitaminC or AttributionBench"),
        ("a.jsonl", [VITAMINC, {**VITAMINC, "claim": 5}], "a.jsonl:2: 'claim' must be a text"),
        ("a.jsonl", [SCIFACT, {**SCIFACT, "cited_doc_ids": [99]}], "a.jsonl:2: corpus.jsonl has no document 99"),
        ("a.jsonl", [{**SCIFACT, "evidence": {"11": [{}]}}], "a.jsonl:1: the evidence of document 11 has no label"),
        ("a.jsonl", [FEVER, {**FEVER, "evidence": [[1]]}], "a.jsonl:2: “evidence” must be a list of lists"),
        ("a.json", [[AVERITEC, {**AVERITEC, "label": "x"}]], "a.json:27: 'x' is not a label that is known"),
        ("a.json", [[AVERITEC, {**AVERITEC, "questions": [5]}]], "a.json:27: “questions” must be a list"),
        ("a.json", [{"data": [{"output": "A [1].", "docs": [5]}]}], "a.json:3: “docs” must be a list"),
    ],
)
def test_a_row_that_cannot_be_read_is_named(tmp_path: Path, name: str, rows: list[Any], told: str) -> None:
    written(tmp_path, "corpus.jsonl", *DOCUMENTS)
    with pytest.raises(ClaimFileError) as caught:
        read(written(tmp_path, name, *rows))
    assert str(caught.value).startswith(told)


def test_scifact_needs_its_abstracts(tmp_path: Path) -> None:
    with pytest.raises(ClaimFileError, match=r"there is no .*corpus\.jsonl"):
        read(written(tmp_path, "claims.jsonl", SCIFACT))
