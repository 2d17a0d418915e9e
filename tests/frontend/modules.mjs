/** Loads the page's own files: they are modules without a package around them, which Node must be told. */

import { register } from "node:module";

const ROOT = new URL("../../", import.meta.url).href;
const hook = `export const resolve = async (name, context, next) => {
  const [, app, file] = /^\\/static\\/(checkout|refunds)\\/(.*)/.exec(name) || [];
  const found = await next(app ? "${ROOT}" + app + "/static/" + app + "/" + file : name, context);
  const [visit] = /\\?visit=\\d+$/.exec(context.parentURL) || [""];
  return visit && !found.url.endsWith(visit) ? { ...found, url: found.url + visit } : found;
};
export const load = (url, context, next) =>
  next(url, /\\/static\\/(checkout|refunds|embed)\\//.test(url) ? { ...context, format: "module" } : context);`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);

/** @param {string} name @returns {Promise<any>} */
export const desk = (name) => import(new URL(`../../refunds/static/refunds/${name}`, import.meta.url).href);

/** @param {string} name @returns {Promise<any>} */
export const page = (name) => import(new URL(`../../checkout/static/checkout/${name}`, import.meta.url).href);

/** What a merchant's page loads; a fresh copy each time. @param {string} name @returns {Promise<any>} */
export const host = (name) => import(`${new URL(`../../checkout/static/embed/${name}`, import.meta.url).href}?${copies += 1}`);
let copies = 0;

let visits = 0;

/** The whole page from its start, with modules of its own: each visit knows nothing of the others. @returns {Promise<any>} */
export const start = () => page(`main.js?visit=${++visits}`);

/** Waits until all is heard that was posted before: messages of our own go the same way after it, some times over. */
export async function heard() {
  for (let turn = 0; turn < 5; turn += 1) {
    const { port1, port2 } = new MessageChannel();
    await new Promise((resolve) => { port2.onmessage = resolve; port1.postMessage(turn); });
    port1.close();
  }
}

const EVM = "0xAbCdEf0123456789aBcDeF0123456789AbCdEf01";
const NOW = Date.parse("2026-11-20T12:00:00.000Z");

/** A firm quote, 25.12 USDC on Arbitrum for 25 USDC on Base. @param {object} [changes] */
export const attempt = (changes) => ({
  id: "attempt-1", number: 1, status: "quoted", chain: "arbitrum", token: "USDC", token_address: "0xaf88",
  pay_at_most: "25.12", pay_at_most_usd: "25.12", merchant_gets_at_least: "25.00", merchant_token: "USDC", fee_usd: "0.08",
  gas_usd: "0.04", duration_sec: 40, refund_to: EVM, quote_expires_at: "2026-11-20T12:01:00.000Z", route: "Cheapest.",
  transactions: [], parts: [{ chain: "arbitrum", token: "USDC", pay_at_most: "25.12" }], ...changes,
});

/** The service's word at noon, half an hour before the end. @param {object} [changes] */
export const server = (changes) => ({
  id: "intent-1", mode: "test", status: "requires_payment", amount: "25.00", currency: "USD", merchant_name: "Shop",
  settlement_chain: "base", settlement_token: "USDC", settlement_address_tail: "…a1b2c3",
  expires_at: "2026-11-20T12:30:00.000Z", server_time: "2026-11-20T12:00:00.000Z", amount_received: "0.00", amount_due: "25.00",
  overpaid_usd: "0.00", in_doubt: false, message: { code: "x", happened: "h", money: "m", next: "n" }, last_error: null,
  return_url: null, reference: null, wallet: null, attempt: null, legs: [], terminal: false, ...changes,
});

export const wallet = { family: "evm", address: EVM.toLowerCase(), status: "ready", tokens: [] };
export const connection = { walletId: "evm:1", name: "Wallet", address: EVM };
export const transaction = (/** @type {number} */ leg_sequence) => ({
  leg_sequence, family: "evm", chain: "arbitrum", chain_id: 42161, request: { to: "0x01", data: "0x", value: "0x0" },
});

/** @param {any} state the module @param {object} [changes] */
export const opened = (state, changes) => state.initial({ state: server(changes), locale: "en" }, NOW, []);
export { EVM, NOW };
