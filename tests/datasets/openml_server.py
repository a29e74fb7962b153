"""OpenML on this machine: its four answers about one dataset, and a list of what was asked for."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

NUMBER = 77


class OpenML(ThreadingHTTPServer):
    """Columns are names and kinds; `class` is the target, `row_id` a number of the row."""

    daemon_threads = True

    def __init__(self, name: str, arff: str, kinds: Mapping[str, str], missing: frozenset[str] = frozenset()) -> None:
        super().__init__(("127.0.0.1", 0), Answering)
        self.asked: list[str] = []
        self.name, self.arff, self.kinds, self.missing = name, arff.encode(), kinds, missing
        self.checksum = md5(self.arff, usedforsecurity=False).hexdigest()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def file(self) -> str:
        return f"/data/v1/download/1177/{self.name}.arff"

    def answer(self, path: str) -> bytes | None:
        answers: dict[str, Any] = {
            f"/api/v1/json/data/{NUMBER}": {
                "data_set_description": {
                    "id": str(NUMBER),
                    "name": self.name,
                    "version": "1",
                    "description": "For tests.",
                    "format": "ARFF",
                    "status": "active",
                    "url": f"{self.address}{self.file}",
                    "md5_checksum": self.checksum,
                }
            },
            f"/api/v1/json/data/features/{NUMBER}": {"data_features": {"feature": self._features()}},
            f"/api/v1/json/data/qualities/{NUMBER}": {
                "data_qualities": {"quality": [{"name": "NumberOfInstances", "value": f"{self._rows():.1f}"}]}
            },
        }
        if path == self.file:
            return self.arff
        return json.dumps(answers[path]).encode() if path in answers else None

    def _rows(self) -> int:
        return len(self.arff.decode().partition("@data\n")[2].splitlines())

    def _features(self) -> list[dict[str, str]]:
        return [
            {
                "index": str(i),
                "name": name,
                "data_type": kind,
                "is_target": str(name == "class").lower(),
                "is_ignore": "false",
                "is_row_identifier": str(name == "row_id").lower(),
                "number_of_missing_values": str(int(name in self.missing)),
            }
            for i, (name, kind) in enumerate(self.kinds.items())
        ]


class Answering(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        assert isinstance(self.server, OpenML)
        self.server.asked.append(self.path)
        body = self.server.answer(self.path)
        self.send_response(404 if body is None else 200)
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Nothing on stderr."""


def answered_by(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """scikit-learn asks there instead of OpenML."""
    from sklearn.datasets import _openml

    for name in ("_SEARCH_NAME", "_DATA_INFO", "_DATA_FEATURES", "_DATA_QUALITIES"):
        usual = urlsplit(getattr(_openml, name))
        assert usual.netloc in {"api.openml.org", "www.openml.org"}  # the first up to scikit-learn 1.8
        monkeypatch.setattr(_openml, name, f"{address}{usual.path}")


@contextmanager
def asked_instead(server: OpenML, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenML]:
    """The server, started."""
    with server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            answered_by(server.address, monkeypatch)
            yield server
        finally:
            server.shutdown()
            thread.join()


def nothing_at_hand(cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No folder of data, an empty cache, no way round this machine."""
    monkeypatch.delenv("MLAUDIT_DATA", raising=False)
    monkeypatch.setenv("MLAUDIT_CACHE", str(cache))
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    return cache
