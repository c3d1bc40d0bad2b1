"""Which models are asked about references, and how: the YAML of an arena, with a section ``selfcheck``.

``target_endpoints`` and ``evaluation`` are those of `pytest_citecheck.chat.configuration`; the rest of an arena is not needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, cast

from pytest_citecheck.chat.configuration.call_options import CallOptions, read_call_options
from pytest_citecheck.chat.configuration.document import ConfigurationError, Document, Section
from pytest_citecheck.chat.configuration.endpoints import EndpointOptions, read_endpoints
from pytest_citecheck.chat.variables import KeyRules
from pytest_citecheck.selfcheck.answers import YES
from pytest_citecheck.selfcheck.subject import METHODS, Options

__all__ = ["ConfigurationError", "SelfcheckConfiguration", "read_selfcheck"]


@dataclass(frozen=True, slots=True)
class SelfcheckConfiguration:
    """All of the file that counts here.

    severity: of a score that is too low. calibration: a file of labelled scores of this model, as written, from which thresholds
    are taken, for a share of false discoveries of at most ``target_fdr``; empty for `Options.threshold`.
    """

    path: Path
    endpoints: tuple[EndpointOptions, ...]
    options: Options
    severity: Literal["error", "warning"] = "error"
    calibration: str = ""
    target_fdr: float = 0.1
    calls: CallOptions = field(default_factory=CallOptions)
    remarks: tuple[tuple[int, str], ...] = ()
    secrets: frozenset[str] = field(default=frozenset(), repr=False)


def read_selfcheck(
    path: Path,
    text: str,
    environment: Mapping[str, str],
    *,
    secrets: bool = True,
    keys: KeyRules | None = None,
) -> SelfcheckConfiguration:
    """Read the YAML.

    secrets: whether API keys are needed. keys: to which hosts they may go. Raises ConfigurationError, which names every problem.
    """
    document = Document(path.name, text, environment, secrets=secrets, keys=keys)
    root = document.root
    for foreign in ("task", "dataset", "verification", "output", "report"):
        root.section(foreign)  # of the arena, if it is one
    evaluation, section = root.section("evaluation"), root.section("selfcheck")
    configuration = SelfcheckConfiguration(
        path=path,
        endpoints=read_endpoints(root.section("target_endpoints", required=True)),
        options=_options(section),
        severity=cast("Any", section.choice("severity", "error", ("error", "warning"))),
        calibration=section.text("calibration"),
        target_fdr=section.number("target_fdr", 0.1, 0.0, 1.0),
        calls=read_call_options(evaluation, path.parent),
    )
    evaluation.integer("samples", 1, 1)
    for one in (section, evaluation, root):
        one.close()
    document.finish()
    return replace(configuration, remarks=tuple(sorted(document.remarks)), secrets=frozenset(document.secret_values))


def _options(section: Section) -> Options:
    default = Options()
    weights = section.section("weights")
    stated = {name: weights.number(name, 0.0) for name in METHODS if name in weights.keys}
    weights.close()
    adaptive = section.flag("adaptive", default=True)
    agree_after = section.integer("agree_after", default.agree_after, 1)
    values: dict[str, Any] = {
        "direct": section.integer("direct_samples", default.direct, 1, 100),
        "indirect": section.integer("indirect_samples", default.indirect, 1, 20),
        "agree_after": agree_after if adaptive else None,
        "engine": section.choice("overlap", default.engine, ("local", "lm", "cited")),
        "yes": section.choice("yes", default.yes, tuple(YES)),
        "cut": section.integer("cut", None, 1),
        "weights": stated or default.weights,
        "reasoning": section.flag("reasoning", default=False),
        "threshold": section.number("threshold", default.threshold, 0.0, 1.0),
    }
    try:
        return Options(**values)
    except ValueError as error:
        section.document.problem(section.path, str(error))
        return default
