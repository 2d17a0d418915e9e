import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";

import { client, sdk, skippedWaits } from "./service.mjs";

const { APIConnectionError, ConflictError, ServerError } = sdk;
const BUSY = [503, { error: "Later.", code: "temporarily_unavailable", details: { retryable: true }, request_id: "req_1" }];
const create = (causeway, options) => causeway.paymentIntents.create({ amount: 1 }, options);

describe("a call is tried again", () => {
  const LOST = {
    "a lost connection": new TypeError("fetch failed"),
    "a cut answer": () => new Response(new ReadableStream({ start: (into) => into.error(new Error("cut")) })),
    "an answer that is no JSON": new Response("<html>"),
    "half an answer": new Response('{"id": "pi'),
    ...Object.fromEntries([408, 429, 500, 502, 503, 504].map((status) => [status, [status, {}]])),
    "a key in progress": [409, { code: "idempotency_key_in_progress" }],
  };
  for (const [name, lost] of Object.entries(LOST))
    it(`after ${name}, with one key and the same bytes`, async (test) => {
      skippedWaits(test);
      const { causeway, asked } = client([lost, lost, { id: "pi_1" }]);
      assert.deepEqual(await create(causeway), { id: "pi_1" });
      assert.equal(asked.length, 3);
      assert.match(asked[0].headers.get("idempotency-key"), /^[0-9a-f-]{36}$/);
      assert.equal(new Set(asked.map(({ headers }) => headers.get("idempotency-key"))).size, 1);
      assert.equal(new Set(asked.map(({ body, url }) => url + body)).size, 1);
    });

  it("under another key the next time", async () => {
    const { causeway, asked } = client([{}]);
    await create(causeway);
    await create(causeway);
    assert.equal(new Set(asked.map(({ headers }) => headers.get("idempotency-key"))).size, 2);
  });

  it("twice, and the last refusal is told", async (test) => {
    skippedWaits(test);
    const { causeway, asked } = client([[500, {}], [500, {}], BUSY]);
    const error = await create(causeway).catch((caught) => caught);
    assert.ok(error instanceof ServerError);
    assert.deepEqual(error.details, { retryable: true });
    assert.equal(asked.length, 3);
  });

  it("as often as the client or the call says", async (test) => {
    skippedWaits(test);
    for (const [ofClient, ofCall, tries] of [[0, undefined, 1], [5, undefined, 6], [5, 0, 1], [0, 3, 4]]) {
      const { causeway, asked } = client([BUSY], { maxRetries: ofClient });
      await assert.rejects(create(causeway, { maxRetries: ofCall }), ServerError);
      assert.equal(asked.length, tries);
    }
  });

  for (const status of [400, 401, 403, 404, 405, 409, 413, 415, 422, 501])
    it(`not after ${status}`, async () => {
      const { causeway, asked } = client([[status, { code: "x" }]]);
      await assert.rejects(create(causeway), { status });
      assert.equal(asked.length, 1);
    });

  it("with the key that was given, which is told when no answer comes", async (test) => {
    skippedWaits(test);
    const { causeway } = client([new TypeError("fetch failed")]);
    const error = await create(causeway, { idempotencyKey: "mine" }).catch((caught) => caught);
    assert.ok(error instanceof APIConnectionError);
    assert.equal(error.idempotencyKey, "mine");
    assert.ok(error.retryable);
    assert.equal(error.cause.message, "fetch failed");
  });

  it("never where a key is wrong before it is sent", async () => {
    const { causeway, asked } = client([{}]);
    await assert.rejects(create(causeway, { idempotencyKey: "a\nb" }), TypeError);
    assert.equal(asked.length, 0);
  });
});

describe("between tries", () => {
  const pauses = async (test, answer, tries = 2) => {
    const waits = skippedWaits(test);
    const { causeway } = client([answer], { maxRetries: tries });
    await assert.rejects(create(causeway));
    return waits.map((milliseconds) => milliseconds / 1000);
  };
  const within = (seconds, least, most) => assert.ok(least <= seconds && seconds <= most, `${seconds} in ${least}..${most}`);

  it("it waits half a second, doubled up to eight, less up to a half", async (test) => {
    const waits = await pauses(test, new TypeError("fetch failed"), 7);
    [0.5, 1, 2, 4, 8, 8, 8].forEach((most, at) => within(waits[at], most / 2, most));
    assert.equal(waits.length, 7);
  });

  it("it waits as long as the service asks for, in seconds or as a date", async (test) => {
    for (const wait of await pauses(test, [429, {}, { "Retry-After": "7" }])) within(wait, 7, 7.25);
  });

  it("it takes a date", async (test) => {
    const date = new Date(Date.now() + 20_000).toUTCString();
    for (const wait of await pauses(test, [503, {}, { "Retry-After": date }])) within(wait, 10, 20.25);
  });

  it("it takes no notice of what is neither", async (test) => {
    const [wait] = await pauses(test, [503, {}, { "Retry-After": "soon" }]);
    within(wait, 0.25, 0.5);
  });

  it("it gives up where the service asks for more than a minute", async (test) => {
    assert.deepEqual(await pauses(test, [429, {}, { "Retry-After": "61" }]), []);
  });
});

describe("a call ends", () => {
  /** @type {any} */
  let open; // in place of a connection, which keeps a program alive until a call's time is over
  before(() => { open = setInterval(() => undefined, 60_000); });
  after(() => clearInterval(open));
  const hangs = (init) => new Promise((_, reject) => init.signal.addEventListener("abort", () => reject(init.signal.reason)));

  it("when its time is over, and is tried again", async (test) => {
    const { causeway, asked } = client([hangs, { id: "pi_1" }]);
    assert.deepEqual(await create(causeway, { timeout: 1 }), { id: "pi_1" });
    assert.equal(asked.length, 2);
  });

  it("at once when its signal says so, with the signal's reason", async () => {
    const { causeway, asked } = client([hangs]);
    const stop = new AbortController();
    const call = create(causeway, { signal: stop.signal });
    stop.abort(new RangeError("enough"));
    await assert.rejects(call, RangeError);
    assert.equal(asked.length, 1);
  });

  it("at once while it waits between tries", async () => {
    const stop = new AbortController();
    const { causeway } = client([(init, number) => (queueMicrotask(() => stop.abort()), new Response("{}", { status: 503, headers: { "Retry-After": "60" } }))]);
    await assert.rejects(create(causeway, { signal: stop.signal }), { name: "AbortError" });
  });

  it("with the refusal itself where nothing is in doubt", async () => {
    const { causeway } = client([[409, { code: "idempotency_key_reused" }]]);
    const error = await create(causeway).catch((caught) => caught);
    assert.ok(error instanceof ConflictError && !error.retryable);
  });
});
