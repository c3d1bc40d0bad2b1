"""The faults of citation-checker-script, each with a test that is named after it, and the calls of judges."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from pytest_citecheck.models.chat import DIALECTS, ChatRequest, Endpoint, Message
from pytest_citecheck.models.claims import (
    BUILT_IN,
    ClaimPair,
    Panel,
    Prompt,
    ResultRow,
    cell_of,
    compare,
    content_hash,
    joined,
    panel_row,
    read_claims,
    read_results,
    read_review,
    review_csv,
    row_of,
    strict_metrics,
)
from tests.stand_ins.model_endpoints import ModelEndpoints
from tests.support.chat_support import ask, endpoint, outcome

S, P, N = "Supported", "Partially supported", "Not supported"


def row(entry: str, provider: str, verdict: str, truth: str, **more: object) -> ResultRow:
    return ResultRow(entry, provider, verdict=verdict, truth=truth, **more)  # type: ignore[arg-type]


def test_fault_1_the_truth_is_that_of_the_claims_and_a_copy_that_differs_is_named() -> None:
    claims = read_claims(json.dumps([{"id": "a", "claim": "C.", "source": "S.", "label": N}]), "c.json")
    (kept,), (drift,) = joined([row("a", "m", S, S)], claims)
    assert kept.truth == N
    assert drift == "a"


def test_fault_2_a_pair_is_known_by_its_content_where_ids_shift() -> None:
    rows = [{"claim": f"Claim {name}.", "source": "S."} for name in "ab"]
    one = read_claims(json.dumps(rows), "c.json").pairs
    two = read_claims(json.dumps([{"claim": "New.", "source": "S."}, *rows]), "c.json").pairs
    assert [pair.id for pair in one] == [pair.id for pair in two[:2]] == ["row_1", "row_2"]
    assert [content_hash(pair) for pair in one] == [content_hash(pair) for pair in two[1:]]


def test_fault_3_few_answers_have_a_wide_interval_and_the_majority_beside_it() -> None:
    found = strict_metrics([row("a", "m", S, S), *[row(str(n), "m", "ERROR", S, error="http-500") for n in range(9)]])
    low, high = found["exact"]["interval"]
    assert (found["exact"]["value"], found["exact"]["n"], found["errors"]) == (1.0, 1, 9)
    assert (low < 0.25, high, found["exact"]["majority"]) == (True, 1.0, 1.0)
    assert strict_metrics([row("a", "m", N, S), row("b", "m", S, S)])["exact"]["belowMajority"]


def test_fault_4_confidence_that_repeats_the_verdict_tells_nothing_within_it() -> None:
    rows = [
        row(str(n), "m", verdict, S, confidence=conf + n % 3) for n in range(12) for verdict, conf in ((S, 90), (N, 10))
    ]
    found = strict_metrics(rows)["calibration"]
    assert found["auc"] == 1.0
    assert found["aucWithin"] == dict.fromkeys((S, P, N, "Source unavailable"))


def test_fault_5_an_answer_without_verdict_gets_no_credit() -> None:
    found = strict_metrics([row("a", "m", "PARSE_ERROR", N)])
    assert (found["parseErrors"], found["binary"]["correct"], found["confusionMatrix"][N]["PARSE_ERROR"]) == (1, 0, 1)


def test_fault_6_unknown_tokens_are_not_none_and_names_are_those_that_are_written() -> None:
    text = json.dumps([{"entry_id": "a", "provider": name, "tokens_in": count} for name, count in (("x", 5), ("y", 0))])
    rows, panel = read_results(text, "r.json")[0], Panel("p", ("x", "y"))
    assert panel_row(panel, rows).tokens_in == 5
    rows[1] = replace(rows[1], tokens_in=None)
    assert panel_row(panel, rows).tokens_in is None


def test_fault_7_a_table_keeps_quotation_marks_and_lines_and_says_what_cannot_be_judged() -> None:
    pairs = [ClaimPair("a", 'He said "no",\r\nand left.', "S.\nT."), ClaimPair("b", "C.", "", unfit="no URL is cited")]
    back = read_review(review_csv(pairs), "t.csv").pairs
    assert [(pair.claim, pair.source, pair.unfit) for pair in back] == [
        ('He said "no",\r\nand left.', "S.\nT.", ""), ("C.", "", "no URL is cited"),
    ]  # fmt: skip


@pytest.mark.parametrize("kind", ["402", "429-quota"])
def test_fault_8_an_empty_wallet_burns_no_queue(kind: str) -> None:
    with ModelEndpoints() as local:
        local.fault(kind)
        one = endpoint(local, concurrency=2)
        said = ask(one, *[ChatRequest((Message("user", str(number)),)) for number in range(62)])
        assert len(local.calls) <= 2
    assert len({outcome(each)[0] for each in said}) == 1


def test_fault_8_a_change_has_a_test_of_significance() -> None:
    before = [row(str(n), "m", S if n < 9 else N, S) for n in range(10)]
    after = [row(str(n), "m", S if n > 8 else N, S) for n in range(10)]
    assert compare(before, after).p == pytest.approx(2 * (1 + 10) / 2**10)
    assert compare(before, before).p == 1.0


def test_w13_the_first_text_counts_keys_stand_in_headers_and_nothing_is_added() -> None:
    said = {
        "content": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "Yes."}],
        "stop_reason": "max_tokens",
    }
    reply = DIALECTS["anthropic"].reply(json.dumps(said).encode())
    assert (reply.content, reply.finish_reason) == ("Yes.", "length")
    request = ChatRequest((Message("system", "s"), Message("user", "u")))
    for api, name in (("openai", "authorization"), ("anthropic", "x-api-key"), ("gemini", "x-goog-api-key")):
        post = DIALECTS[api].post(Endpoint("e", "https://h.example", "m", api_key="sk-123456789", api=api), request)
        assert "sk-123456789" in post.headers[name]
        assert "sk-123456789" not in post.url
        assert b"temperature" not in post.body


@pytest.mark.parametrize(
    ("kind", "requests"), [("408", 5), ("429", 5), ("500", 5), ("529", 5), ("reset", 5), ("400", 1), ("404", 1)]
)
def test_w14_what_may_pass_is_sent_again_and_what_may_not_is_not(kind: str, requests: int) -> None:
    with ModelEndpoints() as local:
        local.fault(kind)
        (said,) = ask(endpoint(local, attempts=5))
        assert (outcome(said)[1], len(local.calls)) == (requests, requests)


def test_w22_another_prompt_is_another_question() -> None:
    one = Endpoint("m", "https://h.example", "m")
    pair = ClaimPair("a", "C.", "S.")
    cells = [cell_of(one, pair, prompt) for prompt in (BUILT_IN, Prompt("Judge.", "p.txt", "2026-01-01"))]
    assert cells[0].key != cells[1].key
    assert [cell.described()["prompt_source"] for cell in cells] == ["built-in", "p.txt"]
    own = cell_of(replace(one, system_prompt="Own."), pair, BUILT_IN)
    assert (own.prompt.text, own.described()["prompt_source"]) == ("Own.", "endpoint")
    assert row_of(pair, "m", "m", None).error == "not asked"
