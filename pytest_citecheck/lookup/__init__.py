"""Phase 1: which questions to put to whom, in which order, and when to stop. All I/O of a run happens here."""

from __future__ import annotations

from pytest_citecheck.lookup.planning import PROFILES, LookupState, Profile
from pytest_citecheck.lookup.run import Forecast, Gathered, Progress, forecast, gather, looked_up

__all__ = ["PROFILES", "Forecast", "Gathered", "LookupState", "Profile", "Progress", "forecast", "gather", "looked_up"]
