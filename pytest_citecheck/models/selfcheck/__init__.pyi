from .asking import (
    AskedModel as AskedModel, CallLog as CallLog, ModelCallError as ModelCallError, NotAnsweredError as
    NotAnsweredError, score_of as score_of,
)
from .benchmark import (
    FRACTIONS as FRACTIONS, LabelledScores as LabelledScores, Replayed as Replayed, TableError as TableError,
    column as column, compared as compared, is_call_log as is_call_log, majority as majority,
    published_answers as published_answers, raters_table as raters_table, read_labelled as
    read_labelled, read_table as read_table, replay as replay, scores_of_calls as scores_of_calls, taken as taken,
    truth as truth, verdicts_of as verdicts_of,
)
from .prompts import (
    LISTED_AT_MOST as LISTED_AT_MOST, Method as Method, Options as Options, Subject as Subject, Usage as Usage, YES as
    YES, YesRule as YesRule, clean_title as clean_title, estimate as estimate, is_refusal as is_refusal, overlap as
    overlap, overlap_compat as overlap_compat, question as question, read_selfcheck as read_selfcheck, read_usage as
    read_usage, share_of_yes as
    share_of_yes, shown_list as shown_list, years as years,
)
from .scores import (
    MethodScore as MethodScore, agreement as agreement, cross_model as cross_model, dice as dice, ensemble as ensemble,
    name_keys as name_keys, names_in as names_in, pairs as pairs, pairwise as pairwise, venue_keys as venue_keys,
    year_keys as year_keys,
)
from .selfcheck_items import start_selfchecks as start_selfchecks
from .selfcheck_pages import selfcheck_sections as selfcheck_sections
