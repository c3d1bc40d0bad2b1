"""PubMed."""
