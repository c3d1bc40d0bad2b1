"""GitHub: repositories."""
