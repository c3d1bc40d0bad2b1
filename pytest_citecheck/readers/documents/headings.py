"""Headings of reference sections, and of what follows them, in the languages of papers."""

from __future__ import annotations

import re

from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["ends_references", "is_references_heading"]

_NUMBERED = r"\s*(?:(?:\d{1,2}(?:\.\d{1,2})*|[IVX]{1,5}|[A-Z])[.)]?\s+|[•■●]\s*)?"
_TITLES = (
    r"references?(?: and notes| and further reading| cited)?|reference list|list of references|cited references"
    r"|bibliograph(?:y|ies)"
    r"|works? cited|literature(?: cited| references)?|cited (?:literature|works)|sources"
    r"|literatur(?:verzeichnis|angaben)?|quellen(?:verzeichnis)?|referenzen|références(?: bibliographiques)?|bibliographie"
    r"|referencias(?: bibliográficas)?|bibliografía|referências(?: bibliográficas)?|bibliografia|riferimenti(?: bibliografici)?"
    r"|referenties|literatuur|referenser|referanser|litteratur|kirjallisuus|lähteet|literatura|piśmiennictwo|irodalom|kaynak(?:lar|ça)"
    r"|(?:список )?литератур[аы]|библиография|参考文献|參考文獻|参考资料|引用文献|文献|참고\s*문헌"
)
_SPACED = lazy_pattern(r"(?:\w )+\w")
_HEADING = lazy_pattern(rf"{_NUMBERED}(?:{_TITLES})\s*+(?:[:.]\s*+)?", re.IGNORECASE)
_FOLLOWING = (
    r"appendi(?:x|ces)|supplementa(?:ry|l)|supporting information|acknowledge?ments?|author (?:contributions|information)"
    r"|checklist|neurips paper checklist|reproducibility|broader impact|ethics|limitations|conflicts? of interest|funding"
    r"|index|biograph(?:y|ies)|about the authors?|figures?|tables?|proofs?|additional|anhang|annexe|apéndice|附录|付録|부록"
)
_AFTER = lazy_pattern(rf"{_NUMBERED}(?:{_FOLLOWING})\b.{{0,60}}", re.IGNORECASE)
_LONGEST = 60


def is_references_heading(line: str) -> bool:
    """Whether the line is the heading of a reference section: ``References``, ``7 REFERENCES``, ``R E F E R E N C E S``."""
    text = " ".join(line.split()).strip("#*_ ")
    if not 0 < len(text) <= _LONGEST:
        return False
    if _SPACED.fullmatch(text):
        text = text.replace(" ", "")
    return _HEADING.fullmatch(text) is not None


def ends_references(line: str) -> bool:
    """Whether the line is a heading of what may follow a reference section."""
    text = " ".join(line.split()).strip("#*_ ")
    return 0 < len(text) <= _LONGEST and _AFTER.fullmatch(text) is not None and not text.endswith((",", "."))
