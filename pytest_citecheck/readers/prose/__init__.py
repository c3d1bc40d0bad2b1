"""Documents in running text: Markdown, HTML, plain text."""
