from .missing_answers import (
    ask_for_missing as ask_for_missing, chat_settings as chat_settings, demand_consent as demand_consent,
    plans_of as plans_of,
)
