"""References from a query of DuckDB, which reads Parquet, CSV, JSON and attached databases."""

from __future__ import annotations

import secrets
from pathlib import Path

__all__ = ["QueryError", "run_query"]


class QueryError(ValueError):
    """The query cannot be run; the message has DuckDB's words."""


def run_query(query: str, out: Path) -> None:
    """Write the rows of a query as Parquet, unless they stand there. Raises QueryError, OSError."""
    import duckdb  # noqa: PLC0415 - of an extra

    if out.exists():
        return
    fresh = out.with_name(f".{out.name}.{secrets.token_hex(8)}.tmp")
    text = query.strip().rstrip(";")
    try:
        with duckdb.connect() as database:
            target = str(fresh).replace("'", "''")
            database.execute(f"COPY ({text}) TO '{target}' (FORMAT parquet, COMPRESSION zstd)")
        fresh.replace(out)
    except duckdb.Error as error:
        raise QueryError(f"the query cannot be run: {error}") from error
    finally:
        fresh.unlink(missing_ok=True)
