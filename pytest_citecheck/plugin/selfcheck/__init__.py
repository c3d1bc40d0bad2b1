"""Self-checks of language models as items of their own, beside the checks and without effect on them."""
