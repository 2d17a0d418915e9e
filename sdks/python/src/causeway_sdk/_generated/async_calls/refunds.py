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
        """Create a refund.

        Refunds a part or all of a payment, or gives a stray token back. Without a destination the refund waits until
        the payer or you name one.
        ``intent_id``: The payment intent, with or without the prefix `pi_`.
        ``amount_usd``: US dollars, at most six decimals.
        ``destination``: The payer's address on the settlement chain. Without one the refund waits for it.
        ``reason``: Shown to the payer, with the refund.
        ``from_other_funds``: True: refund also what was paid out to you already, from other funds that you hold.
        ``stray_id``: `id` in the `strays` of one of the payment's transactions.
        Refusals: address_not_allowed, idempotency_key_in_progress, idempotency_key_invalid, idempotency_key_reused,
        insufficient_scope, intent_not_settled, internal_error, invalid_api_key, invalid_json, invalid_request,
        malformed_request, merchant_suspended, missing_api_key, not_found, payload_too_large, rate_limited,
        refund_exceeds_balance, request_timeout, revoked_api_key, secret_key_required, stray_given_back,
        stray_not_final, stray_not_sendable, stray_payer_unknown, temporarily_unavailable, unsupported_media_type.
        """
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
        """Retrieve a refund.

        Reads a refund as it is now.
        Refusals: address_not_allowed, insufficient_scope, internal_error, invalid_api_key, missing_api_key, not_found,
        rate_limited, revoked_api_key, secret_key_required, temporarily_unavailable.
        """
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
        """List refunds.

        Lists refunds, newest first, filtered by what the parameters say.
        ``ending_before``: Newer than this one; not with the other.
        ``limit``: How many rows a page has at most.
        ``payment_intent_id``: Refunds of this intent.
        ``starting_after``: Older than this one; not with the other.
        ``status``: One status, or several separated by commas.
        Refusals: address_not_allowed, insufficient_scope, internal_error, invalid_api_key, invalid_parameter,
        malformed_request, missing_api_key, rate_limited, revoked_api_key, secret_key_required, temporarily_unavailable.
        """
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
        """Cancel a refund.

        Cancels a refund of which nothing was signed yet.
        Refusals: address_not_allowed, idempotency_key_in_progress, idempotency_key_invalid, idempotency_key_reused,
        insufficient_scope, internal_error, invalid_api_key, invalid_json, invalid_request, malformed_request,
        merchant_suspended, missing_api_key, not_found, payload_too_large, rate_limited, refund_not_cancellable,
        request_timeout, revoked_api_key, secret_key_required, temporarily_unavailable, unsupported_media_type.
        """
        return await self._ask(op.REFUNDS_CANCEL, Refund, path={"refund_id": refund_id}, key=idempotency_key)

    async def list_payment_intent_payers(self, intent_id: str) -> IntentPayers:
        """List who paid.

        Lists the wallets that provably paid an intent, with what each paid and what of it was refunded.
        Refusals: address_not_allowed, insufficient_scope, internal_error, invalid_api_key, missing_api_key, not_found,
        rate_limited, revoked_api_key, secret_key_required, temporarily_unavailable.
        """
        return await self._ask(op.REFUNDS_LIST_PAYMENT_INTENT_PAYERS, IntentPayers, path={"intent_id": intent_id})

    async def set_destination(self, refund_id: str, *, destination: str, idempotency_key: str | None = None) -> Refund:
        """Set where a refund goes.

        Names the address of a refund that waits for one. The refund is sent next.
        ``destination``: The payer's address on the refund's chain.
        Refusals: address_not_allowed, idempotency_key_in_progress, idempotency_key_invalid, idempotency_key_reused,
        insufficient_scope, internal_error, invalid_api_key, invalid_json, invalid_request, malformed_request,
        merchant_suspended, missing_api_key, not_found, payload_too_large, rate_limited, refund_destination_not_needed,
        request_timeout, revoked_api_key, secret_key_required, temporarily_unavailable, unsupported_media_type.
        """
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
        """Refund each payer.

        Sends every wallet that provably paid what it did not get back yet: a refund for each, or none at all.
        ``intent_id``: The payment intent, with or without the prefix `pi_`.
        ``reason``: Shown to each payer, with its refund.
        Refusals: address_not_allowed, idempotency_key_in_progress, idempotency_key_invalid, idempotency_key_reused,
        insufficient_scope, intent_not_settled, internal_error, invalid_api_key, invalid_json, invalid_request,
        malformed_request, merchant_suspended, missing_api_key, not_found, payload_too_large, rate_limited,
        refund_no_payer, refund_shares_exceed_balance, request_timeout, revoked_api_key, secret_key_required,
        temporarily_unavailable, unsupported_media_type.
        """
        return await self._ask(
            op.REFUNDS_TO_PAYERS, RefundsToPayers, body={"intent_id": intent_id, "reason": reason}, key=idempotency_key
        )

    async def wait(self, refund_id: str, *, until: str | Collection[str] | None = None, timeout: float = 600) -> Refund:
        """Wait until the status is the one, or one of those, in ``until``; by default until it is over.

        Units: timeout in seconds. Raises: UnexpectedStatusError where it ended otherwise, WaitTimeoutError.
        """
        return await self._wait(lambda hold: self.get(refund_id), until, timeout, holds=False)
