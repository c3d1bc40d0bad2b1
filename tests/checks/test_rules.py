"""The rules of the verdict one by one: each of their conditions decides."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pytest_citecheck.checks import CHECKS, decide
from pytest_citecheck.model import Finding, Outcome

PEOPLE = SimpleNamespace(same_people=True)
STRANGERS = SimpleNamespace(same_people=False)


def case(**more: Any) -> Any:
    """Return a case in which only the named data is known."""
    cited = SimpleNamespace(preprint=more.pop("preprint", False))
    nothing = {"works": (), "near_matches": (), "identifier_targets": (), "unavailable": [], "has_lookalikes": False}
    nothing |= {"silent": False, "unseen_identifiers": (), "lists_missed": False}
    type_ = more.pop("type", "article")
    return SimpleNamespace(**nothing | more, cited=cited, reference=SimpleNamespace(type=type_))


def findings(**codes: str) -> dict[str, Finding]:
    """Return passed findings, except for the named ones: an outcome (or its first letter) and a code."""
    found = {name: Finding(name, "passed", "ok", "") for name in CHECKS}
    outcomes: dict[str, Outcome] = {"f": "failed", "u": "unverifiable", "p": "passed"}
    for name, text in codes.items():
        letter, code = text.split(":")
        against = code in AGAINST and letter == "u"
        found[name] = Finding(
            name,
            outcomes[letter],
            code,
            "",
            evidence="single record" if against else None,
            level="warning" if against else "",
        )
    return found


AGAINST = {"venue-elsewhere", "authors-added", "authors-misspelled", "doi-other-work"}
LISTED = {"title": "f:title-not-in-venue"}
DEAD = {"doi": "f:doi-unregistered", "title": "u:not-found", "authors": "u:not-found"}
OPEN_TITLE = {"title": "u:not-found"}


@pytest.mark.parametrize(
    ("known", "codes", "rule"),
    [
        # A title absent from a complete list: fabricated only if nothing is like it and everybody answered.
        ({}, LISTED, "absent"),
        ({"unavailable": [1]}, LISTED, "absent-but-alike"),
        ({"unavailable": [1], "lists_missed": True}, LISTED, "absent"),
        ({"has_lookalikes": True}, LISTED, "absent-but-alike"),
        ({"unavailable": [1], "has_lookalikes": True}, LISTED, "absent-but-alike"),
        ({"has_lookalikes": True}, {"title": "f:title-near-miss"}, "in-itself"),
        ({"unavailable": [1]}, {"title": "f:title-other"}, "in-itself"),
        # An identifier of another work proves an invention only if nothing is known of the cited one.
        ({}, {"doi": "f:doi-other-work"}, "other-work-behind"),
        ({"silent": True}, {"doi": "f:doi-other-work"}, "other-work-while-silent"),
        ({"silent": True}, {"doi": "f:arxiv-other-work"}, "other-work-while-silent"),
        ({"silent": True, "works": (1,)}, {"doi": "f:doi-other-work"}, "wrong"),
        ({"works": (1,)}, {"doi": "f:doi-other-work"}, "wrong"),
        ({"near_matches": (1,)}, {"doi": "f:doi-other-work"}, "wrong"),
        ({"identifier_targets": (PEOPLE,)}, {"doi": "f:doi-other-work"}, "wrong"),
        ({"identifier_targets": (STRANGERS,)}, {"doi": "f:doi-other-work"}, "other-work-behind"),
        ({}, {"doi": "f:doi-venue"}, "in-itself"),
        # An identifier that does not exist.
        ({}, DEAD, "denied"),
        ({"works": (1,)}, DEAD, "wrong"),
        ({"unavailable": [1]}, DEAD, "denied-while-silent"),
        ({"preprint": True}, DEAD, "denied"),
        ({"preprint": True}, DEAD | {"doi": "f:arxiv-unknown"}, "denied-preprint"),
        ({}, DEAD | {"doi": "f:arxiv-unknown"}, "denied"),
        ({"preprint": True, "unavailable": [1]}, DEAD | {"doi": "f:arxiv-unknown"}, "denied-while-silent"),
        # What is known, and what of it is open.
        ({"works": (1,)}, {"completeness": "f:year-future"}, "future"),
        ({"works": (1,)}, {"completeness": "f:field-missing"}, "all-pass"),
        ({"works": (1,)}, {}, "all-pass"),
        ({"works": (1,)}, {"venue": "u:venue-unknown"}, "some-open"),
        ({"works": (1,)}, {"venue": "u:venue-version"}, "doubtful"),
        ({"works": (1,)}, {"venue": "u:venue-version"} | OPEN_TITLE, "too-little"),
        ({"works": (1,)}, {"venue": "u:venue-version", "authors": "u:authors-unclear"}, "too-little"),
        # A warning keeps a reference from being verified, whatever else is open.
        ({"works": (1,)}, {"venue": "u:venue-elsewhere"}, "doubtful"),
        ({"works": (1,)}, {"venue": "p:venue-workshop"}, "doubtful"),
        ({"works": (1,)}, {"authors": "u:authors-added"}, "doubtful"),
        ({"works": (1,)}, {"venue": "u:venue-elsewhere"} | OPEN_TITLE, "doubtful"),
        ({"works": (1,)}, {"authors": "u:authors-misspelled"}, "doubtful"),
        ({"works": (1,)}, {"cross_db": "p:year-printed"}, "all-pass"),
        ({"works": (1,)}, {"doi": "u:doi-other-work"}, "doubtful"),
        ({"works": (1,)}, {"cross_db": "u:year-unclear"}, "doubtful"),
        ({"works": (1,), "type": "book"}, {"cross_db": "u:year-unclear"}, "some-open"),
        ({"works": (1,)}, {"cross_db": "u:single-source"}, "some-open"),
        # An identifier of which nobody shows anything.
        ({"works": (1,), "unseen_identifiers": (("doi", "10.1000/x"),)}, {"doi": "u:not-found"}, "doubtful"),
        ({"works": (1,), "unseen_identifiers": (("arxiv", "1706.03762"),)}, {}, "doubtful"),
        ({"works": (1,), "unseen_identifiers": (("doi", "10.1000/x"),)}, {"doi": "f:doi-other-number"}, "wrong"),
        ({"works": (1,)}, {"doi": "u:doi-registered"}, "some-open"),
        ({}, OPEN_TITLE, "too-little"),
        ({"unavailable": [1]}, OPEN_TITLE, "silent"),
        ({}, {"authors": "u:not-found"}, "too-little"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(map(str, value)) or "nothing",
)
def test_rule(known: dict[str, Any], codes: dict[str, str], rule: str) -> None:
    assert decide(case(**known), findings(**codes)).rule == rule
