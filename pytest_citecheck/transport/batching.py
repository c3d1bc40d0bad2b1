"""Which questions go into one request, and to which host."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pytest_citecheck.model import Question, QuestionKind, Unavailable
from pytest_citecheck.transport.delivery import build_request

if TYPE_CHECKING:
    from pytest_citecheck.services.base import Source

__all__ = ["batches", "by_host"]


def by_host(source: Source, questions: list[Question]) -> dict[str, list[Question]]:
    """The questions by the host that is asked: that of the service (not of a mirror, which may stand in for many)."""
    if source.base_url:
        return {urlsplit(source.base_url).netloc: questions}
    hosts: dict[str, list[Question]] = {}
    for question in questions:
        request = build_request(source, [question])
        host = "" if isinstance(request, Unavailable) else urlsplit(request.url).netloc
        hosts.setdefault(host, []).append(question)
    return hosts


def batches(
    source: Source, questions: Sequence[Question], alone: Collection[Question] = frozenset()
) -> Iterator[list[Question]]:
    """The questions by kind and `Source.group`, in their order, as many together as the source takes; those ``alone`` one by one.

    Those that were crowded out of a batch by the answers to others have to be asked alone.
    """
    yield from ([question] for question in questions if question in alone)
    questions = [question for question in questions if question not in alone]
    kinds: dict[tuple[QuestionKind, Hashable], list[Question]] = {}
    for question in questions:
        kinds.setdefault((question.kind, source.group(question)), []).append(question)
    for (kind, _), group in kinds.items():
        size = max(1, source.batch.get(kind, 1))
        for start in range(0, len(group), size):
            yield from _apart(source, group[start : start + size])


def _apart(source: Source, batch: list[Question]) -> Iterator[list[Question]]:
    """The batch, and alone each question that its request leaves out: some values cannot stand beside others."""
    request = build_request(source, batch)
    if len(batch) < 2 or isinstance(request, Unavailable):
        yield batch
        return
    asked_together = set(source.singles(request))
    if len(asked_together) == len(batch):
        yield batch
        return
    together: list[Question] = []
    alone: list[Question] = []
    for question in batch:
        single = build_request(source, [question])
        inside = isinstance(single, Unavailable) or single in asked_together
        (together if inside else alone).append(question)
    if together:
        yield together
    yield from ([question] for question in alone)
