/** What a merchant's program does, in whatever runtime: bundled with the SDK into one module. `assert` is no module there. */

import { APIError, Causeway, NotFoundError, raw, WebhookVerificationError, webhooks } from "causeway-sdk";
import { sign } from "causeway-sdk/testing";

function is(what, found, wanted) {
  if (JSON.stringify(found) !== JSON.stringify(wanted)) throw new Error(`${what}: ${JSON.stringify(found)} and not ${JSON.stringify(wanted)}`);
}

/** @param {{ apiKey: string, baseUrl: string }} options */
export async function story(options) {
  const causeway = new Causeway(options);
  const account = await causeway.account.get();
  is("the mode of the key", account.mode, "test");

  const made = await causeway.paymentIntents.create({ amount: "19.99", reference: "story" }, { idempotencyKey: crypto.randomUUID() });
  is("the amount", made.amount, "19.99");
  is("created", raw(made)?.status, 201);
  await causeway.testHelpers.payPaymentIntent(made.id);
  const paid = await causeway.paymentIntents.wait(made.id, { until: ["settled"], timeout: 60_000 });
  is("what arrived", paid.amount_received, "19.99");

  const refund = await causeway.refunds.create({ intent_id: made.id, amount_usd: 0.1 + 0.2 > 0.3 ? "0.30" : 0 });
  is("the refund", refund.amount_usd, "0.30");
  is("the newest refund", (await causeway.refunds.list({ payment_intent_id: made.id, limit: 1 }).first())?.id, refund.id);
  let legs = 0;
  for await (const leg of causeway.paymentIntents.listTransactions(made.id)) legs += leg.payment_intent_id === made.id ? 1 : 0;
  is("legs", legs > 0, true);

  const types = [];
  for (let after, asked = 0; !types.includes("payment_intent.settled") && asked < 200; asked++) {
    const { value: page } = await causeway.events.list({ resource_id: made.id, ...(after && { after }) }).pages().next();
    types.push(...page.data.map((event) => event.type));
    after = page.cursor;
    if (!page.data.length) await new Promise((resolve) => setTimeout(resolve, 100)); // an event is listed soon after it happens
  }
  is("the events", types.filter((type) => /created|settled/.test(type)), ["payment_intent.created", "payment_intent.settled"]);

  const refused = await causeway.refunds.get(made.id).catch((error) => error);
  is("unknown", [refused instanceof NotFoundError, refused instanceof APIError, refused.code, refused.name], [true, true, "not_found", "NotFoundError"]);

  const body = JSON.stringify({ id: "evt_1", type: "ping", data: {} });
  const headers = await sign(body, "whsec_story");
  is("the webhook", (await webhooks.unwrap(body, new Headers(headers), "whsec_story")).type, "ping");
  const forged = await webhooks.unwrap(`${body} `, headers, "whsec_story").catch((error) => error);
  is("a forged one", [forged instanceof WebhookVerificationError, forged.reason], [true, "signature_mismatch"]);
  return "the whole story";
}
