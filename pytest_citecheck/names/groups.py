"""Authors that are no persons: collaborations, consortia, companies, institutions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.names.east_asian import is_asian_surname
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_citecheck.model import Person

__all__ = ["is_collective", "looks_like_group", "may_be_group", "same_group", "without_affiliations"]

_GROUP_WORD_LIST = """
collaboration collaborations consortium committee commission corporation organization organisation institut
institute institution instituto institutet university universities université universität universitat
association society foundation agency ministry department laboratory laboratories investigators initiative force
group team council panel bureau federation center centre academy authority
contributors developers company inc ltd llc gmbh project network
"""
_GROUP_WORDS = frozenset(_GROUP_WORD_LIST.split())
# Words of names by which companies and laboratories sign; some are surnames too, so they say it of a sole author only.
_COMPANY_WORD_LIST = """
agents alibaba amazon apple baidu brain bytedance cloud deepmind facebook google group huawei huggingface
hunyuan ibm intel intelligence intelligent kuaishou lab labs language learning llm meituan meta microsoft minimax mistral
model models moonshot nvidia openai org qwen research robotics salesforce samsung science security seed sensetime software
speech systems team tech technologies technology tencent vision xiaomi yandex zhipu
"""
_COMPANY_WORDS = frozenset(_COMPANY_WORD_LIST.split())
_INSTITUTION_WORD_LIST = """
university universities université universität universitat università universidad universidade institute institut instituto
institution college school faculty department ministry laboratory laboratories hospital academy polytechnic politecnico
corporation company inc ltd llc gmbh
"""
_INSTITUTION_WORDS = frozenset(_INSTITUTION_WORD_LIST.split())
_PERSON_WITH_CAPITALS = lazy_pattern(
    r"(?:Ma?c|De|Di|Du|La|Le|Van|Von|Fitz|O['’])[A-Z].*|[A-Z][a-z]+(?!AI|ML|NLP)[A-Z]{1,3}"
)
"""A surname with a prefix, or with its initials glued on ("McDonald", "SmithJA")."""
_IN_CAPITALS = frozenset({"AI", "ML", "NLP"})
_NOISE_LIST = """
the of for and on in collaboration collaborations consortium group team project et al inc ltd llc gmbh author
authors contributors developers working
"""
_NOISE = frozenset(_NOISE_LIST.split())
_WORD = lazy_pattern(r"[^\W_]+")


def looks_like_group(text: str) -> bool:
    """Whether an unsplit name can only be an organisation ("ATLAS Collaboration", "World Health
    Organization").
    """
    return " " in text and not _GROUP_WORDS.isdisjoint(_WORD.findall(text.lower()))


def may_be_group(text: str) -> bool:
    """Whether the name of a sole author may be that of a company or laboratory: one word ("Qwen"), or with a word that such
    names have ("Skywork AI", "Tencent Hunyuan").
    """
    words = _WORD.findall(text)
    if "," in text or not words:
        return False
    if len(words) == 1:
        return True
    return not (_COMPANY_WORDS | _GROUP_WORDS).isdisjoint(map(str.lower, words)) or not _IN_CAPITALS.isdisjoint(words)


def is_collective(text: str) -> bool:
    """Whether a name in a list of persons can only be that of a company or laboratory: one word with capitals inside ("OpenAI",
    "DeepSeek-AI") or in capitals ("NVIDIA"), or words that such names are made of ("Google DeepMind", "Skywork AI").
    """
    words = _WORD.findall(text)
    if "," in text or not words:
        return False
    if " " not in text.strip():
        capitals = sum(map(str.isupper, text))
        if text.isupper():
            return len(text) > 2 and text.isalpha() and not is_asian_surname(text.lower())
        return capitals > 1 and "." not in text and _PERSON_WITH_CAPITALS.fullmatch(text) is None
    if words[-1] in _IN_CAPITALS and not all(map(str.isupper, words)):
        return True
    return (_COMPANY_WORDS | _GROUP_WORDS).issuperset(map(str.lower, words))


def without_affiliations(people: Sequence[Person]) -> tuple[Person, ...]:
    """The list without the institutions that follow a person in it: they are that person's affiliation.

    An institution that comes first has written the work itself.
    """
    if not any(map(_is_institution, people[1:])):
        return tuple(people)
    first = next((place for place, one in enumerate(people) if not _is_institution(one)), len(people))
    return (*people[:first], *(one for one in people[first:] if not _is_institution(one)))


def _is_institution(person: Person) -> bool:
    name = str(person)
    return " " in name and not _INSTITUTION_WORDS.isdisjoint(_WORD.findall(name.lower()))


def same_group(first: str, second: str) -> bool:
    """Whether two folded names of organisations agree but for "The", "Collaboration" and the like, or an
    acronym.
    """
    a, b = _words(first), _words(second)
    if not a or not b:
        return False
    if a == b or "".join(a) == "".join(b):
        return True
    return _is_acronym(a, _content(second)) or _is_acronym(b, _content(first))


def _content(text: str) -> list[str]:
    return [word for word in _WORD.findall(text) if word not in {"the", "of", "for", "and", "on", "in", "de"}]


def _words(text: str) -> list[str]:
    every = _WORD.findall(text)
    return [word for word in every if word not in _NOISE] or every


def _is_acronym(short: list[str], words: list[str]) -> bool:
    """Whether ``short`` is one word made of the first letters of at least two words."""
    return len(short) == 1 and len(words) > 1 and short[0] == "".join(word[0] for word in words)
