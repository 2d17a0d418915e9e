"""The API speaks JSON whatever a client claims to accept; ``curl`` and browsers send odd ``Accept`` headers."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rest_framework.metadata import BaseMetadata
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

if TYPE_CHECKING:  # the framework loads this module while it loads its views
    from rest_framework.views import APIView


class AlwaysJson(BaseContentNegotiation):
    """Picks the only renderer, and the parser whose media type the body declares."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser | None:
        """The JSON parser for a plain JSON body, None (415) for any other, a compressed one included."""
        declared = (request.content_type or "").partition(";")[0].strip().lower()
        is_plain = request.META.get("HTTP_CONTENT_ENCODING", "identity").strip().lower() in {"", "identity"}
        return next((parser for parser in parsers if is_plain and parser.media_type == declared), None)

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        """The only renderer."""
        return next(iter(renderers)), "application/json"


class AllowedMethods(BaseMetadata):
    """What OPTIONS says: the methods, and nothing else. The rest is in the description of the API."""

    def determine_metadata(self, request: Request, view: "APIView") -> dict[str, Any]:
        """The same methods as in the header ``Allow``."""
        return {"methods": sorted(view.allowed_methods)}
