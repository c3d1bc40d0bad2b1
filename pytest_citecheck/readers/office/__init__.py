"""Documents of word processors: Word's .docx and OpenDocument's .odt."""
