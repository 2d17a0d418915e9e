/** A visit of the whole page without a browser: a document that holds what the scripts draw, and a service that answers. */

import { attempt, server, start, transaction } from "./modules.mjs";

const HASH = `0x${"ab".repeat(32)}`;

class Element extends EventTarget {
  /** @param {string} tag */
  constructor(tag) {
    super();
    Object.assign(this, { tag, dataset: {}, attributes: {}, children: [], parentElement: null, hidden: false, className: "" });
  }
  setAttribute(name, value) { this.attributes[name] = value; }
  getAttribute(name) { return this.attributes[name] ?? null; }
  toggleAttribute() {}
  append(...children) {
    for (const child of children) if (child instanceof Element) child.parentElement = this;
    this.children.push(...children);
  }
  replaceChildren(...children) { this.children = []; this.append(...children); }
  get textContent() { return this.children.map((child) => child.textContent ?? String(child)).join(" "); }
  set textContent(text) { this.children = text ? [String(text)] : []; }
  all() { return [this, ...this.children.flatMap((child) => (child instanceof Element ? child.all() : []))]; }
  contains() { return false; }
  querySelector() { return null; }
  focus() {}
  closest() {
    for (let element = this; element; element = element.parentElement) if (element.attributes["data-press"]) return element.attributes["aria-disabled"] ? null : element;
    return null;
  }
}

/** The visit before: its page must stop before the next one starts. */
let last = { over: true };
/** Two minutes, for a machine that is busy with other things: what hangs is told from what is slow, and nothing else. */
const MOST_TURNS = 24_000;
const pause = (/** @type {number} */ milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Lets the page do all that follows from what it was told: none of it waits for a time. */
export const quiet = async () => { for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate); };

/** Stops the page of the last visit, which would ask for news for ever. */
export const leave = () => { last.over = true; };

/** What the service says, and what it was told. */
export function serviceOf() {
  const told = [];
  /** Each request's address, its body and its headers. */
  const heard = [];
  let clock = Date.parse("2026-11-20T12:00:00.000Z");
  const state = server({ mode: "live" });
  const changes = {
    session: () => ({}),
    wallet: ({ family, address }) => ({ status: "requires_payment", attempt: null, wallet: { family, address, status: "ready", tokens: [{ chain: "arbitrum", chain_name: "Arbitrum", token_address: "0xaf88", symbol: "USDC", sufficient: true, balance: "100", balance_usd: "100" }] } }),
    quote: () => ({ status: "quoted", attempt: attempt({ id: `attempt-${told.length}`, total_usd: "25.20", terms: null, routes: [], refund_to: state.wallet.address, quote_expires_at: new Date(clock + 600_000).toISOString() }) }),
    start: () => ({ status: "awaiting_signature", attempt: { ...state.attempt, status: "awaiting_signature", transactions: [transaction(1)] } }),
    submitted: () => ({ status: "executing", attempt: { ...state.attempt, status: "executing", transactions: [] } }),
    rejected: () => ({ status: "requires_payment", attempt: { ...state.attempt, status: "abandoned", transactions: [] } }),
  };
  const answer = (body) => ({ ok: true, status: 200, headers: new Headers(), json: async () => structuredClone(body) });
  const fetch = async (address, { method = "GET", body, headers = {} } = {}) => {
    heard.push({ address, body, headers });
    if (address === "/words.json") return answer({});
    const action = address.split("/").pop();
    if (method === "GET") return answer({ ...state, server_time: new Date(clock).toISOString() });
    told.push([action, JSON.parse(body)]);
    clock += 1000;
    Object.assign(state, changes[action](JSON.parse(body)), { server_time: new Date(clock).toISOString() });
    return answer(action === "session" ? { checkout_token: "t" } : state);
  };
  return { state, told, heard, fetch, of: (action) => told.filter(([name]) => name === action).map(([, body]) => body) };
}

/** @param {{service?: any, wallets?: (window: EventTarget) => void}} options `wallets` puts listeners before the page starts */
export async function visit({ service = serviceOf(), wallets = () => {}, storage = {} } = {}) {
  last.over = true;
  await pause(15);
  const life = last = { over: false };
  const elements = {};
  const complaints = [];
  const document = Object.assign(new EventTarget(), {
    title: "Pay", hidden: false, activeElement: null, querySelector: () => null, querySelectorAll: () => [],
    createElement: (tag) => new Element(tag),
    getElementById: (id) => (elements[id] ??= Object.assign(new Element("div"), { parentElement: new Element("div") })),
  });
  const context = { intent_id: "i", api_base: "/api", checkout_token: "t", mode: "live", state: structuredClone(service.state), locale: "en", words: { problems: { unreachable: ["h", "m", "n"] } }, words_url: "/words.json" };
  document.getElementById("checkout-context").textContent = JSON.stringify(context);
  const held = new Set();
  const request = async (name, _options, step) => {
    if (held.has(name)) return step(null);
    held.add(name);
    try {
      return await step({});
    } finally {
      held.delete(name);
    }
  };
  const globals = {
    document, window: Object.assign(new EventTarget(), { setTimeout: (step) => setTimeout(() => life.over || step(), 5), open() {}, print() {} }),
    localStorage: { getItem: (key) => storage[key] ?? null, setItem: (key, value) => { storage[key] = value; } },
    navigator: { locks: { request } }, fetch: (...call) => (life.over ? new Promise(() => {}) : service.fetch(...call)), CSS: { escape: (text) => text }, setInterval: () => 0, location: { assign() {} },
  };
  for (const [name, value] of Object.entries(globals)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  process.removeAllListeners("unhandledRejection").on("unhandledRejection", (error) => complaints.push(String(error.stack || error).slice(0, 300)));
  wallets(globalThis.window);
  await start();
  const [panel, status] = ["panel", "status"].map(document.getElementById);
  const offers = () => panel.all().filter(({ attributes }) => attributes["data-press"]);
  const own = {
    service, complaints, elements, offers,
    text: (id) => elements[id].textContent,
    problem: () => status.dataset.problem || "",
    panel: () => panel.dataset.panel,
    names: () => panel.all().filter(({ dataset }) => dataset.testid === "wallet-option").map((option) => option.all().find(({ tag }) => tag === "strong").textContent),
    async until(what, step) {
      for (let turn = 0; turn < MOST_TURNS; turn += 1) {
        if (step()) return;
        await pause(5);
      }
      throw new Error(`never: ${what}; panel ${own.panel()}, problem ${own.problem()}, told ${JSON.stringify(service.told)}, complaints ${complaints}`);
    },
    async press(start, times = 1) {
      const found = () => offers().find(({ attributes }) => attributes["data-press"].startsWith(start) && !attributes["aria-disabled"] && attributes.disabled === undefined);
      await own.until(`an offer of ${start}`, found);
      const target = found();
      for (let time = 0; time < times; time += 1) document.dispatchEvent(Object.defineProperty(new Event("click"), "target", { value: target }));
    },
    async pay(wallet, times = 1) {
      await own.press(`wallet ${wallet}`);
      await own.press("token");
      await own.press("pay", times);
    },
  };
  return own;
}

/** An EVM wallet that announces itself. @param {string} uuid @param {Record<string, any>} [answers] @param {object} [info] */
export function evmWallet(uuid, address, answers = {}, info = {}) {
  const asked = [];
  const listeners = [];
  const plain = { eth_requestAccounts: [address], eth_accounts: [address], eth_chainId: "0xa4b1", eth_sendTransaction: HASH };
  const provider = {
    async request({ method, params }) {
      asked.push([method, params]);
      const answer = method in answers ? answers[method] : plain[method];
      return typeof answer === "function" ? answer(params) : answer;
    },
    on: (_event, listener) => listeners.push(listener),
  };
  const detail = { info: { uuid, name: uuid, icon: "", rdns: "io.wallet", ...info }, provider };
  const announce = () => window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  return { asked, provider, detail, announce, listen: (window) => window.addEventListener("eip6963:requestProvider", announce),
    change: (accounts) => listeners.forEach((listener) => listener(accounts)), sent: () => asked.filter(([method]) => method === "eth_sendTransaction").length };
}
