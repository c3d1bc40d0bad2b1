"""Fault switches: which requests they strike, and what they make of a reply."""

from __future__ import annotations

import pytest

from tests.stand_ins.damage import ENTRY_KINDS
from tests.stand_ins.faults import KINDS, RETRY_AFTER, TRANSMISSION_KINDS, Fault, FaultBoard, altered
from tests.stand_ins.replies import Reply, json_reply

GOOD = json_reply(200, "application/json", {"status": "ok", "message": {"DOI": "10.1000/x"}})
ADDRESS = "http://127.0.0.1:1/crossref/works"


def struck(board: FaultBoard, count: int, target: str = "works") -> list[str]:
    return [board.due("crossref", target) for _ in range(count)]


def test_a_fault_strikes_its_service_until_it_is_switched_off() -> None:
    board = FaultBoard()
    assert struck(board, 1) == [""]
    board.switch_on("crossref", Fault("503"))
    assert struck(board, 2) == ["503", "503"]
    assert board.due("dblp", "search") == ""
    board.switch_off("crossref")
    assert struck(board, 1) == [""]


def test_a_fault_with_times_strikes_the_first_requests_only() -> None:
    board = FaultBoard()
    board.switch_on("crossref", Fault("503", times=2))
    board.switch_on("crossref", Fault("429", times=1))
    assert struck(board, 4) == ["429", "503", "503", ""]


def test_a_share_of_requests_depends_on_seed_and_request_but_not_on_their_order() -> None:
    def strikes(seed: int, targets: list[str]) -> dict[str, str]:
        board = FaultBoard()
        board.switch_on("crossref", Fault("500", rate=0.2, seed=seed))
        return {target: board.due("crossref", target) for target in targets}

    targets = [f"works/{number}" for number in range(500)]
    forward = strikes(1, targets)
    assert forward == strikes(1, targets[::-1])
    assert forward != strikes(2, targets)
    assert 0.15 < sum(kind == "500" for kind in forward.values()) / len(targets) < 0.25


def test_a_repeated_request_may_fare_otherwise() -> None:
    board = FaultBoard()
    board.switch_on("crossref", Fault("500", rate=0.5, seed=3))
    assert set(struck(board, 20)) == {"500", ""}


@pytest.mark.parametrize("fault", [Fault("418"), Fault("503", rate=1.5)])
def test_unknown_kinds_and_rates_are_refused(fault: Fault) -> None:
    with pytest.raises(ValueError, match=r"fault|rate"):
        FaultBoard().switch_on("crossref", fault)


@pytest.mark.parametrize(("kind", "status"), [("429", 429), ("500", 500), ("503", 503), ("403", 403)])
def test_status_faults_are_pages_of_a_web_server(kind: str, status: int) -> None:
    reply = altered(kind, GOOD, ADDRESS)
    assert (reply.status, reply.content_type) == (status, "text/html; charset=utf-8")
    assert "Retry-After" not in reply.headers


def test_only_one_kind_says_when_to_come_back() -> None:
    reply = altered("429-retry-after", GOOD, ADDRESS)
    assert (reply.status, reply.headers["Retry-After"]) == (429, str(RETRY_AFTER))


def test_redirects_lead_to_themselves_or_into_a_private_network() -> None:
    assert altered("redirect-loop", GOOD, ADDRESS).headers["Location"] == ADDRESS
    private = altered("redirect-private", GOOD, ADDRESS)
    assert (private.status, private.headers["Location"].split("/")[2]) == (302, "169.254.169.254")


def test_bodies_are_emptied_cut_spoiled_or_exchanged() -> None:
    assert altered("empty", GOOD, ADDRESS).body == b""
    cut = altered("truncated", GOOD, ADDRESS).body
    assert GOOD.body.startswith(cut)
    assert 0 < len(cut) < len(GOOD.body)
    assert altered("malformed", GOOD, ADDRESS).content_type == "application/json"
    assert altered("malformed", Reply(200, "application/atom+xml", b""), ADDRESS).body == b"<feed><entry></feed>"
    relabelled = altered("wrong-content-type", GOOD, ADDRESS)
    assert (relabelled.body, relabelled.content_type) == (GOOD.body, "application/octet-stream")
    labelled = altered("html-label", GOOD, ADDRESS)
    assert (labelled.body, labelled.content_type) == (GOOD.body, "text/html; charset=utf-8")
    captcha = altered("captcha", GOOD, ADDRESS)
    assert (captcha.status, captcha.content_type) == (200, "text/html; charset=utf-8")
    bomb = altered("xml-bomb", GOOD, ADDRESS).body
    assert b"<!DOCTYPE" in bomb
    assert bomb.count(b"<!ENTITY") == 10
    assert len(bomb) < 2000


def test_every_kind_changes_the_reply_or_the_way_it_is_sent() -> None:
    unchanged = {kind for kind in KINDS if altered(kind, GOOD, ADDRESS) == GOOD}
    assert unchanged == TRANSMISSION_KINDS | ENTRY_KINDS | {
        "wrong-record",
        "nothing-found",
        "huge-title",
        "renamed",
        "copies",
        "login-required",
    }
    titled = Reply(200, "application/json", b'{"title": ["Adam"]}')
    assert altered("huge-title", titled, ADDRESS).body.endswith(b'word Adam"]}')
