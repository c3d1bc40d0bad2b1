"""W3C: reports by short name."""
