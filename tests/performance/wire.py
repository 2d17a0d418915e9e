"""Requests through the whole WSGI application, and the round trips that they take on the wire."""

import io
import os
import tempfile
from collections.abc import Callable
from typing import Any

import orjson
from django.core.handlers.wsgi import WSGIHandler
from django.db import connection

API = "/api/public/v1"
ENOUGH_TO_PREPARE = 8
"""The driver prepares a statement at its fifth use, which is a round trip of its own."""


def request(key: str, method: str, path: str, body: object = None, **headers: str) -> int:
    """Ask as a web server does, connections kept and all; the status."""
    raw = b"" if body is None else orjson.dumps(body)
    statuses: list[str] = []
    environ: dict[str, Any] = {
        "REQUEST_METHOD": method,
        "PATH_INFO": API + path,
        "SERVER_NAME": "testserver",
        "SERVER_PORT": "80",
        "CONTENT_LENGTH": str(len(raw)),
        "CONTENT_TYPE": "application/json",
        "HTTP_AUTHORIZATION": f"Bearer {key}",
        "wsgi.input": io.BytesIO(raw),
        "wsgi.url_scheme": "http",
        **{f"HTTP_{name.upper()}": value for name, value in headers.items()},
    }

    def start(status: str, *_: object) -> Callable[[bytes], object]:
        statuses.append(status)
        return bytes

    answer = WSGIHandler()(environ, start)
    b"".join(answer)
    answer.close()
    return int(statuses[0].split()[0])


def round_trips(action: Callable[[], object]) -> int:
    """Times that a warm connection waits for the database: statements, BEGIN and COMMIT.

    Why the least of three: once a second, the connection is also asked whether it lives.
    """
    for _ in range(ENOUGH_TO_PREPARE):
        action()
    return min(_traced(action) for _ in range(3))


def _traced(action: Callable[[], object]) -> int:
    with tempfile.TemporaryFile("w+") as seen:
        connection.connection.pgconn.trace(os.dup(seen.fileno()))
        action()
        connection.connection.pgconn.untrace()
        seen.seek(0)
        return seen.read().count("ReadyForQuery")
