"""Answers that are not the JSON that was asked for: each has a verdict or a reason why there is none; none is reversed."""

from __future__ import annotations

import pytest

from pytest_citecheck.models import ModelAnswer
from pytest_citecheck.models.claims import PARSE_ERROR, ClaimPair, judgement, row_of

S, P, N, U = "Supported", "Partially supported", "Not supported", "Source unavailable"
YES = '{"verdict": "SUPPORTED", "confidence": 90}'
NO = '{"verdict": "NOT SUPPORTED", "confidence": 10}'
EMPTY, THOUGHTS, SEVERAL = "the answer is empty", "only thoughts", "several verdicts"
UNCLEAR, NOTHING, REFUSES, CUT = "is not a verdict", "contains no verdict", "refuses", "cut off"

# The name of a shape: the answer, why it ends, and its verdict or a part of the reason.
SHAPES = {
    # thoughts in the templates of several models
    "think": (f"<think>{YES}</think>{NO}", "", N),
    "thinking": (f"<thinking>\nverdict: SUPPORTED\n</thinking>\n{NO}", "", N),
    "reasoning": (f"<reasoning>{NO}</reasoning>\n\n{YES}", "", S),
    "thought": (f"<thought>{NO}</thought>{YES}", "", S),
    "seed": (f"<seed:think>{NO}</seed:think>{YES}", "", S),
    "square brackets": (f"[THINK]{YES}[/THINK]{NO}", "", N),
    "kimi": (f"◁think▷{YES}◁/think▷{NO}", "", N),
    "cohere": (f"<|START_THINKING|>{YES}<|END_THINKING|>{NO}", "", N),
    "harmony": (f"<|channel|>analysis<|message|>{YES}<|end|><|channel|>final<|message|>{NO}", "", N),
    "only the closing sign": (f"The verdict: SUPPORTED, it seems. {YES}\n</think>\n{NO}", "", N),
    "only the closing sign, in square brackets": (f"verdict: SUPPORTED [/THINK] {NO}", "", N),
    "two closing signs": (f"{YES}</think>{YES}</think>{NO}", "", N),
    "thoughts that are cut off": (f"<think>The verdict: SUPPORTED {YES}", "length", THOUGHTS),
    "thoughts that are cut off without a reason": (f"<think>{YES}", "", THOUGHTS),
    "thoughts in square brackets that are cut off": (f"[THINK] verdict: SUPPORTED {YES}", "length", THOUGHTS),
    "thoughts of harmony that are cut off": (f"<|channel|>analysis<|message|>{YES}", "length", THOUGHTS),
    "thoughts and nothing after": (f"<think>{YES}</think>", "", THOUGHTS),
    "capital signs": (f"<THINK>{YES}</THINK>{NO}", "", N),
    "other signs within": (f"<think><reasoning>{YES}</reasoning>{YES}</think>{NO}", "", N),
    "a sign within a comment": ('{"verdict": "SUPPORTED", "comments": "it has a </think> tag"}', "", S),
    "an opening sign within a comment": ('{"verdict": "SUPPORTED", "comments": "a <think> tag"}', "", S),
    # verdicts that are none
    "not clearly": ('{"verdict": "Not clearly supported"}', "", UNCLEAR),
    "not fully": ('{"verdict": "Not fully supported", "confidence": 60}', "", UNCLEAR),
    "not partially": ("Verdict: not partially supported", "", UNCLEAR),
    "not contradicted": ('{"verdict": "Not contradicted"}', "", UNCLEAR),
    "unsupported or not": ('{"verdict": "Supported but not in full"}', "", UNCLEAR),
    "a wrong one is named": ("Verdict: SUPPORTED is wrong", "", UNCLEAR),
    "a question": ("Verdict: SUPPORTED? No.", "", "repeats the list"),
    "the list of verdicts": ('verdict: "SUPPORTED" | "PARTIALLY SUPPORTED" | "NOT SUPPORTED"', "", "repeats the list"),
    "the list with slashes": ("Verdict: SUPPORTED/NOT SUPPORTED", "", "repeats the list"),
    "the list in JSON": ('{"verdict": "SUPPORTED|NOT SUPPORTED"}', "", UNCLEAR),
    "a number": ('{"verdict": 1}', "", UNCLEAR),
    "true": ('{"verdict": true}', "", UNCLEAR),
    "a list": ('{"verdict": ["SUPPORTED", "NOT SUPPORTED"]}', "", UNCLEAR),
    "another word": ('{"verdict": "CONTRADICTED", "confidence": 5}', "", UNCLEAR),
    "several in prose": ("Verdict: SUPPORTED. On second thoughts, verdict: NOT SUPPORTED.", "", SEVERAL),
    "a verdict that is denied": ("The verdict is not SUPPORTED.", "", UNCLEAR),
    "a mark against its word": ("❌ SUPPORTED", "", NOTHING),
    "only a mark": ("✅", "", NOTHING),
    # other markup
    "xml": ("<verdict>NOT SUPPORTED</verdict><confidence>10</confidence>", "", N),
    "xml, partially": ("<answer>\n<verdict> partially_supported </verdict>\n</answer>", "", P),
    "xml, unavailable": ("<Verdict>SOURCE UNAVAILABLE</Verdict>", "", U),
    "a mark and its word": ("✅ SUPPORTED", "", S),
    "a cross and its words": ("❌ **NOT SUPPORTED**\nThe text gives 1874.", "", N),
    "a warning sign": ("⚠️ PARTIALLY SUPPORTED", "", P),
    "verdict with a mark": ("**Verdict:** ✅ SUPPORTED", "", S),
    "verdict with a cross": ("Verdict: ❌ Not supported", "", N),
    "a heading": ("## Verdict: NOT SUPPORTED\n\nThe height is missing.", "", N),
    "a heading and its line": ("### Verdict\n**NOT SUPPORTED**", "", N),
    "a table": ("| Verdict | NOT SUPPORTED |\n|---|---|\n| Confidence | 10 |", "", N),
    "a line of its own": ("The text gives another year.\n\nNOT SUPPORTED", "", N),
    "final verdict": ("First verdict: SUPPORTED.\nFinal verdict: NOT SUPPORTED.", "", N),
    "yaml": ("verdict: NOT SUPPORTED\nconfidence: 10", "", N),
    "a dict of Python": ("{'verdict': 'NOT SUPPORTED', 'confidence': 10}", "", N),
    "escaped JSON": ('"{\\"verdict\\": \\"NOT SUPPORTED\\", \\"confidence\\": 10}"', "", N),
    "nested JSON": (f'{{"result": {NO}}}', "", N),
    "a reason behind it": ('{"verdict": "NOT SUPPORTED because the year differs"}', "", N),
    "a comma and a reason": ('{"verdict": "Supported, by the first sentence"}', "", S),
    # fragments
    "without braces": ('"verdict": "NOT SUPPORTED", "confidence": 10', "", N),
    "cut in the comment": ('{"verdict": "NOT SUPPORTED", "confidence": 10, "comments": "The verdict: SUPPORTED wou', "length", N),
    "cut in the verdict": ('{"verdict": "NOT', "length", UNCLEAR),
    "cut before the verdict": ('{"confidence": 90, "comments": "It says', "length", CUT),
    "an open fence": (f"```json\n{NO}", "", N),
    "a fence that is cut": ('```json\n{"verdict": "NOT SUPPORTED",', "length", N),
    "single braces": ("{", "", NOTHING),
    # nothing
    "empty": ("", "", EMPTY),
    "spaces": (" \n ", "stop", EMPTY),
    "no tokens left": ("", "length", "reasoning used all tokens"),
    "a filter": ("The text", "content_filter", "a filter"),
    "a refusal": ("I'm sorry, but I cannot help with that.", "", REFUSES),
    "another refusal": ("As an AI, I must not judge sources.", "", REFUSES),
    "a refusal that names verdicts": ("I can’t say whether the claim is SUPPORTED.", "", REFUSES),
    "prose": ("The claim is SUPPORTED by the text.", "", NOTHING),
    "null": ("null", "", NOTHING),
    "a page": ("<html><body>502 Bad Gateway</body></html>", "", NOTHING),
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_a_malformed_answer_has_a_verdict_or_a_reason(name: str) -> None:
    text, finish, expected = SHAPES[name]
    found = judgement(text, finish)
    if expected in (S, P, N, U):
        assert (found.verdict, found.problem) == (expected, "")
    else:
        assert found.verdict is None
        assert expected in found.problem


def test_there_are_enough_shapes() -> None:
    assert len(SHAPES) >= 63


@pytest.mark.parametrize("name", [name for name, shape in SHAPES.items() if shape[2] not in (S, P, N, U)])
def test_the_row_of_an_unreadable_answer_states_the_reason(name: str) -> None:
    text, finish, expected = SHAPES[name]
    row = row_of(ClaimPair("a", "A claim.", "A source."), "m", "m", ModelAnswer(text, finish=finish))
    assert row.verdict == PARSE_ERROR
    assert expected in row.comments


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "text", ["<think>" * 20_000, "verdict: " * 20_000, "✅" * 50_000, "</think>" * 20_000, "[THINK]" * 20_000]
)
def test_long_nonsense_ends_soon(text: str) -> None:
    assert judgement(text).verdict is None
