"""CRAN: packages of R."""
