"""The parts of a document that is a ZIP archive, none larger than a limit."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from pytest_citecheck.readers.documents.base import UnreadableDocumentError, megabytes
from pytest_citecheck.readers.documents.xml import parse_xml

__all__ = ["Package"]

_LARGEST = 50_000_000  # bytes of a part when it is unpacked


class Package:
    """An archive. Raises UnreadableDocumentError if it is none."""

    def __init__(self, path: str, data: bytes) -> None:
        self.path = path
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, OSError, ValueError, EOFError, NotImplementedError) as error:
            why = (
                "is encrypted; save it without a password" if data[:8].startswith(b"\xd0\xcf\x11\xe0") else "is damaged"
            )
            raise UnreadableDocumentError(f"{path} {why} ({error})") from error

    def names(self, start: str) -> Iterator[str]:
        """The names of the parts that begin so."""
        yield from sorted(name for name in self._archive.namelist() if name.startswith(start))

    def xml(self, name: str) -> Element | None:
        """The root element of a part; None if there is no such part. Raises UnreadableDocumentError."""
        try:
            with self._archive.open(name) as part:
                data = part.read(_LARGEST + 1)
        except KeyError:
            return None
        except RuntimeError as error:  # an encrypted part
            raise UnreadableDocumentError(f"{self.path} is encrypted; save it without a password") from error
        except (zipfile.BadZipFile, OSError, ValueError, EOFError, NotImplementedError, zlib.error) as error:
            raise UnreadableDocumentError(f"{self.path} is damaged: {name} ({error})") from error
        if len(data) > _LARGEST:
            raise UnreadableDocumentError(f"{self.path}: its part {name} has more than {megabytes(_LARGEST)}")
        try:
            return parse_xml(data)
        except ValueError as error:
            raise UnreadableDocumentError(f"{self.path}: {name}: {error}") from error
