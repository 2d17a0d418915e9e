/** What the page knows and what follows from it: one reducer and pure derivations, no DOM and no network. */

const DONE = ["settled", "failed", "expired", "cancelled", "refunded"];
const PRICED = ["quoting", "quoted"];
const SIGNING = ["preparing", "awaiting_signature"];
const MOVING = ["quoting", "preparing", "executing"];
const MOST_WALLETS = 24;
const NAME_LENGTH = 32;
const ICON_LENGTH = 65536;
const QUIET_UNTIL_SECONDS = 300;

/** A failure that has words; `reference` is a request id. */
export class Problem extends Error {
  /** @param {string} code */
  constructor(code, reference = "", retryAfter = 0) {
    super(code);
    this.code = code;
    this.reference = reference;
    this.retryAfter = retryAfter;
  }
}

/** @param {Context} context @param {number} now @param {string[]} sent @returns {PageState} */
export const initial = ({ state: server, locale }, now, sent) => ({
  server, clockOffset: clockOffset(server, now), wallets: [], connection: null, connectingTo: "", busy: "", choosing: "",
  consent: null, started: false, step: null, allowance: null, quote: server.attempt?.parts.length ? server.attempt : null, worsened: null, problem: null, sent,
  offline: false, leavingIn: null, locale,
});

/** @type {Reduce<Action>} */
export function reduce(state, action) {
  const next = { ...state, ...action };
  switch (action.type) {
    case "server": return withServer(state, action);
    case "wallet_announced": return withWallet(state, action);
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
    default: return next;
  }
}

/** @type {Reduce<{server: PayerState, now: number}>} */
function withServer(state, { server, now }) {
  if (Date.parse(server.server_time) < Date.parse(state.server.server_time)) return state;
  const { attempt } = server;
  const { consent, quote, started } = state;
  const next = { ...state, server, clockOffset: clockOffset(server, now), offline: false };
  const signing = SIGNING.includes(attemptStatus(next)) || unsent(next).length > 0;
  if (isDone(next) || (server.status === "executing" && !signing)) Object.assign(next, { problem: null, choosing: "", busy: "" });
  if (!attempt || !(signing || PRICED.includes(attempt.status))) {
    return { ...next, busy: consent ? "" : next.busy, consent: null, worsened: null, quote: null };
  }
  if (consent && started && !signing) Object.assign(next, { consent: null, busy: "", problem: { code: "quote_changed" } });
  if (attempt.status === "quoting") return next;
  if (consent && isWorse(consent, attempt)) Object.assign(next, { consent: null, busy: "", problem: { code: "quote_changed" } });
  const rose = quote && sameToken(quote, attempt) && costsMore(quote, attempt);
  return { ...next, quote: attempt, worsened: rose ? { was: quote, at: now } : next.worsened };
}

/** @type {Reduce<{option: WalletOption}>} */
function withWallet(state, { option }) {
  const { wallets } = state;
  const alike = wallets.filter(({ usable }) => usable === option.usable);
  return wallets.some(({ id }) => id === option.id) || alike.length >= MOST_WALLETS ? state : { ...state, wallets: [...wallets, option] };
}

/** @param {PayerState} server @param {number} now */
const clockOffset = (server, now) => (Date.parse(server.server_time) || now) - now;

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

/** Whether the wallet has sent everything, and no chain has shown it yet. @type {Of<boolean>} */
export const isHandedOver = (state) => attemptStatus(state) === "awaiting_signature" && !unsent(state).length;

/** Whether this tab holds the wallet the service knows. @type {Of<boolean>} */
export const isConnected = ({ server, connection }) =>
  Boolean(server.wallet && connection && sameAddress(server.wallet.address, connection.address));

/** @param {string | null} left @param {string | null} right */
export const sameAddress = (left, right) =>
  left === right || Boolean(left?.startsWith("0x") && left.toLowerCase() === right?.toLowerCase());

/** @param {Attempt} before @param {Attempt} now */
export const sameToken = (before, now) => before.chain === now.chain && before.token_address === now.token_address;

/** Whether any part costs more, or the parts differ. @param {Attempt} before @param {Attempt} now */
const costsMore = (before, now) => before.parts.length !== now.parts.length || now.parts.some(({ chain, token, pay_at_most }, place) => {
  const part = before.parts[place];
  return part.chain !== chain || part.token !== token || compareDecimals(pay_at_most, part.pay_at_most) > 0;
});

/** Whether an attempt is not what was agreed to. @param {Attempt} agreed @param {Attempt} now */
export const isWorse = (agreed, now) =>
  agreed.id !== now.id || !sameToken(agreed, now) || !sameAddress(agreed.refund_to, now.refund_to) || costsMore(agreed, now) ||
  compareDecimals(now.fee_usd, agreed.fee_usd) > 0 || compareDecimals(now.gas_usd, agreed.gas_usd) > 0 ||
  compareDecimals(agreed.merchant_gets_at_least, now.merchant_gets_at_least) > 0;

/** Orders decimals exactly. @param {string | null} left @param {string | null} right */
export function compareDecimals(left, right) {
  const parts = [left, right].map((text) => (text || "0").split("."));
  const places = Math.max(...parts.map(([, part = ""]) => part.length));
  const [x, y] = parts.map(([whole, part = ""]) => BigInt(whole + part.padEnd(places, "0")));
  return Number(x > y) - Number(x < y);
}

/** @param {string | null} text */
export const isPositive = (text) => /[1-9]/.test(text || "");

/** By the service's clock. @param {PageState} state @param {string} instant @param {number} now */
export const secondsUntil = ({ clockOffset }, instant, now) => Math.max(0, Math.ceil((Date.parse(instant) - now - clockOffset) / 1000));

/** Seconds left to pay; null while the clock stays silent. @param {PageState} state @param {number} now */
export function countdown(state, now) {
  const left = secondsUntil(state, state.server.expires_at, now);
  return left <= QUIET_UNTIL_SECONDS && !["done", "doubt", "progress"].includes(panelOf(state)) ? left : null;
}

/** Wallet apps, and the address that opens this page in each one's own browser. @param {{href: string, host: string, pathname: string, origin: string}} page */
export function walletApps({ href, host, pathname, origin }) {
  const [page, ref] = [href, origin].map(encodeURIComponent);
  return [
    ["MetaMask", `https://metamask.app.link/dapp/${host}${pathname}`],
    ["Base", `https://go.cb-w.com/dapp?cb_url=${page}`],
    ["Trust Wallet", `https://link.trustwallet.com/open_url?coin_id=60&url=${page}`],
    ["Rainbow", `https://rnbwapp.com/dapp?url=${page}`],
    ["Phantom", `https://phantom.app/ul/browse/${page}?ref=${ref}`],
    ["Solflare", `https://solflare.com/ul/v1/browse/${page}?ref=${ref}`],
  ];
}

/** Copies what is safe of an announcement. @param {Family} family @param {any} info @param {unknown} id @returns {WalletOption} */
export function announced(family, info, id) {
  const origin = /^[a-z0-9.-]{3,64}$/i.test(info.rdns) ? info.rdns : "";
  return { id: `${family}:${String(id).slice(0, 80)}`, family, name: cleanName(info.name), icon: cleanIcon(info.icon), origin, usable: true };
}

/** One short line without control, direction or invisible characters, or piles of accents. @param {unknown} value */
export function cleanName(value) {
  const text = typeof value === "string" ? value.slice(0, 400) : "";
  const letters = [...text.normalize().replace(/\s+/g, " ").replace(/\p{C}|\p{M}{3,}/gu, "").trim()];
  return letters.length > NAME_LENGTH ? letters.slice(0, NAME_LENGTH - 1).join("") + "…" : letters.join("");
}

/** An image that carries itself, or nothing. @param {unknown} value */
export function cleanIcon(value) {
  const icon = typeof value === "string" && value.length <= ICON_LENGTH ? value.trim() : "";
  return /^data:image\/(png|svg\+xml|webp|gif|jpeg)[;,]/i.test(icon) ? icon : "";
}

/** A module of ours that is loaded when it is needed. @template T @param {() => Promise<T>} module @returns {Promise<T>} */
export const load = (module) => module().catch(() => { throw new Problem("unreachable"); });
