/** A payment from the first press to its end: carries out what the payer presses, hears the service, asks the wallet. Draws nothing itself. */

import { Problem, load, sameAddress, secondsUntil } from "../state.js";
import { evmWallet } from "../wallets/evm.js";
import { solanaWallet } from "../wallets/solana.js";
import { isConnected, isDone, isMoving, mayPay, panelOf, reduce, sentKey, unsent } from "./reducer.js";
import { draw, tick } from "./view.js";

const LEAVE_AFTER_SECONDS = 5;
const REFRESH_BEFORE_SECONDS = 4;
const MOST_REFRESHES = 20;
/** Problems that say that what the page shows is old. */
const OVERTAKEN = ["moved_on", "in_doubt", "other_browser", "quote_expired"];

/** @type {PaymentDesk} */
let desk;
let asking = false;
/** Ends the wait for a wallet that may never answer. */
let stopWaiting = () => {};
let reporting = false;
let refreshes = 0;

/** The page once a payment is on. @param {Desk} page @returns {Stage} */
export function createPayment(page) {
  desk = { ...page, wallets: new Map(), withdraw, report };
  [asking, reporting, refreshes] = [false, false, 0];
  window.addEventListener("storage", () => desk.dispatch({ type: "sent", sent: [...desk.state().sent, ...desk.recall("sent")] }));
  return {
    reduce, draw, learn, report, press, found,
    tick(state, now) {
      tick(state, now);
      everySecond(state, now);
    },
    mood: (state) => ({ moving: isMoving(state), done: isDone(state) }),
  };
}

/** @template T @param {(part: typeof import("./handover.js")) => T} step */
const later = (step) => load(() => import("./handover.js")).then(step);

const findOpenAllowance = () => desk.recall("allowances").length && desk.state().connection && later((part) => part.findOpenAllowance(desk)).catch(() => {});

/** @param {PayerState} server */
function learn(server) {
  const { status } = desk.state().server;
  desk.dispatch({ type: "server", server, now: Date.now() });
  const state = desk.state();
  if (state.consent && unsent(state).length) askWallet();
  if (status === server.status) return;
  findOpenAllowance();
  if (server.status === "settled" && server.return_url && !desk.context.embedded) desk.dispatch({ type: "leaving", leavingIn: LEAVE_AFTER_SECONDS });
}

/** @param {string} action @param {object} body */
const act = async (action, body) => learn(await desk.api.act(action, body));

/** Whatever goes wrong becomes words. @param {() => unknown} step */
async function carryOut(step) {
  try {
    await step();
  } catch (error) {
    const problem = error instanceof Problem ? error : new Problem("wallet_failed");
    const { code, reference } = problem;
    desk.dispatch({ type: "problem", problem: { code, reference } });
    if (OVERTAKEN.includes(code)) await desk.api.state().then((server) => server && learn(server), () => {});
  }
  desk.askSoon();
}

/** Whether a press would disturb what is under way. */
const isBusy = () => Boolean(desk.state().busy);

/** @type {Record<string, (argument: string) => unknown>} */
const commands = {
  wallet: (id) => ["", "connecting"].includes(desk.state().busy) && carryOut(() => connect(id)),
  token: (key) => isBusy() || carryOut(() => quote(key)),
  pay: () => isBusy() || pay(),
  changeWallet: () => desk.dispatch({ type: "choosing", choosing: "wallet" }),
  changeToken: () => carryOut(async () => {
    await withdraw();
    desk.dispatch({ type: "choosing", choosing: "token" });
  }),
  balances: () => carryOut(() => lookAt(desk.state().server.wallet)),
  cancel: () => carryOut(cancel),
  revoke: () => isBusy() || carryOut(() => later((part) => part.revokeAllowance(desk))),
  stay: () => desk.dispatch({ type: "leaving", leavingIn: null }),
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
  const [wallet, option] = [desk.wallets.get(id), desk.state().wallets.find((each) => each.id === id)];
  if (!option?.usable) return;
  desk.dispatch({ type: "connecting", connectingTo: id });
  try {
    if (!wallet) throw new Problem("wallet_failed");
    const address = await wallet.connect();
    if (desk.state().connectingTo === id) await useAccount(option, address);
  } catch (error) {
    const { connectingTo } = desk.state();
    if (connectingTo === id || !connectingTo) throw error;
  }
}

/** Stays the same over page loads. @param {WalletOption} option */
const lastingName = ({ family, origin, name }) => [family, origin, name].join();

/** @param {WalletOption} option @param {string} address */
async function useAccount(option, address) {
  const { family, id: walletId, name } = option;
  desk.dispatch({ type: "connected", connection: { walletId, name, address } });
  findOpenAllowance();
  desk.keep("wallet", [lastingName(option)]);
  if (sameAddress(desk.state().server.wallet?.address || "", address)) return;
  desk.dispatch({ type: "busy", busy: "looking" });
  await withdraw();
  await lookAt({ family, address });
  desk.dispatch({ type: "busy", busy: "" });
}

/** @param {{family: Family, address: string} | null} wallet */
const lookAt = (wallet) => act("wallet", { family: wallet?.family, address: wallet?.address });

/** @param {string} key chain and token address */
async function quote(key) {
  const [chain, token_address] = key.split(" ");
  desk.dispatch({ type: "busy", busy: "quoting" });
  const scenario = desk.context.mode === "test" ? { scenario: desk.scenario() } : {};
  await act("quote", { chain, token_address, ...scenario });
  desk.dispatch({ type: "choosing", choosing: "" });
}

async function withdraw(reason = "abandoned") {
  const { attempt } = desk.state().server;
  if (["quoted", "preparing", "awaiting_signature"].includes(attempt?.status || "")) await act("rejected", { attempt_id: attempt?.id, reason });
}

/** Agrees to exactly what is on the screen; no await before the guard, so two clicks are one. */
function pay() {
  const state = desk.state();
  const { attempt } = state.server;
  if (!attempt || !mayPay(state, Date.now())) return;
  if (!isConnected(state)) return desk.dispatch({ type: "choosing", choosing: "wallet" });
  desk.dispatch({ type: "consented" });
  if (attempt.status === "quoted") carryOut(async () => {
    await act("start", { attempt_id: attempt.id, ...(attempt.terms && { terms: attempt.terms }) });
    desk.dispatch({ type: "started" });
  });
  else if (unsent(desk.state()).length) askWallet();
}

/** One tab asks, once. */
async function askWallet() {
  if (asking) return;
  asking = true;
  const given = new Promise((resolve) => { stopWaiting = () => resolve(undefined); });
  await carryOut(() => inTurn(given));
  asking = false;
  findOpenAllowance();
}

/** Hands over unless another tab does. Why also without a lock: a browser may refuse a frame all that tabs share. @param {Promise<unknown>} given ends the wait */
async function inTurn(given) {
  const handOver = () => Promise.race([later((part) => part.handOver(desk)), given]);
  let mayAsk = true;
  const taken = navigator.locks?.request(`${desk.memory}sign`, { ifAvailable: true }, (lock) => {
    mayAsk = false;
    if (!lock) throw new Problem("other_tab");
    return handOver();
  });
  await taken?.catch((error) => {
    if (!mayAsk) throw error;
  });
  if (mayAsk) await handOver();
}

/** Gives the payment up, also where the wallet is still to answer: it may send it all the same, so nothing is called unsent any more. */
async function cancel() {
  await withdraw();
  if (asking) desk.keep("perhaps", [true]);
  stopWaiting();
}

/** Tells the service what it has not heard yet: a lost connection only delays. */
async function report() {
  if (reporting) return;
  reporting = true;
  let heard = true;
  for (let [hint] = desk.recall("reports"); hint && heard; [hint] = desk.recall("reports")) {
    const refusal = await act("submitted", hint).then(() => "", ({ code }) => code);
    heard = !["unreachable", "busy_service"].includes(refusal);
    if (heard) desk.keep("reports", desk.recall("reports").filter(({ tx_hash }) => tx_hash !== hint.tx_hash));
    if (heard && refusal && hint.signed_transaction) takeBack(hint, refusal);
  }
  reporting = false;
}

/** Nobody sends what a wallet only signed and the service refused: it may be asked again. @param {any} hint @param {string} code */
function takeBack({ attempt_id, leg_sequence }, code) {
  const { sent, connection } = desk.state();
  desk.keep("sent", sent.filter((key) => key !== sentKey({ id: attempt_id }, { leg_sequence })));
  desk.dispatch({ type: "sent", sent: desk.recall("sent") });
  if (code === "wallet_altered") desk.keep("altered", [...desk.recall("altered"), connection?.walletId]);
  desk.dispatch({ type: "problem", problem: { code } });
}

/** Takes a listed wallet in. Why one that throws stays listed: it says so when it is pressed, and disturbs no other. @param {WalletOption} option */
function found(option) {
  try {
    follow(option);
  } catch {
    // Said when it is pressed.
  }
}

/** Follows a wallet's account, and takes up the one that this browser paid with. @param {WalletOption} option */
function follow(option) {
  const { id: walletId, family, name, usable } = option;
  const source = /** @type {any} */ (desk.sources.get(walletId));
  const wallet = family === "evm" ? evmWallet(source) : solanaWallet(source);
  desk.wallets.set(walletId, wallet);
  wallet.watch((address) => {
    const state = desk.state();
    if (state.connection?.walletId !== walletId || asking || isDone(state)) return;
    if (!address) desk.dispatch({ type: "connected", connection: null });
    else if (address !== state.connection.address) carryOut(() => useAccount(option, address));
  });
  if (!usable || !desk.state().server.wallet || !desk.recall("wallet").includes(lastingName(option))) return;
  wallet.reconnect().then((address) => {
    if (address && !desk.state().connection) desk.dispatch({ type: "connected", connection: { walletId, name, address } });
    findOpenAllowance();
  }).catch(() => {});
}

/** Why the query is not written anew: a merchant may have signed it letter by letter. */
function leave() {
  const { return_url, id } = desk.state().server;
  if (!/^https?:\/\//i.test(return_url || "")) return;
  const target = new URL(return_url || "");
  const query = target.search.replace(/[?&]payment_intent=[^&]*/g, "").slice(1);
  target.search = `?${query && `${query}&`}payment_intent=${id}`;
  window.open(target, "_top");
}

/** @param {PageState} state @param {number} now */
function everySecond(state, now) {
  const { leavingIn, busy, server: { attempt } } = state;
  if (leavingIn) {
    if (leavingIn === 1) leave();
    desk.dispatch({ type: "leaving", leavingIn: leavingIn - 1 || null });
  }
  const ends = panelOf(state) === "quote" && attempt?.status === "quoted" && attempt.quote_expires_at;
  if (!ends || busy || document.hidden || refreshes >= MOST_REFRESHES || secondsUntil(state, ends, now) > REFRESH_BEFORE_SECONDS) return;
  refreshes += 1;
  carryOut(() => quote(`${attempt.chain} ${attempt.token_address}`));
}
