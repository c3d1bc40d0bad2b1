"""Workers read the index that the audit began with, or none."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_citecheck.audit import identity, local_index
from pytest_citecheck.index import IndexFileError, LocalIndex
from tests.audit.conftest import WORKS

pytest.importorskip("fsspec")


def test_an_index_at_an_address_is_copied_once(index: Path, tmp_path: Path) -> None:
    there = tmp_path / "there.index"
    there.write_bytes(index.read_bytes())
    address = f"file://{there}"
    expected = identity(address)
    assert expected == identity(str(there))
    copy = local_index(address, expected, tmp_path / "copies")
    there.unlink()
    assert local_index(address, expected, tmp_path / "copies") == copy
    with LocalIndex(copy) as opened:
        assert opened.by_identifier("doi", WORKS[0].doi)
    assert [path.name for path in copy.parent.iterdir()] == [copy.name]


@pytest.mark.exhaustive
def test_a_set_of_shards_is_copied_whole(tmp_path: Path) -> None:
    from pytest_citecheck.index import build_shards  # noqa: PLC0415 - needs numpy

    build_shards(tmp_path / "set.index", WORKS, 2, chunk=8)
    address = f"file://{tmp_path}/set.index"
    with LocalIndex(local_index(address, identity(address), tmp_path / "copies")) as opened:
        assert list(opened) == WORKS


@pytest.mark.parametrize("cut", [False, True])
def test_another_index_or_a_damaged_copy_is_refused(index: Path, tmp_path: Path, cut: bool) -> None:
    there = tmp_path / "there.index"
    data = index.read_bytes()
    there.write_bytes(data)
    expected = identity(str(there))
    there.write_bytes(data[:5000] + (b"" if cut else bytes([data[5000] ^ 1])) + data[5001:])
    with pytest.raises(IndexFileError, match=r"another index than at the start"):
        local_index(f"file://{there}", expected, tmp_path / "copies")
    if cut:
        with pytest.raises(IndexFileError, match="another index than at the start"):
            local_index(str(there), expected)
    with pytest.raises(IndexFileError, match="cannot be opened"):
        identity(f"file://{tmp_path}/missing")
