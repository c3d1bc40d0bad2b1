"""What the entries of a bibliography say against each other."""
