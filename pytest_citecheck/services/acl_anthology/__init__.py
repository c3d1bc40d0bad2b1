"""ACL Anthology."""
