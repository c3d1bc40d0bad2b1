"""``citecheck index build --from`` and ``update``: dumps are downloaded before they are read.

Downloads stay in a folder beside the index, one for each collection, so that a later update loads only what is new.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from pytest_citecheck.cli.commands import UsageError, amount, count, say
from pytest_citecheck.cli.running import NotDoneError
from pytest_citecheck.net import DownloadError, Downloads, downloaded, left_to_load, origin_of
from pytest_citecheck.sources import PUBLISHED, UNCONFIRMED, DumpFile, ListingError, listed_files

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from pytest_citecheck.cli.commands import Progress


_MIRROR = "mirror.json"


@dataclass(frozen=True, slots=True)
class Loaded:
    """A dump file on disk. whole: True if it is its whole collection. new: True if no index was built with it in this form."""

    path: Path
    whole: bool
    new: bool


def dumps_folder(chosen: argparse.Namespace) -> Path:
    """Where the downloads are kept."""
    index: Path = chosen.index
    return chosen.dumps or index.with_name(f"{index.name}.dumps")


def named_collections(chosen: argparse.Namespace) -> list[str]:
    """The collections to download. Raises UsageError."""
    names = [name.strip() for name in (chosen.collections or "").split(",") if name.strip()]
    for name in names:
        if name not in PUBLISHED:
            raise UsageError(f"no dump of '{name}' is known; --from takes {', '.join(PUBLISHED)}")
    return list(dict.fromkeys(names))


def loaded_before(chosen: argparse.Namespace) -> list[str]:
    """The collections of which there are downloads."""
    return [name for name in PUBLISHED if (dumps_folder(chosen) / name).is_dir()]


def load(chosen: argparse.Namespace, names: Sequence[str], progress: Progress) -> list[Loaded]:
    """Download what is new of these collections. Raises UsageError and NotDoneError; a later call continues."""
    folder = dumps_folder(chosen)
    given = _mirrors(chosen.mirror)
    mirrors = {name: url for name in names if (url := given.get(name) or _remembered(folder / name))}
    for name in names:
        if not (PUBLISHED[name].url or name in mirrors):
            raise UsageError(PUBLISHED[name].why)
    try:
        with Downloads() as client:
            planned = [(name, one) for name in names for one in _files(client, name, mirrors.get(name, ""))]
            states = [_state(client, folder / name / one.name, one) for name, one in planned]
            missing = [
                (folder / name / one.name, one, size)
                for (name, one), (state, size) in zip(planned, states, strict=True)
                if state == "missing"
            ]
            _demand_room(folder, missing)
            for number, (target, one, _) in enumerate(missing, start=1):
                place = f"{target.name} (file {number} of {len(missing)})"

                def told(done: int, size: int, place: str = place) -> None:
                    if progress.due:
                        progress.show(f"{place}: {amount(done)}{f' of {amount(size)}' if size else ''}")

                client.fetch(one.url, target, one.checksum, told)
    except (DownloadError, ListingError) as error:
        raise NotDoneError(str(error)) from error
    finally:
        progress.clear()
    for name, url in mirrors.items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / _MIRROR).write_text(json.dumps({"url": url}), encoding="utf-8")
    if missing:
        total = sum(target.stat().st_size for target, *_ in missing)
        say(f"downloaded: {count(len(missing), 'file')}, {amount(total)}, in {folder}")
    return [
        Loaded(folder / name / one.name, PUBLISHED[name].whole, state != "taken")
        for (name, one), (state, _) in zip(planned, states, strict=True)
    ]


def note_taken(files: Iterable[Loaded]) -> None:
    """Remember that an index has the content of these files."""
    for file in files:
        origin_of(file.path).write_text(json.dumps(downloaded(file.path) | {"taken": True}, indent=1), encoding="utf-8")


def _remembered(folder: Path) -> str:
    """The mirror from which the dumps in this folder came; empty if there was none."""
    try:
        url = str(json.loads((folder / _MIRROR).read_bytes())["url"])
        return _mirrors([f"{folder.name}={url}"])[folder.name]
    except (OSError, ValueError, LookupError, TypeError, UsageError):
        return ""


def _mirrors(given: Sequence[str]) -> dict[str, str]:
    mirrors = {}
    for one in given:
        name, _, url = one.partition("=")
        if name not in PUBLISHED or urlsplit(url).scheme not in ("http", "https"):
            raise UsageError(f"--mirror takes NAME=URL with a NAME of {', '.join(PUBLISHED)}: {one}")
        if urlsplit(url).username is not None:
            raise UsageError(f"--mirror {name}: no login is sent to a mirror; give its address without one")
        mirrors[name] = url
    return mirrors


def _files(client: Downloads, name: str, mirror: str) -> list[DumpFile]:
    published = PUBLISHED[name]
    url = mirror or published.url
    if published.confirmed == UNCONFIRMED and not mirror:
        say(f"{name}: the address {url} was not confirmed for this version")
    if not published.listing:
        checksum = f"{url}{published.checksum}" if published.checksum else ""
        return [DumpFile(url, urlsplit(url).path.rpartition("/")[2] or name, checksum=checksum)]
    lists = [url]
    if published.updates:
        lists.append(published.updates if not mirror else urljoin(mirror, "../updatefiles/"))
    return [
        one
        for address in lists
        for one in sorted(
            listed_files(address, published.listing, published.checksum, client.text(address)), key=lambda one: one.name
        )
    ]


def _state(client: Downloads, target: Path, one: DumpFile) -> tuple[str, int]:
    """``missing``, ``there`` or ``taken`` (there, and in the index), and the size of the file."""
    known = downloaded(target)
    size, validator = (
        (one.size, known.get("validator")) if one.size else client.size(one.url)
    )  # listed files do not change
    same = bool(validator) and (known.get("validator"), known.get("url")) == (validator, one.url)
    if same and known.get("taken"):
        return "taken", size
    return ("there" if same and target.exists() else "missing"), size


def _demand_room(folder: Path, missing: Sequence[tuple[Path, DumpFile, int]]) -> None:
    """Raises NotDoneError if the downloads will not fit on the disk."""
    needed = sum(left_to_load(target, size) for target, _, size in missing)
    existing = next(path for path in (folder.resolve(), *folder.resolve().parents) if path.exists())
    free = shutil.disk_usage(existing).free
    if needed > free:
        raise NotDoneError(
            f"{amount(needed)} would be downloaded, and {existing} has {amount(free)} free: --dumps names another folder"
        )
