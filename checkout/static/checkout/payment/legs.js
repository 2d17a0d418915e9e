/** One row per leg: what it does, how far it is, and where to look it up. */

import { byId, h, plain } from "../view.js";
import { formats, nameOf, say } from "../words.js";

let drawn = "";

/** @type {Of<void>} */
export function drawLegs({ server: { legs }, locale }) {
  const key = JSON.stringify(legs);
  if (key === drawn) return;
  drawn = key;
  byId("legs").hidden = !legs.length;
  byId("leg-list").replaceChildren(...legs.map((leg) => legRow(leg, formats(locale))));
}

/** @param {Leg} leg @param {Formats} format */
function legRow(leg, format) {
  const { kind, chain, to_chain, token, to_token, status, submitted_at, confirmed_at, note, amount_usd, typical_seconds } = leg;
  const [from, to] = [nameOf(chain), nameOf(to_chain || chain)];
  const swap = kind === "swap" ? say("swap", token, to_token || "", from) : say("send", token, from);
  const since = ["submitted", "confirming", "in_doubt"].includes(status) && submitted_at;
  const took = confirmed_at && submitted_at && say("took", format.duration(secondsBetween(submitted_at, confirmed_at)));
  return h("li@leg-row", { "data-status": status }, plain("strong", from === to ? swap : say("move", token, from, to)), plain("span.pill", nameOf(status)),
    plain("span.quiet@leg-note", note),
    plain("span.quiet", format.usd(amount_usd), since ? h("span@leg-time", { "data-since": since, "data-typical": typical_seconds }) : took && plain("span@leg-time", took),
      link(leg.explorer_url, "leg-link", from === to ? say("view") : say("viewOn", from)), link(leg.destination_explorer_url, "leg-arrival-link", say("viewOn", to))));
}

/** @param {string} start @param {string} end */
const secondsBetween = (start, end) => Math.max(0, (Date.parse(end) - Date.parse(start)) / 1000);

/** To an explorer, if it is an address that opens a page. @param {string | null} address @param {string} testid @param {string} text */
function link(address, testid, text) {
  const href = /^(https?:\/)?\//.test(address || "") && address;
  return href && h(`a@${testid}`, { href, rel: "noreferrer", target: "_blank" }, text);
}

/** How long each leg has been under way. @param {PageState} state @param {number} now */
export function tickLegs({ clockOffset, locale }, now) {
  const format = formats(locale);
  document.querySelectorAll("[data-since]").forEach((element) => {
    const { since = "", typical } = /** @type {HTMLElement} */ (element).dataset;
    const elapsed = format.duration(Math.max(0, (now + clockOffset - Date.parse(since)) / 1000));
    element.textContent = typical ? say("elapsed", elapsed, format.duration(Number(typical))) : elapsed;
  });
}
