"""Phase 1: which query goes to which source, in which order, and when to stop. All network traffic of a run happens here."""
