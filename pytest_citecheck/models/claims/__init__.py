"""Claims compared with the sources that they cite."""
