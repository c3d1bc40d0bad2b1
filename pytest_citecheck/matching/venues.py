"""Comparison of two names of venues.

A comparison abstains rather than guess, so there are three results. The table of known venues decides first; then
abbreviations are aligned word by word after ISO 4; then full names are different if a word of the topic of one has no
place in the other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from rapidfuzz.distance import OSA

from pytest_citecheck.matching.text import fold, lazy_pattern, without_latex_and_markup
from pytest_citecheck.matching.venue_names import OF_REGIONS, ParsedVenue, parse_venue
from pytest_citecheck.matching.venue_tables import (
    HEADS,
    NOISE,
    WORD_LISTS,
    Venue,
    abbreviates,
    aligned,
    content,
    core,
    initials,
    segments,
    venue_words,
)
from pytest_citecheck.thresholds import (
    ACRONYM_LETTERS,
    INFLECTION_LETTERS,
    MISSPELT_WORD,
    SHARED_STEM,
    TOPIC_STEM,
    TOPIC_WORDS,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

VenueRelation = Literal["same", "different", "unknown"]

_SILENT = frozenset({"series", "publisher"})
_PREPRINT = lazy_pattern(
    r"\barxiv\b|\bcorr\b|\babs/\d{4}|\b(?:bio|med|chem|psy|soc|eng|tech|earth)r?xiv\b|\bssrn\b|\bresearch square\b"
    r"|\bpreprints?\b|\beprint archive\b|\bunpublished\b|\bworking paper\b",
    re.IGNORECASE,
)
_SERIES = lazy_pattern(
    r"(?i:\blecture notes in\b|\bproceedings series\b)|\bLN(?:CS|AI|BIP|NS|EE|M)\b|\bCCIS\b|\bPMLR\b"
    r"|\bIFIP AICT\b|\bLIPIcs\b"
)
_ABBREVIATED = lazy_pattern(r"[A-Za-z]\.(?:\s|$)")
_ADVANCES = lazy_pattern(r"(?:Advances|Progress|Trends|Frontiers) in ([A-Za-z][A-Za-z ,&-]+)", re.IGNORECASE)
_TOPIC_JOIN = frozenset({"on", "of", "for", "in"})
_OTHER_EVENT = OF_REGIONS | frozenset(WORD_LISTS["other_events"])
"""Words before the name of a conference that make it a different one: a season, a region, an organisation with its own
conference."""


def lookup(text: str, year: int | None = None) -> Venue | None:
    """The one known venue whose main proceedings ``text`` names; None if it names none, several, or only an associated
    event: a workshop, another track, or an unknown part.

    ``year`` is the year of the volume, if known. It decides for tracks that had proceedings of their own before they
    joined the main ones ("NeurIPS Datasets and Benchmarks" until 2021): without it they do not name these.
    """
    parsed = parse_venue(text)
    if parsed.part != "main" or len(parsed.venues) != 1:
        return None
    if parsed.main_from and (year is None or year < parsed.main_from):
        return None
    return parsed.venues[0]


def is_preprint_venue(text: str) -> bool:
    """Return True if ``text`` names a preprint server ("arXiv preprint arXiv:1706.03762", "CoRR", "bioRxiv") and no
    venue.
    """
    parsed = parse_venue(text)
    if parsed.venues:
        return all(venue.kind == "preprint" for venue in parsed.venues)
    return _PREPRINT.search(without_latex_and_markup(text)) is not None


def is_series(text: str) -> bool:
    """Return True if ``text`` names a publisher's series (LNCS, PMLR, CCIS), which does not identify the venue."""
    parsed = parse_venue(text)
    if parsed.venues:
        return all(venue.kind == "series" for venue in parsed.venues)
    return _SERIES.search(parsed.text) is not None


@lru_cache(maxsize=16384)
def compare_venues(cited: str, found: str) -> VenueRelation:
    """Compare two names of venues. Symmetric; equal texts are the same.

    A workshop, "Findings" and the main proceedings of one conference are different; other tracks (demonstrations,
    companion volumes) and unknown parts are not decided. Series and publishers do not identify a venue: unknown. A
    preprint server is a venue like others here; see ``is_preprint_venue``.
    """
    first, second = parse_venue(cited), parse_venue(found)
    if first.key == second.key:
        return "same" if first.key or cited == found else "unknown"
    if not first.key or not second.key or "submission" in (first.part, second.part):
        return "unknown"
    if (first.event or second.event) and (relation := _compare_events(first, second)):
        return relation
    if not {venue.id for venue in first.venues}.isdisjoint(venue.id for venue in second.venues):
        return _compare_parts(first, second)
    if _is_certain(first) and _is_certain(second):
        return _compare_known(first, second)
    return "same" if _same_words(first, second) else _compare_unknown(first, second)


def _compare_unknown(first: ParsedVenue, second: ParsedVenue) -> VenueRelation:
    """Compare two names of which at most one is of a known venue, and which have different words."""
    if _is_certain(first) or _is_certain(second):
        known, other = (first, second) if _is_certain(first) else (second, first)
        if known.part == other.part == "workshop":
            return "unknown"  # the place of a workshop may be omitted
        return "different" if _is_elsewhere(other, known) else "unknown"
    return "different" if _nothing_in_common(first, second) else "unknown"


def _compare_events(first: ParsedVenue, second: ParsedVenue) -> VenueRelation | None:
    """Compare an event named with its host ("NUT@EMNLP"); None if the hosts decide.

    The event counts, because it meets with another host every year. Its acronym may match another name ("Noisy
    User-generated Text"), but never excludes one.
    """
    if first.event and second.event:
        return "same" if _without_workshop(first.event) == _without_workshop(second.event) else None
    named, other = (first, second) if first.event else (second, first)
    event = _without_workshop(named.event)
    if other.part == "main" and other.venues:
        return None
    if any(event == _without_workshop(word) for word in other.core):
        return "same"
    letters = initials(_topic_words(other)) if other.core else ""
    if len(event) >= ACRONYM_LETTERS and 2 * len(event) >= len(letters) and letters and _ends_like(event, letters):
        return "same"
    hosts = {venue.id for venue in named.venues}
    return "unknown" if not other.venues or not hosts.isdisjoint(venue.id for venue in other.venues) else None


def _without_workshop(acronym: str) -> str:
    """ "wnut" and "nut" are one workshop."""
    return acronym[1:] if acronym.startswith("w") and len(acronym) > ACRONYM_LETTERS else acronym


def _topic_words(parsed: ParsedVenue) -> tuple[str, ...]:
    names = _words_of_names(parsed.venues)
    return tuple(word for word in parsed.core if word not in HEADS and word not in NOISE and word not in names)


def _ends_like(acronym: str, letters: str) -> bool:
    """Return True if an acronym takes its letters in order from the initials of a name, up to the last one."""
    rest = iter(letters)
    return letters.endswith(acronym[-1]) and all(letter in rest for letter in acronym)


def _is_certain(parsed: ParsedVenue) -> bool:
    """Return True if the text surely names the known venues, and is not a different conference that shares an acronym
    with one ("International Conference on Textile Innovation (ICTAI)")."""
    return bool(parsed.venues) and not (parsed.part == "beside" and not HEADS.isdisjoint(parsed.core))


def _compare_known(first: ParsedVenue, second: ParsedVenue) -> VenueRelation:
    if _silent(first) or _silent(second):
        return "unknown"
    ids = {venue.id for venue in first.venues}
    others = {venue.id for venue in second.venues}
    related = {name for venue in first.venues for name in venue.related}
    related_back = {name for venue in second.venues for name in venue.related}
    if related & others or related_back & ids:
        return "unknown"
    return "different"


def _compare_parts(first: ParsedVenue, second: ParsedVenue) -> VenueRelation:
    if first.part == second.part:
        if first.part == "main":
            return "same"
        # Two workshops of one conference, unless one text names no workshop in particular.
        generic = any(_own_topic(parsed) <= _own_topic(other) for parsed, other in ((first, second), (second, first)))
        return "same" if generic else "unknown"
    return "different" if {first.part, second.part}.isdisjoint(("side", "beside")) else "unknown"


def _own_topic(parsed: ParsedVenue) -> set[str]:
    """Words beyond the names of the conference itself."""
    names = _words_of_names(parsed.venues)
    names |= {f"{name}w" for name in names}
    return {word for word in parsed.core if word not in names and word not in NOISE and word not in HEADS}


def _words_of_names(venues: Iterable[Venue]) -> set[str]:
    return {word for venue in venues for name in venue.names for word in venue_words(name)}


def _silent(parsed: ParsedVenue) -> bool:
    return all(venue.kind in _SILENT for venue in parsed.venues)


def share_topic(name: str, other: str) -> bool:
    """Return True if the topics of two venues, under any of the names that are known for them, have a word in common,
    or its stem.

    True if either has no topic ("Oakland"), because it may be anything.
    """
    topics = [{word for text in _all_names(one) for word in _topic_of(text)} for one in (name, other)]
    if not all(topics):
        return True
    return any(word[:TOPIC_STEM] == another[:TOPIC_STEM] for word in topics[0] for another in topics[1])


def have_no_common_word(name: str, other: str, *, journals: bool) -> bool:
    """Return True if two names of venues are full names in Latin letters without a common word, also under their known names.

    A word that begins with the letters of another one may be its abbreviation. A single word may be an acronym of anything,
    except the name of a journal in lower case ("Optometry"), which has no word of the other name in it.
    """
    words_of_name, words_of_other = (
        {word for text in _all_names(one) for word in _topical(content(venue_words(fold(text)))) if len(word) > 1}
        for one in (name, other)
    )
    full = all(
        len(words) > 1 or (journals and any(len(word) >= TOPIC_STEM for word in words) and not text.isupper())
        for text, words in ((name, words_of_name), (other, words_of_other))
    )
    if not full or not all(map(str.isascii, words_of_name | words_of_other)):
        return False
    single = 1 in (len(words_of_name), len(words_of_other))
    return not any(
        one.startswith(another[:TOPIC_STEM]) or (single and len(another) >= TOPIC_STEM and another[:TOPIC_STEM] in one)
        for words, others in ((words_of_name, words_of_other), (words_of_other, words_of_name))
        for one in words
        for another in others
    )


def _all_names(name: str) -> tuple[str, ...]:
    """The name as written, and all names of the venues that it may be of."""
    parsed = parse_venue(name)
    return parsed.text, *(known for venue in parsed.venues for known in venue.names)


def _topic_of(text: str) -> tuple[str, ...]:
    words = venue_words(text)
    return tuple(word for word in _topical(words) if len(word) >= TOPIC_STEM)


def _same_words(first: ParsedVenue, second: ParsedVenue) -> bool:
    if first.part != second.part:
        return False
    if first.core == second.core or "".join(first.core) == "".join(second.core):
        return bool(first.core)
    if aligned(first.core, second.core):
        return len(first.core) > 1 or min(len(first.key), len(second.key)) >= SHARED_STEM
    return _is_acronym_of(first, second) or _is_acronym_of(second, first)


def _is_acronym_of(short: ParsedVenue, long: ParsedVenue) -> bool:
    """Return True if one text is the bracketed acronym of the other, or made of the first letters of its words."""
    if len(short.core) != 1 or len(short.core[0]) < ACRONYM_LETTERS:
        return False
    acronym = short.core[0]
    pieces = segments(long.text)
    if len(pieces) > 1 and any(core(venue_words(piece)) == (acronym,) for piece in pieces[1:]):
        return True
    words = venue_words(pieces[0]) if pieces else ()
    topic = _topical(words)
    full_names = [name for venue in short.venues for name in venue.names if len(venue_words(name)) > 1]
    if topic and full_names and all(_has_own_word(topic, name) for name in full_names):
        return False  # the International Conference on Marine Life is not ICML either
    if short.venues and not _OTHER_EVENT.isdisjoint(set(words) - _words_of_names(short.venues)):
        return False  # the Iberian Conference on Machine Learning is not ICML
    return len(words) > 1 and acronym in (initials(words), initials(content(words)), initials(core(words)))


def _full_name(parsed: ParsedVenue) -> tuple[str, ...]:
    """The words of the piece of a text that is a full English name ("Conference on ..."); empty if none is.

    Only the piece with the type of event counts: places and dates are in separate pieces.
    """
    if _ABBREVIATED.search(parsed.text) or not parsed.text.isascii():
        return ()
    pieces = map(venue_words, segments(parsed.text))
    named = (words for words in pieces if not HEADS.isdisjoint(words) and not _TOPIC_JOIN.isdisjoint(words))
    return next((words for words in named if _topical(words)), ())


def _topic(parsed: ParsedVenue) -> tuple[str, ...]:
    """The words of the topic of a full English name; empty if the text is not one."""
    return _topical(_full_name(parsed))


def _topical(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word for word in core(words) if word not in HEADS and word not in NOISE and not word.isdigit())


def _is_elsewhere(other: ParsedVenue, known: ParsedVenue) -> bool:
    """Return True if a full name that is not in the table cannot be one of the known venues.

    Its topic must hold a word that none of the names of the venue has. This is evidence because the table also lists
    former and alternative names.
    """
    if _silent(known) or any(venue.kind == "preprint" for venue in known.venues):
        return False
    topic = _topic(other)
    if not topic:
        return _is_of_another_subject(other, known)
    if any(venue.kind == "conference" and _stands_in(_full_name(other), venue) for venue in known.venues):
        return False
    return all(_has_own_word(topic, name) for venue in known.venues for name in venue.names)


def _stands_in(words: tuple[str, ...], venue: Venue) -> bool:
    """Return True if the whole name of a conference is in ``words``, after words that do not name a different event.

    There is no list of all words that precede "Conference on ..." ("Tagung", "Springer", a slip of the pen). After it,
    each word is one of the topic, and another topic is another conference.
    """
    before, topic = _around_head(words)
    acronyms = {venue_words(name)[0] for name in venue.names if len(venue_words(name)) == 1}
    for name in venue.names:
        own_before, own_topic = _around_head(venue_words(name))
        distinctive = {word for word in own_before if word in acronyms or word not in NOISE}
        other = not _OTHER_EVENT.isdisjoint(set(before) - set(own_before))
        if distinctive.issubset(before) and not other and _same_topic(topic, own_topic):
            return True
    return False


def _around_head(words: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Words before the last "Conference on", and the words of the topic after it."""
    for at in range(len(words) - 2, -1, -1):
        if words[at] in HEADS and words[at + 1] in _TOPIC_JOIN:
            return words[:at], _topical(words[at + 1 :])
    return (), ()


def _same_topic(first: tuple[str, ...], second: tuple[str, ...]) -> bool:
    """Return True if each word of either topic has its like in the other, misspelt or run together with the next one."""
    if not first or not second:
        return False
    ways = ((word, others) for one, others in ((first, second), (second, first)) for word in one)
    return "".join(first) == "".join(second) or all(
        any(_akin(word, other) for other in others) for word, others in ways
    )


def _is_of_another_subject(other: ParsedVenue, known: ParsedVenue) -> bool:
    """Return True if "Advances in X and Y", which the table does not know, shares no word with a known journal.

    The volumes of conferences are called so too ("Advances in Cryptology"), so this does not apply to conferences.
    """
    match = _ADVANCES.fullmatch(other.text)
    if match is None or any(venue.kind != "journal" for venue in known.venues):
        return False
    topic = [word for word in venue_words(match[1]) if word not in HEADS and word not in NOISE]
    names = _words_of_names(known.venues)
    if len(topic) < TOPIC_WORDS or initials(content(other.words)) in names:
        return False
    return not any(_akin(word, another) or word in another for word in topic for another in names)


def _has_own_word(topic: tuple[str, ...], name: str) -> bool:
    words = venue_words(name)
    joined = "".join(words)
    return not any(len(word) > 1 and word == joined for word in topic) and any(
        word not in joined and not any(_akin(word, another) for another in words) for word in topic
    )


def _nothing_in_common(first: ParsedVenue, second: ParsedVenue) -> bool:
    topic, other = _topic(first), _topic(second)
    if len(topic) < TOPIC_WORDS or len(other) < TOPIC_WORDS:
        return False
    return not any(_akin(word, another) for word in topic for another in other)


def _misspelt(word: str, other: str) -> bool:
    """Return True if two long words are a letter apart ("recogition"): no two words of one field are, but forms of one."""
    shorter = min(len(word), len(other))
    return shorter >= MISSPELT_WORD and OSA.distance(word, other, score_cutoff=1) <= 1


def _akin(word: str, other: str) -> bool:
    """Return True if two words may be forms of one: "computing" and "computation", "comput" and "computers"."""
    if abbreviates(word, other) or abbreviates(other, word) or _misspelt(word, other):
        return True
    shared = 0
    for one, two in zip(word, other, strict=False):
        if one != two:
            break
        shared += 1
    return shared >= SHARED_STEM and max(len(word), len(other)) - shared <= INFLECTION_LETTERS


# The style in which an author writes venues, so that a correction matches the rest of the bibliography: short stays
# short.
_ACRONYM = lazy_pattern(r"(?<!\w)[A-Z][A-Za-z]*[A-Z][A-Za-z]*(?:[-/&+][A-Za-z]+)*(?!\w)")
_YEAR = lazy_pattern(r"(?<!\d)(?:(?:19|20)\d\d|(?<=['’])\d\d)(?!\d)")
_PROCEEDINGS = lazy_pattern(
    r"\b(?:in|proceedings|proc|of|the|conference|conf)\b|[^\w\s]|\d+(?:st|nd|rd|th)\b", re.IGNORECASE
)
_PROCEEDINGS_OF = lazy_pattern(r"(?:In\s+)?Proc(?:eedings|\.)?\s+of\s+(?:the\s+)?", re.IGNORECASE)
_TAIL = lazy_pattern(r"(?:,|\s\[[^\[\],]{0,200},)\s+[A-Z][\w'’/&-]*[A-Z]\w*\s+(?:19|20)\d\d\b.*", re.DOTALL)
"""Text that DBLP appends to the title of proceedings: acronym, year, place, days."""


def worded_as(cited: str, found: Sequence[str], year: int | None) -> str:
    """The name of the venue of a record (its names, the primary one first) in the form of the cited venue.

    year: replacement of a year in the cited name; None to keep it.
    """
    known = lookup(found[0])
    short = _cited_acronym(cited)
    if short:
        name = _acronym(known, found)
        if name:
            text = cited.replace(short, name, 1)
            return _YEAR.sub(lambda match: str(year)[-len(match[0]) :], text) if year is not None else text
    shortened = known is not None and len(found[0]) < len(known.name)
    full = known.name if known and shortened else _TAIL.sub("", found[0].replace("_", " "))
    return _in_proceedings(cited, full, known)


def _cited_acronym(cited: str) -> str:
    """The acronym that the cited name is, apart from a year and "Proceedings of"; empty if it is written out."""
    for match in _ACRONYM.finditer(cited):
        rest = _PROCEEDINGS.sub(" ", _YEAR.sub(" ", cited[: match.start()] + " " + cited[match.end() :]))
        if not rest.strip():
            return match[0]
    return ""


def _acronym(known: Venue | None, found: Sequence[str]) -> str:
    names = (known.dblp, *known.aliases) if known is not None else found
    return next((name for name in names if _ACRONYM.fullmatch(name)), "")


def _in_proceedings(cited: str, name: str, known: Venue | None) -> str:
    """The name with "Proceedings of the" before it if the cited one has it, or with neither."""
    said = _PROCEEDINGS_OF.match(cited)
    bare = _PROCEEDINGS_OF.sub("", name, count=1) if _PROCEEDINGS_OF.match(name) else name
    if said is None:
        return bare
    volumes = [alias for alias in known.aliases if alias.startswith("Advances in")] if known is not None else []
    if volumes or bare.startswith("Advances in"):
        return volumes[0] if volumes else bare
    return f"{said[0]}{bare}" if known is None or known.kind == "conference" else bare


_PUBLISHER = lazy_pattern(
    r"\b(?:Pub(?:l|lishing|lishers|lications)?\.?(?: Co(?:mpany|rp)?\.?)?(?: Pte)?(?: Ltd?\.?)?|Verlag|Ltd|LLC|Inc|GmbH|B\.?V"
    r"|University Press)\.?\Z|\A(?:Association|Institute|Institution)\b[^()]*\([A-Za-z]{2,}\)\Z"
)
"""Crossref's names of members: "World Scientific Pub Co Pte Lt", "Association for Computing Machinery (ACM)"."""

_REPOSITORY = lazy_pattern(
    r"\b(?:ar[xχ]iv|CoRR|Zenodo|HAL|SSRN|bioRxiv|medRxiv|chemRxiv|techRxiv|PsyArXiv|EdArXiv|OSF|figshare|Research ?Square|"
    r"ResearchGate|Open ?Review|DSpace|e-?Prints?|DROPS|Dagstuhl|PubMed(?: Central)?|Europe PMC|Semantic Scholar|Manubot|"
    r"Social Science Research Network|Archive(?:s)? ouverte(?:s)?|(?:digital|open|institutional|data|research) repository|"
    r"repository of [^()]+|repositor(?:io|ium)|preprints(?:\.org)?)\b",
    re.IGNORECASE,
)


def is_repository(name: str) -> bool:
    """True for preprint servers, archives and submission platforms, which keep works but do not publish them."""
    return is_preprint_venue(name) or _REPOSITORY.search(name) is not None


def is_publisher(name: str) -> bool:
    """Return True if a name is a publisher and not a journal or conference."""
    return _PUBLISHER.search(name.strip()) is not None
