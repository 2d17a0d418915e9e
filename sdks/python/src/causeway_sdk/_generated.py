# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""What is written from the description: words, models, events, and the methods of each service.

A method hands on all its arguments, as ``locals()``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from causeway_sdk._resource import AsyncPages, AsyncResource, AsyncSends, Model, Pages, Resource, Sends
from causeway_sdk.cursors import AsyncEventResource, EventResource

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime
    from decimal import Decimal

    from causeway_sdk._core import Amount

API_VERSION = "1.2.0"
# fmt: off

Availability: TypeAlias = Literal[
    "ok", "unavailable"
] | str

DeliveryError: TypeAlias = Literal[
    "tls_error", "dns_error", "connection_failed", "address_not_allowed", "url_not_allowed", "connect_timeout",
    "timeout", "disconnected", "invalid_response", "internal_error"
] | str

DeliveryStatus: TypeAlias = Literal[
    "due", "delivered", "exhausted", "cancelled"
] | str

EndpointDisabledReason: TypeAlias = Literal[
    "by_merchant", "gone", "failing"
] | str

EndpointKind: TypeAlias = Literal[
    "push", "pull"
] | str

EventResourceType: TypeAlias = Literal[
    "payment_intent", "refund", "payout", "webhook_endpoint", "ping"
] | str

EventSubscription: TypeAlias = Literal[
    "payment_intent.created", "payment_intent.quoted", "payment_intent.executing", "payment_intent.partially_filled",
    "payment_intent.settled", "payment_intent.failed", "payment_intent.expired", "payment_intent.cancelled",
    "payment_intent.refunded", "payment_intent.late_payment", "payment_intent.overpaid",
    "payment_intent.settlement_reversed", "payment_intent.settlement_restored", "payment_intent.funds_owed",
    "payment_intent.stray_arrived", "payment_intent.payment_counted_elsewhere", "refund.created",
    "refund.missing_destination", "refund.processing", "refund.paid", "refund.failed", "refund.cancelled",
    "payout.created", "payout.processing", "payout.retry_scheduled", "payout.paused", "payout.paid", "payout.failed",
    "webhook_endpoint.disabled", "ping", "payment_intent.*", "refund.*", "payout.*", "webhook_endpoint.*", "*"
] | str

EventType: TypeAlias = Literal[
    "payment_intent.created", "payment_intent.quoted", "payment_intent.executing", "payment_intent.partially_filled",
    "payment_intent.settled", "payment_intent.failed", "payment_intent.expired", "payment_intent.cancelled",
    "payment_intent.refunded", "payment_intent.late_payment", "payment_intent.overpaid",
    "payment_intent.settlement_reversed", "payment_intent.settlement_restored", "payment_intent.funds_owed",
    "payment_intent.stray_arrived", "payment_intent.payment_counted_elsewhere", "refund.created",
    "refund.missing_destination", "refund.processing", "refund.paid", "refund.failed", "refund.cancelled",
    "payout.created", "payout.processing", "payout.retry_scheduled", "payout.paused", "payout.paid", "payout.failed",
    "webhook_endpoint.disabled", "ping"
] | str

ExpectedAnswer: TypeAlias = Literal[
    "accepted", "refused"
] | str

ExplanationCode: TypeAlias = Literal[
    "created", "requires_payment", "quoting", "quoted", "preparing", "awaiting_signature", "signature_reported",
    "quote_lapsed", "signature_declined", "signature_timed_out", "time_over", "route_unavailable", "price_unavailable",
    "execution_failed", "bridge_refunded", "bridge_unfilled", "counted_elsewhere", "stray_arrived", "executing",
    "executing_slow", "confirming", "rest_unsigned", "in_doubt", "reorg_rechecked", "settlement_reversed",
    "partially_filled", "partially_filled_time_over", "settled", "settled_overpaid", "settled_twice", "settled_short",
    "settled_late", "settled_vanished", "late_arriving", "late_payment", "failed", "failed_funded", "expired",
    "expired_funded", "cancelled", "cancelled_funded", "refunded", "refunded_funded", "payout_queued", "payout_pending",
    "payout_processing", "payout_pending_provider", "payout_retry_scheduled", "payout_paid", "payout_failed",
    "payout_paused", "refund_waiting", "refund_queued", "refund_processing", "refund_retry_scheduled", "refund_paid",
    "refund_failed", "refund_cancelled", "refund_awaiting_wallet", "refund_held", "refund_unconfirmed"
] | str

ExplanationReason: TypeAlias = Literal[
    "merchant_paused", "merchant_suspended", "destination_changed", "settlement_reversed", "intent_not_settled",
    "balance_changed", "signer_missing", "cancelled", "agent_revoked", "agents_paused", "agent_over_limit",
    "chain_unavailable", "insufficient_funds", "insufficient_gas", "signer_unavailable", "signer_busy", "signer_paused",
    "signing_paused", "fee_above_cap", "day_cap_reached", "price_missing", "awaiting_wallet", "maybe_paid_before",
    "invalid_destination", "destination_blocked", "chain_rejected", "cap_exceeded", "withdrawn", "missing_destination",
    "stray_changed", "payer_not_proven", "destination_unconfirmed"
] | str

HintReporter: TypeAlias = Literal[
    "browser", "wallet", "link", "simulated_payer"
] | str

HintVerdict: TypeAlias = Literal[
    "found", "foreign", "reverted", "lost", "replaced", "unreadable"
] | str

IntentStatus: TypeAlias = Literal[
    "created", "requires_payment", "quoted", "awaiting_signature", "executing", "partially_filled", "settled", "failed",
    "expired", "cancelled", "refunded"
] | str

KeyKind: TypeAlias = Literal[
    "secret", "restricted"
] | str

KeyScope: TypeAlias = Literal[
    "payment_intents:read", "payment_intents:write", "refunds:write", "payouts:write"
] | str

LegKind: TypeAlias = Literal[
    "swap", "bridge", "transfer", "settlement", "payout", "refund"
] | str

LegStatus: TypeAlias = Literal[
    "planned", "awaiting_signature", "submitted", "confirming", "confirmed", "failed", "refunded", "in_doubt"
] | str

LegSubStatus: TypeAlias = Literal[
    "partial"
] | str

ListTokensChain: TypeAlias = Literal[
    "ethereum", "eth", "ethereum-mainnet", "base", "base-mainnet", "arbitrum", "arb", "arbitrum-one", "optimism", "op",
    "op-mainnet", "polygon", "matic", "polygon-pos", "bnb", "binance", "bnb-chain", "bnb-smart-chain", "bsc", "solana",
    "sol", "solana-mainnet"
] | str

Mode: TypeAlias = Literal[
    "test", "live"
] | str

PaymentProblem: TypeAlias = Literal[
    "route_unavailable", "price_unavailable", "execution_failed", "bridge_refunded", "bridge_unfilled",
    "signature_missing", "counted_elsewhere"
] | str

PaymentSituation: TypeAlias = Literal[
    "created", "requires_payment", "quoting", "quoted", "preparing", "awaiting_signature", "signature_reported",
    "quote_lapsed", "signature_declined", "signature_timed_out", "time_over", "route_unavailable", "price_unavailable",
    "execution_failed", "bridge_refunded", "bridge_unfilled", "counted_elsewhere", "stray_arrived", "executing",
    "executing_slow", "confirming", "rest_unsigned", "in_doubt", "reorg_rechecked", "settlement_reversed",
    "partially_filled", "partially_filled_time_over", "settled", "settled_overpaid", "settled_twice", "settled_short",
    "settled_late", "settled_vanished", "late_arriving", "late_payment", "failed", "failed_funded", "expired",
    "expired_funded", "cancelled", "cancelled_funded", "refunded", "refunded_funded"
] | str

PayoutFailureReason: TypeAlias = Literal[
    "merchant_paused", "merchant_suspended", "destination_changed", "settlement_reversed", "intent_not_settled",
    "balance_changed", "signer_missing", "cancelled", "agent_revoked", "agents_paused", "agent_over_limit",
    "chain_unavailable", "insufficient_funds", "insufficient_gas", "signer_unavailable", "signer_busy", "signer_paused",
    "signing_paused", "fee_above_cap", "day_cap_reached", "price_missing", "awaiting_wallet", "maybe_paid_before",
    "invalid_destination", "destination_blocked", "chain_rejected", "cap_exceeded", "withdrawn"
] | str

PayoutRail: TypeAlias = Literal[
    "direct", "evm", "solana", "merchant_wallet", "simulated"
] | str

PayoutStatus: TypeAlias = Literal[
    "queued", "pending", "processing", "pending_provider", "retry_scheduled", "paid", "failed", "paused"
] | str

ReceiverCheckName: TypeAlias = Literal[
    "genuine", "duplicate", "lost_answer", "reordered", "rotation", "unknown_type", "large_metadata", "slow_answer",
    "stale", "wrong_signature", "altered_body", "unsigned"
] | str

ReceiverTestError: TypeAlias = Literal[
    "tls_error", "dns_error", "connection_failed", "address_not_allowed", "url_not_allowed", "connect_timeout",
    "timeout", "disconnected", "invalid_response", "internal_error", "not_sent"
] | str

RefundFailureReason: TypeAlias = Literal[
    "missing_destination", "stray_changed", "payer_not_proven", "destination_unconfirmed", "merchant_suspended",
    "agent_revoked", "agents_paused", "agent_over_limit", "chain_unavailable", "insufficient_funds", "insufficient_gas",
    "signer_unavailable", "signer_busy", "signer_paused", "signing_paused", "fee_above_cap", "day_cap_reached",
    "price_missing", "awaiting_wallet", "maybe_paid_before", "invalid_destination", "destination_blocked",
    "chain_rejected", "cap_exceeded", "withdrawn"
] | str

RefundStatus: TypeAlias = Literal[
    "pending", "paid", "failed", "cancelled"
] | str

RouteProvider: TypeAlias = Literal[
    "direct", "atlas", "meridian", "lifi", "jupiter"
] | str

ScenarioEnd: TypeAlias = Literal[
    "awaiting_signature", "expired", "failed", "paid", "partially_filled", "requires_payment", "settled"
] | str

ScenarioName: TypeAlias = Literal[
    "settle", "partial", "overpay", "late", "fail_execution", "fail", "bridge_refund", "in_doubt", "reorg", "stuck",
    "replaced", "quote_expired", "fail_route", "decline", "locked", "request_pending", "wrong_network",
    "unknown_network", "account_changed", "no_gas", "split", "empty", "payout_retry", "payout_fail", "payout_unknown",
    "refund_retry", "refund_fail", "refund_unknown"
] | str

ScenarioSubject: TypeAlias = Literal[
    "payment_intent", "payout", "refund"
] | str

SettledReason: TypeAlias = Literal[
    "accepted_partial", "paid_before_expiry", "late_payment"
] | str

WalletFamily: TypeAlias = Literal[
    "evm", "solana"
] | str

WhoActs: TypeAlias = Literal[
    "payer", "merchant", "service", "nobody"
] | str

ErrorCode: TypeAlias = Literal[
    "address_not_allowed", "certificate_too_soon", "currency_unsupported", "cursor_expired", "endpoint_url_taken",
    "idempotency_key_in_progress", "idempotency_key_invalid", "idempotency_key_reused", "in_doubt",
    "insufficient_scope", "intent_not_acceptable", "intent_not_cancellable", "intent_not_payable", "intent_not_settled",
    "internal_error", "invalid_api_key", "invalid_json", "invalid_parameter", "invalid_request", "malformed_request",
    "merchant_suspended", "metadata_invalid", "missing_api_key", "not_found", "payload_too_large",
    "payout_not_replayable", "rate_limited", "refund_destination_not_needed", "refund_exceeds_balance",
    "refund_no_payer", "refund_not_cancellable", "refund_shares_exceed_balance", "request_timeout",
    "return_url_not_allowed", "revoked_api_key", "secret_key_required", "settlement_address_invalid",
    "settlement_address_not_allowed", "settlement_address_unproven", "settlement_pair_unsupported",
    "settlement_profile_missing", "stray_given_back", "stray_not_final", "stray_not_sendable", "stray_payer_unknown",
    "temporarily_unavailable", "too_many_attempts", "unknown_event_type", "unsupported_media_type",
    "webhook_endpoint_disabled", "webhook_endpoint_limit", "webhook_endpoint_not_pulled", "webhook_endpoint_pulled",
    "webhook_url_not_allowed"
] | str
"""What a refusal's `code` can be.

Of every method: address_not_allowed, insufficient_scope, internal_error, invalid_api_key, missing_api_key,
rate_limited, revoked_api_key, secret_key_required, temporarily_unavailable.
Of every POST: idempotency_key_in_progress, idempotency_key_invalid, idempotency_key_reused, invalid_json,
invalid_request, malformed_request, merchant_suspended, payload_too_large, request_timeout, unsupported_media_type.
"""
# fmt: on


class PaymentIntentEventData(Model):
    id: str
    amount: Decimal
    currency: str
    settlement_chain: str
    settlement_token: str
    metadata: dict[str, Any]
    status: IntentStatus
    mode: Mode
    amount_received: Decimal
    """What has arrived and counts, in US dollars."""
    failure_reason: PaymentProblem | None
    settled_at: datetime | None
    reference: str | None


class PaymentIntentExpiredEventData(PaymentIntentEventData):
    partially_funded: bool


class PaymentIntentFundsOwedEventData(PaymentIntentEventData):
    owed_usd: Decimal


class PaymentIntentLatePaymentEventData(PaymentIntentExpiredEventData):
    amount_due: Decimal
    """What is still to be paid, in US dollars."""


class PaymentIntentOverpaidEventData(PaymentIntentEventData):
    overpaid_usd: Decimal


class PaymentIntentPartiallyFilledEventData(PaymentIntentEventData):
    amount_due: Decimal
    """What is still to be paid, in US dollars."""


class PaymentIntentSettledEventData(PaymentIntentEventData):
    platform_fee_usd: Decimal | None
    net_settlement_usd: Decimal | None


class PaymentIntentStrayArrivedEventData(PaymentIntentEventData):
    strays: list[Stray]


class PayoutEventData(Model):
    id: str
    payment_intent_id: str | None
    rail: PayoutRail
    destination: str
    chain: str
    token: str
    amount: Decimal
    currency: str
    status: PayoutStatus
    tx_hash: str | None
    failure_reason: PayoutFailureReason | None
    attempts: int
    next_attempt_at: datetime | None
    paid_at: datetime | None
    created_at: datetime
    metadata: dict[str, Any]


class PingEventData(Model):
    id: str
    message: str


class RefundEventData(Model):
    id: str
    payment_intent_id: str
    amount_usd: Decimal
    """0 where a stray is given back: it never counted as dollars."""
    chain: str
    token: str
    destination_tail: str
    reason: str
    status: RefundStatus
    tx_hash: str | None
    created_at: datetime
    paid_at: datetime | None
    failure_reason: RefundFailureReason | None
    attempts: int
    updated_at: datetime
    stray_id: str | None
    token_amount: Decimal
    """What is sent, in the token, as a decimal."""


class PaymentIntentLastError(Model):
    code: PaymentProblem
    message: str


class PaymentIntent(Model):
    id: str
    amount: Decimal
    currency: str
    mode: Mode
    status: IntentStatus
    checkout_url: str
    settlement_chain: str
    settlement_token: str
    settlement_address: str
    customer_email: str | None
    expires_at: datetime
    created_at: datetime
    metadata: dict[str, Any]
    amount_received: Decimal
    """What has arrived and counts, in US dollars."""
    amount_due: Decimal
    """What is still to be paid, in US dollars."""
    overpaid_usd: Decimal
    platform_fee_usd: Decimal | None
    amount_refunded_usd: Decimal
    partially_funded: bool
    in_doubt: bool
    """True while the outcome of a sent transaction is unknown; the payer must not pay again."""
    last_error: PaymentIntentLastError | None
    failure_reason: PaymentProblem | None
    settled_at: datetime | None
    settled_reason: SettledReason | None
    cancelled_at: datetime | None
    reference: str | None
    return_url: str | None


class Stray(Model):
    id: str
    chain: str
    token: str | None
    token_address: str
    amount: Decimal | None
    """How much came, in the token; null where its decimals are unknown."""
    tx_hash: str
    payer: str | None


class WebhookEventResource(Model):
    type: EventResourceType
    id: str


class WebhookEndpointEventData(Model):
    id: str
    url: str | None
    enabled: bool
    reason: EndpointDisabledReason


class EventBase(Model):
    """What every event has."""

    id: str
    created_at: datetime
    mode: Mode
    api_version: str
    sequence: int
    resource: WebhookEventResource


class PaymentIntentCancelledEvent(EventBase):
    """The merchant cancelled the intent."""

    type: Literal["payment_intent.cancelled"]
    data: PaymentIntentEventData


class PaymentIntentCreatedEvent(EventBase):
    """An intent was created."""

    type: Literal["payment_intent.created"]
    data: PaymentIntentEventData


class PaymentIntentExecutingEvent(EventBase):
    """The payer's transaction was seen; funds are moving."""

    type: Literal["payment_intent.executing"]
    data: PaymentIntentEventData


class PaymentIntentExpiredEvent(EventBase):
    """The intent's time ran out; partially_funded tells whether something had arrived."""

    type: Literal["payment_intent.expired"]
    data: PaymentIntentExpiredEventData


class PaymentIntentFailedEvent(EventBase):
    """The intent ended without payment."""

    type: Literal["payment_intent.failed"]
    data: PaymentIntentEventData


class PaymentIntentFundsOwedEvent(EventBase):
    """A chain took money away that was refunded or paid out already: owed_usd."""

    type: Literal["payment_intent.funds_owed"]
    data: PaymentIntentFundsOwedEventData


class PaymentIntentLatePaymentEvent(EventBase):
    """Funds arrived after the intent had expired or was cancelled."""

    type: Literal["payment_intent.late_payment"]
    data: PaymentIntentLatePaymentEventData


class PaymentIntentOverpaidEvent(EventBase):
    """More arrived than was asked for."""

    type: Literal["payment_intent.overpaid"]
    data: PaymentIntentOverpaidEventData


class PaymentIntentPartiallyFilledEvent(EventBase):
    """Some funds arrived, less than the amount, and nothing is under way."""

    type: Literal["payment_intent.partially_filled"]
    data: PaymentIntentPartiallyFilledEventData


class PaymentIntentPaymentCountedElsewhereEvent(EventBase):
    """A transaction with this payment's mark counts for another one."""

    type: Literal["payment_intent.payment_counted_elsewhere"]
    data: PaymentIntentEventData


class PaymentIntentQuotedEvent(EventBase):
    """A routing plan was produced."""

    type: Literal["payment_intent.quoted"]
    data: PaymentIntentEventData


class PaymentIntentRefundedEvent(EventBase):
    """Everything that had arrived was refunded."""

    type: Literal["payment_intent.refunded"]
    data: PaymentIntentEventData


class PaymentIntentSettledEvent(EventBase):
    """The amount arrived and is final enough for the merchant's policy. Once per intent, ever."""

    type: Literal["payment_intent.settled"]
    data: PaymentIntentSettledEventData


class PaymentIntentSettlementRestoredEvent(EventBase):
    """A reversed settlement is back."""

    type: Literal["payment_intent.settlement_restored"]
    data: PaymentIntentEventData


class PaymentIntentSettlementReversedEvent(EventBase):
    """A settlement disappeared from its chain before it was final."""

    type: Literal["payment_intent.settlement_reversed"]
    data: PaymentIntentEventData


class PaymentIntentStrayArrivedEvent(EventBase):
    """A token came with a payment that it does not settle in: strays."""

    type: Literal["payment_intent.stray_arrived"]
    data: PaymentIntentStrayArrivedEventData


class PayoutCreatedEvent(EventBase):
    """A payout was created."""

    type: Literal["payout.created"]
    data: PayoutEventData


class PayoutFailedEvent(EventBase):
    """A payout failed."""

    type: Literal["payout.failed"]
    data: PayoutEventData


class PayoutPaidEvent(EventBase):
    """A payout is paid."""

    type: Literal["payout.paid"]
    data: PayoutEventData


class PayoutPausedEvent(EventBase):
    """A payout waits for approval, for the merchant or for a provider."""

    type: Literal["payout.paused"]
    data: PayoutEventData


class PayoutProcessingEvent(EventBase):
    """A payout is being sent."""

    type: Literal["payout.processing"]
    data: PayoutEventData


class PayoutRetryScheduledEvent(EventBase):
    """A payout could not be sent and will be tried again."""

    type: Literal["payout.retry_scheduled"]
    data: PayoutEventData


class PingEvent(EventBase):
    """Somebody asked for a test event."""

    type: Literal["ping"]
    data: PingEventData


class RefundCancelledEvent(EventBase):
    """A refund was cancelled before it was sent."""

    type: Literal["refund.cancelled"]
    data: RefundEventData


class RefundCreatedEvent(EventBase):
    """A refund was created."""

    type: Literal["refund.created"]
    data: RefundEventData


class RefundFailedEvent(EventBase):
    """A refund failed for good."""

    type: Literal["refund.failed"]
    data: RefundEventData


class RefundMissingDestinationEvent(EventBase):
    """A refund waits for somebody to say where to send it."""

    type: Literal["refund.missing_destination"]
    data: RefundEventData


class RefundPaidEvent(EventBase):
    """A refund is confirmed on its chain."""

    type: Literal["refund.paid"]
    data: RefundEventData


class RefundProcessingEvent(EventBase):
    """A refund is being sent."""

    type: Literal["refund.processing"]
    data: RefundEventData


class WebhookEndpointDisabledEvent(EventBase):
    """An endpoint was switched off because deliveries to it failed."""

    type: Literal["webhook_endpoint.disabled"]
    data: WebhookEndpointEventData


class UnknownEvent(EventBase):
    """An event of a type that this version does not know.

    At run time `type` is the type that came. A type checker reads another word, so that comparing the `type` of an
    event with a known one leaves no unknown event over.
    """

    type: Literal["unknown"]
    data: dict[str, Any]


Event: TypeAlias = (
    PaymentIntentCancelledEvent
    | PaymentIntentCreatedEvent
    | PaymentIntentExecutingEvent
    | PaymentIntentExpiredEvent
    | PaymentIntentFailedEvent
    | PaymentIntentFundsOwedEvent
    | PaymentIntentLatePaymentEvent
    | PaymentIntentOverpaidEvent
    | PaymentIntentPartiallyFilledEvent
    | PaymentIntentPaymentCountedElsewhereEvent
    | PaymentIntentQuotedEvent
    | PaymentIntentRefundedEvent
    | PaymentIntentSettledEvent
    | PaymentIntentSettlementRestoredEvent
    | PaymentIntentSettlementReversedEvent
    | PaymentIntentStrayArrivedEvent
    | PayoutCreatedEvent
    | PayoutFailedEvent
    | PayoutPaidEvent
    | PayoutPausedEvent
    | PayoutProcessingEvent
    | PayoutRetryScheduledEvent
    | PingEvent
    | RefundCancelledEvent
    | RefundCreatedEvent
    | RefundFailedEvent
    | RefundMissingDestinationEvent
    | RefundPaidEvent
    | RefundProcessingEvent
    | WebhookEndpointDisabledEvent
    | UnknownEvent
)
"""Any event. Compare `event.type`, and `event.data` has its own type."""
_EVENTS: dict[str, type[Any]] = {
    word: one for one in EventBase.__subclasses__() for word in one.__annotations__["type"].split("'")[1::2]
}


def event_of(values: Mapping[str, Any]) -> Event:
    """The event in these values; of a type that this version does not know, a plain one."""
    found: Event = _EVENTS.get(str(values.get("type")), UnknownEvent)(values)
    return found


class AccountMerchant(Model):
    id: str
    name: str


class AccountKey(Model):
    id: str
    kind: KeyKind
    scopes: list[KeyScope]


class RateLimit(Model):
    name: str
    limit: int
    per_seconds: int


class Account(Model):
    merchant: AccountMerchant
    mode: Mode
    key: AccountKey
    limits: list[RateLimit]
    server_time: datetime
    api_version: str


class LoggedRequest(Model):
    id: str
    created_at: datetime
    method: str
    path: str
    query: str
    status: int
    code: ErrorCode | None
    duration_ms: int
    key_id: str
    payment_intent_id: str | None
    address: str
    user_agent: str
    body: dict[str, Any] | None


class AccountService(Resource):
    """Who your key is: its merchant and mode, what it may do, and how often."""

    def get(self) -> Account:
        """Retrieve the account of a key.

        Answers whose key it is, in which mode it works, what it may do and how often.
        """
        return self._ask("GET", "/api/public/v1/account", Account, locals())

    def list_requests(
        self,
        *,
        ending_before: str | None = None,
        limit: int | None = None,
        path: str | None = None,
        starting_after: str | None = None,
        status: str | Sequence[str] | None = None,
    ) -> Pages[LoggedRequest]:
        """List requests, newest first.

        Lists what your keys asked and were answered in the last 30 days, redacted: a key, an address or words of
        customers never stand in it. A page of a filter may be empty and the list go on: read `has_more`.
        ``ending_before``: Newer than this one; not with the other.
        ``limit``: How many rows a page has at most.
        ``path``: The whole path that was asked for.
        ``starting_after``: Older than this one; not with the other.
        ``status``: What was answered: statuses like `404`, or whole classes like `5xx`, separated by commas.
        Refusals: invalid_parameter, malformed_request.
        """
        return self._list("/api/public/v1/request-log", LoggedRequest, locals(), cursor="starting_after")


class AsyncAccountService(AsyncResource):
    """Who your key is: its merchant and mode, what it may do, and how often."""

    async def get(self) -> Account:
        """Retrieve the account of a key.

        Answers whose key it is, in which mode it works, what it may do and how often.
        """
        return await self._ask("GET", "/api/public/v1/account", Account, locals())

    def list_requests(
        self,
        *,
        ending_before: str | None = None,
        limit: int | None = None,
        path: str | None = None,
        starting_after: str | None = None,
        status: str | Sequence[str] | None = None,
    ) -> AsyncPages[LoggedRequest]:
        """List requests, newest first.

        Lists what your keys asked and were answered in the last 30 days, redacted: a key, an address or words of
        customers never stand in it. A page of a filter may be empty and the list go on: read `has_more`.
        ``ending_before``: Newer than this one; not with the other.
        ``limit``: How many rows a page has at most.
        ``path``: The whole path that was asked for.
        ``starting_after``: Older than this one; not with the other.
        ``status``: What was answered: statuses like `404`, or whole classes like `5xx`, separated by commas.
        Refusals: invalid_parameter, malformed_request.
        """
        return self._list("/api/public/v1/request-log", LoggedRequest, locals(), cursor="starting_after")


class EventsService(EventResource):
    """What your webhook endpoints are sent."""

    def get(self, event_id: str) -> Event:
        """Retrieve an event.

        Reads one event exactly as it is sent to endpoints.
        Refusals: not_found.
        """
        return self._ask("GET", "/api/public/v1/events/{event_id}", event_of, locals())

    def list(
        self,
        *,
        after: str | None = None,
        limit: int | None = None,
        resource_id: str | None = None,
        type: str | Sequence[str] | None = None,
        wait: int | None = None,
    ) -> Pages[Event]:
        """List events, oldest first.

        Reads every event in one order that never changes. Go on from `cursor` and none is missed.
        ``after``: A `cursor` of this list. `now`: only what is still to come. Without: from the oldest kept.
        ``limit``: How many rows a page has at most.
        ``resource_id``: Only events of this resource.
        ``type``: Event types or `<resource>.*`, separated by commas.
        ``wait``: Answer when there is an event, or after so many seconds.
        Refusals: cursor_expired, invalid_parameter, malformed_request.
        """
        return self._list("/api/public/v1/events", event_of, locals(), cursor="after")


class AsyncEventsService(AsyncEventResource):
    """What your webhook endpoints are sent."""

    async def get(self, event_id: str) -> Event:
        """Retrieve an event.

        Reads one event exactly as it is sent to endpoints.
        Refusals: not_found.
        """
        return await self._ask("GET", "/api/public/v1/events/{event_id}", event_of, locals())

    def list(
        self,
        *,
        after: str | None = None,
        limit: int | None = None,
        resource_id: str | None = None,
        type: str | Sequence[str] | None = None,
        wait: int | None = None,
    ) -> AsyncPages[Event]:
        """List events, oldest first.

        Reads every event in one order that never changes. Go on from `cursor` and none is missed.
        ``after``: A `cursor` of this list. `now`: only what is still to come. Without: from the oldest kept.
        ``limit``: How many rows a page has at most.
        ``resource_id``: Only events of this resource.
        ``type``: Event types or `<resource>.*`, separated by commas.
        ``wait``: Answer when there is an event, or after so many seconds.
        Refusals: cursor_expired, invalid_parameter, malformed_request.
        """
        return self._list("/api/public/v1/events", event_of, locals(), cursor="after")


class CheckResult(Model):
    status: Availability
    age_seconds: int | None
    detail: str | None


class HealthStatus(Model):
    status: str
    ts: datetime


class Readiness(Model):
    status: Availability
    ts: datetime
    checks: dict[str, CheckResult]


class HealthService(Resource):
    """Is the service up?"""

    def get(self) -> HealthStatus:
        """Read whether the service is up.

        Answers whether the service reaches its database. Made for load balancers; needs no key.
        Refusals: internal_error, rate_limited, temporarily_unavailable.
        """
        return self._ask("GET", "/api/public/health", HealthStatus, locals())

    def get_readiness(self) -> Readiness:
        """Read whether the service can work.

        Checks everything that the service depends on: workers, queues, chains and providers.
        Refusals: internal_error, rate_limited, temporarily_unavailable.
        """
        return self._ask("GET", "/api/public/health/ready", Readiness, locals())


class AsyncHealthService(AsyncResource):
    """Is the service up?"""

    async def get(self) -> HealthStatus:
        """Read whether the service is up.

        Answers whether the service reaches its database. Made for load balancers; needs no key.
        Refusals: internal_error, rate_limited, temporarily_unavailable.
        """
        return await self._ask("GET", "/api/public/health", HealthStatus, locals())

    async def get_readiness(self) -> Readiness:
        """Read whether the service can work.

        Checks everything that the service depends on: workers, queues, chains and providers.
        Refusals: internal_error, rate_limited, temporarily_unavailable.
        """
        return await self._ask("GET", "/api/public/health/ready", Readiness, locals())


class ExplanationFacts(Model):
    id: str | None
    amount_usd: Decimal | None
    received_usd: Decimal | None
    due_usd: Decimal | None
    overpaid_usd: Decimal | None
    refunded_usd: Decimal | None
    platform_fee_usd: Decimal | None
    expires_at: datetime | None
    settled_at: datetime | None
    sent_at: datetime | None
    retry_at: datetime | None
    settlement_chain: str | None
    chain: str | None
    tx_hash: str | None
    destination_tx_hash: str | None
    explorer_url: str | None
    confirmations: int | None
    confirmations_required: int | None
    """How many blocks must confirm it before it counts."""
    typical_seconds: int | None
    attempts: int | None
    error_code: PaymentProblem | None
    failure_reason: ExplanationReason | None
    settled_reason: SettledReason | None


class PayerWords(Model):
    happened: str
    money: str
    next: str


class ExplanationLine(Model):
    code: ExplanationCode
    happened: str
    because: str | None
    money: str
    actor: WhoActs
    """Who must act."""
    next: str
    since: datetime | None
    facts: ExplanationFacts


class Explanation(ExplanationLine):
    payment_intent_id: str
    status: IntentStatus
    situation: PaymentSituation
    payer: PayerWords
    also: list[ExplanationLine]


class FlightRecordEntry(Model):
    number: int
    at: datetime
    type: str
    ref: str
    facts: dict[str, Any]
    """What is known of it. Amounts are base units or US dollars, as text."""
    hash: str


class FlightRecordSeal(Model):
    statement: dict[str, Any]
    key_id: str
    signature: str


class FlightRecord(Model):
    type: str
    payment_intent_id: str
    entries: list[FlightRecordEntry]
    head: str
    seals: list[FlightRecordSeal]
    """The signatures, the oldest first; none until seconds after the settlement."""


class TransactionHint(Model):
    tx_hash: str
    by: HintReporter
    reported_at: datetime
    verdict: HintVerdict | None
    checked_at: datetime | None


class Leg(Model):
    id: str
    payment_intent_id: str
    sequence: int
    kind: LegKind
    provider: RouteProvider
    chain: str
    to_chain: str
    token: str
    to_token: str
    amount: Decimal
    """What the payer sends, in the token."""
    to_amount: Decimal | None
    """What arrived, in the token that arrives; null until it is known."""
    amount_usd: Decimal
    fee_usd: Decimal
    gas_usd: Decimal
    status: LegStatus
    sub_status: LegSubStatus | None
    tx_hash: str | None
    destination_tx_hash: str | None
    explorer_url: str | None
    block_number: int | None
    confirmations: int
    confirmations_required: int
    """How many blocks must confirm it before it counts."""
    payer_address: str
    error: str | None
    created_at: datetime
    submitted_at: datetime | None
    confirmed_at: datetime | None
    updated_at: datetime
    strays: list[Stray]
    hints: list[TransactionHint]


class RouteCandidate(Model):
    id: str
    provider: RouteProvider
    chosen: bool
    ai_pick: bool
    score: Decimal
    from_chain: str
    to_chain: str
    from_token: str
    to_token: str
    to_amount_usd: Decimal
    fee_usd: Decimal
    gas_usd: Decimal
    duration_sec: int
    reason: str | None
    error: str | None
    """Why it cannot be taken; null if it can."""
    created_at: datetime


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
        Refusals: currency_unsupported, metadata_invalid, return_url_not_allowed, settlement_address_invalid,
        settlement_address_not_allowed, settlement_address_unproven, settlement_pair_unsupported,
        settlement_profile_missing.
        """
        return self._ask("POST", "/api/public/v1/payment-intents", PaymentIntent, locals(), amounts=("amount",))

    def get(self, intent_id: str, *, wait: int | None = None) -> PaymentIntent:
        """Retrieve a payment intent.

        Reads a payment intent as it is now.
        ``wait``: Answer when its status is another one than now, at once where that is over, or after so many seconds.
        Refusals: invalid_parameter, malformed_request, not_found.
        """
        return self._ask("GET", "/api/public/v1/payment-intents/{intent_id}", PaymentIntent, locals())

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
        Refusals: invalid_parameter, malformed_request.
        """
        return self._list(
            "/api/public/v1/payment-intents",
            PaymentIntent,
            locals(),
            amounts=("amount_gte", "amount_lte"),
            cursor="starting_after",
        )

    def accept_partial(self, intent_id: str, *, idempotency_key: str | None = None) -> PaymentIntent:
        """Accept a partial payment.

        Settles a partially paid intent for what has arrived. This cannot be taken back.
        Refusals: intent_not_acceptable, not_found.
        """
        return self._ask("POST", "/api/public/v1/payment-intents/{intent_id}/accept-partial", PaymentIntent, locals())

    def cancel(self, intent_id: str, *, idempotency_key: str | None = None) -> PaymentIntent:
        """Cancel a payment intent.

        Cancels a payment for which nothing arrived and nothing is on its way. Later money can be refunded.
        Refusals: intent_not_cancellable, not_found.
        """
        return self._ask("POST", "/api/public/v1/payment-intents/{intent_id}/cancel", PaymentIntent, locals())

    def explain(self, intent_id: str) -> Explanation:
        """Explain a payment intent.

        Says in words what happened to a payment, where its money is, and who has to do what next.
        Refusals: not_found.
        """
        return self._ask("GET", "/api/public/v1/payment-intents/{intent_id}/explain", Explanation, locals())

    def get_flight_record(self, intent_id: str) -> FlightRecord:
        """Retrieve the flight record of a payment.

        Reads everything that happened to a payment as a chain of hashes with the service's signatures over it. Anyone
        can check it without the service.
        Refusals: not_found.
        """
        return self._ask("GET", "/api/public/v1/payment-intents/{intent_id}/flight-record", FlightRecord, locals())

    def list_routes(
        self, intent_id: str, *, limit: int | None = None, starting_after: str | None = None
    ) -> Pages[RouteCandidate]:
        """List the routes of a payment.

        Lists the routes that were compared for a payment, with costs, times and which one was taken.
        ``limit``: How many rows a page has at most.
        ``starting_after``: What follows this one in the list.
        Refusals: invalid_parameter, malformed_request, not_found.
        """
        return self._list(
            "/api/public/v1/payment-intents/{intent_id}/routing", RouteCandidate, locals(), cursor="starting_after"
        )

    def list_transactions(
        self, intent_id: str, *, limit: int | None = None, starting_after: str | None = None
    ) -> Pages[Leg]:
        """List the transactions of a payment.

        Lists the transactions of a payment with their hashes, confirmations and amounts.
        ``limit``: How many rows a page has at most.
        ``starting_after``: What follows this one in the list.
        Refusals: invalid_parameter, malformed_request, not_found.
        """
        return self._list(
            "/api/public/v1/payment-intents/{intent_id}/transactions", Leg, locals(), cursor="starting_after"
        )

    def wait(
        self, intent_id: str, *, until: str | Collection[str] | None = None, timeout: float = 600
    ) -> PaymentIntent:
        """Wait until the status is the one, or one of those, in ``until``; by default until it is over.

        Units: timeout in seconds. Raises: UnexpectedStatusError where it ended otherwise, WaitTimeoutError.
        """
        return self._wait(lambda hold: self.get(intent_id, wait=hold), until, timeout, holds=True)


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
        Refusals: currency_unsupported, metadata_invalid, return_url_not_allowed, settlement_address_invalid,
        settlement_address_not_allowed, settlement_address_unproven, settlement_pair_unsupported,
        settlement_profile_missing.
        """
        return await self._ask("POST", "/api/public/v1/payment-intents", PaymentIntent, locals(), amounts=("amount",))

    async def get(self, intent_id: str, *, wait: int | None = None) -> PaymentIntent:
        """Retrieve a payment intent.

        Reads a payment intent as it is now.
        ``wait``: Answer when its status is another one than now, at once where that is over, or after so many seconds.
        Refusals: invalid_parameter, malformed_request, not_found.
        """
        return await self._ask("GET", "/api/public/v1/payment-intents/{intent_id}", PaymentIntent, locals())

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
        Refusals: invalid_parameter, malformed_request.
        """
        return self._list(
            "/api/public/v1/payment-intents",
            PaymentIntent,
            locals(),
            amounts=("amount_gte", "amount_lte"),
            cursor="starting_after",
        )

    async def accept_partial(self, intent_id: str, *, idempotency_key: str | None = None) -> PaymentIntent:
        """Accept a partial payment.

        Settles a partially paid intent for what has arrived. This cannot be taken back.
        Refusals: intent_not_acceptable, not_found.
        """
        return await self._ask(
            "POST", "/api/public/v1/payment-intents/{intent_id}/accept-partial", PaymentIntent, locals()
        )

    async def cancel(self, intent_id: str, *, idempotency_key: str | None = None) -> PaymentIntent:
        """Cancel a payment intent.

        Cancels a payment for which nothing arrived and nothing is on its way. Later money can be refunded.
        Refusals: intent_not_cancellable, not_found.
        """
        return await self._ask("POST", "/api/public/v1/payment-intents/{intent_id}/cancel", PaymentIntent, locals())

    async def explain(self, intent_id: str) -> Explanation:
        """Explain a payment intent.

        Says in words what happened to a payment, where its money is, and who has to do what next.
        Refusals: not_found.
        """
        return await self._ask("GET", "/api/public/v1/payment-intents/{intent_id}/explain", Explanation, locals())

    async def get_flight_record(self, intent_id: str) -> FlightRecord:
        """Retrieve the flight record of a payment.

        Reads everything that happened to a payment as a chain of hashes with the service's signatures over it. Anyone
        can check it without the service.
        Refusals: not_found.
        """
        return await self._ask(
            "GET", "/api/public/v1/payment-intents/{intent_id}/flight-record", FlightRecord, locals()
        )

    def list_routes(
        self, intent_id: str, *, limit: int | None = None, starting_after: str | None = None
    ) -> AsyncPages[RouteCandidate]:
        """List the routes of a payment.

        Lists the routes that were compared for a payment, with costs, times and which one was taken.
        ``limit``: How many rows a page has at most.
        ``starting_after``: What follows this one in the list.
        Refusals: invalid_parameter, malformed_request, not_found.
        """
        return self._list(
            "/api/public/v1/payment-intents/{intent_id}/routing", RouteCandidate, locals(), cursor="starting_after"
        )

    def list_transactions(
        self, intent_id: str, *, limit: int | None = None, starting_after: str | None = None
    ) -> AsyncPages[Leg]:
        """List the transactions of a payment.

        Lists the transactions of a payment with their hashes, confirmations and amounts.
        ``limit``: How many rows a page has at most.
        ``starting_after``: What follows this one in the list.
        Refusals: invalid_parameter, malformed_request, not_found.
        """
        return self._list(
            "/api/public/v1/payment-intents/{intent_id}/transactions", Leg, locals(), cursor="starting_after"
        )

    async def wait(
        self, intent_id: str, *, until: str | Collection[str] | None = None, timeout: float = 600
    ) -> PaymentIntent:
        """Wait until the status is the one, or one of those, in ``until``; by default until it is over.

        Units: timeout in seconds. Raises: UnexpectedStatusError where it ended otherwise, WaitTimeoutError.
        """
        return await self._wait(lambda hold: self.get(intent_id, wait=hold), until, timeout, holds=True)


class Payout(Model):
    id: str
    payment_intent_id: str | None
    rail: PayoutRail
    destination: str
    chain: str
    token: str
    amount: Decimal
    currency: str
    status: PayoutStatus
    tx_hash: str | None
    failure_reason: PayoutFailureReason | None
    attempts: int
    next_attempt_at: datetime | None
    paid_at: datetime | None
    created_at: datetime


class PayoutsService(Resource):
    """What was paid out to you of settled intents."""

    def get(self, payout_id: str) -> Payout:
        """Retrieve a payout.

        Reads a payout as it is now.
        Refusals: not_found.
        """
        return self._ask("GET", "/api/public/v1/payouts/{payout_id}", Payout, locals())

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
    ) -> Pages[Payout]:
        """List payouts.

        Lists payouts, newest first, filtered by what the parameters say.
        ``created_gte``: Created at or after this RFC 3339 time.
        ``created_lt``: Created before this RFC 3339 time.
        ``ending_before``: Newer than this one; not with the other.
        ``limit``: How many rows a page has at most.
        ``payment_intent_id``: Of this intent only.
        ``starting_after``: Older than this one; not with the other.
        ``status``: One status, or several separated by commas.
        Refusals: invalid_parameter, malformed_request.
        """
        return self._list("/api/public/v1/payouts", Payout, locals(), cursor="starting_after")

    def replay(self, payout_id: str, *, idempotency_key: str | None = None) -> Payout:
        """Send a failed payout again.

        Puts a failed payout back in the queue. What may have reached a chain already is followed first.
        Refusals: intent_not_settled, not_found, payout_not_replayable.
        """
        return self._ask("POST", "/api/public/v1/payouts/{payout_id}/replay", Payout, locals())

    def wait(self, payout_id: str, *, until: str | Collection[str] | None = None, timeout: float = 600) -> Payout:
        """Wait until the status is the one, or one of those, in ``until``; by default until it is over.

        Units: timeout in seconds. Raises: UnexpectedStatusError where it ended otherwise, WaitTimeoutError.
        """
        return self._wait(lambda hold: self.get(payout_id), until, timeout, holds=False)


class AsyncPayoutsService(AsyncResource):
    """What was paid out to you of settled intents."""

    async def get(self, payout_id: str) -> Payout:
        """Retrieve a payout.

        Reads a payout as it is now.
        Refusals: not_found.
        """
        return await self._ask("GET", "/api/public/v1/payouts/{payout_id}", Payout, locals())

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
        Refusals: invalid_parameter, malformed_request.
        """
        return self._list("/api/public/v1/payouts", Payout, locals(), cursor="starting_after")

    async def replay(self, payout_id: str, *, idempotency_key: str | None = None) -> Payout:
        """Send a failed payout again.

        Puts a failed payout back in the queue. What may have reached a chain already is followed first.
        Refusals: intent_not_settled, not_found, payout_not_replayable.
        """
        return await self._ask("POST", "/api/public/v1/payouts/{payout_id}/replay", Payout, locals())

    async def wait(self, payout_id: str, *, until: str | Collection[str] | None = None, timeout: float = 600) -> Payout:
        """Wait until the status is the one, or one of those, in ``until``; by default until it is over.

        Units: timeout in seconds. Raises: UnexpectedStatusError where it ended otherwise, WaitTimeoutError.
        """
        return await self._wait(lambda hold: self.get(payout_id), until, timeout, holds=False)


class PayerShare(Model):
    wallet: str
    family: WalletFamily | None
    paid_usd: Decimal
    paid_units: str
    returned_usd: Decimal
    returned_units: str
    unreturned_usd: Decimal
    unreturned_units: str


class IntentPayers(Model):
    data: list[PayerShare]
    has_more: bool
    next_cursor: str | None
    """Always null: who is not named cannot be asked for."""
    unproven_usd: Decimal
    refundable_usd: Decimal


class Refund(Model):
    id: str
    payment_intent_id: str
    amount_usd: Decimal
    """0 where a stray is given back: it never counted as dollars."""
    chain: str
    token: str
    destination: str
    reason: str
    status: RefundStatus
    tx_hash: str | None
    created_at: datetime
    paid_at: datetime | None
    failure_reason: RefundFailureReason | None
    attempts: int
    updated_at: datetime
    stray_id: str | None
    token_amount: Decimal
    """What is sent, in the token, as a decimal."""
    suggested_destination: str | None
    payers: list[PayerShare] | None


class RefundsToPayers(Model):
    data: list[Refund]


class RefundsService(Resource):
    """What goes back to payers."""

    def create(
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
        Refusals: intent_not_settled, not_found, refund_exceeds_balance, stray_given_back, stray_not_final,
        stray_not_sendable, stray_payer_unknown.
        """
        return self._ask("POST", "/api/public/v1/refunds", Refund, locals(), amounts=("amount_usd",))

    def get(self, refund_id: str) -> Refund:
        """Retrieve a refund.

        Reads a refund as it is now.
        Refusals: not_found.
        """
        return self._ask("GET", "/api/public/v1/refunds/{refund_id}", Refund, locals())

    def list(
        self,
        *,
        ending_before: str | None = None,
        limit: int | None = None,
        payment_intent_id: str | None = None,
        starting_after: str | None = None,
        status: str | Sequence[str] | None = None,
    ) -> Pages[Refund]:
        """List refunds.

        Lists refunds, newest first, filtered by what the parameters say.
        ``ending_before``: Newer than this one; not with the other.
        ``limit``: How many rows a page has at most.
        ``payment_intent_id``: Refunds of this intent.
        ``starting_after``: Older than this one; not with the other.
        ``status``: One status, or several separated by commas.
        Refusals: invalid_parameter, malformed_request.
        """
        return self._list("/api/public/v1/refunds", Refund, locals(), cursor="starting_after")

    def cancel(self, refund_id: str, *, idempotency_key: str | None = None) -> Refund:
        """Cancel a refund.

        Cancels a refund of which nothing was signed yet.
        Refusals: not_found, refund_not_cancellable.
        """
        return self._ask("POST", "/api/public/v1/refunds/{refund_id}/cancel", Refund, locals())

    def list_payment_intent_payers(self, intent_id: str) -> IntentPayers:
        """List who paid.

        Lists the wallets that provably paid an intent, with what each paid and what of it was refunded.
        Refusals: not_found.
        """
        return self._ask("GET", "/api/public/v1/payment-intents/{intent_id}/payers", IntentPayers, locals())

    def set_destination(self, refund_id: str, *, destination: str, idempotency_key: str | None = None) -> Refund:
        """Set where a refund goes.

        Names the address of a refund that waits for one. The refund is sent next.
        ``destination``: The payer's address on the refund's chain.
        Refusals: not_found, refund_destination_not_needed.
        """
        return self._ask("POST", "/api/public/v1/refunds/{refund_id}/destination", Refund, locals())

    def to_payers(
        self, *, intent_id: str, reason: str | None = None, idempotency_key: str | None = None
    ) -> RefundsToPayers:
        """Refund each payer.

        Sends every wallet that provably paid what it did not get back yet: a refund for each, or none at all.
        ``intent_id``: The payment intent, with or without the prefix `pi_`.
        ``reason``: Shown to each payer, with its refund.
        Refusals: intent_not_settled, not_found, refund_no_payer, refund_shares_exceed_balance.
        """
        return self._ask("POST", "/api/public/v1/refunds/to-payers", RefundsToPayers, locals())

    def wait(self, refund_id: str, *, until: str | Collection[str] | None = None, timeout: float = 600) -> Refund:
        """Wait until the status is the one, or one of those, in ``until``; by default until it is over.

        Units: timeout in seconds. Raises: UnexpectedStatusError where it ended otherwise, WaitTimeoutError.
        """
        return self._wait(lambda hold: self.get(refund_id), until, timeout, holds=False)


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
        Refusals: intent_not_settled, not_found, refund_exceeds_balance, stray_given_back, stray_not_final,
        stray_not_sendable, stray_payer_unknown.
        """
        return await self._ask("POST", "/api/public/v1/refunds", Refund, locals(), amounts=("amount_usd",))

    async def get(self, refund_id: str) -> Refund:
        """Retrieve a refund.

        Reads a refund as it is now.
        Refusals: not_found.
        """
        return await self._ask("GET", "/api/public/v1/refunds/{refund_id}", Refund, locals())

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
        Refusals: invalid_parameter, malformed_request.
        """
        return self._list("/api/public/v1/refunds", Refund, locals(), cursor="starting_after")

    async def cancel(self, refund_id: str, *, idempotency_key: str | None = None) -> Refund:
        """Cancel a refund.

        Cancels a refund of which nothing was signed yet.
        Refusals: not_found, refund_not_cancellable.
        """
        return await self._ask("POST", "/api/public/v1/refunds/{refund_id}/cancel", Refund, locals())

    async def list_payment_intent_payers(self, intent_id: str) -> IntentPayers:
        """List who paid.

        Lists the wallets that provably paid an intent, with what each paid and what of it was refunded.
        Refusals: not_found.
        """
        return await self._ask("GET", "/api/public/v1/payment-intents/{intent_id}/payers", IntentPayers, locals())

    async def set_destination(self, refund_id: str, *, destination: str, idempotency_key: str | None = None) -> Refund:
        """Set where a refund goes.

        Names the address of a refund that waits for one. The refund is sent next.
        ``destination``: The payer's address on the refund's chain.
        Refusals: not_found, refund_destination_not_needed.
        """
        return await self._ask("POST", "/api/public/v1/refunds/{refund_id}/destination", Refund, locals())

    async def to_payers(
        self, *, intent_id: str, reason: str | None = None, idempotency_key: str | None = None
    ) -> RefundsToPayers:
        """Refund each payer.

        Sends every wallet that provably paid what it did not get back yet: a refund for each, or none at all.
        ``intent_id``: The payment intent, with or without the prefix `pi_`.
        ``reason``: Shown to each payer, with its refund.
        Refusals: intent_not_settled, not_found, refund_no_payer, refund_shares_exceed_balance.
        """
        return await self._ask("POST", "/api/public/v1/refunds/to-payers", RefundsToPayers, locals())

    async def wait(self, refund_id: str, *, until: str | Collection[str] | None = None, timeout: float = 600) -> Refund:
        """Wait until the status is the one, or one of those, in ``until``; by default until it is over.

        Units: timeout in seconds. Raises: UnexpectedStatusError where it ended otherwise, WaitTimeoutError.
        """
        return await self._wait(lambda hold: self.get(refund_id), until, timeout, holds=False)


class AdvancedTestClock(Model):
    advanced_seconds: int


class Scenario(Model):
    name: ScenarioName
    about: str
    applies_to: ScenarioSubject
    ends_in: ScenarioEnd


class TriggeredTestEvent(Model):
    id: str
    type: str


class TestHelpersService(Resource):
    """Test keys only: pay without a browser, move the test clock, send sample events."""

    def advance_clock(self, *, seconds: int, idempotency_key: str | None = None) -> AdvancedTestClock:
        """Advance the test clock.

        Test mode only: makes everything due that would be due within so many seconds.
        ``seconds``: By how many seconds the test clock is moved forward.
        Refusals: not_found.
        """
        return self._ask("POST", "/api/public/v1/test-helpers/clock/advance", AdvancedTestClock, locals())

    def list_scenarios(self) -> Pages[Scenario]:
        """List the scenarios of test mode.

        Test mode only: lists the outcomes that can be asked for.
        Refusals: invalid_parameter, not_found.
        """
        return self._list("/api/public/v1/test-helpers/scenarios", Scenario, locals())

    def pay_payment_intent(
        self, intent_id: str, *, scenario: ScenarioName | None = None, idempotency_key: str | None = None
    ) -> PaymentIntent:
        """Pay a test payment.

        Test mode only: pays as a payer would, with the outcome that the scenario names.
        ``scenario``: What should happen; see the list.
        Refusals: in_doubt, intent_not_payable, not_found, too_many_attempts.
        """
        return self._ask("POST", "/api/public/v1/test-helpers/payment-intents/{intent_id}/pay", PaymentIntent, locals())

    def trigger_event(
        self, *, type: EventType, data: Mapping[str, Any] | None = None, idempotency_key: str | None = None
    ) -> TriggeredTestEvent:
        """Send a sample event.

        Test mode only: sends a sample event of one type to your endpoints.
        ``type``: An event type by its exact name.
        ``data``: Keys that replace those of the sample.
        Refusals: not_found, unknown_event_type.
        """
        return self._ask("POST", "/api/public/v1/test-helpers/events/trigger", TriggeredTestEvent, locals())


class AsyncTestHelpersService(AsyncResource):
    """Test keys only: pay without a browser, move the test clock, send sample events."""

    async def advance_clock(self, *, seconds: int, idempotency_key: str | None = None) -> AdvancedTestClock:
        """Advance the test clock.

        Test mode only: makes everything due that would be due within so many seconds.
        ``seconds``: By how many seconds the test clock is moved forward.
        Refusals: not_found.
        """
        return await self._ask("POST", "/api/public/v1/test-helpers/clock/advance", AdvancedTestClock, locals())

    def list_scenarios(self) -> AsyncPages[Scenario]:
        """List the scenarios of test mode.

        Test mode only: lists the outcomes that can be asked for.
        Refusals: invalid_parameter, not_found.
        """
        return self._list("/api/public/v1/test-helpers/scenarios", Scenario, locals())

    async def pay_payment_intent(
        self, intent_id: str, *, scenario: ScenarioName | None = None, idempotency_key: str | None = None
    ) -> PaymentIntent:
        """Pay a test payment.

        Test mode only: pays as a payer would, with the outcome that the scenario names.
        ``scenario``: What should happen; see the list.
        Refusals: in_doubt, intent_not_payable, not_found, too_many_attempts.
        """
        return await self._ask(
            "POST", "/api/public/v1/test-helpers/payment-intents/{intent_id}/pay", PaymentIntent, locals()
        )

    async def trigger_event(
        self, *, type: EventType, data: Mapping[str, Any] | None = None, idempotency_key: str | None = None
    ) -> TriggeredTestEvent:
        """Send a sample event.

        Test mode only: sends a sample event of one type to your endpoints.
        ``type``: An event type by its exact name.
        ``data``: Keys that replace those of the sample.
        Refusals: not_found, unknown_event_type.
        """
        return await self._ask("POST", "/api/public/v1/test-helpers/events/trigger", TriggeredTestEvent, locals())


class ListedToken(Model):
    chain: str
    address: str
    symbol: str
    name: str
    decimals: int
    verified: bool


class TokensService(Resource):
    """Tokens that payers can use."""

    def list(self, *, chain: ListTokensChain | None = None) -> Pages[ListedToken]:
        """List tokens.

        Every token the service knows, ordered by chain, symbol and address. Complete, not paged.
        ``chain``: Only this chain: a name or an alias (`bsc`, `eth`, `matic`), in any letter case.
        Refusals: internal_error, invalid_parameter, malformed_request, rate_limited, temporarily_unavailable.
        """
        return self._list("/api/public/v1/tokens", ListedToken, locals())


class AsyncTokensService(AsyncResource):
    """Tokens that payers can use."""

    def list(self, *, chain: ListTokensChain | None = None) -> AsyncPages[ListedToken]:
        """List tokens.

        Every token the service knows, ordered by chain, symbol and address. Complete, not paged.
        ``chain``: Only this chain: a name or an alias (`bsc`, `eth`, `matic`), in any letter case.
        Refusals: internal_error, invalid_parameter, malformed_request, rate_limited, temporarily_unavailable.
        """
        return self._list("/api/public/v1/tokens", ListedToken, locals())


class DeletedWebhookEndpoint(Model):
    id: str
    deleted: bool


class DeliveryAttempt(Model):
    number: int
    at: datetime
    latency_ms: int
    response_status: int | None
    response_headers: dict[str, str]
    response_body: str
    error: DeliveryError | None


class PulledDelivery(Model):
    delivery_id: str
    event_id: str
    attempt: int
    headers: dict[str, str]
    body: str


class PulledDeliveryList(Model):
    data: list[PulledDelivery]
    has_more: bool


class WrongAnswer(Model):
    headers: dict[str, str]
    body: str
    status: int | None
    error: ReceiverTestError | None
    answer_headers: dict[str, str]
    answer_body: str
    latency_ms: int


class ReceiverCheck(Model):
    name: ReceiverCheckName
    about: str
    expected: ExpectedAnswer
    passed: bool
    wrong: list[WrongAnswer]


class ReceiverCertificate(Model):
    endpoint_id: str
    is_running: bool
    requested_at: datetime
    finished_at: datetime | None
    url: str | None
    score: int
    out_of: int
    checks: list[ReceiverCheck]


class Recovery(Model):
    id: str
    scheduled: int
    has_more: bool


class WebhookDelivery(Model):
    id: str
    event_id: str
    event_type: EventType
    status: DeliveryStatus
    attempt_count: int
    next_attempt_at: datetime | None
    created_at: datetime
    finished_at: datetime | None
    attempts: list[DeliveryAttempt]


class WebhookEndpoint(Model):
    id: str
    kind: EndpointKind
    url: str | None
    events: list[EventSubscription]
    enabled: bool
    created_at: datetime
    disabled_reason: EndpointDisabledReason | None


class WebhookEndpointWithSecret(WebhookEndpoint):
    secret: str
    """The signing secret, `whsec_…`; shown here and never again."""


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
        Refusals: endpoint_url_taken, unknown_event_type, webhook_endpoint_limit, webhook_url_not_allowed.
        """
        return self._ask("POST", "/api/public/v1/webhook-endpoints", WebhookEndpointWithSecret, locals())

    def get(self, endpoint_id: str) -> WebhookEndpoint:
        """Retrieve a webhook endpoint.

        Reads a webhook endpoint. Its secret is never shown again.
        Refusals: not_found.
        """
        return self._ask("GET", "/api/public/v1/webhook-endpoints/{endpoint_id}", WebhookEndpoint, locals())

    def list(self) -> Pages[WebhookEndpoint]:
        """List webhook endpoints.

        Lists all endpoints of this mode, newest first.
        Refusals: invalid_parameter.
        """
        return self._list("/api/public/v1/webhook-endpoints", WebhookEndpoint, locals())

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
        Refusals: endpoint_url_taken, invalid_json, invalid_request, malformed_request, merchant_suspended, not_found,
        payload_too_large, request_timeout, unknown_event_type, unsupported_media_type, webhook_url_not_allowed.
        """
        return self._ask("PATCH", "/api/public/v1/webhook-endpoints/{endpoint_id}", WebhookEndpoint, locals())

    def delete(self, endpoint_id: str) -> DeletedWebhookEndpoint:
        """Delete a webhook endpoint.

        Deletes an endpoint and its secrets. Nothing more is sent to it.
        Refusals: merchant_suspended, not_found.
        """
        return self._ask("DELETE", "/api/public/v1/webhook-endpoints/{endpoint_id}", DeletedWebhookEndpoint, locals())

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
        Refusals: not_found, webhook_endpoint_disabled, webhook_endpoint_not_pulled.
        """
        return self._ask("POST", "/api/public/v1/webhook-endpoints/{endpoint_id}/answer", WebhookDelivery, locals())

    def certify(self, endpoint_id: str, *, idempotency_key: str | None = None) -> ReceiverCertificate:
        """Test a receiver.

        Has a worker send hostile requests to an endpoint's URL. None of them can be taken for news.
        Refusals: certificate_too_soon, not_found, webhook_endpoint_disabled, webhook_endpoint_pulled.
        """
        return self._ask(
            "POST", "/api/public/v1/webhook-endpoints/{endpoint_id}/certify", ReceiverCertificate, locals()
        )

    def get_certificate(self, endpoint_id: str) -> ReceiverCertificate:
        """Retrieve a receiver's certificate.

        Reads what the last test found of an endpoint's receiver, with the exact requests answered wrong.
        Refusals: not_found.
        """
        return self._ask(
            "GET", "/api/public/v1/webhook-endpoints/{endpoint_id}/certificate", ReceiverCertificate, locals()
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
        Refusals: invalid_parameter, malformed_request, not_found.
        """
        return self._list(
            "/api/public/v1/webhook-endpoints/{endpoint_id}/deliveries",
            WebhookDelivery,
            locals(),
            cursor="starting_after",
        )

    def pull_deliveries(
        self, endpoint_id: str, *, limit: int | None = None, wait: int | None = None
    ) -> PulledDeliveryList:
        """Fetch deliveries of an endpoint without URL.

        Gives out signed deliveries to who has no public address. Each is kept for you for 30 seconds.
        ``limit``: How many rows a page has at most.
        ``wait``: Answer when something is due, or after so many seconds.
        Refusals: invalid_parameter, malformed_request, not_found, webhook_endpoint_disabled,
        webhook_endpoint_not_pulled.
        """
        return self._ask("GET", "/api/public/v1/webhook-endpoints/{endpoint_id}/pull", PulledDeliveryList, locals())

    def recover(self, endpoint_id: str, *, since: datetime | str, idempotency_key: str | None = None) -> Recovery:
        """Send undelivered events again.

        Sends every event again that was not delivered to an endpoint since a time.
        ``since``: ISO 8601 with an offset; events are kept for 30 days.
        Refusals: not_found, webhook_endpoint_disabled.
        """
        return self._ask("POST", "/api/public/v1/webhook-endpoints/{endpoint_id}/recover", Recovery, locals())

    def resend_delivery(
        self, endpoint_id: str, delivery_id: str, *, idempotency_key: str | None = None
    ) -> WebhookDelivery:
        """Send a delivery again.

        Sends one event to one endpoint again, whether it was delivered or not.
        Refusals: not_found, webhook_endpoint_disabled.
        """
        return self._ask(
            "POST",
            "/api/public/v1/webhook-endpoints/{endpoint_id}/deliveries/{delivery_id}/resend",
            WebhookDelivery,
            locals(),
        )

    def rotate_secret(self, endpoint_id: str, *, idempotency_key: str | None = None) -> WebhookEndpointWithSecret:
        """Rotate the signing secret.

        Gives an endpoint a new secret. The old one signs as well for 24 hours.
        Refusals: not_found.
        """
        return self._ask(
            "POST", "/api/public/v1/webhook-endpoints/{endpoint_id}/rotate-secret", WebhookEndpointWithSecret, locals()
        )


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
        """Create a webhook endpoint.

        Creates an endpoint that events are sent to, signed with its own secret.
        ``kind``: `pull` has no URL: you fetch its events.
        ``url``: Where events are posted: https, a public host. Required unless `kind` is `pull`.
        ``events``: Event types, `<resource>.*` or `*`.
        ``enabled``: False: it is created, and receives nothing yet.
        Refusals: endpoint_url_taken, unknown_event_type, webhook_endpoint_limit, webhook_url_not_allowed.
        """
        return await self._ask("POST", "/api/public/v1/webhook-endpoints", WebhookEndpointWithSecret, locals())

    async def get(self, endpoint_id: str) -> WebhookEndpoint:
        """Retrieve a webhook endpoint.

        Reads a webhook endpoint. Its secret is never shown again.
        Refusals: not_found.
        """
        return await self._ask("GET", "/api/public/v1/webhook-endpoints/{endpoint_id}", WebhookEndpoint, locals())

    def list(self) -> AsyncPages[WebhookEndpoint]:
        """List webhook endpoints.

        Lists all endpoints of this mode, newest first.
        Refusals: invalid_parameter.
        """
        return self._list("/api/public/v1/webhook-endpoints", WebhookEndpoint, locals())

    async def update(
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
        Refusals: endpoint_url_taken, invalid_json, invalid_request, malformed_request, merchant_suspended, not_found,
        payload_too_large, request_timeout, unknown_event_type, unsupported_media_type, webhook_url_not_allowed.
        """
        return await self._ask("PATCH", "/api/public/v1/webhook-endpoints/{endpoint_id}", WebhookEndpoint, locals())

    async def delete(self, endpoint_id: str) -> DeletedWebhookEndpoint:
        """Delete a webhook endpoint.

        Deletes an endpoint and its secrets. Nothing more is sent to it.
        Refusals: merchant_suspended, not_found.
        """
        return await self._ask(
            "DELETE", "/api/public/v1/webhook-endpoints/{endpoint_id}", DeletedWebhookEndpoint, locals()
        )

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
        """Answer a delivery that was fetched.

        Records what your receiver answered to a fetched delivery. It counts like an answer to a POST.
        ``delivery_id``: As it was given out.
        ``attempt``: As it was given out.
        ``status``: What your receiver answered; any 2xx is a success.
        ``error``: Why nothing answered, in the place of `status`.
        ``body``: Its beginning is kept.
        ``latency_ms``: How long the answer took, in milliseconds.
        Refusals: not_found, webhook_endpoint_disabled, webhook_endpoint_not_pulled.
        """
        return await self._ask(
            "POST", "/api/public/v1/webhook-endpoints/{endpoint_id}/answer", WebhookDelivery, locals()
        )

    async def certify(self, endpoint_id: str, *, idempotency_key: str | None = None) -> ReceiverCertificate:
        """Test a receiver.

        Has a worker send hostile requests to an endpoint's URL. None of them can be taken for news.
        Refusals: certificate_too_soon, not_found, webhook_endpoint_disabled, webhook_endpoint_pulled.
        """
        return await self._ask(
            "POST", "/api/public/v1/webhook-endpoints/{endpoint_id}/certify", ReceiverCertificate, locals()
        )

    async def get_certificate(self, endpoint_id: str) -> ReceiverCertificate:
        """Retrieve a receiver's certificate.

        Reads what the last test found of an endpoint's receiver, with the exact requests answered wrong.
        Refusals: not_found.
        """
        return await self._ask(
            "GET", "/api/public/v1/webhook-endpoints/{endpoint_id}/certificate", ReceiverCertificate, locals()
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
        """List deliveries with their attempts.

        Lists what was sent to an endpoint, newest first, each with every attempt and its answer.
        ``ending_before``: Newer than this one; not with the other.
        ``limit``: How many rows a page has at most.
        ``starting_after``: Older than this one; not with the other.
        ``status``: One status, or several separated by commas.
        Refusals: invalid_parameter, malformed_request, not_found.
        """
        return self._list(
            "/api/public/v1/webhook-endpoints/{endpoint_id}/deliveries",
            WebhookDelivery,
            locals(),
            cursor="starting_after",
        )

    async def pull_deliveries(
        self, endpoint_id: str, *, limit: int | None = None, wait: int | None = None
    ) -> PulledDeliveryList:
        """Fetch deliveries of an endpoint without URL.

        Gives out signed deliveries to who has no public address. Each is kept for you for 30 seconds.
        ``limit``: How many rows a page has at most.
        ``wait``: Answer when something is due, or after so many seconds.
        Refusals: invalid_parameter, malformed_request, not_found, webhook_endpoint_disabled,
        webhook_endpoint_not_pulled.
        """
        return await self._ask(
            "GET", "/api/public/v1/webhook-endpoints/{endpoint_id}/pull", PulledDeliveryList, locals()
        )

    async def recover(self, endpoint_id: str, *, since: datetime | str, idempotency_key: str | None = None) -> Recovery:
        """Send undelivered events again.

        Sends every event again that was not delivered to an endpoint since a time.
        ``since``: ISO 8601 with an offset; events are kept for 30 days.
        Refusals: not_found, webhook_endpoint_disabled.
        """
        return await self._ask("POST", "/api/public/v1/webhook-endpoints/{endpoint_id}/recover", Recovery, locals())

    async def resend_delivery(
        self, endpoint_id: str, delivery_id: str, *, idempotency_key: str | None = None
    ) -> WebhookDelivery:
        """Send a delivery again.

        Sends one event to one endpoint again, whether it was delivered or not.
        Refusals: not_found, webhook_endpoint_disabled.
        """
        return await self._ask(
            "POST",
            "/api/public/v1/webhook-endpoints/{endpoint_id}/deliveries/{delivery_id}/resend",
            WebhookDelivery,
            locals(),
        )

    async def rotate_secret(self, endpoint_id: str, *, idempotency_key: str | None = None) -> WebhookEndpointWithSecret:
        """Rotate the signing secret.

        Gives an endpoint a new secret. The old one signs as well for 24 hours.
        Refusals: not_found.
        """
        return await self._ask(
            "POST", "/api/public/v1/webhook-endpoints/{endpoint_id}/rotate-secret", WebhookEndpointWithSecret, locals()
        )


class Services(Sends):
    """Services whose methods block."""

    account: AccountService
    events: EventsService
    health: HealthService
    payment_intents: PaymentIntentsService
    payouts: PayoutsService
    refunds: RefundsService
    test_helpers: TestHelpersService
    tokens: TokensService
    webhook_endpoints: WebhookEndpointsService


class AsyncServices(AsyncSends):
    """Services whose methods are awaited."""

    account: AsyncAccountService
    events: AsyncEventsService
    health: AsyncHealthService
    payment_intents: AsyncPaymentIntentsService
    payouts: AsyncPayoutsService
    refunds: AsyncRefundsService
    test_helpers: AsyncTestHelpersService
    tokens: AsyncTokensService
    webhook_endpoints: AsyncWebhookEndpointsService
