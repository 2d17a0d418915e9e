/** What paying costs: a line per token, the worst case before signing, and every way that was weighed. */

import { badge, button, h, lines, plain, quiet } from "../view.js";
import { nameOf, say } from "../words.js";
import { tail } from "./phrases.js";

/** Whether the payer unfolded the ways: a new quote does not fold them. */
let unfolded = false;

/** @param {string} name @param {Child} value @param {string} testid */
const row = (name, value, testid) => plain("div", plain("dt", name), plain(`dd@${testid}`, value));

/** @param {TokenBalance} token @param {boolean} busy @param {Formats} format */
export function tokenOption(token, busy, format) {
  const { chain, symbol, sufficient, recommended, reason, pay_amount } = token;
  const costs = pay_amount !== null &&
    say("needs", `${format.ceil(pay_amount)} ${symbol}`, format.usd(token.pay_usd), format.usd(token.gas_usd), format.duration(Number(token.duration_sec)));
  return plain("li", button("option@token-option", `token ${chain} ${token.token_address}`,
    { "data-chain": chain, "data-symbol": symbol, disabled: !sufficient && "", "aria-disabled": busy },
    badge(symbol), lines([say("on", symbol, token.chain_name), recommended && plain("em@token-recommended", say("best"))],
      plain("span.quiet@token-reason", reason), costs && plain("span.quiet@token-costs", costs)),
    lines([format.usd(token.balance_usd)], quiet(plain("bdi", `${format.floor(token.balance)} ${symbol}`)))));
}

/** @param {Attempt} quote @param {Formats} format */
export const atMost = ({ parts }, format) => parts.map(({ pay_at_most, token }) => `${format.ceil(pay_at_most)} ${token}`).join(" + ");

/** The tokens, and what they and the fees are worth. @param {Attempt} quote @param {Formats} format */
export const allInAll = (quote, format) => `${atMost(quote, format)} (${format.usd(upToCents(quote.total_usd || quote.pay_at_most_usd))})`;

/** Dollars to the next cent, digit by digit: "at most" is never less. @param {string} amount */
export function upToCents(amount) {
  const [whole, part = ""] = amount.split(".");
  const cents = BigInt(whole + part.slice(0, 2).padEnd(2, "0")) + BigInt(/[1-9]/.test(part.slice(2)));
  return `${cents / 100n}.${String(cents % 100n).padStart(2, "0")}`;
}

/** The worst case. @param {Attempt} quote @param {Formats} format */
export function quoteCard(quote, format) {
  const pay = quote.parts.map((part) => say("on", atMost({ ...quote, parts: [part] }, format), nameOf(part.chain))).join(" + ");
  return plain("dl.card@quote-card",
    row(say("atMost"), `${pay} (${format.usd(upToCents(quote.pay_at_most_usd))})`, "quote-pay-at-most"),
    row(say("atLeast"), plain("bdi", `${format.floor(quote.merchant_gets_at_least)} ${quote.merchant_token}`), "quote-merchant-gets"),
    row(say("fee"), format.usd(upToCents(quote.fee_usd)), "quote-fee"), row(say("gas"), format.usd(upToCents(quote.gas_usd)), "quote-gas"),
    quote.total_usd && row(say("total"), format.usd(upToCents(quote.total_usd)), "quote-total"),
    row(say("takes"), format.duration(quote.duration_sec), "quote-duration"),
    row(say("money"), say("inWallet"), "quote-money"),
    row(say("refund"), say("ownWallet", tail(quote.refund_to)), "quote-refund-to"), row("", quote.route, "quote-route"));
}

/** @param {Route} route @param {Formats} format */
function routeRow({ provider_name, chain, token, chosen, works, cost_usd, duration_sec, reason }, format) {
  const figures = works && say("routeCosts", format.usd(cost_usd && upToCents(cost_usd)), format.duration(Number(duration_sec)));
  return plain("li@route", plain("strong", provider_name), chosen ? plain("em@route-chosen", say("chosen")) : plain("span"),
    plain("span.quiet@route-reason", reason), quiet(plain("bdi", say("on", token, nameOf(chain)))), figures && quiet(figures));
}

/** Why this way, and why not the others; folded. @param {Attempt} quote @param {Formats} format */
export function routeList({ routes }, format) {
  if (!routes.length) return null;
  const list = h("details@routes", { open: unfolded && "" }, plain("summary", say("ways", routes.length)),
    plain("ol.legs", ...routes.map((route) => routeRow(route, format))));
  list.addEventListener("toggle", () => { unfolded = /** @type {HTMLDetailsElement} */ (list).open; });
  return list;
}
