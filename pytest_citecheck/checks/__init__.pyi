from .authors import check_authors as check_authors, people_of as people_of
from .base import (
    Check as Check, ReferenceCase as ReferenceCase, cause as cause, cause_of as cause_of, listing as listing,
)
from .codes import (
    CHECKS as CHECKS, CODES as CODES, Code as Code, HARMS as HARMS, Harm as Harm, SHARED_CODES as SHARED_CODES,
    Severity as Severity, TABLE as TABLE, translation as translation, default_severity as default_severity,
    earned_severity as earned_severity, harm_of as harm_of,
)
from .completeness import ADVISED as ADVISED, REQUIRED as REQUIRED
from .corrections import (
    check_syntax as check_syntax, fits_type as fits_type, in_bibtex as in_bibtex, macro_for as macro_for, unsound as unsound,
)
from .cross_db import (
    Conflict as Conflict, DUPLICATES as DUPLICATES, conflicts as conflicts, duplicates_finding as duplicates_finding,
)
from .explanations import (
    explanation as explanation, explanation_markdown as explanation_markdown, nearest_codes as nearest_codes,
    rules as rules,
)
from .levels import (
    Level as Level, level_of as level_of, level_table as level_table,
    posterior as posterior,
)
from .policies import (
    DEFAULT as DEFAULT, FindingSeverity as FindingSeverity, Named as Named, POLICIES as POLICIES, Policy as Policy,
    PolicyContext as PolicyContext, PolicyError as PolicyError, SEVERITIES as SEVERITIES, check_policy as check_policy,
    named_policy as named_policy, read_policy as read_policy,
)
from .probability import probability as probability
from .registry import Findings as Findings
from .title_differences import one_word_replaced as one_word_replaced
from .verdict import (
    Evaluation as Evaluation, Need as Need, decide as decide, evaluate as evaluate,
)
