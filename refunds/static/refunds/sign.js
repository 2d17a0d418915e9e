/** The signing page: connects the merchant's wallet, has it sign what the service made, and tells the service. Builds no transactions. */

import { startPolling } from "/static/checkout/poll.js";
import { Problem, load } from "/static/checkout/state.js";
import { discoverEvm } from "/static/checkout/wallets/evm.js";
import { SIGN } from "/static/checkout/wallets/discovery.js";
import { discoverSolana } from "/static/checkout/wallets/solana.js";
import { choices, holdsSender, mood, nextWords, problemCode, warning } from "./stages.js";

const part = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const desk = part("desk");
const { family = "evm", walletUrl = "" } = desk.dataset;
/** @type {Map<string, Wallet>} */
const wallets = new Map();
/** @type {WalletOption[]} */
const options = [];
/** @type {DeskState} */
let state = { sight: JSON.parse(part("sight").textContent || "{}"), connection: null, busy: "", problem: "", goOn: false };

/** @param {Partial<DeskState>} changes */
function change(changes) {
  state = { ...state, ...changes };
  draw();
}

/** @param {Response} response @returns {Promise<any>} */
async function read(response) {
  const body = await response.json().catch(() => ({}));
  if (response.redirected || !response.ok) throw new Problem(problemCode(response.redirected ? 403 : response.status, body.code));
  return body;
}

const lost = () => { throw new Problem("unreachable"); };

/** @param {string} action @param {Record<string, string>} told */
async function tell(action, told) {
  const token = /** @type {HTMLInputElement} */ (desk.querySelector("[name=csrfmiddlewaretoken]")).value;
  const request = { method: "POST", body: new URLSearchParams(told), headers: { "X-CSRFToken": token } };
  change({ sight: await read(await fetch(`${walletUrl}${action}/`, request).catch(lost)) });
  hurry();
}

async function ask() {
  const sight = await read(await fetch(walletUrl, { cache: "no-store" }).catch(lost));
  if (JSON.stringify(sight) !== JSON.stringify(state.sight) || state.problem === "unreachable") {
    change({ sight, problem: state.problem === "unreachable" ? "" : state.problem });
  }
  if (state.goOn && sight.stage === "sign" && !state.busy) await sign();
}

/** Runs what a press began; whatever goes wrong is said. @param {DeskState["busy"]} busy @param {() => Promise<void>} work */
async function during(busy, work) {
  change({ busy, problem: "" });
  try {
    await work();
    change({ busy: "" });
  } catch (error) {
    const code = error instanceof Problem ? error.code : "wallet_failed";
    change({ busy: "", goOn: false, problem: code });
  }
}

/** @param {WalletOption} option */
const connect = ({ id, name }) => during("connecting", async () => {
  const wallet = /** @type {Wallet} */ (wallets.get(id));
  const address = await wallet.connect();
  const connection = { walletId: id, name, address };
  change({ connection });
  if (state.sight.stage === "connect") await tell("offer", { sender: address });
});

const sign = () => during("signing", async () => {
  const { connection, sight: { stage, unsigned, sender } } = state;
  const wallet = connection && wallets.get(connection.walletId);
  if (!wallet || !holdsSender(state)) throw new Problem("account_changed");
  if (stage === "authorize") {
    change({ goOn: true });
    const { authorize } = await load(() => import("./authorize.js"));
    await tell("authorized", { signature: await authorize(wallet, sender, unsigned) });
    return;
  }
  change({ goOn: false });
  const transaction = { leg_sequence: 1, family: /** @type {Family} */ (family), chain: unsigned.chain || "", ...unsigned };
  const { tx_hash, signed_transaction } = await wallet.send(transaction, sender, SENDING);
  await (signed_transaction ? tell("signed", { signed_transaction }) : tell("sent", { tx_hash }));
});

/** No approvals and no batches here. @type {Sending} */
const SENDING = {
  id: "", walletSends: false, isWanted: () => true, tell: () => {}, allowed: () => {}, batch: () => null, keepBatch: () => {},
};

/** @param {WalletOption} option */
function icon({ icon: source }) {
  const image = document.createElement("img");
  Object.assign(image, { src: source, alt: "", width: 24, height: 24 });
  return image;
}

/** @param {Choice} choice @param {WalletOption} [option] */
function button({ act, label }, option) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "button";
  made.dataset.testid = act;
  if (act === "sign") made.dataset.weight = "main";
  if (option?.icon) made.append(icon(option));
  made.append(label);
  made.addEventListener("click", () => void (option ? connect(option) : sign()));
  return made;
}

function drawActions() {
  const actions = part("actions");
  const offered = choices(state, options);
  actions.className = offered[0]?.act === "connect" ? "wallets" : "row";
  const had = actions.contains(document.activeElement);
  actions.replaceChildren(...offered.map((choice, place) => button(choice, choice.act === "connect" ? options[place] : undefined)));
  if (had) /** @type {HTMLElement | null} */ (actions.querySelector("button"))?.focus();
}

function draw() {
  const { sight } = state;
  part("stage-title").textContent = sight.title;
  part("stage-next").textContent = nextWords(state, options.length);
  const said = warning(state);
  part("refused").hidden = !said;
  part("refused").textContent = said;
  drawActions();
  part("sent").hidden = !sight.tx_hash;
  /** @type {HTMLElement} */ (part("sent").querySelector("code")).textContent = sight.tx_hash;
  part("can-state").hidden = !sight.can_state;
  const ends = part("ends");
  ends.hidden = !sight.ends_at || !["authorize", "sign"].includes(sight.stage);
  ends.textContent = `It can be used until ${new Date(sight.ends_at * 1000).toLocaleTimeString()}. If it is not, it ends by itself, and you can cancel or start again.`;
  desk.dataset.stage = sight.stage;
}

/** @param {WalletOption} option @param {Wallet} wallet */
function found(option, wallet) {
  const features = /** @type {Partial<StandardWallet>} */ (wallet.source).features;
  if (option.family !== family || wallets.has(option.id) || (features && !features[SIGN])) return; // why: the service must send what is signed
  wallets.set(option.id, wallet);
  options.push(option);
  wallet.watch((address) => {
    if (state.connection?.walletId === option.id && address !== state.connection.address) change({ connection: null });
  });
  draw();
}

const hurry = startPolling(ask, () => mood(state.sight), () => change({ problem: "unreachable" }));
(family === "solana" ? discoverSolana : discoverEvm)(found);
draw();
