"""Commands about commands and codes: explanations, completion for shells, and the table that help and pages are made of."""
