import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, it } from "node:test";
import vm from "node:vm";

import { heard } from "./modules.mjs";

const SOURCE = readFileSync(new URL("../../checkout/static/embed/v1.js", import.meta.url), "utf8");
const [SERVICE, SHOP] = ["https://pay.example", "https://shop.example"];
const [KEY, INTENT] = ["pk_test_1", "intent-1"];

/** Ports keep a program alive until they are closed. */
const channels = [];
function Channel() {
  const channel = new MessageChannel();
  channels.push(channel);
  return channel;
}

/** The merchant's page, as far as the script touches it. */
let shop;
/** What the service answers to a session. */
let answer;

function element(name) {
  const made = {
    name, style: {}, children: [], removed: false, focused: 0,
    append(...more) { made.children.push(...more); },
    remove() { made.removed = true; },
    focus() { made.focused += 1; },
    showModal() { made.open = true; },
    close() { made.open = false; },
  };
  if (name === "iframe") made.contentWindow = { posted: [], postMessage(message, target, ports) { made.contentWindow.posted.push({ message, target, ports }); } };
  shop.made.push(made);
  return made;
}

function loadPage() {
  const events = new EventTarget();
  shop = { made: [], asked: [], went: [], errors: [], elements: new Map(), hear: [] };
  const page = {
    URL, URLSearchParams, EventTarget, CustomEvent, MessageChannel: Channel, origin: SHOP,
    console: { error: (text) => shop.errors.push(text) },
    document: { currentScript: { src: `${SERVICE}/embed/v1.js` }, createElement: element, body: { append: (made) => shop.made.push(made) } },
    location: { origin: SHOP, assign: (to) => shop.went.push(`${to}`) },
    addEventListener: (name, listener) => shop.hear.push(listener),
    HTMLElement: class extends EventTarget {
      style = {};
      getAttribute(name) { return this.attributes?.[name] ?? null; }
      append(...more) { shop.appended = more; }
    },
    customElements: { define: (name, made) => shop.elements.set(name, made) },
    fetch: async (url, asked) => {
      shop.asked.push({ url, ...asked });
      return { ok: answer.status === 200, json: async () => answer.body };
    },
    events,
  };
  page.window = page;
  shop.page = page;
  vm.runInNewContext(SOURCE, page);
}

/** A checkout that hears everything. */
function opened(options = {}) {
  const told = [];
  const checkout = shop.page.Causeway(KEY).checkout({ intentId: INTENT, ...options });
  for (const name of ["ready", "resize", "settled", "error", "__proto__", "constructor"]) checkout.on(name, (detail) => told.push([name, detail]));
  return { checkout, told };
}

const frameOf = () => shop.made.find(({ name, src }) => name === "iframe" && src);
const say = (event) => shop.hear.forEach((listener) => listener(event));
const here = (changes = {}) => ({ source: frameOf().contentWindow, origin: SERVICE, data: { causeway: 1, type: "here" }, ...changes });

/** A mounted checkout whose frame has its port. */
async function met(options) {
  const made = opened(options);
  const place = element("div");
  await made.checkout.mount(place);
  say(here());
  await heard();
  const [{ message, target, ports: [port] }] = frameOf().contentWindow.posted;
  const got = [];
  port.onmessage = ({ data }) => got.push(data);
  return { ...made, place, message, target, port, got };
}

beforeEach(() => {
  answer = { status: 200, body: { checkout_token: "token-1" } };
  loadPage();
});

afterEach(() => channels.splice(0).forEach(({ port1 }) => port1.close()));

describe("a key", () => {
  for (const key of ["sk_live_1", "rk_test_1", "", undefined, "x pk_test_1"]) {
    it(`${JSON.stringify(key) ?? "that is missing"} is refused aloud and goes nowhere`, () => {
      assert.throws(() => shop.page.Causeway(key), /publishable key/);
      assert.deepEqual(shop.asked, []);
    });
  }
});

describe("mounting", () => {
  it("opens a session with the key and nothing else, then frames the intent", async () => {
    const { place } = await met({ locale: "de", appearance: { theme: "dark" } });
    const [{ url, method, credentials, headers }] = shop.asked;
    assert.deepEqual([url, method, credentials, { ...headers }],
      [`${SERVICE}/api/public/v1/checkout/${INTENT}/session?locale=de`, "POST", "omit", { Authorization: `Bearer ${KEY}` }]);
    const { searchParams, pathname, origin } = new URL(place.children[0].src);
    assert.deepEqual([origin, pathname, Object.fromEntries(searchParams)],
      [SERVICE, `/embed/${INTENT}`, { origin: SHOP, theme: "dark", locale: "de" }]);
  });
  it("keeps an intent's name inside its address", async () => {
    const { checkout } = opened({ intentId: "../../evil?x#y" });
    await checkout.mount(element("div"));
    assert.equal(new URL(frameOf().src).pathname, "/embed/..%2F..%2Fevil%3Fx%23y");
  });
  it("asks for an intent when it needs one, and once", async () => {
    let asked = 0;
    const { checkout } = opened({ intentId: undefined, fetchIntent: async () => { asked += 1; return "made-1"; } });
    await checkout.mount(element("div"));
    checkout.unmount();
    await checkout.redirect();
    assert.deepEqual([asked, shop.went], [1, [`${SERVICE}/checkout/made-1?locale=`]]);
  });
  it("that is refused says why and leaves nothing on the page", async () => {
    answer = { status: 403, body: { code: "origin_not_allowed", error: "Not from here.", details: {}, doc_url: "https://docs.example/" } };
    const { checkout, told } = opened();
    const place = element("div");
    await checkout.mount(place);
    assert.deepEqual([told[0][0], { ...told[0][1] }],
      ["error", { code: "origin_not_allowed", message: "Not from here.", docs_url: "https://docs.example/", intent: INTENT, seq: 1 }]);
    assert.deepEqual([place.children, shop.errors], [[], ["Causeway: Not from here."]]);
  });
  it("that was taken back in the meantime shows nothing", async () => {
    const { checkout } = opened();
    const place = element("div");
    const mounting = checkout.mount(place);
    checkout.unmount();
    await mounting;
    assert.deepEqual(place.children, []);
  });
  it("twice shows one", async () => {
    const { checkout, place } = await met();
    await checkout.mount(place);
    assert.equal(place.children.length, 1);
  });
});

describe("meeting the frame", () => {
  it("hands the token to the service's origin only, with a port", async () => {
    const { message, target } = await met({ appearance: { theme: "light" } });
    assert.equal(target, SERVICE);
    assert.deepEqual({ ...message, appearance: { ...message.appearance } },
      { causeway: 1, type: "hello", token: "token-1", appearance: { theme: "light" }, locale: "", bridge: true, modal: false });
  });
  const forged = {
    "another window": () => here({ source: { postMessage: (...all) => { shop.leaked = all; } } }),
    "another origin": () => here({ origin: "https://evil.example" }),
    "no origin": () => here({ origin: "null" }),
    "another protocol": () => here({ data: { causeway: 2, type: "here" } }),
    "another word": () => here({ data: { causeway: 1, type: "hello" } }),
    "no word": () => here({ data: null }),
    "a text": () => here({ data: "here" }),
  };
  for (const [name, message] of Object.entries(forged)) {
    it(`hears nothing of ${name}`, async () => {
      const { checkout } = opened();
      await checkout.mount(element("div"));
      say(message());
      await heard();
      assert.deepEqual([frameOf().contentWindow.posted, shop.leaked], [[], undefined]);
    });
  }
  it("again, after the frame was loaded anew, takes a new session and drops the old port", async () => {
    const { told, port } = await met();
    answer.body = { checkout_token: "token-2" };
    say(here());
    await heard();
    assert.equal(frameOf().contentWindow.posted[1].message.token, "token-2");
    port.postMessage({ v: 1, type: "event", name: "settled" });
    await heard();
    assert.deepEqual(told, []);
  });
});

describe("over the port", () => {
  it("events are numbered and carry the intent", async () => {
    const { told, port } = await met();
    port.postMessage({ v: 1, type: "event", name: "ready" });
    port.postMessage({ v: 1, type: "resize", height: 480 });
    port.postMessage({ v: 1, type: "event", name: "settled", detail: { intent: "forged", seq: 99 } });
    await heard();
    assert.deepEqual(told.map(([name, { intent, seq }]) => [name, intent, seq]), [["ready", INTENT, 1], ["resize", INTENT, 2], ["settled", INTENT, 3]]);
    assert.equal(frameOf().style.height, "480px");
  });
  it("what is unknown, malformed or of another version is ignored", async () => {
    const { told, port } = await met();
    const hostile = JSON.parse('{"v": 1, "type": "event", "name": "ready", "detail": {"__proto__": {"polluted": 1}}}');
    for (const message of [null, 1, "event", [], {}, { type: "event", name: "ready" }, { v: 2, type: "event", name: "ready" }, { v: 1, type: "__proto__" },
      { v: 1, type: "constructor" }, { v: 1, type: "toString" }, { v: 1, type: { a: 1 } }, { v: 1, type: "token", token: "x" }, hostile]) port.postMessage(message);
    await heard();
    assert.deepEqual([told.length, {}.polluted, shop.went], [1, undefined, []]);
  });
  it("an old token is replaced on request", async () => {
    const { port, got } = await met();
    answer.body = { checkout_token: "token-2" };
    port.postMessage({ v: 1, type: "session" });
    await heard();
    assert.deepEqual(got, [{ v: 1, type: "token", token: "token-2" }]);
  });
  it("the hosted page is opened where no window may be", async () => {
    const { port } = await met({ locale: "fr" });
    port.postMessage({ v: 1, type: "hosted", url: "https://evil.example" });
    await heard();
    assert.deepEqual(shop.went, [`${SERVICE}/checkout/${INTENT}?locale=fr`]);
  });
  it("a new look is told, and kept for the next frame", async () => {
    const { checkout, got } = await met();
    checkout.update({ theme: "dark" });
    await heard();
    assert.deepEqual(got, [{ v: 1, type: "update", appearance: { theme: "dark" } }]);
    checkout.unmount();
    await checkout.mount(element("div"));
    assert.match(shop.made.at(-1).src, /theme=dark/);
  });
  it("nothing is heard once it is off the page", async () => {
    const { checkout, told, port, place } = await met();
    checkout.destroy();
    port.postMessage({ v: 1, type: "event", name: "settled" });
    await heard();
    assert.deepEqual([told, place.children[0].removed], [[], true]);
  });
});

describe("the dialog", () => {
  const dialogOf = () => shop.made.find(({ name }) => name === "dialog");
  it("lets the frame decide about Escape, and closes when it says so", async () => {
    const { checkout } = opened();
    checkout.open();
    await heard();
    say(here());
    await heard();
    const [{ message, ports: [port] }] = frameOf().contentWindow.posted;
    const got = [];
    port.onmessage = ({ data }) => got.push(data);
    let prevented = 0;
    dialogOf().oncancel({ preventDefault: () => { prevented += 1; } });
    await heard();
    assert.deepEqual([message.modal, prevented, got, dialogOf().open, frameOf().focused], [true, 1, [{ v: 1, type: "leave" }], true, 1]);
    port.postMessage({ v: 1, type: "close" });
    await heard();
    assert.deepEqual([dialogOf().open, dialogOf().removed], [false, true]);
  });
  it("closes at once while there is no frame to ask", () => {
    const { checkout } = opened();
    checkout.open();
    dialogOf().oncancel({ preventDefault() {} });
    assert.equal(dialogOf().removed, true);
  });
});

describe("the element", () => {
  it("is a checkout of its attributes", async () => {
    const made = new (shop.elements.get("causeway-checkout"))();
    const told = [];
    made.attributes = { key: KEY, intent: INTENT, theme: "dark", locale: "es" };
    made.addEventListener("settled", ({ detail }) => told.push(detail.intent));
    made.connectedCallback();
    await heard();
    say(here());
    await heard();
    const [{ message, ports: [port] }] = frameOf().contentWindow.posted;
    port.postMessage({ v: 1, type: "event", name: "settled" });
    await heard();
    assert.deepEqual([message.locale, message.appearance.theme, told, shop.appended.length], ["es", "dark", [INTENT], 1]);
    made.disconnectedCallback();
    assert.equal(frameOf().removed, true);
  });
  it("with a secret key asks nothing", () => {
    const made = new (shop.elements.get("causeway-checkout"))();
    made.attributes = { key: "sk_test_1", intent: INTENT };
    assert.throws(() => made.connectedCallback(), /publishable key/);
    assert.deepEqual(shop.asked, []);
  });
});
