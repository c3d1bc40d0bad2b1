"""Results of a run as terminal text, Markdown, HTML, JSON, charts and CI formats."""
