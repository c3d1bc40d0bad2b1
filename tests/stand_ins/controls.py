"""Works that every service has regardless of the facts: a client uses them to test if the service responds."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from tests.stand_ins.facts import Facts, Name, Work
from tests.stand_ins.facts_file import load_facts

_FILE = Path(__file__).with_name("facts.yaml")
_FROM_FILE = frozenset(
    {
        "vaswani2017attention",
        "devlin2019bert",
        "love2014moderated",
        "higgins2017betavae",
        "maldacena1997large",
        "higgs1964broken",
        "wiles1995modular",
        "riess1998observational",
        "love2014biorxiv",
    }
)
_PREFIXES = dict.fromkeys(("10.1023", "10.1086", "10.1101", "10.1103", "10.1186", "10.2307"), "Crossref")
_OTHERS = (
    Work(
        "graham1994concrete", "Concrete Mathematics: A Foundation for Computer Science", "book",
        authors=(Name("Ronald L.", "Graham"), Name("Donald E.", "Knuth"), Name("Oren", "Patashnik")),
        publisher="Addison-Wesley", issued=(1994,), isbn=("9780201558029",),
    ),
    Work(
        "pedregosa2011learn", "Scikit-learn: Machine Learning in Python", "journal-article", issued=(2011,), hal="hal-00650905",
        authors=(Name("Fabian", "Pedregosa"), Name("Gaël", "Varoquaux")), container="Journal of Machine Learning Research",
    ),
    Work(
        "mairal2010sparse", "Sparse coding for machine learning, image processing and computer vision", "dissertation",
        vernacular="Représentations parcimonieuses en apprentissage statistique, traitement d'image et vision par ordinateur",
        authors=(Name("Julien", "Mairal"),), issued=(2010,), publisher="Cachan, Ecole normale supérieure", nnt="2010DENS0040",
    ),
    Work(
        "jimenez2024swebench", "SWE-bench: Can Language Models Resolve Real-world Github Issues?", "proceedings-article",
        authors=(Name("Carlos E", "Jimenez"), Name("John", "Yang")), issued=(2024,), openreview="VTF8yNQM66",
        container="12th International Conference on Learning Representations, ICLR 2024",
    ),
    Work(
        "bradner1997key", "Key words for use in RFCs to Indicate Requirement Levels", "report", rfc="2119",
        authors=(Name("S.", "Bradner"),), issued=(1997, 3),
    ),
    Work(
        "rgdal", "rgdal", "software", package="cran:rgdal", issued=(2003, 11), last_year="2023",
        summary="Bindings for the 'Geospatial' Data Abstraction Library", authors=(Name("Roger", "Bivand"),),
    ),
    Work("sampleproject", "sampleproject", "software", package="pypi:sampleproject", summary="A sample Python project"),
    Work(
        "w3c2008xml", "Extensible Markup Language (XML) 1.0 (Fifth Edition)", "report", issued=(2008, 11, 26), w3c="xml/20081126",
    ),
    Work(
        "openai2019gpt2", "gpt2", "software", repository="huggingface.co/models/openai-community/gpt2", issued=(2022,),
    ),
    Work("hello-world", "Hello-World", "software", repository="github.com/octocat/hello-world", issued=(2011,)),
)  # fmt: skip


@lru_cache(maxsize=64)
def _witnesses() -> tuple[Work, ...]:
    known = load_facts(_FILE).works
    assert {work.id for work in known} >= _FROM_FILE
    return (*(work for work in known if work.id in _FROM_FILE), *_OTHERS)


def with_controls(facts: Facts) -> Facts:
    """Add the works that every service has at the end, unless the facts already have them."""
    taken = {name for work in facts.works for name in _names(work)}
    missing = tuple(work for work in _witnesses() if taken.isdisjoint(_names(work)))
    return replace(facts, works=(*facts.works, *missing), prefixes={**facts.prefixes, **_PREFIXES})


def _names(work: Work) -> list[str]:
    names = [
        work.doi.lower(),
        work.pmid,
        work.acl,
        work.openreview,
        work.hal,
        work.nnt,
        work.texkey,
        work.package,
        work.repository,
        work.w3c and f"W3C {work.w3c}",
        work.rfc and f"RFC {work.rfc}",
    ]
    names += [*work.isbn, *(record.key for record in work.dblp), work.arxiv.id if work.arxiv else ""]
    return [name for name in names if name]
