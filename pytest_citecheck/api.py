"""Public API for conftest.py files, plugins and scripts.

The convention: `pytest_citecheck.api` and the warnings of `pytest_citecheck` are public, and so are the hooks,
options, commands, node ids, codes and file formats that the documentation describes. All other modules are private and
may change in any release. Changes to public names follow Semantic Versioning and are listed in CHANGELOG.md.

Checks receive `ReferenceCase` and `Candidate`; only their attributes in docs/api.md are public.
"""

from __future__ import annotations

import typing as _typing

from pytest_citecheck.checks import Check, Policy, ReferenceCase, Severity
from pytest_citecheck.evidence import Candidate
from pytest_citecheck.inputs import Bibliography, LabelledEntry, Prediction, Reader
from pytest_citecheck.model import (
    Absent,
    Answer,
    CitedMetadata,
    Defect,
    Evidence,
    Finding,
    Found,
    Identifiers,
    Judge,
    Judgement,
    Location,
    NameList,
    Notice,
    Outcome,
    Person,
    Query,
    QueryKind,
    QueryResult,
    Record,
    RecordType,
    Reference,
    Unavailable,
    Verdict,
    VerdictName,
)
from pytest_citecheck.reports import (
    EvidenceData,
    FindingData,
    GoldData,
    NoticeData,
    QueryData,
    RecordData,
    ReferenceResult,
    Report,
    RunResult,
    SourceUse,
    VerdictData,
)
from pytest_citecheck.sources import (
    Credentials,
    MalformedAnswerError,
    Rate,
    Request,
    Response,
    Role,
    Source,
    TitleSearch,
)

if _typing.TYPE_CHECKING:
    from pytest_citecheck.benchmark import Metric, Pairs

__all__ = [
    "Absent",
    "Answer",
    "Bibliography",
    "Candidate",
    "Check",
    "CitedMetadata",
    "Credentials",
    "Defect",
    "Evidence",
    "EvidenceData",
    "Finding",
    "FindingData",
    "Found",
    "GoldData",
    "Identifiers",
    "Judge",
    "Judgement",
    "LabelledEntry",
    "Location",
    "MalformedAnswerError",
    "Metric",
    "NameList",
    "Notice",
    "NoticeData",
    "Outcome",
    "Pairs",
    "Person",
    "Policy",
    "Prediction",
    "Query",
    "QueryData",
    "QueryKind",
    "QueryResult",
    "Rate",
    "Reader",
    "Record",
    "RecordData",
    "RecordType",
    "Reference",
    "ReferenceCase",
    "ReferenceResult",
    "Report",
    "Request",
    "Response",
    "Role",
    "RunResult",
    "Severity",
    "Source",
    "SourceUse",
    "TitleSearch",
    "Unavailable",
    "Verdict",
    "VerdictData",
    "VerdictName",
]


def __getattr__(name: str) -> _typing.Any:
    """The names of scores, which need the room of benchmarks."""
    if name not in ("Metric", "Pairs"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from pytest_citecheck import benchmark  # noqa: PLC0415

    return getattr(benchmark, name)
