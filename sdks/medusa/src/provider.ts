import type {
  AuthorizePaymentInput,
  AuthorizePaymentOutput,
  BigNumberInput,
  CancelPaymentInput,
  CancelPaymentOutput,
  CapturePaymentInput,
  CapturePaymentOutput,
  DeletePaymentInput,
  DeletePaymentOutput,
  GetPaymentStatusInput,
  GetPaymentStatusOutput,
  InitiatePaymentInput,
  InitiatePaymentOutput,
  PaymentProviderContext,
  ProviderWebhookPayload,
  RefundPaymentInput,
  RefundPaymentOutput,
  RetrievePaymentInput,
  RetrievePaymentOutput,
  UpdatePaymentInput,
  UpdatePaymentOutput,
  WebhookActionData,
  WebhookActionResult,
} from "@medusajs/framework/types";
import { AbstractPaymentProvider, MathBN, MedusaError, PaymentActions } from "@medusajs/framework/utils";
import { APIError, Causeway, CausewayError, ConflictError, type PaymentIntent } from "causeway-sdk";
import { type HeadersLike, unwrap } from "causeway-sdk/webhooks";

import { actionOf, isOpen, sessionStatus } from "./statuses.js";

/** What is left out comes from the environment: `CAUSEWAY_API_KEY`, `CAUSEWAY_BASE_URL`, `CAUSEWAY_WEBHOOK_SECRET`. */
export interface CausewayOptions {
  apiKey?: string;
  baseUrl?: string;
  /** While a secret is rotated, both with a comma between them. */
  webhookSecret?: string;
  /** Where payers are sent back to; a storefront may name another one as `return_url` in a session's data. */
  returnUrl?: string;
  /** How long a payer has; the service's 30 minutes by default. */
  expiresInSeconds?: number;
}

/** What a session keeps, which its shopper's browser may read. */
export interface SessionData extends Record<string, unknown> {
  /** Medusa's own id of the session. */
  session_id: string;
  /** The payment intent. */
  id: string;
  /** Send the payer there. */
  checkout_url: string;
  /** US dollars. */
  amount: string;
  status: string;
  expires_at: string;
  /** The refunds that Medusa has heard the answer of. */
  refunds: string[];
}

/** Of an event that Medusa's own route kept in a queue. A repeat of one does nothing, because the service is asked. */
const QUEUED_SECONDS = 3600;
const REFUND = "Medusa refund ";
const UNPAID = ["failed", "cancelled"];
const { INVALID_DATA, NOT_ALLOWED, UNEXPECTED_STATE } = MedusaError.Types;

/** Payments of one Causeway account. Every answer is the service's own of that moment; an event only says when to ask. */
export class CausewayProvider extends AbstractPaymentProvider<CausewayOptions> {
  static override identifier = "causeway";

  readonly #client: Causeway;
  readonly #options: CausewayOptions;
  readonly #isLive: boolean;

  /** Throws MedusaError where there is neither a key nor a secret, in the options or in the environment. */
  static override validateOptions(options: CausewayOptions): void {
    if (!keyOf(options)) throw new MedusaError(INVALID_DATA, "No key: give apiKey, or set CAUSEWAY_API_KEY.");
    if (!secretsOf(options).length)
      throw new MedusaError(INVALID_DATA, "No secret: give webhookSecret, or set CAUSEWAY_WEBHOOK_SECRET.");
  }

  constructor(container: Record<string, unknown>, options: CausewayOptions = {}) {
    super(container, options);
    this.#options = options;
    this.#client = new Causeway({ apiKey: options.apiKey, baseUrl: options.baseUrl });
    this.#isLive = /^.k_live_/.test(keyOf(options));
  }

  /** Makes the session's payment intent, or finds it: the session's id is the idempotency key. */
  async initiatePayment({ amount, currency_code, data, context }: InitiatePaymentInput): Promise<InitiatePaymentOutput> {
    const session = textOf(data, "session_id");
    const intent = await this.#create(session, dollars(amount, currency_code), session, data, context);
    return { id: intent.id, status: sessionStatus(intent.status), data: kept(intent) };
  }

  /**
   * Asks for another amount by another intent, after the old one was cancelled. The same amount changes nothing.
   *
   * Throws MedusaError where money for the old amount has arrived or is on its way.
   */
  async updatePayment({ amount, currency_code, data, context }: UpdatePaymentInput): Promise<UpdatePaymentOutput> {
    const wanted = dollars(amount, currency_code);
    const old = await this.#read(data);
    const mayStay = isOpen(old.status) || ["partially_filled", "executing", "settled"].includes(old.status);
    if (mayStay && old.amount === wanted)
      return { status: sessionStatus(old.status), data: kept(old, refundsOf(data)) };
    await this.#close(old.id);
    // Why the old one's id: going back to an amount of before makes a third intent, and does not find the first one.
    const intent = await this.#create(sessionOf(old), wanted, `${old.id}-${wanted}`, data, context);
    return { status: sessionStatus(intent.status), data: kept(intent) };
  }

  /** Cancels the intent of a session that is given up. Throws MedusaError where money is there or on its way. */
  async deletePayment({ data }: DeletePaymentInput): Promise<DeletePaymentOutput> {
    // Why without an id: Medusa calls this with what the storefront sent, after making a session failed.
    if (data?.["id"]) await this.#close((await this.#read(data)).id);
    return { data: data ?? {} };
  }

  /** Says what the service says: `captured` once the payment is settled. */
  async authorizePayment({ data }: AuthorizePaymentInput): Promise<AuthorizePaymentOutput> {
    return this.getPaymentStatus({ ...(data && { data }) });
  }

  async getPaymentStatus({ data }: GetPaymentStatusInput): Promise<GetPaymentStatusOutput> {
    const intent = await this.#read(data);
    return { status: sessionStatus(intent.status), data: kept(intent, refundsOf(data)) };
  }

  /** Takes nothing: a settled payment is captured. Throws MedusaError for one that is not settled. */
  async capturePayment({ data }: CapturePaymentInput): Promise<CapturePaymentOutput> {
    const intent = await this.#read(data);
    if (!["settled", "refunded"].includes(intent.status))
      throw new MedusaError(NOT_ALLOWED, `Payment ${intent.id} is ${intent.status}: it is captured once it settles.`);
    return { data: kept(intent, refundsOf(data)) };
  }

  /**
   * Sends money back. Without an address of the payer's the refund waits for one.
   *
   * Where the answer to a refund was lost, Medusa has forgotten that it asked. So one of its refunds that it knows nothing
   * of is the answer to the same amount asked for again, and any other amount is refused until then.
   */
  async refundPayment({ amount, data, context }: RefundPaymentInput): Promise<RefundPaymentOutput> {
    const intent = await this.#read(data);
    const known = refundsOf(data);
    const wanted = MathBN.convert(amount);
    const key = context?.idempotency_key;
    if (!key) throw new MedusaError(INVALID_DATA, "A refund needs Medusa's id of it.");
    const lost = await this.#unheard(intent.id, known);
    if (lost && !wanted.eq(lost.amount_usd))
      throw new MedusaError(NOT_ALLOWED, `A refund over ${lost.amount_usd} was made already: ask for that amount again.`);
    const refund =
      lost ??
      (await this.#ask(
        this.#client.refunds.create(
          { intent_id: intent.id, amount_usd: wanted.toFixed(), reason: REFUND + key },
          { idempotencyKey: key },
        ),
      ));
    return { data: kept(intent, [...known, refund.id]) };
  }

  /** Cancels what is not paid. Throws MedusaError for a payment that is: it is given back by a refund. */
  async cancelPayment({ data }: CancelPaymentInput): Promise<CancelPaymentOutput> {
    const { id } = await this.#read(data);
    await this.#close(id);
    const intent = await this.#read(data);
    return { data: kept(intent, refundsOf(data)) };
  }

  async retrievePayment({ data }: RetrievePaymentInput): Promise<RetrievePaymentOutput> {
    return { data: { ...(await this.#read(data)) } };
  }

  /**
   * Verifies an event and says which session it is about. `isFresh`: it came just now, and was in no queue.
   *
   * Throws WebhookVerificationError for one that is not genuine.
   */
  async getWebhookActionAndData(payload: ProviderWebhookPayload["payload"] & { isFresh?: boolean }): Promise<WebhookActionResult> {
    const raw = payload.rawData as string | Uint8Array<ArrayBuffer>;
    const tolerance = payload.isFresh ? {} : { tolerance: QUEUED_SECONDS };
    const event = await unwrap(raw, payload.headers as HeadersLike, secretsOf(this.#options), tolerance);
    const about = event.data as Partial<PaymentIntent> | undefined;
    const session = about?.metadata?.["session_id"];
    if (event.mode !== (this.#isLive ? "live" : "test")) return { action: PaymentActions.NOT_SUPPORTED };
    const action = actionOf(event.type);
    if (action === PaymentActions.NOT_SUPPORTED || typeof session !== "string") return { action: PaymentActions.NOT_SUPPORTED };
    const found = { session_id: session, amount: about?.amount ?? "0", intent_id: about?.id };
    return { action, data: found as unknown as WebhookActionData };
  }

  async #create(
    session: string,
    amount: string,
    idempotencyKey: string,
    data: Record<string, unknown> | undefined,
    context: PaymentProviderContext | undefined,
  ): Promise<PaymentIntent> {
    const given = data?.["return_url"];
    return this.#ask(
      this.#client.paymentIntents.create(
        {
          amount,
          reference: session,
          metadata: { session_id: session },
          customer_email: context?.customer?.email,
          return_url: typeof given === "string" ? given : this.#options.returnUrl,
          expires_in_seconds: this.#options.expiresInSeconds,
        },
        { idempotencyKey },
      ),
    );
  }

  /** The payment intent of a session, as it is now. Why its own word counts: what a session keeps may be another's. */
  async #read(data: Record<string, unknown> | undefined): Promise<PaymentIntent> {
    const intent = await this.#ask(this.#client.paymentIntents.get(textOf(data, "id")));
    if (sessionOf(intent) === textOf(data, "session_id")) return intent;
    throw new MedusaError(NOT_ALLOWED, `Payment ${intent.id} is of another session.`);
  }

  /** Sees to it that nobody pays it any more. */
  async #close(id: string): Promise<void> {
    try {
      await this.#client.paymentIntents.cancel(id);
    } catch (error) {
      if (!(error instanceof ConflictError)) throw inWordsOfMedusa(error);
      const { status } = await this.#ask(this.#client.paymentIntents.get(id));
      if (!["cancelled", "expired", "failed"].includes(status))
        throw new MedusaError(NOT_ALLOWED, `Payment ${id} is ${status}: it cannot be cancelled any more.`);
    }
  }

  /** A refund that Medusa asked for and has not heard the answer of. */
  async #unheard(intent: string, known: readonly string[]) {
    try {
      for await (const refund of this.#client.refunds.list({ payment_intent_id: intent }))
        if (refund.reason.startsWith(REFUND) && !known.includes(refund.id) && !UNPAID.includes(refund.status)) return refund;
    } catch (error) {
      throw inWordsOfMedusa(error);
    }
    return undefined;
  }

  async #ask<Answer>(answer: Promise<Answer>): Promise<Answer> {
    try {
      return await answer;
    } catch (error) {
      throw inWordsOfMedusa(error);
    }
  }
}

const keyOf = (options: CausewayOptions): string => options.apiKey ?? process.env["CAUSEWAY_API_KEY"] ?? "";

/** Read for each event, so that a new secret in the environment counts at once. */
const secretsOf = (options: CausewayOptions): string[] =>
  (options.webhookSecret ?? process.env["CAUSEWAY_WEBHOOK_SECRET"] ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);

/** The amount with cents, rounded as Medusa rounds. Throws MedusaError for another currency. */
function dollars(amount: BigNumberInput, currency: string): string {
  if (currency.toLowerCase() !== "usd") throw new MedusaError(INVALID_DATA, "Causeway takes US dollars.");
  return MathBN.convert(amount, 2).toFixed(2);
}

function textOf(data: Record<string, unknown> | undefined, name: string): string {
  const value = data?.[name];
  if (typeof value !== "string" || !value) throw new MedusaError(INVALID_DATA, `The session's data has no ${name}.`);
  return value;
}

const refundsOf = (data: Record<string, unknown> | undefined): string[] =>
  Array.isArray(data?.["refunds"]) ? data["refunds"].filter((one) => typeof one === "string") : [];

const sessionOf = (intent: PaymentIntent): string => String(intent.metadata["session_id"]);

function kept(intent: PaymentIntent, refunds: readonly string[] = []): SessionData {
  const { id, checkout_url, amount, status, expires_at } = intent;
  return { session_id: sessionOf(intent), id, checkout_url, amount, status, expires_at, refunds: [...refunds] };
}

/** A refusal with its reason; what may work a moment later says so. */
function inWordsOfMedusa(error: unknown): unknown {
  if (error instanceof APIError && error.status < 500) return new MedusaError(NOT_ALLOWED, `${error.message} (${error.code})`);
  if (error instanceof CausewayError) return new MedusaError(UNEXPECTED_STATE, `${error.message} Try again.`);
  return error;
}
