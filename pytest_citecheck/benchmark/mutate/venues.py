"""Mutations of venues."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache

from pytest_citecheck.benchmark.mutate.original import Changed, DoesNotApply, Material, Need, Original, Stream, escaped
from pytest_citecheck.benchmark.mutate.related import nouns_of, tongue, topic_words
from pytest_citecheck.matching import (
    HEADS,
    NOISE,
    Venue,
    all_venues,
    compare_venues,
    fold,
    is_series,
    lazy_pattern,
    lookup,
    parse_venue,
    venue_words,
)

_TYPES = frozenset({"article", "inproceedings", "conference"})
_KINDS = ("journal", "conference")
_PLACES = {"journal": ("article", "journal"), "conference": ("inproceedings", "booktitle")}
# Fields of the venue, its volume and its publisher, which would contradict another venue.
_OF_THE_VENUE = frozenset({
    "journal", "journaltitle", "shortjournal", "journalsubtitle", "booktitle", "booksubtitle", "maintitle", "mainsubtitle",
    "eventtitle", "eventdate", "series", "shortseries", "volume", "number", "issue", "pages", "eid", "articleno", "month",
    "issn", "isbn", "publisher", "organization", "address", "location", "venue", "editor", "entrysubtype", "numpages",
})  # fmt: skip
_TOPIC = lazy_pattern(
    r"\b(?:Conference|Symposium|Workshop|Transactions|Journal|Letters|Annals|Archives|Reviews?|Congress)"
    r"\s+(?:on|of|in)\s+(?:the\s+)?(?P<topic>[A-Z][A-Za-z-]+(?:\s[A-Z][A-Za-z-]+){0,2})$"
)
_BODY = lazy_pattern(
    r"\b(?:Societ|Associat|Academ|Institut|Universit|Organi[sz]ation|Americ|Europ|Medicine$|Sciences$)"
)
_HEADS = {
    "journal": ("Journal of", "International Journal of", "Transactions on", "Advances in", "Annals of", "Letters in"),
    "conference": ("International Conference on", "Conference on", "Symposium on", "Proceedings of the Conference on"),
}
_NAMES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "en": {kind: tuple(f"{head} {{}} and {{}}" for head in heads) for kind, heads in _HEADS.items()},
    "fr": {
        "journal": ("Revue internationale : {} et {}", "Cahiers : {} et {}"),
        "conference": ("Colloque : {} et {}",),
    },
    "de": {"journal": ("Zeitschrift: {} und {}", "Jahrbuch: {} und {}"), "conference": ("Fachtagung: {} und {}",)},
    "es": {"journal": ("Revista internacional: {} y {}", "Cuadernos: {} y {}"), "conference": ("Jornadas: {} y {}",)},
    "pt": {"journal": ("Revista internacional: {} e {}", "Cadernos: {} e {}"), "conference": ("Jornadas: {} e {}",)},
    "it": {"journal": ("Rivista internazionale: {} e {}", "Quaderni: {} e {}"), "conference": ("Convegno: {} e {}",)},
    "ja": {"journal": ("{}・{}論文誌", "{}・{}研究"), "conference": ("{}・{}研究会",)},
    "zh": {"journal": ("{}与{}学报", "{}与{}研究"), "conference": ("{}与{}大会",)},
}
"""Names of venues by language, with two topics."""
_MOST_TOPICS = 12
_FEW = 4
_LIKELIEST = 12
_COMPUTING = "computing"
"""The field of venues in DBLP, and of these archives of arXiv."""
_ARCHIVES_OF_COMPUTING = frozenset({"cs", "stat", "eess"})
_FIELDS_OF_VENUES = {
    "chemistry": lazy_pattern(r"chem"),
    "physics": lazy_pattern(
        r"phys(?!iol)|astro|cosmo|gravit|space|nucl|optic|planet|clima|atmosph|hep-|gr-qc|quant-|cond-mat"
    ),
    "life": lazy_pattern(
        r"bio|medic|clinic|cell|gene(?!ral)|neuro|immun|disease|psych|physiol|cogniti|health|cancer|lancet|ecolog|virol|brain"
    ),
    "mathematics": lazy_pattern(r"math|algebra|geometr|statist|probab|number theory"),
    "society": lazy_pattern(
        r"econ|financ|q-fin|\blaw\b|politic|sociol|social|business|management|philosoph|educat|relig|theolog"
    ),
}
"""Words of venues and archives of arXiv by field; the first field counts."""
_TRIES = 1000
_STEM = 3


def nonexistent_venue(original: Original, material: Material, stream: Stream) -> Changed:
    """A journal or conference that does not exist, named after two topics of related works, in the language of the venue."""
    kind = _kind(original)
    own = _stems(original.cited.venue)
    related = material.donors(original, stream)
    cited = {fold(other.cited.venue) for other in related}
    spoken = tongue(original.cited.venue) or tongue(original.title)
    if spoken == "zh" and tongue(original.title) == "ja":
        spoken = "ja"  # names of Japanese journals have Chinese characters alone
    for language, topics in (
        (spoken if spoken in _NAMES else "en", _topics_of(related, spoken)),
        ("en", _topics(_field(original, material))),
    ):
        form = stream.pick(_NAMES[language][kind])
        for first, second in itertools.islice(itertools.permutations(stream.ranked(topics), 2), _TRIES):
            made = form.format(first, second)
            if not (
                _stems(first) & _stems(second) or _stems(made) & own or parse_venue(made).venues or fold(made) in cited
            ):
                return _moved(original, kind, made)
    raise DoesNotApply("needs a venue with another topic than all known ones")


def _topics_of(related: Iterable[Original], spoken: str) -> list[str]:
    """Topics of the most related works, from their titles in a language and from their venues."""
    found: dict[str, None] = {}
    for other in related:
        if spoken in ("", "en") and (match := _TOPIC.search(other.cited.venue)):
            found[match["topic"]] = None
        if tongue(other.title) in (spoken, ""):
            found.update(dict.fromkeys(nouns_of(other.title, spoken)))
        if len(found) >= _MOST_TOPICS:
            break
    return list(found)


def wrong_venue(original: Original, material: Material, stream: Stream) -> Changed:
    """Another real venue of the same kind: one that the file cites elsewhere if possible, otherwise any known one."""
    kind = _kind(original)
    start = stream.share()
    near = filter(None, (lookup(other.cited.venue) for other in material.related(original)))
    preferred = itertools.chain(stream.shuffled(list(near)), material.cited_venues(start))
    return _moved(original, kind, _other_venue(original, material, kind, preferred, start))


def preprint_as_published(original: Original, material: Material, stream: Stream) -> Changed:
    """A preprint cited as published in a journal or at a conference.

    The venue is a known one with topics of related works, not one that the file cites, where the preprint may actually have
    appeared later.
    """
    kinds = stream.shuffled(_KINDS)
    start = stream.share()
    near = (original, *material.related(original))
    cited = {venue.id for venue in material.cited_venues(start)}
    field = _field(original, material)

    def fitting(kind: str) -> list[Venue]:
        known = (venue for venue in _from(start, _venues(kind)) if venue.id not in cited)
        return [venue for venue in known if not field or _field_of(venue) == field]

    # Outside of computer science the known venues are journals.
    kind, open_ones = next(((kind, found) for kind in kinds if (found := fitting(kind))), (kinds[0], []))
    counts = [
        Counter(word for other in near for word in _topic(other.cited.venue)),
        Counter(word for other in near for word in topic_words(other.title)),
        material.word_counts,
    ]
    open_ones.sort(
        key=lambda venue: [sum(map(count.__getitem__, _topic(venue.name))) for count in counts], reverse=True
    )
    likeliest = stream.shuffled(open_ones[:_LIKELIEST])
    return _moved(original, kind, _other_venue(original, material, kind, likeliest, start))


@lru_cache(maxsize=65536)
def _topic(venue: str) -> frozenset[str]:
    """The topic words of a venue."""
    return topic_words(" ".join(word for word in venue_words(venue) if word not in HEADS and word not in NOISE))


def _other_venue(original: Original, material: Material, kind: str, preferred: Iterable[Venue], start: float) -> str:
    """The name (a BibTeX value) of a known venue of this kind that certainly differs from the reference.

    start: where to begin in the table of venues (0 to below 1) if no preferred venue suits.
    """

    def suits(venue: Venue) -> bool:
        return venue.kind == kind and _is_elsewhere(venue.name, original.cited.venue)

    known, field = list(_from(start, _venues(kind))), _field(original, material)
    near = [venue for venue in known if not field or _field_of(venue) == field]
    for venue in itertools.chain(preferred, near, known):
        if suits(venue):
            return escaped(venue.name)
    raise DoesNotApply("needs a venue that certainly differs from a known one")


def _field(original: Original, material: Material) -> str:
    """The field of a reference by its venue or archive; else as of most related works, or of most references of the file.

    Empty if unknown.
    """
    if own := _stated_field(original):
        return own
    for others in (material.related(original), material.originals):
        if told := Counter(field for field in map(_stated_field, others) if field):
            return max(sorted(told), key=lambda field: told[field])
    return ""


def _stated_field(original: Original) -> str:
    venue = lookup(original.cited.venue)
    if venue is not None and venue.kind in _KINDS:
        return _field_of(venue)
    old_style = original.cited.identifiers.arxiv.partition("/")
    fields = original.fields
    stated = fields.get("primaryclass") or fields.get("eprintclass") or (old_style[0] if old_style[1] else "")
    archive = stated.partition(".")[0].strip("{} ").lower()
    return _COMPUTING if archive in _ARCHIVES_OF_COMPUTING else _named_field(archive or original.cited.venue)


def _field_of(venue: Venue) -> str:
    return _COMPUTING if venue.dblp else _named_field(venue.name)


@lru_cache(maxsize=16384)
def _named_field(name: str) -> str:
    return next((field for field, pattern in _FIELDS_OF_VENUES.items() if pattern.search(name.lower())), "")


def is_placed(original: Original) -> bool:
    """Return True if the reference cites a journal or conference paper."""
    metadata = original.cited
    return (
        original.reference.type in _TYPES
        and metadata.venue_field in ("journal", "journaltitle", "booktitle")
        and not metadata.preprint
        and not is_series(metadata.venue)
        and parse_venue(metadata.venue).part != "submission"
    )


A_PLACE: Need = "a paper in a journal or at a conference", is_placed
PREPRINT_OR_PLACE: Need = A_PLACE[0], lambda original: original.cited.preprint or is_placed(original)


def are_different(first: Original, second: Original) -> bool:
    """Return True if two references certainly cite different venues."""
    return compare_venues(first.cited.venue, second.cited.venue) == "different"


def _moved(original: Original, kind: str, venue: str) -> Changed:
    """The reference with another venue (a BibTeX value), without the fields of the old venue."""
    entry, field = _PLACES[kind]
    if is_placed(original):
        entry, field = original.reference.type, original.cited.venue_field
    return Changed(entry, {**without_venue(original.fields), field: venue})


def without_venue(fields: Mapping[str, str]) -> dict[str, str]:
    """The fields without the venue and its details: volume, pages, publisher …"""
    return {name: value for name, value in fields.items() if name not in _OF_THE_VENUE}


def _kind(original: Original) -> str:
    known = lookup(original.cited.venue)
    if known is not None and known.kind in _KINDS:
        return known.kind
    return "conference" if original.cited.venue_field == "booktitle" else "journal"


@lru_cache(maxsize=65536)
def _is_elsewhere(venue: str, cited: str) -> bool:
    """Return True if a known venue differs from the cited one; an unknown cited venue must share no word with its name."""
    if not cited:
        return True
    relation = compare_venues(venue, cited)
    if relation == "unknown" and not parse_venue(cited).venues:
        # A single word may be an acronym of any venue.
        return len(parse_venue(cited).core) > 1 and _stems(venue).isdisjoint(_stems(cited))
    return relation == "different"


@lru_cache(maxsize=65536)
def _stems(name: str) -> frozenset[str]:
    """The first letters of the topic words of a venue, which every abbreviation keeps."""
    return frozenset(word[:_STEM] for word in venue_words(name) if word not in HEADS and word not in NOISE)


def _from(start: float, venues: Sequence[Venue]) -> Iterable[Venue]:
    """All venues, from this share of the table on."""
    first = int(start * len(venues))
    return itertools.chain(venues[first:], venues[:first])


@cache
def _venues(kind: str) -> Sequence[Venue]:
    return tuple(venue for venue in all_venues() if venue.kind == kind)


@cache
def _topics(field: str) -> Sequence[str]:
    """The topics of journals and conferences of a field, from their names; of all fields if the field has too few."""
    found = dict.fromkeys(
        match["topic"]
        for venue in all_venues()
        if (not field or _field_of(venue) == field) and (match := _TOPIC.search(venue.name))
    )
    topics = tuple(topic for topic in found if not _BODY.search(topic))
    return topics if len(topics) >= _FEW or not field else _topics("")
