import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { EVM, NOW, attempt, connection, opened, page, server, transaction, wallet } from "./modules.mjs";

const state = { ...await page("state.js"), ...await page("payment/reducer.js") };
const startRules = await page("state.js");
const asked = (/** @type {any[]} */ ...transactions) =>
  server({ status: "awaiting_signature", wallet, attempt: attempt({ status: "awaiting_signature", transactions }) });
const hears = (/** @type {any} */ before, /** @type {any} */ news, now = NOW) => state.reduce(before, { type: "server", server: news, now });

describe("panels", () => {
  const cases = [
    ["wallets", {}],
    ["tokens", { wallet }],
    ["quote", { wallet, status: "quoted", attempt: attempt() }],
    ["quote", { wallet, attempt: attempt({ status: "quoting", parts: [] }) }],
    ["tokens", { wallet, attempt: attempt({ status: "quoted", refund_to: "0xsomebody" }) }],
    ["tokens", { wallet, attempt: attempt({ status: "lapsed" }) }],
    ["tokens", { wallet, attempt: attempt({ status: "abandoned" }) }],
    ["quote", { wallet, attempt: attempt({ status: "preparing" }) }],
    ["quote", { wallet, status: "awaiting_signature", attempt: attempt({ status: "awaiting_signature", transactions: [transaction(1)] }) }],
    ["progress", { wallet, status: "awaiting_signature", attempt: attempt({ status: "awaiting_signature" }) }],
    ["progress", { wallet, status: "executing", attempt: attempt({ status: "executing" }) }],
    ["quote", { wallet, status: "executing", attempt: attempt({ status: "executing", transactions: [transaction(2)] }) }],
    ["doubt", { wallet, status: "executing", in_doubt: true, attempt: attempt({ status: "executing", transactions: [transaction(2)] }) }],
    ["tokens", { wallet, status: "partially_filled", attempt: attempt({ status: "confirmed" }) }],
    ...["settled", "failed", "expired", "cancelled", "refunded"].map((status) => ["done", { wallet, status, attempt: attempt() }]),
  ];
  for (const [panel, changes] of cases) {
    it(`shows ${panel} for ${JSON.stringify(changes).slice(0, 90)}`, () => assert.equal(state.panelOf(opened(state, changes)), panel));
  }

  it("walks choose, confirm, done", () => {
    const steps = [{}, { wallet }, { wallet, attempt: attempt() }, { status: "executing" }, { status: "settled" }];
    assert.deepEqual(steps.map((changes) => state.stepOf(opened(state, changes))), [0, 0, 1, 1, 2]);
  });

  it("lets the payer go back to the tokens and to the wallets", () => {
    const quoted = opened(state, { wallet, status: "quoted", attempt: attempt() });
    assert.equal(state.panelOf(state.reduce(quoted, { type: "choosing", choosing: "token" })), "tokens");
    assert.equal(state.panelOf(state.reduce(quoted, { type: "choosing", choosing: "wallet" })), "wallets");
  });
});

describe("consent", () => {
  const agreed = attempt();
  const worse = {
    "costs more": { parts: [{ chain: "arbitrum", token: "USDC", pay_at_most: "25.120000000000000001" }] },
    "has more parts": { parts: [...agreed.parts, { chain: "base", token: "USDC", pay_at_most: "0.01" }] },
    "gives the merchant less": { merchant_gets_at_least: "24.999999" },
    "has a higher fee": { fee_usd: "0.081" },
    "has a higher network fee": { gas_usd: "0.05" },
    "is another token": { token_address: "0xother" },
    "is on another chain": { chain: "base" },
    "refunds to somebody else": { refund_to: "0x0000000000000000000000000000000000000bad" },
    "is another attempt": { id: "attempt-2" },
  };
  for (const [name, changes] of Object.entries(worse)) {
    it(`does not cover a quote that ${name}`, () => assert.equal(state.isWorse(agreed, attempt(changes)), true));
  }
  it("covers the same quote and a better one", () => {
    assert.equal(state.isWorse(agreed, attempt()), false);
    assert.equal(state.isWorse(agreed, attempt({ refund_to: EVM.toLowerCase() })), false);
    const parts = [{ chain: "arbitrum", token: "USDC", pay_at_most: "25.1" }];
    assert.equal(state.isWorse(agreed, attempt({ parts, fee_usd: "0.01", merchant_gets_at_least: "25.01" })), false);
  });

  it("is withdrawn when the prepared price is worse, and the payer is told", () => {
    const clicked = state.reduce(opened(state, { wallet, status: "quoted", attempt: agreed }), { type: "consented" });
    assert.equal(state.panelOf(hears(clicked, asked(transaction(1)))), "sign");
    const parts = [{ chain: "arbitrum", token: "USDC", pay_at_most: "26.40" }];
    const changed = hears(clicked, server({ wallet, attempt: attempt({ status: "awaiting_signature", transactions: [transaction(1)], parts }) }));
    assert.deepEqual([changed.consent, changed.busy, changed.problem.code, state.panelOf(changed)], [null, "", "quote_changed", "quote"]);
    assert.equal(changed.worsened.was.parts[0].pay_at_most, "25.12");
  });

  it("is withdrawn when the service quotes anew, and only after it heard of it", () => {
    const clicked = state.reduce(opened(state, { wallet, status: "quoted", attempt: agreed }), { type: "consented" });
    const early = hears(clicked, server({ wallet, attempt: attempt() }));
    assert.deepEqual([early.consent?.id, early.problem], ["attempt-1", null]);
    const started = state.reduce(hears(early, server({ wallet, attempt: attempt({ status: "preparing" }) })), { type: "started" });
    for (const status of ["quoting", "quoted"]) {
      const anew = hears(started, server({ wallet, attempt: attempt({ status }) }));
      assert.deepEqual([anew.consent, anew.busy, anew.problem.code, state.panelOf(anew)], [null, "", "quote_changed", "quote"]);
    }
  });

  it("is not judged by an answer that was overtaken", () => {
    const clicked = state.reduce(opened(state, { wallet, status: "quoted", attempt: agreed }), { type: "consented" });
    const started = state.reduce(hears(clicked, server({ wallet, attempt: attempt({ status: "preparing" }), server_time: "2026-11-20T12:00:01.000Z" })), { type: "started" });
    assert.equal(hears(started, server({ wallet, attempt: agreed })), started);
  });

  it("ends with the attempt", () => {
    const clicked = state.reduce(opened(state, { wallet, status: "quoted", attempt: agreed }), { type: "consented" });
    const lapsed = hears(clicked, server({ wallet, attempt: attempt({ status: "lapsed" }) }));
    assert.deepEqual([lapsed.consent, lapsed.busy, state.panelOf(lapsed)], [null, "", "tokens"]);
  });

  it("never survives a reload", () => assert.equal(opened(state, asked(transaction(1))).consent, null));
});

describe("a refreshed quote", () => {
  const before = opened(state, { wallet, status: "quoted", attempt: attempt() });
  const quoting = hears(before, server({ wallet, attempt: attempt({ status: "quoting", parts: [] }) }));
  it("keeps the last figures while it is fetched", () => assert.equal(quoting.quote.pay_at_most, "25.12"));
  it("says what the price was when it rose", () => {
    const parts = [{ chain: "arbitrum", token: "USDC", pay_at_most: "25.13" }];
    const risen = hears(quoting, server({ wallet, attempt: attempt({ parts }) }), NOW + 5);
    assert.deepEqual([risen.worsened.was.parts[0].pay_at_most, risen.worsened.at], ["25.12", NOW + 5]);
  });
  it("says nothing when it fell or stayed", () => {
    assert.equal(hears(quoting, server({ wallet, attempt: attempt() })).worsened, null);
    assert.equal(hears(quoting, server({ wallet, attempt: attempt({ token_address: "0xother" }) })).worsened, null);
  });
});

describe("what was paid before", () => {
  const before = (/** @type {any} */ changes, /** @type {any} */ more = {}) => state.moneyBefore({ ...opened(state, { wallet, attempt: attempt(), ...changes }), ...more });
  it("keeps a problem from saying that nothing was sent", () => {
    assert.equal(before({}), "");
    assert.equal(before({ amount_received: "5.00" }), "paid");
    for (const [status, said] of [["submitted", "paid"], ["in_doubt", "paid"], ["confirmed", "paid"], ["failed", ""], ["awaiting_signature", ""], ["refunded", ""]]) {
      assert.equal(before({ legs: [{ status }] }), said);
    }
    assert.equal(before({}, { perhaps: true }), "perhaps");
    assert.equal(before({}, { sent: [`${attempt().id}:1`] }), "perhaps");
    assert.equal(before({}, { sent: ["another:1"] }), "");
  });
});

describe("handing over", () => {
  it("asks for each transaction once, in order", () => {
    const open = opened(state, asked(transaction(1), transaction(2)));
    assert.deepEqual(state.unsent(open).map(({ leg_sequence }) => leg_sequence), [1, 2]);
    const one = state.reduce(open, { type: "sent", sent: [state.sentKey(open.server.attempt, transaction(1))] });
    assert.deepEqual(state.unsent(one).map(({ leg_sequence }) => leg_sequence), [2]);
    assert.equal(state.isHandedOver(one), false);
    const both = state.reduce(one, { type: "sent", sent: [...one.sent, "attempt-1:2"] });
    assert.deepEqual([state.unsent(both), state.isHandedOver(both), state.panelOf(both)], [[], true, "progress"]);
  });
  it("asks again for what the wallet answered with something else, and says so", () => {
    const open = { ...opened(state, asked({ ...transaction(1), refused: "tx_not_for_this_intent" })), sent: ["attempt-1:1"] };
    assert.deepEqual([state.refusalOf(open), state.unsent(open).length, state.panelOf(open), state.toneOf(open)], ["tx_not_for_this_intent", 1, "quote", "warn"]);
    assert.equal(state.refusalOf(opened(state, asked(transaction(1)))), "");
  });
  it("forgets nothing of one attempt for the next", () => {
    const open = { ...opened(state, asked(transaction(1))), sent: ["attempt-0:1"] };
    assert.equal(state.unsent(open).length, 1);
  });
  it("clears what was wrong once the chain shows the payment", () => {
    const failed = state.reduce(opened(state, asked(transaction(1))), { type: "problem", problem: { code: "wallet_unclear" } });
    const moving = hears(failed, server({ wallet, status: "executing", attempt: attempt({ status: "executing" }) }));
    assert.deepEqual([moving.problem, moving.busy, state.panelOf(moving)], [null, "", "progress"]);
  });
});

describe("connection", () => {
  it("counts only for the wallet the service knows, whatever the letter case", () => {
    const open = { ...opened(state, { wallet }), connection };
    assert.equal(state.isConnected(open), true);
    assert.equal(state.isConnected({ ...open, connection: { ...connection, address: "0x02" } }), false);
    assert.equal(state.isConnected({ ...open, connection: null }), false);
  });
  it("keeps Solana's letter case", () => {
    assert.equal(state.sameAddress("AKnL4NNf", "aknl4nnf"), false);
    assert.equal(state.sameAddress("AKnL4NNf", "AKnL4NNf"), true);
  });
  for (const [code, kept] of [["account_changed", false], ["locked", false], ["declined", true], ["no_gas", true]]) {
    it(`is ${kept ? "kept" : "lost"} on ${code}`, () => {
      const open = { ...opened(state, { wallet }), connection, busy: "signing", consent: attempt() };
      const after = state.reduce(open, { type: "problem", problem: { code } });
      assert.deepEqual([after.connection !== null, after.busy, after.consent], [kept, "", null]);
    });
  }
});

describe("decimals", () => {
  const cases = [["1", "1.0", 0], ["0.1", "0.09", 1], ["25.12", "25.120000000000000001", -1], ["10", "9.99", 1], [null, "0", 0],
    ["123456789012345678901234567890.1", "123456789012345678901234567890.2", -1]];
  for (const [left, right, expected] of cases) {
    it(`orders ${left} and ${right}`, () => {
      assert.equal(state.compareDecimals(left, right), expected);
      assert.equal(state.compareDecimals(right, left), 0 - expected);
    });
  }
});

describe("the clock", () => {
  const seconds = (/** @type {number} */ left, changes = {}) => state.countdown(opened(state, changes), Date.parse("2026-11-20T12:30:00.000Z") - left * 1000);
  it("is silent until five minutes are left", () => {
    assert.deepEqual([seconds(301), seconds(300), seconds(59.2), seconds(-5)], [null, 300, 60, 0]);
  });
  it("is silent when there is nothing left to press", () => {
    assert.equal(seconds(100, { status: "executing" }), null);
    assert.equal(seconds(100, { status: "settled" }), null);
  });
  it("goes by the service", () => {
    const ahead = state.initial({ state: server(), locale: "en" }, NOW - 60_000, []);
    assert.equal(state.secondsUntil(ahead, "2026-11-20T12:00:10.000Z", NOW - 60_000), 10);
  });
});

describe("tone", () => {
  const cases = [["ok", { status: "settled" }], ["bad", { status: "failed" }], ["warn", { in_doubt: true, status: "executing" }],
    ["warn", { status: "partially_filled" }], ["warn", { status: "expired", amount_received: "1.00" }], ["rest", { status: "expired" }],
    ["rest", { status: "cancelled" }], ["busy", { status: "executing" }], ["rest", {}]];
  for (const [tone, changes] of cases) {
    it(`is ${tone} for ${JSON.stringify(changes)}`, () => assert.equal(state.toneOf(opened(state, changes)), tone));
  }
  it("warns of a problem and forgets it with the next step", () => {
    const declined = state.reduce(opened(state), { type: "problem", problem: { code: "declined" } });
    assert.equal(state.toneOf(declined), "warn");
    assert.equal(state.toneOf(state.reduce(declined, { type: "busy", busy: "quoting" })), "busy");
  });
});

describe("before anything is pressed", () => {
  const start = state.initial({ state: server(), locale: "en" }, NOW, []);
  const { reduce } = startRules;
  it("is where a fresh page is", () => assert.equal(state.isAtStart(start), true));
  for (const changes of [{ wallet }, { in_doubt: true }, { status: "executing" }, { status: "settled" }, { status: "partially_filled" }, { legs: [{}] }]) {
    it(`is over with ${JSON.stringify(changes).slice(0, 60)}`, () => assert.equal(state.isAtStart(opened(state, changes)), false));
  }
  it("hears the service, and never an answer that was overtaken", () => {
    const news = server({ amount_received: "1.00", server_time: "2026-11-20T12:00:05.000Z" });
    const next = reduce(start, { type: "server", server: news, now: NOW });
    assert.deepEqual([next.server.amount_received, next.clockOffset], ["1.00", 5000]);
    assert.equal(reduce(next, { type: "server", server: server(), now: NOW }), next);
  });
  it("lists each wallet once, and not more than the page can show", () => {
    const option = (/** @type {number} */ number, usable = true) => ({ type: "wallet_announced", option: { id: `evm:${number}`, usable } });
    const one = reduce(start, option(1));
    assert.equal(reduce(one, option(1)), one);
    const many = Array.from({ length: 500 }, (_, number) => number).reduce((before, number) => reduce(before, option(number)), start);
    assert.equal(many.wallets.length, 24);
    assert.equal(reduce(many, option(1000, false)).wallets.length, 25);
  });
});
