"""What catalogues of libraries and archives have in common: SRU, MARC, what may be from France."""
