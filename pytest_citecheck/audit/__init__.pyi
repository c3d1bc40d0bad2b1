from .engines import (
    DaskCluster as DaskCluster, Engine as Engine, EngineError as EngineError, InProcess as InProcess, Job as Job,
    Processes as Processes, cores as cores,
)
from .inputs import (
    Cited as Cited, Piece as Piece, QueryError as QueryError, RowError as RowError, Unread as Unread,
    as_reference as as_reference, pieces_of as pieces_of, read_pieces as read_pieces, run_query as run_query,
)
from .report import (
    audit_report as audit_report, is_audit as is_audit, write_junit as write_junit, write_summary as write_summary,
)
from .run import (
    Done as Done, ask_online as ask_online, audited as audited, planned as planned, spent as spent,
    unread_of as unread_of,
)
from .worker import (
    ASKED as ASKED, Folder as Folder, OtherAuditError as OtherAuditError, Plan as Plan, PlanSettings as PlanSettings,
    WorkerState as WorkerState, identity as identity, local_index as local_index, read_rows as read_rows,
    rows_of as rows_of,
)
