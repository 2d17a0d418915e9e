import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";

import { EVM, opened, page, transaction } from "./modules.mjs";

const state = { ...await page("state.js"), ...await page("wallets/discovery.js") };
const evm = { ...await page("wallets/evm.js"), ...await page("wallets/refusals.js") };
const solana = { ...await page("wallets/solana.js"), ...await page("wallets/solana_send.js") };
const simulated = await page("wallets/simulated.js");
const HASH = `0x${"ab".repeat(32)}`;

/** @type {any} */
let found;
const note = (/** @type {any} */ option, /** @type {any} */ wallet) => found.push({ option, wallet });
const announce = (/** @type {any} */ detail) => window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
const provider = () => ({ request: async () => [EVM] });

beforeEach(() => {
  found = [];
  globalThis.window = /** @type {any} */ (new EventTarget());
});

describe("names and icons", () => {
  it("are one short line of plain text", () => {
    assert.equal(state.cleanName("  Good\n\tWallet "), "Good Wallet");
    assert.equal(state.cleanName("बटुआ"), "बटुआ");
    assert.equal(state.cleanName("\u202Eevil\u0000\u200B"), "evil");
    assert.equal(state.cleanName("z\u0300\u0301\u0302algo"), "zalgo");
    assert.equal([...state.cleanName("A".repeat(5000))].length, 32);
    assert.equal([...state.cleanName("😀".repeat(60))].length, 32);
  });
  for (const value of [undefined, null, 7, {}, []]) {
    it(`are empty for ${JSON.stringify(value) ?? "nothing"}`, () => {
      assert.equal(state.cleanName(value), "");
      assert.equal(state.cleanIcon(value), "");
    });
  }
  it("never reach the network or run as a page", () => {
    const refused = ["https://evil.example/x.png", "//evil.example/x.png", "javascript:alert(1)", "data:text/html,<script>", "blob:x",
      "data:image/svg+xmlx,", `data:image/png;base64,${"A".repeat(70000)}`];
    assert.deepEqual(refused.map(state.cleanIcon), refused.map(() => ""));
    const kept = ["data:image/png;base64,AAAA", "data:image/svg+xml,%3Csvg/%3E", "data:image/webp;base64,AA"];
    assert.deepEqual(kept.map(state.cleanIcon), kept);
  });
});

describe("announcements", () => {
  it("are copied, not kept", () => {
    const info = { uuid: "1", name: "Fine", icon: "data:image/png;base64,AA", rdns: "io.fine", extra: 1 };
    evm.discoverEvm(note);
    announce({ info, provider: provider() });
    assert.deepEqual(found[0].option, { id: "evm:1", family: "evm", name: "Fine", icon: "data:image/png;base64,AA", origin: "io.fine", usable: true });
  });
  it("that are malformed are nobody's", () => {
    evm.discoverEvm(note);
    for (const detail of [undefined, null, {}, { info: null, provider: provider() }, { info: {}, provider: null }, { info: {}, provider: {} },
      { get info() { throw new Error("no"); }, provider: provider() }, { info: { uuid: { toString() { throw new Error("no"); } } }, provider: provider() }]) {
      announce(detail);
    }
    assert.deepEqual(found, []);
  });
  it("of one provider count once", () => {
    const detail = { info: { uuid: "1", name: "Fine" }, provider: provider() };
    evm.discoverEvm(note);
    announce(detail);
    announce(detail);
    assert.equal(found.length, 1);
  });
  it("cannot displace a listed wallet, nor flood the list", () => {
    let open = opened(state);
    const add = (/** @type {any} */ option) => { open = state.reduce(open, { type: "wallet_announced", option }); };
    add(state.announced("evm", { name: "First", rdns: "io.first" }, "same"));
    add(state.announced("evm", { name: "Copy", rdns: "io.first" }, "same"));
    assert.deepEqual(open.wallets.map(({ name }) => name), ["First"]);
    for (let place = 0; place < 500; place += 1) add(state.announced("evm", { name: "Flood" }, `flood-${place}`));
    assert.equal(open.wallets.length, 24);
  });
  it("bound their ids and drop strange origins", () => {
    const option = state.announced("evm", { name: "x", rdns: "<b>" }, "9".repeat(9999));
    assert.deepEqual([option.id.length, option.origin], [84, ""]);
  });
});

describe("EVM wallets", () => {
  /** @param {Record<string, any>} answers */
  function wallet(answers) {
    /** @type {any[]} */
    const calls = [];
    const request = async (/** @type {any} */ { method, params }) => {
      calls.push([method, params]);
      const answer = typeof answers[method] === "function" ? answers[method](params) : answers[method];
      if (answer instanceof Error) throw answer;
      return answer;
    };
    return { calls, wallet: evm.evmWallet({ request }) };
  }
  const failure = (/** @type {number} */ code, message = "") => Object.assign(new Error(message), { code });
  const ready = { eth_accounts: [EVM.toLowerCase()], eth_chainId: "0xa4b1", eth_sendTransaction: HASH };
  const code = (/** @type {string} */ expected) => (/** @type {any} */ error) => error instanceof state.Problem && error.code === expected;

  it("send what the service prepared, on its chain, from the quoted account", async () => {
    const { calls, wallet: own } = wallet(ready);
    assert.deepEqual(await own.send(transaction(1), EVM), { tx_hash: HASH });
    assert.deepEqual(calls.at(-1), ["eth_sendTransaction", [{ from: EVM, to: "0x01", data: "0x", value: "0x0", chainId: "0xa4b1" }]]);
  });
  it("are asked nothing when the account is another", async () => {
    const { calls, wallet: own } = wallet({ ...ready, eth_accounts: ["0x02"] });
    await assert.rejects(own.send(transaction(1), EVM), code("account_changed"));
    assert.deepEqual(calls.map(([method]) => method), ["eth_accounts"]);
  });
  it("are moved to the chain, and to a chain they must first add", async () => {
    let [chain, added] = ["0x1", false];
    const { calls, wallet: own } = wallet({
      ...ready, eth_chainId: () => chain, wallet_addEthereumChain: () => { added = true; return null; },
      wallet_switchEthereumChain: ([target]) => { if (!added) return failure(4902); chain = target.chainId; return null; },
    });
    await own.send(transaction(1), EVM);
    assert.equal(calls.find(([method]) => method === "wallet_addEthereumChain")[1][0].chainName, "Arbitrum One");
    assert.equal(calls.filter(([method]) => method === "eth_sendTransaction").length, 1);
  });
  it("that only pretend to change the chain are not asked to send", async () => {
    const { calls, wallet: own } = wallet({ ...ready, eth_chainId: "0x1", wallet_switchEthereumChain: null });
    await assert.rejects(own.send(transaction(1), EVM), code("wrong_network"));
    assert.equal(calls.some(([method]) => method === "eth_sendTransaction"), false);
  });
  const sends = [[4001, "", "declined"], [-32000, "insufficient funds for gas", "no_gas"], [-32002, "", "request_pending"], [4100, "", "locked"],
    [-32603, "Internal error", "wallet_unclear"], [0, "User rejected the request", "declined"]];
  for (const [number, message, expected] of sends) {
    it(`that fail with ${number} ${message} give ${expected}`, async () => {
      const { wallet: own } = wallet({ ...ready, eth_sendTransaction: failure(number, message) });
      await assert.rejects(own.send(transaction(1), EVM), code(expected));
    });
  }
  it("that answer nonsense instead of a hash are unclear", async () => {
    for (const answer of [undefined, null, "0x12", {}]) {
      await assert.rejects(wallet({ ...ready, eth_sendTransaction: answer }).wallet.send(transaction(1), EVM), code("wallet_unclear"));
    }
  });
  it("that share no account are locked", async () => {
    await assert.rejects(wallet({ eth_requestAccounts: [] }).wallet.connect(), code("locked"));
    await assert.rejects(wallet({ ...ready, eth_accounts: [] }).wallet.send(transaction(1), EVM), code("locked"));
  });
  it("read nested codes of mobile wallets", () => assert.equal(evm.problemOf({ code: -32603, data: { originalError: { code: 4001 } } }, "x").code, "declined"));
});

describe("Solana wallets", () => {
  const CHAINS = ["solana:mainnet"];
  const connect = { connect: async () => {} };
  const standard = (/** @type {object} */ features, changes = {}) => ({
    version: "1.0.0", name: "Sol", icon: "", chains: CHAINS, accounts: [{ address: "Me", chains: CHAINS }],
    features: { "standard:connect": connect, ...features }, ...changes,
  });
  const sending = { "solana:signAndSendTransaction": { signAndSendTransaction: async () => [{ signature: new Uint8Array(64).fill(1) }] } };
  const register = (/** @type {any} */ wallet) => window.dispatchEvent(
    new CustomEvent("wallet-standard:register-wallet", { detail: (/** @type {any} */ api) => api.register(wallet) }));

  it("are found before and after the page is ready", () => {
    const early = standard(sending);
    window.addEventListener("wallet-standard:app-ready", (event) => /** @type {any} */ (event).detail.register(early));
    solana.discoverSolana(note);
    register(standard(sending, { name: "Late" }));
    register(early);
    assert.deepEqual(found.map(({ option }) => option.id), ["solana:Sol", "solana:Late"]);
  });
  it("are listed only when they can pay, and twins apart", () => {
    solana.discoverSolana(note);
    for (const wallet of [null, {}, standard({}), standard(sending, { chains: ["other:chain"] }), standard(sending), standard(sending)]) register(wallet);
    assert.deepEqual(found.map(({ option }) => option.id), ["solana:Sol", "solana:Sol#1"]);
  });
  it("sign and send", async () => {
    const { tx_hash } = await solana.solanaWallet(standard(sending)).send({ transaction_base64: btoa("tx") }, "Me");
    assert.equal(tx_hash, solana.base58(new Uint8Array(64).fill(1)));
  });
  it("sign first where they can do both, and send themselves once they changed what they signed", async () => {
    const signing = { "solana:signTransaction": { signTransaction: async () => [{ signedTransaction: Uint8Array.from([1, ...new Uint8Array(64).fill(2), 9]) }] } };
    const both = solana.solanaWallet(standard({ ...sending, ...signing }));
    const transaction = { transaction_base64: btoa("tx") };
    assert.ok((await both.send(transaction, "Me", { walletSends: false })).signed_transaction);
    assert.deepEqual(await both.send(transaction, "Me", { walletSends: true }), { tx_hash: solana.base58(new Uint8Array(64).fill(1)) });
  });
  it("that only sign give the bytes back", async () => {
    const signedTransaction = Uint8Array.from([1, ...new Uint8Array(64).fill(2), 9]);
    const wallet = standard({ "solana:signTransaction": { signTransaction: async () => [{ signedTransaction }] } });
    const sent = await solana.solanaWallet(wallet).send({ transaction_base64: btoa("tx") }, "Me");
    assert.equal(sent.tx_hash, solana.base58(new Uint8Array(64).fill(2)));
    assert.equal(sent.signed_transaction, btoa(String.fromCharCode(...signedTransaction)));
  });
  it("are asked nothing when the account is another", async () => {
    await assert.rejects(solana.solanaWallet(standard(sending)).send({ transaction_base64: "" }, "You"), { code: "account_changed" });
  });
  it("write bytes as everybody does", () => {
    assert.equal(solana.base58(Uint8Array.from([0, 0, 1])), "112");
    assert.equal(solana.base58(new TextEncoder().encode("Hello World!")), "2NEpo7TZRRrLZSi2U");
    assert.equal(solana.base58(new Uint8Array(0)), "");
  });
});

describe("an answer that is no hash", () => {
  it("leaves open whether the wallet sent, unless it says that it does not send", () => {
    for (const [error, otherwise, code] of [
      [{ code: -32003 }, "wallet_unclear", "wallet_refused"], [{ code: 4200 }, "wallet_unclear", "wallet_refused"], [{ code: 4200 }, "wallet_failed", "wallet_failed"],
      [{ code: 4900 }, "wallet_unclear", "wallet_unclear"], [{ code: -32003, message: "insufficient funds" }, "wallet_unclear", "no_gas"],
      [new TypeError("x is undefined"), "wallet_unclear", "wallet_unclear"], [{ code: 4001 }, "wallet_unclear", "declined"],
    ]) assert.equal(evm.problemOf(error, /** @type {string} */ (otherwise)).code, code);
  });
});

describe("test wallets", () => {
  it("come by the real standards, are known by identity, and send only what was prepared", async () => {
    let scenario = "approve";
    /** @type {any[]} */
    const sends = [];
    const memory = new Map();
    simulated.announceTestWallets({
      transactions: () => [transaction(1)], scenario: () => scenario,
      send: async (/** @type {number} */ sequence, /** @type {string} */ behaviour) => { sends.push([sequence, behaviour]); return HASH; },
      memory: { getItem: (/** @type {string} */ key) => memory.get(key) ?? null, setItem: (/** @type {string} */ key, /** @type {string} */ value) => memory.set(key, value) },
    });
    evm.discoverEvm(note);
    solana.discoverSolana(note);
    assert.deepEqual(found.map(({ option }) => option.name), ["Test wallet (EVM)", "Test wallet (Solana)"]);
    assert.deepEqual(found.map(({ wallet }) => simulated.isSimulated(wallet.source)), [true, true]);
    assert.equal(simulated.isSimulated(provider()), false);
    assert.deepEqual(found.map(({ option }) => option.icon.startsWith("data:image/svg+xml,")), [true, true]);

    const { wallet } = found[0];
    const address = await wallet.connect();
    assert.equal(await wallet.reconnect(), address);
    assert.deepEqual(await wallet.send(transaction(1), address), { tx_hash: HASH });
    await assert.rejects(wallet.send({ ...transaction(1), request: { to: "0xother" } }, address), { code: "wallet_unclear" });
    for (const [choice, code] of [["decline", "declined"], ["no_gas", "no_gas"], ["request_pending", "request_pending"]]) {
      scenario = choice;
      await assert.rejects(wallet.send(transaction(1), address), { code });
    }
    scenario = "partial";
    await wallet.send(transaction(1), address);
    const { wallet: solanaWallet } = found[1];
    for (const [choice, code] of [["wrong_network", "wrong_network"], ["locked", "locked"], ["request_pending", "request_pending"]]) {
      scenario = choice;
      await assert.rejects(solanaWallet.connect(), { code });
    }
    scenario = "approve";
    const me = await solanaWallet.connect();
    scenario = "unknown_network";
    await assert.rejects(solanaWallet.send({ transaction_base64: btoa("tx") }, me), { code: "unknown_network" });
    assert.deepEqual(sends, [[1, undefined], [1, "partial"]]);
  });
});
