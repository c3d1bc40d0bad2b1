"""DataCite."""
