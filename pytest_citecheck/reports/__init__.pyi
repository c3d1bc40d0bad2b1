from .charts import (
    BarStyle as BarStyle, bars_figure as bars_figure, canvas as canvas, colours as colours, cost_figure as cost_figure,
    curves_figure as curves_figure, outcome_figure as outcome_figure, reliability_figure as reliability_figure,
    draw_arena as draw_arena, draw_charts as draw_charts,
    draw_outcomes as draw_outcomes, heat_figure as heat_figure, is_font_missing as is_font_missing, save as save,
)
from .ci import PER_KIND as PER_KIND, step_summary as step_summary
from .explanation import (
    REPORT_SEVERITIES as REPORT_SEVERITIES, ReportSeverity as ReportSeverity, WRONG_SHOWN as WRONG_SHOWN,
    answer_of as answer_of, codes_of as codes_of, corrected_entry as corrected_entry, corrected_text as corrected_text,
    explain as explain, headline as headline, report_severity as report_severity,
    shortened as shortened,
)
from .groups import (
    LOWER_IS_BETTER as LOWER_IS_BETTER, Rate as Rate, SCORES as SCORES, bounds_of as bounds_of, counted as counted,
    defined as defined, group_tables as group_tables, rate_text as rate_text, readings_of as readings_of,
    share as share,
)
from .html import html_page as html_page, page_style as page_style, write_html as write_html
from .json_report import (
    SCHEMA as SCHEMA, read_report as read_report, reference_data as reference_data, report_data as report_data,
    write_json as write_json,
)
from .markdown import markdown_page as markdown_page, write_markdown as write_markdown
from .markdown_models import arena_page as arena_page, code as code, plain as plain, table as table
from .models import (
    ArenaFacts as ArenaFacts, AskedEndpoint as AskedEndpoint, FIELDS as FIELDS, MODEL_RATES as MODEL_RATES,
    arena_models as arena_models, cost_text as cost_text, field_rates as field_rates, model_rates as model_rates,
    scope_text as scope_text, unranked_text as unranked_text,
)
from .places import field_place as field_place, placed_finding_json as placed_finding_json
from .problem_list import (
    FORMATS as FORMATS, Findings as Findings, Problem as Problem,
    fingerprints as fingerprints, has_no_trouble as has_no_trouble, line_of as line_of, problems as problems, tally as tally,
)
from .results import (
    Coverage as Coverage, CoverageCount as CoverageCount, EvidenceData as EvidenceData, FindingData as FindingData,
    FurtherFailure as FurtherFailure, GoldData as GoldData, NoticeData as NoticeData, QueryData as QueryData,
    RecordData as RecordData, ReferenceResult as ReferenceResult, Report as Report, RunResult as RunResult,
    SourceUse as SourceUse, UNREADABLE as UNREADABLE,
    VerdictData as VerdictData, answer_word as answer_word, asked_json as asked_json,
    coverage_of as coverage_of, coverage_of_report as coverage_of_report, coverage_properties as coverage_properties,
    gold_json as gold_json, in_words as in_words, listed as listed, notices_json as notices_json,
    number_of as number_of, verdict_json as verdict_json,
)
from .run_comparison import (
    Change as Change, HISTORY_HEAD as HISTORY_HEAD, badge as badge, differences as differences,
    history_line as history_line,
)
from .submissions import submission_totals as submission_totals, write_table as write_table
from .wording import Language as Language, TEXTS as TEXTS
