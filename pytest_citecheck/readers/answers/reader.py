"""The reader of files of answers: what models wrote when they were asked for references."""

from __future__ import annotations

from pytest_citecheck.model import Defect, Location, Reference
from pytest_citecheck.readers.answers.duplicates import duplicates
from pytest_citecheck.readers.answers.records import AnswerRecord, InvalidRecord, read_records
from pytest_citecheck.readers.answers.text import references_in, seems_to_cite
from pytest_citecheck.readers.base import Answered, Bibliography
from pytest_citecheck.readers.encoding import decode_bytes
from pytest_citecheck.readers.lines import unify_line_ends
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["ANSWERS", "AnswersReader", "read_answers", "references_of", "stub"]

# Quotation marks inside the texts of JSON stand after a backslash, so these are names.
_ANSWER = lazy_pattern(rb'"(?:answer|responses)"\s*:')
_QUERY = lazy_pattern(rb'"query"\s*:')


class AnswersReader:
    """Reads ``.jsonl`` and ``.json`` files of answers; see `read_answers`."""

    suffixes = frozenset((".jsonl", ".json"))
    format = "a file of answers (“query” with “answer” or “responses”)"
    lenient = False

    def reads(self, head: bytes) -> bool:
        """Whether objects with a query and what was answered stand there."""
        return _ANSWER.search(head) is not None and _QUERY.search(head) is not None

    def read(self, path: str, data: bytes) -> Bibliography:
        """Read a whole file; ``path`` is only repeated in locations."""
        return read_answers(path, data)


ANSWERS = AnswersReader()


def read_answers(path: str, data: bytes) -> Bibliography:
    """Read a file of answers from its bytes (`readers.answers.records` describes the two forms). Never raises on its content.

    Every reference in an answer is a reference, on the line of the answer's object. An answer that is null, one without
    references, and a line that is no answer are references too, with a fatal defect: ``answer-missing``, ``answer-empty``,
    ``answer-unread`` (it seems to cite works), ``answer-invalid``. Nothing that was asked for goes uncounted.
    """
    decoded, notes = decode_bytes(data)
    references: list[Reference] = []
    answered: list[Answered | None] = []
    remarks = list(notes)
    for record in read_records(unify_line_ends(decoded)):
        location = Location(path, record.line, record.line)
        if isinstance(record, InvalidRecord):
            references.append(stub(location, f"line_{record.line}", "answer-invalid", record.message, record.text))
            answered.append(None)
            continue
        found, more = references_of(record, location)
        remarks += more
        references += found
        answered += [Answered(record.group, original) for original in duplicates(found)]
    return Bibliography(path, tuple(references), tuple(remarks), tuple(answered))


def references_of(record: AnswerRecord, location: Location) -> tuple[list[Reference], list[Defect]]:
    """The references of one answer, at least one: if it has none, one with a fatal defect; and remarks."""
    if record.text is None:
        why = record.group.usage.failure
        message = f"no answer from {record.group.model}: the call failed" + (f" ({why})" if why else "")
        return [stub(location, "answer", "answer-missing", message)], []
    references, notes = references_in(record.text, location)
    if not references:
        if seems_to_cite(record.text):
            message = f"the answer from {record.group.model} seems to cite works, but no reference can be read"
            return [stub(location, "answer", "answer-unread", message, record.text)], notes
        message = f"no reference in the answer from {record.group.model}"
        return [stub(location, "answer", "answer-empty", message, record.text)], notes
    return references, notes


def stub(location: Location, key: str, code: str, message: str, text: str = "") -> Reference:
    """What stands for an answer without references: it has an item of its own, which fails."""
    defect = Defect(code, message, location.line, fatal=True)
    return Reference(key, "", {}, location, text=text, defects=(defect,))
