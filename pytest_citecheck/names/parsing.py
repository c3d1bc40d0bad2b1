"""One name, taken apart.

The split follows BibTeX (Oren Patashnik, "BibTeXing", 1988, section 4) with the additions that bibliographic
databases make necessary: DBLP's homonym numbers, PubMed's glued initials, family-first names, damaged
encodings.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from pytest_citecheck.names.east_asian import is_asian_surname, is_native_script, split_native
from pytest_citecheck.names.groups import looks_like_group
from pytest_citecheck.text.blanks import BLANKS, MAYBE_BLANKS
from pytest_citecheck.text.normal_form import fold
from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.thresholds import CAPITAL_INITIALS, REPEATED_NAME_LETTERS

if TYPE_CHECKING:
    from pytest_citecheck.model import Person

__all__ = [
    "PARTICLES",
    "Name",
    "is_initials",
    "is_suffix",
    "letters",
    "parse",
    "parse_literal",
    "strip_homonym_number",
    "trailing_particles",
]

_HOMONYM = lazy_pattern(BLANKS + r"\d{4}$")
_MOJIBAKE = lazy_pattern(r"[ÃÂÄÅÐ][\u0080-\u00bf\u0152-\u0178\u02c6\u2013-\u203a\u20ac\u2122]")
_BRACKETED = lazy_pattern(MAYBE_BLANKS + r"[(\[][^()\[\]]*[)\]]")
_OTHER_NAME = lazy_pattern(r"[(\[]\s*([^\W\d_]+(?:[ -][^\W\d_]+)?)\s*[)\]]")
_NOT_LETTER = lazy_pattern(r"[\W_]+")
_WORD = lazy_pattern(r"[^\W_]+")
_INITIALS = lazy_pattern(r"(?:[^\W\d_]\.?-?){1,3}")
_REFERENCE_MARK = lazy_pattern(r"(?<=[^\W\d_])[\d⁰¹²³⁴⁵⁶⁷⁸⁹]+(?:,\d+)*(?!\w)")
_DIGIT = lazy_pattern(r"[\d⁰¹²³⁴⁵⁶⁷⁸⁹]")
_APOSTROPHES = "'’‘`´"
_SUFFIXES = frozenset({"jr", "sr", "ii", "iii", "iv", "2nd", "3rd", "phd", "md", "esq"})
_ELIDED = lazy_pattern(r"[^\W\d_]{1,4}['’‘`´]")
_PARTICLE_LIST = """
af al aus'm ben bin da das de degli dei del della den der des di do dos du el ibn in la las le lo los of op
ter ten 't van vande vanden vander vom von y zu zum zur
"""
PARTICLES = frozenset(_PARTICLE_LIST.split())


@dataclass(frozen=True, slots=True)
class Name:
    """A name taken apart.

    ``family``, ``given``, ``particles`` and ``suffix`` keep the spelling; for a group ``family`` is the whole
    name. The ``_key`` fields are folded to letters and digits: ``family_key`` without and ``full_key`` with
    the particles. ``family_words`` are the folded words of the family name without particles, ``given_keys``
    the folded given names, hyphenated names and glued initials split; ``other_given_keys`` are those of a given
    name that stands in parentheses (``I (Eli) Chien``).
    """

    family: str
    given: tuple[str, ...] = ()
    particles: str = ""
    suffix: str = ""
    group: bool = False
    family_key: str = ""
    full_key: str = ""
    family_words: tuple[str, ...] = ()
    given_keys: tuple[str, ...] = ()
    all_words: tuple[str, ...] = ()
    other_given_keys: tuple[str, ...] = ()

    @property
    def only_initials(self) -> bool:
        """Whether the name consists of two or more letters and nothing else: "S. B. B."."""
        return len(self.all_words) > 1 and max(map(len, self.all_words)) == 1


def strip_homonym_number(name: str) -> str:
    """``name`` without the four digits by which DBLP tells namesakes apart ("Wei Wang 0001")."""
    return _HOMONYM.sub("", name) if name[-1:].isdigit() else name


def is_suffix(token: str) -> bool:
    """Whether ``token`` is a generational or academic suffix such as "Jr." or "III"."""
    return token.strip(" .").lower().replace(".", "") in _SUFFIXES


@lru_cache(maxsize=65536)
def parse(person: Person) -> Name:
    """The name of ``person`` taken apart; never raises. An empty person gives an empty name."""
    name = _parsed(person)
    in_brackets = _OTHER_NAME.search(person.literal or person.given)
    if name.group or not in_brackets or in_brackets[1].isupper():
        return name
    return replace(name, other_given_keys=tuple(_WORD.findall(fold(in_brackets[1]))))


def _parsed(person: Person) -> Name:
    literal = _clean(person.literal)
    if person.group:
        return _group(literal or _clean(str(person)))
    if person.family and person.given:
        family, suffix = _without_suffix(_unmarked(_clean(person.family)).replace(",", " "))
        given, given_suffix = _without_suffix(_unmarked(_clean(person.given)).replace(",", " "))
        return _name(given.split(), person.particle.split(), family.split(), person.suffix or suffix or given_suffix)
    whole = literal or _clean(str(person))
    return _group(whole) if looks_like_group(whole) else parse_literal(_unmarked(whole), person.suffix)


def _unmarked(name: str) -> str:
    """A person's name without the digits that point from it to an affiliation: "He¹", "He1,2"."""
    return _REFERENCE_MARK.sub("", name) if _DIGIT.search(name) else name


def _clean(text: str) -> str:
    if not text:
        return ""
    if not text.isascii() and _MOJIBAKE.search(text):
        text = _repaired(text)
    if "(" in text or "[" in text:
        text = _BRACKETED.sub("", text) or text
    return strip_homonym_number(" ".join(text.split()))


def _repaired(text: str) -> str:
    """UTF-8 that was read as Windows-1252 or Latin-1, read again; other text unchanged."""
    for encoding in ("cp1252", "latin-1"):
        try:
            return text.encode(encoding).decode("utf-8")
        except UnicodeError:
            continue
    return text


def letters(folded: str) -> str:
    return folded if folded.isalnum() else _NOT_LETTER.sub("", folded)


def _group(text: str) -> Name:
    folded = fold(text)
    key = letters(folded)
    return Name(family=text, group=True, family_key=key, full_key=key, family_words=tuple(_WORD.findall(folded)))


def _name(given: list[str], particles: list[str], family: list[str], suffix: str) -> Name:
    lettered = _with_letters(given), _with_letters(family)
    if any(lettered):
        given, family = lettered
    if not family:  # "Mausam ."
        given, family = given[:-1], given[-1:]
    while len(family) > 1 and family[0][0].islower():
        particles = [*particles, family[0]]
        family = family[1:]
    while len(given) > 1 and given[-1] in PARTICLES:
        particles = [given[-1], *particles]
        given = given[:-1]
    if given and _ELIDED.fullmatch(given[-1]):  # "James O' Neill"
        family = [given[-1] + family[0], *family[1:]]
        given = given[:-1]
    family_text = " ".join(family)
    folded = fold(family_text)
    words = tuple(_WORD.findall(folded.replace("'", "")))
    key = letters(folded)
    shouting = family_text.isupper() and len(key) > 1
    keys = tuple(part for token in given for part in _given_parts(token, shouting))
    if len(key) >= REPEATED_NAME_LETTERS and "".join(keys) == key and not is_asian_surname(key):
        given, keys = [], ()  # the only name of a person, in both fields of a form that insists on two
    particle_words = _WORD.findall(fold(" ".join(particles)).replace("'", "")) if particles else []
    return Name(
        family=family_text,
        given=tuple(given),
        particles=" ".join(particles),
        suffix=suffix,
        family_key=key,
        full_key="".join(particle_words) + key,
        family_words=words,
        given_keys=keys,
        all_words=tuple(sorted((*keys, *particle_words, *words))),
    )


def _with_letters(tokens: list[str]) -> list[str]:
    """The tokens that hold a letter or digit."""
    return [token for token in tokens if token.isalnum() or _WORD.search(token)]


def _given_parts(token: str, shouting: bool) -> list[str]:
    """The folded names in one given-name token: Jean-Pierre, J.-P., JP, J-PM (initials unless the whole name is
    upper case).
    """
    bare = token.replace("-", "")
    glued = not shouting and 1 < len(bare) <= CAPITAL_INITIALS and bare.isalpha() and bare.isupper()
    if glued and not is_native_script(token):
        return list(fold(bare))
    if token.isascii() and token.isalpha():
        return [token.lower()]
    if len(token.rstrip(".")) == 1 and len(fold(token)) > 2:
        return [token[0].casefold()]  # a Greek letter, which stands for its name in a title
    if token[-1] == "." and token.count(".") == 1 and 2 < len(token) <= 1 + CAPITAL_INITIALS and token[:-1].isalpha():
        return list(fold(token[:-1])) if token.isupper() and not shouting else [fold(token)]
    return _WORD.findall(fold(token).replace("'", ""))


def _without_suffix(text: str) -> tuple[str, str]:
    head, _, last = text.rpartition(" ")
    return (head.strip(), last) if head and is_suffix(last) else (text.strip(), "")


def parse_literal(text: str, suffix: str) -> Name:
    if "," in text:
        return _parse_with_comma([part.strip() for part in text.split(",")], suffix)
    tokens = _with_letters(text.split()) or text.split()
    if not tokens:
        return Name(family="")
    if len(tokens) > 2 and is_suffix(tokens[-1]):
        suffix = suffix or tokens.pop()
    if is_native_script(text):
        return _parse_native(tokens, suffix)
    if len(tokens) == 1:
        return _name([], [], tokens, suffix)
    tokens, particles = trailing_particles(tokens)
    if _is_family_first(tokens, text.isupper()):
        cut = next(i for i in range(1, len(tokens)) if is_initials(tokens[i]))
        initials = [token.rstrip(_APOSTROPHES) for token in tokens[cut:]]
        return _name(initials, particles, tokens[:cut], suffix)
    return _parse_given_first([*tokens, *particles], suffix)


def is_initials(token: str) -> bool:
    """Whether a word is one to three initials, as PubMed writes them: "JA", "Ł", "M'"."""
    bare = token.rstrip(_APOSTROPHES)
    return bare.isupper() and _INITIALS.fullmatch(bare) is not None


def trailing_particles(tokens: list[str]) -> tuple[list[str], list[str]]:
    """The words of a name, and the particles that follow its initials: "Luxburg U von"."""
    end = len(tokens)
    while end > 2 and tokens[end - 1] in PARTICLES:
        end -= 1
    return (tokens[:end], tokens[end:]) if is_initials(tokens[end - 1]) else (tokens, [])


def _parse_with_comma(parts: list[str], suffix: str) -> Name:
    if len(parts) > 1 and is_suffix(parts[1]):
        if len(parts) == 2:
            return parse_literal(parts[0], parts[1])
        return _name(" ".join(parts[2:]).split(), [], parts[0].split(), parts[1])
    if len(parts) > 2 and is_suffix(parts[-1]):
        suffix = suffix or parts.pop()
    given, given_suffix = _without_suffix(" ".join(parts[1:]))
    family, family_suffix = _without_suffix(parts[0])
    if not family:
        return parse_literal(given, suffix) if given else Name(family="")
    return _name(given.split(), [], family.split(), suffix or given_suffix or family_suffix)


def _parse_native(tokens: list[str], suffix: str) -> Name:
    if len(tokens) == 1:
        family, given = split_native(tokens[0])
        return _name([given] if given else [], [], [family], suffix)
    if len(tokens[-1]) == 1 < len(tokens[0]):
        return _name(tokens[:-1], [], tokens[-1:], suffix)
    return _name(tokens[1:], [], tokens[:1], suffix)


def _is_family_first(tokens: list[str], shouting: bool) -> bool:
    """Whether the name is written as in PubMed, family name then initials ("van den Oord A", "Smith JA")."""
    last = tokens[-1]
    if not is_initials(last) or _is_initial(tokens[0]):
        return False
    return not shouting or len(last.replace(".", "")) < CAPITAL_INITIALS


def _is_initial(token: str) -> bool:
    return len(token.replace(".", "").replace("-", "")) == 1 or (token[-1] == "." and len(token) <= CAPITAL_INITIALS)


def _parse_given_first(tokens: list[str], suffix: str) -> Name:
    """First von Last: the von part runs from the first to the last lower-case token before the last token."""
    lower = [index for index, token in enumerate(tokens[:-1]) if token[0].islower()]
    if not lower or all(token[0].islower() for token in tokens):
        return _name(tokens[:-1], [], tokens[-1:], suffix)
    first, last = lower[0], lower[-1] + 1
    return _name(tokens[:first], tokens[first:last], tokens[last:], suffix)
