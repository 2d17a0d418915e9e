"""The REST door to events: what happened, in one order, for whoever asks instead of being called."""

from typing import Any, ClassVar

import orjson
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from merchants.authentication import KnownKey, principal_of
from merchants.models import KeyKind
from merchants.scopes import KeyScope
from webhooks.event_pages import events_of, find_event, read_page, read_query
from webhooks.shapes import event_list_body
from webhooks.views import event_openapi as openapi


class EventViewSet(GenericViewSet[Any]):
    """Events as receivers get them, oldest first. Source: docs/guides/webhooks.md, Without a public address."""

    key_scopes: ClassVar = {"list": KeyScope.READ_INTENTS, "retrieve": KeyScope.READ_INTENTS}

    @extend_schema(**openapi.LIST)
    def list(self, request: Request) -> Response:
        """The events after a cursor."""
        page = read_page(_events(request), read_query(request.query_params))
        return Response(event_list_body([orjson.Fragment(text) for text in page.payloads], page.has_more, page.cursor))

    @extend_schema(**openapi.RETRIEVE)
    def retrieve(self, request: Request, event_id: str) -> Response:
        """One event, in the exact bytes that receivers get."""
        return Response(find_event(_events(request), event_id).payload.encode())


def _events(request: Request) -> Any:
    key = request.auth
    is_restricted = isinstance(key, KnownKey) and key.kind == KeyKind.RESTRICTED
    return events_of(principal_of(request), is_restricted=is_restricted)
