"""Who judges claims: models, panels of them, and a local method without any model."""
