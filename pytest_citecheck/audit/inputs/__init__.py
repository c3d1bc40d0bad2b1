"""What an audit reads: files of references, archives of them, rows of Parquet and of JSON lines, the result of a query."""
