import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { client, sdk, skippedWaits } from "./service.mjs";

const { UnexpectedStatusError, WaitTimeoutError } = sdk;
const [CREATED, EXECUTING, SETTLED, EXPIRED] = ["created", "executing", "settled", "expired"].map((status) => ({ id: "i", status }));

describe("wait", () => {
  it("asks the service to hold the question, until the payment has ended", async (test) => {
    skippedWaits(test);
    const { causeway, asked } = client([CREATED, EXECUTING, SETTLED]);
    assert.deepEqual(await causeway.paymentIntents.wait("i"), SETTLED);
    assert.deepEqual(asked.map(({ url }) => url.split("/v1/")[1]), [0, 25, 25].map((seconds) => `payment-intents/i?wait=${seconds}`));
  });

  it("asks for a short hold where a status is wanted that may change again", async (test) => {
    skippedWaits(test);
    const { causeway, asked } = client([CREATED, EXECUTING]);
    assert.deepEqual(await causeway.paymentIntents.wait("i", { until: ["executing"] }), EXECUTING);
    assert.deepEqual(asked.map(({ url }) => url.split("?")[1]), ["wait=0", "wait=5"]);
  });

  it("ends at any of the statuses that are named, or when a question is answered yes", async (test) => {
    skippedWaits(test);
    const named = client([CREATED, EXECUTING, SETTLED]);
    assert.deepEqual(await named.causeway.paymentIntents.wait("i", { until: ["executing", "settled"] }), EXECUTING);
    const asked = client([CREATED, EXECUTING]);
    assert.deepEqual(await asked.causeway.paymentIntents.wait("i", { until: ({ status }) => status !== "created" }), EXECUTING);
  });

  it("throws when the payment ends otherwise", async () => {
    const { causeway } = client([EXPIRED]);
    const error = await causeway.paymentIntents.wait("i", { until: ["settled"] }).catch((caught) => caught);
    assert.ok(error instanceof UnexpectedStatusError && error instanceof WaitTimeoutError);
    assert.deepEqual(error.resource, EXPIRED);
  });

  it("throws when the time is over, with what was seen last", async () => {
    const { causeway, asked } = client([CREATED]);
    const error = await causeway.paymentIntents.wait("i", { timeout: 0 }).catch((caught) => caught);
    assert.ok(error instanceof WaitTimeoutError && !(error instanceof UnexpectedStatusError));
    assert.deepEqual(error.resource, CREATED);
    assert.ok(asked[0].url.endsWith("?wait=0"));
  });

  it("rests a second where the service did not hold the question", async (test) => {
    const waits = skippedWaits(test);
    const { causeway } = client([CREATED, CREATED, CREATED, SETTLED]);
    await causeway.paymentIntents.wait("i");
    const [first, ...others] = waits;
    assert.deepEqual([first, others.length], [0, 2]);
    assert.ok(others.every((milliseconds) => 0 < milliseconds && milliseconds <= 1000));
  });

  it("ends at once when its signal says so", async () => {
    const stop = new AbortController();
    const { causeway } = client([() => (queueMicrotask(() => stop.abort()), new Response(JSON.stringify(CREATED)))]);
    await assert.rejects(causeway.paymentIntents.wait("i", { signal: stop.signal }), { name: "AbortError" });
  });
});
