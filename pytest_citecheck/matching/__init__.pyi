from .author_lists import (
    AuthorComparison as AuthorComparison, are_damaged_names as are_damaged_names, compare_authors as compare_authors,
    is_anonymous as is_anonymous, marked_ellipses as marked_ellipses, other_reading as other_reading,
    repeated as repeated, without_others as without_others,
)
from .catalogue_ids import (
    CATALOGUES as CATALOGUES, acl_id as acl_id, acl_volume as acl_volume, bibcode as bibcode, dblp_key as dblp_key,
    find_isbns as find_isbns, find_issns as find_issns, is_acl_volume as is_acl_volume, openreview_id as openreview_id,
    package as package, package_of_title as package_of_title, pypi_name as pypi_name, repository as repository,
    rfc_number as rfc_number, texkey as texkey, w3c_report as w3c_report, zbl_number as zbl_number,
)
from .identifier_fields import cited_identifiers as cited_identifiers, hal_id as hal_id, nnt as nnt
from .identifiers import (
    DoiPattern as DoiPattern, PatternMatch as PatternMatch, VOLUME as VOLUME, beyond_month as beyond_month,
    beyond_volume as beyond_volume, unassigned_prefix as unassigned_prefix, doi_patterns as doi_patterns, find_dois as find_dois,
    foreign_publisher as foreign_publisher, foreign_registrant as foreign_registrant, is_placeholder as is_placeholder,
    is_registrant_of as is_registrant_of, malformed_arxiv as malformed_arxiv, match_arxiv_id as match_arxiv_id,
    match_doi as match_doi, normalise_arxiv as normalise_arxiv, normalise_doi as normalise_doi, numbered as numbered,
    volume_name as volume_name, volume_of as volume_of,
)
from .locators import (
    Asked as Asked, Locator as Locator, LocatorRelation as LocatorRelation, asked_place as asked_place,
    cited_locator_of as cited_locator_of, compare_locators as compare_locators, locator as locator, pages_of as pages_of,
    same_number as same_number, same_start as same_start, same_volume as same_volume, volume_and_number as volume_and_number,
)
from .markup import root_of as root_of, without_markup as without_markup
from .name_parts import (
    compare_given as compare_given, is_alias as is_alias, is_asian_surname as is_asian_surname,
    is_given_name as is_given_name, is_pinyin as is_pinyin, looks_like_group as looks_like_group,
    may_be_other_name as may_be_other_name, transliterated as transliterated,
    without_affiliations as without_affiliations,
)
from .names import (
    Name as Name, is_exchanged as is_exchanged, is_initials as is_initials, is_respelt as is_respelt,
    is_suffix as is_suffix, parse as parse, same_person as same_person, stand_in_text as stand_in_text,
    strip_homonym_number as strip_homonym_number, trailing_particles as trailing_particles,
)
from .safe_text import safe_line as safe_line, safe_lines as safe_lines
from .text import (
    BLANKS as BLANKS, GREEK as GREEK, LazyPattern as LazyPattern, MAYBE_BLANKS as MAYBE_BLANKS,
    MONTHS as MONTHS, MOST_AUTHORS as MOST_AUTHORS,
    MOST_STATED as MOST_STATED, PEOPLE as PEOPLE, decode as decode, fold as fold, lazy_pattern as lazy_pattern,
    longest as longest, longest_written as longest_written, unescape as unescape,
    without_latex_and_markup as without_latex_and_markup, words as words,
)
from .title_spelling import (
    FUNCTION_WORDS as FUNCTION_WORDS, Gap as Gap, TokenChange as TokenChange, align as align, changes as changes,
    render as render, shared_weight as shared_weight, standard_spelling as standard_spelling, tokenise as tokenise,
    write_out_umlauts as write_out_umlauts,
)
from .titles import (
    breaks_off as breaks_off,
    TitleComparison as TitleComparison, compare_titles as compare_titles, has_leftovers as has_leftovers,
    heads as heads, is_damaged as is_damaged,  is_review_of as is_review_of,
    is_second_appearance as is_second_appearance, language as language, may_be_translation as may_be_translation,
    render_diff as render_diff, reviewers as reviewers, separate_parts as separate_parts, tails as tails,
    title_key as title_key, undecorated_forms as undecorated_forms, unmarked as unmarked,
    without_labels as without_labels, without_rubric as without_rubric,
)
from .venue_names import PLACES as PLACES, Part as Part, parse_venue as parse_venue, venue_kind as venue_kind
from .venue_tables import (
    HEADS as HEADS, NOISE as NOISE, SPONSORS as SPONSORS, Venue as Venue, VenueYearList as VenueYearList,
    abbreviates as abbreviates, aligned as aligned, all_lists as all_lists, all_venues as all_venues,
    venue_words as venue_words, venue_year_list as venue_year_list, venue_year_lists as venue_year_lists,
    without_prefix as without_prefix,
)
from .venues import (
    VenueRelation as VenueRelation, compare_venues as compare_venues, is_preprint_venue as is_preprint_venue,
    is_publisher as is_publisher, is_repository as is_repository, is_series as is_series, lookup as lookup,
    have_no_common_word as have_no_common_word, share_topic as share_topic, worded_as as worded_as,
)
