"""The description of the API as a document for programs, and as a page to read and try. Both work offline."""

import gzip
from functools import cache
from threading import Lock

from csp.utils import build_policy
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.http import quote_etag
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

import merchants.openapi  # noqa: F401 - registers the key scheme
from core.renderers import to_json
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
    return to_json(generated)


@cache
def _packed(document: bytes) -> bytes:
    """The same for a caller who unpacks it. Why: a fourteenth of it, and a reader waits for it first."""
    return gzip.compress(document, mtime=0)


class DescriptionView(APIView):
    """``GET /api/public/openapi.json``. Source: specification, Versioning 2."""

    authentication_classes = ()
    throttle_classes = (AddressThrottle,)

    @extend_schema(exclude=True)
    def get(self, request: Request) -> Response | HttpResponse:
        """The document, or 304 for a caller who has it."""
        document = description()
        is_packed = "gzip" in request.headers.get("Accept-Encoding", "")
        etag = quote_etag(lookup_digest(document.decode())[:32] + ("-gzip" if is_packed else ""))
        unchanged = get_conditional_response(request._request, etag=etag)
        if unchanged is not None:
            return unchanged
        content = _packed(document) if is_packed else document
        headers = {"ETag": etag, "Cache-Control": "public, max-age=300"}
        if is_packed:
            headers["Content-Encoding"] = "gzip"
        response = HttpResponse(content, content_type="application/json", headers=headers)
        patch_vary_headers(response, ["Accept-Encoding"])
        return response


@require_safe
def docs_page(request: HttpRequest) -> HttpResponse:
    """``GET /api/docs/``: the same description to read and to try.

    Why headers of its own: below ``/api/`` the middleware of pages does not run.
    """
    page = render(request, "docs/api.html")
    page.headers["Content-Security-Policy"] = build_policy()
    page.headers["X-Frame-Options"] = "DENY"
    return page
