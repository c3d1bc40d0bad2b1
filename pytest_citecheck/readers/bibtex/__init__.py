"""BibTeX and BibLaTeX files."""
