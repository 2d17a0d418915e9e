# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""The words of the interface. Each may grow: any other text is taken, too."""

# fmt: off
from typing import Literal, TypeAlias

Availability: TypeAlias = Literal[
    "ok", "unavailable"
] | str
"""Whether a part of the service answers."""

DeliveryError: TypeAlias = Literal[
    "tls_error", "dns_error", "connection_failed", "address_not_allowed", "url_not_allowed", "connect_timeout",
    "timeout", "disconnected", "invalid_response", "internal_error"
] | str
"""Why no answer came from a receiver."""

DeliveryStatus: TypeAlias = Literal[
    "due", "delivered", "exhausted", "cancelled"
] | str
"""Where a delivery stands: due, delivered, given up after the last attempt, or cancelled."""

EndpointDisabledReason: TypeAlias = Literal[
    "by_merchant", "gone", "failing"
] | str
"""Why an endpoint is off: the merchant switched it off, the receiver answered 410 Gone, or nothing but failures came
back for five days.
"""

EndpointKind: TypeAlias = Literal[
    "push", "pull"
] | str
"""Whether events are posted to an endpoint's URL, or fetched and answered by the merchant."""

EventResourceType: TypeAlias = Literal[
    "payment_intent", "refund", "payout", "webhook_endpoint", "ping"
] | str
"""The kind of resource that an event is about."""

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
"""An event type, all events of one resource, or all events."""

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
"""What happened."""

HintReporter: TypeAlias = Literal[
    "browser", "wallet", "link", "simulated_payer"
] | str
"""Who reported a transaction hash."""

HintVerdict: TypeAlias = Literal[
    "found", "foreign", "reverted", "lost", "replaced", "unreadable"
] | str
"""What the chain said about a reported transaction hash."""

IntentStatus: TypeAlias = Literal[
    "created", "requires_payment", "quoted", "awaiting_signature", "executing", "partially_filled", "settled", "failed",
    "expired", "cancelled", "refunded"
] | str
"""Where a payment intent stands. See docs/states for every change of status."""

KeyKind: TypeAlias = Literal[
    "secret", "restricted"
] | str
"""Whether a key may do everything, or only what it was given on the dashboard."""

KeyScope: TypeAlias = Literal[
    "payment_intents:read", "payment_intents:write", "refunds:write", "payouts:write"
] | str
"""One permission of a restricted key."""

LegKind: TypeAlias = Literal[
    "swap", "bridge", "transfer", "settlement", "payout", "refund"
] | str
"""What a transaction does with the money."""

LegStatus: TypeAlias = Literal[
    "planned", "awaiting_signature", "submitted", "confirming", "confirmed", "failed", "refunded", "in_doubt"
] | str
"""Where a transaction stands on its chain."""

LegSubStatus: TypeAlias = Literal[
    "partial"
] | str
"""More about a confirmed transaction: `partial` where less arrived than was guaranteed."""

ListTokensChain: TypeAlias = Literal[
    "ethereum", "eth", "ethereum-mainnet", "base", "base-mainnet", "arbitrum", "arb", "arbitrum-one", "optimism", "op",
    "op-mainnet", "polygon", "matic", "polygon-pos", "bnb", "binance", "bnb-chain", "bnb-smart-chain", "bsc", "solana",
    "sol", "solana-mainnet"
] | str

Mode: TypeAlias = Literal[
    "test", "live"
] | str
"""Test moves no real money; live does."""

PaymentProblem: TypeAlias = Literal[
    "route_unavailable", "price_unavailable", "execution_failed", "bridge_refunded", "bridge_unfilled",
    "signature_missing", "counted_elsewhere"
] | str
"""Why a payment, or one attempt to pay, failed."""

PaymentSituation: TypeAlias = Literal[
    "created", "requires_payment", "quoting", "quoted", "preparing", "awaiting_signature", "signature_reported",
    "quote_lapsed", "signature_declined", "signature_timed_out", "time_over", "route_unavailable", "price_unavailable",
    "execution_failed", "bridge_refunded", "bridge_unfilled", "counted_elsewhere", "stray_arrived", "executing",
    "executing_slow", "confirming", "rest_unsigned", "in_doubt", "reorg_rechecked", "settlement_reversed",
    "partially_filled", "partially_filled_time_over", "settled", "settled_overpaid", "settled_twice", "settled_short",
    "settled_late", "settled_vanished", "late_arriving", "late_payment", "failed", "failed_funded", "expired",
    "expired_funded", "cancelled", "cancelled_funded", "refunded", "refunded_funded"
] | str
"""What is going on with a payment, in more detail than its status."""

PayoutFailureReason: TypeAlias = Literal[
    "merchant_paused", "merchant_suspended", "destination_changed", "settlement_reversed", "intent_not_settled",
    "balance_changed", "signer_missing", "cancelled", "agent_revoked", "agents_paused", "agent_over_limit",
    "chain_unavailable", "insufficient_funds", "insufficient_gas", "signer_unavailable", "signer_busy", "signer_paused",
    "signing_paused", "fee_above_cap", "day_cap_reached", "price_missing", "awaiting_wallet", "maybe_paid_before",
    "invalid_destination", "destination_blocked", "chain_rejected", "cap_exceeded", "withdrawn"
] | str
"""Why a payout is not paid, or not paid yet."""

PayoutRail: TypeAlias = Literal[
    "direct", "evm", "solana", "merchant_wallet", "simulated"
] | str
"""How a payout is sent."""

PayoutStatus: TypeAlias = Literal[
    "queued", "pending", "processing", "pending_provider", "retry_scheduled", "paid", "failed", "paused"
] | str
"""Where a payout stands."""

RefundFailureReason: TypeAlias = Literal[
    "missing_destination", "stray_changed", "payer_not_proven", "destination_unconfirmed", "merchant_suspended",
    "agent_revoked", "agents_paused", "agent_over_limit", "chain_unavailable", "insufficient_funds", "insufficient_gas",
    "signer_unavailable", "signer_busy", "signer_paused", "signing_paused", "fee_above_cap", "day_cap_reached",
    "price_missing", "awaiting_wallet", "maybe_paid_before", "invalid_destination", "destination_blocked",
    "chain_rejected", "cap_exceeded", "withdrawn"
] | str
"""Why a refund is not paid, or not paid yet."""

RefundStatus: TypeAlias = Literal[
    "pending", "paid", "failed", "cancelled"
] | str
"""Where a refund stands."""

ScenarioName: TypeAlias = Literal[
    "settle", "partial", "overpay", "late", "fail_execution", "fail", "bridge_refund", "in_doubt", "reorg", "stuck",
    "replaced", "quote_expired", "fail_route", "decline", "locked", "request_pending", "wrong_network",
    "unknown_network", "account_changed", "no_gas", "split", "empty", "payout_retry", "payout_fail", "payout_unknown",
    "refund_retry", "refund_fail", "refund_unknown"
] | str
"""An outcome that test mode can be asked for."""

ScenarioSubject: TypeAlias = Literal[
    "payment_intent", "payout", "refund"
] | str
"""What a scenario of test mode can be asked of."""

SettledReason: TypeAlias = Literal[
    "accepted_partial", "paid_before_expiry", "late_payment"
] | str
"""Why an intent counts as settled although not exactly its amount arrived."""

WalletFamily: TypeAlias = Literal[
    "evm", "solana"
] | str
"""Which kind of chain a wallet belongs to."""

WhoActs: TypeAlias = Literal[
    "payer", "merchant", "service", "nobody"
] | str
"""Who has to do something next."""

ErrorCode: TypeAlias = Literal[
    "address_not_allowed", "currency_unsupported", "cursor_expired", "endpoint_url_taken",
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
    "webhook_endpoint_disabled", "webhook_endpoint_limit", "webhook_endpoint_not_pulled", "webhook_url_not_allowed"
] | str
"""What a refusal's `code` can be."""
