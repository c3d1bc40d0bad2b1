"""Whether a thesis or report may be from France, by its school or institution: then French registers may have it."""

from __future__ import annotations

import re

from pytest_citecheck.model import CitedMetadata
from pytest_citecheck.text.normal_form import fold

__all__ = ["may_be_french"]

_FRENCH = re.compile(
    r"\b(?:universite|ecole|institut (?:national|polytechnique|de|d)|insa|inria|cnrs|irisa|loria|sorbonne|paris|psl|saclay|orsay|"
    r"grenoble|lyon|toulouse|rennes|nancy|bordeaux|marseille|montpellier|strasbourg|nantes|lille|compiegne|nice|cachan|"
    r"evry|orleans|poitiers|dijon|limoges|rouen|caen|besancon|reims|france|francaise|telecom|enst|ens|ehess|cnam|hal|onera)\b"
)
_ELSEWHERE = re.compile(
    r"\b(?:montreal|laval|quebec|sherbrooke|ottawa|moncton|louvain|liege|bruxelles|namur|mons|geneve|lausanne|fribourg|neuchatel|"
    r"luxembourg|tunis|sfax|alger|rabat|dakar|texas|kentucky|lisboa|berlin|bern|zurich)\b"
)
_FIELDS = ("school", "institution", "address", "location", "publisher", "type", "note")


def may_be_french(cited: CitedMetadata) -> bool:
    """Whether the school, institution or place of a reference sounds French, or HAL or theses.fr is named."""
    if cited.identifiers.hal or cited.identifiers.nnt:
        return True
    said = fold(" ".join(cited.reference.fields.get(name, "") for name in _FIELDS))
    return _FRENCH.search(said) is not None and _ELSEWHERE.search(said) is None
