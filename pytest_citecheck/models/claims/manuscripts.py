r"""The claims of a manuscript: of each sentence with citations, the part that each citation carries.

A citation carries the words between the citation before it and itself. Keys that are cited together (``\cite{a,b}``) must
support their claim together. A citation that is a noun (``\citet{key}`` and its kin) keeps a name and carries the words after
it. Sentences that are no claims about the cited work are left out, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from pytest_citecheck.inputs import (
    LATEX,
    LATEX_CITATION,
    MARKDOWN,
    MARKDOWN_CITATION,
    CitationMatch,
    CitationPattern,
    Files,
    LatexCitation,
    NoFiles,
    Surroundings,
    UnreadableDocumentError,
    blanked_latex,
    blanked_markdown,
    cited_metadata,
    follow,
    keys_of,
    spaces,
)
from pytest_citecheck.matching import decode, lazy_pattern, parse
from pytest_citecheck.model import CitedMetadata
from pytest_citecheck.models.claims.no_claims import ELSEWHERE, LEAST_WORDS, no_claim, says_something
from pytest_citecheck.models.claims.pairs import ClaimFile, ClaimPair, GroupSource, group_text, with_own_ids
from pytest_citecheck.models.claims.source_texts import ABSTRACT, SourceFolder

_LISTED = 4  # citations in a row, with hardly a word between them, are a list
_LONGEST_ITEM = 3  # words between two of them


def read_manuscript(text: str, where: str, suffix: str, sources: SourceFolder, files: Files | None = None) -> ClaimFile:
    """One pair for each place that cites, in the order of the text. files: those that a LaTeX document may input."""
    names = _names(text, where, suffix, files or NoFiles())
    how = _Dialect(suffix == ".tex", LATEX_CITATION if suffix == ".tex" else MARKDOWN_CITATION, names)
    parts = _latex_files(text, where, files or NoFiles()) if how.latex else [(where, text, blanked_markdown(text))]
    known: dict[str, tuple[str, str, str]] = {}
    pairs = []
    for shown, whole, blanked in parts:
        for claim in _claims(blanked, how):
            pair = _pair(claim, [known.setdefault(key, sources.text(key)) for key in claim.keys])
            line = whole.count("\n", 0, claim.place) + 1
            pairs.append(replace(pair, path=where, line=line, file="" if shown == where else shown))
    return ClaimFile(where, tuple(with_own_ids(pairs)))


_READERS = {".tex": LATEX, ".md": MARKDOWN}
_AUTHORS = "the authors"
"""Replaces the names of a work that is not in the bibliography."""


@dataclass(frozen=True, slots=True)
class _Named:
    """How a sentence names a work. title: for a work without authors."""

    people: str
    year: str
    title: str

    def written(self, command: str) -> str:
        """The words in place of a citation command."""
        who = self.people or self.title or _AUTHORS
        if "citeauthor" in command:
            return who
        if "citeyear" in command or "citedate" in command:
            return self.year or who
        if "citetitle" in command:
            return self.title or who
        return f"{who} ({self.year})" if self.year else who


@dataclass(frozen=True, slots=True)
class _Dialect:
    """How a manuscript is written. names: of the entries of its bibliography, by key."""

    latex: bool
    pattern: CitationPattern
    names: Mapping[str, _Named]

    def name_of(self, match: CitationMatch) -> str:
        """The names and years of the works that a citation cites, never their keys."""
        command = match.name.lower() if isinstance(match, LatexCitation) else ""
        known = [self.names.get(key) for key in keys_of(match)]
        written = [named.written(command) for named in known if named is not None]
        if not written or len(written) < len(known):
            return _AUTHORS
        return " and ".join(written) if len(written) < 3 else f"{', '.join(written[:-1])} and {written[-1]}"


def _names(text: str, where: str, suffix: str, files: Files) -> dict[str, _Named]:
    """The names of all entries; none without a bibliography that can be read."""
    try:
        around = Surroundings(files, everything=True)
        read = _READERS[suffix].read_document(where, text.encode("utf-8", "surrogatepass"), around)
    except UnreadableDocumentError:
        return {}
    return {reference.key: _named(cited_metadata(reference)) for reference in read.references if reference.key}


def _named(cited: CitedMetadata) -> _Named:
    families = [" ".join(filter(None, (name.particles, name.family))) for name in map(parse, cited.people.names)]
    many = len(families) > 2 or (families and cited.people.others)
    people = f"{families[0]} et al." if many else " and ".join(families)
    return _Named(people, str(cited.year or cited.year_text), cited.title)


def _pair(claim: _Claim, texts: Sequence[tuple[str, str, str]]) -> ClaimPair:
    """The claim with the texts of its sources, or why it cannot be judged."""
    problems = [problem for _, _, problem in texts if problem]
    names = [name or key for key, (_, name, _) in zip(claim.keys, texts, strict=True)]
    grouped = [GroupSource(name, text, why) for name, (text, _, why) in zip(names, texts, strict=True)]
    single = len(texts) == 1
    return ClaimPair(
        id="+".join(claim.keys),
        claim=claim.text,
        source=texts[0][0] if single else group_text(grouped),
        sources=len(texts),
        source_name=texts[0][1] if single else ", ".join(names),
        unfit=claim.problem or (problems[0] if len(problems) == len(texts) else ""),
        version="manuscript",
        cites=", ".join(claim.keys),
        keys=claim.keys,
        # What a missing text or an abstract leaves out, the source may say.
        abstract=bool(problems) or any(name.endswith(ABSTRACT) for _, name, _ in texts),
    )


def _latex_files(text: str, where: str, files: Files) -> list[tuple[str, str, str]]:
    """The document and what it inputs: the name of each file, its text, and its text without what is no prose."""
    project = follow(where, text.encode("utf-8", "surrogatepass"), files)
    found = []
    for file in project.files:
        said = _PREAMBLE.sub(lambda match: spaces(match[0]), blanked_latex(file.text, _NO_PROSE))
        found.append((file.shown, file.text, _UNCITED.sub(lambda match: spaces(match[0]), said)))
    return found


_NO_PROSE = (r"verbatim\*?", "lstlisting", "comment", "thebibliography", r"equation\*?", r"align\*?", "minted")
_PREAMBLE = lazy_pattern(r"\A.*?\\begin\{document\}", re.DOTALL)
_UNCITED = lazy_pattern(r"\\nocite[A-Za-z]*\s*\{[^{}]*\}")
_APART = lazy_pattern(
    r"\\(?:footnote(?:text)?|thanks|caption(?:of)?\*?|marginpar|sidenote|endnote)\s*+(?:\[[^\[\]]{0,500}+\]\s*+)?+(?=\{)"
)
_LEFT_OUT = {
    "in a table": lazy_pattern(r"\\begin\{(tabular[xy*]?|longtable|tabu|tblr)\}"),
    "in an algorithm or a listing": lazy_pattern(r"\\begin\{(algorithm|algorithmic|algorithm2e|tikzpicture)\}"),
}
_BREAKS = lazy_pattern(
    r"\n[ \t]*\n|\\(?:par|item|section|subsection|subsubsection|paragraph|chapter|begin|end|title|maketitle|appendix)\b"
    r"(?:\*?(?:\[[^\[\]\n]{0,300}+\])?\{(?:[^{}]|\{[^{}]*\})*\})?|^[ \t]*(?:[-*+]|\d+[.)]|>)[ \t]+|^[ \t]*\#{1,6}[ \t][^\n]*$"
    r"|^[^\n]*\n(?:={3,}|-{3,})[ \t]*$|^:{3,}[^\n]*$",
    re.MULTILINE,
)
_MARKDOWN_APART = lazy_pattern(r"^\[\^[^\]\s]+\]:[ \t]*|\^\[", re.MULTILINE)
_FOOTNOTE_MARK = lazy_pattern(r"\[\^[^\[\]\s]++\](?!:)")
_TABLE_LINE = lazy_pattern(r"^[ \t]*\|.*\|[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Block:
    """Text with blanks for what is read elsewhere: places stay as they are. problem: why its sentences are no claims."""

    start: int
    end: int
    text: str
    problem: str = ""


def _blocks(text: str, how: _Dialect) -> Iterator[_Block]:
    """The text and its separate parts."""
    apart = sorted(_apart_latex(text) if how.latex else _apart_markdown(text))
    left = list(text)
    for start, end, *_ in apart:
        left[start:end] = spaces(text[start:end])
    if not how.latex:
        for match in _FOOTNOTE_MARK.finditer(text):
            left[match.start() : match.end()] = spaces(match[0])
    yield _Block(0, len(text), "".join(left))
    yield from (_Block(begin, stop, text, problem) for _, _, begin, stop, problem in apart)


def _apart_latex(text: str) -> Iterator[tuple[int, int, int, int, str]]:
    """What is blanked in the outer text, what is read instead, and why it is not."""
    for match in _APART.finditer(text):
        stop = _closing(text, match.end())
        if stop is not None:
            yield match.start(), stop, match.end() + 1, stop - 1, ""
    for problem, environments in _LEFT_OUT.items():
        end = 0
        for match in environments.finditer(text):
            closing = text.find(f"\\end{{{match[1]}}}", match.end())
            if match.start() >= end and closing >= 0:
                end = closing + len(match[1]) + 6
                yield match.start(), end, match.end(), closing, problem


def _closing(text: str, start: int, signs: str = "{}", depth: int = 0) -> int | None:
    """The end of the group that opens at ``start``. depth: 1 if it is open before."""
    for sign in re.compile(rf"(?<!\\\\)[{re.escape(signs)}]").finditer(text, start, start + 20_000):
        depth += 1 if sign[0] == signs[0] else -1
        if depth == 0:
            return sign.end()
    return None


def _apart_markdown(text: str) -> Iterator[tuple[int, int, int, int, str]]:
    for match in _MARKDOWN_APART.finditer(text):
        if match[0] == "^[":
            stop = _closing(text, match.end(), "[]", depth=1)
            if stop is not None:
                yield match.start(), stop, match.end(), stop - 1, ""
        else:
            blank = re.compile(r"\n[ \t]*\n(?![ \t]{2,}\S)|\n(?=\[\^)|\Z").search(text, match.end())
            stop = blank.start() if blank else len(text)
            yield match.start(), stop, match.end(), stop, ""
    for match in _TABLE_LINE.finditer(text):
        yield match.start(), match.end(), match.start(), match.end(), "in a table"


_END = lazy_pattern(r"(?P<mark>[.!?]['\"”’)]*)(?=\s|\Z|\\|\[)")
_ABBREVIATIONS = lazy_pattern(
    r"(?:\b(?:e\.g|i\.e|cf|vs|al|etc|fig|figs|eq|eqs|sec|ch|no|nos|vol|pp|approx|resp|ca|dr|prof|mr|mrs|st"
    r"|ref|refs)|\b[A-Z])\.\Z",
    re.IGNORECASE,
)
_GAP = re.compile(r"[\s~]*")


def _sentences(block: _Block, how: _Dialect) -> Iterator[tuple[int, int]]:
    start = block.start
    for part in (*_BREAKS.finditer(block.text, block.start, block.end), None):
        stop = part.start() if part else block.end
        yield from _within(block.text, start, stop, how)
        start = part.end() if part else stop


def _within(text: str, start: int, stop: int, how: _Dialect) -> Iterator[tuple[int, int]]:
    """The sentences of one paragraph. A citation right after a full stop belongs to the sentence before it."""
    pattern = how.pattern
    position = start
    while position < stop:
        end = stop
        for mark in _END.finditer(text, position, stop):
            if _ABBREVIATIONS.search(text, max(position, mark.start() - 10), mark.start() + 1):
                continue
            end = mark.end()
            while (follows := _cited_at(text, end, stop, pattern)) is not None and _stands_alone(
                text, follows.end(), stop, match=follows
            ):
                end = follows.end()
            break
        yield position, end
        position = end


def _cited_at(text: str, place: int, stop: int, pattern: CitationPattern) -> CitationMatch | None:
    """The citation that follows after blanks."""
    after = _GAP.match(text, place, stop)
    return pattern.match(text, after.end(), stop) if after else None


def _stands_alone(text: str, end: int, stop: int, *, match: CitationMatch) -> bool:
    """Return True if a citation behind a full stop begins no sentence of its own: a capital letter, or the end, follows."""
    if _is_noun(match):
        return False
    rest = text[end:stop].lstrip(" \t\n~")
    return not rest or rest[0].isupper() or rest[0] in "\\[(“\"'."


_OPENER = lazy_pattern(
    r"\s*(?:(?:However|Then|Thus|Hence|Therefore|Also|Moreover|Furthermore|Finally|Note|Similarly),?\s+)?"
    r"(?:under|although|if|when|while|because|since|as|given|starting|particularly when|after|before|unless|by)\s",
    re.IGNORECASE,
)
"""The beginning of a subordinate clause, which says nothing without its main clause."""
_TEXTUAL = lazy_pattern(
    r"\\(?:citet|citealt|citealp|citeauthor|textcite|newcite|citeasnoun|shortcite|citeN)", re.IGNORECASE
)
_BARE = lazy_pattern(r"\\cite(?:alp|alt)", re.IGNORECASE)
_BETWEEN = lazy_pattern(r"[\s~,;.()\[\]]*(?:(?:and|und|et|see|also|e\.g\.|cf\.|more recently)[\s~,;()\[\]]*){0,3}\Z")
_CLOSES = lazy_pattern(r"[\s~]*(?:[,;:.!?)–—]|--|(?:and|but|while|whereas|or|although|because|since|which|where)\b|\Z)")
_TO_VERB = lazy_pattern(r"\bto\s+[a-z]+\s*\Z")
_CLAUSES = lazy_pattern(r"[;:–—]|---?|,(?=\s)|\s(?:while|whereas|but|although|and)\s")
_BEFORE_NOUN = lazy_pattern(
    r"(?:\A|[.;:,(]|\b(?:in|by|of|from|to|see|following|with|and|as|than|like|on|extend|extends|use|uses|both"
    r"|authors of))[\s~]*\Z",
    re.IGNORECASE,
)
_AFTER_NOUN = lazy_pattern(
    r"[\s~]*(?:,[\s~]*)?(?:(?:first|also|later|further|then|[a-z]{2,}ly)[\s~]+)?(?:(?:show|find|report|present|develop|obtain"
    r"|consider|suggest|employ|survey|conduct|list|collect|build|offer|recommend|adopt|review|adapt|extend|claim)(?:s|ed)?"
    r"|(?:propose|introduce|argue|demonstrate|use|describe|prove|provide|summari[sz]e|generate|state|examine|evaluate|explore"
    r"|place|include|define|estimate|compare|derive|generali[sz]e|notice|conclude|investigate|analy[sz]e|note|observe|give)[sd]?"
    r"|(?:stud|appl)(?:y|ies|ied)|(?:discuss|establish)(?:es|ed)?|point(?:s|ed)? out|found|built|given|gave"
    r"|is|are|was|were|has|have)\b",
    re.IGNORECASE,
)
_STEMS = (
    "show|find|use|learn|make|give|require|lead|allow|improve|perform|keep|provide|suggest|depend|increase|decrease|reduce|remain"
    "|achieve|yield|produce|cause|affect|tend|differ|contain|include|help|fail|take|become|exist|occur|grow|rely|replace"
    "|introduce|propose|converge|generali[sz]e|follow|offer|define|describe|build|wrap|employ|implement|compute|indicate"
    "|ignore|arise|apply|applie|estimate|assume|argue|extend|converge|hold|mean|say|seem|appear|come|go"
    "|correspond|combine|emerge|enable|support|represent|determine|arise|belong|consist|denote|discuss"
    "|emphasi[sz]e|ensure|exhibit|explain|explore|express|facilitate|focu|govern|handle|identify|identifie|impl|imply|implie"
    "|incorporate|involve|know|leave|live|lose|obtain|outperform|play|prefer|present|prevent|prove|recommend"
    "|refer|relate|resemble|reveal|satisf|satisfie|simplifie|specifie|start"
    "|subtract|suffer|transform|treat|utili[sz]e|vary|varie|violate|adjust|assesse|capture"
    "|compare|compete|conclude|connect|consider|construct|contradict|contribute|convert|create|demonstrate|derive|detect"
    "|develop|distinguishe|evaluate|exceed|expect|generate|get|guarantee|happen|ignore|inhibit|insert|interact"
    "|lie|matche|maximi[sz]e|minimi[sz]e|move|observe|operate|optimi[sz]e|predict|preserve|publishe|raise|reache|read"
    "|work|report|note|claim|study|studie|add|draw|investigate|analy[sz]e|receive|reflect|remove|resample|solve|struggle|succeed|save|harm|hurt|boost|double|lower|raise|limit|ease|hinge|symboli[sz]e|embody|embodie|rest|account|proceed|survive|underlie|want|write"
)
_VERB = lazy_pattern(
    r"(?<![\w-])(?:is|are|was|were|be|been|has|have|had|can|could|may|might|must|will|would|shall|should|do|does|did|cannot"
    r"|found|led|made|gave|took|became|grew|fell|rose|held|kept|saw|won|lost|built|began|wrote|said|got|came|went"
    r"|cost|put|met|ran|sold|told|thought|brought|bought|caught|taught|fought|sent|spent|meant|left|felt|stood|understood"
    r"|sat|laid|paid|drew|flew|knew|threw|chose|spoke|broke|drove|bore|sank|laid|died"
    r"|[a-z]{2,}s(?=\s(?:the|a|an|its|their|his|her|this|that|these|no|to)\s)"
    rf"|(?<!as )(?<!the )(?<!of )(?<!these )(?:{_STEMS})s?"
    r"|(?<!as )(?<!the )(?<!a )(?<!an )(?<!of )(?<!are )(?<!,\s)[a-z]{2,}ed(?!\s+(?:by|in|on|using|similar|from|for|via|as)\b)"
    r")(?![\w-])"
)
_SUBJECT = lazy_pattern(r"(?:it|they|he|she|this|these|those|there|some|both|[A-Z]\w*)\b")
_LEADS = lazy_pattern(
    r"[\s~,;]*(?:and|but|or|yet|then)\s+(?:(?:also|then|thus|often|later|[a-z]{2,}ly)\s+)?(?P<verb>[a-z]{2,}(?:s|ed))\s"
)
"""The beginning of a part that shares its subject with the part before it."""
_AUXILIARY = lazy_pattern(r"\b(?:is|are|was|were|has|have|had|can|could|may|might|will|would|should|do|does|did)\b")
_SINGULAR = lazy_pattern(r"(?<=\w )[a-z]{2,}(?:s|ed)\b")
_PASSIVE = lazy_pattern(r"(?P<aux>(?:is|are|was|were|has been|have been)) \w+(?:ed|en)\b")
_LONGEST_SUBJECT = 10  # words
_RELATIVE = lazy_pattern(
    r"(?:which|that|who|whose|where|when|including|such as|like|namely|e\.g\.|i\.e\.|to|for|in|of|with|from)\b",
    re.IGNORECASE,
)
_NAME_BEFORE = lazy_pattern(r"(?:\bet al\.?|\band (?:colleagues|co-?workers|collaborators))[\s~]*\Z")
_TWO_NAMES = lazy_pattern(r"\b[A-Z][\w'’-]+ (?:and|&) [A-Z][\w'’-]+[\s~]*\Z")
_NEXT_LISTED = lazy_pattern(r"(?:,[\s~]*(?:and[\s~]+)?|[\s~]+and[\s~]+)")
_LONGEST_LIST = 50  # citations in a row
_NEAR = 600  # characters before a citation in which its list begins


@dataclass(frozen=True, slots=True)
class _Claim:
    keys: tuple[str, ...]
    place: int
    text: str
    problem: str = ""


@dataclass(slots=True)
class _Cited:
    """Citations with nothing between them. start, end: of the first and the last one. noun: part of the sentence."""

    start: int
    end: int
    keys: tuple[str, ...]
    noun: bool


def _claims(text: str, how: _Dialect) -> Iterator[_Claim]:
    found = (
        replace(claim, problem=block.problem or claim.problem)
        for block in _blocks(text, how)
        for start, end in _sentences(block, how)
        for claim in _sentence_claims(block.text, start, end, how)
    )
    yield from sorted(found, key=lambda claim: claim.place)


def _sentence_claims(text: str, start: int, end: int, how: _Dialect) -> Iterator[_Claim]:
    groups = _groups(text, start, end, how)
    if len(groups) > _LONGEST_LIST:
        said = _plain(text[start : start + _NEAR], how)
        yield from (_Claim(group.keys, group.start, said, "a list of works") for group in groups)
        return
    whole = _plain(text[start:end], how)
    listed = len(groups) >= _LISTED and all(
        len(text[before.end : after.start].split()) <= _LONGEST_ITEM for before, after in pairwise(groups[1:])
    )
    for keys, place, begin, stop in _carried(text, start, end, groups, how):
        said = _plain(text[begin:stop], how)
        if subject := _subject_before(text, begin, stop, _plain(text[start:begin], how), how):
            said = f"{subject} {said}"
        problem = "a list of works" if listed else no_claim(said, whole, _SINGULAR if subject else _VERB)
        if not problem and how.latex and _ELSEWHERE.search(_ASIDE.sub("", text[begin:stop])):
            problem = ELSEWHERE
        yield _Claim(keys, place, said, problem)


def _carried(
    text: str, start: int, end: int, groups: Sequence[_Cited], how: _Dialect
) -> list[tuple[tuple[str, ...], int, int, int]]:
    """The keys, their place, and the part of the sentence that they carry. What is no clause goes with its neighbour."""
    found: list[tuple[tuple[str, ...], int, int, int]] = []
    position = start
    for number, group in enumerate(groups):
        after = groups[number + 1] if number + 1 < len(groups) else None
        stop = _stop(text, end, group, after)
        if (match := _OPENER.match(text, position, stop)) and not re.search(r",\s+\S", text[match.end() : group.start]):
            stop = end if after is None else after.start  # its main clause follows the citation
        begin = position
        parts = [_plain(text[one:other], how) for one, other in ((begin, stop), found[-1][2:])] if found else []
        shares = (
            parts
            and says_something(parts[1])
            and _subject_before(text, begin, stop, _plain(text[start:begin], how), how)
        )
        if not shares and not all(map(_is_clause, parts)):
            keys, place, begin, _ = found.pop()
            found.append((tuple(dict.fromkeys((*keys, *group.keys))), place, begin, stop))
        else:
            found.append((group.keys, group.start, begin, stop))
        position = stop
    if len(found) == 1 and not _is_clause(_plain(text[found[0][2] : found[0][3]], how)):
        keys, place, *_ = found[0]
        return [(keys, place, start, end)]
    return found


def _stop(text: str, end: int, group: _Cited, after: _Cited | None) -> int:
    """Where the part of a sentence ends that a citation carries."""
    if group.noun:
        if after is None:
            return end
        return _clause_before(text, group.end, after.start) if after.noun else after.end
    if after is None and not text[group.end : end].strip(" \t\n~.!?)"):
        return end
    if _CLOSES.match(text, group.end, end):
        return group.end
    # The clause goes on behind the citation, which belongs to the words in front of it.
    for stop in _CLAUSES.finditer(text, group.end, end if after is None else after.start):
        if not _TO_VERB.search(text, group.end, stop.start()):  # “to fit and analyze models” is one clause
            return stop.start()
    return end if after is None else after.start


def _subject_before(text: str, begin: int, end: int, before: str, how: _Dialect) -> str:
    """The subject that a part without one shares with the words before it, with the auxiliary of a passive; else empty."""
    leads = _LEADS.match(text, begin, end)
    rest = _plain(text[leads.end() : end], how) if leads else ""
    if (
        leads is None
        or not (leads["verb"].endswith("ed") or _VERB.match(leads["verb"]))
        or len(rest.split()) < LEAST_WORDS - 1
        or _AUXILIARY.search(rest)
    ):
        return ""
    verb = _VERB.search(before) or _SINGULAR.search(before)
    if verb is None or not 0 < len(before[: verb.start()].split()) <= _LONGEST_SUBJECT:
        return ""
    passive = leads["verb"].endswith("ed") and _PASSIVE.match(before, verb.start())
    return before[: passive.end("aux") if passive else verb.start()].strip()


def _is_clause(said: str) -> bool:
    """Return True if words can be true or false: they have a verb, and need no other words in front."""
    if not says_something(said) or _RELATIVE.match(said):
        return False
    return _VERB.search(said) is not None and (len(said.split()) > LEAST_WORDS or _SUBJECT.match(said) is not None)


def _groups(text: str, start: int, end: int, how: _Dialect) -> list[_Cited]:
    groups: list[_Cited] = []
    for match in how.pattern.finditer(text, start, end):
        keys = tuple(dict.fromkeys(key for key in keys_of(match) if key != "*"))
        if not keys:
            continue
        noun = _is_noun(match) or (how.latex and _reads_as_noun(text, start, end, match))
        last = groups[-1] if groups else None
        alone = _BETWEEN.match(text[last.end : match.start()]) if last is not None and not last.noun else None
        listed = _NEXT_LISTED.fullmatch(text, last.end, match.start()) if last is not None and last.noun else None
        if last is not None and (listed if noun else alone):
            last.end, last.keys = match.end(), tuple(dict.fromkeys((*last.keys, *keys)))
        else:
            groups.append(_Cited(match.start(), match.end(), keys, noun))
    return groups


def _is_noun(match: CitationMatch) -> bool:
    if not isinstance(match, LatexCitation):
        return match["group"] is None
    before = match.text[max(0, match.start() - 200) : match.start()]
    bare = _BARE.match(match[0]) is not None and _in_parentheses(before)
    return _TEXTUAL.match(match[0]) is not None and not bare


def _reads_as_noun(text: str, start: int, end: int, match: CitationMatch) -> bool:
    r"""Return True for ``\cite`` as a subject or after a preposition: “in \cite{a}”, “\cite{a} and \cite{b} show that”."""
    before = text[max(start, match.start() - _NEAR) : match.start()]
    after = _behind_list(text[match.end() : min(end, match.end() + 2 * _NEAR)])
    if re.search(r"(?:\ba|à|`\{?a\}?) la[\s~]*\Z", before[-20:]):
        return True
    if _in_parentheses(before):
        return False
    first, before = _before_list(before)
    if first is not None and _is_noun(first):
        return True
    if _is_named(before, after) or (_AFTER_NOUN.match(after) and _BEFORE_NOUN.search(before)):
        return True
    return bool(
        re.search(r"\b(?:in|by|of|from|to|on|see|following|with|than|like|unlike)[\s~]*\Z", before, re.IGNORECASE)
    )


def _behind_list(after: str) -> str:
    """The words behind citations that go on with commas and “and”."""
    place = 0
    for _ in range(_LONGEST_LIST):
        gap = _NEXT_LISTED.match(after, place)
        cited = LATEX_CITATION.match(after, gap.end()) if gap else None
        if cited is None:
            break
        place = cited.end()
    return after[place:]


def _before_list(before: str) -> tuple[CitationMatch | None, str]:
    """The first of the citations that lead here with commas and “and”, and the words before it."""
    near = before[-_NEAR:]
    found, place, first = list(LATEX_CITATION.finditer(near)), len(near), None
    while found and _NEXT_LISTED.fullmatch(near, found[-1].end(), place):
        first = found.pop()
        place = first.start()
    return first, before[: len(before) - len(near) + place]


def _in_parentheses(before: str) -> bool:
    """Return True if a parenthesis is open, as before ``(see \\citealp{key})``."""
    return before.rfind("(") > before.rfind(")")


def _is_named(before: str, after: str) -> bool:
    """Return True if the authors are named in front of their citation."""
    return bool(_NAME_BEFORE.search(before) or (_TWO_NAMES.search(before) and _AFTER_NOUN.match(after)))


def _clause_before(text: str, start: int, end: int) -> int:
    """Where the last clause between two places begins; the first place if there is one clause only."""
    found = [match.start() for match in _CLAUSES.finditer(text, start, end)]
    return found[-1] if found else end


_ELSEWHERE = lazy_pattern(r"\\(?:ref|autoref|[cC]ref|eqref|pageref|nameref)\b")
_ASIDE = lazy_pattern(
    r"(?<!Equation.)(?<!Equations.)(?<!Section.)(?<!Eq\..)(?<!\bin\s)(?<!\bof\s)"
    r"\((?:[^()\\]{0,60}+\\(?:ref|autoref|[cC]ref|eqref)\*?\{[^{}]{0,100}+\})++[^()\\]{0,40}+\)"
)
"""A parenthesis that only refers to another place, such as ``(see Figure~\\ref{a})``."""


_REFERENCES = lazy_pattern(
    r"\\(?:label|ref|autoref|cref|Cref|eqref|footnotemark|index|vspace|hspace|includegraphics)\*?(?:\[[^\[\]]{0,300}+\])?\{[^{}]{0,300}+\}"
)
_BEFORE_FORMULA = lazy_pattern(r",?(?<!\s)\s++which [^,.]{0,30}\bthe following(?: \w+)?\Z")
_SEE_ALSO = lazy_pattern(
    r"(?<=.{20})(?:(?<!\s)\s*+[,;–—]|\s-{1,3})\s++(?:but |and )?see\b[^.]{0,200}(?:\.[^.]{1,120}){0,3}\.?\Z"
)
_EDGE_WORDS = lazy_pattern(
    r"\A(?:(?:[–—]|-{2,3})\s*+(?:and|or|but)?\s|(?:\([\divx]{1,3}\)|and|but|or|(?:while|whereas)(?=[^,]*\Z)|also|,|;|:|\)|\])\s)\s*+",
    re.IGNORECASE,
)
_LAST_WORDS = lazy_pattern(
    r"(?<![\s,;:(\[])[\s,;:(\[]++(?:and|or|by|in|e\.g\.|i\.e\.|see|cf\.|see also|see, e\.g\.|for example)?+[\s,(]*+\Z",
    re.IGNORECASE,
)


def _plain(sentence: str, how: _Dialect) -> str:
    pattern = how.pattern
    last = len(sentence)
    bare = pattern.sub(lambda match: _shown(match, sentence, last, how), sentence)
    if how.latex:
        bare = decode(_REFERENCES.sub("", _ASIDE.sub("", bare)).replace("~", " "))
    else:
        bare = re.sub(r"!?\[([^\[\]]*)\]\([^()]*\)(?:\{[^{}]*\})?", r"\1", bare)
        bare = re.sub(r"(\*\*|__|(?<!\w)[*_]|[*_](?!\w))", "", bare)
    bare = re.sub(
        r"\([\s,;.]*(?:(?:e\.g\.|see|also|cf\.|i\.e\.|for example|and)[\s,;.]*)*\)|\[\s*\]", "", " ".join(bare.split())
    )
    bare = re.sub(
        r"(?<![\s,;])[\s,;]++(?:(?:or|and|by|for|in|la|cf\.|see)[\s,;]*+){0,8}+\)", ")", " ".join(bare.split())
    )
    bare = re.sub(r" ([.,;:!?)])", r"\1", bare).strip(" ,;:")
    bare = _BEFORE_FORMULA.sub(".", bare)
    bare = _EDGE_WORDS.sub("", bare if bare[:4].lower() == "for " else _SEE_ALSO.sub(".", bare))
    if not bare.endswith((".", "!", "?")):
        bare = _LAST_WORDS.sub("", bare)
    if bare.count("(") > bare.count(")"):
        bare = (
            bare.replace("(", "", 1)
            if bare.startswith("(")
            else f"{bare})"
            if bare.rfind("(") > len(bare) // 2
            else bare
        )
    bare = bare.strip(" ,;")
    return f"{bare[0].upper()}{bare[1:]}" if bare.startswith(_AUTHORS) else bare


def _shown(match: CitationMatch, sentence: str, end: int, how: _Dialect) -> str:
    before, after = sentence[max(0, match.start() - _NEAR) : match.start()], sentence[match.end() : match.end() + _NEAR]
    if how.latex and not _is_noun(match) and _is_named(before, after):
        return ""
    if _is_noun(match) or (how.latex and _reads_as_noun(sentence, 0, end, match)):
        return how.name_of(match)
    return ""
