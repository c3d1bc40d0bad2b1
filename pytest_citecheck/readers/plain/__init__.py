"""References in plain text."""
