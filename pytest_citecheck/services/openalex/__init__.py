"""OpenAlex."""
