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
        """Retrieve a payout.

        Reads a payout as it is now.
        Refusals: address_not_allowed, insufficient_scope, internal_error, invalid_api_key, missing_api_key, not_found,
        rate_limited, revoked_api_key, secret_key_required, temporarily_unavailable.
        """
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
        """List payouts.

        Lists payouts, newest first, filtered by what the parameters say.
        ``created_gte``: Created at or after this RFC 3339 time.
        ``created_lt``: Created before this RFC 3339 time.
        ``ending_before``: Newer than this one; not with the other.
        ``limit``: How many rows a page has at most.
        ``payment_intent_id``: Of this intent only.
        ``starting_after``: Older than this one; not with the other.
        ``status``: One status, or several separated by commas.
        Refusals: address_not_allowed, insufficient_scope, internal_error, invalid_api_key, invalid_parameter,
        malformed_request, missing_api_key, rate_limited, revoked_api_key, secret_key_required, temporarily_unavailable.
        """
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
        """Send a failed payout again.

        Puts a failed payout back in the queue. What may have reached a chain already is followed first.
        Refusals: address_not_allowed, idempotency_key_in_progress, idempotency_key_invalid, idempotency_key_reused,
        insufficient_scope, intent_not_settled, internal_error, invalid_api_key, invalid_json, invalid_request,
        malformed_request, merchant_suspended, missing_api_key, not_found, payload_too_large, payout_not_replayable,
        rate_limited, request_timeout, revoked_api_key, secret_key_required, temporarily_unavailable,
        unsupported_media_type.
        """
        return await self._ask(op.PAYOUTS_REPLAY, Payout, path={"payout_id": payout_id}, key=idempotency_key)

    async def wait(self, payout_id: str, *, until: str | Collection[str] | None = None, timeout: float = 600) -> Payout:
        """Wait until the status is the one, or one of those, in ``until``; by default until it is over.

        Units: timeout in seconds. Raises: UnexpectedStatusError where it ended otherwise, WaitTimeoutError.
        """
        return await self._wait(lambda hold: self.get(payout_id), until, timeout, holds=False)
