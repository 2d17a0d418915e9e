"""The description of the API as a document for programs, and as a page to read and try. Both work offline."""

from functools import cache
from threading import Lock

from csp.utils import build_policy
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

import merchants.openapi  # noqa: F401 - registers the key scheme
from core.secrets import lookup_digest
from core.throttling import AddressThrottle

_one_at_a_time = Lock()


def description() -> bytes:
    """The whole description in JSON. Why a lock: the generator trips over a second one that starts with it."""
    with _one_at_a_time:
        return _generated()


@cache
def _generated() -> bytes:
    """It only changes with the code, so it is made once per process."""
    generated = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]  # upstream
    document: bytes = OpenApiJsonRenderer().render(generated)
    return document


class DescriptionView(APIView):
    """``GET /api/public/openapi.json``. Source: specification, Versioning 2."""

    authentication_classes = ()
    throttle_classes = (AddressThrottle,)

    @extend_schema(exclude=True)
    def get(self, request: Request) -> Response | HttpResponse:
        """The document, or 304 for a caller who has it."""
        etag = quote_etag(lookup_digest(description().decode())[:32])
        headers = {"ETag": etag, "Cache-Control": "public, max-age=300"}
        unchanged = get_conditional_response(request._request, etag=etag)
        if unchanged is not None:
            return unchanged
        return Response(description(), headers=headers)


@require_safe
def docs_page(request: HttpRequest) -> HttpResponse:
    """``GET /api/docs/``: the same description to read and to try.

    Why headers of its own: below ``/api/`` the middleware of pages does not run.
    """
    page = render(request, "docs/api.html")
    page.headers["Content-Security-Policy"] = build_policy()
    page.headers["X-Frame-Options"] = "DENY"
    return page
