from .builder import (
    BuildReport as BuildReport, Prepared as Prepared, Scope as Scope, build as build, build_shards as build_shards,
    packed_block as packed_block,
)
from .collection_files import (
    FORMATS as FORMATS, Reading as Reading, collection_name as collection_name, detect as detect,
    licence_of as licence_of, read as read,
)
from .collections import LineError as LineError, stated_record as stated_record
from .export import export_keys as export_keys
from .keys import (
    IDENTIFIERS as IDENTIFIERS, STOP_WORDS as STOP_WORDS, VERSION as VERSION, author as author,
    author_keys as author_keys, exact_hash as exact_hash, family as family, full_title as full_title,
    identified as identified, identifier_text as identifier_text, identifiers as identifiers,
    posting_keys as posting_keys, read_title as read_title, title_text as title_text,
)
from .layout import (
    Collection as Collection, FORMAT as FORMAT, FREELY_READ as FREELY_READ, IndexFileError as IndexFileError,
    is_sealed as is_sealed, pack as pack, packed_people as packed_people,
)
from .maintenance import (
    Contents as Contents, add as add, merge as merge, rebuild as rebuild, remove as remove, verify as verify,
)
from .reader import (
    LocalIndex as LocalIndex, is_set as is_set, shard_path as shard_path, shard_paths as shard_paths,
    stretch as stretch,
)
from .workers import Batch as Batch, Workers as Workers
from .runs import LineRuns as LineRuns, Runs as Runs, writing as writing
from .scopes import (
    Agreement as Agreement, Coverage as Coverage, Independence as Independence, ScopeError as ScopeError, Size as Size,
    lacking as lacking, read_derivations as read_derivations, read_scopes as read_scopes, venue_id as venue_id,
    venue_ids as venue_ids,
)
from .search import (
    half_keys as half_keys, in_several as in_several, is_correctable as is_correctable,
    one_mistake_apart as one_mistake_apart, reason_to_skip as reason_to_skip, wanted_keys as wanted_keys,
)
