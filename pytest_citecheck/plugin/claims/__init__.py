"""Claims as a part of a run: one item for each pair of claim and source, and judge."""
