from .claims_fetch import abstract_of as abstract_of
from .commands import (
    COMMANDS as COMMANDS, Progress as Progress, UsageError as UsageError, add_command as add_command, amount as amount,
    complain as complain, say as say,
)
from .demo import DEMO as DEMO
from .edits import Edit as Edit, edited as edited, write_edits as write_edits
from .entries import Engine as Engine, Place as Place
from .entry import _with_command as _with_command, command_parser as command_parser, main as main
from .explain import EXAMPLES as EXAMPLES, each_command as each_command
from .fix import Mended as Mended, mend as mend
from .index_show import stated_identifiers as stated_identifiers
from .isolation import SETTINGS as SETTINGS, isolate as isolate, own_environment as own_environment
from .judging import conflicts_of as conflicts_of, result_of as result_of
from .project import (
    SettingsFileError as SettingsFileError, absolute_value as absolute_value, find_settings as find_settings,
    project_settings as project_settings, read_settings as read_settings,
)
from .running import (
    NotDoneError as NotDoneError, guarded as guarded,
    interrupted_once as interrupted_once, refuse_overwrite as refuse_overwrite,
)
from .score_breakdown import PARTS as PARTS
from .score_junit import missing_shards as missing_shards, split_under_two_paths as split_under_two_paths
