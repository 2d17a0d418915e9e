"""What is answered before the framework is asked, and the headers that every answer of the API has."""

from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus
from io import BytesIO
from typing import Any

from django.conf import settings
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpResponse
from django.middleware.security import SecurityMiddleware

from core.buckets import Verdict

Headers = list[tuple[str, str]]
Environment = dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class FastAnswer:
    """A whole answer: with headers of its own, and the code of a refusal. One without a body has no type either."""

    http_status: int
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()
    code: str = ""

    @property
    def status_line(self) -> str:
        """As WSGI wants it."""
        return f"{self.http_status} {HTTPStatus(self.http_status).phrase}"


Given = tuple[FastAnswer, Headers]


def headers_of(answer: FastAnswer, *, standing: Headers, allow: str, request_id: str, counted: Verdict) -> Headers:
    """The headers of an answer to a request of this id; in no order that anybody may rely on."""
    return [
        *([("Content-Type", "application/json")] if answer.body else ()),
        *answer.headers,
        ("Allow", allow),
        *standing,
        ("Request-Id", request_id),
        *counted.headers.items(),
        ("Cache-Control", "no-store"),
    ]


def standing_headers(environment: Environment) -> Headers | None:
    """What Django puts on every answer; None where it would send the caller to https."""
    name, _ = settings.SECURE_PROXY_SSL_HEADER or ("", "")
    return _standing_headers(environment["wsgi.url_scheme"], name, environment.get(name))


@lru_cache(maxsize=16)
def _standing_headers(scheme: str, name: str, forwarded: str | None) -> Headers | None:
    """Asked of Django's own middleware, once for each way a request comes. Why a bound: callers choose headers."""
    environment = {"REQUEST_METHOD": "GET", "wsgi.input": BytesIO(), "wsgi.url_scheme": scheme}
    request = WSGIRequest(environment if forwarded is None else environment | {name: forwarded})
    if settings.SECURE_SSL_REDIRECT and not request.is_secure():
        return None
    empty = HttpResponse()
    answer = SecurityMiddleware(lambda _: empty).process_response(request, empty)
    return [header for header in answer.items() if header[0] != "Content-Type"]
