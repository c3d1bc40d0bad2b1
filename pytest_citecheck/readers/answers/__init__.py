"""References in the answers of language models."""
