"""Thresholds: every number that decides a comparison, a check or a verdict.

One row a threshold, grouped by room. The rooms import the plain numbers; ``THRESHOLDS`` holds the rows, from which
docs/evidence/thresholds.md is written. ``tests/test_thresholds.py`` has a case on either side of each. The count that
justifies a row is the number of decisions that another value changes: ``python -m benchmarks.thresholds``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeVar

Number = TypeVar("Number", int, float)


@dataclass(frozen=True, slots=True)
class Threshold:
    """A number that decides. unit: what it counts or measures; why: the reason for just this value.

    less, more: how many verdicts (findings) of 1,119 change if it is a step less or more (`python -m benchmarks.thresholds`); of
    what gathering asks for, ``–``.
    """

    name: str
    value: float
    unit: str
    why: str
    less: str = "0 (0)"
    more: str = "0 (0)"

    @property
    def step(self) -> float:
        """The smallest change that a test has to notice."""
        return 1 if isinstance(self.value, int) else 0.05


THRESHOLDS: Final[dict[str, Threshold]] = {}


def _row(name: str, value: Number, unit: str, why: str, less: str = "0 (0)", more: str = "0 (0)") -> Number:
    THRESHOLDS[name] = Threshold(name, value, unit, why, less, more)
    return value


# fmt: off

# People and works: what a record is to the reference
AGREEING = _row("AGREEING", 0.5, "share of the cited people",
    "a record with the cited title and half of the people counts as the cited work", "0 (0)", "3 (8)")
SAME_PEOPLE = _row("SAME_PEOPLE", 0.8, "share of the cited people",
    "if the title differs, the people alone identify the work: one in five may be missing")
NEAR_BY_OTHERS = _row("NEAR_BY_OTHERS", 0.8, "similarity of titles",
    "a cited identifier leads to other people: only a title this similar still belongs to the cited work", "0 "
    "(5)", "1 (9)")
DISTINCTIVE = _row("DISTINCTIVE", 5, "words",
    "two different works rarely share a title this long; shorter ones (“Deep learning”) need their authors", "0 "
    "(1)", "0 (0)")
TELLING = _row("TELLING", 7, "words",
    "`python -m benchmarks.one_record`, “Namesakes”: almost no title this long has a namesake by other people",
    "1 (13)", "0 (0)")
YEARS_ASIDE = _row("YEARS_ASIDE", 1, "years", "volumes and journals are dated a year before or after the paper",
    "1 (34)", "4 (16)")
LISTED_AFTER = _row("LISTED_AFTER", 1, "years",
    "after this time, a publisher's list of a conference shows the proceedings, not the programme")
SETTLED_AFTER = _row("SETTLED_AFTER", 2, "years", "after this time, a volume is listed with its corrections and late tracks")
WORDS_OF_A_NAMESAKE = _row("WORDS_OF_A_NAMESAKE", 3, "words",
    "`python -m benchmarks.one_record`, “Namesakes”: 36 in 10,000 titles of three words belong to works of different people")
RATIO_OF_NAMESAKES = _row("RATIO_OF_NAMESAKES", 100.0, "likelihood ratio",
    "`python -m benchmarks.one_record`, “Namesakes”: under 1% of titles of three words or more have a namesake")
RATIO_OF_RENAMED = _row("RATIO_OF_RENAMED", 10.0, "likelihood ratio", "that a given name with the same initial is wrong, not new")
LISTS_LACK = _row("LISTS_LACK", 0.02, "share of the works",
    "a list of a venue and year that lacks at most this share is nearly complete: a title that it lacks is a warning")
HELD_FROM_WORKS = _row("HELD_FROM_WORKS", 100, "works",
    "an index with this many articles of a journal of one year, and not far fewer than of the years around, has most of them")
HELD_SHARE = _row("HELD_SHARE", 0.5, "share", "of the most works of one of the years around: not far fewer")
YEARS_AROUND = _row("YEARS_AROUND", 2, "years", "the years around a year")
HELD_LACK = _row("HELD_LACK", 0.035, "share of the works",
    "that such an index may lack at most: twice the share of references in real bibliographies that it lacks (43 of 2,474)")

# Titles
NEAR_IN_ORDER = _row("NEAR_IN_ORDER", 0.65, "share of the words, by weight",
    "two titles that share fewer words in order are different titles", "9 (0)", "9 (0)")
NEAR_IN_ANY_ORDER = _row("NEAR_IN_ANY_ORDER", 0.85, "share of the words, by weight",
    "the same in any order: two words or phrases are swapped")
NEAR_LETTERS = _row("NEAR_LETTERS", 0.9, "similarity of letters (Indel)",
    "titles this similar are near even if the words differ: several misspellings, or a script without spaces")
NEARLY_IN_STRING = _row("NEARLY_IN_STRING", 0.85, "similarity of letters (Indel)",
    "the reading of a string whose title is this similar to a record's is correct, even if other parts differ")
DISORDER = _row("DISORDER", 0.9, "factor", "weight of shared words in a different order")
CUT_TITLE_WORDS = _row("CUT_TITLE_WORDS", 4, "words", "a title cut by an ellipsis is compared from this length on")
FIRST_E_PRINTS = _row("FIRST_E_PRINTS", 1991, "year",
    "from this year on (arXiv opens), a publication may have had a different title as a preprint: 167 of 6,108 "
    "differ in one word")
UNDECORATED_WORDS = _row("UNDECORATED_WORDS", 3, "words",
    "the rest of a title without its decoration is compared from this length on")
ACCENTED_WORDS = _row("ACCENTED_WORDS", 2, "words", "one accented word is a name; two suggest another language")
PARTIAL_CREDIT = _row("PARTIAL_CREDIT", 0.7, "similarity of letters (Indel)",
    "two words this similar are one word, misspelled or inflected")
FUNCTION_DISCOUNT = _row("FUNCTION_DISCOUNT", 0.8, "weight", "the weight of articles and prepositions is lower by this much",
    "1 (0)", "0 (0)")

# Author names
MOSTLY_OTHER = _row("MOSTLY_OTHER", 1 / 3, "share of the cited people",
    "with fewer than this in the record, the people are entirely different, not partly", "0 (1)", "0 (0)")
FAMILY_NAME_FOR_TYPO = _row("FAMILY_NAME_FOR_TYPO", 4, "letters",
    "in a family name of at most this many letters, a different letter makes a different name")
FAMILY_NAME_FOR_TWO_TYPOS = _row("FAMILY_NAME_FOR_TWO_TYPOS", 8, "letters",
    "a family name this long may be misspelled in two letters")
NAME_TYPOS = _row("NAME_TYPOS", 2, "letters", "more differing letters make a different name")
SHORTEST_SURNAME = _row("SHORTEST_SURNAME", 3, "letters", "shorter pieces of a name are initials or particles")
GIVEN_NAME_ALONE = _row("GIVEN_NAME_ALONE", 4, "letters", "a given name this long identifies a person without the family name")
SOUND_LETTERS = _row("SOUND_LETTERS", 5, "letters", "shorter names that sound alike are different names")
GIVEN_NAME_FOR_TYPO = _row("GIVEN_NAME_FOR_TYPO", 5, "letters",
    "a shorter given name with a different letter is a different name")
GIVEN_NAME_SLIP = _row("GIVEN_NAME_SLIP", 0.7, "similarity of letters (OSA)",
    "a given name this similar to the record's is a misspelling (Davic, Seymore); a less similar one is a "
    "different name")
SHORT_FORM_LETTERS = _row("SHORT_FORM_LETTERS", 3, "letters", "a beginning this long is a short form (Rob, Robert)",
    "2 (3)", "1 (0)")
SHORT_ENDING_LETTERS = _row("SHORT_ENDING_LETTERS", 4, "letters", "an ending this long is a short form (Beth, Elizabeth)")
GLUED_INITIALS = _row("GLUED_INITIALS", 3, "given names",
    "initials written together are at least this many names, unless they contain no vowel")
SHORTENED_BY = _row("SHORTENED_BY", 2, "letters", "a short form leaves out at least this many")
CLIPPED_BY = _row("CLIPPED_BY", 3, "letters", "a clipped form with a new ending (Miltos) leaves out at least this many")
CONTRACTION_LETTERS = _row("CONTRACTION_LETTERS", 4, "letters", "a contraction (Wm, Chas) has at most this many")
CONTRACTION_CONSONANTS = _row("CONTRACTION_CONSONANTS", 3, "consonants",
    "fewer do not identify the contracted name")
NAME_PIECES = _row("NAME_PIECES", 2, "pieces", "a name divided by more commas is a list run together")
MOST_NAMES_WITHOUT_GIVEN = _row("MOST_NAMES_WITHOUT_GIVEN", 1, "people",
    "more people without a given name in a list of full names mean damage")
CAPITAL_INITIALS = _row("CAPITAL_INITIALS", 3, "letters", "up to this many capitals are initials written together")
REPEATED_NAME_LETTERS = _row("REPEATED_NAME_LETTERS", 4, "letters",
    "a family name this long that is also the given name is stated twice")

# Venues
ABBREVIATION_LETTERS = _row("ABBREVIATION_LETTERS", 2, "letters", "a shorter beginning abbreviates nothing in particular")
CONTRACTION_STEM = _row("CONTRACTION_STEM", 3, "letters",
    "beginning of a word before the letters that a contraction leaves out")
ACRONYM_LETTERS = _row("ACRONYM_LETTERS", 3, "letters", "shorter acronyms are shared by too many venues")
TOPIC_WORDS = _row("TOPIC_WORDS", 2, "words", "fewer topical words do not name a venue in full")
SHARED_STEM = _row("SHARED_STEM", 4, "letters", "beginning that two inflections of one word share")
INFLECTION_LETTERS = _row("INFLECTION_LETTERS", 4, "letters", "longest ending in which inflections differ")
MISSPELT_WORD = _row("MISSPELT_WORD", 6, "letters", "a shorter word with a different letter is a different word")
TOPIC_STEM = _row("TOPIC_STEM", 5, "letters", "beginning by which topical words are compared")
JOURNAL_WORDS = _row("JOURNAL_WORDS", 3, "words", "a shorter part of a venue is not the name of a journal")
FULL_NAME_WORDS = _row("FULL_NAME_WORDS", 3, "words", "a shorter beginning is not looked up as a full name")
PARSED_ACRONYM = _row("PARSED_ACRONYM", 3, "letters", "shorter capitals next to a name are not its acronym")
WORDS_BEHIND_PREFIX = _row("WORDS_BEHIND_PREFIX", 2, "words", "a prefix is removed only if this much of the name is left")
PREFIX_SLIPS = _row("PREFIX_SLIPS", 2, "letters", "with more wrong letters it is not “proceedings” or an ordinal")
PREFIX_WORD = _row("PREFIX_WORD", 9, "letters", "a word this long may be misspelled in several letters")
ROMAN_ACRONYM = _row("ROMAN_ACRONYM", 2, "letters", "“IV Symposium” is Intelligent Vehicles; longer Roman numbers count")
TOPIC_OF_EVENT = _row("TOPIC_OF_EVENT", 2, "words", "an unmatched topic this long means a different event")

# Identifiers
CENTURY_TURN = _row("CENTURY_TURN", 50, "two-digit year", "from this value on, a two-digit year is in the twentieth century")
LONG_NAME = _row("LONG_NAME", 20, "letters", "a name this long is not part of another one by chance")
MISSPELT_NAME = _row("MISSPELT_NAME", 0.9, "similarity of letters (Indel)", "one name may be a misspelling of the other")
BEYOND_A_VOLUME = _row("BEYOND_A_VOLUME", 0.2, "share of the numbers of the volume",
    "a DOI with a number beyond this belongs to no paper: at most a tenth of the numbers in the counted rows "
    "are missing")
BEYOND_A_PREFIX = _row("BEYOND_A_PREFIX", 20, "mean distances between known prefixes of DOIs",
    "so large a gap between assigned prefixes occurs once in 485 million by chance")
BEYOND_A_MONTH = _row("BEYOND_A_MONTH", 20, "times the highest number of a month, divided by the ids seen",
    "if n numbers are drawn from a row, the highest is this many parts in n short of its end once in 485 "
    "million months")
SEVERAL_WORKS = _row("SEVERAL_WORKS", 3, "works of a volume",
    "fewer do not show that each page of a volume belongs to one work")
PAGES_COVERED = _row("PAGES_COVERED", 0.9, "share of the pages of a volume",
    "`python -m benchmarks.places`: in complete volumes, 95 to 99% of the pages up to the last one belong to some work")
BEYOND_THE_END = _row("BEYOND_THE_END", 1.6, "times the last page of a volume",
    "`python -m benchmarks.places`: a list that seems complete lacks the last third of volume 3 of JMLR")
VOLUMES_AHEAD = _row("VOLUMES_AHEAD", 1.2, "times the volumes that a journal has by now",
    "a volume with a higher number does not exist; journals begin to print more volumes a year")
STATING_IT = _row("STATING_IT", 2, "collections",
    "32,538 of 32,566 works with a DOI in two collections, for the same venue and year, have the same DOI in both",
    "1 (2)", "0 (0)")

# Checks
SOMETHING_IN_COMMON = _row("SOMETHING_IN_COMMON", 0.25, "similarity of titles",
    "below this, it is a different work, not a renamed one", "0 (0)", "1 (1)")
SUBJECT_STEM = _row("SUBJECT_STEM", 4, "letters",
    "beginning of a word by which a renamed preprint and its publication share a subject", "1 (1)", "0 (0)")
COINED_NAME_WORDS = _row("COINED_NAME_WORDS", 2, "words", "a longer text before a colon is not a coined name")
ENOUGH_PEOPLE = _row("ENOUGH_PEOPLE", 3, "people", "fewer people write several works together by habit")
RETITLED = _row("RETITLED", 0.4, "similarity of titles",
    "from this value on, preprint and publication by the same people are one retitled work")
LATE_E_PRINT = _row("LATE_E_PRINT", 3, "years",
    "a number of an e-print that is younger than the record belongs to another work; 3 of 1.2 million records, 6 to 24 years")
POSTED_BEFORE = _row("POSTED_BEFORE", 3, "years", "preprints precede their publication by at most this much")
WORD_STEM = _row("WORD_STEM", 3, "letters", "beginning that two forms of one word share")
LONG_WORD = _row("LONG_WORD", 5, "letters", "in a shorter word, a different letter makes a different word")
WORD_ENDING = _row("WORD_ENDING", 2, "letters", "a slip inside a word leaves this much of its end")
FEW_LETTERS = _row("FEW_LETTERS", 2, "letters", "more differing letters are not a slip")
SAME_WORD = _row("SAME_WORD", 0.7, "similarity of letters (Indel)",
    "two words of one beginning that are this alike mean the same")
SEVERAL_AUTHORS = _row("SEVERAL_AUTHORS", 2, "people",
    "`python -m benchmarks.one_record`, “Siblings”: 28 of 906,281 publications by this many people have a sibling")
LEFT_OUT = _row("LEFT_OUT", 1 / 3, "share of the authors of the record",
    "7 of 11 incomplete lists of real papers lack at most a third of the authors: a slip, for which a warning "
    "is enough",
    "0 (5)", "0 (0)")
FIRST_AUTHORS = _row("FIRST_AUTHORS", 10, "authors",
    "2 of 11 incomplete lists of real papers are cut after the tenth author")
SLIGHT = _row("SLIGHT", 1 / 3, "share of the cited people (at least one)",
    "versions of a work do not differ in more of their authors")
OTHERS_IN_PLACE = _row("OTHERS_IN_PLACE", 2, "people",
    "if more people than this match, a different given name may be a second name of the same person")
THIRD_SOURCE = _row("THIRD_SOURCE", 3, "independent sources", "two may have copied one page, so a third one decides")
YEARS_IN_PRESS = _row("YEARS_IN_PRESS", 3, "years", "the longest time from online to print")
PRINTED_IN_TIME = _row("PRINTED_IN_TIME", 1995, "year",
    "from this year on, conference volumes are printed within a year (those of UAI 1986 to 1988 took two)")
YEARS_APART = _row("YEARS_APART", 2, "years", "a year that differs by less belongs to a related version", "0 (1)", "0 (0)")
PRINTED_AT_THE_EVENT = _row("PRINTED_AT_THE_EVENT", 2009, "year",
    "from this year on, the volumes of NeurIPS have the year of the conference; MIT Press used the next year")
SEVERAL_SOURCES = _row("SEVERAL_SOURCES", 2, "independent sources", "one source may have the year of the volume wrong")
FIRST_PRINT = _row("FIRST_PRINT", 1450, "year", "the first printed book", "–", "–")
MIXED_TITLE_BY_ONE = _row("MIXED_TITLE_BY_ONE", 0.3, "similarity of titles",
    "one author rarely has two works in one venue and year whose titles share this much")
MIXED_TITLE_BY_SEVERAL = _row("MIXED_TITLE_BY_SEVERAL", 0.15, "similarity of titles",
    "the same for several authors: it finds 122 of 150 mixed titles, and 5 correct references in 3,147")
EARNED = _row("EARNED", 0.95, "probability",
    "a finding is an error if the lower bound of its precision is this high")
PROBABLE = _row("PROBABLE", 0.5, "probability", "a finding is a warning if its precision is this high, and else a hint")
COVERED_FROM_WORKS = _row("COVERED_FROM_WORKS", 20, "works",
    "an index with this many works of a venue and year covers them", "–", "–")
YEARS_AHEAD = _row("YEARS_AHEAD", 1, "years", "issues of next year appear this year")

# Verdict
CHANGED = _row("CHANGED", 0.75, "similarity of titles", "from this value on, a title is a cited title with changed words",
    "5 (0)", "1 (0)")
CHANGED_TITLE_AT_VENUE = _row("CHANGED_TITLE_AT_VENUE", 0.6, "similarity of titles",
    "the same for the cited venue and year, where few titles are similar by chance", "1 (0)", "3 (0)")

# Gathering
OWN_QUERIES = _row("OWN_QUERIES", 4, "queries",
    "queries for one reference alone; docs/evidence/performance.md has the number of requests per reference", "–", "–")
OWN_QUERIES_ARENA = _row("OWN_QUERIES_ARENA", 6, "queries",
    "the same in the order of the Reference Hallucination Arena, which queries one service after the other", "–", "–")
FEW_WORKS = _row("FEW_WORKS", 5, "works", "works of the cited people that an index returns for one reference", "–", "–")
MANY_WORKS = _row("MANY_WORKS", 50, "works",
    "from this number on, initials distinguish namesakes: a thousand papers of a year are by a Zhang", "–", "–")
YEARS_TOGETHER = _row("YEARS_TOGETHER", 8, "years", "maximum time for which the same people publish together", "–", "–")

# Absence: how far not being found is evidence (docs/verdicts.md)
COVERED_FROM = _row("COVERED_FROM", 1995, "year", "sources are incomplete for earlier years", "–", "–")
LISTED_WITHIN = _row("LISTED_WITHIN", 180, "days", "the time in which every source lists a new work", "–", "–")
PRIOR_OF_PAPERS = _row("PRIOR_OF_PAPERS", 0.0004, "share of the references",
    "invented references in accepted papers: 100 of the references of 4,841 papers of NeurIPS 2025 (public "
    "reports of January 2026)",
    "–", "–")
PRIOR_OF_MODELS = _row("PRIOR_OF_MODELS", 0.3, "share of the references",
    "invented references in answers of language models: 14 to 95% by model (GhostCite, arXiv:2602.06718); the "
    "value is in the lower third", "–", "–")
MISS_LIMIT = _row("MISS_LIMIT", 0.01, "probability",
    "that all searches miss a real work; up to this value a missing reference is reported as unfindable. With "
    "it at most 1 real "
    "reference in 300 gets a false warning where services lack works at random (`python -m "
    "benchmarks.absence_end_to_end`)",
    "–", "–")
EXPECTED_SIZE = _row("EXPECTED_SIZE", 100, "trials",
    "weight of the product of the searches, which assumes independence, compared with trials of all of them together",
    "–", "–")
TRIALS_ELSEWHERE = _row("TRIALS_ELSEWHERE", 100, "trials", "weight of all trials of other strata together", "–", "–")
DOUBT_OF_A_SEARCH = _row("DOUBT_OF_A_SEARCH", 0.02, "probability", "that a search is broken, before any trial",
    "–", "–")
DOUBT_OF_A_STRATUM = _row("DOUBT_OF_A_STRATUM", 0.001, "probability", "that a stratum is covered poorly, in contrast to studies",
    "–", "–")
EXPLAINED_GAPS = _row("EXPLAINED_GAPS", 0.5, "share",
    "share of a search engine's gaps that is explained by publisher pages that it may not read (39 to 46%) and by "
    "chapters and front matter (7 to 12%; Ortega and Delgado-Quirós 2024): missing venues, not missing works of a "
    "stratum", "–", "–")
DEPENDENCE = _row("DEPENDENCE", 0.1, "share",
    "share of the works missed by one search that another search of the same data source misses for the same "
    "reason", "–", "–")
CALIBRATION_TRIALS = _row("CALIBRATION_TRIALS", 50, "trials",
    "maximum weight of the calibration of a search in a stratum, as a row of the table of coverage: it covers "
    "other venues", "–", "–")
CALIBRATION_MONTHS = _row("CALIBRATION_MONTHS", 6, "months", "services change; older trials no longer count", "–", "–")
HELD_WORKS = _row("HELD_WORKS", 2, "works",
    "of the cited venue around the cited year that a source must return before an absence from it counts", "–", "–")
HELD_YEARS = _row("HELD_YEARS", 2, "years",
    "from the cited year within which works of the venue show that it is covered", "–", "–")
SHARE_WHERE_INVENTED = _row("SHARE_WHERE_INVENTED", 0.05, "share of the references",
    "invented references in papers that contain any: 100 in 51 to 53 papers with some 40 references (NeurIPS "
    "2025)", "–", "–")
PROBABLY_INVENTED = _row("PROBABLY_INVENTED", 0.15, "probability",
    "from this probability on, a missing reference is a warning even if its searches miss more works than the "
    "limit allows",
    "–", "–")
CONTROL_REQUESTS = _row("CONTROL_REQUESTS", 0.05, "requests",
    "per reference for the controls of all sources together, but at least one for each source; the total limit "
    "is 0.35 per reference", "–", "–")
MOST_CONTROLS = _row("MOST_CONTROLS", 100, "references",
    "maximum number to search for: ten to twenty requests; more hardly narrow a share of 1%", "–", "–")
CONTROLS_ALONE = _row("CONTROLS_ALONE", 3, "references",
    "searched for at each source that accepts one query per request, among those that other sources did not "
    "find", "–", "–")
TELLING_PART = _row("TELLING_PART", 3, "words", "a main title or subtitle of fewer words is not searched for alone", "–", "–")
FEWEST_OF_A_SEARCH = _row("FEWEST_OF_A_SEARCH", 5, "references",
    "with fewer known references, a search that finds few of them is not reported", "–", "–")
FOUND_BY_A_SEARCH = _row("FOUND_BY_A_SEARCH", 0.5, "share",
    "a search that finds a smaller share of known references is reported; the table of coverage expects 0.7 or "
    "more", "–", "–")
WORTH_OF_A_PRIOR = _row("WORTH_OF_A_PRIOR", 50, "references",
    "weight of the prior against the invented references of one file, for single evidence: three in forty raise "
    "the share to 0.034",
    "–", "–")
MISSED_WHERE_OPEN = _row("MISSED_WHERE_OPEN", 0.3, "probability",
    "that a real work is missing if an absence is no evidence; only the stated probability uses it", "–", "–")
INVENTED_NOT_FOUND = _row("INVENTED_NOT_FOUND", 0.99, "probability", "that no work has the title of an invented reference",
    "–", "–")

# Claims: what a local entailment model says of a claim and its source
ENTAILMENT_PASS = _row("ENTAILMENT_PASS", 0.9, "probability of entailment by one passage, from a local model",
    "from this probability on, a source supports the claim", "–", "–")
ENTAILMENT_FAIL = _row("ENTAILMENT_FAIL", 0.95, "probability of contradiction by one passage, from a local model",
    "from this probability on, a source contradicts the claim, unless a passage rather entails it", "–", "–")
# fmt: on
