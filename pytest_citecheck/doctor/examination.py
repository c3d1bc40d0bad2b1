"""Examines each source: whether it would be asked, with what, and whether it answers its witnesses as its parser expects.

It knows no service: it reads what each source declares (`pytest_citecheck.services.base.Source`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

from pytest_citecheck.doctor.shapes import Change, change, expected_shape
from pytest_citecheck.model import Absent, Answer, Found, Question, QuestionKind, Record, Unavailable
from pytest_citecheck.services.base import MalformedAnswerError, Response, Source
from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.titles.comparison import compare_titles
from pytest_citecheck.transport.cassettes.cassette import is_readable
from pytest_citecheck.transport.probe import Probe, Reply
from pytest_citecheck.transport.secrets.identity import Identity

if TYPE_CHECKING:
    from pytest_citecheck.transport.settings import TransportSettings

__all__ = ["WRONG", "Examined", "LookUp", "State", "by_urgency", "configured", "examined", "judged", "reason_off"]

State = Literal[
    "unreachable",
    "walled",
    "key refused",
    "refused",
    "failing",
    "rate-limited",
    "shape changed",
    "witness not found",
    "reachable",
    "on",
    "off",
]
"""The worst first; ``on`` is a source that was not asked, ``off`` one that no run asks."""

_ORDER: tuple[State, ...] = get_args(State)
WRONG = frozenset(_ORDER[: _ORDER.index("reachable")])
"""The states in which something is wrong."""

_WITHOUT_RESPONSE: Mapping[str, State] = {
    "hold": "rate-limited",
    "login": "key refused",
    "malformed": "shape changed",
    "too-large": "shape changed",
}
"""By the reason for which there is no response; all others are unreachable."""

_NAMESPACE = lazy_pattern(r"\{[^{}\s]*\}")
_KEY_WORDS = (b"api key", b"api_key", b"apikey", b"token", b"unauthorized", b"credential")
_MOST_READ = 4096


@dataclass(frozen=True, slots=True)
class LookUp:
    """The answer to one witness. change: of the shape; without an expected one (``compared``) nothing is known of it."""

    question: Question
    state: State
    detail: str
    reply: Reply = field(repr=False)
    compared: bool = False
    change: Change = field(default_factory=Change)


@dataclass(frozen=True, slots=True)
class Examined:
    """One source as it is for this user.

    off: why it is not asked, by kind of question; of a source that answers some kinds, those that it does not. key: ``found``,
    ``none``, or empty if it knows none. look_ups: empty unless it was asked.
    """

    source: Source
    off: Mapping[QuestionKind, str]
    key: str
    mirrored: bool
    look_ups: tuple[LookUp, ...] = ()

    @property
    def state(self) -> State:
        """The worst state of its look-ups; ``on`` or ``off`` if it was not asked."""
        states = [one.state for one in self.look_ups]
        return (
            min(states, key=_ORDER.index) if states else "off" if self.off.keys() >= self.source.batch.keys() else "on"
        )

    @property
    def limits(self) -> Mapping[str, str]:
        """The headers that state limits and pools, of all answers together."""
        return {name: value for one in self.look_ups for name, value in one.reply.limits.items()}


def by_urgency(sources: Iterable[Examined]) -> list[Examined]:
    """What is wrong first, then in the order of the registry."""
    return sorted(sources, key=lambda one: _ORDER.index(one.state))


def reason_off(source: Source, kind: QuestionKind, settings: TransportSettings) -> str:
    """Why no run asks this source a question of this kind; empty if it is asked."""
    if source.name in settings.base_urls:
        return ""
    if source.mirror_only:
        return "mirror needed"
    form = source.credentials
    if form is None or Identity.of(settings).admitted(source, kind):
        return ""
    other = f" (or {' and '.join(form.login.variables)})" if form.login else ""
    return f"key needed: {form.variable}{other}"


def configured(source: Source, settings: TransportSettings) -> Examined:
    """What is known of a source without asking it."""
    off = {kind: reason for kind in source.batch if (reason := reason_off(source, kind, settings))}
    found = settings.keys.get(source.name) or source.name in settings.logins
    key = "" if source.credentials is None else "found" if found else "none"
    return Examined(source, off, key, source.name in settings.base_urls)


async def examined(sources: Sequence[Source], settings: TransportSettings, probe: Probe) -> list[Examined]:
    """All of these sources, each asked once for each kind of question that a run asks and of which it has a sample."""
    known = [configured(source, settings) for source in sources]

    async def asked(one: Examined) -> Examined:
        witnesses = [question for kind, question in one.source.samples().items() if kind not in one.off]
        has_key = one.key == "found"
        replies = await asyncio.gather(*(probe.ask(one.source, question) for question in witnesses))
        look_ups = tuple(
            judged(one.source, question, reply, has_key=has_key)
            for question, reply in zip(witnesses, replies, strict=True)
        )
        return Examined(one.source, one.off, one.key, one.mirrored, look_ups)

    return list(await asyncio.gather(*map(asked, known)))


def judged(source: Source, question: Question, reply: Reply, *, has_key: bool) -> LookUp:
    """What a reply to a witness means."""
    if reply.failure is not None or reply.response is None:
        return _without_response(question, reply)
    response = reply.response
    status = response.status
    if reply.walled:
        return LookUp(question, "walled", f"it demands a browser (HTTP status {status})", reply)
    if status == 429:
        wait = "" if reply.wait is None else f", asks to wait {reply.wait:.0f} s"
        return LookUp(question, "rate-limited", f"HTTP status 429{wait}{_crowded(source, has_key=has_key)}", reply)
    if has_key and (status in (401, 403) or (status == 400 and _speaks_of_keys(response.body))):
        return LookUp(question, "key refused", f"HTTP status {status} to a request with the key", reply)
    if status in (401, 403):
        return LookUp(question, "refused", f"HTTP status {status} to a request without a key", reply)
    if not is_readable(status):
        return LookUp(question, "failing", f"HTTP status {status}", reply)
    answer, problem = _answer(source, question, response)
    if problem and status >= 300:
        return LookUp(question, "failing", f"HTTP status {status}: {problem}", reply)
    return _compared(source, question, reply, answer, problem)


def _without_response(question: Question, reply: Reply) -> LookUp:
    failure = reply.failure or Unavailable("connection", "no response")
    state = _WITHOUT_RESPONSE.get(failure.reason, "unreachable")
    return LookUp(question, state, failure.detail, reply)


def _crowded(source: Source, *, has_key: bool) -> str:
    form = source.credentials
    if form is None or not form.pooled or has_key:
        return ""
    return f": clients without a key share one pool; {form.variable} holds a key ({form.obtained})"


def _speaks_of_keys(body: bytes) -> bool:
    return any(word in body[:_MOST_READ].lower() for word in _KEY_WORDS)


def _answer(source: Source, question: Question, response: Response) -> tuple[Answer | None, str]:
    """What the parser reads, and why it reads nothing."""
    try:
        answer = source.parse([question], response).get(question)
    except MalformedAnswerError as error:
        return None, str(error)
    except Exception as error:  # noqa: BLE001 - an answer that breaks its parser has changed
        return None, f"it broke its parser: {type(error).__name__}: {error}"
    if isinstance(answer, Unavailable):
        return None, answer.detail
    return answer, "" if answer is not None else "the parser found no answer to the question"


def _compared(source: Source, question: Question, reply: Reply, answer: Answer | None, problem: str) -> LookUp:
    expected = expected_shape(source, question)
    status, body = (reply.response.status, reply.response.body) if reply.response else (0, b"")
    found = isinstance(answer, Found) and any(_is_witness(record, question) for record in answer.records)
    changed = Change() if expected is None else change(expected, body, answer)
    # A denial lacks all that the witness has, or is one in the words of the service.
    explicit = isinstance(answer, Absent) and (status >= 400 or bool(answer.scope))
    denied = answer is not None and not found and (explicit or not changed.is_partial)
    if answer is None or (changed and not denied):
        # Where it is not even the format, there is no more to say.
        stated = "" if changed.retyped[:1] and changed.retyped[0].startswith("the body") else problem
        said = "; ".join(filter(None, (stated, *_in_words(changed))))
        return LookUp(question, "shape changed", said, reply, expected is not None, changed)
    if not found:
        wanted = question.title or question.value
        said = f"it does not show what it certainly has: {wanted}"
        return LookUp(question, "witness not found", said, reply, expected is not None, changed)
    return LookUp(question, "reachable", "", reply, expected is not None, changed)


def _is_witness(record: Record, question: Question) -> bool:
    """Whether a record is the work that was asked for; what is found by its identifier is."""
    title = question.value if question.kind == "title" else question.title
    if not title or not record.title:
        return True
    comparison = compare_titles(title, record.title, record.subtitle, record.other_titles)
    return comparison.relation in ("same", "short")


def _in_words(changed: Change) -> Iterable[str]:
    if changed.missing:
        yield f"missing: {', '.join(map(_short, changed.missing))}"
    if changed.retyped:
        yield ", ".join(map(_short, changed.retyped))
    if changed.lost:
        yield f"no longer read: {', '.join(changed.lost)}"


def _short(place: str) -> str:
    """The place without namespaces, except where there is nothing else to see."""
    return _NAMESPACE.sub("", place) if "/" in place else place
