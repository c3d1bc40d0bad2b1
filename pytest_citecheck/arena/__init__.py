"""The Reference Hallucination Arena: what language models are asked, and what they answer."""
