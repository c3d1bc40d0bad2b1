from .answers import (
    PARSE_ERROR as PARSE_ERROR, UNDECIDED as UNDECIDED, canonical as canonical, judgement as judgement, match_quote as
    match_quote,
)
from .claims_items import (
    ClaimHooks as ClaimHooks, ClaimsReader as ClaimsReader, open_claims as open_claims,
    together as together,
)
from .corpora import read_lines as read_lines
from .entailment import Entailment as Entailment, verdict_of as verdict_of
from .judges import (
    BUILT_IN as BUILT_IN, Cascade as Cascade, NOT_ASKED as NOT_ASKED, Prompt as Prompt, cascade_row as cascade_row,
    cascade_state as cascade_state, cell_of as cell_of, margin as margin, read_judges as read_judges, row_of as
    row_of, row_of_judgement as row_of_judgement, second_prompt as second_prompt, token_for as token_for, user_prompt
    as user_prompt,
)
from .file_kinds import MANUSCRIPTS as MANUSCRIPTS, claim_files as claim_files, holds_claims as holds_claims
from .literal import judge_without_model as judge_without_model
from .manuscripts import read_manuscript as read_manuscript
from .pages import (
    EUROPE_PMC_IDS as EUROPE_PMC_IDS, PAGE_TEXT as PAGE_TEXT, WIKI_PAGE as WIKI_PAGE, WikiCitation as WikiCitation,
    WikiPage as WikiPage, abstract_urls as abstract_urls, europe_pmc_id as europe_pmc_id, europe_pmc_search as
    europe_pmc_search, full_text_urls as full_text_urls, is_pinned as is_pinned, pinned as pinned, read_wiki_page as
    read_wiki_page, text_of as text_of,
)
from .no_claims import CUES as CUES
from .pairs import (
    ClaimFile as ClaimFile, ClaimFileError as ClaimFileError, ClaimPair as ClaimPair, LONGEST_SOURCE as LONGEST_SOURCE,
    clean_source as clean_source, content_hash as content_hash, instructions as instructions, read_claims as read_claims,
)
from .passages import nearest_passages as nearest_passages
from .review import (
    Panel as Panel, ResultRow as ResultRow, Rule as Rule, binary as binary, csv_rows as csv_rows,
    joined as joined, panel_row as panel_row, plurality as plurality, providers_of as
    providers_of, read_claim_file as read_claim_file, read_results as read_results, read_review as read_review,
    review_csv as review_csv,
)
from .scoring import (
    Cell as Cell, Comparison as Comparison, DIRECTIONS as DIRECTIONS, FLAG_ERROR as FLAG_ERROR, analysis as analysis,
    compare as compare, comparison_csv as comparison_csv, flag_threshold as flag_threshold, kappa as kappa, latency as
    latency, matthews as matthews, mcnemar as mcnemar, metrics as metrics, strict_metrics as strict_metrics,
)
from .source_texts import (
    ABSTRACT as ABSTRACT, SourceFolder as SourceFolder, decoded_page as decoded_page, decoded_text as decoded_text,
    file_name as file_name, html_text as html_text,
)
from .summary import rows_of_cases as rows_of_cases
from .usable import unusable as unusable
from .claim_pages import claim_sections as claim_sections
