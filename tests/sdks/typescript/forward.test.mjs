/** A service of tomorrow: each answer has a key and words that this SDK has never heard of. Nothing throws, nothing is lost. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";

import { client, load } from "./service.mjs";

const { OPERATIONS } = await load("generated.js");
const { unwrap } = await load("webhooks.js");
const { sign } = await load("testing.js");
const TYPES = readFileSync(new URL("../../../sdks/typescript/src/generated.ts", import.meta.url), "utf8");
const TOMORROW = {
  id: "i", status: "a_status_of_tomorrow", mode: "a_mode", kind: "a_kind", code: "a_code", type: "an_event.of_tomorrow", chain: "a_chain",
  failure_reason: "a_reason", amount: "1.00", brand_new: { deep: [1, { amount_usd: 1.25 }] }, nothing: null,
};
const WANTED = { ...TOMORROW, brand_new: { deep: [1, { amount_usd: "1.25" }] } };

describe("an answer of tomorrow", () => {
  const every = OPERATIONS.split("\n\n").flatMap((block) => {
    const [[resource], ...lines] = block.split("\n").map((line) => line.split(" "));
    return lines.map((line) => [resource, ...line]);
  });
  for (const [resource, method, verb, path] of every) {
    const ids = Array((path.match(/{}/g) ?? []).length).fill("x");
    it(`to ${resource}.${method}`, async () => {
      const page = { data: [TOMORROW], has_more: false, next_cursor: null, brand_new: 1 };
      const { causeway } = client([verb === "LIST" ? page : TOMORROW]);
      const answer = causeway[resource][method](...ids);
      if (verb !== "LIST") assert.deepEqual(await answer, WANTED);
      else for await (const read of answer.pages()) assert.deepEqual(read, { ...page, data: [WANTED] });
    });

    it(`that refuses ${resource}.${method}`, async () => {
      const { causeway } = client([[418, { error: "No.", code: "a_code_of_tomorrow", details: { new: [1] }, brand_new: 1 }]]);
      const answer = causeway[resource][method](...ids);
      await assert.rejects(verb === "LIST" ? answer.first() : answer, { code: "a_code_of_tomorrow", details: { new: [1] }, status: 418 });
    });
  }
});

describe("an event of tomorrow", () => {
  const known = [...TYPES.matchAll(/EventOf<"([^"]+)"/g)].map(([, type]) => type);
  for (const type of [...known, "an_event.of_tomorrow"])
    it(`${type} comes whole`, async () => {
      const sent = { id: "evt_1", type, data: TOMORROW, mode: "a_mode", brand_new: true };
      const body = JSON.stringify(sent);
      assert.deepEqual(await unwrap(body, await sign(body, "whsec_x"), "whsec_x"), { ...sent, data: WANTED });
    });

  it("every list of words in the types is open", () => {
    const closed = [...TYPES.matchAll(/export type (\w+) =\s*(\|?\s*"[^;]*);/g)].filter(([, , words]) => !words.includes("(string & {})"));
    assert.deepEqual(closed.map(([, name]) => name), []);
  });
});
