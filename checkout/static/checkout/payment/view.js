/** Draws the whole page of a payment: state in, elements out. */

import { byId, drawClock, drawPanel, drawStatus } from "../view.js";
import { formats, momentWords, problemWords, say, wordsBefore } from "../words.js";
import { drawLegs, tickLegs } from "./legs.js";
import { allowanceNote, panels } from "./panels.js";
import { stepWords } from "./phrases.js";
import { countdown, isHandedOver, isPositive, isUnheard, moneyBefore, panelOf, refusalOf, stepOf, toneOf } from "./reducer.js";

const SLOW_MS = 15000;
const { title } = document;

/** What happened, where the money is, what to do. @type {Of<string[]>} */
function messageOf(state) {
  const { problem, busy, server: { message }, connection, wallets, connectingTo } = state;
  const code = problem?.code || (!busy && refusalOf(state));
  if (code) {
    const [happened, money, next] = problemWords(code);
    const [otherMoney, otherNext] = wordsBefore(code, moneyBefore(state));
    return [happened, otherMoney || money, otherNext || next];
  }
  const name = connectingTo ? wallets.find(({ id }) => id === connectingTo)?.name : connection?.name;
  return momentWords(!busy && isHandedOver(state) ? "sent" : busy, name || "") || [message.happened, message.money, message.next];
}

/** @type {Of<void>} */
function drawFrame(state) {
  const { amount_received: received, amount_due, overpaid_usd: overpaid, expires_at, wallet, others, terminal } = state.server;
  const [current, format] = [stepOf(state), formats(state.locale)];
  document.querySelectorAll("#steps li").forEach((step, place) => {
    step.toggleAttribute("data-past", place < current);
    step.ariaCurrent = place === current ? "step" : null;
  });
  for (const [id, amount] of Object.entries({ received, due: isPositive(received) ? amount_due : "", overpaid })) {
    byId(id).textContent = format.usd(amount);
    byId(id).parentElement.hidden = !isPositive(amount);
  }
  byId("expires").textContent = format.time(expires_at);
  byId("others").hidden = !(wallet && others?.open) || terminal;
  byId("phone").hidden = !["wallets", "tokens", "quote"].includes(panelOf(state));
}

/** @type {Of<void>} */
function drawCurrentPanel(state) {
  const name = panelOf(state);
  const { server: { wallet, attempt, return_url }, wallets, connection, busy, connectingTo, worsened, problem, sent, leavingIn, step, allowance } = state;
  const from = [step, allowance, wallet, attempt, return_url, wallets.length, connection, busy, connectingTo, worsened, problem, sent, !leavingIn, isUnheard(state)];
  drawPanel(name, from, () => {
    const parts = panels[name](state);
    return allowance && !["sign", "progress", "doubt"].includes(name) ? [...parts, allowanceNote(allowance)] : parts;
  });
}

/** @type {Of<void>} */
export function draw(state) {
  const parts = messageOf(state);
  drawStatus(parts, state, toneOf(state), state.step ? stepWords(state.step) : "");
  document.title = panelOf(state) === "done" ? `${parts[0]} ${title}` : title;
  drawFrame(state);
  drawCurrentPanel(state);
  drawLegs(state);
  tick(state, Date.now());
}

/** What moves with the clock alone. @param {PageState} state @param {number} now */
export function tick(state, now) {
  drawClock(countdown(state, now), state.locale);
  tickLegs(state, now);
  document.querySelectorAll("[data-slow]").forEach((element) => {
    if (now - Number(/** @type {HTMLElement} */ (element).dataset.slow) > SLOW_MS) element.textContent = ` ${say("slow")}`;
  });
  const leaving = document.querySelector("[data-testid=leaving]");
  if (leaving) leaving.textContent = say("leaving", state.leavingIn || 0);
}
