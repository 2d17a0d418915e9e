import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";

import { EVM, page } from "./modules.mjs";

const { Problem } = await page("state.js");
const evm = await page("wallets/evm.js");
const TOKEN = `0x${"70".repeat(20)}`;
const SPENDER = "12".repeat(20);
const MAIN_HASH = `0x${"ab".repeat(32)}`;
const ID = `0x${"01".repeat(32)}`;
const word = (/** @type {number} */ number) => number.toString(16).padStart(64, "0");
const approve = (/** @type {number} */ units) => ({
  to: TOKEN, value: "0x0", data: `0x095ea7b3${SPENDER.padStart(64, "0")}${word(units)}`, token: "USDT", amount: `${units}`, spender: `0x${SPENDER}`,
});
const failure = (/** @type {number} */ code, message = "") => Object.assign(new Error(message), { code });
const { setTimeout } = globalThis;

before(() => { globalThis.setTimeout = /** @type {any} */ ((/** @type {() => void} */ step) => setImmediate(step)); });
after(() => { globalThis.setTimeout = setTimeout; });

/** A wallet over a chain of its own. @param {Record<string, any>} [answers] instead of what a plain wallet says */
function world(answers = {}) {
  const [methods, steps, opened] = [/** @type {string[]} */ ([]), /** @type {any[]} */ ([]), /** @type {any[]} */ ([])];
  /** @type {any} */
  const chain = { allowance: 0, sent: [], wanted: true, batch: null };
  /** @type {Record<string, any>} */
  const plain = {
    eth_accounts: [EVM], eth_chainId: "0x1",
    eth_call: () => `0x${word(chain.allowance)}`,
    eth_sendTransaction: ([call]) => {
      chain.sent.push(call);
      if (call.to !== TOKEN) return MAIN_HASH;
      chain.allowance = Number(BigInt(`0x${call.data.slice(74)}`));
      return `0x${word(chain.sent.length)}`;
    },
    eth_getTransactionReceipt: { status: "0x1" },
  };
  const request = async (/** @type {any} */ { method, params }) => {
    methods.push(method);
    const answer = method in answers ? answers[method] : plain[method];
    const given = typeof answer === "function" ? answer(params, chain) : answer;
    if (given instanceof Error) throw given;
    if (given === undefined) throw failure(4200);
    return given;
  };
  const sending = {
    id: ID, walletSends: false, isWanted: () => chain.wanted, tell: (/** @type {any} */ step) => steps.push(step),
    allowed: (/** @type {any} */ approval) => opened.push(approval), batch: () => chain.batch, keepBatch: (/** @type {any} */ batch) => { chain.batch = batch; },
  };
  const wallet = evm.evmWallet({ request });
  const send = (/** @type {any[]} */ ...approvals) => wallet.send({ leg_sequence: 1, chain_id: 1, request: { to: "0x0d", data: "0xda", value: "0x0" }, approvals }, EVM, sending);
  const count = (/** @type {string} */ method) => methods.filter((each) => each === method).length;
  return { wallet, send, chain, steps, opened, methods, count };
}
const code = (/** @type {string} */ expected) => (/** @type {any} */ error) => error instanceof Problem && error.code === expected;

describe("approvals one by one", () => {
  it("are sent in order, each waited for, and the payment last", async () => {
    const { send, chain, steps, opened, methods } = world();
    assert.deepEqual(await send(approve(0), approve(25)), { tx_hash: MAIN_HASH });
    assert.deepEqual(chain.sent.map(({ to, data }) => [to, data]), [[TOKEN, approve(0).data], [TOKEN, approve(25).data], ["0x0d", "0xda"]]);
    assert.deepEqual(steps.map(({ kind, place, total }) => [kind, place, total]), [["reset", 1, 3], ["mined", 1, 3], ["allow", 2, 3], ["mined", 2, 3], ["pay", 3, 3]]);
    assert.deepEqual(opened, [approve(25)]);
    const relevant = methods.filter((method) => ["eth_sendTransaction", "eth_getTransactionReceipt"].includes(method));
    assert.deepEqual(relevant, ["eth_sendTransaction", "eth_getTransactionReceipt", "eth_sendTransaction", "eth_getTransactionReceipt", "eth_sendTransaction"]);
  });
  it("that hold already are not asked for again", async () => {
    const { send, chain, steps } = world();
    chain.allowance = 25;
    await send(approve(0), approve(25));
    assert.deepEqual([chain.sent.length, steps.map(({ kind }) => kind)], [1, ["pay"]]);
  });
  it("that a larger allowance covers are made exact", async () => {
    const { send, chain } = world();
    chain.allowance = 1000;
    await send(approve(25));
    assert.deepEqual([chain.sent.length, chain.allowance], [2, 25]);
  });
  it("that were sent again under another hash count once the allowance is there", async () => {
    const { send, count } = world({ eth_getTransactionReceipt: null });
    assert.deepEqual(await send(approve(25)), { tx_hash: MAIN_HASH });
    assert.equal(count("eth_sendTransaction"), 2);
  });
  const stops = [
    ["approval_reverted", { eth_getTransactionReceipt: { status: "0x0" } }],
    ["approval_slow", { eth_getTransactionReceipt: null, eth_call: failure(4200) }],
    ["approval_declined", { eth_sendTransaction: failure(4001) }],
    ["approval_slow", { eth_sendTransaction: failure(-32603) }],
    ["no_gas", { eth_sendTransaction: failure(-32000, "insufficient funds") }],
  ];
  for (const [expected, answers] of stops) {
    it(`stop before the payment with ${expected} for ${JSON.stringify(answers)}`, async () => {
      const { send, count, chain } = world(answers);
      await assert.rejects(send(approve(25)), code(expected));
      assert.ok(count("eth_sendTransaction") === 1 && chain.sent.every(({ to }) => to === TOKEN));
    });
  }
  it("are the last thing sent when the payer leaves or switches the account meanwhile", async () => {
    const left = world({ eth_getTransactionReceipt: (_, chain) => { chain.wanted = false; return { status: "0x1" }; } });
    await assert.rejects(left.send(approve(25)), code("moved_on"));
    let account = EVM;
    const switched = world({ eth_accounts: () => [account], eth_getTransactionReceipt: () => { account = "0x02"; return { status: "0x1" }; } });
    await assert.rejects(switched.send(approve(25)), code("account_changed"));
    assert.deepEqual([left.count("eth_sendTransaction"), switched.count("eth_sendTransaction")], [1, 1]);
  });
  it("can be found open and taken back", async () => {
    const { send, wallet, chain } = world({ eth_sendTransaction: ([call], own) => {
      if (call.to !== TOKEN) return failure(4001);
      own.allowance = Number(BigInt(`0x${call.data.slice(74)}`));
      return MAIN_HASH;
    } });
    await assert.rejects(send(approve(25)), code("payment_declined"));
    const open = { ...approve(25), owner: EVM, chain: "ethereum", chain_id: 1, provider: "lifi" };
    assert.deepEqual([chain.allowance, await wallet.isOpen(open), await wallet.isOpen({ ...open, chain_id: 8453 })], [25, true, null]);
    await wallet.revoke(open);
    assert.deepEqual([chain.allowance, await wallet.isOpen(open)], [0, false]);
  });
});

describe("batches", () => {
  const able = { wallet_getCapabilities: { "0x1": { atomic: { status: "ready" } } } };
  const receipts = [{ transactionHash: MAIN_HASH, status: "0x1" }];
  const done = { status: 200, receipts };

  it("carry approval and payment in one request under an id of ours", async () => {
    /** @type {any} */
    let asked;
    const answers = [{ status: 100 }, { status: 100 }, done];
    const { send, steps, count } = world({ ...able, wallet_sendCalls: ([batch]) => { asked = batch; return { id: "theirs" }; }, wallet_getCallsStatus: ([id]) => id === "theirs" && answers.shift() });
    assert.deepEqual(await send(approve(25)), { tx_hash: MAIN_HASH });
    assert.deepEqual(asked, {
      version: "2.0.0", id: ID, from: EVM, chainId: "0x1", atomicRequired: true,
      calls: [{ to: TOKEN, data: approve(25).data, value: "0x0" }, { to: "0x0d", data: "0xda", value: "0x0" }],
    });
    assert.deepEqual([steps.map(({ kind }) => kind), count("eth_sendTransaction"), count("wallet_getCallsStatus")], [["both", "batch"], 0, 3]);
  });
  const unable = [undefined, {}, failure(4200), failure(4100), { "0x1": {} }, { "0x1": { atomic: { status: "unsupported" } } }, { "0x2105": { atomic: { status: "supported" } } }];
  for (const answer of unable) {
    it(`are not asked for where the wallet says ${answer instanceof Error ? /** @type {any} */ (answer).code : JSON.stringify(answer)}`, async () => {
      const { send, count } = world({ wallet_getCapabilities: answer });
      assert.deepEqual(await send(approve(25)), { tx_hash: MAIN_HASH });
      assert.deepEqual([count("wallet_sendCalls"), count("eth_sendTransaction")], [0, 2]);
    });
  }
  it("are asked for where the wallet can on every chain", async () => {
    const { send, count } = world({ wallet_getCapabilities: { "0x0": { atomic: { status: "supported" } } }, wallet_sendCalls: { id: ID }, wallet_getCallsStatus: done });
    await send(approve(25));
    assert.equal(count("wallet_sendCalls"), 1);
  });
  for (const number of [5700, 5710, 5740, 5750, 5760, 4200, -32601, -32602]) {
    it(`give way to one by one when the wallet takes none (${number})`, async () => {
      const { send, count } = world({ ...able, wallet_sendCalls: failure(number) });
      assert.deepEqual(await send(approve(25)), { tx_hash: MAIN_HASH });
      assert.equal(count("eth_sendTransaction"), 2);
    });
  }
  it("that are declined send nothing else", async () => {
    const { send, count, chain } = world({ ...able, wallet_sendCalls: failure(4001) });
    await assert.rejects(send(approve(25)), code("declined"));
    assert.deepEqual([count("eth_sendTransaction"), chain.batch], [0, null]);
  });
  it("that were taken before are only asked about", async () => {
    for (const before of [null, { id: ID, taken: true }]) {
      const { send, count, chain } = world({ ...able, wallet_sendCalls: failure(5720), wallet_getCallsStatus: done });
      chain.batch = before;
      assert.deepEqual(await send(approve(25)), { tx_hash: MAIN_HASH });
      assert.deepEqual([count("wallet_sendCalls"), count("eth_sendTransaction")], [before ? 0 : 1, 0]);
    }
  });
  it("whose request broke off are asked about first, and sent anew only where the wallet knows nothing of them", async () => {
    const { send, chain } = world({ ...able, wallet_sendCalls: failure(-32603) });
    await assert.rejects(send(approve(25)), code("wallet_unclear"));
    assert.deepEqual(chain.batch, { id: ID, taken: false });
    const known = world({ ...able, wallet_getCallsStatus: done });
    known.chain.batch = chain.batch;
    await known.send(approve(25));
    const unknown = world({ ...able, wallet_getCallsStatus: failure(5730) });
    unknown.chain.batch = chain.batch;
    await unknown.send(approve(25));
    assert.deepEqual([known.count("eth_sendTransaction"), unknown.count("eth_sendTransaction")], [0, 2]);
  });
  const endings = [["batch_refused", { status: 400 }], ["batch_reverted", { status: 500, receipts }], ["batch_pending", { status: 100 }],
    ["batch_pending", { status: 200 }], ["batch_pending", failure(5730)], ["batch_pending", failure(-32603)]];
  for (const [expected, answer] of endings) {
    it(`end as ${expected} for ${answer instanceof Error ? /** @type {any} */ (answer).code : JSON.stringify(answer)}, with nothing sent twice`, async () => {
      const { send, count, chain } = world({ ...able, wallet_sendCalls: { id: ID }, wallet_getCallsStatus: answer });
      await assert.rejects(send(approve(25)), code(expected));
      assert.deepEqual([count("wallet_sendCalls"), count("eth_sendTransaction")], [1, 0]);
      assert.deepEqual(chain.batch, expected === "batch_pending" ? { id: ID, taken: true } : null);
    });
  }
  it("that landed in parts are the service's to judge", async () => {
    const { send } = world({ ...able, wallet_sendCalls: { id: ID }, wallet_getCallsStatus: { status: 600, receipts } });
    assert.deepEqual(await send(approve(25)), { tx_hash: MAIN_HASH });
  });
});
