"""Documents as arguments: which files they read, which submissions a folder holds."""
