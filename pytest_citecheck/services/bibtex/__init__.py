"""Records in BibTeX, as publishers and catalogues hand them out."""
