import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { client, Causeway, KEY, load, skippedWaits } from "./service.mjs";

const { catchUp, follow } = await load("catch-up.js");

/** The same numbers each time. @param {number} seed */
const chance = (seed) => () => (seed = (seed * 48271) % 2147483647) / 2147483647;

/** A service with so many events, over a network that loses questions and answers. */
function service(count, random) {
  const cursors = Array.from({ length: count + 1 }, (_, place) => `cur_${place}`);
  const events = Array.from({ length: count }, (_, place) => ({ id: `evt_${place}`, type: "ping", data: {} }));
  return async (url) => {
    const lost = random();
    if (lost < 0.1) throw new TypeError("the question is lost");
    const query = new URL(url).searchParams;
    const from = Number((query.get("after") ?? "cur_0").slice(4));
    const end = Math.min(count, from + Number(query.get("limit")));
    if (lost < 0.2) throw new TypeError("the answer is lost");
    const has_more = end < count;
    return Response.json({
      data: events.slice(from, end),
      cursors: cursors.slice(from + 1, end + 1),
      has_more,
      next_cursor: has_more ? cursors[end] : null,
      cursor: cursors[end],
    });
  };
}

class Killed extends Error {}

describe("catchUp", () => {
  for (const inOneTransaction of [true, false])
    it(`hands on 10,000 events to a program that crashes, ${inOneTransaction ? "which saves the cursor itself" : "with a store"}`, async (test) => {
      skippedWaits(test);
      const random = chance(24);
      const mayCrash = () => {
        if (random() < 0.02) throw new Killed();
      };
      const fetch = service(10_000, chance(25));
      /** @type {string[]} */
      const done = [];
      /** @type {string | null} */
      let kept = null;
      const store = {
        load: () => kept,
        save: async (cursor) => {
          mayCrash();
          kept = cursor;
          mayCrash();
        },
      };
      const handler = async ({ id }, cursor) => {
        mayCrash();
        if (inOneTransaction || !done.includes(id, -1)) done.push(id);
        if (inOneTransaction) kept = cursor;
        mayCrash();
      };
      let runs = 0;
      for (; done.length < 10_000; runs++)
        try {
          const causeway = new Causeway({ apiKey: KEY, baseUrl: "https://pay.example", fetch });
          await catchUp(causeway, kept, handler, inOneTransaction ? {} : { store });
        } catch (error) {
          assert.ok(error instanceof Killed || error.name === "APIConnectionError", error);
        }
      assert.ok(runs > 200);
      assert.deepEqual(done, Array.from({ length: 10_000 }, (_, place) => `evt_${place}`));
    });

  it("keeps the end although nothing matched, and sends types as a list", async () => {
    const { causeway, asked } = client([{ data: [], cursors: [], has_more: false, next_cursor: null, cursor: "cur_7" }]);
    /** @type {string[]} */
    const saved = [];
    const store = { load: () => null, save: (cursor) => saved.push(cursor) };
    assert.equal(await catchUp(causeway, "cur_1", assert.fail, { store, type: ["refund.*", "ping"] }), "cur_7");
    assert.deepEqual(saved, ["cur_7"]);
    assert.equal(decodeURIComponent(asked[0].url.split("?")[1]), "limit=100&type=refund.*,ping&after=cur_1");
  });
});

describe("follow", () => {
  const page = (ids, cursors, cursor) => ({ data: ids.map((id) => ({ id, type: "ping" })), cursors, has_more: false, next_cursor: null, cursor });

  it("survives an outage, knows what came before, and rests where no question was held", async (test) => {
    const waits = skippedWaits(test);
    const lost = new TypeError("lost");
    const { causeway, asked } = client([
      page(["evt_1", "evt_2"], ["cur_1", "cur_2"], "cur_2"),
      ...[lost, lost, lost, lost],
      page([], [], "cur_3"),
      page(["evt_2", "evt_3"], ["cur_4", "cur_5"], "cur_5"),
    ]);
    const following = follow(causeway, "cur_0");
    const seen = [];
    for await (const { id } of following) {
      seen.push([id, following.cursor]);
      if (seen.length === 3) break;
    }
    assert.deepEqual(seen, [["evt_1", "cur_1"], ["evt_2", "cur_2"], ["evt_3", "cur_5"]]);
    assert.ok(asked[6].url.endsWith("limit=100&after=cur_3&wait=25"));
    assert.equal(waits.filter((one) => one === 2000).length, 1);
    assert.equal(waits.filter((one) => one <= 1000 && one > 900).length >= 1, true);
  });

  it("ends where the cursor is over", async () => {
    const { causeway } = client([[410, { error: "Gone.", code: "cursor_expired" }, {}]]);
    const first = follow(causeway, "cur_0")[Symbol.asyncIterator]().next();
    await assert.rejects(first, { code: "cursor_expired" });
  });
});
