from .answers import (
    ANSWERS as ANSWERS, AnswerRecord as AnswerRecord, duplicates as duplicates, read_answers as read_answers,
    read_records as read_records, references_in as references_in, references_of as references_of, stub as stub,
    without_reasoning as without_reasoning,
)
from .archives import unpacked as unpacked
from .base import (
    AnswerGroup as AnswerGroup, Answered as Answered, Bibliography as Bibliography, LineIndex as LineIndex,
    NO_USAGE as NO_USAGE, NO_WORKS as NO_WORKS, Reader as Reader, Usage as Usage, byte_order_mark as byte_order_mark,
    content_hash as content_hash, decode_bytes as decode_bytes, escape_key as escape_key, escape_name as escape_name,
    read_reason as read_reason, reference_names as reference_names, unify_line_ends as unify_line_ends,
    unreadable as unreadable,
    with_unlinked as with_unlinked,
)
from .bbl import BBL as BBL, read_bbl as read_bbl
from .bibtex.blocks import Source as Source, Start as Start, find_starts as find_starts
from .bibtex.entry import (
    EntryMemory as EntryMemory, ScannedEntry as ScannedEntry, parse_well_formed as parse_well_formed,
    scan_entry as scan_entry,
)
from .bibtex.names import NAME_FIELDS as NAME_FIELDS, name_list as name_list, separated_otherwise as separated_otherwise
from .bibtex.reader import (
    BIBTEX as BIBTEX, BibtexReader as BibtexReader, Draft as Draft, Heir as Heir, MACRO_OVERFLOW as MACRO_OVERFLOW,
    OVERLONG as OVERLONG, inherit as inherit, read_bibtex as read_bibtex, read_together as read_together,
    readable_value as readable_value, readable_within_length as readable_within_length,
    written_within_length as written_within_length,
)
from .bibtex.values import (
    Macros as Macros, Part as Part, STANDARD_MACROS as STANDARD_MACROS, balance as balance,
    is_bibliography as is_bibliography, journal_command as journal_command, read_value as read_value,
)
from .budget import Budget as Budget, FREE_STEPS as FREE_STEPS, STEPS_PER_BYTE as STEPS_PER_BYTE
from .citation_files import CFF as CFF, SOFTWARE_JSON as SOFTWARE_JSON
from .citations import (
    CitationMatch as CitationMatch, CitationPattern as CitationPattern, LATEX_CITATION as LATEX_CITATION,
    LatexCitation as LatexCitation, MARKDOWN_CITATION as MARKDOWN_CITATION, blanked_latex as blanked_latex,
    blanked_markdown as blanked_markdown, ends_references as ends_references,
    is_references_heading as is_references_heading, keys_of as keys_of, spaces as spaces,
)
from .dates import year_in as year_in
from .docstrings import DOCSTRINGS as DOCSTRINGS, docstrings_of as docstrings_of
from .documents import (
    BINARY as BINARY, DocumentReader as DocumentReader, Files as Files, FolderFiles as FolderFiles, LARGEST as LARGEST,
    NoFiles as NoFiles, PROJECT as PROJECT, Surroundings as Surroundings,
    UnreadableDocumentError as UnreadableDocumentError, folder_contents as folder_contents, is_project as is_project,
    main_documents as main_documents, may_refer as may_refer, megabytes as megabytes,
    project_bibliographies as project_bibliographies,
)
from .exchange import CSL_JSON as CSL_JSON, identifier_lines as identifier_lines
from .hallmark import (
    HALLMARK as HALLMARK, Split as Split, blind_reference as blind_reference, iterate_split as iterate_split,
    labelled_entry as labelled_entry, load_split as load_split, read_hallmark as read_hallmark,
    read_split as read_split,
)
from .hallmark_lines import (
    Bytes as Bytes, FALSE_SUBTESTS as FALSE_SUBTESTS, FORMER_SUBTESTS as FORMER_SUBTESTS, Fields as Fields,
    JsonLine as JsonLine, Label as Label, LabelledEntry as LabelledEntry, LineError as LineError,
    Prediction as Prediction, Problem as Problem, KINDS as KINDS, STRESS_TYPES as STRESS_TYPES,
    kind_of as kind_of, SUBTESTS as SUBTESTS, TIERS as TIERS,
    Verdict3 as Verdict3, Warn as Warn, is_canary as is_canary, json_lines as json_lines, keyed_lines as keyed_lines,
    parted as parted, shown as shown,
)
from .latex import LATEX as LATEX, follow as follow
from .markdown import MARKDOWN as MARKDOWN, PLAIN_TEXT as PLAIN_TEXT
from .normalisation import cited_metadata as cited_metadata
from .notebooks import NOTEBOOK as NOTEBOOK
from .office import DOCX as DOCX, ODT as ODT
from .pdf import (
    PDF as PDF, Row as Row, body_lines as body_lines, in_unicode as in_unicode, pages_of as pages_of,
    reference_items as reference_items,
)
from .plain.author_date import author_date as author_date
from .plain.cues import (
    boundaries_in as boundaries_in, container as container, is_venue as is_venue, lone_year as lone_year,
    read_tail as read_tail,
)
from .plain.item_kinds import Item as Item, Line as Line
from .plain.list_items import items_of as items_of
from .plain.mentions import mentioned_works as mentioned_works
from .plain.names import bibtex_authors as bibtex_authors, name_share as name_share
from .plain.readings import (
    read_reference_strings as read_reference_strings, reading_between as reading_between,
    string_readings as string_readings,
)
from .plain.references import (
    UNREAD as UNREAD, read_items as read_items, read_list as read_list,
)
from .plain.segments import (
    joined as joined, people_before as people_before, segmentations as segmentations, tidied as tidied,
    words_of as words_of,
)
from .plain.works import read_plain_references as read_plain_references
from .registry import (
    _FORMATS as _FORMATS, all_readers as all_readers, benchmark_reader as benchmark_reader, reader_for as reader_for,
    reader_named as reader_named, why_empty as why_empty, why_unread as why_unread,
)
from .remote import Target as Target, target_of as target_of
from .restructured_text import RESTRUCTURED_TEXT as RESTRUCTURED_TEXT, read_text as read_text
from .typst import TYPST as TYPST
