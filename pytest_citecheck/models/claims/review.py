"""What models answered to claims, as files of results keep it; and the truth, which is joined to it and never copied from it."""

from __future__ import annotations

import csv
import io
import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from pytest_citecheck.confinement import demand_within
from pytest_citecheck.inputs import FolderFiles
from pytest_citecheck.models.chat import total_of_known
from pytest_citecheck.models.claims.answers import VERIFIED, canonical, is_supporting
from pytest_citecheck.models.claims.corpora import corpus_of, read_lines, read_list
from pytest_citecheck.models.claims.file_kinds import HEAD_SIZE, MANUSCRIPTS, REVIEW_COLUMNS
from pytest_citecheck.models.claims.manuscripts import read_manuscript
from pytest_citecheck.models.claims.pairs import (
    ClaimFile,
    ClaimFileError,
    ClaimPair,
    claim_file,
    claim_problem,
    label_of,
    read_claims,
    rows_of,
    text_problem,
)
from pytest_citecheck.models.claims.source_texts import SourceFolder


@dataclass(frozen=True, slots=True)
class ResultRow:
    """Answer of one model (``provider``) about one pair (``entry``).

    truth, verdict: as they are written. confidence: None where none is stated. error: of the call; empty if it was answered.
    latency: milliseconds. tokens and cost (US dollars): None where they are not known. verified: of the quote, what is in the
    source. flags: as in `Judgement`; ``instructions``: the source speaks to models;
    ``canary``: the answer lacks the mark that it was to repeat, as if it followed such instructions. seen: how much of a long
    source the judge saw; empty if it saw all.
    """

    entry: str
    provider: str
    model: str = ""
    truth: str = ""
    verdict: str = ""
    confidence: float | None = None
    comments: str = ""
    reason_type: str = ""
    quote: str = ""
    verified: str = ""
    quote_status: str = ""
    quote_verified: bool = False
    latency: float = 0
    error: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None
    panel: tuple[str, ...] = ()
    tiebreaker: bool = False
    flags: tuple[str, ...] = ()
    seen: str = ""

    @property
    def answered(self) -> bool:
        """True if the call gave an answer, with a verdict or not."""
        return not self.error and self.verdict != "ERROR"


def read_results(text: str, where: str) -> tuple[list[ResultRow], dict[str, Any]]:
    """The rows of a file of results or of a JSON report, and its metadata. Raises ClaimFileError."""
    if _REPORT in text[:HEAD_SIZE]:
        return _reported(text, where), {}
    rows, metadata = rows_of(text, where)
    return [_row(row) for row in rows], metadata


_REPORT = '"schema": "citecheck-report/'


def _reported(text: str, where: str) -> list[ResultRow]:
    """The answers of a JSON report. Raises ClaimFileError."""
    try:
        pairs = json.loads(text)["claims"]["pairs"]
        said = [(pair, answer) for pair in pairs for answer in pair["answers"]]
        renamed = {"provider": "judge", "predicted_verdict": "verdict", "source_quote": "quote"}
        rows = [
            {**answer, **{name: answer[own] for name, own in renamed.items()}}
            | {"entry_id": pair["id"], "ground_truth": pair["label"]}
            for pair, answer in said
        ]
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise ClaimFileError(f"{where}: this report contains no verdicts on claims") from error
    return [
        replace(_row(row), quote_verified=row["quote_status"] in VERIFIED, flags=tuple(row["flags"])) for row in rows
    ]


_KEYS = {"entry": "entry_id", "truth": "ground_truth", "verdict": "predicted_verdict", "quote": "source_quote"}
"""The keys of texts in a file of results, where they are not the names of the fields."""
_TEXTS = ("provider", "model", "comments", "reason_type", "quote_status", "error", *_KEYS)


def _row(row: Mapping[str, Any]) -> ResultRow:
    panel = row.get("panel")
    texts: dict[str, Any] = {name: str(row.get(_KEYS.get(name, name)) or "") for name in _TEXTS}
    return ResultRow(
        **texts,
        confidence=_number(row.get("confidence")),
        quote_verified=row.get("quote_verified") is True,
        latency=_number(row.get("latency_ms")) or 0,
        tokens_in=_whole(row.get("tokens_in")),
        tokens_out=_whole(row.get("tokens_out")),
        cost=_number(row.get("cost_usd")),
        panel=tuple(map(str, panel)) if isinstance(panel, list) else (),
        tiebreaker=row.get("tiebreaker_fired") is True,
    )


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return value


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def providers_of(rows: Iterable[ResultRow]) -> dict[str, list[ResultRow]]:
    """The rows of each provider, in the order in which providers first occur."""
    found: dict[str, list[ResultRow]] = {}
    for row in rows:
        found.setdefault(row.provider, []).append(row)
    return found


def joined(rows: Sequence[ResultRow], claims: ClaimFile) -> tuple[list[ResultRow], list[str]]:
    """The rows with the truth that the data set states, and the entries of which their copy was another one, in its order.

    Rows about entries that the data set does not hold, or has no label for, are left out.
    """
    truths = {pair.id: pair.truth for pair in claims.pairs if pair.truth is not None}
    kept = [row for row in rows if row.entry in truths]
    drifts = {row.entry for row in kept if row.truth and canonical(row.truth) != truths[row.entry]}
    return [replace(row, truth=truths[row.entry]) for row in kept], [entry for entry in truths if entry in drifts]


# Claims as a table for people: exported as CSV (RFC 4180), filled in with a spreadsheet, and read back.
COLUMNS = (
    "id",
    "dataset_version",
    "claim_text",
    "source_url",
    "source_text",
    "ground_truth",
    "not_judged_because",
    "manual_claim_override",
    "manual_source_override",
    "manual_ground_truth",
    "reviewed_by",
    "reviewed_at",
)
_OVERRIDES = ("manual_claim_override", "manual_source_override", "manual_ground_truth")
_LONGEST_CELL = 10_000_000


def review_csv(pairs: Iterable[ClaimPair]) -> str:
    """The table, with lines that end in CR LF."""
    text = io.StringIO(newline="")
    rows = csv.writer(text)
    rows.writerow(COLUMNS)
    for pair in pairs:
        cells = (pair.id, pair.version, pair.claim, pair.cites, pair.source, pair.truth or "", pair.unfit)
        rows.writerow([*map(_disarmed, cells), *[""] * (len(COLUMNS) - len(cells))])
    return text.getvalue()


def _disarmed(cell: str) -> str:
    """A spreadsheet would compute a cell that begins like a formula."""
    return f"'{cell}" if cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell


def _armed(cell: str) -> str:
    return cell[1:] if cell[:1] == "'" and cell[1:2] in ("=", "+", "-", "@", "\t", "\r") else cell


def csv_rows(text: str, where: str) -> list[tuple[int, list[str]]]:
    """The rows of a table with “,” or “;”, which spreadsheets write in many countries, each with its line. Raises
    ClaimFileError."""
    before = csv.field_size_limit(_LONGEST_CELL)
    head = text.split("\n", 1)[0]
    separator = ";" if head.count(";") > head.count(",") else ","
    table = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=separator)
    rows, line = list[tuple[int, list[str]]](), 1
    try:
        for row in table:
            rows.append((line, row))
            line = table.line_num + 1
    except csv.Error as error:
        raise ClaimFileError(f"{where}: not a table: {error}") from error
    finally:
        csv.field_size_limit(before)
    return rows


def read_review(text: str, where: str, *, version: str = "all") -> ClaimFile:
    """The pairs of a table, with what people changed. Raises ClaimFileError."""
    (_, header), *rows = csv_rows(text, where) or [(1, [])]
    if not set(header) >= REVIEW_COLUMNS:
        raise ClaimFileError(f"{where}: the columns {', '.join(sorted(REVIEW_COLUMNS))} are needed")
    pairs = [_pair(dict(zip(header, row, strict=False)), where, line) for line, row in rows if row]
    return claim_file(where, pairs, version)


def _pair(row: Mapping[str, str], where: str, line: int) -> ClaimPair:
    changed = [name for name in _OVERRIDES if row.get(name, "").strip()]
    who, when = row.get("reviewed_by", "").strip(), row.get("reviewed_at", "").strip()
    if changed and not (who and when):
        raise ClaimFileError(f"{where}:{line}: {changed[0]} needs reviewed_by and reviewed_at")

    def cell(name: str, override: str = "") -> str:
        return _armed(row.get(override, "").strip() or row.get(name, ""))

    truth = cell("ground_truth", "manual_ground_truth").strip()
    verdict = label_of(truth)
    if truth and verdict is None:
        raise ClaimFileError(f"{where}:{line}: {truth!r} is not a verdict")
    claim, source = cell("claim_text", "manual_claim_override").strip(), cell("source_text", "manual_source_override")
    unfit = row.get("not_judged_because", "").strip()
    if set(changed) & set(_OVERRIDES[:2]):
        unfit = ""
    unfit = claim_problem(claim) or unfit or text_problem(source)
    return ClaimPair(
        id=cell("id").strip() or f"line_{line}",
        claim=claim,
        source=source,
        truth=verdict,
        version=row.get("dataset_version", "").strip() or "v1",
        unfit=unfit,
        cites=cell("source_url"),
        path=where,
        line=line,
        source_name=cell("source_url"),
        overridden=f"{', '.join(changed)} by {who}, {when}" if changed else "",
    )


Rule = Literal["plurality", "binary"]
_RANK: Mapping[str, int] = {"Partially supported": 4, "Not supported": 3, "Source unavailable": 2, "Supported": 1}


@dataclass(frozen=True, slots=True)
class Vote:
    """Verdict of a panel; verdict: empty if nobody, or too few, said anything. tie: whether rank decided between verdicts."""

    verdict: str
    tie: bool = False
    voters: int = 0


def plurality(said: Sequence[str | None], *, quorum: int = 1) -> Vote:
    """The most frequent verdict; of several the first by rank: partially, not supported, unavailable, supported."""
    voters = [verdict for verdict in map(canonical, said) if verdict is not None]
    counts = Counter(voters if len(voters) >= quorum else ())
    tied = [verdict for verdict, count in counts.items() if count == max(counts.values())]
    return Vote(max(tied, key=lambda verdict: _RANK[verdict], default=""), len(tied) > 1, len(voters))


def binary(said: Sequence[str | None], *, quorum: int = 1) -> Vote:
    """Supported if more than half say that it is, at least in part; else not supported. A tie is not supported."""
    voters = [verdict for verdict in map(canonical, said) if verdict is not None]
    if len(voters) < max(1, quorum):
        return Vote("", voters=len(voters))
    support = sum(map(is_supporting, voters))
    verdict = "Supported" if support > len(voters) / 2 else "Not supported"
    return Vote(verdict, 2 * support == len(voters), len(voters))


@dataclass(frozen=True, slots=True)
class Panel:
    """Several judges that vote. quorum: how many have to give a verdict."""

    name: str
    members: tuple[str, ...]
    rule: Rule = "plurality"
    quorum: int = 1


def panel_row(panel: Panel, votes: Sequence[ResultRow]) -> ResultRow:
    """The row of a panel. votes: the rows of its members about one pair.

    latency is the slowest member's, as if all were asked at once; tokens and cost are sums, None if one is not known;
    the confidence is the mean of the members that agree with the panel, None on a tie.
    """
    said = [row.verdict if row.answered else None for row in votes]
    vote = (plurality if panel.rule == "plurality" else binary)(said, quorum=panel.quorum)
    agreeing = [row.confidence for row in votes if _agrees(row, vote.verdict, panel.rule)]
    confidences = [confidence for confidence in agreeing if confidence is not None]
    undecided = panel.rule == "plurality" and vote.tie
    return ResultRow(
        entry=votes[0].entry,
        provider=panel.name,
        model=f"panel:{'+'.join(panel.members)} ({panel.rule})",
        truth=votes[0].truth,
        verdict=vote.verdict,
        confidence=None if undecided or not confidences else plain_total(confidences) / len(confidences),
        comments="; ".join(f"{row.provider}={row.verdict or 'none'}" for row in votes),
        latency=max(row.latency for row in votes),
        error="" if vote.verdict else f"only {vote.voters} of {len(votes)} members gave a verdict",
        tiebreaker=vote.tie,
        **taken_together(votes),
    )


def taken_together(rows: Sequence[ResultRow]) -> dict[str, Any]:
    """The verdicts, the tokens and the cost of the members of a panel or a cascade; None for a sum that is not known."""
    sums = {name: total_of_known([getattr(row, name) for row in rows]) for name in ("tokens_in", "tokens_out", "cost")}
    return {"panel": tuple(row.verdict for row in rows), **sums}


def _agrees(row: ResultRow, verdict: str, rule: Rule) -> bool:
    said = canonical(row.verdict)
    if rule == "plurality":
        return said == verdict
    return said is not None and is_supporting(said) == is_supporting(verdict)


def plain_total(values: Iterable[float]) -> float:
    """One after the other, without compensation: the sum of the reference to the last bit."""
    total = 0.0
    for value in values:
        total += value
    return total


def _parts_of(path: Path, roots: tuple[Path, ...]) -> str:
    """The file with the parts of WiCE's claims: ``subclaim/NAME`` beside the folder of the claims. Raises OutsideError and
    OSError."""
    file = path.parent.parent / "subclaim" / path.name
    if not file.is_file():
        return ""
    return demand_within(file, (path.parent.parent, *roots)).read_text(encoding="utf-8", errors="replace")


def read_claim_file(
    path: Path, where: str, *, version: str = "all", sources: Path | None = None, roots: tuple[Path, ...] = ()
) -> ClaimFile:
    """The pairs of a file. where: its name in messages. sources: the folder for citations of a manuscript. roots: folders of
    files that it may name, besides its own.

    Raises ClaimFileError, OutsideError and OSError.
    """
    text = text_of_file(path, where)
    suffix = path.suffix.lower()
    if suffix in MANUSCRIPTS:
        files = FolderFiles(path.parent, roots)
        texts = SourceFolder(sources) if sources else SourceFolder(path.parent / "sources", (path.parent, *roots))
        return read_manuscript(text, where, suffix, texts, files)
    if suffix == ".csv":
        return read_review(text, where, version=version)
    if suffix == ".jsonl":
        return read_lines(text, where, path.parent, roots, parts=_parts_of(path, roots), version=version)
    rows = rows_of(text, where)[0]
    corpus = corpus_of(rows[0]) if rows else None
    if corpus is not None:
        return read_list(text, where, rows, corpus, path.parent, version)
    return read_claims(text, where, version=version)


def text_of_file(path: Path, where: str) -> str:
    """The text of a file. Raises ClaimFileError if it is not in UTF-8, and OSError."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ClaimFileError(f"{where} is not in UTF-8 (byte {error.start + 1})") from error
