"""Reads why an endpoint refuses a call: its own words, and which of them end all calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_citecheck.services.base import MalformedAnswerError
from pytest_citecheck.services.parsing.json_body import mapping, parse_json, text
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["Refusal", "read_refusal"]

# The codes of OpenAI, Moonshot and DashScope for an account without money; Anthropic has none, but always these words.
_QUOTA_CODES = frozenset(
    {
        "insufficient_quota",
        "billing_hard_limit_reached",
        "billing_not_active",
        "exceeded_current_quota_error",
        "arrearage",
    }
)
_QUOTA_WORDS = "credit balance is too low"
_KEY_CODES = frozenset({"api_key_invalid", "invalid_api_key"})
_FILTER_CODES = frozenset({"content_filter", "content_policy_violation"})

_MARKUP = lazy_pattern(r"<[^<>]*>")
_SECONDS = lazy_pattern(r"(\d{1,6}(?:\.\d{1,9})?)s\Z")
_MASKED_KEY = lazy_pattern(r"(?<!\S)\S*?\*{3,}\S*")


@dataclass(frozen=True, slots=True)
class Refusal:
    """What the body of a failed call says.

    message: its words; may contain secrets. quota: the account is exhausted. key: the key is not accepted. filtered: this
    prompt is refused for its content. status: the HTTP status that a body names which came with another one. wait: seconds.
    """

    message: str
    quota: bool = False
    key: bool = False
    filtered: bool = False
    status: int | None = None
    wait: float | None = None


def read_refusal(body: bytes) -> Refusal:
    """What a body says that may be anything."""
    try:
        whole = parse_json(body)
    except MalformedAnswerError:
        plain = body.decode("utf-8", "replace")
        return Refusal(_MASKED_KEY.sub("REDACTED", " ".join(_MARKUP.sub(" ", plain).split())))
    outer = mapping(whole[0] if isinstance(whole, list) and whole else whole)
    error = outer.get("error")
    inner = mapping(error)
    message = next(filter(None, (text(place) for place in _messages(outer, inner, error))), "")
    codes = {text(place.get(key)).lower() for place in (outer, inner) for key in ("code", "type", "status")}
    details = inner.get("details")
    wait = None
    for detail in details if isinstance(details, list) else ():
        stated = mapping(detail)
        codes.add(text(stated.get("reason")).lower())
        delay = _SECONDS.match(text(stated.get("retryDelay")))
        wait = float(delay[1]) if delay else wait
        violations = stated.get("violations")
        for violation in violations if isinstance(violations, list) else ():
            # Google: what is used up until tomorrow.
            if "perday" in text(mapping(violation).get("quotaId")).lower():
                codes.add("insufficient_quota")
    code = inner.get("code")
    flagged = bool(mapping(inner.get("metadata")).get("flagged_input"))
    return Refusal(
        _MASKED_KEY.sub("REDACTED", " ".join(message.split())),
        quota=bool(codes & _QUOTA_CODES) or _QUOTA_WORDS in message.lower(),
        key=bool(codes & _KEY_CODES),
        filtered=flagged or bool(codes & _FILTER_CODES),
        status=code if isinstance(code, int) and 400 <= code <= 599 else None,
        wait=wait,
    )


def _messages(outer: Mapping[str, Any], inner: Mapping[str, Any], error: object) -> Iterator[object]:
    yield inner.get("message")
    yield error
    yield outer.get("message")
    yield outer.get("detail")
