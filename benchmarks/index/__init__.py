"""How fast and how well the local index finds, beside SQLite's text search and tantivy (docs/local-index.md)."""
