"""Answers that pages of other origins may read: which headers say so, and the browser's question beforehand.

No answer allows credentials, so a browser never sends a cookie along: whoever acts, acts by what a header carries.
Source: https://fetch.spec.whatwg.org, CORS protocol; docs/adr/0036.
"""

from typing import Any, ClassVar

from django.http import HttpRequest
from django.utils.cache import patch_vary_headers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

READABLE_HEADERS = "ETag, Retry-After, Request-Id"
SENT_HEADERS = (
    "Authorization, Checkout-Token, Checkout-Browser, Content-Type, Idempotency-Key, If-None-Match, Accept-Language"
)
PREFLIGHT_SECONDS = 3600
NOBODY = "null"
"""What files and sandboxed frames send as their origin: it stands for no page."""


class CrossOriginView(APIView):
    """A view whose answers pages of other origins may read.

    Refusals are readable too, so that a script can say why: what may be done is decided by keys and tokens, never here.
    ``open_to_every_origin``: public reads, whatever page asks.
    """

    open_to_every_origin: ClassVar[bool] = False

    def options(self, request: Any, *arguments: Any, **words: Any) -> Response:
        """Answer a browser that asks before it sends; anybody else gets the methods."""
        if not _is_preflight(request):
            return super().options(request, *arguments, **words)
        return Response(
            status=204,
            headers={
                "Access-Control-Allow-Methods": ", ".join(self.allowed_methods),
                "Access-Control-Allow-Headers": SENT_HEADERS,
                "Access-Control-Max-Age": str(PREFLIGHT_SECONDS),
            },
        )

    def get_throttles(self) -> list[BaseThrottle]:
        """None for a browser's question beforehand: refused, its page could not even read why."""
        return [] if _is_preflight(self.request) else super().get_throttles()

    def finalize_response(self, request: Request, response: Response, *arguments: Any, **words: Any) -> Response:
        """Say on every answer, refusals included, who may read it."""
        answer = super().finalize_response(request, response, *arguments, **words)
        readers: str = "*" if self.open_to_every_origin else request.META.get("HTTP_ORIGIN", "")
        # Not for nobody's origin, nor for what could not stand in a header.
        if readers and readers != NOBODY and readers.isascii() and readers.isprintable():
            answer.headers["Access-Control-Allow-Origin"] = readers
            answer.headers["Access-Control-Expose-Headers"] = READABLE_HEADERS
        if not self.open_to_every_origin:
            patch_vary_headers(answer, ["Origin"])
        return answer


def _is_preflight(request: HttpRequest | Request) -> bool:
    return request.method == "OPTIONS" and "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in request.META
