"""An S3-compatible server of this machine (moto), which counts what it sends."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

_BUCKET = "indexes"
_AT_ONCE = 1 << 16


class ObjectStore:
    """sent: bytes of bodies that went out. environment: variables with which s3fs finds the server."""

    def __init__(self, application: Any) -> None:
        from werkzeug.serving import make_server  # noqa: PLC0415 - of an extra

        self._application = application
        self.sent = 0
        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        self.server = make_server("127.0.0.1", 0, self._counted, threaded=True)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.environment = {
            "AWS_ENDPOINT_URL": self.url,
            "AWS_ACCESS_KEY_ID": "nobody",
            "AWS_SECRET_ACCESS_KEY": "nothing",
            "AWS_DEFAULT_REGION": "us-east-1",
        }

    def put(self, path: Path) -> str:
        """Store a file, and return its address."""
        for url, content in ((f"{self.url}/{_BUCKET}", b""), (f"{self.url}/{_BUCKET}/{path.name}", path.read_bytes())):
            httpx.put(url, content=content, timeout=600, trust_env=False).raise_for_status()
        return f"s3://{_BUCKET}/{path.name}"

    def _counted(self, environ: Any, start_response: Any) -> Iterator[bytes]:
        body: Iterable[bytes] = self._application(environ, start_response)
        for part in body:
            for start in range(0, len(part), _AT_ONCE):
                piece = part[start : start + _AT_ONCE]
                yield piece
                self.sent += len(piece)  # not reached if the client has closed the connection


@contextmanager
def object_store() -> Iterator[ObjectStore]:
    """Start the server; skip the test where moto or s3fs is missing."""
    pytest.importorskip("s3fs")
    moto = pytest.importorskip("moto.server")
    store = ObjectStore(moto.DomainDispatcherApplication(moto.create_backend_app))
    thread = threading.Thread(target=store.server.serve_forever, daemon=True)
    thread.start()
    try:
        yield store
    finally:
        store.server.shutdown()
        thread.join()
        store.server.server_close()
