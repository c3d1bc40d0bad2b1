"""The Reference Hallucination Arena: models are asked for references, and every reference is checked."""
