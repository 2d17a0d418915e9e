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
        """Advance the test clock."""
        return await self._ask(
            op.TEST_HELPERS_ADVANCE_CLOCK, AdvancedTestClock, body={"seconds": seconds}, key=idempotency_key
        )

    def list_scenarios(self) -> AsyncPages[Scenario]:
        """List the scenarios of test mode."""
        return self._list(op.TEST_HELPERS_LIST_SCENARIOS, Scenario, None, {})

    async def pay_payment_intent(
        self, intent_id: str, *, scenario: ScenarioName | None = None, idempotency_key: str | None = None
    ) -> PaymentIntent:
        """Pay a test payment."""
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
        """Send a sample event."""
        return await self._ask(
            op.TEST_HELPERS_TRIGGER_EVENT, TriggeredTestEvent, body={"type": type, "data": data}, key=idempotency_key
        )
