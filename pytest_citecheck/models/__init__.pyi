from .answer_log import (
    AnswerLog as AnswerLog, Ask as Ask, LoggedAnswer as LoggedAnswer, ModelAnswer as ModelAnswer, Outcome as Outcome,
    ask as ask, best_answers as best_answers, one_answer as one_answer, read_log as read_log, to_ask as to_ask,
)
from .missing_answers import (
    ask_for_missing as ask_for_missing, chat_settings as chat_settings, demand_consent as demand_consent,
    plans_of as plans_of,
)
from .layouts import LAYOUTS as LAYOUTS
