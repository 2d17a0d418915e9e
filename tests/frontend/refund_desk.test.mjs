import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { EVM, desk, page } from "./modules.mjs";

const stages = await desk("stages.js");
const { authorize } = await desk("authorize.js");
const { Problem } = await page("state.js");
const OTHER = "0x1111111111111111111111111111111111111111";
const wallets = [{ id: "evm:1", name: "First" }, { id: "evm:2", name: "Second" }];

/** @param {string} stage @param {object} [changes] @param {object} [local] */
const at = (stage, changes, local) => ({
  sight: { stage, title: "t", next: "n", sender: EVM, unsigned: {}, refused: null, tx_hash: "", tx_url: null, can_state: false, ends_at: 0, ...changes },
  connection: null, busy: "", problem: "", goOn: false, ...local,
});
const connected = { connection: { walletId: "evm:1", name: "First", address: EVM.toLowerCase() } };
const labels = (/** @type {any} */ state) => stages.choices(state, wallets).map((/** @type {any} */ { label }) => label);

describe("what can be pressed", () => {
  it("is every wallet until one is connected", () => {
    assert.deepEqual(labels(at("connect")), ["First", "Second"]);
    assert.deepEqual(labels(at("sign")), ["First", "Second"]);
  });
  it("is the one thing that the right wallet is asked", () => {
    assert.deepEqual(labels(at("sign", {}, connected)), ["Send in your wallet"]);
    assert.deepEqual(labels(at("authorize", {}, connected)), ["Authorize and send in your wallet"]);
  });
  it("is never sending by another wallet than the one that was shown it", () => {
    const other = { connection: { ...connected.connection, address: OTHER } };
    assert.deepEqual(labels(at("sign", {}, other)), ["First", "Second"]);
    assert.match(stages.nextWords(at("sign", {}, other), 2), new RegExp(`Connect ${EVM} again`));
  });
  for (const stage of ["preparing", "looking", "confirming", "paid", "over"]) {
    it(`is nothing while ${stage}`, () => assert.deepEqual(labels(at(stage, {}, connected)), []));
  }
  it("is nothing after another amount was sent, since sending again would pay twice", () => {
    const refused = { code: "wrong_amount", title: "Other.", next: "Stop." };
    assert.deepEqual(labels(at("sign", { refused }, connected)), []);
    assert.equal(stages.nextWords(at("sign", { refused }, connected), 2), "");
  });
  it("is nothing while a wallet is asked", () => {
    assert.deepEqual(labels(at("sign", {}, { ...connected, busy: "signing" })), []);
  });
});

describe("words", () => {
  it("say that no wallet was found", () => assert.match(stages.nextWords(at("connect"), 0), /No wallet was found/));
  it("are the service's otherwise", () => assert.equal(stages.nextWords(at("looking"), 0), "n"));
  it("of this tab come before the service's", () => {
    const refused = { code: "wrong_amount", title: "Other.", next: "Stop." };
    assert.equal(stages.warning(at("sign", { refused })), "Other. Stop.");
    assert.match(stages.warning(at("sign", { refused }, { problem: "declined" })), /You declined/);
    assert.equal(stages.warning(at("sign")), "");
  });
  it("exist for every refusal of the service", () => {
    assert.equal(stages.problemCode(409, "shown_to_another_wallet"), "another_wallet");
    assert.equal(stages.problemCode(400, "transaction_altered"), "wallet_altered");
    assert.deepEqual([401, 403, 404, 409, 500, 503].map((status) => stages.problemCode(status)),
      ["session_ended", "session_ended", "moved_on", "moved_on", "unreachable", "unreachable"]);
    assert.equal(stages.problemWords("nobody knows"), stages.problemWords("wallet_failed"));
  });
});

describe("polling", () => {
  it("ends when the refund is over", () => {
    assert.deepEqual(stages.mood({ stage: "paid" }), { moving: false, done: true });
    assert.deepEqual(stages.mood({ stage: "looking" }), { moving: true, done: false });
    assert.deepEqual(stages.mood({ stage: "connect" }), { moving: false, done: false });
  });
});

describe("an authorization", () => {
  const signature = `0x${"ab".repeat(65)}`;
  const unsigned = { chain_id: 8453, typed_data: { primaryType: "TransferWithAuthorization" } };
  /** @param {Record<string, any>} answers */
  function wallet(answers) {
    /** @type {any[]} */
    const asked = [];
    const request = async (/** @type {any} */ { method, params }) => {
      asked.push([method, params]);
      if (answers[method] instanceof Error) throw answers[method];
      return answers[method];
    };
    return { asked, source: { request } };
  }
  it("is signed as it is, by the right account on the right chain", async () => {
    const made = wallet({ eth_accounts: [EVM], eth_chainId: "0x2105", eth_signTypedData_v4: signature });
    assert.equal(await authorize(made, EVM, unsigned), signature);
    assert.deepEqual(made.asked.at(-1), ["eth_signTypedData_v4", [EVM, JSON.stringify(unsigned.typed_data)]]);
  });
  it("is not asked of another account", async () => {
    const made = wallet({ eth_accounts: [OTHER] });
    await assert.rejects(authorize(made, EVM, unsigned), new Problem("account_changed"));
  });
  it("can be declined", async () => {
    const refusal = Object.assign(new Error("no"), { code: 4001 });
    const made = wallet({ eth_accounts: [EVM], eth_chainId: "0x2105", eth_signTypedData_v4: refusal });
    await assert.rejects(authorize(made, EVM, unsigned), new Problem("declined"));
  });
  for (const answer of [null, "", "0x12", 7, {}]) {
    it(`that is ${JSON.stringify(answer)} is none`, async () => {
      const made = wallet({ eth_accounts: [EVM], eth_chainId: "0x2105", eth_signTypedData_v4: answer });
      await assert.rejects(authorize(made, EVM, unsigned), new Problem("wallet_failed"));
    });
  }
});
