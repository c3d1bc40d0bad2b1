"""Normalisation of text for comparison: remove markup, fold characters, split words.

Folding follows Unicode Standard Annex #15 (NFKD) and the case folding of the Unicode Standard, section 3.13, with two
deliberate departures. Only the combining marks of alphabetic scripts are dropped, because in Indic scripts and in
Japanese they are letters of their own; and letters without a decomposition (``ø``, ``ł``, ``ß``) are mapped by hand.
"""

from __future__ import annotations

import html
import re
import unicodedata
from functools import lru_cache
from importlib.resources import files
from typing import Any, AnyStr, Generic, cast
from unicodedata import combining, normalize


def data_file(name: str) -> str:
    """Return the text of a data file of this room."""
    return files("pytest_citecheck.matching").joinpath("data", name).read_text(encoding="utf-8")


MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
"""The first three letters of each month."""

BLANKS = r"(?<!\s)\s++"
r"""``\s+`` at the start of a pattern."""

MAYBE_BLANKS = rf"(?:{BLANKS})?"
r"""``\s*`` at the start of a pattern."""


MOST_AUTHORS = 20_000
"""People in one list: four times the longest."""

MOST_STATED = 1_000
"""Maximum number of venues, years, other titles, numbers and notices of one work: services have some ten at most."""

PEOPLE = frozenset({"author", "editor", "translator"})
"""Fields that list people, which are read as written."""

_LIMITS = {"compared": 5_000, "people": 400_000, "other": 1_000_000}
"""Characters of a field that is compared, of a list of people, and of abstracts, notes and unknown fields. Some people put a
whole citation, or the addresses of all copies, into a field for an identifier."""
_COMPARED = frozenset((
    "title", "subtitle", "titleaddon", "maintitle", "shorttitle", "other_titles",
    "journal", "journaltitle", "journalsubtitle", "shortjournal", "booktitle", "booksubtitle", "series", "eventtitle",
    "issuetitle", "school", "institution", "organization", "publisher", "howpublished", "venues", "venue",
    "literal", "family", "given", "particle", "suffix",
    "doi", "url", "eprint", "arxivid", "arxiv", "isbn", "issn", "pmid", "pmcid", "pages", "eid", "year", "date", "month",
    "volume", "number", "issue", "archiveprefix", "primaryclass", "eprinttype", "eprintclass", "edition", "version",
    "source", "id", "agency", "type",
))  # fmt: skip


def longest(name: str) -> int:
    """Maximum number of characters in a field with this name, of a reference (``booktitle``) or a record (``venues``)."""
    people = name in PEOPLE or name in ("authors", "editors")
    return _LIMITS["people" if people else "compared" if name in _COMPARED else "other"]


def longest_written(name: str) -> int:
    """The same limit for the field as written: markup, macros and braces can be many times longer than their text."""
    return longest(name) if name in PEOPLE else _LIMITS["other"]


class LazyPattern(Generic[AnyStr]):
    """Proxy of a compiled pattern. The pattern is compiled when the first of its methods is read."""

    def __init__(self, text: AnyStr, flags: int) -> None:
        self._source: tuple[AnyStr, int] = text, flags

    @property
    def pattern(self) -> AnyStr:
        """The text of the pattern, which need not be compiled for it."""
        return self._source[0]

    def compiled(self) -> re.Pattern[AnyStr]:
        """The pattern itself."""
        return re.compile(*self._source)

    def __getattr__(self, name: str) -> Any:
        found = self.__dict__[name] = getattr(self.compiled(), name)  # next time, the method is found at once
        return found


def lazy_pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return the pattern, compiled when it is first used. Use ``re.compile`` if ``re`` itself receives the pattern."""
    return cast("re.Pattern[AnyStr]", LazyPattern(text, flags))


_LATEX_MARKUP = lazy_pattern(r"[\\{}$~]|--|``|''|[?!]`")
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
_VERBATIM_ARGUMENT = lazy_pattern(r"(?<!\s)\s*+\{([^{}]*+(?:\{[^{}]*+\}[^{}]*+)*+)\}")

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
    "textgreater": ">", "textbar": "|", "textbackslash": "\\", "textendash": "–", "textasciicircum": "^", "degree": "°",
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
    r"|\\(?P<word>textunderscore|textasciitilde|textless|textgreater|textbar|textbackslash|textendash|slash|sim)(?![A-Za-z])\s?"
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
    if _LATEX_MARKUP.search(text) is None:
        return text if text.isascii() else normalize("NFC", text)
    if _MARKUP_BEYOND_BRACES.search(text) is None:
        return normalize("NFC", text.replace("{", "").replace("}", ""))
    return _translate(text) if len(text) > 2000 else _translate_cached(text)


def unescape(text: str) -> str:
    r"""Undo LaTeX escapes in identifiers, URLs and page ranges: ``\_ \% \& \# \~{}`` and braces.

    Other text such as ``--`` or ``%20`` is unchanged. Never raises.
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
    """Plain text of a command without arguments; None if the command is unknown."""
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
            continue  # its first argument is the printed text
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
    """Collects the readable text; open groups are kept on an explicit stack, so nesting cannot exhaust Python's."""

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
        """Read a command spelt with letters; return the position after it."""
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
    """Return True if the dollar sign before ``position`` opens a formula and is not a price.

    Pandoc's rule (Pandoc User's Guide, extension ``tex_math_dollars``): a partner must follow, and must not precede a
    digit. If the first dollar sign precedes a digit, a blank before its partner makes the pair prices.
    """
    closing = text.find("$", position)
    while closing > 0 and text[closing - 1] == "\\":
        closing = text.find("$", closing + 1)
    if closing < 0 or text[closing + 1 : closing + 2].isdigit():
        return False
    return not (text[position].isdigit() and text[closing - 1].isspace())


_MARKUP = lazy_pattern(r"[<&\\{}$_^]")
_LATEX = lazy_pattern(r"[\\{}]|\$[^$]*\$")
_LATEX_LEFTOVERS = lazy_pattern(r"[\\{}$]")
_ENTITY = lazy_pattern(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")

# Only tags that publishers put into titles: "x<y and z>w" is mathematics, not markup.
_TAG_NAMES = (
    r"(?:(?:mml|jats|m|xhtml):[a-z][\w-]*|a|abbr|alternatives|annotation(?:-xml)?|b|bdi|big|bold|br|break|div|em|"
    r"fn|font|h[1-6]|i|inf|inline-formula|italic|math|m(?:action|frac|fenced|i|n|o|over|padded|phantom|root|row|"
    r"s|space|sqrt|style|sub|subsup|sup|table|td|text|tr|under|underover|multiscripts|prescripts)|monospace|"
    r"named-content|nobr|overline|p|q|roman|sans-serif|sc|scp|sec|semantics|small|span|strike|strong|styled-content|su[bp]|"
    r"tex-math|title|tt|u|underline|xref)"
)
_TAG = lazy_pattern(rf"<(/?)({_TAG_NAMES})(?:\s[^<>]*)?/?>", re.IGNORECASE)
_BLOCK_TAGS = frozenset({"br", "break", "div", "p", "sec", "title", "jats:p", "jats:title", "jats:sec", "jats:break"})
_TEX_TWIN = lazy_pattern(
    r"<((?:mml:|jats:)?(?:tex-math|annotation(?:-xml)?))(?=[\s/>])[^<>]*+>[^<]*+(?:<(?!/?\1[\s/>])[^<]*+)*+</\1>",
    re.IGNORECASE,
)
_MATHML = lazy_pattern(r"<(?:mml:)?math\b", re.IGNORECASE)

_INVISIBLE = lazy_pattern(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_MARKS = lazy_pattern(
    "[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640"
    "\u0610-\u061a\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
)

_BEFORE_DECOMPOSITION = str.maketrans(
    dict.fromkeys("‘’‚‛′‵ʹʻʼʽˈ`´＇", "'")
    | dict.fromkeys("“”„‟«»‹›″‶＂", '"')
    | dict.fromkeys("‐‑‒–—―−⁃⸺⸻﹘﹣－⁓〜～", "-")
    | dict.fromkeys("™®©℠℗¨¯¸˜ˆ˚˙˝˛ˇ˘", "")
    | dict.fromkeys("·∙⋅•…", " ")
    | dict.fromkeys("≤⩽", "<=")
    | dict.fromkeys("≥⩾", ">=")
    | dict.fromkeys("×✕⨯", "x")
    | dict.fromkeys("∗⋆★", "*")
    | {"≠": "!=", "♯": "#", "∞": "infinity", "√": "sqrt", "∃": "e", "∀": "a"}
)
_AFTER_DECOMPOSITION = str.maketrans("øłđðħŧĸƒıȷəſς\u2044\u2215", "olddhtkfijesσ//", "_^") | str.maketrans(
    {"þ": "th", "æ": "ae", "œ": "oe", "ŋ": "ng", "ɛ": "epsilon"}
)
GREEK = dict(
    zip(
        "αβγδεζηθικλμνξοπρστυφχψω",
        (
            "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda",
            "mu", "nu", "xi", "omicron", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega",
        ),
        strict=True,
    )
)  # fmt: skip
# Up to three letters are symbols (α, αβ, αβγ); longer runs are Greek words and are unchanged.
_GREEK_SYMBOLS = lazy_pattern(r"(?<![α-ω])[α-ω]{1,3}(?![α-ω])")

# Letters of other scripts that look like Latin ones, and so get into Latin words (Unicode Technical Standard #39, section 4,
# "Confusable Detection"; the table confusables.txt). Small Greek letters are symbols, but for the omicron.
_LATIN_LOOKALIKES = str.maketrans(
    "асеорхуіѕјһԁАВСЕНІЈКМОРЅТХУοΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aceopxyisjhdABCEHIJKMOPSTXYoABEZHIKMNOPTYX"
)
_LOOKALIKE = lazy_pattern("[асеорхуіѕјһԁАВСЕНІЈКМОРЅТХУοΑΒΕΖΗΙΚΜΝΟΡΤΥΧ]")
_RUN_OF_LETTERS = lazy_pattern(r"[^\W\d_]+")
_LATIN = lazy_pattern("[A-Za-z]")
_OTHER_SCRIPT = lazy_pattern("[^A-Za-z\u00c0-\u024f\u1e00-\u1eff]")

_THOUSANDS = lazy_pattern(r"(?<=\d),\s?(?=\d{3}(?!\d))")
_DEGREES = lazy_pattern(r"(?<=\d)(?:deg\b|∘)")
CJK = "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Chinese characters and Japanese kana, as ranges for a regular expression; each is one word."""

# Python's \w omits the vowel signs of Indic and South-East Asian scripts, which are letters of their words.
_LETTER = "(?:[^\\W_" + CJK + "]|[\u0900-\u0963\u0966-\u109f\u1780-\u17ff])"
_WORD = lazy_pattern(
    rf"\d+(?:\.\d+)+{_LETTER}*|{_LETTER}+[+#*]*|[{CJK}]|!=|<=|>=|[&%+#*=<>±÷\u2190-\u21ff\u2200-\u22ff]"
)
_ASCII_WORD = lazy_pattern(r"\d+(?:\.\d+)+[a-z0-9]*|[a-z0-9]+[+#*]*|!=|<=|>=|[&%+#*=<>]")
_WORD_OF_SYMBOL = {"&": "and", "%": "percent"}


@lru_cache(maxsize=8192)
def _stripped(text: str) -> str:
    if _LATEX.search(text):
        text = decode(text)
    before = ""
    while before != text:  # "&amp;lt;i&amp;gt;" does occur
        before = text
        text = _ENTITY.sub(_character, text)
        if "<" in text:
            if _MATHML.search(text):
                text = _TEX_TWIN.sub("", text)
            text = _TAG.sub(_space_for_block, text)
    text = _LATEX_LEFTOVERS.sub("", text)
    return " ".join(_INVISIBLE.sub("", text).split())


def _character(match: re.Match[str]) -> str:
    return html.unescape(match.group())


def _space_for_block(match: re.Match[str]) -> str:
    return " " if match.group(2).lower() in _BLOCK_TAGS else ""


def without_latex_and_markup(text: str) -> str:
    """Remove LaTeX, markup tags, entities and invisible characters; keep spelling and case.

    Recognised tags: the JATS, MathML and HTML vocabularies that Crossref accepts in titles ("Face markup" in its
    metadata documentation). White space is collapsed. An empty or missing text gives an empty one. Never raises.
    """
    if not text:
        return ""
    if text.isascii() and not _MARKUP.search(text):
        return " ".join(text.split())
    return _stripped(text)


@lru_cache(maxsize=8192)
def _fold(text: str) -> str:
    before = ""
    while before != text:  # compatibility characters can spell out new markup, as full-width "＜i＞" does
        before = text
        text = _stripped(text).translate(_BEFORE_DECOMPOSITION)
        if not text.isascii():
            text = _RUN_OF_LETTERS.sub(_in_latin, text) if _LOOKALIKE.search(text) else text
            text = unicodedata.normalize("NFKD", text.casefold())
            # The standard requires folding twice: the decomposition of a mathematical capital is a capital.
            text = _MARKS.sub("", unicodedata.normalize("NFKD", text.casefold()))
            text = text.translate(_AFTER_DECOMPOSITION)
            text = _GREEK_SYMBOLS.sub(lambda run: "".join(GREEK[letter] for letter in run.group()), text)
            text = unicodedata.normalize("NFC", text)
        else:
            text = text.lower().replace("_", "").replace("^", "")
        text = " ".join(text.split())
    return text


def _in_latin(match: re.Match[str]) -> str:
    """A Latin word with all its letters in Latin script; any other word unchanged."""
    word = match[0]
    if not _LATIN.search(word):
        return word
    latin = word.translate(_LATIN_LOOKALIKES)
    return word if _OTHER_SCRIPT.search(latin) else latin


def fold(text: str) -> str:
    """``text`` without its differences of case, accent, width, ligature, quotation mark, dash, script style
    and markup.

    A letter of another script that looks like a Latin one becomes that one in a word that is Latin otherwise.
    Greek letters used as symbols become their names, sub- and superscript digits plain digits. Idempotent.
    """
    if not text:
        return ""
    if text.isascii() and not _MARKUP.search(text) and "`" not in text:
        return " ".join(text.lower().split())
    return _fold(text)


def words(text: str) -> tuple[str, ...]:
    """Folded words of ``text`` in order.

    Digits, decimal points and the symbols that distinguish names (``c++``, ``c#``, ``a*``) are kept, "&" and "%" are
    words, all other punctuation separates. Each Chinese or Japanese character is one word. Apostrophes vanish inside
    words.
    """
    folded = fold(text).replace("'", "")
    if "," in folded:
        folded = _THOUSANDS.sub("", folded)
    if "deg" in folded or "∘" in folded:
        folded = _DEGREES.sub("", folded)  # "360deg", as proceedings without "°" have it; 360$^\circ$
    found = _ASCII_WORD.findall(folded) if folded.isascii() else _WORD.findall(folded)
    if "&" in folded or "%" in folded:
        found = [_WORD_OF_SYMBOL.get(word, word) for word in found]
    return tuple(found)
