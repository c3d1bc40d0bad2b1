r"""The macros (abbreviations) of a BibTeX file, and those that every file may use without defining them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_citecheck.readers.bibtex.value import Part

__all__ = ["AAS_JOURNALS", "STANDARD_MACROS", "Macros", "journal_command"]

STANDARD_MACROS: dict[str, str] = {
    "jan": "January", "feb": "February", "mar": "March", "apr": "April", "may": "May", "jun": "June", "jul": "July",
    "aug": "August", "sep": "September", "oct": "October", "nov": "November", "dec": "December",
    "acmcs": "ACM Computing Surveys", "acta": "Acta Informatica", "cacm": "Communications of the ACM",
    "ibmjrd": "IBM Journal of Research and Development", "ibmsj": "IBM Systems Journal",
    "ieeese": "IEEE Transactions on Software Engineering", "ieeetc": "IEEE Transactions on Computers",
    "ieeetcad": "IEEE Transactions on Computer-Aided Design of Integrated Circuits",
    "ipl": "Information Processing Letters", "jacm": "Journal of the ACM",
    "jcss": "Journal of Computer and System Sciences", "scp": "Science of Computer Programming",
    "sicomp": "SIAM Journal on Computing", "tocs": "ACM Transactions on Computer Systems",
    "tods": "ACM Transactions on Database Systems", "tog": "ACM Transactions on Graphics",
    "toms": "ACM Transactions on Mathematical Software",
    "toois": "ACM Transactions on Office Information Systems",
    "toplas": "ACM Transactions on Programming Languages and Systems", "tcs": "Theoretical Computer Science",
}  # fmt: skip
"""Months and journals that the standard styles of BibTeX (``plain.bst``) define."""

AAS_JOURNALS: dict[str, str] = {
    "aap": "Astronomy and Astrophysics", "aapr": "Astronomy and Astrophysics Reviews",
    "aaps": "Astronomy and Astrophysics Supplement", "actaa": "Acta Astronomica", "aj": "The Astronomical Journal",
    "ao": "Applied Optics", "apj": "The Astrophysical Journal", "apjl": "The Astrophysical Journal Letters",
    "apjs": "The Astrophysical Journal Supplement Series", "aplett": "Astrophysics Letters",
    "applopt": "Applied Optics", "apss": "Astrophysics and Space Science",
    "araa": "Annual Review of Astronomy and Astrophysics", "baas": "Bulletin of the American Astronomical Society",
    "gca": "Geochimica et Cosmochimica Acta", "grl": "Geophysical Research Letters", "icarus": "Icarus",
    "jcap": "Journal of Cosmology and Astroparticle Physics", "jcp": "The Journal of Chemical Physics",
    "jgr": "Journal of Geophysical Research", "jqsrt": "Journal of Quantitative Spectroscopy and Radiative Transfer",
    "mnras": "Monthly Notices of the Royal Astronomical Society",
    "memras": "Memoirs of the Royal Astronomical Society", "nat": "Nature", "nar": "New Astronomy Reviews",
    "na": "New Astronomy", "nphysa": "Nuclear Physics A", "pasa": "Publications of the Astronomical Society of Australia",
    "pasj": "Publications of the Astronomical Society of Japan",
    "pasp": "Publications of the Astronomical Society of the Pacific", "physrep": "Physics Reports",
    "planss": "Planetary and Space Science", "pra": "Physical Review A", "prb": "Physical Review B",
    "prc": "Physical Review C", "prd": "Physical Review D", "pre": "Physical Review E",
    "prl": "Physical Review Letters", "procspie": "Proceedings of SPIE",
    "psj": "The Planetary Science Journal", "qjras": "Quarterly Journal of the Royal Astronomical Society",
    "rmxaa": "Revista Mexicana de Astronomía y Astrofísica", "skytel": "Sky and Telescope", "solphys": "Solar Physics",
    "ssr": "Space Science Reviews", "zap": "Zeitschrift für Astrophysik",
    "apjlett": "The Astrophysical Journal Letters", "apjsupp": "The Astrophysical Journal Supplement Series",
    "apspr": "Astrophysics and Space Physics Research", "azh": "Astronomicheskii Zhurnal",
    "bain": "Bulletin of the Astronomical Institutes of the Netherlands", "caa": "Chinese Astronomy and Astrophysics",
    "cjaa": "Chinese Journal of Astronomy and Astrophysics", "fcp": "Fundamentals of Cosmic Physics",
    "iaucirc": "IAU Circulars", "jrasc": "Journal of the Royal Astronomical Society of Canada",
    "maps": "Meteoritics and Planetary Science", "memsai": "Memorie della Società Astronomica Italiana",
    "physscr": "Physica Scripta", "sovast": "Soviet Astronomy",
}  # fmt: skip
r"""Journals as the LaTeX commands (``\apj``) in exports of the Astrophysics Data System (its page on journal macros)."""

_LONGEST = 10_000
"""Characters that macros may add to a value: definitions can double each other up to any length."""
_MOST_ADDED, _MOST_ADDED_PER_CHARACTER = 1_000_000, 4
"""Characters that macros may add to all values of a file together, and for each of its own: thousands of definitions could take
10,000 each. A journal of 100 characters in every entry adds about a third of a character for each of the file.
"""

_COMMAND = lazy_pattern(r"\s*+\{?\\([A-Za-z]++)\s*+(?:\{\})?\}?\s*+(?P<rest>[^\\]*+)")


class Macros:
    """The macros in force at a place of the file; names are compared without regard to case."""

    def __init__(self, length: int = 0) -> None:
        """length: characters of the file, by which it is measured how much macros may add."""
        self._defined = dict(STANDARD_MACROS)
        self._left = _MOST_ADDED + _MOST_ADDED_PER_CHARACTER * length

    def define(self, name: str, text: str) -> None:
        """Define a macro for all that follows; a later definition replaces an earlier one."""
        self._defined[name.lower()] = text

    def expand(self, parts: Sequence[Part], later: Macros | None = None) -> tuple[str, tuple[str, ...]]:
        """Join the parts of a value; returns the text and the names that are not defined here, kept as they are.

        A name that only ``later`` knows is expanded with it, and reported all the same. The name of a macro that would make
        the value, or all values of the file together, absurdly long is kept and reported too, although it is defined.
        """
        if len(parts) == 1 and not parts[0].macro:
            return parts[0].text, ()
        texts: list[str] = []
        undefined: list[str] = []
        budget = min(_LONGEST, self._left)
        for text, macro in parts:
            known = self.get(text) if macro else text
            if known is None:
                undefined.append(text)
                known = later.get(text) if later else None
            if macro and known is not None:
                if len(known) > budget:
                    undefined.append(text)
                    known = None
                else:
                    budget -= len(known)
                    self._left -= len(known)
            texts.append(text if known is None else known)
        return "".join(texts), tuple(undefined)

    def get(self, name: str) -> str | None:
        """The text of a macro; None if it is not defined."""
        return self._defined.get(name.lower())


def journal_command(value: str) -> str:
    r"""The journal's name for a command of the AAS (``\apj``), with what follows (``\jgr (Planets)``); else the value itself."""
    match = _COMMAND.fullmatch(value)
    name = AAS_JOURNALS.get(match[1]) if match else None
    return value if match is None or name is None else f"{name} {match['rest']}".rstrip()
