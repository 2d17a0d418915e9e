/** EVM wallets: found by EIP-6963, spoken to by EIP-1193. What sends is loaded when it is needed. */

import { Problem, announced, load } from "../state.js";

/** @type {Record<number, string>} */
const CODES = {
  4001: "declined", 4100: "locked", 4200: "wallet_failed", 4900: "wallet_failed", 4901: "wallet_failed", 4902: "unknown_network",
  [-32002]: "request_pending", [-32003]: "no_gas",
};

/** @param {Found} found */
export function discoverEvm(found) {
  const known = new Set();
  window.addEventListener("eip6963:announceProvider", (event) => {
    try {
      const { info, provider } = /** @type {CustomEvent} */ (event).detail;
      if (typeof provider.request !== "function" || known.has(provider)) return;
      found(announced("evm", info, info.uuid), evmWallet(provider));
      known.add(provider);
    } catch {
      // Malformed: nobody's wallet.
    }
  });
  window.dispatchEvent(new Event("eip6963:requestProvider"));
  const { ethereum } = /** @type {any} */ (window);
  if (!known.size && ethereum?.request) found(announced("evm", { name: "Browser wallet" }, "injected"), evmWallet(ethereum));
}

/** @param {Eip1193Provider} provider @returns {Wallet} */
export function evmWallet(provider) {
  /** @type {Ask} */
  const ask = async (method, params) => provider.request({ method, params });
  return {
    source: provider,
    async connect() {
      const [address] = (await ask("eth_requestAccounts").catch(refuse("wallet_failed"))) || [];
      if (!address) throw new Problem("locked");
      return address;
    },
    reconnect: () => ask("eth_accounts").then((accounts) => accounts?.[0]),
    async send(transaction, from, sending) {
      const { sendEvm } = await load(() => import("./evm_send.js"));
      return sendEvm(ask, transaction, from, sending);
    },
    async isOpen(allowance) {
      const { isOpen } = await load(() => import("./allowances.js"));
      return isOpen(ask, allowance);
    },
    async revoke(allowance) {
      const { revoke } = await load(() => import("./allowances.js"));
      return revoke(ask, allowance);
    },
    watch(changed) {
      provider.on?.("accountsChanged", (accounts) => changed(accounts?.[0]));
    },
  };
}

/** @param {any} error */
export const codeOf = (error) => Number(error?.data?.originalError?.code ?? error?.code);

/** @param {string} otherwise @returns {(error: unknown) => never} */
export const refuse = (otherwise) => (error) => { throw problemOf(error, otherwise); };

/** @param {any} error @param {string} otherwise */
export function problemOf(error, otherwise) {
  const text = String(error?.message);
  const guess = /insufficient/i.test(text) ? "no_gas" : /user (rejected|denied|declined|cancel)/i.test(text) ? "declined" : otherwise;
  return error instanceof Problem ? error : new Problem(CODES[codeOf(error)] || guess);
}
