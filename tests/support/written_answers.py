"""Answers of assistants in many layouts, made of known references: container, style, decoration, language and talk around them.

Only facts of the references come from a file; the layouts are those that assistants use. Works are named as they are
published, in every language; labels, conjunctions and remarks are translated.
"""

from __future__ import annotations

import csv
import html
import io
import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pytest_citecheck.model import Person
from tests.support.answer_phrases import PHRASES, Phrases
from tests.support.reference_styles import Known


@dataclass(frozen=True, slots=True)
class Written:
    """One answer: how it is made, its text, and its works."""

    container: str
    style: str
    decoration: str
    language: str
    talk: str
    text: str
    works: tuple[Known, ...]


# Names of persons.


def _family(person: Person) -> str:
    return person.literal or f"{person.particle} {person.family} {person.suffix}".strip()


def _initials(person: Person, end: str = ". ") -> str:
    return "".join(f"{word[0]}{end}" for word in re.findall(r"[^\W\d_][^\s-]*", person.given)).strip()


def _full(person: Person) -> str:
    return person.literal or " ".join(f"{person.given} {_family(person)}".split())


def _initials_first(person: Person) -> str:
    return person.literal or f"{_initials(person)} {_family(person)}".strip()


def _inverted(person: Person) -> str:
    return person.literal or f"{_family(person)}, {_initials(person)}".rstrip(", ")


def _inverted_full(person: Person) -> str:
    return person.literal or f"{_family(person)}, {person.given}".rstrip(", ")


def _capitals(person: Person) -> str:
    return person.literal or f"{_family(person)} {_initials(person, '')}".strip()


def _people(
    work: Known, one: Callable[[Person], str], last: str, et_al: str, *, most: int = 6, comma: bool = False
) -> str:
    names = [one(person) for person in work.people]
    if work.others or len(names) > most:
        shown = names[: 1 if most < 4 else 3]
        return f"{', '.join(shown)}{',' if comma or len(shown) > 1 else ''} {et_al}"
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])}{',' if comma else ''} {last} {names[-1]}"


PEOPLE: dict[str, Callable[[Known, Phrases], str]] = {
    "inverted": lambda work, say: _people(work, _inverted, "&", say.et_al, comma=True),
    "inverted, in full": lambda work, say: _people(work, _inverted_full, say.conjunction, say.et_al, most=3),
    "initials": lambda work, say: _people(work, _initials_first, say.conjunction, say.et_al),
    "capitals": lambda work, _: ", ".join(map(_capitals, work.people[:6])) + (", et al" * (work.others or len(work.people) > 6)),
    "full": lambda work, say: _people(work, _full, say.conjunction, say.et_al),
    "families": lambda work, say: _people(work, _family, "&", say.et_al, most=3),
}  # fmt: skip


# Styles of an item: {p} people, {y} year, {t} title, {v} venue with details, {j} venue, {a} address.

STYLES: dict[str, tuple[str, str]] = {
    "APA": ("inverted", "{p} ({y}). {t}. *{v}*. {a}"),
    "APA, plain": ("inverted", "{p} ({y}). {t}. {v}. {a}"),
    "APA, italic title": ("inverted", "{p} ({y}). *{t}*. {j}. {a}"),
    "Harvard": ("inverted", "{p} ({y}) '{t}', *{v}*. {a}"),
    "MLA": ("inverted, in full", "{p}. “{t}.” *{j}*, {y}. {a}"),
    "MLA, straight": ("inverted, in full", '{p}. "{t}." *{v}*, {y}. {a}'),
    "Chicago": ("inverted, in full", "{p}. {y}. “{t}.” *{v}*. {a}"),
    "IEEE": ("initials", '{p}, "{t}," *{j}*, {y}. {a}'),
    "IEEE, curly": ("initials", "{p}, “{t},” {v}, {y}. {a}"),
    "Vancouver": ("capitals", "{p}. {t}. {j}. {y}. {a}"),
    "ACM": ("full", "{p}. {y}. {t}. {j}. {a}"),
    "BibTeX plain": ("full", "{p}. {t}. *{v}*, {y}. {a}"),
    "title by people": ("full", '"{t}" {by} {p} ({y})'),
    "title – people": ("families", "{t} – {p} ({y})"),
    "title – people, venue": ("full", "{t} — {p}, {j}, {y}. {a}"),
    "title (people, year)": ("families", "{t} ({p}, {y})"),
    "title (year) by people": ("full", "{t} ({y}) {by} {p}. {a}"),
    "title (year) – people": ("full", "{t} ({y}) – {p}. {j}."),
    "quoted title, people": ("full", '"{t}", {p}, {j}, {y}. {a}'),
    "people (year): title": ("families", "{p} ({y}): {t}. {a}"),
    "people (year) – quoted": ("families", '{p} ({y}) – "{t}"'),
    "people, italic title": ("full", "{p}, *{t}* ({j}, {y})"),
    "people: title": ("full", "{p}: {t}. {j}, {y}."),
    "own quotes": ("full", "{p}: {oq}{t}{cq} ({y}). {a}"),
}

# Decoration of the parts of an item.

DECORATIONS: dict[str, dict[str, str]] = {
    "none": {},
    "bold title": {"t": "**{}**"},
    "bold people": {"p": "**{}**"},
    "bold people, italic title": {"p": "**{}**", "t": "*{}*"},
    "bold whole": {"whole": "**{}**"},
    "link on title": {"t": "[{}]({url})"},
    "bold link on title": {"t": "**[{}]({url})**"},
    "link on year": {"y": "[{}]({url})"},
    "code on identifier": {"a": "`{}`"},
    "italic title": {"t": "*{}*"},
    "bold and italic title": {"t": "***{}***"},
    "underscores": {"t": "__{}__"},
    "HTML": {"t": "<b>{}</b>", "p": "<i>{}</i>"},
}


def _url(work: Known) -> str:
    if work.doi:
        return f"https://doi.org/{work.doi}"
    return f"https://arxiv.org/abs/{work.arxiv}" if work.arxiv else ""


def _address(work: Known) -> str:
    return _url(work) or ""


def _details(work: Known) -> str:
    volume = f", {work.volume}{f'({work.number})' if work.number else ''}" if work.volume else ""
    return f"{work.venue}{volume}{f', {work.pages}' if work.pages else ''}"


def item(work: Known, style: str, decoration: str, say: Phrases) -> str:
    """One reference on one line."""
    names, template = STYLES[style]
    marks = DECORATIONS[decoration]
    if "*{t}*" in template and "t" in marks:
        template = template.replace("*{t}*", "{t}")
    parts = {
        "p": PEOPLE[names](work, say), "y": work.year, "t": work.title, "v": _details(work), "j": work.venue,
        "a": _address(work), "by": say.by, "oq": say.quotes[0], "cq": say.quotes[1],
    }  # fmt: skip
    for name, mark in marks.items():
        if name != "whole" and parts[name] and ("{url}" not in mark or _url(work)):
            parts[name] = mark.replace("{}", parts[name]).replace("{url}", _url(work))
    text = template.format(**parts)
    text = re.sub(r"([?!.][*_]*)\.(?=[\s”\"])", r"\1", re.sub(r"\s+([.,])", r"\1", text))
    text = re.sub(r"(?<=[\w)])\.\.(?=\s)", ".", " ".join(text.split()))
    if "whole" in marks:
        text = "**" + text.replace("*", "") + "**"
    return text


# Containers.

Lines = Sequence[str]


def _remarked(text: str, remark: str, indent: str) -> str:
    return f"{text}\n{indent}{remark}" if remark else text


def ordered(items: Lines, remarks: Lines, say: Phrases) -> str:
    return "\n".join(
        _remarked(f"{n}. {text}", f"- {remark}" if remark else "", "   ")
        for n, (text, remark) in enumerate(zip(items, remarks, strict=True), 1)
    )


def ordered_apart(items: Lines, remarks: Lines, say: Phrases) -> str:
    return "\n\n".join(
        _remarked(f"{n}. {text}", f"\n   {remark}" if remark else "", "")
        for n, (text, remark) in enumerate(zip(items, remarks, strict=True), 1)
    )


def parenthesised(items: Lines, remarks: Lines, say: Phrases) -> str:
    return "\n".join(f"{n}) {text}" for n, text in enumerate(items, 1))


def bracketed(items: Lines, remarks: Lines, say: Phrases) -> str:
    return "\n".join(f"[{n}] {text}" for n, text in enumerate(items, 1))


def bullets(items: Lines, remarks: Lines, say: Phrases) -> str:
    return "\n".join(
        _remarked(f"- {text}", f"- {remark}" if remark else "", "  ")
        for text, remark in zip(items, remarks, strict=True)
    )


def stars(items: Lines, remarks: Lines, say: Phrases) -> str:
    return "\n\n".join(
        _remarked(f"*   {text}", f"*   {remark}" if remark else "", "    ")
        for text, remark in zip(items, remarks, strict=True)
    )


def round_bullets(items: Lines, remarks: Lines, say: Phrases) -> str:
    return "\n".join(f"• {text}" for text in items)


def paragraphs(items: Lines, remarks: Lines, say: Phrases) -> str:
    return "\n\n".join(
        _remarked(text, f"\n{remark}" if remark else "", "") for text, remark in zip(items, remarks, strict=True)
    )


def hard_breaks(items: Lines, remarks: Lines, say: Phrases) -> str:
    return "  \n".join(items)


def topic_headings(items: Lines, remarks: Lines, say: Phrases) -> str:
    half = (len(items) + 1) // 2
    return "\n\n".join(
        f"### {topic}\n\n{bullets(items[at], remarks[at], say)}"
        for topic, at in zip(say.topics, (slice(half), slice(half, None)), strict=True)
        if items[at]
    )


def numbered_topics(items: Lines, remarks: Lines, say: Phrases) -> str:
    half = (len(items) + 1) // 2
    return "\n\n".join(
        f"### {n}. {topic}\n{bullets(items[at], remarks[at], say)}"
        for n, (topic, at) in enumerate(zip(say.topics, (slice(half), slice(half, None)), strict=True), 1)
        if items[at]
    )


def bold_topics(items: Lines, remarks: Lines, say: Phrases) -> str:
    half = (len(items) + 1) // 2
    return "\n\n".join(
        f"**{topic}**\n{ordered(items[at], remarks[at], say)}"
        for topic, at in zip(say.topics, (slice(half), slice(half, None)), strict=True)
        if items[at]
    )


def nested_topics(items: Lines, remarks: Lines, say: Phrases) -> str:
    half = (len(items) + 1) // 2
    parts = [
        (topic, items[at]) for topic, at in zip(say.topics, (slice(half), slice(half, None)), strict=True) if items[at]
    ]
    return "\n".join(
        f"{n}. **{topic}**\n" + "\n".join(f"   - {text}" for text in texts) for n, (topic, texts) in enumerate(parts, 1)
    )


def nested_bullets(items: Lines, remarks: Lines, say: Phrases) -> str:
    half = (len(items) + 1) // 2
    parts = [
        (topic, items[at]) for topic, at in zip(say.topics, (slice(half), slice(half, None)), strict=True) if items[at]
    ]
    return "\n".join(f"- {topic}:\n" + "\n".join(f"    - {text}" for text in texts) for topic, texts in parts)


def quotes(items: Lines, remarks: Lines, say: Phrases) -> str:
    return "\n\n".join(
        _remarked(f"> {text}", f"\n{remark}" if remark else "", "") for text, remark in zip(items, remarks, strict=True)
    )


def quoted_list(items: Lines, remarks: Lines, say: Phrases) -> str:
    return "\n".join(f"> {line}" for line in ordered(items, remarks, say).split("\n"))


def emoji(items: Lines, remarks: Lines, say: Phrases) -> str:
    return "\n\n".join(
        _remarked(f"{n}\ufe0f\u20e3 {text}", remark, "")
        for n, (text, remark) in enumerate(zip(items, remarks, strict=True), 1)
    )


def circled(items: Lines, remarks: Lines, say: Phrases) -> str:
    return "\n".join(f"{chr(0x245F + n)} {text}" for n, text in enumerate(items, 1))


def pictures(items: Lines, remarks: Lines, say: Phrases) -> str:
    return "\n\n".join(
        _remarked(f"📄 {text}", f"👉 {remark}" if remark else "", "")
        for text, remark in zip(items, remarks, strict=True)
    )


def footnotes(items: Lines, remarks: Lines, say: Phrases) -> str:
    body = " ".join(f"{say.sentence}[^{n}]" for n in range(1, len(items) + 1))
    return f"{body}\n\n" + "\n".join(f"[^{n}]: {text}" for n, text in enumerate(items, 1))


def numbered_notes(items: Lines, remarks: Lines, say: Phrases) -> str:
    body = " ".join(f"{say.sentence} [{n}]." for n in range(1, len(items) + 1))
    return f"{body}\n\n**{say.references}**\n\n" + "\n".join(f"[{n}] {text}" for n, text in enumerate(items, 1))


def fenced(items: Lines, remarks: Lines, say: Phrases) -> str:
    return f"```text\n{bracketed(items, remarks, say)}\n```".replace("*", "")


def html_list(items: Lines, remarks: Lines, say: Phrases) -> str:
    return "<ol>\n" + "\n".join(f"  <li>{_html(text)}</li>" for text in items) + "\n</ol>"


def _html(text: str) -> str:
    text = html.escape(text, quote=False) if "<" not in text else text
    text = re.sub(r"\[([^\]]+)\]\((\S+?)\)", r'<a href="\2">\1</a>', text)
    text = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text)
    return re.sub(r"\*(.+?)\*", r"<em>\1</em>", text)


def tasks(items: Lines, remarks: Lines, say: Phrases) -> str:
    return "\n".join(f"- [ ] {text}" for text in items)


def reference_table(items: Lines, remarks: Lines, say: Phrases) -> str:
    rows = "\n".join(
        f"| {n} | {text.replace('|', '/')} | {remark or say.remarks[0]} |"
        for n, (text, remark) in enumerate(zip(items, remarks, strict=True), 1)
    )
    return f"| # | {say.label('reference')} | {say.label('why')} |\n|---|---|---|\n{rows}"


ITEMISED: dict[str, Callable[[Lines, Lines, Phrases], str]] = {
    "ordered list": ordered, "ordered list, apart": ordered_apart, "numbers in parentheses": parenthesised,
    "numbers in brackets": bracketed, "bullets": bullets, "stars": stars, "round bullets": round_bullets,
    "paragraphs": paragraphs, "hard breaks": hard_breaks, "topic headings": topic_headings,
    "numbered topics": numbered_topics, "bold topics": bold_topics, "nested topics": nested_topics,
    "nested bullets": nested_bullets, "quotes": quotes, "quoted list": quoted_list, "emoji numbers": emoji,
    "circled numbers": circled, "pictures": pictures, "footnotes": footnotes, "numbered notes": numbered_notes,
    "code fence": fenced, "HTML list": html_list, "tasks": tasks, "table of references": reference_table,
}  # fmt: skip
"""Containers of references that stand on one line each."""


def _cells(work: Known, say: Phrases, rng: random.Random) -> dict[str, str]:
    people = PEOPLE[rng.choice(("full", "families", "initials"))](work, say)
    return {"title": work.title, "authors": people, "year": work.year, "venue": work.venue, "doi": work.doi or "—"}


def table(works: Sequence[Known], decoration: str, say: Phrases, rng: random.Random) -> str:
    names = rng.choice(
        (("title", "authors", "year"), ("authors", "year", "title", "venue"), ("year", "title", "authors", "doi"))
    )
    mark = DECORATIONS[decoration].get("t", "{}")
    count, why = rng.random() < 0.5, rng.random() < 0.5
    rows = []
    for number, work in enumerate(works, 1):
        cells = _cells(work, say, rng)
        if "{url}" not in mark or _url(work):
            cells["title"] = mark.replace("{}", cells["title"]).replace("{url}", _url(work))
        row = [str(number)] * count + [cells[name] for name in names] + [rng.choice(say.remarks)] * why
        rows.append(f"| {' | '.join(cell.replace('|', '/') for cell in row)} |")
    heads = ["#"] * count + [say.label(name) for name in names] + [say.label("why")] * why
    if rng.random() < 0.3:
        heads = [f"**{head}**" for head in heads]
    return f"| {' | '.join(heads)} |\n{'|---' * len(heads)}|\n" + "\n".join(rows)


def html_table(works: Sequence[Known], decoration: str, say: Phrases, rng: random.Random) -> str:
    names = ("title", "authors", "year", "venue")
    heads = "".join(f"<th>{say.label(name)}</th>" for name in names)
    rows = "\n".join(
        "<tr>" + "".join(f"<td>{html.escape(_cells(work, say, rng)[name])}</td>" for name in names) + "</tr>"
        for work in works
    )
    return f"<table>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>"


def labelled(works: Sequence[Known], decoration: str, say: Phrases, rng: random.Random) -> str:
    """Titles with labelled bullets below."""
    label = rng.choice(("**{}:** ", "*{}:* ", "{}: ", "**{}**: "))
    head = rng.choice(
        ("{n}. **{t}**", "- **{t}**", "### {n}. {t}", "{n}. {t}", "**{n}. {t}**", '{n}. **"{t}"**', "### {t}")
    )
    indent = "" if head.startswith(("#", "*")) else "  " if head.startswith("-") else "   "
    names = rng.choice(
        (
            ("authors", "year", "venue"),
            ("authors", "year"),
            ("year", "authors", "doi"),
            ("authors", "venue", "year", "why"),
        )
    )
    return ("\n\n" if rng.random() < 0.7 else "\n").join(
        "\n".join([
            head.format(n=n, t=work.title),
            *(
                f"{indent}- {label.format(say.label(name))}{value}"
                for name in names
                if (value := {**_cells(work, say, rng), "why": rng.choice(say.remarks)}[name]) != "—"
            ),
        ])
        for n, work in enumerate(works, 1)
    )  # fmt: skip


def all_labelled(works: Sequence[Known], decoration: str, say: Phrases, rng: random.Random) -> str:
    """Blocks in which the title too has a label."""
    label = rng.choice(("**{}:** ", "{}: ", "**{}**: "))
    start = rng.choice(("", "{n}. ", "- "))
    end = "  \n" if not start else "\n"
    return "\n\n".join(
        start.format(n=n)
        + f"{end}{' ' * len(start.format(n=n))}".join(
            label.format(say.label(name)) + _cells(work, say, rng)[name]
            for name in ("title", "authors", "year", "venue")
        )
        for n, work in enumerate(works, 1)
    )


def headed(works: Sequence[Known], decoration: str, say: Phrases, rng: random.Random) -> str:
    """A heading or bold line with the title, people and year on the next line, and a remark."""
    head = rng.choice(("### {n}. {t}", "**{n}. {t}**", "## {t}", "**{t}**", "{n}. **{t}**", "#### {t} ({y})"))
    below = rng.choice(("{p} ({y})", "*{p}, {y}*", "**{p} ({y})** · {v}", "{by} {p}, {y}", "{p} — {v}, {y}"))
    indent = "   " if head.startswith("{n}") else ""
    end = "  " if not head.startswith("#") else ""
    blocks = []
    for n, work in enumerate(works, 1):
        people = PEOPLE["full"](work, say)
        line = below.format(p=people, y=work.year, v=work.venue, by=say.by.capitalize())
        blocks.append(
            f"{head.format(n=n, t=work.title, y=work.year)}{end}\n{indent}{line}{end}\n{indent}{rng.choice(say.remarks)}"
        )
    return "\n\n".join(blocks)


def definitions(works: Sequence[Known], decoration: str, say: Phrases, rng: random.Random) -> str:
    return "\n\n".join(f"{work.title}\n: {PEOPLE['full'](work, say)} ({work.year}). {work.venue}." for work in works)


def comma_separated(works: Sequence[Known], decoration: str, say: Phrases, rng: random.Random) -> str:
    names = rng.choice((("authors", "year", "title", "venue"), ("title", "authors", "year", "doi")))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n", delimiter=rng.choice((",", ",", ";", "\t")))
    writer.writerow(names)
    for work in works:
        writer.writerow(
            "; ".join(map(_full, work.people)) if name == "authors" else _cells(work, say, rng)[name] for name in names
        )
    return f"```csv\n{out.getvalue()}```"


def as_json(works: Sequence[Known], decoration: str, say: Phrases, rng: random.Random) -> str:
    listed = rng.random() < 0.5
    rows = []
    for work in works:
        people = [_full(person) for person in work.people]
        rows.append(
            {
                "title": work.title,
                "authors": people if listed else ", ".join(people),
                "year": int(work.year) if listed else work.year,
                rng.choice(("venue", "journal", "source")): work.venue,
                **({"doi": work.doi} if work.doi else {}),
            }
        )
    value = rows if rng.random() < 0.5 else {rng.choice(("references", "papers", "results")): rows}
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return f"```json\n{text}\n```" if rng.random() < 0.8 else text


def yaml_list(works: Sequence[Known], decoration: str, say: Phrases, rng: random.Random) -> str:
    blocks = [
        f'- title: "{work.title}"\n  authors: [{", ".join(map(_full, work.people))}]\n'
        f"  year: {work.year}\n  venue: {work.venue}"
        for work in works
    ]
    return "```yaml\n" + "\n".join(blocks) + "\n```"


def prose(works: Sequence[Known], decoration: str, say: Phrases, rng: random.Random) -> str:
    """Sentences that mention a work each."""
    marks = (
        ("*{}*", "“{}”", '"{}"', "{o}{}{c}", "**{}**")
        if decoration == "none"
        else (DECORATIONS[decoration].get("t", "*{}*"),)
    )
    said = []
    for work in works:
        mark = rng.choice(marks)
        mark = "*{}*" if "{url}" in mark and not _url(work) else mark
        title = (
            mark.replace("{o}", say.quotes[0])
            .replace("{c}", say.quotes[1])
            .replace("{}", work.title)
            .replace("{url}", _url(work))
        )
        people = PEOPLE[rng.choice(("families", "full"))](work, say)
        said.append(rng.choice(say.mentions).format(p=people, t=title, y=work.year))
    return " ".join(said) if rng.random() < 0.5 else "\n\n".join(said)


COMPOSED: dict[str, Callable[[Sequence[Known], str, Phrases, random.Random], str]] = {
    "table": table, "HTML table": html_table, "labelled": labelled, "all labelled": all_labelled, "headed": headed,
    "definitions": definitions, "CSV": comma_separated, "JSON": as_json, "YAML": yaml_list, "prose": prose,
}  # fmt: skip
"""Containers that divide a reference into parts."""

_UNDECORATED = frozenset({"code fence", *COMPOSED} - {"table", "prose"})
_SHORTEST = frozenset({"prose"})
"""Containers without the styles of an item."""
TALK = ("none", "introduced", "closed", "introduced and closed", "advice", "disclaimer", "thinking")


def refusal(say: Phrases, rng: random.Random) -> str:
    """An answer without a reference."""
    return "\n\n".join([say.refusal, *rng.sample([say.advice, say.note, say.closing], rng.randint(0, 3))])


def written(works: Sequence[Known], seed: int) -> Iterator[Written]:
    """Yield answers without end: each container, decoration and language comes equally often."""
    rng = random.Random(seed)  # noqa: S311
    containers = [*ITEMISED, *COMPOSED, "refusal"]
    while True:
        for container in containers:
            language = rng.choice([*PHRASES])
            say = PHRASES[language]
            if container == "refusal":
                yield Written(container, "", "none", language, "refusal", refusal(say, rng), ())
                continue
            chosen = tuple(rng.sample(list(works), rng.randint(2, 6)))
            decoration = "none" if container in _UNDECORATED else rng.choice([*DECORATIONS])
            talk = rng.choice(TALK)
            style = rng.choice([*STYLES]) if container in ITEMISED else ""
            if container in ITEMISED:
                remarks = [rng.choice(say.remarks) if rng.random() < 0.5 else "" for _ in chosen]
                body = ITEMISED[container]([item(work, style, decoration, say) for work in chosen], remarks, say)
            else:
                body = COMPOSED[container](chosen, decoration, say, rng)
            yield Written(container, style, decoration, language, talk, _around(body, talk, say, rng), chosen)


def _around(body: str, talk: str, say: Phrases, rng: random.Random) -> str:
    parts = {
        "introduced": [say.opening, body], "closed": [body, say.closing],
        "introduced and closed": [say.opening, body, say.closing],
        "advice": [say.opening, body, say.advice], "disclaimer": [body, say.note],
        "thinking": [f"<think>\n{say.thinking}\n</think>", body],
    }.get(talk, [body])  # fmt: skip
    if len(parts) > 1 and rng.random() < 0.2:
        parts = [part for one in parts for part in (one, "---")][:-1]
    return "\n\n".join(parts)
