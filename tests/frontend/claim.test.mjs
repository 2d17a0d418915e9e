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

describe("a signature that no key made", () => {
  it("is brought to the wallet's contract where a chain can be asked", () => {
    for (const code of ["signature_refused", "contract_wallet"]) assert.equal(words.mayBeContract("live", "evm", code), true);
    for (const given of [["test", "evm", "signature_refused"], ["live", "solana", "signature_refused"], ["live", "evm", "not_payer"]]) {
      assert.equal(words.mayBeContract(...given), false);
    }
  });
  it("is waited for, and that is said", () => {
    const said = { asking: "Asking.", answer: "Answer." };
    const state = { ...words.connected(blank, wallet("evm")), busy: "asking" };
    assert.deepEqual([words.stepOf(state), words.sayingNow(state, said)], ["sign", "Asking."]);
    assert.deepEqual(["signing", ""].map((busy) => words.sayingNow({ ...state, busy }, said)), ["Answer.", ""]);
  });
});

describe("what the claim page says", () => {
  const given = {
    sentences: {}, answers: { refund_claim_expired: "text_too_old" },
    problems: { text_too_old: ["Too old.", "It waits.", "Sign."], wallet_failed: ["No signature.", "It waits.", "Again."] },
  };
  it("is the problem in its three parts", () => {
    assert.equal(words.problemWords(given, "text_too_old"), "Too old. It waits. Sign.");
    assert.equal(words.problemWords(given, "no_gas"), "No signature. It waits. Again.");
  });
  it("is what the service's code stands for", () => {
    assert.equal(words.problemOf(given, { code: "refund_claim_expired" }), "text_too_old");
    assert.equal(words.problemOf(given, { code: "invalid_request", details: { fields: [{ field: "destination" }] } }), "address_refused");
  });
  it("is in doubt where nobody knows what the answer means", () => {
    for (const body of [null, {}, { code: "teapot" }, { details: { fields: [] } }]) assert.equal(words.problemOf(given, body), "unreachable");
  });
  it("has its gaps filled, each once and none with markup", () => {
    assert.equal(words.filled("{1} on {0}, {2}", "Base", "$&"), "$& on Base, {2}");
  });
});
