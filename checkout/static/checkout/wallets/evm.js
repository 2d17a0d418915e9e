/** EVM wallets, spoken to by EIP-1193. What sends is loaded when it is needed. */

import { Problem, load } from "../state.js";
import { findEvm } from "./discovery.js";
import { refuse } from "./refusals.js";

/** @param {Found} found */
export const discoverEvm = (found) => findEvm((option, provider) => found(option, evmWallet(provider)));

/** The account in use: an address, or nothing. @param {any} accounts @returns {string} */
const firstOf = (accounts) => [accounts?.[0]].find((address) => typeof address === "string" && /^0x[0-9a-f]{40}$/i.test(address)) || "";

/** @param {Eip1193Provider} provider @returns {Wallet} */
export function evmWallet(provider) {
  /** @type {Ask} */
  const ask = async (method, params) => provider.request({ method, params });
  return {
    source: provider,
    async connect() {
      const address = firstOf(await ask("eth_requestAccounts").catch(refuse("wallet_failed")));
      if (!address) throw new Problem("locked");
      return address;
    },
    reconnect: () => ask("eth_accounts").then(firstOf),
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
      provider.on?.("accountsChanged", (accounts) => changed(firstOf(accounts)));
    },
  };
}
