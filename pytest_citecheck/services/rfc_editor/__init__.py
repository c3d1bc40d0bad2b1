"""The RFC Editor: RFCs by number."""
