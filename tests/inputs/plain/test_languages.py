"""Reference strings in eight languages, each work in the forms that are usual there; labels and tables in answers of models."""

from __future__ import annotations

import pytest

from pytest_citecheck.inputs import read_plain_references, read_reference_strings
from pytest_citecheck.model import Location

HERE = Location("answers.jsonl", 1, 1)
FORMS = {
    "zh": (
        "{a}, {b}. {t}[J]. {j}, {y}, 42(3): 12-20.",
        "{a}，{b}。{t}。{j}，{y}，42(3)：12-20。",
        "{a}, {b}. 《{t}》. {j}, {y}.",
    ),
    "ja": (
        "{a}, {b}. {t}. {j}. {y}, vol. 60, no. 3, p. 12-20.",
        "{a}, {b}「{t}」『{j}』60(3), {y}, 12-20.",
        "{a}, {b} ({y}). {t}. {j}, 60(3), 12-20.",
    ),
    "ko": (
        "{a}, {b}. {t}. {j}, 46(3), 12-20, {y}.",
        "{a}, {b} ({y}). {t}. {j}, 46(3), 12-20.",
        "{a}, {b}, “{t},” {j}, vol. 46, no. 3, pp. 12-20, {y}.",
    ),
    "de": (
        "{a}; {b}: {t}. In: {j} 42 ({y}), Nr. 3, S. 12–20",
        "{a}, & {b} ({y}). {t}. {j}, 42(3), 12–20.",
        "{a} und {b}: „{t}“. In: {j} 42 ({y}), S. 12–20.",
    ),
    "fr": (
        "{a}, et {b} ({y}). {t}. {j}, 33(2), 12-20.",
        "{a}, {b}. {t}. {j}, 33(2):12–20, {y}.",
        "{a}, {b}, “{t}”, {j}, vol. 33, {y}, p. 12-20.",
    ),
    "es": (
        "{a}, y {b} ({y}). {t}. {j}, 33(2), 12-20.",
        "{a}; {b}. {t}. {j}, 33(2):12–20, {y}.",
        "{a}, {b}, “{t}”, {j}, vol. 33, {y}, pp. 12-20.",
    ),
    "pt": (
        "{a}; {b}. {t}. {j}, v. 33, n. 2, p. 12-20, {y}.",
        "{a}, & {b} ({y}). {t}. {j}, 33(2), 12-20.",
        "{a}, {b}. {t}. {j}, 33(2):12–20, {y}.",
    ),
    "ru": (
        "{a}, {b} {t} // {j}. {y}. Т. 45. № 3. С. 12–20.",
        "{a}, {b} ({y}). {t}. {j}, 45(3), 12–20.",
        "{a}, {b}. {t}. {j}, 45(3):12–20, {y}.",
    ),
}
WORKS = {
    "zh": (
        ("王明", "李华", "计算机学报"),
        (
            "深度学习在图像识别中的应用",
            "城市声音地图的绘制方法",
            "古代织机的结构研究",
            "鸟类飞行的力学分析",
            "河流泥沙输移的数值模拟",
        ),
    ),
    "ja": (
        ("山田太郎", "鈴木花子", "情報処理学会論文誌"),
        (
            "深層学習による画像認識",
            "都市の音の地図について",
            "古い織機の構造に関する研究",
            "鳥の飛行の力学",
            "河川の土砂輸送の数値計算",
        ),
    ),
    "ko": (
        ("김철수", "이영희", "정보과학회논문지"),
        (
            "딥러닝을 이용한 영상 인식",
            "도시의 소리 지도 제작",
            "옛 베틀의 구조 연구",
            "새의 비행 역학 분석",
            "하천 토사 이동의 수치 모의",
        ),
    ),
    "de": (
        ("Müller, H.", "Schmidt, K.", "Informatik-Spektrum"),
        (
            "Verfahren der Bilderkennung",
            "Karten der Geräusche einer Stadt",
            "Über den Bau alter Webstühle",
            "Die Mechanik des Vogelflugs",
            "Zur Bewegung von Sand in Flüssen",
        ),
    ),
    "fr": (
        ("Dupont, J.", "Martin, P.", "Revue d'intelligence artificielle"),
        (
            "La reconnaissance des images",
            "Cartes des bruits de la ville",
            "Sur la structure des anciens métiers",
            "La mécanique du vol des oiseaux",
            "Le mouvement du sable dans les rivières",
        ),
    ),
    "es": (
        ("García, J.", "López, M.", "Revista de Informática"),
        (
            "El reconocimiento de imágenes",
            "Mapas de los ruidos de la ciudad",
            "Sobre la estructura de los telares antiguos",
            "La mecánica del vuelo de las aves",
            "El movimiento de la arena en los ríos",
        ),
    ),
    "pt": (
        ("Silva, J.", "Souza, M.", "Revista de Computação"),
        (
            "O reconhecimento de imagens",
            "Mapas dos ruídos da cidade",
            "Sobre a estrutura dos teares antigos",
            "A mecânica do voo das aves",
            "O movimento da areia nos rios",
        ),
    ),
    "ru": (
        ("Иванов И. И.", "Петров П. П.", "Программирование"),
        (
            "Методы распознавания образов",
            "Карты звуков города",
            "О строении старых ткацких станков",
            "Механика полёта птиц",
            "Движение песка в реках",
        ),
    ),
}
MOST_WRONG = 1
"""Maximum errors in the fifteen strings of a language."""


@pytest.mark.parametrize("language", WORKS)
def test_strings_of_a_language_are_read(language: str) -> None:
    (one, other, journal), titles = WORKS[language]
    wrong = []
    for form in FORMS[language]:
        for number, title in enumerate(titles):
            text = form.format(a=one, b=other, t=title, j=journal, y=2010 + number)
            fields = read_reference_strings([(text, HERE)])[0].fields
            people = fields.get("author", "").count(" and ") + 1
            if (fields.get("title"), fields.get("year"), people) != (title, str(2010 + number), 2):
                wrong.append((text, dict(fields)))
    assert len(wrong) <= MOST_WRONG, wrong


@pytest.mark.parametrize(
    ("title", "author", "year"),
    [
        ("标题", "作者", "年份"), ("タイトル", "著者", "出版年"), ("제목", "저자", "연도"), ("Titel", "Autoren", "Jahr"),
        ("Titre", "Auteurs", "Année"), ("Título", "Autores", "Año"), ("Título", "Autores", "Ano"), ("Название", "Авторы", "Год"),
    ],
)  # fmt: skip
def test_labels_of_a_language(title: str, author: str, year: str) -> None:
    answer = f"1. **{title}:** The flight of birds\n   **{author}:** Ann Lee, Bo Wu\n   **{year}:** 2020"
    (found,) = read_plain_references(answer, HERE)
    assert dict(found.fields) == {"title": "The flight of birds", "author": "Ann Lee and Bo Wu", "year": "2020"}


def test_the_rows_of_a_table() -> None:
    answer = (
        "Here they are:\n\n| # | Title | Authors | Year | DOI |\n|---|:---|---|---|---|\n"
        "| 1 | The flight of birds | Ann Lee, Bo Wu | 2020 | 10.1000/x1 |\n| 2 | Weaving looms | Cy Day | 2019 | |\n\nGood luck!"
    )
    first, second = read_plain_references(answer, HERE)
    assert (first.fields["title"], first.fields["doi"], first.fields["year"]) == (
        "The flight of birds",
        "10.1000/x1",
        "2020",
    )
    assert (second.fields["title"], second.fields["author"]) == ("Weaving looms", "Cy Day")


def test_a_table_of_other_things_holds_no_reference() -> None:
    assert read_plain_references("| model | score |\n|---|---|\n| GPT | 2020 |", HERE) == []
