"""Results of a run: collected from the workers, scored, and written to reports."""
