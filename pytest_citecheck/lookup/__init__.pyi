from .controls import ask_controls as ask_controls, calibrate as calibrate, weak_searches as weak_searches
from .index_source import IndexSource as IndexSource
from .planning import LookupState as LookupState, Roles as Roles, place_question as place_question
from .profiles import PROFILES as PROFILES, Profile as Profile
from .rounds import ROUNDS as ROUNDS
from .run import (
    Forecast as Forecast, Gathered as Gathered, Progress as Progress, WAITING as WAITING, ask_all as ask_all,
    expected_requests as expected_requests, forecast as forecast, gather as gather, look_up as look_up,
    looked_up as looked_up, seconds_at_limits as seconds_at_limits,
)
