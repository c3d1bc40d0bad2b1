from .ci import PER_KIND as PER_KIND, step_summary as step_summary
from .explanation import (
    REPORT_SEVERITIES as REPORT_SEVERITIES, ReportSeverity as ReportSeverity, WRONG_SHOWN as WRONG_SHOWN, answer_of as
    answer_of, codes_of as codes_of, corrected_entry as corrected_entry, corrected_text as corrected_text, explain as
    explain, headline as headline, report_severity as report_severity, shortened as shortened,
)
from .json_report import (
    SCHEMA as SCHEMA, read_report as read_report, reference_data as reference_data, report_data as report_data,
    write_json as write_json,
)
from .places import field_place as field_place, placed_finding_json as placed_finding_json
from .problem_list import (
    FORMATS as FORMATS, Findings as Findings, Problem as Problem, fingerprints as fingerprints, has_no_trouble as
    has_no_trouble, line_of as line_of, problems as problems, tally as tally,
)
from .results import (
    Coverage as Coverage, CoverageCount as CoverageCount, EvidenceData as EvidenceData, FindingData as FindingData,
    FurtherFailure as FurtherFailure, GoldData as GoldData, NoticeData as NoticeData, QueryData as QueryData,
    RecordData as RecordData, ReferenceResult as ReferenceResult, Report as Report, RunResult as RunResult, SourceUse
    as SourceUse, UNREADABLE as UNREADABLE, VerdictData as VerdictData, answer_word as answer_word, asked_json as
    asked_json, coverage_of as coverage_of, coverage_of_report as coverage_of_report, coverage_properties as
    coverage_properties, gold_json as gold_json, in_words as in_words, listed as listed, notices_json as notices_json,
    number_of as number_of, verdict_json as verdict_json,
)
from .run_comparison import (
    Change as Change, HISTORY_HEAD as HISTORY_HEAD, badge as badge, differences as differences, history_line as
    history_line,
)
from .submissions import submission_totals as submission_totals, write_table as write_table
from .charts import (
    BarStyle as BarStyle, ChartFormat as ChartFormat, Panel as Panel, bars_figure as bars_figure, canvas as canvas,
    colours as colours, cost_figure as cost_figure, curves_figure as curves_figure, draw_outcomes as draw_outcomes,
    heat_figure as heat_figure, is_font_missing as is_font_missing, outcome_figure as outcome_figure,
    reliability_figure as reliability_figure, save as save,
)
from .document import (
    Block as Block, Data as Data, Figure as Figure, Fold as Fold, Group as Group, Inline as Inline, Items as Items,
    Layout as Layout, Note as Note, Row as Row, Section as Section, Span as Span, Table as Table, joined as joined,
    rate_cell as rate_cell, with_interval as with_interval,
)
from .html import html_page as html_page, page_style as page_style, write_html as write_html
from .markdown import markdown_page as markdown_page, write_markdown as write_markdown
from .renderers import (
    TABLE_FORMATS as TABLE_FORMATS, html_blocks as html_blocks, as_markdown as as_markdown, markdown_lines as markdown_lines,
    markdown_table as markdown_table, plain as plain, text_lines as text_lines, as_text as as_text,
)
from .svg import curve as curve, reliability as reliability
from .values import (
    NONE as NONE, Rate as Rate, best as best, number as number, pair_of as pair_of, share as share, whole as whole,
    written as written,
)
from .wording import (
    LANGUAGES as LANGUAGES, Language as Language, TEXTS as TEXTS, Words as Words, read_texts as read_texts,
)
