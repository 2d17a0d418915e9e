// Written by sdks/generator/typescript.py from docs/openapi.yaml. Do not edit.

import type { CallOptions, List } from "./core.js";

export const VERSION = "1.2.0";
/** Of the API that these types describe. */
export const API_VERSION = "1.2.0";

/** What core.ts sends: verb or LIST, path, and `+` or a list's cursor where the method takes parameters. */
export const OPERATIONS = {
  account: { get: "GET account" },
  events: { get: "GET events/{}", list: "LIST events after" },
  health: { get: "GET ../health", getReadiness: "GET ../health/ready" },
  paymentIntents: {
    create: "POST payment-intents +",
    get: "GET payment-intents/{}",
    list: "LIST payment-intents starting_after",
    acceptPartial: "POST payment-intents/{}/accept-partial",
    cancel: "POST payment-intents/{}/cancel",
    explain: "GET payment-intents/{}/explain",
    listRoutes: "LIST payment-intents/{}/routing starting_after",
    listTransactions: "LIST payment-intents/{}/transactions starting_after",
  },
  payouts: { get: "GET payouts/{}", list: "LIST payouts starting_after", replay: "POST payouts/{}/replay" },
  refunds: {
    create: "POST refunds +",
    get: "GET refunds/{}",
    list: "LIST refunds starting_after",
    cancel: "POST refunds/{}/cancel",
    listPaymentIntentPayers: "GET payment-intents/{}/payers",
    setDestination: "POST refunds/{}/destination +",
    toPayers: "POST refunds/to-payers +",
  },
  testHelpers: {
    advanceClock: "POST test-helpers/clock/advance +",
    listScenarios: "LIST test-helpers/scenarios",
    payPaymentIntent: "POST test-helpers/payment-intents/{}/pay +",
    triggerEvent: "POST test-helpers/events/trigger +",
  },
  tokens: { list: "LIST tokens -" },
  webhookEndpoints: {
    create: "POST webhook-endpoints +",
    get: "GET webhook-endpoints/{}",
    list: "LIST webhook-endpoints",
    update: "PATCH webhook-endpoints/{} +",
    delete: "DELETE webhook-endpoints/{}",
    listDeliveries: "LIST webhook-endpoints/{}/deliveries starting_after",
    recover: "POST webhook-endpoints/{}/recover +",
    resendDelivery: "POST webhook-endpoints/{}/deliveries/{}/resend",
    rotateSecret: "POST webhook-endpoints/{}/rotate-secret",
  },
};

/** How many decimals the amounts of requests take. */
export const DECIMALS = { amount: 2, amount_usd: 6 };

/** An amount in dollars: a number, or its text, with no more decimals than the field takes. */
export type Amount = number | string;
/** A moment: a Date, or RFC 3339 text. */
export type Moment = Date | string;

/** What was refused; a code never changes its meaning. */
export type ErrorCode =
  | "address_not_allowed"
  | "currency_unsupported"
  | "cursor_expired"
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

export type PaymentIntentEventDataFailureReason =
  | "route_unavailable"
  | "price_unavailable"
  | "execution_failed"
  | "bridge_refunded"
  | "bridge_unfilled"
  | "signature_missing"
  | "counted_elsewhere"
  | (string & {});

export type PaymentIntentEventDataMode = "test" | "live" | (string & {});

export type PaymentIntentEventDataStatus =
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

export type PaymentIntentEventMode = "test" | "live" | (string & {});

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

/** Why it is not paid, or not paid yet. */
export type PayoutEventDataFailureReason =
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

export type PayoutEventDataRail = "direct" | "evm" | "solana" | "merchant_wallet" | "simulated" | (string & {});

export type PayoutEventDataStatus =
  | "queued"
  | "pending"
  | "processing"
  | "pending_provider"
  | "retry_scheduled"
  | "paid"
  | "failed"
  | "paused"
  | (string & {});

export type PayoutEventMode = "test" | "live" | (string & {});

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

/** Why it is not paid, or not paid yet. */
export type RefundEventDataFailureReason =
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

export type RefundEventDataStatus = "pending" | "paid" | "failed" | "cancelled" | (string & {});

export type RefundEventMode = "test" | "live" | (string & {});

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
  merchant: AccountMerchant;
  /** Test moves no real money; live does. */
  mode: Mode;
  key: AccountKey;
  limits: RateLimit[];
  server_time: string;
  api_version: string;
}

export interface AccountKey {
  id: string;
  /** Whether a key may do everything, or only what it was given on the dashboard. */
  kind: KeyKind;
  /** What it may do; a secret key has every scope, and more. */
  scopes: KeyScope[];
}

export interface AccountMerchant {
  id: string;
  name: string;
}

export interface AdvancedTestClock {
  advanced_seconds: number;
}

export interface CheckResult {
  /** Whether a part of the service answers. */
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
  id: string;
  deleted: boolean;
}

export interface DeliveryAttempt {
  /** From 1; the same as the header Svc-Attempt. */
  number: number;
  at: string;
  latency_ms: number;
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
}

export interface Explanation {
  payment_intent_id: string;
  /** Where a payment intent stands. See docs/states for every change of status. */
  status: IntentStatus;
  /** The intent's own, as on the payer's page. */
  situation: PaymentSituation;
  /** Stable, machine-readable. */
  code: string;
  happened: string;
  because: string | null;
  /** Where the money is. */
  money: string;
  /** Who must act. */
  actor: WhoActs;
  /** The next safe step. */
  next: string;
  since: string | null;
  facts: ExplanationFacts;
  /** The same situation as the payer's page tells it. */
  payer: PayerWords;
  also: ExplanationLine[];
}

export interface ExplanationFacts {
  /** Of the refund or payout that the line is about. */
  id?: string;
  amount_usd?: string;
  received_usd?: string;
  due_usd?: string;
  overpaid_usd?: string;
  refunded_usd?: string;
  /** Paid by the payer on top of what arrived. */
  platform_fee_usd?: string;
  expires_at?: string;
  settled_at?: string;
  sent_at?: string;
  retry_at?: string;
  settlement_chain?: string;
  /** Where the transaction was sent. */
  chain?: string;
  tx_hash?: string;
  destination_tx_hash?: string;
  explorer_url?: string;
  confirmations?: number;
  confirmations_required?: number;
  typical_seconds?: number;
  attempts?: number;
  /** Why a payment, or one attempt to pay, failed. */
  error_code?: PaymentProblem;
  failure_reason?: string;
  /** Why an intent counts as settled although not exactly its amount arrived. */
  settled_reason?: SettledReason;
}

export interface ExplanationLine {
  /** Stable, machine-readable. */
  code: string;
  happened: string;
  because: string | null;
  /** Where the money is. */
  money: string;
  /** Who must act. */
  actor: WhoActs;
  /** The next safe step. */
  next: string;
  since: string | null;
  facts: ExplanationFacts;
}

export interface HealthStatus {
  status: string;
  ts: string;
}

export interface IntentPayers {
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
  id: string;
  payment_intent_id: string;
  sequence: number;
  /** What a transaction does with the money. */
  kind: LegKind;
  provider: string;
  chain: string;
  to_chain: string;
  token: string;
  to_token: string;
  amount: string;
  to_amount: string | null;
  amount_usd: string;
  fee_usd: string;
  gas_usd: string;
  /** Where a transaction stands on its chain. */
  status: LegStatus;
  sub_status: LegSubStatus | null;
  tx_hash: string | null;
  destination_tx_hash: string | null;
  explorer_url: string | null;
  block_number: number | null;
  confirmations: number;
  confirmations_required: number;
  payer_address: string;
  error: string | null;
  created_at: string;
  submitted_at: string | null;
  confirmed_at: string | null;
  updated_at: string;
  /** Other tokens that came with it: shown, and counted for nothing. */
  strays: Stray[];
  /** Hashes that were reported for it, and what became of each. */
  hints: TransactionHint[];
}

export interface LegList {
  data: Leg[];
  has_more: boolean;
  next_cursor: string | null;
}

export interface ListedToken {
  /** Lower-case chain name, such as base. */
  chain: string;
  /** Contract or mint; the zero address (EVM) or the system program (Solana) is the native coin. */
  address: string;
  /** For people. Copied by fakes: identify tokens by chain and address. */
  symbol: string;
  name: string;
  /** Differs by chain: USDC has 6 on Base and 18 on BNB Chain. */
  decimals: number;
  /** False: on the list, but nobody vouches for it; not offered by default. */
  verified: boolean;
}

export interface ListedTokenList {
  data: ListedToken[];
  has_more: boolean;
  next_cursor: string | null;
}

export interface PayerShare {
  wallet: string;
  /** `evm` or `solana`; null for a made-up test wallet. */
  family: WalletFamily | null;
  paid_usd: string;
  paid_units: string;
  /** By refunds to it, or claimed by it, that did not fail. */
  returned_usd: string;
  returned_units: string;
  /** What it paid and did not get back yet. */
  unreturned_usd: string;
  unreturned_units: string;
}

export interface PayerWords {
  happened: string;
  /** Where the money is. */
  money: string;
  /** What to do now. */
  next: string;
}

export interface PaymentIntent {
  id: string;
  /** Decimal string with two places. */
  amount: string;
  currency: string;
  /** Test moves no real money; live does. */
  mode: Mode;
  /** Where a payment intent stands. See docs/states for every change of status. */
  status: IntentStatus;
  checkout_url: string;
  settlement_chain: string;
  settlement_token: string;
  settlement_address: string;
  customer_email: string | null;
  expires_at: string;
  created_at: string;
  metadata: Record<string, unknown>;
  amount_received: string;
  amount_due: string;
  overpaid_usd: string;
  /** Paid by the payer on top of what arrived; null until it is settled. */
  platform_fee_usd: string | null;
  amount_refunded_usd: string;
  partially_funded: boolean;
  in_doubt: boolean;
  last_error: PaymentIntentLastError | null;
  failure_reason: PaymentProblem | null;
  settled_at: string | null;
  settled_reason: SettledReason | null;
  cancelled_at: string | null;
  reference: string | null;
  return_url: string | null;
}

export interface PaymentIntentEventData {
  id: string;
  /** Decimal string with two places. */
  amount: string;
  currency: string;
  settlement_chain: string;
  settlement_token: string;
  metadata: Record<string, unknown>;
  status: PaymentIntentEventDataStatus;
  mode: PaymentIntentEventDataMode;
  amount_received: string;
  failure_reason: PaymentIntentEventDataFailureReason | null;
  settled_at: string | null;
  reference: string | null;
  /** Paid by the payer on top of what arrived; null until it is settled. */
  platform_fee_usd?: string | null;
  net_settlement_usd?: string | null;
  amount_due?: string;
  partially_funded?: boolean;
  overpaid_usd?: string;
  owed_usd?: string;
  strays?: Stray[];
}

export interface PaymentIntentLastError {
  /** Why a payment, or one attempt to pay, failed. */
  code: PaymentProblem;
  message: string;
}

export interface PaymentIntentList {
  data: PaymentIntent[];
  has_more: boolean;
  next_cursor: string | null;
}

export interface Payout {
  id: string;
  payment_intent_id: string | null;
  /** How a payout is sent. */
  rail: PayoutRail;
  destination: string;
  chain: string;
  token: string;
  /** Decimal string with at least two places. */
  amount: string;
  currency: string;
  /** Where a payout stands. */
  status: PayoutStatus;
  tx_hash: string | null;
  /** Why it is not paid, or not paid yet. */
  failure_reason: PayoutFailureReason | null;
  attempts: number;
  next_attempt_at: string | null;
  paid_at: string | null;
  created_at: string;
}

export interface PayoutEventData {
  id: string;
  payment_intent_id: string | null;
  rail: PayoutEventDataRail;
  destination: string;
  chain: string;
  token: string;
  /** Decimal string with at least two places. */
  amount: string;
  currency: string;
  status: PayoutEventDataStatus;
  tx_hash: string | null;
  /** Why it is not paid, or not paid yet. */
  failure_reason: PayoutEventDataFailureReason | null;
  attempts: number;
  next_attempt_at: string | null;
  paid_at: string | null;
  created_at: string;
  metadata: Record<string, unknown>;
}

export interface PayoutList {
  data: Payout[];
  has_more: boolean;
  next_cursor: string | null;
}

export interface RateLimit {
  /** What is counted: all `requests` together, or those of one operation. */
  name: string;
  limit: number;
  per_seconds: number;
}

export interface Readiness {
  /** Whether a part of the service answers. */
  status: Availability;
  ts: string;
  checks: Record<string, CheckResult>;
}

export interface Recovery {
  id: string;
  /** How many events will be sent now. */
  scheduled: number;
  /** Whether to call again for the rest. */
  has_more: boolean;
}

export interface Refund {
  id: string;
  payment_intent_id: string;
  /** 0 where a stray is given back: it never counted as dollars. */
  amount_usd: string;
  chain: string;
  token: string;
  /** Empty until it is known. */
  destination: string;
  reason: string;
  /** Where a refund stands. */
  status: RefundStatus;
  tx_hash: string | null;
  created_at: string;
  paid_at: string | null;
  /** Why it is not paid, or not paid yet. */
  failure_reason: RefundFailureReason | null;
  /** How often sending was begun. */
  attempts: number;
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
  id: string;
  payment_intent_id: string;
  /** 0 where a stray is given back: it never counted as dollars. */
  amount_usd: string;
  chain: string;
  token: string;
  /** … and the last six characters. */
  destination_tail: string;
  reason: string;
  status: RefundEventDataStatus;
  tx_hash: string | null;
  created_at: string;
  paid_at: string | null;
  /** Why it is not paid, or not paid yet. */
  failure_reason: RefundEventDataFailureReason | null;
  /** How often sending was begun. */
  attempts: number;
  updated_at: string;
  /** The stray that it gives back; else null. */
  stray_id: string | null;
  /** What is sent, in the token, as a decimal. */
  token_amount: string;
}

export interface RefundList {
  data: Refund[];
  has_more: boolean;
  next_cursor: string | null;
}

export interface RefundsToPayers {
  data: Refund[];
}

export interface RouteCandidate {
  id: string;
  provider: string;
  chosen: boolean;
  ai_pick: boolean;
  score: number;
  from_chain: string;
  to_chain: string;
  from_token: string;
  to_token: string;
  to_amount_usd: string;
  fee_usd: string;
  gas_usd: string;
  duration_sec: number;
  reason: string | null;
  error: string | null;
  created_at: string;
}

export interface RouteCandidateList {
  data: RouteCandidate[];
  has_more: boolean;
  next_cursor: string | null;
}

export interface Scenario {
  name: string;
  about: string;
  /** What a scenario of test mode can be asked of. */
  applies_to: ScenarioSubject;
  /** The status in which that ends when nothing more is done. */
  ends_in: string;
}

export interface ScenarioList {
  data: Scenario[];
  has_more: boolean;
  next_cursor: string | null;
}

export interface Stray {
  /** Names it where it is given back: `stray_id` of a refund. */
  id: string;
  chain: string;
  token: string | null;
  token_address: string;
  amount: string | null;
  tx_hash: string;
  /** The wallet that provably sent it; null: nobody's. */
  payer: string | null;
}

export interface TransactionHint {
  tx_hash: string;
  /** Who reported a transaction hash. */
  by: HintReporter;
  reported_at: string;
  verdict: HintVerdict | null;
  checked_at: string | null;
}

export interface TriggeredTestEvent {
  id: string;
  type: string;
}

export interface WebhookDelivery {
  id: string;
  event_id: string;
  /** What happened. */
  event_type: EventType;
  /** Where a delivery stands: due, delivered, given up after the last attempt, or cancelled. */
  status: DeliveryStatus;
  attempt_count: number;
  next_attempt_at: string | null;
  created_at: string;
  finished_at: string | null;
  attempts: DeliveryAttempt[];
}

export interface WebhookDeliveryList {
  data: WebhookDelivery[];
  has_more: boolean;
  next_cursor: string | null;
}

export interface WebhookEndpoint {
  id: string;
  url: string;
  events: EventSubscription[];
  enabled: boolean;
  created_at: string;
  /** Why it is off; null while it is enabled. */
  disabled_reason: EndpointDisabledReason | null;
}

export interface WebhookEndpointList {
  data: WebhookEndpoint[];
  has_more: boolean;
  next_cursor: string | null;
}

export interface WebhookEndpointWithSecret {
  id: string;
  url: string;
  events: EventSubscription[];
  enabled: boolean;
  created_at: string;
  /** Why it is off; null while it is enabled. */
  disabled_reason: EndpointDisabledReason | null;
  /** The signing secret, `whsec_…`; shown here and never again. */
  secret: string;
}

export interface WebhookEventResource {
  /** The kind of resource that an event is about. */
  type: EventResourceType;
  id: string;
}

/** What every event has. */
export interface EventOf<Type, Data> {
  type: Type;
  data: Data;
  /** `evt_` and 32 hex digits; the same in every attempt. */
  id: string;
  created_at: string;
  mode: PaymentIntentEventMode;
  api_version: string;
  /** Counts without gaps per resource. */
  sequence: number;
  resource: WebhookEventResource;
}

declare const unknownType: unique symbol;
/** Of a type that this SDK does not know: what is left in `default:` of a `switch` on `event.type`. */
export type UnknownEvent = EventOf<string & { readonly [unknownType]: true }, Record<string, unknown>>;

/** An intent was created. */
export type PaymentIntentCreatedEvent = EventOf<"payment_intent.created", PaymentIntentEventData>;

/** A routing plan was produced. */
export type PaymentIntentQuotedEvent = EventOf<"payment_intent.quoted", PaymentIntentEventData>;

/** The payer's transaction was seen; funds are moving. */
export type PaymentIntentExecutingEvent = EventOf<"payment_intent.executing", PaymentIntentEventData>;

/** Some funds arrived, less than the amount, and nothing is under way. */
export type PaymentIntentPartiallyFilledEvent = EventOf<"payment_intent.partially_filled", PaymentIntentEventData>;

/** The amount arrived and is final enough for the merchant's policy. Once per intent, ever. */
export type PaymentIntentSettledEvent = EventOf<"payment_intent.settled", PaymentIntentEventData>;

/** The intent ended without payment. */
export type PaymentIntentFailedEvent = EventOf<"payment_intent.failed", PaymentIntentEventData>;

/** The intent's time ran out; partially_funded tells whether something had arrived. */
export type PaymentIntentExpiredEvent = EventOf<"payment_intent.expired", PaymentIntentEventData>;

/** The merchant cancelled the intent. */
export type PaymentIntentCancelledEvent = EventOf<"payment_intent.cancelled", PaymentIntentEventData>;

/** Everything that had arrived was refunded. */
export type PaymentIntentRefundedEvent = EventOf<"payment_intent.refunded", PaymentIntentEventData>;

/** Funds arrived after the intent had expired or was cancelled. */
export type PaymentIntentLatePaymentEvent = EventOf<"payment_intent.late_payment", PaymentIntentEventData>;

/** More arrived than was asked for. */
export type PaymentIntentOverpaidEvent = EventOf<"payment_intent.overpaid", PaymentIntentEventData>;

/** A settlement disappeared from its chain before it was final. */
export type PaymentIntentSettlementReversedEvent = EventOf<"payment_intent.settlement_reversed", PaymentIntentEventData>;

/** A reversed settlement is back. */
export type PaymentIntentSettlementRestoredEvent = EventOf<"payment_intent.settlement_restored", PaymentIntentEventData>;

/** A chain took money away that was refunded or paid out already: owed_usd. */
export type PaymentIntentFundsOwedEvent = EventOf<"payment_intent.funds_owed", PaymentIntentEventData>;

/** A token came with a payment that it does not settle in: strays. */
export type PaymentIntentStrayArrivedEvent = EventOf<"payment_intent.stray_arrived", PaymentIntentEventData>;

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
export type WebhookEndpointDisabledEvent = EventOf<"webhook_endpoint.disabled", Record<string, unknown>>;

/** Somebody asked for a test event. */
export type PingEvent = EventOf<"ping", Record<string, unknown>>;

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

/** Who your key is: its merchant and mode, what it may do, and how often. */
export interface Account {
  /** Get account */
  get(options?: CallOptions): Promise<Account>;
}

/** What listEvents takes. */
export interface ListEventsParams {
  /** A `cursor` of this list. `now`: only what is still to come. Without: from the oldest kept. */
  after?: string | undefined;
  limit?: number | undefined;
  /** Only events of this resource. */
  resource_id?: string | undefined;
  /** Event types or `<resource>.*`, separated by commas. */
  type?: Amount | undefined;
}

/** What your webhook endpoints are sent. */
export interface Events {
  /** Retrieve an event */
  get(eventId: string, options?: CallOptions): Promise<Event>;
  /** List events, oldest first */
  list(params?: ListEventsParams, options?: CallOptions): List<Event, EventList>;
}

/** Is the service up? */
export interface Health {
  /** Get health */
  get(options?: CallOptions): Promise<HealthStatus>;
  /** Get readiness */
  getReadiness(options?: CallOptions): Promise<Readiness>;
}

/** What createPaymentIntent takes. */
export interface CreatePaymentIntentParams {
  /** US dollars, at most two decimals. */
  amount: Amount;
  /** Only USD; the default. */
  currency?: string | null | undefined;
  settlement_chain?: string | null | undefined;
  settlement_token?: string | null | undefined;
  settlement_address?: string | null | undefined;
  customer_email?: string | null | undefined;
  expires_in_seconds?: number | null | undefined;
  metadata?: Record<string, unknown> | null | undefined;
  /** Your own order number. */
  reference?: string | null | undefined;
  return_url?: string | null | undefined;
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
  customer_email?: string | undefined;
  /** Newer than this one; not with the other. */
  ending_before?: string | undefined;
  limit?: number | undefined;
  /** By a value of your own: `metadata[order]=42`. */
  metadata?: Record<string, string> | undefined;
  /** An id, reference, e-mail, address or transaction hash, exactly. */
  q?: string | undefined;
  /** Your own order number. */
  reference?: string | undefined;
  settlement_chain?: string | undefined;
  settlement_token?: string | undefined;
  /** Older than this one; not with the other. */
  starting_after?: string | undefined;
  /** One status, or several separated by commas. */
  status?: string | undefined;
}

/** What listPaymentIntentRoutes takes. */
export interface ListPaymentIntentRoutesParams {
  limit?: number | undefined;
  /** What follows this one in the list. */
  starting_after?: string | undefined;
}

/** What listPaymentIntentTransactions takes. */
export interface ListPaymentIntentTransactionsParams {
  limit?: number | undefined;
  /** What follows this one in the list. */
  starting_after?: string | undefined;
}

/** What you want to be paid, and how it went. */
export interface PaymentIntents {
  /** Create payment intent */
  create(params: CreatePaymentIntentParams, options?: CallOptions): Promise<PaymentIntent>;
  /** Get payment intent */
  get(intentId: string, options?: CallOptions): Promise<PaymentIntent>;
  /** List payment intents */
  list(params?: ListPaymentIntentsParams, options?: CallOptions): List<PaymentIntent, PaymentIntentList>;
  /** Accept partial payment intent */
  acceptPartial(intentId: string, options?: CallOptions): Promise<PaymentIntent>;
  /** Cancel payment intent */
  cancel(intentId: string, options?: CallOptions): Promise<PaymentIntent>;
  /** Explain payment intent */
  explain(intentId: string, options?: CallOptions): Promise<Explanation>;
  /** List payment intent routes */
  listRoutes(intentId: string, params?: ListPaymentIntentRoutesParams, options?: CallOptions): List<RouteCandidate, RouteCandidateList>;
  /** List payment intent transactions */
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
  /** Get payout */
  get(payoutId: string, options?: CallOptions): Promise<Payout>;
  /** List payouts */
  list(params?: ListPayoutsParams, options?: CallOptions): List<Payout, PayoutList>;
  /** Replay payout */
  replay(payoutId: string, options?: CallOptions): Promise<Payout>;
}

/** All that createRefund takes. */
export interface CreateRefundParamsKeys {
  intent_id: string;
  /** US dollars, at most six decimals. */
  amount_usd?: Amount | undefined;
  /** The payer's address on the settlement chain. Without one the refund waits for it. */
  destination?: string | null | undefined;
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
  intent_id: string;
  /** Shown to each payer, with its refund. */
  reason?: string | null | undefined;
}

/** What goes back to payers. */
export interface Refunds {
  /** Create refund */
  create(params: CreateRefundParams, options?: CallOptions): Promise<Refund>;
  /** Get refund */
  get(refundId: string, options?: CallOptions): Promise<Refund>;
  /** List refunds */
  list(params?: ListRefundsParams, options?: CallOptions): List<Refund, RefundList>;
  /** Cancel refund */
  cancel(refundId: string, options?: CallOptions): Promise<Refund>;
  /** List payment intent payers */
  listPaymentIntentPayers(intentId: string, options?: CallOptions): Promise<IntentPayers>;
  /** Set refund destination */
  setDestination(refundId: string, params: SetRefundDestinationParams, options?: CallOptions): Promise<Refund>;
  /** Refund to payers */
  toPayers(params: RefundToPayersParams, options?: CallOptions): Promise<RefundsToPayers>;
}

/** What advanceTestClock takes. */
export interface AdvanceTestClockParams {
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
  data?: Record<string, unknown> | undefined;
}

/** Test keys only: pay without a browser, move the test clock, send sample events. */
export interface TestHelpers {
  /** Advance test clock */
  advanceClock(params: AdvanceTestClockParams, options?: CallOptions): Promise<AdvancedTestClock>;
  /** List test scenarios */
  listScenarios(options?: CallOptions): List<Scenario, ScenarioList>;
  /** Pay test payment intent */
  payPaymentIntent(intentId: string, params?: PayTestPaymentIntentParams, options?: CallOptions): Promise<PaymentIntent>;
  /** Trigger test event */
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
  /** Where events are posted: https, a public host. */
  url: string;
  /** Event types, `<resource>.*` or `*`. */
  events: EventSubscription[];
  enabled?: boolean | undefined;
}

/** What updateWebhookEndpoint takes. */
export interface UpdateWebhookEndpointParams {
  url?: string | undefined;
  /** Event types, `<resource>.*` or `*`. */
  events?: EventSubscription[] | undefined;
  enabled?: boolean | undefined;
}

/** What listWebhookDeliveries takes. */
export interface ListWebhookDeliveriesParams {
  /** Newer than this one; not with the other. */
  ending_before?: string | undefined;
  limit?: number | undefined;
  /** Older than this one; not with the other. */
  starting_after?: string | undefined;
  /** One status, or several separated by commas. */
  status?: string | undefined;
}

/** What recoverWebhookEndpoint takes. */
export interface RecoverWebhookEndpointParams {
  /** ISO 8601 with an offset; events are kept for 30 days. */
  since: Moment;
}

/** Where you are told, with what signature, and what was delivered. */
export interface WebhookEndpoints {
  /** Create a webhook endpoint */
  create(params: CreateWebhookEndpointParams, options?: CallOptions): Promise<WebhookEndpointWithSecret>;
  /** Retrieve a webhook endpoint */
  get(endpointId: string, options?: CallOptions): Promise<WebhookEndpoint>;
  /** List webhook endpoints */
  list(options?: CallOptions): List<WebhookEndpoint, WebhookEndpointList>;
  /** Update a webhook endpoint */
  update(endpointId: string, params?: UpdateWebhookEndpointParams, options?: CallOptions): Promise<WebhookEndpoint>;
  /** Delete a webhook endpoint */
  delete(endpointId: string, options?: CallOptions): Promise<DeletedWebhookEndpoint>;
  /** List deliveries with their attempts */
  listDeliveries(endpointId: string, params?: ListWebhookDeliveriesParams, options?: CallOptions): List<WebhookDelivery, WebhookDeliveryList>;
  /** Send undelivered events again */
  recover(endpointId: string, params: RecoverWebhookEndpointParams, options?: CallOptions): Promise<Recovery>;
  /** Send a delivery again */
  resendDelivery(endpointId: string, deliveryId: string, options?: CallOptions): Promise<WebhookDelivery>;
  /** Rotate the signing secret */
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
