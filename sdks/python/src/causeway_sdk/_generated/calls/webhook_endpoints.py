# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""Webhook endpoints: blocking methods."""

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
from causeway_sdk._resource import Resource

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from causeway_sdk._generated.words import (
        DeliveryError,
        EndpointKind,
        EventSubscription,
    )
    from causeway_sdk._pages import Pages


class WebhookEndpointsService(Resource):
    """Where you are told, with what signature, and what was delivered."""

    def create(
        self,
        *,
        events: Sequence[EventSubscription],
        kind: EndpointKind | None = None,
        url: str | None = None,
        enabled: bool | None = None,
        idempotency_key: str | None = None,
    ) -> WebhookEndpointWithSecret:
        """Create a webhook endpoint.

        Creates an endpoint that events are sent to, signed with its own secret.
        ``kind``: `pull` has no URL: you fetch its events.
        ``url``: Where events are posted: https, a public host. Required unless `kind` is `pull`.
        ``events``: Event types, `<resource>.*` or `*`.
        ``enabled``: False: it is created, and receives nothing yet.
        Refusals: address_not_allowed, endpoint_url_taken, idempotency_key_in_progress, idempotency_key_invalid,
        idempotency_key_reused, insufficient_scope, internal_error, invalid_api_key, invalid_json, invalid_request,
        malformed_request, merchant_suspended, missing_api_key, payload_too_large, rate_limited, request_timeout,
        revoked_api_key, secret_key_required, temporarily_unavailable, unknown_event_type, unsupported_media_type,
        webhook_endpoint_limit, webhook_url_not_allowed.
        """
        return self._ask(
            op.WEBHOOK_ENDPOINTS_CREATE,
            WebhookEndpointWithSecret,
            body={"kind": kind, "url": url, "events": events, "enabled": enabled},
            key=idempotency_key,
        )

    def get(self, endpoint_id: str) -> WebhookEndpoint:
        """Retrieve a webhook endpoint.

        Reads a webhook endpoint. Its secret is never shown again.
        Refusals: address_not_allowed, insufficient_scope, internal_error, invalid_api_key, missing_api_key, not_found,
        rate_limited, revoked_api_key, secret_key_required, temporarily_unavailable.
        """
        return self._ask(op.WEBHOOK_ENDPOINTS_GET, WebhookEndpoint, path={"endpoint_id": endpoint_id})

    def list(self) -> Pages[WebhookEndpoint]:
        """List webhook endpoints.

        Lists all endpoints of this mode, newest first.
        Refusals: address_not_allowed, insufficient_scope, internal_error, invalid_api_key, invalid_parameter,
        missing_api_key, rate_limited, revoked_api_key, secret_key_required, temporarily_unavailable.
        """
        return self._list(op.WEBHOOK_ENDPOINTS_LIST, WebhookEndpoint, None, {})

    def update(
        self,
        endpoint_id: str,
        *,
        url: str | None = None,
        events: Sequence[EventSubscription] | None = None,
        enabled: bool | None = None,
    ) -> WebhookEndpoint:
        """Update a webhook endpoint.

        Changes where events are posted to, which ones, and whether at all. What is left out stays.
        ``url``: Where events are posted to.
        ``events``: Event types, `<resource>.*` or `*`.
        ``enabled``: False switches it off; true switches it on again.
        Refusals: address_not_allowed, endpoint_url_taken, insufficient_scope, internal_error, invalid_api_key,
        invalid_json, invalid_request, malformed_request, merchant_suspended, missing_api_key, not_found,
        payload_too_large, rate_limited, request_timeout, revoked_api_key, secret_key_required, temporarily_unavailable,
        unknown_event_type, unsupported_media_type, webhook_url_not_allowed.
        """
        return self._ask(
            op.WEBHOOK_ENDPOINTS_UPDATE,
            WebhookEndpoint,
            path={"endpoint_id": endpoint_id},
            body={"url": url, "events": events, "enabled": enabled},
        )

    def delete(self, endpoint_id: str) -> DeletedWebhookEndpoint:
        """Delete a webhook endpoint.

        Deletes an endpoint and its secrets. Nothing more is sent to it.
        Refusals: address_not_allowed, insufficient_scope, internal_error, invalid_api_key, merchant_suspended,
        missing_api_key, not_found, rate_limited, revoked_api_key, secret_key_required, temporarily_unavailable.
        """
        return self._ask(op.WEBHOOK_ENDPOINTS_DELETE, DeletedWebhookEndpoint, path={"endpoint_id": endpoint_id})

    def answer_delivery(
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
        """Answer a delivery that was fetched.

        Records what your receiver answered to a fetched delivery. It counts like an answer to a POST.
        ``delivery_id``: As it was given out.
        ``attempt``: As it was given out.
        ``status``: What your receiver answered; any 2xx is a success.
        ``error``: Why nothing answered, in the place of `status`.
        ``body``: Its beginning is kept.
        ``latency_ms``: How long the answer took, in milliseconds.
        Refusals: address_not_allowed, idempotency_key_in_progress, idempotency_key_invalid, idempotency_key_reused,
        insufficient_scope, internal_error, invalid_api_key, invalid_json, invalid_request, malformed_request,
        merchant_suspended, missing_api_key, not_found, payload_too_large, rate_limited, request_timeout,
        revoked_api_key, secret_key_required, temporarily_unavailable, unsupported_media_type,
        webhook_endpoint_disabled, webhook_endpoint_not_pulled.
        """
        return self._ask(
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
    ) -> Pages[WebhookDelivery]:
        """List deliveries with their attempts.

        Lists what was sent to an endpoint, newest first, each with every attempt and its answer.
        ``ending_before``: Newer than this one; not with the other.
        ``limit``: How many rows a page has at most.
        ``starting_after``: Older than this one; not with the other.
        ``status``: One status, or several separated by commas.
        Refusals: address_not_allowed, insufficient_scope, internal_error, invalid_api_key, invalid_parameter,
        malformed_request, missing_api_key, not_found, rate_limited, revoked_api_key, secret_key_required,
        temporarily_unavailable.
        """
        return self._list(
            op.WEBHOOK_ENDPOINTS_LIST_DELIVERIES,
            WebhookDelivery,
            {"endpoint_id": endpoint_id},
            {"ending_before": ending_before, "limit": limit, "starting_after": starting_after, "status": status},
        )

    def pull_deliveries(
        self, endpoint_id: str, *, limit: int | None = None, wait: int | None = None
    ) -> PulledDeliveryList:
        """Fetch deliveries of an endpoint without URL.

        Gives out signed deliveries to who has no public address. Each is kept for you for 30 seconds.
        ``limit``: How many rows a page has at most.
        ``wait``: Answer when something is due, or after so many seconds.
        Refusals: address_not_allowed, insufficient_scope, internal_error, invalid_api_key, invalid_parameter,
        malformed_request, missing_api_key, not_found, rate_limited, revoked_api_key, secret_key_required,
        temporarily_unavailable, webhook_endpoint_disabled, webhook_endpoint_not_pulled.
        """
        return self._ask(
            op.WEBHOOK_ENDPOINTS_PULL_DELIVERIES,
            PulledDeliveryList,
            path={"endpoint_id": endpoint_id},
            query={"limit": limit, "wait": wait},
        )

    def recover(self, endpoint_id: str, *, since: datetime | str, idempotency_key: str | None = None) -> Recovery:
        """Send undelivered events again.

        Sends every event again that was not delivered to an endpoint since a time.
        ``since``: ISO 8601 with an offset; events are kept for 30 days.
        Refusals: address_not_allowed, idempotency_key_in_progress, idempotency_key_invalid, idempotency_key_reused,
        insufficient_scope, internal_error, invalid_api_key, invalid_json, invalid_request, malformed_request,
        merchant_suspended, missing_api_key, not_found, payload_too_large, rate_limited, request_timeout,
        revoked_api_key, secret_key_required, temporarily_unavailable, unsupported_media_type,
        webhook_endpoint_disabled.
        """
        return self._ask(
            op.WEBHOOK_ENDPOINTS_RECOVER,
            Recovery,
            path={"endpoint_id": endpoint_id},
            body={"since": since},
            key=idempotency_key,
        )

    def resend_delivery(
        self, endpoint_id: str, delivery_id: str, *, idempotency_key: str | None = None
    ) -> WebhookDelivery:
        """Send a delivery again.

        Sends one event to one endpoint again, whether it was delivered or not.
        Refusals: address_not_allowed, idempotency_key_in_progress, idempotency_key_invalid, idempotency_key_reused,
        insufficient_scope, internal_error, invalid_api_key, invalid_json, invalid_request, malformed_request,
        merchant_suspended, missing_api_key, not_found, payload_too_large, rate_limited, request_timeout,
        revoked_api_key, secret_key_required, temporarily_unavailable, unsupported_media_type,
        webhook_endpoint_disabled.
        """
        return self._ask(
            op.WEBHOOK_ENDPOINTS_RESEND_DELIVERY,
            WebhookDelivery,
            path={"endpoint_id": endpoint_id, "delivery_id": delivery_id},
            key=idempotency_key,
        )

    def rotate_secret(self, endpoint_id: str, *, idempotency_key: str | None = None) -> WebhookEndpointWithSecret:
        """Rotate the signing secret.

        Gives an endpoint a new secret. The old one signs as well for 24 hours.
        Refusals: address_not_allowed, idempotency_key_in_progress, idempotency_key_invalid, idempotency_key_reused,
        insufficient_scope, internal_error, invalid_api_key, invalid_json, invalid_request, malformed_request,
        merchant_suspended, missing_api_key, not_found, payload_too_large, rate_limited, request_timeout,
        revoked_api_key, secret_key_required, temporarily_unavailable, unsupported_media_type.
        """
        return self._ask(
            op.WEBHOOK_ENDPOINTS_ROTATE_SECRET,
            WebhookEndpointWithSecret,
            path={"endpoint_id": endpoint_id},
            key=idempotency_key,
        )
