"""What a run found, gathered and written."""
