/** Draws what stands before the first press, and lends the rest its tools. Text is always text, never markup. */

import { countdown, isAtStart } from "./state.js";
import { formats, nameOf, problemWords, say } from "./words.js";

let [drawn, panel, said] = ["", "", ""];
let wasLeft = Infinity;

/** @param {string} id @returns {any} */
export const byId = (id) => document.getElementById(id);

/** From `tag.class@testid`. @param {string} what @param {Attributes} attributes @param {...Child} children */
export function h(what, attributes, ...children) {
  const [, tag, classes, testid] = /([^.@]+)([^@]*)@?(.*)/.exec(what) || [];
  const element = document.createElement(tag);
  element.className = classes.replaceAll(".", " ").trim();
  element.dataset.testid = testid;
  for (const [name, value] of Object.entries(attributes)) {
    if (value || value === "") element.setAttribute(name, `${value}`);
  }
  element.append(.../** @type {Node[]} */ (children.filter(Boolean)));
  return element;
}

/** @param {string} what @param {...Child} children */
export const plain = (what, ...children) => h(what, {}, ...children);

/** @param {string} what @param {string} press a command, then its argument @param {Attributes} more @param {...Child} children */
export const button = (what, press, more, ...children) => h(`button.${what}`, { type: "button", "data-press": press, ...more }, ...children);

/** @param {Child[]} strong @param {...Child} below */
export const lines = (strong, ...below) => plain("span.text", plain("strong", ...strong), ...below);

/** @param {Child} text */
export const quiet = (text) => text && plain("span.quiet", text);

/** @param {string} text @param {string} [src] */
export function badge(text, src) {
  const letter = h("span.badge", { "aria-hidden": true }, [...text][0] || "?");
  if (!src) return letter;
  const image = h("img.badge", { src, alt: "" });
  image.addEventListener("error", () => image.replaceWith(letter));
  return image;
}

/** Tells a screen reader. @param {string} text */
export const announce = (text) => { byId("announcer").textContent = text; };

/** What happened, where the money is, what to do; read aloud when it changes. @param {string[]} parts @param {PageState} state @param {string} tone */
export function drawStatus(parts, { problem, server, offline }, tone, step = "") {
  ["title", "money", "next"].forEach((part, place) => { byId(`status-${part}`).textContent = parts[place]; });
  Object.assign(byId("status").dataset, { tone, status: server.status, problem: problem?.code || "" });
  byId("status-reference").textContent = problem?.reference ? say("reference", problem.reference) : "";
  byId("offline").hidden = !offline;
  const text = [...parts, step].join(" ");
  if (said && said !== text) announce(text);
  said = text;
}

/** Redraws a panel only where what it is drawn from changed, and keeps the keyboard where it was. @param {Panel} name @param {unknown[]} from @param {() => PanelParts} draw */
export function drawPanel(name, from, draw) {
  const key = JSON.stringify([name, ...from]);
  if (key === drawn) return;
  const box = byId("panel");
  const { activeElement } = document;
  const focused = box.contains(activeElement) ? activeElement?.getAttribute("data-press") || "-" : "";
  const [heading, ...children] = draw();
  const headline = h("h3", { tabindex: -1 }, heading);
  box.replaceChildren(headline, .../** @type {Node[]} */ (children.filter(Boolean)));
  const again = name === panel && box.querySelector(`[data-press="${CSS.escape(focused)}"]`);
  if (focused) (again || headline).focus();
  [drawn, panel, box.dataset.panel] = [key, name, name];
  byId("apps").hidden = name !== "wallets";
}

/** @type {Of<PanelParts>} */
export function walletPanel({ wallets, connectingTo }) {
  const options = [...wallets].sort((a, b) => Number(b.usable) - Number(a.usable)).map(({ id, family, name, icon, origin, usable }) => {
    const twins = wallets.filter((other) => other.family === family && other.name === name).length > 1;
    const under = usable ? nameOf(family) + (twins ? ` · ${origin || id}` : "") : say("notInTest");
    return plain("li", button("option@wallet-option", `wallet ${id}`, { "data-family": family, disabled: !usable && "" },
      badge(name, icon), lines([plain("bdi", name || "?")], quiet(id === connectingTo ? say("waiting") : under))));
  });
  return [say("chooseWallet"), options.length ? plain("ul.options", ...options) : plain("p", say("noWallets"))];
}

/** The time that is left, from five minutes on. @param {number | null} left seconds @param {string} locale */
export function drawClock(left, locale) {
  byId("countdown").textContent = left === null ? "" : say("left", `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`);
  for (const mark of [300, 60]) {
    if (left !== null && left <= mark && wasLeft > mark) announce(say("left", formats(locale).duration(left)));
  }
  wasLeft = left ?? Infinity;
}

/** The page before a wallet was pressed. Where more has begun, it stays as the server drew it. @type {Of<void>} */
export function drawStart(state) {
  const { problem, server: { message, expires_at }, wallets, connectingTo, locale } = state;
  if (!problem && !isAtStart(state)) return;
  const parts = problem ? problemWords(problem.code) : [message.happened, message.money, message.next];
  drawStatus(parts, state, problem ? "warn" : "rest");
  if (isAtStart(state)) drawPanel("wallets", [wallets.length, connectingTo], () => walletPanel(state));
  byId("expires").textContent = formats(locale).time(expires_at);
}

/** @param {PageState} state @param {number} now */
export const tickStart = (state, now) => drawClock(countdown(state, now), state.locale);
