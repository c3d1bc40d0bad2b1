"""Options and settings of a run."""
