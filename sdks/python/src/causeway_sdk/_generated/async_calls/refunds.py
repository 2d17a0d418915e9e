# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""Refunds: awaited methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causeway_sdk._generated import operations as op
from causeway_sdk._generated.models.refunds import IntentPayers, Refund, RefundsToPayers
from causeway_sdk._resource import AsyncResource

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from causeway_sdk._pages import AsyncPages
    from causeway_sdk._wire import Amount


class AsyncRefundsService(AsyncResource):
    """What goes back to payers."""

    async def create(
        self,
        *,
        intent_id: str,
        amount_usd: Amount | None = None,
        destination: str | None = None,
        reason: str | None = None,
        from_other_funds: bool | None = None,
        stray_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Refund:
        """Create a refund."""
        return await self._ask(
            op.REFUNDS_CREATE,
            Refund,
            body={
                "intent_id": intent_id,
                "amount_usd": amount_usd,
                "destination": destination,
                "reason": reason,
                "from_other_funds": from_other_funds,
                "stray_id": stray_id,
            },
            key=idempotency_key,
        )

    async def get(self, refund_id: str) -> Refund:
        """Retrieve a refund."""
        return await self._ask(op.REFUNDS_GET, Refund, path={"refund_id": refund_id})

    def list(
        self,
        *,
        ending_before: str | None = None,
        limit: int | None = None,
        payment_intent_id: str | None = None,
        starting_after: str | None = None,
        status: str | Sequence[str] | None = None,
    ) -> AsyncPages[Refund]:
        """List refunds."""
        return self._list(
            op.REFUNDS_LIST,
            Refund,
            None,
            {
                "ending_before": ending_before,
                "limit": limit,
                "payment_intent_id": payment_intent_id,
                "starting_after": starting_after,
                "status": status,
            },
        )

    async def cancel(self, refund_id: str, *, idempotency_key: str | None = None) -> Refund:
        """Cancel a refund."""
        return await self._ask(op.REFUNDS_CANCEL, Refund, path={"refund_id": refund_id}, key=idempotency_key)

    async def list_payment_intent_payers(self, intent_id: str) -> IntentPayers:
        """List who paid."""
        return await self._ask(op.REFUNDS_LIST_PAYMENT_INTENT_PAYERS, IntentPayers, path={"intent_id": intent_id})

    async def set_destination(self, refund_id: str, *, destination: str, idempotency_key: str | None = None) -> Refund:
        """Set where a refund goes."""
        return await self._ask(
            op.REFUNDS_SET_DESTINATION,
            Refund,
            path={"refund_id": refund_id},
            body={"destination": destination},
            key=idempotency_key,
        )

    async def to_payers(
        self, *, intent_id: str, reason: str | None = None, idempotency_key: str | None = None
    ) -> RefundsToPayers:
        """Refund each payer."""
        return await self._ask(
            op.REFUNDS_TO_PAYERS, RefundsToPayers, body={"intent_id": intent_id, "reason": reason}, key=idempotency_key
        )

    async def wait(self, refund_id: str, *, until: str | Collection[str] | None = None, timeout: float = 600) -> Refund:
        """Wait until the status is the one, or one of those, in ``until``; by default until it is over.

        Units: timeout in seconds. Raises: UnexpectedStatusError where it ended otherwise, WaitTimeoutError.
        """
        return await self._wait(lambda hold: self.get(refund_id), until, timeout, holds=False)
