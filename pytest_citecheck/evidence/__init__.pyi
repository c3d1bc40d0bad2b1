from .absence import (
    AbsenceContext as AbsenceContext, MissProbability as MissProbability, miss_probability as miss_probability,
    probability_invented as probability_invented,
)
from .contradiction import kind_of_evidence as kind_of_evidence
from .control_counts import (
    Calibration as Calibration, CalibrationError as CalibrationError, Controls as Controls, FileCounts as FileCounts,
    Holdings as Holdings, Kind as Kind, Known as Known, Period as Period, Search as Search, Stratum as Stratum,
    Trials as Trials, Uncovered as Uncovered, expected_misses as expected_misses,
    is_covered_search as is_covered_search, is_identified as is_identified, searches as searches, stratum as stratum,
    trials_of as trials_of,
)
from .places import (
    Contents as Contents, LastVolume as LastVolume, PLACES as PLACES, answers_about_places as answers_about_places,
    cited_locator as cited_locator, compare_places as compare_places, contents as contents, is_at_place as is_at_place,
    is_certainly_of_journal as is_certainly_of_journal,
    last_volume as last_volume, record_locator as record_locator, same_journal as same_journal,
)
from .provenance import (
    Field as Field, GAP_FILLERS as GAP_FILLERS, LIBRARY as LIBRARY, ListAbsence as ListAbsence,
    closed_stream as closed_stream, declare as declare, derivations as derivations,
    discipline as discipline, first_hand_evidence as first_hand_evidence,
    independent_compilers as independent_compilers, independent_sources as independent_sources,
    independent_statements as independent_statements, is_compiler as is_compiler,
    is_corroborated as is_corroborated, is_own_library as is_own_library, is_registry as is_registry, label as label,
    missing_from_list as missing_from_list,
    missing_from_scope as missing_from_scope,
    names_authors_as_published as names_authors_as_published,
    agreed_date as agreed_date, newest_answer as newest_answer,
    publishers_lists as publishers_lists, reached as reached, same_venue as same_venue, source_name as source_name,
    upstream as upstream,
    work_types as work_types,
)
from .record_faults import (
    FAULTS as FAULTS, RecordFault as RecordFault, Seen as Seen, fault as fault, is_page as is_page,
    misspelt_side as misspelt_side,
)
from .relations import (
    Candidate as Candidate, STANDARDS as STANDARDS, by_these_people as by_these_people, candidates as candidates,
    is_distinctive as is_distinctive, is_project as is_project, registered as registered, resolved as resolved,
    same_venue_and_year as same_venue_and_year,
    search_failed as search_failed, unseen_identifiers as unseen_identifiers,
    workshop_of_cited as workshop_of_cited, year_fits as year_fits,
)
from .string_readings import beside_records as beside_records
from .versions import (
    all_versions_seen as all_versions_seen, nearest_version as nearest_version, newest_version as newest_version,
    unseen_version_may_be_meant as unseen_version_may_be_meant, versions_seen as versions_seen,
)
