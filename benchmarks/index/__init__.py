"""Speed and recall of the local index, compared with SQLite's text search and tantivy (docs/local-index.md)."""
