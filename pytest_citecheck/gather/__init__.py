"""Phase 1: which questions to put to whom, in which order, and when to stop. All I/O of a run happens here."""

from __future__ import annotations

from pytest_citecheck.gather.forecast import Forecast, forecast
from pytest_citecheck.gather.lookup_state import LookupState
from pytest_citecheck.gather.profiles import PROFILES, Profile
from pytest_citecheck.gather.run import Gathered, Progress, gather, looked_up

__all__ = [
    "PROFILES",
    "Forecast",
    "Gathered",
    "LookupState",
    "Profile",
    "Progress",
    "forecast",
    "gather",
    "looked_up",
]
