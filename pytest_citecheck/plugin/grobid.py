"""A GROBID at an address of the user's: a PDF in, TEI out.

Documentation: GROBID, "The GROBID Service API", ``/api/processReferences``.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from pytest_citecheck.inputs import UnreadableDocumentError
from pytest_citecheck.net import Deadline, ExchangeError, Exchanger, system_lookup
from pytest_citecheck.plugin.gathering import run_to_end
from pytest_citecheck.sources import Request

if TYPE_CHECKING:
    from pytest_citecheck.net import RawResponse

_SECONDS = 180.0  # GROBID takes some seconds a paper, and queues
_CONNECT_SECONDS = 5.0
_LARGEST = 50_000_000
_BUSY = 503


def ask_grobid(address: str, data: bytes) -> bytes:
    """The TEI of the references of a PDF. Raises UnreadableDocumentError."""
    try:
        response = run_to_end(_exchange(address, data))
    except ExchangeError as error:
        raise UnreadableDocumentError(
            f"GROBID at {address} does not answer ({error.reason}: {error.detail})"
        ) from error
    if response.status == _BUSY:
        raise UnreadableDocumentError(f"GROBID at {address} is busy (503): try again, or with fewer workers")
    if response.status != 200:
        raise UnreadableDocumentError(f"GROBID at {address} cannot read the PDF (status {response.status})")
    return response.body


async def _exchange(address: str, data: bytes) -> RawResponse:
    boundary = secrets.token_hex(16)
    parts = {"consolidateCitations": b"0", "includeRawCitations": b"1", "teiCoordinates": b"biblStruct"}
    body = b"".join(
        b'--%s\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n' % (boundary.encode(), name.encode(), value)
        for name, value in parts.items()
    )
    body += (
        b'--%s\r\nContent-Disposition: form-data; name="input"; filename="paper.pdf"\r\nContent-Type: application/pdf\r\n\r\n'
        % boundary.encode()
    )
    body += data + b"\r\n--%s--\r\n" % boundary.encode()
    request = Request(
        "grobid",
        f"{address}/api/processReferences",
        accept="application/xml",
        body=body,
        body_type=f"multipart/form-data; boundary={boundary}",
    )
    exchanger = Exchanger(_SECONDS, _CONNECT_SECONDS, system_lookup, Deadline(None, None))
    try:
        return await exchanger.exchange(request, lambda: None, largest=_LARGEST)
    finally:
        await exchanger.aclose()
