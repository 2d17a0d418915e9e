import assert from "node:assert/strict";
import { after, describe, it } from "node:test";

import { evmWallet, leave, quiet, serviceOf, visit } from "./visit.mjs";

const [MINE, OTHER] = [`0x${"a1".repeat(20)}`, `0x${"b2".repeat(20)}`];
const never = () => new Promise(() => {});
const poison = (/** @type {any} */ target = {}) => new Proxy(target, { get() { throw new Error("poisoned"); }, has() { throw new Error("poisoned"); }, getPrototypeOf() { throw new Error("poisoned"); } });

after(leave);

describe("the page from its start", () => {
  it("asks no wallet anything before a press, and pays with one", async () => {
    const wallet = evmWallet("1", MINE);
    const page = await visit({ wallets: wallet.listen });
    assert.deepEqual([page.names(), wallet.asked, page.panel()], [["1"], [], "wallets"]);
    await page.pay("evm:1");
    await page.until("the report", () => page.panel() === "progress");
    assert.deepEqual(page.service.of("submitted").map(({ tx_hash }) => tx_hash.length), [66]);
    assert.deepEqual([wallet.sent(), page.complaints], [1, []]);
  });
  it("sends one transaction for many clicks", async () => {
    const wallet = evmWallet("1", MINE);
    const page = await visit({ wallets: wallet.listen });
    await page.pay("evm:1", 5);
    await page.until("the report", () => page.panel() === "progress");
    assert.deepEqual([wallet.sent(), page.service.of("start").length, page.service.of("submitted").length], [1, 1, 1]);
  });
  it("goes on in the middle after a reload, and never sends again what was sent", async () => {
    const [service, storage] = [serviceOf(), {}];
    const wallet = evmWallet("1", MINE);
    const first = await visit({ service, storage, wallets: wallet.listen });
    service.state.attempt = null;
    await first.pay("evm:1");
    await first.until("the report", () => first.panel() === "progress");
    Object.assign(service.state, { status: "awaiting_signature", attempt: { ...service.state.attempt, status: "awaiting_signature", transactions: [{ leg_sequence: 1, family: "evm", chain: "arbitrum", chain_id: 42161, request: { to: "0x01" } }] } });
    const again = evmWallet("1", MINE);
    const second = await visit({ service, storage, wallets: again.listen });
    await second.until("the payment", () => second.panel() === "progress");
    assert.deepEqual([again.sent(), second.offers().length], [0, 0]);
  });
  it("shows another device the payment without its wallet, and asks nobody", async () => {
    const service = serviceOf();
    const first = await visit({ service, wallets: evmWallet("1", MINE).listen });
    await first.press("wallet evm:1");
    await first.press("token");
    await first.until("the quote", () => first.panel() === "quote");
    const other = evmWallet("2", OTHER);
    const device = await visit({ service, wallets: other.listen });
    await device.until("the quote", () => device.panel() === "quote");
    await device.press("pay");
    await device.until("the wallets", () => device.panel() === "wallets");
    assert.deepEqual([other.asked, service.of("start")], [[], []]);
  });
});

describe("a paid page", () => {
  const returns = [
    ["https://shop.example", "https://shop.example/?payment_intent=intent-1"],
    ["https://shop.example/#a?b=1", "https://shop.example/?payment_intent=intent-1#a?b=1"],
    ["https://shop.example/t?order=17&x=%20a+b&&e&q=%2B%C3%A4~(*)#paid%20/?c", "https://shop.example/t?order=17&x=%20a+b&&e&q=%2B%C3%A4~(*)&payment_intent=intent-1#paid%20/?c"],
    ["https://shop.example/??a=1&", "https://shop.example/??a=1&&payment_intent=intent-1"],
    ["http://localhost:3000/?payment_intent=old&my_payment_intent=2", "http://localhost:3000/?my_payment_intent=2&payment_intent=intent-1"],
  ];
  for (const [return_url, target] of returns) {
    it(`goes back to ${return_url} with its id added, and every other letter as it was`, async () => {
      const service = serviceOf();
      Object.assign(service.state, { status: "settled", terminal: true, return_url });
      const page = await visit({ service });
      const opened = [];
      Object.assign(globalThis.window, { open: (address, place) => opened.push([String(address), place]) });
      await page.press("leave");
      assert.deepEqual([opened, page.complaints], [[[target, "_top"]], []]);
    });
  }
});

describe("a wallet", () => {
  it("that never connects leaves the others to choose", async () => {
    const [silent, good] = [evmWallet("silent", OTHER, { eth_requestAccounts: never }), evmWallet("good", MINE)];
    const page = await visit({ wallets: (window) => { silent.listen(window); good.listen(window); } });
    await page.press("wallet evm:silent");
    await page.until("the question", () => silent.asked.length === 1);
    await page.pay("evm:good");
    await page.until("the report", () => page.panel() === "progress");
    assert.deepEqual([page.service.of("wallet").map(({ address }) => address), silent.sent(), good.sent()], [[MINE], 0, 1]);
  });
  it("that connects too late is not taken", async () => {
    let answer = (/** @type {any} */ _accounts) => {};
    const late = evmWallet("late", OTHER, { eth_requestAccounts: () => new Promise((resolve) => { answer = resolve; }) });
    const good = evmWallet("good", MINE);
    const page = await visit({ wallets: (window) => { late.listen(window); good.listen(window); } });
    await page.press("wallet evm:late");
    await page.until("the question", () => late.asked.length === 1);
    await page.press("wallet evm:good");
    await page.until("the tokens", () => page.panel() === "tokens");
    answer([OTHER]);
    await quiet();
    assert.deepEqual(page.service.of("wallet").map(({ address }) => address), [MINE]);
  });
  it("that never answers a payment can be left for another, and its late answer is only told", async () => {
    let answer = (/** @type {any} */ _hash) => {};
    const silent = evmWallet("silent", OTHER, { eth_sendTransaction: () => new Promise((resolve) => { answer = resolve; }) });
    const good = evmWallet("good", MINE);
    const page = await visit({ wallets: (window) => { silent.listen(window); good.listen(window); } });
    await page.pay("evm:silent");
    await page.until("the question", () => silent.sent() === 1);
    await page.press("cancel");
    await page.press("changeWallet");
    await page.pay("evm:good");
    await page.until("the report", () => page.panel() === "progress");
    assert.deepEqual([silent.sent(), good.sent(), page.service.of("submitted").length], [1, 1, 1]);
    answer(`0x${"cd".repeat(32)}`);
    await page.until("the late report", () => page.service.of("submitted").length === 2);
    const [one, two] = page.service.of("submitted");
    assert.notEqual(one.attempt_id, two.attempt_id);
    assert.deepEqual([silent.sent(), good.sent(), page.panel(), page.complaints], [1, 1, "progress", []]);
  });
  it("that declines after it was left gives up nothing of the new payment", async () => {
    let answer = (/** @type {any} */ _error) => {};
    const silent = evmWallet("silent", OTHER, { eth_sendTransaction: () => new Promise((_, reject) => { answer = reject; }) });
    const good = evmWallet("good", MINE);
    const page = await visit({ wallets: (window) => { silent.listen(window); good.listen(window); } });
    await page.pay("evm:silent");
    await page.until("the question", () => silent.sent() === 1);
    await page.press("cancel");
    await page.press("changeWallet");
    await page.press("wallet evm:good");
    await page.press("token");
    await page.until("the quote", () => page.panel() === "quote");
    const before = page.service.of("rejected").length;
    answer(Object.assign(new Error("no"), { code: 4001 }));
    await quiet();
    assert.deepEqual([page.service.of("rejected").length, page.problem(), page.complaints], [before, "", []]);
  });
  it("that changes its account in the middle is asked for nothing more", async () => {
    let account = MINE;
    const wallet = evmWallet("1", MINE, { eth_accounts: () => [account] });
    const page = await visit({ wallets: wallet.listen });
    await page.press("wallet evm:1");
    await page.press("token");
    account = OTHER;
    await page.press("pay");
    await page.until("the problem", () => page.problem() === "account_changed");
    assert.deepEqual([wallet.sent(), page.complaints], [0, []]);
  });
  it("that says twice that its account changed is looked at once", async () => {
    const wallet = evmWallet("1", MINE);
    const page = await visit({ wallets: wallet.listen });
    await page.press("wallet evm:1");
    await page.until("the tokens", () => page.panel() === "tokens");
    for (const accounts of [[OTHER], [OTHER]]) wallet.change(accounts);
    await page.until("the other account", () => page.service.of("wallet").length === 2);
    await quiet();
    assert.deepEqual(page.service.of("wallet").map(({ address }) => address), [MINE, OTHER]);
    for (const accounts of [null, "0x", [poison()], [{ toString: () => OTHER }]]) wallet.change(accounts);
    assert.deepEqual([page.service.of("wallet").length, page.complaints], [2, []]);
  });
  it("that leaves the chain in the middle is told which chain it is", async () => {
    let chain = "0xa4b1";
    const wallet = evmWallet("1", MINE, { eth_chainId: () => chain, eth_sendTransaction: ([{ chainId }]) => {
      chain = "0x1";
      assert.equal(chainId, "0xa4b1");
      throw Object.assign(new Error("chain mismatch"), { code: -32602 });
    } });
    const page = await visit({ wallets: wallet.listen });
    await page.pay("evm:1");
    await page.until("the problem", () => page.problem());
    assert.deepEqual([wallet.sent(), page.service.of("submitted"), page.complaints], [1, [], []]);
  });
  const answers = {
    "an error that throws when it is read": () => Promise.reject(poison()), "nothing": () => undefined, "an object": () => ({ toString: () => `0x${"ab".repeat(32)}` }),
    "a poisoned object": () => poison(() => {}), "a short hash": () => "0x12",
  };
  for (const [name, answer] of Object.entries(answers)) {
    it(`that answers ${name} to a payment is unclear, and nothing is sent twice`, async () => {
      const wallet = evmWallet("1", MINE, { eth_sendTransaction: answer });
      const page = await visit({ wallets: wallet.listen });
      await page.pay("evm:1");
      await page.until("the problem", () => page.problem() === "wallet_unclear");
      assert.deepEqual([wallet.sent(), page.service.of("submitted"), page.complaints], [1, [], []]);
    });
  }
  const shares = { "a text": "0xabc", "an object": [{ toString: () => MINE }], "nothing": null, "a poisoned list": poison([]), "an error": () => { throw new Error("no"); }, "markup": ["<img src=x onerror=alert(1)>"] };
  for (const [name, share] of Object.entries(shares)) {
    it(`that shares ${name} instead of accounts is named, and another can be chosen`, async () => {
      const [bad, good] = [evmWallet("bad", MINE, { eth_requestAccounts: typeof share === "function" ? share : () => share }), evmWallet("good", MINE)];
      const page = await visit({ wallets: (window) => { bad.listen(window); good.listen(window); } });
      await page.press("wallet evm:bad");
      await page.until("the problem", () => ["locked", "wallet_failed"].includes(page.problem()));
      await page.press("wallet evm:good");
      await page.until("the tokens", () => page.panel() === "tokens");
      assert.deepEqual([page.service.of("wallet").map(({ address }) => address), page.complaints], [[MINE], []]);
    });
  }
});

describe("announcements", () => {
  const hostile = [
    null, undefined, 7, poison(), { info: poison(), provider: { request: never } }, { info: { uuid: "p", name: "p" }, provider: poison() },
    { get info() { throw new Error("no"); }, provider: { request: never } }, { info: { uuid: "s", name: Symbol("s") }, provider: { request: "no" } },
    Object.freeze({ info: Object.freeze({ uuid: poison(), name: "x" }), provider: Object.freeze({ request: never }) }),
  ];
  it("of poisoned wallets stop neither the page nor an honest wallet", async () => {
    const good = evmWallet("good", MINE);
    const frozen = evmWallet("frozen", MINE);
    Object.freeze(frozen.provider);
    const thrower = evmWallet("thrower", OTHER);
    Object.defineProperty(thrower.provider, "on", { get() { throw new Error("no"); } });
    const page = await visit({ wallets: (window) => {
      Object.defineProperty(window, "ethereum", { get() { throw new Error("no"); } });
      for (const detail of hostile) window.addEventListener("eip6963:requestProvider", () => window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail })));
      for (const wallet of [thrower, frozen, good]) wallet.listen(window);
    } });
    for (const detail of [null, 7, () => { throw new Error("no"); }, (/** @type {any} */ api) => api.register(poison(), null, {}, 7)]) {
      window.dispatchEvent(new CustomEvent("wallet-standard:register-wallet", { detail }));
    }
    assert.deepEqual(page.names(), ["thrower", "frozen", "good"]);
    await page.pay("evm:frozen");
    await page.until("the report", () => page.panel() === "progress");
    assert.deepEqual(page.complaints, []);
  });
  it("that change between two looks are taken as first seen", async () => {
    let looks = 0;
    const info = { get rdns() { looks += 1; return looks > 1 ? poison() : "io.fine"; } };
    const twin = evmWallet("b", MINE, {}, { name: "Twin" });
    const fickle = evmWallet("a", MINE);
    Object.assign(fickle.detail, { info: Object.defineProperties({ uuid: "a", name: "Twin" }, Object.getOwnPropertyDescriptors(info)) });
    const page = await visit({ wallets: (window) => { fickle.listen(window); twin.listen(window); } });
    assert.equal(looks, 1);
    assert.match(page.elements.panel.textContent, /io\.fine[^]*io\.wallet/);
  });
  it("that come twice, under one id, in hundreds or with false names are one each, plain and few", async () => {
    const [one, same] = [evmWallet("1", MINE), evmWallet("1", OTHER, {}, { name: "Impostor" })];
    const page = await visit({ wallets: (window) => { one.listen(window); same.listen(window); } });
    for (let time = 0; time < 3; time += 1) one.announce();
    one.detail.info = { uuid: "other", name: "Again", icon: "", rdns: "io.wallet" };
    one.announce();
    assert.deepEqual(page.names(), ["1"]);
    for (let number = 0; number < 500; number += 1) evmWallet(`n${number}`, OTHER).announce();
    assert.equal(page.names().length, 24);
    await page.pay("evm:1");
    await page.until("the report", () => page.panel() === "progress");
    assert.deepEqual([one.sent(), same.asked, page.complaints], [1, [], []]);
  });
});
