# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""Payment intents: awaited methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from causeway_sdk._generated import operations as op
from causeway_sdk._generated.models.payment_intents import Explanation, FlightRecord, Leg, RouteCandidate
from causeway_sdk._generated.models.shared import PaymentIntent
from causeway_sdk._resource import AsyncResource

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    from causeway_sdk._pages import AsyncPages
    from causeway_sdk._wire import Amount


class AsyncPaymentIntentsService(AsyncResource):
    """What you want to be paid, and how it went."""

    async def create(
        self,
        *,
        amount: Amount,
        currency: str | None = None,
        settlement_chain: str | None = None,
        settlement_token: str | None = None,
        settlement_address: str | None = None,
        customer_email: str | None = None,
        expires_in_seconds: int | None = None,
        metadata: Mapping[str, Any] | None = None,
        reference: str | None = None,
        return_url: str | None = None,
        idempotency_key: str | None = None,
    ) -> PaymentIntent:
        """Create a payment intent."""
        return await self._ask(
            op.PAYMENT_INTENTS_CREATE,
            PaymentIntent,
            body={
                "amount": amount,
                "currency": currency,
                "settlement_chain": settlement_chain,
                "settlement_token": settlement_token,
                "settlement_address": settlement_address,
                "customer_email": customer_email,
                "expires_in_seconds": expires_in_seconds,
                "metadata": metadata,
                "reference": reference,
                "return_url": return_url,
            },
            key=idempotency_key,
        )

    async def get(self, intent_id: str, *, wait: int | None = None) -> PaymentIntent:
        """Retrieve a payment intent."""
        return await self._ask(
            op.PAYMENT_INTENTS_GET, PaymentIntent, path={"intent_id": intent_id}, query={"wait": wait}
        )

    def list(
        self,
        *,
        amount_gte: Amount | None = None,
        amount_lte: Amount | None = None,
        created_gte: datetime | str | None = None,
        created_lt: datetime | str | None = None,
        customer_email: str | None = None,
        ending_before: str | None = None,
        limit: int | None = None,
        metadata: Mapping[str, str] | None = None,
        q: str | None = None,
        reference: str | None = None,
        settlement_chain: str | None = None,
        settlement_token: str | None = None,
        starting_after: str | None = None,
        status: str | Sequence[str] | None = None,
    ) -> AsyncPages[PaymentIntent]:
        """List payment intents."""
        return self._list(
            op.PAYMENT_INTENTS_LIST,
            PaymentIntent,
            None,
            {
                "amount_gte": amount_gte,
                "amount_lte": amount_lte,
                "created_gte": created_gte,
                "created_lt": created_lt,
                "customer_email": customer_email,
                "ending_before": ending_before,
                "limit": limit,
                "metadata": metadata,
                "q": q,
                "reference": reference,
                "settlement_chain": settlement_chain,
                "settlement_token": settlement_token,
                "starting_after": starting_after,
                "status": status,
            },
        )

    async def accept_partial(self, intent_id: str, *, idempotency_key: str | None = None) -> PaymentIntent:
        """Accept a partial payment."""
        return await self._ask(
            op.PAYMENT_INTENTS_ACCEPT_PARTIAL, PaymentIntent, path={"intent_id": intent_id}, key=idempotency_key
        )

    async def cancel(self, intent_id: str, *, idempotency_key: str | None = None) -> PaymentIntent:
        """Cancel a payment intent."""
        return await self._ask(
            op.PAYMENT_INTENTS_CANCEL, PaymentIntent, path={"intent_id": intent_id}, key=idempotency_key
        )

    async def explain(self, intent_id: str) -> Explanation:
        """Explain a payment intent."""
        return await self._ask(op.PAYMENT_INTENTS_EXPLAIN, Explanation, path={"intent_id": intent_id})

    async def get_flight_record(self, intent_id: str) -> FlightRecord:
        """Retrieve the flight record of a payment."""
        return await self._ask(op.PAYMENT_INTENTS_GET_FLIGHT_RECORD, FlightRecord, path={"intent_id": intent_id})

    def list_routes(
        self, intent_id: str, *, limit: int | None = None, starting_after: str | None = None
    ) -> AsyncPages[RouteCandidate]:
        """List the routes of a payment."""
        return self._list(
            op.PAYMENT_INTENTS_LIST_ROUTES,
            RouteCandidate,
            {"intent_id": intent_id},
            {"limit": limit, "starting_after": starting_after},
        )

    def list_transactions(
        self, intent_id: str, *, limit: int | None = None, starting_after: str | None = None
    ) -> AsyncPages[Leg]:
        """List the transactions of a payment."""
        return self._list(
            op.PAYMENT_INTENTS_LIST_TRANSACTIONS,
            Leg,
            {"intent_id": intent_id},
            {"limit": limit, "starting_after": starting_after},
        )

    async def wait(
        self, intent_id: str, *, until: str | Collection[str] | None = None, timeout: float = 600
    ) -> PaymentIntent:
        """Wait until the status is the one, or one of those, in ``until``; by default until it is over.

        Units: timeout in seconds. Raises: UnexpectedStatusError where it ended otherwise, WaitTimeoutError.
        """
        return await self._wait(lambda hold: self.get(intent_id, wait=hold), until, timeout, holds=True)
