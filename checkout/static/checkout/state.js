/** What the page knows, as far as it matters before a payment: no DOM and no network. The rest: payment/reducer.js. */

const MOST_WALLETS = 24;
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

/** The state after an action, while there is neither a wallet nor a quote. @type {Reduce<Action>} */
export function reduce(state, action) {
  switch (action.type) {
    case "server": return isOlder(state, action) ? state : heard(state, action);
    case "wallet_announced": return withWallet(state, action);
    default: return { ...state, ...action };
  }
}

/** Whether an answer was overtaken by a later one. @param {PageState} state @param {{server: PayerState}} news */
export const isOlder = (state, { server }) => Date.parse(server.server_time) < Date.parse(state.server.server_time);

/** @type {Reduce<{server: PayerState, now: number}>} */
export const heard = (state, { server, now }) => ({ ...state, server, clockOffset: clockOffset(server, now), offline: false });

/** @type {Reduce<{option: WalletOption}>} */
function withWallet(state, { option }) {
  const { wallets } = state;
  const alike = wallets.filter(({ usable }) => usable === option.usable);
  return wallets.some(({ id }) => id === option.id) || alike.length >= MOST_WALLETS ? state : { ...state, wallets: [...wallets, option] };
}

/** Whether nothing has begun: the wallets are all there is to show. @type {Of<boolean>} */
export const isAtStart = ({ server: { wallet, in_doubt, legs, status } }) =>
  !wallet && !in_doubt && !legs.length && ["created", "requires_payment"].includes(status);

/** @param {PayerState} server @param {number} now */
const clockOffset = (server, now) => (Date.parse(server.server_time) || now) - now;

/** By the service's clock. @param {PageState} state @param {string} instant @param {number} now */
export const secondsUntil = ({ clockOffset }, instant, now) => Math.max(0, Math.ceil((Date.parse(instant) - now - clockOffset) / 1000));

/** Seconds left to pay; null while the clock stays silent. @param {PageState} state @param {number} now */
export function countdown(state, now) {
  const left = secondsUntil(state, state.server.expires_at, now);
  return left <= QUIET_UNTIL_SECONDS ? left : null;
}

/** @param {string | null} left @param {string | null} right */
export const sameAddress = (left, right) =>
  left === right || Boolean(left?.startsWith("0x") && left.toLowerCase() === right?.toLowerCase());

/** A module of ours that is loaded when it is needed. @template T @param {() => Promise<T>} module @returns {Promise<T>} */
export const load = (module) => module().catch(() => { throw new Problem("unreachable"); });
