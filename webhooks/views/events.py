"""The REST door to events: what happened, in one order, for whoever asks instead of being called."""

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from core.waiting import json_answer, read_wait, wait_for
from merchants.authentication import KnownKey, principal_of
from merchants.models import KeyKind
from merchants.scopes import KeyScope
from webhooks.event_pages import Watch, events_of, find_event, read_page, read_query
from webhooks.shapes import event_list_body
from webhooks.views import event_openapi as openapi


class EventViewSet(GenericViewSet[Any]):
    """Events as receivers get them, oldest first. Source: docs/guides/webhooks.md, Without a public address."""

    key_scopes: ClassVar = {"list": KeyScope.READ_INTENTS, "retrieve": KeyScope.READ_INTENTS}

    @extend_schema(**openapi.LIST)
    def list(self, request: Request) -> Response:
        """The events after a cursor; with ``wait``, once there are any."""
        seconds, asked = read_wait(request.query_params), read_query(request.query_params)
        events = _events(request)
        page = read_page(events, asked)
        if not page.is_news:
            watch, whose = Watch(events, asked, page), principal_of(request).idempotency_scope
            wait_for(
                request.META,
                seconds,
                lambda: json_answer(event_list_body(watch.page)) if watch.finds() else None,
                lambda: json_answer(event_list_body(watch.page)),
                whose=whose,
            )
        return Response(event_list_body(page))

    @extend_schema(**openapi.RETRIEVE)
    def retrieve(self, request: Request, event_id: str) -> Response:
        """One event, in the exact bytes that receivers get."""
        return Response(find_event(_events(request), event_id).payload.encode())


def _events(request: Request) -> Any:
    key = request.auth
    is_restricted = isinstance(key, KnownKey) and key.kind == KeyKind.RESTRICTED
    return events_of(principal_of(request), is_restricted=is_restricted)
