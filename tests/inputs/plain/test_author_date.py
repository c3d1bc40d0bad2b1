"""Styles of the humanities and social sciences: people and date first, then the title."""

from __future__ import annotations

import pytest

from pytest_citecheck.inputs import author_date, string_readings


@pytest.mark.parametrize(
    ("text", "author", "title", "year"),
    [
        ("Beck, Ulrich (1986): Risikogesellschaft. Auf dem Weg in eine andere Moderne, Frankfurt a. M.: Suhrkamp.",
         "Beck, Ulrich", "Risikogesellschaft. Auf dem Weg in eine andere Moderne", "1986"),
        ("Becker, Gary S. und Nigel Tomes, 1979, An Equilibrium Theory, Journal of Political Economy, 87(6), S. 1153-1189.",
         "Becker, Gary S. and Nigel Tomes", "An Equilibrium Theory", "1979"),
        ("Donges, Patrick/Jarren, Otfried (2017): Politische Kommunikation, 4. Aufl., Wiesbaden: Springer VS.",
         "Donges, Patrick and Jarren, Otfried", "Politische Kommunikation", "2017"),
        ("Blessing, Karin/Langer, Silvia (1997) (Hg.), Natur erleben mit Kindern, Stuttgart.",
         "Blessing, Karin and Langer, Silvia", "Natur erleben mit Kindern", "1997"),
        ("Brannen, Julia, Peter Moss and Ann Mooney (2004): Working and Caring, ESRC Future of Work Series, Basingstoke.",
         "Brannen, Julia and Peter Moss and Ann Mooney", "Working and Caring", "2004"),
        ("Hoornaert, J. (1973) ‘Time Perspective: Theoretical Considerations’, Psychologica Belgica 13: 27–56.",
         "Hoornaert, J.", "Time Perspective: Theoretical Considerations", "1973"),
        ("Freud, Sigmund (1957 [1915]). The unconscious. In Sigmund Freud, Standard edition (Vol. 14). London: Hogarth Press.",
         "Freud, Sigmund", "The unconscious", "1957"),
        ("Giesen, Bernhard (2004): Divided Memories, in: Time and Society 13:1, 27-40.",
         "Giesen, Bernhard", "Divided Memories", "2004"),
        ("Luhmann, Niklas: Soziale Systeme. Grundriß einer allgemeinen Theorie. Frankfurt am Main: Suhrkamp, 1984.",
         "Luhmann, Niklas", "Soziale Systeme. Grundriß einer allgemeinen Theorie", "1984"),
        ("Steven E. Toulmin, Kritik der kollektiven Vernunft, Frankfurt 1983.",
         "Steven E. Toulmin", "Kritik der kollektiven Vernunft", "1983"),
        ("Heinrich Best u. Reinhard Mann, »Quantitative Methoden«, in: Geschichte und Gesellschaft, 14 (1988), S. 5-37.",
         "Heinrich Best and Reinhard Mann", "Quantitative Methoden", "1988"),
        ("Beck, Ulrich (1986): Risikogesellschaft (= Edition Suhrkamp 365), Frankfurt: Suhrkamp.",
         "Beck, Ulrich", "Risikogesellschaft", "1986"),
        ("甘利俊一（1998）「自然勾配学習法」『計測と制御』37(7), 468-473.", "甘利俊一", "自然勾配学習法", "1998"),
    ],
)  # fmt: skip
def test_people_title_and_year(text: str, author: str, title: str, year: str) -> None:
    found = author_date(text)
    assert found is not None
    assert {name: found.fields[name] for name in ("author", "title", "year")} == {
        "author": author,
        "title": title,
        "year": year,
    }


@pytest.mark.parametrize(
    "text",
    [
        "Oren Etzioni, Michele Banko, and Daniel S Weld. Open information extraction. Communications of the ACM, 2008.",
        "S. Ren, K. He, and J. Sun, Faster R-CNN: Towards Real-Time Detection, IEEE Trans., vol. 39, 2017.",
        "Yinzhu Quan and Zefang Liu. Econlogicqa: A benchmark. ArXiv, 2024.",
        "J. G. Bednorz. Possible high Tc superconductivity. Z. Phys. B: Condens. Matter, 64, 1986.",
    ],
)
def test_styles_of_the_sciences_are_left_to_their_readers(text: str) -> None:
    first = string_readings(text)[0]
    assert first.fields["title"].split()[0] in ("Open", "Faster", "Econlogicqa:", "Possible")


def test_a_reading_without_marks_is_uncertain() -> None:
    (first, *_) = string_readings("Giesen, Bernhard (2004): Divided Memories, in: Time and Society 13:1, 27-40.")
    assert (first.fields["title"], first.certain) == ("Divided Memories", False)
    (quoted, *_) = string_readings("Hoornaert, J. (1973) ‘Time Perspective’, Psychologica Belgica 13: 27–56.")
    assert (quoted.fields["title"], quoted.certain) == ("Time Perspective", True)


@pytest.mark.parametrize("written", ["1999", "1999b", "(1999)", "(1999a)", "1999.", "(1999):", "(1999, May),"])
def test_each_reading_has_the_whole_year_before_the_title(written: str) -> None:
    found = string_readings(f"Smith, J. and Lee, K. {written} A title of many things. Journal of Things, 3, 4-5.")
    assert {one.fields["year"] for one in found if "year" in one.fields} == {"1999"}


def test_a_title_of_marks_only_is_no_title() -> None:
    assert not any(reading.fields.get("title") for reading in string_readings("Milner, Robin (1971). **."))
