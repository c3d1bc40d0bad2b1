r"""LaTeX markup of bibliographies to readable Unicode.

The commands follow Leslie Lamport, *LaTeX: A Document Preparation System* (2nd edition, sections 3.2 and 3.3: accents,
symbols, formulas) and the conventions of BibTeX (braces protect capitals, ``{\noopsort{...}}`` prints nothing).
``pylatexenc`` supplies the table of symbols, Greek letters and mathematical signs. Its own converter is not used on
whole values: it treats ``%`` as a comment (and so cuts URLs), gives up on unbalanced braces, and takes about 0.7 ms a
value.
"""

from __future__ import annotations

import re
from functools import lru_cache
from unicodedata import combining, normalize

from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["decode", "unescape"]

_MARKUP = lazy_pattern(r"[\\{}$~]|--|``|''|[?!]`")
_MARKUP_BEYOND_BRACES = lazy_pattern(r"[\\$~]|--|``|''|[?!]`")
_TOKEN = lazy_pattern(
    r"\\(?P<word>[A-Za-z]+)\*?(?P<gap>\s*)"
    r"|\\(?P<sign>.)"
    r"|(?P<mark>\$\$?|[{}~])"
    r"|(?P<ligature>---?|``|''|[?!]`)"
    r"|(?P<url>https?://[^\s{}\\$]+)",
    re.DOTALL,
)
_OPTIONAL = lazy_pattern(r"\[[^\[\]{}]*\](?=\s*\{)")
# TeX sets $B^0_s$ and $B_s^0$ alike (The TeXbook, chapter 16); publishers write the subscript first.
_SCRIPTS = lazy_pattern(r"(?<=[A-Za-z0-9})])\^(\{[^{}]*\}|[A-Za-z0-9])_(\{[^{}]*\}|[A-Za-z0-9])")
# A mark after the last word, as in "for Image Recognition$^1$": raised it cannot be taken for a part of the word.
_FOOTNOTE = lazy_pattern(r"(?<=[a-z]{3})(?:\$\s*\^(\d|\{\d(?:,\d)*\})\s*\$|\\textsuperscript\s*\{(\d)\})(?=[\s}]*$)")
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹", "{},")
_VERBATIM_ARGUMENT = lazy_pattern(r"\s*\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}")

_LIGATURES = {"--": "–", "---": "—", "``": "“", "''": "”", "?`": "¿", "!`": "¡"}
_LETTERS = {
    "aa": "å", "AA": "Å", "ae": "æ", "AE": "Æ", "dh": "ð", "DH": "Ð", "dj": "đ", "DJ": "Đ", "i": "ı", "j": "ȷ",
    "l": "ł", "L": "Ł", "ng": "ŋ", "NG": "Ŋ", "o": "ø", "O": "Ø", "oe": "œ", "OE": "Œ", "ss": "ß", "SS": "SS",
    "th": "þ", "TH": "Þ",
    "LaTeX": "LaTeX", "LaTeXe": "LaTeX2e", "TeX": "TeX", "BibTeX": "BibTeX", "XeTeX": "XeTeX",
    "S": "§", "P": "¶", "copyright": "©", "pounds": "£", "euro": "€", "EUR": "€", "textquotedbl": '"', "slash": "/",
    "quad": " ", "qquad": " ", "space": " ", "newline": " ", "linebreak": " ", "par": " ", "break": " ",
    "sqrt": "√", "lbrace": "{", "rbrace": "}", "backslash": "\\", "lq": "‘", "rq": "’", "star": "*", "ast": "*",
    "mid": "|", "colon": ":", "bullet": "•", "textunderscore": "_", "textasciitilde": "~", "textless": "<",
    "textgreater": ">", "textbar": "|", "textbackslash": "\\", "textasciicircum": "^", "degree": "°",
}  # fmt: skip
_SIGNS = dict.fromkeys(" \n\t\r,;:\\>", " ") | dict.fromkeys("-/!@*+()[]", "")
"""Commands of one sign that are not accents: spacing becomes a blank, the rest prints nothing."""
_COMBINING = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307",
    "H": "\u030b", "c": "\u0327", "k": "\u0328", "u": "\u0306", "v": "\u030c", "r": "\u030a", "b": "\u0331",
    "d": "\u0323", "t": "\u0361", "hat": "\u0302", "widehat": "\u0302", "tilde": "\u0303", "widetilde": "\u0303",
    "bar": "\u0304", "dot": "\u0307", "ddot": "\u0308", "vec": "\u20d7", "acute": "\u0301", "grave": "\u0300",
    "check": "\u030c", "breve": "\u0306", "mathring": "\u030a",
}  # fmt: skip
_STANDALONE = {"'": "'", "`": "`", "^": "^", '"': '"', "~": "~"}
_DROP_ARGUMENT = frozenset((
    "href", "hyperlink", "hypertarget", "textcolor", "color", "colorbox", "fcolorbox", "footnote", "footnotemark",
    "footnotetext", "thanks", "label", "cite", "citep", "citet", "noopsort", "SortNoop", "vspace", "hspace", "begin", "end",
    "fontsize", "selectlanguage", "foreignlanguage", "hyphenation", "index", "phantom", "hphantom", "raisebox", "scalebox",
    "rotatebox", "resizebox", "parbox",
))  # fmt: skip
_DROP_NEXT = {"texorpdfstring": "phantom", "fcolorbox": "colorbox", "resizebox": "scalebox"}
"""Commands that drop an argument after the first, and the command that makes them drop it."""
_VERBATIM = frozenset(("url", "path", "nolinkurl", "burl"))
_AROUND = {"enquote": ("“", "”"), "mkbibquote": ("“", "”"), "frac": ("", "/"), "dfrac": ("", "/"), "tfrac": ("", "/")}

_TAKING_AN_ARGUMENT = frozenset((*_COMBINING, *_DROP_ARGUMENT, *_AROUND, "ensuremath", "texorpdfstring"))

_MOST_STACKED = 8
"""Accents on one letter; no writing system needs more, and a long run of them would take quadratic time."""

_ESCAPED = lazy_pattern(
    r"\\(?:url|path|nolinkurl)\s*(?=\{)"
    r"|\\(?P<word>textunderscore|textasciitilde|textless|textgreater|textbar|slash|sim)(?![A-Za-z])\s?"
    r"|\\(?P<sign>[_%&#$~^{}\-/])(?:\{\})?"
    r"|[{}]|\$(?=\s*\\sim)|(?<=\\sim)\$"
)


def decode(text: str) -> str:
    r"""Turn LaTeX markup into readable text in Unicode normalisation form C.

    Accents and special letters are composed, dashes and quotation marks converted, ``~`` becomes a blank, formatting
    commands vanish and leave their arguments, ``\url{...}`` and bare URLs stay as they are, formulas are written with
    plain characters (``H$_2$O`` gives ``H2O``). Unbalanced braces and cut-off commands are tolerated. Never raises;
    text without markup comes back unchanged, save for the normalisation form.
    """
    if _MARKUP.search(text) is None:
        return text if text.isascii() else normalize("NFC", text)
    if _MARKUP_BEYOND_BRACES.search(text) is None:
        return normalize("NFC", text.replace("{", "").replace("}", ""))
    return _translate(text) if len(text) > 2000 else _translate_cached(text)


def unescape(text: str) -> str:
    r"""Undo what LaTeX makes people write in identifiers, URLs and page ranges: ``\_ \% \& \# \~{}`` and braces.

    Nothing else is touched, so that ``--`` or ``%20`` stay as they are. Never raises.
    """
    if not ("\\" in text or "{" in text or "}" in text):
        return text
    return _ESCAPED.sub(_plain_escape, text)


def _plain_escape(match: re.Match[str]) -> str:
    word, sign = match["word"], match["sign"]
    if word:
        return "~" if word == "sim" else _LETTERS[word]
    return "" if sign is None or sign in "-/" else sign


def _symbol(word: str) -> str | None:
    """The plain text of a command without arguments; None if it is none that is known."""
    known = _LETTERS.get(word)
    return known if known is not None else _library_symbol(word)


@lru_cache(maxsize=1024)
def _library_symbol(word: str) -> str | None:
    from pylatexenc.latex2text import get_default_latex_context_db  # noqa: PLC0415  (half of all files need none)

    spec = get_default_latex_context_db().get_macro_spec(word)
    replacement = getattr(spec, "simplify_repl", None)
    return replacement if isinstance(replacement, str) and "%" not in replacement else None


def _apply(commands: list[str], content: str) -> str:
    """Apply the commands, the innermost (last) one first, to their argument."""
    for command in reversed(commands):
        if command in _DROP_ARGUMENT:
            content = ""
        elif command in _AROUND:
            before, after = _AROUND[command]
            content = before + content + after
        elif command == "texorpdfstring":
            continue  # its first argument is what is set in print
        elif command == "ensuremath":
            content = content.replace("_", "").replace("^", "")
        else:
            content = _accented(command, content)
    return content


def _accented(command: str, content: str) -> str:
    body = content.lstrip()
    if not body:
        return _STANDALONE.get(command, "") + content
    marks = 1
    while marks < min(len(body), _MOST_STACKED) and combining(body[marks]):
        marks += 1
    letter = {"ı": "i", "ȷ": "j"}.get(body[0], body[0]) + body[1:marks]
    if command == "." and letter == "i":
        return "i" + body[1:]
    accented = letter + _COMBINING[command]
    if command == '"' and len(normalize("NFC", accented)) > 1:
        return '"' + content  # an escaped quotation mark, as in JSON, not a diaeresis
    return accented + body[marks:]


@lru_cache(maxsize=8192)
def _translate_cached(text: str) -> str:
    return _translate(text)


def _translate(text: str) -> str:
    if "^" in text and "_" in text:
        text = _SCRIPTS.sub(r"_\2^\1", text)
    text = _FOOTNOTE.sub(lambda mark: (mark[1] or mark[2]).translate(_RAISED), text)
    out = _Output()
    position = 0
    while match := _TOKEN.search(text, position):
        if match.start() > position:
            out.text(text[position : match.start()])
        position = match.end()
        kind = match.lastgroup
        if kind == "ligature":
            out.text(match[0] if out.math else _LIGATURES[match[0]])
        elif kind == "url":
            out.verbatim(match[0])
        elif kind == "mark":
            out.mark(match[0], text, position)
        elif kind == "sign":
            out.sign(match["sign"])
        else:
            position = out.word(match["word"], match["gap"], text, position)
    out.text(text[position:].removesuffix("\\"))
    return normalize("NFC", out.finish())


class _Output:
    """Collects the readable text; open groups stand on an explicit stack, so nesting cannot exhaust Python's."""

    def __init__(self) -> None:
        self.math = False
        self._pieces: list[str] = []
        self._pending: list[str] = []
        self._groups: list[tuple[int, list[str]]] = []

    def text(self, piece: str) -> None:
        if self.math:
            piece = piece.replace("_", "").replace("^", "")
        if not self._pending:
            self._pieces.append(piece)
            return
        if not (body := piece.lstrip()):
            return
        head = piece[: len(piece) - len(body) + 1]
        commands, self._pending = self._pending, []
        self._pieces += (_apply(commands, head), body[1:])

    def verbatim(self, piece: str) -> None:
        self._pending.clear()
        self._pieces.append(piece)

    def symbol(self, piece: str) -> None:
        commands, self._pending = self._pending, []
        self._pieces.append(_apply(commands, piece) if commands else piece)

    def sign(self, sign: str) -> None:
        if sign in _COMBINING and not sign.isalpha():
            self._await_argument(sign)
        elif sign in "()":
            self.math = sign == "("
        else:
            self.symbol(_SIGNS.get(sign, sign))

    def mark(self, mark: str, text: str, position: int) -> None:
        if mark == "{":
            self._groups.append((len(self._pieces), self._pending))
            self._pending = []
        elif mark == "}":
            self._close()
        elif mark == "~":
            # people/~name in a URL that is not marked up as one
            self.text("~" if text[max(position - 2, 0) : position - 1] == "/" else " ")
        elif self.math:
            self.math = False
        elif _opens_formula(text, position):
            self.math = True
        else:
            self.text(mark)

    def word(self, word: str, gap: str, text: str, position: int) -> int:
        """Take in a command that is spelt with letters; returns where reading goes on."""
        if word in _VERBATIM and (argument := _VERBATIM_ARGUMENT.match(text, position)):
            self.verbatim(unescape(argument[1]))
            return argument.end()
        if optional := _OPTIONAL.match(text, position):
            position = optional.end()
        if word in _TAKING_AN_ARGUMENT:
            self._await_argument(word)
        elif (symbol := _symbol(word)) is not None:
            self.symbol(symbol + " " if gap and self.math else symbol)
        elif gap and self.math:
            self._pieces.append(" ")
        elif word[0] in "ij" and self._pending and self._pending[-1] in _COMBINING:
            self.symbol(_LETTERS[word[0]])  # "Mat\\'\\ias": a dotless letter without the blank after it
            self._pieces.append(word[1:] + gap)
        return position

    def _await_argument(self, command: str) -> None:
        if len(self._pending) < _MOST_STACKED:
            self._pending.append(command)

    def _close(self) -> None:
        self._flush()
        if not self._groups:
            return
        start, commands = self._groups.pop()
        if commands:
            content = "".join(self._pieces[start:])
            del self._pieces[start:]
            self._pieces.append(_apply(commands, content))
            for command in commands:
                if command in _DROP_NEXT:
                    self._await_argument(_DROP_NEXT[command])

    def _flush(self) -> None:
        if self._pending:
            commands, self._pending = self._pending, []
            self._pieces.append(_apply(commands, ""))

    def finish(self) -> str:
        self._flush()
        while self._groups:
            self._close()
        return "".join(self._pieces)


def _opens_formula(text: str, position: int) -> bool:
    """Whether the dollar sign before ``position`` opens a formula and is not a price.

    Pandoc's rule (Pandoc User's Guide, extension ``tex_math_dollars``): a partner must follow, and must not stand
    before a digit; a blank before it makes the pair prices, if the first dollar sign stands before a digit.
    """
    closing = text.find("$", position)
    while closing > 0 and text[closing - 1] == "\\":
        closing = text.find("$", closing + 1)
    if closing < 0 or text[closing + 1 : closing + 2].isdigit():
        return False
    return not (text[position].isdigit() and text[closing - 1].isspace())
