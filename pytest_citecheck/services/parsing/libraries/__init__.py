"""What catalogues of libraries and archives have in common: SRU, MARC, registers of French research."""
