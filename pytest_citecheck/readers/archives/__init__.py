"""Archives of LaTeX sources, read in memory: nothing of them is ever written to a disk."""
