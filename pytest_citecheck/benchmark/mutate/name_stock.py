"""Frequent given and family names of several cultures, so that invented authors look like anybody.

The names are among the most frequent of their country in public statistics of names; a pair of them is nobody in
particular. Both halves of an invented name come from one culture.
"""

from __future__ import annotations

from pytest_citecheck.benchmark.mutate.stream import Stream

__all__ = ["anybody"]

_STOCK_LIST = """
Anna Thomas Laura Daniel Katharina Stefan Julia Markus | Wagner Becker Schulz Hoffmann Koch Richter Klein Wolf
Emily James Sarah Andrew Rachel Matthew Olivia Stephen | Thompson Walker Roberts Turner Phillips Campbell Parker Evans
Wei Jing Lei Yan Xiaoming Hui Jun Min | Zhao Huang Zhou Xu Sun Ma Zhu Guo
Haruka Kenji Yuki Takashi Naoko Satoshi Akiko Daisuke | Tanaka Watanabe Yamamoto Nakamura Kobayashi Kato Yoshida Sasaki
Priya Rahul Anjali Vikram Sunita Arjun Kavita Sanjay | Sharma Gupta Patel Verma Reddy Nair Joshi Mehta
Carmen Javier Lucía Alejandro Marta Diego Elena Pablo | Fernández Gómez Moreno Romero Navarro Torres Vega Ortega
Camille Julien Claire Antoine Sophie Nicolas Manon Guillaume | Lefebvre Moreau Girard Fournier Mercier Lambert Faure Roussel
Giulia Marco Francesca Andrea Chiara Luca Paola Matteo | Rossi Ferrari Bianchi Ricci Marino Greco Conti Gallo
Fatima Ahmed Layla Omar Yasmin Khalid Nadia Hassan | Haddad Mansour Khalil Saleh Nasser Hamdan Aziz Farouk
Minji Jihoon Soyeon Hyunwoo Eunji Sungmin Yuna Taeyang | Kim Choi Jung Kang Yoon Lim Han Shin
Olga Dmitri Irina Sergei Natalia Alexei Svetlana Pavel | Ivanov Petrov Volkov Morozov Sokolov Lebedev Kozlov Orlov
Amara Chidi Ngozi Kwame Abena Tunde Zainab Kofi | Okafor Mensah Adeyemi Balogun Owusu Eze Nwosu Boateng
Maria João Ana Pedro Beatriz Rafael Mariana Tiago | Silva Oliveira Pereira Costa Carvalho Ribeiro Almeida Teixeira
Ingrid Lars Astrid Erik Sofie Magnus Freja Anders | Johansson Nielsen Lindberg Hansen Bergström Larsen Dahl Nyström
"""
_CULTURES = [
    (given.split(), family.split())
    for given, _, family in (line.partition("|") for line in _STOCK_LIST.strip().splitlines())
]


def anybody(stream: Stream) -> tuple[str, str]:
    """The family and the given name of an invented person."""
    given, family = stream.pick(_CULTURES)
    return stream.pick(family), stream.pick(given)
