"""Does the source say so? Claims with their sources, what models answer, and how well the answers agree with labels."""
