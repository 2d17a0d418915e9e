# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""Events: awaited methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causeway_sdk._catching_up import AsyncEventResource
from causeway_sdk._generated import operations as op
from causeway_sdk._generated.events import Event, event_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from causeway_sdk._pages import AsyncPages


class AsyncEventsService(AsyncEventResource):
    """What your webhook endpoints are sent."""

    async def get(self, event_id: str) -> Event:
        """Retrieve an event."""
        return await self._ask(op.EVENTS_GET, event_of, path={"event_id": event_id})

    def list(
        self,
        *,
        after: str | None = None,
        limit: int | None = None,
        resource_id: str | None = None,
        type: str | Sequence[str] | None = None,
        wait: int | None = None,
    ) -> AsyncPages[Event]:
        """List events, oldest first."""
        return self._list(
            op.EVENTS_LIST,
            event_of,
            None,
            {"after": after, "limit": limit, "resource_id": resource_id, "type": type, "wait": wait},
        )
