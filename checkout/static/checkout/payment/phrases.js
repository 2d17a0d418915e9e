/** Sentences that are put together from several values. */

import { nameOf, say } from "../words.js";

/** @param {string} address */
export const tail = (address) => (address.length > 14 ? `${address.slice(0, 6)}…${address.slice(-4)}` : address);

/** @param {{spender: string, provider?: string}} allowance */
export const spenderOf = ({ spender, provider }) => (provider ? `${nameOf(provider)} (${tail(spender)})` : tail(spender));

/** What the wallet asks right now. @param {Step} step */
export function stepWords({ kind, place, total, approval, provider }) {
  const { spender = "", amount = "", token = "" } = approval || {};
  return say(kind === "pay" ? "payStep" : kind, place, total, spenderOf({ spender, provider }), `${amount} ${token}`);
}
