"""PDF: the lines of its pages, the reference section among them, the references of that."""
