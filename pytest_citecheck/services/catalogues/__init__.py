"""What the catalogues of single fields have in common: several questions in one query, one page of results."""
