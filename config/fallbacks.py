"""Answers for paths that do not exist and for failures nobody caught."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.defaults import bad_request, permission_denied

from core.errors import NotFound, ServiceError
from core.exception_handler import as_service_error, json_error, speaks_json


def page_not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """JSON for programs, a plain page for people."""
    if speaks_json(request):
        return json_error(NotFound("path"))
    return render(request, "404.html", status=404)


def page_refused(request: HttpRequest, exception: Exception) -> HttpResponse:
    """JSON for programs, Django's plain page for people: a request that no view should see."""
    if speaks_json(request):
        return json_error(as_service_error(exception))
    return bad_request(request, exception)


def page_forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """JSON for programs, Django's plain page for people."""
    if speaks_json(request):
        return json_error(as_service_error(exception))
    return permission_denied(request, exception)


def page_failed(request: HttpRequest) -> HttpResponse:
    """JSON for programs, a plain page for people; neither says what failed inside."""
    if speaks_json(request):
        return json_error(ServiceError(details={"retryable": True}))
    return render(request, "500.html", status=500)
