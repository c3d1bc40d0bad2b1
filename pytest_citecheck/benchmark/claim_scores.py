"""The figures of judges of claims that thresholds may name (``--citecheck-fail-under=claims_binary>=0.8``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

CLAIM_FIGURES: Mapping[str, tuple[str, ...]] = {
    "claims_exact": ("exact", "value"),
    "claims_lenient": ("lenient", "value"),
    "claims_binary": ("binary", "value"),
    "claims_supported_versus_rest": ("supportedVsRest", "value"),
    "claims_macro_f1": ("macroF1",),
    "claims_kappa": ("kappa",),
    "claims_mcc": ("mcc",),
    "claims_coverage": ("coverage",),
    "claims_passes_right": ("classes", "Supported", "precision"),
    "claims_failures_right": ("classes", "Not supported", "precision"),
    "claims_flags_right": ("flags", "precision"),
    "claims_quotes_verified": ("quotes", "fidelity"),
    "claims_auroc": ("calibration", "auc"),
    "claims_ece": ("calibration", "ece"),
    "claims_brier": ("calibration", "brier"),
    "claims_unparsed": ("parseErrors",),
    "claims_errors": ("errors",),
    "claims_cost": ("cost", "dollars"),
}
"""The name in a gate, and the place of the figure in the scores of a judge."""

_LOWER = frozenset({"claims_ece", "claims_brier", "claims_unparsed", "claims_errors", "claims_cost"})
HIGHER_IS_BETTER: Mapping[str, bool] = {name: name not in _LOWER for name in CLAIM_FIGURES}


def claim_figures(judges: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, dict[str, float | None]]]:
    """Each judge with its figures. judges: their scores (`pytest_citecheck.models.claims.scoring.strict_metrics`)."""
    return [
        (name, {figure: _found(scores, place) for figure, place in CLAIM_FIGURES.items()})
        for name, scores in judges.items()
    ]


def _found(scores: Mapping[str, Any], place: Sequence[str]) -> float | None:
    value: Any = scores
    for key in place:
        value = value[key]
    return None if value is None else float(value)
