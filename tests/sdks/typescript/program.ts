/** A merchant's program, as strict as a compiler can be: what it says of types must hold. */

import { type APIError, Causeway, ConflictError, type Event, raw, type UnknownEvent, webhooks } from "causeway-sdk";
import { webhooks as express } from "causeway-sdk/express";
import { webhooks as hono } from "causeway-sdk/hono";
import { webhooks as next } from "causeway-sdk/next";
import { sign } from "causeway-sdk/testing";
import { unwrap, verify } from "causeway-sdk/webhooks";

type Same<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;
const holds = <_Claim extends true>() => undefined;

const causeway = new Causeway({ apiKey: process.env["CAUSEWAY_API_KEY"], baseUrl: "https://pay.example", timeout: 1000 });

export async function pay(): Promise<string> {
  const intent = await causeway.paymentIntents.create(
    { amount: "19.99", reference: undefined, metadata: { order: 7 } },
    { idempotencyKey: "order-7", maxRetries: 3, signal: AbortSignal.timeout(9000) },
  );
  holds<Same<typeof intent.amount, string>>();
  if (intent.status === "settled" || intent.status === "a status of tomorrow") return intent.checkout_url;
  const paid = await causeway.paymentIntents.wait(intent.id, { until: ["settled"], timeout: 60_000 });
  return raw(paid)?.headers.get("request-id") ?? paid.last_error?.code ?? paid.settlement_chain;
}

export async function refund(id: string): Promise<string> {
  try {
    await causeway.refunds.create({ intent_id: id, amount_usd: 5 });
    await causeway.refunds.create({ intent_id: id, stray_id: id });
    // @ts-expect-error neither an amount nor a stray
    await causeway.refunds.create({ intent_id: id });
    // @ts-expect-error no such field
    await causeway.refunds.create({ intent_id: id, amount_usd: 5, amount: 5 });
    // @ts-expect-error an amount is needed
    await causeway.paymentIntents.create({});
    // @ts-expect-error no such resource
    causeway.orders;
  } catch (error) {
    if (error instanceof ConflictError && error.code === "intent_not_settled") return String(error.details["status"]);
    const known: APIError["code"] = "a code of tomorrow";
    return known;
  }
  for await (const one of causeway.refunds.list({ limit: 5, status: "paid" })) holds<Same<typeof one.amount_usd, string>>();
  const newest = await causeway.refunds.list().first();
  for await (const page of causeway.paymentIntents.list({ created_gte: new Date() }).pages()) page.data.map(({ id }) => id);
  return newest?.id ?? "none";
}

export function told(event: Event): string {
  switch (event.type) {
    case "payment_intent.settled":
      return event.data.amount_received;
    case "refund.paid":
      return event.data.amount_usd;
    case "payout.failed":
      return event.data.status;
    case "ping":
      return event.id;
    default:
      return event.type;
  }
}

export function unknown(event: Event): string {
  if (event.type === "payment_intent.settled") {
    holds<Same<typeof event, Extract<Event, { type: "payment_intent.settled" }>>>();
    return event.data.settlement_chain;
  }
  const other = event as UnknownEvent;
  return String(other.data["anything"]);
}

export async function receive(request: Request, secrets: string[]): Promise<Event> {
  await verify(await request.clone().text(), request.headers, secrets, { tolerance: 60 });
  const event = await unwrap(await request.arrayBuffer(), request.headers, secrets);
  return webhooks.unwrap("", { "svc-signature": ["a", "b"], host: undefined }, event.id);
}

export const POST: (request: Request) => Promise<Response> = next((event, request) => [event.type, request.url]);
export const handlers = [express(async (event) => told(event), "whsec_x"), hono(told)];
export const headers: Promise<Record<string, string>> = sign("{}", "whsec_x", { timestamp: 0 });
