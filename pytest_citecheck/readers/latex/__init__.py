"""LaTeX documents, and the files that LaTeX, BibTeX and biber write beside them."""
