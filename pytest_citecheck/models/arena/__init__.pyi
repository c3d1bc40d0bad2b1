from .arena_items import (
    Arena as Arena, ArenaHooks as ArenaHooks, ArenaReader as ArenaReader, open_arenas as open_arenas,
    with_services as with_services,
)
from .asking import (
    Cell as Cell, ConversationLog as ConversationLog, SelectionError as SelectionError, bare_answer as bare_answer,
    cells_of as cells_of, selected_models as selected_models, selected_queries as selected_queries,
)
from .configuration import (
    ArenaConfiguration as ArenaConfiguration, ArenaQuery as ArenaQuery, Queries as Queries, QueryError as QueryError,
    read_configuration as read_configuration, read_queries as read_queries, system_prompt as system_prompt,
)
from .reading import bibliography_of as bibliography_of, searched_answer as searched_answer
