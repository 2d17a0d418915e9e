# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""Test helpers: awaited methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from causeway_sdk._generated import operations as op
from causeway_sdk._generated.models.shared import PaymentIntent
from causeway_sdk._generated.models.test_helpers import AdvancedTestClock, Scenario, TriggeredTestEvent
from causeway_sdk._resource import AsyncResource

if TYPE_CHECKING:
    from collections.abc import Mapping

    from causeway_sdk._generated.words import (
        EventType,
        ScenarioName,
    )
    from causeway_sdk._pages import AsyncPages


class AsyncTestHelpersService(AsyncResource):
    """Test keys only: pay without a browser, move the test clock, send sample events."""

    async def advance_clock(self, *, seconds: int, idempotency_key: str | None = None) -> AdvancedTestClock:
        """Advance the test clock.

        Test mode only: makes everything due that would be due within so many seconds.
        ``seconds``: By how many seconds the test clock is moved forward.
        Refusals: address_not_allowed, idempotency_key_in_progress, idempotency_key_invalid, idempotency_key_reused,
        insufficient_scope, internal_error, invalid_api_key, invalid_json, invalid_request, malformed_request,
        merchant_suspended, missing_api_key, not_found, payload_too_large, rate_limited, request_timeout,
        revoked_api_key, secret_key_required, temporarily_unavailable, unsupported_media_type.
        """
        return await self._ask(
            op.TEST_HELPERS_ADVANCE_CLOCK, AdvancedTestClock, body={"seconds": seconds}, key=idempotency_key
        )

    def list_scenarios(self) -> AsyncPages[Scenario]:
        """List the scenarios of test mode.

        Test mode only: lists the outcomes that can be asked for.
        Refusals: address_not_allowed, insufficient_scope, internal_error, invalid_api_key, invalid_parameter,
        missing_api_key, not_found, rate_limited, revoked_api_key, secret_key_required, temporarily_unavailable.
        """
        return self._list(op.TEST_HELPERS_LIST_SCENARIOS, Scenario, None, {})

    async def pay_payment_intent(
        self, intent_id: str, *, scenario: ScenarioName | None = None, idempotency_key: str | None = None
    ) -> PaymentIntent:
        """Pay a test payment.

        Test mode only: pays as a payer would, with the outcome that the scenario names.
        ``scenario``: What should happen; see the list.
        Refusals: address_not_allowed, idempotency_key_in_progress, idempotency_key_invalid, idempotency_key_reused,
        in_doubt, insufficient_scope, intent_not_payable, internal_error, invalid_api_key, invalid_json,
        invalid_request, malformed_request, merchant_suspended, missing_api_key, not_found, payload_too_large,
        rate_limited, request_timeout, revoked_api_key, secret_key_required, temporarily_unavailable, too_many_attempts,
        unsupported_media_type.
        """
        return await self._ask(
            op.TEST_HELPERS_PAY_PAYMENT_INTENT,
            PaymentIntent,
            path={"intent_id": intent_id},
            body={"scenario": scenario},
            key=idempotency_key,
        )

    async def trigger_event(
        self, *, type: EventType, data: Mapping[str, Any] | None = None, idempotency_key: str | None = None
    ) -> TriggeredTestEvent:
        """Send a sample event.

        Test mode only: sends a sample event of one type to your endpoints.
        ``type``: An event type by its exact name.
        ``data``: Keys that replace those of the sample.
        Refusals: address_not_allowed, idempotency_key_in_progress, idempotency_key_invalid, idempotency_key_reused,
        insufficient_scope, internal_error, invalid_api_key, invalid_json, invalid_request, malformed_request,
        merchant_suspended, missing_api_key, not_found, payload_too_large, rate_limited, request_timeout,
        revoked_api_key, secret_key_required, temporarily_unavailable, unknown_event_type, unsupported_media_type.
        """
        return await self._ask(
            op.TEST_HELPERS_TRIGGER_EVENT, TriggeredTestEvent, body={"type": type, "data": data}, key=idempotency_key
        )
