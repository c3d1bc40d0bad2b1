"""How titles, names, venues and identifiers are parsed and compared."""
