"""Parsing of answers: as in the reference system, and as intended."""

from __future__ import annotations

import json

import pytest

from pytest_citecheck.models.claims import canonical, judgement

S, P, N, U = "Supported", "Partially supported", "Not supported", "Source unavailable"
JSON = '{"verdict": "NOT SUPPORTED", "confidence": 20, "comments": "c", "quote": "q"}'

VECTORS = [
    ("not_supported", N),
    ("PARTIAL", P),
    ("partially-supported", P),
    ("unavailable", U),
    ("source  unavailable", U),
    ("SUPPORTS", S),
    (" supported ", S),
    ("Not really", N),
    ("Unsupported", None),
    ("N/A", None),
    ("", None),
    (None, None),
]


@pytest.mark.parametrize(("text", "verdict"), [*VECTORS, ("nothing", N), ("Sourced", U)])
def test_w4_canonical(text: str | None, verdict: str | None) -> None:
    assert canonical(text) == verdict


@pytest.mark.parametrize(("text", "verdict"), [*VECTORS, ("nothing", None), ("Sourced", None)])
def test_w4_canonical_without_the_traps(text: str | None, verdict: str | None) -> None:
    assert canonical(text, strict=True) == verdict


# text, what is read (verdict, confidence, flags)
ANSWERS = {
    "plain": (JSON, (N, 20, ())),
    "fenced": (f"```json\n{JSON}\n```", (N, 20, ())),
    "in prose": (f"Here it is: {JSON} That is all.", (N, 20, ())),
    "in an array": (f"[{JSON}]", (N, 20, ())),
    "trailing comma": ('{"verdict": "SUPPORTED", "confidence": 90,}', (S, 90, ())),
    "inner quotes": (
        '{"verdict": "SUPPORTED", "confidence": 90, "comments": "it says "yes" twice"}',
        (S, 90, ("recovered",)),
    ),
    "truncated": ('{"verdict": "PARTIALLY SUPPORTED", "confidence": 60, "comm', (P, 60, ("recovered",))),
    "bold": ("**Verdict:** NOT SUPPORTED", (N, None, ("recovered",))),
    "underlined": ("__Verdict__: partially_supported", (P, None, ("recovered",))),
    "equals sign": ("verdict = SUPPORTED", (S, None, ("recovered",))),
    "a sentence": ("The claim is SUPPORTED", (None, None, ("no-verdict",))),
    "null": ("null", (None, None, ("no-verdict",))),
    "empty": ("", (None, None, ("no-verdict",))),
    "maybe": ("Verdict: maybe", (None, None, ("no-verdict",))),
    "capital key": ('{"Verdict": "SUPPORTED", "Confidence": 90}', (S, 90, ())),
    "no verdict": ('{"confidence": 40}', (None, 40, ("no-verdict",))),
    "confidence as text": ('{"verdict": "SUPPORTED", "confidence": "95"}', (S, 95, ())),
    "confidence as a share": ('{"verdict": "SUPPORTED", "confidence": 0.95}', (S, 95, ("rescaled",))),
    "percent": ('{"verdict": "SUPPORTED", "confidence": "95%"}', (S, 95, ("rescaled",))),
    "thinking": (f"<think>Is it {{so}}? The verdict: unclear</think>{JSON}", (N, 20, ())),
    "two objects": (f"{JSON} or {JSON.replace('NOT ', '')}", (N, 20, ("multiple",))),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_w5_an_answer_is_read(name: str) -> None:
    text, expected = ANSWERS[name]
    found = judgement(text)
    assert (found.verdict, found.confidence, found.flags) == expected


@pytest.mark.parametrize(
    "text", ["{" * 100_000, '{"verdict": ' * 5_000, '"' * 50_000, "verdict" * 20_000, "9" * 10_000]
)
def test_an_answer_of_nonsense_has_no_verdict(text: str) -> None:
    assert judgement(text).verdict is None


def test_the_fields_of_an_answer() -> None:
    found = judgement(
        json.dumps({"verdict": "not supported", "reason_type": "Contradiction", "source_quote": "no", "comments": 3})
    )
    assert (found.reason_type, found.quote, found.comments) == ("contradiction", "no", "")
    assert judgement('{"verdict": "SUPPORTED", "confidence": 250}').confidence is None
    assert judgement('{"verdict": "SUPPORTED", "confidence": true}').confidence is None
