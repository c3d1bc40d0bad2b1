"""The subset of the Lucene query language that DataCite and arXiv document for their searches.

Supported: bare words, "phrases", ``field:word``, ``field:"phrase"``, ``field:(group)``, AND, OR, NOT, ANDNOT,
parentheses, and the backslash as escape. Two operands without an operator between them are both required:
DataCite sets that operator, arXiv behaves so. (arXiv API User's Manual, "Details of Query Construction";
Apache Lucene, "Query Parser Syntax".)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.stand_ins.search import words

Document = Mapping[str, str]
"""Field names and texts; each value of a multi-valued field is on its own line."""


class QuerySyntaxError(ValueError):
    """The query cannot be parsed: the service answers with status 400."""


@dataclass(frozen=True, slots=True)
class Operand:
    """A word or phrase to search for, and its field (empty: any)."""

    field: str
    text: str
    phrase: bool


Match = Callable[[Operand, Document], bool]
Test = Callable[[Document, Match], bool]

_TOKEN = re.compile(
    r"""
    \s* (?:
        (?P<open> \( )
      | (?P<close> \) )
      | (?P<field> [A-Za-z][\w.]* ) : (?=\S)
      | " (?P<phrase> (?: [^"\\] | \\. )* ) "
      | (?P<word> (?: [^\s()":\\] | \\. | :(?=\S) )+ )
    )
    """,
    re.VERBOSE,
)
_ESCAPED = re.compile(r"\\(.)")


class ArxivQuery:
    """A parsed query: its condition and its operands, except those after NOT."""

    def __init__(self, test: Test, operands: tuple[Operand, ...]) -> None:
        self._test = test
        self.operands = operands

    def matches(self, document: Document, match: Match | None = None) -> bool:
        """Return True if a document matches the query; ``match`` replaces the comparison of one operand."""
        return self._test(document, match or contains)


def contains(operand: Operand, document: Document, *, slop: int = 0) -> bool:
    """Return True if the operand's words are in its field: in order for a phrase, anywhere for other operands.

    ``slop`` is the number of other words allowed within a phrase.
    """
    texts = [document.get(operand.field, "")] if operand.field else list(document.values())
    wanted = words(operand.text)
    for line in (line for text in texts for line in text.split("\n")):
        found = words(line)
        if operand.phrase:
            windows = (found[start : start + len(wanted) + slop] for start in range(len(found)))
            if any(_in_order(wanted, window) for window in windows):
                return True
        elif set(wanted) <= set(found):
            return True
    return False


def _in_order(wanted: tuple[str, ...], window: tuple[str, ...]) -> bool:
    rest = iter(window)
    return all(word in rest for word in wanted)


def parse_query(text: str) -> ArxivQuery:
    """Parse a query; raises QuerySyntaxError for open quotes or parentheses and missing operands."""
    return _Parser(text).query()


class _Parser:
    def __init__(self, text: str) -> None:
        self._tokens: list[tuple[str, str]] = []
        self._operands: list[Operand] = []
        end = len(text.rstrip())
        position = 0
        while position < end:
            token = _TOKEN.match(text, position)
            if token is None or token.end() == position:
                raise QuerySyntaxError(f"cannot parse '{text}' at position {position}")
            kind = str(token.lastgroup)
            self._tokens.append((kind, token[kind]))
            position = token.end()

    def query(self) -> ArxivQuery:
        if not self._tokens:
            raise QuerySyntaxError("the query is empty")
        test = self._alternatives("", asked=True)
        if self._tokens:
            raise QuerySyntaxError(f"unexpected '{self._tokens[0][1]}'")
        return ArxivQuery(test, tuple(self._operands))

    def _next_is(self, *operators: str) -> bool:
        return bool(self._tokens) and self._tokens[0][0] == "word" and self._tokens[0][1] in operators

    def _alternatives(self, field: str, *, asked: bool) -> Test:
        tests = [self._conjunction(field, asked=asked)]
        while self._next_is("OR"):
            self._tokens.pop(0)
            tests.append(self._conjunction(field, asked=asked))
        return lambda document, match: any(test(document, match) for test in tests)

    def _conjunction(self, field: str, *, asked: bool) -> Test:
        tests = [self._negatable(field, asked=asked)]
        while self._tokens and self._tokens[0][0] != "close" and not self._next_is("OR"):
            if self._next_is("AND"):
                self._tokens.pop(0)
            tests.append(self._negatable(field, asked=asked))
        return lambda document, match: all(test(document, match) for test in tests)

    def _negatable(self, field: str, *, asked: bool) -> Test:
        if not self._next_is("NOT", "ANDNOT"):
            return self._operand(field, asked=asked)
        self._tokens.pop(0)
        test = self._operand(field, asked=False)
        return lambda document, match: not test(document, match)

    def _operand(self, field: str, *, asked: bool) -> Test:
        kind, value = self._tokens.pop(0) if self._tokens else ("end", "the end of the query")
        if kind == "field":
            return self._operand(value, asked=asked)
        if kind == "open":
            test = self._alternatives(field, asked=asked)
            if not self._tokens or self._tokens.pop(0)[0] != "close":
                raise QuerySyntaxError("a parenthesis is not closed")
            return test
        if kind not in ("word", "phrase") or (kind == "word" and value in ("AND", "OR")):
            raise QuerySyntaxError(f"an operand is missing before '{value}'")
        operand = Operand(field, _ESCAPED.sub(r"\1", value), kind == "phrase")
        if asked:
            self._operands.append(operand)
        return lambda document, match: match(operand, document)
