"""Reader for answer files: the responses of models that were asked for references."""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pytest_citecheck.inputs.answer_json import read_json_references
from pytest_citecheck.inputs.base import (
    NO_USAGE,
    Answered,
    AnswerGroup,
    Bibliography,
    FileReader,
    LineIndex,
    Usage,
    text_of,
    unify_line_ends,
)
from pytest_citecheck.inputs.bibtex.reader import read_bibtex
from pytest_citecheck.inputs.budget import lazy_pattern
from pytest_citecheck.inputs.dates import YEAR
from pytest_citecheck.inputs.normalisation import cited_metadata
from pytest_citecheck.inputs.plain.works import mentions_in, read_plain_references
from pytest_citecheck.matching import title_key
from pytest_citecheck.model import Defect, Location, Reference

_CONSTRAINTS = ("exact", "min_year", "max_year")
_BETWEEN = " \t\r\n,"
_LONGEST_WORD = 40  # of a reason
_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class AnswerRecord:
    """One answer: its query, its text (None if the call failed) and the line of its object in the file (from 1)."""

    group: AnswerGroup
    text: str | None
    line: int


@dataclass(frozen=True, slots=True)
class InvalidRecord:
    """An object that is not a valid answer: its line and the error."""

    line: int
    message: str
    text: str


def read_records(text: str) -> list[AnswerRecord | InvalidRecord]:
    """Return all answers of a file in order. Never raises because of the content.

    Queries are numbered from 1 by first occurrence. If a model answers the same query twice, the second answer is its second
    ``sample``.
    """
    numbers: dict[str, int] = {}
    samples: Counter[tuple[str, int]] = Counter()
    records: list[AnswerRecord | InvalidRecord] = []
    for line, source, value in _objects(text):
        try:
            if isinstance(value, ValueError):
                raise value
            answers = list(_answers(value))
            query = _text(value, "query")
        except ValueError as error:
            records.append(InvalidRecord(line, str(error), source))
            continue
        number = numbers.setdefault(query, len(numbers) + 1)
        for model, answer in answers:
            samples[model, number] += 1
            group = _group(value, model, query, number, samples[model, number])
            records.append(AnswerRecord(group, answer, line))
    return records


def _objects(text: str) -> Iterator[tuple[int, str, Any]]:
    """Yield the line, source text and value of every object; the value is a ValueError if the text is not valid JSON."""
    if text.lstrip().startswith("["):
        yield from _array(text)
        return
    # Only LF ends a line: JSON strings may contain the other Unicode line separators.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                value = _clean(json.loads(line))
            except (ValueError, RecursionError) as error:
                value = ValueError(f"is not a JSON object: {error}")
            yield number, line, value


def _array(text: str) -> Iterator[tuple[int, str, Any]]:
    lines = LineIndex(text)
    decoder = json.JSONDecoder()
    position = text.index("[") + 1
    while True:
        while position < len(text) and text[position] in _BETWEEN:
            position += 1
        if text[position : position + 1] == "]":
            return
        line = lines.line(position)
        try:
            value, end = decoder.raw_decode(text, position)
            value = _clean(value)
        except (ValueError, RecursionError) as error:
            yield line, text[position:], ValueError(f"the list is incomplete or invalid JSON here: {error}")
            return
        yield line, text[position:end], value
        position = end


def _clean(value: Any) -> Any:
    """Return the value without lone surrogates, which JSON can express but no file can store."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {_clean(key): _clean(item) for key, item in value.items()}
    return value


def _answers(value: Any) -> Iterator[tuple[str, str | None]]:
    """Yield the model and the text of each answer in an object. Raise ValueError if the object is not valid."""
    if not isinstance(value, dict):
        raise ValueError("an answer must be a JSON object")
    _text(value, "query")
    _requested(value)
    _year_range(value)
    for name in ("discipline", "language"):
        if not isinstance(value.get(name, ""), str | None):
            raise ValueError(f"{name} must be text")
    if "responses" in value:
        responses = value["responses"]
        if not isinstance(responses, dict):
            raise ValueError("responses must be an object that maps models to answers")
        for model, answer in responses.items():
            yield _text({"model": model}, "model"), _answer(answer)
    else:
        model = _text(value, "model")
        if "answer" not in value:
            raise ValueError("answer is missing (use null for a failed call)")
        yield model, _answer(value["answer"])


def _answer(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise ValueError("answer must be text or null")


def _text(value: Mapping[str, Any], name: str) -> str:
    found = value.get(name)
    if not isinstance(found, str) or not found.strip():
        raise ValueError(f"{name} must be non-empty text")
    return found


def _requested(value: Mapping[str, Any]) -> int | None:
    number = value.get("num_refs")
    if number is None:
        return None
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise ValueError("num_refs must be a positive integer")
    return number


def _year_range(value: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """Return the first and last allowed year, both inclusive; ``exact`` takes precedence, as in the Arena."""
    constraint = value.get("year_constraint")
    if constraint is None:
        return None, None
    if not isinstance(constraint, dict):
        raise ValueError("year_constraint must be an object")
    if unknown := sorted(set(constraint) - set(_CONSTRAINTS)):
        raise ValueError(f"year_constraint allows {', '.join(_CONSTRAINTS)}, not {', '.join(unknown)}")
    years = {}
    for name, year in constraint.items():
        if year is not None and (not isinstance(year, int) or isinstance(year, bool)):
            raise ValueError(f"year_constraint.{name} must be an integer")
        years[name] = year
    exact = years.get("exact")
    return (exact, exact) if exact is not None else (years.get("min_year"), years.get("max_year"))


def _group(value: Mapping[str, Any], model: str, query: str, number: int, sample: int) -> AnswerGroup:
    earliest, latest = _year_range(value)
    identifier = value.get("id")
    return AnswerGroup(
        model=model,
        query=query,
        number=number,
        sample=sample,
        discipline=value.get("discipline") or "other",
        language=value.get("language") or "",
        requested=_requested(value),
        earliest=earliest,
        latest=latest,
        id="" if identifier is None else str(identifier),
        tool=value.get("tool") is True,
        served=str(value.get("served", ""))[:_LONGEST_NAME],
        usage=_usage(value.get("call")),
    )


def _usage(value: Any) -> Usage:
    """Return the cost of the call as recorded by an arena; values of an unexpected type count as unknown."""
    if not isinstance(value, dict):
        return NO_USAGE

    def whole(name: str, default: Any) -> Any:
        found = value.get(name, default)
        return found if isinstance(found, int) and not isinstance(found, bool) and found >= 0 else default

    cost = value.get("cost")
    return Usage(
        calls=whole("calls", 1),
        searches=whole("searches", 0),
        iterations=whole("iterations", 0),
        fallback=value.get("fallback") is True,
        prompt_tokens=whole("prompt_tokens", None),
        completion_tokens=whole("completion_tokens", None),
        cost=float(cost) if isinstance(cost, int | float) and 0 <= cost < float("inf") else None,
        finish=str(value.get("finish", ""))[:_LONGEST_WORD],
        failure=str(value.get("failure", ""))[:_LONGEST_WORD],
    )


_TAG = re.compile(r"<(?P<closing>/?)(?:think(?:ing)?|reasoning|reflection)(?:\s[^<>]{0,200})?>", re.IGNORECASE)
_REASONING_ENTRY = lazy_pattern(
    r"^[ \t]*(?:```[^\n]*\n[ \t]*)?@(?:article|inproceedings|incollection|inbook|proceedings|conference|book|booklet|misc"
    r"|online|phdthesis|mastersthesis|thesis|techreport|report|manual|unpublished|dataset|software|string)[ \t]*[{(]",
    re.IGNORECASE | re.MULTILINE,
)


def without_reasoning(answer: str) -> str:
    """Return the answer without ``<think>``, ``<thinking>``, ``<reasoning>`` and ``<reflection>`` blocks, in any case.

    A closing tag without an opening tag ends reasoning that began with the text, because some templates print the opening tag
    themselves. An unclosed block extends to the end of the text, except that BibTeX entries in it count as the answer: the
    model forgot the closing tag. An answer that was cut off during reasoning has no entry at the start of a line, or only
    drafts of its answer. A tag within a line opens a block only if a closing tag follows, since titles contain such tags too.
    Runs in linear time.
    """
    tags = list(_TAG.finditer(answer))
    last_closing = max((tag.start() for tag in tags if tag["closing"]), default=-1)
    kept: list[str] = []
    position, inside = 0, False
    for tag in tags:
        if tag["closing"]:
            if inside:
                position, inside = tag.end(), False
            elif _at_line_edge(answer, tag):
                position = tag.end()
        elif not inside and (tag.start() < last_closing or _begins_line(answer, tag)):
            kept.append(answer[position : tag.start()])
            position, inside = tag.end(), True
    rest = answer[position:]
    if inside:
        entry = _REASONING_ENTRY.search(rest)
        rest = rest[entry.start() :] if entry else ""
    return "".join((*kept, rest))


def _begins_line(text: str, tag: re.Match[str]) -> bool:
    return not text[text.rfind("\n", 0, tag.start()) + 1 : tag.start()].strip()


def _at_line_edge(text: str, tag: re.Match[str]) -> bool:
    end = text.find("\n", tag.end())
    return _begins_line(text, tag) or not text[tag.end() : end if end >= 0 else len(text)].strip()


_FENCE = lazy_pattern(r"^[ \t]*(`{3,}|~{3,})[ \t]*([^\s`]*)[^\n`]*$", re.MULTILINE)
_READ_FENCES = frozenset(
    {"", "bib", "bibtex", "biblatex", "latex", "tex", "text", "txt", "plain", "plaintext", "markdown", "md"}
)
_ENTRY = lazy_pattern(
    r"@(?:article|inproceedings|incollection|inbook|conference|book|booklet|misc|online|phdthesis|mastersthesis|thesis"
    r"|techreport|report|manual|unpublished|dataset|software)[ \t]*[{(]",
    re.IGNORECASE,
)
_BESIDE = lazy_pattern(rf"(?<=[}})])([^{{}}()@=\n]{{1,80}})(?={_ENTRY.pattern})", re.IGNORECASE)
"""Words between two entries on the same line; without a line break they would be read as part of the first entry."""
_FENCED = lazy_pattern(r"^[ \t]*(`{3,}|~{3,})[^\n]*\n.*?^[ \t]*\1[ \t]*$", re.MULTILINE | re.DOTALL)
_CITES = lazy_pattern(
    rf"\bet al\b\.?,?\s*\(?{YEAR}|(?<![\w'’-])[^\W\d_a-z][\w'’-]++(?:\s\(|,\s){YEAR}[a-z]?\)"
    rf"|[“„«»《『\"][^“”„«»《》『』\"\n]{{8,200}}[”“»«》』\"][^.\n]{{0,80}}{YEAR}"
    r"|\b10\.\d{4,9}/\S|\barxiv[.:]\S*\d{4}\.\d{4}"
)
_INLINE_CODE = lazy_pattern(r"`(@[^`\n]*)`")


def references_in(answer: str, location: Location) -> tuple[list[Reference], list[Defect]]:
    """Return the references of an answer in order, each at ``location``, and notes. Never raises.

    Reasoning is ignored. BibTeX is read as from a ``.bib`` file, in any kind of fence and between prose. If there is BibTeX,
    everything else is ignored, because a list next to it repeats the entries in words. The ``text`` of each reference is the
    text that the model wrote. Missing keys become ``ref_N``, where N is the position in the answer.
    """
    text = unify_line_ends(without_reasoning(answer))
    references, notes = _bibtex(text, location)
    if references:
        known = {title_key(one.fields.get("title", "")) for one in references}
        prose = _FENCED.sub("\n\n", text)
        prose = re.sub(r"(?m)^[ \t]*@\w+[{(].*?^[ \t]*[})]", "\n\n", prose, flags=re.DOTALL)
        mentioned = (one for one in mentions_in(prose, location) if one.fields.keys() >= {"author", "year"})
        references += [one for one in mentioned if title_key(one.fields["title"]) not in known]
    else:
        references = read_json_references(text, location) or read_plain_references(text, location)
    keyed = enumerate(references, start=1)
    return [one if one.key.strip() else replace(one, key=f"ref_{number}") for number, one in keyed], notes


def seems_to_cite(answer: str) -> bool:
    """Return True if an answer without a readable reference seems to cite works: by author and year, identifier or quotes."""
    text = _FENCED.sub("", without_reasoning(answer))
    return _CITES.search(text) is not None


def _bibtex(text: str, location: Location) -> tuple[list[Reference], list[Defect]]:
    if "@" not in text:
        return [], []
    bibliography = read_bibtex(location.path, codecs.BOM_UTF8 + _without_fences(text).encode())
    references, notes = [], []
    for reference in bibliography.references:
        if _is_mention(reference):
            message = f"“{' '.join(reference.text.split())[:60]}” is treated as a mention of BibTeX, not as an entry"
            notes.append(Defect("mention", message, location.line, note=True))
        else:
            defects = tuple(_moved(defect, location) for defect in reference.defects)
            references.append(replace(reference, location=location, defects=defects))
    # Text between entries is prose here; stray fields are only worth a note if there are entries.
    notes += [_moved(note, location) for note in bibliography.notes if references]
    return references, notes


def _is_mention(reference: Reference) -> bool:
    """Return True for a mention such as ``@article{...}`` in a sentence: complete, but without any field.

    A handle or decorator (``@dataclass(frozen=True)``) is not BibTeX either.
    """
    if not _ENTRY.match(reference.text):
        return not any(name in reference.fields for name in ("title", "author", "year", "journal", "booktitle"))
    return not reference.fields and not any(defect.code == "unclosed-entry" for defect in reference.defects)


def _without_fences(text: str) -> str:
    """Return the text without fence lines and code in other languages, with each entry on its own line."""
    text = _BESIDE.sub(r"\n\1\n", _INLINE_CODE.sub(r" \1 ", text))
    parts: list[str] = []
    position, opened = 0, ""
    language = ""
    for fence in _FENCE.finditer(text):
        mark, label = fence[1], fence[2].lower()
        if opened and (mark[0] != opened[0] or len(mark) < len(opened) or label):
            continue
        parts.append(_readable(text[position : fence.start()], language if opened else ""))
        position = fence.end()
        opened, language = ("", "") if opened else (mark, label)
    parts.append(_readable(text[position:], language if opened else ""))
    return "".join(parts)


def _readable(part: str, language: str) -> str:
    if language.strip("{}.") in _READ_FENCES or _ENTRY.search(part):
        return part
    return "\n"


def _moved(defect: Defect, location: Location) -> Defect:
    """Move the defect to the line of the answer in its file; the defect's own line is relative to the answer."""
    return replace(defect, line=location.line)


_FEWEST_LETTERS = 8
"""Minimum length of a title that identifies its work: "Editorial" and "Reply" are titles of many works."""


def duplicates(references: Sequence[Reference]) -> list[str]:
    """Return, for each reference, the key of the first earlier one that cites the same work, or `""`.

    Two references cite the same work if they have the same DOI or arXiv id, or the same normalised title. Unreadable references
    are never duplicates.
    """
    first: dict[tuple[str, str], str] = {}
    found = []
    for reference in references:
        marks = list(_marks(reference)) if reference.readable else []
        original = next((first[mark] for mark in marks if mark in first), "")
        for mark in marks:
            first.setdefault(mark, original or reference.key)
        found.append(original)
    return found


def _marks(reference: Reference) -> Iterator[tuple[str, str]]:
    cited = cited_metadata(reference)
    if cited.identifiers.doi:
        yield "doi", cited.identifiers.doi
    if cited.identifiers.arxiv:
        yield "arxiv", cited.identifiers.arxiv
    key = title_key(cited.title)
    if len(key) >= _FEWEST_LETTERS:
        yield "title", key


# JSON escapes quotation marks inside strings, so these patterns match only names.
_ANSWER = lazy_pattern(rb'"(?:answer|responses)"\s*:')
_QUERY = lazy_pattern(rb'"query"\s*:')


class AnswersReader(FileReader):
    """Reader for ``.jsonl`` and ``.json`` answer files; see `read_answers`."""

    suffixes = frozenset((".jsonl", ".json"))
    format = "a file of answers (“query” with “answer” or “responses”)"
    lenient = False

    def reads(self, head: bytes) -> bool:
        """Return True if the file starts with objects that have a query and an answer."""
        return _ANSWER.search(head) is not None and _QUERY.search(head) is not None

    def read(self, path: str, data: bytes) -> Bibliography:
        """Read a whole file; ``path`` is only used in locations."""
        return read_answers(path, data)


ANSWERS = AnswersReader()


def read_answers(path: str, data: bytes) -> Bibliography:
    """Parse the bytes of an answer file (`inputs.answers` describes the two forms). Never raises because of the content.

    Each reference in an answer gets the line of the answer's object. Some lines yield a reference with a fatal defect instead:
    ``answer-missing`` (the answer is null), ``answer-empty`` (no references), ``answer-unread`` (it seems to cite works) and
    ``answer-invalid`` (the line is not an answer). So every request is counted.
    """
    text, notes = text_of(data)
    references: list[Reference] = []
    answered: list[Answered | None] = []
    remarks = list(notes)
    for record in read_records(text):
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
    """Return the references of one answer and notes. An answer without references yields one with a fatal defect."""
    if record.text is None:
        why = record.group.usage.failure
        message = f"no answer from {record.group.model}: the call failed" + (f" ({why})" if why else "")
        return [stub(location, "answer", "answer-missing", message)], []
    references, notes = references_in(record.text, location)
    if not references:
        if seems_to_cite(record.text):
            message = f"the answer from {record.group.model} seems to cite works, but contains no readable reference"
            return [stub(location, "answer", "answer-unread", message, record.text)], notes
        message = f"no reference in the answer from {record.group.model}"
        return [stub(location, "answer", "answer-empty", message, record.text)], notes
    return [replace(reference, discipline=record.group.discipline) for reference in references], notes


def stub(location: Location, key: str, code: str, message: str, text: str = "") -> Reference:
    """Return a placeholder for an answer without references; it becomes an item that fails."""
    defect = Defect(code, message, location.line, fatal=True)
    return Reference(key, "", {}, location, text=text, defects=(defect,))
