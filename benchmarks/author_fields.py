r"""Measure how often the check of authors fails badly written but correct fields: `python -m benchmarks.author_fields [COUNT]`.

Takes COUNT records with two to twelve authors (default 3,000) from the folder in CITECHECK_SHARED. Writes each author field the
way people without BibTeX knowledge do: with commas, semicolons, ampersands or ``\and`` between the names, with broken LaTeX,
with affiliations, or with a collective. No author is missing or added. The table shows how many fields the check fails if two
sources have the correct record, and with which codes. In the last rows one author is really missing or added, in a correct
BibTeX field and in one of the other forms.
"""

from __future__ import annotations

import random
import re
import sys
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

from benchmarks.authors_mutated import MUTATIONS, Names, Stock, authors_finding, rows_of, stock
from pytest_citecheck.matching import is_suffix
from tests.conformance.rendering import Row

_FEWEST, _MOST = 2, 12
_SOURCES = ("dblp", "crossref")
_ACCENTS = {"\u0301": "'", "\u0300": "`", "\u0308": '"', "\u0302": "^", "\u0303": "~", "\u030c": "v", "\u0327": "c"}
_SHOWN = 3
_AMBIGUOUS = re.compile(r"[,;&'’\d:(){}@]|\band\b", re.IGNORECASE)

Way = Callable[[Sequence[str], random.Random], str]


def _inverted(name: str) -> str:
    given, family = name.rsplit(maxsplit=1)
    return f"{family}, {given}"


def _initials(name: str) -> str:
    *given, family = name.split()
    return " ".join([*(f"{word[0]}." for word in given), family])


def _broken(name: str, dice: random.Random) -> str:
    """The name with LaTeX for its accents, or for its first letter, that lacks a sign or has one too many."""
    plain = unicodedata.normalize("NFD", name)
    for place, letter in enumerate(plain):
        if letter in _ACCENTS and plain[place - 1].isalpha():
            accent, base, rest = _ACCENTS[letter], plain[place - 1], plain[place + 1 :]
            before, dotless = plain[: place - 1], f"\\{base}" if base == "i" else base
            forms = [
                f"{before}{{\\{accent}{{{base}}}{rest}",
                f"{before}\\{accent}{{{base}{rest}",
                f"{before}\\{accent}{dotless}{rest}",
                f"{before}\\\\{accent}{{{base}}}{rest}",
                f"{before}{{{accent}{base}}}{rest}" if not accent.isalpha() else f"{before}{{\\{accent} {base}{rest}",
                f"{before}\\{accent}{{{dotless}}}}}{rest}",
            ]
            return unicodedata.normalize("NFC", dice.choice(forms))
    forms = [
        f"{{{name}",
        f"{name}}}",
        f"{name}\\",
        f"\\textbf{{{name}",
        name.replace(" ", "\\ ", 1),
        f"{{{name[0]}}}{name[1:]}}}",
    ]
    return dice.choice(forms)


def _affiliated(name: str, dice: random.Random) -> str:
    forms = [
        f"{name}$^{{1}}$",
        f"{name}\\textsuperscript{{1,2}}",
        f"{name} (MIT)",
        f"{name}\\thanks{{University of Oslo}}",
        f"{name}*",
    ]
    return dice.choice(forms)


def _last(names: Sequence[str], between: str, last: str) -> str:
    return between.join(names[:-1]) + last + names[-1]


WRITTEN: dict[str, Way] = {
    "A, B, C, and D": lambda names, _: _last(names, ", ", ", and "),
    "A, B, C and D": lambda names, _: _last(names, ", ", " and "),
    "A, B, C, D": lambda names, _: ", ".join(names),
    "A, B & C": lambda names, _: _last(names, ", ", " & "),
    "A & B & C": lambda names, _: " \\& ".join(names),
    "A; B; C": lambda names, _: "; ".join(names),
    "Last, First; Last, First": lambda names, _: "; ".join(map(_inverted, names)),
    "Last, First, Last, First": lambda names, _: ", ".join(map(_inverted, names)),
    "Last, First, and Last, First": lambda names, _: _last([*map(_inverted, names)], ", ", ", and "),
    "F. Last, F. Last, and F. Last": lambda names, _: _last([*map(_initials, names)], ", ", ", and "),
    r"A \and B": lambda names, _: r" \and ".join(names),
    "A and B,": lambda names, _: " and ".join(f"{name}," for name in names),
    "A and and B": lambda names, _: _last(names, " and ", " and and "),
    "A\\\\and B": lambda names, _: _last(names, " and ", " \\\\ and "),
    "broken LaTeX": lambda names, dice: " and ".join(
        _broken(name, dice) if dice.random() < 0.5 else name for name in names
    ),
    "one name with broken LaTeX": lambda names, dice: " and ".join(
        _broken(name, dice) if place == len(names) // 2 else name for place, name in enumerate(names)
    ),
    "affiliations": lambda names, dice: " and ".join(_affiliated(name, dice) for name in names),
    "and {The X Collaboration}": lambda names, _: " and ".join([*names, "{The ATLAS Collaboration}"]),
    "and {Team X}": lambda names, _: " and ".join([*names, "{Team Hunyuan}"]),
    "{OpenAI} and": lambda names, _: " and ".join(["{OpenAI}", *names]),
    "and OpenAI": lambda names, _: " and ".join([*names, "OpenAI"]),
}


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
    rows = [row for row in rows_of(2 * count, fewest=_FEWEST, most=_MOST) if _is_plain(row)][:count]
    known = stock(rows)
    dice = random.Random(1)
    print("| written | fields | failed | as |\n|---|---|---|---|")
    examples: dict[str, list[str]] = defaultdict(list)
    for way, write in WRITTEN.items():
        said: Counter[str] = Counter()
        for row in rows:
            field = write(row.authors, dice)
            found = authors_finding(row, field, _SOURCES)
            if found.outcome == "failed":
                said[found.code] += 1
                examples[way].append(f"{found.code}: {field} | {', '.join(row.authors)}")
        _row(way, len(rows), said)
    for name in ("one dropped from the middle", "one added"):
        _row(name, *_caught(MUTATIONS[name], ["A and B"], rows, known, dice))
        _row(f"{name}, in one of these ways", *_caught(MUTATIONS[name], list(WRITTEN), rows, known, dice))
    for way, lines in examples.items():
        print(f"\n{way}:", *lines[:_SHOWN], sep="\n  ")


def _as_bibtex_wants_it(names: Sequence[str], _: random.Random) -> str:
    return " and ".join(names)


def _is_plain(row: Row) -> bool:
    """Return True if the check accepts the row's names unchanged and they can be written with commas."""
    plain = all(1 < len(name.split()) < 4 and not _AMBIGUOUS.search(name) for name in row.authors) and not any(
        is_suffix(word) for name in row.authors for word in name.split()
    )
    return plain and authors_finding(row, " and ".join(row.authors), _SOURCES).outcome == "passed"


def _caught(
    mutate: Callable[[Names, Stock, random.Random], Names],
    ways: Sequence[str],
    rows: Sequence[Row],
    known: Stock,
    dice: random.Random,
) -> tuple[int, Counter[str]]:
    said: Counter[str] = Counter()
    total = 0
    for row in rows:
        if len(row.authors) > 2 and (wrong := mutate(row.authors, known, dice)) != row.authors:
            total += 1
            write = WRITTEN.get(dice.choice(ways), _as_bibtex_wants_it)
            found = authors_finding(row, write(wrong, dice), _SOURCES)
            said[found.code] += found.outcome == "failed"
    return total, said


def _row(name: str, total: int, said: Counter[str]) -> None:
    shown = ", ".join(f"{code} {count}" for code, count in said.most_common(3) if count)
    print(f"| {name} | {total:,} | {said.total() / total:.2%} | {shown} |")


if __name__ == "__main__":
    main()
