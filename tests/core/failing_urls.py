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

FAILURES: dict[str, Exception] = {
    "runtime": RuntimeError("secret inside"),
    "recursion": RecursionError("secret inside"),
    "key": KeyError("secret inside"),
    "database": OperationalError("secret inside"),
    "interface": InterfaceError("secret inside"),
    "value": DataError("secret inside"),
    "missing": Http404("secret inside"),
    "forbidden": PermissionDenied("secret inside"),
    "suspicious": SuspiciousOperation("secret inside"),
    "host": DisallowedHost("secret inside"),
    "bad": BadRequest("secret inside"),
    "large": RequestDataTooBig("secret inside"),
    "conflict": Conflict(details={"status": "settled"}),
    "not-found": NotFound("refund"),
    "framework-parse": exceptions.ParseError("secret inside"),
    "framework-validation": exceptions.ValidationError("secret inside"),
    "framework-permission": exceptions.PermissionDenied("secret inside"),
    "framework-missing": exceptions.NotFound("secret inside"),
    "framework-media": exceptions.UnsupportedMediaType("secret inside"),
}


class FailingView(APIView):
    """Fails inside the framework."""

    authentication_classes = ()
    throttle_classes = ()

    def get(self, request: Request, name: str) -> Response:
        """Fail."""
        raise FAILURES[name]


def failing_page(request: HttpRequest, name: str) -> HttpResponse:
    """Fail outside the framework."""
    raise FAILURES[name]


def broken_answer(request: HttpRequest) -> Any:
    """Answer with something that is no answer."""
    return None


urlpatterns = [
    path("api/view/<str:name>", FailingView.as_view()),
    path("api/plain/<str:name>", failing_page),
    path("oauth/plain/<str:name>", failing_page),
    path("mcp/broken", broken_answer),
    path("page/<str:name>", failing_page),
]
