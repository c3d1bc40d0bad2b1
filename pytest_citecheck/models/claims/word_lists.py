"""Words that decide how claims and sources are compared: stop words, months, negations, hedges, opposites, languages."""

from __future__ import annotations

from collections.abc import Mapping

NUMERALS = {
    name: number
    for number, name in enumerate(
        "two three four five six seven eight nine ten eleven twelve".split(), start=2  # noqa: SIM905
    )
}  # fmt: skip
_MONTH_NAMES = """january/jan february/feb march/mar april/apr may june/jun july/jul august/aug september/sep/sept october/oct
    november/nov december/dec"""
MONTHS = {name: number for number, names in enumerate(_MONTH_NAMES.split(), start=1) for name in names.split("/")}
LIGHT = frozenset(
    """a an the and or of in on at to for from by with as is are was were be been being am it its this that these those he
    she they them his her their which who whom whose also has have had having into then there so very will would do does did
    said says when while where about approximately roughly nearly almost around circa ca
    """.split()  # noqa: SIM905
)
NEGATIONS = frozenset("not never no none cannot neither nor without nobody nothing fail lack".split())  # noqa: SIM905
HEDGES = frozenset(
    """may might could possibly perhaps probably allegedly reportedly supposedly rumour rumor suggest suspect
    unconfirmed unclear maybe appear seem if whether believe believed claim hypothesis hypothesise hypothesize hypothesised
    hypothesized assume assumed doubt deny denied dispute disputed refute refuted reject rejected wrongly falsely mistakenly
    myth untrue contrary question asked expect expected predict predicted
    """.split()  # noqa: SIM905
)
PAIRED = """increase decrease|rise fall|rose fell|higher lower|more less|more fewer|most least|most fewest|first last
    before after|win lose|won lost|support oppose|positive negative|north south|east west|northern southern
    eastern western|male female
    largest smallest|oldest youngest|open close|start end|begin end|born die|always never|all some|major minor|better worse
    accept reject|agree disagree|gain lose|buy sell
    bought sold|enter leave|legal illegal|upper lower|highest lowest
    faster slower|confirm deny|grow shrink|grew shrank|strengthen weaken
    improve worsen|present absent|include exclude|success failure
    above below|right left|man woman|men women|boy girl|son daughter|brother sister|husband wife|father mother
    king queen|true false
    """
VAGUE = frozenset(
    """about approximately roughly nearly almost around circa ca over more than least most under below less fewer up some
    estimated exceed""".split()  # noqa: SIM905
)
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
