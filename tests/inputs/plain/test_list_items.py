"""Lists: the best segmentation wins, no line is lost, and other text does not become a reference."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.inputs import UNREAD, Item, Line, items_of, read_items, read_list

REFERENCES = (
    "Lovelace, A. (1843). Notes on the analytical engine. Scientific Memoirs, 3, 666-731.",
    "Hopper, Grace, 1952: The education of a computer, in: Proceedings of the ACM, Pittsburgh, S. 243-249.",
    "Noether, Emmy (1921): Idealtheorie in Ringbereichen, in: Mathematische Annalen, 83, 24-66.",
    "Turing, A. M. (1936). On computable numbers. Proceedings of the London Mathematical Society, 42, 230-265.",
    "Luhmann, Niklas: Soziale Systeme. Grundriß einer allgemeinen Theorie. Frankfurt am Main: Suhrkamp, 1984.",
    "Shannon, C. E. (in press). A mathematical theory. Bell System Technical Journal.",
)
DAMAGES = (
    "",
    "———",
    "12",
    "Powered by nothing in particular",
    "[3]",
    "See also the appendix.",
    "a" * 4000,
    "x@example.org",
    "\f7",
)


def wrapped(text: str, width: int) -> list[str]:
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + len(word) > width:
            lines.append(line)
            line = "    " + word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, line]


def read(text: str) -> tuple[list[str], list[str], list[str]]:
    """Return the texts of the references, the texts of unread items, and the notes."""
    found, notes = read_list("a.txt", text.split("\n"), whole=True)
    unread = [one.text for one in found if any(defect.code == UNREAD for defect in one.defects)]
    return [one.text for one in found if one.text not in unread], unread, [note.message for note in notes]


@pytest.mark.parametrize("way", ["lines", "numbers", "brackets", "bullets", "gaps", "hanging", "unmarked"])
def test_each_way_to_print_a_list_gives_the_same_items(way: str) -> None:
    marks = {"numbers": "{}. ", "brackets": "[{}] ", "bullets": "- "}
    lines: list[str] = []
    for number, text in enumerate(REFERENCES, start=1):
        printed = [text] if way == "lines" else wrapped(marks.get(way, "").format(number) + text, 50)
        if way in ("gaps", "unmarked"):
            printed = [line.strip() for line in printed]
        lines += [*printed, *([""] if way == "gaps" else [])]
    assert read("\n".join(["References", "", *lines])) == ([*REFERENCES], [], [])


def test_an_item_without_a_year_and_a_gap_in_the_numbers_are_reported() -> None:
    listed = [f"[{number}] {text}" for number, text in enumerate(REFERENCES, start=1)]
    listed[2] = "[3] Questionnaire of the survey"
    del listed[4]
    references, unread, notes = read("\n".join(["References", *listed]))
    assert len(references) == 4
    assert unread == ["Questionnaire of the survey"]
    assert notes == ["1 number is missing in the numbered list: 5"]


@pytest.mark.parametrize("people", ["Doe, J., & Invented, K.", "Roe-Smith, A. B., and Doe, C.", "Doe, J."])
@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_an_item_without_a_year_at_the_end_is_in_the_list(people: str, gap: str) -> None:
    last = f"{people} Consensus for the tuning of bandits in groups. Advances in Neural Information Processing Systems."
    references, unread, notes = read(gap.join(["References", *REFERENCES[:4:3], REFERENCES[0], last]))
    assert (references[-1], unread, notes) == (last, [], [])


def test_prose_after_a_list_is_outside_of_it() -> None:
    prose = (
        "She is a lecturer who has taught at the university since 1999. Her interests are that which is not in the list. "
        * 3
    )
    references, unread, notes = read("\n\n".join(["References", *REFERENCES, prose, prose]))
    assert (len(references), unread) == (len(REFERENCES), [])
    assert notes == [
        "2 lines from line 15 on not recognized as references: “She is a lecturer who has taught at the university since 199…” in a.txt"  # noqa: E501
    ]


def test_addresses_and_sentences_with_a_year_are_no_list() -> None:
    references, _, _ = read("Dear all,\n\nwe have met in 2019 and it was nice.\n\nBob, Tel. 12 34, bob@example.org\n")
    assert references == []


def sections(seed: int) -> list[str]:
    """A list that is cut, merged, shuffled and damaged."""
    random = Random(seed)  # noqa: S311 - no secret
    lines = [line for text in REFERENCES for line in wrapped(text, random.choice((30, 60, 200)))]
    for _ in range(random.randrange(6)):
        place = random.randrange(len(lines))
        change = random.randrange(5)
        if change == 0:
            lines.insert(place, random.choice(DAMAGES))
        elif change == 1:
            lines[place] = lines[place][: random.randint(0, len(lines[place]))] or "x"
        elif change == 2 and place:
            lines[place - 1 : place + 1] = [lines[place - 1] + lines[place]]
        elif change == 3:
            random.shuffle(lines)
        else:
            lines[place] = f"{random.randrange(40)}. {lines[place].strip()}"
    return lines


@pytest.mark.exhaustive
@given(st.integers(0, 10_000))
def test_every_line_is_in_one_item(seed: int) -> None:
    lines = [
        Line(
            text.strip(),
            1 + number // 20,
            5.0 * (len(text) - len(text.lstrip())),
            200.0,
            -12.0 * number,
            10.0,
            number + 1,
        )
        for number, text in enumerate(sections(seed))
        if text.strip()
    ]
    items = items_of(lines, Counter())
    assert [line for item in items for line in item.lines] == lines
    told, notes = read_items("a.txt", items, "line")
    inside = [item for item in items if item.kind != "outside"]
    assert {one.location.line for one in told} == {item.lines[0].number for item in inside}
    said = sum(int(note.message.split()[0]) for note in notes if note.code == "outside-list")
    assert said == sum(len(item.lines) for item in items if item.kind == "outside")


@pytest.mark.exhaustive
@given(st.integers(0, 10_000))
def test_every_word_of_a_text_is_in_an_item_or_a_note(seed: int) -> None:
    lines = sections(seed)
    found, notes = read_list("a.txt", lines, whole=True)
    placed = {number for one in found for number in range(one.location.line, one.location.end_line + 1)}
    outside = sum(int(note.message.split()[0]) for note in notes if note.code == "outside-list")
    blank = {
        number for number, line in enumerate(lines, start=1) if not any(sign.isalnum() for sign in line) or "\f" in line
    }
    lost = len({*range(1, len(lines) + 1)} - placed - blank) - outside
    assert lost <= len(lines) * any("\f" in line for line in lines) * 0.5


def test_long_items_are_kept() -> None:
    people = ", ".join(f"Name{chr(97 + number // 26)}{chr(97 + number % 26)}, A." for number in range(300))
    references, unread, _ = read(
        f"References\n\n[1] {people} (2012). A title of many people. Nature, 3, 4-5.\n[2] {REFERENCES[0]}\n"
    )
    assert (len(references), unread) == (2, [])


def test_an_item_of_the_middle_that_is_no_reference_fails() -> None:
    items = [Item(text, (Line(text, 1, 0, 0, -number, 10, number),)) for number, text in enumerate(REFERENCES, start=1)]
    odd = Item("Appendix to the questionnaire", (Line("Appendix", 1, 0, 0, -99, 10, 99),), kind="unread")
    (found,), notes = read_items("a.txt", [odd], "line")
    assert ([defect.code for defect in found.defects], found.defects[0].fatal, notes) == (["unread-item"], True, [])
    assert len(read_items("a.txt", items, "line")[0]) == len(REFERENCES)


def test_the_list_of_a_series_after_the_references_is_no_reference() -> None:
    people = ("Adams", "Baker", "Clark", "Davis", "Evans", "Frank")
    cited = [
        f"{name}, J. ({1990 + place}). The growth of small towns. Urban Studies, 4, 1-9."
        for place, name in enumerate(people)
    ]
    series = [line for number in range(1, 9) for line in (f"REPORTS Nr. {number}", str(1990 + number))]
    references, notes = read_list("list.txt", ["References", "", *cited, "", *series], whole=True)
    assert [one.fields["author"].partition(",")[0] for one in references if one.readable] == list(people)
    assert [one for one in references if not one.readable] == []
    assert any("REPORTS Nr. 1" in note.message for note in notes)
    kept = [*cited, "Grant, Report Nr. 7 of the Board of Trade, 1999.", "Hill, B. (1999). Towns, No. 3."]
    references, _ = read_list("list.txt", ["References", "", *kept], whole=True)
    assert len(references) == len(kept)


WITHOUT_FULL_STOPS = (
    ("Barlow, H. S., & Tamplin, R. M. (1980). Learning from problems: An approach", "to education. New York: Springer"),
    ("Berg, R. A. (2003). Teachers are from Mars. Sterling: Stylus Publishing",),
    (
        "Castle K, Young L, Zimmer MP (2001) Time and the use of money. In: Dell A (ed) Trade. Oxford",
        "University Press",
    ),
    ("Dunn, Jane. 1980. Duty in its Historical Context. Cambridge:", "Cambridge University Press"),
    ("Ellis, Ann/Ford, Bo (2005): Methods for teachers. Cape Town: Pearson Publications",),
)


@pytest.mark.parametrize(
    "last",
    [
        (),
        ("Adams, J. (2001). The state of schools. In", "Baker, H. (Ed.), Schools of today. Oxford: Blackwell."),
        (
            "Clark, M. (1997). Learning by problems in",
            "Education, Jossey-Bass, 1996. Found at",
            "http://example.org/problems",
        ),
        ("Grant, Helen. 2001. “How Do Rules Change?", "Diffusion, Learning, and Power.” Public Policy 8 (6): 13-31."),
    ],
)
def test_persons_and_a_year_begin_an_item_after_one_without_a_full_stop(last: tuple[str, ...]) -> None:
    wide = [tuple(line.strip() for line in wrapped(text, 50)) for text in REFERENCES[:3]]
    cited = [*WITHOUT_FULL_STOPS, *([last] if last else []), *wide]
    text = "\n".join(line for item in cited for line in item)
    assert read(f"References\n\n{text}\n") == ([" ".join(item) for item in cited], [], [])


def test_a_dash_or_an_asterisk_inside_an_item_is_no_bullet() -> None:
    item = "Hirsch, Joachim (2011): Kapitalismus aufbrechen – aber wie. *Das Argument* 291, 231-236."
    assert read(f"References\n\n- {item}\n- {REFERENCES[0]}\n") == ([item, REFERENCES[0]], [], [])


def test_lines_that_end_within_names_go_on() -> None:
    cited = [
        ("Higgins, Irina; Matthey, Loic; Pal, Arka; Burgess, Christopher; Glorot, Xavier;",
         "Botvinick, Matthew; Lerchner, Alexander (2017): Learning basic visual concepts. In: ICLR 2017."),
        ("C. Sønderby, T. Raiko, L. Maaløe, S.", "K. Sønderby, and O. Winther, “Ladder variational models,” in NeurIPS, 2016."),
        ("Muhammad Asim, Max Daniels, and Paul Hand. 2020.", "Invertible Generative Models for inverse problems. In ICML."),
        ("Kingma, Diederik; Ba, Jimmy (2015): A method for stochastic optimization. In: ICLR.",),
    ]  # fmt: skip
    text = "\n".join(line for item in cited for line in item)
    assert read(f"References\n\n{text}\n") == ([" ".join(item) for item in cited], [], [])


def test_numbers_on_lines_of_their_own_belong_to_the_next_line() -> None:
    first = "Bender, E. M., & Koller, A. (2020). Climbing towards meaning. ACL. https://doi.org/10.18653/v1/2020.acl-main.463"
    text = f"References\n\n1.\n{first}\n2.\n{REFERENCES[0]}\n3.\n{REFERENCES[3]}\n"
    assert read(text) == ([first, REFERENCES[0], REFERENCES[3]], [], [])


@pytest.mark.parametrize("mark", ["", "[{}] ", "{}. "])
def test_a_list_in_one_paragraph_is_split_before_each_reference(mark: str) -> None:
    cited = [" ".join(item) + "." for item in WITHOUT_FULL_STOPS] + [REFERENCES[0], REFERENCES[3]]
    text = " ".join(mark.format(number) + item for number, item in enumerate(cited, start=1))
    assert read(f"References\n\n{text}\n") == (cited, [], [])


def test_one_long_reference_in_a_paragraph_is_not_split() -> None:
    people = ", ".join(f"Name{chr(97 + number)}, A." for number in range(26))
    item = f"{people} (2012). A title of many people. In B. Baker & C. Clark (Eds.), A collection of 1999. Springer."
    assert read(f"References\n\n{item}\n\n{REFERENCES[0]}\n") == ([item, REFERENCES[0]], [], [])


def test_page_numbers_within_references_do_not_number_a_list() -> None:
    lines: list[str] = []
    for number, item in enumerate(REFERENCES, start=1):
        first, *others = (line.strip() for line in wrapped(item, 45))
        lines += [first, "", str(number), "", *others]
    references, unread, _ = read("References\n\n" + "\n".join(lines))
    assert not any(one.startswith(("1 ", "2 ", "3 ")) for one in [*references, *unread])


@pytest.mark.parametrize(
    ("item", "author"),
    [
        (
            "Astropy Collaboration, Robitaille, T. P., Tollerud, E. J., et al. 2013, A&A, 558, A33",
            "{Astropy Collaboration} and Robitaille, T. P. and Tollerud, E. J. and others",
        ),
        (
            "Planck Collaboration, Aghanim, N., Akrami, Y., et al. 2020, A&A, 641, A6",
            "{Planck Collaboration} and Aghanim, N. and Akrami, Y. and others",
        ),
    ],
)
def test_an_organisation_before_its_members_is_an_author(item: str, author: str) -> None:
    others = ["Abbott, B. P., Abbott, R., et al. 2016, Phys. Rev. Lett., 116, 061102"] * 2
    found, _ = read_list("a.txt", ["References", "", item, *others], whole=True)
    assert (found[0].raw.get("author"), [one.defects for one in found]) == (author, [()] * 3)
