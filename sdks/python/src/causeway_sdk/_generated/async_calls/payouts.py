# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""Payouts: awaited methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causeway_sdk._generated import operations as op
from causeway_sdk._generated.models.payouts import Payout
from causeway_sdk._resource import AsyncResource

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from causeway_sdk._pages import AsyncPages


class AsyncPayoutsService(AsyncResource):
    """What was paid out to you of settled intents."""

    async def get(self, payout_id: str) -> Payout:
        """Retrieve a payout."""
        return await self._ask(op.PAYOUTS_GET, Payout, path={"payout_id": payout_id})

    def list(
        self,
        *,
        created_gte: datetime | str | None = None,
        created_lt: datetime | str | None = None,
        ending_before: str | None = None,
        limit: int | None = None,
        payment_intent_id: str | None = None,
        starting_after: str | None = None,
        status: str | Sequence[str] | None = None,
    ) -> AsyncPages[Payout]:
        """List payouts."""
        return self._list(
            op.PAYOUTS_LIST,
            Payout,
            None,
            {
                "created_gte": created_gte,
                "created_lt": created_lt,
                "ending_before": ending_before,
                "limit": limit,
                "payment_intent_id": payment_intent_id,
                "starting_after": starting_after,
                "status": status,
            },
        )

    async def replay(self, payout_id: str, *, idempotency_key: str | None = None) -> Payout:
        """Send a failed payout again."""
        return await self._ask(op.PAYOUTS_REPLAY, Payout, path={"payout_id": payout_id}, key=idempotency_key)

    async def wait(self, payout_id: str, *, until: str | Collection[str] | None = None, timeout: float = 600) -> Payout:
        """Wait until the status is the one, or one of those, in ``until``; by default until it is over.

        Units: timeout in seconds. Raises: UnexpectedStatusError where it ended otherwise, WaitTimeoutError.
        """
        return await self._wait(lambda hold: self.get(payout_id), until, timeout, holds=False)
