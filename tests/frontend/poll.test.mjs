import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { page } from "./modules.mjs";

const { pause } = await page("poll.js");
const calm = { moving: false, done: false, turns: 0, hidden: 0, failures: 0, retryAfter: 0 };

describe("the pause between questions", () => {
  it("is two to three seconds while nothing moves", () => assert.equal(pause(calm), 2500));
  it("is short while something moves, and steadier after a while", () => {
    assert.equal(pause({ ...calm, moving: true }), 700);
    assert.equal(pause({ ...calm, moving: true, turns: 12 }), 1500);
  });
  it("is long on a finished page", () => assert.equal(pause({ ...calm, done: true, moving: true }), 15000));
  it("doubles while nobody looks, up to half a minute", () => {
    assert.deepEqual([1, 2, 3, 4, 9].map((hidden) => pause({ ...calm, moving: true, hidden })), [5000, 10000, 20000, 30000, 30000]);
  });
  it("doubles with every failure, up to half a minute", () => {
    assert.deepEqual([1, 2, 3, 4, 5, 50].map((failures) => pause({ ...calm, failures })), [2500, 5000, 10000, 20000, 30000, 30000]);
  });
  it("never asks before the service said", () => {
    assert.equal(pause({ ...calm, moving: true, retryAfter: 60 }), 60000);
    assert.equal(pause({ ...calm, retryAfter: 1 }), 2500);
  });
});
