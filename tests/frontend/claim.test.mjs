import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { EVM, desk } from "./modules.mjs";

const words = await desk("claim_words.js");
const blank = { family: "evm", connection: null, choice: "", typed: "", busy: "", problem: "", message: "" };
const wallet = (/** @type {string} */ family) => ({ walletId: "1", name: "Wallet", family, address: EVM });

describe("where a claimed refund goes", () => {
  it("is nowhere before a wallet is connected", () => {
    assert.equal(words.destinationOf(blank), "");
    assert.equal(words.stepOf(blank), "connect");
  });
  it("is the wallet itself where it can receive on that chain", () => {
    const state = words.connected(blank, wallet("evm"));
    assert.deepEqual([state.choice, words.destinationOf(state), words.stepOf(state)], ["wallet", EVM, "choose"]);
  });
  it("is asked for where the wallet belongs to other chains", () => {
    const state = words.connected(blank, wallet("solana"));
    assert.deepEqual([state.choice, words.destinationOf(state)], ["other", ""]);
    assert.equal(words.destinationOf({ ...state, choice: "wallet" }), "");
    assert.equal(words.destinationOf({ ...state, typed: ` ${EVM} ` }), EVM);
  });
});

describe("what went wrong", () => {
  it("is said in our words, else in the service's", () => {
    assert.match(words.problemWords("declined"), /declined/);
    assert.equal(words.problemWords("refund_claim_expired", "Too old."), "Too old.");
    assert.match(words.problemWords("what", ""), /no usable answer/);
  });
  it("is the sentence of the first wrong field", () => {
    assert.equal(words.refusalWords({ error: "no", details: { fields: [{ message: "wrong" }] } }), "wrong");
    assert.equal(words.refusalWords({ error: "no" }), "no");
    assert.equal(words.refusalWords(null), "");
  });
});
