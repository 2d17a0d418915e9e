import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";

import { client, load, sdk, skippedWaits } from "./service.mjs";

const { verify, WebhookVerificationError } = await load("webhooks.js");
const vectors = (name) => JSON.parse(readFileSync(new URL(`../../../sdks/vectors/${name}.json`, import.meta.url), "utf8")).vectors;

async function verdict({ body, headers, secrets, now }) {
  const error = await verify(body, headers, secrets, { now }).catch((caught) => caught);
  if (error && !(error instanceof WebhookVerificationError)) throw error;
  return error?.reason ?? null;
}

describe("vectors of webhooks", () => {
  for (const vector of vectors("webhooks")) {
    // What carries the headers of Standard Webhooks alone is refused: the service never sends them alone.
    const isOther = !Object.keys(vector.headers).some((name) => name.toLowerCase() === "svc-signature") && Object.keys(vector.headers).length > 0;
    it(vector.name, async () => assert.equal(await verdict(vector), isOther ? "header_missing" : vector.refusal));
  }
});

describe("vectors of errors", () => {
  for (const { name, status, body, text, error } of vectors("errors"))
    it(name, async () => {
      const { causeway } = client([new Response(text ?? JSON.stringify(body), { status })], { maxRetries: 0 });
      const caught = await causeway.payouts.get("p").catch((refused) => refused);
      const { code, retryable, requestId, details } = caught;
      assert.deepEqual({ class: caught.name, code, retryable, request_id: requestId, details: { ...details } }, { ...error });
      assert.ok(caught instanceof sdk[error.class]);
    });
});

describe("vectors of retries", () => {
  for (const { name, outcomes, tries, ends, pauses } of vectors("retries"))
    it(name, async (test) => {
      const waits = skippedWaits(test);
      const { causeway, asked } = client(
        outcomes.map((one) => (one === "lost" ? new TypeError("fetch failed") : [one.status, one.body, one.headers])),
      );
      const end = await causeway.paymentIntents.create({ amount: 1 }).then(() => "done", (error) => error.name);
      assert.equal(end, ends);
      assert.equal(asked.length, tries);
      pauses?.forEach((seconds, at) => assert.ok(seconds <= waits[at] / 1000 && waits[at] / 1000 <= seconds + 0.25));
    });
});

describe("vectors of pages", () => {
  for (const { name, answers, asked: wanted, ids } of vectors("pages"))
    it(name, async () => {
      const { causeway, asked } = client(answers);
      const found = [];
      for await (const { id } of causeway.paymentIntents.list()) found.push(id);
      assert.deepEqual(found, ids);
      assert.deepEqual(asked.map(({ url }) => new URL(url).searchParams.get("starting_after")), wanted);
    });
});

describe("a list of 1,001", () => {
  it("is read whole and once, while newer ones are added", async () => {
    const rows = Array.from({ length: 1001 }, (_, number) => `old-${1000 - number}`);
    const { causeway, asked } = client([() => {
      const after = new URL(asked.at(-1).url).searchParams.get("starting_after");
      const from = after ? rows.indexOf(after) + 1 : 0;
      const data = rows.slice(from, from + 20).map((id) => ({ id }));
      const more = from + 20 < rows.length;
      rows.unshift(`new-${asked.length}`);
      return new Response(JSON.stringify({ data, has_more: more, next_cursor: more ? data.at(-1).id : null }));
    }]);
    const found = [];
    for await (const { id } of causeway.payouts.list()) found.push(id);
    assert.deepEqual(found, Array.from({ length: 1001 }, (_, number) => `old-${1000 - number}`));
    assert.equal(asked.length, 51);
  });
});
