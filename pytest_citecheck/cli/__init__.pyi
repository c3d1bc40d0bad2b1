from .commands import (
    Commands as Commands, Progress as Progress, UsageError as UsageError, add_command as add_command,
    all_commands as all_commands, amount as amount, argument as argument, complain as complain, count as count,
    positive as positive, say as say,
)
from .demo import DEMO as DEMO
from .doctor import add_settings as add_settings, transport_settings as transport_settings
from .edits import Edit as Edit, edited as edited, write_edits as write_edits
from .entries import Engine as Engine, Place as Place
from .entry import _with_command as _with_command, command_parser as command_parser, main as main
from .explain import EXAMPLES as EXAMPLES, each_command as each_command
from .fix import Mended as Mended, mend as mend
from .index import existing_index as existing_index
from .index_show import stated_identifiers as stated_identifiers
from .isolation import SETTINGS as SETTINGS, isolate as isolate, own_environment as own_environment
from .judging import conflicts_of as conflicts_of, result_of as result_of
from .project import (
    SettingsFileError as SettingsFileError, absolute_value as absolute_value, find_settings as find_settings,
    project_settings as project_settings, read_settings as read_settings,
)
from .running import (
    Column as Column, NotDoneError as NotDoneError, add_format as add_format, command as command, guarded as guarded,
    interrupted_once as interrupted_once, number as number, refuse_overwrite as refuse_overwrite, table_of as table_of,
)
