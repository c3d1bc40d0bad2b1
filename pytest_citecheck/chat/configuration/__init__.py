"""The YAML that names endpoints of language models, for whatever they are asked."""
