"""Every request has a name, sent back as ``Request-Id`` and written into history and logs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.http import HttpRequest, HttpResponseBase

from core import deprecations
from core.caller import begin_request, end_request
from core.ids import new_request_id

_current: ContextVar[str] = ContextVar("request_id", default="")


def current_request_id() -> str:
    """The name of the request or task under way; empty outside of one."""
    return _current.get()


@contextmanager
def named(name: str | None = None) -> Iterator[str]:
    """A name, a fresh one unless it has one, for what is answered before the application was asked."""
    name = name or new_request_id()
    token = _current.set(name)
    try:
        yield name
    finally:
        _current.reset(token)


def begin_task(task_id: str) -> None:
    """Name what this thread does from now on after a task, so that history and logs lead back to it."""
    _current.set(f"task_{task_id.replace('-', '')}")


class RequestIdMiddleware:
    """Name each request, and put its name and its rate-limit state on the answer, success or failure."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer the request under a fresh name."""
        name = new_request_id()
        token, request_token = _current.set(name), begin_request(request)
        try:
            response = self.get_response(request)
        finally:
            end_request(request_token)
            _current.reset(token)
        response.headers["Request-Id"] = name
        for header, value in getattr(request, "rate_limit_headers", {}).items():
            response.headers[header] = value
        if deprecations.DEPRECATIONS:
            deprecations.warn(request, response)
        if "HTTP_AUTHORIZATION" in request.META:  # what a key was told is kept by no cache, refusals included
            response.headers.setdefault("Cache-Control", "no-store")
        return response
