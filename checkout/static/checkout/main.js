/** Starts the page, finds wallets, carries out what the payer presses. Draws nothing itself. */

import { createApi } from "./api.js";
import { startPolling } from "./poll.js";
import { Problem, initial, isConnected, isDone, isMoving, load, panelOf, reduce, sameAddress, secondsUntil, sentKey, unsent } from "./state.js";
import { createView } from "./view.js";
import { discoverEvm } from "./wallets/evm.js";
import { discoverSolana } from "./wallets/solana.js";

const LEAVE_AFTER_SECONDS = 5;
const REFRESH_BEFORE_SECONDS = 4;
const MOST_REFRESHES = 20;
/** A price that just rose is not for a finger already on its way down. */
const RISE_PAUSE_MS = 800;
const OFFLINE_AFTER = 2;

/** @type {Context} */
const context = JSON.parse(document.getElementById("checkout-context")?.textContent || "");
const api = createApi(context);
const memory = `checkout:${context.intent_id}:`;
/** @type {Map<string, Wallet>} */
const wallets = new Map();
/** @type {Record<string, any[]>} */
const unstored = {};
let state = initial(context, Date.now(), recall("sent"));
let asking = false;
let reporting = false;
let refreshes = 0;
const view = createView(press);

/** What this browser remembers; without storage, what this page does. @param {string} name @returns {any[]} */
function recall(name) {
  try {
    return JSON.parse(localStorage.getItem(memory + name) || "");
  } catch {
    return unstored[name] || [];
  }
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

/** @param {Action} action */
function dispatch(action) {
  state = reduce(state, action);
  view.draw(state);
}

/** What the parts need that are loaded once a wallet is known. @type {Desk} */
const desk = { state: () => state, dispatch, wallets, recall, keep, withdraw, report };

/** @template T @param {(part: typeof import("./handover.js")) => T} step */
const later = (step) => load(() => import("./handover.js")).then(step);

const findOpenAllowance = () => recall("allowances").length && state.connection && later((part) => part.findOpenAllowance(desk)).catch(() => {});

/** @param {PayerState | null} server */
function learn(server) {
  if (!server) return;
  const { status } = state.server;
  dispatch({ type: "server", server, now: Date.now() });
  if (state.consent && unsent(state).length) askWallet();
  if (status === server.status) return;
  findOpenAllowance();
  if (server.status === "settled" && server.return_url) dispatch({ type: "leaving", leavingIn: LEAVE_AFTER_SECONDS });
}

/** @param {string} action @param {object} body */
const act = async (action, body) => learn(await api.act(action, body));

/** Whatever goes wrong becomes words. @param {() => unknown} step */
async function carryOut(step) {
  try {
    await step();
  } catch (error) {
    const problem = error instanceof Problem ? error : new Problem("wallet_failed");
    const { code, reference } = problem;
    dispatch({ type: "problem", problem: { code, reference } });
    if (code === "moved_on") learn(await api.state().catch(() => null));
  }
  askSoon();
}

/** @type {Record<string, (argument: string) => unknown>} */
const commands = {
  wallet: (id) => (!state.busy || state.busy === "connecting") && carryOut(() => connect(id)),
  token: (key) => state.busy || carryOut(() => quote(key)),
  pay: () => state.busy || pay(),
  changeWallet: () => dispatch({ type: "choosing", choosing: "wallet" }),
  changeToken: () => carryOut(async () => {
    await withdraw();
    dispatch({ type: "choosing", choosing: "token" });
  }),
  balances: () => carryOut(() => lookAt(state.server.wallet)),
  cancel: () => carryOut(withdraw),
  revoke: () => state.busy || carryOut(() => later((part) => part.revokeAllowance(desk))),
  stay: () => dispatch({ type: "leaving", leavingIn: null }),
  leave,
  print: () => window.print(),
};

/** @type {Press} */
function press(name, argument) {
  refreshes = 0;
  commands[name](argument);
}

/** @param {string} id */
async function connect(id) {
  const [wallet, option] = [wallets.get(id), state.wallets.find((each) => each.id === id)];
  if (!wallet || !option?.usable) return;
  dispatch({ type: "connecting", connectingTo: id });
  try {
    const address = await wallet.connect();
    if (state.connectingTo === id) await useAccount(option, address);
  } catch (error) {
    if (state.connectingTo === id || !state.connectingTo) throw error;
  }
}

/** Stays the same over page loads. @param {WalletOption} option */
const lastingName = ({ family, origin, name }) => [family, origin, name].join();

/** @param {WalletOption} option @param {string} address */
async function useAccount(option, address) {
  const { family, id: walletId, name } = option;
  dispatch({ type: "connected", connection: { walletId, name, address } });
  findOpenAllowance();
  keep("wallet", [lastingName(option)]);
  if (sameAddress(state.server.wallet?.address || "", address)) return;
  dispatch({ type: "busy", busy: "looking" });
  await withdraw();
  await lookAt({ family, address });
  dispatch({ type: "busy", busy: "" });
}

/** @param {{family: Family, address: string} | null} wallet */
const lookAt = (wallet) => act("wallet", { family: wallet?.family, address: wallet?.address });

/** @param {string} key chain and token address */
async function quote(key) {
  const [chain, token_address] = key.split(" ");
  dispatch({ type: "busy", busy: "quoting" });
  const scenario = context.mode === "test" ? { scenario: view.scenario() } : {};
  await act("quote", { chain, token_address, ...scenario });
  dispatch({ type: "choosing", choosing: "" });
}

async function withdraw(reason = "abandoned") {
  const { attempt } = state.server;
  if (["quoted", "preparing", "awaiting_signature"].includes(attempt?.status || "")) await act("rejected", { attempt_id: attempt?.id, reason });
}

/** Agrees to exactly what is on the screen; no await before the guard, so two clicks are one. */
function pay() {
  const { attempt } = state.server;
  if (!attempt || (state.worsened && Date.now() - state.worsened.at < RISE_PAUSE_MS)) return;
  if (!isConnected(state)) return dispatch({ type: "choosing", choosing: "wallet" });
  dispatch({ type: "consented" });
  if (attempt.status === "quoted") carryOut(async () => {
    await act("start", { attempt_id: attempt.id });
    dispatch({ type: "started" });
  });
  else if (unsent(state).length) askWallet();
}

/** One tab asks, once. */
async function askWallet() {
  if (asking) return;
  asking = true;
  const handOver = () => later((part) => part.handOver(desk));
  await carryOut(() => navigator.locks ? navigator.locks.request(`${memory}sign`, { ifAvailable: true }, (lock) => {
    if (!lock) throw new Problem("other_tab");
    return handOver();
  }) : handOver());
  asking = false;
  findOpenAllowance();
}

/** Tells the service what it has not heard yet: a lost connection only delays. */
async function report() {
  if (reporting) return;
  reporting = true;
  let heard = true;
  for (let [hint] = recall("reports"); hint && heard; [hint] = recall("reports")) {
    const refusal = await act("submitted", hint).then(() => "", ({ code }) => code);
    heard = !["unreachable", "busy_service"].includes(refusal);
    if (heard) keep("reports", recall("reports").filter(({ tx_hash }) => tx_hash !== hint.tx_hash));
    if (heard && refusal && hint.signed_transaction) takeBack(hint, refusal);
  }
  reporting = false;
}

/** Nobody sends what a wallet only signed and the service refused: it may be asked again. @param {any} hint @param {string} code */
function takeBack({ attempt_id, leg_sequence }, code) {
  keep("sent", state.sent.filter((key) => key !== sentKey({ id: attempt_id }, { leg_sequence })));
  dispatch({ type: "sent", sent: recall("sent") });
  if (code === "wallet_altered") keep("altered", [...recall("altered"), state.connection?.walletId]);
  dispatch({ type: "problem", problem: { code } });
}

/** In test mode only the simulated wallets are asked: no real one ever sees play money. */
async function findWallets() {
  let isAllowed = (/** @type {object} */ _source) => true;
  if (context.mode === "test") {
    const simulated = await import("./wallets/simulated.js");
    isAllowed = simulated.isSimulated;
    view.offer(context.scenarios || []);
    simulated.announceTestWallets({
      transactions: () => state.server.attempt?.transactions || [], scenario: view.scenario, memory: sessionStorage,
      send: async (leg_sequence, behaviour) =>
        (await api.act("simulated-wallet/transactions", { attempt_id: state.server.attempt?.id, leg_sequence, behaviour })).tx_hash,
    });
  }
  /** @type {Found} */
  const found = (announced, wallet) => {
    const option = { ...announced, usable: isAllowed(wallet.source) };
    const { id: walletId, name, usable } = option;
    if (wallets.has(walletId)) return;
    dispatch({ type: "wallet_announced", option });
    wallets.set(walletId, wallet);
    wallet.watch((address) => {
      if (state.connection?.walletId !== walletId || asking || isDone(state)) return;
      if (!address) dispatch({ type: "connected", connection: null });
      else if (address !== state.connection.address) carryOut(() => useAccount(option, address));
    });
    if (!usable || !state.server.wallet || !recall("wallet").includes(lastingName(option))) return;
    wallet.reconnect().then((address) => {
      if (address && !state.connection) dispatch({ type: "connected", connection: { walletId, name, address } });
      findOpenAllowance();
    }).catch(() => {});
  };
  discoverEvm(found);
  discoverSolana(found);
}

function leave() {
  const { return_url, id } = state.server;
  if (!/^https?:\/\//i.test(return_url || "")) return;
  const target = new URL(return_url || "");
  target.searchParams.set("payment_intent", id);
  location.assign(target);
}

function everySecond() {
  view.tick(state, Date.now());
  const { leavingIn, busy, server: { attempt } } = state;
  if (leavingIn) {
    if (leavingIn === 1) leave();
    dispatch({ type: "leaving", leavingIn: leavingIn - 1 || null });
  }
  const ends = panelOf(state) === "quote" && attempt?.status === "quoted" && attempt.quote_expires_at;
  if (!ends || busy || document.hidden || refreshes >= MOST_REFRESHES || secondsUntil(state, ends, Date.now()) > REFRESH_BEFORE_SECONDS) return;
  refreshes += 1;
  carryOut(() => quote(`${attempt.chain} ${attempt.token_address}`));
}

const askSoon = startPolling(async () => {
  await report();
  learn(await api.state());
  if (state.offline) dispatch({ type: "offline", offline: false });
}, () => ({ moving: isMoving(state), done: isDone(state) }), (failures) => dispatch({ type: "offline", offline: failures >= OFFLINE_AFTER }));

view.draw(state);
findWallets();
if (state.server.status === "created") api.renew().catch(() => {});
setInterval(everySecond, 1000);
window.addEventListener("storage", () => dispatch({ type: "sent", sent: [...state.sent, ...recall("sent")] }));
