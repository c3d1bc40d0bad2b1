"""Formats of exchange: CSL-JSON, RIS, NBIB, EndNote XML, templates of Wikipedia, lists of identifiers."""
