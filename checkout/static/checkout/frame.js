/** The page in a frame: meets the script that framed it, takes its token, tells it what happens. Loaded only there. */

import { eventsOf, isUnderWay } from "./frame_events.js";
import { borrowWallets } from "./wallets/bridged.js";

/** How long the page waits for the merchant's wallets before it starts without them. */
const WALLETS_MS = 2000;
const HEARTBEAT_MS = 10000;
const ASLEEP_MS = 300000;

/** @param {Context} context */
export async function meet(context) {
  if (window.parent === window) return standAlone(context);
  const { token, port, ...hello } = await greet(context.host_origin || "");
  context.checkout_token = token;
  /** @type {Say} */
  const say = (type, more) => port.postMessage({ v: 1, type, ...more });
  const wallets = borrowWallets(say);
  const news = follow(context, say);
  const heard = new Map(Object.entries({
    ...wallets.heard, leave: news.leave,
    update: (/** @type {any} */ { appearance }) => wear(appearance),
    token: (/** @type {any} */ { token: newer }) => { context.checkout_token = newer; },
  }));
  port.onmessage = ({ data }) => data?.v === 1 && heard.get(data.type)?.(data);
  askAgainAfterSleep(say);
  wear(hello.appearance);
  dress(say, news.leave, hello.modal);
  if (hello.bridge && context.mode === "live") await Promise.race([wallets.discover(), new Promise((resolve) => setTimeout(resolve, WALLETS_MS))]);
}

/** Nobody framed it: it is the hosted page. @param {Context} context @returns {Promise<never>} */
function standAlone({ intent_id }) {
  location.replace(`/checkout/${intent_id}`);
  return new Promise(() => {});
}

/** Only the first hello counts, of the window above this one, from the origin that the service let frame it. @param {string} host @returns {Promise<Hello>} */
function greet(host) {
  return new Promise((resolve) => {
    /** @param {MessageEvent} event */
    function hear({ source, origin, data, ports: [port] }) {
      const isHello = data?.causeway === 1 && data.type === "hello" && typeof data.token === "string";
      if (source !== window.parent || origin !== host || !isHello || !port) return;
      window.removeEventListener("message", hear);
      const { token, appearance, bridge, modal } = data;
      resolve({ token, appearance, bridge: bridge === true, modal: modal === true, port });
    }
    window.addEventListener("message", hear);
    window.parent.postMessage({ causeway: 1, type: "here" }, host);
  });
}

/** Tells what changes, and asks before it leaves a payment that is on its way. @param {Context} context @param {Say} say */
function follow(context, say) {
  /** @type {PageState | null} */
  let known = null;
  /** @param {PageState} state */
  function watch(state) {
    for (const [name, detail] of eventsOf(known, state)) say("event", { name, detail: name === "error" ? { ...detail, ...explained() } : detail });
    known = state;
  }
  context.frame = { watch };
  const question = /** @type {HTMLDialogElement | null} */ (document.getElementById("leave"));
  function leave() {
    if (known && isUnderWay(known) && question) question.open || question.showModal();
    else say("close");
  }
  document.getElementById("stay")?.addEventListener("click", () => question?.close());
  document.getElementById("go")?.addEventListener("click", () => say("close"));
  return { leave };
}

/** A token that ran out while the device slept cannot renew itself: the host script opens a new session. @param {Say} say */
function askAgainAfterSleep(say) {
  let awake = Date.now();
  setInterval(() => {
    if (Date.now() - awake > ASLEEP_MS) say("session");
    awake = Date.now();
  }, HEARTBEAT_MS);
}

/** The problem as the page has just drawn it. */
const explained = () => ({ message: document.getElementById("status-title")?.textContent });

/** What of the page is different in a frame. @param {Say} say @param {() => void} leave @param {boolean} modal */
function dress(say, leave, modal) {
  const root = document.documentElement;
  new ResizeObserver(() => say("resize", { height: Math.ceil(root.getBoundingClientRect().height) })).observe(root);
  document.getElementById("secure-window")?.addEventListener("click", (event) => {
    event.preventDefault();
    const { href } = /** @type {HTMLAnchorElement} */ (event.currentTarget);
    window.open(href, "_blank", "popup,width=480,height=800") || say("hosted");
  });
  if (!modal) return;
  const close = document.getElementById("close");
  close?.removeAttribute("hidden");
  close?.addEventListener("click", leave);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    leave();
  });
}

/** @param {unknown} appearance */
function wear(appearance) {
  const theme = /** @type {any} */ (appearance)?.theme;
  const { dataset } = document.documentElement;
  if (theme === "light" || theme === "dark") dataset.theme = theme;
  else delete dataset.theme;
}
