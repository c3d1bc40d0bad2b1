"""What to write into a file of references instead of what is wrong, and nothing else: pure, from bytes and findings to bytes.

`corrections` says which fields of an entry get which value and who vouches for it, `fixed_file` writes them. All other bytes of
the file stay: encoding, line ends, delimiters, macros, comments, spacing.
"""
