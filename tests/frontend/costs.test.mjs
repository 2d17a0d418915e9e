import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { page } from "./modules.mjs";

const { upToCents } = await page("payment/costs.js");
const { drawClock } = await page("view.js");

describe("dollars at most", () => {
  for (const [amount, shown] of [["25.07015", "25.08"], ["25.07", "25.07"], ["25.070000", "25.07"], ["25", "25.00"], ["0.001", "0.01"], ["0.00", "0.00"], ["9.999", "10.00"], ["12345678901234567.891", "12345678901234567.90"]]) {
    it(`shows ${amount} as ${shown}`, () => assert.equal(upToCents(amount), shown));
  }
});

describe("the clock", () => {
  it("is silent until five minutes are left, and told at five and at one", () => {
    /** @type {Record<string, any>} */
    const elements = { countdown: {}, announcer: {} };
    /** @type {[number, string][]} */
    const told = [];
    Object.defineProperty(elements.announcer, "textContent", { set: (text) => told.push([now, text]) });
    let now = 0;
    Object.assign(globalThis, { document: { getElementById: (/** @type {string} */ id) => elements[id] } });
    for (now = 400; now >= 0; now -= 1) {
      drawClock(now <= 300 ? now : null, "en");
      assert.equal(elements.countdown.textContent === "", now > 300);
    }
    assert.deepEqual(told.map(([second]) => second), [300, 60]);
  });
});
