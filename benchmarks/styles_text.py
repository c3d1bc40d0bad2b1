"""Text as in BibTeX files: accents as letters or in LaTeX, titles in the capitalisation of exporters."""

from __future__ import annotations

import re
import unicodedata
from random import Random

_MARKS = {
    "\u0301": "'", "\u0300": "`", "\u0302": "^", "\u0308": '"', "\u0303": "~", "\u0304": "=", "\u0307": ".",
    "\u030c": "v", "\u0327": "c", "\u0306": "u", "\u030a": "r", "\u0328": "k", "\u030b": "H",
}  # fmt: skip
_LETTERS = {
    "ß": r"{\ss}", "ø": r"{\o}", "Ø": r"{\O}", "ł": r"{\l}", "Ł": r"{\L}", "æ": r"{\ae}", "Æ": r"{\AE}", "ı": r"{\i}",
    "–": "--", "—": "---", "‘": "`", "’": "'", "“": "``", "”": "''", "…": r"\ldots{}", "\u00a0": "~",
    "α": r"$\alpha$", "β": r"$\beta$", "γ": r"$\gamma$", "δ": r"$\delta$", "ε": r"$\epsilon$", "λ": r"$\lambda$",
    "μ": r"$\mu$", "σ": r"$\sigma$", "×": r"$\times$", "≤": r"$\leq$", "≥": r"$\geq$", "∞": r"$\infty$", "°": r"$^{\circ}$",
}  # fmt: skip
_SPECIAL = re.compile(r"(?<!\\)([&%#_])")
_WRITTEN_AS_TEX = re.compile(r"[$\\{}^]")
_SMALL_WORDS = frozenset(
    "a an and as at but by for from in into is nor of on or over the to up via vs with without".split()
)
_CAPITALS_INSIDE = re.compile(r"\w[A-Z]|\d")
_SUBTITLE = re.compile(r"^(.{15,}?[^\d\s])(?:: | - | – | — |\? )")
_WORD = re.compile(r"[^\W\d_]+")
# From American to British English (New Hart's Rules, 2nd edition, 21.2), and back.
_AMERICAN = {
    "behavior": "behaviour", "behavioral": "behavioural", "color": "colour", "colors": "colours", "modeling": "modelling",
    "labeled": "labelled", "labeling": "labelling", "unlabeled": "unlabelled", "center": "centre", "fiber": "fibre",
    "optimization": "optimisation", "optimizing": "optimising", "generalization": "generalisation", "neighbor": "neighbour",
    "neighbors": "neighbours", "recognizing": "recognising", "localization": "localisation", "analyzing": "analysing",
    "organization": "organisation", "tumor": "tumour", "defense": "defence", "defenses": "defences", "catalog": "catalogue",
    "program": "programme", "gray": "grey", "artifact": "artefact", "artifacts": "artefacts", "traveling": "travelling",
    "regularization": "regularisation", "summarization": "summarisation", "visualization": "visualisation",
    "normalization": "normalisation", "randomized": "randomised", "personalized": "personalised", "aging": "ageing",
    "signaling": "signalling", "favorable": "favourable", "pediatric": "paediatric", "esthetic": "aesthetic",
}  # fmt: skip
_OTHER_SPELLING = {**_AMERICAN, **{british: american for american, british in _AMERICAN.items()}}


def latex(text: str, dice: Random | None) -> str:
    """Return the text as a BibTeX value: special characters escaped, and with ``dice``, non-ASCII letters in one of LaTeX's
    four spellings. A text with markup is left unchanged.
    """
    if _WRITTEN_AS_TEX.search(text):
        return text
    text = _SPECIAL.sub(r"\\\1", text)
    if dice is None:
        return text
    form = dice.choice(("{{\\{mark}{{{base}}}}}", "{{\\{mark} {base}}}", "\\{mark}{{{base}}}", "{{\\{mark}{base}}}"))
    return "".join(_tex_letter(letter, form) for letter in unicodedata.normalize("NFC", text))


def _tex_letter(letter: str, form: str) -> str:
    if letter in _LETTERS:
        return _LETTERS[letter]
    base, marks = unicodedata.normalize("NFD", letter)[:1], unicodedata.normalize("NFD", letter)[1:]
    mark = _MARKS.get(marks)
    if mark is None or not base.isascii():
        return letter
    if mark.isalpha() and "} " not in form:
        form = "{{\\{mark}{{{base}}}}}"  # \cs is another command than \c s
    return form.format(mark=mark, base=rf"\{base}" if base in "ij" else base)


def unaccented(text: str) -> str:
    """The text without its accents, as on a keyboard that lacks them."""
    return "".join(letter for letter in unicodedata.normalize("NFD", text) if not unicodedata.combining(letter))


def typeset(text: str, dice: Random) -> str:
    """Quotation marks and dashes as another typesetter sets them."""
    straight = text.replace("’", "'").replace("‘", "'").replace("“", '"').replace("”", '"')
    if dice.random() < 0.5:
        return straight.replace("–", "-").replace("—", "-").replace("‐", "-")
    curved = re.sub(r"(?<=\w)'", "’", straight)
    return re.sub(r'"([^"]*)"', r"“\1”", curved).replace(" - ", " – ")


def respelled(title: str) -> str:
    """The title in the other of British and American English, as far as a short list of words goes."""
    if _WRITTEN_AS_TEX.search(title):
        return title
    return _WORD.sub(lambda match: _like(match[0], _OTHER_SPELLING.get(match[0].lower(), match[0])), title)


def _like(word: str, other: str) -> str:
    if word.isupper():
        return other.upper()
    return other.capitalize() if word[0].isupper() else other


def title_case(title: str) -> str:
    """Every word of meaning with a capital; words with capitals or digits inside keep theirs."""
    if _WRITTEN_AS_TEX.search(title):
        return title
    words = title.split(" ")
    return " ".join(
        word
        if _CAPITALS_INSIDE.search(word) or (number and word.lower() in _SMALL_WORDS)
        else word[:1].upper() + word[1:]
        for number, word in enumerate(words)
    )


def sentence_case(title: str) -> str:
    """Capitalise only the first word, like Google Scholar: acronyms keep only their first capital."""
    if _WRITTEN_AS_TEX.search(title):
        return title
    return title[:1].upper() + title[1:].lower()


def protected(value: str, dice: Random) -> str:
    """A BibTeX value with braces around all of it, around words with capitals inside, or around single capitals."""
    if "\\" in value or "$" in value or "{" in value:
        return f"{{{value}}}"
    habit = dice.randrange(3)
    if habit == 0:
        return f"{{{value}}}"
    if habit == 1:
        return " ".join(f"{{{word}}}" if _CAPITALS_INSIDE.search(word) else word for word in value.split(" "))
    return re.sub(r"\b([A-Z])", r"{\1}", value)


def shortened(title: str) -> str:
    """Return the title without its subtitle."""
    match = _SUBTITLE.match(title)
    return match[1] if match and not _WRITTEN_AS_TEX.search(title) else title
