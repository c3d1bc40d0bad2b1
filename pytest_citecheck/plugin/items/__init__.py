"""pytest nodes, and how they run."""
