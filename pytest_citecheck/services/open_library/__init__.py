"""Open Library."""
