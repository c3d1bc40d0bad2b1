from .answer_log import (
    AnswerLog as AnswerLog, Ask as Ask, LoggedAnswer as LoggedAnswer, ModelAnswer as ModelAnswer, Outcome as Outcome,
    answered as answered, ask as ask, at_once as at_once, best_answers as best_answers, fingerprint as fingerprint,
    one_answer as one_answer, read_log as read_log,
    to_ask as to_ask,
)
from .commands.claims_fetch import abstract_of as abstract_of
from .missing_answers import (
    PLANS as PLANS, ask_for_missing as ask_for_missing, chat_settings as chat_settings, demand_consent as demand_consent,
    may_ask as may_ask, planned_calls as planned_calls, write_plans as write_plans,
)
from .settings import (
    CROSS as CROSS, SelfcheckSettings as SelfcheckSettings, asks_here as asks_here,
    calls_models as calls_models, key_rules as key_rules,
    may_call as may_call, of_arena as of_arena, of_claims as of_claims, of_selfcheck as of_selfcheck, replays as replays,
    usage_errors as usage_errors,
)
