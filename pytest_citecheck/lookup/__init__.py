"""Phase 1: choice, order and end of the queries. All network traffic of a run happens here."""
