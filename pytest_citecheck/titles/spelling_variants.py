"""Words that are spelled in more than one way: British and American English, and umlauts written out.

The word pairs are those of the usual style guides (New Hart's Rules, 2nd edition, chapter 21, "US and UK
English"). Rules are suffixes and stems, so that derived words follow (neighbourhood, decolourised).
"""

from __future__ import annotations

from functools import lru_cache

from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["standard_spelling", "write_out_umlauts"]

_OUR = (
    "arb|ard|arm|behavi|cand|clam|col|demean|endeav|fav|ferv|flav|glam|harb|hon|hum|lab|neighb|od|parl|ranc|rig|"
    "rum|sav|splend|succ|tum|val|vap|vig"
)
_RE = "cent|fib|lit|lust|meag|met|och|sab|scept|somb|spect|theat|calib"
_DOUBLED = (
    "model|label|travel|signal|channel|tunnel|cancel|level|fuel|total|marshal|panel|counsel|equal|dial|spiral|"
    "funnel|unravel|shovel|swivel|trial|bevel|chisel|libel|medal|pedal|initial|kernel|parallel|tassel|duel|jewel|"
    "quarrel|rival"
)
# One alternation for the stems that may stand anywhere in a word, with what each becomes.
_STEMS: tuple[tuple[str, str], ...] = (
    (rf"({_OUR})our", r"\1or"),
    (r"haem", "hem"),
    (r"aemi", "emi"),
    (r"paed", "ped"),
    (r"aesthe", "esthe"),
    (r"aetio", "etio"),
    (r"archaeo", "archeo"),
    (r"palaeo", "paleo"),
    (r"gynaeco", "gyneco"),
    (r"mediaev", "mediev"),
    (r"oedem", "edem"),
    (r"oestr", "estr"),
    (r"oesoph", "esoph"),
    (r"foet(?=us|al|o)", "fet"),
    (r"faec(?=al|es)", "fec"),
    (r"coeliac", "celiac"),
    (r"rrhoea", "rrhea"),
    (r"pnoea", "pnea"),
    (r"homoeo", "homeo"),
    (r"manoeuvr(?:e|(?=ing|ab))", "maneuver"),
    (r"amoeb", "ameb"),
    (r"sulph", "sulf"),
    (r"aluminium", "aluminum"),
    (r"sceptic", "skeptic"),
    (r"artefact", "artifact"),
    (r"(def|off|lic|pret)ence", r"\1ense"),
    (r"(conn|defl|infl|refl)exion", r"\1ection"),
    (r"enquir", "inquir"),
    (r"judgement", "judgment"),
    (r"acknowledgement", "acknowledgment"),
    (r"(enrol|fulfil|instal)l?ment", r"\1lment"),
    (r"(skil|wil)lful", r"\1ful"),
    (rf"({_DOUBLED})l(?=ed|ing|er|ist|ation)", r"\1"),
    (r"yz(?=e[drs]?(?:rs)?$|ing|able)", "ys"),
    (r"(?<=[a-z]{3})iz(?=e[drs]?(?:rs)?$|ing|able|abil|ation)", "is"),
)
_ENDINGS: tuple[tuple[str, str], ...] = (
    (rf"({_RE})re(s?)$", r"\1er\2"),
    (rf"({_RE})red$", r"\1ered"),
    (r"(cata|dia|ana|homo|mono|pro|epi)logue(s|d)?$", r"\1log\2"),
    (r"^program(?:me)(s|d)?$", r"program\1"),
    (r"^grey(ish|s|scale|box)?$", r"gray\1"),
    (r"^ageing$", "aging"),
    (r"^disc(s?)$", r"disk\1"),
    (r"^mould(s|ed|ing)?$", r"mold\1"),
    (r"^plough(s|ed|ing)?$", r"plow\1"),
    (r"^tyre(s)?$", r"tire\1"),
    (r"^practis(e[ds]?|ing)$", r"practic\1"),
    (r"^focuss(ed|ing|es)$", r"focus\1"),
    (r"^advisor(s)?$", r"adviser\1"),
    (r"^learnt$", "learned"),
    (r"^towards$", "toward"),
    (r"^amongst$", "among"),
    (r"^whilst$", "while"),
    (r"^vs$", "versus"),
    (r"^routeing$", "routing"),
    (r"^(dis|re)?orientated$", r"\1oriented"),
    (r"^(append|ind|matr|vert)(?:exes|ixes)$", r"\1ices"),
    (r"^formulae$", "formulas"),
    (r"^cypher(s|ing|text|texts)?$", r"cipher\1"),
    (r"^syphon(s|ed|ing)?$", r"siphon\1"),
    (r"^(us|scal|siz)eable$", r"\1able"),
    (r"^adaptor(s)?$", r"adapter\1"),
    (r"^descendent(s)?$", r"descendant\1"),
    (r"^panjabi$", "punjabi"),
    (r"^uigh?ur$", "uyghur"),
    (r"^ro?umanian$", "romanian"),
    (r"^koran$", "quran"),
    # Names that every language transliterates in its own way.
    (r"^(?:t?sch?|tch?|ch|c)eb[iy](?:sh|sch|ch|s|c)(?:ev|eff|ef|ew|ov|of|off|ow)$", "chebyshev"),
    (r"^l(?:y|i|ya|ia|ja|j)ap(?:u|ou)n(?:ov|off|of|ow)$", "lyapunov"),
    (r"^(kolmogor|kryl|mark|smirn)off$", r"\1ov"),
    (r"^t(?:i|y)c?hon(?:ov|off)$", "tikhonov"),
)
_RULES = tuple((lazy_pattern(pattern), replacement) for pattern, replacement in (*_STEMS, *_ENDINGS))
# Most words meet no rule at all: a search for letters of which each rule needs some tells that fastest, then one for the rules.
_HINT = lazy_pattern(
    "our|ae|oe|sulph|aluminium|sceptic|artefact|ence|exion|enquir|ment|lful|ll|yz|iz|re|logue|programme|ageing|disc|mould"
    "|plough|practis|focuss|advisor|learnt|towards|amongst|whilst|vs"
    "|cypher|syphon|[sl]eable|izeable|adaptor|cendent|panjabi|uig|umanian|koran|outeing|orientated|exes$|ixes$|formulae"
    "|eb[iy][sc]|ap(?:u|ou)n|off$|hono"
)
_ANY = lazy_pattern("|".join(pattern.pattern for pattern, _ in _RULES))

_UMLAUTS = str.maketrans(
    {
        "ä": "ae",
        "ö": "oe",
        "ü": "ue",
        "Ä": "Ae",
        "Ö": "Oe",
        "Ü": "Ue",
        "å": "aa",
        "Å": "Aa",
        "ø": "oe",
        "Ø": "Oe",
    }
)


@lru_cache(maxsize=65536)
def standard_spelling(word: str) -> str:
    """One spelling for all regional spellings of the folded ``word``; not always one that a dictionary knows.

    Only the two spellings of one word fall together: inflections (model, models) stay apart.
    """
    if not _HINT.search(word) or not _ANY.search(word):
        return word
    before = ""
    while before != word:
        before = word
        for pattern, replacement in _RULES:
            if pattern.search(word):  # a template with groups costs more than a search, match or none
                word = pattern.sub(replacement, word)
    return word


def write_out_umlauts(text: str) -> str:
    """``text`` with German and Nordic letters written out (``Über`` as ``Ueber``)."""
    return text.translate(_UMLAUTS)
