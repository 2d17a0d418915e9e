/**
 * Every fault of a network at each call that changes something: prints what each left behind, which must be one effect.
 *
 * A cell is good when the call ends well, the same key then brings the first answer again, and what is made is there once.
 */

import { Causeway, raw } from "causeway-sdk";

const [, , baseUrl, apiKey, ...failedPayouts] = globalThis.process.argv;
const refusal = (status, headers) => new Response(JSON.stringify({ error: "No.", code: "x", details: {}, request_id: "r" }), { status, headers });
const lose = () => { throw new TypeError("fetch failed"); };
const after = async (send, then) => { const text = await (await send()).text(); return then(text); };
/** Fails when the caller gives up; at once where it did so while the service was still at work. */
const aborted = (signal) => new Promise((_, reject) => {
  const end = () => reject(signal.reason);
  if (signal.aborted) end();
  else signal.addEventListener("abort", end);
});

/** What becomes of the first tries of a call; later ones go through. @type {Record<string, ((send: () => Promise<Response>, init: any) => any)[]>} */
const FAULTS = {
  "lost on the way there": [lose],
  "lost on the way back": [(send) => after(send, lose)],
  "lost on the way back, twice": [(send) => after(send, lose), (send) => after(send, lose)],
  "lost there, then back": [lose, (send) => after(send, lose)],
  "500 before": [() => refusal(500)],
  "502 afterwards": [(send) => after(send, () => refusal(502))],
  "503 before": [() => refusal(503, { "Retry-After": "0" })],
  "504 afterwards": [(send) => after(send, () => refusal(504))],
  "429 before, 408 afterwards": [() => refusal(429, { "Retry-After": "0" }), (send) => after(send, () => refusal(408))],
  "half an answer": [(send) => after(send, (text) => new Response(text.slice(0, text.length / 2)))],
  "a page of a proxy": [(send) => after(send, () => new Response("<html>"))],
  "no answer in time": [(send, init) => after(send, () => aborted(init.signal))],
  "sent twice at once": [async (send) => { await Promise.all([send(), send()].map((one) => one.then((answer) => answer.text()))); return lose(); }],
};

const plain = new Causeway({ baseUrl, apiKey, maxRetries: 5 });
const count = async (list, is = () => true) => { let found = 0; for await (const row of list) found += is(row) ? 1 : 0; return found; };
const intent = async (amount = "5.00") => (await plain.paymentIntents.create({ amount, reference: crypto.randomUUID() })).id;
const come = async (amount, scenario, until) => {
  const id = await intent(amount);
  await plain.testHelpers.payPaymentIntent(id, { scenario });
  await plain.paymentIntents.wait(id, { until: [until], timeout: 60_000 });
  return id;
};
const paid = await come("1000.00", "settle", "settled");
const [pulled, answered] = await Promise.all([0, 1].map(async () => (await plain.webhookEndpoints.create({ kind: "pull", events: ["ping"] })).id));
const given = async (endpoint) => {
  await plain.testHelpers.triggerEvent({ type: "ping" });
  const { data: [{ delivery_id, attempt }] } = await plain.webhookEndpoints.pullDeliveries(endpoint, { limit: 1, wait: 20 });
  return { delivery_id, attempt };
};
const paidOut = async (id) => {
  for (;;) {
    const payout = await plain.payouts.get(id);
    if (payout.status === "paid") return payout;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
};
const ADDRESS = "0x52908400098527886E0F7030069857D2E4169EE7";
const refund = async () => (await plain.refunds.create({ intent_id: paid, amount_usd: "0.50" })).id;

/** Each call: what it needs first, the call itself, and how often its effect is found. */
const CALLS = {
  "paymentIntents.create": [() => crypto.randomUUID(), (of, mark, how) => of.paymentIntents.create({ amount: "7.29", reference: mark }, how), (mark) => count(plain.paymentIntents.list({ reference: mark }))],
  "paymentIntents.cancel": [intent, (of, id, how) => of.paymentIntents.cancel(id, how)],
  "paymentIntents.acceptPartial": [() => come("9.00", "partial", "partially_filled"), (of, id, how) => of.paymentIntents.acceptPartial(id, how)],
  "payouts.replay": [() => failedPayouts.pop(), (of, id, how) => of.payouts.replay(id, how), async (id) => (await paidOut(id)).attempts - 1],
  "testHelpers.payPaymentIntent": [intent, (of, id, how) => of.testHelpers.payPaymentIntent(id, {}, how)],
  "refunds.create": [() => crypto.randomUUID(), (of, mark, how) => of.refunds.create({ intent_id: paid, amount_usd: "0.29", reason: mark }, how), (mark) => count(plain.refunds.list({ payment_intent_id: paid, limit: 100 }), ({ reason }) => reason === mark)],
  "refunds.toPayers": [() => come("9.00", "settle", "settled"), (of, id, how) => of.refunds.toPayers({ intent_id: id }, how), (id) => count(plain.refunds.list({ payment_intent_id: id }))],
  "refunds.setDestination": [refund, (of, id, how) => of.refunds.setDestination(id, { destination: ADDRESS }, how)],
  "refunds.cancel": [refund, (of, id, how) => of.refunds.cancel(id, how)],
  "testHelpers.triggerEvent": [() => crypto.randomUUID(), (of, mark, how) => of.testHelpers.triggerEvent({ type: "payment_intent.settled" }, how)],
  "webhookEndpoints.create": [() => crypto.randomUUID(), (of, mark, how) => of.webhookEndpoints.create({ url: `http://localhost:9999/${mark}`, events: ["ping"] }, how), async (mark) => {
    const found = [];
    for await (const { id, url } of plain.webhookEndpoints.list()) if (url?.endsWith(mark)) found.push(id);
    for (const id of found) await plain.webhookEndpoints.delete(id);
    return found.length;
  }],
  "webhookEndpoints.rotateSecret": [() => pulled, (of, id, how) => of.webhookEndpoints.rotateSecret(id, how)],
  "webhookEndpoints.certify": [
    async () => (await plain.webhookEndpoints.create({ url: `http://localhost:9999/${crypto.randomUUID()}`, events: ["ping"] })).id,
    (of, id, how) => of.webhookEndpoints.certify(id, how),
    async (id) => { const { endpoint_id } = await plain.webhookEndpoints.getCertificate(id); await plain.webhookEndpoints.delete(id); return endpoint_id === id ? 1 : 0; },
  ],
  "webhookEndpoints.recover": [() => new Date(Date.now() - 60_000), (of, since, how) => of.webhookEndpoints.recover(pulled, { since }, how)],
  "webhookEndpoints.answerDelivery": [() => given(answered), (of, it, how) => of.webhookEndpoints.answerDelivery(answered, { ...it, status: 200 }, how)],
  "webhookEndpoints.resendDelivery": [
    async () => { const it = await given(pulled); await plain.webhookEndpoints.answerDelivery(pulled, { ...it, status: 200 }); return it.delivery_id; },
    (of, id, how) => of.webhookEndpoints.resendDelivery(pulled, id, how),
  ],
  "testHelpers.advanceClock": [() => 1, (of, seconds, how) => of.testHelpers.advanceClock({ seconds }, how)],
};

const open = setInterval(() => undefined, 60_000); // in place of a connection, which keeps a program alive
const table = {};
const cells = Object.entries(CALLS).map(async ([name, [prepare, call, effects]]) => {
  for (const [fault, steps] of Object.entries(FAULTS)) {
    let tries = 0;
    const keys = new Set();
    const broken = async (url, init) => {
      const step = steps[tries++];
      keys.add(init.headers.get("idempotency-key"));
      const send = () => fetch(url, { ...init, signal: AbortSignal.timeout(20_000) });
      return step ? step(send, init) : send();
    };
    const causeway = new Causeway({ baseUrl, apiKey, maxRetries: 4, fetch: broken });
    const [what, idempotencyKey] = [await prepare(), crypto.randomUUID()];
    const how = fault === "no answer in time" ? { idempotencyKey, timeout: 2_000 } : { idempotencyKey };
    table[`${name}, ${fault}`] = await call(causeway, what, how).then(
      async (answer) => {
        if (keys.size !== 1 || tries <= steps.length) return `${keys.size} keys in ${tries} tries`;
        const again = await call(plain, what, { idempotencyKey });
        if (raw(again).headers.get("idempotent-replayed") !== "true") return "done again";
        if (JSON.stringify(again) !== JSON.stringify(answer)) return `another answer: ${JSON.stringify([answer, again])}`;
        return effects ? await effects(what) : 1;
      },
      (error) => `${error.name} ${error.code ?? ""} ${error.message} ${JSON.stringify(error.details)}`,
    );
  }
});
await Promise.all(cells);
clearInterval(open);
console.log(JSON.stringify(table));
