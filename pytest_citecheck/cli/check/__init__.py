"""``citecheck check``."""
