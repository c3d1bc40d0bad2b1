"""BibTeX: blocks, entries, values and names."""
