"""``citecheck doctor`` and ``citecheck record --shapes``: whether the services answer, and whether they answer as expected."""
