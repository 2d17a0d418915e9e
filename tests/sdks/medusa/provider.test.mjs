// The provider, as a shop's server has it, against a real service: PLACE is the folder of packages.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";

const { BASE_URL: baseUrl, KEY: apiKey, PLACE } = process.env;
const load = (path) => import(pathToFileURL(`${PLACE}/${path}`).href);
const { CausewayProvider } = await load("causeway-medusa/dist/provider.js");
const { POST } = await load("causeway-medusa/dist/hook.js");
const { sessionStatus } = await load("causeway-medusa/dist/statuses.js");
const { Causeway } = await load("causeway-sdk/dist/index.js");
const { sign } = await load("causeway-sdk/dist/testing.js");

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw7f0c1d2e3f4A";
const provider = new CausewayProvider({}, { apiKey, baseUrl, webhookSecret: SECRET });
const causeway = new Causeway({ apiKey, baseUrl });

const newId = (prefix) => `${prefix}_${randomUUID()}`;
const start = (amount, session_id = newId("payses"), data = {}, currency_code = "usd") =>
  provider.initiatePayment({ amount, currency_code, data: { ...data, session_id }, context: { idempotency_key: session_id } });
const change = (data, amount) => provider.updatePayment({ amount, currency_code: "usd", data });
const statusOf = async (id) => (await causeway.paymentIntents.get(id)).status;
const refused = (words) => (error) => error.type === "not_allowed" && error.message.includes(words);

/** A session that was paid. */
async function paid(amount) {
  const { data } = await start(amount);
  await causeway.testHelpers.payPaymentIntent(data.id);
  await causeway.paymentIntents.wait(data.id, { until: ["settled"], timeout: 100_000 });
  return data;
}

describe("the provider", () => {
  it("makes one payment for a session, however often it is asked", async () => {
    const session = newId("payses");
    const first = await start(19.99, session);
    const again = await start({ value: "19.99" }, session);
    assert.equal(again.id, first.id);
    assert.equal(first.status, "pending");
    const { checkout_url, expires_at, ...data } = first.data;
    assert.deepEqual(data, { session_id: session, id: first.id, amount: "19.99", status: "created", refunds: [] });
    assert.ok(checkout_url.startsWith(baseUrl) && Date.parse(expires_at) > 0);
    const { reference, metadata } = await causeway.paymentIntents.get(first.id);
    assert.deepEqual([reference, metadata], [session, { session_id: session }]);
  });

  it("rounds to cents, and takes dollars alone", async () => {
    assert.equal((await start("10.005")).data.amount, "10.01");
    await assert.rejects(start(10, newId("payses"), {}, "eur"), { type: "invalid_data", message: "Causeway takes US dollars." });
  });

  it("believes nothing that a storefront sends with a session", async () => {
    const other = await start(1);
    const { data } = await start(19.99, newId("payses"), { id: other.id, amount: "1.00", status: "settled", refunds: ["x"] });
    assert.notEqual(data.id, other.id);
    assert.deepEqual([data.amount, data.status, data.refunds], ["19.99", "created", []]);
  });

  it("captures what settled, and nothing else", async () => {
    const data = await paid(19.99);
    assert.equal((await provider.authorizePayment({ data })).status, "captured");
    assert.equal((await provider.capturePayment({ data })).data.status, "settled");
    await assert.rejects(provider.authorizePayment({ data: { ...data, session_id: newId("payses") } }), refused("another session"));
    const open = await start(19.99);
    assert.equal((await provider.getPaymentStatus({ data: open.data })).status, "pending");
    await assert.rejects(provider.capturePayment({ data: open.data }), refused("once it settles"));
    assert.equal((await provider.retrievePayment({ data })).data.amount_received, "19.99");
  });

  it("says of each status what Medusa may do", () => {
    const said = Object.entries({
      created: "pending", requires_payment: "pending", quoted: "pending", awaiting_signature: "pending", of_tomorrow: "pending",
      executing: "pending_authorization", partially_filled: "requires_more", settled: "captured",
      failed: "error", expired: "canceled", cancelled: "canceled", refunded: "canceled",
    });
    assert.deepEqual(said.map(([status]) => [status, sessionStatus(status)]), said);
  });

  it("asks for another amount by another payment, and the old one can be paid no more", async () => {
    const { data } = await start(19.99);
    assert.equal((await change(data, 19.99)).data.id, data.id);
    const second = await change(data, 39.98);
    assert.equal(second.data.amount, "39.98");
    assert.equal(await statusOf(data.id), "cancelled");
    assert.equal((await change(data, 39.98)).data.id, second.data.id);
    const third = await change(second.data, 19.99);
    const fourth = await change(third.data, 39.98);
    assert.equal(new Set([data.id, second.data.id, third.data.id, fourth.data.id]).size, 4);
    assert.deepEqual([await statusOf(second.data.id), await statusOf(third.data.id), await statusOf(fourth.data.id)], ["cancelled", "cancelled", "created"]);
  });

  it("gives up nothing that was paid", async () => {
    const data = await paid(19.99);
    await assert.rejects(change(data, 39.98), refused("is settled"));
    await assert.rejects(provider.deletePayment({ data }), refused("is settled"));
    await assert.rejects(provider.cancelPayment({ data }), refused("is settled"));
    assert.equal((await change(data, 19.99)).status, "captured");
  });

  it("lets nobody pay a session that is given up", async () => {
    const { data } = await start(19.99);
    await provider.deletePayment({ data });
    assert.equal(await statusOf(data.id), "cancelled");
    await provider.deletePayment({ data });
    assert.equal((await provider.cancelPayment({ data })).data.status, "cancelled");
    assert.deepEqual(await provider.deletePayment({ data: {} }), { data: {} });
    const other = await start(1);
    await assert.rejects(provider.deletePayment({ data: { ...data, id: other.id } }), refused("another session"));
    assert.equal(await statusOf(other.id), "created");
  });

  it("refunds once, though an answer is lost", async () => {
    const data = await paid(19.99);
    const refund = (amount, known, key) => provider.refundPayment({ amount, data: known, context: { idempotency_key: key } });
    const made = async () => {
      const amounts = [];
      for await (const one of causeway.refunds.list({ payment_intent_id: data.id })) amounts.push(Number(one.amount_usd));
      return amounts;
    };
    await refund(5, data, newId("ref"));
    await assert.rejects(refund(6, data, newId("ref")), refused("was made already"));
    const { data: heard } = await refund(5, data, newId("ref"));
    assert.deepEqual([heard.refunds.length, await made()], [1, [5]]);
    const key = newId("ref");
    const { data: both } = await refund("5", heard, key);
    assert.deepEqual([both.refunds.length, await made()], [2, [5, 5]]);
    await assert.rejects(refund(15, both, newId("ref")), refused("refund_exceeds_balance"));
  });

  it("says that the service is away, and works when it is back", async () => {
    const away = new CausewayProvider({}, { apiKey, baseUrl: "http://127.0.0.1:9", webhookSecret: SECRET });
    const session_id = newId("payses");
    const asked = { amount: 5, currency_code: "usd", data: { session_id } };
    await assert.rejects(away.initiatePayment(asked), (error) => error.type === "unexpected_state" && error.message.endsWith("Try again."));
    assert.equal((await provider.initiatePayment(asked)).data.amount, "5.00");
  });
});

describe("an event", () => {
  const said = (type, more = {}, mode = "test") => {
    const data = { id: "one", amount: "19.99", metadata: { session_id: "payses_1" }, ...more };
    return JSON.stringify({ id: "evt_1", type, mode, data });
  };
  const heard = async (body, headers, more = {}) => provider.getWebhookActionAndData({ data: {}, rawData: Buffer.from(body), headers, ...more });
  const actionOf = async (body, options, more) => (await heard(body, await sign(body, SECRET, options), more)).action;
  const secondsAgo = (seconds) => ({ timestamp: Math.floor(Date.now() / 1000) - seconds });

  it("says which session was paid", async () => {
    const body = said("payment_intent.settled");
    const found = await heard(body, await sign(body, SECRET));
    assert.deepEqual(found, { action: "captured", data: { session_id: "payses_1", amount: "19.99", intent_id: "one" } });
  });

  it("is refused unless it is genuine", async () => {
    const body = said("payment_intent.settled");
    const headers = await sign(body, SECRET);
    for (const [text, given] of [[body + " ", headers], [body, {}], [body, await sign(body, "whsec_of_another")]])
      await assert.rejects(heard(text, given), { name: "WebhookVerificationError" });
    await assert.rejects(actionOf(body, secondsAgo(7200)), { reason: "timestamp_outside_tolerance" });
    assert.equal(await actionOf(body, secondsAgo(1200)), "captured");
    await assert.rejects(actionOf(body, secondsAgo(1200), { isFresh: true }), { reason: "timestamp_outside_tolerance" });
  });

  it("of another mode or of no session is nobody's", async () => {
    const nobody = { action: "not_supported" };
    for (const body of [said("payment_intent.settled", {}, "live"), said("payment_intent.settled", { metadata: {} }), said("payout.paid"), said("payment_intent.overpaid")])
      assert.deepEqual(await heard(body, await sign(body, SECRET)), nobody);
  });

  it("of each kind asks for what Medusa does then", async () => {
    const kinds = { settled: "captured", settlement_restored: "captured", settlement_reversed: "not_supported", executing: "pending_authorization", failed: "failed", expired: "canceled", refunded: "canceled" };
    for (const [kind, action] of Object.entries(kinds)) assert.equal(await actionOf(said(`payment_intent.${kind}`)), action, kind);
  });

  it("may be signed by either secret of a rotation", async () => {
    const both = new CausewayProvider({}, { apiKey, baseUrl, webhookSecret: `whsec_new, ${SECRET}` });
    const body = said("payment_intent.settled");
    const headers = await sign(body, SECRET);
    assert.equal((await both.getWebhookActionAndData({ data: {}, rawData: body, headers })).action, "captured");
  });
});

describe("the route", () => {
  const forged = Object.assign(new Error(), { name: "WebhookVerificationError" });

  /** What it answers, and what it did. */
  async function asked({ action = "captured", session = { data: { id: "one" } }, refusal = undefined, failure = undefined }) {
    const did = [];
    let answer;
    const parts = {
      payment: {
        async getWebhookActionAndData({ provider, payload }) {
          if (refusal) throw refusal;
          assert.deepEqual([provider, String(payload.rawData), payload.isFresh], ["causeway_causeway", "{}", true]);
          return { action, data: { session_id: "payses_1", amount: "19.99", intent_id: "one" } };
        },
        listPaymentSessions: async ({ id }) => (assert.deepEqual(id, ["payses_1"]), session ? [session] : []),
      },
      workflows: {
        async run(name, { input }) {
          if (failure) throw failure;
          did.push(`${name} of ${input.data.session_id}`);
        },
      },
      logger: { error: (text) => did.push(text) },
    };
    const path = "/hooks/payment/causeway_causeway";
    const request = { path, body: {}, rawBody: Buffer.from("{}"), headers: {}, scope: { resolve: (name) => parts[name] } };
    await POST(request, { sendStatus: (status) => (answer = status) });
    return [answer, ...did];
  }

  it("answers when the work is done", async () => {
    assert.deepEqual(await asked({}), [204, "process-payment-workflow of payses_1"]);
    for (const action of ["failed", "canceled", "pending_authorization", "not_supported"]) assert.deepEqual(await asked({ action }), [204]);
  });

  it("refuses what is forged, and asks for what failed again", async () => {
    assert.deepEqual(await asked({ refusal: forged }), [401]);
    const again = "An event of causeway_causeway comes again, because: away";
    assert.deepEqual(await asked({ failure: new Error("away") }), [500, again]);
    await assert.rejects(asked({ refusal: new TypeError("no raw body") }), TypeError);
  });

  it("does nothing for a session that was given up, and says so", async () => {
    const said = "Payment one was paid after its session payses_1 was given up: give it back.";
    for (const session of [null, { data: { id: "another" } }]) assert.deepEqual(await asked({ session }), [204, said]);
  });
});
