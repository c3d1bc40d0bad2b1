"""Damage in dumps: reported with file and place, and limited to the damaged record."""

from __future__ import annotations

import gzip
import json
import tracemalloc
import zlib
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_citecheck.index import FORMATS
from pytest_citecheck.model import Record
from pytest_citecheck.sources import Context, Problem
from pytest_citecheck.sources import dump_json as json_document
from pytest_citecheck.sources import dumps as lines
from pytest_citecheck.sources import dumps as xml_pieces
from tests.support.dump_samples import SAMPLES, Sample, entries, problems, readings
from tests.support.records import names

if TYPE_CHECKING:
    from pathlib import Path

each = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
calm = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@each
def test_truncated_gzip(sample: Sample, tmp_path: Path) -> None:
    """The intact part is read, and the truncation is reported."""
    whole = entries(readings(tmp_path / sample.name, sample.file()))
    packed = gzip.compress(sample.file())
    for size in (len(packed) - 1, len(packed) - 9, len(packed) * 2 // 3):
        items = readings(tmp_path / f"{sample.name}.gz", packed[:size], source=whole[0].source)
        found = entries(items)
        assert found == [replace(entry, source=whole[0].source) for entry in whole[: len(found)]]
        assert any("gzip data end too early" in problem.reason for problem in problems(items))
        assert len(found) == len(whole) or size < len(packed) - 8


@pytest.mark.exhaustive
def test_what_the_engine_keeps_to_the_end_is_read(tmp_path: Path) -> None:
    """Of a truncated member, zlib returns the last bytes only when it is told that there is no more input."""
    line = json.dumps({"id": "a", "type": "book", "title": "Wheels", "author": [{"family": "Ada"}]}).encode() + b"\n"
    most = 4 << 20  # bytes that are decompressed at once

    def kept(packed: bytes) -> tuple[int, int]:
        """Bytes that are returned at once, and at the end."""
        engine, data, returned = zlib.decompressobj(31), packed, 0
        while data:
            returned += len(engine.decompress(data, most))
            data = engine.unconsumed_tail
        return returned, len(engine.flush())

    sizes = range(most // len(line), most // len(line) + 40)
    packed, (returned, rest) = next(
        (packed, found) for size in sizes for cut in range(1, 14)
        if (found := kept(packed := gzip.compress(line * size)[:-cut]))[1] > len(line)
    )  # fmt: skip
    records = entries(readings(tmp_path / "refs.csl.jsonl.gz", packed, source="x"))
    assert len(records) == (returned + rest) // len(line) > returned // len(line)


@each
def test_damaged_gzip(sample: Sample, tmp_path: Path) -> None:
    """A byte that is wrong in one member leaves the members before and behind it."""
    whole = entries(readings(tmp_path / sample.name, sample.file(), source="x"))
    first, last = gzip.compress(sample.file()), gzip.compress(sample.file())
    broken = bytearray(first)
    broken[len(broken) // 2] ^= 0xFF
    items = readings(tmp_path / f"{sample.name}.gz", first + bytes(broken) + last, source="x")
    assert any("gzip data are damaged" in problem.reason for problem in problems(items))
    assert entries(items)[: len(whole)] == whole
    assert entries(items)[-1] == whole[-1]


@each
def test_record_cut_off(sample: Sample, tmp_path: Path) -> None:
    good = [entries(readings(tmp_path / sample.name, sample.file([record]))) for record in sample.records]
    for index, record in enumerate(sample.records[:3]):
        records = [*sample.records[:index], record[: len(record) * 2 // 5], *sample.records[index + 1 :]]
        items = readings(tmp_path / sample.name, sample.file(records))
        assert problems(items), record
        assert all(str(tmp_path / sample.name) in str(problem) for problem in problems(items))
        expected = [entry for at, found in enumerate(good) for entry in found if at != index]
        assert [entry for entry in entries(items) if entry in expected] == expected


@each
def test_long_record(sample: Sample, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An overlong record is reported, and its neighbours are read."""
    whole = readings(tmp_path / sample.name, sample.file())
    if sample.name.endswith(("ris", "bib")):
        long = (
            sample.records[0].replace(b"{", b"{" + b"x" * 3_000_000, 1)
            if sample.name.endswith("bib")
            else b"x" * 3_000_000
        )
    else:
        middle = len(sample.records[0]) // 2
        long = sample.records[0][:middle] + b"x" * 3_000_000 + sample.records[0][middle:]
    for module in (json_document, lines, xml_pieces):
        monkeypatch.setattr(module, "LONGEST", 1 << 17)
    items = readings(tmp_path / sample.name, sample.file([*sample.records[:1], long, *sample.records[1:]]))
    found = entries(items)
    assert [entry for entry in found if entry in whole] == entries(whole)
    assert problems(items) or sample.name.endswith("bib")


@each
def test_byte_that_is_not_utf8(sample: Sample, tmp_path: Path) -> None:
    good = [entries(readings(tmp_path / sample.name, sample.file([record]))) for record in sample.records]
    record = sample.records[0]
    title = entries(readings(tmp_path / sample.name, sample.file([record])))[0].title.split()[1].encode()
    items = readings(tmp_path / sample.name, sample.file([record.replace(title, b"\xff" + title), *sample.records[1:]]))
    if sample.name == "dblp.xml":  # says that it is in ISO 8859-1
        assert entries(items)[0].title == "Long ÿShort-Term Memory"
        return
    assert any("not UTF-8" in problem.reason for problem in problems(items))
    expected = [entry for found in good[1:] for entry in found]
    assert [entry for entry in entries(items) if entry in expected] == expected


@pytest.mark.parametrize("sample", SAMPLES[:3], ids=lambda sample: sample.name)
@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("&unheardof;", "the entity &unheardof; is unknown"),
        ("A & B", "an ampersand begins no entity"),
        ("&#x110000;", "&#x110000; is not a character"),
        ("<b>", "not well-formed"),
    ],
)
def test_broken_markup(sample: Sample, written: str, reason: str, tmp_path: Path) -> None:
    whole = entries(readings(tmp_path / sample.name, sample.file()))
    record = sample.records[0]
    end = b"</ArticleTitle>" if b"</ArticleTitle>" in record else b"</title>"
    items = readings(
        tmp_path / sample.name, sample.file([record.replace(end, written.encode() + end), *sample.records[1:]])
    )
    assert [reason in problem.reason for problem in problems(items)] == [True]
    assert problems(items)[0].offset == len(sample.start)
    assert problems(items)[0].record in record.decode() or problems(items)[0].record == "N19-1423"
    assert len(entries(items)) == len(whole) - 1


def test_entities_that_are_known(tmp_path: Path) -> None:
    fields = b"<author>Zo&euml; &Aring;&#246;&#xdf;</author><title>A &lt;b&gt; &amp;amp; C.</title>"
    data = b"<dblp><article key='journals/x/A1'>" + fields + b"</article></dblp>"
    (entry,) = readings(tmp_path / "a.xml", data)
    assert isinstance(entry, Record)
    assert names(entry) == ("Zoë Åöß",)
    assert entry.title == "A & C"


@calm
@given(sample=st.sampled_from(SAMPLES), cut=st.integers(0, 10_000), which=st.integers(0, 10))
def test_splice(sample: Sample, cut: int, which: int, tmp_path: Path) -> None:
    """A truncated record does not change its neighbours."""
    good = entries(readings(tmp_path / sample.name, sample.file()))
    record = sample.records[which % len(sample.records)]
    records = [sample.records[0], record[: cut % len(record)], *sample.records[1:]]
    items = readings(tmp_path / sample.name, sample.file(records))
    found = iter(entries(items))
    assert all(entry in found for entry in good)


@calm
@given(sample=st.sampled_from(SAMPLES), noise=st.binary(max_size=200))
def test_noise_between_records(sample: Sample, noise: bytes, tmp_path: Path) -> None:
    good = entries(readings(tmp_path / sample.name, sample.file()))
    noise = noise.replace(b"@", b"a")  # which begins an entry of BibTeX
    items = readings(tmp_path / sample.name, sample.file([sample.records[0], noise, *sample.records[1:]]))
    found = iter(entries(items))
    assert all(entry in found for entry in good)


@calm
@given(data=st.data())
def test_any_bytes(data: st.DataObject, tmp_path: Path) -> None:
    """Nothing is raised for a file of a format in which bytes were changed, nor for bytes alone."""
    sample = data.draw(st.sampled_from(SAMPLES))
    content = bytearray(sample.file())
    for _ in range(data.draw(st.integers(0, 4))):
        at = data.draw(st.integers(0, len(content)))
        content[at : at + data.draw(st.integers(0, 30))] = data.draw(st.binary(max_size=20))
    if data.draw(st.booleans()):
        content = bytearray(gzip.compress(bytes(content))[: data.draw(st.integers(1, 400))])
    for item in readings(tmp_path / sample.name, bytes(content)):
        assert isinstance(item, Record | Problem)


@given(chunks=st.lists(st.binary(max_size=60), max_size=4))
def test_any_bytes_in_every_format(chunks: list[bytes]) -> None:
    for form in FORMATS:
        assert all(isinstance(item, Record | Problem) for item in form.read(iter(chunks), Context("x")))


def test_a_line_of_a_hundred_megabytes_is_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LONGEST", 1 << 20)
    context = Context("x.jsonl")
    chunk = b"x" * (1 << 18)
    stream = iter([b"first\n", *[chunk] * 400, b"\nlast"])
    tracemalloc.start()
    found = list(lines.lines(stream, context))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [line for _, _, line in found] == [b"first", b"last"]
    assert found[1][:2] == (3, 6 + 400 * (1 << 18) + 1)
    assert peak < 4 << 20
    assert [(problem.line, problem.offset) for problem in context.pending] == [(2, 6)]


@pytest.mark.parametrize("size", [1, 64])
@each
def test_any_chunks(sample: Sample, size: int, tmp_path: Path) -> None:
    """Results do not depend on the chunk boundaries of a stream."""
    data = sample.file()
    form = next(one for one in FORMATS if one.name in _format_of(sample, tmp_path))
    whole = list(form.read(iter([data]), Context("x")))
    parts = (data[at : at + size] for at in range(0, len(data), size))
    assert list(form.read(parts, Context("x"))) == whole


def _format_of(sample: Sample, tmp_path: Path) -> list[str]:
    from pytest_citecheck.index import read  # noqa: PLC0415

    (tmp_path / sample.name).write_bytes(sample.file())
    reading = read(tmp_path / sample.name)
    list(reading)
    return reading.formats
