"""Words that decide how claims and sources are compared: stop words, words that only say that works exist, languages."""

from __future__ import annotations

from collections.abc import Mapping

EXISTING = frozenset(
    """exist exists have has had been be proposed studied explored investigated developed introduced considered addressed
    presented suggested published made devoted this that these those problem topic topics issue direction in the literature
    recently to of for a an and or are is was were such as including e.g also there it area field question widely discussed
    """.split()  # noqa: SIM905
)
STOP_WORDS = frozenset(
    """a an the and or of in on at to for from by with as is are was were be been being it its this that these those he she they
    his her their which who whom whose not no but also has have had into than then there where when while after before during
    over under about between both all any each more most other some such only own same so too very can will just one two
    """.split()  # noqa: SIM905 - forty words are read as a text
)
FUNCTION_WORDS: Mapping[str, frozenset[str]] = {
    "English": frozenset("the of and to in is was for that with are were from by this which has have its".split()),  # noqa: SIM905
    "German": frozenset("der die das und ist nicht mit von zu den dem ein eine auf für im wurde sich als auch".split()),  # noqa: SIM905
    "French": frozenset(
        "le la les de un en a été ce cette des et est dans une du pour qui que sur au avec par il elle sont ont".split()  # noqa: SIM905
    ),
    "Spanish": frozenset("el la los las de y en que un una por con del se para es fue su al como".split()),  # noqa: SIM905
    "Italian": frozenset("il di che la e è per un una del della in con non si le dei nel alla sono".split()),  # noqa: SIM905
    "Portuguese": frozenset("o a os as de e que do da em um uma para com não por no na foi dos".split()),  # noqa: SIM905
    "Dutch": frozenset("de het een en van in is dat op te met voor zijn niet aan door werd ook bij naar".split()),  # noqa: SIM905
}
