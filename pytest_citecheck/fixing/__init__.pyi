from .corrected_values import (
    Correction as Correction, FieldEdit as FieldEdit, TYPE as TYPE, corrections as corrections,
    why_not_corrected as why_not_corrected,
)
from .file_edits import (
    FileBytes as FileBytes, FixedFile as FixedFile, RequestedEdits as RequestedEdits, fixed_file as fixed_file,
)
from .style import as_latex as as_latex, delimited as delimited, written_value as written_value
from .text_file import (
    TEXT_SUFFIXES as TEXT_SUFFIXES, fixed_text_file as fixed_text_file, text_references as text_references,
)
