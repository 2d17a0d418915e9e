# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""Webhook endpoints: awaited methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causeway_sdk._generated import operations as op
from causeway_sdk._generated.models.webhook_endpoints import (
    DeletedWebhookEndpoint,
    PulledDeliveryList,
    Recovery,
    WebhookDelivery,
    WebhookEndpoint,
    WebhookEndpointWithSecret,
)
from causeway_sdk._resource import AsyncResource

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from causeway_sdk._generated.words import (
        DeliveryError,
        EndpointKind,
        EventSubscription,
    )
    from causeway_sdk._pages import AsyncPages


class AsyncWebhookEndpointsService(AsyncResource):
    """Where you are told, with what signature, and what was delivered."""

    async def create(
        self,
        *,
        events: Sequence[EventSubscription],
        kind: EndpointKind | None = None,
        url: str | None = None,
        enabled: bool | None = None,
        idempotency_key: str | None = None,
    ) -> WebhookEndpointWithSecret:
        """Create a webhook endpoint."""
        return await self._ask(
            op.WEBHOOK_ENDPOINTS_CREATE,
            WebhookEndpointWithSecret,
            body={"kind": kind, "url": url, "events": events, "enabled": enabled},
            key=idempotency_key,
        )

    async def get(self, endpoint_id: str) -> WebhookEndpoint:
        """Retrieve a webhook endpoint."""
        return await self._ask(op.WEBHOOK_ENDPOINTS_GET, WebhookEndpoint, path={"endpoint_id": endpoint_id})

    def list(self) -> AsyncPages[WebhookEndpoint]:
        """List webhook endpoints."""
        return self._list(op.WEBHOOK_ENDPOINTS_LIST, WebhookEndpoint, None, {})

    async def update(
        self,
        endpoint_id: str,
        *,
        url: str | None = None,
        events: Sequence[EventSubscription] | None = None,
        enabled: bool | None = None,
    ) -> WebhookEndpoint:
        """Update a webhook endpoint."""
        return await self._ask(
            op.WEBHOOK_ENDPOINTS_UPDATE,
            WebhookEndpoint,
            path={"endpoint_id": endpoint_id},
            body={"url": url, "events": events, "enabled": enabled},
        )

    async def delete(self, endpoint_id: str) -> DeletedWebhookEndpoint:
        """Delete a webhook endpoint."""
        return await self._ask(op.WEBHOOK_ENDPOINTS_DELETE, DeletedWebhookEndpoint, path={"endpoint_id": endpoint_id})

    async def answer_delivery(
        self,
        endpoint_id: str,
        *,
        delivery_id: str,
        attempt: int,
        status: int | None = None,
        error: DeliveryError | None = None,
        body: str | None = None,
        latency_ms: int | None = None,
        idempotency_key: str | None = None,
    ) -> WebhookDelivery:
        """Answer a delivery that was fetched."""
        return await self._ask(
            op.WEBHOOK_ENDPOINTS_ANSWER_DELIVERY,
            WebhookDelivery,
            path={"endpoint_id": endpoint_id},
            body={
                "delivery_id": delivery_id,
                "attempt": attempt,
                "status": status,
                "error": error,
                "body": body,
                "latency_ms": latency_ms,
            },
            key=idempotency_key,
        )

    def list_deliveries(
        self,
        endpoint_id: str,
        *,
        ending_before: str | None = None,
        limit: int | None = None,
        starting_after: str | None = None,
        status: str | Sequence[str] | None = None,
    ) -> AsyncPages[WebhookDelivery]:
        """List deliveries with their attempts."""
        return self._list(
            op.WEBHOOK_ENDPOINTS_LIST_DELIVERIES,
            WebhookDelivery,
            {"endpoint_id": endpoint_id},
            {"ending_before": ending_before, "limit": limit, "starting_after": starting_after, "status": status},
        )

    async def pull_deliveries(
        self, endpoint_id: str, *, limit: int | None = None, wait: int | None = None
    ) -> PulledDeliveryList:
        """Fetch deliveries of an endpoint without URL."""
        return await self._ask(
            op.WEBHOOK_ENDPOINTS_PULL_DELIVERIES,
            PulledDeliveryList,
            path={"endpoint_id": endpoint_id},
            query={"limit": limit, "wait": wait},
        )

    async def recover(self, endpoint_id: str, *, since: datetime | str, idempotency_key: str | None = None) -> Recovery:
        """Send undelivered events again."""
        return await self._ask(
            op.WEBHOOK_ENDPOINTS_RECOVER,
            Recovery,
            path={"endpoint_id": endpoint_id},
            body={"since": since},
            key=idempotency_key,
        )

    async def resend_delivery(
        self, endpoint_id: str, delivery_id: str, *, idempotency_key: str | None = None
    ) -> WebhookDelivery:
        """Send a delivery again."""
        return await self._ask(
            op.WEBHOOK_ENDPOINTS_RESEND_DELIVERY,
            WebhookDelivery,
            path={"endpoint_id": endpoint_id, "delivery_id": delivery_id},
            key=idempotency_key,
        )

    async def rotate_secret(self, endpoint_id: str, *, idempotency_key: str | None = None) -> WebhookEndpointWithSecret:
        """Rotate the signing secret."""
        return await self._ask(
            op.WEBHOOK_ENDPOINTS_ROTATE_SECRET,
            WebhookEndpointWithSecret,
            path={"endpoint_id": endpoint_id},
            key=idempotency_key,
        )
