# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""Events: blocking methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causeway_sdk._catching_up import EventResource
from causeway_sdk._generated import operations as op
from causeway_sdk._generated.events import Event, event_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from causeway_sdk._pages import Pages


class EventsService(EventResource):
    """What your webhook endpoints are sent."""

    def get(self, event_id: str) -> Event:
        """Retrieve an event.

        Reads one event exactly as it is sent to endpoints.
        Refusals: address_not_allowed, insufficient_scope, internal_error, invalid_api_key, missing_api_key, not_found,
        rate_limited, revoked_api_key, secret_key_required, temporarily_unavailable.
        """
        return self._ask(op.EVENTS_GET, event_of, path={"event_id": event_id})

    def list(
        self,
        *,
        after: str | None = None,
        limit: int | None = None,
        resource_id: str | None = None,
        type: str | Sequence[str] | None = None,
        wait: int | None = None,
    ) -> Pages[Event]:
        """List events, oldest first.

        Reads every event in one order that never changes. Go on from `cursor` and none is missed.
        ``after``: A `cursor` of this list. `now`: only what is still to come. Without: from the oldest kept.
        ``limit``: How many rows a page has at most.
        ``resource_id``: Only events of this resource.
        ``type``: Event types or `<resource>.*`, separated by commas.
        ``wait``: Answer when there is an event, or after so many seconds.
        Refusals: address_not_allowed, cursor_expired, insufficient_scope, internal_error, invalid_api_key,
        invalid_parameter, malformed_request, missing_api_key, rate_limited, revoked_api_key, secret_key_required,
        temporarily_unavailable.
        """
        return self._list(
            op.EVENTS_LIST,
            event_of,
            None,
            {"after": after, "limit": limit, "resource_id": resource_id, "type": type, "wait": wait},
        )
