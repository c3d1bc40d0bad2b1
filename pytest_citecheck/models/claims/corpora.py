"""Claims of data sets: WiCE, VitaminC, AttributionBench, SciFact, FEVER, AVeriTeC, and answers as ALCE stores them.

The first row shows the data set. Labels are mapped by `pytest_citecheck.models.claims.pairs.label_of`. A row that cannot be read,
or has an unknown label, is an error with its line; no row is left out.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from pytest_citecheck.confinement import demand_within
from pytest_citecheck.matching import lazy_pattern
from pytest_citecheck.model import ClaimVerdict as Verdict
from pytest_citecheck.models.claims.file_kinds import EVIDENCE_KEYS, LABEL_KEYS, LINES, LISTS
from pytest_citecheck.models.claims.pairs import (
    LONGEST_SOURCE,
    ClaimFile,
    ClaimFileError,
    ClaimPair,
    GroupSource,
    claim_file,
    group_text,
    label_of,
    text_problem,
    with_own_ids,
)
from pytest_citecheck.models.claims.passages import sentences

Row = Mapping[str, Any]


def _json_rows(text: str, where: str) -> Iterator[tuple[int, Row]]:
    """The objects of a file in JSON Lines with their lines. Raises ClaimFileError."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                value = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise ClaimFileError(f"{where}:{number}: not JSON: {error}") from error
            if not isinstance(value, dict):
                raise ClaimFileError(f"{where}:{number}: not an object")
            yield number, value


class _RowError(ValueError):
    """A row is not as the data set has it."""


@dataclass
class _Files:
    """The other files of a data set. roots: folders to which its links may lead. wanted: the titles of all pages that its rows
    name."""

    folder: Path
    roots: tuple[Path, ...] = ()
    parts: str = ""
    wanted: frozenset[str] = frozenset()

    @cached_property
    def abstracts(self) -> dict[str, str]:
        """SciFact: the text of each document of ``corpus.jsonl``. Raises ClaimFileError, OutsideError and OSError."""
        file = self.folder / "corpus.jsonl"
        if not file.is_file():
            raise ClaimFileError(f"SciFact needs its abstracts: there is no {file}")
        found = {}
        for number, row in _json_rows(self._real(file).read_text(encoding="utf-8"), str(file)):
            try:
                found[str(row["doc_id"])] = " ".join((row["title"], *row["abstract"]))
            except (LookupError, TypeError) as error:
                raise ClaimFileError(f"{file}:{number}: no document of SciFact: {error}") from error
        return found

    @cached_property
    def pages(self) -> dict[str, str]:
        """FEVER: the text of each wanted page, from ``wiki-pages/*.jsonl``. Raises OutsideError and OSError."""
        found = {}
        for file in sorted((self.folder / "wiki-pages").glob("*.jsonl")):
            with self._real(file).open(encoding="utf-8") as lines:
                for line in lines:
                    name = _PAGE_NAME.match(line)
                    if name and json.loads(name[1]) in self.wanted:
                        row = json.loads(line)
                        said = (line.split("\t") for line in row["lines"].split("\n"))
                        texts = [parts[1] for parts in said if len(parts) > 1 and parts[1]]
                        found[row["id"]] = _unescaped(" ".join(texts))
        return found

    def _real(self, file: Path) -> Path:
        return demand_within(file, (self.folder, *self.roots))

    @cached_property
    def labels_of_parts(self) -> dict[str, set[str]]:
        """WiCE: the labels of all parts of each claim. A claim id is the id of a part without its number."""
        found: dict[str, set[str]] = {}
        for line in self.parts.split("\n"):
            with contextlib.suppress(ValueError, KeyError, TypeError, RecursionError):
                value = json.loads(line)
                name, label = value["meta"]["id"], value["label"]
                if isinstance(name, str) and isinstance(label, str):
                    found.setdefault(_PART.sub("", name), set()).add(label)
        return found


@dataclass(frozen=True)
class _Corpus:
    """A data set. pairs: of a row; its number in the file, from 1."""

    name: str
    pairs: Callable[[Row, int, _Files], Iterator[ClaimPair]]

    def holds(self, row: Row) -> bool:
        return all(any(name in row for name in names) for names in (LINES | LISTS)[self.name])


def _text_of(row: Row, name: str) -> str:
    value = row.get(name)
    if not isinstance(value, str) or not value.strip():
        raise _RowError(f"{name!r} must be a text")
    return value.strip()


def _truth(label: object) -> Verdict | None:
    if label is None:
        return None
    found = label_of(label) if isinstance(label, str) else None
    if found is None:
        raise _RowError(f"{label!r} is not a label that is known")
    return found


def _pair(name: object, claim: str, source: str, truth: Verdict | None, **more: Any) -> ClaimPair:
    more.setdefault("unfit", text_problem(source))
    return ClaimPair(id=str(name), claim=claim, source=source, truth=truth, **more)


# WiCE (Kamoi et al., EMNLP 2023), VitaminC (Schuster et al., NAACL 2021), AttributionBench (Li et al., ACL 2024): a claim with
# its evidence, which is a text or sentences.
_WICE_LABELS = frozenset({"supported", "partially_supported", "not_supported"})
_PART = lazy_pattern(r"[-_.]\d{1,4}\Z")
_METADATA = lazy_pattern(r"\A\[?\s*+meta_?data\s*+\]?\s*+:?\s*+", re.IGNORECASE)


def _first(row: Row, names: Sequence[str]) -> Any:
    return next((row[name] for name in names if row.get(name) is not None), None)


def _of_evidence(row: Row, number: int, files: _Files) -> Iterator[ClaimPair]:
    label, evidence = _first(row, LABEL_KEYS), _first(row, EVIDENCE_KEYS)
    evidence = [evidence] if isinstance(evidence, str) else evidence
    if not isinstance(evidence, list) or not all(isinstance(sentence, str) for sentence in evidence):
        raise _RowError("the evidence must be a text or a list of sentences")
    meta = row.get("meta")
    name = meta.get("id") if isinstance(meta, dict) else _first(row, ("unique_id", "id"))
    source, kept = _joined(evidence)
    cut = kept < len(evidence) and any(place >= kept for place in _annotated(row.get("supporting_sentences")))
    pair = _pair(
        name if isinstance(name, str | int) and name != "" else f"line_{number}",
        _text_of(row, "claim"),
        source,
        _truth(label),
        version="wice" if label is None or label in _WICE_LABELS else "v1",
        details={"annotated_sentence_cut": True} if cut else {},
    )
    labels = files.labels_of_parts.get(pair.id)
    yield replace(pair, version="unanimous" if len(labels) == 1 else "mixed") if labels else pair


def _joined(evidence: list[str]) -> tuple[str, int]:
    """The sentences that fit, and how many they are."""
    kept: list[str] = []
    length = 0
    for sentence in evidence:
        bare = _METADATA.sub("", sentence, 1)
        length += len(bare) + 1
        if length > LONGEST_SOURCE:
            return " ".join(kept), len(kept)
        kept.append(bare)
    return " ".join(kept), len(kept)


def _annotated(stated: object) -> list[int]:
    if not isinstance(stated, list):
        return []
    return [number for group in stated if isinstance(group, list) for number in group if isinstance(number, int)]


# SciFact (Wadden et al., EMNLP 2020): a claim, the documents that it cites, and the sentences of some of them.
def _of_scifact(row: Row, number: int, files: _Files) -> Iterator[ClaimPair]:
    documents, evidence = row["cited_doc_ids"], row.get("evidence")
    if not isinstance(documents, list) or not isinstance(evidence, dict | None):
        raise _RowError("“cited_doc_ids” must be a list, and “evidence” an object")
    for document in map(str, documents):
        if document not in files.abstracts:
            raise _RowError(f"corpus.jsonl has no document {document}")
        try:
            labels = {annotated["label"] for annotated in (evidence or {}).get(document, ())}
        except (LookupError, TypeError) as error:
            raise _RowError(f"the evidence of document {document} has no label") from error
        if len(labels) > 1:
            raise _RowError(f"the evidence of document {document} has the labels {', '.join(sorted(labels))}")
        label = None if evidence is None else next(iter(labels), "NOT ENOUGH INFO")
        name = f"{row.get('id', number)}:{document}"
        yield _pair(name, _text_of(row, "claim"), files.abstracts[document], _truth(label), cites=document)


# FEVER (Thorne et al., NAACL 2018): a claim and the pages of Wikipedia with its evidence.
_PAGE_NAME = lazy_pattern(r'\{"id":\s*+("(?:[^"\\]|\\.){0,400}+")')
_ESCAPES = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-COLON-": ":"}


def _unescaped(text: str) -> str:
    for name, sign in _ESCAPES.items():
        text = text.replace(name, sign)
    return text


def _named_pages(row: Row) -> list[str]:
    """The titles of the pages with evidence. Raises _RowError."""
    try:
        found = [page for annotated in row["evidence"] for _, _, page, *_ in annotated if page is not None]
    except (LookupError, TypeError, ValueError) as error:
        raise _RowError("“evidence” must be a list of lists of [annotation, evidence, page, sentence]") from error
    return list(dict.fromkeys(map(str, found)))


def _all_pages(rows: Iterable[Row]) -> frozenset[str]:
    """The titles in all rows; those that cannot be read are reported later, with their line."""
    found: set[str] = set()
    for row in rows:
        with contextlib.suppress(_RowError):
            found.update(_named_pages(row))
    return frozenset(found)


def _of_fever(row: Row, number: int, files: _Files) -> Iterator[ClaimPair]:
    pages = _named_pages(row)
    texts = [files.pages[page] for page in pages if page in files.pages]
    missing = [page for page in pages if page not in files.pages]
    unfit = "the data set names no page" if not pages else ""
    unfit = f"wiki-pages has no page {missing[0]}" if missing and not texts else unfit
    name, truth = row.get("id", f"line_{number}"), _truth(row.get("label"))
    yield _pair(name, _text_of(row, "claim"), "\n".join(texts), truth, unfit=unfit, cites=", ".join(pages))


# AVeriTeC (Schlichtkrull et al., NeurIPS 2023): a claim with questions, and their answers from the web.
def _of_averitec(row: Row, number: int, files: _Files) -> Iterator[ClaimPair]:  # noqa: ARG001 - called like the others
    said, urls = [], []
    try:
        for asked in row["questions"]:
            for answer in asked["answers"]:
                parts = (asked["question"], answer["answer"], answer.get("boolean_explanation"))
                said.append(" ".join(part.strip() for part in parts if part))
                urls.append(answer.get("source_url") or "")
    except (LookupError, TypeError, AttributeError) as error:
        raise _RowError("“questions” must be a list of questions with “answers”") from error
    name, truth = row.get("claim_id", f"row_{number}"), _truth(row.get("label"))
    yield _pair(name, _text_of(row, "claim"), "\n".join(said), truth, cites=" ".join(dict.fromkeys(filter(None, urls))))


# ALCE (Gao et al., EMNLP 2023): answers of a model, whose sentences cite documents as [1][2]. There are no labels.
_CITED = lazy_pattern(r"\[(\d{1,3})\]")


def _of_alce(row: Row, number: int, files: _Files) -> Iterator[ClaimPair]:  # noqa: ARG001 - called like the others
    documents, answer = row["docs"], _text_of(row, "output")
    try:
        texts = [f"{document.get('title', '')}\n{document['text']}".strip() for document in documents]
    except (LookupError, TypeError, AttributeError) as error:
        raise _RowError("“docs” must be a list of objects with “text”") from error
    for place, (start, end) in enumerate(sentences(answer), start=1):
        cited = list(dict.fromkeys(int(match[1]) for match in _CITED.finditer(answer, start, end)))
        claim = re.sub(r"(?<!\s)\s++([.,;:!?])", r"\1", " ".join(_CITED.sub("", answer[start:end]).split()))
        known = [number for number in cited if 1 <= number <= len(texts)]
        grouped = [
            GroupSource(f"[{ref}]", texts[ref - 1] if ref in known else "", f"there are {len(texts)} documents")
            for ref in cited
        ]
        yield ClaimPair(
            id=f"{row.get('sample_id', row.get('id', f'row_{number}'))}.{place}",
            claim=claim,
            source=grouped[0].text if len(grouped) == 1 else group_text(grouped),
            unfit=""
            if known
            else f"it cites [{cited[0]}], which is not there"
            if cited
            else "the sentence cites nothing",
            cites=", ".join(source.name for source in grouped),
            sources=max(1, len(cited)),
        )


_LINES = (
    _Corpus("SciFact", _of_scifact),
    _Corpus("FEVER", _of_fever),
    _Corpus("WiCE, VitaminC or AttributionBench", _of_evidence),
)
_LISTS = (_Corpus("AVeriTeC", _of_averitec), _Corpus("ALCE", _of_alce))


def corpus_of(row: object, corpora: Sequence[_Corpus] = _LISTS) -> _Corpus | None:
    """The data set of which this is the first row; None for another file."""
    return next((corpus for corpus in corpora if isinstance(row, dict) and corpus.holds(row)), None)


def read_lines(
    text: str, where: str, folder: Path, roots: tuple[Path, ...] = (), *, parts: str = "", version: str = "all"
) -> ClaimFile:
    """Return the pairs in JSON Lines, of one version or of all. parts: WiCE's file with the parts of the claims.

    A claim of WiCE is ``unanimous`` if all its parts have one label, else ``mixed``.

    Raises ClaimFileError, OutsideError and OSError.
    """
    rows = list(_json_rows(text, where))
    corpus = corpus_of(rows[0][1], _LINES) if rows else None
    if corpus is None:
        raise ClaimFileError(f"{where}:1: not a row of {', '.join(known.name for known in _LINES)}")
    return _read(rows, where, corpus, _Files(folder, roots, parts, _all_pages(row for _, row in rows)), version)


def read_list(text: str, where: str, rows: Sequence[Row], corpus: _Corpus, folder: Path, version: str) -> ClaimFile:
    """The pairs of a list in JSON. Raises ClaimFileError."""
    return _read(list(zip(_row_lines(text), rows, strict=False)), where, corpus, _Files(folder), version)


def _read(rows: Sequence[tuple[int, Row]], where: str, corpus: _Corpus, files: _Files, version: str) -> ClaimFile:
    pairs = []
    line = 1
    try:
        for number, (line, row) in enumerate(rows, start=1):
            if not corpus.holds(row):
                raise _RowError(f"not a row of {corpus.name}")
            pairs += [replace(pair, path=where, line=line) for pair in corpus.pairs(row, number, files)]
    except _RowError as error:
        raise ClaimFileError(f"{where}:{line}: {error}") from error
    return claim_file(where, list(with_own_ids(pairs)), version)


_LIST = lazy_pattern(r'(?:\A\s*+|"(?:rows|data)"\s*+:\s*+)\[')


def _row_lines(text: str) -> list[int]:
    """The line on which each row of the list begins."""
    found = _LIST.search(text)
    decoder, position, lines = json.JSONDecoder(), found.end() if found else len(text), []
    line, before = 1, 0
    while (begin := _GAP.match(text, position)) and begin.end() < len(text) and text[begin.end()] != "]":
        line += text.count("\n", before, begin.end())
        before = begin.end()
        lines.append(line)
        position = decoder.raw_decode(text, before)[1]
    return lines


_GAP = re.compile(r"[\s,]*+")
