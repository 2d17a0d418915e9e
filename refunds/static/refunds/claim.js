/** The claim page: connects the wallet that paid, has it sign the service's text, and hands the signature in. */

import { startPolling } from "/static/checkout/poll.js";
import { Problem } from "/static/checkout/state.js";
import { discoverEvm } from "/static/checkout/wallets/evm.js";
import { refuse } from "/static/checkout/wallets/refusals.js";
import { discoverSolana } from "/static/checkout/wallets/solana.js";
import { base58 } from "/static/checkout/wallets/solana_send.js";
import { canReceive, connected, destinationOf, filled, mayBeContract, problemOf, problemWords, sayingNow, stepOf } from "./claim_words.js";

const SIGN = "solana:signMessage";
/** How often it comes back for a contract's word, at most. The service asks for about three minutes. */
const MOST_TIMES = 60;
const part = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const context = JSON.parse(part("claim").textContent || "{}");
/** @type {ClaimWords} */
const words = context.words;
const said = words.sentences;
const api = `/api/public/refunds/${context.refund}`;
/** @type {Map<string, Wallet>} */
const wallets = new Map();
/** @type {WalletOption[]} */
const options = [];
/** @type {ClaimState} */
let state = { family: context.family, connection: null, choice: "", typed: "", busy: "", problem: "", message: "" };

/** @param {Partial<ClaimState>} changes */
function change(changes) {
  state = { ...state, ...changes };
  draw();
}

/** @param {string} name @param {object} body */
async function post(name, body) {
  const request = { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
  const response = await fetch(`${api}/${name}`, request).catch(() => { throw new Problem("unreachable"); });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Problem(problemOf(words, answer));
  return answer;
}

/** @param {string} code */
const told = (code) => problemWords(words, code);

/** Runs what a press began; whatever goes wrong is said. @param {ClaimState["busy"]} busy @param {() => Promise<void>} work */
async function during(busy, work) {
  if (state.busy) return;
  change({ busy, problem: "" });
  try {
    await work();
  } catch (error) {
    change({ busy: "", message: "", problem: told(error instanceof Problem ? error.code : "wallet_failed") });
    focusOn("sign");
  }
}

/** @param {WalletOption} option */
const connect = ({ id, name, family }) => during("connecting", async () => {
  const wallet = /** @type {Wallet} */ (wallets.get(id));
  const address = await wallet.connect();
  state = connected(state, { walletId: id, name, family, address });
  draw();
  /** @type {HTMLElement | null} */ (part("panel").querySelector("input"))?.focus();
});

const sign = () => during("signing", async () => {
  const { connection } = state;
  const wallet = connection && wallets.get(connection.walletId);
  if (!connection || !wallet) throw new Problem("locked");
  const wish = { family: connection.family, wallet: connection.address, destination: destinationOf(state) };
  const { nonce, message } = await post("claim/nonce", wish);
  change({ message });
  const signature = await (connection.family === "solana" ? signSolana : signEvm)(wallet, connection.address, message);
  await submit({ nonce, signature }, connection.family);
  location.reload();
});

/** Hands the signature in. Why again: a wallet that is a contract has no key, so its chain is asked, and this page comes back for the answer. @param {{ nonce: string, signature: string }} claim @param {Family} family */
async function submit(claim, family) {
  try {
    await post("claim", claim);
    return;
  } catch (error) {
    if (!(error instanceof Problem && mayBeContract(context.mode, family, error.code))) throw error;
  }
  change({ busy: "asking" });
  for (let times = 0; times < MOST_TIMES; times += 1) {
    const { status, retry_after_seconds: seconds } = await post("claim", { ...claim, by_contract: true });
    if (status !== "asking_wallet") return;
    await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
  }
  throw new Problem("wallet_silent");
}

/** @param {Wallet} wallet @param {string} address @param {string} message */
async function signEvm({ source }, address, message) {
  const provider = /** @type {Eip1193Provider} */ (source);
  const bytes = [...new TextEncoder().encode(message)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const signature = await provider.request({ method: "personal_sign", params: [`0x${bytes}`, address] }).catch(refuse("wallet_failed"));
  const text = String(signature);
  const end = Number.parseInt(text.slice(-2), 16);
  // Why: some wallets count the last byte from 0, the service knows 27 and 28 only.
  return text.length === 132 && end < 2 ? `${text.slice(0, -2)}${(end + 27).toString(16)}` : text;
}

/** @param {Wallet} wallet @param {string} address @param {string} message */
async function signSolana({ source }, address, message) {
  const { features, accounts } = /** @type {StandardWallet} */ (source);
  const account = accounts.find((one) => one.address === address);
  if (!account) throw new Problem("account_changed");
  const input = { account, message: new TextEncoder().encode(message) };
  const [{ signature }] = await features[SIGN].signMessage(input).catch(refuse("wallet_failed"));
  return base58(signature);
}

/** @param {string} tag @param {Record<string, any>} [properties] @param {(Node | string)[]} children */
function element(tag, properties = {}, ...children) {
  const { testid, describedby, ...rest } = properties;
  const made = Object.assign(document.createElement(tag), rest);
  if (testid) made.dataset.testid = testid;
  if (describedby) made.setAttribute("aria-describedby", describedby);
  made.append(...children);
  return made;
}

/** @param {WalletOption} option */
function walletButton(option) {
  const icon = option.icon ? [element("img", { src: option.icon, alt: "", width: 28, height: 28 })] : [];
  const made = element("button", { type: "button", className: "option", testid: "wallet" }, ...icon, element("span", { className: "text" }, option.name));
  made.addEventListener("click", () => void connect(option));
  return made;
}

/** @param {"wallet" | "other"} value @param {(Node | string)[]} words */
function choice(value, ...words) {
  const radio = element("input", { type: "radio", name: "choice", value, checked: state.choice === value, testid: `choice-${value}` });
  radio.addEventListener("change", () => { change({ choice: value, problem: "" }); focusOn(`choice-${value}`); });
  return element("label", { className: "choice" }, radio, element("span", {}, ...words));
}

/** @param {string} testid */
const focusOn = (testid) => /** @type {HTMLElement | null} */ (part("panel").querySelector(`[data-testid=${testid}]`))?.focus();

function connectPart() {
  const offered = options.length ? options.map(walletButton) : [element("p", { className: "note" }, told("wallet_missing"))];
  return [element("h3", {}, said.connect), element("div", { className: "options" }, ...offered)];
}

function choosePart() {
  const { connection, typed } = state;
  const address = connection?.address || "";
  const field = element("input", { className: "typed", id: "typed", dir: "ltr", value: typed, maxLength: 128, autocomplete: "off", spellcheck: false, testid: "destination", describedby: "typed-help" });
  field.addEventListener("input", () => { state = { ...state, typed: /** @type {HTMLInputElement} */ (field).value }; });
  const toWallet = canReceive(state) ? [choice("wallet", said.toWallet, element("code", { dir: "ltr" }, address))] : [];
  const other = choice("other", said.toOther);
  const help = element("span", { className: "quiet", id: "typed-help" }, filled(said.help, context.chainName));
  const typing = state.choice === "other" ? [element("label", { htmlFor: "typed", className: "part" }, said.address, field, help)] : [];
  const go = element("button", { type: "button", className: "button main", testid: "sign", disabled: Boolean(state.busy) }, sayingNow(state, said) || said.sign);
  go.addEventListener("click", () => void sign());
  const back = element("button", { type: "button", className: "link", testid: "back" }, said.another);
  back.addEventListener("click", () => { if (!state.busy) change({ connection: null, choice: "", message: "", problem: "" }); });
  const text = state.message ? [element("h3", {}, said.text), element("p", { className: "words", dir: "ltr", lang: "en", testid: "message" }, state.message)] : [];
  return [
    element("h3", {}, said.where), element("p", { className: "quiet" }, filled(said.connected, connection?.name || "")),
    ...toWallet, other, ...typing, ...text, go, back,
  ];
}

let shown = "";

function draw() {
  const panel = part("panel");
  const now = JSON.stringify([stepOf(state), options.map(({ id }) => id), { ...state, typed: "" }]);
  if (now === shown) return;
  shown = now;
  const problem = state.problem ? [element("p", { className: "note", testid: "problem" }, state.problem)] : [];
  panel.replaceChildren(...problem, ...(state.connection ? choosePart() : connectPart()));
  part("announcer").textContent = state.problem || sayingNow(state, said);
}

/** @param {WalletOption} option @param {Wallet} wallet @param {(source: object) => boolean} isAllowed */
function found(option, wallet, isAllowed) {
  const { features } = /** @type {Partial<StandardWallet>} */ (wallet.source);
  if (wallets.has(option.id) || !isAllowed(wallet.source) || (features && !features[SIGN])) return;
  wallets.set(option.id, wallet);
  options.push(option);
  wallet.watch((address) => {
    if (state.connection?.walletId === option.id && address !== state.connection.address) change({ connection: null, choice: "" });
  });
  draw();
}

async function findWallets() {
  let isAllowed = (/** @type {object} */ _source) => true;
  if (context.mode === "test") {
    const simulated = await import("/static/checkout/wallets/simulated.js");
    isAllowed = simulated.isSimulated;
    simulated.announceTestWallets({
      transactions: () => [], send: async () => "", memory: sessionStorage,
      scenario: () => /** @type {HTMLSelectElement} */ (part("scenario")).value,
    });
  }
  discoverEvm((option, wallet) => found(option, wallet, isAllowed));
  discoverSolana((option, wallet) => found(option, wallet, isAllowed));
  draw();
}

/** Draws the page anew when its refund moved on. */
async function follow() {
  const response = await fetch(`${api}/status`, { cache: "no-store" });
  if (!response.ok) throw new Problem("unreachable");
  const { status, failure_reason } = await response.json();
  if (status !== context.status || (context.waits && failure_reason !== "missing_destination")) location.reload();
}

if (context.waits) void findWallets();
if (!context.terminal) startPolling(async () => { if (!state.busy) await follow(); }, () => ({ moving: false, done: context.waits }), () => {});
