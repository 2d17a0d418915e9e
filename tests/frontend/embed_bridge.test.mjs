import assert from "node:assert/strict";
import { setMaxListeners } from "node:events";
import { afterEach, beforeEach, describe, it, mock } from "node:test";

import { EVM, attempt, heard, host, page, server } from "./modules.mjs";

const { eventsOf, isUnderWay } = await page("frame_events.js");
const discovery = await page("wallets/discovery.js");
const soon = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
const info = { uuid: "1", name: "Wallet", icon: "data:image/png;base64,AA", rdns: "io.wallet" };
const CHAINS = ["solana:mainnet"];

/** One page's window. */
function browser() {
  const made = new EventTarget();
  setMaxListeners(0, made);
  return Object.assign(made, { setTimeout: (...all) => setTimeout(...all), clearTimeout: (...all) => clearTimeout(...all) });
}

/** The merchant's page on one end, the frame's page on the other. */
let top, frame, channel, calls, found;

/** Runs a step in the window of the merchant's page. */
function inTop(step) {
  Object.assign(globalThis, { window: top, addEventListener: top.addEventListener.bind(top), dispatchEvent: top.dispatchEvent.bind(top) });
  step();
  globalThis.window = frame;
}

function announce(wallet) {
  inTop(() => top.addEventListener("eip6963:requestProvider", () => top.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: wallet }))));
}

const provider = (answer, more = {}) => ({ request: async (call) => { calls.push(call); return answer(call); }, ...more });

/** Bridges the two; the wallets that the frame found. */
async function bridged(options = {}) {
  const { serve } = await host("wallets-v1.js");
  const { borrowWallets } = await page("wallets/bridged.js");
  channel = new MessageChannel();
  globalThis.window = frame;
  const wallets = borrowWallets((type, more) => (type === "discover" ? inTop(() => serve(channel.port1, options)) : channel.port2.postMessage({ v: 1, type, ...more })));
  channel.port1.start();
  channel.port2.onmessage = ({ data }) => wallets.heard[data.type]?.(data);
  await wallets.discover();
  found = [];
  discovery.findEvm((option, source) => found.push({ option, source }));
  discovery.findSolana((option, source) => found.push({ option, source }));
  return wallets;
}

beforeEach(() => {
  [top, frame, calls] = [browser(), browser(), []];
});
afterEach(() => {
  channel?.port1.close();
  mock.timers.reset();
});

describe("a wallet of the merchant's page", () => {
  it("is found in the frame as what it is, and asked there", async () => {
    announce({ info, provider: provider(() => [EVM]) });
    await bridged();
    assert.deepEqual(found.map(({ option }) => [option.family, option.name, option.origin, option.icon]), [["evm", "Wallet", "io.wallet", info.icon]]);
    assert.deepEqual(await found[0].source.request({ method: "eth_requestAccounts" }), [EVM]);
    assert.deepEqual(calls, [{ method: "eth_requestAccounts", params: [] }]);
  });
  it("gives its refusals with their codes", async () => {
    announce({ info, provider: provider(() => { throw Object.assign(new Error("no"), { code: -32603, data: { originalError: { code: 4001 } } }); }) });
    await bridged();
    await assert.rejects(found[0].source.request({ method: "eth_requestAccounts" }), { code: 4001, message: "no" });
  });
  it("is never asked to sign a text", async () => {
    announce({ info, provider: provider(() => "0xsigned") });
    await bridged();
    for (const method of ["personal_sign", "eth_sign", "eth_signTypedData_v4", "eth_signTypedData", "solana:signMessage", "toString", "__proto__"]) {
      await assert.rejects(found[0].source.request({ method, params: [] }), { code: 4200 });
    }
    assert.deepEqual(calls, []);
  });
  it("signs typed data only where the page says so", async () => {
    announce({ info, provider: provider(() => "0xsigned") });
    await bridged({ typedData: true });
    assert.equal(await found[0].source.request({ method: "eth_signTypedData_v4", params: [EVM, "{}"] }), "0xsigned");
    await assert.rejects(found[0].source.request({ method: "personal_sign", params: [] }), { code: 4200 });
  });
  it("answers with data only", async () => {
    announce({ info, provider: provider(() => ({ toJSON: () => ["0x1"], run() {} })) });
    await bridged();
    assert.deepEqual(await found[0].source.request({ method: "eth_accounts" }), ["0x1"]);
  });
  it("tells of another account or chain", async () => {
    const listeners = {};
    announce({ info, provider: provider(() => [], { on: (event, listener) => { listeners[event] = listener; } }) });
    await bridged();
    const told = [];
    found[0].source.on("accountsChanged", (accounts) => told.push(accounts));
    found[0].source.on("chainChanged", (chain) => told.push(chain));
    listeners.accountsChanged([EVM]);
    listeners.chainChanged("0x1");
    await heard();
    assert.deepEqual(told, [[EVM], "0x1"]);
  });
  it("that says nonsense of itself is nobody's, and spoils no other", async () => {
    for (const detail of [null, {}, { info: null, provider: {} }, { info: { get name() { throw new Error("no"); } }, provider: provider(() => 1) },
      { info: { name: 1n }, provider: provider(() => 1) }, { info, provider: provider(() => [EVM]) }]) announce(detail);
    await bridged();
    assert.deepEqual(found.map(({ option }) => option.name), ["Wallet"]);
  });
  it("of Solana connects, tells its accounts, and signs bytes", async () => {
    const accounts = [];
    class Account { get address() { return "Me"; } get chains() { return CHAINS; } }
    const signed = new Uint8Array([1, 2, 3]);
    let changed;
    const wallet = {
      version: "1.0.0", name: "Sol", icon: "", chains: CHAINS, accounts,
      features: {
        "standard:connect": { connect: async (input) => { calls.push(input); accounts.push(new Account()); return { accounts }; } },
        "standard:events": { on: (_event, listener) => { changed = listener; } },
        "solana:signTransaction": { signTransaction: async (input) => { calls.push(input); return [{ signedTransaction: signed }]; } },
        "solana:signMessage": { signMessage: async () => { calls.push("message"); } },
      },
    };
    inTop(() => top.addEventListener("wallet-standard:app-ready", ({ detail }) => detail.register(wallet)));
    await bridged();
    const [{ option, source }] = found;
    assert.deepEqual([option.id, Object.keys(source.features)], ["solana:Sol", ["standard:connect", "standard:events", "solana:signTransaction"]]);
    await source.features["standard:connect"].connect();
    assert.deepEqual(source.accounts, [{ address: "Me", chains: CHAINS }]);
    const [{ signedTransaction }] = await source.features["solana:signTransaction"].signTransaction({ account: source.accounts[0], chain: CHAINS[0], transaction: new Uint8Array([9]) });
    assert.deepEqual([...signedTransaction], [1, 2, 3]);
    assert.equal(calls[1].account, accounts[0]);
    assert.ok(calls[1].transaction instanceof Uint8Array);
    source.features["standard:events"].on("change", () => calls.push("changed"));
    accounts.pop();
    changed({});
    await heard();
    assert.deepEqual([source.accounts, calls.at(-1)], [[], "changed"]);
  });
});

describe("the frame's end", () => {
  /** The frame's end alone, with what it said. */
  async function alone() {
    globalThis.window = frame;
    const { borrowWallets } = await page("wallets/bridged.js");
    const said = [];
    const wallets = borrowWallets((type, more) => said.push({ type, ...more }));
    return { said, ...wallets };
  }
  const lent = (id) => ({ id, family: "evm", name: "Lent", icon: "", rdns: "io.lent" });

  it("takes no wallet before it asked for some", async () => {
    const { heard } = await alone();
    heard.wallets({ wallets: [lent("evm-0")] });
    const seen = [];
    discovery.findEvm((option) => seen.push(option));
    assert.deepEqual(seen, []);
  });
  it("gives up after a minute where no person is asked, and never where one is", async () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    const { heard, discover, said } = await alone();
    discover();
    heard.wallets({ wallets: [lent("evm-0"), lent("evm-0"), null, { id: 7 }, { id: "x", family: "__proto__" }] });
    const seen = [];
    discovery.findEvm((_option, source) => seen.push(source));
    assert.equal(seen.length, 1);
    let prompted = "open";
    const quick = assert.rejects(seen[0].request({ method: "eth_chainId" }), { code: 4900 });
    const prompt = seen[0].request({ method: "eth_sendTransaction", params: [{}] }).finally(() => { prompted = "closed"; });
    mock.timers.tick(60000);
    await quick;
    await soon();
    assert.equal(prompted, "open");
    const { id } = said.at(-1);
    for (const wrong of [{ id: `${id}`, result: 1 }, { id: "__proto__", result: 1 }, { id: 99, result: 1 }, {}]) heard.answer(wrong);
    heard.answer({ id, result: "first" });
    heard.answer({ id, result: "second" });
    assert.equal(await prompt, "first");
  });
  it("lists only what the host lends while it does", async () => {
    const { heard, discover } = await alone();
    discover();
    heard.wallets({ wallets: [lent("evm-0")] });
    const seen = [];
    discovery.findEvm((option) => seen.push(option.name));
    frame.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: { info, provider: provider(() => []) } }));
    assert.deepEqual(seen, ["Lent"]);
  });
});

describe("what a merchant's page is told", () => {
  const wallets = [{ id: "evm:1", name: "Wallet" }];
  const state = (changes = {}, of = {}) => ({ server: server(of), wallets, connectingTo: "", connection: null, problem: null, ...changes });
  const firm = attempt();
  const cases = [
    ["the page is there", null, state(), [["ready"]]],
    ["it was settled before", null, state({}, { status: "settled" }), [["ready"], ["settled"]]],
    ["a wallet is pressed", state(), state({ connectingTo: "evm:1" }), [["wallet", { status: "selected", wallet: "Wallet" }]]],
    ["it connects", state(), state({ connection: { walletId: "evm:1", name: "Wallet", address: EVM } }), [["wallet", { status: "connected", wallet: "Wallet" }]]],
    ["the payer declines", state({ connectingTo: "evm:1" }), state({ problem: { code: "declined" } }), [["wallet", { status: "rejected", wallet: "Wallet" }]]],
    ["something fails", state(), state({ problem: { code: "unreachable" } }), [["error", { code: "unreachable" }]]],
    ["a price is firm", state(), state({}, { attempt: firm }), [["quoted", { pay_at_most: "25.12", token: "USDC", chain: "arbitrum" }]]],
    ["the price changes", state({}, { attempt: firm }), state({}, { attempt: attempt({ pay_at_most: "25.20" }) }),
      [["quoted", { pay_at_most: "25.20", token: "USDC", chain: "arbitrum" }]]],
    ["nothing changes", state({}, { attempt: firm }), state({}, { attempt: firm }), []],
    ["the money moves", state(), state({}, { status: "executing" }), [["processing"]]],
    ["it moved already", state({}, { status: "executing" }), state({}, { status: "executing", attempt: attempt({ status: "executing" }) }), []],
    ...["settled", "failed", "expired", "cancelled"].map((status) => [`it is ${status}`, state(), state({}, { status }), [[status]]]),
  ];
  for (const [name, before, now, expected] of cases) it(`when ${name}`, () => assert.deepEqual(eventsOf(before, now), expected));

  it("asks before it leaves what was begun, and not after its end", () => {
    const under = [["requires_payment", null, false], ["quoted", firm, false], ["awaiting_signature", attempt({ status: "awaiting_signature" }), true],
      ["executing", attempt({ status: "executing" }), true], ["settled", attempt({ status: "confirmed" }), false]];
    assert.deepEqual(under.map(([status, open]) => isUnderWay(state({}, { status, attempt: open }))), under.map(([, , expected]) => expected));
    assert.equal(isUnderWay(state({}, { status: "settled", in_doubt: true })), false);
    assert.equal(isUnderWay(state({}, { in_doubt: true })), true);
    assert.equal(isUnderWay(state({ consent: firm }, { attempt: firm })), true);
  });
});
