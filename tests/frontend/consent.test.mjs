/** Random stories of servers, fingers and wallets: what a wallet is asked for is never worse than what stood on the screen. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { EVM, NOW, attempt, connection, opened, page, server, transaction, wallet } from "./modules.mjs";

const startRules = await page("state.js");
const { compareDecimals, mayPay, panelOf, reduce, unsent } = await page("payment/reducer.js");
const STORIES = 1500;
const STEPS = 40;
const PAUSE_MS = 800;

/** Numbers that look random and are the same in every run. @param {number} seed */
function dice(seed) {
  let last = seed;
  const roll = () => {
    last = (Math.imul(last, 1664525) + 1013904223) >>> 0;
    return last / 2 ** 32;
  };
  /** @template T @param {T[]} sides @returns {T} */
  const pick = (sides) => sides[Math.floor(roll() * sides.length)];
  return pick;
}

/** @param {ReturnType<typeof dice>} pick */
function someAttempt(pick) {
  const status = pick(["quoting", "quoted", "quoted", "quoted", "preparing", "awaiting_signature", "awaiting_signature", "executing", "lapsed"]);
  const [chain, token] = pick([["arbitrum", "USDC"], ["arbitrum", "USDC"], ["base", "ETH"]]);
  const parts = Array.from({ length: status === "quoting" ? 0 : pick([1, 1, 2]) }, () => ({ chain, token, pay_at_most: pick(["25.1", "25.10", "25.2", "9.9"]) }));
  const mayAsk = ["awaiting_signature", "executing"].includes(status);
  return attempt({
    id: pick(["attempt-1", "attempt-1", "attempt-2"]), status, chain, token, token_address: `0x${token}`, parts, fee_usd: pick(["0.08", "0.1"]), gas_usd: pick(["0.04", "0.05"]),
    merchant_gets_at_least: pick(["25.00", "24.9"]), refund_to: pick([EVM, EVM, EVM, "0x02"]), transactions: mayAsk ? pick([[transaction(1)], [transaction(1), transaction(2)]]) : [],
  });
}

/** Whether any figure of what is asked is worse than what was seen. @param {any} seen @param {any} asked */
const isWorseThanSeen = (seen, asked) => seen.id !== asked.id || seen.token_address !== asked.token_address || seen.refund_to !== asked.refund_to ||
  seen.parts.length !== asked.parts.length || seen.parts.some((/** @type {any} */ part, /** @type {number} */ place) => Number(asked.parts[place].pay_at_most) > Number(part.pay_at_most)) ||
  Number(asked.fee_usd) > Number(seen.fee_usd) || Number(asked.gas_usd) > Number(seen.gas_usd) || Number(asked.merchant_gets_at_least) < Number(seen.merchant_gets_at_least);

/** One story, played as payment.js plays it; how often a press counted and a wallet was asked. @param {number} seed */
function story(seed) {
  const pick = dice(seed);
  let state = { ...opened(startRules, { wallet, status: "quoted", attempt: attempt() }), connection };
  let [now, clock, pressed, asked] = [NOW, NOW, 0, 0];
  /** What stood on the screen when the payer pressed. @type {any} */
  let seen = null;
  /** The price on the screen, if it shows one, and since when it has been as dear as that. */
  let [shown, dearerSince] = [state.server.attempt, -Infinity];
  for (let step = 0; step < STEPS; step += 1) {
    now += pick([1, 50, 300, 900, 2500]);
    const act = pick(["server", "server", "server", "press", "press", "started", "sent", "problem", "choosing"]);
    if (act === "server") {
      clock += pick([1000, 1000, 0, -1000]);
      const news = server({ wallet, status: pick(["quoted", "quoted", "awaiting_signature", "executing", "partially_filled"]), attempt: someAttempt(pick), server_time: new Date(clock).toISOString() });
      state = reduce(state, { type: "server", server: news, now });
    } else if (act === "press" && !state.busy && state.server.attempt && mayPay(state, now)) {
      pressed += 1;
      assert.ok(now - dearerSince >= PAUSE_MS, `story ${seed}: a press counted ${now - dearerSince} ms after the price rose`);
      seen = state.server.attempt;
      state = reduce(state, { type: "consented" });
    } else if (act === "started" && state.consent) state = reduce(state, { type: "started" });
    else if (act === "problem") state = reduce(state, { type: "problem", problem: { code: "declined" } });
    else if (act === "choosing") state = reduce(state, { type: "choosing", choosing: pick(["", "token"]) });
    else if (act === "sent" && unsent(state).length && state.consent) {
      asked += 1;
      assert.equal(isWorseThanSeen(seen, state.server.attempt), false, `story ${seed}: asked for what was not on the screen`);
      state = reduce(state, { type: "sent", sent: [...state.sent, `${state.server.attempt.id}:${unsent(state)[0].leg_sequence}`] });
    }
    const open = state.server.attempt;
    if (panelOf(state) !== "quote") shown = null;
    else if (open.parts.length && open !== shown) {
      const rose = shown?.token_address === open.token_address && shown.parts.length === open.parts.length &&
        open.parts.some((/** @type {any} */ part, /** @type {number} */ place) => compareDecimals(part.pay_at_most, shown.parts[place].pay_at_most) > 0);
      if (rose) dearerSince = now;
      shown = open;
    }
  }
  return [pressed, asked];
}

describe("consent", () => {
  it(`holds in ${STORIES} random stories`, () => {
    let [pressed, asked] = [0, 0];
    for (let seed = 1; seed <= STORIES; seed += 1) {
      const [more, most] = story(seed);
      [pressed, asked] = [pressed + more, asked + most];
    }
    assert.ok(pressed > STORIES && asked > STORIES / 10, `${pressed} presses, ${asked} requests: the stories prove nothing`);
  });

  it("waits out a rise of any figure, and nothing else", () => {
    const before = { ...opened(startRules, { wallet, status: "quoted", attempt: attempt() }), connection };
    for (const changes of [{ fee_usd: "0.09" }, { gas_usd: "0.05" }, { merchant_gets_at_least: "24.99" }]) {
      const risen = reduce(before, { type: "server", server: server({ wallet, status: "quoted", attempt: attempt(changes) }), now: NOW });
      assert.deepEqual([mayPay(risen, NOW + PAUSE_MS - 1), mayPay(risen, NOW + PAUSE_MS)], [false, true]);
    }
    const cheaper = reduce(before, { type: "server", server: server({ wallet, status: "quoted", attempt: attempt({ gas_usd: "0.03" }) }), now: NOW });
    assert.equal(mayPay(cheaper, NOW), true);
    const waiting = reduce(before, { type: "server", server: server({ wallet, status: "quoted", attempt: attempt({ status: "quoting", parts: [] }) }), now: NOW });
    assert.equal(mayPay(waiting, NOW), false);
  });
});
