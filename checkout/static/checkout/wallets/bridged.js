/** Wallets of the merchant's page as the page's own modules know wallets: each speaks over the host script's port. Loaded only in a frame. */

const PATIENCE_MS = 60000;
const MOST_WALLETS = 48;
const NO_ANSWER = 4900;
const CONNECT = "standard:connect";
const EVENTS = "standard:events";
/** Here a person answers: as long as they like. */
const PROMPTS = [
  "eth_requestAccounts", "eth_sendTransaction", "wallet_switchEthereumChain", "wallet_addEthereumChain", "wallet_sendCalls",
  "solana:signTransaction", "solana:signAndSendTransaction",
];
const version = "1.0.0";

/** @typedef {{resolve: (result: any) => void, reject: (reason: Error) => void, timer?: number}} Waiting */

/** @param {Say} say */
export function borrowWallets(say) {
  /** @type {Map<number, Waiting>} */
  const waiting = new Map();
  /** Who hears of a wallet's events. @type {Map<string, (event: string, value: any) => void>} */
  const told = new Map();
  let requests = 0;
  let arrived = () => {};
  let wanted = false;

  /** @param {string} wallet @param {string} method @param {unknown[]} params @param {boolean} [prompts] @returns {Promise<any>} */
  const request = (wallet, method, params, prompts = PROMPTS.includes(method)) => new Promise((resolve, reject) => {
    const id = requests += 1;
    const late = () => answer({ id, error: { code: NO_ANSWER, message: "No answer" } });
    waiting.set(id, { resolve, reject, timer: prompts ? undefined : window.setTimeout(late, PATIENCE_MS) });
    say("request", { id, wallet, method, params });
  });

  /** The first answer counts. @param {any} message */
  function answer({ id, result, error }) {
    const open = waiting.get(id);
    if (!open) return;
    waiting.delete(id);
    window.clearTimeout(open.timer);
    if (error) open.reject(Object.assign(new Error(String(error.message)), { code: Number(error.code) }));
    else open.resolve(result);
  }

  /** @param {{wallets: LentWallet[]}} message */
  function wallets({ wallets: list }) {
    for (const lent of wanted && Array.isArray(list) ? list : []) {
      if (typeof lent?.id !== "string" || told.has(lent.id) || told.size >= MOST_WALLETS) continue;
      /** @type {Request} */
      const ask = (method, params, prompts) => request(lent.id, method, params, prompts);
      if (lent.family === "evm") told.set(lent.id, announceEvm(lent, ask));
      if (lent.family === "solana") told.set(lent.id, announceSolana(lent, ask));
    }
    arrived();
  }

  return {
    heard: {
      answer, wallets,
      /** @param {any} message */
      walletEvent: ({ wallet, event, value }) => told.get(wallet)?.(event, value),
    },
    /** Asks for them; done when the first list is here. */
    discover() {
      wanted = true;
      listenOnlyToOurs();
      say("discover");
      return new Promise((resolve) => { arrived = () => resolve(null); });
    },
  };
}

const ours = new WeakSet();

/** Why: an extension that also sits in this frame would name the frame's origin to the payer, and be listed twice. */
function listenOnlyToOurs() {
  window.addEventListener("eip6963:announceProvider", (event) => {
    if (!ours.has(/** @type {CustomEvent} */ (event).detail?.provider)) event.stopImmediatePropagation();
  });
}

/** @typedef {(method: string, params: unknown[], prompts?: boolean) => Promise<any>} Request */

/** @param {LentWallet} lent @param {Request} ask */
function announceEvm({ id: uuid, name, icon, rdns }, ask) {
  /** @type {[string, (value: any) => void][]} */
  const listeners = [];
  /** @type {Eip1193Provider} */
  const provider = {
    request: ({ method, params = [] }) => ask(method, params),
    on: (event, listener) => { listeners.push([event, listener]); },
  };
  ours.add(provider);
  const detail = Object.freeze({ info: { uuid, name, icon, rdns }, provider });
  const announce = () => window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  window.addEventListener("eip6963:requestProvider", announce);
  announce();
  return (/** @type {string} */ event, /** @type {any} */ value) =>
    listeners.forEach(([of, listener]) => of === event && listener(value));
}

/** @param {LentWallet} lent @param {Request} ask */
function announceSolana({ name, icon, chains, features: offered }, ask) {
  /** @type {StandardAccount[]} */
  let accounts = [];
  /** @type {(() => void)[]} */
  const listeners = [];
  const read = (/** @type {any} */ value) => {
    accounts = (Array.isArray(value) ? value : []).filter((each) => typeof each?.address === "string" && Array.isArray(each.chains));
  };
  /** @param {string} method */
  const sign = (method) => (/** @type {any} */ { account: { address }, chain, transaction, options }) =>
    ask(method, [{ account: { address }, chain, transaction, options }]);
  /** @type {Record<string, any>} */
  const can = {
    [CONNECT]: { version, connect: async ({ silent = false } = {}) => {
      read(await ask(CONNECT, [silent ? { silent } : {}], !silent));
      return { accounts };
    } },
    [EVENTS]: { version, on: (/** @type {string} */ _event, /** @type {() => void} */ listener) => { listeners.push(listener); } },
    "solana:signTransaction": { version, signTransaction: sign("solana:signTransaction") },
    "solana:signAndSendTransaction": { version, signAndSendTransaction: sign("solana:signAndSendTransaction") },
  };
  const has = (/** @type {string} */ feature) => Array.isArray(offered) && offered.includes(feature);
  /** @type {StandardWallet} */
  const wallet = {
    version, name, icon, chains: Array.isArray(chains) ? chains : [],
    features: Object.fromEntries(Object.entries(can).filter(([feature]) => has(feature))),
    get accounts() { return accounts; },
  };
  const detail = (/** @type {any} */ { register }) => register(wallet);
  window.addEventListener("wallet-standard:app-ready", (event) => detail(/** @type {CustomEvent} */ (event).detail));
  window.dispatchEvent(new CustomEvent("wallet-standard:register-wallet", { detail }));
  return (/** @type {string} */ event, /** @type {any} */ value) => {
    if (event !== "change") return;
    read(value);
    listeners.forEach((listener) => listener());
  };
}
