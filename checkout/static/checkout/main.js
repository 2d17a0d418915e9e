/** Starts the page: lists the wallets and asks for news. What a payment needs is loaded with the first press, or where one has begun. */

import { createApi } from "./api.js";
import { startPolling } from "./poll.js";
import { Problem, initial, isAtStart, load, reduce } from "./state.js";
import { drawStart, tickStart } from "./view.js";
import { findEvm, findSolana } from "./wallets/discovery.js";
import { learnWords } from "./words.js";

const OFFLINE_AFTER = 2;

/** @type {Context} */
const context = JSON.parse(document.getElementById("checkout-context")?.textContent || "");
if (context.embedded) await (await import("./frame.js")).meet(context);
learnWords(context.words);
const memory = `checkout:${context.intent_id}:`;
/** @type {Map<string, object>} */
const sources = new Map();
/** @type {Record<string, any[]>} */
const unstored = {};
/** What makes a try this browser's: the service knows it by a digest, and nobody else ever sees it. Why kept for all tabs: they are one payer's. */
const [known] = recall("browser");
context.browser = known || newSecret();
const api = createApi(context);
let state = initial(context, Date.now(), recall("sent"));

/** What this browser remembers; without storage, what this page does. @param {string} name @returns {any[]} */
function recall(name) {
  try {
    return JSON.parse(localStorage.getItem(memory + name) || "");
  } catch {
    return unstored[name] || [];
  }
}

/** 256 random bits. */
function newSecret() {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const secret = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  keep("browser", [secret]);
  return secret;
}

/** @param {string} name @param {any[]} list */
function keep(name, list) {
  unstored[name] = list;
  try {
    localStorage.setItem(memory + name, JSON.stringify(list));
  } catch {
    // Refused in some private windows.
  }
}

/** How the page behaves before a payment. @type {Stage} */
const start = {
  reduce, draw: drawStart, tick: tickStart,
  mood: () => ({ moving: false, done: false }),
  report: async () => { isAtStart(state) || await goOn(); },
  learn(server) {
    dispatch({ type: "server", server, now: Date.now() });
    if (!isAtStart(state)) goOn().catch(() => {});
  },
  /** Shows at once that it was pressed. */
  press(name, id) {
    dispatch({ type: "connecting", connectingTo: id });
    goOn().then(() => state.connectingTo === id && stage.press(name, id), () => {});
  },
  found() {},
};
let stage = start;

/** @param {Action} action */
function dispatch(action) {
  state = stage.reduce(state, action);
  draw();
}

function draw() {
  stage.draw(state);
  context.frame?.watch(state);
}

/** What the rest of the page works with. @type {Desk} */
const desk = {
  context, api, memory, state: () => state, dispatch, sources, recall, keep, askSoon: () => askSoon(),
  scenario: () => /** @type {HTMLSelectElement} */ (document.getElementById("scenario")).value,
};

/** @type {Promise<[typeof import("./payment/payment.js"), unknown]> | null} */
let fetched = null;

/** Fetches the scripts and words of a payment, once. */
async function fetchPayment() {
  const words = () => fetch(context.words_url).then((answer) => answer.json()).then(learnWords);
  fetched ??= Promise.all([load(() => import("./payment/payment.js")), load(words)]);
  const [part] = await fetched.catch((error) => {
    fetched = null;
    throw error;
  });
  return part;
}

/** From here on the page is a payment's. */
async function goOn() {
  try {
    const { createPayment } = await fetchPayment();
    if (stage !== start) return;
    stage = createPayment(desk);
    state = { ...state, problem: null, sent: [...state.sent, ...recall("sent")], perhaps: recall("perhaps").length > 0 };
    dispatch({ type: "server", server: state.server, now: Date.now() });
    for (const option of state.wallets) stage.found(option);
  } catch (error) {
    const { code } = error instanceof Problem ? error : new Problem("unreachable");
    dispatch({ type: "connecting", connectingTo: "" });
    dispatch({ type: "problem", problem: { code } });
    throw error;
  }
}

/** In test mode only the simulated wallets are asked: no real one ever sees play money. */
async function findWallets() {
  const isAllowed = context.mode === "test" ? (await import("./wallets/test_mode.js")).startTestMode(desk) : () => true;
  /** @param {WalletOption} announced @param {object} source */
  const found = (announced, source) => {
    const option = { ...announced, usable: isAllowed(source) };
    const { wallets } = state;
    dispatch({ type: "wallet_announced", option });
    if (state.wallets === wallets) return;
    sources.set(option.id, source);
    stage.found(option);
  };
  findEvm(found);
  findSolana(found);
}

/** @param {Event} event what was pressed, or is about to be */
const pressed = ({ target }) => /** @type {Element} */ (target).closest?.("[data-press]:not([aria-disabled])")?.getAttribute("data-press")?.split(" ");
const getReady = (/** @type {Event} */ event) => pressed(event) && fetchPayment().catch(() => {});
document.addEventListener("pointerdown", getReady);
document.addEventListener("focusin", getReady);
document.addEventListener("click", (event) => {
  const [name, ...argument] = pressed(event) || [];
  if (name) stage.press(name, argument.join(" "));
});

const askSoon = startPolling(async () => {
  await stage.report();
  const server = await api.state();
  if (server) stage.learn(server);
  if (state.offline) dispatch({ type: "offline", offline: false });
}, () => stage.mood(state), (failures) => dispatch({ type: "offline", offline: failures >= OFFLINE_AFTER }));

draw();
findWallets();
const begin = () => isAtStart(state) || goOn().catch(() => {});
// The page was drawn without knowing whose browser this is, so its own wallet and try are asked for first.
if (known) api.state().then((server) => server ? stage.learn(server) : begin(), begin);
else begin();
if (state.server.status === "created") api.renew().catch(() => {});
setInterval(() => stage.tick(state, Date.now()), 1000);
