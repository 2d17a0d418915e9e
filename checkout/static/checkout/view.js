/** Draws the page: state in, elements out. Text is always text, never markup. */

import { countdown, isConnected, isHandedOver, isPositive, panelOf, refusalOf, sameToken, stepOf, toneOf, unsent, walletApps } from "./state.js";
import { formats, moments, nameOf, problemWords, say, spenderOf, stepWords, tail, words } from "./words.js";

const SLOW_MS = 15000;

/** @param {string} id @returns {any} */
const byId = (id) => document.getElementById(id);

/** From `tag.class@testid`. @param {string} what @param {Attributes} attributes @param {...Child} children */
function h(what, attributes, ...children) {
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
const plain = (what, ...children) => h(what, {}, ...children);

/** @param {string} what @param {string} press a command, then its argument @param {Attributes} more @param {...Child} children */
const button = (what, press, more, ...children) => h(`button.${what}`, { type: "button", "data-press": press, ...more }, ...children);

/** @param {string} name @param {string} value @param {string} testid */
const row = (name, value, testid) => plain("div", plain("dt", name), plain(`dd@quote-${testid}`, value));

/** @param {Child[]} strong @param {...Child} below */
const lines = (strong, ...below) => plain("span.text", plain("strong", ...strong), ...below);

/** What says more when it takes long. @param {string} testid @param {string} text */
const slow = (testid, text) => plain(`p.wait@${testid}`, text, h("span", { "data-slow": Date.now() }));

/** @param {Child} text */
const quiet = (text) => text && plain("span.quiet", text);

/** @param {string} text @param {string} [src] */
function badge(text, src) {
  const letter = h("span.badge", { "aria-hidden": true }, [...text][0] || "?");
  if (!src) return letter;
  const image = h("img.badge", { src, alt: "" });
  image.addEventListener("error", () => image.replaceWith(letter));
  return image;
}

/** @param {Press} press */
export function createView(press) {
  let [drawn, panel, legs, said] = ["", "", "", ""];
  let wasLeft = Infinity;
  let format = formats("en");
  const { title } = document;

  document.addEventListener("click", ({ target }) => {
    const pressed = /** @type {Element} */ (target).closest("[data-press]:not([aria-disabled])");
    const [name, ...argument] = pressed?.getAttribute("data-press")?.split(" ") || [];
    if (name) press(name, argument.join(" "));
  });

  /** @type {Of<string[]>} */
  function messageOf(state) {
    const { problem, busy, server: { message }, connection, wallets, connectingTo } = state;
    const code = problem?.code || (!busy && refusalOf(state));
    if (code) return problemWords(code);
    const name = connectingTo ? wallets.find(({ id }) => id === connectingTo)?.name : connection?.name;
    const moment = moments[!busy && isHandedOver(state) ? "sent" : busy];
    return moment ? moment.map((sentence) => say(sentence, name || "")) : [message.happened, message.money, message.next];
  }

  /** @param {string} text */
  const announce = (text) => { byId("announcer").textContent = text; };

  /** @type {Of<void>} */
  function drawStatus(state) {
    const { problem, server, offline } = state;
    const parts = messageOf(state);
    ["title", "money", "next"].forEach((part, place) => { byId(`status-${part}`).textContent = parts[place]; });
    Object.assign(byId("status").dataset, { tone: toneOf(state), status: server.status, problem: problem?.code || "" });
    byId("status-reference").textContent = problem?.reference ? say(words.reference, problem.reference) : "";
    byId("offline").hidden = !offline;
    const text = [...parts, state.step ? stepWords(state.step) : ""].join(" ");
    if (said && said !== text) announce(text);
    said = text;
    document.title = panelOf(state) === "done" ? `${parts[0]} ${title}` : title;
  }

  /** @type {Of<void>} */
  function drawFrame(state) {
    const { amount_received: received, amount_due, overpaid_usd: overpaid, expires_at } = state.server;
    const current = stepOf(state);
    document.querySelectorAll("#steps li").forEach((step, place) => {
      step.toggleAttribute("data-past", place < current);
      step.ariaCurrent = place === current ? "step" : null;
    });
    for (const [id, amount] of Object.entries({ received, due: isPositive(received) ? amount_due : "", overpaid })) {
      byId(id).textContent = format.usd(amount);
      byId(id).parentElement.hidden = !isPositive(amount);
    }
    byId("expires").textContent = format.time(expires_at);
    byId("phone").hidden = !["wallets", "tokens", "quote"].includes(panelOf(state));
  }

  /** @type {Of<void>} */
  function drawLegs({ server }) {
    const key = JSON.stringify(server.legs);
    if (key === legs) return;
    legs = key;
    byId("legs").hidden = !server.legs.length;
    byId("leg-list").replaceChildren(...server.legs.map(legRow));
  }

  /** @param {Leg} leg */
  function legRow({ kind, chain, to_chain, token, to_token, status, explorer_url, submitted_at, amount_usd, typical_seconds }) {
    const [from, to] = [nameOf(chain), nameOf(to_chain || chain)];
    const swap = kind === "swap" ? say(words.swap, token, to_token || "", from) : say(words.send, token, from);
    const href = /^(https?:\/)?\//.test(explorer_url || "") && explorer_url;
    const since = ["submitted", "confirming", "in_doubt"].includes(status) && submitted_at;
    return h("li@leg-row", { "data-status": status }, plain("strong", from === to ? swap : say(words.move, token, from, to)), plain("span.pill", nameOf(status)),
      plain("span.quiet", format.usd(amount_usd), since && h("span", { "data-since": since, "data-typical": typical_seconds }),
        href && h("a@leg-link", { href, rel: "noreferrer", target: "_blank" }, words.view)));
  }

  /** @param {TokenBalance} token @param {boolean} busy */
  function tokenOption(token, busy) {
    const { chain, symbol, sufficient, recommended, reason } = token;
    const costs = sufficient && say(words.costs, format.usd(token.pay_usd), format.usd(token.gas_usd), format.duration(token.duration_sec));
    return plain("li", button("option@token-option", `token ${chain} ${token.token_address}`,
      { "data-chain": chain, "data-symbol": symbol, disabled: !sufficient && "", "aria-disabled": busy },
      badge(symbol), lines([say(words.on, symbol, token.chain_name), recommended && plain("em@token-recommended", words.best)], quiet(costs),
        plain("span.quiet@token-reason", reason)),
      lines([format.usd(token.balance_usd)], quiet(`${format.floor(token.balance)} ${symbol}`))));
  }

  /** @param {Attempt} quote */
  const atMost = ({ parts }) => parts.map(({ pay_at_most, token }) => `${format.ceil(pay_at_most)} ${token}`).join(" + ");

  /** @param {Attempt} quote */
  const quoteCard = (quote) => plain("dl.card@quote-card",
    row(words.atMost, quote.parts.map((part) => say(words.on, atMost({ ...quote, parts: [part] }), nameOf(part.chain))).join(" + "), "pay-at-most"),
    row(words.atLeast, `${format.floor(quote.merchant_gets_at_least)} ${quote.merchant_token}`, "merchant-gets"),
    row(words.fee, format.usd(quote.fee_usd), "fee"), row(words.gas, format.usd(quote.gas_usd), "gas"),
    row(words.takes, format.duration(quote.duration_sec), "duration"),
    row(words.refund, say(words.ownWallet, tail(quote.refund_to)), "refund-to"), row("", quote.route, "route"));

  /** @param {Allowance} open */
  const allowanceNote = (open) => plain("p.note.line@open-allowance", say(words.allowance, spenderOf(open), `${open.amount} ${open.token}`),
    button("link@revoke-button", "revoke", {}, words.revoke));

  /** @type {Record<Panel, Of<PanelParts>>} */
  const panels = {
    wallets({ wallets, connectingTo }) {
      const options = [...wallets].sort((a, b) => Number(b.usable) - Number(a.usable)).map(({ id, family, name, icon, origin, usable }) => {
        const twins = wallets.filter((other) => other.family === family && other.name === name).length > 1;
        const under = usable ? nameOf(family) + (twins ? ` · ${origin || id}` : "") : words.notInTest;
        return plain("li", button("option@wallet-option", `wallet ${id}`, { "data-family": family, disabled: !usable && "" },
          badge(name, icon), lines([name || "?"], quiet(id === connectingTo ? words.waiting : under))));
      });
      const apps = walletApps(location).map(([name, href]) => plain("li", h("a@wallet-link", { href }, name)));
      return [words.chooseWallet, options.length ? plain("ul.options", ...options) : plain("p", words.noWallets),
        plain("details", plain("summary", words.walletApps), plain("ul.line", ...apps))];
    },
    tokens({ server: { wallet }, busy }) {
      const { address, status, tokens } = /** @type {PayerWallet} */ (wallet);
      const head = plain("p.quiet.line", tail(address), button("link@change-wallet", "changeWallet", {}, words.changeWallet));
      if (status === "looking") return [words.payWith, head, slow("looking", words.looking)];
      if (status === "failed") return [words.payWith, head, plain("p", words.unreadable), button("button@retry-balances", "balances", {}, words.tryAgain)];
      const options = tokens.map((token) => tokenOption(token, Boolean(busy)));
      const enough = options.filter((_, place) => tokens[place].sufficient);
      const short = options.filter((_, place) => !tokens[place].sufficient);
      return [words.payWith, head, plain("ul.options", ...enough), !tokens.length && plain("p", words.nothing),
        short.length && h("details", { open: !enough.length && "" }, plain("summary", say(words.tooLittle, short.length)), plain("ul.options", ...short))];
    },
    quote(state) {
      const { busy, worsened, problem, quote, server: { attempt, wallet } } = state;
      const open = /** @type {Attempt} */ (attempt);
      const waiting = open.status === "quoting";
      const shown = waiting ? quote : open;
      if (!shown || !sameToken(shown, open)) return [words.yourPayment, slow("quoting", words.quoting)];
      const label = waiting ? words.refreshing : isConnected(state) ? say(words.pay, atMost(shown)) : say(words.connectToPay, tail(wallet?.address || ""));
      return [words.yourPayment, quoteCard(shown), worsened && plain("p.note@quote-worse", say(words.worsened, atMost(worsened.was))),
        open.status === "awaiting_signature" && !problem && plain("p.note@elsewhere", words.elsewhere),
        button("button.main@pay-button", "pay", { "aria-disabled": busy || waiting }, label),
        plain("p.quiet.line", words.before, button("link@change-token", "changeToken", {}, words.changeToken))];
    },
    sign(state) {
      const open = /** @type {Attempt} */ (state.server.attempt);
      const total = open.transactions.length;
      return [words.confirm, quoteCard(open),
        state.step || total ? plain("p.wait.now@sign-hint", state.step ? stepWords(state.step) : say(words.request, total - unsent(state).length + 1, total))
          : slow("sign-hint", words.preparing),
        button("link@cancel-attempt", "cancel", {}, words.cancel)];
    },
    done: ({ leavingIn, server: { status, return_url } }) => [words[status === "settled" ? "receipt" : "after"],
      leavingIn && plain("p.line", plain("span@leaving"), button("link@stay-button", "stay", {}, words.stay)),
      return_url && button("button.main@return-button", "leave", {}, words.goBack), button("button@print-button", "print", {}, words.print)],
    progress: () => [words.progress, plain("p@safe-to-close", words.safe)],
    doubt: () => [words.doubt, plain("p@safe-to-close", words.doubtWhy)],
  };

  /** Redraws only what changed, and keeps the keyboard where it was. @type {Of<void>} */
  function drawPanel(state) {
    const name = panelOf(state);
    const { server: { wallet, attempt, return_url }, wallets, connection, busy, connectingTo, worsened, problem, sent, leavingIn, step, allowance } = state;
    const key = JSON.stringify([step, allowance, name, wallet, attempt, return_url, wallets.length, connection, busy, connectingTo, worsened, problem, sent, !leavingIn]);
    if (key === drawn) return;
    const box = byId("panel");
    const { activeElement } = document;
    const focused = box.contains(activeElement) ? activeElement?.getAttribute("data-press") || "-" : "";
    const [heading, ...children] = panels[name](state);
    const headline = h("h3", { tabindex: -1 }, heading);
    if (allowance && !["sign", "progress", "doubt"].includes(name)) children.push(allowanceNote(allowance));
    box.replaceChildren(headline, .../** @type {Node[]} */ (children.filter(Boolean)));
    const again = name === panel && box.querySelector(`[data-press="${CSS.escape(focused)}"]`);
    if (focused) (again || headline).focus();
    [drawn, panel, box.dataset.panel] = [key, name, name];
  }

  /** What moves with the clock alone. @param {PageState} state @param {number} now */
  function tick(state, now) {
    const left = countdown(state, now);
    byId("countdown").textContent = left === null ? "" : say(words.left, `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`);
    for (const mark of [300, 60]) {
      if (left !== null && left <= mark && wasLeft > mark) announce(say(words.left, format.duration(left)));
    }
    wasLeft = left ?? Infinity;
    document.querySelectorAll("[data-since]").forEach((element) => {
      const { since = "", typical } = /** @type {HTMLElement} */ (element).dataset;
      const elapsed = format.duration(Math.max(0, (now + state.clockOffset - Date.parse(since)) / 1000));
      element.textContent = typical ? say(words.elapsed, elapsed, format.duration(Number(typical))) : elapsed;
    });
    document.querySelectorAll("[data-slow]").forEach((element) => {
      if (now - Number(/** @type {HTMLElement} */ (element).dataset.slow) > SLOW_MS) element.textContent = ` ${words.slow}`;
    });
    const leaving = document.querySelector("[data-testid=leaving]");
    if (leaving) leaving.textContent = say(words.leaving, state.leavingIn || 0);
  }

  return {
    tick,
    /** @type {Of<void>} */
    draw(state) {
      format = formats(state.locale);
      drawStatus(state);
      drawFrame(state);
      drawPanel(state);
      drawLegs(state);
      tick(state, Date.now());
    },
    /** @returns {string} */
    scenario: () => byId("scenario").value,
    /** @param {Scenario[]} scenarios */
    offer: (scenarios) => byId("scenario").append(...scenarios.map(({ name, label }) => h("option", { value: name }, label))),
  };
}
