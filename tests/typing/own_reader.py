"""A reader as users write it."""

from __future__ import annotations

from typing import assert_type

from pytest_citecheck.api import Bibliography, Defect, Location, Reader, Reference


class Tabs:
    suffixes = frozenset({".tsv"})
    format = "a table with tabs"
    lenient = True

    def reads(self, head: bytes) -> bool:
        return b"\t" in head

    def read(self, path: str, data: bytes) -> Bibliography:
        references = []
        for number, line in enumerate(data.decode(errors="replace").splitlines(), start=1):
            key, *rest = line.split("\t")
            fields = dict(zip(("author", "title", "year"), rest, strict=False))
            defects = (
                () if len(fields) == 3 else (Defect("stray-text", "three fields are expected", number, fatal=True),)
            )
            references.append(
                Reference(key, "book", fields, Location(path, number, number), text=line, defects=defects)
            )
        return Bibliography(path, tuple(references))


reader: Reader = Tabs()
assert_type(reader.read("a.tsv", b"").references, tuple[Reference, ...])
