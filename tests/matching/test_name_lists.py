from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.inputs import name_list
from pytest_citecheck.matching import AuthorComparison, compare_authors, without_affiliations
from pytest_citecheck.model import NameList, Person

TRANSFORMER = (
    "Ashish Vaswani; Noam Shazeer; Niki Parmar; Jakob Uszkoreit; Llion Jones; Aidan N. Gomez; Lukasz Kaiser;"
    " Illia Polosukhin"
)


def persons(text: str) -> list[Person]:
    return [Person(literal=name.strip()) for name in text.split(";")]


def shown(person: Person) -> str:
    if person.literal:
        return person.literal + ("*" if person.group else "")
    return f"{person.given}|{person.particle}|{person.family}|{person.suffix}".rstrip("|")


def compare(cited: str, found: str, *, complete: bool = True) -> AuthorComparison:
    return compare_authors(name_list(cited), persons(found), complete=complete)


@pytest.mark.parametrize(
    ("raw", "names"),
    [
        ("Vaswani, Ashish and Noam Shazeer", ["Ashish||Vaswani", "Noam||Shazeer"]),
        (
            "Aaron van den Oord and de la Vall{\\'e}e Poussin, Charles",
            ["Aaron|van den|Oord", "Charles|de la|Vallée Poussin"],
        ),
        ("Smith, Jr., John and John Smith III", ["John||Smith|Jr.", "John||Smith|III"]),
        ("{The ATLAS Collaboration} and {Barnes and Noble}", ["The ATLAS Collaboration*", "Barnes and Noble*"]),
        ("World Health Organization", ["World Health Organization*"]),
        ("{\\'E}mile Zola and {\\o}yvind Foo Bar", ["Émile||Zola", "|øyvind|Foo Bar"]),
        ("Garc{\\'i}a M{\\'a}rquez, Gabriel", ["Gabriel||García Márquez"]),
        (
            "Luis~Mu\\~noz and Luis Mu\\~{n}oz and S\\~ao~Silva, Jo\\~{a}o",
            ["Luis||Muñoz", "Luis||Muñoz", "João||São Silva"],
        ),
        ("{Gabriel Garc{\\'i}a} M{\\'a}rquez", ["Gabriel García||Márquez"]),
        ("Donald~E. Knuth AND\n  Brinch Hansen, Per", ["Donald E.||Knuth", "Per||Brinch Hansen"]),
        ("Wei Wang 0001 and Li, Jun 0002", ["Wei||Wang", "Jun||Li"]),
        ("Francesco d&apos;Amore and Ann Lee", ["Francesco||d'Amore", "Ann||Lee"]),
        ("family=Oord, given=Aaron, prefix=van den and family={Lee}, given-i=A", ["Aaron|van den|Oord", "A||Lee"]),
        ("Madonna and 王伟", ["||Madonna", "王伟"]),
        ("Mallikarjun B. R. and Ayush Tewari", ["Mallikarjun B. R.", "Ayush||Tewari"]),
        ("", []),
        (" and and Ann Lee and ", ["Ann||Lee"]),
        ("{}", []),
    ],
)
def test_reads_bibtex_names(raw: str, names: list[str]) -> None:
    assert [shown(person) for person in name_list(raw).names] == names
    assert not name_list(raw).others


@pytest.mark.parametrize(
    ("raw", "names"),
    [
        ("A. Smith, B. Jones and C. Wu", ["A.||Smith", "B.||Jones", "C.||Wu"]),
        ("A. Smith, B. Jones, and C. Wu", ["A.||Smith", "B.||Jones", "C.||Wu"]),
        ("A. Smith; B. Jones; C. Wu", ["A.||Smith", "B.||Jones", "C.||Wu"]),
        ("Smith, A.; Jones, B.", ["A.||Smith", "B.||Jones"]),
        ("Smith, A., Jones, B., Wu, C.", ["A.||Smith", "B.||Jones", "C.||Wu"]),
        ("Vaswani, Ashish, Shazeer, Noam", ["Ashish||Vaswani", "Noam||Shazeer"]),
        ("Ann Lee, Bo Chen, Cy Twombly", ["Ann||Lee", "Bo||Chen", "Cy||Twombly"]),
        ("Ann Lee, Bo Chen and Cy Twombly", ["Ann||Lee", "Bo||Chen", "Cy||Twombly"]),
        ("Smith JA, Jones B", ["Smith JA", "Jones B"]),
        ("A. Smith \\& B. Jones", ["A.||Smith", "B.||Jones"]),
        ("Lee A, Kaiser Ł, Luxburg U von", ["Lee A", "Kaiser Ł", "Luxburg U von"]),
        ("Luxburg U von, Ranzato M'", ["Luxburg U von", "Ranzato M'"]),
        ("Ann Lee und Bo Chen und Cy Dee", ["Ann||Lee", "Bo||Chen", "Cy||Dee"]),
        ("Ann Lee with Bo Chen and Cy Dee", ["Ann||Lee", "Bo||Chen", "Cy||Dee"]),
        ("Jan van den Berg en Piet de Vries", ["Jan|van den|Berg", "Piet|de|Vries"]),
        ("García, A. y López, B.", ["A.||García", "B.||López"]),
        ("Smith, J., Jones, B. und Wu, C.", ["J.||Smith", "B.||Jones", "C.||Wu"]),
        ("Somerville, Rachel S and Maccì O, Andrea V", ["Rachel S||Somerville", "Andrea V||Maccì O"]),
        ("Theobald, Christoph (1946-....) and Ruh, Ulrich (1950-2020)", ["Christoph||Theobald", "Ulrich||Ruh"]),
    ],
)
def test_reads_lists_that_are_not_bibtex(raw: str, names: list[str]) -> None:
    assert [shown(person) for person in name_list(raw).names] == names


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("García Márquez, Gabriel José", "Gabriel José||García Márquez"),
        ("Van Loan, Charles F", "Charles F||Van Loan"),
        ("Smith, J. A.", "J. A.||Smith"),
        ("Lloyd Webber, Andrew", "Andrew||Lloyd Webber"),
        ("{AT\\&T Labs}", "AT&T Labs*"),
        ("Santiago Ramón y Cajal", "Santiago Ramón|y|Cajal"),
        ("Ramón y Cajal, Santiago", "Santiago||Ramón y Cajal"),
        ("Karl Theodor von und zu Guttenberg", "Karl Theodor|von und zu|Guttenberg"),
        ("Institute of Physics et Chimie Avancée", "Institute of Physics et Chimie Avancée*"),
    ],
)
def test_takes_one_name_for_one_name(raw: str, name: str) -> None:
    assert [shown(person) for person in name_list(raw).names] == [name]


@pytest.mark.parametrize(
    "raw",
    [
        "Ann Lee and others",
        "Ann Lee and others.",
        "Ann Lee and \\v Z",
        "Ann Lee et al.",
        "Lee, Ann, et~al.",
        "Ann Lee and et al.",
        "Ann Lee and \\ldots",
        "Ann Lee and {\\v{Z",
        "Ann Lee and al.",
        "Ann Lee and {et al.}",
        "Ann Lee and {\\it et al.}",
        "Ann Lee and colleagues",
        "Ann Lee and her co-authors",
        "Ann Lee and 7 others",
        "Ann Lee and {\\ldots}",
        "Ann Lee and {...}",
        "Ann Lee, …",
        "Ann Lee [...]",
        "Ann Lee, etc.",
        "Ann Lee u. a.",
        "Ann Lee u.a.",
        "Ann Lee und andere",
        "Ann Lee et autres",
        "Ann Lee y otros",
        "Ann Lee e altri",
        "Ann Lee e.a.",
        "Ann Lee m.fl.",
        "Ann Lee i in.",
        "Ann Lee a kol.",
        "Ann Lee ve ark.",
        "Ann Lee и др.",
        "Ann Lee та ін.",
        "Ann Lee, 等",
        "Ann Lee ほか",
        "Ann Lee 외 3인",
        "Ann Lee وآخرون",
    ],
)
def test_sees_that_names_are_left_out(raw: str) -> None:
    assert name_list(raw) == NameList((Person(family="Lee", given="Ann"),), others=True)


@pytest.mark.parametrize(
    ("raw", "names"),
    [
        ("Lee, A., Chen, B., ... \\& Dee, C.", ["A.||Lee", "B.||Chen", "C.||Dee"]),
        ("Lee, A., Chen, B., … & Dee, C.", ["A.||Lee", "B.||Chen", "C.||Dee"]),
        ("Lee, A., Chen, B., . . . Dee, C.", ["A.||Lee", "B.||Chen", "C.||Dee"]),
        ("Lee, A. and {\\ldots} and Dee, C.", ["A.||Lee", "C.||Dee"]),
        ("Lee A, Chen B, ..., Dee C", ["Lee A", "Chen B", "Dee C"]),
    ],
)
def test_an_ellipsis_stands_before_the_last_author(raw: str, names: list[str]) -> None:
    # American Psychological Association, Publication Manual (7th ed.), 9.8.
    found = name_list(raw)
    assert ([shown(person) for person in found.names], found.others) == (names, True)


@pytest.mark.parametrize("raw", ["Cy Twombly and More", "Ann Lee and E. A.", "Kim I In", "Bo Vd and Al", "J. M. FL"])
def test_takes_no_name_for_a_word_that_leaves_names_out(raw: str) -> None:
    assert not name_list(raw).others


@given(st.text(alphabet="AbcZ éß,.;&{}\\'~- \nand王", max_size=60))
def test_reading_never_raises_and_gives_no_empty_names(raw: str) -> None:
    assert all(str(person).strip() for person in name_list(raw).names)


RIGHT = [
    (TRANSFORMER.replace(";", " and").replace("Lukasz", "{\\L}ukasz"), TRANSFORMER),
    ("Vaswani, A. and Shazeer, N. and others", TRANSFORMER),
    ("Vaswani, A. and Polosukhin, I. and others", TRANSFORMER),
    ("J. Wang and J. Wang and A. Li", "Jun Wang; Jing Wang; Ai Li"),
    ("J. Wang and Jun Wang", "Jing Wang; Jun Wang"),
    ("Ann Lee and Ann Lee and Bo Chen", "Ann Lee; Bo Chen"),
    ("王伟 and 李娜", "Wei Wang; Na Li"),
    ("Ann Lee and {The ATLAS Collaboration}", "Ann Lee"),
    ("Ann Lee", "Ann Lee; ATLAS Collaboration"),
    ("{The ATLAS Collaboration}", "Ann Lee; ATLAS Collaboration"),
    ("Ashish Vaswani with Noam Shazeer and others", TRANSFORMER),
    ("Vaswani, A., Shazeer, N., ... \\& Polosukhin, I.", TRANSFORMER),
    ("Vaswani, A., Shazeer, N., … Jones, L.", TRANSFORMER),
    ("Ann Lee$^{1,2}$ and Bo Chen$^2$", "Ann Lee; Bo Chen"),
    ("DeepSeek-AI and others", "DeepSeek-AI; Ann Lee; Bo Chen"),
    ("{IPCC}", "Intergovernmental Panel on Climate Change"),
]
WRONG = [
    ("authors-truncated", "Ashish Vaswani and Noam Shazeer and Illia Polosukhin", TRANSFORMER),
    ("authors-truncated", "Ann Lee", "Ann Lee; Bo Chen"),
    ("authors-added", "Ann Lee and Bo Chen and Cy Twombly", "Ann Lee; Bo Chen"),
    ("authors-reordered", "Bo Chen and Ann Lee", "Ann Lee; Bo Chen"),
    ("authors-reordered", "Vaswani, A., Polosukhin, I., ... \\& Shazeer, N.", TRANSFORMER),
    ("authors-other", "Smith, J., Moore, M., ... \\& Wood, C.", TRANSFORMER),
    ("authors-reordered", "Ann Lee and Bo Chen and Cy Dee", "Ann Lee; Cy Dee; Bo Chen"),
    ("authors-reordered", "Jing Wang and Jun Wang", "Jun Wang; Jing Wang"),
    ("authors-reordered", "Ann Lee and Bo Abbot and Susan Athey", "Bo Abbot; Susan Athey; Ann Lee"),  # A, A, L
    ("authors-given-name", "Robert Vaswani and Noam Shazeer and others", TRANSFORMER),
    ("authors-given-name", "John Smith", "Robert Smith"),
    ("authors-other", "John Smith and Mary Moore", TRANSFORMER),
    ("authors-other", "John Smith and others", TRANSFORMER),
    ("authors-other", "Jun Wang and Jing Li and Na Chen", "Wei Wang; Hao Li; Bo Chen"),
    ("authors-other", "Robert Jones", "Ann Lee"),
    ("authors-truncated", "Lee", "Ann Lee; Bo Chen"),  # one of the persons, by the family name
    ("authors-other", "Skywork AI and Robert Jones", "Ann Lee; Bo Chen"),  # not alone
    ("authors-truncated", "Jane Moore", "Jane Moore; Bo Chen"),
    ("authors-partly-other", "Ashish Vaswani and Noam Shazeer and John Smith", "Ashish Vaswani; Noam Shazeer; Niki Parmar"),
    ("authors-misspelled", "Kimon Fontoulakis and Ann Lee", "Kimon Fountoulakis; Ann Lee"),
    ("authors-misspelled", "Jiageng Lin and Ann Lee", "Jiageng Liu; Ann Lee"),
    ("authors-misspelled", "Ge Li and Ann Lee", "Gen Li; Ann Lee"),
]  # fmt: skip


@pytest.mark.parametrize(("cited", "found"), RIGHT)
def test_accepts_right_lists(cited: str, found: str) -> None:
    comparison = compare(cited, found)
    assert (comparison.code, comparison.abstain) == ("", False)


@pytest.mark.parametrize(("code", "cited", "found"), WRONG)
def test_says_what_is_wrong(code: str, cited: str, found: str) -> None:
    comparison = compare(cited, found)
    assert comparison.code == code
    assert comparison.message


def test_excuses_names_that_a_cut_record_lacks() -> None:
    assert compare("Ann Lee and Bo Chen and Cy Dee", "Ann Lee; Bo Chen", complete=False).code == ""
    assert compare("John Smith", "Ann Lee; Bo Chen", complete=False).code == "authors-other"


@pytest.mark.parametrize(
    ("cited", "found"),
    [
        ("", "Ann Lee"),
        ("{ATLAS Collaboration}", "Ann Lee; Bo Chen"),
        ("Ann Lee and Bo Chen", "ATLAS Collaboration"),
        ("{OpenAI}", "Ann Lee"),
        ("DeepSeek-AI", "DeepSeek-AI; Ann Lee; Bo Chen"),
        ("DeepSeek AI", "DeepSeek-AI; Ann Lee; Bo Chen"),
        ("ByteDance Seed", "ByteDance Seed; Ann Lee; Bo Chen"),
        ("Qwen", "Qwen; Ann Lee; Bo Chen"),
        ("Skywork AI", "Ann Lee; Bo Chen"),
        ("Physical Intelligence", "Ann Lee; Bo Chen"),
        ("Tencent Hunyuan", "Ann Lee; Bo Chen"),
        ("Moonshot", "Kimi Team; Ann Lee; Bo Chen"),
        ("MiniMax AI", "MiniMax; Ann Lee"),
    ],
)
def test_abstains_where_lists_cannot_be_compared(cited: str, found: str) -> None:
    comparison = compare(cited, found)
    assert (comparison.code, comparison.abstain) == ("", True)
    assert comparison.reason


def test_abstains_without_authors_in_the_record() -> None:
    assert compare_authors(name_list("Ann Lee"), []).abstain


def test_counts_and_pairs() -> None:
    comparison = compare("Ann Lee and Bob Chen and Cy Dee and Ed Moor", "Ann Lee; Xu Chen; Eva Fox; Ed Moore")
    assert comparison.pairs == (
        (0, 0, "same"),
        (1, 1, "given-differs"),
        (2, None, "added"),
        (3, 3, "misspelled"),
        (None, 2, "missing"),
    )
    assert (comparison.matched, comparison.missing, comparison.added) == (1, 1, 1)
    assert (comparison.given_differs, comparison.misspelled) == (1, 1)
    assert comparison.overlap == 0.5


def test_long_lists_are_compared_by_index() -> None:
    names = [Person(given=f"Given{chr(97 + i % 26)}", family=f"Family{'abcdefghij'[i % 10]}{i}x") for i in range(2000)]
    shuffled = tuple(names[1000:] + names[:1000])
    comparison = compare_authors(NameList(shuffled), names)
    assert comparison.matched == 2000
    assert comparison.code == "authors-reordered"


NAME = st.tuples(
    st.text("abcdefghijklmnopqrstuvwxyz", min_size=3, max_size=9), st.text("abcdefghijklmnopqrstuvwxyz", min_size=5, max_size=9)
).map(lambda parts: Person(given=parts[0].capitalize(), family=parts[1].capitalize()))  # fmt: skip
LISTS = st.lists(NAME, min_size=1, max_size=8)
STRANGER = Person(given="Qqqqqq", family="Qxqxqxqxqxqx")


@given(LISTS)
def test_any_list_is_right_against_itself(names: list[Person]) -> None:
    comparison = compare_authors(NameList(tuple(names)), names)
    assert (comparison.code, comparison.overlap) == ("", 1.0)


@given(st.lists(NAME, min_size=3, max_size=8, unique=True), st.data())
def test_a_dropped_middle_author_is_noticed(names: list[Person], data: st.DataObject) -> None:
    place = data.draw(st.integers(1, len(names) - 2))
    cited = tuple(names[:place] + names[place + 1 :])
    assert compare_authors(NameList(cited), names).code == "authors-truncated"
    assert compare_authors(NameList(cited, others=True), names).code == ""


@given(LISTS, st.data())
def test_a_replaced_author_is_never_right(names: list[Person], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(names) - 1))
    cited = (*names[:place], STRANGER, *names[place + 1 :])
    for others in (False, True):
        assert compare_authors(NameList(cited, others), names).code in ("authors-other", "authors-partly-other")


@pytest.mark.parametrize("ending", ["{et al.}", "{et~al.}", "{others}", "et al."])
def test_the_rest_of_a_list_in_braces(ending: str) -> None:
    found = name_list(f"He, Kaiming and {ending}")
    assert (len(found.names), found.others) == (1, True)


def test_a_long_run_of_blanks_is_one() -> None:
    # Searched anew from each blank, this would take hours.
    assert [shown(person) for person in name_list("Ann" + " " * 1_000_000 + "Lee").names] == ["Ann||Lee"]


@pytest.mark.parametrize(
    ("listed", "kept"),
    [
        ("Ada Lovelace; Stanford University", "Ada Lovelace"),
        ("Ada Lovelace; Stanford University; Charles Babbage; School of Computing", "Ada Lovelace; Charles Babbage"),
        ("Stanford University; Ada Lovelace", "Stanford University; Ada Lovelace"),
        ("Stanford University; Ada Lovelace; Acme Inc", "Stanford University; Ada Lovelace"),
        ("Stanford University; School of Computing", "Stanford University; School of Computing"),
        ("Stanford University", "Stanford University"),
        ("Ada Lovelace; Charles Babbage", "Ada Lovelace; Charles Babbage"),
        ("Ada Lovelace; Polytechnic", "Ada Lovelace; Polytechnic"),  # one word may be a family name
        ("", ""),
    ],
)
def test_an_institution_behind_a_person_is_an_affiliation(listed: str, kept: str) -> None:
    def people(text: str) -> tuple[Person, ...]:
        return tuple(persons(text)) if text else ()

    assert without_affiliations(people(listed)) == people(kept)
