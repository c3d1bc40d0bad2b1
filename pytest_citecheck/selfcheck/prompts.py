"""What a model is asked: the questions in this project's own words, with their parameters and their hash.

Source of the structure of the conversations: Agrawal et al., EACL 2024, and microsoft/hallucinated-references.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_citecheck.chat.protocol import ChatRequest, Message
from pytest_citecheck.selfcheck.answers import clean_title
from pytest_citecheck.selfcheck.subject import DIRECT, shown_list

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_citecheck.selfcheck.subject import Method, Options, Subject

__all__ = ["Call", "overlap_call", "question"]

_NEUTRAL = "You answer questions about publications."
_YES_OR_NO = "Answer with yes or no only."
_TITLE_AT_MOST = 500  # characters

_DIRECT_TOKENS, _INDIRECT_TOKENS, _OVERLAP_TOKENS = 15, 300, 50
_NAMES_OF_LIMIT = {"openai": "max_tokens", "anthropic": "max_tokens", "gemini": "maxOutputTokens"}
_NEWER_LIMIT = "max_completion_tokens"

_INDIRECT: Mapping[Method, str] = {
    "iq": 'Who wrote the publication "{title}"? Reply in one line: AUTHORS: the full names, separated by commas.',
    "year": 'In which year did the publication "{title}" appear? Reply in one line: YEAR: the year.',
    "venue": (
        'In which journal, conference or book, or with which publisher, did the publication "{title}" appear? '
        "Reply in one line: VENUE: its name."
    ),
}


@dataclass(frozen=True, slots=True)
class Call:
    """One call with what identifies it in a recording. sample: from 0; pair: of the answers that are compared."""

    key: str
    method: Method
    sample: int
    request: ChatRequest
    prompt_hash: str
    temperature: float | None
    token_limit: int | None
    pair: tuple[int, int] | None = None


def _title(text: str) -> str:
    return clean_title(text)[:_TITLE_AT_MOST]


def _messages(subject: Subject, method: Method) -> tuple[Message, ...]:
    title = _title(subject.title)
    if method == "dq1":
        asked = f'Is there a publication with the title "{title}"? {_YES_OR_NO}'
        return (Message("user", asked),)
    if method == "dq2":
        return (
            Message("user", "Name a publication that is well known in its field. Give its title only."),
            Message("assistant", title),
            Message("user", f"Does that publication exist? {_YES_OR_NO}"),
        )
    if method == "dq3":
        titles, number = shown_list(subject.listed or (subject.title,), subject.position)
        lines = "\n".join(f"{place}. {_title(one)}" for place, one in enumerate(titles, start=1))
        asked = (
            f"This is a list of references:\n{lines}\n\nDoes the publication with number {number} exist? {_YES_OR_NO}"
        )
        return (Message("user", asked),)
    return (Message("system", _NEUTRAL), Message("user", _INDIRECT[method].format(title=title)))


def question(
    subject: Subject,
    method: Method,
    sample: int,
    options: Options,
    *,
    api: str = "openai",
    configured: Mapping[str, object] | None = None,
) -> Call:
    """One sample of one method. configured: the parameters of the endpoint, which may name the token limit in the newer way."""
    direct = method in DIRECT
    # A single answer is to be the likeliest one (section 4 of the paper); several are to differ where the model wavers.
    temperature = 0.0 if (options.direct if direct else options.indirect) == 1 else 1.0
    limit = _DIRECT_TOKENS if direct else _INDIRECT_TOKENS
    return _call(subject.key, method, sample, _messages(subject, method), temperature, limit, options, api, configured)


def overlap_call(
    key: str,
    pair: tuple[int, int],
    later: str,
    earlier: str,
    options: Options,
    *,
    api: str = "openai",
    configured: Mapping[str, object] | None = None,
) -> Call:
    """The question how much two lists of authors have in common."""
    one, other = (" ".join(text.split())[: options.cut] for text in (later, earlier))
    asked = (
        "Two people listed the authors of a publication. How much do the lists agree, as a number from 0 to 100? Initials for "
        "given names and accents make no difference. The number is 0 if one of them is no list of names. Reply in one line: "
        f"ANS: the number, then JUSTIFICATION: the reason.\nFirst list: {one}\nSecond list: {other}"
    )
    messages = (Message("user", asked),)
    return _call(key, "iq", 0, messages, 0.0, _OVERLAP_TOKENS, options, api, configured, pair)


def _call(
    key: str,
    method: Method,
    sample: int,
    messages: tuple[Message, ...],
    temperature: float,
    limit: int,
    options: Options,
    api: str,
    configured: Mapping[str, object] | None,
    pair: tuple[int, int] | None = None,
) -> Call:
    parameters: dict[str, object] = {}
    if not options.reasoning:
        newer = api == "openai" and _NEWER_LIMIT in (configured or {})
        name = _NEWER_LIMIT if newer else _NAMES_OF_LIMIT[api]
        parameters = {"temperature": temperature, name: limit}
    said = [[message.role, message.content] for message in messages]
    text = json.dumps([said, temperature, limit, options.reasoning], ensure_ascii=True)
    mark = hashlib.sha256(text.encode()).hexdigest()[:16]
    request = ChatRequest(messages, parameters=parameters, sample=sample)
    sent = not options.reasoning
    return Call(key, method, sample, request, mark, temperature if sent else None, limit if sent else None, pair)
