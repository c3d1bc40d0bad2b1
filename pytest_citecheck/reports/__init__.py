"""What a run found, as terminal text, Markdown, HTML, JSON, charts and CI formats."""
