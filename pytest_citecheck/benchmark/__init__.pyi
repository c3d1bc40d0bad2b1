from .arena_comparison import compared_models as compared_models, query_scores as query_scores
from .arena_scoring import (
    ArenaReference as ArenaReference, FIGURES as FIGURES, LEAST_COVERAGE as LEAST_COVERAGE, arena_scores as
    arena_scores, error_patterns as error_patterns, figures_of as figures_of, ranked as ranked, stated_score as
    stated_score, status as status,
)
from .baselines import (
    BASELINES as BASELINES, Baseline as Baseline, BaselineError as BaselineError, Voting as Voting, as_published as
    as_published, cascade as cascade, ensemble as ensemble, prescreened as prescreened,
)
from .calibration import (
    Bin as Bin, auprc as auprc, auroc as auroc, bin_edges as bin_edges, brier as brier, ece_file_order as
    ece_file_order, ece_fixed_width as ece_fixed_width, ece_tie_safe as ece_tie_safe, fpr_at_coverage as
    fpr_at_coverage, pr as pr, reliability as reliability, risk_coverage as risk_coverage, roc as roc,
)
from .claim_scores import CLAIM_FIGURES as CLAIM_FIGURES, claim_figures as claim_figures
from .gates import (
    GATE_FIELDS as GATE_FIELDS, GateError as GateError, gate_lines as
    gate_lines, parse_gates as parse_gates,
)
from .labelled_run import (
    BenchmarkRun as BenchmarkRun, benchmark_settings as benchmark_settings,
    predicted as predicted, read_benchmark_settings as read_benchmark_settings,
)
from .leaderboards import (
    SORT_KEYS as SORT_KEYS, leaderboard as leaderboard, letters as letters,
)
from .metric_table import METRICS as METRICS, MetricRow as MetricRow, Scored as Scored
from .metrics import (
    Confusion as Confusion, DuplicatePolicy as DuplicatePolicy, Metric as Metric, MetricError as MetricError,
    NoOverlapError as NoOverlapError, Pairs as Pairs, aggressive as aggressive, confusion as confusion, harmonic as
    harmonic, pair as pair, ratio as ratio, share_of as share_of, tier_counts as tier_counts, tier_weighted_f1 as
    tier_weighted_f1, wilson as wilson,
)
from .mutate.fields import halves as halves
from .mutate.generation import Benchmark as Benchmark, benchmark as benchmark, mutations as mutations
from .mutate.original import (
    Stream as Stream, content_words as content_words, digest as digest, is_balanced as is_balanced, outside_braces as
    outside_braces, random_person as random_person,
)
from .predictions import (
    CheckResult as CheckResult, PREDICTED as PREDICTED, PredictionFile as PredictionFile, by_split as by_split,
    file_kind as file_kind, load_predictions as load_predictions, prediction_line as prediction_line,
    predictions_text as predictions_text, read_predictions as read_predictions,
)
from .published import (
    PublishedError as PublishedError, PublishedResult as PublishedResult, is_result as is_result, published_results as
    published_results,
)
from .ranking import (
    PairedTest as PairedTest, equivalence as equivalence, mean_scores as mean_scores, mid_ranks as mid_ranks,
    minimum_detectable_effect as minimum_detectable_effect, plackett_luce as plackett_luce, ranking_stability as
    ranking_stability, sample_size as sample_size, scores as scores, union_recall as union_recall, wins as wins,
)
from .resampling import (
    RESAMPLED_METRICS as RESAMPLED_METRICS, ToolOutcomes as ToolOutcomes, bootstrap_intervals
    as bootstrap_intervals, percentile_interval as percentile_interval, resampled as resampled,
)
from .runs import score_answers as score_answers, score_cases as score_cases
from .scorecard import selftest_section as selftest_section
from .scoring import (
    EvaluationMode as EvaluationMode, cautions as cautions, cost as cost, score as score,
    score_pairs as score_pairs,
)
from .selective_fdr import (
    Labelled as Labelled, area as area, bootstrap as bootstrap, cohen as cohen, components as components, draws as
    draws, fdr_at as fdr_at, fdr_band as fdr_band, fdr_curve as fdr_curve, flagged as flagged, fleiss as fleiss,
    interpolated_view as interpolated_view, kept_above as kept_above, paired as paired, reachable as reachable,
    threshold_for as threshold_for, threshold_view as threshold_view, value_of as value_of, youden as youden,
)
from .splits import (
    Contribution as Contribution, QueueError as QueueError, State as State, blind_text as blind_text, contradictions as
    contradictions, contribution_text as contribution_text, earlier_titles as earlier_titles, entry_line as entry_line,
    load_contribution as load_contribution, load_queue as load_queue, moved as moved, sample as sample, shortcuts as
    shortcuts, sorted_words as sorted_words, split_facts as split_facts, split_text as split_text, submitted as
    submitted, validate as validate,
)
from .strata import (
    compare_around as compare_around, compare_parts as compare_parts, per_generation_method as per_generation_method,
    per_source_combination as per_source_combination, per_stage as per_stage, per_tier as per_tier, per_type as
    per_type, segments as segments, subtest_metrics as subtest_metrics, temporal_robustness as temporal_robustness,
    type_accuracy as type_accuracy, type_confusion as type_confusion, type_row as type_row,
)
from .strict_rule import (
    StrictResult as StrictResult, confidence as confidence, lenient_status as lenient_status, match_authors as
    match_authors, match_record as match_record, same_title as same_title, same_year as same_year, strict_result as
    strict_result, title_overlap as title_overlap,
)
from .strict_scoring import strict_scores as strict_scores
from .usage import read_usage as read_usage, usage_scores as usage_scores, usage_text as usage_text
from .score_charts import draw_arena as draw_arena, draw_charts as draw_charts
from .score_pages import (
    ArenaFacts as ArenaFacts, AskedEndpoint as AskedEndpoint, arena_page as arena_page, score_sections as
    score_sections,
)
from .score_values import (
    LOWER_IS_BETTER as LOWER_IS_BETTER, SCORES as SCORES, group_tables as group_tables, texts as
    texts,
)
from .commands.score_breakdown import PARTS as PARTS
from .commands.score_junit import (
    missing_shards as missing_shards, read_suites as read_suites, split_under_two_paths as split_under_two_paths,
)
from .commands.score_predictions import write_json as write_json
