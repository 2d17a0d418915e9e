# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""Payment intents: blocking methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from causeway_sdk._generated import operations as op
from causeway_sdk._generated.models.payment_intents import Explanation, FlightRecord, Leg, RouteCandidate
from causeway_sdk._generated.models.shared import PaymentIntent
from causeway_sdk._resource import Resource

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    from causeway_sdk._pages import Pages
    from causeway_sdk._wire import Amount


class PaymentIntentsService(Resource):
    """What you want to be paid, and how it went."""

    def create(
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
        """Create a payment intent.

        Creates a payment of an amount in US dollars. Send the payer to its `checkout_url`.
        ``amount``: US dollars, at most two decimals.
        ``currency``: Only USD; the default.
        ``settlement_chain``: The chain to settle on, such as `base`; by default the one set on the dashboard.
        ``settlement_token``: The token to settle in, such as `USDC`; by default the one set on the dashboard.
        ``settlement_address``: Where the money settles; by default the address set on the dashboard.
        ``customer_email``: The payer's e-mail address, for the receipt.
        ``expires_in_seconds``: How long the payer has; 30 minutes if it is left out.
        ``metadata``: Your own keys and values; returned in answers and events.
        ``reference``: Your own order number.
        ``return_url``: Where the payer is sent back to after paying.
        Refusals: address_not_allowed, currency_unsupported, idempotency_key_in_progress, idempotency_key_invalid,
        idempotency_key_reused, insufficient_scope, internal_error, invalid_api_key, invalid_json, invalid_request,
        malformed_request, merchant_suspended, metadata_invalid, missing_api_key, payload_too_large, rate_limited,
        request_timeout, return_url_not_allowed, revoked_api_key, secret_key_required, settlement_address_invalid,
        settlement_address_not_allowed, settlement_address_unproven, settlement_pair_unsupported,
        settlement_profile_missing, temporarily_unavailable, unsupported_media_type.
        """
        return self._ask(
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

    def get(self, intent_id: str, *, wait: int | None = None) -> PaymentIntent:
        """Retrieve a payment intent.

        Reads a payment intent as it is now.
        ``wait``: Answer when its status is another one than now, at once where that is over, or after so many seconds.
        Refusals: address_not_allowed, insufficient_scope, internal_error, invalid_api_key, invalid_parameter,
        malformed_request, missing_api_key, not_found, rate_limited, revoked_api_key, secret_key_required,
        temporarily_unavailable.
        """
        return self._ask(op.PAYMENT_INTENTS_GET, PaymentIntent, path={"intent_id": intent_id}, query={"wait": wait})

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
    ) -> Pages[PaymentIntent]:
        """List payment intents.

        Lists payment intents, newest first, filtered by what the parameters say.
        ``amount_gte``: Asked for at least so many dollars.
        ``amount_lte``: Asked for at most so many dollars.
        ``created_gte``: Created at or after this RFC 3339 time.
        ``created_lt``: Created before this RFC 3339 time.
        ``customer_email``: The payer's e-mail address, exactly.
        ``ending_before``: Newer than this one; not with the other.
        ``limit``: How many rows a page has at most.
        ``metadata``: By a value of your own: `metadata[order]=42`.
        ``q``: An id, reference, e-mail, address or transaction hash, exactly.
        ``reference``: Your own order number.
        ``settlement_chain``: The chain that the money settles on.
        ``settlement_token``: The symbol of the token that the money settles in.
        ``starting_after``: Older than this one; not with the other.
        ``status``: One status, or several separated by commas.
        Refusals: address_not_allowed, insufficient_scope, internal_error, invalid_api_key, invalid_parameter,
        malformed_request, missing_api_key, rate_limited, revoked_api_key, secret_key_required, temporarily_unavailable.
        """
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

    def accept_partial(self, intent_id: str, *, idempotency_key: str | None = None) -> PaymentIntent:
        """Accept a partial payment.

        Settles a partially paid intent for what has arrived. This cannot be taken back.
        Refusals: address_not_allowed, idempotency_key_in_progress, idempotency_key_invalid, idempotency_key_reused,
        insufficient_scope, intent_not_acceptable, internal_error, invalid_api_key, invalid_json, invalid_request,
        malformed_request, merchant_suspended, missing_api_key, not_found, payload_too_large, rate_limited,
        request_timeout, revoked_api_key, secret_key_required, temporarily_unavailable, unsupported_media_type.
        """
        return self._ask(
            op.PAYMENT_INTENTS_ACCEPT_PARTIAL, PaymentIntent, path={"intent_id": intent_id}, key=idempotency_key
        )

    def cancel(self, intent_id: str, *, idempotency_key: str | None = None) -> PaymentIntent:
        """Cancel a payment intent.

        Cancels a payment for which nothing arrived and nothing is on its way. Later money can be refunded.
        Refusals: address_not_allowed, idempotency_key_in_progress, idempotency_key_invalid, idempotency_key_reused,
        insufficient_scope, intent_not_cancellable, internal_error, invalid_api_key, invalid_json, invalid_request,
        malformed_request, merchant_suspended, missing_api_key, not_found, payload_too_large, rate_limited,
        request_timeout, revoked_api_key, secret_key_required, temporarily_unavailable, unsupported_media_type.
        """
        return self._ask(op.PAYMENT_INTENTS_CANCEL, PaymentIntent, path={"intent_id": intent_id}, key=idempotency_key)

    def explain(self, intent_id: str) -> Explanation:
        """Explain a payment intent.

        Says in words what happened to a payment, where its money is, and who has to do what next.
        Refusals: address_not_allowed, insufficient_scope, internal_error, invalid_api_key, missing_api_key, not_found,
        rate_limited, revoked_api_key, secret_key_required, temporarily_unavailable.
        """
        return self._ask(op.PAYMENT_INTENTS_EXPLAIN, Explanation, path={"intent_id": intent_id})

    def get_flight_record(self, intent_id: str) -> FlightRecord:
        """Retrieve the flight record of a payment.

        Reads everything that happened to a payment as a chain of hashes with the service's signatures over it. Anyone
        can check it without the service.
        Refusals: address_not_allowed, insufficient_scope, internal_error, invalid_api_key, missing_api_key, not_found,
        rate_limited, revoked_api_key, secret_key_required, temporarily_unavailable.
        """
        return self._ask(op.PAYMENT_INTENTS_GET_FLIGHT_RECORD, FlightRecord, path={"intent_id": intent_id})

    def list_routes(
        self, intent_id: str, *, limit: int | None = None, starting_after: str | None = None
    ) -> Pages[RouteCandidate]:
        """List the routes of a payment.

        Lists the routes that were compared for a payment, with costs, times and which one was taken.
        ``limit``: How many rows a page has at most.
        ``starting_after``: What follows this one in the list.
        Refusals: address_not_allowed, insufficient_scope, internal_error, invalid_api_key, invalid_parameter,
        malformed_request, missing_api_key, not_found, rate_limited, revoked_api_key, secret_key_required,
        temporarily_unavailable.
        """
        return self._list(
            op.PAYMENT_INTENTS_LIST_ROUTES,
            RouteCandidate,
            {"intent_id": intent_id},
            {"limit": limit, "starting_after": starting_after},
        )

    def list_transactions(
        self, intent_id: str, *, limit: int | None = None, starting_after: str | None = None
    ) -> Pages[Leg]:
        """List the transactions of a payment.

        Lists the transactions of a payment with their hashes, confirmations and amounts.
        ``limit``: How many rows a page has at most.
        ``starting_after``: What follows this one in the list.
        Refusals: address_not_allowed, insufficient_scope, internal_error, invalid_api_key, invalid_parameter,
        malformed_request, missing_api_key, not_found, rate_limited, revoked_api_key, secret_key_required,
        temporarily_unavailable.
        """
        return self._list(
            op.PAYMENT_INTENTS_LIST_TRANSACTIONS,
            Leg,
            {"intent_id": intent_id},
            {"limit": limit, "starting_after": starting_after},
        )

    def wait(
        self, intent_id: str, *, until: str | Collection[str] | None = None, timeout: float = 600
    ) -> PaymentIntent:
        """Wait until the status is the one, or one of those, in ``until``; by default until it is over.

        Units: timeout in seconds. Raises: UnexpectedStatusError where it ended otherwise, WaitTimeoutError.
        """
        return self._wait(lambda hold: self.get(intent_id, wait=hold), until, timeout, holds=True)
