// Written by sdks/generator/typescript.py from docs/openapi.yaml. Do not edit.

import type { CallOptions, List } from "./core.js";

export const VERSION = "1.2.0";
/** Of the API that these types describe. */
export const API_VERSION = "1.2.0";

/**
 * What core.ts sends. A block for each resource: its name and where most of it is, which `.` stands for below; then a
 * line for each operation: method, verb or LIST, path, and `+` or the list's cursor where parameters are taken. Why
 * text: it is smaller than objects.
 */
export const OPERATIONS = `account account
get GET .
listRequests LIST request-log starting_after

events events
get GET ./{}
list LIST . after

health ../health
get GET .
getReadiness GET ./ready

paymentIntents payment-intents
create POST . +
get GET ./{} +
list LIST . starting_after
acceptPartial POST ./{}/accept-partial
cancel POST ./{}/cancel
explain GET ./{}/explain
getFlightRecord GET ./{}/flight-record
listRoutes LIST ./{}/routing starting_after
listTransactions LIST ./{}/transactions starting_after

payouts payouts
get GET ./{}
list LIST . starting_after
replay POST ./{}/replay

refunds refunds
create POST . +
get GET ./{}
list LIST . starting_after
cancel POST ./{}/cancel
listPaymentIntentPayers GET payment-intents/{}/payers
setDestination POST ./{}/destination +
toPayers POST ./to-payers +

testHelpers test-helpers
advanceClock POST ./clock/advance +
listScenarios LIST ./scenarios
payPaymentIntent POST ./payment-intents/{}/pay +
triggerEvent POST ./events/trigger +

tokens tokens
list LIST . -

webhookEndpoints webhook-endpoints
create POST . +
get GET ./{}
list LIST .
update PATCH ./{} +
delete DELETE ./{}
answerDelivery POST ./{}/answer +
certify POST ./{}/certify
getCertificate GET ./{}/certificate
listDeliveries LIST ./{}/deliveries starting_after
pullDeliveries GET ./{}/pull +
recover POST ./{}/recover +
resendDelivery POST ./{}/deliveries/{}/resend
rotateSecret POST ./{}/rotate-secret`;

/** How many decimals the amounts of requests take. */
export const DECIMALS = { amount: 2, amount_usd: 6 };

/** An amount in dollars: a number, or its text, with no more decimals than the field takes. */
export type Amount = number | string;
/** A moment: a Date, or RFC 3339 text. */
export type Moment = Date | string;

/** What was refused; a code never changes its meaning. */
export type ErrorCode =
  | "address_not_allowed"
  | "certificate_too_soon"
  | "currency_unsupported"
  | "cursor_expired"
  | "endpoint_url_taken"
  | "idempotency_key_in_progress"
  | "idempotency_key_invalid"
  | "idempotency_key_reused"
  | "in_doubt"
  | "insufficient_scope"
  | "intent_not_acceptable"
  | "intent_not_cancellable"
  | "intent_not_payable"
  | "intent_not_settled"
  | "internal_error"
  | "invalid_api_key"
  | "invalid_json"
  | "invalid_parameter"
  | "invalid_request"
  | "malformed_request"
  | "merchant_suspended"
  | "metadata_invalid"
  | "missing_api_key"
  | "not_found"
  | "payload_too_large"
  | "payout_not_replayable"
  | "rate_limited"
  | "refund_destination_not_needed"
  | "refund_exceeds_balance"
  | "refund_no_payer"
  | "refund_not_cancellable"
  | "refund_shares_exceed_balance"
  | "request_timeout"
  | "return_url_not_allowed"
  | "revoked_api_key"
  | "secret_key_required"
  | "settlement_address_invalid"
  | "settlement_address_not_allowed"
  | "settlement_address_unproven"
  | "settlement_pair_unsupported"
  | "settlement_profile_missing"
  | "stray_given_back"
  | "stray_not_final"
  | "stray_not_sendable"
  | "stray_payer_unknown"
  | "temporarily_unavailable"
  | "too_many_attempts"
  | "unknown_event_type"
  | "unsupported_media_type"
  | "webhook_endpoint_disabled"
  | "webhook_endpoint_limit"
  | "webhook_endpoint_not_pulled"
  | "webhook_endpoint_pulled"
  | "webhook_url_not_allowed"
  | (string & {});

/** Whether a part of the service answers. */
export type Availability = "ok" | "unavailable" | (string & {});

/** Why no answer came from a receiver. */
export type DeliveryError =
  | "tls_error"
  | "dns_error"
  | "connection_failed"
  | "address_not_allowed"
  | "url_not_allowed"
  | "connect_timeout"
  | "timeout"
  | "disconnected"
  | "invalid_response"
  | "internal_error"
  | (string & {});

/** Where a delivery stands: due, delivered, given up after the last attempt, or cancelled. */
export type DeliveryStatus = "due" | "delivered" | "exhausted" | "cancelled" | (string & {});

/**
 * Why an endpoint is off: the merchant switched it off, the receiver answered 410 Gone, or nothing but failures came
 * back for five days.
 */
export type EndpointDisabledReason = "by_merchant" | "gone" | "failing" | (string & {});

/** Whether events are posted to an endpoint's URL, or fetched and answered by the merchant. */
export type EndpointKind = "push" | "pull" | (string & {});

/** The kind of resource that an event is about. */
export type EventResourceType = "payment_intent" | "refund" | "payout" | "webhook_endpoint" | "ping" | (string & {});

/** An event type, all events of one resource, or all events. */
export type EventSubscription =
  | "payment_intent.created"
  | "payment_intent.quoted"
  | "payment_intent.executing"
  | "payment_intent.partially_filled"
  | "payment_intent.settled"
  | "payment_intent.failed"
  | "payment_intent.expired"
  | "payment_intent.cancelled"
  | "payment_intent.refunded"
  | "payment_intent.late_payment"
  | "payment_intent.overpaid"
  | "payment_intent.settlement_reversed"
  | "payment_intent.settlement_restored"
  | "payment_intent.funds_owed"
  | "payment_intent.stray_arrived"
  | "payment_intent.payment_counted_elsewhere"
  | "refund.created"
  | "refund.missing_destination"
  | "refund.processing"
  | "refund.paid"
  | "refund.failed"
  | "refund.cancelled"
  | "payout.created"
  | "payout.processing"
  | "payout.retry_scheduled"
  | "payout.paused"
  | "payout.paid"
  | "payout.failed"
  | "webhook_endpoint.disabled"
  | "ping"
  | "payment_intent.*"
  | "refund.*"
  | "payout.*"
  | "webhook_endpoint.*"
  | "*"
  | (string & {});

/** What happened. */
export type EventType =
  | "payment_intent.created"
  | "payment_intent.quoted"
  | "payment_intent.executing"
  | "payment_intent.partially_filled"
  | "payment_intent.settled"
  | "payment_intent.failed"
  | "payment_intent.expired"
  | "payment_intent.cancelled"
  | "payment_intent.refunded"
  | "payment_intent.late_payment"
  | "payment_intent.overpaid"
  | "payment_intent.settlement_reversed"
  | "payment_intent.settlement_restored"
  | "payment_intent.funds_owed"
  | "payment_intent.stray_arrived"
  | "payment_intent.payment_counted_elsewhere"
  | "refund.created"
  | "refund.missing_destination"
  | "refund.processing"
  | "refund.paid"
  | "refund.failed"
  | "refund.cancelled"
  | "payout.created"
  | "payout.processing"
  | "payout.retry_scheduled"
  | "payout.paused"
  | "payout.paid"
  | "payout.failed"
  | "webhook_endpoint.disabled"
  | "ping"
  | (string & {});

/** What a receiver has to answer: any 2xx where it is `accepted`, any 4xx where it is `refused`. */
export type ExpectedAnswer = "accepted" | "refused" | (string & {});

/** What a line of an explanation is about: the payment's situation, or a refund or payout of it. */
export type ExplanationCode =
  | "created"
  | "requires_payment"
  | "quoting"
  | "quoted"
  | "preparing"
  | "awaiting_signature"
  | "signature_reported"
  | "quote_lapsed"
  | "signature_declined"
  | "signature_timed_out"
  | "time_over"
  | "route_unavailable"
  | "price_unavailable"
  | "execution_failed"
  | "bridge_refunded"
  | "bridge_unfilled"
  | "counted_elsewhere"
  | "stray_arrived"
  | "executing"
  | "executing_slow"
  | "confirming"
  | "rest_unsigned"
  | "in_doubt"
  | "reorg_rechecked"
  | "settlement_reversed"
  | "partially_filled"
  | "partially_filled_time_over"
  | "settled"
  | "settled_overpaid"
  | "settled_twice"
  | "settled_short"
  | "settled_late"
  | "settled_vanished"
  | "late_arriving"
  | "late_payment"
  | "failed"
  | "failed_funded"
  | "expired"
  | "expired_funded"
  | "cancelled"
  | "cancelled_funded"
  | "refunded"
  | "refunded_funded"
  | "payout_queued"
  | "payout_pending"
  | "payout_processing"
  | "payout_pending_provider"
  | "payout_retry_scheduled"
  | "payout_paid"
  | "payout_failed"
  | "payout_paused"
  | "refund_waiting"
  | "refund_queued"
  | "refund_processing"
  | "refund_retry_scheduled"
  | "refund_paid"
  | "refund_failed"
  | "refund_cancelled"
  | "refund_awaiting_wallet"
  | "refund_held"
  | "refund_unconfirmed"
  | (string & {});

/** Why a refund or payout that a line is about is not paid, or not paid yet. */
export type ExplanationReason =
  | "merchant_paused"
  | "merchant_suspended"
  | "destination_changed"
  | "settlement_reversed"
  | "intent_not_settled"
  | "balance_changed"
  | "signer_missing"
  | "cancelled"
  | "agent_revoked"
  | "agents_paused"
  | "agent_over_limit"
  | "chain_unavailable"
  | "insufficient_funds"
  | "insufficient_gas"
  | "signer_unavailable"
  | "signer_busy"
  | "signer_paused"
  | "signing_paused"
  | "fee_above_cap"
  | "day_cap_reached"
  | "price_missing"
  | "awaiting_wallet"
  | "maybe_paid_before"
  | "invalid_destination"
  | "destination_blocked"
  | "chain_rejected"
  | "cap_exceeded"
  | "withdrawn"
  | "missing_destination"
  | "stray_changed"
  | "payer_not_proven"
  | "destination_unconfirmed"
  | (string & {});

/** Who reported a transaction hash. */
export type HintReporter = "browser" | "wallet" | "link" | "simulated_payer" | (string & {});

/** What the chain said about a reported transaction hash. */
export type HintVerdict = "found" | "foreign" | "reverted" | "lost" | "replaced" | "unreadable" | (string & {});

/** Where a payment intent stands. See docs/states for every change of status. */
export type IntentStatus =
  | "created"
  | "requires_payment"
  | "quoted"
  | "awaiting_signature"
  | "executing"
  | "partially_filled"
  | "settled"
  | "failed"
  | "expired"
  | "cancelled"
  | "refunded"
  | (string & {});

/** Whether a key may do everything, or only what it was given on the dashboard. */
export type KeyKind = "secret" | "restricted" | (string & {});

/** One permission of a restricted key. */
export type KeyScope =
  | "payment_intents:read"
  | "payment_intents:write"
  | "refunds:write"
  | "payouts:write"
  | (string & {});

/** What a transaction does with the money. */
export type LegKind = "swap" | "bridge" | "transfer" | "settlement" | "payout" | "refund" | (string & {});

/** Where a transaction stands on its chain. */
export type LegStatus =
  | "planned"
  | "awaiting_signature"
  | "submitted"
  | "confirming"
  | "confirmed"
  | "failed"
  | "refunded"
  | "in_doubt"
  | (string & {});

/** More about a confirmed transaction: `partial` where less arrived than was guaranteed. */
export type LegSubStatus = "partial" | (string & {});

export type ListTokensChain =
  | "ethereum"
  | "eth"
  | "ethereum-mainnet"
  | "base"
  | "base-mainnet"
  | "arbitrum"
  | "arb"
  | "arbitrum-one"
  | "optimism"
  | "op"
  | "op-mainnet"
  | "polygon"
  | "matic"
  | "polygon-pos"
  | "bnb"
  | "binance"
  | "bnb-chain"
  | "bnb-smart-chain"
  | "bsc"
  | "solana"
  | "sol"
  | "solana-mainnet"
  | (string & {});

/** Test moves no real money; live does. */
export type Mode = "test" | "live" | (string & {});

/** Why a payment, or one attempt to pay, failed. */
export type PaymentProblem =
  | "route_unavailable"
  | "price_unavailable"
  | "execution_failed"
  | "bridge_refunded"
  | "bridge_unfilled"
  | "signature_missing"
  | "counted_elsewhere"
  | (string & {});

/** What is going on with a payment, in more detail than its status. */
export type PaymentSituation =
  | "created"
  | "requires_payment"
  | "quoting"
  | "quoted"
  | "preparing"
  | "awaiting_signature"
  | "signature_reported"
  | "quote_lapsed"
  | "signature_declined"
  | "signature_timed_out"
  | "time_over"
  | "route_unavailable"
  | "price_unavailable"
  | "execution_failed"
  | "bridge_refunded"
  | "bridge_unfilled"
  | "counted_elsewhere"
  | "stray_arrived"
  | "executing"
  | "executing_slow"
  | "confirming"
  | "rest_unsigned"
  | "in_doubt"
  | "reorg_rechecked"
  | "settlement_reversed"
  | "partially_filled"
  | "partially_filled_time_over"
  | "settled"
  | "settled_overpaid"
  | "settled_twice"
  | "settled_short"
  | "settled_late"
  | "settled_vanished"
  | "late_arriving"
  | "late_payment"
  | "failed"
  | "failed_funded"
  | "expired"
  | "expired_funded"
  | "cancelled"
  | "cancelled_funded"
  | "refunded"
  | "refunded_funded"
  | (string & {});

/** Why a payout is not paid, or not paid yet. */
export type PayoutFailureReason =
  | "merchant_paused"
  | "merchant_suspended"
  | "destination_changed"
  | "settlement_reversed"
  | "intent_not_settled"
  | "balance_changed"
  | "signer_missing"
  | "cancelled"
  | "agent_revoked"
  | "agents_paused"
  | "agent_over_limit"
  | "chain_unavailable"
  | "insufficient_funds"
  | "insufficient_gas"
  | "signer_unavailable"
  | "signer_busy"
  | "signer_paused"
  | "signing_paused"
  | "fee_above_cap"
  | "day_cap_reached"
  | "price_missing"
  | "awaiting_wallet"
  | "maybe_paid_before"
  | "invalid_destination"
  | "destination_blocked"
  | "chain_rejected"
  | "cap_exceeded"
  | "withdrawn"
  | (string & {});

/** How a payout is sent. */
export type PayoutRail = "direct" | "evm" | "solana" | "merchant_wallet" | "simulated" | (string & {});

/** Where a payout stands. */
export type PayoutStatus =
  | "queued"
  | "pending"
  | "processing"
  | "pending_provider"
  | "retry_scheduled"
  | "paid"
  | "failed"
  | "paused"
  | (string & {});

/** What a receiver is tested for. `about` of a check says it in a sentence. */
export type ReceiverCheckName =
  | "genuine"
  | "duplicate"
  | "lost_answer"
  | "reordered"
  | "rotation"
  | "unknown_type"
  | "large_metadata"
  | "slow_answer"
  | "stale"
  | "wrong_signature"
  | "altered_body"
  | "unsigned"
  | (string & {});

/**
 * Why a test brought no answer: a word of deliveries, or `not_sent` where its time was over or the endpoint was
 * switched off meanwhile.
 */
export type ReceiverTestError =
  | "tls_error"
  | "dns_error"
  | "connection_failed"
  | "address_not_allowed"
  | "url_not_allowed"
  | "connect_timeout"
  | "timeout"
  | "disconnected"
  | "invalid_response"
  | "internal_error"
  | "not_sent"
  | (string & {});

/** Why a refund is not paid, or not paid yet. */
export type RefundFailureReason =
  | "missing_destination"
  | "stray_changed"
  | "payer_not_proven"
  | "destination_unconfirmed"
  | "merchant_suspended"
  | "agent_revoked"
  | "agents_paused"
  | "agent_over_limit"
  | "chain_unavailable"
  | "insufficient_funds"
  | "insufficient_gas"
  | "signer_unavailable"
  | "signer_busy"
  | "signer_paused"
  | "signing_paused"
  | "fee_above_cap"
  | "day_cap_reached"
  | "price_missing"
  | "awaiting_wallet"
  | "maybe_paid_before"
  | "invalid_destination"
  | "destination_blocked"
  | "chain_rejected"
  | "cap_exceeded"
  | "withdrawn"
  | (string & {});

/** Where a refund stands. */
export type RefundStatus = "pending" | "paid" | "failed" | "cancelled" | (string & {});

/** Who carries a payment out: a transfer without anybody between, or an aggregator of routes. */
export type RouteProvider = "direct" | "atlas" | "meridian" | "lifi" | "jupiter" | (string & {});

/** The status in which a scenario leaves what it is asked of. */
export type ScenarioEnd =
  | "awaiting_signature"
  | "expired"
  | "failed"
  | "paid"
  | "partially_filled"
  | "requires_payment"
  | "settled"
  | (string & {});

/** An outcome that test mode can be asked for. */
export type ScenarioName =
  | "settle"
  | "partial"
  | "overpay"
  | "late"
  | "fail_execution"
  | "fail"
  | "bridge_refund"
  | "in_doubt"
  | "reorg"
  | "stuck"
  | "replaced"
  | "quote_expired"
  | "fail_route"
  | "decline"
  | "locked"
  | "request_pending"
  | "wrong_network"
  | "unknown_network"
  | "account_changed"
  | "no_gas"
  | "split"
  | "empty"
  | "payout_retry"
  | "payout_fail"
  | "payout_unknown"
  | "refund_retry"
  | "refund_fail"
  | "refund_unknown"
  | (string & {});

/** What a scenario of test mode can be asked of. */
export type ScenarioSubject = "payment_intent" | "payout" | "refund" | (string & {});

/** Why an intent counts as settled although not exactly its amount arrived. */
export type SettledReason = "accepted_partial" | "paid_before_expiry" | "late_payment" | (string & {});

/** Which kind of chain a wallet belongs to. */
export type WalletFamily = "evm" | "solana" | (string & {});

/** Who has to do something next. */
export type WhoActs = "payer" | "merchant" | "service" | "nobody" | (string & {});

export interface Account {
  /** The merchant whose key it is. */
  merchant: AccountMerchant;
  /** Whether real money moves: `live`, or `test`. */
  mode: Mode;
  /** The key that was used for this request. */
  key: AccountKey;
  /** The rate limits of this key. */
  limits: RateLimit[];
  /** The time on the service's clock. ISO 8601 in UTC. */
  server_time: string;
  /** The version of this API. */
  api_version: string;
}

export interface AccountKey {
  /** The id of the key, as the dashboard shows it. */
  id: string;
  /** What kind it is. */
  kind: KeyKind;
  /** What it may do; a secret key has every scope, and more. */
  scopes: KeyScope[];
}

export interface AccountMerchant {
  /** The id of the merchant. */
  id: string;
  /** The name of the merchant, as payers see it. */
  name: string;
}

export interface AdvancedTestClock {
  /** By how many seconds the test clock was moved. */
  advanced_seconds: number;
}

export interface CheckResult {
  /** Whether this check passed. */
  status: Availability;
  /**
   * Of the last heartbeat, of the oldest row that is due, of the newest check of the invariants, or of the last
   * reading of a chain.
   */
  age_seconds?: number | null;
  /** What it means, in words. */
  detail?: string;
}

export interface DeletedWebhookEndpoint {
  /** Its id. */
  id: string;
  /** Always true. */
  deleted: boolean;
}

export interface DeliveryAttempt {
  /** From 1; the same as the header Svc-Attempt. */
  number: number;
  /** When the request was sent. ISO 8601 in UTC. */
  at: string;
  /** How long the answer took, in milliseconds. */
  latency_ms: number;
  /** The HTTP status that the receiver answered; null if no answer came. */
  response_status: number | null;
  /** The first ones, shortened. */
  response_headers: Record<string, string>;
  /** The beginning, as text. */
  response_body: string;
  /** Why no answer came, one stable word; null if one did. */
  error: DeliveryError | null;
}

export interface EventList {
  /** Each exactly as receivers get it. */
  data: Event[];
  /** Whether to go on at once. With `type` a page may be empty although there is more. */
  has_more: boolean;
  /** The same as `cursor` where there is more. */
  next_cursor: string | null;
  /** Where to go on from, later too: what is stored by then comes after it. */
  cursor: string;
  /** Where to go on behind each event of `data`, in the same order. */
  cursors: string[];
}

export interface Explanation {
  /** The payment intent that it belongs to. */
  payment_intent_id: string;
  /** Where it stands. */
  status: IntentStatus;
  /** The intent's own, as on the payer's page. */
  situation: PaymentSituation;
  /** Stable, machine-readable. */
  code: ExplanationCode;
  /** What happened, in one sentence. */
  happened: string;
  /** Why, in one sentence; null where there is nothing more to say. */
  because: string | null;
  /** Where the money is. */
  money: string;
  /** Who must act. */
  actor: WhoActs;
  /** The next safe step. */
  next: string;
  /** Since when it is so; null where it has no beginning. ISO 8601 in UTC. */
  since: string | null;
  /** The amounts, times and hashes that the sentences are about. */
  facts: ExplanationFacts;
  /** The same situation as the payer's page tells it. */
  payer: PayerWords;
  /** What else there is to say about the payment, most urgent first. */
  also: ExplanationLine[];
}

export interface ExplanationFacts {
  /** Of the refund or payout that the line is about. */
  id?: string;
  /** In US dollars. */
  amount_usd?: string;
  /** What has arrived and counts, in US dollars. */
  received_usd?: string;
  /** What is still to be paid, in US dollars. */
  due_usd?: string;
  /** What arrived beyond the amount, in US dollars, as a decimal string. */
  overpaid_usd?: string;
  /** What was refunded so far, in US dollars. */
  refunded_usd?: string;
  /** Paid by the payer on top of what arrived. */
  platform_fee_usd?: string;
  /** Until when it is valid. ISO 8601 in UTC. */
  expires_at?: string;
  /** When it was settled; null until then. ISO 8601 in UTC. */
  settled_at?: string;
  /** When it was sent. ISO 8601 in UTC. */
  sent_at?: string;
  /** When it is tried again. ISO 8601 in UTC. */
  retry_at?: string;
  /** The chain that the money settles on. */
  settlement_chain?: string;
  /** Where the transaction was sent. */
  chain?: string;
  /** The hash of the transaction; null until there is one. */
  tx_hash?: string;
  /** The transaction that paid out on the destination chain; null until it is seen. */
  destination_tx_hash?: string;
  /** The transaction in a block explorer; null where there is none. */
  explorer_url?: string;
  /** How many blocks confirm the transaction so far. */
  confirmations?: number;
  /** How many blocks must confirm it before it counts. */
  confirmations_required?: number;
  /** How long it usually takes, in seconds. */
  typical_seconds?: number;
  /** How many times it was tried. */
  attempts?: number;
  /** The code of the last error. */
  error_code?: PaymentProblem;
  /** Why the refund or payout is not paid, or not paid yet. */
  failure_reason?: ExplanationReason;
  /** Why it counts as settled although not exactly its amount arrived in time; else null. */
  settled_reason?: SettledReason;
}

export interface ExplanationLine {
  /** Stable, machine-readable. */
  code: ExplanationCode;
  /** What happened, in one sentence. */
  happened: string;
  /** Why, in one sentence; null where there is nothing more to say. */
  because: string | null;
  /** Where the money is. */
  money: string;
  /** Who must act. */
  actor: WhoActs;
  /** The next safe step. */
  next: string;
  /** Since when it is so; null where it has no beginning. ISO 8601 in UTC. */
  since: string | null;
  /** The amounts, times and hashes that the sentences are about. */
  facts: ExplanationFacts;
}

export interface FlightRecord {
  /** The form of the record: `causeway.flight-record.v1`. */
  type: string;
  /** The payment intent that it belongs to. */
  payment_intent_id: string;
  /** Everything that happened, the oldest first. */
  entries: FlightRecordEntry[];
  /** The hash of the last entry. */
  head: string;
  /** The signatures, the oldest first; none until seconds after the settlement. */
  seals: FlightRecordSeal[];
}

export interface FlightRecordEntry {
  /** Its place in the chain, counted from 1. */
  number: number;
  /** When it happened. */
  at: string;
  /** What happened, such as `credit.seen`; more may be added. */
  type: string;
  /** Which of the like it is; no two entries of a record have the same. */
  ref: string;
  /** What is known of it. Amounts are base units or US dollars, as text. */
  facts: Record<string, unknown>;
  /** SHA-256 over the entry before and this one, in hexadecimal. */
  hash: string;
}

export interface FlightRecordSeal {
  /** What was signed: a receipt, or all that the record says up to an entry. See the guide. */
  statement: Record<string, unknown>;
  /** Which key of `/.well-known/causeway-receipt-keys.json` signed it. */
  key_id: string;
  /** Ed25519, in hexadecimal. */
  signature: string;
}

export interface HealthStatus {
  /** `ok` while the service can reach its database. */
  status: string;
  /** The time of the answer. ISO 8601 in UTC. */
  ts: string;
}

export interface IntentPayers {
  /** The wallets that provably paid. */
  data: PayerShare[];
  /** At most 20 are named, those with the most left first. */
  has_more: boolean;
  /** Always null: who is not named cannot be asked for. */
  next_cursor: string | null;
  /** What arrived and is nobody's, since nothing proves who sent it. */
  unproven_usd: string;
  /** What can be refunded now. */
  refundable_usd: string;
}

export interface Leg {
  /** Its id. */
  id: string;
  /** The payment intent that it belongs to. */
  payment_intent_id: string;
  /** Its place among the transactions of the payment, counted from 1. */
  sequence: number;
  /** What the transaction does with the money. */
  kind: LegKind;
  /** Who carries the transaction out, such as `direct` or `lifi`. */
  provider: RouteProvider;
  /** The chain on which the payer sends it. */
  chain: string;
  /** The chain on which the money arrives. */
  to_chain: string;
  /** The symbol of the token that the payer sends. */
  token: string;
  /** The symbol of the token that arrives. */
  to_token: string;
  /** What the payer sends, in the token, as a decimal string. */
  amount: string;
  /** What arrived, in the token that arrives, as a decimal string; null until it is known. */
  to_amount: string | null;
  /** What it is worth, in US dollars. */
  amount_usd: string;
  /** Fees of the provider, in US dollars. */
  fee_usd: string;
  /** Network fees, in US dollars. */
  gas_usd: string;
  /** Where it stands. */
  status: LegStatus;
  /** More about the status; null where there is nothing more to say. */
  sub_status: LegSubStatus | null;
  /** The hash of the transaction; null until there is one. */
  tx_hash: string | null;
  /** The transaction that paid out on the destination chain; null until it is seen. */
  destination_tx_hash: string | null;
  /** The transaction in a block explorer; null where there is none. */
  explorer_url: string | null;
  /** The block that holds the transaction; null until it is in one. */
  block_number: number | null;
  /** How many blocks confirm the transaction so far. */
  confirmations: number;
  /** How many blocks must confirm it before it counts. */
  confirmations_required: number;
  /** The wallet that pays; empty until it is known. */
  payer_address: string;
  /** Why it failed, one stable word; null if it did not. */
  error: string | null;
  /** When it was created. ISO 8601 in UTC. */
  created_at: string;
  /** When the transaction was seen or reported; null until then. ISO 8601 in UTC. */
  submitted_at: string | null;
  /** When it had enough confirmations; null until then. ISO 8601 in UTC. */
  confirmed_at: string | null;
  /** When it last changed. ISO 8601 in UTC. */
  updated_at: string;
  /** Other tokens that came with it: shown, and counted for nothing. */
  strays: Stray[];
  /** Hashes that were reported for it, and what became of each. */
  hints: TransactionHint[];
}

export interface LegList {
  /** The rows of this page. */
  data: Leg[];
  /** Whether more rows follow this page. */
  has_more: boolean;
  /** Send it as `starting_after` to get the next page; null on the last page. */
  next_cursor: string | null;
}

export interface ListedToken {
  /** Lower-case chain name, such as base. */
  chain: string;
  /** Contract or mint; the zero address (EVM) or the system program (Solana) is the native coin. */
  address: string;
  /** For people. Copied by fakes: identify tokens by chain and address. */
  symbol: string;
  /** The token's name, for people. */
  name: string;
  /** Differs by chain: USDC has 6 on Base and 18 on BNB Chain. */
  decimals: number;
  /** False: on the list, but nobody vouches for it; not offered by default. */
  verified: boolean;
}

export interface ListedTokenList {
  /** The rows of this page. */
  data: ListedToken[];
  /** Whether more rows follow this page. */
  has_more: boolean;
  /** Send it as `starting_after` to get the next page; null on the last page. */
  next_cursor: string | null;
}

export interface LoggedRequest {
  /** The name of the request, `req_…`, as the header Request-Id said it. */
  id: string;
  /** When it was created. ISO 8601 in UTC. */
  created_at: string;
  /** The method, such as `POST`. */
  method: string;
  /** The path; its pattern where a word in it was no id. */
  path: string;
  /** The query; values that may be private are left out. */
  query: string;
  /** What was answered. */
  status: number;
  /** The code of a refusal; null where nothing was refused. */
  code: ErrorCode | null;
  /** How long the answer took, in milliseconds. */
  duration_ms: number;
  /** The key that asked, as `key.id` of its account names it. */
  key_id: string;
  /** The payment intent that it named or created; null where there is none. */
  payment_intent_id: string | null;
  /** The network address that it came from. */
  address: string;
  /** The program that asked, as it called itself. */
  user_agent: string;
  /** What was sent; of what may be private the kind and the length. */
  body: Record<string, unknown> | null;
}

export interface LoggedRequestList {
  /** The rows of this page. */
  data: LoggedRequest[];
  /** Whether more rows follow this page. */
  has_more: boolean;
  /** Send it as `starting_after` to get the next page; null on the last page. */
  next_cursor: string | null;
}

export interface PayerShare {
  /** The address of the wallet. */
  wallet: string;
  /** `evm` or `solana`; null for a made-up test wallet. */
  family: WalletFamily | null;
  /** What it paid, in US dollars. */
  paid_usd: string;
  /** What it paid, in base units of the settlement token. */
  paid_units: string;
  /** By refunds to it, or claimed by it, that did not fail. */
  returned_usd: string;
  /** What was refunded to it, in base units of the settlement token. */
  returned_units: string;
  /** What it paid and did not get back yet. */
  unreturned_usd: string;
  /** What it paid and did not get back yet, in base units of the settlement token. */
  unreturned_units: string;
}

export interface PayerWords {
  /** What happened, in one sentence. */
  happened: string;
  /** Where the money is. */
  money: string;
  /** What to do now. */
  next: string;
}

export interface PaymentIntent {
  /** Its id. */
  id: string;
  /** Decimal string with two places. */
  amount: string;
  /** Always `USD`. */
  currency: string;
  /** Whether real money moves: `live`, or `test`. */
  mode: Mode;
  /** Where the payment stands. */
  status: IntentStatus;
  /** The hosted payment page: send the payer there. */
  checkout_url: string;
  /** The chain that the money settles on. */
  settlement_chain: string;
  /** The symbol of the token that the money settles in, such as `USDC`. */
  settlement_token: string;
  /** The address that the money settles at. */
  settlement_address: string;
  /** The payer's e-mail address, as you gave it; null if you gave none. */
  customer_email: string | null;
  /** Until when it can be paid. ISO 8601 in UTC. */
  expires_at: string;
  /** When it was created. ISO 8601 in UTC. */
  created_at: string;
  /** Your own keys and values, returned unchanged. */
  metadata: Record<string, unknown>;
  /** What has arrived and counts, in US dollars, as a decimal string. */
  amount_received: string;
  /** What is still to be paid, in US dollars, as a decimal string. */
  amount_due: string;
  /** What arrived beyond the amount, in US dollars, as a decimal string. */
  overpaid_usd: string;
  /** Paid by the payer on top of what arrived; null until it is settled. */
  platform_fee_usd: string | null;
  /** What was refunded so far, in US dollars, as a decimal string. */
  amount_refunded_usd: string;
  /** Whether something arrived, but less than the amount. */
  partially_funded: boolean;
  /** True while the outcome of a sent transaction is unknown; the payer must not pay again. */
  in_doubt: boolean;
  /** Why the last attempt to pay ended; null if none has failed. */
  last_error: PaymentIntentLastError | null;
  /** Why the payment failed; null if it did not. */
  failure_reason: PaymentProblem | null;
  /** When it was settled; null until then. ISO 8601 in UTC. */
  settled_at: string | null;
  /** Why it counts as settled although not exactly its amount arrived in time; else null. */
  settled_reason: SettledReason | null;
  /** When it was cancelled; null if it was not. ISO 8601 in UTC. */
  cancelled_at: string | null;
  /** Your own order number; null if you gave none. */
  reference: string | null;
  /** Where the payer is sent back to; null if you gave no address. */
  return_url: string | null;
}

export interface PaymentIntentEventData {
  /** Its id. */
  id: string;
  /** Decimal string with two places. */
  amount: string;
  /** Always `USD`. */
  currency: string;
  /** The chain that the money settles on. */
  settlement_chain: string;
  /** The symbol of the token that the money settles in, such as `USDC`. */
  settlement_token: string;
  /** Your own keys and values, returned unchanged. */
  metadata: Record<string, unknown>;
  /** Where it stands. */
  status: IntentStatus;
  /** Whether real money moves: `live`, or `test`. */
  mode: Mode;
  /** What has arrived and counts, in US dollars, as a decimal string. */
  amount_received: string;
  /** Why it failed or waits; null if it does neither. */
  failure_reason: PaymentProblem | null;
  /** When it was settled; null until then. ISO 8601 in UTC. */
  settled_at: string | null;
  /** Your own order number; null if you gave none. */
  reference: string | null;
}

export interface PaymentIntentExpiredEventData {
  /** Its id. */
  id: string;
  /** Decimal string with two places. */
  amount: string;
  /** Always `USD`. */
  currency: string;
  /** The chain that the money settles on. */
  settlement_chain: string;
  /** The symbol of the token that the money settles in, such as `USDC`. */
  settlement_token: string;
  /** Your own keys and values, returned unchanged. */
  metadata: Record<string, unknown>;
  /** Where it stands. */
  status: IntentStatus;
  /** Whether real money moves: `live`, or `test`. */
  mode: Mode;
  /** What has arrived and counts, in US dollars, as a decimal string. */
  amount_received: string;
  /** Why it failed or waits; null if it does neither. */
  failure_reason: PaymentProblem | null;
  /** When it was settled; null until then. ISO 8601 in UTC. */
  settled_at: string | null;
  /** Your own order number; null if you gave none. */
  reference: string | null;
  /** Whether something arrived, but less than the amount. */
  partially_funded: boolean;
}

export interface PaymentIntentFundsOwedEventData {
  /** Its id. */
  id: string;
  /** Decimal string with two places. */
  amount: string;
  /** Always `USD`. */
  currency: string;
  /** The chain that the money settles on. */
  settlement_chain: string;
  /** The symbol of the token that the money settles in, such as `USDC`. */
  settlement_token: string;
  /** Your own keys and values, returned unchanged. */
  metadata: Record<string, unknown>;
  /** Where it stands. */
  status: IntentStatus;
  /** Whether real money moves: `live`, or `test`. */
  mode: Mode;
  /** What has arrived and counts, in US dollars, as a decimal string. */
  amount_received: string;
  /** Why it failed or waits; null if it does neither. */
  failure_reason: PaymentProblem | null;
  /** When it was settled; null until then. ISO 8601 in UTC. */
  settled_at: string | null;
  /** Your own order number; null if you gave none. */
  reference: string | null;
  /** What you owe because a chain took back money that was paid out already, in US dollars. */
  owed_usd: string;
}

export interface PaymentIntentLastError {
  /** A stable word for programs. */
  code: PaymentProblem;
  /** The same in one sentence for people. */
  message: string;
}

export interface PaymentIntentLatePaymentEventData {
  /** Its id. */
  id: string;
  /** Decimal string with two places. */
  amount: string;
  /** Always `USD`. */
  currency: string;
  /** The chain that the money settles on. */
  settlement_chain: string;
  /** The symbol of the token that the money settles in, such as `USDC`. */
  settlement_token: string;
  /** Your own keys and values, returned unchanged. */
  metadata: Record<string, unknown>;
  /** Where it stands. */
  status: IntentStatus;
  /** Whether real money moves: `live`, or `test`. */
  mode: Mode;
  /** What has arrived and counts, in US dollars, as a decimal string. */
  amount_received: string;
  /** Why it failed or waits; null if it does neither. */
  failure_reason: PaymentProblem | null;
  /** When it was settled; null until then. ISO 8601 in UTC. */
  settled_at: string | null;
  /** Your own order number; null if you gave none. */
  reference: string | null;
  /** What is still to be paid, in US dollars, as a decimal string. */
  amount_due: string;
  /** Whether something arrived, but less than the amount. */
  partially_funded: boolean;
}

export interface PaymentIntentList {
  /** The rows of this page. */
  data: PaymentIntent[];
  /** Whether more rows follow this page. */
  has_more: boolean;
  /** Send it as `starting_after` to get the next page; null on the last page. */
  next_cursor: string | null;
}

export interface PaymentIntentOverpaidEventData {
  /** Its id. */
  id: string;
  /** Decimal string with two places. */
  amount: string;
  /** Always `USD`. */
  currency: string;
  /** The chain that the money settles on. */
  settlement_chain: string;
  /** The symbol of the token that the money settles in, such as `USDC`. */
  settlement_token: string;
  /** Your own keys and values, returned unchanged. */
  metadata: Record<string, unknown>;
  /** Where it stands. */
  status: IntentStatus;
  /** Whether real money moves: `live`, or `test`. */
  mode: Mode;
  /** What has arrived and counts, in US dollars, as a decimal string. */
  amount_received: string;
  /** Why it failed or waits; null if it does neither. */
  failure_reason: PaymentProblem | null;
  /** When it was settled; null until then. ISO 8601 in UTC. */
  settled_at: string | null;
  /** Your own order number; null if you gave none. */
  reference: string | null;
  /** What arrived beyond the amount, in US dollars, as a decimal string. */
  overpaid_usd: string;
}

export interface PaymentIntentPartiallyFilledEventData {
  /** Its id. */
  id: string;
  /** Decimal string with two places. */
  amount: string;
  /** Always `USD`. */
  currency: string;
  /** The chain that the money settles on. */
  settlement_chain: string;
  /** The symbol of the token that the money settles in, such as `USDC`. */
  settlement_token: string;
  /** Your own keys and values, returned unchanged. */
  metadata: Record<string, unknown>;
  /** Where it stands. */
  status: IntentStatus;
  /** Whether real money moves: `live`, or `test`. */
  mode: Mode;
  /** What has arrived and counts, in US dollars, as a decimal string. */
  amount_received: string;
  /** Why it failed or waits; null if it does neither. */
  failure_reason: PaymentProblem | null;
  /** When it was settled; null until then. ISO 8601 in UTC. */
  settled_at: string | null;
  /** Your own order number; null if you gave none. */
  reference: string | null;
  /** What is still to be paid, in US dollars, as a decimal string. */
  amount_due: string;
}

export interface PaymentIntentSettledEventData {
  /** Its id. */
  id: string;
  /** Decimal string with two places. */
  amount: string;
  /** Always `USD`. */
  currency: string;
  /** The chain that the money settles on. */
  settlement_chain: string;
  /** The symbol of the token that the money settles in, such as `USDC`. */
  settlement_token: string;
  /** Your own keys and values, returned unchanged. */
  metadata: Record<string, unknown>;
  /** Where it stands. */
  status: IntentStatus;
  /** Whether real money moves: `live`, or `test`. */
  mode: Mode;
  /** What has arrived and counts, in US dollars, as a decimal string. */
  amount_received: string;
  /** Why it failed or waits; null if it does neither. */
  failure_reason: PaymentProblem | null;
  /** When it was settled; null until then. ISO 8601 in UTC. */
  settled_at: string | null;
  /** Your own order number; null if you gave none. */
  reference: string | null;
  /** Paid by the payer on top of what arrived; null until it is settled. */
  platform_fee_usd: string | null;
  /** What is left for you after fees, in US dollars; null until it is settled. */
  net_settlement_usd: string | null;
}

export interface PaymentIntentStrayArrivedEventData {
  /** Its id. */
  id: string;
  /** Decimal string with two places. */
  amount: string;
  /** Always `USD`. */
  currency: string;
  /** The chain that the money settles on. */
  settlement_chain: string;
  /** The symbol of the token that the money settles in, such as `USDC`. */
  settlement_token: string;
  /** Your own keys and values, returned unchanged. */
  metadata: Record<string, unknown>;
  /** Where it stands. */
  status: IntentStatus;
  /** Whether real money moves: `live`, or `test`. */
  mode: Mode;
  /** What has arrived and counts, in US dollars, as a decimal string. */
  amount_received: string;
  /** Why it failed or waits; null if it does neither. */
  failure_reason: PaymentProblem | null;
  /** When it was settled; null until then. ISO 8601 in UTC. */
  settled_at: string | null;
  /** Your own order number; null if you gave none. */
  reference: string | null;
  /** Other tokens that came with the payment; they count for nothing and can be given back. */
  strays: Stray[];
}

export interface Payout {
  /** Its id. */
  id: string;
  /** The payment intent that it belongs to. */
  payment_intent_id: string | null;
  /** How it is sent. */
  rail: PayoutRail;
  /** The address that is paid. */
  destination: string;
  /** The chain's name, such as `base` or `solana`. */
  chain: string;
  /** The symbol of the token. */
  token: string;
  /** Decimal string with at least two places. */
  amount: string;
  /** Always `USD`. */
  currency: string;
  /** Where it stands. */
  status: PayoutStatus;
  /** The hash of the transaction; null until there is one. */
  tx_hash: string | null;
  /** Why it is not paid, or not paid yet. */
  failure_reason: PayoutFailureReason | null;
  /** How many times it was tried. */
  attempts: number;
  /** When it is tried again; null if it is not. ISO 8601 in UTC. */
  next_attempt_at: string | null;
  /** When it was paid; null until then. ISO 8601 in UTC. */
  paid_at: string | null;
  /** When it was created. ISO 8601 in UTC. */
  created_at: string;
}

export interface PayoutEventData {
  /** Its id. */
  id: string;
  /** The payment intent that it belongs to. */
  payment_intent_id: string | null;
  /** How it is sent. */
  rail: PayoutRail;
  /** The address that is paid. */
  destination: string;
  /** The chain's name, such as `base` or `solana`. */
  chain: string;
  /** The symbol of the token. */
  token: string;
  /** Decimal string with at least two places. */
  amount: string;
  /** Always `USD`. */
  currency: string;
  /** Where it stands. */
  status: PayoutStatus;
  /** The hash of the transaction; null until there is one. */
  tx_hash: string | null;
  /** Why it is not paid, or not paid yet. */
  failure_reason: PayoutFailureReason | null;
  /** How many times it was tried. */
  attempts: number;
  /** When it is tried again; null if it is not. ISO 8601 in UTC. */
  next_attempt_at: string | null;
  /** When it was paid; null until then. ISO 8601 in UTC. */
  paid_at: string | null;
  /** When it was created. ISO 8601 in UTC. */
  created_at: string;
  /** Your own keys and values, returned unchanged. */
  metadata: Record<string, unknown>;
}

export interface PayoutList {
  /** The rows of this page. */
  data: Payout[];
  /** Whether more rows follow this page. */
  has_more: boolean;
  /** Send it as `starting_after` to get the next page; null on the last page. */
  next_cursor: string | null;
}

export interface PingEventData {
  /** Its id. */
  id: string;
  /** A sentence for people. */
  message: string;
}

export interface PulledDelivery {
  /** Send it with the answer. */
  delivery_id: string;
  /** The event that is delivered. */
  event_id: string;
  /** Send it with the answer. Each time it is given out it is another one. */
  attempt: number;
  /** As a receiver gets them, signed just now. */
  headers: Record<string, string>;
  /** The exact text that is signed. */
  body: string;
}

export interface PulledDeliveryList {
  /** The rows of this page. */
  data: PulledDelivery[];
  /** Whether to fetch again at once: as many came as were asked for. */
  has_more: boolean;
}

export interface RateLimit {
  /** What is counted: all `requests` together, or those of one operation. */
  name: string;
  /** How many requests are allowed in the window. */
  limit: number;
  /** The length of the window of the limit, in seconds. */
  per_seconds: number;
}

export interface Readiness {
  /** Whether all checks passed. */
  status: Availability;
  /** The time of the answer. ISO 8601 in UTC. */
  ts: string;
  /** Each check by its name. */
  checks: Record<string, CheckResult>;
}

export interface ReceiverCertificate {
  /** The endpoint. */
  endpoint_id: string;
  /** Whether a battery was asked for that has not ended. The rest is of the last that did. */
  is_running: boolean;
  /** When a battery was last asked for. */
  requested_at: string;
  /** When the last one ended; null before the first. */
  finished_at: string | null;
  /** The address that was tested. */
  url: string | null;
  /** How many checks were passed. */
  score: number;
  /** How many there were; 0 before the first battery has ended. */
  out_of: number;
  /** Each check, in the order in which they are made; empty before the first test has ended. */
  checks: ReceiverCheck[];
}

export interface ReceiverCheck {
  /** Which check it is. */
  name: ReceiverCheckName;
  /** What is asked of your receiver, in a sentence. */
  about: string;
  /** What it has to answer. */
  expected: ExpectedAnswer;
  /** Whether your receiver did what it has to. */
  passed: boolean;
  /** The requests that were answered otherwise; empty where it passed. */
  wrong: WrongAnswer[];
}

export interface Recovery {
  /** The endpoint that the events go to. */
  id: string;
  /** How many events will be sent now. */
  scheduled: number;
  /** Whether to call again for the rest. */
  has_more: boolean;
}

export interface Refund {
  /** Its id. */
  id: string;
  /** The payment intent that it belongs to. */
  payment_intent_id: string;
  /** 0 where a stray is given back: it never counted as dollars. */
  amount_usd: string;
  /** The chain's name, such as `base` or `solana`. */
  chain: string;
  /** The symbol of the token. */
  token: string;
  /** Empty until it is known. */
  destination: string;
  /** Why, in your own words; empty if you gave none. */
  reason: string;
  /** Where it stands. */
  status: RefundStatus;
  /** The hash of the transaction; null until there is one. */
  tx_hash: string | null;
  /** When it was created. ISO 8601 in UTC. */
  created_at: string;
  /** When it was paid; null until then. ISO 8601 in UTC. */
  paid_at: string | null;
  /** Why it is not paid, or not paid yet. */
  failure_reason: RefundFailureReason | null;
  /** How often sending was begun. */
  attempts: number;
  /** When it last changed. ISO 8601 in UTC. */
  updated_at: string;
  /** The stray that it gives back; else null. */
  stray_id: string | null;
  /** What is sent, in the token, as a decimal. */
  token_amount: string;
  /**
   * While it waits: the one wallet that paid as much. Ask the payer before you use it; it may be an exchange's. Null
   * where several did, or none.
   */
  suggested_destination: string | null;
  /** While it waits: who paid its intent, and what of it went back. */
  payers: PayerShare[] | null;
}

export interface RefundEventData {
  /** Its id. */
  id: string;
  /** The payment intent that it belongs to. */
  payment_intent_id: string;
  /** 0 where a stray is given back: it never counted as dollars. */
  amount_usd: string;
  /** The chain's name, such as `base` or `solana`. */
  chain: string;
  /** The symbol of the token. */
  token: string;
  /** … and the last six characters. */
  destination_tail: string;
  /** Why, in your own words. */
  reason: string;
  /** Where it stands. */
  status: RefundStatus;
  /** The hash of the transaction; null until there is one. */
  tx_hash: string | null;
  /** When it was created. ISO 8601 in UTC. */
  created_at: string;
  /** When it was paid; null until then. ISO 8601 in UTC. */
  paid_at: string | null;
  /** Why it is not paid, or not paid yet. */
  failure_reason: RefundFailureReason | null;
  /** How often sending was begun. */
  attempts: number;
  /** When it last changed. ISO 8601 in UTC. */
  updated_at: string;
  /** The stray that it gives back; else null. */
  stray_id: string | null;
  /** What is sent, in the token, as a decimal. */
  token_amount: string;
}

export interface RefundList {
  /** The rows of this page. */
  data: Refund[];
  /** Whether more rows follow this page. */
  has_more: boolean;
  /** Send it as `starting_after` to get the next page; null on the last page. */
  next_cursor: string | null;
}

export interface RefundsToPayers {
  /** One refund for each payer, those that send most first. */
  data: Refund[];
}

export interface RouteCandidate {
  /** Its id. */
  id: string;
  /** Who carries the transaction out, such as `direct` or `lifi`. */
  provider: RouteProvider;
  /** Whether it was the one taken. */
  chosen: boolean;
  /** Whether the routing advisor preferred it. */
  ai_pick: boolean;
  /** How good it is by cost and time; higher is better. */
  score: number;
  /** The chain on which the payer pays. */
  from_chain: string;
  /** The chain on which the money arrives. */
  to_chain: string;
  /** The symbol of the token that the payer pays with. */
  from_token: string;
  /** The symbol of the token that arrives. */
  to_token: string;
  /** What would arrive, in US dollars. */
  to_amount_usd: string;
  /** Fees of the provider, in US dollars. */
  fee_usd: string;
  /** Network fees, in US dollars. */
  gas_usd: string;
  /** How long it is expected to take, in seconds. */
  duration_sec: number;
  /** Why it was taken or not; null if nothing was said. */
  reason: string | null;
  /** Why it cannot be taken; null if it can. */
  error: string | null;
  /** When it was created. ISO 8601 in UTC. */
  created_at: string;
}

export interface RouteCandidateList {
  /** The rows of this page. */
  data: RouteCandidate[];
  /** Whether more rows follow this page. */
  has_more: boolean;
  /** Send it as `starting_after` to get the next page; null on the last page. */
  next_cursor: string | null;
}

export interface Scenario {
  /** Its name. */
  name: ScenarioName;
  /** What it does, in one sentence. */
  about: string;
  /** Which resource it can be asked of. */
  applies_to: ScenarioSubject;
  /** The status in which that ends when nothing more is done. */
  ends_in: ScenarioEnd;
}

export interface ScenarioList {
  /** The rows of this page. */
  data: Scenario[];
  /** Whether more rows follow this page. */
  has_more: boolean;
  /** Send it as `starting_after` to get the next page; null on the last page. */
  next_cursor: string | null;
}

export interface Stray {
  /** Names it where it is given back: `stray_id` of a refund. */
  id: string;
  /** The chain's name, such as `base` or `solana`. */
  chain: string;
  /** The symbol of the token; null where it is on no list. */
  token: string | null;
  /** The token's contract or mint. */
  token_address: string;
  /** How much came, in the token, as a decimal string; null where its decimals are unknown. */
  amount: string | null;
  /** The hash of the transaction; null until there is one. */
  tx_hash: string;
  /** The wallet that provably sent it; null: nobody's. */
  payer: string | null;
}

export interface TransactionHint {
  /** The hash that was reported. */
  tx_hash: string;
  /** Who reported it. */
  by: HintReporter;
  /** When it was reported. ISO 8601 in UTC. */
  reported_at: string;
  /** What the chain said about it; null while it is being looked for. */
  verdict: HintVerdict | null;
  /** When the verdict was reached; null while there is none. ISO 8601 in UTC. */
  checked_at: string | null;
}

export interface TriggeredTestEvent {
  /** Its id. */
  id: string;
  /** The type of the event. */
  type: string;
}

export interface WebhookDelivery {
  /** Its id. */
  id: string;
  /** The event that is delivered. */
  event_id: string;
  /** The type of that event. */
  event_type: EventType;
  /** Where the delivery stands. */
  status: DeliveryStatus;
  /** How many times it was sent. */
  attempt_count: number;
  /** When it is tried again; null if it is not. ISO 8601 in UTC. */
  next_attempt_at: string | null;
  /** When it was created. ISO 8601 in UTC. */
  created_at: string;
  /** When it was delivered or given up; null while it is due. ISO 8601 in UTC. */
  finished_at: string | null;
  /** Each POST and what came of it, oldest first. */
  attempts: DeliveryAttempt[];
}

export interface WebhookDeliveryList {
  /** The rows of this page. */
  data: WebhookDelivery[];
  /** Whether more rows follow this page. */
  has_more: boolean;
  /** Send it as `starting_after` to get the next page; null on the last page. */
  next_cursor: string | null;
}

export interface WebhookEndpoint {
  /** Its id. */
  id: string;
  /** `push`: posted to its URL. `pull`: fetched and answered by you. */
  kind: EndpointKind;
  /** Where events are posted; null where they are fetched. */
  url: string | null;
  /** The event types that it receives; `<resource>.*` and `*` stand for several. */
  events: EventSubscription[];
  /** Whether events are sent to it. */
  enabled: boolean;
  /** When it was created. ISO 8601 in UTC. */
  created_at: string;
  /** Why it is off; null while it is enabled. */
  disabled_reason: EndpointDisabledReason | null;
}

export interface WebhookEndpointEventData {
  /** The endpoint. */
  id: string;
  /** Where events were posted; null where they are fetched. */
  url: string | null;
  /** Whether events are sent to it. */
  enabled: boolean;
  /** Why it was switched off. */
  reason: EndpointDisabledReason;
}

export interface WebhookEndpointList {
  /** The rows of this page. */
  data: WebhookEndpoint[];
  /** Whether more rows follow this page. */
  has_more: boolean;
  /** Send it as `starting_after` to get the next page; null on the last page. */
  next_cursor: string | null;
}

export interface WebhookEndpointWithSecret {
  /** Its id. */
  id: string;
  /** `push`: posted to its URL. `pull`: fetched and answered by you. */
  kind: EndpointKind;
  /** Where events are posted; null where they are fetched. */
  url: string | null;
  /** The event types that it receives; `<resource>.*` and `*` stand for several. */
  events: EventSubscription[];
  /** Whether events are sent to it. */
  enabled: boolean;
  /** When it was created. ISO 8601 in UTC. */
  created_at: string;
  /** Why it is off; null while it is enabled. */
  disabled_reason: EndpointDisabledReason | null;
  /** The signing secret, `whsec_…`; shown here and never again. */
  secret: string;
}

export interface WebhookEventResource {
  /** The kind of resource, such as `payment_intent`. */
  type: EventResourceType;
  /** The id of that resource. */
  id: string;
}

export interface WrongAnswer {
  /** Exactly as they were sent. */
  headers: Record<string, string>;
  /** Exactly as it was sent. */
  body: string;
  /** What your receiver answered; null if no answer came. */
  status: number | null;
  /** Why no answer came, one stable word; null if one did. */
  error: ReceiverTestError | null;
  /** The first ones, shortened. */
  answer_headers: Record<string, string>;
  /** The beginning, as text. */
  answer_body: string;
  /** How long the answer took, in milliseconds. */
  latency_ms: number;
}

/** What every event has. */
export interface EventOf<Type, Data> {
  type: Type;
  data: Data;
  /** `evt_` and 32 hex digits; the same in every attempt. */
  id: string;
  /** When it happened. ISO 8601 in UTC. */
  created_at: string;
  /** Whether real money moves: `live`, or `test`. */
  mode: Mode;
  /** The version of this API. */
  api_version: string;
  /** Counts without gaps per resource. */
  sequence: number;
  /** The resource that the event is about. */
  resource: WebhookEventResource;
}

/**
 * Of a type that this SDK does not know: what is left in `default:` of a `switch` on `event.type`. Its type is any
 * text; it is written as what no event has, so that it overlaps with none. Compare `String(event.type)`.
 */
export type UnknownEvent = EventOf<`?${string}`, Record<string, unknown>>;

/** An intent was created. */
export type PaymentIntentCreatedEvent = EventOf<"payment_intent.created", PaymentIntentEventData>;

/** A routing plan was produced. */
export type PaymentIntentQuotedEvent = EventOf<"payment_intent.quoted", PaymentIntentEventData>;

/** The payer's transaction was seen; funds are moving. */
export type PaymentIntentExecutingEvent = EventOf<"payment_intent.executing", PaymentIntentEventData>;

/** Some funds arrived, less than the amount, and nothing is under way. */
export type PaymentIntentPartiallyFilledEvent = EventOf<"payment_intent.partially_filled", PaymentIntentPartiallyFilledEventData>;

/** The amount arrived and is final enough for the merchant's policy. Once per intent, ever. */
export type PaymentIntentSettledEvent = EventOf<"payment_intent.settled", PaymentIntentSettledEventData>;

/** The intent ended without payment. */
export type PaymentIntentFailedEvent = EventOf<"payment_intent.failed", PaymentIntentEventData>;

/** The intent's time ran out; partially_funded tells whether something had arrived. */
export type PaymentIntentExpiredEvent = EventOf<"payment_intent.expired", PaymentIntentExpiredEventData>;

/** The merchant cancelled the intent. */
export type PaymentIntentCancelledEvent = EventOf<"payment_intent.cancelled", PaymentIntentEventData>;

/** Everything that had arrived was refunded. */
export type PaymentIntentRefundedEvent = EventOf<"payment_intent.refunded", PaymentIntentEventData>;

/** Funds arrived after the intent had expired or was cancelled. */
export type PaymentIntentLatePaymentEvent = EventOf<"payment_intent.late_payment", PaymentIntentLatePaymentEventData>;

/** More arrived than was asked for. */
export type PaymentIntentOverpaidEvent = EventOf<"payment_intent.overpaid", PaymentIntentOverpaidEventData>;

/** A settlement disappeared from its chain before it was final. */
export type PaymentIntentSettlementReversedEvent = EventOf<"payment_intent.settlement_reversed", PaymentIntentEventData>;

/** A reversed settlement is back. */
export type PaymentIntentSettlementRestoredEvent = EventOf<"payment_intent.settlement_restored", PaymentIntentEventData>;

/** A chain took money away that was refunded or paid out already: owed_usd. */
export type PaymentIntentFundsOwedEvent = EventOf<"payment_intent.funds_owed", PaymentIntentFundsOwedEventData>;

/** A token came with a payment that it does not settle in: strays. */
export type PaymentIntentStrayArrivedEvent = EventOf<"payment_intent.stray_arrived", PaymentIntentStrayArrivedEventData>;

/** A transaction with this payment's mark counts for another one. */
export type PaymentIntentPaymentCountedElsewhereEvent = EventOf<"payment_intent.payment_counted_elsewhere", PaymentIntentEventData>;

/** A refund was created. */
export type RefundCreatedEvent = EventOf<"refund.created", RefundEventData>;

/** A refund waits for somebody to say where to send it. */
export type RefundMissingDestinationEvent = EventOf<"refund.missing_destination", RefundEventData>;

/** A refund is being sent. */
export type RefundProcessingEvent = EventOf<"refund.processing", RefundEventData>;

/** A refund is confirmed on its chain. */
export type RefundPaidEvent = EventOf<"refund.paid", RefundEventData>;

/** A refund failed for good. */
export type RefundFailedEvent = EventOf<"refund.failed", RefundEventData>;

/** A refund was cancelled before it was sent. */
export type RefundCancelledEvent = EventOf<"refund.cancelled", RefundEventData>;

/** A payout was created. */
export type PayoutCreatedEvent = EventOf<"payout.created", PayoutEventData>;

/** A payout is being sent. */
export type PayoutProcessingEvent = EventOf<"payout.processing", PayoutEventData>;

/** A payout could not be sent and will be tried again. */
export type PayoutRetryScheduledEvent = EventOf<"payout.retry_scheduled", PayoutEventData>;

/** A payout waits for approval, for the merchant or for a provider. */
export type PayoutPausedEvent = EventOf<"payout.paused", PayoutEventData>;

/** A payout is paid. */
export type PayoutPaidEvent = EventOf<"payout.paid", PayoutEventData>;

/** A payout failed. */
export type PayoutFailedEvent = EventOf<"payout.failed", PayoutEventData>;

/** An endpoint was switched off because deliveries to it failed. */
export type WebhookEndpointDisabledEvent = EventOf<"webhook_endpoint.disabled", WebhookEndpointEventData>;

/** Somebody asked for a test event. */
export type PingEvent = EventOf<"ping", PingEventData>;

/** Everything that can arrive; `event.type` says which, and narrows `event.data`. */
export type Event =
  | PaymentIntentCreatedEvent
  | PaymentIntentQuotedEvent
  | PaymentIntentExecutingEvent
  | PaymentIntentPartiallyFilledEvent
  | PaymentIntentSettledEvent
  | PaymentIntentFailedEvent
  | PaymentIntentExpiredEvent
  | PaymentIntentCancelledEvent
  | PaymentIntentRefundedEvent
  | PaymentIntentLatePaymentEvent
  | PaymentIntentOverpaidEvent
  | PaymentIntentSettlementReversedEvent
  | PaymentIntentSettlementRestoredEvent
  | PaymentIntentFundsOwedEvent
  | PaymentIntentStrayArrivedEvent
  | PaymentIntentPaymentCountedElsewhereEvent
  | RefundCreatedEvent
  | RefundMissingDestinationEvent
  | RefundProcessingEvent
  | RefundPaidEvent
  | RefundFailedEvent
  | RefundCancelledEvent
  | PayoutCreatedEvent
  | PayoutProcessingEvent
  | PayoutRetryScheduledEvent
  | PayoutPausedEvent
  | PayoutPaidEvent
  | PayoutFailedEvent
  | WebhookEndpointDisabledEvent
  | PingEvent
  | UnknownEvent;

/** What listRequests takes. */
export interface ListRequestsParams {
  /** Newer than this one; not with the other. */
  ending_before?: string | undefined;
  /** How many rows a page has at most. */
  limit?: number | undefined;
  /** The whole path that was asked for. */
  path?: string | undefined;
  /** Older than this one; not with the other. */
  starting_after?: string | undefined;
  /** What was answered: statuses like `404`, or whole classes like `5xx`, separated by commas. */
  status?: string | undefined;
}

/** Who your key is: its merchant and mode, what it may do, and how often. */
export interface Account {
  /** Retrieve the account of a key. Answers whose key it is, in which mode it works, what it may do and how often. */
  get(options?: CallOptions): Promise<Account>;
  /**
   * List requests, newest first. Lists what your keys asked and were answered in the last 30 days, redacted: a key, an
   * address or words of customers never stand in it. A page of a filter may be empty and the list go on: read
   * `has_more`.
   */
  listRequests(params?: ListRequestsParams, options?: CallOptions): List<LoggedRequest, LoggedRequestList>;
}

/** What listEvents takes. */
export interface ListEventsParams {
  /** A `cursor` of this list. `now`: only what is still to come. Without: from the oldest kept. */
  after?: string | undefined;
  /** How many rows a page has at most. */
  limit?: number | undefined;
  /** Only events of this resource. */
  resource_id?: string | undefined;
  /** Event types or `<resource>.*`, separated by commas. */
  type?: string | undefined;
  /** Answer when there is an event, or after so many seconds. */
  wait?: number | undefined;
}

/** What your webhook endpoints are sent. */
export interface Events {
  /** Retrieve an event. Reads one event exactly as it is sent to endpoints. */
  get(eventId: string, options?: CallOptions): Promise<Event>;
  /**
   * List events, oldest first. Reads every event in one order that never changes. Go on from `cursor` and none is
   * missed.
   */
  list(params?: ListEventsParams, options?: CallOptions): List<Event, EventList>;
}

/** Is the service up? */
export interface Health {
  /**
   * Read whether the service is up. Answers whether the service reaches its database. Made for load balancers; needs
   * no key.
   */
  get(options?: CallOptions): Promise<HealthStatus>;
  /**
   * Read whether the service can work. Checks everything that the service depends on: workers, queues, chains and
   * providers.
   */
  getReadiness(options?: CallOptions): Promise<Readiness>;
}

/** What createPaymentIntent takes. */
export interface CreatePaymentIntentParams {
  /** US dollars, at most two decimals. */
  amount: Amount;
  /** Only USD; the default. */
  currency?: string | null | undefined;
  /** The chain to settle on, such as `base`; by default the one set on the dashboard. */
  settlement_chain?: string | null | undefined;
  /** The token to settle in, such as `USDC`; by default the one set on the dashboard. */
  settlement_token?: string | null | undefined;
  /** Where the money settles; by default the address set on the dashboard. */
  settlement_address?: string | null | undefined;
  /** The payer's e-mail address, for the receipt. */
  customer_email?: string | null | undefined;
  /** How long the payer has; 30 minutes if it is left out. */
  expires_in_seconds?: number | null | undefined;
  /** Your own keys and values; returned in answers and events. */
  metadata?: Record<string, unknown> | null | undefined;
  /** Your own order number. */
  reference?: string | null | undefined;
  /** Where the payer is sent back to after paying. */
  return_url?: string | null | undefined;
}

/** What getPaymentIntent takes. */
export interface GetPaymentIntentParams {
  /** Answer when its status is another one than now, at once where that is over, or after so many seconds. */
  wait?: number | undefined;
}

/** What listPaymentIntents takes. */
export interface ListPaymentIntentsParams {
  /** Asked for at least so many dollars. */
  amount_gte?: Amount | undefined;
  /** Asked for at most so many dollars. */
  amount_lte?: Amount | undefined;
  /** Created at or after this RFC 3339 time. */
  created_gte?: Moment | undefined;
  /** Created before this RFC 3339 time. */
  created_lt?: Moment | undefined;
  /** The payer's e-mail address, exactly. */
  customer_email?: string | undefined;
  /** Newer than this one; not with the other. */
  ending_before?: string | undefined;
  /** How many rows a page has at most. */
  limit?: number | undefined;
  /** By a value of your own: `metadata[order]=42`. */
  metadata?: Record<string, string> | undefined;
  /** An id, reference, e-mail, address or transaction hash, exactly. */
  q?: string | undefined;
  /** Your own order number. */
  reference?: string | undefined;
  /** The chain that the money settles on. */
  settlement_chain?: string | undefined;
  /** The symbol of the token that the money settles in. */
  settlement_token?: string | undefined;
  /** Older than this one; not with the other. */
  starting_after?: string | undefined;
  /** One status, or several separated by commas. */
  status?: string | undefined;
}

/** What listPaymentIntentRoutes takes. */
export interface ListPaymentIntentRoutesParams {
  /** How many rows a page has at most. */
  limit?: number | undefined;
  /** What follows this one in the list. */
  starting_after?: string | undefined;
}

/** What listPaymentIntentTransactions takes. */
export interface ListPaymentIntentTransactionsParams {
  /** How many rows a page has at most. */
  limit?: number | undefined;
  /** What follows this one in the list. */
  starting_after?: string | undefined;
}

/** What you want to be paid, and how it went. */
export interface PaymentIntents {
  /** Create a payment intent. Creates a payment of an amount in US dollars. Send the payer to its `checkout_url`. */
  create(params: CreatePaymentIntentParams, options?: CallOptions): Promise<PaymentIntent>;
  /** Retrieve a payment intent. Reads a payment intent as it is now. */
  get(intentId: string, params?: GetPaymentIntentParams, options?: CallOptions): Promise<PaymentIntent>;
  /** List payment intents. Lists payment intents, newest first, filtered by what the parameters say. */
  list(params?: ListPaymentIntentsParams, options?: CallOptions): List<PaymentIntent, PaymentIntentList>;
  /** Accept a partial payment. Settles a partially paid intent for what has arrived. This cannot be taken back. */
  acceptPartial(intentId: string, options?: CallOptions): Promise<PaymentIntent>;
  /**
   * Cancel a payment intent. Cancels a payment for which nothing arrived and nothing is on its way. Later money can be
   * refunded.
   */
  cancel(intentId: string, options?: CallOptions): Promise<PaymentIntent>;
  /**
   * Explain a payment intent. Says in words what happened to a payment, where its money is, and who has to do what
   * next.
   */
  explain(intentId: string, options?: CallOptions): Promise<Explanation>;
  /**
   * Retrieve the flight record of a payment. Reads everything that happened to a payment as a chain of hashes with the
   * service's signatures over it. Anyone can check it without the service.
   */
  getFlightRecord(intentId: string, options?: CallOptions): Promise<FlightRecord>;
  /**
   * List the routes of a payment. Lists the routes that were compared for a payment, with costs, times and which one
   * was taken.
   */
  listRoutes(intentId: string, params?: ListPaymentIntentRoutesParams, options?: CallOptions): List<RouteCandidate, RouteCandidateList>;
  /**
   * List the transactions of a payment. Lists the transactions of a payment with their hashes, confirmations and
   * amounts.
   */
  listTransactions(intentId: string, params?: ListPaymentIntentTransactionsParams, options?: CallOptions): List<Leg, LegList>;
}

/** What listPayouts takes. */
export interface ListPayoutsParams {
  /** Created at or after this RFC 3339 time. */
  created_gte?: Moment | undefined;
  /** Created before this RFC 3339 time. */
  created_lt?: Moment | undefined;
  /** Newer than this one; not with the other. */
  ending_before?: string | undefined;
  /** How many rows a page has at most. */
  limit?: number | undefined;
  /** Of this intent only. */
  payment_intent_id?: string | undefined;
  /** Older than this one; not with the other. */
  starting_after?: string | undefined;
  /** One status, or several separated by commas. */
  status?: string | undefined;
}

/** What was paid out to you of settled intents. */
export interface Payouts {
  /** Retrieve a payout. Reads a payout as it is now. */
  get(payoutId: string, options?: CallOptions): Promise<Payout>;
  /** List payouts. Lists payouts, newest first, filtered by what the parameters say. */
  list(params?: ListPayoutsParams, options?: CallOptions): List<Payout, PayoutList>;
  /**
   * Send a failed payout again. Puts a failed payout back in the queue. What may have reached a chain already is
   * followed first.
   */
  replay(payoutId: string, options?: CallOptions): Promise<Payout>;
}

/** All that createRefund takes. */
export interface CreateRefundParamsKeys {
  /** The payment intent, with or without the prefix `pi_`. */
  intent_id: string;
  /** US dollars, at most six decimals. */
  amount_usd?: Amount | undefined;
  /** The payer's address on the settlement chain. Without one the refund waits for it. */
  destination?: string | null | undefined;
  /** Shown to the payer, with the refund. */
  reason?: string | null | undefined;
  /** True: refund also what was paid out to you already, from other funds that you hold. */
  from_other_funds?: boolean | undefined;
  /** `id` in the `strays` of one of the payment's transactions. */
  stray_id?: string | undefined;
}
/** What createRefund takes: one of these forms. */
export type CreateRefundParams = CreateRefundParamsKeys & (Required<Pick<CreateRefundParamsKeys, "amount_usd">> | Required<Pick<CreateRefundParamsKeys, "stray_id">>);

/** What listRefunds takes. */
export interface ListRefundsParams {
  /** Newer than this one; not with the other. */
  ending_before?: string | undefined;
  /** How many rows a page has at most. */
  limit?: number | undefined;
  /** Refunds of this intent. */
  payment_intent_id?: string | undefined;
  /** Older than this one; not with the other. */
  starting_after?: string | undefined;
  /** One status, or several separated by commas. */
  status?: string | undefined;
}

/** What setRefundDestination takes. */
export interface SetRefundDestinationParams {
  /** The payer's address on the refund's chain. */
  destination: string;
}

/** What refundToPayers takes. */
export interface RefundToPayersParams {
  /** The payment intent, with or without the prefix `pi_`. */
  intent_id: string;
  /** Shown to each payer, with its refund. */
  reason?: string | null | undefined;
}

/** What goes back to payers. */
export interface Refunds {
  /**
   * Create a refund. Refunds a part or all of a payment, or gives a stray token back. Without a destination the refund
   * waits until the payer or you name one.
   */
  create(params: CreateRefundParams, options?: CallOptions): Promise<Refund>;
  /** Retrieve a refund. Reads a refund as it is now. */
  get(refundId: string, options?: CallOptions): Promise<Refund>;
  /** List refunds. Lists refunds, newest first, filtered by what the parameters say. */
  list(params?: ListRefundsParams, options?: CallOptions): List<Refund, RefundList>;
  /** Cancel a refund. Cancels a refund of which nothing was signed yet. */
  cancel(refundId: string, options?: CallOptions): Promise<Refund>;
  /** List who paid. Lists the wallets that provably paid an intent, with what each paid and what of it was refunded. */
  listPaymentIntentPayers(intentId: string, options?: CallOptions): Promise<IntentPayers>;
  /** Set where a refund goes. Names the address of a refund that waits for one. The refund is sent next. */
  setDestination(refundId: string, params: SetRefundDestinationParams, options?: CallOptions): Promise<Refund>;
  /**
   * Refund each payer. Sends every wallet that provably paid what it did not get back yet: a refund for each, or none
   * at all.
   */
  toPayers(params: RefundToPayersParams, options?: CallOptions): Promise<RefundsToPayers>;
}

/** What advanceTestClock takes. */
export interface AdvanceTestClockParams {
  /** By how many seconds the test clock is moved forward. */
  seconds: number;
}

/** What payTestPaymentIntent takes. */
export interface PayTestPaymentIntentParams {
  /** What should happen; see the list. */
  scenario?: ScenarioName | null | undefined;
}

/** What triggerTestEvent takes. */
export interface TriggerTestEventParams {
  /** An event type by its exact name. */
  type: EventType;
  /** Keys that replace those of the sample. */
  data?: Record<string, unknown> | undefined;
}

/** Test keys only: pay without a browser, move the test clock, send sample events. */
export interface TestHelpers {
  /** Advance the test clock. Test mode only: makes everything due that would be due within so many seconds. */
  advanceClock(params: AdvanceTestClockParams, options?: CallOptions): Promise<AdvancedTestClock>;
  /** List the scenarios of test mode. Test mode only: lists the outcomes that can be asked for. */
  listScenarios(options?: CallOptions): List<Scenario, ScenarioList>;
  /** Pay a test payment. Test mode only: pays as a payer would, with the outcome that the scenario names. */
  payPaymentIntent(intentId: string, params?: PayTestPaymentIntentParams, options?: CallOptions): Promise<PaymentIntent>;
  /** Send a sample event. Test mode only: sends a sample event of one type to your endpoints. */
  triggerEvent(params: TriggerTestEventParams, options?: CallOptions): Promise<TriggeredTestEvent>;
}

/** What listTokens takes. */
export interface ListTokensParams {
  /** Only this chain: a name or an alias (`bsc`, `eth`, `matic`), in any letter case. */
  chain?: ListTokensChain | undefined;
}

/** Tokens that payers can use. */
export interface Tokens {
  /** List tokens. Every token the service knows, ordered by chain, symbol and address. Complete, not paged. */
  list(params?: ListTokensParams, options?: CallOptions): List<ListedToken, ListedTokenList>;
}

/** What createWebhookEndpoint takes. */
export interface CreateWebhookEndpointParams {
  /** `pull` has no URL: you fetch its events. */
  kind?: EndpointKind | undefined;
  /** Where events are posted: https, a public host. Required unless `kind` is `pull`. */
  url?: string | undefined;
  /** Event types, `<resource>.*` or `*`. */
  events: EventSubscription[];
  /** False: it is created, and receives nothing yet. */
  enabled?: boolean | undefined;
}

/** What updateWebhookEndpoint takes. */
export interface UpdateWebhookEndpointParams {
  /** Where events are posted to. */
  url?: string | undefined;
  /** Event types, `<resource>.*` or `*`. */
  events?: EventSubscription[] | undefined;
  /** False switches it off; true switches it on again. */
  enabled?: boolean | undefined;
}

/** What answerWebhookDelivery takes. */
export interface AnswerWebhookDeliveryParams {
  /** As it was given out. */
  delivery_id: string;
  /** As it was given out. */
  attempt: number;
  /** What your receiver answered; any 2xx is a success. */
  status?: number | undefined;
  /** Why nothing answered, in the place of `status`. */
  error?: DeliveryError | undefined;
  /** Its beginning is kept. */
  body?: string | undefined;
  /** How long the answer took, in milliseconds. */
  latency_ms?: number | undefined;
}

/** What listWebhookDeliveries takes. */
export interface ListWebhookDeliveriesParams {
  /** Newer than this one; not with the other. */
  ending_before?: string | undefined;
  /** How many rows a page has at most. */
  limit?: number | undefined;
  /** Older than this one; not with the other. */
  starting_after?: string | undefined;
  /** One status, or several separated by commas. */
  status?: string | undefined;
}

/** What pullWebhookDeliveries takes. */
export interface PullWebhookDeliveriesParams {
  /** How many rows a page has at most. */
  limit?: number | undefined;
  /** Answer when something is due, or after so many seconds. */
  wait?: number | undefined;
}

/** What recoverWebhookEndpoint takes. */
export interface RecoverWebhookEndpointParams {
  /** ISO 8601 with an offset; events are kept for 30 days. */
  since: Moment;
}

/** Where you are told, with what signature, and what was delivered. */
export interface WebhookEndpoints {
  /** Create a webhook endpoint. Creates an endpoint that events are sent to, signed with its own secret. */
  create(params: CreateWebhookEndpointParams, options?: CallOptions): Promise<WebhookEndpointWithSecret>;
  /** Retrieve a webhook endpoint. Reads a webhook endpoint. Its secret is never shown again. */
  get(endpointId: string, options?: CallOptions): Promise<WebhookEndpoint>;
  /** List webhook endpoints. Lists all endpoints of this mode, newest first. */
  list(options?: CallOptions): List<WebhookEndpoint, WebhookEndpointList>;
  /**
   * Update a webhook endpoint. Changes where events are posted to, which ones, and whether at all. What is left out
   * stays.
   */
  update(endpointId: string, params?: UpdateWebhookEndpointParams, options?: CallOptions): Promise<WebhookEndpoint>;
  /** Delete a webhook endpoint. Deletes an endpoint and its secrets. Nothing more is sent to it. */
  delete(endpointId: string, options?: CallOptions): Promise<DeletedWebhookEndpoint>;
  /**
   * Answer a delivery that was fetched. Records what your receiver answered to a fetched delivery. It counts like an
   * answer to a POST.
   */
  answerDelivery(endpointId: string, params: AnswerWebhookDeliveryParams, options?: CallOptions): Promise<WebhookDelivery>;
  /** Test a receiver. Has a worker send hostile requests to an endpoint's URL. None of them can be taken for news. */
  certify(endpointId: string, options?: CallOptions): Promise<ReceiverCertificate>;
  /**
   * Retrieve a receiver's certificate. Reads what the last test found of an endpoint's receiver, with the exact
   * requests answered wrong.
   */
  getCertificate(endpointId: string, options?: CallOptions): Promise<ReceiverCertificate>;
  /**
   * List deliveries with their attempts. Lists what was sent to an endpoint, newest first, each with every attempt and
   * its answer.
   */
  listDeliveries(endpointId: string, params?: ListWebhookDeliveriesParams, options?: CallOptions): List<WebhookDelivery, WebhookDeliveryList>;
  /**
   * Fetch deliveries of an endpoint without URL. Gives out signed deliveries to who has no public address. Each is
   * kept for you for 30 seconds.
   */
  pullDeliveries(endpointId: string, params?: PullWebhookDeliveriesParams, options?: CallOptions): Promise<PulledDeliveryList>;
  /** Send undelivered events again. Sends every event again that was not delivered to an endpoint since a time. */
  recover(endpointId: string, params: RecoverWebhookEndpointParams, options?: CallOptions): Promise<Recovery>;
  /** Send a delivery again. Sends one event to one endpoint again, whether it was delivered or not. */
  resendDelivery(endpointId: string, deliveryId: string, options?: CallOptions): Promise<WebhookDelivery>;
  /** Rotate the signing secret. Gives an endpoint a new secret. The old one signs as well for 24 hours. */
  rotateSecret(endpointId: string, options?: CallOptions): Promise<WebhookEndpointWithSecret>;
}

/** The whole API. */
export interface Resources {
  readonly account: Account;
  readonly events: Events;
  readonly health: Health;
  readonly paymentIntents: PaymentIntents;
  readonly payouts: Payouts;
  readonly refunds: Refunds;
  readonly testHelpers: TestHelpers;
  readonly tokens: Tokens;
  readonly webhookEndpoints: WebhookEndpoints;
}
