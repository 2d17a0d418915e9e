"""Paths that fail in every way a view can, for the tests of the error form only."""

from typing import Any

from django.core.exceptions import BadRequest, DisallowedHost, PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import DataError, InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import path
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from config.urls import handler400, handler403, handler404, handler500
from core.errors import Conflict, NotFound

__all__ = ["handler400", "handler403", "handler404", "handler500", "urlpatterns"]

FAILURES: dict[str, tuple[Exception, int, str]] = {
    "runtime": (RuntimeError("secret inside"), 500, "internal_error"),
    "recursion": (RecursionError("secret inside"), 500, "internal_error"),
    "key": (KeyError("secret inside"), 500, "internal_error"),
    "database": (OperationalError("secret inside"), 503, "temporarily_unavailable"),
    "interface": (InterfaceError("secret inside"), 503, "temporarily_unavailable"),
    "value": (DataError("secret inside"), 400, "invalid_request"),
    "missing": (Http404("secret inside"), 404, "not_found"),
    "forbidden": (PermissionDenied("secret inside"), 404, "not_found"),
    "suspicious": (SuspiciousOperation("secret inside"), 400, "malformed_request"),
    "host": (DisallowedHost("secret inside"), 400, "malformed_request"),
    "bad": (BadRequest("secret inside"), 400, "malformed_request"),
    "large": (RequestDataTooBig("secret inside"), 413, "payload_too_large"),
    "conflict": (Conflict(details={"status": "settled"}), 409, "conflict"),
    "not-found": (NotFound("refund"), 404, "not_found"),
    "framework-parse": (exceptions.ParseError("secret inside"), 400, "invalid_json"),
    "framework-validation": (exceptions.ValidationError("secret inside"), 400, "invalid_request"),
    "framework-permission": (exceptions.PermissionDenied("secret inside"), 404, "not_found"),
    "framework-missing": (exceptions.NotFound("secret inside"), 404, "not_found"),
    "framework-media": (exceptions.UnsupportedMediaType("secret inside"), 415, "unsupported_media_type"),
}
"""By name: what is raised, and the status and code that it must end in."""


class FailingView(APIView):
    authentication_classes = ()
    throttle_classes = ()

    def get(self, request: Request, name: str) -> Response:
        raise FAILURES[name][0]


def failing_page(request: HttpRequest, name: str) -> HttpResponse:
    raise FAILURES[name][0]


def broken_answer(request: HttpRequest) -> Any:
    return None


urlpatterns = [
    *(path("api/view/<str:name>", FailingView.as_view()), path("api/plain/<str:name>", failing_page)),
    *(path("oauth/plain/<str:name>", failing_page), path("mcp/broken", broken_answer)),
    path("page/<str:name>", failing_page),
]
