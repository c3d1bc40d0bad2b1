"""How a file writes letters outside ASCII: as they are, or as LaTeX commands."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_citecheck.fixing.latex_letters import AccentForm, accent_form, accents, as_latex

__all__ = ["Style", "style_of"]


@dataclass(frozen=True, slots=True)
class Style:
    """unicode: letters outside ASCII stand as they are; else as commands of this form."""

    unicode: bool
    form: AccentForm = "braced"

    def letters(self, text: str) -> str:
        """The text with its letters as the file writes them."""
        return text if self.unicode else as_latex(text, self.form)


def style_of(entry: str, file: str, *, ascii_only: bool = False) -> Style:
    """The style of an entry, or that of its file if the entry has only ASCII letters without accents.

    A file that shows none gets commands: they are read by every version of BibTeX. ascii_only: the encoding of the file was
    guessed, so nothing outside ASCII may be added.
    """
    for text in (entry, file):
        plain, commands = sum(letter.isalpha() for letter in text if letter > "\x7f"), accents(text)
        if plain or commands:
            return Style(plain > commands and not ascii_only, accent_form(text if commands else file))
    return Style(unicode=False)
