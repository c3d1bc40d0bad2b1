"""Language models: asked for references, used as judges of claims, and asked again to check themselves."""
