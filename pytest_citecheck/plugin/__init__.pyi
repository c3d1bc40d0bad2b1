from .answering import ANSWER_OPTIONS as ANSWER_OPTIONS, oldest_day as oldest_day
from .collection import CheckItem as CheckItem
from .documents import Arguments as Arguments, format_of as format_of
from .extensions import (
    call_hook as call_hook, collect_extensions as collect_extensions, plugins_of_command as plugins_of_command,
)
from .gathering import (
    PAUSE as PAUSE, duration as duration, plain_lines as plain_lines, progress_line as progress_line, run_to_end as run_to_end,
)
from .items import CheckFailure as CheckFailure, FindingItem as FindingItem, file_nodeid as file_nodeid
from .features import Option as Option, Scores as Scores, all_features as all_features, report_layouts as report_layouts
from .junit import case_properties as case_properties
from .options import (
    OPTIONS as OPTIONS, SECTIONS as SECTIONS, added_options as added_options,
    environment_value as environment_value, files_named as files_named, matching_files as matching_files,
    unknown_setting as unknown_setting,
)
from .plain import OwnFlags as OwnFlags, PlainOutput as PlainOutput
from .results import (
    AnswersStore as AnswersStore, FindingsStore as FindingsStore, lines_of as lines_of, packed as packed,
    unpacked as unpacked,
)
from .servers import read_servers as read_servers
from .session import CitecheckSession as CitecheckSession
from .settings import (
    Settings as Settings, contact_address as contact_address, demand_inside as demand_inside, is_from_ini as is_from_ini,
    one_of as one_of, output_file as output_file,
    is_trusted_folder as is_trusted_folder, positive_seconds as positive_seconds, resolve_settings as resolve_settings,
)
from .start import lasting_imports as lasting_imports
from .summary import (
    _SETTLED_BY as _SETTLED_BY, contrast as contrast, write_references as write_references, write_undecided as write_undecided,
)
from .trust_store import (
    TrustError as TrustError, distrust as distrust, is_trusted as is_trusted, trust as trust,
    trusted_folders as trusted_folders,
)
from .waivers import Waiver as Waiver, Waivers as Waivers, read_waiver as read_waiver, unknown_name as unknown_name
from .xdist import (
    Bundles as Bundles, EntryScheduling as EntryScheduling, NOBODY as NOBODY, owners as owners,
    read_evidence as read_evidence, read_shares as read_shares, share_of as share_of, unbundle as unbundle,
    write_evidence as write_evidence, write_share as write_share,
)
