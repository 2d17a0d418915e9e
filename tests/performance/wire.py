"""Requests through the whole WSGI application."""

import io
from collections.abc import Callable
from typing import Any

import orjson
from django.core.handlers.wsgi import WSGIHandler

API = "/api/public/v1"


def request(key: str, method: str, path: str, body: object = None, **headers: str) -> int:
    """Ask as a web server does, connections kept and all; the status."""
    raw = b"" if body is None else orjson.dumps(body)
    statuses: list[str] = []
    environ: dict[str, Any] = {
        "REQUEST_METHOD": method, "PATH_INFO": API + path, "SERVER_NAME": "testserver", "SERVER_PORT": "80",
        "CONTENT_LENGTH": str(len(raw)), "CONTENT_TYPE": "application/json", "HTTP_AUTHORIZATION": f"Bearer {key}",
        "wsgi.input": io.BytesIO(raw), "wsgi.url_scheme": "http",
        **{f"HTTP_{name.upper()}": value for name, value in headers.items()},
    }  # fmt: skip

    def start(status: str, *_: object) -> Callable[[bytes], object]:
        statuses.append(status)
        return bytes

    answer = WSGIHandler()(environ, start)
    b"".join(answer)
    answer.close()
    return int(statuses[0].split()[0])
