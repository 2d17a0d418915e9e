/** Test mode only: two wallets that announce themselves as any extension does, so the page's real code is what runs. */

import { BASE58 } from "./solana_send.js";

/** The service makes up what they hold by their endings: some of everything, many small amounts, nothing. @type {Record<string, string[]>} */
const ACCOUNTS = {
  approve: ["0x7e57000000000000000000000000000000000001", "AKnL4NNf3DGWZJS6cPknBuEGnVsV4A4m5tgebLHaRSZ9"],
  account_changed: ["0x7e57000000000000000000000000000000000002", "9hSR6S7WPtxmTojgo6GG3k4yDPecgJY292j7xrsUGWBu"],
  split: ["0x7e57000000000000000000000000000000005b17", "7est4F3cw9KTAb8dLcukC7edhDQ7cn5d4gEYkbUSp1it"],
  empty: ["0x7e57000000000000000000000000000000000bad", "7estrMWeWQLGsCmrG6dLaYyNoVKf58ZTBqNAYT3broke"],
  api: ["0x7e57000000000000000000000000000000000a11", "AKnL4NNf3DGWZJS6cPknBuEGnVsV4A4m5tgebLHaRSZ9"],
};
const THINKING_MS = 500;
/** The wallet plays these itself, or the price did before; the simulated network plays all others. */
const OWN_PARTS = ["approve", "locked", "wrong_network", "unknown_network", "account_changed", "split", "empty", "quote_expired"];
const ours = new WeakSet();

/** By identity: a name proves nothing. @param {object} source */
export const isSimulated = (source) => ours.has(source);

/** @param {SimulatedWorld} world */
export function announceTestWallets(world) {
  const [provider, wallet] = [evmProvider(world), solanaWallet(world)];
  ours.add(provider).add(wallet);
  const info = { uuid: "7e570000-0000-4000-8000-000000000001", name: "Test wallet (EVM)", icon: icon("%236d5bd0"), rdns: "test.wallet.evm" };
  const announce = () => window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: Object.freeze({ info, provider }) }));
  window.addEventListener("eip6963:requestProvider", announce);
  announce();

  const detail = (/** @type {any} */ { register }) => register(wallet);
  window.addEventListener("wallet-standard:app-ready", (event) => detail(/** @type {CustomEvent} */ (event).detail));
  window.dispatchEvent(new CustomEvent("wallet-standard:register-wallet", { detail }));
}

/** @param {string} colour */
const icon = (colour) => `data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' fill='${colour}'/%3E%3Cpath d='M13 7v6L7 25h18l-6-12V7m-8 0h10' fill='none' stroke='white' stroke-width='2' stroke-linejoin='round'/%3E%3C/svg%3E`;

/** @param {number} code */
const refusal = (code, message = "refused") => Object.assign(new Error(message), { code });

/** Stands for the window a payer would answer. @param {SimulatedWorld} world */
async function prompt(world) {
  await new Promise((resolve) => setTimeout(resolve, THINKING_MS));
  if (world.scenario() === "request_pending") throw refusal(-32002);
  return world.scenario();
}

/** @param {SimulatedWorld} world @param {(each: Signable) => boolean} matches */
async function send(world, matches) {
  const scenario = await prompt(world);
  if (scenario === "decline") throw refusal(4001);
  if (scenario === "no_gas") throw refusal(-32000, "insufficient funds");
  const transaction = world.transactions().find(matches);
  if (!transaction) throw refusal(-32602);
  return world.send(transaction.leg_sequence, OWN_PARTS.includes(scenario) ? undefined : scenario);
}

/** A text's play signature: it proves nothing, and the service takes it for play money only. @param {SimulatedWorld} world @param {string} address @param {string} text */
async function playSignature(world, address, text) {
  if (await prompt(world) === "decline") throw refusal(4001);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`Causeway test wallet\n${address}\n${text}`));
  return [...new Uint8Array(digest), ...new Uint8Array(digest)];
}

/** @param {SimulatedWorld} world @returns {Eip1193Provider} */
function evmProvider(world) {
  let [chainId, added] = [1, false];
  /** @type {(accounts: string[]) => void} */
  let changed = () => {};
  /** @type {Record<string, (parameter: any) => unknown>} */
  const methods = {
    async eth_requestAccounts() {
      const scenario = await prompt(world);
      if (scenario === "locked") return [];
      const [address] = ACCOUNTS[scenario === "account_changed" ? "approve" : scenario] || ACCOUNTS.approve;
      world.memory.setItem("test-evm", address);
      return [address];
    },
    eth_accounts() {
      const [other] = ACCOUNTS.account_changed;
      if (world.scenario() === "account_changed" && world.transactions().length) {
        world.memory.setItem("test-evm", other);
        changed([other]);
      }
      return [world.memory.getItem("test-evm")].filter(Boolean);
    },
    eth_chainId: () => `0x${chainId.toString(16)}`,
    wallet_switchEthereumChain(target) {
      if (world.scenario() === "wrong_network") throw refusal(4001);
      if (world.scenario() === "unknown_network" && !added) throw refusal(4902);
      chainId = Number(target.chainId);
      return null;
    },
    wallet_addEthereumChain: () => { added = true; return null; },
    async personal_sign(text) {
      const bytes = Uint8Array.from(text.slice(2).match(/../g) || [], (/** @type {string} */ pair) => Number.parseInt(pair, 16));
      const signed = await playSignature(world, world.memory.getItem("test-evm") || "", new TextDecoder().decode(bytes));
      return `0x${[...signed, 27].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
    },
    eth_sendTransaction: ({ to, data }) => send(world, ({ request, chain_id }) =>
      request?.to === to && (request?.data || "0x") === data && chain_id === chainId),
  };
  return {
    async request({ method, params }) {
      if (!methods[method]) throw refusal(4200);
      return methods[method](/** @type {any} */ (params)?.[0]);
    },
    on(event, listener) {
      if (event === "accountsChanged") changed = listener;
    },
  };
}

/** @param {SimulatedWorld} world @returns {StandardWallet} */
function solanaWallet(world) {
  const [version, chains] = ["1.0.0", ["solana:mainnet"]];
  let changed = () => {};
  /** @type {StandardAccount[]} */
  let accounts = [];
  /** @param {string} address */
  const open = (address) => {
    const open = world.scenario() === "wrong_network" ? ["solana:devnet"] : chains;
    accounts = [{ address, chains: open, publicKey: unbase58(address), features: ["solana:signAndSendTransaction"] }];
    world.memory.setItem("test-solana", address);
  };
  /** @param {{silent?: boolean}} [options] */
  async function connect({ silent } = {}) {
    const scenario = silent ? "" : await prompt(world);
    const [, address] = ACCOUNTS[scenario === "account_changed" ? "approve" : scenario] || ACCOUNTS.approve;
    const known = silent ? world.memory.getItem("test-solana") : scenario !== "locked" && address;
    if (known) open(known);
    else accounts = [];
    return { accounts };
  }
  /** @param {{transaction: Uint8Array}} input */
  async function signAndSendTransaction({ transaction }) {
    if (world.scenario() === "unknown_network") throw refusal(4902);
    const bytes = btoa(String.fromCharCode(...transaction));
    return [{ signature: unbase58(await send(world, ({ transaction_base64 }) => transaction_base64 === bytes)) }];
  }
  /** @param {{account: StandardAccount, message: Uint8Array}} input */
  const signMessage = async ({ account, message }) =>
    [{ signature: Uint8Array.from(await playSignature(world, account.address, new TextDecoder().decode(message))) }];
  return {
    version, name: "Test wallet (Solana)", icon: icon("%23128a6a"), chains,
    get accounts() {
      const [, other] = ACCOUNTS.account_changed;
      if (world.scenario() === "account_changed" && world.transactions().length && accounts[0]?.address !== other) {
        open(other);
        changed();
      }
      return accounts;
    },
    features: {
      "standard:connect": { version, connect },
      "standard:events": { version, on: (/** @type {string} */ _event, /** @type {() => void} */ listener) => { changed = listener; } },
      "solana:signMessage": { version, signMessage },
      "solana:signAndSendTransaction": { version, supportedTransactionVersions: ["legacy", 0], signAndSendTransaction },
    },
  };
}

/** @param {string} text */
function unbase58(text) {
  let number = [...text].reduce((sum, letter) => sum * 58n + BigInt(BASE58.indexOf(letter)), 0n);
  /** @type {number[]} */
  const bytes = [];
  for (; number > 0n; number /= 256n) bytes.unshift(Number(number % 256n));
  const zeros = [...text].findIndex((letter) => letter !== "1");
  return Uint8Array.from([...Array(zeros < 0 ? text.length : zeros).fill(0), ...bytes]);
}
