"""Names of persons and groups, and the comparison of author lists."""
