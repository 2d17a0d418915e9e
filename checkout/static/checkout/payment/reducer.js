/** What follows from what the page knows once a payment is on: the reducer and pure derivations, no DOM and no network. */

import { countdown as left, heard, isOlder, reduce as reduceAtStart, sameAddress } from "../state.js";

const DONE = ["settled", "failed", "expired", "cancelled", "refunded"];
const PRICED = ["quoting", "quoted"];
const SIGNING = ["preparing", "awaiting_signature"];
/** A price that just rose is not for a finger already on its way down. */
const RISE_PAUSE_MS = 800;
const MOVING = ["quoting", "preparing", "executing"];

/** @type {Reduce<Action>} */
export function reduce(state, action) {
  const next = { ...state, ...action };
  switch (action.type) {
    case "server": return withServer(state, action);
    case "connecting": return { ...next, busy: "connecting", problem: null };
    case "connected": return { ...next, connectingTo: "", busy: "", choosing: "" };
    case "busy": return { ...next, step: null, problem: next.busy ? null : state.problem };
    case "choosing": return { ...next, busy: "", problem: null };
    case "consented": return { ...next, busy: "starting", problem: null, worsened: null, started: false, consent: state.server.attempt };
    case "started": return { ...next, started: true };
    case "problem": {
      const lost = ["account_changed", "locked"].includes(action.problem.code);
      return { ...next, busy: "", step: null, connectingTo: "", consent: null, connection: lost ? null : state.connection };
    }
    default: return reduceAtStart(state, action);
  }
}

/** @type {Reduce<{server: PayerState, now: number}>} */
function withServer(state, news) {
  if (isOlder(state, news)) return state;
  const { server: { attempt, status }, now } = news;
  const { consent, quote, started } = state;
  const next = heard(state, news);
  const signing = SIGNING.includes(attemptStatus(next)) || unsent(next).length > 0;
  if (isDone(next) || (status === "executing" && !signing)) Object.assign(next, { problem: null, choosing: "", busy: "" });
  if (!attempt || !(signing || PRICED.includes(attempt.status))) {
    return { ...next, busy: consent ? "" : next.busy, consent: null, worsened: null, quote: null };
  }
  if (consent && started && !signing) Object.assign(next, { consent: null, busy: "", problem: { code: "quote_changed" } });
  if (attempt.status === "quoting") return next;
  if (consent && isWorse(consent, attempt)) Object.assign(next, { consent: null, busy: "", problem: { code: "quote_changed" } });
  const rose = quote && sameToken(quote, attempt) && isDearer(quote, attempt);
  return { ...next, quote: attempt, worsened: rose ? { was: quote, at: now } : next.worsened };
}

/** @type {Of<string>} */
const attemptStatus = ({ server }) => server.attempt?.status || "";

/** @type {Of<Panel>} */
export function panelOf(state) {
  const { server: { in_doubt, status, wallet, attempt }, choosing, consent } = state;
  const step = attemptStatus(state);
  if (in_doubt) return "doubt";
  if (isDone(state)) return "done";
  const signing = unsent(state).length > 0 || step === "preparing";
  if (signing && consent) return "sign";
  if (!signing && (status === "executing" || step === "executing" || isHandedOver(state))) return "progress";
  if (choosing === "wallet" || !wallet) return "wallets";
  const quoted = PRICED.includes(step) && !choosing && sameAddress(wallet.address, attempt?.refund_to || "");
  return signing || quoted ? "quote" : "tokens";
}

/** Which of the three visible steps is current. @type {Of<number>} */
export function stepOf(state) {
  const panel = panelOf(state);
  return panel === "done" ? 2 : Number(panel !== "wallets" && panel !== "tokens");
}

/** @type {Of<string>} */
export function toneOf(state) {
  const { status, in_doubt, amount_received } = state.server;
  if (status === "settled") return "ok";
  if (status === "failed") return "bad";
  if (state.problem || in_doubt || (refusalOf(state) && !state.busy) || status === "partially_filled") return "warn";
  if (isDone(state)) return status === "expired" && isPositive(amount_received) ? "warn" : "rest";
  return state.busy || ["sign", "progress"].includes(panelOf(state)) ? "busy" : "rest";
}

/** Whether news is expected soon. @type {Of<boolean>} */
export const isMoving = (state) => (state.busy && state.busy !== "connecting") || state.server.wallet?.status === "looking" ||
  [state.server.status, attemptStatus(state)].some((status) => MOVING.includes(status)) || isHandedOver(state);

/** @type {Of<boolean>} */
export const isDone = ({ server }) => DONE.includes(server.status);

/** @param {{id: string}} attempt @param {{leg_sequence: number}} transaction */
export const sentKey = ({ id }, { leg_sequence }) => `${id}:${leg_sequence}`;

/** What was wrong with what the wallet sent instead, if anything. @type {Of<string>} */
export const refusalOf = ({ server }) => server.attempt?.transactions.find(({ refused }) => refused)?.refused || "";

/** What the wallet did not send yet, in order. @type {Of<Signable[]>} */
export function unsent({ server: { attempt }, sent }) {
  if (!attempt || !["awaiting_signature", "executing"].includes(attempt.status)) return [];
  return attempt.transactions.filter((transaction) => transaction.refused || !sent.includes(sentKey(attempt, transaction)));
}

/** Whether a part was paid before, or an answer of the wallet left open whether it was. Then nothing may be called unsent. @type {Of<string>} */
export function moneyBefore({ server: { amount_received, attempt, legs }, sent, perhaps }) {
  const isUnderWay = legs.some(({ status, own }) => own !== false && ["submitted", "confirming", "confirmed", "in_doubt"].includes(status));
  if (isUnderWay || isPositive(amount_received)) return "paid";
  return perhaps || sent.some((key) => key.startsWith(`${attempt?.id}:`)) ? "perhaps" : "";
}

/** Whether the wallet has sent everything, and no chain has shown it yet. @type {Of<boolean>} */
export const isHandedOver = (state) => attemptStatus(state) === "awaiting_signature" && !unsent(state).length;

/** Whether the service has yet to hear of what the wallet sent: nobody else would tell it. @type {Of<boolean>} */
export const isUnheard = (state) => isHandedOver(state) && state.server.legs.some(({ status, tx_hash, own }) => own !== false && status === "awaiting_signature" && !tx_hash);

/** Whether this tab holds the wallet the service knows. @type {Of<boolean>} */
export const isConnected = ({ server, connection }) =>
  Boolean(server.wallet && connection && sameAddress(server.wallet.address, connection.address));

/** @param {Attempt} before @param {Attempt} now */
export const sameToken = (before, now) => before.chain === now.chain && before.token_address === now.token_address;

/** Whether any part costs more, or the parts differ. @param {Attempt} before @param {Attempt} now */
const costsMore = (before, now) => before.parts.length !== now.parts.length || now.parts.some(({ chain, token, pay_at_most }, place) => {
  const part = before.parts[place];
  return part.chain !== chain || part.token !== token || compareDecimals(pay_at_most, part.pay_at_most) > 0;
});

/** Whether any figure is worse for the payer or the merchant. @param {Attempt} before @param {Attempt} now */
const isDearer = (before, now) => costsMore(before, now) ||
  compareDecimals(now.fee_usd, before.fee_usd) > 0 || compareDecimals(now.gas_usd, before.gas_usd) > 0 ||
  compareDecimals(before.merchant_gets_at_least, now.merchant_gets_at_least) > 0;

/** Whether an attempt is not what was agreed to. @param {Attempt} agreed @param {Attempt} now */
export const isWorse = (agreed, now) =>
  agreed.id !== now.id || !sameToken(agreed, now) || !sameAddress(agreed.refund_to, now.refund_to) || isDearer(agreed, now);

/** Whether a press of the button is meant for the price on the screen, which is there and did not rise just now. @param {PageState} state @param {number} now */
export const mayPay = (state, now) =>
  panelOf(state) === "quote" && attemptStatus(state) !== "quoting" && !(state.worsened && now - state.worsened.at < RISE_PAUSE_MS);

/** Orders decimals exactly. @param {string | null} left @param {string | null} right */
export function compareDecimals(left, right) {
  const parts = [left, right].map((text) => (text || "0").split("."));
  const places = Math.max(...parts.map(([, part = ""]) => part.length));
  const [x, y] = parts.map(([whole, part = ""]) => BigInt(whole + part.padEnd(places, "0")));
  return Number(x > y) - Number(x < y);
}

/** @param {string | null} text */
export const isPositive = (text) => /[1-9]/.test(text || "");

/** Seconds left to pay; null while the clock stays silent, or when nothing is left to press. @param {PageState} state @param {number} now */
export const countdown = (state, now) => (["done", "doubt", "progress"].includes(panelOf(state)) ? null : left(state, now));
