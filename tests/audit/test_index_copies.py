"""Workers read the index that the audit began with, or none."""

from __future__ import annotations

import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_citecheck.audit import identity, local_index
from pytest_citecheck.index import IndexFileError, LocalIndex
from tests.audit.conftest import WORKS

local = pytest.importorskip("fsspec.implementations.local")


@pytest.fixture
def there(index: Path, tmp_path: Path) -> Path:
    path = tmp_path / "there.index"
    path.write_bytes(index.read_bytes())
    return path


def test_an_index_at_an_address_is_copied_once(there: Path, tmp_path: Path) -> None:
    address = f"file://{there}"
    expected = identity(address)
    assert expected == identity(str(there))
    copy = local_index(address, expected, tmp_path / "copies")
    there.unlink()
    assert local_index(address, expected, tmp_path / "copies") == copy
    with LocalIndex(copy) as opened:
        assert opened.by_identifier("doi", WORKS[0].doi)
    assert [path.name for path in copy.parent.iterdir()] == [copy.name] == ["there.index"]


@pytest.mark.exhaustive
def test_a_set_of_shards_is_copied_whole(tmp_path: Path) -> None:
    from pytest_citecheck.index import build_shards  # noqa: PLC0415 - needs numpy

    build_shards(tmp_path / "set.index", WORKS, 2, chunk=8)
    address = f"file://{tmp_path}/set.index"
    with LocalIndex(local_index(address, identity(address), tmp_path / "copies")) as opened:
        assert list(opened) == WORKS


@pytest.mark.parametrize("cut", [False, True])
def test_another_index_or_a_damaged_copy_is_refused(there: Path, tmp_path: Path, cut: bool) -> None:
    data = there.read_bytes()
    expected = identity(str(there))
    there.write_bytes(data[:5000] + (b"" if cut else bytes([data[5000] ^ 1])) + data[5001:])
    with pytest.raises(IndexFileError, match=r"another index than at the start"):
        local_index(f"file://{there}", expected, tmp_path / "copies")
    if cut:
        with pytest.raises(IndexFileError, match="another index than at the start"):
            local_index(str(there), expected)
    with pytest.raises(IndexFileError, match=r"missing: the index cannot be opened: no such file"):
        identity(f"file://{tmp_path}/missing")


def test_of_several_workers_of_a_machine_one_copies(
    there: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied: list[str] = []
    get_file = local.LocalFileSystem.get_file

    def slowly(*arguments: Any) -> None:
        copied.append(arguments[-1])
        time.sleep(0.3)
        get_file(*arguments)

    monkeypatch.setattr(local.LocalFileSystem, "get_file", slowly)
    expected = identity(str(there))
    with ThreadPoolExecutor(4) as threads:
        paths = list(threads.map(lambda _: local_index(f"file://{there}", expected, tmp_path / "copies"), range(4)))
    assert len({*paths}) == len(copied) == 1
    assert [*paths[0].parent.iterdir()] == paths[:1]


@pytest.mark.parametrize(("cut", "free", "message"), [
    (1, None, r"copy was cut short: [\d,]+ of [\d,]+ bytes; run the audit again"),
    (0, 1000, r"index has [\d,]+ bytes, and .*copies.* has 1,000 bytes free: make room"),
])  # fmt: skip
def test_a_copy_that_stays_short_is_refused_and_leaves_no_file(
    there: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cut: int, free: int | None, message: str
) -> None:
    monkeypatch.setattr(
        local.LocalFileSystem, "get_file",
        lambda _self, remote, path: Path(path).write_bytes(Path(remote).read_bytes()[: -cut or None]),
    )  # fmt: skip
    if free is not None:
        monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    with pytest.raises(IndexFileError, match=message):
        local_index(f"file://{there}", identity(str(there)), tmp_path / "copies")
    assert not [path for path in (tmp_path / "copies").rglob("*") if path.is_file()]


def test_a_damaged_copy_and_the_rest_of_a_killed_worker_are_replaced(there: Path, tmp_path: Path) -> None:
    arguments = f"file://{there}", identity(str(there)), tmp_path / "copies"
    copy = local_index(*arguments)
    copy.write_bytes(copy.read_bytes()[:-1])
    copy.with_name(f".{copy.name}.tmp").mkdir()
    assert local_index(*arguments) == copy
    assert copy.read_bytes() == there.read_bytes()
    assert [*copy.parent.iterdir()] == [copy]


def test_an_error_of_a_file_system_becomes_a_message(there: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class NoCredentialsError(Exception):
        """No OSError: those of botocore are none."""

    def refuse(*_: object) -> None:
        raise NoCredentialsError("Unable to locate credentials")

    monkeypatch.setattr(local.LocalFileSystem, "size", refuse)
    with pytest.raises(IndexFileError, match=r"there\.index: the index cannot be opened: Unable to locate credentials"):
        identity(f"file://{there}")
