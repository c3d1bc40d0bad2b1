from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.matching import is_pinyin, may_be_other_name, parse, same_person
from pytest_citecheck.model import Person

LETTERS = "abcdefghijklmnopqrstuvwxyzàéîõüøçñßł"
SUFFIXES = ("Jr", "Sr", "Ii", "Iii", "Iv")
NAME_PARTS = st.text(LETTERS, min_size=2, max_size=9).map(str.capitalize).filter(lambda part: part not in SUFFIXES)
ANY_TEXT = st.text(max_size=20)


def literal(text: str) -> Person:
    return Person(literal=text)


def split(family: str, given: str = "", particle: str = "", suffix: str = "") -> Person:
    return Person(family=family, given=given, particle=particle, suffix=suffix)


def group(text: str) -> Person:
    return Person(literal=text, group=True)


@pytest.mark.parametrize(
    ("person", "particles", "family", "given"),
    [
        (literal("Aäron van den Oord"), "van den", "Oord", ("Aäron",)),
        (literal("van den Oord, Aaron"), "van den", "Oord", ("Aaron",)),
        (split("Oord", "A. van den"), "van den", "Oord", ("A.",)),
        (split("van den Oord", "Aaron"), "van den", "Oord", ("Aaron",)),
        (literal("Wei Wang 0001"), "", "Wang", ("Wei",)),
        (literal("Smith JA"), "", "Smith", ("JA",)),
        (literal("van den Oord A"), "van den", "Oord", ("A",)),
        (literal("Smith, Jr., John"), "", "Smith", ("John",)),
        (literal("Smith, John, III"), "", "Smith", ("John",)),
        (literal("John Smith, Jr."), "", "Smith", ("John",)),
        (split("Smith Jr.", "John"), "", "Smith", ("John",)),
        (literal("García Márquez, Gabriel"), "", "García Márquez", ("Gabriel",)),
        (literal("Madonna"), "", "Madonna", ()),
        (literal("王伟"), "", "王", ("伟",)),
        (literal("欧阳修"), "", "欧阳", ("修",)),
        (literal("山田 太郎"), "", "山田", ("太郎",)),
        (literal("MÃ¼ller, Hans"), "", "Müller", ("Hans",)),
        (literal("Robert (Bob) Smith"), "", "Smith", ("Robert",)),
        (split("O'Neil", "Shaquille"), "", "O'Neil", ("Shaquille",)),
        (literal("James O' Neill"), "", "O'Neill", ("James",)),
        (split("Connor", "Noel E. O’"), "", "O’Connor", ("Noel", "E.")),
        (literal("Kaiser Ł"), "", "Kaiser", ("Ł",)),
        (literal("Ranzato M'"), "", "Ranzato", ("M",)),
        (literal("Luxburg U von"), "von", "Luxburg", ("U",)),
        (literal("Oord A van den"), "van den", "Oord", ("A",)),
        (literal("Haoyi Zhou0"), "", "Zhou", ("Haoyi",)),
        (literal("Jian Sun³"), "", "Sun", ("Jian",)),
        (split("He1,2", "Kaiming"), "", "He", ("Kaiming",)),
        (literal("Mausam ."), "", "Mausam", ()),
        (split(".", "Mausam"), "", "Mausam", ()),
        (literal("Saurabh Saurabh"), "", "Saurabh", ()),
        (literal("Kim Kim"), "", "Kim", ("Kim",)),
        (literal("?!"), "", "?!", ()),
        (literal(""), "", "", ()),
    ],
)
def test_takes_names_apart(person: Person, particles: str, family: str, given: tuple[str, ...]) -> None:
    name = parse(person)
    assert (name.particles, name.family, name.given) == (particles, family, given)


@pytest.mark.parametrize(
    ("written", "keys"),
    [("J.-P.", ("j", "p")), ("JP", ("j", "p")), ("Jean-Pierre", ("jean", "pierre")), ("J.A.", ("j", "a"))],
)
def test_splits_given_names(written: str, keys: tuple[str, ...]) -> None:
    assert parse(split("Serre", written)).given_keys == keys


def test_keeps_the_suffix() -> None:
    assert parse(literal("John Smith Jr.")).suffix == "Jr."
    assert parse(literal("Smith, III, John")).suffix == "III"


@pytest.mark.parametrize(
    "text", ["ATLAS Collaboration", "World Health Organization", "The ENCODE Project Consortium", "Meta AI Team"]
)
def test_recognises_groups(text: str) -> None:
    assert parse(literal(text)).group
    assert parse(split(text)).group


@pytest.mark.parametrize("text", ["Ashish Vaswani", "OpenAI", "Team", "Chen, Society"])
def test_takes_no_person_for_a_group(text: str) -> None:
    assert not parse(literal(text)).group or text == "Chen, Society"


SAME = [
    (split("De Vos", "J"), literal("De Vos J")),
    (literal("Aäron van den Oord"), split("van den Oord", "Aaron")),
    (literal("Wei Wang 0001"), split("Wang", "Wei")),
    (split("Smith", "JA"), split("Smith", "J. A.")),
    (literal("SMITH, JOHN"), literal("John Smith")),
    (literal("MÃ¼ller, B"), literal("B Muller")),
    (split("Smith", "John", suffix="Jr."), literal("John Smith Jr")),
    (split("O'Neil", "S."), literal("S. O’Neil")),
    (literal("Guido van Rossum"), split("VanRossum", "Guido")),
]
COMPATIBLE = [
    # initials, missing middle names, suffixes
    (literal("Smith J"), split("Smith", "John")),
    (literal("Smith JA"), split("Smith", "John Alan")),
    (literal("J.-P. Serre"), split("Serre", "Jean-Pierre")),
    (literal("Louis-Philippe Morency"), literal("LP Morency")),
    (literal("R. John Smith"), literal("John Smith")),
    (literal("Sam Smith"), literal("Samuel Smith")),
    (literal("Sanmi Koyejo"), literal("Oluwasanmi Koyejo")),
    (literal("Eli Chien"), literal("I (Eli) Chien")),
    (literal("Tsun-Hsuan Wang"), split("Wang", "Johnson (Tsun-Hsuan)")),
    (literal("Bob Wells"), literal('Albert "Bob" Wells')),
    (literal("F. Mueller"), literal("Florian 'Floyd' Mueller")),
    (literal("N. O' Connor"), literal("Noel E. O'Connor")),
    # family names that are only initials, or lacking
    (literal("Barath Mohan U"), literal("Barath Mohan Umapathi")),
    (literal("R. B. Lokesh"), literal("Lokesh R. Boregowda")),
    (literal("L. Fei-Fei"), literal("Fei-Fei Li")),
    (literal("K. G.S."), literal("Kannan G.S.")),
    (Person(given="Mohan K. R.", family="S"), literal("Mohan Kumar Reddy S")),
    (Person(given="K-KR", family="Chua"), literal("Kim-Keng Robert Chua")),
    (Person(given="SMEY", family="Rahimi"), literal("Sara Mina El Yazd Rahimi")),
    (Person(given="Jh", family="Krijthe"), literal("Jesse H. Krijthe")),
    (Person(given="J-PMG", family="Linnartz"), literal("Jean-Paul M. G. Linnartz")),
    (Person(given="Θ.", family="Παππάς"), literal("Θωμάς Παππάς")),
    (literal("Mausam"), literal("Mausam Kumar")),
    (literal("Christos H. Papadimitriou"), literal("C. Papadimitriou")),
    (literal("Smith, Jr., John"), literal("John Smith")),
    (literal("Yu. Nesterov"), literal("Yurii Nesterov")),
    (literal("Vaswani"), literal("Ashish Vaswani")),
    # short forms, spellings, other romanisations
    (literal("Bob Smith"), literal("Robert Smith")),
    (literal("Vlad Kovalenko"), literal("Volodymyr Kovalenko")),
    (literal("Alex Smola"), literal("Alexander J. Smola")),
    (literal("Xiao-Ming Li"), literal("Xiaoming Li")),
    (literal("Xiaoming Li"), literal("X. M. Li")),
    (literal("Sergey Ivanov"), literal("Sergei Ivanov")),
    (literal("Baeseong Park"), literal("Baesung Park")),
    (literal("Byeongwook Kim"), literal("Byeonguk Kim")),
    (split("Mueller", "B"), literal("B Müller")),
    (literal("Bjørn Øksendal"), split("Oeksendal", "B.")),
    (split("Schrdinger", "E"), split("Schrödinger", "Erwin")),
    (literal("Yang Lü"), literal("Yang Lyu")),
    # order of family and given name
    (literal("Wang Wei"), literal("Wei Wang")),
    (literal("Wang, W."), literal("Wei Wang")),
    (literal("Anh Tuan Luu"), split("Tuan", "Luu Anh")),
    (literal("Anh Tuan Luu"), split("Tuan", "L. A.")),
    (literal("Nguyễn Văn A"), split("Nguyen", "V. A.")),
    (literal("Mallikarjun B. R."), split("R.", "Mallikarjun B")),
    (literal("Haihong E"), literal("H. E")),
    # compound surnames and particles
    (split("García Márquez", "Gabriel"), split("Márquez", "Gabriel García")),
    (split("García", "G."), literal("Gabriel García Márquez")),
    (literal("Eduardo Dadalto"), literal("Eduardo Dadalto Câmara Gomes")),
    (literal("B. Arcas"), split("Agüera y Arcas", "Blaise")),
    (literal("Blaise Agüera y Arcas"), split("Agüera y Arcas", "Blaise")),
    (literal("Saeed Sharifi-Malvajerdi"), split("Sharifi Malvajerdi", "S.")),
    (literal("Guido van Rossum"), split("Rossum", "Guido")),
    (literal("Olivier De Vel"), literal("Olivier Y. de Vel")),
    (literal("YingkunYang"), literal("Yingkun Yang")),
    (literal("Juan Luis GonzalezBello"), literal("Juan Luis Gonzalez Bello")),
    (literal("J. L. GonzalezBello"), literal("Juan Luis Gonzalez Bello")),
    (literal("Amine El hattami"), literal("Amine Elhattami")),
    (literal("Darshan Singh"), literal("Darshan Singh S")),
    # scripts
    (literal("王伟"), literal("Wei Wang")),
    (literal("張三"), literal("张三")),
    (literal("Иванов И."), split("Иванов", "Иван")),
    # groups
    (group("ATLAS Collaboration"), group("The ATLAS Collaboration")),
    (group("WHO"), literal("World Health Organization")),
    (literal("OpenAI"), group("OpenAI")),
    (group("Gabriel García Márquez"), split("García Márquez", "Gabriel")),
]
GIVEN_DIFFERS = [
    (literal("John Smith"), literal("Robert Smith")),
    (literal("J. Smith"), literal("R. Smith")),
    (literal("John A. Smith"), literal("John B. Smith")),
    (literal("Wei Wang"), literal("Jun Wang")),
    (literal("Carlo Smith"), literal("Carlos Smith")),
    (literal("Carla Smith"), literal("Carlos Smith")),
    (literal("Daniel Smith"), literal("Daniela Smith")),
    (literal("Jianchen Li"), literal("Jiancheng Li")),
    (literal("Wei (MIT) Wang"), literal("Mit Wang")),
]
DIFFERENT = [
    (literal("Wei Zhang"), literal("Wei Zang")),
    (literal("Wei Li"), literal("Wei Lin")),
    (literal("Ashish Vaswani"), literal("Noam Shazeer")),
    (literal("Yi Chen"), literal("Yi Cheng")),
    (literal("Barath Mohan U"), literal("Barath Mohan Krishnan")),
    (group("ATLAS Collaboration"), group("CMS Collaboration")),
    (group("OpenAI"), literal("Sam Altman")),
    (literal("王伟"), literal("李娜")),
    (literal(""), literal("John Smith")),
]


@pytest.mark.parametrize(
    ("cited", "found", "relation"),
    [(*pair, "same") for pair in SAME]
    + [(*pair, "compatible") for pair in COMPATIBLE]
    + [(*pair, "given-differs") for pair in GIVEN_DIFFERS]
    + [(*pair, "different") for pair in DIFFERENT],
    ids=str,
)
def test_tells_persons_apart(cited: Person, found: Person, relation: str) -> None:
    assert same_person(cited, found) == relation
    assert same_person(found, cited) == relation


@pytest.mark.exhaustive
@given(ANY_TEXT, ANY_TEXT, ANY_TEXT, st.booleans())
def test_any_person_is_the_same_as_itself(literal: str, family: str, given_name: str, is_group: bool) -> None:
    person = Person(literal=literal, family=family, given=given_name, group=is_group)
    again = Person(literal=literal + "", family=family, given=given_name, group=is_group)
    assert same_person(person, again) == "same"


@given(NAME_PARTS, NAME_PARTS)
def test_the_ways_to_write_a_name_agree(given_name: str, family: str) -> None:
    whole = split(family, given_name)
    for other in (
        literal(f"{given_name} {family}"),
        literal(f"{family}, {given_name}"),
        split(family, given_name[0] + "."),
        literal(f"{given_name} {family} 0042"),
        literal(f"{family} {given_name}"),
        literal(f"{given_name} {family}".upper()),
    ):
        assert same_person(whole, other) in ("same", "compatible")
        assert same_person(other, whole) in ("same", "compatible")


@given(ANY_TEXT, ANY_TEXT)
def test_comparison_is_symmetric_and_never_raises(one: str, other: str) -> None:
    assert same_person(literal(one), literal(other)) == same_person(literal(other), literal(one))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("jerry", "xiaojin", True),
        ("miltos", "miltiadis", True),  # "mil" + a pet ending
        ("yoni", "yonatan", True),
        ("mart", "marinus", False),  # shares "mar", and "t" is no ending
        ("russ", "ruslan", False),  # shorter by two letters only
        ("carla", "carlos", False),
        ("carla", "caroline", False),
        ("yi", "yijing", False),  # shares two letters only
        ("j", "xiaojin", True),
        ("durk", "diederik", True),  # d-r-k runs through d-d-r-k, from the first to the last
        ("bert", "barnhart", True),  # b-r-t through b-r-n-h-r-t
        ("tony", "tatyana", False),  # two consonants say little
        ("derk", "diedrich", False),  # another last consonant
        ("dirck", "diederick", False),  # longer than four letters
        ("dork", "derek", False),  # shorter by one letter only
        ("tran", "tirbun", False),  # a syllable of East Asian names
        ("amy", "amadeus", False),  # one consonant
        ("x", "xiaojin", False),  # an initial is compared as such, elsewhere
    ],
)
def test_two_given_names_of_one_person(one: str, other: str, expected: bool) -> None:
    assert may_be_other_name((one,), (other, "a"), "lindqvist") is expected
    assert may_be_other_name((other, "a"), (one,), "lindqvist") is expected


def test_who_has_no_given_name_may_have_any() -> None:
    assert may_be_other_name((), ("jerry",), "tan")


@pytest.mark.parametrize(
    ("one", "other", "family", "expected"),
    [
        (("denny",), ("dengyong",), "zhou", True),  # a name taken beside the own one, with its initial
        (("jason",), ("jian", "shu"), "wang", True),
        (("denny",), ("dengyong",), "lindqvist", False),  # who takes one has an East Asian family name
        (("hao",), ("han",), "zhou", False),  # two names in Pinyin are two people
        (("dennis",), ("donald",), "zhou", False),  # and so are two of the others
        (("dragan",), ("dengyong",), "zhou", False),  # nobody takes this one
    ],
)
def test_a_name_may_be_taken_beside_the_own_one(
    one: tuple[str, ...], other: tuple[str, ...], family: str, expected: bool
) -> None:
    assert may_be_other_name(one, other, family) is expected
    assert may_be_other_name(other, one, family) is expected


@pytest.mark.parametrize("name", ["a", "er", "lue", "nv", "xiongwei", "zhuang", "shuangjue", "jiaqi", "anna", "ben"])
def test_what_can_be_read_as_pinyin(name: str) -> None:
    assert is_pinyin(name)


@pytest.mark.parametrize("name", ["kevin", "eric", "james", "seunghoon", "minh", "vivian", "weiweiwei", "d", ""])
def test_what_cannot_be_read_as_pinyin(name: str) -> None:
    assert not is_pinyin(name)


@given(NAME_PARTS, NAME_PARTS, NAME_PARTS)
def test_a_name_in_parentheses_is_one_of_the_names(first: str, second: str, family: str) -> None:
    both = literal(f"{first} ({second}) {family}")
    for name in (first, second):
        assert same_person(split(family, name), both) in ("same", "compatible")


@given(NAME_PARTS, NAME_PARTS)
def test_a_blank_behind_an_apostrophe_makes_no_other_name(given_name: str, family: str) -> None:
    assert same_person(literal(f"{given_name} O' {family}"), literal(f"{given_name} O’{family}")) == "same"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("durk", "diederik"),
        ("jeff", "geoffrey"),
        ("toni", "antonio"),
        ("manu", "manuel"),
        ("kobi", "jacob"),
        ("kees", "cornelis"),
        ("moti", "mordechai"),
        ("nando", "fernando"),
        ("nacho", "ignacio"),
        ("slava", "vyacheslav"),
        ("wim", "willem"),
        ("thanos", "athanasios"),
    ],
)
def test_a_nickname_is_the_name(one: str, other: str) -> None:
    assert same_person(split("Smith", one), split("Smith", other)) == "compatible"
    assert same_person(split("Smith", one), split("Smith", "Hubertus")) == "given-differs"
